//! Distance transforms: for each target the best source, where a source at distance d is worth `q(d)` more, q quadratic (Felzenszwalb and
//! Huttenlocher 2012).
//!
//! As functions of the target, `source(s) + q(s − t)` and the same of another source differ by a line: each overtakes the other once. Sources
//! that come later win to the right where q bends down, and to the left where it bends up, so that the upper envelope is built from one end to
//! the other in O(places), whatever the sign. In the plane `q` is a sum over both axes, and is done axis by axis.
//!
//! Invariant: who wins is decided by the values themselves, as they are added up in a label, and never by where lines cross: that is only
//! where the search for the change begins. What rounding may hide is thus a few roundings of the values for each source that was passed.

use crate::inference::{Gain, Lexicographic};

/// A gain whose lines cross where a division says so.
pub(crate) trait Crossing: Gain {
    /// How many places it takes to make up for this, at so much a place; none where nobody knows.
    fn crossing(self, rate: f64) -> Option<f64>;
}

impl Crossing for f64 {
    #[inline]
    fn crossing(self, rate: f64) -> Option<f64> {
        Some(self / rate)
    }
}

impl Crossing for Lexicographic {
    fn crossing(self, _: f64) -> Option<f64> {
        None
    }
}

/// What distances along one axis are worth: a quadratic function, as a table.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Bend<V> {
    /// That a source is at s and its target at t is worth `values[s + targets − 1 − t]`.
    pub(crate) values: Vec<V>,
    /// The second difference of the values, in the number that they have: its sign says who overtakes whom.
    pub(crate) curvature: f64,
}

impl<V: Crossing> Bend<V> {
    /// What it is worth that a source is at s and one of so many targets at t.
    #[inline]
    pub(crate) fn at(&self, targets: usize, s: usize, t: usize) -> V {
        self.values[s + targets - 1 - t]
    }

    /// The same where sources and targets change places.
    pub(crate) fn reversed(&self) -> Self {
        Self { values: self.values.iter().rev().copied().collect(), curvature: self.curvature }
    }

    /// Finds the best source for each target of a line.
    #[inline]
    fn transform_line(
        &self,
        (sources, targets): (usize, usize),
        source: impl Fn(usize) -> V,
        envelope: &mut Vec<(u32, u32)>,
        mut put: impl FnMut(usize, V, u32),
    ) {
        let value = |s: usize, t: usize| source(s) + self.at(targets, s, t);
        let bends_up = self.curvature > 0.0;
        envelope.clear();
        for step in 0..sources {
            let s = if bends_up { sources - 1 - step } else { step };
            let mut first = 0;
            while let Some(&(before, from)) = envelope.last() {
                let (before, from) = (before as usize, from as usize);
                if !value(s, from).is_below(value(before, from)) {
                    envelope.pop();
                    continue;
                }
                let lead = value(before, from) - value(s, from);
                let overtakes = |t: usize| !value(s, t).is_below(value(before, t));
                let rate = self.curvature.abs() * s.abs_diff(before) as f64;
                first = change(overtakes, from + 1, targets, lead.crossing(rate));
                break;
            }
            if first < targets {
                envelope.push((s as u32, first as u32));
            }
        }
        let mut best = envelope.iter().copied().peekable();
        let mut current = 0;
        for t in 0..targets {
            while let Some((s, _)) = best.next_if(|(_, first)| *first as usize <= t) {
                current = s;
            }
            put(t, value(current as usize, t), current);
        }
    }
}

/// The first target from `least` on that is overtaken; `end` where none is. `distance` says about how far behind `least − 1` that is.
#[inline]
fn change(overtakes: impl Fn(usize) -> bool, least: usize, end: usize, distance: Option<f64>) -> usize {
    match distance {
        Some(distance) => {
            // What is no number begins at the least.
            let mut guess =
                (least - 1 + distance.min(end as f64).ceil() as usize).clamp(least, end.max(least));
            while guess > least && overtakes(guess - 1) {
                guess -= 1;
            }
            while guess < end && !overtakes(guess) {
                guess += 1;
            }
            guess
        }
        None => {
            let (mut low, mut high) = (least, end.max(least));
            while low < high {
                let middle = (low + high) / 2;
                match overtakes(middle) {
                    true => high = middle,
                    false => low = middle + 1,
                }
            }
            low
        }
    }
}

/// The width and the height of a grid.
pub(crate) type Size = (usize, usize);

/// Working memory of transforms in the plane.
#[derive(Debug, Clone, Default)]
pub(crate) struct TransformMemory<V> {
    envelope: Vec<(u32, u32)>,
    rows: Vec<V>,
    columns_of_rows: Vec<u32>,
}

