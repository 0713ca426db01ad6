//! The part scores of trees, from outside.
//!
//! | block | shape |
//! | --- | --- |
//! | arcs | (words + 1) × words: head, 0 being the root, and word |
//! | relations | (words + 1) × words × relations |
//!
//! An arc with a relation is worth the sum of both. Scores of words above themselves count nowhere.

use super::{DependencyTree, ParsingScores, ParsingStructure, Sentence};
use crate::structure::{PartBlock, Parts};

impl Parts<ParsingStructure> for ParsingStructure {
    fn blocks(&self, x: &Sentence) -> Vec<PartBlock> {
        let words = x.len();
        vec![
            PartBlock::new("arcs", &[words + 1, words]),
            PartBlock::new("relations", &[words + 1, words, self.relations]),
        ]
    }

    fn scores_from_parts(&self, x: &Sentence, parts: &[f64], scores: &mut ParsingScores) -> f64 {
        let words = x.len();
        let (arcs, relations) = parts.split_at((words + 1) * words);
        scores.reset(words, self.relations);
        let mut extent = 0.0;
        for word in 1..=words {
            let mut largest = 0.0_f64;
            for head in (0..=words).filter(|&head| head != word) {
                let place = head * words + word - 1;
                let of_arc = &relations[place * self.relations..(place + 1) * self.relations];
                let row = scores.row_mut(head, word);
                for (score, part) in row.iter_mut().zip(of_arc) {
                    *score = arcs[place] + part;
                    largest = largest.max(arcs[place].abs() + part.abs());
                }
                scores.settle(head, word);
            }
            extent += largest;
        }
        extent
    }

    fn add_parts(&self, x: &Sentence, y: &DependencyTree, factor: f64, gradient: &mut [f64]) {
        let words = x.len();
        let (arcs, relations) = gradient.split_at_mut((words + 1) * words);
        for (head, word, relation) in y.arcs() {
            let place = head * words + word - 1;
            arcs[place] += factor;
            relations[place * self.relations + relation as usize] += factor;
        }
    }
}
