//! Promise: under the shared norm the certificate is of the joint problem in weights and α. No α of the set does better than its lower bound,
//! and the α that were found do as well as its primal value says.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::hierarchies::{closed_sets, random_hierarchy};
use maxmargin_core::features::{FeatureMatrix, Rows};
use maxmargin_core::inference::Hierarchy;
use maxmargin_core::risk::{Risk, StructuredRisk};
use maxmargin_core::search::MarginSearch;
use maxmargin_core::solver::{Certificate, Limits, SolverKind, SolverSettings, Stop, run};
use maxmargin_core::structure::alpha::shared::{best_alpha, largest_sum};
use maxmargin_core::structure::{
    Example, LabelSet, NodeLoss, NodeOptions, NodeSetOptions, NodeSetStructure, NodeStructure, Structure,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

const GAP: f64 = 1e-4;

fn solved(risk: &dyn Risk, kind: SolverKind, lambda: f64) -> (Certificate, Vec<f64>) {
    let settings = SolverSettings { groups: 3, ..SolverSettings::new(lambda).unwrap() };
    let mut solver = kind.build(risk, &settings).unwrap();
    let limits = Limits { gap: GAP, max_passes: 3000, ..Limits::default() };
    let outcome = run(solver.as_mut(), risk, limits, |report| {
        let Certificate { primal, lower_bound, .. } = report.certificate;
        assert!(lower_bound <= primal, "{lower_bound} {primal}");
        ControlFlow::Continue(())
    });
    let outcome = outcome.unwrap();
    assert_eq!(outcome.stop, Stop::GapReached, "{kind}: {:?}", outcome.report);
    (outcome.report.certificate, outcome.weights)
}

/// Some α of the set: what lies on the way to each leaf adds up to no more than 1.
fn random_alpha(random: &mut Pcg64Mcg, hierarchy: &Hierarchy) -> Arc<[f64]> {
    let numbers: Vec<f64> =
        (0..hierarchy.nodes()).map(|_| random.random_range(0.01f64..1.0).powi(3)).collect();
    let sums = hierarchy
        .leaves()
        .iter()
        .map(|&leaf| hierarchy.ancestors(leaf).iter().map(|&n| numbers[n as usize]).sum());
    let largest: f64 = sums.fold(0.0, f64::max) * (1.0 + 1e-12);
    numbers.iter().map(|number| number / largest).collect()
}

/// What is trained: with the shared norm, or with these α.
fn check<S: Structure + 'static>(
    random: &mut Pcg64Mcg,
    hierarchy: &Hierarchy,
    lambda: f64,
    risk: impl Fn(Option<Arc<[f64]>>) -> StructuredRisk<S, MarginSearch>,
) where
    StructuredRisk<S, MarginSearch>: Risk,
{
    let nodes = hierarchy.nodes();
    let joint = risk(None);
    for kind in SolverKind::EXACT {
        assert_eq!(
            kind.check(&joint).is_ok(),
            [SolverKind::Bmrm, SolverKind::PBmrm, SolverKind::Bcfw].contains(&kind),
            "{kind}"
        );
    }
    let found =
        [SolverKind::Auto, SolverKind::Bmrm, SolverKind::PBmrm].map(|kind| solved(&joint, kind, lambda));
    for (certificate, weights) in found {
        for _ in 0..3 {
            let (other, _) = solved(&risk(Some(random_alpha(random, hierarchy))), SolverKind::Bcfw, lambda);
            assert!(certificate.lower_bound <= other.primal, "{certificate:?} {other:?}");
        }
        let mut squares = vec![1e-12; nodes];
        weights.iter().enumerate().for_each(|(i, weight)| squares[i % nodes] += weight * weight);
        let alpha: Arc<[f64]> = best_alpha(hierarchy, &squares).unwrap().weights.into();
        let (other, _) = solved(&risk(Some(alpha)), SolverKind::Bcfw, lambda);
        assert!(certificate.lower_bound <= other.primal, "{certificate:?} {other:?}");
        assert!(other.lower_bound <= certificate.primal * (1.0 + 1e-5), "{certificate:?} {other:?}");
    }
}

