//! Features, and all that is made of them: differences, inner products, scores, flows and parts.

use rand::RngExt;
use rand_pcg::Pcg64Mcg;

use super::{Listed, wrong};
use crate::error::Result;
use crate::linear::{CooVector, Precise, dot};
use crate::structure::Structure;

/// How far two sums of the same features may differ, as a share of the numbers involved.
const CLOSE: f64 = 1e-9;

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs() / (1.0 + a.abs() + b.abs())).fold(0.0, f64::max)
}

impl<S: Structure> Listed<'_, S> {
    /// φ(x,y), dense.
    fn phi(&self, label: &S::Label) -> Result<Vec<f64>> {
        let mut terms = CooVector::default();
        self.structure.add_features(self.input, label, 1.0, &mut terms);
        self.dense(&terms, label)
    }

    fn dense(&self, terms: &CooVector, label: &S::Label) -> Result<Vec<f64>> {
        let dim = self.structure.dim();
        if let Some((place, _)) = terms.iter().find(|(place, _)| *place >= dim) {
            return wrong(format!("{label:?} has the feature {place}, but there are {dim} weights"));
        }
        let mut dense = vec![0.0; dim];
        terms.add_to(1.0, &mut dense);
        Ok(dense)
    }

    pub(super) fn check_features(&self) -> Result<()> {
        let Self { structure, input, truth, .. } = self;
        let kernel = structure.kernel(input);
        let of_truth = self.phi(truth)?;
        for y in self.some_labels() {
            let phi = self.phi(y)?;
            for z in self.some_labels() {
                let other = self.phi(z)?;
                let mut terms = CooVector::default();
                structure.add_difference(input, y, z, -2.0, &mut terms);
                let found = self.dense(&terms, y)?;
                let expected: Vec<f64> = phi.iter().zip(&other).map(|(a, b)| -2.0 * (a - b)).collect();
                if distance(&found, &expected) > CLOSE {
                    return wrong(format!(
                        "add_difference from {z:?} to {y:?}: {found:?} instead of {expected:?}"
                    ));
                }
                let product = structure.product(input, &kernel, truth, y, z);
                let from =
                    |phi: &[f64]| -> Vec<f64> { phi.iter().zip(&of_truth).map(|(a, b)| a - b).collect() };
                let expected = dot(&from(&phi), &from(&other));
                if distance(&[product], &[expected]) > CLOSE {
                    return wrong(format!(
                        "product of {y:?} and {z:?} from {truth:?}: {product} instead of {expected}"
                    ));
                }
            }
        }
        Ok(())
    }

    /// Scores are inner products of weights and features, up to what the magnitude allows.
    pub(super) fn check_scores(&self, weights: &[f64], scores: &mut S::Scores) -> Result<()> {
        let Self { structure, input, magnitude, .. } = self;
        let norm = crate::risk::norm_bound(weights);
        let noise = magnitude.noise(norm);
        let mut precise = S::Scores::default();
        let precisely = structure.score_precisely(weights, norm, input, magnitude, &mut precise);
        let (mut lazy, mut begin) = (S::Scores::default(), true);
        for label in &self.labels {
            let mut sum = Precise::default();
            self.phi(label)?.iter().zip(weights).for_each(|(phi, w)| sum.add_product(*phi, *w));
            let expected = sum.get();
            let of = |scores: &S::Scores| structure.score_of(input, scores, label);
            // Features are themselves rounded once for each weight.
            let rounded = 2.0 * magnitude.repeats * f64::EPSILON * magnitude.norm * norm;
            // What is no number is not within bounds either.
            let is_within = |score: f64, error: f64| (score - expected).abs() <= error + rounded;
            if !is_within(of(scores), noise.error) {
                let problem = format!("score_of {label:?} is {}, ⟨w, φ⟩ is {expected}", of(scores));
                return wrong(format!("{problem}; magnitude allows for {:e}", noise.error));
            }
            structure.score_for(weights, input, label, std::mem::replace(&mut begin, false), &mut lazy);
            if of(&lazy) != of(scores) {
                return wrong(format!("score_for {label:?} leads to {}, score to {}", of(&lazy), of(scores)));
            }
            if let Some(noise) = precisely
                && !is_within(of(&precise), noise.error)
            {
                let problem = format!("score_precisely makes {} of {label:?}", of(&precise));
                return wrong(format!("{problem} instead of {expected}, and claims {:e}", noise.error));
            }
        }
        Ok(())
    }

    /// Labels as flows: they obey the network, and have the scores, losses and features of labels.
    pub(super) fn check_flows(&self, random: &mut Pcg64Mcg) -> Result<()> {
        let Self { structure, input, truth, .. } = self;
        let Some(flow) = structure.offers().flow else { return Ok(()) };
        let polytope = flow.polytope(input, truth);
        let weights: Vec<f64> = (0..structure.dim()).map(|_| random.random_range(-1.0..1.0)).collect();
        let arcs = flow.arcs(input);
        if polytope.network.arcs().len() != arcs || polytope.losses.len() != arcs {
            return wrong(format!("{arcs} arcs, but a network or losses with another number of them"));
        }
        let mut arc_scores = vec![0.0; arcs];
        flow.arc_scores(&weights, input, &mut arc_scores);
        for label in &self.labels {
            let z = flow.label_flow(input, label);
            let limits = polytope.network.arcs().iter().zip(&z);
            if z.len() != arcs || limits.clone().any(|(arc, &z)| !(0.0..=arc.capacity).contains(&z)) {
                return wrong(format!("the flow {z:?} of {label:?} is outside its limits"));
            }
            if polytope.network.excess(&z) > CLOSE {
                return wrong(format!("the flow {z:?} of {label:?} is not conserved"));
            }
            let phi = self.phi(label)?;
            let mut features = vec![0.0; structure.dim()];
            flow.add_flow_features(input, &z, &mut features);
            let mut by_arcs = vec![0.0; structure.dim()];
            for (arc, _) in z.iter().enumerate().filter(|(_, z)| **z == 1.0) {
                flow.add_arc_features(input, arc, &mut by_arcs);
            }
            let whole = z.iter().all(|&z| z == 0.0 || z == 1.0);
            if distance(&features, &phi) > CLOSE || (whole && distance(&by_arcs, &phi) > CLOSE) {
                return wrong(format!(
                    "the flow of {label:?} has other features: {features:?}, {by_arcs:?}, {phi:?}"
                ));
            }
            let numbers = [dot(&z, &arc_scores), polytope.loss(&z)];
            let expected = [dot(&phi, &weights), structure.loss(input, truth, label)];
            if distance(&numbers, &expected) > CLOSE {
                return wrong(format!(
                    "the flow of {label:?}: score and loss {numbers:?} instead of {expected:?}"
                ));
            }
        }
        Ok(())
    }

    /// Part scores from outside: a label's score is the sum of its parts, and the oracles decode them like any others.
    pub(super) fn check_parts(&self, round: usize, random: &mut Pcg64Mcg) -> Result<()> {
        let Self { structure, input, .. } = self;
        let Some(of_parts) = structure.offers().parts else { return Ok(()) };
        let blocks = of_parts.blocks(input);
        let count: usize = blocks.iter().map(crate::structure::PartBlock::len).sum();
        if count != of_parts.count(input) {
            return wrong(format!("{blocks:?} hold {count} part scores, and not {}", of_parts.count(input)));
        }
        let mut part = || match round % 2 {
            0 => f64::from(random.random_range(-2..=2)),
            _ => random.random_range(-1.0..1.0),
        };
        let parts: Vec<f64> = (0..count).map(|_| part()).collect();
        let mut scores = S::Scores::default();
        let extent = of_parts.scores_from_parts(input, &parts, &mut scores);
        for label in &self.labels {
            let mut counts = vec![0.0; count];
            of_parts.add_parts(input, label, 1.0, &mut counts);
            let (expected, score) = (dot(&counts, &parts), structure.score_of(input, &scores, label));
            if distance(&[score], &[expected]) > CLOSE {
                return wrong(format!(
                    "{label:?} has the score {score}, and its parts {expected}: {counts:?}"
                ));
            }
            let size: f64 = counts.iter().zip(&parts).map(|(count, part)| (count * part).abs()).sum();
            if size > extent * (1.0 + CLOSE) {
                return wrong(format!("the parts of {label:?} come to {size}, more than the bound {extent}"));
            }
        }
        self.check_oracles(&mut scores, self.magnitude.noise_of_parts(extent))
    }
}
