//! Features of neighbours below one head (McDonald and Pereira 2006): the second order of the model.
//!
//! The neighbour of a word is the word of the same head, on the same side of it, that is next on the way to the head, or none. Templates take something
//! from neighbour and word, by direction and once more by distance; and the tags of head, neighbour and word together, by direction.
//! The scores of the former are kept for each pair of places, those of the latter for each three tags that the sentence has: O(n²) memory.

use super::between::{Kinds, MOST_KINDS};
use super::features::Lie;
use super::templates::{Around, SIBLING_PAIRS, first_sides, second_sides};
use super::{DependencyTree, ParsingStructure, Sentence};
use crate::inference::siblings_of;

/// The most terms of a neighbour.
pub(super) const MOST_SIBLING_TERMS: usize = 2 * SIBLING_PAIRS.len() + 2;

/// Numbers that tell the templates from those of arcs.
const SIBLINGS: usize = 900;
const WORDS: usize = 1000;

/// The tag of a neighbour that is not there.
const NONE: u64 = 0x5851_f42d_4c95_7f2d;

/// A head, the neighbour of a word (0 for none), and the word.
pub(super) type Sibling = (usize, usize, usize);

/// The tags of a sentence.
#[derive(Debug, Clone, Default)]
pub(super) struct Tags {
    pub(super) fine: Kinds,
    pub(super) coarse: Kinds,
}

/// The scores of all neighbours of a sentence.
#[derive(Debug, Clone, Default)]
pub(super) struct SiblingScores {
    places: usize,
    /// By direction, neighbour and word.
    pairs: Vec<f64>,
    fine: Triples,
    coarse: Triples,
}

/// What three tags add.
#[derive(Debug, Clone, Default)]
struct Triples {
    numbers: Vec<u8>,
    kinds: usize,
    /// By direction, head, neighbour (the last for none) and word.
    scores: Vec<f64>,
}

impl Triples {
    fn of(&self, direction: usize, (head, sibling, word): Sibling) -> f64 {
        let number = |place: usize| usize::from(self.numbers[place]);
        let of_sibling = if sibling == 0 { self.kinds } else { number(sibling) };
        let place = (direction * self.kinds + number(head)) * (self.kinds + 1) + of_sibling;
        self.scores[place * self.kinds + number(word)]
    }

    fn fill(&mut self, kinds: &Kinds, mut score: impl FnMut(Lie, u64) -> f64) {
        let keys = kinds.keys();
        self.numbers.clone_from(&kinds.numbers);
        self.kinds = keys.len();
        self.scores.clear();
        for lie in Lie::NEXT {
            for &head in keys {
                for &sibling in keys.iter().chain([&NONE]) {
                    self.scores.extend(keys.iter().map(|&word| score(lie, three(head, sibling, word))));
                }
            }
        }
    }
}

/// The hash of three tags.
fn three(head: u64, sibling: u64, word: u64) -> u64 {
    head.wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(sibling.wrapping_mul(0xc2b2_ae3d_27d4_eb4f))
        .wrapping_add(word.wrapping_mul(0x1656_67b1_9e37_79f9))
}

/// The hash of the tags of a head, a neighbour and a word.
fn triple(kinds: &Kinds, (head, sibling, word): Sibling) -> u64 {
    let of_sibling = if sibling == 0 { NONE } else { kinds.key(sibling) };
    three(kinds.key(head), of_sibling, kinds.key(word))
}

/// How an arc lies, and its word with its neighbour: next to each other, where there is none.
fn lies((head, sibling, word): Sibling) -> (usize, Lie) {
    let direction = Lie::of(head, word).direction;
    (direction, if sibling == 0 { Lie::NEXT[direction] } else { Lie::of(sibling, word) })
}

fn sibling_sides(sentence: &Sentence, place: usize) -> [u64; SIBLING_PAIRS.len()] {
    Around::of(sentence, place).sides(SIBLINGS, const { first_sides(&SIBLING_PAIRS) })
}

fn word_sides(sentence: &Sentence, place: usize) -> [u64; SIBLING_PAIRS.len()] {
    Around::of(sentence, place).sides(WORDS, const { second_sides(&SIBLING_PAIRS) })
}

