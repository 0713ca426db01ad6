//! The scores of all labelled arcs of a sentence: one number for each head, word and relation, computed once for each w.

use rustc_hash::FxHashMap;

use super::features::{Lie, REACHES, SideKeys, end_keys};
use super::siblings::{Sibling, SiblingScores, Tags, siblings};
use super::templates::Around;
use super::{DependencyTree, ParsingStructure, Sentence};
use crate::inference::{ArcTable, ProjectiveTable};

/// The scores of a sentence's arcs, with the working memory of its decoders.
#[derive(Debug, Clone, Default)]
pub struct ParsingScores {
    words: usize,
    relations: usize,
    /// By head, word and relation; not a number where nobody has asked yet.
    scores: Vec<f64>,
    /// The best relation of each arc, and its score.
    best: ArcTable<u32>,
    pub(super) arcs: ArcTable,
    /// The scores that are known, where not all are.
    known: Option<Vec<usize>>,
    /// The arcs' values that a tree is found for, and each one's relation.
    pub(super) values: ArcTable,
    pub(super) chosen: ArcTable<u32>,
    pub(super) table: ProjectiveTable,
    pub(super) siblings: SiblingScores,
    /// The scores of neighbours that are known, where not all are.
    known_siblings: FxHashMap<Sibling, f64>,
    tags: Tags,
    pub(super) strata: Option<super::oracles::Strata>,
    keys: SideKeys,
    ends: Ends,
}

/// What the ends of arcs add, whatever is at the other end: by place and reach.
#[derive(Debug, Clone, Default)]
struct Ends {
    heads: Vec<f64>,
    words: Vec<f64>,
    /// The rows of relations: by place, direction and relation.
    relation_heads: Vec<f64>,
    relation_words: Vec<f64>,
}

impl ParsingScores {
    /// The number of words.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    fn place(&self, head: usize, word: usize) -> usize {
        (head * (self.words + 1) + word) * self.relations
    }

    /// The scores of an arc with each relation.
    pub(super) fn row(&self, head: usize, word: usize) -> &[f64] {
        let place = self.place(head, word);
        &self.scores[place..place + self.relations]
    }

    pub(super) fn row_mut(&mut self, head: usize, word: usize) -> &mut [f64] {
        let place = self.place(head, word);
        &mut self.scores[place..place + self.relations]
    }

    /// The score of an arc with a relation.
    pub(super) fn of(&self, (head, word, relation): (usize, usize, u32)) -> f64 {
        self.scores[self.place(head, word) + relation as usize]
    }

    /// The score of all neighbours in a tree.
    pub(super) fn siblings_of_tree(&self, y: &DependencyTree) -> f64 {
        match self.known {
            None => self.siblings.of_tree(y),
            // One that nobody has asked for is not known.
            Some(_) => {
                siblings(y).map(|key| self.known_siblings.get(&key).copied().unwrap_or(f64::NAN)).sum()
            }
        }
    }

    /// The best relation of an arc.
    pub(super) fn best_relation(&self, head: usize, word: usize) -> u32 {
        self.best.value(head, word)
    }

    /// Room for so many words and relations.
    pub(super) fn reset(&mut self, words: usize, relations: usize) {
        (self.words, self.relations, self.known) = (words, relations, None);
        // What is read is written before.
        self.scores.resize((words + 1) * (words + 1) * relations, 0.0);
        self.best.reset(words, 0);
        self.arcs.reset(words, f64::NEG_INFINITY);
    }

    /// Finds the best relation of an arc whose row is there.
    pub(super) fn settle(&mut self, head: usize, word: usize) {
        let (relation, score) = best_of(self.row(head, word));
        *self.best.value_mut(head, word) = relation;
        *self.arcs.value_mut(head, word) = score;
    }
}

/// The first of the largest numbers.
fn best_of(row: &[f64]) -> (u32, f64) {
    let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let place = row.iter().position(|&score| score == largest).unwrap_or(0);
    (place as u32, largest)
}

fn add_row(sum: &mut [f64], row: &[f64]) {
    sum.iter_mut().zip(row).for_each(|(sum, weight)| *sum += weight);
}

impl ParsingStructure {
    /// Scores all arcs.
    pub(super) fn score_all(&self, w: &[f64], x: &Sentence, scores: &mut ParsingScores) {
        let words = x.len();
        scores.reset(words, self.relations);
        let mut keys = std::mem::take(&mut scores.keys);
        let mut ends = std::mem::take(&mut scores.ends);
        keys.fill(x);
        self.score_ends(w, x, &mut ends);
        for head in 0..=words {
            let mut between = 0;
            for word in head + 1..=words {
                self.score_arc(w, &keys, &ends, (head, word), between, scores);
                between |= 1 << keys.kinds.numbers[word];
            }
            between = 0;
            for word in (1..head).rev() {
                self.score_arc(w, &keys, &ends, (head, word), between, scores);
                between |= 1 << keys.kinds.numbers[word];
            }
        }
        (scores.keys, scores.ends) = (keys, ends);
        if self.options().siblings {
            scores.tags.fill(x);
            self.score_siblings(w, x, &scores.tags, &mut scores.siblings);
        }
    }

