//! Segmentations: a sequence is cut into segments with a class each.
//!
//! φ(x,y) counts features of each position with the class of its segment (and once more those of a segment's first and last position, if
//! [edges](SegmentationOptions::edges) have weights), features of each segment with its class, segments of each class and of each length,
//! pairs of classes of neighbouring segments, and (with boundary weights) the first and the last class. Where a class has [one width](Widths::Exactly),
//! a position counts with its place in the segment too: the weights of a class are then a template of that width. The weights lie one block after another:
//!
//! | block | weights | at |
//! | --- | --- | --- |
//! | positions | `features × columns`, a column for each class, then for the first and for the last position of each; or one for each class and place | `j · columns + column` |
//! | segments, if they have features | `features × classes`, those of [known segments](KnownSegments) last | `j · classes + c` |
//! | bias | `classes`, counted once a segment | |
//! | length, if there are such weights | `longest × classes` | `(length − 1) · classes + c` |
//! | transition | `classes × classes` | `before · classes + after` |
//! | first and last, with boundary weights | `classes` each | |

mod cut;
mod known;
mod loss;
mod oracles;
mod parts;
mod scoring;
mod spelling;
mod templates;
mod widths;

use std::sync::Arc;

pub use known::{KnownSegments, PositionKeys};
pub use loss::SegmentLoss;
pub use scoring::SegmentationScores;
pub use spelling::Mark;
pub use widths::Widths;

use self::cut::{check_cut, classes_of};
use super::shape::{check_features, check_rows, check_size};
use super::{Found, KBest, Magnitude, Mix, Offers, ScoreNoise, Structure};
use crate::error::{Error, Result};
use crate::features::Rows;
use crate::inference::{Segment, best_segments};
use crate::linear::{FeatureSum, Precise, round_up};

/// Which weights a segmentation has, and its loss.
#[derive(Debug, Clone)]
pub struct SegmentationOptions {
    /// How long segments may be.
    pub widths: Widths,
    /// The class of what is in no segment: it counts in no set of segments.
    pub background: Option<u32>,
    /// More weights for the first and the last position of each segment. Templates have them anyway.
    pub edges: bool,
    /// Weights for each length of each class.
    pub lengths: bool,
    /// Weights for the first and the last class.
    pub boundary: bool,
    /// The task loss.
    pub loss: SegmentLoss,
}

/// A sequence: features of its positions, and of its segments where these have any.
#[derive(Debug, Clone)]
pub struct SegmentInput {
    /// A row for each position.
    pub positions: Rows,
    /// A row for each position and length up to the longest: of the segment of that length that ends there. (Those that would begin before the
    /// first position are not looked at.)
    pub segments: Option<Rows>,
    /// What positions are, by which a structure [knows](SegmentationStructure::knowing) some segments.
    pub keys: Option<PositionKeys>,
}

