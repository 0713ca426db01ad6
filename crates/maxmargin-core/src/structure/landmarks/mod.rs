//! Landmarks: parts of something, such as the eyes of a face, are found in a picture all at once (BUNDLE 4.2; Uřičář, Franc and Hlaváč 2012).
//!
//! ```text
//! ⟨w, φ(x,y)⟩ = Σ_parts Σ_levels Σ_places  w[part, level, place, code of x there]  +  Σ_edges ⟨w_edge, (u, v, u², v²)⟩
//! L(y)        = κ · 1/parts · Σ_parts ‖y_part − truth_part‖
//! ```
//!
//! A label is a cell for each part, in the part's own window of the picture; parts hang together in a tree. Appearance is a pyramid of codes
//! (`pyramid.rs`, `appearance.rs`), deformation is quadratic in the offset of two parts, or any table of it (`deformation.rs`). The loss is a sum
//! over parts, so that every λ-oracle is the same dynamic program, by distance transforms ([`crate::inference`]), and exact.
//!
//! | weights | at |
//! | --- | --- |
//! | appearance | `((part · places) + place) · kinds + code`, places level by level |
//! | gradients | behind them, `(part · cells + cell) · 9 + direction` |
//! | deformation | behind them, edge by edge |

mod appearance;
mod deformation;
mod gradients;
mod oracles;
mod parts;
mod pyramid;
#[cfg(test)]
mod tests;
mod window;

pub use deformation::{Deformation, PartEdge};
pub use gradients::{GradientCells, GradientField};
pub use pyramid::{CodeLevel, CodePyramid, Template};
pub use window::Window;

use self::deformation::{Axes, QUADRATIC, lifted};
use super::shape::check_size;
use super::{Found, Magnitude, Mix, Offers, Structure};
use crate::error::{Error, Result};
use crate::inference::{Crossing, Lexicographic, LinkValues, PartTree, PlacementTable};
use crate::linear::{FeatureSum, round_up};

/// A picture has at most so many cells to a side, and a window so many in all.
const MOST_CELLS: usize = 1 << 12;
const LARGEST_WINDOW: usize = 1 << 16;

/// What parts there are, where they may be, and what is learnt of them.
#[derive(Debug, Clone, PartialEq)]
pub struct LandmarkOptions {
    /// The columns and rows of all pictures.
    pub size: (usize, usize),
    /// Where each part may be.
    pub windows: Vec<Window>,
    /// The edges of a tree, each behind the one that reaches its parent.
    pub edges: Vec<PartEdge>,
    /// What is learnt about offsets.
    pub deformation: Deformation,
    /// How much of the picture a part sees.
    pub template: Template,
    /// Codes are below this.
    pub kinds: usize,
    /// The histograms of gradients that a part sees beside its codes, if any.
    pub gradients: Option<GradientCells>,
}

/// A picture of which landmarks are to be found.
#[derive(Debug, Clone, PartialEq)]
pub struct LandmarkInput {
    /// The codes of its pixels.
    pub picture: CodePyramid,
    /// The histograms of gradients around them, where parts see any.
    pub gradients: Option<GradientField>,
    /// What a cell counts in the loss: 1 over the length that distances are measured by, in cells.
    pub scale: f64,
    /// Where the first cell is in the picture that it was cut from, to the right and down, and how far its neighbours are.
    pub frame: (f64, f64, f64),
}

/// The scores of the cells of all parts and of the offsets of edges, with the working memory of decoders.
#[derive(Debug, Clone, Default)]
pub struct LandmarkScores {
    /// Part after part, row by row; not a number where nobody has asked yet.
    cells: Vec<f64>,
    links: Vec<LinkValues<f64>>,
    coarse: Vec<f64>,
    values: Vec<f64>,
    table: PlacementTable<f64>,
}

