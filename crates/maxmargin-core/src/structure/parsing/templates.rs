//! Templates of features: what they take from the head's side of an arc and from the word's.
//!
//! Those of arcs are the first-order templates of McDonald, Crammer and Pereira (2005) with more neighbours; those of relations tell the two ends, what
//! is around them and both together, some of them by distance too.

use super::Sentence;

/// What a template takes from one side.
#[derive(Debug, Clone, Copy)]
pub(super) enum Field {
    Word,
    Tag,
    Coarse,
    Ending,
    Form,
    WordBefore,
    WordBehind,
    WordTwoBefore,
    TagBefore,
    TagBehind,
    CoarseBefore,
    CoarseBehind,
    CoarseTwoBefore,
    CoarseTwoBehind,
}

use Field::{
    Coarse as C, CoarseBefore as Cb, CoarseBehind as Ca, CoarseTwoBefore as Cbb, CoarseTwoBehind as Caa,
    Ending as E, Form as M, Tag as T, TagBefore as Tb, TagBehind as Ta, Word as W, WordBefore as Wb,
    WordBehind as Wa, WordTwoBefore as Wbb,
};

/// Templates of pairs of places: what they take from the head and from the word.
pub(super) type Pair = (&'static [Field], &'static [Field]);

/// Features of arcs, by direction and once more by distance.
pub(super) const ARC_PAIRS: [Pair; 43] = [
    // Both ends, with less and less of each.
    (&[W, T], &[W, T]),
    (&[T], &[W, T]),
    (&[W], &[W, T]),
    (&[W, T], &[T]),
    (&[W, T], &[W]),
    (&[W], &[W]),
    (&[T], &[T]),
    (&[C], &[C]),
    (&[T], &[W]),
    (&[W], &[T]),
    (&[T, M], &[T, M]),
    (&[T, E], &[T, E]),
    // The tags around both, as four, three and two.
    (&[T, Ta], &[Tb, T]),
    (&[Tb, T], &[Tb, T]),
    (&[T, Ta], &[T, Ta]),
    (&[Tb, T], &[T, Ta]),
    (&[T], &[Tb, T]),
    (&[T], &[T, Ta]),
    (&[Tb, T], &[T]),
    (&[T, Ta], &[T]),
    (&[C, Ca], &[Cb, C]),
    (&[Cb, C], &[C, Ca]),
    (&[C, Ca], &[C, Ca]),
    (&[C], &[Cb, C, Ca]),
    (&[Cb, C, Ca], &[C]),
    (&[Tb, T, Ta], &[T]),
    (&[T], &[Tb, T, Ta]),
    (&[C, Ca, Caa], &[C]),
    (&[C, Cb, Cbb], &[C]),
    (&[C], &[C, Ca, Caa]),
    (&[C], &[C, Cb, Cbb]),
    // A word at one end, and what is around.
    (&[W, Tb], &[T]),
    (&[W, T], &[Tb, T]),
    (&[W, T], &[T, Ta]),
    (&[T, Ta], &[W, T]),
    (&[Tb, T], &[W, T]),
    // The words before one end, of which one may be what says how it hangs on the other, such as a preposition.
    (&[W], &[Wb, C]),
    (&[T], &[Wb, C]),
    (&[C], &[Wb, W]),
    (&[W], &[Wbb, C]),
    (&[T], &[Wbb, C]),
    (&[T, Wb], &[C]),
    (&[T, Wa], &[C]),
];

/// Features of one end of an arc, by direction and distance.
pub(super) const ARC_ENDS: [&[Field]; 8] =
    [&[W, T], &[W], &[T], &[C], &[Tb, T, Ta], &[E, C], &[Wb, C], &[C, Wa]];

/// Features of relations, by direction: of the head, and of the word.
pub(super) const RELATION_HEADS: [&[Field]; 9] =
    [&[W], &[T], &[Tb, T, Ta], &[M], &[Wb], &[Wa], &[C, Ca, Caa], &[W, T], &[W, M]];
pub(super) const RELATION_WORDS: [&[Field]; 11] =
    [&[W], &[W, T], &[T, M], &[Tb, T], &[T, Ta], &[Cb, C, Ca], &[E, C], &[T], &[Wb], &[Wa], &[W, M]];

/// Features of relations of both ends: the first by direction, the others by distance too.
pub(super) const RELATION_PAIRS: [Pair; 10] = [
    (&[T], &[T]),
    (&[C], &[C]),
    (&[W], &[T]),
    (&[T], &[W]),
    (&[W], &[W]),
    (&[M], &[M]),
    (&[T], &[T]),
    (&[C], &[C]),
    (&[C], &[M]),
    (&[W], &[C]),
];
/// How many of them do not look at the distance.
pub(super) const BY_DIRECTION: usize = 6;

/// Features of a word and its neighbour below the same head, by direction and once more by distance: see `siblings.rs`.
pub(super) const SIBLING_PAIRS: [Pair; 5] =
    [(&[T], &[T]), (&[C], &[C]), (&[W], &[T]), (&[T], &[W]), (&[W], &[W])];

/// What templates may take from a place, one number for each [`Field`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Around([u32; 14]);

impl Around {
    pub(super) fn of(sentence: &Sentence, place: usize) -> Self {
        let token = sentence.token(place);
        let near = |offset| sentence.near(place, offset);
        let (before, behind) = (near(-1), near(1));
        // In the order of the fields.
        Self([
            token.word,
            token.tag,
            token.coarse,
            token.ending,
            token.form,
            before.word,
            behind.word,
            near(-2).word,
            before.tag,
            behind.tag,
            before.coarse,
            behind.coarse,
            near(-2).coarse,
            near(2).coarse,
        ])
    }

    /// The hash of one side of a template, which a number tells from others.
    #[inline(always)]
    pub(super) fn side(&self, number: usize, fields: &[Field]) -> u64 {
        let start = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        fields.iter().fold(start, |key, field| {
            (key ^ u64::from(self.0[*field as usize])).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29)
        })
    }

    /// The hashes of one side of several templates.
    #[inline]
    pub(super) fn sides<const N: usize>(&self, number: usize, fields: [&[Field]; N]) -> [u64; N] {
        std::array::from_fn(|k| self.side(number + k, fields[k]))
    }
}

/// The head's sides of templates.
pub(super) const fn first_sides<const N: usize>(pairs: &[Pair; N]) -> [&'static [Field]; N] {
    let mut sides: [&'static [Field]; N] = [&[]; N];
    let mut k = 0;
    while k < N {
        sides[k] = pairs[k].0;
        k += 1;
    }
    sides
}

/// The word's sides of templates.
pub(super) const fn second_sides<const N: usize>(pairs: &[Pair; N]) -> [&'static [Field]; N] {
    let mut sides: [&'static [Field]; N] = [&[]; N];
    let mut k = 0;
    while k < N {
        sides[k] = pairs[k].1;
        k += 1;
    }
    sides
}
