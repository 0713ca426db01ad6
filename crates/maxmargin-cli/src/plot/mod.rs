//! Figures. Each is drawn once, as a [`Picture`], for both kinds of file.
//!
//! Here are figures of curves: panels with logarithmic axes, in rows below a title, with one legend for all.
//!
//! A curve is told by its name: it has the same colour and marker in every panel. `label_plane` has
//! pictures of the labels of an example, `alignment` of the links between two sentences, `hierarchy` of a tree of labels, and `segmented` of images that are cut.

mod alignment;
mod annotations;
mod file;
mod hierarchy;
mod label_plane;
mod log_axis;
mod pdf;
mod segmented;

use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::ranged1d::Ranged;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

pub use self::alignment::GridPicture;
pub use self::file::{FigureFile, Picture};
pub use self::hierarchy::TreePicture;
pub use self::label_plane::PlanePicture;
pub use self::segmented::SegmentedPicture;

use self::file::Drawn;
use self::log_axis::LogAxis;

/// The sizes of a panel, of the title's line and of the legend's lines, in pixels of PNG. SVG is shown at half the size,
/// since plotters rounds to whole pixels, which would make curves uneven.
const PANEL: (i32, i32) = (880, 680);
const LEAST_PANEL: (i32, i32) = (400, 320);
const TITLE: i32 = 80;
const LEGEND_LINE: i32 = 48;

const FONT: &str = "sans-serif";
const INK: RGBColor = RGBColor(40, 40, 40);
const GREY: RGBColor = RGBColor(130, 130, 130);
/// The colours of Okabe and Ito, which readers with any colour vision can tell apart, without yellow.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(0, 0, 0),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

/// Shares of a panel: points nearer than the first are not told apart; markers are this far apart at least.
const RESOLUTION: f64 = 4e-3;
const MARKER_DISTANCE: f64 = 0.14;

/// A figure.
pub struct Figure {
    /// What it is about.
    pub title: String,
    /// The panels, from top to bottom and from left to right.
    pub rows: Vec<Vec<Panel>>,
}

/// Curves over common axes, both logarithmic.
pub struct Panel {
    /// What is special about this panel.
    pub title: String,
    /// The name of the horizontal axis.
    pub x: String,
    /// The name of the vertical axis.
    pub y: String,
    /// The curves.
    pub curves: Vec<Curve>,
    /// A value of y to mark by a line, if the curves come near it.
    pub level: Option<f64>,
}

/// A curve.
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Its points in order of x. Those that have no logarithm are left out.
    pub points: Vec<(f64, f64)>,
}

impl Figure {
    fn columns(&self) -> i32 {
        self.rows.iter().map(Vec::len).max().unwrap_or(0) as i32
    }

    /// The width of the legend.
    fn legend(&self) -> i32 {
        140 + 16 * self.names().iter().map(|name| name.chars().count() as i32).max().unwrap_or(0)
    }

    fn size_with(&self, panel: (i32, i32)) -> (u32, u32) {
        let legend = LEGEND_LINE * (self.names().len() as i32 + 1);
        let height = legend.max(self.rows.len() as i32 * panel.1);
        ((self.columns() * panel.0 + self.legend()) as u32, (TITLE + height) as u32)
    }

    /// The names of all curves, each once.
    fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for curve in self.rows.iter().flatten().flat_map(|panel| &panel.curves) {
            if !names.contains(&curve.name.as_str()) {
                names.push(&curve.name);
            }
        }
        names
    }
}

impl Picture for Figure {
    fn size(&self) -> (u32, u32) {
        self.size_with(PANEL)
    }

    fn least_size(&self) -> (u32, u32) {
        self.size_with(LEAST_PANEL)
    }

    fn draw_parts<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Drawn<B> {
        area.fill(&WHITE)?;
        let left_centre = Pos::new(HPos::Left, VPos::Center);
        area.draw(&Text::new(self.title.as_str(), (32, TITLE / 2), text(40).pos(left_centre)))?;
        let names = self.names();
        let (width, height) = area.dim_in_pixel();
        let rows = self.rows.len().max(1) as i32;
        let size = ((width as i32 - self.legend()) / self.columns().max(1), (height as i32 - TITLE) / rows);
        for (i, row) in (0..).zip(&self.rows) {
            for (j, panel) in (0..).zip(row) {
                let place = area.clone().shrink((j * size.0, TITLE + i * size.1), size);
                panel.draw(&place, &names)?;
            }
        }
        let left = self.columns() * size.0;
        for (i, name) in names.iter().enumerate() {
            let style = CurveStyle::of(i);
            let y = TITLE + LEGEND_LINE * (i as i32 + 1);
            area.draw(&PathElement::new([(left + 24, y), (left + 88, y)], style.line()))?;
            style.draw_marker(area, (left + 56, y))?;
            area.draw(&Text::new(*name, (left + 104, y), text(32).pos(left_centre)))?;
        }
        area.present()
    }
}

