//! Risks under any surrogate by definition: the label plane with all labels listed, and the objective from it.

use maxmargin::risk::Risk;
use maxmargin::search::Strategy;
use maxmargin::surrogate::Surrogate;
use maxmargin::tasks::SearchOptions;

use super::polytope::Fraction;
use super::problem::{Problem, TaskKind, dot};

/// A label of an example: h = ⟨slope, w⟩ + constant, and g.
#[derive(Debug, Clone)]
pub struct Label {
    pub slope: Vec<f64>,
    /// 0, but for Micro-F1 |y Δ y_i|.
    pub constant: f64,
    pub g: f64,
}

impl Label {
    /// (h, g).
    pub fn point(&self, w: &[f64]) -> (f64, f64) {
        (dot(&self.slope, w) + self.constant, self.g)
    }

    /// So far on the way to another label.
    pub fn mix(&self, other: &Label, share: f64) -> Label {
        let between = |a: f64, b: f64| a + share * (b - a);
        Label {
            slope: self.slope.iter().zip(&other.slope).map(|(&a, &b)| between(a, b)).collect(),
            constant: between(self.constant, other.constant),
            g: between(self.g, other.g),
        }
    }

    /// The plane (slope, offset) that touches ψ at w.
    pub fn tangent(&self, surrogate: Surrogate, w: &[f64]) -> (Vec<f64>, f64) {
        let (h, g) = self.point(w);
        let by_h = match surrogate.is_linear() {
            true => surrogate.value(1.0, g) - surrogate.value(0.0, g),
            false => surrogate.gradient(h, g).0,
        };
        let slope: Vec<f64> = self.slope.iter().map(|a| by_h * a).collect();
        let offset = surrogate.value(h, g) - dot(&slope, w);
        (slope, offset)
    }
}

/// A problem with a surrogate and a search for its most violated labels.
#[derive(Debug, Clone)]
pub struct Surrogated {
    pub problem: Problem,
    pub surrogate: Surrogate,
    pub strategy: Option<Strategy>,
    /// Micro-F1: the label that is in no set.
    pub background: Option<u32>,
}

impl Surrogated {
    /// The problem with a loss that fits the surrogate.
    pub fn new(problem: &Problem, surrogate: Surrogate, strategy: Option<Strategy>) -> Self {
        let mut problem = problem.clone();
        if surrogate.needs_hamming() {
            (problem.costs, problem.mean) = (None, false);
        }
        if surrogate == Surrogate::MicroF1 && !problem.has_sizes() {
            problem.costs = None;
        }
        Self { problem, surrogate, strategy, background: None }
    }

    /// The risk as the library sees it, with nothing remembered.
    pub fn risk(&self) -> Box<dyn Risk> {
        self.try_risk().unwrap()
    }

    /// The risk, or why the library refuses it.
    pub fn try_risk(&self) -> maxmargin::Result<Box<dyn Risk>> {
        let &Self { surrogate, strategy, background, .. } = self;
        let (task, data) = (self.problem.task(), self.problem.data());
        let options = SearchOptions { surrogate, strategy, step: None, background };
        task.risk(&*data, &task.search(&options, &*data)?)
    }

    /// Whether the search is for this problem: strata of label sets need a loss that counts mistakes, up to a factor, and whole
    /// labels. Panics where the library thinks otherwise.
    pub fn applies(&self) -> bool {
        let needs_strata = self.strategy == Some(Strategy::Stratified) || !self.surrogate.is_monotone();
        let applies = self.has_strata() || !needs_strata;
        assert_eq!(applies, self.try_risk().is_ok(), "{:?}, {self:?}", self.try_risk().err());
        applies
    }

    /// Whether the best label of every loss can be found.
    pub fn has_strata(&self) -> bool {
        let counts = |costs: &[f64]| costs[0] > 0.0 && costs.iter().all(|cost| *cost == costs[0]);
        self.problem.kind != TaskKind::Multilabel
            || !self.problem.sets.relaxed && self.problem.costs.as_deref().is_none_or(counts)
    }

    /// All labels of an example.
    pub fn labels(&self, i: usize) -> Vec<Label> {
        let truth = &self.problem.samples[i].truth;
        let of_truth = self.problem.phi(i, truth);
        // A set has 0 for what is not in it.
        let is_set = matches!(self.problem.kind, TaskKind::Multilabel | TaskKind::Matching);
        let background = if is_set { Some(0) } else { self.background };
        // A link that is only possible is not in the truth, and no mistake either.
        let is_graph = self.problem.kind == TaskKind::Matching;
        let counts = |label: u32| Some(label) != background && !(is_graph && label == 2);
        let weight = |position: usize| match self.problem.kind {
            TaskKind::Multilabel => self.problem.set_cost(position, true),
            _ => 1.0,
        };
        let size = |y: &[u32]| -> f64 {
            y.iter()
                .enumerate()
                .filter(|(_, label)| counts(**label))
                .map(|(position, _)| weight(position))
                .sum()
        };
        let label = |y: &Vec<u32>| {
            let slope = self.problem.phi(i, y).iter().zip(&of_truth).map(|(a, b)| a - b).collect();
            if self.surrogate != Surrogate::MicroF1 {
                return Label { slope, constant: 0.0, g: self.problem.loss(i, y) };
            }
            let common = y.iter().zip(truth).enumerate().filter(|(_, (y, truth))| y == truth);
            let common = common.filter(|(_, (y, _))| Some(**y) != background);
            let common: f64 = common.map(|(position, _)| weight(position)).sum();
            let sizes = size(y) + size(truth);
            let possible = y.iter().zip(truth).filter(|(y, truth)| is_graph && (**y, **truth) == (1, 2));
            Label { slope, constant: sizes - 2.0 * common - possible.count() as f64, g: -sizes }
        };
        if self.problem.sets.relaxed {
            return self.fractional_labels(i, &self.problem.vertices());
        }
        self.problem.labels_of(i).iter().map(label).collect()
    }

