//! Promise: `alpha=auto` takes the rule, and with it the λ, that predicts held-out examples best, and then trains as if both had been named.

use std::ops::ControlFlow;
use std::time::Duration;

use maxmargin::solver::Halt;
use maxmargin::tasks::hierarchy::{AlphaChoice, Halves, HierarchyOptions, LossChoice, Norm};
use maxmargin::tasks::{Hierarchy, NodeTask};
use maxmargin::training::{CheckpointPlan, LambdaChoice, Training};
use maxmargin::{Examples, Model, Trainer};

const RULES: [&str; 6] = ["rho=2", "maxmin", "rho=2,directed", "rho=1.5", "hsvm", "flat"];

/// A tree that grows in one direction: where nothing is shared, most leaves have too few examples.
fn examples() -> Examples {
    let (data, names) = Halves { dimension: 20, depth: 5, copies: 1, seed: 1 }.points(150, 2).unwrap();
    Examples::new(data, names)
}

fn options(alpha: &str) -> HierarchyOptions {
    HierarchyOptions { norm: Norm::Nhsvm, alpha: alpha.parse().unwrap(), ..HierarchyOptions::default() }
}

fn auto() -> Trainer {
    Trainer::new(Hierarchy::from(options("auto"))).cross_validation(3)
}

fn finish(training: Training) -> Model {
    training.run(&Halt::default(), |_| ControlFlow::Continue(())).unwrap().model
}

/// The options under which a rule is trained by its name.
fn named(rule: &str) -> HierarchyOptions {
    match rule {
        "hsvm" => HierarchyOptions { norm: Norm::Hsvm, ..HierarchyOptions::default() },
        "flat" => HierarchyOptions { norm: Norm::Flat, ..HierarchyOptions::default() },
        rule => options(rule),
    }
}

fn best_of(choice: &LambdaChoice, variant: usize) -> f64 {
    let own = choice.tried.iter().filter(|tried| tried.variant == variant);
    own.map(|tried| tried.value).fold(f64::INFINITY, f64::min)
}

#[test]
fn the_model_is_that_of_the_rule_and_the_lambda_that_were_chosen() {
    let examples = examples();
    let training = auto().prepare(&examples).unwrap();
    let choice = training.lambda_choice().unwrap().clone();
    assert_eq!(choice.variants, RULES);
    assert_eq!((choice.figure, choice.folds), ("error", 3));
    // Each rule has λ on both sides of its best, or as far as it went; the one that was chosen is as good as any.
    let value = |variant, lambda| {
        let is_it =
            |tried: &&maxmargin::training::TriedLambda| tried.variant == variant && tried.lambda == lambda;
        choice.tried.iter().find(is_it).unwrap().value
    };
    let chosen = value(choice.variant, choice.lambda);
    for (variant, rule) in RULES.iter().enumerate() {
        let count = choice.tried.iter().filter(|tried| tried.variant == variant).count();
        assert!(count >= 3, "{count} values of {rule}");
        // The λ of a rule is the largest of those that are as good as its best.
        let best = best_of(&choice, variant);
        assert!(chosen <= best + 0.25 * (best / 150.0).sqrt(), "{chosen} and {best} of {rule}");
    }
    // The first rule has a whole ladder, the others fewer values.
    let of_first = choice.tried.iter().filter(|tried| tried.variant == 0).count();
    assert!(choice.tried.len() < RULES.len() * of_first, "{} and {of_first}", choice.tried.len());
    let model = finish(training);
    let alone = Trainer::new(Hierarchy::from(named(RULES[choice.variant]))).lambda(choice.lambda);
    let alone = alone.train(&examples).unwrap();
    assert_eq!(model.weights(), alone.weights());
    assert_eq!(model.certificate(), alone.certificate());
    // What is saved says which rule it was.
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
    model.save(&one).unwrap();
    alone.save(&other).unwrap();
    assert!(std::fs::read(one).unwrap() == std::fs::read(other).unwrap(), "the models differ");
}

