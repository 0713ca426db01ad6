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
    let mut order = shuffled(examples, seed);
    let mut train = order.split_off(count as usize);
    order.sort_unstable();
    train.sort_unstable();
    Ok((train, order))
}

/// The same for each of so many folds of nearly equal size: every example is held out once.
///
/// ```
/// let folds = maxmargin::data::cross_validation(10, 3, 1)?;
/// assert_eq!(folds.iter().map(|(_, held_out)| held_out.len()).collect::<Vec<_>>(), [3, 3, 4]);
/// assert!(maxmargin::data::cross_validation(10, 11, 1).is_err());
/// # Ok::<(), maxmargin::Error>(())
/// ```
pub fn cross_validation(examples: usize, folds: usize, seed: u64) -> Result<Vec<(Vec<usize>, Vec<usize>)>> {
    if folds < 2 || folds > examples {
        let problem = format!(
            "{folds} folds are not allowed for {examples} examples; there are at least two, none of them empty"
        );
        return Err(Error::parameter("cv", problem));
    }
    let order = shuffled(examples, seed);
    let fold = |k: usize| {
        let (start, end) = (examples * k / folds, examples * (k + 1) / folds);
        let mut held_out = order[start..end].to_vec();
        let mut train = [&order[..start], &order[end..]].concat();
        held_out.sort_unstable();
        train.sort_unstable();
        (train, held_out)
    };
    Ok((0..folds).map(fold).collect())
}

fn shuffled(examples: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..examples).collect();
    order.shuffle(&mut Pcg64Mcg::seed_from_u64(seed));
    order
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
        for (examples, folds) in [(2, 2), (7, 3), (100, 10)] {
            let all = cross_validation(examples, folds, 3).unwrap();
            let mut held_out: Vec<usize> = all.iter().flat_map(|(_, held_out)| held_out.clone()).collect();
            held_out.sort_unstable();
            assert!(held_out.iter().copied().eq(0..examples));
            let is_other = |(train, held_out): &(Vec<usize>, Vec<usize>)| {
                train.len() + held_out.len() == examples && train.iter().all(|i| !held_out.contains(i))
            };
            assert!(all.iter().all(is_other), "{all:?}");
        }
        assert!(cross_validation(5, 1, 0).is_err());
        assert_ne!(hold_out(100, 0.5, 1).unwrap(), hold_out(100, 0.5, 2).unwrap());
        for share in [0.0, 1.0, -0.5, 2.0, f64::NAN, 0.99] {
            assert!(hold_out(10, share, 1).is_err(), "{share}");
        }
    }
}