/// Parts in windows of a picture, joined in a tree.
///
/// ```
/// use maxmargin_core::structure::{
///     CodeLevel, CodePyramid, Deformation, LandmarkInput, LandmarkOptions, LandmarkStructure, PartEdge, Structure,
///     Template, Window,
/// };
///
/// // Two parts in a picture of 3×1 pixels, of which a part sees its own pixel: one of two codes.
/// let window = Window { left: 0, top: 0, width: 3, height: 1 };
/// let task = LandmarkStructure::new(LandmarkOptions {
///     size: (3, 1),
///     windows: vec![window; 2],
///     edges: vec![PartEdge { parent: 0, child: 1, offset: (1, 0) }],
///     deformation: Deformation::Quadratic { spread: 1.0 },
///     template: Template::new(vec![1])?,
///     kinds: 2,
///     gradients: None,
/// })?;
/// let picture = CodePyramid::new([CodeLevel::new(3, vec![0, 1, 0])?]);
/// let x = LandmarkInput { picture, gradients: None, scale: 1.0, frame: (0.0, 0.0, 1.0) };
/// // The first part likes code 1; the second one likes to be one cell to its right.
/// let w = [0.0, 1.0, 0.0, 0.0, /* u, v, u², v²: */ 0.0, 0.0, -1.0, 0.0];
/// let mut scores = Default::default();
/// task.score(&w, &x, &mut scores);
/// assert_eq!(task.decode(&x, &mut scores).label, [1, 2]);
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LandmarkStructure {
    options: LandmarkOptions,
    tree: PartTree,
    /// Where the cells of each part begin, and the end.
    cell_starts: Vec<usize>,
    /// Where the weights of each edge begin behind those of appearance, and the end.
    edge_starts: Vec<usize>,
}

impl LandmarkStructure {
    /// Refused where windows are not in the picture, or edges are no tree.
    pub fn new(options: LandmarkOptions) -> Result<Self> {
        let refuse = |name: &str, problem: String| Err(Error::parameter(name, problem));
        let LandmarkOptions { size, windows, edges, deformation, template, kinds, gradients } = &options;
        if ![size.0, size.1].iter().all(|side| (1..=MOST_CELLS).contains(side)) {
            return refuse("size", format!("{}×{} pixels; a side has 1 to {MOST_CELLS}", size.0, size.1));
        }
        if !(1..=256).contains(kinds) {
            return refuse("codes", format!("{kinds} kinds of codes; there are 1 to 256"));
        }
        if let Some(part) = windows.iter().position(|window| !window.is_within(*size)) {
            return refuse(
                "windows",
                format!("the window of part {} is empty, or not inside the picture", part + 1),
            );
        }
        if windows.iter().any(|window| window.cells() > LARGEST_WINDOW) {
            return refuse("windows", format!("a window has at most {LARGEST_WINDOW} cells"));
        }
        let links = edges.iter().map(|edge| (edge.parent, edge.child)).collect();
        let Some(tree) = PartTree::new(windows.len(), links) else {
            let problem = format!(
                "{} edges are no tree of {} parts, each behind its parent's",
                edges.len(),
                windows.len()
            );
            return refuse("edges", problem);
        };
        let most = i32::try_from(MOST_CELLS).unwrap_or(i32::MAX);
        if edges.iter().any(|edge| edge.offset.0.abs() > most || edge.offset.1.abs() > most) {
            return refuse("edges", format!("an offset has at most {MOST_CELLS} cells"));
        }
        if let Deformation::Quadratic { spread } = deformation
            && !(1e-3..=1e6).contains(spread)
        {
            return refuse(
                "spread",
                format!("{spread} is not allowed; it is a number of cells from 0.001 to 1000000"),
            );
        }
        let weights = |edge: &PartEdge| match deformation {
            Deformation::Quadratic { .. } => QUADRATIC,
            Deformation::Table => {
                let (child, parent) = (&windows[edge.child], &windows[edge.parent]);
                (child.width + parent.width - 1) * (child.height + parent.height - 1)
            }
        };
        let edge_starts = starts(edges.iter().map(weights));
        let cell_starts = starts(windows.iter().map(Window::cells));
        let numbers = gradients.map_or(0, |cells| cells.numbers());
        check_size(template.len() * kinds + numbers, windows.len(), edge_starts.last().copied())?;
        Ok(Self { tree, cell_starts, edge_starts, options })
    }

