//! Fractional label sets by definition: points of the local polytope 0 ≤ μ_ij ≤ min(μ_i, μ_j), μ_ij ≥ μ_i + μ_j − 1.
//!
//! Its vertices have halves only (Padberg 1989), so that for few labels they can be listed. φ and the loss are linear in μ;
//! they are written out here from the documentation and share no code with the library.

use maxmargin::tasks::multilabel::Pairs;
use proptest::prelude::*;

use super::problem::{Problem, Sizes, TaskKind, problems};

/// A fractional set: how far each label is in, and the two labels of each pair together.
#[derive(Debug, Clone, PartialEq)]
pub struct Fraction {
    pub nodes: Vec<f64>,
    pub pairs: Vec<f64>,
}

/// Random problems about label sets in which all pairs have weights, or those of neighbours in a ring: relaxed, so that
/// labels are fractional.
pub fn relaxed(labels: std::ops::RangeInclusive<usize>, samples: usize) -> BoxedStrategy<Problem> {
    let sizes = Sizes { features: 1..=3, labels, lengths: 1..=1, samples: 1..=samples, weighted: true };
    (problems(TaskKind::Multilabel, sizes), any::<bool>())
        .prop_map(|(mut problem, is_ring)| {
            let labels = problem.labels as u32;
            let all = (0..labels).flat_map(|i| (i + 1..labels).map(move |j| (i, j)));
            let are_neighbours = |&(i, j): &(u32, u32)| j == i + 1 || (i, j) == (0, labels - 1);
            let pairs: Vec<(u32, u32)> = all.filter(|pair| !is_ring || are_neighbours(pair)).collect();
            problem.sets.given = if is_ring { Pairs::Listed(pairs.clone()) } else { Pairs::All };
            problem.sets.pairs = pairs;
            problem.sets.relaxed = true;
            problem
        })
        .boxed()
}

/// The least and the largest μ_ij.
fn range(i: f64, j: f64) -> (f64, f64) {
    ((i + j - 1.0).max(0.0), i.min(j))
}

impl Problem {
    /// All sets of halves, with all μ_ij that are at an end of their range: every vertex of the polytope is among them.
    pub fn vertices(&self) -> Vec<Fraction> {
        let mut vertices = Vec::new();
        for nodes in self.halves() {
            let mut all = vec![Vec::new()];
            for &(i, j) in &self.sets.pairs {
                let (least, most) = range(nodes[i as usize], nodes[j as usize]);
                let ends = if least == most { vec![least] } else { vec![least, most] };
                let with = |&end: &f64| all.iter().map(move |pairs: &Vec<f64>| [&pairs[..], &[end]].concat());
                all = ends.iter().flat_map(with).collect();
            }
            vertices.extend(all.into_iter().map(|pairs| Fraction { nodes: nodes.clone(), pairs }));
        }
        vertices
    }

    /// All sets of halves, with the μ_ij that have the best score: the vertices that some mix of score and loss prefers are
    /// among them.
    pub fn best_vertices(&self, i: usize, w: &[f64]) -> Vec<Fraction> {
        let (_, _, coupling) = self.coefficients(i, w);
        let pair = |nodes: &[f64], e: usize| {
            let (first, second) = self.sets.pairs[e];
            let (least, most) = range(nodes[first as usize], nodes[second as usize]);
            if coupling[e] > 0.0 { most } else { least }
        };
        let pairs = |nodes: &[f64]| (0..coupling.len()).map(|e| pair(nodes, e)).collect();
        self.halves().into_iter().map(|nodes| Fraction { pairs: pairs(&nodes), nodes }).collect()
    }

    /// 0, ½ or 1 for each label.
    fn halves(&self) -> Vec<Vec<f64>> {
        let digits = |number: usize| move |label: u32| (number / 3usize.pow(label) % 3) as f64 / 2.0;
        let labels = self.labels as u32;
        (0..3usize.pow(labels)).map(|number| (0..labels).map(digits(number)).collect()).collect()
    }

    /// φ(x,μ), dense.
    pub fn phi_at(&self, i: usize, set: &Fraction) -> Vec<f64> {
        let mut phi = vec![0.0; self.dim()];
        self.phi_parts_at(i, set).into_iter().for_each(|(j, value)| phi[j] += value);
        phi
    }

    /// φ(x,μ) as entries that are still to be added up. They are exact for halves: products of 0, ½ or 1 with the data.
    pub fn phi_parts_at(&self, i: usize, set: &Fraction) -> Vec<(usize, f64)> {
        let row = &self.samples[i].rows[0];
        let mut parts = Vec::new();
        for (label, &mu) in set.nodes.iter().enumerate() {
            let factor = if self.sets.signed { 2.0 * mu - 1.0 } else { mu };
            parts.extend(row.iter().enumerate().map(|(j, &value)| (j * self.labels + label, factor * value)));
            if self.bias {
                parts.push((self.features * self.labels + label, factor));
            }
        }
        let start = (self.features + usize::from(self.bias)) * self.labels;
        for ((e, &(first, second)), &both) in self.sets.pairs.iter().enumerate().zip(&set.pairs) {
            let (first, second) = (set.nodes[first as usize], set.nodes[second as usize]);
            let indicators = [1.0 - first - second + both, second - both, first - both, both];
            match self.sets.both_only {
                true => parts.push((start + e, both)),
                false => {
                    parts.extend(indicators.into_iter().enumerate().map(|(k, on)| (start + 4 * e + k, on)))
                }
            }
        }
        parts
    }

    /// The loss without division, and |μ Δ truth|, and |μ|.
    pub fn losses_at(&self, i: usize, set: &Fraction) -> (f64, f64, f64) {
        let truth = &self.samples[i].truth;
        let wrong = set.nodes.iter().zip(truth).map(|(mu, &truth)| (mu - f64::from(truth)).abs());
        let weighted: f64 =
            wrong.enumerate().map(|(label, wrong)| self.set_cost(label, truth[label] == 1) * wrong).sum();
        let size = set.nodes.iter().enumerate().map(|(label, share)| self.set_cost(label, true) * share);
        (weighted, weighted, size.sum())
    }

    /// L_i(μ).
    pub fn loss_at(&self, i: usize, set: &Fraction) -> f64 {
        self.losses_at(i, set).0 / if self.mean { self.labels as f64 } else { 1.0 }
    }

    /// ⟨w, φ(x,μ)⟩ = constant + Σ unary_i·μ_i + Σ coupling_ij·μ_ij.
    pub fn coefficients(&self, i: usize, w: &[f64]) -> (f64, Vec<f64>, Vec<f64>) {
        let nothing = Fraction { nodes: vec![0.0; self.labels], pairs: vec![0.0; self.sets.pairs.len()] };
        let score = |set: &Fraction| super::problem::dot(w, &self.phi_at(i, set));
        let constant = score(&nothing);
        let with = |change: &dyn Fn(&mut Fraction)| {
            let mut set = nothing.clone();
            change(&mut set);
            score(&set) - constant
        };
        let unary = (0..self.labels).map(|label| with(&|set| set.nodes[label] = 1.0)).collect();
        let coupling = (0..self.sets.pairs.len()).map(|e| with(&|set| set.pairs[e] = 1.0)).collect();
        (constant, unary, coupling)
    }
}
