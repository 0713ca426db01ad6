//! Promise: a run that starts from a model ends at the same optimum, sooner; and weights go by the names of labels and attributes.

use std::ops::ControlFlow;

use maxmargin::data::{Alphabet, Attributes, ExampleRows, FeatureMatrix, Vocabulary};
use maxmargin::solver::{Halt, SolverKind};
use maxmargin::tasks::chain::word_images::{Noise, word_images};
use maxmargin::tasks::{RowExamples, SequenceExamples};
use maxmargin::training::Trained;
use maxmargin::{Chain, Examples, Model, Multiclass, Trainer};

const LAMBDA: f64 = 0.02;

fn words(count: usize) -> Examples {
    let words = word_images(count, Noise::default(), 1);
    Examples::new(words.data, words.vocabulary)
}

fn trainer(kind: SolverKind, gap: f64) -> Trainer {
    Trainer::new(Chain::default()).lambda(LAMBDA).solver(kind).gap(gap).max_passes(3000)
}

fn run(trainer: &Trainer, examples: &Examples) -> Trained {
    trainer.prepare(examples).unwrap().run(&Halt::default(), |_| ControlFlow::Continue(())).unwrap()
}

#[test]
fn every_solver_ends_at_the_same_optimum_and_block_ascent_is_ahead() {
    let (all, most) = (words(40), words(40).first(36).unwrap());
    let old = trainer(SolverKind::Bcfw, 1e-3).train(&most).unwrap();
    let best = run(&trainer(SolverKind::Bcfw, 1e-7), &all).report.certificate;
    for kind in SolverKind::solvers().filter(|kind| kind.starts_anywhere()) {
        let gap = if matches!(kind, SolverKind::Sgd | SolverKind::Extragradient) { 0.1 } else { 1e-3 };
        let warm = run(&trainer(kind, gap).warm_start(old.clone()), &all).report;
        let certificate = warm.certificate;
        assert!(certificate.gap().0 <= gap, "{kind}: {certificate:?}");
        assert!(certificate.lower_bound <= best.primal && best.lower_bound <= certificate.primal, "{kind}");
    }
    for kind in [SolverKind::Bcfw, SolverKind::NSlack, SolverKind::Sdca] {
        let after_some = |trainer: Trainer| run(&trainer.max_passes(8), &all).report.certificate.gap().0;
        let (cold, warm) =
            (after_some(trainer(kind, 1e-6)), after_some(trainer(kind, 1e-6).warm_start(old.clone())));
        assert!(warm < cold, "{kind}: a gap of {warm} after eight passes, and {cold} from 0");
    }
}

#[test]
fn a_warm_run_is_the_same_for_any_number_of_threads() {
    let (all, old) = (words(30), trainer(SolverKind::Auto, 1e-2).train(&words(25)).unwrap());
    let on_threads = |threads, kind| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| trainer(kind, 1e-4).warm_start(old.clone()).train(&all).unwrap())
    };
    for kind in [SolverKind::Auto, SolverKind::Bcfw, SolverKind::NSlack] {
        let (one, three) = (on_threads(1, kind), on_threads(3, kind));
        assert!(one.weights() == three.weights() && one.certificate() == three.certificate(), "{kind}");
    }
}

fn names(labels: &[&str], attributes: &[&str]) -> Vocabulary {
    let attributes = Attributes::Named(attributes.iter().copied().collect());
    Vocabulary { labels: labels.iter().copied().collect(), attributes }
}

/// The weights after a first pass of block ascent, which are those that it started from.
fn started(trainer: Trainer, examples: &Examples, from: &Model) -> Model {
    let trainer = trainer.lambda(0.1).solver(SolverKind::Bcfw).gap(0.0).max_passes(1);
    trainer.warm_start(from.clone()).train(examples).unwrap()
}