    /// The options.
    pub fn options(&self) -> &LandmarkOptions {
        &self.options
    }

    /// The number of parts.
    pub fn parts(&self) -> usize {
        self.options.windows.len()
    }

    /// Where each part may be.
    pub fn windows(&self) -> &[Window] {
        &self.options.windows
    }

    /// The number of weights of codes, which come first.
    pub fn code_weights(&self) -> usize {
        self.parts() * self.template().len() * self.kinds()
    }

    /// The number of weights of appearance: those of codes, and of gradients behind them. Those of edges come last.
    pub fn appearance_weights(&self) -> usize {
        self.code_weights() + self.parts() * self.gradient_numbers()
    }

    /// How many numbers of gradients a part sees.
    fn gradient_numbers(&self) -> usize {
        self.options.gradients.map_or(0, |cells| cells.numbers())
    }

    /// The label whose parts are nearest to some places of the picture, each in its window.
    pub fn nearest(&self, places: &[(f64, f64)]) -> Vec<u32> {
        self.windows().iter().zip(places).map(|(window, &place)| window.nearest(place)).collect()
    }

    /// Where the parts of a label are in the picture: column and row of each.
    pub fn places(&self, y: &[u32]) -> Vec<(usize, usize)> {
        self.windows().iter().zip(y).map(|(window, &cell)| window.place(cell as usize)).collect()
    }

    fn template(&self) -> &Template {
        &self.options.template
    }

    fn kinds(&self) -> usize {
        self.options.kinds
    }

    fn edges(&self) -> &[PartEdge] {
        &self.options.edges
    }

    fn deformation(&self) -> Deformation {
        self.options.deformation
    }

    fn edge_starts(&self) -> &[usize] {
        &self.edge_starts
    }

    fn cell_of<'a>(&self, scores: &'a [f64], part: usize) -> &'a [f64] {
        &scores[self.cell_starts[part]..self.cell_starts[part + 1]]
    }

    /// What all cells of all parts cost.
    fn for_each_cost(&self, x: &LandmarkInput, truth: &[u32], mut visit: impl FnMut(usize, f64)) {
        let mut place = 0;
        for (window, &truth) in self.windows().iter().zip(truth) {
            let at = window.place(truth as usize);
            for row in window.top..window.top + window.height {
                for column in window.left..window.left + window.width {
                    visit(place, self.cost(x, at, (column, row)));
                    place += 1;
                }
            }
        }
    }

    /// What one part costs that is in one place where another is true.
    fn cost(&self, x: &LandmarkInput, a: (usize, usize), b: (usize, usize)) -> f64 {
        let (across, down) = (a.0.abs_diff(b.0) as f64, a.1.abs_diff(b.1) as f64);
        (across * across + down * down).sqrt() * x.scale / self.parts() as f64
    }

    fn cost_of(&self, x: &LandmarkInput, truth: &[u32], y: &[u32]) -> f64 {
        let pairs = truth.iter().zip(y).zip(self.windows());
        pairs.map(|((&a, &b), window)| self.cost(x, window.place(a as usize), window.place(b as usize))).sum()
    }

    fn found(
        &self,
        x: &LandmarkInput,
        scores: &LandmarkScores,
        truth: Option<&Vec<u32>>,
        y: Vec<u32>,
    ) -> Found<Vec<u32>> {
        let score = self.score_of(x, scores, &y);
        let loss = truth.map_or(0.0, |truth| self.cost_of(x, truth, &y));
        Found::exactly(y, score, loss)
    }

    /// Fills a table of placements with all cells under a mix.
    fn fill<V: Crossing>(
        &self,
        x: &LandmarkInput,
        truth: Option<&Vec<u32>>,
        scores: &LandmarkScores,
        mix: Mix,
        value: impl Fn(f64, f64) -> V,
        table: &mut PlacementTable<V>,
    ) -> Vec<LinkValues<V>> {
        let mut values: Vec<V> = scores.cells.iter().map(|&score| value(score, 0.0)).collect();
        if let Some(truth) = truth {
            self.for_each_cost(x, truth, |place, cost| values[place] = value(scores.cells[place], cost));
        }
        let links = lifted(&scores.links, mix, |score| value(score, 0.0));
        table.fill(&self.tree, self.windows().iter().map(Window::size), values, &links);
        links
    }
}

