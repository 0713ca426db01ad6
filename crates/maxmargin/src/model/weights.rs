//! The weights of a model in memory.
//!
//! Most weights of a model of text are 0. The first block, which has a row for each attribute, is then held as entries, and
//! all weights are made only for who asks for all of them. (Attributes of pairs have a row for each label that comes before, and come
//! first: their block and the next one are then meant by the first block.) A few examples are predicted without: the rows of their attributes
//! are [gathered](Weights::gathered) into a small model of their own.

use std::hint::black_box;
use std::ops::Range;
use std::sync::OnceLock;

use crate::features::FeatureMatrix;
use crate::tasks::FittedObject;

/// Fewer rows with entries than one in so many are listed by their numbers.
const FEW_ROWS: usize = 8;

/// All weights, in the order of the task's structure.
#[derive(Debug, Clone)]
pub(super) struct Weights {
    /// The rows of the first block.
    rows: usize,
    /// The weights of each.
    width: usize,
    /// The attributes of pairs, each of which has as many rows as weights are in one.
    pairs: usize,
    held: Held,
}

#[derive(Debug, Clone)]
enum Held {
    Dense(Vec<f64>),
    /// The first block, all others, and all together once somebody asked.
    Sparse(Entries, Vec<f64>, OnceLock<Vec<f64>>),
}

/// The weights of the first block that are not 0, row by row.
#[derive(Debug, Clone)]
pub(super) struct Entries {
    /// The rows that have entries, ascending, where these are few; else all rows count.
    pub rows: Option<Vec<u32>>,
    /// Where the entries of each such row start, and the end.
    pub starts: Vec<usize>,
    /// The place of each in its row, ascending, and the weight.
    pub entries: Vec<(u32, f64)>,
}

impl Weights {
    /// The weights of these blocks, as entries where less than half of the first block is not 0.
    pub fn new(weights: Vec<f64>, task: &dyn FittedObject) -> Self {
        let (rows, width) = shape_of_rows(task);
        let first = weights.get(..rows * width).unwrap_or_default();
        let held = match Entries::of(first, width) {
            Some(entries) => Held::Sparse(entries, weights[rows * width..].to_vec(), OnceLock::new()),
            None => Held::Dense(weights),
        };
        Self { rows, width, pairs: task.pair_attributes(), held }
    }

    /// The same from entries, which must be those of the first block, and the weights of all others.
    pub fn from_entries(entries: Entries, rest: Vec<f64>, task: &dyn FittedObject) -> Self {
        let (rows, width) = shape_of_rows(task);
        let held = Held::Sparse(entries, rest, OnceLock::new());
        Self { rows, width, pairs: task.pair_attributes(), held }
    }

    /// The number of weights.
    pub fn len(&self) -> usize {
        self.rows * self.width + self.rest().len()
    }

    /// The number of rows of the first block.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of weights in a row of the first block.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The entries of the first block, where it is held so.
    pub fn entries(&self) -> Option<&Entries> {
        match &self.held {
            Held::Dense(_) => None,
            Held::Sparse(entries, ..) => Some(entries),
        }
    }

    /// The weights behind the first block.
    pub fn rest(&self) -> &[f64] {
        match &self.held {
            Held::Dense(all) => all.get(self.rows * self.width..).unwrap_or_default(),
            Held::Sparse(_, rest, _) => rest,
        }
    }

    /// All weights. Those that are held as entries take their whole size from then on.
    pub fn dense(&self) -> &[f64] {
        match &self.held {
            Held::Dense(all) => all,
            Held::Sparse(_, rest, dense) => dense.get_or_init(|| {
                let mut all = vec![0.0; self.len()];
                (0..self.rows).for_each(|row| self.copy_row(row, &mut all[row * self.width..]));
                all[self.rows * self.width..].copy_from_slice(rest);
                all
            }),
        }
    }

    /// Whether all are finite.
    pub fn are_finite(&self) -> bool {
        let first = match &self.held {
            Held::Dense(all) => all.iter().all(|weight| weight.is_finite()),
            Held::Sparse(first, ..) => first.entries.iter().all(|(_, weight)| weight.is_finite()),
        };
        first && self.rest().iter().all(|weight| weight.is_finite())
    }

    /// Rounded to single precision.
    pub fn rounded(mut self) -> Self {
        let round = |weight: &mut f64| *weight = f64::from(*weight as f32);
        match &mut self.held {
            Held::Dense(all) => all.iter_mut().for_each(round),
            Held::Sparse(first, rest, dense) => {
                first.entries.iter_mut().map(|(_, weight)| weight).chain(rest).for_each(round);
                dense.take();
            }
        }
        self
    }

    /// The rows of an attribute.
    pub fn rows_of(&self, attribute: usize) -> Range<usize> {
        rows_of(attribute, self.pairs, self.width)
    }

    /// Whether an attribute has a weight that is not 0.
    pub fn is_used(&self, attribute: usize) -> bool {
        self.rows_of(attribute).any(|row| self.is_row_used(row))
    }

