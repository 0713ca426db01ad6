//! A row of features times a block of weights: the scores of all labels at once.
//!
//! Weights lie feature by feature (`weights[j · labels + k]`), so that each stored value of a row touches one run of
//! memory, and the sums for up to 32 labels stay in registers while the row streams by.

use super::{dispatch, multiply_add};
use crate::features::{Row, RowValues};

/// `out[k] += Σ_j row_j · weights[j · out.len() + k]` for every label `k`; there are as many weights as the row's columns ask for.
pub fn add_row_products(row: Row<'_>, weights: &[f64], out: &mut [f64]) {
    #[inline(always)]
    fn body<const FMA: bool>(row: Row<'_>, weights: &[f64], out: &mut [f64]) {
        let single = |&v: &f32| f64::from(v);
        let byte = |&v: &u8| f64::from(v);
        match (row.indices, row.values) {
            (Some(j), RowValues::Ones(_)) => tiles::<FMA, _>(columns(j).map(|j| (j, 1.0)), 1.0, weights, out),
            (Some(j), RowValues::Bytes(v, scale)) => {
                tiles::<FMA, _>(columns(j).zip(v.iter().map(byte)), scale, weights, out)
            }
            (Some(j), RowValues::Single(v)) => {
                tiles::<FMA, _>(columns(j).zip(v.iter().map(single)), 1.0, weights, out)
            }
            (Some(j), RowValues::Double(v)) => {
                tiles::<FMA, _>(columns(j).zip(v.iter().copied()), 1.0, weights, out)
            }
            (None, RowValues::Ones(n)) => tiles::<FMA, _>((0..n).map(|j| (j, 1.0)), 1.0, weights, out),
            (None, RowValues::Bytes(v, scale)) => {
                tiles::<FMA, _>(v.iter().map(byte).enumerate(), scale, weights, out)
            }
            (None, RowValues::Single(v)) => {
                tiles::<FMA, _>(v.iter().map(single).enumerate(), 1.0, weights, out)
            }
            (None, RowValues::Double(v)) => tiles::<FMA, _>(v.iter().copied().enumerate(), 1.0, weights, out),
        }
    }
    dispatch!(body(row: Row<'_>, weights: &[f64], out: &mut [f64]))
}

fn columns(indices: &[u32]) -> impl Iterator<Item = usize> + Clone {
    indices.iter().map(|&j| j as usize)
}

#[inline(always)]
fn tiles<const FMA: bool, I>(row: I, scale: f64, weights: &[f64], out: &mut [f64])
where
    I: Iterator<Item = (usize, f64)> + Clone,
{
    let labels = out.len();
    let mut start = 0;
    while start < labels {
        start += match labels - start {
            1 => tile::<FMA, 1, I>(row.clone(), scale, weights, start, out),
            2 => tile::<FMA, 2, I>(row.clone(), scale, weights, start, out),
            3 => tile::<FMA, 3, I>(row.clone(), scale, weights, start, out),
            4 => tile::<FMA, 4, I>(row.clone(), scale, weights, start, out),
            5..=7 => overlapping::<FMA, 4, I>(row.clone(), scale, weights, start, out),
            8 => tile::<FMA, 8, I>(row.clone(), scale, weights, start, out),
            10 => tile::<FMA, 10, I>(row.clone(), scale, weights, start, out),
            9..=15 => overlapping::<FMA, 8, I>(row.clone(), scale, weights, start, out),
            16 => tile::<FMA, 16, I>(row.clone(), scale, weights, start, out),
            17..=24 => overlapping::<FMA, 12, I>(row.clone(), scale, weights, start, out),
            25..=31 => overlapping::<FMA, 16, I>(row.clone(), scale, weights, start, out),
            _ => tile::<FMA, 32, I>(row.clone(), scale, weights, start, out),
        };
    }
}

/// The sums of all labels from `start`, of which there are between `WIDTH` and twice as many: the first and the last
/// `WIDTH` of them, in one run through the row. What lies in both is computed twice, which is cheaper than odd ends.
#[inline(always)]
fn overlapping<const FMA: bool, const WIDTH: usize, I>(
    row: I,
    scale: f64,
    weights: &[f64],
    start: usize,
    out: &mut [f64],
) -> usize
where
    I: Iterator<Item = (usize, f64)>,
{
    let labels = out.len();
    let count = labels - start;
    let (mut first, mut last) = ([0.0; WIDTH], [0.0; WIDTH]);
    for (column, value) in row {
        let weights = &weights[column * labels + start..(column + 1) * labels];
        let (low, high) = (&weights[..WIDTH], &weights[count - WIDTH..]);
        for lane in 0..WIDTH {
            first[lane] = multiply_add::<FMA>(value, low[lane], first[lane]);
            last[lane] = multiply_add::<FMA>(value, high[lane], last[lane]);
        }
    }
    let out = &mut out[start..];
    let add = |(out, sum): (&mut f64, f64)| *out += scale * sum;
    out[..WIDTH].iter_mut().zip(first).for_each(add);
    out[WIDTH..].iter_mut().zip(last.into_iter().skip(2 * WIDTH - count)).for_each(add);
    count
}

/// The sums of `WIDTH` labels from `start`; returns `WIDTH`.
#[inline(always)]
fn tile<const FMA: bool, const WIDTH: usize, I>(
    row: I,
    scale: f64,
    weights: &[f64],
    start: usize,
    out: &mut [f64],
) -> usize
where
    I: Iterator<Item = (usize, f64)>,
{
    let labels = out.len();
    let mut sums = [0.0; WIDTH];
    for (column, value) in row {
        let from = column * labels + start;
        let weights = &weights[from..from + WIDTH];
        for lane in 0..WIDTH {
            sums[lane] = multiply_add::<FMA>(value, weights[lane], sums[lane]);
        }
    }
    for (out, sum) in out[start..].iter_mut().zip(sums) {
        *out += scale * sum;
    }
    WIDTH
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::features::FeatureMatrix;

    proptest! {
        #[test]
        fn equals_the_definition(labels in 1usize..40, rows in prop::collection::vec(prop::collection::vec(0u8..4, 6), 1..4), kind in 0usize..4) {
            let unit = [1.0, 0.5, 0.1, 1.0 / 255.0][kind];
            let rows: Vec<Vec<f64>> = rows.into_iter().map(|r| r.into_iter().map(|v| f64::from(v) * unit).collect()).collect();
            let weights: Vec<f64> = (0..6 * labels).map(|i| (i * 37 % 101) as f64 / 10.0 - 5.0).collect();
            let dense = FeatureMatrix::from_dense(&rows);
            let sparse = dense.clone().sparse_if_worthwhile();
            for (i, row) in rows.iter().enumerate() {
                for matrix in [&dense, &sparse] {
                    let mut out = vec![1.0; labels];
                    add_row_products(matrix.row(i), &weights, &mut out);
                    for k in 0..labels {
                        let expected = 1.0 + (0..6).map(|j| row[j] * weights[j * labels + k]).sum::<f64>();
                        prop_assert!((out[k] - expected).abs() < 1e-12 * (1.0 + expected.abs()), "label {k}: {} for {expected}", out[k]);
                    }
                }
            }
        }
    }
}
