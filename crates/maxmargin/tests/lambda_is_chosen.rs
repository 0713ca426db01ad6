//! Promise: a trainer without λ chooses one on examples that are held out, the same for any number of threads, and then trains on
//! all examples as if that λ had been named.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use maxmargin::data::{FeatureMatrix, plate_images};
use maxmargin::solver::Halt;
use maxmargin::surrogate::Surrogate;
use maxmargin::tasks::chain::word_images::{Noise, word_images};
use maxmargin::tasks::matching::sentence_pairs::sentence_pairs;
use maxmargin::tasks::multilabel::topics::topic_notes;
use maxmargin::tasks::{RowExamples, Segmentation, Task};
use maxmargin::training::{Background, CheckpointPlan, ChoiceEvent, LambdaChoice, Settings, Training};
use maxmargin::{Chain, Examples, Matching, Model, Multiclass, Multilabel, Trainer};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

fn words(count: usize) -> Examples {
    let words = word_images(count, Noise::default(), 1);
    Examples::new(words.data, words.vocabulary)
}

/// Two classes with noise in features and labels: too little λ fits the noise.
fn noisy_rows(count: usize, scale: f64) -> Examples {
    let mut random = Pcg64Mcg::seed_from_u64(3);
    let row = |_| -> (Vec<f64>, u32) {
        let class = random.random_range(0..2u32);
        let signal = 2.0 * f64::from(class) - 1.0;
        let row =
            (0..30).map(|j| scale * (random.random_range(-2.0..2.0) + if j < 3 { signal } else { 0.0 }));
        let row = row.collect();
        (row, if random.random_bool(0.1) { 1 - class } else { class })
    };
    let (rows, labels): (Vec<Vec<f64>>, Vec<u32>) = (0..count).map(row).unzip();
    Examples::from_numbers(RowExamples::new(FeatureMatrix::from_dense(&rows), labels).unwrap()).unwrap()
}

fn choice(trainer: &Trainer, examples: &Examples) -> LambdaChoice {
    trainer.prepare(examples).unwrap().lambda_choice().unwrap().clone()
}

fn finish(training: Training) -> Model {
    training.run(&Halt::default(), |_| ControlFlow::Continue(())).unwrap().model
}

fn without_bias() -> Trainer {
    Trainer::new(Multiclass { bias: false, ..Multiclass::default() })
}

#[test]
fn the_model_is_that_of_the_chosen_lambda_for_any_number_of_threads() {
    let examples = words(60);
    let on_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Trainer::new(Chain::default()).train(&examples).unwrap())
    };
    let (one, three) = (on_threads(1), on_threads(3));
    assert_eq!(one.weights(), three.weights());
    let lambda = one.description().lambda;
    let named = Trainer::new(Chain::default()).lambda(lambda).train(&examples).unwrap();
    assert_eq!(named.weights(), one.weights());
    assert_eq!(named.certificate(), one.certificate());
    assert!(one.certificate().gap().0 <= 1e-2 && one.description().examples == 60);
}

#[test]
fn the_best_figure_decides_and_both_sides_were_tried() {
    let examples = noisy_rows(1200, 1.0);
    let found = choice(&without_bias(), &examples);
    assert_eq!((found.figure, found.folds, found.validated_on), ("error", 1, 240));
    let value = |lambda: f64| found.tried.iter().find(|tried| tried.lambda == lambda).unwrap().value;
    let least = found.tried.iter().map(|tried| tried.value).fold(f64::INFINITY, f64::min);
    // What counts as equal is a quarter of the standard error of the best one.
    assert!(value(found.lambda) <= least + 0.25 * (least / 240.0).sqrt(), "{found:?}");
    assert!(found.tried.iter().any(|tried| tried.lambda < found.lambda), "{found:?}");
    assert!(found.tried.iter().all(|tried| tried.gap <= 0.1), "{found:?}");
    let other_seed = choice(&without_bias().seed(1), &examples);
    let values = |choice: &LambdaChoice| choice.tried.iter().map(|tried| tried.value).collect::<Vec<_>>();
    assert_ne!(values(&found), values(&other_seed));
}

#[test]
fn the_scale_of_features_changes_nothing_but_lambda() {
    let (plain, scaled) = (noisy_rows(400, 1.0), noisy_rows(400, 1024.0));
    let (plain, scaled) = (choice(&without_bias(), &plain), choice(&without_bias(), &scaled));
    assert_eq!(plain.tried.len(), scaled.tried.len());
    let factor = scaled.lambda / plain.lambda;
    assert!((factor / 1024f64.powi(2) - 1.0).abs() < 1e-9, "{factor}");
}

