//! Promise: tuned thresholds make the metric better on data that nobody has seen, change neither weights nor certificate, and are kept
//! in the model.

use maxmargin::data::FeatureMatrix;
use maxmargin::tasks::multilabel::Pairs;
use maxmargin::tasks::{LabelSetExamples, RowExamples, Task};
use maxmargin::training::{HeldOut, ThresholdMetric};
use maxmargin::{Examples, Model, Multiclass, Multilabel, Trainer};

const LABELS: usize = 4;

/// A label is rare, and its feature is larger where it is there, but not by much: to predict it only where it is more likely than not
/// makes the fewest mistakes, and misses most of it.
fn rare(count: usize, mut seed: u64) -> Examples {
    let mut random = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as f64 / (1u64 << 31) as f64
    };
    let (mut rows, mut sets) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let set: Vec<u32> = (0..LABELS as u32).filter(|_| random() < 0.1).collect();
        let offset = |label: usize| if set.contains(&(label as u32)) { 0.8 } else { 0.0 };
        let row: Vec<f64> = (0..LABELS).map(|label| random() + random() + offset(label)).collect();
        sets.push(set);
        rows.push(row);
    }
    let data = LabelSetExamples::from_sets(FeatureMatrix::from_dense(&rows), &sets).unwrap();
    Examples::from_numbers(data).unwrap()
}

fn figure(model: &Model, test: &Examples, metric: ThresholdMetric) -> f64 {
    let held_out = HeldOut::from_training(test.data().first(usize::MAX).unwrap(), model.known()).unwrap();
    let evaluation = held_out.evaluate(model.task(), model.deciding_weights()).unwrap();
    evaluation.metrics.figure(metric.name()).unwrap()
}

#[test]
fn and_better_where_nobody_has_looked() {
    let (train, test) = (rare(3000, 1), rare(3000, 2));
    for (pairs, signed) in [(Pairs::None, false), (Multilabel::default().pairs, false), (Pairs::None, true)] {
        let task = Multilabel { pairs, signed, ..Multilabel::default() };
        let trainer = || Trainer::new(task.clone()).lambda(1e-4).gap(1e-2);
        let plain = trainer().train(&train).unwrap();
        for metric in [ThresholdMetric::MicroF1, ThresholdMetric::MacroF1] {
            let tuned = trainer().tune_threshold(metric).train(&train).unwrap();
            let (before, after) = (figure(&plain, &test, metric), figure(&tuned, &test, metric));
            assert!(after > before, "{metric:?}, signed {signed}: {before}, then {after}");
            assert_eq!((tuned.weights(), tuned.certificate()), (plain.weights(), plain.certificate()));
            let shifts = tuned.label_shifts().unwrap();
            assert!(shifts.iter().any(|shift| *shift > 0.0), "{shifts:?}");
            let is_common = shifts.iter().all(|shift| *shift == shifts[0]);
            assert_eq!(is_common, metric == ThresholdMetric::MicroF1, "{shifts:?}");

            // The model keeps them, and predicts with them: a label is in where its score is above 0 with its shift.
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("model");
            tuned.save(&path).unwrap();
            let again = Model::load(&path).unwrap();
            assert_eq!(again.label_shifts(), tuned.label_shifts());
            let predictions = again.predict(test.data(), 1).unwrap();
            assert_eq!(predictions, tuned.predict(test.data(), 1).unwrap());
            assert_ne!(predictions, plain.predict(test.data(), 1).unwrap());
            let says = |version: &str| {
                let bytes = std::fs::read(&path).unwrap();
                String::from_utf8_lossy(&bytes).contains(&format!("format_version\\\":{version}"))
            };
            assert!(says("4"), "older programs would predict without");
            plain.save(&path).unwrap();
            assert!(says("3"));
        }
    }
}

#[test]
fn only_where_there_are_any() {
    let refused = |task: &mut dyn FnMut() -> maxmargin::Result<Model>| {
        let message = task().unwrap_err().to_string();
        assert!(message.contains("tune-threshold"), "{message}");
    };
    let sets = rare(60, 1);
    let task = Multilabel { bias: false, ..Multilabel::default() };
    refused(&mut || Trainer::new(task.clone()).tune_threshold(ThresholdMetric::MicroF1).train(&sets));
    let rows = RowExamples::new(FeatureMatrix::from_dense(&[[1.0], [2.0], [3.0]]), vec![0, 1, 0]).unwrap();
    let rows = Examples::from_numbers(rows).unwrap();
    refused(&mut || {
        Trainer::new(Multiclass::default()).tune_threshold(ThresholdMetric::MacroF1).train(&rows)
    });
    let plain = Trainer::new(Multiclass::default()).lambda(1.0).train(&rows).unwrap();
    assert!(plain.with_label_shifts(vec![0.0; 2]).is_err());
    let model = || Trainer::new(Multilabel::default()).lambda(1.0).train(&sets).unwrap();
    assert!(model().with_label_shifts(vec![0.0; 3]).is_err());
    assert!(model().with_label_shifts(vec![f64::NAN; LABELS]).is_err());
    assert!(Multilabel::default().has_label_shifts());
}
