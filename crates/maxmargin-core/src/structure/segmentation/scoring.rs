//! The scores of all segments of a sequence.

use super::templates::TemplateScores;
use super::{SegmentInput, SegmentationStructure, Widths};
use crate::features::Row;
use crate::inference::{Segment, SegmentMemory, SegmentTable, StratifiedSegments};
use crate::linear::{Precise, add_row_products, dispatch, largest_size, precise_row_products};
use crate::structure::Mix;

/// The scores of one sequence, with the decoder's working memory.
#[derive(Debug, Clone, Default)]
pub struct SegmentationScores {
    /// `positions × columns`.
    pub(super) positions: Vec<f64>,
    /// What a segment of each class counts besides, in rows: anywhere, at the beginning, at the end; then of each length, if it matters.
    pub(super) ends: Vec<f64>,
    pub(super) values: SegmentTable,
    /// `classes × classes`.
    pub(super) steps: Vec<f64>,
    pub(super) augmented: SegmentTable,
    /// What there is beside where each class has one length.
    pub(super) templates: TemplateScores,
    pub(super) memory: SegmentMemory,
    pub(super) strata: StratifiedSegments,
}

impl SegmentationScores {
    /// At least what the absolute values of the scores of a cut add up to: one segment at most ends at a position.
    pub(super) fn extent(&self) -> f64 {
        let values = &self.values;
        let of_end = |last: usize| {
            let rows = (1..=values.longest_to(last)).flat_map(|length| values.row(last, length));
            rows.filter(|value| **value > f64::NEG_INFINITY)
                .fold(0.0, |most: f64, value| most.max(value.abs()))
        };
        let steps = largest_size(&self.steps) * values.length() as f64;
        (0..values.length()).map(of_end).sum::<f64>() + steps
    }
}

/// A sum of scores, plain or with twice the digits.
pub(super) trait ScoreSum: Copy + Default {
    fn add(&mut self, x: f64);
    fn add_sum(&mut self, other: Self);
    fn get(self) -> f64;
    /// Adds the products of a row with the weights of each column.
    fn add_products(row: Row<'_>, weights: &[f64], out: &mut [Self]);
    /// Makes each sum but the first that of the one before it and of what is at its own place.
    fn add_moved(before: &[Self], own: &[Self], sums: &mut [Self]);
    /// So many sums of nothing, in the memory of numbers that are not needed any more where that goes.
    fn table(old: &mut Vec<f64>, len: usize) -> Vec<Self>;
    /// The sums as numbers.
    fn keep(table: Vec<Self>, out: &mut Vec<f64>);
}

impl ScoreSum for f64 {
    fn add(&mut self, x: f64) {
        *self += x;
    }

    fn add_sum(&mut self, other: Self) {
        *self += other;
    }

    fn get(self) -> f64 {
        self
    }

    fn add_products(row: Row<'_>, weights: &[f64], out: &mut [Self]) {
        add_row_products(row, weights, out);
    }

    fn add_moved(before: &[Self], own: &[Self], sums: &mut [Self]) {
        #[inline(always)]
        fn body<const FMA: bool>(before: &[f64], own: &[f64], sums: &mut [f64]) {
            let parts = before.iter().zip(&own[1..]);
            sums[1..].iter_mut().zip(parts).for_each(|(sum, (before, own))| *sum = before + own);
        }
        dispatch!(body(before: &[f64], own: &[f64], sums: &mut [f64]))
    }

    fn table(old: &mut Vec<f64>, len: usize) -> Vec<Self> {
        let mut table = std::mem::take(old);
        table.clear();
        table.resize(len, 0.0);
        table
    }

    fn keep(table: Vec<Self>, out: &mut Vec<f64>) {
        *out = table;
    }
}

impl ScoreSum for Precise {
    fn add(&mut self, x: f64) {
        Precise::add(self, x);
    }

    fn add_sum(&mut self, other: Self) {
        Precise::add_sum(self, other);
    }

    fn get(self) -> f64 {
        Precise::get(self)
    }

    fn add_products(row: Row<'_>, weights: &[f64], out: &mut [Self]) {
        precise_row_products(row, weights, out);
    }