    fn score_ends(&self, w: &[f64], x: &Sentence, ends: &mut Ends) {
        let Ends { heads, words, relation_heads, relation_words } = ends;
        for (is_word, by_reach, by_relation) in
            [(false, heads, relation_heads), (true, words, relation_words)]
        {
            by_reach.clear();
            by_relation.clear();
            by_relation.resize(2 * (x.len() + 1) * self.relations, 0.0);
            for place in 0..=x.len() {
                let reaches = (0..REACHES).map(|reach| Lie { direction: reach % 2, reach });
                let around = Around::of(x, place);
                let keys = end_keys(&around, is_word);
                by_reach.extend(reaches.map(|lie| self.end_score(w, &keys, lie)));
                for direction in 0..2 {
                    let start = (2 * place + direction) * self.relations;
                    let sum = &mut by_relation[start..start + self.relations];
                    self.for_each_end_row(&around, is_word, direction, |row| {
                        add_row(sum, &w[row..row + self.relations]);
                    });
                }
            }
        }
    }

    #[inline]
    fn score_arc(
        &self,
        w: &[f64],
        keys: &SideKeys,
        ends: &Ends,
        (head, word): (usize, usize),
        between: u64,
        scores: &mut ParsingScores,
    ) {
        let (lie, relations) = (Lie::of(head, word), self.relations);
        let arc = self.pair_score(w, keys, (head, word), between)
            + ends.heads[REACHES * head + lie.reach]
            + ends.words[REACHES * word + lie.reach];
        let of_end = |rows: &'_ [f64], place: usize| (2 * place + lie.direction) * relations..rows.len();
        let of_head = &ends.relation_heads[of_end(&ends.relation_heads, head)][..relations];
        let of_word = &ends.relation_words[of_end(&ends.relation_words, word)][..relations];
        let rows = self.pair_rows(keys, head, word);
        let row = scores.row_mut(head, word);
        row.iter_mut().zip(of_head.iter().zip(of_word)).for_each(|(sum, (a, b))| *sum = a + b);
        rows.into_iter().for_each(|place| add_row(row, &w[place..place + relations]));
        row.iter_mut().for_each(|sum| *sum += arc);
        scores.settle(head, word);
    }

    /// The score of one labelled arc, by the same sums.
    pub(super) fn score_one(
        &self,
        w: &[f64],
        x: &Sentence,
        keys: &SideKeys,
        arc: (usize, usize, u32),
    ) -> f64 {
        let (head, word, relation) = arc;
        let (lie, column) = (Lie::of(head, word), relation as usize);
        let (of_head, of_word) = (Around::of(x, head), Around::of(x, word));
        let of_arc = self.pair_score(w, keys, (head, word), keys.kinds.between(head, word))
            + self.end_score(w, &end_keys(&of_head, false), lie)
            + self.end_score(w, &end_keys(&of_word, true), lie);
        let of_end = |around: &Around, is_word: bool| {
            let mut sum = 0.0;
            self.for_each_end_row(around, is_word, lie.direction, |row| sum += w[row + column]);
            sum
        };
        let of_ends = of_end(&of_head, false) + of_end(&of_word, true);
        let rows = self.pair_rows(keys, head, word);
        rows.into_iter().fold(of_ends, |sum, row| sum + w[row + column]) + of_arc
    }

    /// Scores the arcs of one tree that are not there yet.
    pub(super) fn score_some(
        &self,
        w: &[f64],
        x: &Sentence,
        y: &DependencyTree,
        begin: bool,
        scores: &mut ParsingScores,
    ) {
        if begin {
            let is_same = (scores.words, scores.relations) == (x.len(), self.relations);
            match scores.known.take().filter(|_| is_same) {
                // Few are known: these are forgotten one by one.
                Some(mut known) => {
                    known.drain(..).for_each(|place| scores.scores[place] = f64::NAN);
                    scores.known = Some(known);
                }
                None => {
                    scores.reset(x.len(), self.relations);
                    scores.scores.fill(f64::NAN);
                    scores.known = Some(Vec::new());
                }
            }
            scores.keys.fill(x);
            if self.options().siblings {
                scores.known_siblings.clear();
                scores.tags.fill(x);
            }
        }
        for arc in y.arcs() {
            let place = scores.place(arc.0, arc.1) + arc.2 as usize;
            if scores.scores[place].is_nan() {
                scores.scores[place] = self.score_one(w, x, &scores.keys, arc);
                scores.known.iter_mut().for_each(|known| known.push(place));
            }
        }
        if self.options().siblings {
            for key in siblings(y) {
                let (tags, known) = (&scores.tags, &mut scores.known_siblings);
                known.entry(key).or_insert_with(|| self.score_sibling(w, x, tags, key));
            }
        }
    }
}