impl SegmentInput {
    /// A sequence whose segments have no features of their own.
    pub fn of_positions(positions: Rows) -> Self {
        Self { positions, segments: None, keys: None }
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A semi-Markov model: exact for every loss here.
///
/// ```
/// use std::sync::Arc;
/// use maxmargin_core::features::{FeatureMatrix, Rows};
/// use maxmargin_core::inference::Segment;
/// use maxmargin_core::structure::*;
///
/// // One feature, two classes; class 1 likes the feature, and may have two positions.
/// let widths = Widths::UpTo(vec![1, 2]);
/// let loss = SegmentLoss::Segments;
/// let options = SegmentationOptions { widths, background: Some(0), edges: false, lengths: false, boundary: false, loss };
/// let task = SegmentationStructure::new(1, 0, options)?;
/// let w = [0.0, 1.0, /* bias: */ 0.0, -0.5, /* transitions: */ 0.0, 0.0, 0.0, 0.0];
/// let x = SegmentInput::of_positions(Rows::new(&Arc::new(FeatureMatrix::from_dense(&[[3.0], [0.7], [-0.6]])), 0..3));
/// let mut scores = SegmentationScores::default();
/// task.score(&w, &x, &mut scores);
/// assert_eq!(task.decode(&x, &mut scores).label, [Segment::new(0..2, 1), Segment::new(2..3, 0)]);
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct SegmentationStructure {
    features: usize,
    segment_features: usize,
    known: Option<Arc<KnownSegments>>,
    options: SegmentationOptions,
    /// The column of the first place of each class, and how many columns there are of all positions.
    first_columns: Vec<usize>,
    position_columns: usize,
    /// What the labels of positions say; empty where there are none.
    marks: Vec<Mark>,
}

impl SegmentationStructure {
    /// Segmentations with this many features of positions and of segments; 0 where segments have none.
    pub fn new(features: usize, segment_features: usize, options: SegmentationOptions) -> Result<Self> {
        let SegmentationOptions { widths, background, edges, lengths, boundary, loss } = &options;
        widths.check()?;
        let classes = widths.classes();
        loss.check(classes)?;
        if let Some(background) = background.filter(|&class| class as usize >= classes) {
            let problem = format!("there is no class {background}; there are {classes}");
            return Err(Error::parameter("background", problem));
        }
        if *edges && matches!(widths, Widths::Exactly(_)) {
            return Err(Error::parameter("edges", "templates have weights for each place already"));
        }
        let rows = if *lengths { widths.longest() } else { 0 } + if *boundary { 3 } else { 1 };
        let others = classes.checked_add(rows).and_then(|rows| rows.checked_mul(classes));
        let others = others.and_then(|others| others.checked_add(segment_features.checked_mul(classes)?));
        let (first_columns, position_columns) = options.widths.columns();
        let structure = Self {
            features,
            segment_features,
            known: None,
            options,
            first_columns,
            position_columns,
            marks: Vec::new(),
        };
        check_size(features, structure.columns(), others)?;
        Ok(structure)
    }

    /// The same with a feature more for each of these segments.
    pub fn knowing(self, known: Arc<KnownSegments>) -> Result<Self> {
        let more = known.len().checked_mul(self.classes());
        let others = more.and_then(|more| more.checked_add(self.dim() - self.segments_start()));
        check_size(self.features, self.columns(), others)?;
        Ok(Self { known: Some(known), ..self })
    }

    /// The known segments, with what they are known by in an input.
    fn known_in<'a>(&'a self, x: &'a SegmentInput) -> Option<(&'a KnownSegments, &'a PositionKeys)> {
        self.known.as_deref().zip(x.keys.as_ref())
    }

    /// The number of columns of weights of positions.
    fn columns(&self) -> usize {
        self.position_columns * if self.options.edges { 3 } else { 1 }
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.options.widths.classes()
    }

    /// How long segments may be.
    pub fn widths(&self) -> &Widths {
        &self.options.widths
    }

    /// The class of what is in no segment.
    pub fn background(&self) -> Option<u32> {
        self.options.background
    }

    /// What wrong cuts cost.
    pub fn cost(&self) -> &SegmentLoss {
        &self.options.loss
    }

    /// The task loss, which depends on the two cuts only.
    pub fn loss_between(&self, truth: &[Segment], y: &[Segment]) -> f64 {
        self.options.loss.between(self.options.background, truth, y)
    }

    /// Whether a cut can be found: a truth may have segments that are too long.
    pub fn can_find(&self, y: &[Segment]) -> bool {
        y.iter().all(|segment| self.options.widths.admits(segment.class as usize, segment.len()))
    }

    fn segments_start(&self) -> usize {
        self.features * self.columns()
    }

    fn known_start(&self) -> usize {
        self.segments_start() + self.segment_features * self.classes()
    }

    fn bias_start(&self) -> usize {
        self.known_start() + self.known.as_ref().map_or(0, |known| known.len()) * self.classes()
    }

    fn lengths_start(&self) -> usize {
        self.bias_start() + self.classes()
    }

    fn transitions_start(&self) -> usize {
        let lengths = if self.options.lengths { self.options.widths.longest() } else { 0 };
        self.lengths_start() + lengths * self.classes()
    }

    fn first_start(&self) -> usize {
        self.transitions_start() + self.classes() * self.classes()
    }

    fn last_start(&self) -> usize {
        self.first_start() + self.classes()
    }

    /// The features of a segment, but for its positions.
    fn add_segment<A: FeatureSum + ?Sized>(
        &self,
        x: &SegmentInput,
        segment: &Segment,
        factor: f64,
        sum: &mut A,
    ) {
        let class = segment.class as usize;
        sum.add(self.bias_start() + class, factor);
        // A segment that is too long for its class has no score of its own.
        if self.options.widths.admits(class, segment.len()) {
            if let Some(row) = self.segment_row(x, segment) {
                sum.add_row(row, self.classes(), self.segments_start() + class, factor);
            }
            if let Some((known, keys)) = self.known_in(x) {
                let place = self.known_start() + class;
                known.for_each(keys, segment.positions(), |feature| {
                    sum.add(place + feature * self.classes(), factor);
                });
            }
        }
        if self.options.lengths && segment.len() <= self.options.widths.longest() {
            sum.add(self.lengths_start() + (segment.len() - 1) * self.classes() + class, factor);
        }
        if self.options.boundary {
            if segment.start == 0 {
                sum.add(self.first_start() + class, factor);
            }
            if segment.end as usize == x.len() {
                sum.add(self.last_start() + class, factor);
            }
        }
    }

    /// The features of a position at a place of a segment.
    fn add_position<A: FeatureSum + ?Sized>(
        &self,
        x: &SegmentInput,
        (t, column): (usize, Option<usize>),
        factor: f64,
        sum: &mut A,
    ) {
        if let Some(column) = column {
            sum.add_row(x.positions.row(t), self.columns(), column, factor);
        }
    }

    fn add_step<A: FeatureSum + ?Sized>(&self, [before, after]: [u32; 2], factor: f64, sum: &mut A) {
        sum.add(self.transitions_start() + before as usize * self.classes() + after as usize, factor);
    }

    /// The columns of the weights of a place in a segment: none beyond the width of a template, more at its edges.
    fn columns_at(&self, segment: &Segment, place: usize) -> [Option<usize>; 3] {
        let (classes, class) = (self.classes(), segment.class as usize);
        let edge = |is_here: bool, start: usize| (self.options.edges && is_here).then_some(start + class);
        [
            self.options.widths.column_of_place(class, place).map(|place| self.first_columns[class] + place),
            edge(place == 0, classes),
            edge(place + 1 == segment.len(), 2 * classes),
        ]
    }

    /// The same for each position of a cut.
    fn columns_of<'a>(&'a self, y: &'a [Segment]) -> impl Iterator<Item = [Option<usize>; 3]> + 'a {
        y.iter().flat_map(move |segment| (0..segment.len()).map(move |place| self.columns_at(segment, place)))
    }

    fn found(
        &self,
        x: &SegmentInput,
        scores: &SegmentationScores,
        truth: Option<&Vec<Segment>>,
        label: Vec<Segment>,
    ) -> Found<Vec<Segment>> {
        let score = self.cut_score(x, scores, &label);
        let loss = truth.map_or(0.0, |truth| self.loss_between(truth, &label));
        Found::exactly(label, score, loss)
    }
}

impl Structure for SegmentationStructure {
    type Input = SegmentInput;
    type Label = Vec<Segment>;
    type Scores = SegmentationScores;
    type Kernel = ();

