//! Segments with a class each, which cut a sequence.
//!
//! Files spell segments by tags of tokens, in any [scheme](crate::data::tag_scheme): they are read as IOB2, and answered in the scheme of the
//! files.

mod classes;
mod demo;
pub mod plate_images;
mod whole_segments;

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use self::classes::Classes;
use self::whole_segments::{KNOWN_SEGMENTS, WholeSegments, input};
use super::chain::SequenceMetrics;
use super::option::{choice, one, unknown};
use super::stored::unknown_loss;
use super::{ComparisonOf, DrawnImage, InputOf, SequenceExamples, Stored, Task, TaskOption, WeightNames};
use crate::data::tag_scheme::TagScheme;
use crate::data::{Alphabet, ReadOptions, TaskData, Vocabulary};
use crate::error::{Error, Result};
use crate::inference::Segment;
use crate::metrics::{Comparison, Metrics};
use crate::search::Strategy;
use crate::shown::count;
use crate::structure::{
    ChainLoss, Mark, SegmentInput, SegmentLoss, SegmentationOptions, SegmentationStructure, Widths,
};
use crate::surrogate::Surrogate;

/// Up to this many different losses of a mean example the stratified search is faster than the hull search.
const FEW_LOSSES: f64 = 40.0;

/// The blocks with the weights of lengths, and of known segments.
const LENGTH: &str = "length";
const WHOLE: &str = "whole";

/// What a mistake is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mistakes {
    /// A segment that is in one of the two cuts only.
    #[default]
    Segments,
    /// A position of another class.
    Positions,
    /// The same as a share of all positions.
    PositionsMean,
}

const LOSSES: [(&str, Mistakes); 3] = [
    ("segments", Mistakes::Segments),
    ("positions", Mistakes::Positions),
    ("positions-mean", Mistakes::PositionsMean),
];

/// The task: segments of a sequence.
///
/// ```
/// use maxmargin::data::{ExampleRows, FeatureMatrix, Vocabulary, Attributes};
/// use maxmargin::tasks::{Segmentation, SequenceExamples};
/// use maxmargin::{Examples, Trainer};
///
/// // Pairs of ones are segments.
/// let column = FeatureMatrix::from_dense(&[[0.0], [1.0], [1.0], [0.0], [1.0], [1.0], [1.0], [1.0]]);
/// let rows = ExampleRows::grouped(column, vec![0, 4, 8])?;
/// let data = SequenceExamples::new(rows, vec![0, 1, 2, 0, 1, 2, 1, 2])?;
/// let labels = ["O", "B-X", "I-X"].into_iter().collect();
/// let names = Vocabulary { labels, attributes: Attributes::Numbered(1) };
/// let examples = Examples::new(data, names);
/// let model = Trainer::new(Segmentation::default()).lambda(0.01).train(&examples)?;
/// assert_eq!(model.predict(examples.data(), 1)?[1][0].names(), ["B-X", "I-X", "B-X", "I-X"]);
/// # Ok::<(), maxmargin::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Segmentation {
    /// What a mistake is.
    pub mistakes: Mistakes,
    /// The most positions of a segment.
    pub longest: u32,
    /// Whether segments of a class all have one width, and each place in them weights of its own.
    pub fixed_widths: bool,
    /// Whether the first and the last position of a segment have weights of their own.
    pub edges: bool,
    /// Whether lengths have weights.
    pub lengths: bool,
    /// Whether the first and the last class of a sequence have weights.
    pub boundary: bool,
    /// What [`Task::resolve`] finds in the data.
    classes: Classes,
    whole: WholeSegments,
}

impl Default for Segmentation {
    fn default() -> Self {
        Self {
            mistakes: Mistakes::default(),
            longest: 12,
            fixed_widths: false,
            edges: true,
            lengths: true,
            boundary: true,
            classes: Classes::default(),
            whole: WholeSegments::default(),
        }
    }
}

const LOSS: TaskOption = TaskOption::value("loss", "LOSS", "The task loss: segments, positions or positions-mean")
    .default("segments")
    .more(
        "segments: how many segments are true and not predicted, or predicted and not true. positions: the number of positions in a \
         segment of another class. positions-mean: that number divided by the length.",
    );
const LONGEST: TaskOption =
    TaskOption::value("longest", "N", "The most positions of a segment").default("12").more(
        "No class has longer segments than the training data, and none longer ones than this. Training data may have longer ones: \
         they are never predicted, and how many there are is said.",
    );
const FIXED_WIDTHS: TaskOption =
    TaskOption::switch("fixed-widths", "All segments of a class have the width that they have in the training data").more(
        "Each place in a segment then has weights of its own: what is learnt of a class is a template, as of a character in an image \
         whose columns are the positions.",
    );
