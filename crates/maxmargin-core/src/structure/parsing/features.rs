//! First-order features of arcs (McDonald, Crammer and Pereira 2005): words and tags of both ends and around them, tags between, direction and distance.
//!
//! A feature is a hash: of what a template takes from the head's side and what it takes from the word's. Both sides are hashed once for each
//! place, so that a pair of places costs one addition and a few shifts for each template. A hash says which line of weights a
//! feature has, eight of them, which the processor fetches at once: direction alone chooses one of the eight, and direction with distance another.
//! Features of relations have a row of weights, one for each relation.

use super::between::{Kinds, MOST_KINDS};
use super::templates::{
    ARC_ENDS, ARC_PAIRS, Around, BY_DIRECTION, Field, RELATION_HEADS, RELATION_PAIRS, RELATION_WORDS,
    first_sides, second_sides,
};
use super::{ParsingStructure, Sentence};

/// How many weights lie in one line of memory.
const LINE: usize = 8;

/// The most terms of a word with a head and a relation.
pub(super) const MOST_TERMS: usize = 2 * ARC_PAIRS.len()
    + 4 * ARC_ENDS.len()
    + 3 * MOST_KINDS
    + RELATION_HEADS.len()
    + RELATION_WORDS.len()
    + RELATION_PAIRS.len();

/// How an arc lies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lie {
    /// 1 where the word is behind its head.
    pub(super) direction: usize,
    /// Direction and distance.
    pub(super) reach: usize,
}

/// Directions times distances.
pub(super) const REACHES: usize = 14;

impl Lie {
    /// Of words next to each other, before and behind.
    pub(super) const NEXT: [Lie; 2] = [Lie { direction: 0, reach: 0 }, Lie { direction: 1, reach: 1 }];

    pub(super) fn of(head: usize, word: usize) -> Self {
        let direction = usize::from(word > head);
        let distance = match word.abs_diff(head) {
            0..=5 => word.abs_diff(head).saturating_sub(1),
            6..=10 => 5,
            _ => 6,
        };
        Self { direction, reach: 2 * distance + direction }
    }
}

