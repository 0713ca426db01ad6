//! First-order features of arcs (McDonald, Crammer and Pereira 2005): words and tags of both ends and around them, tags between, direction and distance.
//!
//! A feature is a hash: of what a template takes from the head's side and what it takes from the word's. Both sides are hashed once for each
//! place, so that a pair of places costs one addition and a few shifts for each template. A hash says which line of weights a
//! feature has, eight of them, which the processor fetches at once: direction alone chooses one of the eight, and direction with distance another.
//! Features of relations have a row of weights, one for each relation.

use super::{ParsingStructure, Sentence};

/// What a template takes from one side.
#[derive(Debug, Clone, Copy)]
enum Field {
    Word,
    Tag,
    Coarse,
    Ending,
    Form,
    TagBefore,
    TagBehind,
    CoarseBefore,
    CoarseBehind,
}

use Field::{
    Coarse as C, CoarseBefore as Cb, CoarseBehind as Ca, Ending as E, Form as M, Tag as T, TagBefore as Tb,
    TagBehind as Ta, Word as W,
};

/// Templates of pairs of places: what they take from the head and from the word.
type Pair = (&'static [Field], &'static [Field]);

/// Features of arcs, by direction and once more by distance.
const ARC_PAIRS: [Pair; 24] = [
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
    (&[C], &[Cb, C, Ca]),
    (&[Cb, C, Ca], &[C]),
    (&[T, M], &[T, M]),
    (&[T, E], &[T, E]),
];

/// Features of one end of an arc, by direction and distance.
const ARC_ENDS: [&[Field]; 6] = [&[W, T], &[W], &[T], &[C], &[Tb, T, Ta], &[E, C]];

/// Features of relations: of the head, of the word, and of both.
const RELATION_HEADS: [&[Field]; 4] = [&[W], &[T], &[Tb, T, Ta], &[M]];
const RELATION_WORDS: [&[Field]; 8] =
    [&[W], &[W, T], &[T, M], &[Tb, T], &[T, Ta], &[Cb, C, Ca], &[E, C], &[T]];
const RELATION_PAIRS: [Pair; 6] =
    [(&[T], &[T]), (&[C], &[C]), (&[W], &[T]), (&[T], &[W]), (&[W], &[W]), (&[M], &[M])];

/// How many weights lie in one line of memory.
const LINE: usize = 8;

/// Tags between two places are told apart up to this many.
const MOST_BETWEEN: usize = 64;

/// The most terms of a word with a head and a relation.
pub(super) const MOST_TERMS: usize = 2 * ARC_PAIRS.len()
    + 4 * ARC_ENDS.len()
    + MOST_BETWEEN
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

/// The hash of one side of a template.
fn side(sentence: &Sentence, place: usize, number: usize, fields: &[Field]) -> u64 {
    let token = sentence.token(place);
    let value = |field: &Field| match field {
        Field::Word => token.word,
        Field::Tag => token.tag,
        Field::Coarse => token.coarse,
        Field::Ending => token.ending,
        Field::Form => token.form,
        Field::TagBefore => sentence.before(place).tag,
        Field::TagBehind => sentence.behind(place).tag,
        Field::CoarseBefore => sentence.before(place).coarse,
        Field::CoarseBehind => sentence.behind(place).coarse,
    };
    let start = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    fields.iter().fold(start, |key, field| {
        (key ^ u64::from(value(field))).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29)
    })
}

/// Numbers that tell the templates of one kind from those of another.
const WORD_SIDES: usize = 100;
const HEAD_ENDS: usize = 200;
const WORD_ENDS: usize = 300;
const BETWEEN: usize = 400;
const RELATIONS: usize = 500;

/// The hashes of all sides of a sentence's places, the root first.
#[derive(Debug, Clone, Default)]
pub(super) struct SideKeys {
    heads: Vec<[u64; ARC_PAIRS.len()]>,
    words: Vec<[u64; ARC_PAIRS.len()]>,
    between: Vec<[u64; 2]>,
    relation_heads: Vec<[u64; RELATION_PAIRS.len()]>,
    relation_words: Vec<[u64; RELATION_PAIRS.len()]>,
    pub(super) kinds: Kinds,
}