    /// Fractional label sets as labels of an example.
    pub fn fractional_labels(&self, i: usize, sets: &[Fraction]) -> Vec<Label> {
        let problem = &self.problem;
        let of_truth = problem.phi(i, &problem.samples[i].truth);
        let truth = problem.samples[i].truth.iter().enumerate().filter(|(_, label)| **label == 1);
        let size_of_truth: f64 = truth.map(|(label, _)| problem.set_cost(label, true)).sum();
        let label = |set: &Fraction| {
            let slope = problem.phi_at(i, set).iter().zip(&of_truth).map(|(a, b)| a - b).collect();
            let (_, wrong, size) = problem.losses_at(i, set);
            match self.surrogate {
                Surrogate::MicroF1 => Label { slope, constant: wrong, g: -size - size_of_truth },
                _ => Label { slope, constant: 0.0, g: problem.loss_at(i, set) },
            }
        };
        sets.iter().map(label).collect()
    }

    /// Whether mixes of two labels count.
    pub fn is_fractional(&self) -> bool {
        self.strategy == Some(Strategy::HullFractional) || self.problem.sets.relaxed
    }

    /// The most violated label, or mix of two, and its ψ.
    pub fn worst(&self, labels: &[Label], w: &[f64]) -> (Label, f64) {
        let points: Vec<(f64, f64)> = labels.iter().map(|label| label.point(w)).collect();
        let (pair, share, value) = match self.is_fractional() {
            true if self.problem.sets.relaxed => best_of_border(&points, self.surrogate),
            true => best_mix(&points, self.surrogate),
            false => best_label(&points, self.surrogate),
        };
        (labels[pair.0].mix(&labels[pair.1], share), value)
    }

    /// F(w).
    pub fn objective(&self, lambda: f64, w: &[f64]) -> f64 {
        let samples = &self.problem.samples;
        let share = |i: usize| samples[i].weight * self.worst(&self.labels(i), w).1 / samples.len() as f64;
        0.5 * lambda * dot(w, w) + (0..samples.len()).map(share).sum::<f64>()
    }
}

/// Two points, the share of the second, and ψ there.
pub type Best = ((usize, usize), f64, f64);

pub fn best_label(points: &[(f64, f64)], surrogate: Surrogate) -> Best {
    let value = |i: usize| surrogate.value(points[i].0, points[i].1);
    let best = (0..points.len()).fold(0, |best, i| if value(i) > value(best) { i } else { best });
    ((best, best), 0.0, value(best))
}

/// The best point of the hull: on the way between two labels. Each way is searched by thirds from the best of many starts,
/// without any derivative.
pub fn best_mix(points: &[(f64, f64)], surrogate: Surrogate) -> Best {
    const PARTS: usize = 24;
    let mut best = best_label(points, surrogate);
    // A label with less h and less g than another is no end of an edge that matters.
    let below = |a: &(f64, f64), b: &(f64, f64)| a.0 < b.0 && a.1 < b.1;
    let ends: Vec<usize> =
        (0..points.len()).filter(|&i| !points.iter().any(|other| below(&points[i], other))).collect();
    for (place, &i) in ends.iter().enumerate() {
        for &j in &ends[..place] {
            let (a, b) = (points[i], points[j]);
            let at = |s: f64| surrogate.value(a.0 + s * (b.0 - a.0), a.1 + s * (b.1 - a.1));
            let part = |k: usize| k as f64 / PARTS as f64;
            let top = (0..=PARTS).max_by(|&i, &j| at(part(i)).total_cmp(&at(part(j)))).unwrap();
            let (mut low, mut high) = (part(top.saturating_sub(1)), part((top + 1).min(PARTS)));
            for _ in 0..60 {
                let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
                if at(left) < at(right) {
                    low = left;
                } else {
                    high = right;
                }
            }
            let share = 0.5 * (low + high);
            if at(share) > best.2 {
                best = ((i, j), share, at(share));
            }
        }
    }
    best
}

/// [`best_mix`] of many points, for ψ that rises with h and g: only the upper right border of their hull matters.
pub fn best_of_border(points: &[(f64, f64)], surrogate: Surrogate) -> Best {
    assert!(surrogate.is_monotone());
    let mut order: Vec<usize> = (0..points.len()).collect();
    // From the largest g down; of equal g the largest h comes first.
    order.sort_by(|&a, &b| (points[b].1, points[b].0).partial_cmp(&(points[a].1, points[a].0)).unwrap());
    let mut border: Vec<usize> = Vec::new();
    for i in order {
        if border.last().is_some_and(|&last| points[i].0 <= points[last].0) {
            continue;
        }
        // Whether the second of three points lies below the line from the first to the third.
        let is_below = |a: (f64, f64), b: (f64, f64), c: (f64, f64)| {
            (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0) >= 0.0
        };
        while let [.., a, b] = border[..] {
            if !is_below(points[a], points[b], points[i]) {
                break;
            }
            border.pop();
        }
        border.push(i);
    }
    let on_border: Vec<(f64, f64)> = border.iter().map(|&i| points[i]).collect();
    let ((a, b), share, value) = best_mix(&on_border, surrogate);
    ((border[a], border[b]), share, value)
}
