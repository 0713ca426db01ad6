//! What the steps of a chain are worth: the same between all positions, something else between each two, or only between states that
//! fit together.
//!
//! Kernels take each as a type, so that chains whose steps are all the same pay nothing for others.

use super::viterbi::first_maximum;
use crate::linear::max_plus;

/// The steps into each position but the first, with a value each.
pub trait Steps<T: Copy = f64>: Copy {
    /// The steps into a state of position `t`: where each comes from, what `before` holds of that state, and what the step is worth.
    fn ways<B>(self, t: usize, to: usize, before: &[B]) -> impl Iterator<Item = (usize, &B, T)> + Clone;
}

/// Steps along which largest sums are found for all states at once.
pub trait MaxPlusSteps: Steps {
    /// For each state of position `t` the largest sum of a value before it and the step from there.
    fn forward(self, t: usize, before: &[f64], now: &mut [f64]);

    /// Where the best of the [`ways`](Steps::ways) into a state of position `t` comes from; the first of equals.
    fn best_origin(self, t: usize, to: usize, before: &[f64]) -> usize;

    /// For each state before position `t` the largest sum of a step into `t` and the value there. The same `memory`, empty at
    /// first, goes with all calls on the same steps.
    fn backward(self, t: usize, next: &[f64], before: &mut [f64], memory: &mut Vec<f64>);
}

/// The steps into a state, of a matrix with a row for each state that they come from.
fn column<'b, T: Copy, B>(
    matrix: &[T],
    to: usize,
    before: &'b [B],
) -> impl Iterator<Item = (usize, &'b B, T)> + Clone {
    let column = matrix[to..].iter().step_by(before.len());
    before.iter().zip(column).enumerate().map(|(from, (before, &step))| (from, before, step))
}

/// The place of the largest sum of a value and a step into a state; the first of equals.
#[inline(always)]
fn best_in_column(matrix: &[f64], to: usize, before: &[f64]) -> usize {
    let column = matrix[to..].iter().step_by(before.len());
    first_maximum(before.iter().zip(column).map(|(before, step)| before + step))
}

/// Writes down steps the other way round.
fn turn(states: usize, step: &[f64], back: &mut [f64]) {
    for (from, row) in step.chunks_exact(states).enumerate() {
        row.iter().enumerate().for_each(|(to, &value)| back[to * states + from] = value);
    }
}

/// The same `states × states` values between all positions: from a state (rows) to a state (columns).
impl<T: Copy> Steps<T> for &[T] {
    #[inline(always)]
    fn ways<B>(self, _: usize, to: usize, before: &[B]) -> impl Iterator<Item = (usize, &B, T)> + Clone {
        column(self, to, before)
    }
}

impl MaxPlusSteps for &[f64] {
    #[inline(always)]
    fn forward(self, _: usize, before: &[f64], now: &mut [f64]) {
        max_plus(before, self, now);
    }

    #[inline(always)]
    fn best_origin(self, _: usize, to: usize, before: &[f64]) -> usize {
        best_in_column(self, to, before)
    }

    fn backward(self, _: usize, next: &[f64], before: &mut [f64], memory: &mut Vec<f64>) {
        if memory.is_empty() {
            memory.resize(self.len(), 0.0);
            turn(next.len(), self, memory);
        }
        max_plus(next, memory, before);
    }
}

/// Steps with values of their own each: those into position 1 first.
#[derive(Debug)]
pub struct EachStep<'a, T = f64> {
    size: usize,
    values: &'a [T],
}

impl<T> Clone for EachStep<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for EachStep<'_, T> {}

impl<'a, T> EachStep<'a, T> {
    /// The values of all steps between this many states, one step after the other.
    pub fn new(states: usize, values: &'a [T]) -> Self {
        Self { size: states * states, values }
    }

    fn matrix(self, t: usize) -> &'a [T] {
        &self.values[(t - 1) * self.size..t * self.size]
    }
}

impl<T: Copy> Steps<T> for EachStep<'_, T> {
    #[inline]
    fn ways<B>(self, t: usize, to: usize, before: &[B]) -> impl Iterator<Item = (usize, &B, T)> + Clone {
        column(self.matrix(t), to, before)
    }
}

impl MaxPlusSteps for EachStep<'_> {
    #[inline]
    fn forward(self, t: usize, before: &[f64], now: &mut [f64]) {
        max_plus(before, self.matrix(t), now);
    }

    #[inline]
    fn best_origin(self, t: usize, to: usize, before: &[f64]) -> usize {
        best_in_column(self.matrix(t), to, before)
    }

    fn backward(self, t: usize, next: &[f64], before: &mut [f64], memory: &mut Vec<f64>) {
        memory.resize(self.size, 0.0);
        turn(next.len(), self.matrix(t), memory);
        max_plus(next, memory, before);
    }
}

/// Steps between pairs of neighbouring labels, (a, b) → (b, c), worth what the three labels are worth.
///
/// The state of (a, b) has the number `b · labels + a`. A step of one position comes from `labels` states, not from all of them.
#[derive(Debug)]
pub struct TripleSteps<'a, T = f64> {
    labels: usize,
    values: &'a [T],
}

impl<T> Clone for TripleSteps<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for TripleSteps<'_, T> {}

impl<'a, T> TripleSteps<'a, T> {
    /// The values of three labels in a row, the one in the middle first: that of a, b, c is at `(b · labels + a) · labels + c`.
    pub fn new(labels: usize, values: &'a [T]) -> Self {
        Self { labels, values }
    }

    /// The values with this label in the middle, a row for each that comes before.
    fn around(self, middle: usize) -> &'a [T] {
        let size = self.labels * self.labels;
        &self.values[middle * size..(middle + 1) * size]
    }
}

impl<T: Copy> Steps<T> for TripleSteps<'_, T> {
    #[inline]
    fn ways<B>(self, _: usize, to: usize, before: &[B]) -> impl Iterator<Item = (usize, &B, T)> + Clone {
        let (middle, after) = (to % self.labels, to / self.labels);
        let start = middle * self.labels;
        column(self.around(middle), after, &before[start..start + self.labels])
            .map(move |(from, before, step)| (start + from, before, step))
    }
}

impl MaxPlusSteps for TripleSteps<'_> {
    fn forward(self, _: usize, before: &[f64], now: &mut [f64]) {
        let labels = self.labels;
        let mut best = vec![0.0; labels];
        for (middle, before) in before.chunks_exact(labels).enumerate() {
            max_plus(before, self.around(middle), &mut best);
            best.iter().enumerate().for_each(|(after, &best)| now[after * labels + middle] = best);
        }
    }

    fn best_origin(self, _: usize, to: usize, before: &[f64]) -> usize {
        let (middle, after) = (to % self.labels, to / self.labels);
        let start = middle * self.labels;
        start + best_in_column(self.around(middle), after, &before[start..start + self.labels])
    }

    fn backward(self, _: usize, next: &[f64], before: &mut [f64], memory: &mut Vec<f64>) {
        let labels = self.labels;
        if memory.is_empty() {
            memory.resize(self.values.len(), 0.0);
            let size = labels * labels;
            self.values
                .chunks_exact(size)
                .zip(memory.chunks_exact_mut(size))
                .for_each(|(values, turned)| turn(labels, values, turned));
        }
        let mut after = vec![0.0; labels];
        for (middle, before) in before.chunks_exact_mut(labels).enumerate() {
            after.iter_mut().enumerate().for_each(|(label, after)| *after = next[label * labels + middle]);
            let size = labels * labels;
            max_plus(&after, &memory[middle * size..(middle + 1) * size], before);
        }
    }
}
