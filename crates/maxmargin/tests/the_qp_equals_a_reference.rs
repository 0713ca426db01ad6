//! Promise: the quadratic program over a product of simplices is solved to the gap that it claims, from any start.

use maxmargin::solver::GramQuadratic;
use maxmargin::solver::simplex_qp::{QpLimits, QpOutcome, solve};
use proptest::prelude::*;

use crate::common::problem::{cases, dot};
use crate::common::reference::SimplexQp;

/// Planes in blocks: slopes, offsets, the block of each. Some are zero, some equal, some differ in the offset only.
#[derive(Debug, Clone)]
struct Planes {
    slopes: Vec<Vec<f64>>,
    offsets: Vec<f64>,
    block: Vec<usize>,
    blocks: usize,
    curvature: f64,
}

impl Planes {
    fn qp(&self, planes: &[usize]) -> SimplexQp {
        let row = |&i: &usize| planes.iter().map(|&j| dot(&self.slopes[i], &self.slopes[j])).collect();
        SimplexQp {
            gram: planes.iter().map(row).collect(),
            linear: planes.iter().map(|&j| self.offsets[j]).collect(),
            curvature: self.curvature,
            block: planes.iter().map(|&j| self.block[j]).collect(),
            blocks: self.blocks,
        }
    }
}

fn planes(most: usize) -> impl Strategy<Value = Planes> {
    let curvature = prop::sample::select(vec![0.01, 1.0, 30.0, 1000.0]);
    (1usize..=5, 1usize..=6, 1..=most, curvature).prop_flat_map(|(blocks, dim, count, curvature)| {
        // With fewer dimensions than planes the Gram matrix is singular.
        let plane = (0..blocks, 0u8..10, any::<prop::sample::Index>(), -3.0..3.0f64);
        let slopes = prop::collection::vec(prop::collection::vec(-2.0..2.0f64, dim), count);
        (prop::collection::vec(plane, count), slopes).prop_map(move |(choices, mut slopes)| {
            let mut offsets: Vec<f64> = Vec::new();
            let mut block = Vec::new();
            for (j, (p, kind, other, offset)) in choices.into_iter().enumerate() {
                let other = other.index(j + 1);
                let copied = if other < j {
                    (slopes[other].clone(), offsets[other], block[other])
                } else {
                    (vec![0.0; dim], 0.0, p)
                };
                let (slope, offset, p) = match kind {
                    0 => (vec![0.0; dim], 0.0, p),
                    1 => (vec![0.0; dim], offset, p),
                    2 => copied,
                    3 => (copied.0, offset, copied.2),
                    4 => (copied.0.iter().map(|a| a * 1.000001).collect(), copied.1, copied.2),
                    _ => (slopes[j].clone(), offset, p),
                };
                slopes[j] = slope;
                offsets.push(offset);
                block.push(p);
            }
            Planes { slopes, offsets, block, blocks, curvature }
        })
    })
}

/// Adds planes to a quadratic that holds those in `held`.
fn push(quadratic: &mut GramQuadratic, planes: &Planes, held: &mut Vec<usize>, new: std::ops::Range<usize>) {
    for j in new {
        held.push(j);
        let products: Vec<f64> = held.iter().map(|&i| dot(&planes.slopes[i], &planes.slopes[j])).collect();
        quadratic.push(planes.block[j], &products);
    }
}

fn solve_to(quadratic: &mut GramQuadratic, planes: &Planes, held: &[usize], gap: f64) -> QpOutcome {
    quadratic.set_objective(held.iter().map(|&j| planes.offsets[j]).collect(), planes.curvature);
    solve(quadratic, QpLimits { gap, steps: 2_000_000, steps_per_visit: 4 })
}