const NO_EDGES: TaskOption =
    TaskOption::switch("no-edges", "Leave out the weights of the first and the last position of segments")
        .idle_with("fixed-widths", "");
const NO_LENGTHS: TaskOption = TaskOption::switch("no-lengths", "Leave out the weights of lengths");
const NO_BOUNDARY: TaskOption =
    TaskOption::switch("no-boundary", "Leave out the weights of the first and the last class");

impl Segmentation {
    fn loss(&self) -> SegmentLoss {
        let mean = self.mistakes == Mistakes::PositionsMean;
        match self.mistakes {
            Mistakes::Segments => SegmentLoss::Segments,
            _ => SegmentLoss::Positions(ChainLoss { mean, ..ChainLoss::default() }),
        }
    }

    fn widths(&self) -> Widths {
        let widths = self.classes.widths.clone();
        if self.fixed_widths { Widths::Exactly(widths) } else { Widths::UpTo(widths) }
    }

    /// The segments of a sequence that count, those that are too long left out.
    fn for_each_segment(&self, labels: &[u32], visit: &mut dyn FnMut(std::ops::Range<usize>)) {
        let marks = &self.classes.marks;
        let is_background = |mark: &Mark| Some(mark.class) == self.classes.background;
        let mut start = 0;
        while let Some(mark) = labels.get(start).and_then(|&label| marks.get(label as usize)) {
            let goes_on = |&&label: &&u32| {
                marks.get(label as usize).is_some_and(|next| next.class == mark.class && !next.begins)
            };
            let end = start + 1 + labels[start + 1..].iter().take_while(goes_on).count();
            if !is_background(mark) && end - start <= self.longest as usize {
                visit(start..end);
            }
            start = end;
        }
    }
}

impl Task for Segmentation {
    type Data = SequenceExamples;
    type Structure = SegmentationStructure;

    const NAME: &'static str = "segmentation";
    const ABOUT: &'static str = "\
Segments with a class each, which cut a sequence

A label cuts a sequence into segments with a class each, found as a whole: entities in sentences, characters in rows of columns. Files \
mark segments by tags like O, B-NP, I-NP, in any scheme. Predictions are one tag per line, with a blank line after each sequence. \
Metrics: precision, recall and F1 of segments, position error and accuracy, sequence error (anything wrong), the mean loss.";
    const HAS_BACKGROUND: bool = true;

