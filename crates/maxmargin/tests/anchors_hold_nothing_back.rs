//! Promise: where an anchor holds the weights along directions that all examples share, solvers reach the same optimum as
//! those that know nothing of it, with bounds that hold after every pass, and go on from checkpoints bit by bit.

use std::ops::ControlFlow;

use maxmargin::data::FeatureMatrix;
use maxmargin::risk::Risk;
use maxmargin::solver::{Limits, RunState, SolverKind, SolverSettings, Stop, resume, run};
use maxmargin::structure::{Inference, PairWeights};
use maxmargin::tasks::{Fitted, LabelSetExamples, Multilabel};
use maxmargin::{CheckpointDir, Identity};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

const LABELS: usize = 26;

/// Examples with few labels each, which depend on their features.
fn risk(seed: u64) -> Box<dyn Risk> {
    let random = &mut Pcg64Mcg::seed_from_u64(seed);
    let (examples, features) = (25, 6);
    let rows: Vec<[f64; 6]> =
        (0..examples).map(|_| std::array::from_fn(|_| random.random_range(-1.0..1.0))).collect();
    let (mut labels, mut starts) = (Vec::new(), vec![0]);
    for row in &rows {
        let is_on = |l: &u32| row[*l as usize % features] + random.random_range(-0.3..0.3) > 0.75;
        labels.extend((0..LABELS as u32).filter(is_on));
        starts.push(labels.len());
    }
    let data = LabelSetExamples::new(FeatureMatrix::from_dense(&rows), starts, labels).unwrap();
    let (inference, pair_weights) = (Some(Inference::Relaxed), PairWeights::Four);
    let task = Multilabel { inference, pair_weights, ..Multilabel::default() };
    Fitted::new(task, features, LABELS).unwrap().risk(&data).unwrap()
}

#[test]
fn all_solvers_reach_one_optimum() {
    for (seed, lambda) in [(1, 1.0), (2, 0.1), (3, 0.03)] {
        let risk = risk(seed);
        assert!(risk.common_directions().is_some(), "there is an anchor");
        let limits = Limits { gap: 1e-4, max_passes: 3000, time_limit: None };
        let settings = SolverSettings::new(lambda).unwrap();
        let mut bounds = (0.0_f64, f64::INFINITY);
        let mut ends = Vec::new();
        for kind in [SolverKind::ProxBmrm, SolverKind::Bcfw, SolverKind::NSlack] {
            let mut solver = kind.build(risk.as_ref(), &settings).unwrap();
            let outcome = run(solver.as_mut(), risk.as_ref(), limits, |report| {
                bounds =
                    (bounds.0.max(report.certificate.lower_bound), bounds.1.min(report.certificate.primal));
                ControlFlow::Continue(())
            })
            .unwrap();
            assert_eq!(outcome.stop, Stop::GapReached, "{kind}, λ {lambda}: {:?}", outcome.report);
            ends.push((kind, outcome.report.certificate));
        }
        assert!(bounds.0 <= bounds.1 * (1.0 + 1e-12), "λ {lambda}: {bounds:?} of {ends:?}");
    }
}

#[test]
fn a_broken_run_goes_on_bit_by_bit() {
    let settings = SolverSettings::new(0.1).unwrap();
    for kind in [SolverKind::Bcfw, SolverKind::NSlack] {
        let limits = |max_passes| Limits { gap: 0.0, max_passes, time_limit: None };
        let whole_risk = risk(4);
        let mut whole = kind.build(whole_risk.as_ref(), &settings).unwrap();
        let expected =
            run(whole.as_mut(), whole_risk.as_ref(), limits(6), |_| ControlFlow::Continue(())).unwrap();

        let folder = tempfile::tempdir().unwrap();
        let directory = CheckpointDir::new(folder.path()).unwrap();
        let first_risk = risk(4);
        let mut first = kind.build(first_risk.as_ref(), &settings).unwrap();
        let mut state = RunState::new(first_risk.as_ref());
        let go_on = |_: &RunState, _: &dyn maxmargin::solver::Solver| ControlFlow::Continue(());
        resume(first.as_mut(), first_risk.as_ref(), limits(3), &mut state, go_on).unwrap();
        directory.save(&Identity::default(), &state, first.as_ref(), first_risk.as_ref()).unwrap();
        let second_risk = risk(4);
        let (mut state, mut second) = directory.load(&Identity::default(), second_risk.as_ref()).unwrap();
        let stop = resume(second.as_mut(), second_risk.as_ref(), limits(6), &mut state, go_on).unwrap();
        assert_eq!(state.into_outcome(stop).weights, expected.weights, "{kind}");
    }
}
