//! Logarithmic axes with ticks at few round numbers. Plotters has such axes, but their ticks cannot be chosen.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

/// Of the ways to place ticks, the finest that has no more than these is taken.
const MOST_TICKS: usize = 8;

/// A logarithmic axis.
#[derive(Clone)]
pub struct LogAxis {
    /// The logarithms of both ends.
    ends: (f64, f64),
    ticks: Vec<f64>,
}

impl LogAxis {
    /// Covers all values, and a little more.
    pub fn around(values: impl Iterator<Item = f64>) -> Self {
        let wider = |(low, high): (f64, f64), value: f64| (low.min(value.log10()), high.max(value.log10()));
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), wider);
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        let margin = (0.04 * (high - low)).max(0.05);
        let mut axis = Self { ends: (low - margin, high + margin), ticks: Vec::new() };
        let fine = [1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
        let choices: [(i32, &[f64]); 7] = [
            (1, &fine),
            (1, &[1.0, 2.0, 5.0]),
            (1, &[1.0]),
            (2, &[1.0]),
            (5, &[1.0]),
            (10, &[1.0]),
            (20, &[1.0]),
        ];
        for (step, factors) in choices {
            axis.ticks = axis.multiples(step, factors);
            if axis.ticks.len() <= MOST_TICKS {
                break;
            }
        }
        axis
    }

    /// What is on the axis of the factors times each `step`th power of ten.
    fn multiples(&self, step: i32, factors: &[f64]) -> Vec<f64> {
        let (first, last) = (self.ends.0.floor() as i32, self.ends.1.floor() as i32);
        let powers = (first..=last).filter(|power| power % step == 0);
        let all = powers.flat_map(|power| factors.iter().map(move |factor| factor * 10f64.powi(power)));
        all.filter(|value| self.range().contains(value)).collect()
    }

    /// How far two values are apart, as a share of the axis.
    pub fn share(&self, a: f64, b: f64) -> f64 {
        (a / b).log10().abs() / (self.ends.1 - self.ends.0)
    }
}

impl Ranged for LogAxis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (first, last): (i32, i32)) -> i32 {
        let share = (value.log10() - self.ends.0) / (self.ends.1 - self.ends.0);
        first + (share * f64::from(last - first)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        let few = self.ends.1 - self.ends.0 < 8.0;
        match hint.weight().allow_light_points() {
            true if few => self.multiples(1, &[2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]),
            true => Vec::new(),
            false => self.ticks.clone(),
        }
    }

    fn range(&self) -> Range<f64> {
        10f64.powf(self.ends.0)..10f64.powf(self.ends.1)
    }
}

impl ValueFormatter<f64> for LogAxis {
    /// In the same manner along the whole axis.
    fn format_ext(&self, value: &f64) -> String {
        // Two digits are all that a tick has; rounding takes away what floating point added.
        let short = format!("{value:.1e}").parse().unwrap_or(*value);
        let plain = self.ticks.iter().all(|tick| (0.99e-3..1.01e5).contains(tick));
        if plain || short == 1.0 { f64::to_string(&short) } else { format!("{short:e}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(values: &[f64]) -> Vec<String> {
        let axis = LogAxis::around(values.iter().copied());
        axis.ticks.iter().map(|tick| axis.format_ext(tick)).collect()
    }

    #[test]
    fn ticks_are_few_round_numbers() {
        for (ends, expected) in [
            (&[0.004, 20.0][..], &["0.01", "0.1", "1", "10"][..]),
            (&[1.0, 70.0], &["1", "2", "5", "10", "20", "50"]),
            (&[1e-6, 1.0], &["1e-6", "1e-5", "1e-4", "1e-3", "1e-2", "1e-1", "1"]),
            (&[1e-12, 1.0], &["1e-12", "1e-10", "1e-8", "1e-6", "1e-4", "1e-2", "1"]),
            (&[0.3], &["0.3"]),
            (&[], &["1", "2", "5", "10"]),
        ] {
            assert_eq!(ticks(ends), expected, "{ends:?}");
        }
        let all: [f64; 2] = [f64::MIN_POSITIVE, f64::MAX];
        assert!(!ticks(&all).is_empty());
    }
}