fn matrix(random: &mut Pcg64Mcg, rows: usize) -> Arc<FeatureMatrix> {
    let rows: Vec<[f64; 3]> =
        (0..rows).map(|_| std::array::from_fn(|_| random.random_range(-1.0..1.0))).collect();
    Arc::new(FeatureMatrix::from_dense(&rows))
}

#[test]
fn of_one_node() {
    let mut random = Pcg64Mcg::seed_from_u64(3);
    for round in 0..24 {
        let hierarchy = Arc::new(random_hierarchy(&mut random, 8, round % 3 > 0));
        if hierarchy.leaves().len() < 2 {
            continue;
        }
        let x = matrix(&mut random, 6);
        let truths: Vec<u32> =
            (0..6).map(|_| hierarchy.leaves()[random.random_range(0..hierarchy.leaves().len())]).collect();
        let lambda = [0.01, 0.1, 1.0][round % 3];
        check(&mut random, &Arc::clone(&hierarchy), lambda, |alpha| {
            let is_shared = alpha.is_none();
            let loss = if round % 2 == 0 { NodeLoss::ZeroOne } else { NodeLoss::Difference { costs: None } };
            let options = NodeOptions { alpha, loss, bias: round % 4 < 2, ..NodeOptions::default() };
            let structure = NodeStructure::new(3, Arc::clone(&hierarchy), options).unwrap();
            let structure = if is_shared { structure.with_shared_norm().unwrap() } else { structure };
            let example =
                |(i, &truth): (usize, &u32)| Example { input: Rows::new(&x, i..i + 1), truth, weight: 1.0 };
            let examples = truths.iter().enumerate().map(example).collect();
            StructuredRisk::new(structure, MarginSearch, examples).unwrap()
        });
    }
}

#[test]
fn of_sets_of_nodes() {
    let mut random = Pcg64Mcg::seed_from_u64(4);
    for round in 0..16 {
        let hierarchy = Arc::new(random_hierarchy(&mut random, 6, round % 2 == 0));
        let sets = closed_sets(&hierarchy, false, true);
        let x = matrix(&mut random, 5);
        let truths: Vec<LabelSet> =
            (0..5).map(|_| LabelSet::of(&sets[random.random_range(0..sets.len())])).collect();
        check(&mut random, &Arc::clone(&hierarchy), 0.1, |alpha| {
            let is_shared = alpha.is_none();
            let options = NodeSetOptions { alpha, ..NodeSetOptions::default() };
            let structure = NodeSetStructure::new(3, Arc::clone(&hierarchy), options).unwrap();
            let structure = if is_shared { structure.with_shared_norm().unwrap() } else { structure };
            let example = |(i, truth): (usize, &LabelSet)| Example {
                input: Rows::new(&x, i..i + 1),
                truth: truth.clone(),
                weight: 1.0,
            };
            let examples = truths.iter().enumerate().map(example).collect();
            StructuredRisk::new(structure, MarginSearch, examples).unwrap()
        });
    }
}

/// THESIS 6.6, Algorithm 5: weights that are best for α and α that are best for weights, by turns. No turn raises the joint objective,
/// and none comes below what is proven of it.
#[test]
fn turns_of_weights_and_alpha_never_raise_the_primal_value() {
    let mut random = Pcg64Mcg::seed_from_u64(7);
    for round in 0..12 {
        let hierarchy = Arc::new(random_hierarchy(&mut random, 8, round % 3 > 0));
        let (nodes, leaves) = (hierarchy.nodes(), hierarchy.leaves());
        if leaves.len() < 2 {
            continue;
        }
        let x = matrix(&mut random, 8);
        let truths: Vec<u32> = (0..8).map(|_| leaves[random.random_range(0..leaves.len())]).collect();
        let risk = |alpha: Option<Arc<[f64]>>| {
            let is_shared = alpha.is_none();
            let options = NodeOptions { alpha, bias: false, ..NodeOptions::default() };
            let structure = NodeStructure::new(3, Arc::clone(&hierarchy), options).unwrap();
            let structure = if is_shared { structure.with_shared_norm().unwrap() } else { structure };
            let example =
                |(i, &truth): (usize, &u32)| Example { input: Rows::new(&x, i..i + 1), truth, weight: 1.0 };
            StructuredRisk::new(structure, MarginSearch, truths.iter().enumerate().map(example).collect())
                .unwrap()
        };
        let lambda = [0.01, 0.1, 1.0][round % 3];
        let (joint, _) = solved(&risk(None), SolverKind::Auto, lambda);
        let mut alpha = random_alpha(&mut random, &hierarchy);
        let mut before = f64::INFINITY;
        for turn in 0..8 {
            // The objective for these α is the joint one at weights U_n = √α_n W_n, which the last turn's are among.
            let (here, weights) = solved(&risk(Some(Arc::clone(&alpha))), SolverKind::Bcfw, lambda);
            assert!(here.lower_bound <= before, "round {round}, turn {turn}: {here:?} after {before}");
            assert!(
                here.primal <= before * (1.0 + GAP),
                "round {round}, turn {turn}: {here:?} after {before}"
            );
            assert!(joint.lower_bound <= here.primal, "round {round}, turn {turn}: {here:?} below {joint:?}");
            let mut squares = vec![1e-12; nodes];
            weights.iter().enumerate().for_each(|(i, w)| squares[i % nodes] += alpha[i % nodes] * w * w);
            alpha = best_alpha(&hierarchy, &squares).unwrap().weights.into();
            before = here.primal;
        }
    }
}

