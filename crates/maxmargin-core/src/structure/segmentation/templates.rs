//! Classes of one width: each has a template, as in BUNDLE (15).
//!
//! A template that ends at a position goes on from its own first places that end one position before, so that a row of columns, moved by one, is added to the next:
//! `columns` additions a position, whatever the widths. Of all lengths each class has one, so that what is decoded is a row of classes for each position.

use super::scoring::ScoreSum;
use super::{SegmentInput, SegmentLoss, SegmentationScores, SegmentationStructure, Widths, classes_of};
use crate::inference::{Segment, best_segments_of_widths};
use crate::structure::{ChainLoss, LabelCost, Mix};

/// Scores of templates, where there are any, and what is made of them.
#[derive(Debug, Clone, Default)]
pub(super) struct TemplateScores {
    /// The widths of the templates of which the scores are; empty where there are none.
    pub(super) widths: Vec<u32>,
    /// By last position and class; −∞ where a template would begin before the first position.
    values: Vec<f64>,
    /// The same with the loss.
    augmented: Vec<f64>,
    /// How many positions of each template have its class.
    right: Vec<f64>,
}

impl SegmentationStructure {
    /// Scores segments of one length for each class.
    pub(super) fn score_templates<S: ScoreSum>(
        &self,
        w: &[f64],
        x: &SegmentInput,
        positions: &mut [S],
        scores: &mut SegmentationScores,
    ) {
        let SegmentationScores { ends, values, templates, .. } = scores;
        let TemplateScores { widths, values: of_templates, .. } = templates;
        let (classes, columns, length) = (self.classes(), self.columns(), x.len());
        let has_features = x.segments.is_some() || self.known_in(x).is_some();
        let has_lengths = ends.len() > 3 * classes;
        let own_lengths: Vec<f64> = match has_lengths {
            true => (0..classes).map(|class| ends[(2 + widths[class] as usize) * classes + class]).collect(),
            false => Vec::new(),
        };
        // The sums of each template up to each of its places, that place being over this position, and over the one before.
        let (mut sums, mut before) = (vec![S::default(); columns], vec![S::default(); columns]);
        let mut whole = vec![S::default(); classes];
        of_templates.clear();
        of_templates.reserve(length * classes);
        for (last, position) in positions.chunks_exact_mut(columns).enumerate() {
            self.add_position_products(w, x, last, position);
            std::mem::swap(&mut sums, &mut before);
            S::add_moved(&before, position, &mut sums);
            self.first_columns.iter().for_each(|&first| sums[first] = position[first]);
            match has_features {
                true => self.sum_features(w, x, last, &mut whole),
                false => whole.fill(S::default()),
            }
            let templates = self.first_columns.iter().zip(&*widths);
            for (whole, (first, &width)) in whole.iter_mut().zip(templates) {
                whole.add_sum(sums[first + width as usize - 1]);
            }
            add_row(&mut whole, &ends[..classes]);
            for (class, _) in widths.iter().enumerate().filter(|(_, width)| **width as usize == last + 1) {
                whole[class].add(ends[classes + class]);
            }
            if last + 1 == length {
                add_row(&mut whole, &ends[2 * classes..3 * classes]);
            }
            add_row(&mut whole, &own_lengths);
            let ending = values.ending_mut(last);
            for (class, (whole, &width)) in whole.iter().zip(&*widths).enumerate() {
                let is_there = width as usize <= last + 1;
                let value = if is_there { whole.get() } else { f64::NEG_INFINITY };
                of_templates.push(value);
                ending[(width as usize - 1) * classes + class] = value;
            }
        }
    }

    /// The products with features of the segments that end with a position, for each class that of its own length.
    fn sum_features<S: ScoreSum>(&self, w: &[f64], x: &SegmentInput, last: usize, whole: &mut [S]) {
        let (mut walk, mut row) = (Vec::new(), vec![S::default(); self.classes()]);
        self.begin_walk(x, &mut walk);
        whole.fill(S::default());
        for size in 1..=self.options.widths.longest().min(last + 1) {
            row.fill(S::default());
            let segment = Segment::new(last + 1 - size..last + 1, 0);
            self.add_segment_products(w, x, &segment, &mut walk, &mut row);
            for (class, (whole, sum)) in whole.iter_mut().zip(&row).enumerate() {
                if self.options.widths.admits(class, size) {
                    *whole = *sum;
                }
            }
        }
    }

    /// The cut that maximises a mix of score and loss where each class has one length and every wrong position costs the same. None where that
    /// is not so, or scores come from elsewhere.
    pub(super) fn best_templates(
        &self,
        truth: &[Segment],
        scores: &mut SegmentationScores,
        mix: Mix,
    ) -> Option<Vec<Segment>> {
        let (Widths::Exactly(widths), SegmentLoss::Positions(loss)) =
            (&self.options.widths, &self.options.loss)
        else {
            return None;
        };
        let ChainLoss { cost: LabelCost::ZeroOne, .. } = loss else { return None };
        let SegmentationScores { templates, steps, memory, values, .. } = scores;
        if templates.widths != *widths {
            return None;
        }
        templates.augment(truth, mix.loss / mix.score * loss.unit(values.length()));
        let mut cut = Vec::new();
        best_segments_of_widths(&templates.augmented, widths, steps, memory, &mut cut);
        Some(cut)
    }
}

impl TemplateScores {
    /// Adds what wrong positions cost. They are counted, so that sums are exact.
    fn augment(&mut self, truth: &[Segment], factor: f64) {
        let Self { widths, values, augmented, right } = self;
        let classes = widths.len();
        let length = values.len() / classes;
        right.clear();
        right.resize(values.len(), 0.0);
        for (t, class) in classes_of(truth).enumerate().filter(|(_, class)| (*class as usize) < classes) {
            let class = class as usize;
            for last in t..length.min(t + widths[class] as usize) {
                right[last * classes + class] += 1.0;
            }
        }
        augmented.clear();
        augmented.reserve(values.len());
        for (values, right) in values.chunks_exact(classes).zip(right.chunks_exact(classes)) {
            let row = values.iter().zip(right).zip(&*widths);
            augmented.extend(row.map(|((value, right), &width)| value + factor * (f64::from(width) - right)));
        }
    }
}

fn add_row<S: ScoreSum>(sums: &mut [S], row: &[f64]) {
    sums.iter_mut().zip(row).for_each(|(sum, &x)| sum.add(x));
}
