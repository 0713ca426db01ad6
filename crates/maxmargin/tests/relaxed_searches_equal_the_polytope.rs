//! Promise: with relaxed inference label sets are the points of the local polytope. The oracle solves the linear program,
//! fractional sets have the features, losses and products that are linear in μ, searches find the best point or bound it,
//! and training brackets the optimum of this larger objective.

use std::ops::ControlFlow;

use maxmargin::data::Rows;
use maxmargin::inference::LabelGraph;
use maxmargin::linear::CooVector;
use maxmargin::risk::{Groups, evaluate};
use maxmargin::search::{Memory, Scene, Strategy as Search, SurrogateSearch, Workspace};
use maxmargin::solver::{Limits, SolverKind, SolverSettings, run};
use maxmargin::structure::{
    LabelSet, Mix, MultilabelScores, MultilabelStructure, Relaxed, ScoreNoise, Structure,
};
use maxmargin::surrogate::Surrogate;
use proptest::prelude::*;

use crate::common;

use crate::common::polytope::{Fraction, relaxed};
use crate::common::problem::{Problem, cases, dot, label_set, numbers, weights};
use crate::common::reference::optimum_under;
use crate::common::surrogate::{Surrogated, best_of_border};
use crate::local_polytope::maximize_relaxed;

const MIXES: [Mix; 7] = [
    Mix::AUGMENTED,
    Mix { score: 1.0, loss: 0.25 },
    Mix { score: 0.5, loss: 4.0 },
    Mix { score: 3.0, loss: 1.0 },
    Mix { score: 0.001, loss: 1.0 },
    Mix::SCORE,
    Mix::LOSS,
];

const SURROGATES: [&str; 8] =
    ["margin", "slack", "beta=0.25", "beta=0.75", "log", "prob-convex", "micro-f1", "general=1.5,1"];

/// What the angular search promises.
const ANGULAR: f64 = 1e-3;

/// Factors of three weight vectors, and of the first one again.
const SCALES: [f64; 4] = [1.0, 0.37, 0.0, 1.0];

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs() + b.abs())
}

fn all_close(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| close(a, b))
}

/// One example under one weight vector.
struct Case<'a> {
    problem: &'a Problem,
    structure: &'a MultilabelStructure,
    i: usize,
    w: &'a [f64],
}

