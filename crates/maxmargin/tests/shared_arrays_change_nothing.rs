//! Promise: features in arrays of somebody else are read where they are, and everything computed from them is what the same
//! numbers give when they are copied, to the last bit. Arrays that are no matrix are refused. Whoever changes them later gets
//! numbers without a meaning, or a panic, and never what lies beside an array.

use std::any::Any;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

use maxmargin::data::{FeatureMatrix, MatrixBuilder, RowValues, Rows, Shared, TaskData, ValueArray};
use maxmargin::features::{Index, Value};
use maxmargin::linear::{CooVector, FeatureSum, PreciseSum};
use maxmargin::risk::StructuredRisk;
use maxmargin::search::MarginSearch;
use maxmargin::solver::{Bcfw, BcfwOptions, Limits, run};
use maxmargin::structure::{Example, LabelCost, MulticlassStructure, Structure};
use maxmargin::tasks::RowExamples;
use proptest::prelude::*;

use crate::common;

const COLUMNS: usize = 6;

/// Compressed sparse rows, in the widest types.
#[derive(Debug, Clone)]
struct Csr {
    offsets: Vec<usize>,
    indices: Vec<usize>,
    values: Vec<f64>,
}

impl Csr {
    /// Rows whose entries are `None` where nothing is stored.
    fn new(rows: &[Vec<Option<f64>>]) -> Self {
        let mut csr = Self { offsets: vec![0], indices: Vec::new(), values: Vec::new() };
        for row in rows {
            for (column, value) in row.iter().enumerate() {
                if let Some(value) = value {
                    csr.indices.push(column);
                    csr.values.push(*value);
                }
            }
            csr.offsets.push(csr.indices.len());
        }
        csr
    }

    /// The same matrix, built value by value.
    fn built(&self) -> FeatureMatrix {
        let mut builder = MatrixBuilder::sparse();
        for range in self.offsets.windows(2).map(|pair| pair[0]..pair[1]) {
            range.for_each(|k| builder.push(self.indices[k] as u32, self.values[k]));
            builder.end_row();
        }
        builder.finish(COLUMNS)
    }

    /// The same matrix in arrays of these types, with something behind the last row.
    fn shared<O, I, V>(&self, value: impl Fn(f64) -> V) -> FeatureMatrix
    where
        O: Index + TryFrom<usize>,
        I: Index + TryFrom<usize>,
        V: Value,
    {
        fn whole<T: TryFrom<usize>>(number: &usize) -> T {
            T::try_from(*number).ok().expect("small numbers")
        }
        let offsets: Vec<O> = self.offsets.iter().map(whole).collect();
        let indices: Vec<I> = self.indices.iter().chain(&[usize::from(u8::MAX)]).map(whole).collect();
        let values: Vec<V> = self.values.iter().chain(&[0.0]).map(|&v| value(v)).collect();
        FeatureMatrix::from_csr(offsets, indices, values, COLUMNS).unwrap()
    }
}

/// All that the library computes with rows, as bits.
fn products(matrix: &FeatureMatrix) -> Vec<u64> {
    let mut found = Vec::new();
    let shared = Arc::new(matrix.clone());
    for labels in [2, 3, 10, 40] {
        let structure = MulticlassStructure::new(COLUMNS, labels, false, LabelCost::ZeroOne).unwrap();
        let weights: Vec<f64> = (0..COLUMNS * labels).map(|k| (k * 37 % 101) as f64 / 7.0 - 5.0).collect();
        let (mut sum, mut precise_sum) = (vec![0.0; COLUMNS * labels], PreciseSum::zeros(COLUMNS * labels));
        let mut terms = CooVector::default();
        for i in 0..matrix.rows() {
            let (row, x) = (matrix.row(i), Rows::new(&shared, i..i + 1));
            let (mut out, mut precise) = (Vec::new(), Vec::new());
            structure.score(&weights, &x, &mut out);
            let magnitude = structure.magnitude(&x, &0);
            structure.score_precisely(&weights, 1e3, &x, &magnitude, &mut precise).expect("it can");
            sum.as_mut_slice().add_row(row, labels, labels - 1, 0.1);
            precise_sum.add_row(row, labels, labels - 1, 0.1);
            terms.add_row(row, labels, labels - 1, 0.1);
            found.extend(common::bits(&out));
            found.extend(common::bits(&precise));
            found.extend(common::bits(&[row.norm_squared(), row.dot(&matrix.row(0))]));
        }
        found.extend(common::bits(&sum));
        found.extend(precise_sum.iter().map(f64::to_bits));
        found.push(terms.dot(&weights).to_bits());
    }
    found
}

