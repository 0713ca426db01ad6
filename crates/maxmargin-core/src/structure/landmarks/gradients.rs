//! Histograms of oriented gradients (Dalal and Triggs 2005), which a part may have weights for beside its codes.
//!
//! A part sees a square of cells, each a square of pixels. A cell has a number for each of nine directions: how much of the change of brightness in it goes
//! there, beside all the change in it and in the eight cells around it; at most a fifth, and in units of that. So light and contrast do not
//! matter. Numbers are 256ths: sums of their products are exact.

use std::sync::Arc;

use super::{LandmarkInput, LandmarkStructure, Window};
use crate::error::{Error, Result};

/// The directions that are told apart; those that are opposite are the same.
pub(super) const DIRECTIONS: usize = 9;

/// What a number of a cell is counted in.
const UNIT: f64 = 1.0 / 256.0;

/// The largest share of all change that a direction of a cell may have.
const LARGEST_SHARE: f64 = 0.2;

/// How many cells a side may have, and pixels a cell.
const MOST_CELLS: usize = 15;
const MOST_PIXELS: usize = 16;

/// A square of cells around each place, each a square of pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GradientCells {
    side: usize,
    pixels: usize,
}

impl GradientCells {
    /// So many cells a side, an odd number, of so many pixels a side each.
    pub fn new(side: usize, pixels: usize) -> Result<Self> {
        match side % 2 == 1 && side <= MOST_CELLS && (1..=MOST_PIXELS).contains(&pixels) {
            true => Ok(Self { side, pixels }),
            false => {
                let problem = format!(
                    "{side} cells of {pixels} pixels; the number of cells is odd and up to {MOST_CELLS}, that of pixels up to {MOST_PIXELS}"
                );
                Err(Error::parameter("gradients", problem))
            }
        }
    }

    /// The cells of a side.
    pub fn side(&self) -> usize {
        self.side
    }

    /// The pixels of a side of a cell.
    pub fn pixels(&self) -> usize {
        self.pixels
    }

    /// How many numbers a part sees.
    pub fn numbers(&self) -> usize {
        self.side * self.side * DIRECTIONS
    }

    /// How far from a place the centre of a cell may be.
    fn reach(&self) -> usize {
        self.side / 2 * self.pixels
    }

    /// How many pixels beyond a picture must be known to each side: those of cells, of their neighbours, and the neighbours of pixels.
    pub fn margin(&self) -> usize {
        self.reach() + 2 * self.pixels + 1
    }

    /// The columns and rows of a field for a picture of this size.
    pub fn field_size(&self, (width, height): (usize, usize)) -> (usize, usize) {
        (width + 2 * self.reach(), height + 2 * self.reach())
    }
}

/// The histogram of the cell around each pixel of a picture, and of those that cells of templates reach beyond it. Copies share it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GradientField {
    width: usize,
    numbers: Arc<[u8]>,
}

impl GradientField {
    /// A field of so many columns, row by row, with nine numbers for each place, in 256ths.
    pub fn new(width: usize, numbers: Vec<u8>) -> Result<Self> {
        let row = width.saturating_mul(DIRECTIONS);
        match row > 0 && !numbers.is_empty() && numbers.len().is_multiple_of(row) {
            true => Ok(Self { width, numbers: numbers.into() }),
            false => {
                let problem = format!("{} numbers are no rows of {width} times {DIRECTIONS}", numbers.len());
                Err(Error::parameter("gradients", problem))
            }
        }
    }

