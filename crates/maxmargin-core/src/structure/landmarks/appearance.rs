//! How a part looks: a weight for each code at each place of its template, at each level.
//!
//! The cells of a part's window are scored level by level and place by place: a row of codes picks its weights from one short table, which stays in
//! the cache. Coarse levels are scored once for all cells that see the same codes.

use super::pyramid::{CodeLevel, CodePyramid};
use super::{LandmarkInput, LandmarkStructure, Window};

/// What a level adds to the cells of a window.
struct LevelView<'a> {
    level: usize,
    codes: &'a CodeLevel,
    side: usize,
    /// The weights of the part at this level.
    weights: &'a [f64],
    /// The number of codes.
    kinds: usize,
}

impl LevelView<'_> {
    /// The weights of a place of the template.
    fn table(&self, row: usize, column: usize) -> &[f64] {
        let start = (row * self.side + column) * self.kinds;
        &self.weights[start..start + self.kinds]
    }

    /// Scores some places of the level: those from `(x, y)` on.
    fn score(&self, (x, y): (usize, usize), (width, height): (usize, usize), sums: &mut [f64]) {
        for row in 0..self.side {
            for column in 0..self.side {
                let table = self.table(row, column);
                for (line, sums) in sums.chunks_exact_mut(width).enumerate().take(height) {
                    let codes = self.codes.row(y + line + row, x + column, width);
                    sums.iter_mut().zip(codes).for_each(|(sum, code)| *sum += table[usize::from(*code)]);
                }
            }
        }
    }

    /// The same of one place, by the same sums.
    fn score_one(&self, (x, y): (usize, usize)) -> f64 {
        let mut sum = 0.0;
        for row in 0..self.side {
            let codes = self.codes.row(y + row, x, self.side);
            for (column, code) in codes.iter().enumerate() {
                sum += self.table(row, column)[usize::from(*code)];
            }
        }
        sum
    }
}

impl LandmarkStructure {
    fn views<'a>(
        &'a self,
        w: &'a [f64],
        part: usize,
        picture: &'a CodePyramid,
    ) -> impl Iterator<Item = LevelView<'a>> {
        let start = part * self.template().len() * self.kinds();
        let mut rest = &w[start..];
        let kinds = self.kinds();
        let levels = picture.levels().iter().zip(self.template().sides()).enumerate();
        levels.map(move |(level, (codes, &side))| {
            let weights;
            (weights, rest) = rest.split_at(side * side * kinds);
            LevelView { level, codes, side, weights, kinds }
        })
    }

    /// Scores all cells of a part's window.
    pub(super) fn score_part(
        &self,
        w: &[f64],
        part: usize,
        x: &LandmarkInput,
        coarse: &mut Vec<f64>,
        cells: &mut [f64],
    ) {
        let Window { left, top, width, height } = self.windows()[part];
        cells.fill(0.0);
        for view in self.views(w, part, &x.picture) {
            let level = view.level;
            if level == 0 {
                view.score((left, top), (width, height), cells);
                continue;
            }
            let first = (left >> level, top >> level);
            let columns = ((left + width - 1) >> level) - first.0 + 1;
            let rows = ((top + height - 1) >> level) - first.1 + 1;
            coarse.clear();
            coarse.resize(columns * rows, 0.0);
            view.score(first, (columns, rows), coarse);
            for (y, cells) in cells.chunks_exact_mut(width).enumerate() {
                let row = &coarse[(((top + y) >> level) - first.1) * columns..][..columns];
                for (x, cell) in cells.iter_mut().enumerate() {
                    *cell += row[((left + x) >> level) - first.0];
                }
            }
        }
        self.score_gradients(w, part, x, coarse, cells);
    }

    /// Scores one cell of a part's window.
    pub(super) fn score_cell(&self, w: &[f64], part: usize, cell: usize, input: &LandmarkInput) -> f64 {
        let (x, y) = self.windows()[part].place(cell);
        let of_level = |view: LevelView<'_>| view.score_one((x >> view.level, y >> view.level));
        // As whole windows are scored: nothing, and each level added to it.
        let mut levels = self.views(w, part, &input.picture).map(of_level);
        let first = levels.next().unwrap_or(0.0);
        let codes = levels.fold(first, |sum, level| sum + level);
        if self.options().gradients.is_some() {
            codes + self.gradient_score(w, part, cell, input)
        } else {
            codes
        }
    }

    /// The weights that a part has in a cell.
    pub(super) fn for_each_code(
        &self,
        part: usize,
        cell: usize,
        picture: &CodePyramid,
        mut visit: impl FnMut(usize),
    ) {
        let (x, y) = self.windows()[part].place(cell);
        let mut place = part * self.template().len() * self.kinds();
        for (level, (codes, &side)) in picture.levels().iter().zip(self.template().sides()).enumerate() {
            for row in 0..side {
                for &code in codes.row((y >> level) + row, x >> level, side) {
                    visit(place + usize::from(code));
                    place += self.kinds();
                }
            }
        }
    }

    /// How many codes of a part are the same in two cells.
    pub(super) fn agreement(&self, part: usize, a: usize, b: usize, picture: &CodePyramid) -> usize {
        if a == b {
            return self.template().len();
        }
        let (a, b) = (self.windows()[part].place(a), self.windows()[part].place(b));
        let mut count = 0;
        for (level, (codes, &side)) in picture.levels().iter().zip(self.template().sides()).enumerate() {
            let (a, b) = ((a.0 >> level, a.1 >> level), (b.0 >> level, b.1 >> level));
            for row in 0..side {
                let pairs = codes.row(a.1 + row, a.0, side).iter().zip(codes.row(b.1 + row, b.0, side));
                count += pairs.filter(|(a, b)| a == b).count();
            }
        }
        count
    }
}
