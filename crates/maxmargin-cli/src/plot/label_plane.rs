//! A picture of one example's label plane: a panel for each search, with its queries numbered in order.
//!
//! Labels, hull and contours are the same in all panels, so that the eye compares the ways only.

use maxmargin::comparison::{Portrait, SearchPath};
use maxmargin::search::Strategy;
use maxmargin::surrogate::Surrogate;
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::file::{Drawn, Picture};
use super::{COLOURS, GREY, INK, LEGEND_LINE, PANEL, TITLE, annotations, text};
use crate::print::number;

const LABEL: RGBColor = RGBColor(176, 176, 176);
const HULL: RGBColor = COLOURS[0];
const WAY: RGBColor = COLOURS[1];
const RAY: RGBColor = COLOURS[2];
const END: RGBColor = COLOURS[4];

/// Contours of ψ, as shares of the best label's.
const CONTOURS: [f64; 5] = [0.25, 0.5, 0.75, 1.25, 1.5];

/// What is left free around the points, as a share of the axis.
const MARGIN: f64 = 0.09;

/// The same at the right, where the numbers of queries stand: nothing else lies to the upper right of the hull.
const RIGHT_MARGIN: f64 = 0.24;

/// So many numbers stand beside an answer, with those in a row counted as one.
const MOST_RUNS: usize = 4;

/// Numbers that are farther from their answer than this are tied to it by a line.
const FAR: i32 = 40;

/// The width that the legend needs.
const LEGEND: i32 = 860;

type Plot<'a, B> = DrawingArea<B, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// A label plane to be drawn.
pub struct PlanePicture {
    /// What it is about.
    pub title: String,
    /// What there is to see.
    pub portrait: Portrait,
}

impl PlanePicture {
    /// A panel for each search, and the legend.
    fn columns(&self) -> i32 {
        match self.portrait.paths.len() + 1 {
            cells @ 1..=2 => cells as i32,
            3..=4 => 2,
            5..=6 => 3,
            _ => 4,
        }
    }

    fn rows(&self) -> i32 {
        (self.portrait.paths.len() as i32 + self.columns()) / self.columns()
    }

    fn size_with(&self, panel: (i32, i32)) -> (u32, u32) {
        ((self.columns() * panel.0) as u32, (TITLE + self.rows() * panel.1) as u32)
    }

    /// The ranges of h and g: all that matters to a search, and not every label far off to the left.
    fn ranges(&self) -> ((f64, f64), (f64, f64)) {
        let Portrait { surrogate, hull, paths, .. } = &self.portrait;
        let ends = paths.iter().map(|path| path.end);
        let mut seen: Vec<(f64, f64)> = hull.iter().copied().chain(ends).collect();
        if *surrogate != Surrogate::MicroF1 {
            // The truth; and for slack rescaling the corner of all angles.
            seen.push((if *surrogate == Surrogate::SLACK { -1.0 } else { 0.0 }, 0.0));
        }
        let wide = |values: &dyn Fn(&(f64, f64)) -> f64, above: f64| {
            let fold = |(low, high): (f64, f64), value: f64| (low.min(value), high.max(value));
            let (low, high) = seen.iter().map(values).fold((f64::INFINITY, f64::NEG_INFINITY), fold);
            let length = if high > low { high - low } else { 1.0 };
            (low - MARGIN * length, high + above * length)
        };
        (wide(&|point| point.0, RIGHT_MARGIN), wide(&|point| point.1, MARGIN))
    }

    fn draw_panel<B: DrawingBackend>(&self, path: &SearchPath, place: &DrawingArea<B, Shift>) -> Drawn<B> {
        let (heights, losses) = self.ranges();
        let caption = format!("{}: {} with {}", path.strategy, number(path.value), queries(path));
        let mut chart = ChartBuilder::on(place)
            .caption(caption, text(34))
            .margin(16)
            .margin_right(32)
            .x_label_area_size(88)
            .y_label_area_size(108)
            .build_cartesian_2d(heights.0..heights.1, losses.0..losses.1)?;
        chart
            .configure_mesh()
            .disable_mesh()
            .axis_style(GREY.stroke_width(2))
            .set_all_tick_mark_size(8)
            .x_labels(8)
            // Without the sign of −0.
            .x_label_formatter(&|h| number(if h.abs() < 1e-9 { 0.0 } else { *h }))
            .y_label_formatter(&|g| number(if g.abs() < 1e-9 { 0.0 } else { *g }))
            .y_labels(8)
            .x_desc("h, the margin error")
            .y_desc("g, the loss")
            .axis_desc_style(text(32))
            .label_style(text(28))
            .draw()?;
        let plot = chart.plotting_area();
        self.draw_contours(plot, heights, losses)?;
        if path.strategy == Strategy::Angular {
            draw_rays(plot, path, heights, losses)?;
        }
        self.draw_labels(plot, heights, losses)?;
        draw_path(plot, path)
    }

