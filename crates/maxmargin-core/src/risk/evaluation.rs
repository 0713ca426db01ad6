//! One evaluation of the whole risk, over all cores, with the same result for any number of them.
//!
//! The examples are cut into blocks that depend on the data only. Threads take blocks, and the blocks' sums are added
//! in the order of the blocks, so no rounding depends on who finished first. Where the dimension is large, blocks are
//! processed in waves of a few per thread: memory grows with threads × dimension, not with blocks × dimension.

use std::ops::Range;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Bounds, Oracle, Point, Risk, SummedPlanes, norm_bound};
use crate::error::{Error, Result};
use crate::linear::{FeatureSum, PreciseSum, add_scaled, precise_share, round_down, round_up, scale};

/// The number of blocks into which a large risk is cut: enough to keep many cores busy.
const BLOCKS: usize = 64;

/// No risk is cut into blocks of fewer examples than this, unless its groups ask for it: each block has a slope to add.
const SMALLEST_BLOCK: usize = 32;

/// Numbers that the slopes of one wave of blocks may take, if that is enough for all threads.
const LARGEST_WAVE: usize = 1 << 20;

/// The examples in consecutive groups of nearly equal size, each with a cutting-plane model of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Groups {
    examples: usize,
    groups: usize,
}

impl Groups {
    /// `groups` groups (at least 1, at most one per example).
    pub fn new(examples: usize, groups: usize) -> Self {
        Self { examples, groups: groups.clamp(1, examples.max(1)) }
    }

    /// The number of groups.
    pub fn len(&self) -> usize {
        self.groups
    }

    /// Never: there is at least one group.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The examples of a group.
    pub fn range(&self, group: usize) -> Range<usize> {
        part(0..self.examples, group, self.groups)
    }
}

/// The part number `k` of `parts` nearly equal parts of a range.
fn part(range: Range<usize>, k: usize, parts: usize) -> Range<usize> {
    let cut = |k: usize| range.start + range.len() * k / parts;
    cut(k)..cut(k + 1)
}

/// A cutting plane of one group's share of the risk: `1/n Σ_{i in group} c_i H_i(w) ≥ ⟨slope, w⟩ + offset`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GroupPlane {
    /// The slope, dense.
    pub slope: Vec<f64>,
    /// The value at w = 0.
    pub offset: f64,
    /// The slope that makes it a valid plane differs from this one by no more than this in norm.
    pub error: f64,
}

/// The risk at one point.
#[derive(Debug, Clone, Default)]
pub struct Evaluation {
    /// R(w): what the planes reach, and what it is at most.
    pub risk: Bounds,
    /// A plane per group.
    pub planes: Vec<GroupPlane>,
}

/// Evaluates the risk and a plane for each group. Refused where point or groups are those of another risk.
pub fn evaluate(risk: &dyn Risk, at: Point<'_>, groups: &Groups) -> Result<Evaluation> {
    if at.direction.len() != risk.dim() {
        let problem = format!("{} numbers for {} weights", at.direction.len(), risk.dim());
        return Err(Error::parameter("weights", problem));
    }
    if groups.examples != risk.len() {
        let problem = format!("groups of {} examples, of which there are {}", groups.examples, risk.len());
        return Err(Error::parameter("groups", problem));
    }
    Ok(evaluate_fitting(risk, at, groups))
}

