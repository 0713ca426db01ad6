//! The part scores of a chain, from outside.
//!
//! | block | shape |
//! | --- | --- |
//! | positions | length × labels |
//! | transitions | labels × labels: before, after |
//! | first and last, with boundary weights | labels each |

use super::{ChainScores, ChainStructure};
use crate::features::Rows;
use crate::linear::largest_size;
use crate::structure::{PartBlock, Parts};

impl ChainStructure {
    /// Where the blocks after the first one begin, in a chain of this length.
    fn part_starts(&self, length: usize) -> [usize; 3] {
        let transitions = length * self.labels;
        let first = transitions + self.labels * self.labels;
        [transitions, first, first + self.labels]
    }
}

impl Parts<ChainStructure> for ChainStructure {
    fn blocks(&self, x: &Rows) -> Vec<PartBlock> {
        let labels = self.labels;
        let mut blocks = vec![
            PartBlock::new("positions", &[x.len(), labels]),
            PartBlock::new("transitions", &[labels, labels]),
        ];
        if self.options.boundary {
            blocks.extend([PartBlock::new("first", &[labels]), PartBlock::new("last", &[labels])]);
        }
        blocks
    }

    fn count(&self, x: &Rows) -> usize {
        let boundary = if self.options.boundary { 2 } else { 0 };
        (x.len() + self.labels + boundary) * self.labels
    }

    fn scores_from_parts(&self, x: &Rows, parts: &[f64], scores: &mut ChainScores) -> f64 {
        let labels = self.labels;
        let [transitions, first, last] = self.part_starts(x.len());
        scores.unary.clear();
        scores.unary.extend_from_slice(&parts[..transitions]);
        scores.transition.clear();
        scores.transition.extend_from_slice(&parts[transitions..first]);
        let of_step = largest_size(&scores.unary) + largest_size(&scores.transition);
        let mut extent = of_step * x.len() as f64;
        if self.options.boundary && !x.is_empty() {
            extent += largest_size(&parts[first..last]) + largest_size(&parts[last..]);
            let add = |out: &mut [f64], parts: &[f64]| {
                out.iter_mut().zip(parts).for_each(|(out, part)| *out += part)
            };
            add(&mut scores.unary[..labels], &parts[first..last]);
            add(&mut scores.unary[(x.len() - 1) * labels..], &parts[last..]);
        }
        extent
    }

    fn add_parts(&self, x: &Rows, y: &Vec<u32>, factor: f64, gradient: &mut [f64]) {
        let labels = self.labels;
        let [transitions, first, last] = self.part_starts(x.len());
        for (t, &label) in y.iter().enumerate() {
            gradient[t * labels + label as usize] += factor;
        }
        for pair in y.windows(2) {
            gradient[transitions + pair[0] as usize * labels + pair[1] as usize] += factor;
        }
        if let (true, Some(&start), Some(&end)) = (self.options.boundary, y.first(), y.last()) {
            gradient[first + start as usize] += factor;
            gradient[last + end as usize] += factor;
        }
    }
}
