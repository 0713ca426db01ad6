//! `maxmargin demo`: what the program does, on data that it makes up.

mod sentences;
mod topics;

use std::time::Instant;

use anyhow::Result;
use clap::Args;
use maxmargin::data::word_images::{COLUMNS, Noise, WordImages, draw, word_images};
use maxmargin::data::{Dataset, Vocabulary};
use maxmargin::metrics::Metrics;
use maxmargin::solver::{SolverKind, SolverSettings};
use maxmargin::task::{SearchOptions, TaskKind, TaskOptions};

use crate::arguments::SolvingArguments;
use crate::evaluation::HeldOut;
use crate::print::{number, percent, say, time};
use crate::problem::Problem;
use crate::progress::Progress;
use crate::training::{Trained, solve};

const TRAINING_WORDS: usize = 400;
const TEST_WORDS: usize = 200;
const SHOWN: usize = 4;
/// Values of λ with a good letter error on words of a third seed. With a third of each, the error is a little smaller
/// and training takes several times as long.
const CHAIN_LAMBDA: f64 = 0.1;
const CLASSIFIER_LAMBDA: f64 = 0.03;

/// See what the program does, on built-in data, in seconds
///
/// chain: makes noisy images of words, trains a chain and a classifier without the chain on them, and compares their
/// readings of new images. multiclass: the classifier alone, for several λ. multilabel: makes notes about topics, and
/// compares one classifier for each topic with weights for pairs of topics. matching: makes sentences with translations, and
/// compares linking words pair by pair with the best matching of all words.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  maxmargin demo
  maxmargin demo multiclass
  maxmargin demo multilabel
  maxmargin demo matching")]
pub struct Demo {
    /// chain, multiclass, multilabel or matching
    #[arg(value_name = "TASK", default_value_t = TaskKind::Chain)]
    task: TaskKind,

    #[command(flatten)]
    solving: SolvingArguments,
}

/// A trained model and what it makes of the test data.
struct Reader {
    problem: Problem,
    trained: Trained,
    metrics: Metrics,
    /// The labels of each test example.
    readings: Vec<Vec<u32>>,
}

impl Demo {
    /// Runs the command.
    pub fn run(self) -> Result<()> {
        self.solving.on_threads(|_| match self.task {
            TaskKind::Chain => self.chain(),
            TaskKind::Multiclass => self.multiclass(),
            TaskKind::Multilabel => self.multilabel(),
            TaskKind::Matching => self.matching(),
        })
    }

    fn chain(&self) -> Result<()> {
        let begun = Instant::now();
        let (train, test) = images();
        say(&format!(
            "Reading noisy images of words: {TRAINING_WORDS} words ({} letters) to learn from, {TEST_WORDS} new ones to read.\n\n\
             The classifier looks at each letter by itself. The chain also learns which letters follow each other,\n\
             and reads a word as a whole.\n\n",
            train.data.labels.len(),
        ))?;
        let classifier = self.read_words(TaskKind::Multiclass, CLASSIFIER_LAMBDA, &train, &test)?;
        let chain = self.read_words(TaskKind::Chain, CHAIN_LAMBDA, &train, &test)?;
        let letters = (classifier.readings.concat(), chain.readings.concat());
        let words = (word_error(&test, &letters.0), word_error(&test, &letters.1));
        let mut text = format!(
            "{}\nOn the {TEST_WORDS} new words:\n\n{:14}{:>16}{:>16}\n{:14}{:>16}{:>16}\n{:14}{:>16}{:>16}\n\n",
            explain("the chain", "wrong readings", "words", &chain.trained),
            "",
            "wrong letters",
            "wrong words",
            "classifier",
            percent(letter_error(&classifier.metrics)),
            percent(words.0),
            "chain",
            percent(letter_error(&chain.metrics)),
            percent(words.1),
        );
        text += "Some words that the neighbours of a letter help to read (wrong letters in brackets):\n";
        for i in helped(&test, &letters.0, &letters.1) {
            text += &format!("\n{}\n", draw(&test.data.input(i)));
            let range = test.data.range(i);
            let truth = test.data.labels_of(i);
            for (name, reading) in
                [("truth", truth), ("classifier", &letters.0[range.clone()]), ("chain", &letters.1[range])]
            {
                text += &format!("{}  {name}\n", spaced(&test, truth, reading));
            }
        }
        text += &format!(
            "\n{} in all. Next: `maxmargin train --help` to learn from data of your own.\n",
            time(begun.elapsed().as_secs_f64())
        );
        say(&text)
    }

