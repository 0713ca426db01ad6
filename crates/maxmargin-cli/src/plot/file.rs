//! Pictures in files: SVG, PNG and PDF, told by the ending of the name.
//!
//! Text in SVG is left to whoever shows it, as sans-serif; in PNG and PDF it is set in DejaVu Sans, which is compiled in, so that
//! no fonts need to be installed.

use std::io::Write;
use std::path::PathBuf;

use ab_glyph::FontRef;
use anyhow::{Result, anyhow};
use maxmargin::{Error, OutputFile};
use plotters::coord::Shift;
use plotters::prelude::*;

use super::FONT;
use super::pdf::{self, PdfBackend};
use crate::print::note;

/// A file to draw to. Its ending tells the format.
#[derive(Debug, Clone)]
pub struct FigureFile {
    /// Where it is.
    pub path: PathBuf,
    format: FigureFormat,
}

#[derive(Debug, Clone, Copy)]
enum FigureFormat {
    Svg,
    Png,
    Pdf,
}

impl FigureFile {
    /// Refuses endings other than .svg, .png and .pdf.
    pub fn new(path: PathBuf) -> Result<Self, &'static str> {
        let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
        let format = match ending.as_ref().and_then(|ending| ending.to_str()) {
            Some("svg") => FigureFormat::Svg,
            Some("png") => FigureFormat::Png,
            Some("pdf") => FigureFormat::Pdf,
            _ => return Err("the name of a figure ends in .svg, .png or .pdf"),
        };
        Ok(Self { path, format })
    }
}

/// What drawing on a backend results in.
pub type Drawn<B> = Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

/// Something that can be drawn.
pub trait Picture {
    /// Width and height in pixels of PNG. SVG is shown at half the size, since plotters rounds to whole pixels, which
    /// would make curves uneven.
    fn size(&self) -> (u32, u32);

    /// The least width and height in which everything has room. A picture that cannot change needs its own size.
    fn least_size(&self) -> (u32, u32) {
        self.size()
    }

    /// Draws everything, to fill the area.
    fn draw_parts<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Drawn<B>;

    /// Draws to a file; in its own size, unless another one is asked for, in points of SVG.
    fn save(&self, file: &FigureFile, asked: Option<(u32, u32)>) -> Result<()> {
        let least = self.least_size();
        let size = asked
            .map_or(self.size(), |(width, height)| ((2 * width).max(least.0), (2 * height).max(least.1)));
        if let Some((width, height)) = asked.filter(|asked| size != (2 * asked.0, 2 * asked.1)) {
            let (own_width, own_height) = (size.0.div_ceil(2), size.1.div_ceil(2));
            note(&format!(
                "note: a figure of {width}x{height} has no room for all panels; it is {own_width}x{own_height}"
            ));
        }
        let bytes = match file.format {
            FigureFormat::Svg => self.svg(size)?.into_bytes(),
            FigureFormat::Png => self.png(size)?,
            FigureFormat::Pdf => self.pdf(size)?,
        };
        let mut output = OutputFile::create(&file.path)?;
        output.write_all(&bytes).map_err(|e| Error::io("write", &file.path, e))?;
        Ok(output.finish()?)
    }

    /// The text of an SVG file.
    fn svg(&self, (width, height): (u32, u32)) -> Result<String> {
        let mut text = String::new();
        draw(self, SVGBackend::with_string(&mut text, (width, height)).into_drawing_area())?;
        let size = |width, height| format!("width=\"{width}\" height=\"{height}\" viewBox");
        Ok(text.replacen(&size(width, height), &size(width / 2, height / 2), 1))
    }

    /// The bytes of a PDF file.
    fn pdf(&self, size: (u32, u32)) -> Result<Vec<u8>> {
        let font = FontRef::try_from_slice(dejavu::sans::regular())?;
        let mut content = String::new();
        draw(self, PdfBackend::new(size, &mut content, font).into_drawing_area())?;
        Ok(pdf::file(size, &content)?)
    }

    /// The bytes of a PNG file.
    fn png(&self, (width, height): (u32, u32)) -> Result<Vec<u8>> {
        let mut pixels = vec![0; 3 * width as usize * height as usize];
        draw(self, BitMapBackend::with_buffer(&mut pixels, (width, height)).into_drawing_area())?;
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header()?.write_image_data(&pixels)?;
        Ok(bytes)
    }
}

fn draw<B: DrawingBackend>(picture: &(impl Picture + ?Sized), area: DrawingArea<B, Shift>) -> Result<()> {
    // Layout needs the widths of texts, in SVG too.
    plotters::style::register_font(FONT, FontStyle::Normal, dejavu::sans::regular())
        .map_err(|_| anyhow!("cannot draw: the font is damaged"))?;
    picture.draw_parts(&area).map_err(|e| anyhow!("cannot draw: {e}"))
}
