//! Which λ to try next: from the largest down until it gets worse, and beyond the ends of a list where the best lies there.

use crate::error::{Error, Result};

/// What lies between two values of λ that nobody named: √10.
const FACTOR: f64 = 3.162_277_660_168_379_5;

/// So many values are tried in any case where nobody named any: figures need not get better from the first step on.
const LEAST: usize = 5;

/// So many values smaller than the best one must be worse before no smaller one is tried, where nobody named any and a ladder is strict, unless
/// one is worse by more than what counts as equal. Else it is one: the smaller λ, the longer it takes, and what is hardly better is not taken.
const PATIENCE: usize = 2;

/// The most values beyond either end of what was asked for.
const MOST_BEYOND: usize = 12;

/// The same above the first value where nobody named any: ten times that, and hardly anything is learnt.
const MOST_ABOVE: usize = 2;

/// The values of λ that were tried, how bad each was, and which one is next.
///
/// ```
/// use maxmargin::training::Ladder;
/// let mut ladder = Ladder::of(&[0.1, 10.0, 1.0])?;
/// while let Some(lambda) = ladder.next() {
///     // The best λ lies below the list.
///     let error = 1.0 + (lambda.log10() + 2.0).abs();
///     ladder.add(lambda, error, 0.0);
/// }
/// let tried: Vec<f64> = ladder.lambdas().collect();
/// assert!(tried.len() == 5 && tried[..3] == [10.0, 1.0, 0.1]);
/// assert!((tried[3] - 0.01).abs() < 1e-12 && ladder.best() == Some(3) && ladder.is_beyond(3));
/// # Ok::<(), maxmargin::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Ladder {
    /// What is to be tried in any case, the largest first.
    asked: Vec<f64>,
    /// From there on, beyond the ends.
    factor: f64,
    patience: usize,
    /// Whether the least bad value is taken, and not the largest that is as good.
    is_strict: bool,
    tried: Vec<Rung>,
}

/// A value of λ that was tried.
#[derive(Debug, Clone, Copy)]
struct Rung {
    lambda: f64,
    badness: f64,
    /// Others that are worse by no more than this are as good.
    tolerance: f64,
}

impl Ladder {
    /// These values, and more beyond the ends if need be. Refused where there is none.
    pub fn of(lambdas: &[f64]) -> Result<Self> {
        let mut asked = lambdas.to_vec();
        if asked.is_empty() || !asked.iter().all(|lambda| lambda.is_finite() && *lambda > 0.0) {
            return Err(Error::parameter("lambdas", "there is at least one, and all are above 0"));
        }
        asked.sort_by(|a, b| b.total_cmp(a));
        asked.dedup();
        // A longer list says how far its values are apart.
        let factor = asked.windows(2).last().map_or(FACTOR, |ends| ends[0] / ends[1]);
        Ok(Self { asked, factor, patience: 1, is_strict: false, tried: Vec::new() })
    }

    /// This value alone.
    pub fn only(lambda: f64) -> Self {
        Self { asked: vec![lambda], factor: 1.0, patience: 0, is_strict: false, tried: Vec::new() }
    }

    /// This value and one on either side, and more beyond the ends if need be.
    pub fn around(lambda: f64) -> Self {
        Self {
            asked: vec![lambda * FACTOR, lambda, lambda / FACTOR],
            factor: FACTOR,
            patience: 1,
            is_strict: false,
            tried: Vec::new(),
        }
    }

    /// As many values as it takes, from this one down.
    pub fn down_from(lambda: f64) -> Self {
        let asked = std::iter::successors(Some(lambda), |lambda| Some(lambda / FACTOR)).take(LEAST).collect();
        Self { asked, factor: FACTOR, patience: PATIENCE, is_strict: false, tried: Vec::new() }
    }

    /// The same where the least bad value is taken, not the largest of those that are as good: what that saves in time is paid for in
    /// figures, which small data has none of to spare.
    pub fn strict(self) -> Self {
        Self { is_strict: true, ..self }
    }

    /// The next value to try; none where there is no need to, or no such number.
    pub fn next(&self) -> Option<f64> {
        self.wanted().filter(|lambda| lambda.is_normal() && lambda.recip().is_normal())
    }

