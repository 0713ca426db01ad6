//! Promise: trainer, model, metrics and checkpoints refuse what they cannot work with, and neither panic nor certify anything then.
//! (Data that is not for its task is tried in `tasks_refuse_other_data.rs`.)

use std::time::Duration;

use maxmargin::data::{Alphabet, Noise, Preprocessing, TaskData, sentence_pairs, topic_notes, word_images};
use maxmargin::metrics::Comparison;
use maxmargin::risk::Risk;
use maxmargin::solver::{Limits, RunState, SolverKind, resume};
use maxmargin::surrogate::Surrogate;
use maxmargin::tasks::Fitted;
use maxmargin::training::{CheckpointPlan, Regularizer, Settings};
use maxmargin::{
    Chain, CheckpointDir, Examples, Identity, Matching, Model, Multiclass, Multilabel, Result, Trainer,
};

/// The only place that knows how examples are made.
fn words(count: usize) -> Examples {
    let words = word_images(count, Noise::default(), 1);
    Examples::new(words.data, words.vocabulary)
}

fn trained() -> Vec<(Model, Examples)> {
    let quick = |trainer: Trainer| trainer.lambda(0.1).max_passes(2);
    let (notes, pairs) = (topic_notes(20, 1), sentence_pairs(20, 1));
    let letters = word_images(5, Noise::default(), 1);
    let letters = Examples::new(letters.data.into_rows().unwrap(), letters.vocabulary);
    let notes = Examples::new(notes.data, notes.vocabulary);
    let pairs = Examples::new(pairs.data, pairs.vocabulary);
    [
        (quick(Trainer::new(Multiclass::default())), letters),
        (quick(Trainer::new(Chain::default())), words(5)),
        (quick(Trainer::new(Multilabel::default())), notes),
        (quick(Trainer::new(Matching::default())), pairs),
    ]
    .into_iter()
    .map(|(trainer, examples)| (trainer.train(&examples).unwrap(), examples))
    .collect()
}

fn refused<T>(result: Result<T>, part: &str) {
    match result {
        Ok(_) => panic!("taken, where an error about {part:?} should be"),
        Err(error) => assert!(error.to_string().contains(part), "{error}, without {part:?}"),
    }
}

#[test]
fn trainers_refuse_settings_that_are_none() {
    let words = words(5);
    let train = |change: &dyn Fn(&mut Settings)| {
        let mut settings =
            Settings { regularizer: Regularizer::Lambda(0.1), max_passes: Some(2), ..Settings::default() };
        change(&mut settings);
        Trainer::of(Box::new(Chain::default()), settings).train(&words)
    };
    assert!(train(&|_| ()).is_ok());
    for number in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 5e-324] {
        for regularizer in
            [Regularizer::Lambda(number), Regularizer::CMean(number), Regularizer::CSum(number)]
        {
            refused(train(&|settings| settings.regularizer = regularizer), "lambda");
        }
        if number != 5e-324 && number != f64::INFINITY {
            refused(train(&|settings| settings.loss_step = Some(number)), "loss step");
        }
    }
    for gap in [f64::NAN, -1e-9] {
        refused(train(&|settings| settings.gap = gap), "gap");
    }
    refused(train(&|settings| settings.groups = 0), "groups");
    // Not one pass: no weights were found, and nothing is proven.
    let model = train(&|settings| settings.max_passes = Some(0)).unwrap();
    assert!(model.certificate().primal == f64::INFINITY && model.certificate().lower_bound <= 0.0);
    // Limits may be as far as numbers go.
    for limit in [Duration::ZERO, Duration::MAX] {
        assert!(train(&|settings| settings.time_limit = Some(limit)).is_ok());
    }
    let few = words.first(0).unwrap();
    refused(Trainer::new(Chain::default()).train(&few), "no examples");
    refused(words.subset(&[0, 9]), "example 9");
    // Surrogates and solvers that do not go together.
    let prob = |settings: &mut Settings| settings.surrogate = Surrogate::Prob;
    let bcfw = |settings: &mut Settings| {
        prob(settings);
        settings.solver = SolverKind::Bcfw;
    };
    refused(train(&bcfw), "convex");
    assert_eq!(train(&prob).unwrap().certificate().lower_bound, 0.0);
}