/// The same for a point and groups that were made for this risk.
pub(crate) fn evaluate_fitting(risk: &dyn Risk, at: Point<'_>, groups: &Groups) -> Evaluation {
    let n = risk.len();
    let cuts = (n / SMALLEST_BLOCK).clamp(1, BLOCKS).div_ceil(groups.len());
    let blocks: Vec<(usize, Range<usize>)> = (0..groups.len())
        .flat_map(|group| (0..cuts).map(move |cut| (group, part(groups.range(group), cut, cuts))))
        .filter(|(_, block)| !block.is_empty())
        .collect();
    let most = LARGEST_WAVE / risk.dim().max(1);
    let wave = most.max(2 * rayon::current_num_threads()).min(blocks.len()).max(1);
    let mut evaluation = Evaluation { risk: Bounds::default(), planes: Vec::with_capacity(groups.len()) };
    evaluation
        .planes
        .resize_with(groups.len(), || GroupPlane { slope: vec![0.0; risk.dim()], ..Default::default() });
    let mut totals = vec![SummedPlanes::default(); groups.len()];
    match at.is_precise {
        false => {
            let mut slopes: Vec<Vec<f64>> = vec![vec![0.0; risk.dim()]; wave];
            for blocks in blocks.chunks(wave) {
                let clear = |slope: &mut Vec<f64>| slope.fill(0.0);
                for (group, k, sum) in add_blocks(risk, at, blocks, &mut slopes, clear) {
                    add_scaled(&mut evaluation.planes[group].slope, 1.0, &slopes[k]);
                    totals[group] += sum;
                }
            }
        }
        true => {
            let mut slopes = vec![PreciseSum::zeros(risk.dim()); wave];
            let mut sums = vec![PreciseSum::zeros(risk.dim()); groups.len()];
            for blocks in blocks.chunks(wave) {
                let clear = |slope: &mut PreciseSum| *slope = PreciseSum::zeros(risk.dim());
                for (group, k, sum) in add_blocks(risk, at, blocks, &mut slopes, clear) {
                    sums[group].add_sum(&slopes[k]);
                    totals[group] += sum;
                }
            }
            for (plane, sum) in evaluation.planes.iter_mut().zip(&sums) {
                plane.slope.iter_mut().zip(sum.iter()).for_each(|(slope, sum)| *slope = sum);
            }
        }
    }
    let share = 1.0 / n.max(1) as f64;
    // Sums over the examples of a block and over all blocks.
    let operations = (n.div_ceil(cuts) + blocks.len() + groups.len() + 8) as f64;
    for (plane, total) in evaluation.planes.iter_mut().zip(&totals) {
        evaluation.risk += total.bounds;
        let additions = total.additions + blocks.len() as f64 + 8.0;
        let of_sums = match at.is_precise {
            false => additions * f64::EPSILON,
            true => precise_share(additions),
        };
        // H ≥ 0, so that a plane scaled down is one as well, however losses in its factor were rounded.
        let scaled_down = round_down(share, total.roundings);
        scale(&mut plane.slope, scaled_down);
        plane.offset = round_down(total.offset * scaled_down, operations + total.roundings);
        let of_entries = match at.is_precise {
            true => 2.0 * f64::EPSILON * norm_bound(&plane.slope),
            false => 0.0,
        };
        plane.error = round_up((of_sums * total.length + total.rounded) * share + of_entries, operations);
    }
    evaluation.risk = evaluation.risk.times(share).raised(operations);
    evaluation
}

/// Adds up the planes of some blocks, each in a sum of its own, over all cores. Returns the group of each block, the number of
/// its sum, and what else the planes come to.
fn add_blocks<S: FeatureSum + Send>(
    risk: &dyn Risk,
    at: Point<'_>,
    blocks: &[(usize, Range<usize>)],
    slopes: &mut [S],
    clear: impl Fn(&mut S) + Sync,
) -> Vec<(usize, usize, SummedPlanes)> {
    let work = |oracle: &mut Box<dyn Oracle + '_>,
                (k, (slope, (group, block))): (usize, (&mut S, &(usize, Range<usize>)))| {
        clear(slope);
        (*group, k, oracle.add_planes(block.clone(), at, slope))
    };
    slopes.par_iter_mut().zip(blocks).enumerate().map_init(|| risk.oracle(), work).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_cover_every_example_once() {
        for (examples, wanted) in [(10, 3), (7, 16), (1, 1), (100, 16)] {
            let groups = Groups::new(examples, wanted);
            let all: Vec<usize> = (0..groups.len()).flat_map(|g| groups.range(g)).collect();
            assert_eq!(all, (0..examples).collect::<Vec<_>>());
            assert!((0..groups.len()).all(|g| !groups.range(g).is_empty()));
        }
    }
}