    fn wanted(&self) -> Option<f64> {
        if let Some(&next) = self.asked.get(self.tried.len()) {
            return Some(next);
        }
        let best = self.tried[self.best()?];
        if best.badness == 0.0 {
            return None;
        }
        // Which one is the least bad of all says whether it gets worse, and not which one is good enough.
        let least = self.least()?;
        let smaller = |(_, rung): &(usize, &Rung)| rung.lambda < least.lambda;
        let worth = |(place, rung): (usize, &Rung)| match rung.badness - least.badness {
            // Where figures do not move at all, nothing may be learnt yet.
            0.0 if self.patience > 1 && !self.is_beyond(place) => 0,
            worse if worse > rung.tolerance || !self.is_strict => PATIENCE,
            _ => 1,
        };
        let worse: usize = self.tried.iter().enumerate().filter(smaller).map(worth).sum();
        let extreme = |pick: fn(f64, f64) -> f64| self.lambdas().reduce(pick);
        let beyond = |is_beyond: &dyn Fn(&f64) -> bool| self.lambdas().filter(is_beyond).count();
        let (first, last) = (*self.asked.first()?, *self.asked.last()?);
        if worse < self.patience && beyond(&|lambda| *lambda < last) < MOST_BEYOND {
            return Some(extreme(f64::min)? / self.factor);
        }
        let is_largest = self.lambdas().all(|lambda| lambda <= best.lambda);
        if is_largest && self.tried.iter().any(|rung| rung.badness != best.badness) {
            let above = beyond(&|lambda| *lambda > first);
            let most = if self.patience > 1 { MOST_ABOVE } else { MOST_BEYOND };
            return (above < most).then_some(extreme(f64::max)? * self.factor);
        }
        self.between(best.lambda)
    }

    /// Where nobody named any: halfway to the value above the best, which is often as good and takes less time; once.
    fn between(&self, best: f64) -> Option<f64> {
        let above = self.lambdas().filter(|lambda| *lambda > best).reduce(f64::min)?;
        (self.patience > 1 && above / best > 0.9 * self.factor).then_some((above * best).sqrt())
    }

    /// Takes in how bad a value was: the less the better, and what is worse by no more than `tolerance` is as good.
    pub fn add(&mut self, lambda: f64, badness: f64, tolerance: f64) {
        self.tried.push(Rung { lambda, badness, tolerance });
    }

    /// The values in the order in which they were tried.
    pub fn lambdas(&self) -> impl Iterator<Item = f64> {
        self.tried.iter().map(|rung| rung.lambda)
    }

    /// The least bad one; the largest of equals.
    fn least(&self) -> Option<&Rung> {
        let order =
            |a: &&Rung, b: &&Rung| a.badness.total_cmp(&b.badness).then(b.lambda.total_cmp(&a.lambda));
        self.tried.iter().min_by(order)
    }

    /// The place of the best one among them: the largest of those that are as good as the best, or (if it is strict) the best.
    pub fn best(&self) -> Option<usize> {
        let least = self.least()?;
        let enough = least.badness + if self.is_strict { 0.0 } else { least.tolerance };
        let good = self.tried.iter().enumerate().filter(|(_, rung)| rung.badness <= enough);
        good.max_by(|(_, a), (_, b)| a.lambda.total_cmp(&b.lambda)).map(|(place, _)| place)
    }