#[test]
fn comparisons_refuse_predictions_of_other_data() {
    let words = word_images(3, Noise::default(), 1);
    let names = &words.vocabulary.labels;
    let task = Fitted::new(Chain::default(), words.data.attributes(), names.len()).unwrap();
    let right: Vec<Vec<u32>> = (0..3).map(|i| words.data.labels_of(i).to_vec()).collect();
    let compare = |predicted: &[Vec<u32>], labels: &Alphabet, known, background| {
        task.metrics(Comparison { truth: &words.data, predicted, labels, known, background })
    };
    let all = names.len();
    assert_eq!(compare(&right, names, all, None).unwrap().figure("token_error"), Some(0.0));
    refused(compare(&right[1..], names, all, None), "2 predictions for 3 examples");
    refused(compare(&right, names, all + 1, None), "labels are known");
    refused(compare(&right, &Alphabet::default(), all, None), "labels are known");
    refused(compare(&right, names, all, Some(all as u32)), "beyond");
    let mut wrong = right.clone();
    wrong[1].pop();
    assert!(compare(&wrong, names, all, None).is_err(), "a label too few");
    wrong[1].push(all as u32);
    assert!(compare(&wrong, names, all, None).is_err(), "a label that is none");
}

#[test]
fn models_refuse_inputs_that_do_not_fit() {
    for (model, examples) in trained() {
        let name = model.task().name();
        refused(model.predict(examples.data(), 0), "k");
        // As many as there are, not as many as were asked for.
        for list in model.predict(examples.first(1).unwrap().data(), 1000).unwrap_or_default() {
            assert!(list.len() <= 1000, "{name}");
        }
        for rows in [vec![], vec![vec![]], vec![vec![f64::NAN]], vec![vec![1.0; 7], vec![2.0; 7]]] {
            assert!(model.predict_numbers(&rows).is_err() || name == "chain" && rows.is_empty(), "{name}");
        }
        let strange = [[("no such attribute", 1.0), ("", f64::MAX)], [("", -0.0), ("", 0.0)]];
        let _ = model.predict_one(&strange);
        assert!(model.predict_one(&[[("x", f64::NAN)]]).is_err(), "{name}");
        let other = Preprocessing { shift: Some(vec![0.0; 1]), ..Preprocessing::default() };
        refused(model.clone().with_preprocessing(other), "preprocessing");
        // Names that are too few, and a background that is no label, spoil the figures at most.
        for background in [None, Some(0), Some(u32::MAX)] {
            let data = examples.data();
            let _ = model.task().evaluate(model.weights(), data, &Alphabet::default(), background);
            assert!(model.task().evaluate(&[], data, &Alphabet::default(), background).is_err());
        }
    }
}

#[test]
fn checkpoints_of_other_runs_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let identity = |value: &str| -> Identity { vec![("run".to_owned(), value.to_owned())] };
    let trainer = Trainer::new(Chain::default()).lambda(0.1);
    let risk_of = |count| trainer.problem(&words(count)).unwrap().risk().unwrap();
    let (risk, other): (Box<dyn Risk>, Box<dyn Risk>) = (risk_of(3), risk_of(4));
    let directory = CheckpointDir::new(&folder.path().join("c")).unwrap();
    assert!(directory.load(&identity("a"), risk.as_ref()).is_err(), "nothing there yet");
    let settings = trainer.settings().solver_settings(0.1).unwrap();
    let mut solver = SolverKind::Bcfw.build(risk.as_ref(), &settings).unwrap();
    let mut state = RunState::new(risk.as_ref());
    let limits = Limits { gap: 0.0, max_passes: 2, time_limit: None };
    resume(solver.as_mut(), risk.as_ref(), limits, &mut state, |_, _| std::ops::ControlFlow::Continue(()))
        .unwrap();
    directory.save(&identity("a"), &state, solver.as_ref(), risk.as_ref()).unwrap();
    refused(directory.load(&identity("b"), risk.as_ref()), "another run");
    refused(directory.load(&vec![], risk.as_ref()), "another kind");
    assert!(directory.load(&identity("a"), risk.as_ref()).is_ok());
    // What was read belongs to the risk that it was read for.
    let (mut state, mut solver) = directory.load(&identity("a"), risk.as_ref()).unwrap();
    let go_on = |_: &RunState, _: &dyn maxmargin::solver::Solver| std::ops::ControlFlow::Continue(());
    assert!(resume(solver.as_mut(), other.as_ref(), limits, &mut state, go_on).is_err());
    // A file is no directory, and one that is in use is not shared.
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    refused(CheckpointDir::new(&file), "directory");
    let plan = CheckpointPlan { directory: folder.path().join("c"), every: Duration::ZERO, resume: true };
    assert!(trainer.checkpoint(plan).train(&words(3)).is_err());
}