    fn is_row_used(&self, row: usize) -> bool {
        match &self.held {
            Held::Dense(all) => all[row * self.width..(row + 1) * self.width].iter().any(|&w| w != 0.0),
            Held::Sparse(first, ..) => !first.row(row).is_empty(),
        }
    }

    /// Copies a row of the first block to the beginning of `to`, which must be 0 there.
    #[inline]
    pub fn copy_row(&self, row: usize, to: &mut [f64]) {
        match &self.held {
            Held::Dense(all) => {
                to[..self.width].copy_from_slice(&all[row * self.width..(row + 1) * self.width]);
            }
            Held::Sparse(first, ..) => first.copy(first.row(row), to),
        }
    }

    /// Makes the weights of a task that knows only what these features store, and returns the same features for it: each stored
    /// value has a column of its own, in the same order, so that sums are the same bit by bit. None where all weights are there
    /// already, or would be no more, or belong to pairs. The features must have a column for each row but that of the constant feature.
    pub fn gathered(&self, features: &FeatureMatrix, weights: &mut Vec<f64>) -> Option<FeatureMatrix> {
        let Held::Sparse(first, rest, dense) = &self.held else { return None };
        if dense.get().is_some() || features.stored() >= features.columns() || self.pairs > 0 {
            return None;
        }
        // The constant feature is the last row.
        let constant = self.rows.checked_sub(features.columns()).filter(|&more| more <= 1)?;
        let spread = features.with_own_columns()?;
        // All rows are touched before they are copied: each is far from the one before, and the processor then waits for many
        // at once.
        let mut places: Vec<Range<usize>> = Vec::with_capacity(features.stored() + constant);
        for row in 0..features.rows() {
            let columns = features.row(row).indices().unwrap_or_default();
            places.extend(columns.iter().map(|&column| first.row(column as usize)));
        }
        places.extend((self.rows - constant..self.rows).map(|row| first.row(row)));
        let column = |place: &Range<usize>| first.entries.get(place.start).map_or(0, |entry| entry.0);
        black_box(places.iter().fold(0, |sum, place| sum ^ column(place)));
        weights.clear();
        weights.resize(places.len() * self.width + rest.len(), 0.0);
        let (gathered, others) = weights.split_at_mut(places.len() * self.width);
        for (place, to) in places.into_iter().zip(gathered.chunks_exact_mut(self.width.max(1))) {
            first.copy(place, to);
        }
        others.copy_from_slice(rest);
        Some(spread)
    }
}

impl Entries {
    /// The entries of a block with rows of this width, where they are less than half of it.
    fn of(block: &[f64], width: usize) -> Option<Self> {
        let count = block.iter().filter(|&&weight| weight != 0.0).count();
        if 2 * count >= block.len() {
            return None;
        }
        let mut entries = Vec::with_capacity(count);
        let mut ends = Vec::with_capacity(block.len() / width + 1);
        ends.push(0);
        for row in block.chunks_exact(width) {
            entries.extend((0..).zip(row.iter().copied()).filter(|(_, weight)| *weight != 0.0));
            ends.push(entries.len());
        }
        let is_used = |row: &u32| ends[*row as usize] < ends[*row as usize + 1];
        let all = u32::try_from(ends.len() - 1).ok()?;
        let used = (0..all).filter(is_used).count();
        if used >= all as usize / FEW_ROWS {
            return Some(Self { rows: None, starts: ends, entries });
        }
        let rows: Vec<u32> = (0..all).filter(is_used).collect();
        let starts = rows.iter().map(|&row| ends[row as usize]).chain([entries.len()]).collect();
        Some(Self { rows: Some(rows), starts, entries })
    }

    /// Where the entries of a row are.
    #[inline]
    fn row(&self, row: usize) -> Range<usize> {
        let place = match &self.rows {
            None => row,
            Some(rows) => match rows.binary_search_by_key(&row, |&row| row as usize) {
                Ok(place) => place,
                Err(_) => return 0..0,
            },
        };
        self.starts[place]..self.starts[place + 1]
    }

    /// Copies the entries of a row to their columns.
    #[inline]
    fn copy(&self, place: Range<usize>, to: &mut [f64]) {
        self.entries[place].iter().for_each(|&(column, weight)| to[column as usize] = weight);
    }
}

/// The rows of attributes, and the weights of each.
pub(super) fn shape_of_rows(task: &dyn FittedObject) -> (usize, usize) {
    let (blocks, pairs) = (task.blocks(), task.pair_attributes());
    let Some(first) = blocks.get(usize::from(pairs > 0)) else { return (0, 0) };
    let rows = first.shape.first().copied().unwrap_or(0);
    let width = first.len().checked_div(rows).unwrap_or(0);
    match pairs {
        0 => (rows, width),
        // Without other attributes there is no row to ask.
        _ => (rows.saturating_add(pairs.saturating_mul(task.labels())), task.labels()),
    }
}

/// The rows of an attribute where so many have a row for each label, and come first.
pub(super) fn rows_of(attribute: usize, pairs: usize, labels: usize) -> Range<usize> {
    match attribute.checked_sub(pairs) {
        None => attribute * labels..(attribute + 1) * labels,
        Some(behind) => pairs * labels + behind..pairs * labels + behind + 1,
    }
}
