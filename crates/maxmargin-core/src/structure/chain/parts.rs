//! The part scores of a chain, from outside.
//!
//! | block | shape |
//! | --- | --- |
//! | positions | length × labels |
//! | transitions | labels × labels: before, after |
//! | first and last, with boundary weights | labels each |
//! | steps, with features of pairs | (length − 1) × labels × labels: before, after |
//! | triples, in second order | labels × labels × labels: before, middle, after; or one for each that has a weight |

use super::triples::Triples;
use super::{ChainScores, ChainStructure};
use crate::features::Rows;
use crate::linear::largest_size;
use crate::structure::{PartBlock, Parts};

impl ChainStructure {
    /// Where the blocks after the first one begin, in a chain of this length.
    fn part_starts(&self, length: usize) -> [usize; 5] {
        let transitions = length * self.labels;
        let first = transitions + self.labels * self.labels;
        let last = first + self.labels;
        let steps = if self.options.boundary { last + self.labels } else { first };
        let step_values = if self.pairs > 0 { length.saturating_sub(1) * self.label_pairs() } else { 0 };
        [transitions, first, last, steps, steps + step_values]
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
        if self.pairs > 0 {
            blocks.push(PartBlock::new("steps", &[x.len().saturating_sub(1), labels, labels]));
        }
        match &self.triples {
            None => {}
            Some(Triples::All) => blocks.push(PartBlock::new("triples", &[labels, labels, labels])),
            Some(Triples::Seen(numbers)) => blocks.push(PartBlock::new("triples", &[numbers.len()])),
        }
        blocks
    }

    fn count(&self, x: &Rows) -> usize {
        self.part_starts(x.len())[4] + self.triple_weights()
    }

    fn scores_from_parts(&self, x: &Rows, parts: &[f64], scores: &mut ChainScores) -> f64 {
        let labels = self.labels;
        let [transitions, first, last, steps, triples] = self.part_starts(x.len());
        scores.unary.clear();
        scores.unary.extend_from_slice(&parts[..transitions]);
        scores.transition.clear();
        scores.transition.extend_from_slice(&parts[transitions..first]);
        let of_step = largest_size(&scores.unary) + largest_size(&scores.transition);
        let mut extent = of_step * x.len() as f64;
        if self.options.boundary && !x.is_empty() {
            extent += largest_size(&parts[first..last]) + largest_size(&parts[last..steps]);
            let add = |out: &mut [f64], parts: &[f64]| {
                out.iter_mut().zip(parts).for_each(|(out, part)| *out += part)
            };
            add(&mut scores.unary[..labels], &parts[first..last]);
            add(&mut scores.unary[(x.len() - 1) * labels..], &parts[last..steps]);
        }
        if self.pairs > 0 {
            extent += largest_size(&parts[steps..triples]) * x.len() as f64;
            let transition = scores.transition.iter().cycle();
            scores.steps.clear();
            scores.steps.extend(parts[steps..triples].iter().zip(transition).map(|(step, part)| step + part));
        }
        self.score_triples(&parts[triples..], &mut scores.triples);
        extent + largest_size(&scores.triples) * x.len() as f64
    }

    fn add_parts(&self, x: &Rows, y: &Vec<u32>, factor: f64, gradient: &mut [f64]) {
        let labels = self.labels;
        let [transitions, first, last, steps, triples] = self.part_starts(x.len());
        for (t, &label) in y.iter().enumerate() {
            gradient[t * labels + label as usize] += factor;
        }
        for pair in y.windows(2) {
            gradient[transitions + pair[0] as usize * labels + pair[1] as usize] += factor;
        }
        if self.pairs > 0 {
            let of_steps = gradient[steps..triples].chunks_exact_mut(labels * labels);
            for (step, pair) in of_steps.zip(y.windows(2)) {
                step[pair[0] as usize * labels + pair[1] as usize] += factor;
            }
        }
        if let (true, Some(&start), Some(&end)) = (self.options.boundary, y.first(), y.last()) {
            gradient[first + start as usize] += factor;
            gradient[last + end as usize] += factor;
        }
        let of_triples = &mut gradient[triples..];
        y.windows(3).filter_map(|y| self.triple_place(y)).for_each(|place| of_triples[place] += factor);
    }
}
