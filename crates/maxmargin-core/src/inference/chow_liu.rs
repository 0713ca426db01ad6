//! Which pairs of labels to score when only a tree will do (Chow & Liu 1968).
//!
//! Of all trees, the one with the largest sum of mutual information between the labels at its edges describes how labels
//! occur together best. Counts are smoothed by one made-up example in which labels are independent: that leaves each
//! label's own frequency as it is, and keeps few examples from looking like certainty.

use rustc_hash::FxHashMap;

use crate::error::{Error, Result};

/// Mutual information up to this is rounding.
const NOTHING: f64 = 1e-12;

/// The edges of a tree of largest mutual information, the smaller label first, sorted; of equals the smaller labels are chosen.
///
/// `sets` has the labels of each example, in ascending order, with its weight. Labels that tell nothing about others, such as
/// those that never occur, get no edge. Refused where labels are not ascending, a weight is negative, or there
/// are 2³² labels or more.
///
/// ```
/// let sets: [&[u32]; 4] = [&[0, 2], &[], &[0, 1, 2], &[1]];
/// let edges = maxmargin_core::inference::chow_liu(4, sets.into_iter().map(|set| (set, 1.0)))?;
/// assert_eq!(edges, [(0, 2)]);
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
pub fn chow_liu<'a>(
    labels: usize,
    sets: impl IntoIterator<Item = (&'a [u32], f64)>,
) -> Result<Vec<(u32, u32)>> {
    let counts = Counts::new(labels, sets)?;
    // Prim's algorithm, in which information is computed when it is looked at: only pairs that occur take memory.
    let mut edges = Vec::new();
    let mut best: Vec<(f64, u32)> = vec![(0.0, 0); labels];
    let mut outside: Vec<u32> = (0..labels as u32).collect();
    while !outside.is_empty() {
        // The first of equals; a label that is tied to none so far starts a tree of its own.
        let mut place = 0;
        for (other, &label) in outside.iter().enumerate() {
            if best[label as usize].0 > best[outside[place] as usize].0 {
                place = other;
            }
        }
        let new = outside.remove(place);
        let (information, tree) = best[new as usize];
        if information > NOTHING {
            edges.push((new.min(tree), new.max(tree)));
        }
        for &label in &outside {
            let information = counts.information(new, label);
            if information > best[label as usize].0 {
                best[label as usize] = (information, new);
            }
        }
    }
    edges.sort_unstable();
    Ok(edges)
}

/// How much weight labels and pairs of labels have.
struct Counts {
    total: f64,
    single: Vec<f64>,
    pairs: FxHashMap<(u32, u32), f64>,
}

impl Counts {
    fn new<'a>(labels: usize, sets: impl IntoIterator<Item = (&'a [u32], f64)>) -> Result<Self> {
        if u32::try_from(labels).is_err() {
            return Err(Error::parameter(
                "labels",
                format!("{labels} of them, and fewer than 2³² are possible"),
            ));
        }
        let mut counts = Self { total: 0.0, single: vec![0.0; labels], pairs: FxHashMap::default() };
        for (set, weight) in sets {
            if !(weight >= 0.0 && weight.is_finite()) {
                return Err(Error::parameter("weight", format!("{weight} is no weight of an example")));
            }
            if !set.is_sorted_by(|a, b| a < b) || set.last().is_some_and(|&last| last as usize >= labels) {
                let problem = format!("{set:?} is no ascending list of some of {labels} labels");
                return Err(Error::parameter("labels", problem));
            }
            counts.total += weight;
            for (place, &i) in set.iter().enumerate() {
                counts.single[i as usize] += weight;
                for &j in &set[place + 1..] {
                    *counts.pairs.entry((i, j)).or_default() += weight;
                }
            }
        }
        Ok(counts)
    }

    /// The mutual information of two labels.
    fn information(&self, i: u32, j: u32) -> f64 {
        let total = self.total;
        let (of_i, of_j) = (self.single[i as usize], self.single[j as usize]);
        if [of_i, of_j].iter().any(|&count| count <= 0.0 || count >= total) {
            return 0.0;
        }
        let both = self.pairs.get(&(i.min(j), i.max(j))).copied().unwrap_or(0.0);
        let cells = [
            (both, of_i, of_j),
            (of_i - both, of_i, total - of_j),
            (of_j - both, total - of_i, of_j),
            (total - of_i - of_j + both, total - of_i, total - of_j),
        ];
        let term = |(count, row, column): (f64, f64, f64)| {
            let independent = (row / total) * (column / total);
            let share = (count.max(0.0) + independent) / (total + 1.0);
            // Weights may be so small that a share is nothing.
            if share > 0.0 && independent > 0.0 { share * (share / independent).ln() } else { 0.0 }
        };
        let information: f64 = cells.into_iter().map(term).sum();
        if information > NOTHING { information } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_found_again() -> Result<()> {
        // Each label is the one before in 7 of 8 examples, independently of everything else.
        let sets: Vec<(Vec<u32>, f64)> = (0..16u32)
            .map(|bits| {
                let changes = (bits >> 1).count_ones();
                let mut on = bits & 1 == 1;
                let set = (0..4u32).filter(|&label| {
                    on ^= label > 0 && bits >> label & 1 == 1;
                    on
                });
                (set.collect(), 7f64.powi(3 - changes as i32))
            })
            .collect();
        let edges = chow_liu(6, sets.iter().map(|(set, weight)| (set.as_slice(), *weight)))?;
        assert_eq!(edges, [(0, 1), (1, 2), (2, 3)]);
        Ok(())
    }

    #[test]
    fn nothing_is_learnt_from_nothing() -> Result<()> {
        assert!(chow_liu(5, [])?.is_empty());
        assert!(chow_liu(0, [(&[][..], 1.0)])?.is_empty());
        assert!(chow_liu(3, [(&[0, 1, 2][..], 0.0)])?.is_empty());
        Ok(())
    }

    #[test]
    fn what_is_no_set_is_refused() {
        for (set, weight) in [(&[1, 0][..], 1.0), (&[1, 1], 1.0), (&[3], 1.0), (&[0], -1.0), (&[0], f64::NAN)]
        {
            assert!(chow_liu(3, [(set, weight)]).is_err());
        }
    }
}
