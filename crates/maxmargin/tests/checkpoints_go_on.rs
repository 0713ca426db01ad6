//! Promise: a run that goes on from a checkpoint ends with the same weights and bounds, to the last bit, as one that was
//! never broken off; and a checkpoint that is damaged or of another run is refused.

use std::fs;
use std::ops::ControlFlow;

use maxmargin::risk::Risk;
use maxmargin::solver::{Limits, Outcome, RunState, SolverKind, SolverSettings, resume};
use maxmargin::{CheckpointDir, Identity};
use proptest::prelude::*;

use crate::common;

use crate::common::polytope::relaxed;
use crate::common::problem::{cases, numbers, trainable, weights};
use crate::common::surrogate::Surrogated;

const LIMITS: Limits = Limits { gap: 1e-9, max_passes: 40, time_limit: None };

const SEARCHES: [(&str, &str); 10] = [
    ("slack", "hull"),
    ("slack", "hull-fractional"),
    ("slack", "angular"),
    ("slack", "bisecting"),
    ("slack", "sarawagi"),
    ("log", "hull"),
    ("log", "stratified"),
    ("prob", "hull"),
    ("prob-convex", "hull-fractional"),
    ("micro-f1", "hull"),
];

const FRACTIONAL: [(&str, Option<&str>); 7] = [
    ("margin", None),
    ("slack", Some("hull-fractional")),
    ("slack", Some("angular")),
    ("slack", Some("bisecting")),
    ("slack", Some("sarawagi")),
    ("log", None),
    ("micro-f1", None),
];

fn identity(name: &str) -> Identity {
    vec![("solver".to_owned(), name.to_owned()), ("data".to_owned(), "7".to_owned())]
}

/// Trains to the end and saves a checkpoint after some passes.
fn train(
    risk: &dyn Risk,
    kind: SolverKind,
    settings: &SolverSettings,
    save: Option<(usize, &CheckpointDir)>,
) -> Outcome {
    let mut solver = kind.build(risk, settings).unwrap();
    let mut state = RunState::new(risk);
    let stop = resume(solver.as_mut(), risk, LIMITS, &mut state, |state, solver| {
        if let Some((pass, directory)) = save
            && state.report().passes == pass
        {
            directory.save(&identity(kind.name()), state, solver, risk).unwrap();
        }
        ControlFlow::Continue(())
    })
    .unwrap();
    state.into_outcome(stop)
}

