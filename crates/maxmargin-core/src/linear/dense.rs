//! Dense vectors: dot product, norm, sum.

use rayon::prelude::*;

use super::{dispatch, multiply_add};

/// ⟨x, y⟩ of two vectors of one length.
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    #[inline(always)]
    fn body<const FMA: bool>(x: &[f64], y: &[f64]) -> f64 {
        let (x_tiles, x_rest) = x.as_chunks::<16>();
        let (y_tiles, y_rest) = y.as_chunks::<16>();
        let mut sums = [0.0; 16];
        for (x, y) in x_tiles.iter().zip(y_tiles) {
            for lane in 0..16 {
                sums[lane] = multiply_add::<FMA>(x[lane], y[lane], sums[lane]);
            }
        }
        let rest: f64 = x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum();
        sums.iter().sum::<f64>() + rest
    }
    assert_eq!(x.len(), y.len(), "vectors of one length");
    dispatch!(body(x: &[f64], y: &[f64]) -> f64)
}

/// The largest |x_j|; infinite where one of them is no number.
pub fn largest_size(x: &[f64]) -> f64 {
    #[inline(always)]
    fn body<const FMA: bool>(x: &[f64]) -> f64 {
        let (tiles, rest) = x.as_chunks::<16>();
        let (mut largest, mut are_numbers) = ([0.0_f64; 16], [true; 16]);
        for tile in tiles {
            for lane in 0..16 {
                let size = tile[lane].abs();
                are_numbers[lane] &= size <= f64::MAX;
                largest[lane] = if size > largest[lane] { size } else { largest[lane] };
            }
        }
        let are_numbers = are_numbers.iter().all(|&is| is) && rest.iter().all(|x| x.is_finite());
        let sizes = rest.iter().map(|x| x.abs()).chain(largest);
        if are_numbers { sizes.fold(0.0, f64::max) } else { f64::INFINITY }
    }
    dispatch!(body(x: &[f64]) -> f64)
}

/// ⟨x, y⟩ for each of several y: `x` is read once for four of them.
pub fn dots(x: &[f64], ys: &[&[f64]], out: &mut [f64]) {
    #[inline(always)]
    fn body<const FMA: bool>(x: &[f64], ys: [&[f64]; 4]) -> [f64; 4] {
        let (x_tiles, x_rest) = x.as_chunks::<8>();
        let tiles = ys.map(|y| y.as_chunks::<8>().0);
        let mut sums = [[0.0; 8]; 4];
        for (t, x) in x_tiles.iter().enumerate() {
            for (sums, y) in sums.iter_mut().zip(tiles) {
                for lane in 0..8 {
                    sums[lane] = multiply_add::<FMA>(x[lane], y[t][lane], sums[lane]);
                }
            }
        }
        let rest = x.len() - x_rest.len();
        std::array::from_fn(|k| {
            sums[k].iter().sum::<f64>() + x_rest.iter().zip(&ys[k][rest..]).map(|(x, y)| x * y).sum::<f64>()
        })
    }
    fn four(x: &[f64], ys: [&[f64]; 4]) -> [f64; 4] {
        dispatch!(body(x: &[f64], ys: [&[f64]; 4]) -> [f64; 4])
    }
    assert!(ys.iter().all(|y| y.len() == x.len()), "vectors of one length");
    let (fours, rest) = ys.as_chunks::<4>();
    let (out_fours, out_rest) = out.as_chunks_mut::<4>();
    for (&ys, out) in fours.iter().zip(out_fours) {
        *out = four(x, ys);
    }
    for (y, out) in rest.iter().zip(out_rest) {
        *out = dot(x, y);
    }
}

/// ‖x‖².
pub fn norm_squared(x: &[f64]) -> f64 {
    dot(x, x)
}

/// Numbers that a core adds up at a time in a norm.
const PART: usize = 1 << 15;

/// The most roundings in a row in [`large_norm_squared`] of so many numbers.
pub fn norm_squared_roundings(n: usize) -> f64 {
    // 16 sums side by side, which are then added up, and at most 15 numbers that are left; then the parts.
    (n.min(PART) / 16 + 32 + n.div_ceil(PART)) as f64
}

/// ‖x‖² over all cores; the same for any number of them.
pub fn large_norm_squared(x: &[f64]) -> f64 {
    let parts: Vec<f64> = x.par_chunks(PART).map(norm_squared).collect();
    parts.iter().sum()
}

/// `y += factor · x`.
pub fn add_scaled(y: &mut [f64], factor: f64, x: &[f64]) {
    #[inline(always)]
    fn body<const FMA: bool>(y: &mut [f64], factor: f64, x: &[f64]) {
        for (y, &x) in y.iter_mut().zip(x) {
            *y = multiply_add::<FMA>(factor, x, *y);
        }
    }
    assert_eq!(x.len(), y.len(), "vectors of one length");
    dispatch!(body(y: &mut [f64], factor: f64, x: &[f64]))
}

/// Rotates each pair (x_k, y_k) to (cos · x + sin · y, cos · y − sin · x).
pub fn rotate(x: &mut [f64], y: &mut [f64], cos: f64, sin: f64) {
    #[inline(always)]
    fn body<const FMA: bool>(x: &mut [f64], y: &mut [f64], cos: f64, sin: f64) {
        for (x, y) in x.iter_mut().zip(y) {
            (*x, *y) = (multiply_add::<FMA>(cos, *x, sin * *y), multiply_add::<FMA>(cos, *y, -(sin * *x)));
        }
    }
    assert_eq!(x.len(), y.len(), "vectors of one length");
    dispatch!(body(x: &mut [f64], y: &mut [f64], cos: f64, sin: f64))
}

/// `x *= factor`.
pub fn scale(x: &mut [f64], factor: f64) {
    x.iter_mut().for_each(|x| *x *= factor);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_infinite() {
        assert_eq!((largest_size(&[1.0, -2.0]), largest_size(&[1.0, f64::NAN])), (2.0, f64::INFINITY));
    }

    #[test]
    fn kernels_agree_with_the_definition() {
        for n in [0, 1, 7, 16, 33, 100] {
            let x: Vec<f64> = (0..n).map(|i| (i % 7) as f64 - 3.0).collect();
            let y: Vec<f64> = (0..n).map(|i| (i % 5) as f64).collect();
            assert_eq!(dot(&x, &y), x.iter().zip(&y).map(|(x, y)| x * y).sum::<f64>());
            let mut several = [0.0; 6];
            dots(&x, &[&y, &x, &y, &y, &x, &y], &mut several);
            assert_eq!(several, [0, 1, 0, 0, 1, 0].map(|k| if k == 0 { dot(&x, &y) } else { dot(&x, &x) }));
            let mut z = y.clone();
            add_scaled(&mut z, 2.0, &x);
            assert!(z.iter().zip(x.iter().zip(&y)).all(|(z, (x, y))| *z == y + 2.0 * x));
            let (mut turned_x, mut turned_y) = (x.clone(), y.clone());
            rotate(&mut turned_x, &mut turned_y, 0.5, 2.0);
            assert!(turned_x.iter().zip(x.iter().zip(&y)).all(|(z, (x, y))| *z == 0.5 * x + 2.0 * y));
            assert!(turned_y.iter().zip(x.iter().zip(&y)).all(|(z, (x, y))| *z == 0.5 * y - 2.0 * x));
        }
    }
}
