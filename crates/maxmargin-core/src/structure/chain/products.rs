//! Inner products of the features of labels, from those of positions, which are kept where they are few.

use super::{ChainStructure, pairs};
use crate::features::Rows;
use crate::structure::product_by_features;

/// Longer chains keep no products of their positions, of which there are as many as positions squared.
const LONGEST_KERNEL: usize = 200;

/// Nor do chains for which there are more products than this many times the stored values of their features: so the
/// products of all chains never take more than a few times the memory of the data.
const LARGEST_KERNEL: usize = 4;

impl ChainStructure {
    /// ⟨x_s, x_t⟩ for s ≤ t, row by row of t: the bias included. Then the same of the features of pairs, if there are any. Nothing where that is
    /// too much to keep.
    pub(super) fn products_of(&self, x: &Rows) -> Vec<f64> {
        if self.seen.is_some() {
            // Products of positions are others for each label.
            return Vec::new();
        }
        let stored: usize = (0..x.len()).map(|t| x.row(t).len()).sum();
        let tables = if self.pairs > 0 { 2 } else { 1 };
        if x.len() > LONGEST_KERNEL || tables * (x.len() * (x.len() + 1) / 2) > LARGEST_KERNEL * stored {
            return Vec::new();
        }
        let bias = f64::from(u8::from(self.options.bias));
        if self.pairs == 0 {
            let mut products = x.products();
            products.iter_mut().for_each(|product| *product += bias);
            return products;
        }
        let pairs = (0..x.len()).flat_map(|t| (0..=t).map(move |s| (s, t)));
        let unary = pairs.clone().map(|(s, t)| self.unary_row(x, s).0.dot(&self.unary_row(x, t).0) + bias);
        unary.chain(pairs.map(|(s, t)| self.pair_row(x, s).dot(&self.pair_row(x, t)))).collect()
    }

    /// The inner product of two labels' differences from the truth.
    pub(super) fn product_of(
        &self,
        x: &Rows,
        kernel: &[f64],
        truth: &Vec<u32>,
        [y, z]: [&Vec<u32>; 2],
    ) -> f64 {
        if kernel.is_empty() {
            return product_by_features(self, x, truth, y, z);
        }
        let mut plain = self.plain_product(x.len(), kernel, truth, [y, z]);
        if self.is_second_order() {
            plain += self.triples_product(truth, [y, z]);
        }
        match self.pairs {
            0 => plain,
            _ => plain + pairs::product(&kernel[kernel.len() / 2..], truth, [y, z]),
        }
    }

    /// The inner product of two labels' differences from the truth, but for features of pairs.
    #[inline(always)]
    fn plain_product(&self, length: usize, kernel: &[f64], truth: &[u32], [y, z]: [&[u32]; 2]) -> f64 {
        let last = length.saturating_sub(1);
        let boundary = f64::from(u8::from(self.options.boundary));
        // Labels differ from the truth in few places, so these lists are short.
        let mut buffers = [[0; LONGEST_KERNEL]; 2];
        let [y_buffer, z_buffer] = &mut buffers;
        let (y_places, z_places) = (differing(y, truth, y_buffer), differing(z, truth, z_buffer));
        let mut sum = 0.0;
        for s in places(y_places) {
            for t in places(z_places) {
                let agreement = agreement(y[s], truth[s], z[t], truth[t]);
                if agreement != 0.0 {
                    let (low, high) = (s.min(t), s.max(t));
                    let ends = f64::from(u8::from(s == 0 && t == 0) + u8::from(s == last && t == last));
                    sum += agreement * (kernel[high * (high + 1) / 2 + low] + boundary * ends);
                }
            }
        }
        let pair = |label: &[u32], t: usize| (label[t], label[t + 1]);
        for s in steps(y_places, last) {
            for t in steps(z_places, last) {
                sum += agreement(pair(y, s), pair(truth, s), pair(z, t), pair(truth, t));
            }
        }
        sum
    }
}

/// The positions at which two labels differ, written down without allocation.
fn differing<'a>(label: &[u32], truth: &[u32], buffer: &'a mut [u8; LONGEST_KERNEL]) -> &'a [u8] {
    let mut count = 0;
    for (t, (y, truth)) in label.iter().zip(truth).enumerate() {
        buffer[count] = t as u8;
        count += usize::from(y != truth);
    }
    &buffer[..count]
}

fn places(list: &[u8]) -> impl Iterator<Item = usize> + '_ {
    list.iter().map(|&t| usize::from(t))
}

/// The steps t → t + 1 that touch one of these positions, each once, where `last` is the last position.
fn steps(list: &[u8], last: usize) -> impl Iterator<Item = usize> + '_ {
    let before = |k: usize| k.checked_sub(1).map(|k| usize::from(list[k]));
    places(list).enumerate().flat_map(move |(k, t)| {
        // The step into t is that out of t − 1, if that position is listed too.
        let into = (t > 0 && before(k) != Some(t - 1)).then(|| t - 1);
        let out = (t < last).then_some(t);
        into.into_iter().chain(out)
    })
}

/// ⟨e_a − e_b, e_c − e_d⟩.
pub(super) fn agreement<T: PartialEq>(a: T, b: T, c: T, d: T) -> f64 {
    let equal = |x: &T, y: &T| f64::from(u8::from(x == y));
    equal(&a, &c) - equal(&a, &d) - equal(&b, &c) + equal(&b, &d)
}
