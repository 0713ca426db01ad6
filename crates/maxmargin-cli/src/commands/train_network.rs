//! `maxmargin train-network`: a network in the place of weights, trained with any surrogate.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use maxmargin::data::Preprocessing;
use maxmargin::surrogate::Surrogate;
use maxmargin::training::{Examples, HeldOut, Known};
use maxmargin::{Error, Model, escaped_path};
use maxmargin_neural::{
    AdamOptions, ArcSizes, Dropout, EncoderSizes, EpochReport, NetworkSettings, Observer, Phase, TagColumn,
    TaggerSizes, TrainingOptions, WordVectors, train_task,
};
use serde_json::{Value, json};

use crate::arguments::{ChosenTask, SearchChoice, TaskCommand, not_negative, on_threads, positive};
use crate::evaluation::Shown;
use crate::files::Files;
use crate::interrupt;
use crate::print::{count, note, number, percent, say, say_json, time};

/// Train a network whose scores take the place of weights
///
/// For parsing: words, tags and letters through layers of LSTMs to scores of all arcs and relations. For chain: attributes through layers of LSTMs to scores of
/// labels, with a table for neighbours. The surrogate and the search are those of any model; with --then a second one goes on from the best network of the
/// first, usually with a smaller rate. The best network is the one with the best figure on --validate after some epoch, or the last one without.
/// predict, eval and compare take the model like any other: docs/neural.md. Ctrl-C breaks off and saves the best network so far.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  maxmargin train-network parsing --train train.conllu --validate dev.conllu --model parser.model
  maxmargin train-network parsing --train train.conllu --validate dev.conllu --model parser.model --epochs 20 --then prob --then-epochs 8
  maxmargin train-network chain --train train.crfsuite --validate dev.crfsuite --model tagger.model --units 64")]
pub struct TrainNetwork {
    /// Training data: one file or several of the same format
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    train: Vec<PathBuf>,

    /// Where to save the model, replaced as a whole when training is done
    #[arg(long, value_name = "FILE")]
    model: PathBuf,

    /// Data that tells which epoch has the best network
    #[arg(long, value_name = "FILE", num_args = 1..)]
    validate: Vec<PathBuf>,

    /// Data to evaluate the model on afterwards
    #[arg(long, value_name = "FILE", num_args = 1..)]
    test: Vec<PathBuf>,

