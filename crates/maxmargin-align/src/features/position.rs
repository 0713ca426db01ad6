//! Where the two words stand: translations keep near the diagonal.

use super::Sink;

/// Distances of the relative positions i/m and j/n, and both ends.
pub(super) fn add((m, n): (usize, usize), (i, j): (usize, usize), to: &mut impl Sink) {
    let relative = |at: usize, words: usize| (at as f64 + 0.5) / words as f64;
    let distance = (relative(i, m) - relative(j, n)).abs();
    to.add("position.distance", distance);
    to.add("position.distance-squared", distance * distance);
    to.add("position.distance-root", distance.sqrt());
    let words = distance * m.max(n) as f64;
    to.flag("position.near", words <= 1.0);
    to.flag("position.far", words > 5.0);
    to.flag("position.both-first", i == 0 && j == 0);
    to.flag("position.both-last", i + 1 == m && j + 1 == n);
    to.flag("position.one-last", (i + 1 == m) != (j + 1 == n));
}
