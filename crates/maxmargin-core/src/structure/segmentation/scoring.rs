//! The scores of all segments of a sequence.

use super::{SegmentInput, SegmentLoss, SegmentationStructure, Widths, classes_of};
use crate::features::Row;
use crate::inference::{Segment, SegmentMemory, SegmentTable, StratifiedSegments};
use crate::linear::{Precise, add_row_products, largest_size, precise_row_products};
use crate::structure::{ChainLoss, LabelCost, Mix};

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
        let columns = self.columns();
        let mut positions = vec![S::default(); length * columns];
        for (t, out) in positions.chunks_exact_mut(columns).enumerate() {
            S::add_products(x.positions.row(t), &w[..self.segments_start()], out);
        }
        scores.ends.clear();
        scores.ends.extend_from_slice(&w[self.bias_start()..self.lengths_start()]);
        scores.ends.extend_from_slice(&w[self.first_start()..]);
        scores.ends.resize(3 * classes, 0.0);
        scores.ends.extend_from_slice(&w[self.lengths_start()..self.transitions_start()]);
        scores.steps.clear();
        scores.steps.extend_from_slice(&w[self.transitions_start()..self.first_start()]);
        let longest = self.options.widths.longest();
        scores.values.reset(length, longest, classes, f64::NEG_INFINITY);
        match &self.options.widths {
            Widths::UpTo(_) => self.score_free(w, x, &positions, scores),
            Widths::Exactly(_) => self.score_templates(w, x, &positions, scores),
        }
        scores.positions.clear();
        scores.positions.extend(positions.into_iter().map(S::get));
    }

    /// Scores segments of any length: each goes on from the one that is a position shorter at its start.
    fn score_free<S: ScoreSum>(
        &self,
        w: &[f64],
        x: &SegmentInput,
        positions: &[S],
        scores: &mut SegmentationScores,
    ) {
        let (classes, columns, length) = (self.classes(), self.columns(), x.len());
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
                admitted.iter().for_each(|&(class, _)| values[class] = whole[class].get());
            }
        }
    }

    /// Scores segments of one length for each class.
    fn score_templates<S: ScoreSum>(
        &self,
        w: &[f64],
        x: &SegmentInput,
        positions: &[S],
        scores: &mut SegmentationScores,
    ) {
        let (classes, columns, length) = (self.classes(), self.columns(), x.len());
        let admitted = self.options.widths.by_length();
        // The template of each class at each first position. Positions are gone through once, and add to the few templates that are over them.
        let mut templates = vec![S::default(); length * classes];
        for (t, position) in positions.chunks_exact(columns).enumerate() {
            for (size, admitted) in (1..).zip(&admitted) {
                for &(class, first) in admitted {
                    for (place, &x) in position[first..first + size].iter().take(t + 1).enumerate() {
                        templates[(t - place) * classes + class].add_sum(x);
                    }
                }
            }
        }
        let has_features = x.segments.is_some() || self.known_in(x).is_some();
        let (mut walk, mut whole) = (Vec::new(), vec![S::default(); classes]);
        for last in 0..length {
            self.begin_walk(x, &mut walk);
            for (size, admitted) in (1..=last + 1).zip(&admitted) {
                let start = last + 1 - size;
                let segment = Segment::new(start..last + 1, 0);
                if has_features {
                    whole.fill(S::default());
                    self.add_segment_products(w, x, &segment, &mut walk, &mut whole);
                }
                let values = scores.values.row_mut(last, size);
                for &(class, _) in admitted {
                    let mut sum = templates[start * classes + class];
                    sum.add_sum(whole[class]);
                    ends(&scores.ends, classes, &segment, length).for_each(|row| sum.add(row[class]));
                    values[class] = sum.get();
                }
            }
        }
    }

    /// Begins to go back from a position.
    fn begin_walk(&self, x: &SegmentInput, walk: &mut Vec<u64>) {
        self.known_in(x).iter().for_each(|(known, _)| known.begin(walk));
    }

    /// Adds the products with features of the segment itself, for all classes. To be called for all that end with one position, the shortest first.
    fn add_segment_products<S: ScoreSum>(
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
        if let (Widths::Exactly(_), SegmentLoss::Positions(loss)) = (&self.options.widths, &self.options.loss)
            && !matches!(loss.cost, LabelCost::Matrix(_))
        {
            return self.augment_templates(loss, truth, values, augmented, factor);
        }
        augmented.take_size_of(values);
        let size = (values.longest(), self.classes());
        self.options.loss.for_each_row(self.options.background, truth, size, |last, length, costs| {
            let row = values.row(last, length).iter().zip(costs);
            let row = augmented.row_mut(last, length).iter_mut().zip(row);
            row.for_each(|(augmented, (value, cost))| *augmented = value + factor * cost);
        });
    }

    /// The same where each class has one length, and costs of positions add up: most of a table has no segments. Costs are counts of mistakes,
    /// so that differences of their sums are exact; those of other costs would cancel.
    fn augment_templates(
        &self,
        loss: &ChainLoss,
        truth: &[Segment],
        values: &SegmentTable,
        augmented: &mut SegmentTable,
        factor: f64,
    ) {
        let (classes, length) = (self.classes(), values.length());
        // The costs of each class before each position.
        let mut before = vec![0.0; (length + 1) * classes];
        for (t, right) in classes_of(truth).enumerate() {
            let (done, next) = before[t * classes..].split_at_mut(classes);
            next[..classes].copy_from_slice(done);
            loss.cost.for_each(right, classes, |class, cost| next[class] += cost);
        }
        let factor = factor * loss.unit(length);
        values.map_into(augmented, |value| value);
        let admitted = self.options.widths.by_length();
        for last in 0..length {
            for (size, admitted) in (1..=last + 1).zip(&admitted) {
                let (start, end) = ((last + 1 - size) * classes, (last + 1) * classes);
                let row = augmented.row_mut(last, size);
                for &(class, _) in admitted {
                    row[class] += factor * (before[end + class] - before[start + class]);
                }
            }
        }
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
