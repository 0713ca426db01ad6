//! Whether one of two models is better than the other by more than chance, on the same examples (THESIS Table 5.6).
//!
//! The [paired bootstrap](PairedBootstrap) draws as many examples as there are, with replacement, again and again, and asks each time how far the two figures
//! are apart (Efron and Tibshirani 1993; Koehn 2004). The [signed-rank test](SignedRanks) of Wilcoxon (1945) looks at the sign and the rank of each
//! example's difference.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Up to so many differences the distribution of the sum of ranks is found exactly.
const MOST_EXACT: usize = 50;

/// Half of what is left out on both sides of an interval that holds 95 %.
const TAIL: f64 = 0.025;

/// Examples drawn with replacement, so many times as many as there are. The same seed draws the same ones.
pub fn resamples(examples: usize, rounds: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut draw = || (0..examples).map(|_| random.random_range(0..examples)).collect();
    (0..rounds).map(|_| draw()).collect()
}

/// What differences between two figures over many resamples say.
///
/// ```
/// use maxmargin::metrics::PairedBootstrap;
/// let differences: Vec<f64> = (0..1000).map(|round| f64::from(round - 10)).collect();
/// let found = PairedBootstrap::of(&differences);
/// assert!(found.p < 0.03 && found.interval.0 > 0.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedBootstrap {
    /// 95 % of the differences lie between these.
    pub interval: (f64, f64),
    /// How likely a difference on the other side of 0 is, on both sides together: twice the smaller share of differences that are not above, or
    /// not below, 0. At least 2 over the number of rounds.
    pub p: f64,
}

impl PairedBootstrap {
    /// Of these differences, one for each resample.
    pub fn of(differences: &[f64]) -> Self {
        let mut sorted: Vec<f64> =
            differences.iter().copied().filter(|difference| !difference.is_nan()).collect();
        sorted.sort_by(f64::total_cmp);
        let Some(last) = sorted.len().checked_sub(1) else {
            return Self { interval: (f64::NAN, f64::NAN), p: 1.0 };
        };
        let at = |share: f64| sorted[(share * last as f64).round() as usize];
        let not_above = sorted.iter().filter(|difference| **difference <= 0.0).count();
        let not_below = sorted.iter().filter(|difference| **difference >= 0.0).count();
        let tail = not_above.min(not_below).max(1) as f64 / sorted.len() as f64;
        Self { interval: (at(TAIL), at(1.0 - TAIL)), p: (2.0 * tail).min(1.0) }
    }
}

/// The signed-rank test of differences between pairs.
///
/// ```
/// use maxmargin::metrics::SignedRanks;
/// let found = SignedRanks::of(&[0.5, 1.0, 0.0, 2.0, 3.0, 0.7, -0.1]);
/// assert_eq!((found.above, found.below, found.rank_sum), (5, 1, 20.0));
/// assert_eq!(found.p, 4.0 / 64.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SignedRanks {
    /// The number of differences above and below 0. Those that are 0 do not count.
    pub above: usize,
    /// See [`above`](Self::above).
    pub below: usize,
    /// The sum of the ranks of those above 0, equal ones having their mean rank.
    pub rank_sum: f64,
    /// How likely a sum is so far from its mean, on either side, if signs are chance: exact for up to 50 differences, else by the normal
    /// distribution.
    pub p: f64,
}

impl SignedRanks {
    /// Of these differences, one for each pair.
    pub fn of(differences: &[f64]) -> Self {
        let is_one = |difference: &f64| !difference.is_nan() && *difference != 0.0;
        let mut sorted: Vec<f64> = differences.iter().copied().filter(is_one).collect();
        sorted.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
        let (mut doubled, mut ties, mut start) = (Vec::with_capacity(sorted.len()), 0.0, 0);
        for same in sorted.chunk_by(|a, b| a.abs() == b.abs()) {
            // Twice the mean of the ranks start + 1 … start + n.
            doubled.extend(std::iter::repeat_n(2 * start + same.len() + 1, same.len()));
            ties += (same.len() as f64).powi(3) - same.len() as f64;
            start += same.len();
        }
        let above = sorted.iter().filter(|difference| **difference > 0.0).count();
        let positive = sorted.iter().zip(&doubled).filter(|(difference, _)| **difference > 0.0);
        let sum: usize = positive.map(|(_, rank)| rank).sum();
        let p = match sorted.len() {
            0 => 1.0,
            1..=MOST_EXACT => exact_tail(&doubled, sum),
            count => normal_tail(count as f64, ties, sum as f64 / 2.0),
        };
        Self { above, below: sorted.len() - above, rank_sum: sum as f64 / 2.0, p }
    }
}

