//! A BiLSTM parser, trained by margin rescaling and then, from the same point, once more by margin rescaling or by another surrogate.
//!
//! ```text
//! cargo run --release -p maxmargin-neural --example parser -- train.conllu dev.conllu parser.model
//! ```

use std::path::PathBuf;

use maxmargin::data::{Preprocessing, ReadOptions, TaskData};
use maxmargin::surrogate::Surrogate;
use maxmargin::tasks::{Fitted, Parsing, TreeExamples};
use maxmargin::training::{Examples, HeldOut, Known};
use maxmargin_neural::{
    AdamOptions, ArcSizes, Dropout, EncoderSizes, EpochReport, Lexicon, Observer, ParserDescription,
    ParserNetwork, Phase, TagColumn, TrainingOptions, model_file, train_model, train_more,
};

/// Prints a line for each epoch.
struct Lines;

impl Observer for Lines {
    fn epoch(&mut self, report: &EpochReport) -> maxmargin::Result<()> {
        let EpochReport { phase, epoch, surrogate, risk, seconds: [training, searching, evaluating], .. } =
            report;
        let figure = |name| report.held_out.as_ref().and_then(|m| m.figure(name)).unwrap_or(f64::NAN);
        println!(
            "phase {} {surrogate} epoch {}/{}: H {risk:.4}, UAS {:.2}, LAS {:.2}{}; {training:.1} s ({searching:.1} in searches, {:.1} queries an example), {evaluating:.1} s on dev",
            phase + 1,
            epoch + 1,
            report.epochs,
            100.0 * figure("uas"),
            100.0 * figure("las"),
            if report.is_best { " *" } else { "" },
            report.queries,
        );
        Ok(())
    }
}

fn setting<T: std::str::FromStr>(name: &str, usual: T) -> T {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    model_file::register();
    let files: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    let [train, dev, model_path, start @ ..] = &files[..] else {
        return Err("train, dev, model and perhaps a start".into());
    };
    let task = Parsing { hash_bits: 8, ..Parsing::default() };
    let mut examples = Examples::read(&task, train)?;
    let first = setting("FIRST", usize::MAX);
    if first < examples.len() {
        examples = examples.first(first)?;
    }
    let names = examples.names();
    let fitted = Fitted::new(task, names.attributes.len(), names.labels.len())?;
    let known = Known {
        task: &fitted,
        names,
        preprocessing: &Preprocessing::default(),
        dropped_labels: examples.dropped_labels(),
        format: examples.format(),
        text: examples.text(),
    };
    let held_out = HeldOut::read(known, &task, std::slice::from_ref(dev), &ReadOptions::default(), None)?;
    let surrogate: Surrogate = setting("SURROGATE", Surrogate::MARGIN);
    let options = TrainingOptions {
        phases: vec![Phase {
            surrogate,
            strategy: None,
            epochs: setting("EPOCHS", 20),
            rate: setting("RATE", 2e-3),
        }],
        adam: AdamOptions { ..AdamOptions::default() },
        batch: setting("BATCH", 600),
        seed: setting("SEED", 1),
        checkpoint: Some(model_path.with_extension("checkpoint")),
        ..TrainingOptions::default()
    };
    let describe = |data: &TreeExamples| {
        let texts: Vec<_> = (0..data.len()).filter_map(|i| data.text(i)).collect();
        let encoder = EncoderSizes {
            units: setting("UNITS", 200),
            layers: setting("LAYERS", 2),
            ..EncoderSizes::default()
        };
        Ok(ParserDescription {
            lexicon: Lexicon::of(&texts, &[TagColumn::Upos, TagColumn::Xpos], 2),
            encoder,
            arcs: ArcSizes::default(),
            dropout: Dropout::default(),
            given: None,
        })
    };
    let model = match start {
        [] => train_model::<ParserNetwork>(task, describe, &examples, Some(&held_out), &options, &mut Lines)?,
        [start, ..] => {
            let start = maxmargin::Model::load(start)?;
            train_more::<ParserNetwork>(task, &start, &examples, Some(&held_out), &options, &mut Lines)?
        }
    };
    model_file::save::<ParserNetwork>(&model, model_path)?;
    println!("{:?}", model.task());
    Ok(())
}
