//! All sets of few labels, with their scores.
//!
//! Sets are bit masks: bit i is label i. The table of scores grows by doubling: a set whose last label is i scores what the
//! rest scores, plus unary_i and the couplings of i to the rest. The latter are themselves a sum of two tables over halves
//! of the labels, so that a set costs two additions.

use super::BinaryField;
use crate::error::{Error, Result};

/// The most labels whose sets are listed: the table takes 8 MB.
pub const MOST_LABELS: usize = 20;

/// The scores of all sets; working memory that is reused from field to field.
#[derive(Debug, Clone, Default)]
pub struct AllSets {
    scores: Vec<f64>,
    /// The couplings of one label to the sets of the lower and of the upper half of the labels before it.
    low: Vec<f64>,
    high: Vec<f64>,
}

impl AllSets {
    /// Computes the score of each set. Refused for more than [`MOST_LABELS`] labels.
    pub fn fill(&mut self, field: BinaryField<'_>) -> Result<()> {
        let labels = field.graph.labels();
        if labels > MOST_LABELS {
            let problem = format!("all sets can be listed of up to {MOST_LABELS} labels, not of {labels}");
            return Err(Error::parameter("labels", problem));
        }
        let coupling = |j: usize, i: usize| field.graph.edge(j, i).map_or(0.0, |e| field.coupling[e]);
        self.fill_with(labels, |i| field.unary[i], coupling);
        Ok(())
    }

    /// Computes the score of each set from unaries and couplings (of a smaller and a larger label) by number.
    pub(super) fn fill_with(
        &mut self,
        labels: usize,
        unary: impl Fn(usize) -> f64,
        coupling: impl Fn(usize, usize) -> f64,
    ) {
        self.scores.resize(1 << labels, 0.0);
        self.scores[0] = 0.0;
        for i in 0..labels {
            let middle = i / 2;
            self.low.clear();
            self.low.push(unary(i));
            self.high.clear();
            self.high.push(0.0);
            for j in 0..i {
                let coupling = coupling(j, i);
                let half = if j < middle { &mut self.low } else { &mut self.high };
                for set in 0..half.len() {
                    half.push(half[set] + coupling);
                }
            }
            let (without, with) = self.scores.split_at_mut(1 << i);
            let blocks = without.chunks_exact(1 << middle).zip(with.chunks_exact_mut(1 << middle));
            for (high, (without, with)) in self.high.iter().zip(blocks) {
                for ((with, without), low) in with.iter_mut().zip(without).zip(&self.low) {
                    *with = without + (low + high);
                }
            }
        }
    }

    /// The score of each set; the set is the index.
    #[cfg(test)]
    pub fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// The number of labels.
    pub fn labels(&self) -> usize {
        self.scores.len().max(1).ilog2() as usize
    }

    /// A best set, the first of equals, with its score.
    pub fn best(&self) -> (u32, f64) {
        self.best_by(|_, score| score)
    }

    /// The set with the largest value of a function of sets and their scores; the first of equals.
    pub fn best_by<V: PartialOrd>(&self, value: impl Fn(u32, f64) -> V) -> (u32, f64) {
        let score = |set: usize| self.scores.get(set).copied().unwrap_or(0.0);
        let mut best = 0;
        let mut largest = value(0, score(0));
        for (set, &score) in self.scores.iter().enumerate().skip(1) {
            let here = value(set as u32, score);
            if here > largest {
                (best, largest) = (set, here);
            }
        }
        (best as u32, score(best))
    }

    /// For each number of differences from a set, from none to all, a best set, the first of equals, with its score.
    pub fn best_by_distance(&self, truth: u32) -> Vec<(u32, f64)> {
        let differences = |set: u32| (set ^ truth).count_ones() as usize;
        self.best_by_key(self.labels(), differences).into_iter().flatten().collect()
    }

    /// For each key from 0 to `most` a best set among those with that key, the first of equals, with its score; none where
    /// there is no such set. Sets with larger keys are left out.
    pub fn best_by_key(&self, most: usize, key: impl Fn(u32) -> usize) -> Vec<Option<(u32, f64)>> {
        let mut best = vec![(u32::MAX, f64::NEG_INFINITY); most + 1];
        for (set, &score) in self.scores.iter().enumerate() {
            if let Some(best) = best.get_mut(key(set as u32))
                && (score > best.1 || best.0 == u32::MAX)
            {
                *best = (set as u32, score);
            }
        }
        best.into_iter().map(|best| (best.0 != u32::MAX).then_some(best)).collect()
    }

    /// The score of the best set that has a label, or of the best that has it not.
    pub fn best_where(&self, label: usize, is_on: bool) -> f64 {
        let halves = self.scores.chunks_exact(2 << label).map(|sets| sets.split_at(1 << label));
        let half = halves.flat_map(|(without, with)| if is_on { with } else { without });
        half.fold(f64::NEG_INFINITY, |best, &score| best.max(score))
    }

    /// The k best sets with their scores, best first, the smaller set first among equals; fewer where there are fewer.
    pub fn k_best(&self, k: usize) -> Vec<(u32, f64)> {
        let k = k.min(self.scores.len());
        if k == 0 {
            return Vec::new();
        }
        let better = |a: &(u32, f64), b: &(u32, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        let mut best: Vec<(u32, f64)> = Vec::with_capacity(2 * k);
        let mut least = f64::NEG_INFINITY;
        for (set, &score) in self.scores.iter().enumerate() {
            // Adding 0.0 turns −0.0 into 0.0, which `total_cmp` would keep apart.
            let score = score + 0.0;
            if best.len() < k || score > least {
                best.push((set as u32, score));
                if best.len() >= 2 * k {
                    best.select_nth_unstable_by(k - 1, better);
                    best.truncate(k);
                    least = best[k - 1].1;
                }
            }
        }
        best.sort_unstable_by(better);
        best.truncate(k);
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::LabelGraph;

    #[test]
    fn no_labels_have_one_set() {
        let graph = LabelGraph::independent(0);
        let mut sets = AllSets::default();
        sets.fill(BinaryField { graph: &graph, unary: &[], coupling: &[] }).expect("few labels");
        assert_eq!((sets.best(), sets.k_best(5)), ((0, 0.0), vec![(0, 0.0)]));
        assert_eq!((sets.best_by_distance(0), sets.k_best(0)), (vec![(0, 0.0)], vec![]));
        assert_eq!(AllSets::default().best(), (0, 0.0));
    }

    #[test]
    fn too_many_labels_are_refused() {
        let graph = LabelGraph::independent(21);
        let field = BinaryField { graph: &graph, unary: &[0.0; 21], coupling: &[] };
        assert!(AllSets::default().fill(field).is_err());
    }

    #[test]
    fn keys_without_a_set_are_left_empty() {
        let graph = LabelGraph::independent(2);
        let mut sets = AllSets::default();
        sets.fill(BinaryField { graph: &graph, unary: &[1.0, 2.0], coupling: &[] }).expect("few labels");
        let by_key = sets.best_by_key(4, |set| 2 * set.count_ones() as usize);
        assert_eq!(by_key, [Some((0, 0.0)), None, Some((2, 2.0)), None, Some((3, 3.0))]);
        // Score first, then the fewest labels.
        assert_eq!(sets.best_by(|set, score| (score.min(2.0), -(set.count_ones() as i32))), (2, 2.0));
    }
}