/// Where runs of these lengths begin, and the end.
fn starts(lengths: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut starts = vec![0];
    starts.extend(lengths.scan(0, |end, length| {
        *end += length;
        Some(*end)
    }));
    starts
}

impl Structure for LandmarkStructure {
    type Input = LandmarkInput;
    type Label = Vec<u32>;
    type Scores = LandmarkScores;
    type Kernel = ();

    fn check(&self, x: &LandmarkInput, y: &Vec<u32>) -> Result<()> {
        let LandmarkOptions { size, template, .. } = &self.options;
        let levels = x.picture.levels();
        let fits = |(level, codes): (usize, &CodeLevel)| codes.size() == template.level_size(level, *size);
        if levels.len() != template.sides().len() || !levels.iter().enumerate().all(fits) {
            let problem = format!("its codes are not those of a picture of {}×{} pixels", size.0, size.1);
            return Err(Error::parameter("input", problem));
        }
        let is_code = |code: &u8| usize::from(*code) < self.kinds();
        if self.kinds() < 256 && !levels.iter().all(|level| level.codes().iter().all(is_code)) {
            return Err(Error::parameter("input", format!("a code is not below {}", self.kinds())));
        }
        let field = self.options.gradients.map(|cells| cells.field_size(*size));
        if x.gradients.as_ref().map(GradientField::size) != field {
            let problem = format!("its gradients are not those of a picture of {}×{} pixels", size.0, size.1);
            return Err(Error::parameter("input", problem));
        }
        if !(x.scale.is_finite() && x.scale > 0.0) {
            return Err(Error::parameter(
                "input",
                format!("the scale of its loss is {}; it is above 0", x.scale),
            ));
        }
        if y.len() != self.parts() {
            let problem = format!("{} cells for {} parts", y.len(), self.parts());
            return Err(Error::parameter("label", problem));
        }
        match y.iter().zip(self.windows()).position(|(&cell, window)| cell as usize >= window.cells()) {
            None => Ok(()),
            Some(part) => {
                let problem = format!("the window of part {} has no cell {}", part + 1, y[part]);
                Err(Error::parameter("label", problem))
            }
        }
    }

    fn dim(&self) -> usize {
        self.appearance_weights() + self.edge_starts.last().copied().unwrap_or(0)
    }

    fn variables(&self, _: &LandmarkInput) -> usize {
        self.parts()
    }

    fn score(&self, w: &[f64], x: &LandmarkInput, scores: &mut LandmarkScores) {
        let LandmarkScores { cells, links, coarse, .. } = scores;
        cells.resize(self.cell_starts[self.parts()], 0.0);
        for part in 0..self.parts() {
            let cells = &mut cells[self.cell_starts[part]..self.cell_starts[part + 1]];
            self.score_part(w, part, x, coarse, cells);
        }
        self.score_edges(&w[self.appearance_weights()..], links);
    }

    fn score_for(
        &self,
        w: &[f64],
        x: &LandmarkInput,
        y: &Vec<u32>,
        begin: bool,
        scores: &mut LandmarkScores,
    ) {
        if begin {
            scores.cells.clear();
            scores.cells.resize(self.cell_starts[self.parts()], f64::NAN);
            self.score_edges(&w[self.appearance_weights()..], &mut scores.links);
        }
        for (part, &cell) in y.iter().enumerate() {
            let score = &mut scores.cells[self.cell_starts[part] + cell as usize];
            if score.is_nan() {
                *score = self.score_cell(w, part, cell as usize, x);
            }
        }
    }

