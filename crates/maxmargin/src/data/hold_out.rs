//! Some of the examples put aside, to validate on.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;

use crate::error::{Error, Result};

/// The numbers of the examples to train on and of those that are held out, both in ascending order. The same seed holds
/// out the same examples.
///
/// ```
/// let (train, held_out) = maxmargin::data::hold_out(10, 0.3, 1)?;
/// assert_eq!((train.len(), held_out.len()), (7, 3));
/// assert!(maxmargin::data::hold_out(10, 0.01, 1).is_err());
/// # Ok::<(), maxmargin::Error>(())
/// ```
pub fn hold_out(examples: usize, share: f64, seed: u64) -> Result<(Vec<usize>, Vec<usize>)> {
    let count = (share * examples as f64).round();
    if !(share > 0.0 && share < 1.0 && count >= 1.0 && count < examples as f64) {
        let problem = format!(
            "a share of {share} leaves nothing to train on or nothing to validate on; there are {examples} examples, and a share lies between 0 and 1"
        );
        return Err(Error::parameter("hold-out", problem));
    }
    let mut order: Vec<usize> = (0..examples).collect();
    order.shuffle(&mut Pcg64Mcg::seed_from_u64(seed));
    let mut train = order.split_off(count as usize);
    order.sort_unstable();
    train.sort_unstable();
    Ok((train, order))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_is_on_one_side() {
        for (examples, share) in [(2, 0.5), (7, 0.2), (100, 0.99), (100, 0.005)] {
            let (train, held_out) = hold_out(examples, share, 3).unwrap();
            let mut all = [train.as_slice(), &held_out].concat();
            assert!(train.is_sorted() && held_out.is_sorted() && !train.is_empty() && !held_out.is_empty());
            all.sort_unstable();
            assert_eq!(all, (0..examples).collect::<Vec<_>>());
            assert_eq!(hold_out(examples, share, 3).unwrap(), (train, held_out));
        }
        assert_ne!(hold_out(100, 0.5, 1).unwrap(), hold_out(100, 0.5, 2).unwrap());
        for share in [0.0, 1.0, -0.5, 2.0, f64::NAN, 0.99] {
            assert!(hold_out(10, share, 1).is_err(), "{share}");
        }
    }
}