    fn check(&self, x: &SegmentInput, y: &Vec<Segment>) -> Result<()> {
        check_features(&x.positions, self.features)?;
        match &x.segments {
            None if self.segment_features == 0 => {}
            None => {
                return Err(Error::parameter("input", "no features of segments, which the structure has"));
            }
            Some(rows) => {
                check_features(rows, self.segment_features)?;
                check_rows(rows, x.len().saturating_mul(self.options.widths.longest()))?;
            }
        }
        if let Some((known, keys)) = self.known_in(x)
            && (known.kinds(), x.len()) != (keys.kinds(), keys.len())
        {
            let [own, other] = [(known.kinds(), x.len()), (keys.kinds(), keys.len())];
            let problem =
                format!("keys of {} kinds for {} positions, not {} for {}", other.0, other.1, own.0, own.1);
            return Err(Error::parameter("keys", problem));
        }
        self.options.widths.check_length(x.len())?;
        check_cut(y, x.len(), self.classes())
    }

    fn variables(&self, x: &SegmentInput) -> usize {
        x.len()
    }

    fn dim(&self) -> usize {
        self.first_start() + if self.options.boundary { 2 * self.classes() } else { 0 }
    }

    fn score(&self, w: &[f64], x: &SegmentInput, scores: &mut SegmentationScores) {
        self.score_with::<f64>(w, x, scores);
    }

    fn score_precisely(
        &self,
        w: &[f64],
        norm: f64,
        x: &SegmentInput,
        magnitude: &Magnitude,
        scores: &mut SegmentationScores,
    ) -> Option<ScoreNoise> {
        self.score_with::<Precise>(w, x, scores);
        Some(magnitude.precise_noise(norm, scores.extent(), 4.0 * x.len() as f64 + 4.0))
    }

    fn magnitude(&self, x: &SegmentInput, truth: &Vec<Segment>) -> Magnitude {
        let (mut norm, mut longest) = (3.0 * x.len() as f64 + 2.0, 0);
        let edges = if self.options.edges { 3.0 } else { 1.0 };
        let mut look = |row: crate::features::Row<'_>| {
            longest = longest.max(row.len());
            row.norm_squared().sqrt()
        };
        for t in 0..x.len() {
            norm += edges * look(x.positions.row(t));
            // One segment at most ends at a position.
            let rows = x.segments.iter().flat_map(|rows| {
                (1..=self.options.widths.longest().min(t + 1))
                    .map(move |length| rows.row(t * self.options.widths.longest() + length - 1))
            });
            norm += rows.map(&mut look).fold(0.0, f64::max);
        }
        let kinds = self.known_in(x).map_or(0, |(known, _)| known.kinds());
        norm += (kinds * x.len()) as f64;
        let terms = (2 * longest + (8 + kinds) * x.len() + 8) as f64;
        Magnitude {
            norm: round_up(norm, terms),
            terms,
            repeats: x.len().max(1) as f64,
            loss: round_up(self.largest_loss(x, truth).max(0.0), terms),
            is_exact: true,
        }
    }