    fn add_moved(before: &[Self], own: &[Self], sums: &mut [Self]) {
        let parts = before.iter().zip(&own[1..]);
        for (sum, (&before, &own)) in sums[1..].iter_mut().zip(parts) {
            *sum = before;
            sum.add_sum(own);
        }
    }

    fn table(_old: &mut Vec<f64>, len: usize) -> Vec<Self> {
        vec![Self::default(); len]
    }

    fn keep(table: Vec<Self>, out: &mut Vec<f64>) {
        out.clear();
        out.extend(table.into_iter().map(Self::get));
    }
}

impl SegmentationStructure {
    /// The features of a segment, where it has any.
    pub(super) fn segment_row<'a>(&self, x: &'a SegmentInput, segment: &Segment) -> Option<Row<'a>> {
        let longest = self.options.widths.longest();
        let rows = x.segments.as_ref().filter(|_| segment.len() <= longest)?;
        Some(rows.row((segment.end as usize - 1) * longest + segment.len() - 1))
    }

    /// Scores all segments, in sums of this kind.
    pub(super) fn score_with<S: ScoreSum>(
        &self,
        w: &[f64],
        x: &SegmentInput,
        scores: &mut SegmentationScores,
    ) {
        let (classes, length) = (self.classes(), x.len());
        let mut positions = S::table(&mut scores.positions, length * self.columns());
        scores.ends.clear();
        scores.ends.extend_from_slice(&w[self.bias_start()..self.lengths_start()]);
        scores.ends.extend_from_slice(&w[self.first_start()..]);
        scores.ends.resize(3 * classes, 0.0);
        scores.ends.extend_from_slice(&w[self.lengths_start()..self.transitions_start()]);
        scores.steps.clear();
        scores.steps.extend_from_slice(&w[self.transitions_start()..self.first_start()]);
        let longest = self.options.widths.longest();
        match &self.options.widths {
            Widths::UpTo(_) => {
                self.clear_values(length, scores);
                self.score_free(w, x, &mut positions, scores);
            }
            Widths::Exactly(widths) => {
                // Most of the table has no segments, and is as it was for other sequences.
                if scores.templates.widths != *widths || scores.values.longest() != longest {
                    self.clear_values(length, scores);
                    scores.templates.widths.clone_from(widths);
                }
                scores.values.set_length(length, f64::NEG_INFINITY);
                self.score_templates(w, x, &mut positions, scores);
            }
        }
        S::keep(positions, &mut scores.positions);
    }

    /// A table without any segments, of no templates.
    pub(super) fn clear_values(&self, length: usize, scores: &mut SegmentationScores) {
        scores.templates.widths.clear();
        scores.values.reset(length, self.options.widths.longest(), self.classes(), f64::NEG_INFINITY);
    }

    /// The products of the features of a position with the weights of each column.
    pub(super) fn add_position_products<S: ScoreSum>(
        &self,
        w: &[f64],
        x: &SegmentInput,
        t: usize,
        out: &mut [S],
    ) {
        S::add_products(x.positions.row(t), &w[..self.segments_start()], out);
    }

    /// Scores segments of any length: each goes on from the one that is a position shorter at its start.
    fn score_free<S: ScoreSum>(
        &self,
        w: &[f64],
        x: &SegmentInput,
        positions: &mut [S],
        scores: &mut SegmentationScores,
    ) {
        let (classes, columns, length) = (self.classes(), self.columns(), x.len());
        for (t, out) in positions.chunks_exact_mut(columns).enumerate() {
            self.add_position_products(w, x, t, out);
        }
        let admitted = self.options.widths.by_length();
        let mut sums = vec![S::default(); classes];
        let mut whole = vec![S::default(); classes];
        let mut walk = Vec::new();
        for last in 0..length {
            sums.fill(S::default());
            self.begin_walk(x, &mut walk);
            for (size, admitted) in (1..=last + 1).zip(&admitted) {
                let start = last + 1 - size;
                let segment = Segment::new(start..last + 1, 0);
                sums.iter_mut().zip(&positions[start * columns..]).for_each(|(sum, &x)| sum.add_sum(x));
                whole.copy_from_slice(&sums);
                if self.options.edges {
                    let [first, last] = [start * columns + classes, last * columns + 2 * classes];
                    whole.iter_mut().zip(&positions[first..]).for_each(|(sum, &x)| sum.add_sum(x));
                    whole.iter_mut().zip(&positions[last..]).for_each(|(sum, &x)| sum.add_sum(x));
                }
                self.add_segment_products(w, x, &segment, &mut walk, &mut whole);
                for row in ends(&scores.ends, classes, &segment, length) {
                    whole.iter_mut().zip(row).for_each(|(sum, &w)| sum.add(w));
                }
                let values = scores.values.row_mut(last, size);
                admitted.iter().for_each(|&class| values[class] = whole[class].get());
            }
        }
    }

    /// Begins to go back from a position.
    pub(super) fn begin_walk(&self, x: &SegmentInput, walk: &mut Vec<u64>) {
        self.known_in(x).iter().for_each(|(known, _)| known.begin(walk));
    }

    /// Adds the products with features of the segment itself, for all classes. To be called for all that end with one position, the shortest first.
    pub(super) fn add_segment_products<S: ScoreSum>(
        &self,
        w: &[f64],
        x: &SegmentInput,
        segment: &Segment,
        walk: &mut [u64],
        whole: &mut [S],
    ) {
        if let Some(row) = self.segment_row(x, segment) {
            S::add_products(row, &w[self.segments_start()..self.known_start()], whole);
        }
        if let Some((known, keys)) = self.known_in(x) {
            known.step(keys, segment.start as usize, walk, |feature| {
                let weights = &w[self.known_start() + feature * self.classes()..];
                whole.iter_mut().zip(weights).for_each(|(sum, &w)| sum.add(w));
            });
        }
    }

    /// The score of a cut, whose segments need not be among those that can be found.
    pub(super) fn cut_score(&self, x: &SegmentInput, scores: &SegmentationScores, y: &[Segment]) -> f64 {
        let classes = self.classes();
        let of_segment = |segment: &Segment| {
            let class = segment.class as usize;
            match self.options.widths.admits(class, segment.len()) {
                true => scores.values.value(segment),
                false => self.unfindable_score(x, scores, segment),
            }
        };
        let steps =
            y.windows(2).map(|pair| scores.steps[pair[0].class as usize * classes + pair[1].class as usize]);
        y.iter().map(of_segment).sum::<f64>() + steps.sum::<f64>()
    }

    /// The score of a segment of a truth that is too long: of its positions, and of what each segment counts.
    fn unfindable_score(&self, x: &SegmentInput, scores: &SegmentationScores, segment: &Segment) -> f64 {
        let (classes, columns) = (self.classes(), self.columns());
        let places = segment.positions().enumerate().flat_map(|(place, t)| {
            let columns_at = self.columns_at(segment, place).into_iter().flatten();
            columns_at.map(move |column| scores.positions[t * columns + column])
        });
        let class = segment.class as usize;
        places.sum::<f64>() + ends(&scores.ends, classes, segment, x.len()).map(|row| row[class]).sum::<f64>()
    }

    /// Scores to which the loss is added, so that decoding them maximises a mix with both in it.
    pub(super) fn augment(&self, truth: &[Segment], scores: &mut SegmentationScores, mix: Mix) {
        let factor = mix.loss / mix.score;
        let SegmentationScores { values, augmented, .. } = scores;
        augmented.take_size_of(values);
        let size = (values.longest(), self.classes());
        self.options.loss.for_each_row(self.options.background, truth, size, |last, length, costs| {
            let row = values.row(last, length).iter().zip(costs);
            let row = augmented.row_mut(last, length).iter_mut().zip(row);
            row.for_each(|(augmented, (value, cost))| *augmented = value + factor * cost);
        });
    }
}

/// What a segment of each class counts beside its features, in rows: of the ends of the sequence, and of its length.
fn ends<'a>(
    ends: &'a [f64],
    classes: usize,
    segment: &Segment,
    length: usize,
) -> impl Iterator<Item = &'a [f64]> + use<'a> {
    let rows = [
        (true, 0),
        (segment.start == 0, 1),
        (segment.end as usize == length, 2),
        (ends.len() > 3 * classes, 2 + segment.len()),
    ];
    let there = rows.into_iter().filter(|(is_there, _)| *is_there);
    // There is no weight for a length beyond the longest.
    there.filter_map(move |(_, row)| ends.get(row * classes..(row + 1) * classes))
}