/// The weights after some passes, and the number of the data set, as bits.
fn trained(matrix: FeatureMatrix) -> (Vec<u64>, u64) {
    let features = Arc::new(matrix);
    let truth = |i: usize| (i % 3) as u32;
    let example = |i| Example { input: Rows::new(&features, i..i + 1), truth: truth(i), weight: 1.0 };
    let structure = MulticlassStructure::new(COLUMNS, 3, true, LabelCost::ZeroOne).unwrap();
    let examples = (0..features.rows()).map(example).collect();
    let risk = StructuredRisk::new(structure, MarginSearch, examples).unwrap();
    let mut solver = Bcfw::new(0.1, &risk, BcfwOptions::default()).unwrap();
    let limits = Limits { gap: 1e-3, max_passes: 20, time_limit: None };
    let weights = run(&mut solver, &risk, limits, |_| ControlFlow::Continue(())).unwrap().weights;
    let labels = (0..features.rows()).map(truth).collect();
    let data = RowExamples::new(features, labels).unwrap();
    (common::bits(&weights), data.fingerprint())
}

fn same(name: &str, found: &FeatureMatrix, expected: &FeatureMatrix) {
    assert_eq!((found.rows(), found.columns()), (expected.rows(), expected.columns()), "{name}");
    assert_eq!((found.is_sparse(), found.stored()), (expected.is_sparse(), expected.stored()), "{name}");
    for row in 0..found.rows() {
        assert_eq!(found.row(row).to_pairs(), expected.row(row).to_pairs(), "{name}");
    }
    assert!(products(found) == products(expected), "{name}");
    assert!(trained(found.clone()) == trained(expected.clone()), "{name}");
    let order = [found.rows() - 1, 0, 0];
    let (found, expected) = (found.select(order.into_iter()), expected.select(order.into_iter()));
    assert!(products(&found) == products(&expected), "{name}: some of the rows");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn sparse_rows(
        rows in prop::collection::vec(prop::collection::vec(prop::option::of(-40i32..40), COLUMNS), 1..8),
        unit in prop::sample::select(&[1.0, 0.5, 0.1][..]),
    ) {
        let scaled = |row: &Vec<Option<i32>>| row.iter().map(|v| v.map(|v| f64::from(v) * unit)).collect();
        let rows: Vec<Vec<Option<f64>>> = rows.iter().map(scaled).collect();
        let csr = Csr::new(&rows);
        let built = csr.built();
        let double = |value: f64| value;
        same("i32, i32, f64", &csr.shared::<i32, i32, f64>(double), &built);
        same("i64, i32, f64", &csr.shared::<i64, i32, f64>(double), &built);
        same("i64, i64, f64", &csr.shared::<i64, i64, f64>(double), &built);
        same("u32, u32, f64", &csr.shared::<u32, u32, f64>(double), &built);
        same("u64, u64, f64", &csr.shared::<u64, u64, f64>(double), &built);
        if unit != 0.1 {
            let single = |value: f64| value as f32;
            same("i32, i32, f32", &csr.shared::<i32, i32, f32>(single), &built);
            same("i32, i64, f32", &csr.shared::<i32, i64, f32>(single), &built);
        }
        if unit == 1.0 {
            let positive: Vec<Vec<Option<f64>>> =
                rows.iter().map(|row| row.iter().map(|v| v.map(f64::abs)).collect()).collect();
            let csr = Csr::new(&positive);
            same("i32, i32, u8", &csr.shared::<i32, i32, u8>(|value| value as u8), &csr.built());
        }
    }

    #[test]
    fn dense_rows(bytes in prop::collection::vec(0u8..=255, COLUMNS..5 * COLUMNS)) {
        let bytes = bytes[..bytes.len() / COLUMNS * COLUMNS].to_vec();
        for unit in [1.0, -0.5, 0.1] {
            let values: Vec<f64> = bytes.iter().map(|&byte| f64::from(byte) * unit).collect();
            let rows: Vec<&[f64]> = values.chunks(COLUMNS).collect();
            let built = FeatureMatrix::from_dense(&rows);
            same("f64", &FeatureMatrix::from_row_major(values.clone(), COLUMNS).unwrap(), &built);
            let sparse = FeatureMatrix::from_row_major(values.clone(), COLUMNS).unwrap();
            same("f64, sparse", &sparse.sparse_if_worthwhile(), &built.clone().sparse_if_worthwhile());
            if unit != 0.1 {
                let single: Vec<f32> = values.iter().map(|&value| value as f32).collect();
                same("f32", &FeatureMatrix::from_row_major(single, COLUMNS).unwrap(), &built);
            }
            let shared = ValueArray::Bytes { bytes: bytes.clone().into(), scale: unit };
            let built = FeatureMatrix::from_bytes(bytes.clone(), COLUMNS, unit).unwrap();
            same("u8", &FeatureMatrix::from_row_major(shared, COLUMNS).unwrap(), &built);
        }
    }
}