    /// That of a picture of this size, given its pixels with a margin to each side, row by row.
    pub fn of_pixels(
        pixels: &[u8],
        size: (usize, usize),
        margin: usize,
        cells: GradientCells,
    ) -> Result<Self> {
        let width = size.0 + 2 * margin;
        if size.0 == 0
            || size.1 == 0
            || margin < cells.margin()
            || pixels.len() != width * (size.1 + 2 * margin)
        {
            let problem = format!(
                "{} pixels; a picture of {}×{} with a margin of {margin}, which is at least {}, has others",
                pixels.len(),
                size.0,
                size.1,
                cells.margin()
            );
            return Err(Error::parameter("picture", problem));
        }
        let changes = Changes::of(pixels, width);
        let (columns, rows) = cells.field_size(size);
        let first = margin - cells.reach();
        // The cells around those of the field are needed as well: what is at (x, y) of these begins a cell's side before.
        let side = cells.pixels;
        let (all_columns, all_rows) = (columns + 2 * side, rows + 2 * side);
        let places = (0..all_rows).flat_map(|y| (0..all_columns).map(move |x| (x, y)));
        let corner = first - side - side / 2;
        let histograms: Vec<[f64; DIRECTIONS]> =
            places.map(|(x, y)| changes.sums((x + corner, y + corner), side)).collect();
        let energies: Vec<f64> =
            histograms.iter().map(|sums| sums.iter().map(|sum| sum * sum).sum()).collect();
        // A change that nobody sees counts for nothing: one grey level a pixel.
        let least = (side * side * side * side) as f64;
        let mut numbers = Vec::with_capacity(columns * rows * DIRECTIONS);
        for y in 0..rows {
            for x in 0..columns {
                let around = (0..9).map(|k| energies[(y + k / 3 * side) * all_columns + x + k % 3 * side]);
                let length = (around.sum::<f64>() + least).sqrt();
                let number = |sum: f64| (sum / length / LARGEST_SHARE / UNIT).round().min(255.0) as u8;
                numbers.extend(histograms[(y + side) * all_columns + x + side].map(number));
            }
        }
        Self::new(columns, numbers)
    }

    /// The columns and rows.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.width, self.numbers.len() / DIRECTIONS / self.width)
    }

    /// All numbers.
    pub fn numbers(&self) -> &[u8] {
        &self.numbers
    }

    /// The numbers of so many places of a row, from a column on.
    #[inline]
    fn row(&self, row: usize, column: usize, count: usize) -> &[[u8; DIRECTIONS]] {
        let start = (row * self.width + column) * DIRECTIONS;
        self.numbers[start..start + count * DIRECTIONS].as_chunks().0
    }
}

/// How brightness changes in each direction, added up from the upper left corner on.
struct Changes {
    columns: usize,
    sums: Vec<[f64; DIRECTIONS]>,
}

impl Changes {
    fn of(pixels: &[u8], width: usize) -> Self {
        let height = pixels.len() / width;
        let axes: [(f64, f64); DIRECTIONS] =
            std::array::from_fn(|k| (k as f64 * std::f64::consts::PI / DIRECTIONS as f64).sin_cos());
        // A column and a row of nothing before all others.
        let columns = width + 1;
        let mut sums = vec![[0.0; DIRECTIONS]; columns * (height + 1)];
        for y in 0..height {
            let mut of_row = [0.0; DIRECTIONS];
            for x in 0..width {
                let at = |x: usize, y: usize| f64::from(pixels[y.min(height - 1) * width + x.min(width - 1)]);
                let across = at(x + 1, y) - at(x.saturating_sub(1), y);
                let down = at(x, y + 1) - at(x, y.saturating_sub(1));
                let along = |(sin, cos): (f64, f64)| (across * cos + down * sin).abs();
                let direction =
                    (0..DIRECTIONS).fold(0, |a, b| if along(axes[b]) > along(axes[a]) { b } else { a });
                of_row[direction] += (across * across + down * down).sqrt();
                let above = sums[y * columns + x + 1];
                sums[(y + 1) * columns + x + 1] = std::array::from_fn(|k| above[k] + of_row[k]);
            }
        }
        Self { columns, sums }
    }

    /// The sums of a square, from its upper left corner on.
    fn sums(&self, (x, y): (usize, usize), side: usize) -> [f64; DIRECTIONS] {
        let at = |x: usize, y: usize| &self.sums[y * self.columns + x];
        let corners = [at(x + side, y + side), at(x, y), at(x + side, y), at(x, y + side)];
        std::array::from_fn(|k| (corners[0][k] + corners[1][k] - corners[2][k] - corners[3][k]).max(0.0))
    }
}