/// Finds the best source for each target in the plane: what it is worth, and its number. Grids are row by row.
pub(crate) fn transform<V: Crossing>(
    (x, y): (&Bend<V>, &Bend<V>),
    (sources, source_size): (&[V], Size),
    target_size: Size,
    memory: &mut TransformMemory<V>,
    best: &mut [V],
    from: &mut [u32],
) {
    let ((width, height), (target_width, target_height)) = (source_size, target_size);
    let TransformMemory { envelope, rows, columns_of_rows } = memory;
    rows.clear();
    columns_of_rows.clear();
    for row in sources.chunks_exact(width) {
        x.transform_line(
            (width, target_width),
            |s| row[s],
            envelope,
            |_, value, s| {
                rows.push(value);
                columns_of_rows.push(s);
            },
        );
    }
    for column in 0..target_width {
        let value = |s: usize| rows[s * target_width + column];
        y.transform_line((height, target_height), value, envelope, |t, value, s| {
            let place = t * target_width + column;
            best[place] = value;
            from[place] = s * width as u32 + columns_of_rows[s as usize * target_width + column];
        });
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;

    fn bend(square: f64, linear: f64, centre: f64, sources: usize, targets: usize) -> Bend<f64> {
        let value = |place: usize| {
            let d = place as f64 - (targets as f64 - 1.0) - centre;
            square * d * d + linear * d
        };
        Bend { values: (0..sources + targets - 1).map(value).collect(), curvature: 2.0 * square }
    }

    /// Against the table of all pairs.
    fn check(x: &Bend<f64>, y: &Bend<f64>, values: &[f64], source: Size, target: Size, slack: f64) {
        let cells = target.0 * target.1;
        let (mut best, mut from) = (vec![0.0; cells], vec![0; cells]);
        transform((x, y), (values, source), target, &mut TransformMemory::default(), &mut best, &mut from);
        let worth = |s: usize, t: usize| {
            values[s]
                + x.at(target.0, s % source.0, t % target.0)
                + y.at(target.1, s / source.0, t / target.0)
        };
        for t in 0..cells {
            let expected = (0..values.len()).map(|s| worth(s, t)).fold(f64::NEG_INFINITY, f64::max);
            assert_eq!(best[t], worth(from[t] as usize, t), "target {t}");
            assert!(
                expected - best[t] <= slack,
                "target {t}: {} instead of {expected}, {x:?} {y:?}",
                best[t]
            );
        }
    }

    #[test]
    fn they_equal_the_table_of_all_pairs_whatever_the_sign() {
        let mut random = Pcg64Mcg::seed_from_u64(5);
        for round in 0..4000 {
            let mut size = || random.random_range(1..9);
            let (source, target): (Size, Size) = ((size(), size()), (size(), size()));
            let cells = source.0 * source.1;
            // Whole numbers have ties and no rounding; the others are of very different sizes.
            let is_whole = round % 2 == 0;
            let mut number = || match is_whole {
                true => f64::from(random.random_range(-3..=3)),
                false => random.random_range(-1.0..1.0) * 10f64.powi(random.random_range(-6..6)),
            };
            let x = bend(number(), number(), number().round(), source.0, target.0);
            let y = bend(number(), number(), number().round(), source.1, target.1);
            let values: Vec<f64> = (0..cells).map(|_| number()).collect();
            let largest =
                [&x.values[..], &y.values, &values].concat().iter().fold(0.0, |a: f64, b| a.max(b.abs()));
            let slack = if is_whole { 0.0 } else { 256.0 * f64::EPSILON * largest };
            check(&x, &y, &values, source, target, slack);
        }
    }

    #[test]
    fn ties_go_by_the_second_number() {
        let mut random = Pcg64Mcg::seed_from_u64(6);
        for round in 0..1000 {
            let (sources, targets) = (random.random_range(1..8), random.random_range(1..8));
            let of_first = round % 2 == 0;
            let pair = |value: f64| match of_first {
                true => Lexicographic { first: value, second: 0.0 },
                false => Lexicographic { first: 0.0, second: value },
            };
            let plain = bend(f64::from(random.random_range(-2..=2)), 1.0, 0.0, sources, targets);
            let lifted =
                Bend { values: plain.values.iter().copied().map(pair).collect(), curvature: plain.curvature };
            let mut number = || f64::from(random.random_range(-2..=2));
            let values: Vec<Lexicographic> =
                (0..sources).map(|_| Lexicographic { first: number(), second: number() }).collect();
            lifted.transform_line(
                (sources, targets),
                |s| values[s],
                &mut Vec::new(),
                |t, found, s| {
                    let worth = |s: usize| values[s] + lifted.at(targets, s, t);
                    let best = (0..sources).map(worth).max().unwrap();
                    assert_eq!((found, worth(s as usize)), (best, best), "{values:?} {lifted:?}");
                },
            );
        }
    }

    #[test]
    fn numbers_that_are_none_come_to_an_end() {
        for strange in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX] {
            for curvature in [-1.0, 0.0, 1.0, f64::NAN, f64::INFINITY] {
                let x = Bend { values: vec![strange, 1.0, -strange, 0.0, 2.0, strange, 0.5], curvature };
                let mut count = 0;
                x.transform_line(
                    (4, 4),
                    |s| if s == 2 { strange } else { 0.0 },
                    &mut Vec::new(),
                    |_, _, s| {
                        count += 1;
                        assert!(s < 4);
                    },
                );
                assert_eq!(count, 4);
            }
        }
    }
}
