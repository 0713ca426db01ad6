//! The labels of one example as points (h, g), known through oracles (MATH: λ-oracles).

use super::angular::Angle;
use crate::structure::Mix;

/// A label as a point of the label plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spot<L> {
    /// The label.
    pub label: L,
    /// Its margin error, or what the surrogate takes for it.
    pub h: f64,
    /// Its task loss, or what the surrogate takes for it.
    pub g: f64,
    /// How much higher, under the mix that was asked for, another label may lie.
    pub missed: f64,
}

impl<L> Spot<L> {
    /// The two numbers.
    pub fn point(&self) -> (f64, f64) {
        (self.h, self.g)
    }
}

/// All labels of one loss, by the one of largest h.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stratum {
    /// The largest h.
    pub h: f64,
    /// The loss; the smallest where losses were rounded.
    pub g: f64,
    /// The largest loss; equal to `g` where losses were not rounded.
    pub upper: f64,
}

/// A constrained oracle that did not come to an end.
#[derive(Debug, Clone, PartialEq)]
pub struct GaveUp<L> {
    /// No label in the angle is higher than this.
    pub height: f64,
    /// Labels that it saw on the way.
    pub seen: Vec<Spot<L>>,
}

/// What searches may ask about the labels of one example.
pub trait LabelPlane {
    /// The labels.
    type Label: Clone + PartialEq;

    /// The truth, where ψ is 0.
    fn truth(&self) -> Spot<Self::Label>;

    /// Where a label lies.
    fn spot(&self, label: &Self::Label) -> Spot<Self::Label>;

    /// The smallest and the largest g that a label can have.
    fn loss_range(&self) -> (f64, f64);

    /// Where all losses are the smallest one plus whole multiples of a unit, that unit.
    fn loss_unit(&self) -> Option<f64> {
        None
    }

    /// Whether labels are fractional: all points between two labels are labels too.
    fn is_fractional(&self) -> bool {
        false
    }

    /// The label so far on the way from one label to another, where labels are fractional.
    fn between(&self, a: &Spot<Self::Label>, b: &Spot<Self::Label>, share: f64) -> Option<Spot<Self::Label>> {
        let _ = (a, b, share);
        None
    }

    /// The λ-oracle: the label of largest `mix.score · h + mix.loss · g`, ties broken as [`Mix`] says.
    fn maximize(&mut self, mix: Mix) -> Spot<Self::Label>;

    /// The `k` best labels of the same, best first; fewer when there are fewer. `None` where labels cannot be listed.
    fn k_best(&mut self, mix: Mix, k: usize) -> Option<Vec<Spot<Self::Label>>> {
        let _ = (mix, k);
        None
    }

    /// The stratified oracle: for each loss the largest h. Returns false where there is none, or losses are not whole numbers.
    fn strata(&mut self, strata: &mut Vec<Stratum>) -> bool {
        let _ = strata;
        false
    }

    /// The label of the stratum with this number, after [`strata`](Self::strata) returned true.
    fn in_stratum(&mut self, number: usize) -> Spot<Self::Label> {
        let _ = number;
        self.truth()
    }

    /// The λ-oracle constrained to an angle, for labels that are worth more than `floor`; none where there is no such
    /// label. At most so many labels are listed to find one.
    fn constrained(
        &mut self,
        angle: &Angle,
        mix: Mix,
        floor: f64,
        most: usize,
    ) -> Result<Option<Spot<Self::Label>>, GaveUp<Self::Label>> {
        let height = |spot: &Spot<Self::Label>| mix.height(spot.h, spot.g);
        let mut k = 4;
        loop {
            let Some(listed) = self.k_best(mix, k) else {
                return self.unlisted(angle, mix, floor);
            };
            let whole = listed.len() < k;
            let lowest = listed.last().map_or(floor, height);
            for spot in &listed {
                if spot.missed > 0.0 {
                    return Err(GaveUp { height: height(spot) + spot.missed, seen: listed });
                }
                if height(spot) <= floor {
                    return Ok(None);
                }
                if angle.contains(spot.h, spot.g) {
                    return Ok(Some(spot.clone()));
                }
            }
            match () {
                () if whole => return Ok(None),
                () if k >= most => return Err(GaveUp { height: lowest, seen: listed }),
                () => k *= 4,
            }
        }
    }

