//! The plane of SLACK §4.2: every label is a point (h, g), and there are few enough to look at each.

pub mod angular;
pub mod hull;

use std::f64::consts::FRAC_PI_2;

use rand::RngExt;
use rand_pcg::Pcg64Mcg;

/// One label: h from its margin error, g from its loss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Label {
    pub h: f64,
    pub g: f64,
}

impl Label {
    /// Φ(y) = h·g: slack rescaling, where h stands for 1 + m.
    pub fn phi(self) -> f64 {
        self.h * self.g
    }

    /// ∂(y) = g/h.
    pub fn slope(self) -> f64 {
        self.g / self.h
    }

    /// What the λ-oracle maximises, h + λg; for λ = ∞ what is left of it, g.
    pub fn value(self, lambda: f64) -> f64 {
        if lambda == f64::INFINITY { self.g } else { self.h + lambda * self.g }
    }

    /// a·self + (1 − a)·other.
    pub fn mix(self, other: Label, a: f64) -> Label {
        Label { h: a * self.h + (1.0 - a) * other.h, g: a * self.g + (1.0 - a) * other.g }
    }
}

/// The label of greatest value among those that are `allowed`. Ties go to the greater h, for λ = 0 to the greater g,
/// then to the earlier label.
pub fn oracle_among(labels: &[Label], lambda: f64, allowed: impl Fn(Label) -> bool) -> Option<usize> {
    let key = |y: Label| (y.value(lambda), if lambda == 0.0 { y.g } else { y.h });
    let better = |a: Label, b: Label| key(a) > key(b);
    (0..labels.len())
        .filter(|&y| allowed(labels[y]))
        .reduce(|a, b| if better(labels[b], labels[a]) { b } else { a })
}

/// O(λ) = argmax h + λg.
pub fn oracle(labels: &[Label], lambda: f64) -> usize {
    oracle_among(labels, lambda, |_| true).expect("there is a label")
}

/// Φ* by enumeration.
pub fn best_phi(labels: &[Label]) -> f64 {
    labels.iter().map(|y| y.phi()).fold(f64::MIN, f64::max)
}

/// Ĥ and Ĝ: the greatest h and the greatest g.
pub fn extremes(labels: &[Label]) -> (f64, f64) {
    labels.iter().fold((f64::MIN, f64::MIN), |(h, g), y| (h.max(y.h), g.max(y.g)))
}

/// Whole numbers with small factors: slopes meet often, and Φ is exact.
pub fn whole_labels(random: &mut Pcg64Mcg) -> Vec<Label> {
    let count = random.random_range(2..16);
    let number =
        |random: &mut Pcg64Mcg| [1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 9.0, 12.0, 16.0][random.random_range(0..9)];
    (0..count).map(|_| Label { h: number(random), g: number(random) }).collect()
}

/// Labels with h from `low` to 2 and g from 0 to 8, most of them near an arc so that the hull has many vertices, after
/// the true label at (`truth`, 0).
pub fn labels_around(random: &mut Pcg64Mcg, truth: f64, low: f64) -> Vec<Label> {
    let count = random.random_range(2..13);
    let mut labels = vec![Label { h: truth, g: 0.0 }];
    labels.extend((0..count).map(|_| {
        let (angle, radius) = (random.random_range(0.0..FRAC_PI_2), random.random_range(0.7..1.0));
        Label { h: low + (2.0 - low) * radius * angle.cos(), g: 8.0 * radius * angle.sin() }
    }));
    labels
}
