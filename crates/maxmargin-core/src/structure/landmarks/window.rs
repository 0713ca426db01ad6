//! Where a part may be: a rectangle of cells.

/// A rectangle of a picture. Its cells are numbered row by row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The first column.
    pub left: usize,
    /// The first row.
    pub top: usize,
    /// The number of columns.
    pub width: usize,
    /// The number of rows.
    pub height: usize,
}

impl Window {
    /// The number of cells.
    pub fn cells(&self) -> usize {
        self.width * self.height
    }

    /// The columns and rows.
    pub fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    /// Column and row of a cell.
    #[inline]
    pub fn place(&self, cell: usize) -> (usize, usize) {
        (self.left + cell % self.width, self.top + cell / self.width)
    }

    /// The cell that is nearest to a place.
    pub fn nearest(&self, (x, y): (f64, f64)) -> u32 {
        // Below 0, and what is no number, is the first one.
        let cell = |place: f64, first: usize, count: usize| {
            ((place - first as f64).round().max(0.0) as usize).min(count - 1)
        };
        (cell(y, self.top, self.height) * self.width + cell(x, self.left, self.width)) as u32
    }

    /// The places of its corners.
    pub(super) fn corners(&self) -> [(usize, usize); 4] {
        let (right, bottom) = (self.left + self.width - 1, self.top + self.height - 1);
        [(self.left, self.top), (right, self.top), (self.left, bottom), (right, bottom)]
    }

    /// Whether it has cells, all in a picture of this size.
    pub(super) fn is_within(&self, (width, height): (usize, usize)) -> bool {
        let fits = |first: usize, count: usize, all: usize| {
            count > 0 && first.checked_add(count).is_some_and(|end| end <= all)
        };
        fits(self.left, self.width, width) && fits(self.top, self.height, height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_cell_is_inside() {
        let window = Window { left: 2, top: 1, width: 3, height: 2 };
        for (place, cell) in
            [((2.4, 1.4), 0), ((-9.0, 1e300), 3), ((f64::NAN, f64::NEG_INFINITY), 0), ((3.6, 2.2), 5)]
        {
            assert_eq!(window.nearest(place), cell, "{place:?}");
        }
        assert_eq!((window.place(5), window.corners()[3]), ((4, 2), (4, 2)));
        assert!(window.is_within((5, 3)) && !window.is_within((4, 3)) && !window.is_within((5, 2)));
        assert!(
            !Window { left: usize::MAX, ..window }.is_within((5, 3))
                && !Window { width: 0, ..window }.is_within((5, 3))
        );
    }
}