    /// The same where labels cannot be listed: the best label of all, if it happens to lie in the angle.
    fn unlisted(
        &mut self,
        angle: &Angle,
        mix: Mix,
        floor: f64,
    ) -> Result<Option<Spot<Self::Label>>, GaveUp<Self::Label>> {
        let spot = self.maximize(mix);
        let height = mix.height(spot.h, spot.g) + spot.missed;
        match () {
            () if height <= floor => Ok(None),
            () if spot.missed == 0.0 && angle.contains(spot.h, spot.g) => Ok(Some(spot)),
            () => Err(GaveUp { height, seen: vec![spot] }),
        }
    }
}

/// A label plane that is a list of points: labels are their numbers, and the first is the truth.
///
/// ```
/// use maxmargin_core::search::{Memory, Points, Strategy, search};
/// use maxmargin_core::surrogate::Surrogate;
///
/// // No λ-oracle ever returns the middle point, which is the best for slack rescaling.
/// let mut points = Points::new(vec![(0.0, 0.0), (3.0, 0.1), (0.45, 1.1), (-0.9, 4.0)]);
/// let answer = search(Strategy::Hull, &mut points, Surrogate::SLACK, &mut Memory::default());
/// assert_eq!(answer.best.label, 2);
/// let answer = search(Strategy::Binary, &mut points, Surrogate::SLACK, &mut Memory::default());
/// assert!(answer.best.label != 2 && answer.upper >= 1.45 * 1.1);
/// ```
#[derive(Debug, Clone)]
pub struct Points {
    points: Vec<(f64, f64)>,
    /// Whether [`strata`](LabelPlane::strata) answers, with each point as a stratum of its own.
    pub stratified: bool,
    /// Whether [`k_best`](LabelPlane::k_best) answers.
    pub listed: bool,
}

impl Points {
    /// Labels at these points (h, g); the first is the truth.
    pub fn new(points: Vec<(f64, f64)>) -> Self {
        Self { points, stratified: true, listed: true }
    }

    /// The points.
    pub fn points(&self) -> &[(f64, f64)] {
        &self.points
    }
}

impl LabelPlane for Points {
    type Label = usize;

    fn truth(&self) -> Spot<usize> {
        self.spot(&0)
    }

    fn spot(&self, &label: &usize) -> Spot<usize> {
        let (h, g) = self.points[label];
        Spot { label, h, g, missed: 0.0 }
    }

    fn loss_range(&self) -> (f64, f64) {
        let losses = self.points.iter().map(|point| point.1);
        losses.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), g| (low.min(g), high.max(g)))
    }

    fn maximize(&mut self, mix: Mix) -> Spot<usize> {
        let rank = |i: usize| mix.rank(self.points[i].0, self.points[i].1);
        let best = (0..self.points.len()).fold(0, |best, i| if rank(i) > rank(best) { i } else { best });
        self.spot(&best)
    }

    fn k_best(&mut self, mix: Mix, k: usize) -> Option<Vec<Spot<usize>>> {
        if !self.listed {
            return None;
        }
        let mut all: Vec<Spot<usize>> = (0..self.points.len()).map(|i| self.spot(&i)).collect();
        let rank = |spot: &Spot<usize>| mix.rank(spot.h, spot.g);
        all.sort_by(|a, b| rank(b).partial_cmp(&rank(a)).unwrap_or(std::cmp::Ordering::Equal));
        all.truncate(k);
        Some(all)
    }

    fn strata(&mut self, strata: &mut Vec<Stratum>) -> bool {
        strata.clear();
        strata.extend(self.points.iter().map(|&(h, g)| Stratum { h, g, upper: g }));
        self.stratified
    }

    fn in_stratum(&mut self, number: usize) -> Spot<usize> {
        self.spot(&number)
    }
}