    fn draw_contours<B: DrawingBackend>(
        &self,
        plot: &Plot<'_, B>,
        heights: (f64, f64),
        losses: (f64, f64),
    ) -> Drawn<B> {
        let best = self.portrait.best();
        for (share, style) in CONTOURS
            .map(|share| (share, BLACK.mix(0.18).stroke_width(2)))
            .into_iter()
            .chain([(1.0, INK.stroke_width(3))])
        {
            let contour = self.portrait.contour(share * best, heights, losses);
            plot.draw(&PathElement::new(contour, style))?;
        }
        Ok(())
    }

    fn draw_labels<B: DrawingBackend>(
        &self,
        plot: &Plot<'_, B>,
        heights: (f64, f64),
        losses: (f64, f64),
    ) -> Drawn<B> {
        let inside = |&&(h, g): &&(f64, f64)| {
            (heights.0..=heights.1).contains(&h) && (losses.0..=losses.1).contains(&g)
        };
        for &label in self.portrait.labels.iter().filter(inside) {
            plot.draw(&Circle::new(label, 4, LABEL.filled()))?;
        }
        plot.draw(&PathElement::new(self.portrait.hull.clone(), HULL.stroke_width(3)))?;
        for &vertex in &self.portrait.hull {
            plot.draw(&Circle::new(vertex, 6, HULL.filled()))?;
        }
        Ok(())
    }

    fn draw_legend<B: DrawingBackend>(&self, place: &DrawingArea<B, Shift>) -> Drawn<B> {
        let Portrait { surrogate, labels, is_whole, paths, .. } = &self.portrait;
        let (shown, best) = (labels.len(), number(self.portrait.best()));
        let all = if *is_whole { "all labels" } else { "some labels" };
        let angular = paths.iter().any(|path| path.strategy == Strategy::Angular);
        let mixes = paths.iter().any(|path| path.strategy.mixes());
        let mut entries: Vec<(Option<Symbol>, String)> = vec![
            (Some(Symbol::Dot(LABEL)), format!("{all}, at {shown} places")),
            (Some(Symbol::Line(HULL, 3)), "upper right of their hull".to_owned()),
            (Some(Symbol::Line(INK, 3)), format!("{surrogate} = {best}, the best label found")),
            (Some(Symbol::Line(LABEL, 2)), "25, 50, 75, 125 and 150 % of it".to_owned()),
            (Some(Symbol::SearchPath), "answers of queries, in order".to_owned()),
            (Some(Symbol::End), "the answer of the search".to_owned()),
        ];
        if angular {
            entries.push((Some(Symbol::Line(RAY, 2)), "rays of the angular search".to_owned()));
        }
        if mixes {
            entries.push((None, "hull-fractional answers with a mix of two labels.".to_owned()));
        }
        entries.push((None, "Every search starts from nothing here.".to_owned()));
        for (i, (symbol, line)) in (0..).zip(entries) {
            let y = 90 + i * (LEGEND_LINE + 8);
            if let Some(symbol) = symbol {
                symbol.draw(place, (72, y))?;
            }
            let left_centre = Pos::new(HPos::Left, VPos::Center);
            place.draw(&Text::new(line, (128, y), text(32).pos(left_centre)))?;
        }
        Ok(())
    }
}

impl Picture for PlanePicture {
    fn size(&self) -> (u32, u32) {
        self.size_with(PANEL)
    }

    fn least_size(&self) -> (u32, u32) {
        // The legend is one of the panels.
        self.size_with((LEGEND, PANEL.1))
    }

    fn draw_parts<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Drawn<B> {
        area.fill(&WHITE)?;
        let left_centre = Pos::new(HPos::Left, VPos::Center);
        area.draw(&Text::new(self.title.as_str(), (32, TITLE / 2), text(40).pos(left_centre)))?;
        let (width, height) = area.dim_in_pixel();
        let size = (width as i32 / self.columns(), (height as i32 - TITLE) / self.rows());
        let cell = |i: i32| {
            let (row, column) = (i / self.columns(), i % self.columns());
            area.clone().shrink((column * size.0, TITLE + row * size.1), size)
        };
        for (i, path) in (0..).zip(&self.portrait.paths) {
            self.draw_panel(path, &cell(i))?;
        }
        self.draw_legend(&cell(self.portrait.paths.len() as i32))?;
        area.present()
    }
}

/// `1 query`, `5 queries`.
fn queries(path: &SearchPath) -> String {
    match path.queries.len() {
        1 => "1 query".to_owned(),
        count => format!("{count} queries"),
    }
}

