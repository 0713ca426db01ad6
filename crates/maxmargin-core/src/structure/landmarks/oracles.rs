//! The oracles of landmarks beyond decoding: the k best labels, and max-marginals.

use super::{LandmarkInput, LandmarkScores, LandmarkStructure, Window, rank};
use crate::inference::PlacementTable;
use crate::structure::{Confidence, Found, KBest, MaxMarginals, Mix};

impl KBest<LandmarkStructure> for LandmarkStructure {
    fn k_best(
        &self,
        x: &LandmarkInput,
        truth: Option<&Vec<u32>>,
        scores: &mut LandmarkScores,
        mix: Mix,
        k: usize,
    ) -> Vec<Found<Vec<u32>>> {
        let mut table = PlacementTable::default();
        let links = self.fill(x, truth, scores, mix, |score, loss| rank(mix, score, loss), &mut table);
        let best = table.k_best(&self.tree, &links, k);
        best.into_iter().map(|label| self.found(x, scores, truth, label)).collect()
    }
}

/// The variables are parts; a value is a cell.
impl MaxMarginals<LandmarkStructure> for LandmarkStructure {
    fn values(&self, _: &LandmarkInput, y: &Vec<u32>) -> Vec<u32> {
        y.clone()
    }

    fn confidences(
        &self,
        _: &LandmarkInput,
        scores: &mut LandmarkScores,
        best: &Found<Vec<u32>>,
    ) -> Vec<Confidence> {
        let sizes = self.windows().iter().map(Window::size);
        scores.table.fill(&self.tree, sizes, scores.cells.iter().copied(), &scores.links);
        let marginals = scores.table.max_marginals(&self.tree, &scores.links);
        let of_part = |(part, &cell): (usize, &u32)| {
            let cells = (0..).zip(self.cell_of(&marginals, part)).filter(|(other, _)| *other != cell);
            Confidence::exactly(best, cells.map(|(_, &worth)| worth).fold(f64::NEG_INFINITY, f64::max))
        };
        best.label.iter().enumerate().map(of_part).collect()
    }
}
