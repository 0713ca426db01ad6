//! Cholesky factors of sparse symmetric matrices by their envelope: each row from its first entry to the diagonal.
//!
//! Fill-in stays inside the envelope, so there is nothing to analyse before a matrix is factored. Good where rows are
//! in an order in which envelopes are small, as the nodes of a trellis or of a bipartite graph are.
//!
//! Invariant: a row is stored without gaps, `values[start[i]..start[i + 1]]` for the columns `first[i]..=i`.

use crate::linear::dot;

/// A pivot below this share of the diagonal entry before elimination is rounding.
const SINGULAR: f64 = 1e-9;

/// A matrix and, after [`factor`](Self::factor), its Cholesky factor in the same place.
#[derive(Debug, Clone, Default)]
pub(super) struct Envelope {
    first: Vec<usize>,
    start: Vec<usize>,
    values: Vec<f64>,
}

impl Envelope {
    /// Begins a matrix of n rows, of which nothing is known yet.
    pub(super) fn clear(&mut self, n: usize) {
        self.first.clear();
        self.first.extend(0..n);
    }

    /// Announces an entry; the order of row and column does not matter.
    pub(super) fn announce(&mut self, i: usize, j: usize) {
        let (row, column) = (i.max(j), i.min(j));
        self.first[row] = self.first[row].min(column);
    }

    /// Makes room for what was announced: the zero matrix.
    pub(super) fn allocate(&mut self) {
        self.start.clear();
        self.start.push(0);
        let mut end = 0;
        for (i, first) in self.first.iter().enumerate() {
            end += i + 1 - first;
            self.start.push(end);
        }
        self.values.clear();
        self.values.resize(end, 0.0);
    }

    /// Adds to an entry that was announced, or to one on the diagonal.
    #[inline]
    pub(super) fn add(&mut self, i: usize, j: usize, value: f64) {
        let (row, column) = (i.max(j), i.min(j));
        self.values[self.start[row] + column - self.first[row]] += value;
    }

    /// Factors a matrix that is positive semidefinite. A pivot that is 0 becomes `anchor`, as if that much had been
    /// added on the diagonal.
    pub(super) fn factor(&mut self, anchor: f64) {
        for i in 0..self.first.len() {
            let (before, rest) = self.values.split_at_mut(self.start[i]);
            let first = self.first[i];
            let row = &mut rest[..i + 1 - first];
            let diagonal = row[i - first];
            let mut pivot = diagonal;
            for j in first..i {
                let other = &before[self.start[j]..self.start[j + 1]];
                let from = first.max(self.first[j]);
                let common =
                    dot(&row[from - first..j - first], &other[from - self.first[j]..j - self.first[j]]);
                let value = (row[j - first] - common) / other[j - self.first[j]];
                row[j - first] = value;
                pivot -= value * value;
            }
            let is_singular = pivot.is_nan() || pivot <= SINGULAR * diagonal;
            row[i - first] = if is_singular { anchor } else { pivot }.sqrt();
        }
    }

    /// Solves with the factor, in place.
    pub(super) fn solve(&self, x: &mut [f64]) {
        let row = |i: usize| &self.values[self.start[i]..self.start[i + 1]];
        for i in 0..self.first.len() {
            let (entries, first) = (row(i), self.first[i]);
            let sum = dot(&entries[..i - first], &x[first..i]);
            x[i] = (x[i] - sum) / entries[i - first];
        }
        for i in (0..self.first.len()).rev() {
            let (entries, first) = (row(i), self.first[i]);
            x[i] /= entries[i - first];
            let value = x[i];
            x[first..i].iter_mut().zip(entries).for_each(|(x, entry)| *x -= entry * value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grounded Laplacian of a path, and of two nodes that hang on nothing.
    #[test]
    fn solves_what_can_be_solved() {
        let mut matrix = Envelope::default();
        let arcs = [(0, 1, 2.0), (1, 3, 1.0), (2, 4, 4.0)];
        matrix.clear(5);
        arcs.iter().for_each(|&(i, j, _)| matrix.announce(i, j));
        matrix.allocate();
        for (i, j, weight) in arcs {
            matrix.add(i, i, weight);
            matrix.add(j, j, weight);
            matrix.add(j, i, -weight);
        }
        matrix.add(0, 0, 3.0);
        matrix.factor(1.0);
        let right = [1.0, -2.0, 0.5, 4.0, -0.5];
        let mut x = right;
        matrix.solve(&mut x);
        let mut left = [3.0 * x[0], 0.0, 0.0, 0.0, 0.0];
        for (i, j, weight) in arcs {
            left[i] += weight * (x[i] - x[j]);
            left[j] += weight * (x[j] - x[i]);
        }
        assert!(left.iter().zip(right).all(|(l, r)| (l - r).abs() < 1e-12), "{left:?}");
    }
}