/// The weight of an attribute (or the constant feature) and a label, by their names.
fn unary(model: &Model, attribute: Option<&str>, label: &str) -> f64 {
    let names = model.names();
    let row = match (&names.attributes, attribute) {
        (Attributes::Named(known), Some(attribute)) => known.get(attribute).map(|row| row as usize),
        (attributes, _) => Some(attributes.len()),
    };
    // The model leaves out attributes whose weights are all 0.
    row.map_or(0.0, |row| model.weights()[row * names.labels.len() + label_of(&names.labels, label)])
}

fn label_of(labels: &Alphabet, label: &str) -> usize {
    labels.get(label).unwrap() as usize
}

#[test]
fn weights_go_by_the_names_of_labels_and_attributes() {
    let old =
        RowExamples::new(FeatureMatrix::from_dense(&[[1.0, 0.0], [0.0, 1.0], [1.0, 0.2]]), vec![0, 1, 0]);
    let old = Examples::new(old.unwrap(), names(&["cat", "dog"], &["purrs", "barks"]));
    let model = Trainer::new(Multiclass::default()).lambda(0.1).gap(1e-6).train(&old).unwrap();
    // A label and an attribute more, in another order.
    let rows = FeatureMatrix::from_dense(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    let new = RowExamples::new(rows, vec![0, 1, 2]).unwrap();
    let new = Examples::new(new, names(&["fish", "dog", "cat"], &["swims", "barks", "purrs"]));
    let found = started(Trainer::new(Multiclass::default()), &new, &model);
    for attribute in [Some("purrs"), Some("barks"), None] {
        for label in ["cat", "dog"] {
            let (then, now) = (unary(&model, attribute, label), unary(&found, attribute, label));
            assert!(then == now && then != 0.0, "{attribute:?} {label}: {then} became {now}");
        }
        assert_eq!(unary(&found, attribute, "fish"), 0.0);
    }
    assert_eq!(unary(&found, Some("swims"), "cat"), 0.0);

    let strangers = |labels: &[&str], attributes: &[&str]| {
        let data = RowExamples::new(FeatureMatrix::from_dense(&[[1.0], [0.5]]), vec![0, 1]).unwrap();
        let examples = Examples::new(data, names(labels, attributes));
        let trainer = Trainer::new(Multiclass::default()).lambda(0.1).warm_start(model.clone());
        trainer.train(&examples).unwrap_err().to_string()
    };
    assert!(strangers(&["x", "y"], &["barks"]).contains("none of the labels"));
    assert!(strangers(&["cat", "dog"], &["swims"]).contains("none of the attributes"));
}

#[test]
fn transitions_go_by_names_too() {
    let chain = |labels: Vec<u32>, names: Vocabulary| {
        let rows: Vec<[f64; 1]> = labels.iter().map(|_| [1.0]).collect();
        let starts = vec![0, labels.len() / 2, labels.len()];
        let rows = ExampleRows::grouped(FeatureMatrix::from_dense(&rows), starts).unwrap();
        let data = SequenceExamples::new(rows, labels).unwrap();
        Examples::new(data, names)
    };
    let old = chain(vec![0, 1, 0, 1], names(&["a", "b"], &["one"]));
    let model = Trainer::new(Chain::default()).lambda(0.1).gap(1e-6).train(&old).unwrap();
    let new = chain(vec![2, 0, 1, 0], names(&["b", "c", "a"], &["one"]));
    let found = started(Trainer::new(Chain::default()), &new, &model);
    let weight = |model: &Model, block: &str, of: &[&str]| {
        let block = model.blocks().into_iter().find(|other| other.name == block).unwrap();
        let labels = &model.names().labels;
        let place = of.iter().fold(0, |place, label| place * labels.len() + label_of(labels, label));
        model.weights()[block.start + place]
    };
    assert_ne!(weight(&model, "transition", &["a", "b"]), 0.0);
    for (block, of) in
        [("transition", &["a", "b"][..]), ("transition", &["b", "a"]), ("first", &["a"]), ("last", &["b"])]
    {
        assert_eq!(weight(&model, block, of), weight(&found, block, of), "{block} {of:?}");
    }
    assert_eq!(weight(&found, "transition", &["a", "c"]), 0.0);
}