/// What numbers come to under their weights.
#[inline(always)]
fn worth(weights: &[f64], numbers: &[u8; DIRECTIONS]) -> f64 {
    weights.iter().zip(numbers).map(|(weight, number)| weight * f64::from(*number)).sum()
}

impl LandmarkStructure {
    /// The cells of gradients, if parts see any, and where the weights of a part begin.
    fn gradients(&self, part: usize) -> Option<(GradientCells, usize)> {
        let cells = self.options().gradients?;
        Some((cells, self.code_weights() + part * cells.numbers()))
    }

    /// Adds what gradients are worth to all cells of a part's window.
    pub(super) fn score_gradients(
        &self,
        w: &[f64],
        part: usize,
        x: &LandmarkInput,
        sums: &mut Vec<f64>,
        scores: &mut [f64],
    ) {
        let (Some((cells, start)), Some(field)) = (self.gradients(part), &x.gradients) else { return };
        let Window { left, top, width, .. } = self.windows()[part];
        sums.clear();
        sums.resize(scores.len(), 0.0);
        let weights = w[start..start + cells.numbers()].chunks_exact(DIRECTIONS);
        for (place, weights) in weights.enumerate() {
            let (row, column) = (place / cells.side * cells.pixels, place % cells.side * cells.pixels);
            for (line, sums) in sums.chunks_exact_mut(width).enumerate() {
                let numbers = field.row(top + line + row, left + column, width);
                sums.iter_mut().zip(numbers).for_each(|(sum, numbers)| *sum += worth(weights, numbers));
            }
        }
        scores.iter_mut().zip(sums).for_each(|(score, sum)| *score += UNIT * *sum);
    }

    /// The same of one cell, by the same sums.
    pub(super) fn gradient_score(&self, w: &[f64], part: usize, cell: usize, x: &LandmarkInput) -> f64 {
        let mut sum = 0.0;
        self.for_each_histogram(part, cell, x, |start, numbers| {
            sum += worth(&w[start..start + DIRECTIONS], numbers);
        });
        UNIT * sum
    }

    /// Tells the numbers that a part sees in a cell of its window, and where their weights begin.
    fn for_each_histogram(
        &self,
        part: usize,
        cell: usize,
        x: &LandmarkInput,
        mut tell: impl FnMut(usize, &[u8; DIRECTIONS]),
    ) {
        let (Some((cells, start)), Some(field)) = (self.gradients(part), &x.gradients) else { return };
        let (column, row) = self.windows()[part].place(cell);
        for place in 0..cells.side * cells.side {
            let (down, across) = (place / cells.side * cells.pixels, place % cells.side * cells.pixels);
            tell(start + place * DIRECTIONS, &field.row(row + down, column + across, 1)[0]);
        }
    }

    /// Tells the weights of gradients that a part has in a cell, and how much of each.
    pub(super) fn for_each_gradient(
        &self,
        part: usize,
        cell: usize,
        x: &LandmarkInput,
        mut tell: impl FnMut(usize, f64),
    ) {
        self.for_each_histogram(part, cell, x, |start, numbers| {
            for (place, &number) in (start..).zip(numbers).filter(|(_, number)| **number != 0) {
                tell(place, UNIT * f64::from(number));
            }
        });
    }

    /// Tells by how much they differ between two cells.
    pub(super) fn for_each_gradient_difference(
        &self,
        part: usize,
        (with, without): (usize, usize),
        x: &LandmarkInput,
        mut tell: impl FnMut(usize, f64),
    ) {
        let differences = self.gradient_differences(part, (with, without), x);
        let start = self.gradients(part).map_or(0, |(_, start)| start);
        for (place, difference) in (start..).zip(differences).filter(|(_, difference)| *difference != 0) {
            tell(place, UNIT * difference as f64);
        }
    }

