//! The tables that are kept: what is left of the estimates without tiny probabilities, and what they say of a sentence pair.

use maxmargin::data::{Alphabet, Edge};

use super::corpus::{Corpus, fold};
use super::estimation::{Direction, Directions};
use super::jumps::Jumps;
use super::posteriors::{FLOOR, Lattice};
use super::{EstimationOptions, TranslationModel};

/// Pairs with a smaller coefficient, or that occur together only once, are not kept for its sake.
const SMALLEST_DICE: f64 = 0.05;

/// Associations between the words of two languages. See [`Associations::estimate`].
#[derive(Debug, Clone)]
pub struct Associations {
    pub(super) words: [Alphabet; 2],
    /// In how many sentences each word occurs.
    pub(super) sentences: [Vec<u32>; 2],
    /// Where the partners of each left word start, and the end.
    pub(super) starts: Vec<usize>,
    /// Right words, in ascending order for each left word.
    pub(super) partners: Vec<u32>,
    pub(super) dice: Vec<f32>,
    /// By model and direction: the probability of each pair.
    pub(super) tables: [[Vec<f32>; 2]; 2],
    /// By model and direction: t(word | NULL).
    pub(super) null: [[Vec<f32>; 2]; 2],
    pub(super) jumps: [Jumps; 2],
    pub(super) null_probability: f64,
    /// How many letters of a word count.
    pub(super) letters: Option<usize>,
}

/// What is known of the pairs of words of one sentence pair. Numbers of pair (i, j) are at `i · right words + j`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PairAssociations {
    /// The words on the left.
    pub left: usize,
    /// The words on the right.
    pub right: usize,
    /// Dice's coefficient: 2 × sentences with both / (sentences with one + sentences with the other).
    pub dice: Vec<f64>,
    /// Posteriors by Model 1 of the right word coming from the left one, and of the left word coming from the right one.
    pub model1: [Vec<f64>; 2],
    /// The same by the hidden Markov model.
    pub hmm: [Vec<f64>; 2],
    /// Translation probabilities of the hidden Markov model, whatever else is in the sentence.
    pub translation: [Vec<f64>; 2],
    /// In how many sentences of the text each word occurs, left and right; 0 for an unknown word.
    pub sentences: [Vec<u32>; 2],
}

impl PairAssociations {
    /// The links that both directions of the hidden Markov model believe in: those of the pairs of words for which the
    /// geometric mean of their posteriors is above the threshold. An aligner without any training on links; 0.5 is a good
    /// threshold.
    pub fn links(&self, threshold: f64) -> Vec<Edge> {
        let both = |cell: usize| (self.hmm[0][cell] * self.hmm[1][cell]).sqrt();
        let edge = |cell: usize| Edge { left: (cell / self.right) as u32, right: (cell % self.right) as u32 };
        (0..self.left * self.right).filter(|&cell| both(cell) > threshold).map(edge).collect()
    }
}

impl Associations {
    pub(super) fn from_estimates(
        corpus: Corpus,
        models: [Directions; 2],
        options: &EstimationOptions,
    ) -> Self {
        let pairs = &corpus.pairs;
        let smallest = options.smallest as f32;
        let dice_of = |word: usize, pair: usize| {
            let alone = corpus.left.sentences[word] + corpus.right.sentences[pairs.right[pair] as usize];
            2.0 * f64::from(pairs.sentences[pair]) / f64::from(alone)
        };
        let mut kept: Vec<usize> = Vec::new();
        let mut starts = Vec::with_capacity(pairs.starts.len());
        starts.push(0);
        for word in 0..corpus.left.words.len() {
            let first = kept.len();
            let row = pairs.starts[word]..pairs.starts[word + 1];
            let associated = |pair: usize| {
                let often = pairs.sentences[pair] >= 2 && dice_of(word, pair) >= SMALLEST_DICE;
                often || models.iter().flatten().any(|direction| direction.table[pair] >= smallest)
            };
            kept.extend(row.filter(|&pair| associated(pair)));
            kept[first..].sort_unstable_by_key(|&pair| pairs.right[pair]);
            starts.push(kept.len());
        }
        let rows = starts.windows(2).enumerate();
        let dice = rows.flat_map(|(word, ends)| kept[ends[0]..ends[1]].iter().map(move |&pair| (word, pair)));
        let dice = dice.map(|(word, pair)| dice_of(word, pair) as f32).collect();
        let jumps = [0, 1].map(|direction: usize| models[1][direction].jumps.clone());
        let tables = models.each_ref().map(|directions| {
            directions.each_ref().map(|direction| kept.iter().map(|&pair| direction.table[pair]).collect())
        });
        let null = models.map(|directions| directions.map(|Direction { null, .. }| null));
        Self {
            sentences: [corpus.left.sentences, corpus.right.sentences],
            starts,
            partners: kept.iter().map(|&pair| corpus.pairs.right[pair]).collect(),
            words: [corpus.left.words, corpus.right.words],
            dice,
            tables,
            null,
            jumps,
            null_probability: options.null_probability,
            letters: options.letters,
        }
    }

