//! What the steps of a chain are worth: the same between all positions, or something else between each two.
//!
//! Kernels take either as a type, so that chains whose steps are all the same pay nothing for those that are not.

/// Values of steps, `states × states` for each: from a state (rows) to a state (columns).
pub trait Steps<'a, T = f64>: Copy {
    /// Whether steps differ from position to position.
    const DIFFER: bool;

    /// The values of the step into position `t`, which is not the first one.
    fn to_position(self, t: usize) -> &'a [T];
}

impl<'a, T> Steps<'a, T> for &'a [T] {
    const DIFFER: bool = false;

    #[inline(always)]
    fn to_position(self, _: usize) -> &'a [T] {
        self
    }
}

impl<'a, T> Steps<'a, T> for &'a Vec<T> {
    const DIFFER: bool = false;

    #[inline(always)]
    fn to_position(self, _: usize) -> &'a [T] {
        self
    }
}

impl<'a, T, const SIZE: usize> Steps<'a, T> for &'a [T; SIZE] {
    const DIFFER: bool = false;

    #[inline(always)]
    fn to_position(self, _: usize) -> &'a [T] {
        self
    }
}

/// Steps with values of their own each: those into position 1 first.
///
/// ```
/// use maxmargin_core::inference::{EachStep, viterbi};
/// // Two states stay as they are, then change.
/// let steps = [1.0, 0.0, 0.0, 1.0, /* then */ 0.0, 1.0, 1.0, 0.0];
/// let mut path = Vec::new();
/// viterbi(2, &[0.0, 1.0, 0.0, 0.0, 0.0, 0.0], EachStep::new(2, &steps), &mut Vec::new(), &mut path);
/// assert_eq!(path, [1, 1, 0]);
/// ```
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
}

impl<'a, T> Steps<'a, T> for EachStep<'a, T> {
    const DIFFER: bool = true;

    #[inline]
    fn to_position(self, t: usize) -> &'a [T] {
        &self.values[(t - 1) * self.size..t * self.size]
    }
}