impl Panel {
    fn draw<B: DrawingBackend>(&self, place: &DrawingArea<B, Shift>, names: &[&str]) -> Drawn<B> {
        let positive = |value: f64| value > 0.0 && value.is_finite();
        let drawable = |&(x, y): &(f64, f64)| positive(x) && positive(y);
        let curves: Vec<(usize, Vec<(f64, f64)>)> = (self.curves.iter())
            .filter_map(|curve| {
                let style = names.iter().position(|name| *name == curve.name)?;
                Some((style, curve.points.iter().copied().filter(drawable).collect()))
            })
            .filter(|(_, points): &(_, Vec<_>)| !points.is_empty())
            .collect();
        let points = || curves.iter().flat_map(|(_, points)| points);
        let x = LogAxis::around(points().map(|point| point.0));
        let y = LogAxis::around(points().map(|point| point.1));

        let mut chart = ChartBuilder::on(place)
            .caption(&self.title, text(34))
            .margin(16)
            .margin_right(32)
            .x_label_area_size(88)
            .y_label_area_size(124)
            .build_cartesian_2d(x.clone(), y.clone())?;
        chart
            .configure_mesh()
            .bold_line_style(BLACK.mix(0.16).stroke_width(2))
            .light_line_style(BLACK.mix(0.05).stroke_width(2))
            .axis_style(GREY.stroke_width(2))
            .set_all_tick_mark_size(8)
            .x_desc(&self.x)
            .y_desc(&self.y)
            .axis_desc_style(text(32))
            .label_style(text(28))
            .draw()?;
        if let Some(level) = self.level.filter(|level| y.range().contains(level)) {
            let Range { start, end } = x.range();
            let line = PathElement::new([(start, level), (end, level)], GREY.stroke_width(2));
            chart.plotting_area().draw(&line)?;
        }
        for (index, points) in &curves {
            let style = CurveStyle::of(*index);
            let share = |a: (f64, f64), b: (f64, f64)| (x.share(a.0, b.0)).max(y.share(a.1, b.1));
            let points = thinned(points, RESOLUTION, share);
            chart.plotting_area().draw(&PathElement::new(points.clone(), style.line()))?;
            let screen = chart.plotting_area().use_screen_coord();
            for point in thinned(&points, MARKER_DISTANCE, share) {
                style.draw_marker(&screen, chart.plotting_area().map_coordinate(&point))?;
            }
        }
        Ok(())
    }
}

/// The first and the last point, and between them some that are at least `distance` from the one before.
fn thinned(
    points: &[(f64, f64)],
    distance: f64,
    between: impl Fn((f64, f64), (f64, f64)) -> f64,
) -> Vec<(f64, f64)> {
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for (i, &point) in points.iter().enumerate() {
        let far = kept.last().is_none_or(|&last| between(last, point) >= distance);
        let end = i + 1 == points.len();
        if end && !far && kept.len() > 1 {
            kept.pop();
        }
        if far || end {
            kept.push(point);
        }
    }
    kept
}

/// How a curve looks.
struct CurveStyle {
    index: usize,
    colour: RGBColor,
}

impl CurveStyle {
    fn of(index: usize) -> Self {
        Self { index, colour: COLOURS[index % COLOURS.len()] }
    }

    fn line(&self) -> ShapeStyle {
        self.colour.stroke_width(4)
    }

    /// Five shapes, full and then hollow.
    fn draw_marker<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, centre: (i32, i32)) -> Drawn<B> {
        // Corners, the direction of the first one as a share of the circle, and the size.
        let (corners, turn, radius) =
            [(16, 0.0, 8.4), (4, 0.125, 10.0), (3, 0.75, 11.2), (4, 0.0, 10.8), (3, 0.25, 11.2)]
                [self.index % 5];
        let polygon = |size: f64, colour: RGBColor| {
            let corner = |i: i32| {
                let angle = std::f64::consts::TAU * (f64::from(i) / f64::from(corners) + turn);
                let (x, y) = (size * radius * angle.cos(), size * radius * angle.sin());
                (centre.0 + x.round() as i32, centre.1 + y.round() as i32)
            };
            Polygon::new((0..corners).map(corner).collect::<Vec<_>>(), colour.filled())
        };
        area.draw(&polygon(1.0, self.colour))?;
        if self.index / 5 % 2 == 1 {
            area.draw(&polygon(0.55, WHITE))?;
        }
        Ok(())
    }
}

fn text(size: i32) -> TextStyle<'static> {
    (FONT, size).into_font().color(&INK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_without_logarithm_are_left_out() {
        let curve =
            |name: &str, points: &[(f64, f64)]| Curve { name: name.to_owned(), points: points.to_vec() };
        let bad = [(0.0, 1.0), (1.0, f64::INFINITY), (2.0, f64::NAN), (3.0, 0.0), (4.0, -1.0)];
        let good = [&bad[..], &[(5.0, 0.5), (6.0, 0.25)]].concat();
        let panel = Panel {
            title: "<panel>".to_owned(),
            x: "x".to_owned(),
            y: "y".to_owned(),
            curves: vec![curve("bad", &bad), curve("good", &good)],
            level: None,
        };
        let figure = Figure { title: "bad & good".to_owned(), rows: vec![vec![panel]] };
        let svg = figure.svg(figure.size()).unwrap();
        assert!(svg.contains("bad &amp; good") && svg.contains("&lt;panel&gt;"), "{svg}");
        let lines = |index: usize| {
            let RGBColor(r, g, b) = COLOURS[index];
            let stroke = format!("stroke=\"#{r:02X}{g:02X}{b:02X}\"");
            svg.lines().filter(|line| line.starts_with("<polyline") && line.contains(&stroke)).count()
        };
        // One line is the legend's.
        assert_eq!((lines(0), lines(1)), (1, 2), "{svg}");
        assert!(figure.png(figure.size()).unwrap().starts_with(b"\x89PNG\r\n\x1a\n"));
    }

    #[test]
    fn thinning_keeps_both_ends() {
        let points: Vec<(f64, f64)> = (0..=100).map(|i| (f64::from(i), 0.0)).collect();
        let kept = thinned(&points, 30.0, |a, b| (a.0 - b.0).abs());
        assert_eq!(kept, [(0.0, 0.0), (30.0, 0.0), (60.0, 0.0), (100.0, 0.0)]);
    }
}