impl SiblingScores {
    /// The score of a neighbour.
    pub(super) fn of(&self, sibling: Sibling) -> f64 {
        let direction = Lie::of(sibling.0, sibling.2).direction;
        let pair = self.pairs[(direction * self.places + sibling.1) * self.places + sibling.2];
        pair + (self.fine.of(direction, sibling) + self.coarse.of(direction, sibling))
    }

    /// The score of all neighbours in a tree.
    pub(super) fn of_tree(&self, y: &DependencyTree) -> f64 {
        siblings(y).map(|sibling| self.of(sibling)).sum()
    }
}

/// The neighbour of each word of a tree.
pub(super) fn siblings(y: &DependencyTree) -> impl Iterator<Item = Sibling> {
    let all = siblings_of(&y.heads);
    y.arcs().zip(all).map(|((head, word, _), sibling)| (head, sibling as usize, word))
}

impl Tags {
    pub(super) fn fill(&mut self, sentence: &Sentence) {
        self.fine.fill(sentence);
        self.coarse.fill_coarse(sentence);
    }
}

impl ParsingStructure {
    /// Scores all neighbours.
    pub(super) fn score_siblings(&self, w: &[f64], x: &Sentence, tags: &Tags, scores: &mut SiblingScores) {
        let places = x.len() + 1;
        let siblings: Vec<_> = (0..places).map(|place| sibling_sides(x, place)).collect();
        let words: Vec<_> = (0..places).map(|place| word_sides(x, place)).collect();
        let SiblingScores { places: size, pairs, fine, coarse } = scores;
        *size = places;
        pairs.clear();
        for direction in 0..2 {
            for (sibling, of_sibling) in siblings.iter().enumerate() {
                pairs.extend(words.iter().enumerate().map(|(word, of_word)| {
                    let lie = if sibling == 0 { Lie::NEXT[direction] } else { Lie::of(sibling, word) };
                    // Neighbours in the other direction are nowhere.
                    let is_there = lie.direction == direction && word > 0 && word != sibling;
                    if is_there { self.pair_sum(w, of_sibling, of_word, lie) } else { 0.0 }
                }));
            }
        }
        fine.fill(&tags.fine, |lie, key| w[self.pair_places(key, lie)[0]]);
        coarse.fill(&tags.coarse, |lie, key| w[self.pair_places(key, lie)[0]]);
    }

    fn pair_sum(
        &self,
        w: &[f64],
        siblings: &[u64; SIBLING_PAIRS.len()],
        words: &[u64; SIBLING_PAIRS.len()],
        lie: Lie,
    ) -> f64 {
        siblings.iter().zip(words).fold(0.0, |sum, (sibling, word)| {
            let [first, second] = self.pair_places(sibling.wrapping_add(*word), lie);
            sum + (w[first] + w[second])
        })
    }

    /// The score of one neighbour, by the same sums.
    pub(super) fn score_sibling(&self, w: &[f64], x: &Sentence, tags: &Tags, sibling: Sibling) -> f64 {
        let (direction, lie) = lies(sibling);
        let pair = self.pair_sum(w, &sibling_sides(x, sibling.1), &word_sides(x, sibling.2), lie);
        let of = |kinds: &Kinds| w[self.pair_places(triple(kinds, sibling), Lie::NEXT[direction])[0]];
        pair + (of(&tags.fine) + of(&tags.coarse))
    }

    /// Tells the weights of a neighbour, one for each term.
    pub(super) fn for_each_sibling_feature(
        &self,
        x: &Sentence,
        tags: &Tags,
        (head, sibling, word): Sibling,
        mut tell: impl FnMut(usize),
    ) {
        let (direction, lie) = lies((head, sibling, word));
        for (sibling, word) in sibling_sides(x, sibling).into_iter().zip(word_sides(x, word)) {
            self.pair_places(sibling.wrapping_add(word), lie).into_iter().for_each(&mut tell);
        }
        for kinds in [&tags.fine, &tags.coarse] {
            let key = triple(kinds, (head, sibling, word));
            tell(self.pair_places(key, Lie::NEXT[direction])[0]);
        }
    }
}

/// Scores of three tags are no more than this many numbers.
const _: () = assert!(2 * MOST_KINDS * MOST_KINDS * (MOST_KINDS + 1) < 1 << 20);