    /// A distance transform passes over each of its sources once, and may be wrong by a few roundings each time: see there.
    fn magnitude(&self, x: &LandmarkInput, truth: &Vec<u32>) -> Magnitude {
        let Self { options: LandmarkOptions { template, edges, deformation, .. }, .. } = self;
        let of_edge = |edge: &PartEdge| match *deformation {
            Deformation::Quadratic { spread } => Axes::new(edge, self.windows(), spread).largest(),
            Deformation::Table => 1.0,
        };
        // Numbers of gradients are at most 1.
        let seen = template.len() + self.gradient_numbers();
        let squares = (self.parts() * seen) as f64 + edges.iter().map(of_edge).sum::<f64>();
        let passed = |edge: &PartEdge| {
            let [child, parent] = [edge.child, edge.parent].map(|part| self.windows()[part].size());
            child.0 + child.1 + parent.0 + parent.1
        };
        let terms = seen + 8 * self.parts() + 8 * edges.iter().map(passed).sum::<usize>() + 32;
        Magnitude {
            norm: round_up(squares.sqrt(), 16.0 + edges.len() as f64),
            terms: terms as f64,
            repeats: 1.0,
            loss: round_up(self.largest_loss(x, truth), 8.0),
            is_exact: false,
        }
    }

    fn score_of(&self, _: &LandmarkInput, scores: &LandmarkScores, y: &Vec<u32>) -> f64 {
        let cells = y.iter().zip(&self.cell_starts).map(|(&cell, start)| scores.cells[start + cell as usize]);
        let links = scores.links.iter().enumerate().map(|(edge, link)| {
            let (child, parent) = self.ends(edge, y);
            link.at(child, parent)
        });
        cells.chain(links).sum()
    }

    fn decode(&self, x: &LandmarkInput, scores: &mut LandmarkScores) -> Found<Vec<u32>> {
        let mut table = std::mem::take(&mut scores.table);
        let sizes = self.windows().iter().map(Window::size);
        table.fill(&self.tree, sizes, scores.cells.iter().copied(), &scores.links);
        let best = table.best(&self.tree);
        scores.table = table;
        self.found(x, scores, None, best)
    }

    fn loss(&self, x: &LandmarkInput, truth: &Vec<u32>, y: &Vec<u32>) -> f64 {
        self.cost_of(x, truth, y)
    }

    fn largest_loss(&self, x: &LandmarkInput, truth: &Vec<u32>) -> f64 {
        let furthest = |(window, &truth): (&Window, &u32)| {
            let at = window.place(truth as usize);
            window.corners().map(|corner| self.cost(x, at, corner)).into_iter().fold(0.0, f64::max)
        };
        let sum: f64 = self.windows().iter().zip(truth).map(furthest).sum();
        round_up(sum, 8.0 + self.parts() as f64)
    }

    /// One part is in the next cell.
    fn least_loss(&self, x: &LandmarkInput, _: &Vec<u32>) -> f64 {
        crate::linear::round_down(x.scale / self.parts() as f64, 4.0)
    }

