//! A table of numbers for all pairs of words, where each pair competes with those that share a word with it.

/// Numbers of all pairs (i, j), with the two best of each row and column.
#[derive(Debug, Default)]
pub(super) struct Competition {
    values: Vec<f64>,
    columns: usize,
    row_best: Vec<Best>,
    column_best: Vec<Best>,
}

/// The largest number of a row or column, its place, and the largest of the others.
#[derive(Debug, Clone, Copy)]
struct Best {
    at: usize,
    value: f64,
    next: f64,
}

impl Default for Best {
    fn default() -> Self {
        Self { at: usize::MAX, value: 0.0, next: 0.0 }
    }
}

impl Best {
    fn see(&mut self, at: usize, value: f64) {
        if value > self.value {
            *self = Self { at, value, next: self.value };
        } else if value > self.next {
            self.next = value;
        }
    }

    fn rival(&self, of: usize) -> f64 {
        if of == self.at { self.next } else { self.value }
    }
}

impl Competition {
    /// From numbers that are not negative, row by row.
    pub fn new(values: Vec<f64>, columns: usize) -> Self {
        let rows = values.len().checked_div(columns).unwrap_or(0);
        let mut row_best = vec![Best::default(); rows];
        let mut column_best = vec![Best::default(); columns];
        for (cell, &value) in values.iter().enumerate() {
            let (i, j) = (cell / columns, cell % columns);
            row_best[i].see(j, value);
            column_best[j].see(i, value);
        }
        Self { values, columns, row_best, column_best }
    }

    /// The number of a pair.
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.values[i * self.columns + j]
    }

    /// The number of a pair that may lie outside the sentences: 0 there.
    pub fn beside(&self, (i, j): (usize, usize), (down, across): (isize, isize)) -> f64 {
        match (i.checked_add_signed(down), j.checked_add_signed(across)) {
            (Some(i), Some(j)) if i < self.row_best.len() && j < self.columns => self.at(i, j),
            _ => 0.0,
        }
    }

    /// The largest number of the pairs that share a word with this one.
    pub fn rival(&self, i: usize, j: usize) -> f64 {
        self.row_best[i].rival(j).max(self.column_best[j].rival(i))
    }

    /// Whether the pair is the best of its row, and of its column.
    pub fn is_best(&self, i: usize, j: usize) -> (bool, bool) {
        (self.row_best[i].at == j, self.column_best[j].at == i)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rivals_share_a_word() {
        let table = Competition::new(vec![0.5, 0.2, 0.0, 0.1, 0.9, 0.3], 3);
        assert_eq!(table.rival(0, 0), 0.2);
        assert_eq!(table.rival(0, 1), 0.9);
        assert_eq!(table.rival(1, 1), 0.3);
        assert_eq!(table.is_best(0, 0), (true, true));
        assert_eq!(table.is_best(1, 2), (false, true));
        assert_eq!(table.beside((0, 0), (1, 1)), 0.9);
        assert_eq!(table.beside((0, 0), (-1, 0)), 0.0);
        assert_eq!(table.beside((1, 2), (0, 1)), 0.0);
    }
}