/// Spreads all bits over all others.
#[inline(always)]
fn finish(key: u64) -> u64 {
    let key = (key ^ (key >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    key ^ (key >> 29)
}

/// Numbers that tell the templates of one kind from those of another.
const WORD_SIDES: usize = 100;
const HEAD_ENDS: usize = 200;
const WORD_ENDS: usize = 300;
pub(super) const BETWEEN: usize = 400;
const RELATIONS: usize = 500;

/// The hashes of all sides of a sentence's places, the root first.
#[derive(Debug, Clone, Default)]
pub(super) struct SideKeys {
    heads: Vec<[u64; ARC_PAIRS.len()]>,
    words: Vec<[u64; ARC_PAIRS.len()]>,
    between: Vec<[u64; 4]>,
    relation_heads: Vec<[u64; RELATION_PAIRS.len()]>,
    relation_words: Vec<[u64; RELATION_PAIRS.len()]>,
    pub(super) kinds: Kinds,
}

/// What the two sides of one arc hash to.
struct ArcKeys {
    pairs: [u64; ARC_PAIRS.len()],
    /// With the tags of both ends, and with the coarse ones.
    between: [u64; 2],
}

impl SideKeys {
    pub(super) fn fill(&mut self, sentence: &Sentence) {
        self.heads.clear();
        self.words.clear();
        self.between.clear();
        self.relation_heads.clear();
        self.relation_words.clear();
        for place in 0..=sentence.len() {
            let around = Around::of(sentence, place);
            self.heads.push(pair_heads(&around));
            self.words.push(pair_words(&around));
            self.between.push(between_sides(&around));
            self.relation_heads.push(relation_heads(&around));
            self.relation_words.push(relation_words(&around));
        }
        self.kinds.fill(sentence);
    }

    #[inline(always)]
    fn of_arc(&self, head: usize, word: usize) -> ArcKeys {
        let add = |a: u64, b: u64| a.wrapping_add(b);
        let (heads, words) = (&self.heads[head], &self.words[word]);
        ArcKeys {
            pairs: std::array::from_fn(|k| add(heads[k], words[k])),
            between: of_both(self.between[head], self.between[word]),
        }
    }
}

fn pair_heads(around: &Around) -> [u64; ARC_PAIRS.len()] {
    around.sides(0, const { first_sides(&ARC_PAIRS) })
}

fn pair_words(around: &Around) -> [u64; ARC_PAIRS.len()] {
    around.sides(WORD_SIDES, const { second_sides(&ARC_PAIRS) })
}

/// As a head and as a word, by the tag; the same by the coarse tag.
fn between_sides(around: &Around) -> [u64; 4] {
    let of = |k: usize, field| around.side(BETWEEN + k, &[field]);
    [of(0, Field::Tag), of(1, Field::Tag), of(3, Field::Coarse), of(4, Field::Coarse)]
}

/// What the sides of a head and of a word come to.
fn of_both(head: [u64; 4], word: [u64; 4]) -> [u64; 2] {
    [head[0].wrapping_add(word[1]), head[2].wrapping_add(word[3])]
}

fn relation_heads(around: &Around) -> [u64; RELATION_PAIRS.len()] {
    around.sides(RELATIONS, const { first_sides(&RELATION_PAIRS) })
}

fn relation_words(around: &Around) -> [u64; RELATION_PAIRS.len()] {
    around.sides(RELATIONS + WORD_SIDES, const { second_sides(&RELATION_PAIRS) })
}

/// The hashes of one end of an arc: the head, or the word.
pub(super) fn end_keys(around: &Around, is_word: bool) -> [u64; ARC_ENDS.len()] {
    around.sides(if is_word { WORD_ENDS } else { HEAD_ENDS }, ARC_ENDS)
}

/// How the arc of a template of both ends lies: direction, or distance too.
fn relation_lie(template: usize, lie: Lie) -> usize {
    if template < BY_DIRECTION { lie.direction } else { 2 + lie.reach }
}

impl ParsingStructure {
    /// The two weights of a hash: by direction, and by direction and distance.
    #[inline(always)]
    pub(super) fn pair_places(&self, key: u64, lie: Lie) -> [usize; 2] {
        let key = finish(key);
        let line = (key as usize & (self.lines() - 1)) * LINE;
        let by_direction = ((key >> 60) as usize + 4 * lie.direction) % LINE;
        let by_reach = ((key >> 56) as usize + 3 * lie.reach) % LINE;
        [line + by_direction, line + by_reach]
    }

    /// The weights of a tag between two ends: of the second of the first two nothing is said.
    #[inline(always)]
    fn between_places(&self, ends: [u64; 2], kind: u64, counted: u64, lie: Lie) -> [[usize; 2]; 2] {
        [
            self.pair_places(ends[0].wrapping_add(kind), lie),
            self.pair_places(ends[1].wrapping_add(counted), lie),
        ]
    }

    /// Where the row of a hash begins, which is one for each number of `lie`.
    #[inline(always)]
    fn row_place(&self, key: u64, lie: usize) -> usize {
        let key = finish(key.wrapping_add((lie as u64).wrapping_mul(0x2545_f491_4f6c_dd1d)));
        let row = ((u128::from(key) * self.rows() as u128) >> 64) as usize;
        self.rows_start() + row * self.relations
    }

    /// The number of lines of arcs' weights: a power of 2.
    fn lines(&self) -> usize {
        self.rows_start() / LINE
    }

    /// The sum of the weights of an arc, but for its ends. `between`: the kinds of tags between, bit by bit.
    #[inline]
    pub(super) fn pair_score(
        &self,
        w: &[f64],
        keys: &SideKeys,
        (head, word): (usize, usize),
        between: u64,
    ) -> f64 {
        let (of_arc, lie) = (keys.of_arc(head, word), Lie::of(head, word));
        // Four sums, so that an addition need not wait for the one before it.
        let mut sums = [0.0; 4];
        for (k, &key) in of_arc.pairs.iter().enumerate() {
            let [first, second] = self.pair_places(key, lie);
            sums[k % 4] += w[first] + w[second];
        }
        keys.kinds.for_each(between, (head, word), |kind, counted| {
            let [places, counts] = self.between_places(of_arc.between, kind, counted, lie);
            sums[0] += w[places[0]];
            sums[1] += w[counts[0]] + w[counts[1]];
        });
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }

    /// The sum of the weights of one end of an arc, whose hashes are given.
    #[inline]
    pub(super) fn end_score(&self, w: &[f64], keys: &[u64; ARC_ENDS.len()], lie: Lie) -> f64 {
        keys.iter().fold(0.0, |sum, &key| {
            let [first, second] = self.pair_places(key, lie);
            sum + (w[first] + w[second])
        })
    }

    /// Tells where the rows of relations begin that belong to one end of an arc.
    #[inline]
    pub(super) fn for_each_end_row(
        &self,
        around: &Around,
        is_word: bool,
        direction: usize,
        mut tell: impl FnMut(usize),
    ) {
        match is_word {
            true => around
                .sides(RELATIONS + WORD_ENDS, RELATION_WORDS)
                .iter()
                .for_each(|&key| tell(self.row_place(key, direction))),
            false => around
                .sides(RELATIONS + HEAD_ENDS, RELATION_HEADS)
                .iter()
                .for_each(|&key| tell(self.row_place(key, direction))),
        }
    }

    /// Tells where the rows of relations begin that belong to both ends of an arc.
    #[inline]
    pub(super) fn pair_rows(
        &self,
        keys: &SideKeys,
        head: usize,
        word: usize,
    ) -> [usize; RELATION_PAIRS.len()] {
        let lie = Lie::of(head, word);
        let (of_heads, of_words) = (&keys.relation_heads[head], &keys.relation_words[word]);
        std::array::from_fn(|k| self.row_place(of_heads[k].wrapping_add(of_words[k]), relation_lie(k, lie)))
    }

    /// Tells the weights of a labelled arc, one for each term.
    pub(super) fn for_each_feature(
        &self,
        sentence: &Sentence,
        kinds: &Kinds,
        (head, word, relation): (usize, usize, u32),
        mut tell: impl FnMut(usize),
    ) {
        self.for_each_arc_feature(sentence, kinds, (head, word), &mut tell);
        self.for_each_relation_feature(sentence, (head, word, relation), &mut tell);
    }

    /// Those that an arc has with any relation.
    fn for_each_arc_feature(
        &self,
        sentence: &Sentence,
        kinds: &Kinds,
        (head, word): (usize, usize),
        mut tell: impl FnMut(usize),
    ) {
        let lie = Lie::of(head, word);
        let (of_head, of_word) = (Around::of(sentence, head), Around::of(sentence, word));
        for (head, word) in pair_heads(&of_head).into_iter().zip(pair_words(&of_word)) {
            self.pair_places(head.wrapping_add(word), lie).into_iter().for_each(&mut tell);
        }
        let ends = of_both(between_sides(&of_head), between_sides(&of_word));
        kinds.for_each(kinds.between(head, word), (head, word), |kind, counted| {
            let [[place, _], counts] = self.between_places(ends, kind, counted, lie);
            tell(place);
            counts.into_iter().for_each(&mut tell);
        });
        for (around, is_word) in [(&of_head, false), (&of_word, true)] {
            for key in end_keys(around, is_word) {
                self.pair_places(key, lie).into_iter().for_each(&mut tell);
            }
        }
    }

    /// Those that depend on the relation.
    pub(super) fn for_each_relation_feature(
        &self,
        sentence: &Sentence,
        (head, word, relation): (usize, usize, u32),
        mut tell: impl FnMut(usize),
    ) {
        let (lie, column) = (Lie::of(head, word), relation as usize);
        let (of_head, of_word) = (Around::of(sentence, head), Around::of(sentence, word));
        self.for_each_end_row(&of_head, false, lie.direction, |row| tell(row + column));
        self.for_each_end_row(&of_word, true, lie.direction, |row| tell(row + column));
        let sides = relation_heads(&of_head).into_iter().zip(relation_words(&of_word));
        for (k, (head, word)) in sides.enumerate() {
            tell(self.row_place(head.wrapping_add(word), relation_lie(k, lie)) + column);
        }
    }
}