    /// Whether the value at this place was not asked for.
    pub fn is_beyond(&self, place: usize) -> bool {
        place >= self.asked.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn climb(mut ladder: Ladder, badness: impl Fn(f64) -> f64, tolerance: f64) -> (Vec<f64>, f64) {
        while let Some(lambda) = ladder.next() {
            ladder.add(lambda, badness(lambda), tolerance);
        }
        let tried: Vec<f64> = ladder.lambdas().collect();
        let best = tried[ladder.best().unwrap()];
        (tried, best)
    }

    /// 1 at a λ, and more by the distance from it in powers of ten.
    fn from(best: f64) -> impl Fn(f64) -> f64 {
        move |lambda| 1.0 + (lambda / best).log10().abs()
    }

    #[test]
    fn a_list_whose_best_is_inside_is_all_there_is() {
        let (tried, best) = climb(Ladder::of(&[1.0, 0.01, 0.1]).unwrap(), from(0.1), 0.0);
        assert_eq!((tried, best), (vec![1.0, 0.1, 0.01], 0.1));
    }

    #[test]
    fn beyond_both_ends_it_goes_on_until_it_gets_worse() {
        let (tried, best) = climb(Ladder::of(&[2.0, 1.0]).unwrap(), from(0.25), 0.0);
        assert_eq!((tried, best), (vec![2.0, 1.0, 0.5, 0.25, 0.125], 0.25));
        let (tried, best) = climb(Ladder::of(&[2.0, 1.0]).unwrap(), from(8.0), 0.0);
        assert_eq!((tried, best), (vec![2.0, 1.0, 4.0, 8.0, 16.0], 8.0));
        // No further than numbers go.
        let (tried, _) = climb(Ladder::of(&[1.0, 1e-200]).unwrap(), from(1e-300), 0.0);
        assert_eq!(tried, [1.0, 1e-200]);
        assert!(Ladder::of(&[]).is_err() && Ladder::of(&[0.0]).is_err());
        let (tried, best) = climb(Ladder::around(1.0), from(1e-2), 0.0);
        // One step beyond the best one, and no more.
        assert!(tried.len() == 7 && (best - 1e-2).abs() < 1e-9, "{tried:?}");
        assert_eq!(climb(Ladder::only(1.0), from(0.1), 0.0), (vec![1.0], 1.0));
    }

    #[test]
    fn of_those_that_are_as_good_the_largest_is_taken() {
        let (_, best) = climb(Ladder::of(&[4.0, 2.0, 1.0, 0.5]).unwrap(), from(1.0), 0.31);
        assert_eq!(best, 2.0);
        let (tried, best) = climb(Ladder::of(&[4.0, 2.0, 1.0, 0.5]).unwrap().strict(), from(1.0), 0.31);
        assert_eq!((tried, best), (vec![4.0, 2.0, 1.0, 0.5], 1.0));
    }

    /// In a strict one, a value that is a little worse ends nothing.
    #[test]
    fn a_strict_ladder_goes_one_step_further() {
        let below = |ladder: Ladder, tolerance| {
            climb(ladder, from(0.01), tolerance).0.iter().filter(|lambda| **lambda < 0.99e-2).count()
        };
        assert_eq!(below(Ladder::down_from(1.0), 0.6), 1);
        assert_eq!(below(Ladder::down_from(1.0).strict(), 0.6), 2);
        assert_eq!(below(Ladder::down_from(1.0).strict(), 0.1), 1, "more than a little");
    }

    /// A value that is as good as the best, and larger, changes nothing about where it gets worse.
    #[test]
    fn nothing_smaller_is_tried_after_what_lies_between() {
        let (tried, best) = climb(Ladder::down_from(1.0), from(0.01), 0.6);
        let smallest = tried.iter().copied().reduce(f64::min).unwrap();
        assert!(best > 0.01 && smallest < 0.01, "{tried:?}");
        let last = tried[tried.len() - 1];
        assert!(tried[..tried.len() - 1].contains(&smallest) && last > best / 2.0, "{tried:?}, {best}");
        // One step that is clearly worse is enough.
        let (tried, _) = climb(Ladder::down_from(1.0), from(0.01), 0.1);
        assert_eq!(tried.iter().filter(|lambda| **lambda < 0.99e-2).count(), 1, "{tried:?}");
    }

    #[test]
    fn figures_that_do_not_move_end_nothing_early() {
        // Nothing is learnt in the first steps.
        let badness = |lambda: f64| if lambda > 0.02 { 1.0 } else { from(1e-4)(lambda) / 10.0 };
        let (tried, best) = climb(Ladder::down_from(1.0), badness, 0.001);
        assert!((best / 1e-4).log10().abs() < 0.26, "{best}");
        assert!(tried.len() < 14, "{}", tried.len());
        // The last one lies between the two that were best.
        let sorted =
            |pick: fn(f64, f64) -> f64| tried[..tried.len() - 1].iter().copied().reduce(pick).unwrap();
        let last = tried[tried.len() - 1];
        assert!(last < sorted(f64::max) && last > sorted(f64::min), "{tried:?}");
        // Where they never move, it ends all the same.
        let (tried, best) = climb(Ladder::down_from(1.0), |_| 0.5, 0.0);
        assert_eq!((tried.len(), best), (LEAST + 1, 1.0));
        let (tried, best) = climb(Ladder::down_from(1.0).strict(), |_| 0.5, 0.0);
        assert_eq!((tried.len(), best), (LEAST + PATIENCE, 1.0));
        // Earlier where nothing is left to be had.
        let (tried, best) = climb(Ladder::down_from(1.0), |_| 0.0, 0.0);
        assert_eq!((tried.len(), best), (LEAST, 1.0));
    }
}
