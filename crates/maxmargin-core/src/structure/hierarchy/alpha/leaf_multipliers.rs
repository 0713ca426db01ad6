//! Multipliers of leaves, which add up to 1, and their way to a best point by multiplicative updates.

use crate::inference::Hierarchy;

/// For each node the sum of numbers of the leaves below it.
pub(super) fn below_leaves(hierarchy: &Hierarchy, of_leaves: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; hierarchy.nodes()];
    for (&leaf, number) in hierarchy.leaves().iter().zip(of_leaves) {
        hierarchy.ancestors(leaf).iter().for_each(|&node| sums[node as usize] += number);
    }
    sums
}

/// For each leaf the sum of numbers of the nodes above it, and of its own.
pub(super) fn above_leaves(hierarchy: &Hierarchy, of_nodes: &[f64]) -> Vec<f64> {
    let sum = |leaf: &u32| hierarchy.ancestors(*leaf).iter().map(|&node| of_nodes[node as usize]).sum();
    hierarchy.leaves().iter().map(sum).collect()
}

/// The same numbers with the sum 1; none falls to 0, from where it could not rise.
pub(super) fn scaled(mut numbers: Vec<f64>) -> Vec<f64> {
    numbers.iter_mut().for_each(|number| *number = number.max(1e-200));
    let sum: f64 = numbers.iter().sum();
    numbers.iter_mut().for_each(|number| *number /= sum);
    numbers
}

/// Multipliers that are updated again and again. After each second update they go on as far as the last two lead to, where that is
/// better (Varadhan & Roland 2008).
pub(super) struct Ascent {
    pub multipliers: Vec<f64>,
    before: Vec<Vec<f64>>,
}

impl Ascent {
    /// From equal multipliers.
    pub fn new(hierarchy: &Hierarchy) -> Self {
        let leaves = hierarchy.leaves().len();
        Self { multipliers: vec![1.0 / leaves as f64; leaves], before: Vec::new() }
    }

    /// Multiplies each by a number, of which only ratios matter; `value` is what is to rise.
    pub fn update(&mut self, factors: impl Iterator<Item = f64>, value: impl Fn(&[f64]) -> f64) {
        let updated = self.multipliers.iter().zip(factors).map(|(multiplier, factor)| multiplier * factor);
        let updated = scaled(updated.collect());
        self.before.push(std::mem::replace(&mut self.multipliers, updated));
        if let [first, second] = &self.before[..] {
            let ahead = extrapolated(first, second, &self.multipliers);
            if value(&ahead) > value(&self.multipliers) {
                self.multipliers = ahead;
            }
            self.before.clear();
        }
    }
}

/// Where three points of a series lead to, in logarithms.
fn extrapolated(first: &[f64], second: &[f64], third: &[f64]) -> Vec<f64> {
    let steps = || {
        first.iter().zip(second).zip(third).map(|((a, b), c)| {
            let step = (b / a).ln();
            (step, (c / b).ln() - step)
        })
    };
    let (steps_squared, bends_squared) =
        steps().fold((0.0, 0.0), |(steps, bends), (step, bend)| (steps + step * step, bends + bend * bend));
    let length = f64::sqrt(steps_squared / f64::max(bends_squared, f64::MIN_POSITIVE)).max(1.0);
    let ahead = steps().zip(first).map(|((step, bend), start)| {
        start * (2.0 * length * step + length * length * bend).clamp(-50.0, 50.0).exp()
    });
    scaled(ahead.collect())
}
