//! Promise: every decoder, λ-oracle (at both ends too) and k-best list equals enumeration of all labels.

use maxmargin::linear::{CooVector, FeatureSum};
use maxmargin::structure::{Example, KBest, LabelSet, Mix, Structure};
use maxmargin::testing::check_structure;
use proptest::prelude::*;

use crate::common::problem::{
    Problem, Sizes, TaskKind, all_labels, cases, dot, label_set, links, numbers, problems, weights,
};

/// Mixes with 0 < λ < ∞.
const MIXES: [Mix; 5] = [
    Mix::AUGMENTED,
    Mix { score: 1.0, loss: 0.25 },
    Mix { score: 0.5, loss: 4.0 },
    Mix { score: 3.0, loss: 1.0 },
    Mix { score: 0.001, loss: 1.0 },
];

const ENDS: [Mix; 2] = [Mix::SCORE, Mix::LOSS];

fn close(x: f64, y: f64) -> bool {
    (x - y).abs() <= 1e-9 * (1.0 + x.abs().max(y.abs()))
}

/// One example under one weight vector, with the structure's label type hidden.
struct Case<'a, S: Structure> {
    problem: &'a Problem,
    structure: &'a S,
    x: S::Input,
    i: usize,
    w: &'a [f64],
    to: fn(&[u32]) -> S::Label,
}

impl<S: Structure> Case<'_, S> {
    fn score(&self, y: &[u32]) -> f64 {
        dot(self.w, &self.problem.phi(self.i, y))
    }

    /// Scores, losses and features are those of the documentation, and all oracles find what listing all labels finds.
    fn check(self) -> Result<(), TestCaseError> {
        let Self { problem, structure, ref x, i, w, to } = self;
        let truth = to(&problem.samples[i].truth);
        prop_assert_eq!(structure.dim(), problem.dim());
        let mut scores = S::Scores::default();
        structure.score(w, x, &mut scores);
        let all = problem.labels_of(i);
        for y in &all {
            let label = to(y);
            prop_assert_eq!(structure.score_of(x, &scores, &label), self.score(y), "the score of {:?}", &y);
            let loss = problem.loss(i, y);
            prop_assert!(close(structure.loss(x, &truth, &label), loss), "the loss of {y:?} is {loss}");
            self.check_features(x, y)?;
        }
        let found = structure.decode(x, &mut scores);
        let best = all.iter().map(|y| self.score(y)).fold(f64::NEG_INFINITY, f64::max);
        prop_assert_eq!(found.score, best, "decoding gave {:?}, w = {:?}", found.label, w);
        let example = Example { input: self.x, truth, weight: 1.0 };
        let judged = check_structure(structure, &[example], |_| all.iter().map(|y| to(y)).collect());
        judged.map_err(|error| TestCaseError::fail(error.to_string()))
    }

    /// φ and φ(y) − φ(truth), into dense and sparse sums, with factors.
    fn check_features(&self, x: &S::Input, y: &[u32]) -> Result<(), TestCaseError> {
        let &Self { problem, structure, i, .. } = self;
        let truth = &problem.samples[i].truth;
        let label = (self.to)(y);
        let (phi, phi_truth) = (problem.phi(i, y), problem.phi(i, truth));
        let start = |j: usize| (j % 5) as f64;
        for factor in [1.0, -0.5] {
            let mut sum: Vec<f64> = (0..problem.dim()).map(start).collect();
            structure.add_features(x, &label, factor, sum.as_mut_slice());
            let expected: Vec<f64> = phi.iter().enumerate().map(|(j, a)| start(j) + factor * a).collect();
            prop_assert_eq!(&sum, &expected, "{} · φ of {:?}", factor, y);

            let mut sum: Vec<f64> = (0..problem.dim()).map(start).collect();
            structure.add_difference(x, &label, &(self.to)(truth), factor, sum.as_mut_slice());
            let differences = phi.iter().zip(&phi_truth).map(|(a, b)| a - b);
            let expected: Vec<f64> =
                differences.clone().enumerate().map(|(j, a)| start(j) + factor * a).collect();
            prop_assert_eq!(&sum, &expected, "{} · (φ of {:?} − φ of {:?})", factor, y, truth);

            let mut terms = CooVector::default();
            terms.add(0, 0.0);
            structure.add_difference(x, &label, &(self.to)(truth), factor, &mut terms);
            let vector = terms.added_up();
            prop_assert!(
                vector.iter().is_sorted_by(|a, b| a.0 < b.0) && vector.iter().all(|(_, v)| v != 0.0)
            );
            let mut dense = vec![0.0; problem.dim()];
            vector.add_to(1.0, &mut dense);
            let expected: Vec<f64> = differences.map(|a| factor * a).collect();
            prop_assert_eq!(&dense, &expected, "sparse {} · (φ of {:?} − φ of {:?})", factor, y, truth);
        }
        Ok(())
    }
}

fn multiclass() -> impl Strategy<Value = Problem> {
    let sizes = Sizes { features: 0..=3, labels: 2..=20, lengths: 1..=1, samples: 1..=2, weighted: false };
    problems(TaskKind::Multiclass, sizes)
        .prop_filter("no weights at all", |problem| problem.features > 0 || problem.bias)
}

fn chain() -> impl Strategy<Value = Problem> {
    let sizes = Sizes { features: 0..=3, labels: 2..=4, lengths: 0..=4, samples: 1..=2, weighted: false };
    let long = Sizes { labels: 2..=3, lengths: 5..=5, samples: 1..=1, ..sizes.clone() };
    let wide = Sizes { labels: 17..=21, lengths: 2..=2, samples: 1..=1, ..sizes.clone() };
    prop_oneof![
        8 => problems(TaskKind::Chain, sizes),
        1 => problems(TaskKind::Chain, long),
        1 => problems(TaskKind::Chain, wide),
    ]
}

