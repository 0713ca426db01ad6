//! Promise: after every pass of every solver `lower_bound ≤ F* ≤ primal`, also when the search is not exact: then the
//! bracket stays true, and `oracle_gap` says how much of it the search has to answer for.

use maxmargin::risk::{Risk, StructuredRisk};
use maxmargin::search::{Memory, Scene, Search, Violation};
use maxmargin::solver::{Certificate, SolverKind, SolverSettings};
use maxmargin::structure::{Example, Found, KBest, LabelSet, Mix, Structure};
use proptest::prelude::*;

use crate::common;

use crate::common::problem::{Problem, TaskKind, cases, links, trainable};
use crate::common::reference::{Bracket, optimum};

/// The solvers that can train it.
fn solvers(risk: &dyn Risk) -> impl Iterator<Item = SolverKind> {
    SolverKind::solvers().filter(|kind| kind.check(risk).is_ok())
}

/// A relative gap at which a run would have ended long ago.
const FINISHED: f64 = 1e-8;

/// A search that returns the label of some rank instead of the best one, and an upper bound with room to spare.
#[derive(Debug, Clone, Copy)]
struct Lazy {
    rank: usize,
    room: f64,
}

impl<S: Structure + KBest<S>> Search<S> for Lazy {
    type Workspace = ();

    fn most_violated(
        &self,
        scene: Scene<'_, S>,
        _: &mut Memory<S::Label>,
        _: &mut (),
    ) -> Violation<S::Label> {
        let Scene { structure, input, truth, scores, scale, noise, .. } = scene;
        let mix = Mix { score: scale, loss: 1.0 };
        let mut found = structure.k_best(input, Some(truth), scores, mix, self.rank + 1);
        let of_truth = structure.score_of(input, scores, truth);
        let value = |found: &Found<S::Label>| scale * (found.score - of_truth) + found.loss;
        let best = value(&found[0]);
        let chosen = found.pop().expect("there is a label");
        // Of labels that tie, rounding may make the later one the larger by a bit.
        let upper = best.max(value(&chosen)).max(0.0) + self.room;
        let (label, offset, value) = match value(&chosen) {
            low if low < 0.0 => (truth.clone(), 0.0, 0.0),
            value => (chosen.label, chosen.loss, value),
        };
        let rounding = noise.of_margin();
        Violation { label, second: None, slope: 1.0, offset, value, upper, rounding, queries: 1 }
    }

    fn name(&self) -> &'static str {
        "lazy"
    }
}

fn lazy_risk<S>(
    problem: &Problem,
    structure: S,
    lazy: Lazy,
    input: fn(&Problem, usize) -> S::Input,
    truth: fn(&[u32]) -> S::Label,
) -> Box<dyn Risk>
where
    S: KBest<S> + Structure + 'static,
{
    let data = problem.dataset();
    let example = |i| Example {
        input: input(problem, i),
        truth: truth(data.labels_of(i)),
        weight: problem.samples[i].weight,
    };
    Box::new(StructuredRisk::new(structure, lazy, (0..data.len()).map(example).collect()).unwrap())
}