    /// What a model says about classes follows from the data it was trained on, and from the longest segment that was asked for.
    const OF_DATA: &'static [&'static str] = &[
        "classes",
        "widths",
        "background_class",
        "label_classes",
        "label_begins",
        "longest",
        "known_segments",
    ];

    fn options() -> Vec<TaskOption> {
        vec![LOSS, LONGEST, FIXED_WIDTHS, KNOWN_SEGMENTS, NO_EDGES, NO_LENGTHS, NO_BOUNDARY]
    }

    fn set(&mut self, option: &str, values: &[String]) -> Result<()> {
        match option {
            "loss" => self.mistakes = choice(option, values, &LOSSES)?,
            "longest" => {
                let value = one(option, values)?;
                self.longest = value.parse().ok().filter(|&longest| longest > 0).ok_or_else(|| {
                    let problem = format!(
                        "`{}` is no number of positions; they are counted from 1",
                        crate::shown::excerpt(value)
                    );
                    Error::parameter(option, problem)
                })?;
            }
            "known-segments" => {
                let value = one(option, values)?;
                self.whole.least = value.parse().map_err(|_| {
                    let problem = format!(
                        "`{}` is no number of segments; 0 leaves their weights out",
                        crate::shown::excerpt(value)
                    );
                    Error::parameter(option, problem)
                })?;
            }
            "fixed-widths" => (self.fixed_widths, self.edges) = (true, false),
            "no-edges" => self.edges = false,
            "no-lengths" => self.lengths = false,
            "no-boundary" => self.boundary = false,
            _ => return Err(unknown(Self::NAME, option)),
        }
        Ok(())
    }

    fn files(&self) -> Vec<(&'static str, PathBuf)> {
        Vec::new()
    }

    /// Whatever the scheme of files is, tags come in as IOB2.
    fn table_options(&self, options: &ReadOptions) -> Result<ReadOptions> {
        Self::check_candidates(options)?;
        if options.tag_scheme.is_some() {
            let problem = "segments are learnt as they are, whatever the scheme of the files; leave it out";
            return Err(Error::parameter("tag-scheme", problem));
        }
        // A model knows the scheme of its files.
        let tag_scheme = options.tags.is_none().then_some(TagScheme::Iob2);
        Ok(ReadOptions { tag_scheme, segment_keys: self.whole.least > 0, ..options.clone() })
    }

    fn resolve(&self, names: &Vocabulary, data: &SequenceExamples) -> Result<Self> {
        if data.pair_columns() > 0 {
            let problem = "those of pairs (`B…:%x`) are about neighbouring tags; segmentation has none: use the task chain, or templates without them";
            return Err(Error::parameter("templates", problem));
        }
        let classes = Classes::of(names, data, self.longest, self.fixed_widths)?;
        let task = Self { classes, ..self.clone() };
        let whole = self.whole.resolved(data, |labels, visit| task.for_each_segment(labels, visit));
        Ok(Self { whole, ..task })
    }

    fn structure(&self, features: usize, _labels: usize) -> Result<SegmentationStructure> {
        let options = SegmentationOptions {
            widths: self.widths(),
            background: self.classes.background,
            edges: self.edges && !self.fixed_widths,
            lengths: self.lengths && !self.fixed_widths,
            boundary: self.boundary,
            loss: self.loss(),
        };
        let structure = SegmentationStructure::new(features, 0, options)?;
        let structure = structure.spelt_by(self.classes.marks.clone())?;
        Ok(match self.whole.known() {
            Some(known) => structure.knowing(Arc::clone(known))?,
            None => structure,
        })
    }

    fn input(data: &SequenceExamples, example: usize) -> SegmentInput {
        input(data, example)
    }

    fn check_input(structure: &SegmentationStructure, data: &SequenceExamples, example: usize) -> Result<()> {
        structure.widths().check_length(data.rows().range(example).len()).map_err(|error| {
            let name = data.id(example).map(|name| format!(" ({name})")).unwrap_or_default();
            Error::parameter(format!("example {}{name}", example + 1), error.problem)
        })
    }

    fn truth(
        structure: &SegmentationStructure,
        data: &SequenceExamples,
        example: usize,
    ) -> Result<Vec<Segment>> {
        Ok(structure.read(data.labels_of(example)))
    }

    fn counts_mistakes(&self) -> bool {
        self.mistakes != Mistakes::PositionsMean
    }

    fn has_whole_losses(_: &SegmentationStructure, _: Surrogate) -> bool {
        true
    }

    const STRATIFIED_NEEDS: [&'static str; 2] =
        ["losses that are whole numbers", "the table of all losses is too large; use hull"];

    fn best_search(
        _: &SegmentationStructure,
        surrogate: Surrogate,
        data: &SequenceExamples,
    ) -> (Strategy, &'static str) {
        if surrogate == Surrogate::MicroF1 {
            return (Strategy::Hull, "exact, and two queries mostly do: the best label is a vertex");
        }
        if !surrogate.is_monotone() {
            return (Strategy::Stratified, "the only one for this surrogate");
        }
        match data.labels().len() as f64 / data.len().max(1) as f64 <= FEW_LOSSES {
            true => (Strategy::Stratified, "exact, and there are few different losses"),
            false => (Strategy::Hull, "exact, whatever the losses"),
        }
    }

    fn blocks(&self, features: usize, _labels: usize) -> Vec<(&'static str, Vec<usize>)> {
        let classes = self.classes.widths.len();
        let widths = || self.classes.widths.iter().map(|&width| width as usize);
        let columns = match (self.fixed_widths, self.edges) {
            (true, _) => widths().sum(),
            (false, true) => 3 * classes,
            (false, false) => classes,
        };
        let mut blocks = vec![("position", vec![features, columns])];
        if self.whole.known().is_some() {
            blocks.push((WHOLE, vec![self.whole.len(), classes]));
        }
        blocks.push(("segment", vec![classes]));
        if self.lengths && !self.fixed_widths {
            blocks.push((LENGTH, vec![widths().max().unwrap_or(0), classes]));
        }
        blocks.push(("transition", vec![classes, classes]));
        if self.boundary {
            blocks.extend([("first", vec![classes]), ("last", vec![classes])]);
        }
        blocks
    }

    fn save(&self) -> Stored {
        let stored = Stored::default()
            .with("loss", self.loss_name())
            .with("longest", self.longest)
            .with("fixed_widths", self.fixed_widths)
            .with("edges", self.edges)
            .with("lengths", self.lengths)
            .with("boundary", self.boundary);
        self.whole.save(self.classes.save(stored))
    }

    fn load(stored: &Stored, labels: usize) -> std::result::Result<Self, String> {
        let loss = stored.loss()?;
        let Some(&(_, mistakes)) = LOSSES.iter().find(|(name, _)| *name == loss) else {
            return unknown_loss(&loss);
        };
        Ok(Self {
            mistakes,
            longest: stored.field("longest")?,
            fixed_widths: stored.field("fixed_widths")?,
            edges: stored.field("edges")?,
            lengths: stored.field("lengths")?,
            boundary: stored.field("boundary")?,
            classes: Classes::load(stored, labels)?,
            whole: WholeSegments::load(stored)?,
        })
    }

    fn loss_name(&self) -> &'static str {
        LOSSES.iter().find(|(_, mistakes)| *mistakes == self.mistakes).map_or("segments", |(name, _)| name)
    }

    fn describe(_: &SegmentationStructure, task: &Self) -> String {
        let Classes { widths, too_long, .. } = &task.classes;
        let longest = widths.iter().copied().max().unwrap_or(0) as usize;
        let classes = format!("{} classes", widths.len());
        let widths = match task.fixed_widths {
            true => "a template each".to_owned(),
            false => format!("segments of up to {}", count(longest, "position")),
        };
        let unfindable = match too_long {
            0 => String::new(),
            some => format!(" ({} of the training data longer)", count(*some, "segment")),
        };
        let known = match task.whole.len() {
            0 => String::new(),
            some => format!(", {} known", count(some, "segment")),
        };
        format!("{classes}, {widths}{unfindable}{known}")
    }

    fn facts(_: &SegmentationStructure, task: &Self) -> Map<String, Value> {
        let facts = [
            ("classes", json!(task.classes.names)),
            ("widths", json!(task.classes.widths)),
            ("fixed_widths", json!(task.fixed_widths)),
            ("too_long", json!(task.classes.too_long)),
            ("known_segments", json!(task.whole.len())),
            ("edges", json!(task.edges)),
            ("lengths", json!(task.lengths)),
            ("boundary", json!(task.boundary)),
        ];
        facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn name(
        structure: &SegmentationStructure,
        names: &Vocabulary,
        _: &InputOf<Self>,
        label: &Vec<Segment>,
    ) -> Value {
        structure.write(label).into_iter().map(|label| names.labels.name(label)).collect()
    }

    /// Classes; and for each attribute their columns, in the order of the structure's.
    fn weight_names(&self, _: &Alphabet) -> WeightNames {
        let Classes { names, widths, .. } = &self.classes;
        let each = |of: &str| names.iter().map(move |name| format!("{name}{of}")).enumerate().collect();
        let columns = if self.fixed_widths {
            let places = |(class, &width): (usize, &u32)| {
                (1..=width).map(move |k| (class, format!("{} {k}", names[class])))
            };
            widths.iter().enumerate().flat_map(places).collect()
        } else if self.edges {
            ["", " (first)", " (last)"].iter().flat_map(|of| -> Vec<(usize, String)> { each(of) }).collect()
        } else {
            each("")
        };
        let longest = widths.iter().copied().max().unwrap_or(0);
        let rows = vec![
            (LENGTH, (1..=longest).map(|length| length.to_string()).collect()),
            (WHOLE, self.whole.names()),
        ];
        WeightNames { states: names.clone(), columns, rows }
    }

    fn is_right(data: &SequenceExamples, example: usize, variable: usize, value: u32) -> Option<bool> {
        Some(data.labels_of(example).get(variable) == Some(&value))
    }

    fn write(label: &Value) -> String {
        super::Chain::write(label)
    }

    fn demo(say: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
        demo::run(say)
    }

    fn demo_images() -> Result<Vec<DrawnImage>> {
        demo::pictures()
    }

    fn metrics(structure: &SegmentationStructure, comparison: ComparisonOf<'_, Self>) -> Metrics {
        let Comparison { truth, predicted, labels, known, background } = comparison;
        let spelt: Vec<Vec<u32>> = predicted.iter().map(|cut| structure.write(cut)).collect();
        let comparison = Comparison { truth, predicted: &spelt, labels, known, background };
        let mean_loss = comparison.mean_loss(|i, spelt| {
            let truth = structure.read(&comparison.as_known(truth.labels_of(i)));
            structure.loss_between(&truth, &structure.read(spelt))
        });
        let metrics = Metrics::from(SequenceMetrics::with_loss(comparison, mean_loss));
        let renamed = |name: &'static str| match name {
            "token_error" => "position_error",
            "token_accuracy" => "position_accuracy",
            "chunk_precision" => "segment_precision",
            "chunk_recall" => "segment_recall",
            "chunk_f1" => "segment_f1",
            name => name,
        };
        let figures = metrics.figures.into_iter().map(|(name, value)| (renamed(name), value)).collect();
        // Who counts positions in training counts them in validation.
        let main = match structure.cost() {
            SegmentLoss::Positions(_) => Some("position_error"),
            SegmentLoss::Segments | SegmentLoss::Sizes => metrics.main.map(renamed),
        };
        Metrics { figures, main, ..metrics }
    }
}