/// The rays at which angles were split, from the corner (−1, 0): their slope is 1/λ.
fn draw_rays<B: DrawingBackend>(
    plot: &Plot<'_, B>,
    path: &SearchPath,
    heights: (f64, f64),
    losses: (f64, f64),
) -> Drawn<B> {
    for query in &path.queries {
        let lambda = query.mix.loss / query.mix.score;
        let g = losses.1.min((heights.1 + 1.0) / lambda.max(f64::MIN_POSITIVE));
        let ray = PathElement::new([(-1.0, 0.0), (lambda * g - 1.0, g)], RAY.stroke_width(2));
        plot.draw(&ray)?;
    }
    Ok(())
}

/// Lines from answer to answer, the numbers of the queries, and a ring around the end.
fn draw_path<B: DrawingBackend>(plot: &Plot<'_, B>, path: &SearchPath) -> Drawn<B> {
    let mut places: Vec<((f64, f64), Vec<usize>)> = Vec::new();
    for (i, answer) in path.queries.iter().enumerate().filter_map(|(i, query)| Some((i + 1, query.answer?))) {
        match places.iter_mut().find(|(place, _)| *place == answer) {
            Some((_, numbers)) => numbers.push(i),
            None => places.push((answer, vec![i])),
        }
    }
    let answers: Vec<(f64, f64)> = path.queries.iter().filter_map(|query| query.answer).collect();
    // One by one: where a line turns back its joint would be a spike.
    for step in answers.windows(2).filter(|step| step[0] != step[1]) {
        plot.draw(&PathElement::new(step.to_vec(), WAY.stroke_width(4)))?;
    }
    for (place, _) in &places {
        plot.draw(&Circle::new(*place, 9, WAY.filled()))?;
    }
    plot.draw(&Circle::new(path.end, 17, END.stroke_width(4)))?;
    draw_numbers(plot, &places)
}

/// The numbers of the queries beside their answers, each list where there is room for it.
fn draw_numbers<B: DrawingBackend>(plot: &Plot<'_, B>, places: &[((f64, f64), Vec<usize>)]) -> Drawn<B> {
    let style = text(30).color(&WAY).pos(Pos::new(HPos::Left, VPos::Top));
    let mut texts = Vec::new();
    for (place, numbers) in places {
        let (width, height) = plot.estimate_text_size(&ranges(numbers), &style)?;
        texts.push((plot.map_coordinate(place), (width as i32, height as i32)));
    }
    let screen = plot.use_screen_coord();
    let areas = annotations::places(&texts, &plot.get_pixel_range());
    for ((area, (point, _)), (_, numbers)) in areas.iter().zip(&texts).zip(places) {
        let centre = (area.corner.0 + area.size.0 / 2, area.corner.1 + area.size.1 / 2);
        if (centre.0 - point.0).abs() > area.size.0 / 2 + FAR
            || (centre.1 - point.1).abs() > area.size.1 / 2 + FAR
        {
            screen.draw(&PathElement::new([*point, centre], WAY.mix(0.5).stroke_width(1)))?;
        }
        let (x, y) = area.corner;
        let corners = [(x - 2, y - 2), (x + area.size.0 + 2, y + area.size.1 + 2)];
        screen.draw(&Rectangle::new(corners, WHITE.mix(0.8).filled()))?;
        screen.draw(&Text::new(ranges(numbers), area.corner, style.clone()))?;
    }
    Ok(())
}

/// `1 3–5` for 1, 3, 4, 5. Of many only the first and the last.
fn ranges(numbers: &[usize]) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let name = |&(first, last): &(usize, usize)| match last - first {
        0 => first.to_string(),
        1 => format!("{first} {last}"),
        _ => format!("{first}–{last}"),
    };
    let mut names: Vec<String> = runs.iter().map(name).collect();
    if names.len() > MOST_RUNS {
        names.splice(MOST_RUNS - 1..names.len() - 1, ["…".to_owned()]);
    }
    names.join(" ")
}

/// What stands before a line of the legend.
enum Symbol {
    Dot(RGBColor),
    Line(RGBColor, u32),
    SearchPath,
    End,
}

impl Symbol {
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, (x, y): (i32, i32)) -> Drawn<B> {
        match self {
            Symbol::Dot(colour) => area.draw(&Circle::new((x, y), 5, colour.filled())),
            Symbol::Line(colour, width) => {
                area.draw(&PathElement::new([(x - 36, y), (x + 36, y)], colour.stroke_width(*width)))
            }
            Symbol::SearchPath => {
                area.draw(&PathElement::new([(x - 36, y), (x + 36, y)], WAY.stroke_width(4)))?;
                area.draw(&Circle::new((x, y), 9, WAY.filled()))
            }
            Symbol::End => area.draw(&Circle::new((x, y), 17, END.stroke_width(4))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_a_row_are_shortened() {
        assert_eq!(ranges(&[1]), "1");
        assert_eq!(ranges(&[1, 2, 5, 7, 8, 9]), "1 2 5 7–9");
        assert_eq!(ranges(&[1, 3, 5, 7, 9, 10, 11]), "1 3 5 … 9–11");
    }
}
