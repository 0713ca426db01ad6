//! The part scores of a matching, from outside: one for each edge.

use super::{Links, MatchingScores, MatchingStructure};
use crate::linear::largest_size;
use crate::structure::{Graph, PartBlock, Parts};

impl Parts<MatchingStructure> for MatchingStructure {
    fn blocks(&self, x: &Graph) -> Vec<PartBlock> {
        vec![PartBlock::new("edges", &[x.edges().len()])]
    }

    fn scores_from_parts(&self, x: &Graph, parts: &[f64], scores: &mut MatchingScores) -> f64 {
        scores.begin(parts.len()).copy_from_slice(parts);
        largest_size(parts) * (1 + self.most_links(x)) as f64
    }

    fn add_parts(&self, _x: &Graph, y: &Links, factor: f64, gradient: &mut [f64]) {
        y.on.iter().for_each(|&edge| gradient[edge as usize] += factor);
    }
}
