//! The part scores of label sets, from outside: one for each label, and one or four for each pair in the graph.
//!
//! With signed features a label that is out has minus its score.

use super::{LabelSet, MultilabelScores, MultilabelStructure, PairWeights};
use crate::features::Rows;
use crate::structure::{PartBlock, Parts};

impl Parts<MultilabelStructure> for MultilabelStructure {
    fn blocks(&self, _x: &Rows) -> Vec<PartBlock> {
        let edges = self.graph.edges().len();
        let pairs = match self.options.pair_weights {
            PairWeights::Four => PartBlock::new("pairs", &[edges, 4]),
            PairWeights::Both => PartBlock::new("pairs", &[edges]),
        };
        vec![PartBlock::new("labels", &[self.labels()]), pairs]
    }

    fn scores_from_parts(&self, _x: &Rows, parts: &[f64], scores: &mut MultilabelScores) -> f64 {
        let (labels, pairs) = parts.split_at(self.labels());
        scores.begin(labels.len(), self.graph.edges().len()).copy_from_slice(labels);
        self.finish_scores(pairs, scores);
        let size = |parts: &[f64]| parts.iter().map(|part| part.abs()).sum::<f64>();
        // A signed label counts in the score of no label and twice in its own, a pair in four places.
        3.0 * size(labels) + 4.0 * size(pairs)
    }

    fn add_parts(&self, _x: &Rows, y: &LabelSet, factor: f64, gradient: &mut [f64]) {
        let (labels, pairs) = gradient.split_at_mut(self.labels());
        let mut shares = vec![0.0; labels.len()];
        y.fill(&mut shares);
        for (part, &share) in labels.iter_mut().zip(&shares) {
            *part += factor * if self.options.signed { 2.0 * share - 1.0 } else { share };
        }
        self.each_pair_indicator((y, &shares), |place, indicator| pairs[place] += factor * indicator);
    }
}
