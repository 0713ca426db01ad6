//! Features of whole segments that are looked up: one for each segment that is known, by what its positions are.
//!
//! A position has a key of each kind (of its word, its shape, its tag; where they come from is nobody's business here), and a segment is known by a number made of those
//! of its positions, from the last one back to the first. Beside the known segments their ends are remembered: a walk back from a position stops where no known
//! segment can begin, mostly after a step or two. So nothing is kept for the many segments of an input, and little is done for them.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::error::{Error, Result};
use crate::fingerprint::Fingerprint;

/// What is no segment, but the end of one.
const END: u32 = u32::MAX;

/// The keys of the positions of a sequence, as many of each as there are kinds. 0 is no key: no segment with this position is known by
/// that kind.
#[derive(Debug, Clone, Default)]
pub struct PositionKeys {
    keys: Arc<[u64]>,
    kinds: usize,
    positions: Range<usize>,
}

impl PositionKeys {
    /// Those of some positions out of many, whose keys follow each other. Refused where there are not so many.
    pub fn new(keys: &Arc<[u64]>, kinds: usize, positions: Range<usize>) -> Result<Self> {
        let are_there = positions.end.checked_mul(kinds).is_some_and(|end| end <= keys.len());
        match are_there && positions.start <= positions.end {
            true => Ok(Self { keys: Arc::clone(keys), kinds, positions }),
            false => {
                let problem = format!("{} keys of {kinds} kinds for the positions {positions:?}", keys.len());
                Err(Error::parameter("keys", problem))
            }
        }
    }

    /// The number of kinds.
    pub fn kinds(&self) -> usize {
        self.kinds
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn at(&self, position: usize) -> &[u64] {
        let first = (self.positions.start + position) * self.kinds;
        &self.keys[first..first + self.kinds]
    }
}

/// Segments that have features: each has one by each kind.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KnownSegments {
    kinds: usize,
    /// The features of segments, and what ends them, by number.
    features: FxHashMap<u64, u32>,
    count: u32,
}

/// The number with one more position before. 52 bits, which a floating-point number holds, so that a file may have them as such.
fn extended(number: u64, key: u64) -> u64 {
    let mut sum = Fingerprint::default();
    sum.add(number);
    sum.add(key);
    (sum.number() >> 12).max(1)
}

impl KnownSegments {
    /// The segments that occur at least so often, of those that `for_each` calls what it is given with.
    pub fn collect(
        kinds: usize,
        least: usize,
        for_each: impl Fn(&mut dyn FnMut(&PositionKeys, Range<usize>)),
    ) -> Self {
        let mut counts: FxHashMap<u64, usize> = FxHashMap::default();
        for_each(&mut |keys, segment| {
            for kind in 0..kinds.min(keys.kinds) {
                if let Some(number) = numbers(keys, kind, segment.clone()).last() {
                    *counts.entry(number).or_default() += 1;
                }
            }
        });
        let mut known = Self { kinds, ..Self::default() };
        for_each(&mut |keys, segment| {
            for kind in 0..kinds.min(keys.kinds) {
                let is_often = |number: &u64| counts.get(number).is_some_and(|&count| count >= least);
                let Some(whole) = numbers(keys, kind, segment.clone()).last().filter(is_often) else {
                    continue;
                };
                let place = known.features.entry(whole).or_insert(END);
                if *place == END {
                    *place = known.count;
                    known.count += 1;
                    for end in numbers(keys, kind, segment.clone()) {
                        known.features.entry(end).or_insert(END);
                    }
                }
            }
        });
        known
    }

    /// From numbers: those of the segments, in the order of their features, and of what ends them.
    pub fn new(kinds: usize, segments: &[u64], ends: &[u64]) -> Result<Self> {
        let mut features: FxHashMap<u64, u32> = ends.iter().map(|&end| (end, END)).collect();
        features.extend(segments.iter().copied().zip(0..));
        match features.len() == segments.len() + ends.len() && segments.len() < END as usize {
            true => Ok(Self { kinds, features, count: segments.len() as u32 }),
            false => Err(Error::parameter("known segments", "a number is there twice")),
        }
    }