    /// Go on from the network of this model: its sizes and names stay
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["vectors", "units", "layers"])]
    start: Option<PathBuf>,

    /// How margin error h and loss g are combined: margin, slack, beta=B, general=A,B, log, prob or prob-convex
    #[arg(long, value_name = "NAME", default_value = "margin", help_heading = "Problem")]
    surrogate: Surrogate,

    /// How the most violated label is found: auto, stratified, hull, angular, bisecting, binary or sarawagi
    #[arg(long, value_name = "NAME", default_value = "auto", help_heading = "Problem")]
    search: SearchChoice,

    /// A second surrogate, with which training goes on from the best network
    #[arg(long, value_name = "NAME", help_heading = "Problem")]
    then: Option<Surrogate>,

    /// How often all examples are gone through
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..), help_heading = "Solving")]
    epochs: u16,

    /// The length of steps at first; it falls evenly to 0
    #[arg(long, value_name = "X", default_value_t = 2e-3, value_parser = positive, help_heading = "Solving")]
    rate: f64,

    /// The epochs of --then
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..), requires = "then", help_heading = "Solving")]
    then_epochs: u16,

    /// The rate of --then at first
    #[arg(long, value_name = "X", default_value_t = 3e-4, value_parser = positive, requires = "then", help_heading = "Solving")]
    then_rate: f64,

    /// Stop after N epochs that are no better on --validate
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), requires = "validate", help_heading = "Solving")]
    patience: Option<u16>,

    /// How many words or positions are learnt from at a time
    #[arg(long, value_name = "N", default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Solving")]
    batch: u32,

    /// The longest gradient
    #[arg(long, value_name = "X", default_value_t = 5.0, value_parser = positive, help_heading = "Solving")]
    clip: f64,

    /// Weight decay
    #[arg(long, value_name = "X", default_value_t = 0.0, value_parser = not_negative, help_heading = "Solving")]
    decay: f64,

    /// The seed of everything random
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Solving")]
    seed: u64,

    /// Keep a checkpoint in this directory: the complete state after each epoch
    #[arg(long, value_name = "DIR", help_heading = "Solving")]
    checkpoint: Option<PathBuf>,

    /// Go on from the checkpoint in --checkpoint, to the same model as without a break; from the start if there is none
    #[arg(long, requires = "checkpoint", help_heading = "Solving")]
    resume: bool,

    /// Units of each LSTM, in each direction [default: 200 for parsing, 100 for chain]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Network")]
    units: Option<u16>,

    /// How many LSTMs lie one over the other [default: 2 for parsing, 1 for chain]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=8), help_heading = "Network")]
    layers: Option<u16>,

    /// Numbers for each word, or each attribute of a chain
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..), help_heading = "Network")]
    embedding: u16,

    /// The columns of tags that a parser looks at, with commas between: upos, xpos, feats; or none
    #[arg(long, value_name = "NAME,…", default_value = "upos,xpos", help_heading = "Network")]
    tags: String,

    /// Do not look at letters
    #[arg(long, help_heading = "Network")]
    no_letters: bool,

    /// Take words and attributes that occur less often for unknown ones
    #[arg(long, value_name = "N", default_value_t = 2, help_heading = "Network")]
    rare_words: u32,

    /// The share that is left out in training, at each place where something is
    #[arg(long, value_name = "X", default_value_t = 0.33, value_parser = share_or_zero, help_heading = "Network")]
    dropout: f64,

    /// A table of words in the text form of word2vec, for parsing: it stays as it is and goes into the model
    #[arg(long, value_name = "FILE", help_heading = "Network")]
    vectors: Option<PathBuf>,

    /// Write a JSON object per epoch to this file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    log: Option<PathBuf>,

    /// Print one JSON object instead of the summary
    #[arg(long, help_heading = "Output")]
    json: bool,

    /// Threads; all cores when it is not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Solving")]
    threads: Option<u16>,

    /// Show no progress and no summary
    #[arg(long, short, help_heading = "Output")]
    quiet: bool,
}

/// A share that may be nothing.
fn share_or_zero(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(value) if (0.0..1.0).contains(&value) => Ok(value),
        _ => Err("a share from 0 and below 1 is expected, such as 0.33".to_owned()),
    }
}

impl TaskCommand for TrainNetwork {
    fn run(self, chosen: ChosenTask) -> Result<()> {
        let files = Files::default().read_data("--train", &self.train);
        let files = files.read_data("--validate", &self.validate).read_data("--test", &self.test);
        (chosen.add_to(files).read("--vectors", &self.vectors))
            .read_before("--start", self.start.as_ref(), "--model")
            .write("--model", [&self.model])
            .write("--log", &self.log)
            .write_in("--checkpoint", self.checkpoint.as_ref())
            .check()?;
        on_threads(self.threads, |_| self.train(&chosen))
    }
}