fn multilabel() -> impl Strategy<Value = Problem> {
    let sizes = Sizes { features: 0..=3, labels: 1..=5, lengths: 1..=1, samples: 1..=2, weighted: false };
    problems(TaskKind::Multilabel, sizes)
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn multiclass_equals_enumeration(problem in multiclass(), numbers in numbers()) {
        let (structure, w) = (problem.multiclass(), weights(&problem, &numbers));
        for i in 0..problem.samples.len() {
            Case { problem: &problem, structure: &structure, x: problem.dataset().input(i), i, w: &w, to: |y| y[0] }.check()?;
        }
    }

    #[test]
    fn chains_equal_enumeration(problem in chain(), numbers in numbers()) {
        let (structure, w) = (problem.chain(), weights(&problem, &numbers));
        for i in 0..problem.samples.len() {
            Case { problem: &problem, structure: &structure, x: problem.dataset().input(i), i, w: &w, to: <[u32]>::to_vec }.check()?;
        }
    }

    #[test]
    fn label_sets_equal_enumeration(problem in multilabel(), numbers in numbers()) {
        let (structure, w) = (problem.multilabel(), weights(&problem, &numbers));
        for i in 0..problem.samples.len() {
            Case { problem: &problem, structure: &structure, x: problem.dataset().input(i), i, w: &w, to: label_set }.check()?;
        }
    }
}

fn matching() -> impl Strategy<Value = Problem> {
    let sizes = Sizes { features: 0..=3, labels: 1..=4, lengths: 0..=8, samples: 1..=2, weighted: false };
    problems(TaskKind::Matching, sizes)
        .prop_filter("no weights at all", |problem| problem.features > 0 || problem.bias)
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn matchings_equal_enumeration(problem in matching(), numbers in numbers()) {
        let (structure, data, w) = (problem.matching(), problem.graphs(), weights(&problem, &numbers));
        for i in 0..problem.samples.len() {
            let x = data.graph(i);
            Case { problem: &problem, structure: &structure, x, i, w: &w, to: links }.check()?;
        }
    }
}

/// Too many labels to be listed, in groups of three that have nothing to do with each other: the best of all sets are
/// put together from the best of each group.
fn groups() -> impl Strategy<Value = Problem> {
    let sizes = Sizes { features: 1..=2, labels: 21..=25, lengths: 1..=1, samples: 1..=1, weighted: false };
    problems(TaskKind::Multilabel, sizes).prop_map(|mut problem| {
        let labels = problem.labels as u32;
        let all = (0..labels).flat_map(|i| (i + 1..labels).map(move |j| (i, j)));
        problem.sets.pairs = all.filter(|(i, j)| i / 3 == j / 3).collect();
        problem
    })
}

/// The values of the `k` best sets.
fn best_of_groups(problem: &Problem, k: usize, value: impl Fn(&[u32]) -> f64) -> Vec<f64> {
    let empty = vec![0; problem.labels];
    let mut best = vec![value(&empty)];
    for group in 0..problem.labels.div_ceil(3) {
        let members = 3 * group..problem.labels.min(3 * group + 3);
        let gains: Vec<f64> = all_labels(members.len(), 2)
            .iter()
            .map(|of_group| {
                let mut y = empty.clone();
                y[members.clone()].copy_from_slice(of_group);
                value(&y) - value(&empty)
            })
            .collect();
        best = best.iter().flat_map(|before| gains.iter().map(move |gain| before + gain)).collect();
        best.sort_by(|a, b| b.total_cmp(a));
        best.truncate(k);
    }
    best
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn many_labels_equal_enumeration_of_groups(problem in groups(), numbers in numbers()) {
        let (structure, data, w) = (problem.multilabel(), problem.dataset(), weights(&problem, &numbers));
        let (x, truth) = (data.input(0), label_set(&problem.samples[0].truth));
        let mut scores = Default::default();
        structure.score(&w, &x, &mut scores);
        let on = |set: &LabelSet| -> Vec<u32> { (0..problem.labels as u32).map(|l| set.share(l) as u32).collect() };
        for mix in MIXES.into_iter().chain(ENDS) {
            let value = |y: &[u32]| mix.height(dot(&w, &problem.phi(0, y)), problem.loss(0, y));
            let best = best_of_groups(&problem, 12, value);
            let found = structure.maximize(&x, &truth, &mut scores, mix);
            let at = value(&on(&found.label));
            prop_assert!(close(mix.height(found.score, found.loss), at), "{mix:?}: {found:?} is worth {at}");
            prop_assert!(found.missed >= 0.0 && close(found.missed, 0.0), "{mix:?}: {found:?}");
            prop_assert!(close(at, best[0]), "{mix:?}: {found:?} is worth {at}, the best {}", best[0]);
            let list = structure.k_best(&x, Some(&truth), &mut scores, mix, 12);
            prop_assert_eq!(list.len(), 12);
            for (k, (found, &best)) in list.iter().zip(&best).enumerate() {
                let at = value(&on(&found.label));
                prop_assert!(close(at, best), "{mix:?}, number {k}: {found:?} is worth {at}, not {best}");
                prop_assert!(list[..k].iter().all(|other| other.label != found.label), "{found:?} twice");
            }
        }
        let found = structure.decode(&x, &mut scores);
        let best = best_of_groups(&problem, 1, |y| dot(&w, &problem.phi(0, y)))[0];
        prop_assert!(close(found.score, best), "{found:?}, the best {best}");
    }
}