    /// The numbers of the segments, in the order of their features, and of what ends them, ascending.
    pub fn numbers(&self) -> (Vec<u64>, Vec<u64>) {
        let mut segments = vec![0; self.len()];
        let mut ends = Vec::new();
        for (&number, &feature) in &self.features {
            match segments.get_mut(feature as usize) {
                Some(place) => *place = number,
                None => ends.push(number),
            }
        }
        ends.sort_unstable();
        (segments, ends)
    }

    /// The number of kinds.
    pub fn kinds(&self) -> usize {
        self.kinds
    }

    /// The number of features.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether no segment is known.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Begins a walk back from a position.
    pub(super) fn begin(&self, walk: &mut Vec<u64>) {
        walk.clear();
        walk.extend((1..).take(self.kinds));
    }

    /// Goes on to a position, and visits the features of the segment from there to where the walk began.
    #[inline]
    pub(super) fn step(
        &self,
        keys: &PositionKeys,
        position: usize,
        walk: &mut [u64],
        mut visit: impl FnMut(usize),
    ) {
        for (number, &key) in walk.iter_mut().zip(keys.at(position)) {
            if *number == 0 {
                continue;
            }
            let longer = if key == 0 { 0 } else { extended(*number, key) };
            *number = match self.features.get(&longer) {
                None => 0,
                Some(&END) => longer,
                Some(&feature) => {
                    visit(feature as usize);
                    longer
                }
            };
        }
    }

    /// The features of a segment.
    pub(super) fn for_each(&self, keys: &PositionKeys, segment: Range<usize>, mut visit: impl FnMut(usize)) {
        let mut walk = Vec::new();
        self.begin(&mut walk);
        for position in segment.clone().rev() {
            self.step(keys, position, &mut walk, |feature| {
                if position == segment.start {
                    visit(feature);
                }
            });
        }
    }
}

/// The numbers of all that a segment ends with by a kind, itself last. None where a position has no key.
fn numbers(keys: &PositionKeys, kind: usize, segment: Range<usize>) -> impl Iterator<Item = u64> + '_ {
    let of_all = segment.clone().all(|position| keys.at(position)[kind] != 0);
    let positions = if of_all { segment } else { 0..0 };
    positions.rev().scan(kind as u64 + 1, move |number, position| {
        *number = extended(*number, keys.at(position)[kind]);
        Some(*number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_known_by_all_their_positions() {
        // a b a b c, and nothing at the end.
        let keys: Arc<[u64]> = Arc::from(&[7, 8, 7, 8, 9, 0][..]);
        let keys = PositionKeys::new(&keys, 1, 0..6).expect("six keys");
        let of = |least, segments: &[Range<usize>]| {
            KnownSegments::collect(1, least, |visit| {
                segments.iter().for_each(|segment| visit(&keys, segment.clone()));
            })
        };
        let known = of(1, &[0..2, 1..5, 4..6]);
        assert_eq!(known.len(), 2);
        let features = |segment: Range<usize>| {
            let mut features = Vec::new();
            known.for_each(&keys, segment, |feature| features.push(feature));
            features
        };
        assert_eq!((features(0..2), features(2..4), features(1..5)), (vec![0], vec![0], vec![1]));
        for other in [0..1, 1..2, 0..3, 1..3, 2..5, 4..5, 4..6, 5..6] {
            assert!(features(other.clone()).is_empty(), "{other:?}");
        }
        assert_eq!(of(2, &[0..2, 1..5, 2..4]).len(), 1, "what comes twice");
        let (segments, ends) = known.numbers();
        assert_eq!(KnownSegments::new(1, &segments, &ends).expect("they differ"), known);
        assert!(KnownSegments::new(1, &segments, &segments).is_err());
        assert!(PositionKeys::new(&Arc::from(&[1, 2, 3][..]), 2, 0..2).is_err());
    }
}
