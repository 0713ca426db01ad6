//! What flips of one label have in common.
//!
//! With four indicators for each pair of n labels, a label l that joins an otherwise empty set changes "neither" into "l
//! only" in all of its n − 1 pairs, whatever the input is. This direction u_l has ‖u_l‖² = 2(n − 1), where a row of features
//! may have a norm of a few, and small sets differ by little else. The bias belongs to it: with the value f by which a flip
//! changes the bias, ⟨u_k, u_l⟩ = (f² + 2n − 3)·[k = l] + 1, because two labels share the "neither" of their pair. The
//! orthonormal directions are U G^(−1/2), and G^(−1/2) is a number times the identity less a number times the mean.

use super::{LabelSet, MultilabelStructure, PairWeights};
use crate::linear::CommonDirections;

/// With fewer labels, flips differ more by their inputs than they have in common, and other remedies are quicker.
const FEWEST_LABELS: usize = 24;

impl MultilabelStructure {
    /// Whether flips are much alike.
    pub(super) fn has_common_flips(&self) -> bool {
        self.options.pair_weights == PairWeights::Four
            && self.graph.is_complete()
            && self.labels() >= FEWEST_LABELS
    }

    /// By how much a flip changes the bias.
    fn bias_of_flip(&self) -> f64 {
        if self.options.bias { self.unit() } else { 0.0 }
    }

    /// Adds factor · ⟨u_l, φ(x,y)⟩ for each l, up to a constant that is the same for all sets.
    ///
    /// "l only" less "neither" of a pair (l,j) is (μ_l − μ_lj) − (1 − μ_l − μ_j + μ_lj), to be summed over j.
    pub(super) fn add_flips(&self, y: &LabelSet, factor: f64, flips: &mut [f64]) {
        let size = y.size();
        flips.iter_mut().for_each(|flip| *flip += factor * size);
        let bias = self.bias_of_flip() * self.bias_of_flip();
        let alone = bias + 2.0 * self.labels() as f64 - 3.0;
        for &label in y.on() {
            flips[label as usize] += factor * (alone - 2.0 * (size - 1.0));
        }
        for &(label, share) in y.parts() {
            flips[label as usize] += factor * share.get() * (alone - 2.0 * y.on().len() as f64);
        }
        for &(edge, share) in y.pairs() {
            let (i, j) = self.graph.edges()[edge as usize];
            flips[i as usize] -= 2.0 * factor * share.get();
            flips[j as usize] -= 2.0 * factor * share.get();
        }
    }

    /// G^(−1/2).
    pub(super) fn orthonormalize(&self, flips: &mut [f64]) {
        let n = flips.len() as f64;
        let alone = self.bias_of_flip() * self.bias_of_flip() + 2.0 * n - 3.0;
        let shared = (1.0 - (alone / (alone + n)).sqrt()) / n * flips.iter().sum::<f64>();
        flips.iter_mut().for_each(|flip| *flip = (*flip - shared) / alone.sqrt());
    }

    /// Where the biases are, and the weights of pairs after them.
    fn constants<'a>(&self, w: &'a [f64]) -> (&'a [f64], &'a [[f64; 4]]) {
        let (biases, pairs) = w[self.features * self.labels()..].split_at(self.biases());
        (biases, pairs.as_chunks().0)
    }

    fn biases(&self) -> usize {
        if self.options.bias { self.labels() } else { 0 }
    }
}

impl CommonDirections for MultilabelStructure {
    fn count(&self) -> usize {
        self.labels()
    }

    fn parts_of(&self, w: &[f64], parts: &mut [f64]) {
        parts.fill(0.0);
        let (biases, pairs) = self.constants(w);
        for (part, bias) in parts.iter_mut().zip(biases) {
            *part = self.bias_of_flip() * bias;
        }
        for ([neither, second, first, _], &(i, j)) in pairs.iter().zip(self.graph.edges()) {
            parts[i as usize] += first - neither;
            parts[j as usize] += second - neither;
        }
        self.orthonormalize(parts);
    }

    fn add_to(&self, parts: &[f64], w: &mut [f64]) {
        let mut flips = parts.to_vec();
        self.orthonormalize(&mut flips);
        let (biases, pairs) = w[self.features * self.labels()..].split_at_mut(self.biases());
        for (bias, flip) in biases.iter_mut().zip(&flips) {
            *bias += self.bias_of_flip() * flip;
        }
        for ([neither, second, first, _], &(i, j)) in
            pairs.as_chunks_mut().0.iter_mut().zip(self.graph.edges())
        {
            *neither -= flips[i as usize] + flips[j as usize];
            *second += flips[j as usize];
            *first += flips[i as usize];
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;
    use crate::features::{FeatureMatrix, Rows};
    use crate::inference::LabelGraph;
    use crate::structure::{MultilabelOptions, Structure};

    const LABELS: usize = 7;

    fn task(bias: bool, signed: bool) -> MultilabelStructure {
        let options = MultilabelOptions { bias, signed, ..MultilabelOptions::default() };
        MultilabelStructure::new(2, LabelGraph::complete(LABELS).unwrap(), options).unwrap()
    }

    fn close(a: &[f64], b: &[f64]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    #[test]
    fn directions_are_orthonormal() {
        for (bias, signed) in [(false, false), (true, false), (true, true)] {
            let task = task(bias, signed);
            for k in 0..LABELS {
                let mut unit = [0.0; LABELS];
                unit[k] = 1.0;
                let mut w = vec![0.0; task.dim()];
                task.add_to(&unit, &mut w);
                let mut parts = [0.0; LABELS];
                task.parts_of(&w, &mut parts);
                assert!(close(&parts, &unit), "{bias} {signed}: {parts:?}");
            }
        }
    }

    #[test]
    fn parts_of_labels_are_those_of_their_features() {
        let random = &mut Pcg64Mcg::seed_from_u64(5);
        let x = Rows::new(&FeatureMatrix::from_dense(&[[2.0, -3.0]]).into(), 0..1);
        for round in 0..300 {
            let task = task(round % 2 == 0, round % 4 == 0);
            let edges = task.graph.edges().len();
            let coupling: Vec<f64> = (0..edges).map(|_| random.random_range(-1.0..1.0)).collect();
            let mut vertex = || {
                let halves: [u8; LABELS] = std::array::from_fn(|_| random.random_range(0..3));
                LabelSet::of_halves(&halves, &task.graph, &coupling)
            };
            let (truth, a, b) = (LabelSet::of(&[1, 4]), vertex(), vertex());
            let y = if round % 3 == 0 { a.between(&b, 0.3, &task.graph) } else { a };
            let mut difference = vec![0.0; task.dim()];
            task.add_difference(&x, &y, &truth, 1.5, &mut difference);
            let (mut expected, mut parts) = ([0.0; LABELS], [0.0; LABELS]);
            task.parts_of(&difference, &mut expected);
            task.add_common_parts(&y, &truth, 1.5, &mut parts);
            assert!(close(&parts, &expected), "{y:?}: {parts:?} against {expected:?}");
        }
    }
}