/// The share of all signs whose sum of doubled ranks is as far from its mean as this one.
fn exact_tail(doubled: &[usize], sum: usize) -> f64 {
    let total: usize = doubled.iter().sum();
    let mut shares = vec![0.0; total + 1];
    shares[0] = 1.0;
    let mut most = 0;
    for &rank in doubled {
        for at in (0..=most).rev() {
            shares[at] /= 2.0;
            shares[at + rank] += shares[at];
        }
        most += rank;
    }
    let distance = (2 * sum).abs_diff(total);
    let is_far = |at: &usize| (2 * at).abs_diff(total) >= distance;
    (0..=total).filter(is_far).map(|at| shares[at]).sum::<f64>().min(1.0)
}

/// The same by the normal distribution, with a correction for ties and for continuity.
fn normal_tail(count: f64, ties: f64, sum: f64) -> f64 {
    let mean = count * (count + 1.0) / 4.0;
    let variance = count * (count + 1.0) * (2.0 * count + 1.0) / 24.0 - ties / 48.0;
    let distance = ((sum - mean).abs() - 0.5).max(0.0);
    complementary_error(distance / (2.0 * variance).sqrt())
}

/// erfc(x) of x ≥ 0, to some seven digits: a rational fit of Chebyshev's (Press et al., Numerical Recipes, 6.2).
fn complementary_error(x: f64) -> f64 {
    const FIT: [f64; 10] = [
        -1.265_512_23,
        1.000_023_68,
        0.374_091_96,
        0.096_784_18,
        -0.186_288_06,
        0.278_868_07,
        -1.135_203_98,
        1.488_515_87,
        -0.822_152_23,
        0.170_872_77,
    ];
    let t = 1.0 / (1.0 + 0.5 * x);
    let power = FIT.iter().rev().fold(0.0, |sum, factor| sum * t + factor);
    t * (power - x * x).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The share of all signs with a sum so far from the mean, one by one.
    fn listed(differences: &[f64]) -> f64 {
        let sizes: Vec<f64> = differences.iter().map(|difference| difference.abs()).collect();
        let rank = |size: f64| {
            let below = sizes.iter().filter(|other| **other < size).count() as f64;
            let same = sizes.iter().filter(|other| **other == size).count() as f64;
            below + (same + 1.0) / 2.0
        };
        let ranks: Vec<f64> = sizes.iter().map(|&size| rank(size)).collect();
        let total: f64 = ranks.iter().sum();
        let distance = |is_above: &dyn Fn(usize) -> bool| {
            let sum: f64 = (0..ranks.len()).filter(|&k| is_above(k)).map(|k| ranks[k]).sum();
            (sum - total / 2.0).abs()
        };
        let here = distance(&|k| differences[k] > 0.0);
        let signs = 1u32 << ranks.len();
        let far = (0..signs).filter(|signs| distance(&|k| signs >> k & 1 == 1) >= here - 1e-9);
        far.count() as f64 / f64::from(signs)
    }

    #[test]
    fn few_differences_are_tested_exactly() {
        let mut random = Pcg64Mcg::seed_from_u64(4);
        for round in 0..60 {
            let count = round % 10;
            let mut difference =
                || f64::from(random.random_range(1..6) * if random.random_bool(0.7) { 1 } else { -1 });
            let differences: Vec<f64> = (0..count).map(|_| difference()).collect();
            let found = SignedRanks::of(&differences);
            assert!((found.p - listed(&differences)).abs() < 1e-12, "{differences:?}: {found:?}");
        }
    }

    #[test]
    fn many_differences_are_nearly_normal() {
        let mut random = Pcg64Mcg::seed_from_u64(5);
        for _ in 0..20 {
            let differences: Vec<f64> = (0..MOST_EXACT).map(|_| random.random_range(-1.0..1.3)).collect();
            let found = SignedRanks::of(&differences);
            let normal = normal_tail(MOST_EXACT as f64, 0.0, found.rank_sum);
            assert!((found.p - normal).abs() < 0.01 * found.p + 0.002, "{} and {normal}", found.p);
        }
        // From a table.
        assert!((complementary_error(1.0) - 0.157_299_2).abs() < 1e-6);
        assert!((complementary_error(3.0) / 2.209_05e-5 - 1.0).abs() < 1e-5);
    }

    #[test]
    fn resamples_find_differences_and_no_others() {
        let mut random = Pcg64Mcg::seed_from_u64(6);
        let noise: Vec<f64> = (0..400).map(|_| random.random_range(-1.0..1.0)).collect();
        let drawn = resamples(noise.len(), 1000, 7);
        let differences = |shift: f64| -> Vec<f64> {
            let mean = |some: &Vec<usize>| some.iter().map(|&i| noise[i] + shift).sum::<f64>() / 400.0;
            drawn.iter().map(mean).collect()
        };
        let (none, some) = (PairedBootstrap::of(&differences(0.0)), PairedBootstrap::of(&differences(0.3)));
        assert!(none.p > 0.05 && none.interval.0 < 0.0 && none.interval.1 > 0.0, "{none:?}");
        assert!(some.p < 0.01 && some.interval.0 > 0.0, "{some:?}");
        // The interval of a mean is about two standard deviations wide on each side.
        let width = none.interval.1 - none.interval.0;
        assert!((0.09..0.14).contains(&width), "{width}");
    }
}