#[test]
fn nothing_is_copied() {
    let (indices, values): (Arc<[i32]>, Arc<[f32]>) = (Arc::from([1, 3]), Arc::from([0.5, 2.0]));
    let matrix = FeatureMatrix::from_csr(
        vec![0i64, 0, 2],
        Shared::from(Arc::clone(&indices)),
        Shared::from(Arc::clone(&values)),
        4,
    )
    .unwrap();
    let row = matrix.row(1);
    assert_eq!(row.indices().map(|indices| indices.as_ptr().cast()), Some(indices.as_ptr()));
    assert!(matches!(row.values(), RowValues::Single(found) if found.as_ptr() == values.as_ptr()));
    let dense = FeatureMatrix::from_row_major(Shared::from(Arc::clone(&values)), 2).unwrap();
    assert!(matches!(dense.row(0).values(), RowValues::Single(found) if found.as_ptr() == values.as_ptr()));
    // A clone shares too, and the last one lets go.
    drop((matrix.clone(), matrix, dense));
    assert_eq!((Arc::strong_count(&indices), Arc::strong_count(&values)), (1, 1));
}

#[test]
fn what_is_no_matrix_is_refused() {
    let check = |offsets: &[i64], indices: &[i64], values: &[f64], part: &str| {
        let (columns, values) = (3, values.to_vec());
        let narrow = || {
            FeatureMatrix::from_csr(
                offsets.to_vec(),
                indices.iter().map(|&index| index as i32).collect::<Vec<_>>(),
                values.clone(),
                columns,
            )
        };
        let wide = FeatureMatrix::from_csr(offsets.to_vec(), indices.to_vec(), values.clone(), columns);
        // What does not fit into 32 bits cannot be written in them.
        let results = [Some(wide), indices.iter().all(|&j| i32::try_from(j).is_ok()).then(narrow)];
        for result in results.into_iter().flatten() {
            let message = result.map(drop).unwrap_err().to_string();
            assert!(message.contains(part), "{offsets:?} {indices:?} {values:?}: {message}");
        }
    };
    let two = [1.0, 1.0];
    check(&[], &[], &[], "offsets: there are none");
    check(&[1, 2], &[0, 1], &two, "offsets: they start at 1");
    check(&[0, -1], &[0, 1], &two, "offsets: there are negative ones");
    check(&[0, 2, 1], &[0, 1], &two, "offsets: row 1 ends at 1, before it starts at 2");
    check(&[0, 3], &[0, 1], &two, "offsets: the last is 3, but there are only 2");
    check(&[0, 2], &[0, 1], &[1.0], "offsets: the last is 2, but there are only 1");
    check(&[0, i64::MAX], &[0, 1], &two, "offsets: the last is 9223372036854775807");
    check(&[0, 0, 2], &[0, 3], &two, "indices: the column 3 in row 1");
    check(&[0, 0, 2], &[-1, 2], &two, "indices: the column -1");
    check(&[0, 0, 2], &[0, 1 << 32], &two, "indices: the column 4294967296 in row 1");
    check(&[0, 0, 2], &[0, i64::MIN], &two, "indices: the column -9223372036854775808 in row 1");
    check(&[0, 2], &[1, 1], &two, "the column 1 comes after 1 in row 0");
    check(&[0, 2], &[2, 0], &two, "the column 0 comes after 2 in row 0");
    check(&[0, 1, 2], &[2, 0], &[1.0, f64::NAN], "values: NaN in row 1, column 0");
    check(&[0, 1, 2], &[2, 0], &[f64::INFINITY, 1.0], "values: inf in row 0, column 2");

    let dense = |values: Vec<f64>, columns| FeatureMatrix::from_row_major(values, columns).map(drop);
    for (values, columns, part) in [
        (vec![1.0; 5], 2, "5 values are no whole rows of 2"),
        (vec![1.0], 0, "no whole rows"),
        (vec![1.0], usize::MAX, "columns"),
        (vec![1.0, 2.0, 3.0, -f64::INFINITY], 2, "-inf in row 1, column 1"),
    ] {
        let message = dense(values, columns).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
    assert!(dense(Vec::new(), 0).is_ok());
    assert!(FeatureMatrix::from_row_major(vec![f32::NAN], 1).is_err());
    let scaled = |scale| ValueArray::Bytes { bytes: vec![1, 2].into(), scale };
    assert!(FeatureMatrix::from_row_major(scaled(f64::NAN), 1).is_err());
    assert!(FeatureMatrix::from_row_major(scaled(f64::MAX), 1).is_err());
    assert!(FeatureMatrix::from_bytes(vec![1, 2, 3], 2, 1.0).is_err());
    assert!(FeatureMatrix::from_bytes(vec![1], 0, 1.0).is_err());
}

#[test]
fn rows_that_are_not_there_are_left_out_or_refused() {
    // Of unequal lengths.
    let matrix = Arc::new(FeatureMatrix::from_dense(&[&[1.0, 2.0][..], &[3.0]]));
    assert_eq!(matrix.row(1).to_pairs(), [(0, 3.0), (1, 0.0)]);
    let backwards = std::ops::Range { start: 2, end: 1 };
    for (range, expected) in [(0..2, 2), (1..5, 1), (5..9, 0), (backwards, 0), (0..usize::MAX, 2)] {
        assert_eq!(Rows::new(&matrix, range.clone()).len(), expected, "{range:?}");
        assert_eq!(Rows::try_new(&matrix, range.clone()).is_ok(), range == (0..2), "{range:?}");
    }
    assert_eq!(matrix.select([7, 1, usize::MAX].into_iter()).rows(), 1);
}

/// Arrays that others write to while they are shared.
struct Mutable {
    indices: Vec<AtomicI32>,
    values: Vec<AtomicU64>,
}

#[test]
fn arrays_that_change_are_never_left() {
    let rows: Vec<Vec<Option<f64>>> = (0..9)
        .map(|i| (0..COLUMNS).map(|j| ((i + j) % 3 != 0).then_some((i * j) as f64 + 0.1)).collect())
        .collect();
    let csr = Csr::new(&rows);
    let owner = Arc::new(Mutable {
        indices: csr.indices.iter().map(|&index| AtomicI32::new(index as i32)).collect(),
        values: csr.values.iter().map(|value| AtomicU64::new(value.to_bits())).collect(),
    });
    let offsets: Vec<i64> = csr.offsets.iter().map(|&offset| offset as i64).collect();
    let keeper: Arc<dyn Any + Send + Sync> = owner.clone();
    // SAFETY: the arrays are as long as that, and stay where they are as long as their owner.
    let (indices, values) = unsafe {
        (
            Shared::from_raw(Arc::clone(&keeper), owner.indices.as_ptr().cast::<i32>(), owner.indices.len())
                .unwrap(),
            Shared::from_raw(keeper, owner.values.as_ptr().cast::<f64>(), owner.values.len()).unwrap(),
        )
    };
    let matrix = FeatureMatrix::from_csr(offsets, indices, values, COLUMNS).unwrap();
    same("before", &matrix, &csr.built());
    let expected = products(&matrix);
    for index in [-1, i32::MIN, i32::MAX, COLUMNS as i32, 0, 1] {
        for place in [0, owner.indices.len() / 2, owner.indices.len() - 1] {
            let before = owner.indices[place].swap(index, Ordering::Relaxed);
            // Each of them by itself: the first panic would spare the others.
            let row = csr.offsets.partition_point(|&start| start <= place) - 1;
            let ended = |work: &dyn Fn()| catch_unwind(AssertUnwindSafe(work)).is_ok();
            let weights = vec![1.0; COLUMNS * 3];
            let x = Rows::new(&Arc::new(matrix.clone()), row..row + 1);
            let structure = MulticlassStructure::new(COLUMNS, 3, false, LabelCost::ZeroOne).unwrap();
            let magnitude = structure.magnitude(&x, &0);
            let (mut slice, mut precise) = (vec![0.0; COLUMNS * 3], PreciseSum::zeros(COLUMNS * 3));
            slice.add_row(matrix.row(row), 3, 1, 1.0);
            precise.add_row(matrix.row(row), 3, 1, 1.0);
            let mut terms = CooVector::default();
            terms.add_row(matrix.row(row), 3, 1, 1.0);
            let all = [
                ended(&|| structure.score(&weights, &x, &mut Vec::new())),
                ended(&|| {
                    structure.score_precisely(&weights, 1.0, &x, &magnitude, &mut Vec::new());
                }),
                // A sum with a number that is none says so.
                !slice[0].is_nan(),
                !precise.iter().next().unwrap().is_nan(),
                !terms.dot(&weights).is_nan(),
            ];
            let is_column = (0..COLUMNS as i32).contains(&index);
            assert_eq!(all, [is_column; 5], "{index} at {place}");
            // Products of rows compare columns only, and training ends in one way or the other.
            assert!(ended(&|| _ = matrix.row(row).dot(&matrix.row(0))));
            ended(&|| _ = trained(matrix.clone()));
            owner.indices[place].store(before, Ordering::Relaxed);
        }
    }
    owner.values[0].store(f64::NAN.to_bits(), Ordering::Relaxed);
    _ = catch_unwind(AssertUnwindSafe(|| trained(matrix.clone())));
    owner.values[0].store(csr.values[0].to_bits(), Ordering::Relaxed);
    assert!(products(&matrix) == expected);
}