/// The coarse tags of a sentence.
#[derive(Debug, Clone, Default)]
pub(super) struct Kinds {
    /// The number of each place's tag, and the hash of each such tag. Those beyond the last number share it.
    pub(super) numbers: Vec<u8>,
    keys: Vec<u64>,
}

impl Kinds {
    pub(super) fn fill(&mut self, sentence: &Sentence) {
        self.numbers.clear();
        self.keys.clear();
        for place in 0..=sentence.len() {
            let key = side(sentence, place, BETWEEN + 2, &[C]);
            let known = self.keys.iter().position(|other| *other == key);
            let number = known.unwrap_or_else(|| {
                if self.keys.len() < MOST_BETWEEN {
                    self.keys.push(key);
                }
                self.keys.len() - 1
            });
            self.numbers.push(number as u8);
        }
    }

    /// The kinds between two places, bit by bit.
    pub(super) fn between(&self, head: usize, word: usize) -> u64 {
        let (low, high) = (head.min(word), head.max(word));
        self.numbers[low + 1..high].iter().fold(0, |mask, &kind| mask | 1 << kind)
    }

    /// Tells the hash of each kind of a mask.
    #[inline(always)]
    fn for_each(&self, mut mask: u64, mut tell: impl FnMut(u64)) {
        while mask != 0 {
            tell(self.keys[mask.trailing_zeros() as usize]);
            mask &= mask - 1;
        }
    }
}

/// What the two sides of one arc hash to.
struct ArcKeys {
    pairs: [u64; ARC_PAIRS.len()],
    between: u64,
}

impl SideKeys {
    pub(super) fn fill(&mut self, sentence: &Sentence) {
        let places = 0..=sentence.len();
        self.heads.clear();
        self.heads.extend(places.clone().map(|place| pair_heads(sentence, place)));
        self.words.clear();
        self.words.extend(places.clone().map(|place| pair_words(sentence, place)));
        self.between.clear();
        self.between.extend(places.clone().map(|place| between_sides(sentence, place)));
        self.relation_heads.clear();
        self.relation_heads.extend(places.clone().map(|place| relation_heads(sentence, place)));
        self.relation_words.clear();
        self.relation_words.extend(places.map(|place| relation_words(sentence, place)));
        self.kinds.fill(sentence);
    }

    #[inline(always)]
    fn of_arc(&self, head: usize, word: usize) -> ArcKeys {
        let add = |a: u64, b: u64| a.wrapping_add(b);
        let (heads, words) = (&self.heads[head], &self.words[word]);
        ArcKeys {
            pairs: std::array::from_fn(|k| add(heads[k], words[k])),
            between: add(self.between[head][0], self.between[word][1]),
        }
    }
}

fn pair_heads(sentence: &Sentence, place: usize) -> [u64; ARC_PAIRS.len()] {
    std::array::from_fn(|k| side(sentence, place, k, ARC_PAIRS[k].0))
}

fn pair_words(sentence: &Sentence, place: usize) -> [u64; ARC_PAIRS.len()] {
    std::array::from_fn(|k| side(sentence, place, WORD_SIDES + k, ARC_PAIRS[k].1))
}

fn between_sides(sentence: &Sentence, place: usize) -> [u64; 2] {
    [side(sentence, place, BETWEEN, &[T]), side(sentence, place, BETWEEN + 1, &[T])]
}

fn relation_heads(sentence: &Sentence, place: usize) -> [u64; RELATION_PAIRS.len()] {
    std::array::from_fn(|k| side(sentence, place, RELATIONS + k, RELATION_PAIRS[k].0))
}

fn relation_words(sentence: &Sentence, place: usize) -> [u64; RELATION_PAIRS.len()] {
    std::array::from_fn(|k| side(sentence, place, RELATIONS + WORD_SIDES + k, RELATION_PAIRS[k].1))
}