#[test]
fn every_task_has_a_figure_that_decides() {
    let (notes, pairs) = (topic_notes(40, 1), sentence_pairs(30, 1));
    let notes = Examples::new(notes.data, notes.vocabulary);
    let pairs = Examples::new(pairs.data, pairs.vocabulary);
    let few = words(10);
    let background = Background::Named(few.names().labels.name(0).to_owned());
    let settings = Settings { surrogate: Surrogate::MicroF1, background, ..Settings::default() };
    let for_micro_f1 = Trainer::of(Box::new(Chain::default()), settings);
    for (trainer, examples, figure) in [
        (Trainer::new(Chain::default()), &words(20), "token_error"),
        (Trainer::new(Multilabel::default()), &notes, "micro_f1"),
        (Trainer::new(Matching::default()), &pairs, "aer"),
        (Trainer::new(Multiclass::default()), &noisy_rows(50, 1.0), "error"),
        (for_micro_f1, &few, "micro_f1"),
    ] {
        let found = choice(&trainer.max_passes(5), examples);
        assert_eq!(found.figure, figure);
        assert!(found.folds > 1 && found.validated_on == examples.len(), "{found:?}");
        assert!(found.tried.iter().all(|tried| tried.value.is_finite() && tried.mean_loss.is_finite()));
    }
}

#[test]
fn folds_may_be_asked_for() {
    let examples = noisy_rows(60, 1.0);
    let found = choice(&without_bias().cross_validation(3), &examples);
    assert_eq!((found.folds, found.validated_on), (3, 60));
    for folds in [0, 1, 61] {
        let error = without_bias().cross_validation(folds).train(&examples).unwrap_err().to_string();
        assert!(error.contains("cv") && error.contains("60 examples"), "{error}");
    }
    let error = without_bias().train(&examples.first(1).unwrap()).unwrap_err().to_string();
    assert!(error.contains("lambda") && error.contains("name it"), "{error}");
}

#[test]
fn a_limit_or_a_break_ends_the_choice_early_with_a_model() {
    let examples = words(60);
    let trainer = Trainer::new(Chain::default()).time_limit(Duration::from_millis(1));
    let training = trainer.prepare(&examples).unwrap();
    let found = training.lambda_choice().unwrap().clone();
    assert!(found.is_cut_short && found.tried.len() == 1, "{found:?}");
    assert_eq!(finish(training).description().lambda, found.lambda);

    let trainer = Trainer::new(Chain::default());
    let asked = Halt::when(Arc::new(AtomicBool::new(true)));
    let mut tried = 0;
    let training = trainer
        .prepare_watched(trainer.problem(&examples).unwrap(), &asked, |event| {
            tried += usize::from(matches!(event, ChoiceEvent::Tried(..)));
        })
        .unwrap();
    assert!(tried == 1 && training.lambda_choice().unwrap().is_cut_short);
}

#[test]
fn a_run_that_goes_on_keeps_its_lambda() {
    let (examples, folder) = (words(30), tempfile::tempdir().unwrap());
    let plan = |resume| CheckpointPlan { directory: folder.path().into(), every: Duration::ZERO, resume };
    let trainer = |resume| Trainer::new(Chain::default()).gap(1e-6).checkpoint(plan(resume));
    // Limits hold for the runs of the choice as well.
    let chosen = finish(trainer(false).max_passes(3).prepare(&examples).unwrap()).description().lambda;
    let whole = Trainer::new(Chain::default()).gap(1e-6).lambda(chosen).train(&examples).unwrap();
    // Refused before anything is chosen.
    let watched = trainer(false);
    let refused =
        watched.prepare_watched(watched.problem(&examples).unwrap(), &Halt::default(), |_| panic!("work"));
    assert!(refused.err().unwrap().to_string().contains("earlier run"));
    let training = trainer(true).prepare(&examples).unwrap();
    assert!(training.lambda_choice().is_none() && training.report().passes == 3);
    let resumed = finish(training);
    assert_eq!(resumed.description().lambda, chosen);
    assert_eq!(resumed.weights(), whole.weights());
}

/// Segmentations are judged by what their loss counts: segments, or positions (templates of images too).
#[test]
fn segmentations_have_a_figure_each() {
    let plates = plate_images(8, 5);
    let examples = Examples::new(plates.data, plates.vocabulary);
    for (loss, widths, figure) in [
        ("segments", false, "segment_f1"),
        ("positions", false, "position_error"),
        ("positions", true, "position_error"),
    ] {
        let mut task = Segmentation::default();
        task.set("loss", &[loss.to_owned()]).unwrap();
        if widths {
            task.set("fixed-widths", &[]).unwrap();
        }
        let training = Trainer::new(task).max_passes(2).prepare(&examples).unwrap();
        let choice = training.lambda_choice().unwrap();
        assert_eq!(choice.figure, figure, "{loss}");
        let best = choice.tried.iter().find(|tried| tried.lambda == choice.lambda).unwrap();
        let is_better = |tried: &maxmargin::training::TriedLambda| match figure {
            "segment_f1" => tried.value > best.value,
            _ => tried.value < best.value,
        };
        assert!(choice.tried.len() > 2 && !choice.tried.iter().any(is_better), "{loss}: {choice:?}");
    }
}
