//! The oracles of a segmentation beyond decoding: the best cut of every loss, the k best, cuts as sets, and max-marginals.

use super::loss::{set_loss, size};
use super::{
    SegmentInput, SegmentLoss, SegmentationOptions, SegmentationScores, SegmentationStructure, Widths,
};
use crate::error::{Error, Result};
use crate::inference::{Lexicographic, Segment, SegmentTable, best_cuts_elsewhere, k_best_segments};
use crate::structure::{Confidence, Found, KBest, LabelSets, MaxMarginals, Mix, ScoreStratum, Stratified};

/// The most values in a table of all losses: 256 MB, for each thread.
const LARGEST_TABLE: f64 = (1u64 << 25) as f64;

impl SegmentationStructure {
    /// The longest segments, and the number of classes.
    fn size_of_rows(&self) -> (usize, usize) {
        (self.options.widths.longest(), self.classes())
    }
}

impl KBest<SegmentationStructure> for SegmentationStructure {
    fn k_best(
        &self,
        x: &SegmentInput,
        truth: Option<&Vec<Segment>>,
        scores: &mut SegmentationScores,
        mix: Mix,
        k: usize,
    ) -> Vec<Found<Vec<Segment>>> {
        // At the ends of the λ-oracle dividing by the length changes no order, but would make sums of whole costs
        // inexact and so hide ties.
        let loss = match &self.options.loss {
            SegmentLoss::Positions(loss) if mix.score == 0.0 || mix.loss == 0.0 => {
                &SegmentLoss::Positions(crate::structure::ChainLoss { mean: false, ..loss.clone() })
            }
            loss => loss,
        };
        let value = |score: f64, cost: f64| {
            if score == f64::NEG_INFINITY {
                return Lexicographic { first: score, second: 0.0 };
            }
            let (first, second) = mix.rank(score, cost);
            Lexicographic { first, second }
        };
        let mut values = SegmentTable::default();
        scores.values.map_into(&mut values, |score| value(score, 0.0));
        if let Some(truth) = truth {
            loss.for_each_row(self.options.background, truth, self.size_of_rows(), |last, length, costs| {
                let row = scores.values.row(last, length).iter().zip(costs);
                let row = values.row_mut(last, length).iter_mut().zip(row);
                row.for_each(|(place, (&score, &cost))| *place = value(score, cost));
            });
        }
        let steps: Vec<_> = scores.steps.iter().map(|&score| value(score, 0.0)).collect();
        let cuts = k_best_segments(&values, &steps, k);
        cuts.into_iter().map(|cut| self.found(x, scores, truth, cut)).collect()
    }
}

impl Stratified<SegmentationStructure> for SegmentationStructure {
    fn strata(
        &self,
        _x: &SegmentInput,
        truth: &Vec<Segment>,
        scores: &mut SegmentationScores,
        step: Option<f64>,
        strata: &mut Vec<ScoreStratum>,
    ) -> bool {
        let SegmentationScores { values, steps, strata: table, .. } = scores;
        let SegmentationOptions { loss, background, .. } = &self.options;
        let Some((most, unit, hidden)) =
            loss.whole(*background, truth, step, self.size_of_rows(), table.costs())
        else {
            return false;
        };
        if (most + 1) as f64 * (2 * values.length() * self.classes()) as f64 > LARGEST_TABLE {
            return false;
        }
        table.fill(values, steps, most);
        strata.clear();
        strata.extend(table.values().enumerate().map(|(k, score)| {
            let loss = unit * k as f64;
            ScoreStratum { score, losses: (loss, loss + hidden) }
        }));
        true
    }

    fn stratum_label(
        &self,
        _x: &SegmentInput,
        scores: &mut SegmentationScores,
        number: usize,
    ) -> Vec<Segment> {
        scores.strata.cut(number, &scores.values, &scores.steps)
    }
}