fn check(
    quadratic: &GramQuadratic,
    qp: &SimplexQp,
    outcome: QpOutcome,
    wanted: f64,
    what: &str,
) -> Result<(), TestCaseError> {
    let beta = quadratic.coefficients();
    let rounding = 1e-10 * qp.scale();
    prop_assert!(beta.iter().all(|&beta| beta >= 0.0), "{what}: a negative coefficient in {beta:?}");
    for (p, sum) in qp.sums(beta) {
        prop_assert!((sum - 1.0).abs() <= 1e-9, "{what}: block {p} adds up to {sum} in {beta:?}");
    }
    let objective = qp.objective(beta);
    prop_assert!(
        (quadratic.objective() - objective).abs() <= rounding,
        "{what}: objective {} for {objective}",
        quadratic.objective()
    );
    let gap = qp.gap(beta);
    prop_assert!(
        (outcome.gap - gap).abs() <= rounding,
        "{what}: the gap claimed is {:e}, at the coefficients it is {gap:e} (wanted {wanted:e})",
        outcome.gap
    );
    prop_assert!(outcome.gap <= wanted.max(rounding), "{what}: {outcome:?}, wanted {wanted:e}");
    let maximum = qp.maximum();
    prop_assert!(
        objective <= maximum.upper + rounding,
        "{what}: objective {objective} above the maximum {maximum:?}"
    );
    prop_assert!(
        maximum.lower - objective <= outcome.gap + rounding,
        "{what}: objective {objective} is farther from {maximum:?} than the claimed {:e}",
        outcome.gap
    );
    Ok(())
}

fn check_all(planes: &Planes, wanted: f64) -> Result<(), TestCaseError> {
    let count = planes.offsets.len();
    let scale = planes.qp(&(0..count).collect::<Vec<_>>()).scale();
    let wanted = wanted * scale;
    let mut quadratic = GramQuadratic::new(planes.blocks);
    let mut held = Vec::new();
    for (part, what) in [(0..count / 2, "cold"), (count / 2..count, "after new planes")] {
        push(&mut quadratic, planes, &mut held, part);
        if held.is_empty() {
            continue;
        }
        let outcome = solve_to(&mut quadratic, planes, &held, wanted);
        check(&quadratic, &planes.qp(&held), outcome, wanted, what)?;
    }
    // Dropping planes without mass changes nothing.
    let before = quadratic.objective();
    let keep: Vec<bool> =
        quadratic.coefficients().iter().enumerate().map(|(j, &b)| b != 0.0 || j % 3 == 0).collect();
    let kept: Vec<usize> = held.iter().zip(&keep).filter(|(_, keep)| **keep).map(|(j, _)| *j).collect();
    quadratic.retain(&keep);
    prop_assert_eq!(quadratic.len(), kept.len());
    let outcome = solve_to(&mut quadratic, planes, &kept, 0.01 * wanted);
    prop_assert!(quadratic.objective() >= before - 1e-10 * scale, "{} after {before}", quadratic.objective());
    check(&quadratic, &planes.qp(&kept), outcome, 0.01 * wanted, "after dropping")?;
    // And they can come back.
    let mut held = kept;
    push(&mut quadratic, planes, &mut held, 0..count);
    let outcome = solve_to(&mut quadratic, planes, &held, wanted);
    check(&quadratic, &planes.qp(&held), outcome, wanted, "after all came back")?;
    // From the worst start: all mass on one plane of each block.
    let mut worst = vec![0.0; held.len()];
    for p in 0..planes.blocks {
        if let Some(j) = held.iter().rposition(|&j| planes.block[j] == p) {
            worst[j] = 1.0;
        }
    }
    quadratic.set_coefficients(&worst);
    let outcome = solve_to(&mut quadratic, planes, &held, wanted);
    check(&quadratic, &planes.qp(&held), outcome, wanted, "from another start")
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn few_planes(planes in planes(12), exponent in 3i32..=8) {
        check_all(&planes, 10f64.powi(-exponent))?;
    }
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn many_planes(planes in planes(70), exponent in 3i32..=7) {
        check_all(&planes, 10f64.powi(-exponent))?;
    }
}