impl Case<'_> {
    fn truth(&self) -> LabelSet {
        label_set(&self.problem.samples[self.i].truth)
    }

    fn features(&self, x: &Rows, set: &LabelSet) -> Vec<f64> {
        let mut phi = vec![0.0; self.problem.dim()];
        self.structure.add_features(x, set, 1.0, phi.as_mut_slice());
        phi
    }

    /// μ of a set, the pairs from its features; checked to be of the polytope.
    fn fraction(&self, x: &Rows, set: &LabelSet) -> Result<Fraction, TestCaseError> {
        let Problem { labels, features, bias, sets, .. } = self.problem;
        let nodes: Vec<f64> = (0..*labels as u32).map(|label| set.share(label)).collect();
        let start = (features + usize::from(*bias)) * labels;
        let phi = self.features(x, set);
        // The last weight of each pair is that of both.
        let count = if sets.both_only { 1 } else { 4 };
        let pairs: Vec<f64> = (0..sets.pairs.len()).map(|e| phi[start + count * e + count - 1]).collect();
        let rounding = 1e-12;
        prop_assert!(nodes.iter().all(|mu| (0.0..=1.0).contains(mu)), "{set:?}");
        for (&(i, j), &both) in sets.pairs.iter().zip(&pairs) {
            let (i, j) = (nodes[i as usize], nodes[j as usize]);
            prop_assert!(
                both >= (i + j - 1.0).max(0.0) - rounding && both <= i.min(j) + rounding,
                "{set:?} leaves the polytope: {i}, {j}, together {both}"
            );
        }
        Ok(Fraction { nodes, pairs })
    }

    /// Features, score and loss are those of its μ.
    fn check_set(
        &self,
        x: &Rows,
        scores: &MultilabelScores,
        set: &LabelSet,
    ) -> Result<Fraction, TestCaseError> {
        let Self { problem, structure, i, w } = *self;
        let mu = self.fraction(x, set)?;
        let phi = problem.phi_at(i, &mu);
        let features = self.features(x, set);
        prop_assert!(all_close(&features, &phi), "φ of {set:?}: {features:?}, not {phi:?}");
        let (score, loss) = (structure.score_of(x, scores, set), structure.loss(x, &self.truth(), set));
        prop_assert!(close(score, dot(w, &phi)), "the score of {set:?}: {score}, not {}", dot(w, &phi));
        let expected = problem.loss_at(i, &mu);
        prop_assert!(close(loss, expected), "the loss of {set:?}: {loss}, not {expected}");
        Ok(mu)
    }

    /// What decides between labels: in exact numbers at both ends.
    fn rank(&self, mix: Mix, mu: &Fraction) -> (f64, f64) {
        let score = dot(self.w, &self.problem.phi_at(self.i, mu));
        let cost = self.problem.losses_at(self.i, mu).0;
        match (mix.score == 0.0, mix.loss == 0.0) {
            (true, _) => (cost, score),
            (_, true) => (score, cost),
            _ => (mix.score * score + mix.loss * self.problem.loss_at(self.i, mu), 0.0),
        }
    }

    /// The value of the linear program, by a general solver.
    fn program(&self, mix: Mix) -> f64 {
        let Self { problem, i, w, .. } = *self;
        let (constant, unary, coupling) = problem.coefficients(i, w);
        let loss = |label: usize| {
            let truth = f64::from(problem.samples[i].truth[label]);
            let weight = problem.set_cost(label, truth == 1.0);
            let weight = weight / if problem.mean { problem.labels as f64 } else { 1.0 };
            (weight * truth, weight * (1.0 - 2.0 * truth))
        };
        let graph = LabelGraph::new(problem.labels, problem.sets.pairs.clone()).unwrap();
        let unary: Vec<f64> =
            unary.iter().enumerate().map(|(l, u)| mix.score * u + mix.loss * loss(l).1).collect();
        let coupling: Vec<f64> = coupling.iter().map(|c| mix.score * c).collect();
        let missed: f64 = (0..problem.labels).map(|label| loss(label).0).sum();
        let best = maximize_relaxed(&graph, &unary, &coupling, &[]).unwrap();
        best.score + mix.score * constant + mix.loss * missed
    }

    /// The oracle's answers, each checked.
    fn check_oracle(&self, x: &Rows, scores: &mut MultilabelScores) -> Result<Vec<LabelSet>, TestCaseError> {
        let Self { problem, structure, i, w } = *self;
        let vertices = problem.best_vertices(i, w);
        let mut sets = Vec::new();
        for mix in MIXES {
            let found = structure.maximize(x, &self.truth(), scores, mix);
            let mu = self.check_set(x, scores, &found.label)?;
            prop_assert!(close(found.score, structure.score_of(x, scores, &found.label)), "{found:?}");
            prop_assert!(close(found.loss, structure.loss(x, &self.truth(), &found.label)), "{found:?}");
            prop_assert_eq!(found.missed, 0.0);
            let best = vertices.iter().map(|mu| self.rank(mix, mu));
            let best = best.fold((f64::NEG_INFINITY, f64::NEG_INFINITY), |a, b| if b > a { b } else { a });
            let rank = self.rank(mix, &mu);
            let case =
                || format!("{mix:?}: {found:?} has {rank:?}, enumeration {best:?}, example {i}, w {w:?}");
            let is_end = mix == Mix::SCORE || mix == Mix::LOSS;
            prop_assert!(if is_end { rank == best } else { close(rank.0, best.0) }, "{}", case());
            if !is_end {
                let program = self.program(mix);
                prop_assert!(
                    (program - best.0).abs() <= 1e-6 * (1.0 + best.0.abs()),
                    "program {program}, {}",
                    case()
                );
            }
            sets.push(found.label);
        }
        Ok(sets)
    }

    /// What lies between two sets is a set whose numbers lie between theirs.
    fn check_mixes(
        &self,
        x: &Rows,
        scores: &MultilabelScores,
        sets: &[LabelSet],
    ) -> Result<Vec<LabelSet>, TestCaseError> {
        let mut mixes = Vec::new();
        for (k, a) in sets.iter().enumerate() {
            let b = &sets[(k * 3 + 1) % sets.len()];
            for share in [0.0, 0.25, 0.5, 0.7, 1.0] {
                let mix = self.structure.between(a, b, share);
                let numbers = self.check_set(x, scores, &mix)?;
                let [of_a, of_b] = [self.fraction(x, a)?, self.fraction(x, b)?];
                let between = |a: &[f64], b: &[f64]| -> Vec<f64> {
                    a.iter().zip(b).map(|(a, b)| (1.0 - share) * a + share * b).collect()
                };
                prop_assert!(
                    all_close(&numbers.nodes, &between(&of_a.nodes, &of_b.nodes))
                        && all_close(&numbers.pairs, &between(&of_a.pairs, &of_b.pairs)),
                    "{share} of the way from {a:?} to {b:?} is {mix:?}"
                );
                mixes.push(mix);
            }
        }
        Ok(mixes)
    }

    /// Differences and their products equal those of features.
    fn check_products(&self, x: &Rows, sets: &[LabelSet]) -> Result<(), TestCaseError> {
        let Self { problem, structure, .. } = *self;
        let kernel = structure.kernel(x);
        for (a, truth) in sets.iter().enumerate() {
            for b in [1, 3, 4] {
                let (y, z) = (&sets[(a + b) % sets.len()], &sets[(a * b + 2) % sets.len()]);
                let difference = |set: &LabelSet| -> Vec<f64> {
                    let (here, there) = (self.features(x, set), self.features(x, truth));
                    here.iter().zip(there).map(|(a, b)| a - b).collect()
                };
                let mut sum = vec![0.0; problem.dim()];
                structure.add_difference(x, y, truth, 1.0, sum.as_mut_slice());
                prop_assert!(all_close(&sum, &difference(y)), "{y:?} − {truth:?}: {sum:?}");
                let mut terms = CooVector::default();
                structure.add_difference(x, z, truth, -0.5, &mut terms);
                let mut sum = vec![0.0; problem.dim()];
                terms.added_up().add_to(-2.0, &mut sum);
                prop_assert!(all_close(&sum, &difference(z)), "{z:?} − {truth:?}: {sum:?}");
                let product = structure.product(x, &kernel, truth, y, z);
                let expected = dot(&difference(y), &difference(z));
                prop_assert!(
                    close(product, expected),
                    "⟨{y:?}, {z:?}⟩ from {truth:?}: {product}, not {expected}; {problem:?}"
                );
            }
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn oracles_and_arithmetic(problem in relaxed(3..=6, 2), numbers in numbers()) {
        let (structure, data, w) = (problem.multilabel(), problem.dataset(), weights(&problem, &numbers));
        prop_assert!(structure.is_relaxed());
        for i in 0..problem.samples.len() {
            let case = Case { problem: &problem, structure: &structure, i, w: &w };
            let (x, mut scores) = (data.input(i), MultilabelScores::default());
            structure.score(&w, &x, &mut scores);
            let mut sets = case.check_oracle(&x, &mut scores)?;
            sets.push(case.truth());
            let mixes = case.check_mixes(&x, &scores, &sets)?;
            // Mixes of mixes are what solvers and searches end up with.
            let again = case.check_mixes(&x, &scores, &mixes[..10])?;
            sets.extend(mixes.into_iter().chain(again));
            case.check_products(&x, &sets)?;
        }
    }
}

fn searches(surrogate: Surrogate) -> impl Iterator<Item = Search> {
    let of_wholes = |search: &Search| matches!(search, Search::Stratified | Search::Hull);
    Search::ALL.into_iter().filter(move |search| !of_wholes(search) && search.check(surrogate).is_ok())
}

fn check_searches(problem: &Problem, surrogate: Surrogate, w: &[Vec<f64>]) -> Result<(), TestCaseError> {
    let surrogated = Surrogated::new(problem, surrogate, None);
    let (structure, data) = (surrogated.problem.multilabel(), surrogated.problem.dataset());
    for i in 0..data.len() {
        let truth = label_set(&problem.samples[i].truth);
        let best_at = |w: &[f64]| {
            let labels = surrogated.fractional_labels(i, &surrogated.problem.best_vertices(i, w));
            let points: Vec<_> = labels.iter().map(|label| label.point(w)).collect();
            best_of_border(&points, surrogate).2.max(0.0)
        };
        let scaled =
            w.iter().chain(&w[..1]).zip(SCALES).map(|(w, scale)| w.iter().map(|w| scale * w).collect());
        let bests: Vec<f64> = scaled.map(|w: Vec<f64>| best_at(&w)).collect();
        for strategy in searches(surrogate) {
            let search = SurrogateSearch::new(surrogate, strategy).unwrap();
            let (mut workspace, mut memory) = (Workspace::default(), Memory::default());
            // The second time with what the first one remembers.
            for ((w, scale), &best) in w.iter().chain(&w[..1]).zip(SCALES).zip(&bests) {
                let mut scores = MultilabelScores::default();
                structure.score(w, &data.input(i), &mut scores);
                let scene = Scene {
                    example: i,
                    structure: &structure,
                    input: &data.input(i),
                    truth: &truth,
                    scores: &mut scores,
                    scale,
                    noise: ScoreNoise::UNKNOWN,
                };
                let answer = search.answer(scene, &mut memory, &mut workspace);
                let scaled: Vec<f64> = w.iter().map(|w| scale * w).collect();
                let case = || {
                    let Surrogated { problem, .. } = &surrogated;
                    format!(
                        "{surrogate}, {strategy}, example {i}, w {scaled:?}: {answer:?}, best {best}, {problem:?}"
                    )
                };
                let (h, g) = answer.point();
                prop_assert!(close(surrogate.value(h, g).max(0.0), answer.value), "{}", case());
                let rounding = 1e-8 * (1.0 + best);
                prop_assert!(
                    answer.upper >= best - rounding && answer.value <= best + rounding,
                    "{}",
                    case()
                );
                let missed = match strategy {
                    Search::HullFractional => 0.0,
                    Search::Angular => ANGULAR * best,
                    _ => f64::INFINITY,
                };
                prop_assert!(answer.value >= best - missed - rounding, "missed: {}", case());
                prop_assert!(
                    answer.upper <= answer.value + 1.01 * missed + 2.0 * rounding,
                    "bound: {}",
                    case()
                );
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn searches_find_or_bound_the_best(
        problem in relaxed(3..=6, 2),
        surrogate in prop::sample::select(SURROGATES.to_vec()),
        numbers in [numbers(), numbers(), numbers()],
    ) {
        check_searches(&problem, surrogate.parse().unwrap(), &numbers.map(|n| weights(&problem, &n)))?;
    }

    /// Weights that are no whole numbers: ties are rounding.
    #[test]
    fn searches_anywhere(
        problem in relaxed(3..=6, 2),
        surrogate in prop::sample::select(SURROGATES.to_vec()),
        at in prop::collection::vec(prop::collection::vec(-3.0..3.0f64, 61), 3),
    ) {
        let w: Vec<Vec<f64>> = at.iter().map(|w| w.iter().cycle().take(problem.dim()).copied().collect()).collect();
        check_searches(&problem, surrogate.parse().unwrap(), &w)?;
    }
}

const GAP: f64 = 1e-5;

/// What is asked where the objective is curved, and planes touch it in one point only.
const CURVED_GAP: f64 = 1e-3;

fn check_training(surrogated: &Surrogated, settings: &SolverSettings) -> Result<(), TestCaseError> {
    let Surrogated { surrogate, strategy, .. } = *surrogated;
    let lambda = settings.lambda;
    let reference = optimum_under(surrogated, lambda);
    for kind in SolverKind::EXACT {
        let outcome = common::with_threads(1, || {
            let risk = surrogated.risk();
            let limits = Limits { gap: GAP, max_passes: 1_000, time_limit: None };
            run(&mut *kind.build(&*risk, settings).unwrap(), &*risk, limits, |_| ControlFlow::Continue(()))
                .unwrap()
        });
        let certificate = outcome.report.certificate;
        let case = || {
            let (passes, stop) = (outcome.report.passes, outcome.stop.name());
            format!(
                "{surrogate}, {strategy:?}, {kind}, λ = {lambda}: {certificate:?}, {stop} after {passes} passes, F* in {reference:?}"
            )
        };
        let primal = surrogated.objective(lambda, &outcome.weights);
        let slight = 1e-8 * (1.0 + primal);
        reference.check(certificate, primal, slight, case)?;
        if strategy.is_none_or(|strategy| strategy == Search::HullFractional) {
            let gap = if surrogate == Surrogate::MARGIN { GAP } else { CURVED_GAP };
            prop_assert!(certificate.oracle_gap <= slight, "an exact search misses nothing: {}", case());
            prop_assert!(
                certificate.primal - certificate.lower_bound <= gap * (1.0 + certificate.primal),
                "not solved: {}",
                case()
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn training_brackets_the_optimum(
        problem in relaxed(3..=4, 4),
        surrogate in prop::sample::select(vec!["margin", "margin", "slack", "slack", "log", "prob-convex", "micro-f1"]),
        lambda in prop::sample::select(vec![1.0, 0.1, 0.01]),
        (groups, seed) in (1usize..=4, 0u64..1000),
    ) {
        let settings = SolverSettings { groups, seed, ..SolverSettings::new(lambda).unwrap() };
        let surrogate: Surrogate = surrogate.parse().unwrap();
        check_training(&Surrogated::new(&problem, surrogate, None), &settings)?;
    }

    #[test]
    fn sets_are_points_of_the_polytope(
        problem in relaxed(3..=5, 4),
        surrogate in prop::sample::select(SURROGATES.to_vec()),
        at in numbers(),
    ) {
        let surrogate: Surrogate = surrogate.parse().unwrap();
        let relaxed = Surrogated::new(&problem, surrogate, None);
        let mut exact = relaxed.clone();
        exact.problem.sets.relaxed = false;
        let w = weights(&problem, &at);
        let n = problem.samples.len();
        let [of_points, of_sets] = [&relaxed, &exact].map(|surrogated| {
            evaluate(&*surrogated.risk(), w.as_slice().into(), &Groups::new(n, 1)).unwrap().risk
        });
        prop_assert!(
            of_points.upper >= of_sets.value - 1e-9 * (1.0 + of_sets.value),
            "{surrogate} at {w:?}: {of_points:?} over the relaxation, {of_sets:?} over sets"
        );
    }
}
