//! The few vector kernels in which nearly all time is spent.
//!
//! Each kernel is written once, as plain Rust over fixed-width tiles, and compiled twice: for the baseline and for
//! AVX2 with fused multiply-add, chosen at run time. Results depend on the processor, never on the number of threads.

mod block_norm;
mod common_directions;
mod coo_vector;
mod dense;
mod feature_sum;
mod label_ranks;
mod large;
mod max_plus;
mod rounding;
mod rows;
mod seen_pairs;

pub use block_norm::BlockNorm;
pub(crate) use block_norm::{block_squares, followed_alpha};
pub use common_directions::CommonDirections;
pub use coo_vector::CooVector;
pub use dense::norm_squared;
pub(crate) use dense::{
    add_scaled, dot, dots, large_norm_squared, largest_size, norm_squared_roundings, rotate, scale,
};
pub use feature_sum::FeatureSum;
pub(crate) use large::LargeVector;
pub(crate) use max_plus::max_plus;
pub(crate) use rounding::precise_row_products;
pub use rounding::{Precise, PreciseSum, precise_share, round_down, round_up};
pub(crate) use rows::add_row_products;
pub use seen_pairs::SeenPairs;

/// Compiles `$body` twice and picks at run time; `$body` is a generic function whose first parameter is `const FMA`.
macro_rules! dispatch {
    ($body:ident ( $($name:ident : $type:ty),* ) $(-> $out:ty)?) => {{
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2,fma")]
            fn wide($($name: $type),*) $(-> $out)? { $body::<true>($($name),*) }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                // SAFETY: the processor has just been asked for both features.
                return unsafe { wide($($name),*) };
            }
        }
        $body::<false>($($name),*)
    }};
}
pub(crate) use dispatch;

/// `a · b + c`, fused where the caller's copy was compiled for it.
#[inline(always)]
fn multiply_add<const FMA: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}
