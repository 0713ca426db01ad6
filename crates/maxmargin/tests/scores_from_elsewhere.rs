//! Part scores from elsewhere take the place of a model's weights: the same scores make the same predictions, and wrong ones are refused.

use std::ops::Range;
use std::sync::Arc;

use maxmargin::data::{ExampleRows, FeatureMatrix};
use maxmargin::tasks::{Chain, FittedObject, Multiclass, PartScorer, SequenceExamples};
use maxmargin::{Examples, Model, Result, Trainer};

/// The scores that a model's own weights make of one column, plus what is wrong with them.
#[derive(Debug)]
struct OneColumn {
    weights: Vec<f64>,
    spoil: fn(&mut Vec<f64>),
}

impl PartScorer<Chain> for OneColumn {
    fn part_scores(&self, data: &SequenceExamples, examples: Range<usize>) -> Result<Vec<Vec<f64>>> {
        let unary = |row: usize| {
            let mut value = 0.0;
            data.rows().features().row(row).for_each(|_, x| value += x);
            // A weight for the column and one for the constant, and each for two labels.
            [0, 1].map(|label| value * self.weights[label] + self.weights[2 + label])
        };
        let parts = |i: usize| {
            let mut parts: Vec<f64> = data.rows().range(i).flat_map(unary).collect();
            parts.extend_from_slice(&self.weights[4..]);
            (self.spoil)(&mut parts);
            parts
        };
        Ok(examples.map(parts).collect())
    }

    fn describe(&self) -> String {
        "one column".to_owned()
    }
}

fn chains() -> Result<Examples> {
    let rows: Vec<[f64; 1]> = (0..60).map(|i| [((i * 7 % 11) as f64).sin()]).collect();
    let labels = rows.iter().map(|row| u32::from(row[0] > 0.1)).collect();
    let rows = ExampleRows::grouped(FeatureMatrix::from_dense(&rows), (0..=20).map(|i| 3 * i).collect())?;
    Examples::from_numbers(SequenceExamples::new(rows, labels)?)
}

fn with(model: &Model, spoil: fn(&mut Vec<f64>)) -> Result<Model> {
    let scorer = OneColumn { weights: model.weights().to_vec(), spoil };
    model.clone().with_scorer::<Chain>(Arc::new(scorer))
}

#[test]
fn the_same_scores_are_the_same_predictions() -> Result<()> {
    let examples = chains()?;
    let model = Trainer::new(Chain::default()).lambda(0.01).train(&examples)?;
    let scored = with(&model, |_| ())?;
    assert_eq!(scored.task().scorer().as_deref(), Some("one column"));
    let (expected, found) = (model.predict(examples.data(), 3)?, scored.predict(examples.data(), 3)?);
    for (expected, found) in expected.iter().flatten().zip(found.iter().flatten()) {
        assert_eq!(expected.label, found.label);
        assert!((expected.score - found.score).abs() < 1e-12);
    }
    let figures = |model: &Model| {
        let task: &dyn FittedObject = model.task();
        task.evaluate(model.deciding_weights(), examples.data(), &examples.names().labels, None)
    };
    assert_eq!(figures(&model)?.0, figures(&scored)?.0);
    assert!(scored.predict_surely(examples.data(), 1)?[0][0].certainty.is_some());
    // A file of weights would be another model, and so would a start from them.
    assert!(scored.to_bytes().unwrap_err().to_string().contains("one column"));
    assert_eq!(
        scored.without_scorer::<Chain>().map(|plain| plain.to_bytes().ok()),
        Some(model.to_bytes().ok())
    );
    assert!(Trainer::new(Chain::default()).lambda(0.01).warm_start(scored).train(&examples).is_err());
    Ok(())
}

#[test]
fn wrong_scores_are_refused() -> Result<()> {
    let examples = chains()?;
    let model = Trainer::new(Chain::default()).lambda(0.01).train(&examples)?;
    for spoil in [(|parts| _ = parts.pop()) as fn(&mut Vec<f64>), |parts| parts[2] = f64::NAN] {
        let error = with(&model, spoil)?.predict(examples.data(), 1).unwrap_err().to_string();
        assert!(error.contains("where 14 finite ones should be"), "{error}");
    }
    let rows = maxmargin::tasks::RowExamples::new(FeatureMatrix::from_dense(&[[1.0], [2.0]]), vec![0, 1])?;
    let other = Trainer::new(Multiclass::default()).lambda(0.1).train(&Examples::from_numbers(rows)?)?;
    assert!(with(&other, |_| ()).is_err());
    Ok(())
}