/// `new_risk` makes a risk that knows nothing: the run that goes on has only what is in the checkpoint.
fn check(
    new_risk: impl Fn() -> Box<dyn Risk>,
    settings: &SolverSettings,
    pass: usize,
) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().unwrap();
    for kind in SolverKind::ALL.into_iter().filter(|kind| kind.check(&*new_risk()).is_ok()) {
        let risk = new_risk();
        let directory = CheckpointDir::new(&folder.path().join(kind.name())).unwrap();
        let whole = train(&*risk, kind, settings, Some((pass, &directory)));
        if !directory.exists() {
            prop_assert!(whole.report.passes < pass, "{kind}: no checkpoint was written");
            continue;
        }
        let risk = new_risk();
        let (mut state, mut solver) = directory.load(&identity(kind.name()), &*risk).unwrap();
        prop_assert_eq!(state.report().passes, pass);
        let stop =
            resume(solver.as_mut(), &*risk, LIMITS, &mut state, |_, _| ControlFlow::Continue(())).unwrap();
        let resumed = state.into_outcome(stop);
        prop_assert_eq!(resumed.stop, whole.stop, "{}", kind);
        prop_assert_eq!(resumed.report.passes, whole.report.passes, "{}", kind);
        prop_assert_eq!(resumed.report.oracle_calls, whole.report.oracle_calls, "{}", kind);
        prop_assert_eq!(resumed.report.queries, whole.report.queries, "{}", kind);
        let (a, b) = (resumed.report.certificate, whole.report.certificate);
        prop_assert_eq!(
            common::bits(&[a.primal, a.lower_bound, a.oracle_gap]),
            common::bits(&[b.primal, b.lower_bound, b.oracle_gap])
        );
        prop_assert!(common::bits(&resumed.weights) == common::bits(&whole.weights), "{kind}: other weights");
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(30))]

    #[test]
    fn to_the_same_end(
        problem in trainable(true),
        lambda in prop::sample::select(vec![1.0, 0.1, 0.01]),
        groups in 1usize..=4,
        seed in 0u64..1000,
        pass in 1usize..30,
        start in prop::option::of(numbers()),
    ) {
        let start = start.map(|numbers| weights(&problem, &numbers));
        let settings = SolverSettings { groups, seed, start, ..SolverSettings::new(lambda).unwrap() };
        check(|| problem.risk(), &settings, pass)?;
    }

    /// Searches that remember labels find others, or the same ones by other queries, when they have forgotten.
    #[test]
    fn with_searches_that_remember(
        problem in trainable(true),
        (surrogate, strategy) in prop::sample::select(SEARCHES.to_vec()),
        lambda in prop::sample::select(vec![1.0, 0.1, 0.01]),
        seed in 0u64..1000,
        pass in 1usize..20,
    ) {
        let strategy = Some(strategy.parse().unwrap());
        let surrogated = Surrogated::new(&problem, surrogate.parse().unwrap(), strategy);
        prop_assume!(surrogated.applies());
        let settings = SolverSettings { seed, ..SolverSettings::new(lambda).unwrap() };
        check(|| surrogated.risk(), &settings, pass)?;
    }
}

proptest! {
    #![proptest_config(cases(20))]

    /// Fractional labels are remembered by searches, and in the planes of solvers.
    #[test]
    fn with_fractional_labels(
        problem in relaxed(3..=5, 6),
        (surrogate, strategy) in prop::sample::select(FRACTIONAL.to_vec()),
        lambda in prop::sample::select(vec![1.0, 0.1, 0.01]),
        seed in 0u64..1000,
        pass in 1usize..20,
    ) {
        let strategy = strategy.map(|name| name.parse().unwrap());
        let surrogated = Surrogated::new(&problem, surrogate.parse().unwrap(), strategy);
        let settings = SolverSettings { seed, ..SolverSettings::new(lambda).unwrap() };
        check(|| surrogated.risk(), &settings, pass)?;
    }
}

#[test]
fn nothing_but_the_whole_checkpoint_of_this_run_is_taken() {
    let words = maxmargin::data::word_images(5, maxmargin::data::Noise::default(), 1);
    let task = maxmargin::tasks::Fitted::new(maxmargin::Chain::default(), 128, 26).unwrap();
    let risk = task.risk(&words.data).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let directory = CheckpointDir::new(folder.path()).unwrap();
    train(&*risk, SolverKind::Bcfw, &SolverSettings::new(1.0).unwrap(), Some((2, &directory)));
    let right = identity("bcfw");
    assert!(directory.load(&right, &*risk).is_ok());

    let refusal = |identity: &Identity| {
        directory.load(identity, &*risk).err().map(|e| e.to_string()).unwrap_or_default()
    };
    let mut other = right.clone();
    other[1].1 = "8".to_owned();
    let message = refusal(&other);
    assert!(message.contains("data is 7") && message.contains("data is 8"), "{message}");

    let whole = fs::read(directory.file()).unwrap();
    for end in [0, 1, 20, 40, whole.len() / 2, whole.len() - 1] {
        fs::write(directory.file(), &whole[..end]).unwrap();
        assert!(refusal(&right).contains("start again"), "cut at {end}");
    }
    for place in (0..whole.len()).step_by(whole.len() / 200 + 1) {
        let mut damaged = whole.clone();
        damaged[place] ^= 0x10;
        fs::write(directory.file(), &damaged).unwrap();
        assert!(!refusal(&right).is_empty(), "byte {place} changed, and nobody noticed");
    }
}