impl ParsingStructure {
    /// The two weights of a hash: by direction, and by direction and distance.
    #[inline(always)]
    fn pair_places(&self, key: u64, lie: Lie) -> [usize; 2] {
        let key = finish(key);
        let line = (key as usize & (self.lines() - 1)) * LINE;
        let by_direction = ((key >> 60) as usize + 4 * lie.direction) % LINE;
        let by_reach = ((key >> 56) as usize + 3 * lie.reach) % LINE;
        [line + by_direction, line + by_reach]
    }

    /// Where the row of a hash begins.
    #[inline(always)]
    fn row_place(&self, key: u64, direction: usize) -> usize {
        let key = finish(key.wrapping_add((direction as u64).wrapping_mul(0x2545_f491_4f6c_dd1d)));
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
        keys.kinds.for_each(between, |kind| {
            sums[0] += w[self.pair_places(of_arc.between.wrapping_add(kind), lie)[0]];
        });
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }

    /// The sum of the weights of one end of an arc: the head, or the word.
    pub(super) fn end_score(
        &self,
        w: &[f64],
        sentence: &Sentence,
        place: usize,
        is_word: bool,
        lie: Lie,
    ) -> f64 {
        let mut sum = 0.0;
        self.for_each_end(sentence, place, is_word, |key| {
            let [first, second] = self.pair_places(key, lie);
            sum += w[first] + w[second];
        });
        sum
    }

    fn for_each_end(&self, sentence: &Sentence, place: usize, is_word: bool, mut tell: impl FnMut(u64)) {
        let number = if is_word { WORD_ENDS } else { HEAD_ENDS };
        for (k, fields) in ARC_ENDS.iter().enumerate() {
            tell(side(sentence, place, number + k, fields));
        }
    }

    /// Tells where the rows of relations begin that belong to one end of an arc.
    pub(super) fn for_each_end_row(
        &self,
        sentence: &Sentence,
        place: usize,
        is_word: bool,
        direction: usize,
        mut tell: impl FnMut(usize),
    ) {
        let (number, templates) = match is_word {
            true => (RELATIONS + WORD_ENDS, &RELATION_WORDS[..]),
            false => (RELATIONS + HEAD_ENDS, &RELATION_HEADS[..]),
        };
        for (k, fields) in templates.iter().enumerate() {
            tell(self.row_place(side(sentence, place, number + k, fields), direction));
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
        let direction = Lie::of(head, word).direction;
        let (of_heads, of_words) = (&keys.relation_heads[head], &keys.relation_words[word]);
        std::array::from_fn(|k| self.row_place(of_heads[k].wrapping_add(of_words[k]), direction))
    }

    /// Tells the weights of a labelled arc, one for each term.
    pub(super) fn for_each_feature(
        &self,
        sentence: &Sentence,
        kinds: &Kinds,
        (head, word, relation): (usize, usize, u32),
        mut tell: impl FnMut(usize),
    ) {
        let lie = Lie::of(head, word);
        let (heads, words) = (pair_heads(sentence, head), pair_words(sentence, word));
        for (head, word) in heads.into_iter().zip(words) {
            self.pair_places(head.wrapping_add(word), lie).into_iter().for_each(&mut tell);
        }
        let sides = between_sides(sentence, head)[0].wrapping_add(between_sides(sentence, word)[1]);
        kinds.for_each(kinds.between(head, word), |kind| {
            tell(self.pair_places(sides.wrapping_add(kind), lie)[0]);
        });
        for (place, is_word) in [(head, false), (word, true)] {
            self.for_each_end(sentence, place, is_word, |key| {
                self.pair_places(key, lie).into_iter().for_each(&mut tell);
            });
        }
        let column = relation as usize;
        for (place, is_word) in [(head, false), (word, true)] {
            self.for_each_end_row(sentence, place, is_word, lie.direction, |row| tell(row + column));
        }
        let (heads, words) = (relation_heads(sentence, head), relation_words(sentence, word));
        for (head, word) in heads.into_iter().zip(words) {
            tell(self.row_place(head.wrapping_add(word), lie.direction) + column);
        }
    }
}