/// THESIS Table 6.1, its column of the structured norm: of weights U_l of leaves, as the least norm of weights of nodes that add up to them.
/// Weights of nodes bound it from above, and ⟨U, Z⟩ over the dual norm of any Z from below.
#[test]
fn the_four_cases_of_the_shared_norm() {
    let tree = Hierarchy::forest(&[None, Some(0), Some(0), Some(0)]).unwrap();
    let length = |v: &[f64; 3]| v.iter().map(|v| v * v).sum::<f64>();
    let above = |hierarchy: &Hierarchy, nodes: &[[f64; 3]]| {
        best_alpha(hierarchy, &nodes.iter().map(length).collect::<Vec<_>>()).unwrap().norm
    };
    let below = |hierarchy: &Hierarchy, leaves: &[[f64; 3]], z: &[[f64; 3]]| {
        let mut sums = vec![[0.0; 3]; hierarchy.nodes()];
        for (&leaf, z) in hierarchy.leaves().iter().zip(z) {
            for &node in hierarchy.ancestors(leaf) {
                sums[node as usize].iter_mut().zip(z).for_each(|(sum, z)| *sum += z);
            }
        }
        let product: f64 = leaves.iter().flatten().zip(z.iter().flatten()).map(|(u, z)| u * z).sum();
        let dual = largest_sum(hierarchy, &sums.iter().map(length).collect::<Vec<_>>()).unwrap();
        product * product / dual.high
    };
    let is = |low: f64, high: f64, expected: f64| {
        assert!((low - expected).abs() < 1e-9 && (high - expected).abs() < 1e-9, "{low} {expected} {high}");
    };
    let (u, none) = ([1.0, -2.0, 0.5], [0.0; 3]);
    // Full sharing: what all leaves have alike costs as much as once.
    is(below(&tree, &[u, u, u], &[u, none, none]), above(&tree, &[u, none, none, none]), length(&u));
    // No sharing: without common nodes it is the Euclidean norm.
    let forest = Hierarchy::forest(&[None, None, None]).unwrap();
    let other = [[1.0, 2.0, 3.0], [0.5, 0.0, -1.0], [2.0, 2.0, 2.0]];
    is(below(&forest, &other, &other), above(&forest, &other), other.iter().map(length).sum());
    // Disjoint features: a common node does not help, and it is the Euclidean norm too.
    let disjoint = [[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 3.0]];
    let of_nodes = [none, disjoint[0], disjoint[1], disjoint[2]];
    is(below(&tree, &disjoint, &disjoint), above(&tree, &of_nodes), disjoint.iter().map(length).sum());
    // Factor scaling: between the largest of the leaves and the Euclidean norm; what the root has is shared.
    let times = |a: f64| u.map(|u| a * u);
    let scaled = [times(1.0), times(0.5), times(0.8)];
    let low = below(&tree, &scaled, &[u, none, none]);
    let shared = above(&tree, &[times(0.8), times(0.2), times(-0.3), none]);
    assert!((low - length(&u)).abs() < 1e-9 && low < shared);
    assert!(shared < above(&tree, &[none, scaled[0], scaled[1], scaled[2]]));
}