impl TrainNetwork {
    fn settings(&self) -> Result<NetworkSettings> {
        let usual = NetworkSettings::default();
        let (units, layers) = (self.units.map(usize::from), self.layers.map(usize::from));
        let mut tags = Vec::new();
        for name in self.tags.split(',').filter(|_| self.tags != "none") {
            let Some(tag) = TagColumn::named(name.trim()) else {
                bail!("--tags: {name:?} is not one of upos, xpos and feats");
            };
            tags.push(tag);
        }
        let dropout = self.dropout;
        Ok(NetworkSettings {
            encoder: EncoderSizes {
                word: self.embedding.into(),
                units: units.unwrap_or(usual.encoder.units),
                layers: layers.unwrap_or(usual.encoder.layers),
                letter: if self.no_letters { 0 } else { usual.encoder.letter },
                ..usual.encoder
            },
            arcs: ArcSizes::default(),
            tagger: TaggerSizes {
                attribute: self.embedding.into(),
                units: units.unwrap_or(usual.tagger.units),
                layers: layers.unwrap_or(usual.tagger.layers),
                ..usual.tagger
            },
            tags,
            least: self.rare_words,
            dropout: Dropout {
                inputs: dropout,
                layers: dropout,
                steps: dropout,
                scores: dropout,
                names: if dropout == 0.0 { 0.0 } else { Dropout::default().names },
            },
            vectors: self.vectors.as_deref().map(WordVectors::read).transpose()?,
        })
    }

    fn options(&self) -> Result<TrainingOptions> {
        let first = Phase {
            surrogate: self.surrogate,
            strategy: self.search.0,
            epochs: self.epochs.into(),
            rate: self.rate,
        };
        let then = self.then.map(|surrogate| Phase {
            surrogate,
            strategy: None,
            epochs: self.then_epochs.into(),
            rate: self.then_rate,
        });
        if let Some(directory) = &self.checkpoint {
            std::fs::create_dir_all(directory).map_err(|e| Error::io("write", directory, e))?;
        }
        Ok(TrainingOptions {
            phases: [first].into_iter().chain(then).collect(),
            adam: AdamOptions { longest: self.clip, decay: self.decay, ..AdamOptions::default() },
            batch: self.batch as usize,
            patience: self.patience.map_or(usize::MAX, usize::from),
            seed: self.seed,
            checkpoint: self.checkpoint.as_ref().map(|directory| directory.join("network.checkpoint")),
            resume: self.resume,
        })
    }

    fn train(&self, chosen: &ChosenTask) -> Result<()> {
        let (settings, options) = (self.settings()?, self.options()?);
        let start = self.start.as_ref().map(Model::load).transpose()?;
        let reading = chosen.read.options();
        let reading =
            start.as_ref().map_or(reading.clone(), |model| model.options_of_more_training(&reading));
        let examples = Examples::read_files(chosen.task.as_ref(), &self.train, &reading)?;
        // With the labels and attributes of the network that training goes on from.
        let examples = match &start {
            Some(model) => {
                let data = model.known().read(chosen.task.as_ref(), &self.train, &reading)?.data;
                Examples::of(data, model.names().clone())
                    .as_read(model.description().format.as_deref(), model.text().clone())
            }
            None => examples,
        };
        let task = chosen.task.fit(examples.names(), examples.data())?;
        let known = Known {
            task: task.as_ref(),
            names: examples.names(),
            preprocessing: &Preprocessing::default(),
            dropped_labels: examples.dropped_labels(),
            format: examples.format(),
            text: examples.text(),
        };
        let background = chosen.evaluation.background(&examples.names().labels);
        let more = chosen.read.options_for_more(examples.format());
        let held_out = |files: &[PathBuf]| -> Result<Option<HeldOut>> {
            if files.is_empty() {
                return Ok(None);
            }
            let of_files = task.task().for_test_data();
            let data = HeldOut::read(known, of_files.as_ref(), files, &more, None)?;
            Ok(Some(data.with_background(task.as_ref(), &background)?))
        };
        let (validation, test) = (held_out(&self.validate)?, held_out(&self.test)?);
        let listening = interrupt::listen();
        let mut watch = Watch { quiet: self.quiet, log: self.open_log()?, seconds: 0.0, epochs: Vec::new() };
        let model = train_task(
            chosen.task.as_ref(),
            &examples,
            validation.as_ref(),
            &settings,
            start.as_ref(),
            &options,
            &mut watch,
        )?;
        maxmargin_neural::save(&model, &self.model)?;
        drop(listening);
        if interrupt::asked() {
            interrupt::heed();
            let resume = if self.checkpoint.is_some() { "; go on with --resume" } else { "" };
            note(&format!(
                "interrupted; the best network so far is in {}{resume}",
                escaped_path(&self.model)
            ));
        }
        let tested = match &test {
            Some(test) => Some(Shown::new(test, test.evaluate(model.task(), model.deciding_weights())?)),
            None => None,
        };
        if self.json {
            let mut object = json!({
                "task": model.task().name(),
                "model": self.model.display().to_string(),
                "network": model.task().scorer(),
                "surrogate": model.description().surrogate,
                "search": model.description().search,
                "seed": self.seed,
                "n": examples.len(),
                "passes": model.description().passes,
                "epochs": watch.epochs,
                "seconds": watch.seconds,
            });
            if let Some(tested) = &tested {
                object["test"] = tested.json(false);
            }
            return say_json(&object);
        }
        let tested = tested.map_or(String::new(), |tested| format!("test         {}\n", tested.line()));
        if self.quiet {
            return say(&tested);
        }
        say(&format!(
            "data         {}\nnetwork      {}\ntrained      {} in {}, surrogate {}, search {}\nmodel        {}\n{tested}",
            examples.data().describe(),
            model.task().scorer().unwrap_or_default(),
            count(model.description().passes, "epoch"),
            time(watch.seconds),
            model.description().surrogate,
            model.description().search,
            escaped_path(&self.model),
        ))
    }