#[test]
fn a_lambda_that_is_named_leaves_the_rule_open() {
    let examples = examples();
    let training = Trainer::new(Hierarchy::from(options("auto"))).lambda(0.01).prepare(&examples).unwrap();
    let choice = training.lambda_choice().unwrap().clone();
    assert!(choice.tried.len() == RULES.len() && choice.tried.iter().all(|tried| tried.lambda == 0.01));
    assert_eq!(finish(training).description().lambda, 0.01);
    // A loss that flat labels do not have leaves the others.
    let normalized = HierarchyOptions { loss: LossChoice::Normalized, ..options("auto") };
    let training = Trainer::new(NodeTask::from(normalized)).lambda(0.01).prepare(&examples).unwrap();
    assert_eq!(training.lambda_choice().unwrap().variants, RULES[..5]);
}

#[test]
fn a_run_that_goes_on_keeps_its_rule() {
    let (examples, folder) = (examples(), tempfile::tempdir().unwrap());
    let plan = |resume| CheckpointPlan { directory: folder.path().into(), every: Duration::ZERO, resume };
    let trainer = |resume| auto().gap(1e-6).checkpoint(plan(resume));
    let part = trainer(false).max_passes(3).prepare(&examples).unwrap();
    let choice = part.lambda_choice().unwrap().clone();
    finish(part);
    let training = trainer(true).prepare(&examples).unwrap();
    assert!(training.lambda_choice().is_none() && training.report().passes == 3);
    let resumed = finish(training);
    let whole = Trainer::new(Hierarchy::from(named(&choice.variants[choice.variant])));
    let whole = whole.lambda(choice.lambda).gap(1e-6).train(&examples).unwrap();
    assert_eq!(resumed.weights(), whole.weights());
}

#[test]
fn nothing_is_learnt_while_the_rule_is_open() {
    let examples = examples();
    let trainer = auto();
    let problem = trainer.problem(&examples).unwrap();
    let error = trainer.path(&problem).err().unwrap().to_string();
    assert!(error.contains("alpha") && error.contains("name a rule"), "{error}");
    let shared = HierarchyOptions { norm: Norm::Ssvm, ..options("auto") };
    let error = Trainer::new(Hierarchy::from(shared)).train(&examples).unwrap_err().to_string();
    assert!(error.contains("alpha") && error.contains("ssvm"), "{error}");
    assert_eq!(options("auto").alpha, AlphaChoice::Auto);
}

/// Under the shared norm the loss (6.9) has α of its own, by the rule that is named.
#[test]
fn the_normalised_margin_goes_with_the_shared_norm() {
    let examples = examples();
    let shared = |loss, alpha| HierarchyOptions { norm: Norm::Ssvm, loss, ..options(alpha) };
    let train = |options: HierarchyOptions| {
        Trainer::new(Hierarchy::from(options)).lambda(0.01).gap(1e-4).train(&examples).unwrap()
    };
    let normalized = train(shared(LossChoice::Normalized, "rho=2"));
    assert!(normalized.certificate().gap().0 <= 1e-4);
    let other = train(shared(LossChoice::Normalized, "maxmin"));
    let plain = train(shared(LossChoice::ZeroOne, "rho=2"));
    // No loss of (6.9) is above √2, and with α by another rule it is another problem.
    assert!(normalized.weights() != other.weights() && normalized.weights() != plain.weights());
    assert!(normalized.certificate().primal <= 2f64.sqrt());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    other.save(&path).unwrap();
    let loaded = Model::load(&path).unwrap();
    assert_eq!(loaded.weights(), other.weights());
    let facts = loaded.task().facts();
    assert_eq!((&facts["norm"], &facts["alpha_rule"]), (&"ssvm".into(), &"maxmin".into()));
    loaded.save(folder.path().join("again")).unwrap();
    let [first, again] = ["model", "again"].map(|name| std::fs::read(folder.path().join(name)).unwrap());
    assert!(first == again, "the models differ");
}
