//! `maxmargin compare models`: which of two models is better, and whether that may be chance.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use maxmargin::Model;
use maxmargin::metrics::Metrics;
use maxmargin::training::{HeldOut, ModelComparison};
use serde_json::json;

use crate::arguments::{EvaluationArguments, Folds, ReadArguments, ReadingOptions, RunArguments};
use crate::files::Files;
use crate::print::{count, number, percent, say, say_json};
use crate::table::Table;

/// Compare two models on the same labelled data
///
/// For each figure of the task: both values, the difference, and whether it may be chance. The paired bootstrap draws examples with replacement
/// and says in which interval 95 % of the differences lie, and how likely one on the other side of 0 is (p). The signed-rank test of Wilcoxon looks at the
/// differences of single examples.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  maxmargin compare models first.model second.model --data test.conllu
  maxmargin compare models margin.model slack.model --data test.crfsuite --rounds 10000 --json")]
pub struct CompareModels {
    /// The two models
    #[arg(value_name = "MODEL", num_args = 2, required = true)]
    models: Vec<PathBuf>,

    /// The labelled data: one file or several of the same format
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    data: Vec<PathBuf>,

    /// Only these folds of the data, for example 0 or 1-9
    #[arg(long, value_name = "LIST")]
    folds: Option<Folds>,

    /// How often examples are drawn anew
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(40..=1_000_000))]
    rounds: u32,

    /// The seed of what is drawn
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    #[command(flatten)]
    read: ReadArguments,

    #[command(flatten)]
    evaluation: EvaluationArguments,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    run: RunArguments,
}

impl CompareModels {
    /// Runs the command.
    pub fn run(self, reading: &ReadingOptions) -> Result<()> {
        let files = Files::default().read("MODEL", &self.models).read_data("--data", &self.data);
        reading.add_to(self.read.add_to(files)).check()?;
        self.run.on_threads(|| self.compare(reading))
    }

    fn compare(&self, reading: &ReadingOptions) -> Result<()> {
        let [first, second] = &self.models[..] else { anyhow::bail!("two models are compared") };
        let models = [Model::load(first)?, Model::load(second)?];
        let folds = self.folds.as_ref().map(|folds| &folds.0[..]);
        let mut data = Vec::new();
        for model in &models {
            let task = reading.apply(model.task().task())?;
            let background = self.evaluation.background(&model.names().labels);
            let held_out =
                HeldOut::read(model.known(), task.as_ref(), &self.data, &self.read.options(), folds)?;
            data.push(held_out.with_background(model.task(), &background)?);
        }
        let pairs = [(&models[0], &data[0]), (&models[1], &data[1])];
        let comparison = ModelComparison::of(pairs, self.rounds as usize, self.seed)?;
        match self.json {
            true => say_json(&self.object(&comparison)),
            false => say(&self.text(&comparison)),
        }
    }

    fn text(&self, comparison: &ModelComparison) -> String {
        let mut table = Table::new([
            "",
            "first",
            "second",
            "difference",
            "95 % of resamples",
            "p",
            "better / worse",
            "p by ranks",
        ]);
        for figure in &comparison.figures {
            let shown =
                |value: f64| if Metrics::is_share(figure.name) { percent(value) } else { number(value) };
            let ([a, b], (low, high)) = (figure.values, figure.bootstrap.interval);
            let (above, below) = (figure.ranks.above, figure.ranks.below);
            let (better, worse) =
                if Metrics::is_smaller_better(figure.name) { (below, above) } else { (above, below) };
            table.row([
                figure.name.to_owned(),
                shown(a),
                shown(b),
                shown(b - a),
                format!("{} to {}", shown(low), shown(high)),
                format!("{:.4}", figure.bootstrap.p),
                format!("{better} / {worse}"),
                format!("{:.4}", figure.ranks.p),
            ]);
        }
        format!(
            "first   {}\nsecond  {}\n{}, {} resamples; better / worse: examples for which the second model is\n\n{table}",
            maxmargin::escaped_path(&self.models[0]),
            maxmargin::escaped_path(&self.models[1]),
            count(comparison.examples, "example"),
            self.rounds,
        )
    }

    fn object(&self, comparison: &ModelComparison) -> serde_json::Value {
        let figures: serde_json::Map<String, serde_json::Value> = comparison
            .figures
            .iter()
            .map(|figure| {
                let object = json!({
                    "first": figure.values[0],
                    "second": figure.values[1],
                    "difference": figure.values[1] - figure.values[0],
                    "interval": [figure.bootstrap.interval.0, figure.bootstrap.interval.1],
                    "p_bootstrap": figure.bootstrap.p,
                    "above": figure.ranks.above,
                    "below": figure.ranks.below,
                    "rank_sum": figure.ranks.rank_sum,
                    "p_wilcoxon": figure.ranks.p,
                });
                (figure.name.to_owned(), object)
            })
            .collect();
        json!({
            "models": self.models.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
            "n": comparison.examples,
            "rounds": self.rounds,
            "seed": self.seed,
            "figures": figures,
        })
    }
}