    fn multiclass(&self) -> Result<()> {
        let begun = Instant::now();
        let (train, test) = images();
        say(&format!(
            "Telling noisy images of letters apart, each by itself: {} letters to learn from, {} new ones to read.\n\
             λ says how much simple weights count against mistakes on the training letters.\n\n{:>10}{:>16}{:>10}{:>10}{:>14}\n",
            train.data.labels.len(),
            test.data.labels.len(),
            "λ",
            "proven F*",
            "gap",
            "passes",
            "wrong letters"
        ))?;
        for lambda in [1.0, 0.3, 0.1, CLASSIFIER_LAMBDA] {
            let reader = self.read_words(TaskKind::Multiclass, lambda, &train, &test)?;
            let report = &reader.trained.outcome.report;
            say(&format!(
                "{:>10}{:>16}{:>10}{:>10}{:>14}\n",
                number(lambda),
                format!("≥ {:.5}", report.certificate.lower_bound),
                report.certificate.gap().to_string(),
                report.passes,
                percent(letter_error(&reader.metrics)),
            ))?;
        }
        say(&format!(
            "\nEach row is proven: no weights whatever reach less than F*, and those found come within the gap of it.\n\
             {} in all. `maxmargin demo chain` shows what is gained by reading words as a whole.\n",
            time(begun.elapsed().as_secs_f64())
        ))
    }

    fn read_words(
        &self,
        kind: TaskKind,
        lambda: f64,
        train: &WordImages,
        test: &WordImages,
    ) -> Result<Reader> {
        let (train, test) = ((&train.data, &train.vocabulary), (&test.data, &test.vocabulary));
        self.learn(kind, TaskOptions::default(), lambda, train, test)
    }

    fn learn(
        &self,
        kind: TaskKind,
        options: TaskOptions,
        lambda: f64,
        (train, names): (&Dataset, &Vocabulary),
        (test, test_names): (&Dataset, &Vocabulary),
    ) -> Result<Reader> {
        let search = SearchOptions::default();
        let problem = Problem::new(kind, options, names.clone(), train.clone(), None, search)?;
        let settings: SolverSettings = self.solving.settings(lambda)?;
        let limits = self.solving.limits();
        let mut progress = Progress::new(limits, true, kind.name());
        let risk = problem.risk()?;
        let mut solver = SolverKind::Auto.build(risk.as_ref(), &settings);
        let trained = solve(solver.as_mut(), risk.as_ref(), limits, &mut progress, |_| ());
        let held_out = HeldOut::from_training(problem.task.view(test.clone())?, test_names);
        let weights = &trained.outcome.weights;
        let metrics = held_out.evaluate(&problem.task, weights, test_names.labels.len())?.metrics;
        let best = problem.task.predict(weights, &held_out.data, 1)?.into_iter().flatten();
        let readings = best.map(|prediction| prediction.labels).collect();
        Ok(Reader { problem, trained, metrics, readings })
    }
}

fn images() -> (WordImages, WordImages) {
    (word_images(TRAINING_WORDS, Noise::default(), 1), word_images(TEST_WORDS, Noise::default(), 2))
}

/// The certificate for somebody who never saw one.
fn explain(what: &str, wrong: &str, examples: &str, trained: &Trained) -> String {
    let report = &trained.outcome.report;
    let certificate = &report.certificate;
    format!(
        "Training {what} means finding the weights w with the least F(w), a mixture of their size and of the\n\
         margins by which {wrong} come too close. After {} passes over the {examples}, in {}:\n\n  \
         the weights found have   F(w) = {:.6}\n  \
         and it is proven that no weights whatever reach less than {:.6},\n\n\
         so their F is within {} of the least possible.\n",
        report.passes,
        time(report.seconds),
        certificate.primal,
        certificate.lower_bound,
        percent(certificate.gap().0),
    )
}

fn letter_error(metrics: &Metrics) -> f64 {
    match metrics {
        Metrics::Multiclass(metrics) => metrics.error,
        Metrics::Sequence(metrics) => metrics.token_error,
        Metrics::LabelSets(metrics) => metrics.hamming,
        Metrics::Links(metrics) => metrics.hamming(),
    }
}

fn mistakes(test: &WordImages, i: usize, readings: &[u32]) -> usize {
    readings[test.data.range(i)].iter().zip(test.data.labels_of(i)).filter(|(a, b)| a != b).count()
}

fn word_error(test: &WordImages, readings: &[u32]) -> f64 {
    let words = test.data.len();
    (0..words).filter(|&i| mistakes(test, i, readings) > 0).count() as f64 / words as f64
}

/// The first words, none twice, that the chain reads right and the classifier gets wrong in two letters or more.
fn helped(test: &WordImages, classifier: &[u32], chain: &[u32]) -> Vec<usize> {
    let mut shown: Vec<usize> = Vec::new();
    for i in 0..test.data.len() {
        let new = shown.iter().all(|&other| test.words[other] != test.words[i]);
        if new && mistakes(test, i, classifier) > 1 && mistakes(test, i, chain) == 0 && shown.len() < SHOWN {
            shown.push(i);
        }
    }
    shown
}

/// Letters set below their images.
fn spaced(test: &WordImages, truth: &[u32], reading: &[u32]) -> String {
    let letter = |(&label, &truth): (&u32, &u32)| {
        let name = test.vocabulary.labels.name(label);
        let shown = if label == truth { name.to_owned() } else { format!("[{name}]") };
        format!("{shown:^COLUMNS$} ")
    };
    reading.iter().zip(truth).map(letter).collect()
}
