//! Figures as PDF: one page of lines and areas, and letters as their outlines, so that no font is needed to show them.
//!
//! Colours that let others shine through are mixed with the white of the page.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::io::Write as _;

use ab_glyph::{Font, FontRef, OutlineCurve, Point};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use plotters::style::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontTransform,
};

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

/// plotters' sizes of fonts are so many times the em.
const EM: f64 = 1.24;

/// A quarter of a circle as a Bézier curve.
const CIRCLE: f64 = 0.5523;

/// A page to draw on. What is drawn goes to `content`, in pixels from the left upper corner.
pub struct PdfBackend<'a> {
    size: (u32, u32),
    content: &'a mut String,
    font: FontRef<'static>,
}

impl<'a> PdfBackend<'a> {
    /// A page of so many pixels, two of which make a point.
    pub fn new(size: (u32, u32), content: &'a mut String, font: FontRef<'static>) -> Self {
        *content = format!("0.5 0 0 -0.5 0 {} cm 1 J 1 j\n", f64::from(size.1) / 2.0);
        Self { size, content, font }
    }

    fn add(&mut self, operators: std::fmt::Arguments<'_>) -> Drawn {
        // Writing to a string cannot fail.
        let _ = self.content.write_fmt(operators);
        self.content.push('\n');
        Ok(())
    }

    /// Fills or strokes what `path` says.
    fn paint(&mut self, path: &str, colour: BackendColor, width: Option<u32>) -> Drawn {
        if colour.alpha == 0.0 {
            return Ok(());
        }
        let mix = |part: u8| (255.0 - colour.alpha * (255.0 - f64::from(part))) / 255.0;
        let (r, g, b) = (mix(colour.rgb.0), mix(colour.rgb.1), mix(colour.rgb.2));
        match width {
            Some(width) => self.add(format_args!("{r:.3} {g:.3} {b:.3} RG {width} w {path} S")),
            None => self.add(format_args!("{r:.3} {g:.3} {b:.3} rg {path} f")),
        }
    }
}

/// Straight lines from point to point.
fn lines(points: impl IntoIterator<Item = BackendCoord>) -> String {
    let line = |(i, (x, y)): (usize, BackendCoord)| format!("{x} {y} {} ", if i == 0 { 'm' } else { 'l' });
    points.into_iter().enumerate().map(line).collect()
}

impl DrawingBackend for PdfBackend<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, colour: BackendColor) -> Drawn {
        self.paint(&format!("{x} {y} 1 1 re"), colour, None)
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        (left, top): BackendCoord,
        (right, bottom): BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let path = format!("{left} {top} {} {} re", right - left, bottom - top);
        self.paint(&path, style.color(), (!fill).then_some(style.stroke_width()))
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        self.paint(&lines(path), style.color(), Some(style.stroke_width()))
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        (x, y): BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let (x, y, r) = (f64::from(x), f64::from(y), f64::from(radius));
        let mut path = format!("{} {y} m ", x + r);
        for (a, b) in [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)] {
            // From the direction (a, b) to the one a quarter further, (−b, a).
            let c = CIRCLE;
            for (u, v) in [(a - c * b, b + c * a), (-b + c * a, a + c * b), (-b, a)] {
                let _ = write!(path, "{:.2} {:.2} ", x + r * u, y + r * v);
            }
            path.push_str("c ");
        }
        self.paint(&path, style.color(), (!fill).then_some(style.stroke_width()))
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Drawn {
        self.paint(&lines(corners), style.color(), None)
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, (x, y): BackendCoord) -> Drawn {
        let em = style.size() / EM;
        let unit = em / f64::from(self.font.units_per_em().unwrap_or(1000.0));
        let advance =
            |letter: char| unit * f64::from(self.font.h_advance_unscaled(self.font.glyph_id(letter)));
        let width: f64 = text.chars().map(advance).sum();
        let mut along = match style.anchor().h_pos {
            HPos::Left => 0.0,
            HPos::Center => -width / 2.0,
            HPos::Right => -width,
        };
        let below = match style.anchor().v_pos {
            VPos::Top => 0.76 * em,
            VPos::Center => 0.27 * em,
            VPos::Bottom => -0.27 * em,
        };
        let turned = |(right, down): (f64, f64)| match style.transform() {
            FontTransform::None => (right, down),
            FontTransform::Rotate90 => (-down, right),
            FontTransform::Rotate180 => (-right, -down),
            FontTransform::Rotate270 => (down, -right),
        };
        let mut path = String::new();
        for letter in text.chars() {
            let place = |point: Point| {
                let (right, down) = (along + unit * f64::from(point.x), below - unit * f64::from(point.y));
                let (right, down) = turned((right, down));
                (f64::from(x) + right, f64::from(y) + down)
            };
            if let Some(outline) = self.font.outline(self.font.glyph_id(letter)) {
                outline_path(&outline.curves, place, &mut path);
            }
            along += advance(letter);
        }
        self.paint(&path, style.color(), None)
    }
}

/// The outline of a letter: closed curves.
fn outline_path(curves: &[OutlineCurve], place: impl Fn(Point) -> (f64, f64), path: &mut String) {
    let add = |point: Point, path: &mut String| {
        let (x, y) = place(point);
        let _ = write!(path, "{x:.2} {y:.2} ");
    };
    let mut last = None;
    for curve in curves {
        let (start, controls, end) = match *curve {
            OutlineCurve::Line(a, b) => (a, None, b),
            // The cubic curve that is the same.
            OutlineCurve::Quad(a, b, c) => {
                let toward = |from: Point| Point {
                    x: from.x + (b.x - from.x) / 1.5,
                    y: from.y + (b.y - from.y) / 1.5,
                };
                (a, Some((toward(a), toward(c))), c)
            }
            OutlineCurve::Cubic(a, b, c, d) => (a, Some((b, c)), d),
        };
        if last != Some(start) {
            add(start, path);
            path.push_str("m ");
        }
        match controls {
            Some((first, second)) => {
                [first, second, end].into_iter().for_each(|point| add(point, path));
                path.push_str("c ");
            }
            None => {
                add(end, path);
                path.push_str("l ");
            }
        }
        last = Some(end);
    }
}

/// A file with one page of this content, in points.
pub fn file((width, height): (u32, u32), content: &str) -> std::io::Result<Vec<u8>> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    packed.write_all(content.as_bytes())?;
    let packed = packed.finish()?;
    let (width, height) = (f64::from(width) / 2.0, f64::from(height) / 2.0);
    let page = format!(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Resources << >> /Contents 4 0 R >>"
    );
    let stream = format!("<< /Length {} /Filter /FlateDecode >>\nstream\n", packed.len());
    let objects: [Vec<u8>; 4] = [
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        page.into_bytes(),
        [stream.as_bytes(), &packed, b"\nendstream"].concat(),
    ];
    let mut bytes = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (number, object) in (1..).zip(&objects) {
        let _ = writeln!(table, "{:010} 00000 n ", bytes.len());
        writeln!(bytes, "{number} 0 obj")?;
        bytes.extend_from_slice(object);
        bytes.extend_from_slice(b"\nendobj\n");
    }
    let start = bytes.len();
    let count = objects.len() + 1;
    write!(bytes, "{table}trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n")?;
    Ok(bytes)
}