    fn maximize(
        &self,
        x: &LandmarkInput,
        truth: &Vec<u32>,
        scores: &mut LandmarkScores,
        mix: Mix,
    ) -> Found<Vec<u32>> {
        let best = if mix.score == 0.0 || mix.loss == 0.0 {
            // An end of the λ-oracle: ties matter.
            let mut table = PlacementTable::default();
            self.fill(x, Some(truth), scores, mix, |score, loss| rank(mix, score, loss), &mut table);
            table.best(&self.tree)
        } else {
            let (mut table, mut values) =
                (std::mem::take(&mut scores.table), std::mem::take(&mut scores.values));
            values.clear();
            values.extend(scores.cells.iter().map(|score| mix.score * score));
            self.for_each_cost(x, truth, |place, cost| values[place] += mix.loss * cost);
            let sizes = self.windows().iter().map(Window::size);
            if mix.score == 1.0 {
                table.fill(&self.tree, sizes, values.iter().copied(), &scores.links);
            } else {
                let links = lifted(&scores.links, mix, |score| mix.score * score);
                table.fill(&self.tree, sizes, values.iter().copied(), &links);
            }
            let best = table.best(&self.tree);
            (scores.table, scores.values) = (table, values);
            best
        };
        self.found(x, scores, Some(truth), best)
    }

    fn add_features<A: FeatureSum + ?Sized>(
        &self,
        x: &LandmarkInput,
        y: &Vec<u32>,
        factor: f64,
        sum: &mut A,
    ) {
        for (part, &cell) in y.iter().enumerate() {
            self.for_each_code(part, cell as usize, &x.picture, |place| sum.add(place, factor));
            self.for_each_gradient(part, cell as usize, x, |place, value| sum.add(place, factor * value));
        }
        for edge in 0..self.edges().len() {
            self.add_edge(edge, y, self.appearance_weights(), factor, sum);
        }
    }

    /// Parts that are in the same cell have the same appearance, and edges between two such parts the same offset.
    fn add_difference<A: FeatureSum + ?Sized>(
        &self,
        x: &LandmarkInput,
        y: &Vec<u32>,
        truth: &Vec<u32>,
        factor: f64,
        sum: &mut A,
    ) {
        for (part, (&cell, &other)) in y.iter().zip(truth).enumerate().filter(|(_, (a, b))| a != b) {
            let mut codes = Vec::with_capacity(self.template().len());
            self.for_each_code(part, cell as usize, &x.picture, |place| codes.push(place));
            let mut codes = codes.into_iter();
            // Place by place: a code that both have is in neither.
            self.for_each_code(part, other as usize, &x.picture, |without| {
                if let Some(with) = codes.next().filter(|with| *with != without) {
                    sum.add(with, factor);
                    sum.add(without, -factor);
                }
            });
            let cells = (cell as usize, other as usize);
            self.for_each_gradient_difference(part, cells, x, |place, value| sum.add(place, factor * value));
        }
        for (number, edge) in self.edges().iter().enumerate() {
            if (y[edge.parent], y[edge.child]) != (truth[edge.parent], truth[edge.child]) {
                self.add_edge(number, y, self.appearance_weights(), factor, sum);
                self.add_edge(number, truth, self.appearance_weights(), -factor, sum);
            }
        }
    }

    fn offers(&self) -> Offers<'_, Self> {
        Offers { k_best: Some(self), max_marginals: Some(self), parts: Some(self), ..Offers::default() }
    }

    fn product(&self, x: &LandmarkInput, _: &(), truth: &Vec<u32>, y: &Vec<u32>, z: &Vec<u32>) -> f64 {
        let (mut same, mut of_gradients) = (0, 0.0);
        for (part, &at) in truth.iter().enumerate() {
            let [at, y, z] = [at, y[part], z[part]].map(|cell| cell as usize);
            if y != at && z != at {
                let agreement = |a, b| self.agreement(part, a, b, &x.picture) as i64;
                same += agreement(y, z) + agreement(at, at) - agreement(y, at) - agreement(z, at);
                of_gradients += self.gradient_product(part, [y, z, at], x);
            }
        }
        let edges = (0..self.edges().len()).map(|edge| self.edge_product(edge, [y, z, truth]));
        same as f64 + of_gradients + edges.sum::<f64>()
    }
}

/// What is compared first under a mix, and what decides ties.
fn rank(mix: Mix, score: f64, loss: f64) -> Lexicographic {
    let (first, second) = mix.rank(score, loss);
    Lexicographic { first, second }
}
