//! The tags between the two ends of an arc: which there are, and how often.

use super::templates::{Around, Field};
use super::{Sentence, features};

/// Tags are told apart up to this many in a sentence; the others share the last number.
pub(super) const MOST_KINDS: usize = 64;

/// Tags between are counted up to this many.
const MOST_OF_A_KIND: u16 = 3;

/// The tags of a sentence, numbered.
#[derive(Debug, Clone, Default)]
pub(super) struct Kinds {
    /// The number of each place's tag, and the hash of each such tag.
    pub(super) numbers: Vec<u8>,
    keys: Vec<u64>,
    /// How many of each kind are before each place, a row for each place.
    before: Vec<u16>,
}

impl Kinds {
    /// Those of a sentence.
    pub(super) fn fill(&mut self, sentence: &Sentence) {
        self.fill_with(sentence, Field::Tag);
    }

    /// The coarse ones.
    pub(super) fn fill_coarse(&mut self, sentence: &Sentence) {
        self.fill_with(sentence, Field::Coarse);
    }

    /// The hash of each kind.
    pub(super) fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// The hash of the kind at a place.
    pub(super) fn key(&self, place: usize) -> u64 {
        self.keys[usize::from(self.numbers[place])]
    }

    fn fill_with(&mut self, sentence: &Sentence, field: Field) {
        self.numbers.clear();
        self.keys.clear();
        for place in 0..=sentence.len() {
            let key = Around::of(sentence, place).side(features::BETWEEN + 2, &[field]);
            let known = self.keys.iter().position(|other| *other == key);
            let number = known.unwrap_or_else(|| {
                if self.keys.len() < MOST_KINDS {
                    self.keys.push(key);
                }
                self.keys.len() - 1
            });
            self.numbers.push(number as u8);
        }
        let kinds = self.keys.len();
        self.before.clear();
        self.before.resize((self.numbers.len() + 1) * kinds, 0);
        for (place, &kind) in self.numbers.iter().enumerate() {
            let (start, next) = (place * kinds, (place + 1) * kinds);
            self.before.copy_within(start..next, next);
            self.before[next + kind as usize] += 1;
        }
    }

    /// The kinds between two places, bit by bit.
    pub(super) fn between(&self, head: usize, word: usize) -> u64 {
        let (low, high) = (head.min(word), head.max(word));
        self.numbers[low + 1..high].iter().fold(0, |mask, &kind| mask | 1 << kind)
    }

    /// Tells of each kind between two places its hash, and the hash of it with how often it is there. `mask` says which there are.
    #[inline(always)]
    pub(super) fn for_each(
        &self,
        mut mask: u64,
        (head, word): (usize, usize),
        mut tell: impl FnMut(u64, u64),
    ) {
        let (low, high, kinds) = (head.min(word), head.max(word), self.keys.len());
        while mask != 0 {
            let kind = mask.trailing_zeros() as usize;
            let count = self.before[high * kinds + kind] - self.before[(low + 1) * kinds + kind];
            let counted = u64::from(count.min(MOST_OF_A_KIND)).wrapping_mul(0xa24b_aed4_963e_e407);
            tell(self.keys[kind], self.keys[kind].wrapping_add(counted));
            mask &= mask - 1;
        }
    }
}
