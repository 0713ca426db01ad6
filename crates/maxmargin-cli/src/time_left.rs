//! How long a run may still take, by the way its gap goes.
//!
//! A gap falls by the same factor each second where things go well, and like a power of the time where they do not. The first makes
//! the time left too short and the second too long, so what is shown is the range between both. Where they disagree much, as they
//! do at the start, nothing is known: then nothing is shown. (Over the passes of runs on six data sets, the end of what was shown
//! rose at most 1.7 times; with the recent passes and the first law alone, one minute became five.)

/// Both laws are fitted to this share of all passes: the last ones.
const RECENT: f64 = 2.0 / 3.0;
/// The fewest passes from which anything follows, and the gap that must be reached before.
const FEWEST: usize = 6;
const LARGEST_GAP: f64 = 0.5;
/// The laws agree where one says at most so many times what the other says.
const AGREEMENT: f64 = 4.0;
/// So many passes are enough for a fit.
const SAMPLE: usize = 200;

/// The way of a gap to its aim.
#[derive(Debug)]
pub struct TimeLeft {
    aim: f64,
    /// Seconds, and the logarithm of the gap.
    history: Vec<(f64, f64)>,
}

impl TimeLeft {
    /// For a run that ends at this gap.
    pub fn new(aim: f64) -> Self {
        Self { aim, history: Vec::new() }
    }

    /// Takes in the gap after a pass.
    pub fn add(&mut self, seconds: f64, gap: f64) {
        if gap > 0.0 && gap.is_finite() && seconds > 0.0 {
            self.history.push((seconds, gap.ln()));
        }
    }

    /// The share of the way that is done, measured by the logarithm of the gap.
    pub fn share_done(&self) -> f64 {
        let (Some(first), Some(last)) = (self.history.first(), self.history.last()) else { return 0.0 };
        let way = first.1 - self.aim.ln();
        if way > 0.0 { ((first.1 - last.1) / way).clamp(0.0, 1.0) } else { 1.0 }
    }

    /// The seconds that are left, at least and at most, where both are known well enough to be shown.
    pub fn range(&self) -> Option<(f64, f64)> {
        let (least, most) = (self.least()?, self.most()?);
        (most <= AGREEMENT * least).then_some((least, most.max(least)))
    }

    /// The seconds left if the gap goes on to fall by the same factor each second.
    pub fn least(&self) -> Option<f64> {
        let left = self.log_left()? / self.rate(|seconds| seconds)?;
        left.is_finite().then_some(left)
    }

    /// The same if it goes on like a power of the time.
    fn most(&self) -> Option<f64> {
        let factor = (self.log_left()? / self.rate(f64::ln)?).exp();
        let left = self.history.last()?.0 * (factor - 1.0);
        left.is_finite().then_some(left)
    }

    fn log_left(&self) -> Option<f64> {
        let &(_, gap) = self.history.last()?;
        (self.history.len() >= FEWEST && gap <= LARGEST_GAP.ln()).then(|| (gap - self.aim.ln()).max(0.0))
    }

    /// How fast the logarithm of the gap falls against some measure of time, by least squares; none where it rises.
    fn rate(&self, time: impl Fn(f64) -> f64) -> Option<f64> {
        let skipped = (self.history.len() as f64 * (1.0 - RECENT)) as usize;
        let recent = &self.history[skipped..];
        let points: Vec<(f64, f64)> = (recent.iter().rev().step_by(recent.len().div_ceil(SAMPLE)))
            .map(|&(seconds, gap)| (time(seconds), gap))
            .collect();
        let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / points.len() as f64;
        let (x0, y0) = (mean(|point| point.0), mean(|point| point.1));
        let (mut xx, mut xy) = (0.0, 0.0);
        for (x, y) in points {
            xx += (x - x0) * (x - x0);
            xy += (x - x0) * (y - y0);
        }
        Some(-xy / xx).filter(|rate| *rate > 0.0 && rate.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(passes: u32, gap: impl Fn(f64) -> f64) -> TimeLeft {
        let mut left = TimeLeft::new(1e-3);
        (1..=passes).for_each(|second| left.add(second.into(), gap(second.into())));
        left
    }

    #[test]
    fn each_law_foretells_its_own_end() {
        let steady = after(8, |t| 0.5f64.powf(t));
        assert!((steady.least().unwrap() - (1000f64.log2() - 8.0)).abs() < 1e-9, "{steady:?}");
        assert!((0.77..0.79).contains(&steady.share_done()), "{steady:?}");
        let slow = after(50, |t| 1.0 / t);
        assert!((slow.most().unwrap() - 950.0).abs() < 1e-6, "{slow:?}");
    }

    #[test]
    fn nothing_is_said_before_something_is_known() {
        assert_eq!(TimeLeft::new(1e-3).range(), None);
        assert_eq!(after(5, |t| 0.5f64.powf(t)).range(), None);
        assert_eq!(after(50, |t| 0.9 - 0.001 * t).range(), None, "hardly begun");
        assert_eq!(after(50, |t| 0.01 + 0.001 * t).range(), None, "it rises");
        assert_eq!(after(50, |_| 0.01).range(), None, "it stands still");
    }

    /// The gaps of a run on sentences that were measured every ten passes, and estimated in between.
    #[test]
    fn what_is_left_does_not_grow_much() {
        let gap = |t: f64| 0.9 * (-t / 12.0).exp() + 0.05 / t;
        let (mut left, mut shortest, mut shown) = (TimeLeft::new(1e-3), f64::INFINITY, 0);
        for pass in 1..=48 {
            let seconds = 1.5 * f64::from(pass);
            left.add(seconds, gap(seconds));
            if let Some((least, most)) = left.range() {
                assert!(
                    least <= most && most < 1.7 * shortest,
                    "pass {pass}: {least} to {most}, was {shortest}"
                );
                shortest = shortest.min(most);
                shown += 1;
            }
        }
        assert!(shown > 15, "{shown}");
    }
}