/// Some passes of a solver, each checked; the certificates.
fn check(
    problem: &Problem,
    risk: &dyn Risk,
    kind: SolverKind,
    settings: &SolverSettings,
    passes: usize,
    reference: Bracket,
) -> Result<Vec<Certificate>, TestCaseError> {
    let rounding = reference.rounding();
    let mut solver = kind.build(risk, settings).unwrap();
    let mut lower_bound = f64::NEG_INFINITY;
    let mut certificates = Vec::new();
    for pass in 1..=passes {
        let certificate = solver.step(risk).certificate;
        prop_assert!(
            certificate.lower_bound <= reference.upper + rounding,
            "{kind}, pass {pass}: the lower bound of {certificate:?} is above F* in {reference:?}"
        );
        prop_assert!(
            certificate.primal >= reference.lower - rounding,
            "{kind}, pass {pass}: the primal value of {certificate:?} is below F* in {reference:?}"
        );
        prop_assert!(
            certificate.lower_bound >= lower_bound,
            "{kind}, pass {pass}: the best lower bound fell from {lower_bound} to {}",
            certificate.lower_bound
        );
        lower_bound = certificate.lower_bound;
        if certificate.primal == f64::INFINITY {
            // Block-coordinate methods measure their primal value now and then, in the first pass for sure.
            prop_assert!(
                pass > 1 && [SolverKind::Bcfw, SolverKind::Sdca].contains(&kind),
                "{kind}, pass {pass}"
            );
            continue;
        }
        let objective = problem.objective(settings.lambda, solver.weights());
        let rounding = 1e-9 * (1.0 + objective);
        let found = certificate.primal - certificate.oracle_gap;
        prop_assert!(
            found - rounding <= objective && objective <= certificate.primal + rounding,
            "{kind}, pass {pass}: F = {objective} at the weights, but the oracle found {found} of {}",
            certificate.primal
        );
        prop_assert!(certificate.oracle_gap >= 0.0, "{kind}, pass {pass}: {certificate:?}");
        certificates.push(certificate);
        if certificate.gap().0 <= FINISHED {
            break;
        }
    }
    Ok(certificates)
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn with_an_exact_search(
        problem in trainable(true),
        lambda in prop::sample::select(vec![1.0, 0.1, 0.01, 0.001]),
        groups in 1usize..=16,
        seed in 0u64..1000,
    ) {
        let reference = optimum(&problem, lambda);
        let settings = SolverSettings { groups, seed, ..SolverSettings::new(lambda).unwrap() };
        for kind in solvers(&*problem.risk()) {
            for certificate in common::with_threads(1, || check(&problem, &*problem.risk(), kind, &settings, 60, reference))? {
                prop_assert_eq!(certificate.oracle_gap, 0.0, "{}", kind);
            }
        }
    }

    #[test]
    fn with_an_inexact_search(
        problem in trainable(true),
        lambda in prop::sample::select(vec![1.0, 0.1, 0.01]),
        groups in 1usize..=4,
        rank in 0usize..=2,
        room in prop::sample::select(vec![0.0, 0.125]),
    ) {
        let lazy = Lazy { rank, room };
        let rows = |problem: &Problem, i: usize| problem.dataset().input(i);
        let risk = match problem.kind {
            TaskKind::Multiclass => lazy_risk(&problem, problem.multiclass(), lazy, rows, |y| y[0]),
            TaskKind::Chain => lazy_risk(&problem, problem.chain(), lazy, rows, <[u32]>::to_vec),
            TaskKind::Multilabel => {
                lazy_risk(&problem, problem.multilabel(), lazy, rows, LabelSet::of)
            }
            TaskKind::Matching => {
                let graph = |problem: &Problem, i: usize| problem.graphs().graph(i);
                lazy_risk(&problem, problem.matching(), lazy, graph, links)
            }
        };
        let reference = optimum(&problem, lambda);
        let settings = SolverSettings { groups, ..SolverSettings::new(lambda).unwrap() };
        let weights = problem.samples.iter().map(|sample| sample.weight);
        let mean_weight = weights.sum::<f64>() / problem.samples.len() as f64;
        for kind in solvers(&*risk) {
            let certificates = common::with_threads(1, || check(&problem, &*risk, kind, &settings, 120, reference))?;
            if rank == 0 {
                let expected = room * mean_weight;
                for certificate in &certificates {
                    let oracle_gap = certificate.oracle_gap;
                    prop_assert!((oracle_gap - expected).abs() <= 1e-9, "{kind}: {oracle_gap} for {expected}");
                }
            }
            if ![SolverKind::Bmrm, SolverKind::PBmrm, SolverKind::NSlack].contains(&kind) {
                continue;
            }
            // These evaluate the risk where their model is least. Once no new plane cuts, the bracket is at most the
            // search's share, plus the tenth of the bracket to which the master problem is solved. (A prox term moves the
            // point away from the model's minimum, so that nothing of the kind holds with one.)
            let factor = 1.0 / (1.0 - 0.1);
            let lower_bound = certificates[certificates.len() - 1].lower_bound;
            let unexplained = certificates
                .iter()
                .map(|certificate| certificate.primal - factor * certificate.oracle_gap - lower_bound)
                .fold(f64::INFINITY, f64::min);
            prop_assert!(
                unexplained <= 1e-3 * (1.0 + reference.upper),
                "{kind}: {unexplained} of the bracket is neither closed nor the search's; F* in {reference:?}, {:?}",
                certificates[certificates.len() - 1]
            );
        }
    }
}
