//! A run that was interrupted and goes on from its checkpoint ends with the same model, bit for bit; so do two runs with the same seed.

use maxmargin::Result;
use maxmargin::search::Strategy;
use maxmargin::surrogate::Surrogate;
use maxmargin::tasks::Fitted;
use maxmargin::training::{HeldOut, Known};
use maxmargin_neural::{
    EpochReport, Observer, ParserNetwork, Phase, TrainingOptions, model_file, train_model,
};

use crate::common::{epochs, parsing, trained_parser, trained_tagger, treebank, turned};

/// Ends a run after so many epochs.
struct Ends(usize);

impl Observer for Ends {
    fn epoch(&mut self, report: &EpochReport) -> Result<()> {
        self.0 -= 1;
        assert!(report.held_out.is_some() && report.risk > 0.0);
        Ok(())
    }

    fn is_interrupted(&self) -> bool {
        self.0 == 0
    }
}

#[test]
fn from_checkpoints() -> Result<()> {
    let (train, dev) = (treebank(40, 1)?, treebank(20, 2)?);
    let names = train.names();
    let fitted = Fitted::new(parsing(), names.attributes.len(), names.labels.len())?;
    let known = Known {
        task: &fitted,
        names,
        preprocessing: &Default::default(),
        dropped_labels: train.dropped_labels(),
        format: None,
        text: train.text(),
    };
    let dev = HeldOut::from_training(dev.data().subset(&(0..20).collect::<Vec<_>>())?, known)?;
    let slack = Phase { surrogate: Surrogate::SLACK, strategy: Some(Strategy::Hull), epochs: 2, rate: 0.002 };
    let mut options = epochs(3, 60);
    options.phases.push(slack);
    let whole = trained_parser(&train, Some(&dev), &options, &mut Ends(5))?;
    let whole = model_file::to_bytes::<ParserNetwork>(&whole)?;
    let folder = tempfile::tempdir().map_err(|e| maxmargin::Error::parameter("folder", e.to_string()))?;
    for stops in 1..5 {
        let checkpoint = Some(folder.path().join(format!("{stops}.checkpoint")));
        let options = TrainingOptions { checkpoint, ..options.clone() };
        trained_parser(&train, Some(&dev), &options, &mut Ends(stops))?;
        let rest = trained_parser(&train, Some(&dev), &options, &mut Ends(5 - stops))?;
        assert_eq!(model_file::to_bytes::<ParserNetwork>(&rest)?, whole, "after {stops} epochs");
        // Another run does not go on from it.
        let other = TrainingOptions { seed: 7, ..options.clone() };
        let error = trained_parser(&train, Some(&dev), &other, &mut ()).map(drop).unwrap_err().to_string();
        assert!(error.contains("another run"), "{error}");
    }
    let spoiled = folder.path().join("1.checkpoint");
    let content = std::fs::read(&spoiled).map_err(|e| maxmargin::Error::parameter("file", e.to_string()))?;
    for length in [0, 7, 100, content.len() / 2, content.len() - 1] {
        _ = std::fs::write(&spoiled, &content[..length]);
        let options = TrainingOptions { checkpoint: Some(spoiled.clone()), ..options.clone() };
        assert!(trained_parser(&train, Some(&dev), &options, &mut ()).is_err(), "{length} bytes");
    }
    Ok(())
}

#[test]
fn the_same_seed_is_the_same_model() -> Result<()> {
    let train = turned(30, 1)?;
    let bytes = |seed| {
        let options = TrainingOptions { seed, ..epochs(2, 30) };
        model_file::to_bytes::<maxmargin_neural::TaggerNetwork>(&trained_tagger(&train, &options)?)
    };
    assert_eq!(bytes(1)?, bytes(1)?);
    assert_ne!(bytes(1)?, bytes(2)?);
    Ok(())
}

#[test]
fn bad_options_are_refused() -> Result<()> {
    let train = treebank(5, 1)?;
    let phase = epochs(1, 60).phases[0];
    for options in [
        TrainingOptions { phases: Vec::new(), ..epochs(1, 60) },
        TrainingOptions { phases: vec![Phase { rate: f64::NAN, ..phase }], ..epochs(1, 60) },
        epochs(1, 0),
    ] {
        assert!(trained_parser(&train, None, &options, &mut ()).is_err());
    }
    let describe = |data: &_| {
        let mut description = crate::common::parser(data, 12, crate::common::NO_DROPOUT)?;
        description.encoder.layers = 0;
        Ok(description)
    };
    assert!(
        train_model::<ParserNetwork>(parsing(), describe, &train, None, &epochs(1, 60), &mut ()).is_err()
    );
    Ok(())
}
