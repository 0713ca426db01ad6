//! Small networks learn what a small grammar has, and what weights of attributes and neighbours cannot say.

use maxmargin::surrogate::Surrogate;
use maxmargin::tasks::Chain;
use maxmargin::{Result, Trainer};
use maxmargin_neural::{ParserNetwork, Phase, TrainingOptions, train_more};

use crate::common::{epochs, metrics, parsing, trained_parser, trained_tagger, treebank, turned};

#[test]
fn a_grammar() -> Result<()> {
    let (train, test) = (treebank(150, 1)?, treebank(100, 2)?);
    let model = trained_parser(&train, None, &epochs(20, 60), &mut ())?;
    let metrics = metrics(&model, &test)?;
    let las = metrics.figure("las").unwrap_or_default();
    assert!(las > 0.9, "{metrics:?}");
    // The best tree, and the next ones.
    let found = &model.predict(test.data(), 3)?[0];
    assert!(found.len() == 3 && found[0].score >= found[1].score);
    assert!(model.predict_surely(test.data(), 1)?[0][0].certainty.is_some());
    Ok(())
}

#[test]
fn more_with_another_surrogate() -> Result<()> {
    let (train, test) = (treebank(100, 1)?, treebank(60, 2)?);
    let start = trained_parser(&train, None, &epochs(3, 60), &mut ())?;
    let surrogate: Surrogate = "prob".parse()?;
    let phase = Phase { surrogate, strategy: None, epochs: 2, rate: 0.002 };
    let options = TrainingOptions { phases: vec![phase], ..epochs(1, 60) };
    let more = train_more::<ParserNetwork>(parsing(), &start, &train, None, &options, &mut ())?;
    assert_eq!(more.description().surrogate, "prob");
    let las = |model| Ok::<_, maxmargin::Error>(metrics(model, &test)?.figure("las").unwrap_or_default());
    let (before, after) = (las(&start)?, las(&more)?);
    assert!(after > before - 0.05, "{after} after {before}");
    assert_ne!(model_scores(&start, &test)?, model_scores(&more, &test)?);
    Ok(())
}

fn model_scores(model: &maxmargin::Model, examples: &maxmargin::Examples) -> Result<Vec<f64>> {
    Ok(model.predict(examples.data(), 1)?.iter().map(|found| found[0].score).collect())
}

#[test]
fn chains() -> Result<()> {
    let (train, test) = (turned(200, 1)?, turned(100, 2)?);
    let accuracy = |model| {
        let metrics = metrics(model, &test)?;
        Ok::<_, maxmargin::Error>(1.0 - metrics.figure("token_error").unwrap_or(1.0))
    };
    let linear = Trainer::new(Chain::default()).lambda(1e-3).train(&train)?;
    assert!(accuracy(&linear)? < 0.9, "{}", accuracy(&linear)?);
    let model = trained_tagger(&train, &epochs(15, 50))?;
    assert!(accuracy(&model)? > 0.98, "{}", accuracy(&model)?);
    Ok(())
}
