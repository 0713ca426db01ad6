//! The part scores of landmarks, from outside.
//!
//! | block | shape |
//! | --- | --- |
//! | cells, for each part | rows × columns of its window |
//! | edges | edges × 4: what u, v, u², v² are worth; or one number for each weight of tables |

use super::deformation::QUADRATIC;
use super::{Deformation, LandmarkInput, LandmarkScores, LandmarkStructure};
use crate::linear::largest_size;
use crate::structure::{PartBlock, Parts};

impl Parts<LandmarkStructure> for LandmarkStructure {
    fn blocks(&self, _: &LandmarkInput) -> Vec<PartBlock> {
        let windows = self.windows().iter();
        let cells = windows.map(|window| PartBlock::new("cells", &[window.height, window.width]));
        let weights = self.edge_starts().last().copied().unwrap_or(0);
        let edges = match self.deformation() {
            Deformation::Quadratic { .. } => PartBlock::new("edges", &[self.edges().len(), QUADRATIC]),
            Deformation::Table => PartBlock::new("edges", &[weights]),
        };
        cells.chain([edges]).collect()
    }

    fn scores_from_parts(&self, _: &LandmarkInput, parts: &[f64], scores: &mut LandmarkScores) -> f64 {
        let (cells, edges) = parts.split_at(self.cell_starts[self.parts()]);
        scores.cells.clear();
        scores.cells.extend_from_slice(cells);
        self.score_edges(edges, &mut scores.links);
        let largest = (0..self.parts()).map(|part| largest_size(self.cell_of(cells, part)));
        largest.sum::<f64>() + self.edges_extent(edges)
    }

    fn add_parts(&self, _: &LandmarkInput, y: &Vec<u32>, factor: f64, gradient: &mut [f64]) {
        let (cells, edges) = gradient.split_at_mut(self.cell_starts[self.parts()]);
        for (&cell, start) in y.iter().zip(&self.cell_starts) {
            cells[start + cell as usize] += factor;
        }
        for edge in 0..self.edges().len() {
            self.for_each_edge_feature(edge, y, |place, value| edges[place] += factor * value);
        }
    }
}
