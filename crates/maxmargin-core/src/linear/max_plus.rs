//! The inner loop of Viterbi: a vector times a matrix in the (max, +) algebra.

use super::dispatch;

/// `out[b] = max_a from[a] + step[a · out.len() + b]`.
///
/// Only the maxima are kept: a decoder that needs the path recomputes the maximiser along it, which costs one column
/// per step instead of a table of pointers per cell.
pub fn max_plus(from: &[f64], step: &[f64], out: &mut [f64]) {
    #[inline(always)]
    fn body<const FMA: bool>(from: &[f64], step: &[f64], out: &mut [f64]) {
        let width = out.len();
        let mut start = 0;
        while width - start >= 16 {
            tile::<16>(from, step, start, out);
            start += 16;
        }
        // What is left is taken as the end of a tile that may begin before it: to find some maxima twice is cheaper than odd ends.
        match width - start {
            0 => {}
            1..=4 if width >= 4 => tile::<4>(from, step, width - 4, out),
            5..=8 if width >= 8 => tile::<8>(from, step, width - 8, out),
            9.. if width >= 16 => tile::<16>(from, step, width - 16, out),
            left if left >= 8 => {
                tile::<8>(from, step, 0, out);
                tile::<8>(from, step, width - 8, out);
            }
            left if left >= 4 => {
                tile::<4>(from, step, 0, out);
                tile::<4>(from, step, width - 4, out);
            }
            left => (0..left).for_each(|start| tile::<1>(from, step, start, out)),
        }
    }
    assert_eq!(step.len(), from.len() * out.len(), "a step for each pair");
    dispatch!(body(from: &[f64], step: &[f64], out: &mut [f64]))
}

#[inline(always)]
fn tile<const WIDTH: usize>(from: &[f64], step: &[f64], start: usize, out: &mut [f64]) {
    let width = out.len();
    let mut best = [f64::NEG_INFINITY; WIDTH];
    for (&from, row) in from.iter().zip(step.chunks_exact(width)) {
        let row = &row[start..start + WIDTH];
        for lane in 0..WIDTH {
            let value = from + row[lane];
            best[lane] = if value > best[lane] { value } else { best[lane] };
        }
    }
    out[start..start + WIDTH].copy_from_slice(&best);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_the_definition_at_every_width() {
        for width in 1..40 {
            let from: Vec<f64> = (0..5).map(|a| (a * 7 % 11) as f64).collect();
            let step: Vec<f64> = (0..5 * width).map(|i| (i * 31 % 17) as f64).collect();
            let mut out = vec![0.0; width];
            max_plus(&from, &step, &mut out);
            for b in 0..width {
                let best = (0..5).map(|a| from[a] + step[a * width + b]).fold(f64::NEG_INFINITY, f64::max);
                assert_eq!(out[b], best, "width {width}, label {b}");
            }
        }
    }
}