    /// ⟨y − truth, z − truth⟩ of the gradients of a part, without rounding.
    pub(super) fn gradient_product(&self, part: usize, [y, z, truth]: [usize; 3], x: &LandmarkInput) -> f64 {
        let [a, b] = [y, z].map(|cell| self.gradient_differences(part, (cell, truth), x));
        let product: i64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
        UNIT * UNIT * product as f64
    }

    /// The numbers of one cell less those of another.
    fn gradient_differences(&self, part: usize, cells: (usize, usize), x: &LandmarkInput) -> Vec<i64> {
        let mut differences = Vec::new();
        self.for_each_histogram(part, cells.0, x, |_, numbers| differences.extend(numbers.map(i64::from)));
        let mut rest = differences.as_mut_slice();
        self.for_each_histogram(part, cells.1, x, |_, numbers| {
            let (here, behind) = std::mem::take(&mut rest).split_at_mut(DIRECTIONS);
            here.iter_mut().zip(numbers).for_each(|(difference, &number)| *difference -= i64::from(number));
            rest = behind;
        });
        differences
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A picture with a margin, by a rule.
    fn field(cells: GradientCells, rule: impl Fn(usize, usize) -> u8) -> GradientField {
        let (size, margin) = ((6, 5), cells.margin() + 1);
        let (width, height) = (size.0 + 2 * margin, size.1 + 2 * margin);
        let pixels: Vec<u8> =
            (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| rule(x, y)).collect();
        assert!(GradientField::of_pixels(&pixels[1..], size, margin, cells).is_err());
        assert!(GradientField::of_pixels(&pixels, size, cells.margin() - 1, cells).is_err());
        let field = GradientField::of_pixels(&pixels, size, margin, cells).unwrap();
        assert_eq!(field.size(), cells.field_size(size));
        field
    }

    #[test]
    fn directions_are_those_in_which_brightness_changes() {
        for (side, pixels) in [(1, 1), (3, 4), (5, 3)] {
            let cells = GradientCells::new(side, pixels).unwrap();
            // Nothing changes; a little across, and a lot: light and contrast do not matter.
            assert!(field(cells, |_, _| 90).numbers().iter().all(|&number| number == 0));
            let [little, much] = [3, 5].map(|step| field(cells, move |x, _| (step * x) as u8));
            for across in [&little, &much] {
                for numbers in across.numbers().chunks(DIRECTIONS) {
                    // A third of the length of nine cells that are alike.
                    assert!(numbers[0] == 255 && numbers[1..].iter().all(|&number| number == 0));
                }
            }
            let down = field(cells, |_, y| (3 * y) as u8);
            // 90 degrees are between two directions: the first of those that are as near.
            assert!(down.numbers().chunks(DIRECTIONS).all(|numbers| numbers[4] == 255 || numbers[5] == 255));
        }
    }

    #[test]
    fn cells_have_what_lies_in_them() {
        // One edge: brightness rises between columns 9 and 10, so that pixels 9 and 10 change.
        let cells = GradientCells::new(1, 2).unwrap();
        let edge = field(cells, |x, _| if x < 10 { 0 } else { 100 });
        let first = cells.margin() + 1;
        for (x, numbers) in edge.row(2, 0, 6).iter().enumerate() {
            // The cell of a pixel has the one before it as well.
            let pixels = [first + x - 1, first + x];
            let changes = pixels.iter().filter(|pixel| (9..=10).contains(*pixel)).count();
            assert_eq!(numbers[0] > 0, changes > 0, "column {x}");
            assert!(numbers[1..].iter().all(|&number| number == 0));
        }
    }

    #[test]
    fn cells_that_are_none_are_refused() {
        for (side, pixels) in [(2, 4), (0, 4), (17, 4), (3, 0), (3, 17)] {
            assert!(GradientCells::new(side, pixels).is_err(), "{side} {pixels}");
        }
        assert!(GradientField::new(2, vec![0; 27]).is_err() && GradientField::new(0, vec![]).is_err());
    }
}