    fn score_of(&self, x: &SegmentInput, scores: &SegmentationScores, y: &Vec<Segment>) -> f64 {
        self.cut_score(x, scores, y)
    }

    fn decode(&self, x: &SegmentInput, scores: &mut SegmentationScores) -> Found<Vec<Segment>> {
        let mut cut = Vec::new();
        best_segments(&scores.values, &scores.steps, &mut scores.memory, &mut cut);
        self.found(x, scores, None, cut)
    }

    fn loss(&self, _x: &SegmentInput, truth: &Vec<Segment>, y: &Vec<Segment>) -> f64 {
        self.loss_between(truth, y)
    }

    fn largest_loss(&self, x: &SegmentInput, truth: &Vec<Segment>) -> f64 {
        self.options.loss.largest(self.options.background, truth, x.len(), self.classes())
    }

    fn loss_unit(&self, x: &SegmentInput, _truth: &Vec<Segment>) -> Option<f64> {
        self.options.loss.unit(x.len())
    }

    fn least_loss(&self, x: &SegmentInput, truth: &Vec<Segment>) -> f64 {
        self.options.loss.least(truth, x.len(), self.classes())
    }

    fn maximize(
        &self,
        x: &SegmentInput,
        truth: &Vec<Segment>,
        scores: &mut SegmentationScores,
        mix: Mix,
    ) -> Found<Vec<Segment>> {
        if mix.score == 0.0 || mix.loss == 0.0 {
            // An end of the λ-oracle: ties matter.
            return match self.k_best(x, Some(truth), scores, mix, 1).pop() {
                Some(found) => found,
                None => self.found(x, scores, Some(truth), truth.clone()),
            };
        }
        if let Some(cut) = self.best_templates(truth, scores, mix) {
            return self.found(x, scores, Some(truth), cut);
        }
        self.augment(truth, scores, mix);
        let mut cut = Vec::new();
        best_segments(&scores.augmented, &scores.steps, &mut scores.memory, &mut cut);
        self.found(x, scores, Some(truth), cut)
    }

    fn add_features<A: FeatureSum + ?Sized>(
        &self,
        x: &SegmentInput,
        y: &Vec<Segment>,
        factor: f64,
        sum: &mut A,
    ) {
        for (t, columns) in self.columns_of(y).enumerate() {
            columns.into_iter().for_each(|column| self.add_position(x, (t, column), factor, sum));
        }
        y.iter().for_each(|segment| self.add_segment(x, segment, factor, sum));
        y.windows(2).for_each(|pair| self.add_step([pair[0].class, pair[1].class], factor, sum));
    }

    fn add_difference<A: FeatureSum + ?Sized>(
        &self,
        x: &SegmentInput,
        y: &Vec<Segment>,
        truth: &Vec<Segment>,
        factor: f64,
        sum: &mut A,
    ) {
        for (t, (a, b)) in self.columns_of(y).zip(self.columns_of(truth)).enumerate() {
            for (a, b) in a.into_iter().zip(b).filter(|(a, b)| a != b) {
                self.add_position(x, (t, a), factor, sum);
                self.add_position(x, (t, b), -factor, sum);
            }
        }
        for (label, others, factor) in [(y, truth, factor), (truth, y, -factor)] {
            let mut place = 0;
            for (k, segment) in label.iter().enumerate() {
                // Both are in order: the other one's segment that ends here, if there is one.
                place += others[place..].iter().take_while(|other| other.end < segment.end).count();
                let shared = others.get(place).is_some_and(|other| other == segment);
                if !shared {
                    self.add_segment(x, segment, factor, sum);
                }
                let step = |cut: &[Segment], k: usize| k.checked_sub(1).map(|k| cut[k].class);
                let before = step(label, k);
                // The same step between the same segments adds up to nothing.
                if let Some(before) = before
                    && !(shared && step(others, place) == Some(before))
                {
                    self.add_step([before, segment.class], factor, sum);
                }
            }
        }
    }

    fn offers(&self) -> Offers<'_, Self> {
        Offers::usual(self)
    }
}