    fn open_log(&self) -> Result<Option<(PathBuf, File)>> {
        let Some(path) = &self.log else { return Ok(None) };
        let file = OpenOptions::new()
            .create(true)
            .write(true)
            .append(self.resume)
            .truncate(!self.resume)
            .open(path)
            .map_err(|e| Error::io("write", path, e))?;
        Ok(Some((path.clone(), file)))
    }
}

/// Says what each epoch came to.
struct Watch {
    quiet: bool,
    log: Option<(PathBuf, File)>,
    seconds: f64,
    epochs: Vec<Value>,
}

impl Observer for Watch {
    fn epoch(&mut self, report: &EpochReport) -> maxmargin::Result<()> {
        let EpochReport { phase, epoch, epochs, surrogate, risk, held_out, is_best, seconds, queries, rows } =
            report;
        let [training, searching, evaluating] = seconds;
        self.seconds += training + evaluating;
        let figures = held_out.iter().flat_map(|metrics| &metrics.figures);
        let main = held_out.as_ref().and_then(|metrics| metrics.main);
        let object = json!({
            "phase": phase + 1, "epoch": epoch + 1, "surrogate": surrogate.to_string(), "risk": risk, "best": is_best,
            "held_out": figures.map(|&(name, value)| (name.to_owned(), json!(value))).collect::<serde_json::Map<_, _>>(),
            "seconds": training, "search_seconds": searching, "evaluation_seconds": evaluating, "queries": queries, "rows": rows,
        });
        if let Some((path, log)) = &mut self.log {
            writeln!(log, "{object}").map_err(|e| Error::io("write", path, e))?;
        }
        self.epochs.push(object);
        if !self.quiet {
            let figure =
                main.zip(held_out.as_ref()).and_then(|(name, metrics)| Some((name, metrics.figure(name)?)));
            let shown = figure.map_or(String::new(), |(name, value)| {
                format!(", {name} {}{}", percent(value), if *is_best { " (best)" } else { "" })
            });
            note(&format!(
                "{surrogate}, epoch {} of {epochs}: mean H {}{shown}; {}, {:.0} % of it searching",
                epoch + 1,
                number(*risk),
                time(*training),
                100.0 * searching / training.max(1e-9),
            ));
        }
        Ok(())
    }

    fn is_interrupted(&self) -> bool {
        interrupt::asked()
    }
}