    /// The number of different words, left and right.
    pub fn words(&self) -> (usize, usize) {
        (self.words[0].len(), self.words[1].len())
    }

    /// The number of pairs of words in the tables.
    pub fn pairs(&self) -> usize {
        self.partners.len()
    }

    /// In how many sentences of the text a word occurs, on the left and on the right.
    pub fn sentences_with(&self, word: &str) -> (u32, u32) {
        let word = fold(word, self.letters);
        let count =
            |side: usize| self.words[side].get(&word).map_or(0, |word| self.sentences[side][word as usize]);
        (count(0), count(1))
    }

    /// What is known of the pairs of words of a sentence pair. Words that the text did not have get what no evidence
    /// gives: the posteriors of the hidden Markov model then follow from their neighbours. Memory grows with the squares of
    /// the sentences' lengths.
    pub fn of_pair<W: AsRef<str>>(&self, left: &[W], right: &[W]) -> PairAssociations {
        let known = |side: usize, words: &[W]| -> Vec<Option<u32>> {
            words.iter().map(|word| self.words[side].get(&fold(word.as_ref(), self.letters))).collect()
        };
        let known = [known(0, left), known(1, right)];
        let entries: Vec<Option<usize>> = known[0]
            .iter()
            .flat_map(|&left| known[1].iter().map(move |&right| self.find(left?, right?)))
            .collect();
        let values = |table: &[f32]| -> Vec<f64> {
            entries.iter().map(|entry| entry.map_or(0.0, |entry| f64::from(table[entry]))).collect()
        };
        let mut lattice = Lattice::default();
        let mut of_model =
            |model| [0, 1].map(|direction| self.posteriors(model, direction, &known, &entries, &mut lattice));
        let count =
            |side: usize, word: &Option<u32>| word.map_or(0, |word| self.sentences[side][word as usize]);
        PairAssociations {
            left: left.len(),
            right: right.len(),
            dice: values(&self.dice),
            model1: of_model(TranslationModel::Model1),
            hmm: of_model(TranslationModel::Hmm),
            translation: [values(&self.tables[1][0]), values(&self.tables[1][1])],
            sentences: [0, 1].map(|side| known[side].iter().map(|word| count(side, word)).collect()),
        }
    }

    /// The place of a pair of words in the tables.
    fn find(&self, left: u32, right: u32) -> Option<usize> {
        let row = self.starts[left as usize]..self.starts[left as usize + 1];
        self.partners[row.clone()].binary_search(&right).ok().map(|at| row.start + at)
    }

    fn posteriors(
        &self,
        model: TranslationModel,
        direction: usize,
        known: &[Vec<Option<u32>>; 2],
        entries: &[Option<usize>],
        lattice: &mut Lattice,
    ) -> Vec<f64> {
        let (lefts, rights) = (known[0].len(), known[1].len());
        if lefts == 0 || rights == 0 {
            return Vec::new();
        }
        let (table, null) = (&self.tables[model as usize][direction], &self.null[model as usize][direction]);
        let (states, emitted) = if direction == 0 { (lefts, &known[1]) } else { (rights, &known[0]) };
        lattice.resize(states, emitted.len());
        let place = |cell: usize| match direction {
            0 => (cell % rights) * lefts + cell / rights,
            _ => cell,
        };
        for (cell, entry) in entries.iter().enumerate() {
            lattice.emission[place(cell)] = entry.map_or(0.0, |entry| f64::from(table[entry])) + FLOOR;
        }
        for (emission, word) in lattice.null_emission.iter_mut().zip(emitted) {
            *emission = word.map_or(0.0, |word| f64::from(null[word as usize])) + FLOOR;
        }
        match model {
            TranslationModel::Model1 => lattice.model1(self.null_probability),
            TranslationModel::Hmm => {
                lattice.hmm(&self.jumps[direction].transitions(states), self.null_probability, None)
            }
        };
        (0..entries.len()).map(|cell| lattice.posterior[place(cell)]).collect()
    }
}
