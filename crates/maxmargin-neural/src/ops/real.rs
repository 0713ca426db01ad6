//! The two kinds of numbers that networks are made of: single precision to train with, double precision to check gradients with.

use candle_core::{CpuStorage, Layout, Result, WithDType, bail};

/// A floating-point number that the hand-written operations work on.
pub trait Real: WithDType {
    /// x becomes 1/(1 + e⁻ˣ).
    fn sigmoid(values: &mut [Self]);

    /// x becomes tanh x.
    fn tanh(values: &mut [Self]);
}

impl Real for f32 {
    fn sigmoid(values: &mut [f32]) {
        values.iter_mut().for_each(|x| *x = 1.0 / (1.0 + exponential(-*x)));
    }

    fn tanh(values: &mut [f32]) {
        values.iter_mut().for_each(|x| *x = 2.0 / (1.0 + exponential(-2.0 * *x)) - 1.0);
    }
}

impl Real for f64 {
    fn sigmoid(values: &mut [f64]) {
        values.iter_mut().for_each(|x| *x = 1.0 / (1.0 + (-*x).exp()));
    }

    fn tanh(values: &mut [f64]) {
        values.iter_mut().for_each(|x| *x = f64::tanh(*x));
    }
}

/// eˣ to about seven digits, without a branch or a call, so that loops over it become vector instructions: and the same on every machine,
/// which the function of the platform is not. x is cut to ±87.
#[inline(always)]
fn exponential(x: f32) -> f32 {
    let x = x.clamp(-87.0, 87.0);
    // x = n ln 2 + r with |r| ≤ ln 2 / 2; adding and taking away 1.5 · 2²³ rounds to a whole number.
    const ROUND: f32 = 12_582_912.0;
    let n = (x * std::f32::consts::LOG2_E + ROUND) - ROUND;
    let r = (x - n * 0.693_359_4) + n * 2.121_944_4e-4;
    let tail = 0.166_666_66 + r * (0.041_666_66 + r * (0.008_333_33 + r * 0.001_388_89));
    let series = 1.0 + r + r * r * (0.5 + r * tail);
    series * f32::from_bits(((n as i32 + 127) as u32) << 23)
}

/// The numbers of a storage, which lie one behind the other.
pub fn contiguous<'a, T: Real>(storage: &'a CpuStorage, layout: &Layout) -> Result<&'a [T]> {
    match layout.contiguous_offsets() {
        Some((start, end)) => Ok(&T::cpu_storage_as_slice(storage)?[start..end]),
        None => bail!("the tensor is not contiguous"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_one() {
        for i in -8600..8600 {
            let x = i as f32 / 100.0;
            let (ours, exact) = (f64::from(exponential(x)), f64::from(x).exp());
            assert!((ours / exact - 1.0).abs() < 1e-6, "{x}: {ours} is not {exact}");
        }
        let mut ends = [-1e30_f32, 0.0, 1e30];
        f32::sigmoid(&mut ends);
        assert_eq!((ends[0] < 1e-30, ends[1], ends[2]), (true, 0.5, 1.0));
    }

    #[test]
    fn both_precisions_agree() {
        let single: Vec<f32> = (-60..60).map(|i| i as f32 / 7.0).collect();
        let double: Vec<f64> = single.iter().map(|&x| x.into()).collect();
        for (of_single, of_double) in [
            (<f32 as Real>::sigmoid as fn(&mut [f32]), <f64 as Real>::sigmoid as fn(&mut [f64])),
            (<f32 as Real>::tanh as fn(&mut [f32]), <f64 as Real>::tanh as fn(&mut [f64])),
        ] {
            let (mut single, mut double) = (single.clone(), double.clone());
            of_single(&mut single);
            of_double(&mut double);
            assert!(single.iter().zip(&double).all(|(&a, b)| (f64::from(a) - b).abs() < 1e-6));
        }
    }
}
