//! What a wrong cut costs, as a sum over its segments.

use super::classes_of;
use crate::error::Result;
use crate::inference::{Segment, SegmentTable};
use crate::structure::ChainLoss;
use crate::structure::shape::check_labels;

/// The task loss of a segmentation.
#[derive(Debug, Clone)]
pub enum SegmentLoss {
    /// The cost of each position's class, added up or averaged.
    Positions(ChainLoss),
    /// How many segments are in one of the two cuts only, those of the background left out.
    Segments,
    /// −|y|, the number of segments but those of the background: for Micro-F1.
    Sizes,
}

/// A cost is a share of a step below a multiple and still counts as that multiple.
const ROUNDING: f64 = 1e-9;

impl SegmentLoss {
    pub(super) fn check(&self, classes: usize) -> Result<()> {
        match self {
            Self::Positions(loss) => check_labels(classes, &loss.cost),
            Self::Segments | Self::Sizes => Ok(()),
        }
    }

    pub(super) fn between(&self, background: Option<u32>, truth: &[Segment], y: &[Segment]) -> f64 {
        match self {
            Self::Positions(loss) => {
                let pairs = classes_of(truth).zip(classes_of(y));
                let sum: f64 = pairs.map(|(truth, y)| loss.cost.cost(truth, y)).sum();
                sum * loss.unit(length(truth))
            }
            Self::Segments => set_loss(background, truth, y),
            Self::Sizes => -size(background, y),
        }
    }

    pub(super) fn largest(
        &self,
        background: Option<u32>,
        truth: &[Segment],
        length: usize,
        classes: usize,
    ) -> f64 {
        match self {
            Self::Positions(loss) => {
                let sum: f64 = classes_of(truth).map(|truth| loss.cost.largest(truth, classes)).sum();
                sum * loss.unit(length)
            }
            Self::Segments => size(background, truth) + length as f64,
            Self::Sizes => 0.0,
        }
    }

    pub(super) fn unit(&self, length: usize) -> Option<f64> {
        match self {
            Self::Positions(loss) => loss.cost.unit(None).map(|unit| unit * loss.unit(length)),
            Self::Segments => Some(1.0),
            Self::Sizes => Some(-1.0),
        }
    }

    pub(super) fn least(&self, truth: &[Segment], length: usize, classes: usize) -> f64 {
        match self {
            Self::Positions(loss) => {
                let least = classes_of(truth).map(|truth| loss.cost.least(truth, classes));
                least.fold(f64::INFINITY, f64::min) * loss.unit(length)
            }
            Self::Segments | Self::Sizes => 1.0,
        }
    }

    /// Calls `visit(last position, length, costs by class)` for all segments of a sequence. The costs of the segments of a cut
    /// add up to its loss.
    pub(super) fn for_each_row(
        &self,
        background: Option<u32>,
        truth: &[Segment],
        (longest, classes): (usize, usize),
        mut visit: impl FnMut(usize, usize, &[f64]),
    ) {
        let mut costs = vec![0.0; classes];
        let right: Vec<u32> = classes_of(truth).collect();
        let is_counted = |class: u32| Some(class) != background;
        // The true segment that ends at a position, if it counts.
        let mut ends = vec![None; right.len()];
        for segment in truth.iter().filter(|segment| is_counted(segment.class)) {
            ends[segment.end as usize - 1] = Some(*segment);
        }
        for last in 0..right.len() {
            costs.fill(0.0);
            let mut missed = 0.0;
            for length in 1..=longest.min(last + 1) {
                let start = last + 1 - length;
                match self {
                    Self::Positions(loss) => {
                        let unit = loss.unit(right.len());
                        loss.cost.for_each(right[start], classes, |class, cost| costs[class] += unit * cost);
                    }
                    Self::Segments => {
                        missed += f64::from(u8::from(ends[start].is_some()));
                        for (class, cost) in costs.iter_mut().enumerate() {
                            let is_right = ends[last] == Some(Segment::new(start..last + 1, class));
                            // A true segment is missed by the one over its last position.
                            *cost = match is_right {
                                true => missed - 1.0,
                                false => missed + f64::from(u8::from(is_counted(class as u32))),
                            };
                        }
                    }
                    Self::Sizes => {
                        let of_class = |class: usize| -f64::from(u8::from(is_counted(class as u32)));
                        costs.iter_mut().enumerate().for_each(|(class, cost)| *cost = of_class(class));
                    }
                }
                visit(last, length, &costs);
            }
        }
    }

    /// Fills in costs as whole numbers of a unit, rounded down where they are none: returns the largest sum of a cut's, the unit,
    /// and the most that rounding hides in a cut. None where costs are not whole and no step is given.
    pub(super) fn whole(
        &self,
        background: Option<u32>,
        truth: &[Segment],
        step: Option<f64>,
        (longest, classes): (usize, usize),
        table: &mut SegmentTable<u32>,
    ) -> Option<(usize, f64, f64)> {
        let count = length(truth);
        table.reset(count, longest, classes, 0);
        let Self::Positions(of_positions) = self else {
            let unit = self.unit(count)?;
            self.for_each_row(background, truth, (longest, classes), |last, length, costs| {
                let row = table.row_mut(last, length).iter_mut().zip(costs);
                row.for_each(|(whole, cost)| *whole = (cost / unit) as u32);
            });
            let most = count + if unit > 0.0 { truth.len() } else { 0 };
            return Some((most, unit, 0.0));
        };
        let cost = &of_positions.cost;
        let unit = cost.unit(step)?;
        let whole = |truth: u32, class: u32| (cost.cost(truth, class) / unit + ROUNDING).floor() as u32;
        let right: Vec<u32> = classes_of(truth).collect();
        let all = 0..classes as u32;
        for last in 0..count {
            for length in 1..=longest.min(last + 1) {
                for class in all.clone() {
                    let before = if length > 1 { table.row(last, length - 1)[class as usize] } else { 0 };
                    table.row_mut(last, length)[class as usize] =
                        before + whole(right[last + 1 - length], class);
                }
            }
        }
        let most = |&truth: &u32| all.clone().map(|class| whole(truth, class)).max().unwrap_or(0) as usize;
        let hidden = |&truth: &u32| {
            let of = |class| (cost.cost(truth, class) - unit * f64::from(whole(truth, class))).abs();
            all.clone().map(of).fold(0.0, f64::max)
        };
        let is_whole = cost.unit(None).is_some();
        let hidden: f64 = if is_whole { 0.0 } else { right.iter().map(hidden).sum() };
        let share = of_positions.unit(count);
        Some((right.iter().map(most).sum(), unit * share, hidden * share))
    }
}

fn length(cut: &[Segment]) -> usize {
    cut.last().map_or(0, |segment| segment.end as usize)
}

/// How many segments a cut has, those of the background left out.
pub(super) fn size(background: Option<u32>, cut: &[Segment]) -> f64 {
    cut.iter().filter(|segment| Some(segment.class) != background).count() as f64
}

/// How many segments are in one of two cuts only.
pub(super) fn set_loss(background: Option<u32>, truth: &[Segment], y: &[Segment]) -> f64 {
    let counts = |segment: &&Segment| Some(segment.class) != background;
    let mut place = 0;
    let mut shared = 0;
    for segment in y.iter().filter(counts) {
        place += truth[place..].iter().take_while(|other| other.end < segment.end).count();
        shared += usize::from(truth.get(place) == Some(segment));
    }
    size(background, truth) + size(background, y) - 2.0 * shared as f64
}