impl LabelSets<SegmentationStructure> for SegmentationStructure {
    fn with_sizes(&self, background: Option<u32>) -> Self {
        let options = SegmentationOptions { loss: SegmentLoss::Sizes, background, ..self.options.clone() };
        Self { options, ..self.clone() }
    }

    fn add_set_loss(
        &self,
        truth: &Vec<Segment>,
        background: Option<u32>,
        scores: &SegmentationScores,
        scale: f64,
        out: &mut SegmentationScores,
    ) {
        let scaled = |scores: &[f64], out: &mut Vec<f64>| {
            out.clear();
            out.extend(scores.iter().map(|score| scale * score));
        };
        scaled(&scores.positions, &mut out.positions);
        scaled(&scores.ends, &mut out.ends);
        scaled(&scores.steps, &mut out.steps);
        out.templates.widths.clear();
        // What is not there stays away, also with a scale of 0.
        let is_there = |score: f64| score > f64::NEG_INFINITY;
        scores.values.map_into(&mut out.values, |score| if is_there(score) { scale * score } else { score });
        SegmentLoss::Segments.for_each_row(background, truth, self.size_of_rows(), |last, length, costs| {
            let row = out.values.row_mut(last, length).iter_mut().zip(costs);
            row.for_each(|(value, cost)| *value += cost);
        });
    }

    fn size(&self, y: &Vec<Segment>, background: Option<u32>) -> f64 {
        size(background, y)
    }

    fn set_loss(&self, truth: &Vec<Segment>, y: &Vec<Segment>, background: Option<u32>) -> f64 {
        set_loss(background, truth, y)
    }

    /// Background that can be cut in several ways has as many labels that are empty.
    fn check_truth(&self, truth: &Vec<Segment>, background: Option<u32>) -> Result<()> {
        let Some(background) = background.filter(|_| !truth.is_empty() && size(background, truth) == 0.0)
        else {
            return Ok(());
        };
        let length = truth.last().map_or(0, |segment| segment.end);
        let are_all = |width: u32| truth.iter().all(|segment| segment.len() == width as usize);
        let is_one_label = match &self.options.widths {
            Widths::UpTo(widths) => are_all(1) && (length <= 1 || widths[background as usize] == 1),
            Widths::Exactly(widths) => {
                let width = widths[background as usize];
                are_all(width) || !length.is_multiple_of(width)
            }
        };
        match is_one_label {
            true => Ok(()),
            false => {
                let problem = format!(
                    "all is of class {background}, which counts in no set, and can be cut in other ways that count as little; give segments of it one position each"
                );
                Err(Error::parameter("background", problem))
            }
        }
    }

    fn sizes(&self, x: &SegmentInput, _truth: &Vec<Segment>, background: Option<u32>) -> (f64, f64) {
        let most = x.len();
        let fewest = match background {
            Some(_) => 0,
            None => most.div_ceil(self.options.widths.longest()),
        };
        (fewest as f64, most as f64)
    }
}

/// The variables are positions. A value is the label where cuts are [spelt](SegmentationStructure::spelt_by). Else it says the class, and
/// whether a segment begins there: `2 · class`, and 1 more where one does.
impl MaxMarginals<SegmentationStructure> for SegmentationStructure {
    fn values(&self, _x: &SegmentInput, y: &Vec<Segment>) -> Vec<u32> {
        if self.is_spelt() {
            return self.write(y);
        }
        let of_segment = |segment: &Segment| {
            let class = 2 * segment.class;
            (0..segment.len()).map(move |place| class + u32::from(place == 0))
        };
        y.iter().flat_map(of_segment).collect()
    }

    fn confidences(
        &self,
        _x: &SegmentInput,
        scores: &mut SegmentationScores,
        best: &Found<Vec<Segment>>,
    ) -> Vec<Confidence> {
        let others = best_cuts_elsewhere(&scores.values, &scores.steps, &best.label);
        others.into_iter().map(|other| Confidence::exactly(best, other)).collect()
    }
}
