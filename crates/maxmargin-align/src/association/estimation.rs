//! Expectation-maximisation for translation probabilities in both directions, over all cores.
//!
//! A pass computes the posteriors of every sentence pair and adds them up to expected counts, from which the next
//! probabilities are. With *agreement* (Liang, Taskar and Klein 2006, §3) the counts of a pair of words are the products of
//! the posteriors of both directions: a link counts as far as both models believe in it.
//!
//! Sentences are cut into blocks that depend on the text only. Posteriors are computed block by block in parallel, into
//! places of their own, and added to the counts in their order, so that the number of threads changes nothing.

use rayon::prelude::*;

use super::corpus::Corpus;
use super::jumps::{Jumps, REACH, Transitions};
use super::posteriors::{FLOOR, Lattice};
use super::{EstimationOptions, Pass, TranslationModel};

/// Sentence pairs in a block.
const BLOCK: usize = 64;

/// Blocks whose posteriors are in memory at the same time.
const WAVE: usize = 32;

/// One direction: who emits whom with which probability.
#[derive(Debug, Clone)]
pub(super) struct Direction {
    /// t of every pair of words.
    pub table: Vec<f32>,
    /// t(word | NULL) of every word that is emitted.
    pub null: Vec<f32>,
    pub jumps: Jumps,
}

/// Both directions of a model: left words emit right words, and right words emit left words.
pub(super) type Directions = [Direction; 2];

/// The probabilities before the first pass: all words alike.
pub(super) fn uniform(corpus: &Corpus) -> Directions {
    [corpus.right.words.len(), corpus.left.words.len()].map(|emitted| {
        let share = 1.0 / emitted as f32;
        let table = vec![share; corpus.pairs.right.len()];
        Direction { table, null: vec![share; emitted], jumps: Jumps::default() }
    })
}

/// Runs the passes of one model, starting from `directions`.
pub(super) fn run(
    corpus: &Corpus,
    model: TranslationModel,
    directions: &mut Directions,
    options: &EstimationOptions,
    observe: &mut dyn FnMut(&Pass),
) {
    let passes = match model {
        TranslationModel::Model1 => options.model1_passes,
        TranslationModel::Hmm => options.hmm_passes,
    };
    for number in 1..=passes {
        let (expected, log_likelihood) = expectation(corpus, model, directions, options);
        maximisation(corpus, expected, directions);
        observe(&Pass { model, number, passes, log_likelihood });
    }
}

/// Expected counts of one direction.
struct Expected {
    pairs: Vec<f64>,
    null: Vec<f64>,
    jumps: Vec<f64>,
}

/// The posteriors of a wave, in one direction: of cells, and of NULL for each word that is emitted.
#[derive(Default)]
struct Posteriors {
    cells: Vec<f32>,
    null: Vec<f32>,
}

/// What the posteriors of a block go to, in both directions.
struct BlockPlace<'a> {
    first: usize,
    cells: [&'a mut [f32]; 2],
    null: [&'a mut [f32]; 2],
}

/// What else comes out of a block.
struct BlockSums {
    jumps: [Vec<f64>; 2],
    log_likelihood: [f64; 2],
}

fn expectation(
    corpus: &Corpus,
    model: TranslationModel,
    directions: &Directions,
    options: &EstimationOptions,
) -> ([Expected; 2], [f64; 2]) {
    let mut expected = [&directions[0], &directions[1]].map(|direction| Expected {
        pairs: vec![0.0; direction.table.len()],
        null: vec![0.0; direction.null.len()],
        jumps: vec![0.0; 2 * REACH + 1],
    });
    let jumps = match model {
        TranslationModel::Model1 => None,
        TranslationModel::Hmm => {
            Some([transitions(corpus, directions, 0), transitions(corpus, directions, 1)])
        }
    };
    let step = Step { corpus, directions, jumps: jumps.as_ref(), options };
    let mut posteriors = [Posteriors::default(), Posteriors::default()];
    let mut log_likelihood = [0.0; 2];
    for first in (0..corpus.len()).step_by(BLOCK * WAVE) {
        let end = (first + BLOCK * WAVE).min(corpus.len());
        let sums: Vec<BlockSums> = step
            .places(first, end, &mut posteriors)
            .into_par_iter()
            .map_init(Default::default, |lattice, place| step.block(place, lattice))
            .collect();
        for sums in &sums {
            for direction in 0..2 {
                log_likelihood[direction] += sums.log_likelihood[direction];
                let jumps = &mut expected[direction].jumps;
                jumps.iter_mut().zip(&sums.jumps[direction]).for_each(|(sum, jumps)| *sum += jumps);
            }
        }
        let cells = &corpus.cells[corpus.cell_starts[first]..corpus.cell_starts[end]];
        let [left_emits, right_emits] = &mut expected;
        rayon::join(
            || left_emits.add(cells, emitted(corpus, 0, first, end), &posteriors[0]),
            || right_emits.add(cells, emitted(corpus, 1, first, end), &posteriors[1]),
        );
    }
    (expected, log_likelihood)
}

/// The words that are emitted in these sentence pairs.
fn emitted(corpus: &Corpus, direction: usize, first: usize, end: usize) -> &[u32] {
    let side = if direction == 0 { &corpus.right } else { &corpus.left };
    &side.tokens[side.starts[first]..side.starts[end]]
}

/// The jumps within sentences of every length that occurs.
fn transitions(corpus: &Corpus, directions: &Directions, direction: usize) -> Vec<Option<Transitions>> {
    let side = if direction == 0 { &corpus.left } else { &corpus.right };
    let longest = side.starts.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0);
    let mut occurs = vec![false; longest + 1];
    side.starts.windows(2).for_each(|ends| occurs[ends[1] - ends[0]] = true);
    let jumps = &directions[direction].jumps;
    occurs.iter().enumerate().map(|(length, &occurs)| occurs.then(|| jumps.transitions(length))).collect()
}

impl Expected {
    fn add(&mut self, cells: &[u32], emitted: &[u32], posteriors: &Posteriors) {
        for (&cell, &posterior) in cells.iter().zip(&posteriors.cells) {
            self.pairs[cell as usize] += f64::from(posterior);
        }
        for (&word, &posterior) in emitted.iter().zip(&posteriors.null) {
            self.null[word as usize] += f64::from(posterior);
        }
    }
}

/// All that the blocks of a pass share.
struct Step<'a> {
    corpus: &'a Corpus,
    directions: &'a Directions,
    jumps: Option<&'a [Vec<Option<Transitions>>; 2]>,
    options: &'a EstimationOptions,
}

impl Step<'_> {
    /// Cuts the room for the posteriors of these sentence pairs into blocks.
    fn places<'p>(
        &self,
        first: usize,
        end: usize,
        posteriors: &'p mut [Posteriors; 2],
    ) -> Vec<BlockPlace<'p>> {
        let corpus = self.corpus;
        let cells = corpus.cell_starts[end] - corpus.cell_starts[first];
        for (direction, posteriors) in posteriors.iter_mut().enumerate() {
            posteriors.cells.resize(cells, 0.0);
            posteriors.null.resize(emitted(corpus, direction, first, end).len(), 0.0);
        }
        let mut rest = posteriors.each_mut().map(|p| (p.cells.as_mut_slice(), p.null.as_mut_slice()));
        let mut places = Vec::with_capacity(WAVE);
        for start in (first..end).step_by(BLOCK) {
            let stop = (start + BLOCK).min(end);
            let cells = corpus.cell_starts[stop] - corpus.cell_starts[start];
            let mut direction = 0;
            let mut cut = |(cell_rest, null_rest): &mut (&'p mut [f32], &'p mut [f32])| {
                let words = emitted(corpus, direction, start, stop).len();
                direction += 1;
                (
                    cell_rest.split_off_mut(..cells).unwrap_or_default(),
                    null_rest.split_off_mut(..words).unwrap_or_default(),
                )
            };
            let [first_cut, second_cut] = rest.each_mut().map(&mut cut);
            places.push(BlockPlace {
                first: start,
                cells: [first_cut.0, second_cut.0],
                null: [first_cut.1, second_cut.1],
            });
        }
        places
    }

    fn block(&self, place: BlockPlace<'_>, lattice: &mut Lattice) -> BlockSums {
        let jumps = if self.jumps.is_some() { 2 * REACH + 1 } else { 0 };
        let mut sums = BlockSums { jumps: [vec![0.0; jumps], vec![0.0; jumps]], log_likelihood: [0.0; 2] };
        let BlockPlace { first, cells, null } = place;
        let mut cells = cells;
        let mut null = null;
        for pair in first..(first + BLOCK).min(self.corpus.len()) {
            let size = self.corpus.cell_starts[pair + 1] - self.corpus.cell_starts[pair];
            let mut of_pair = cells.each_mut().map(|rest| rest.split_off_mut(..size).unwrap_or_default());
            for direction in 0..2 {
                let words = emitted(self.corpus, direction, pair, pair + 1).len();
                let null = null[direction].split_off_mut(..words).unwrap_or_default();
                let sums_of = (&mut sums.jumps[direction][..], &mut sums.log_likelihood[direction]);
                self.pair(pair, direction, lattice, of_pair[direction], null, sums_of);
            }
            if self.options.agreement {
                let [left, right] = &mut of_pair;
                for (left, right) in left.iter_mut().zip(right.iter_mut()) {
                    *left *= *right;
                    *right = *left;
                }
            }
        }
        sums
    }

    /// The posteriors of one sentence pair in one direction, left word by left word.
    fn pair(
        &self,
        pair: usize,
        direction: usize,
        lattice: &mut Lattice,
        posteriors: &mut [f32],
        null_posteriors: &mut [f32],
        (jumps, log_likelihood): (&mut [f64], &mut f64),
    ) {
        let corpus = self.corpus;
        let cells = &corpus.cells[corpus.cell_starts[pair]..corpus.cell_starts[pair + 1]];
        let (left, right) = (corpus.left.sentence(pair), corpus.right.sentence(pair));
        let Direction { table, null, .. } = &self.directions[direction];
        let (emitting, emitted) = if direction == 0 { (left, right) } else { (right, left) };
        lattice.resize(emitting.len(), emitted.len());
        for (i, row) in cells.chunks_exact(right.len()).enumerate() {
            // Lattices go emitted word by emitted word, cells left word by left word.
            let (start, stride) = if direction == 0 { (i, left.len()) } else { (i * right.len(), 1) };
            for (j, &pair) in row.iter().enumerate() {
                lattice.emission[start + j * stride] = f64::from(table[pair as usize]) + FLOOR;
            }
        }
        for (emission, &word) in lattice.null_emission.iter_mut().zip(emitted) {
            *emission = f64::from(null[word as usize]) + FLOOR;
        }
        let null_probability = self.options.null_probability;
        let transitions = self.jumps.and_then(|jumps| jumps[direction][emitting.len()].as_ref());
        *log_likelihood += match transitions {
            None => lattice.model1(null_probability),
            Some(transitions) => lattice.hmm(transitions, null_probability, Some(jumps)),
        };
        for (i, row) in posteriors.chunks_exact_mut(right.len()).enumerate() {
            let (start, stride) = if direction == 0 { (i, left.len()) } else { (i * right.len(), 1) };
            for (j, posterior) in row.iter_mut().enumerate() {
                *posterior = lattice.posterior[start + j * stride] as f32;
            }
        }
        for (to, &posterior) in null_posteriors.iter_mut().zip(&lattice.null_posterior) {
            *to = posterior as f32;
        }
    }
}

/// Probabilities from expected counts.
fn maximisation(corpus: &Corpus, expected: [Expected; 2], directions: &mut Directions) {
    let [left_emits, right_emits] = directions;
    let [left_counts, right_counts] = expected;
    let pairs = &corpus.pairs;
    let left = || {
        for word in 0..pairs.starts.len() - 1 {
            let row = pairs.starts[word]..pairs.starts[word + 1];
            let counts = &left_counts.pairs[row.clone()];
            let total: f64 = counts.iter().sum();
            for (entry, &count) in left_emits.table[row].iter_mut().zip(counts) {
                *entry = share(count, total);
            }
        }
        finish(left_emits, &left_counts);
    };
    let right = || {
        let mut totals = vec![0.0; corpus.right.words.len()];
        for (&word, &count) in pairs.right.iter().zip(&right_counts.pairs) {
            totals[word as usize] += count;
        }
        for ((entry, &word), &count) in
            right_emits.table.iter_mut().zip(&pairs.right).zip(&right_counts.pairs)
        {
            *entry = share(count, totals[word as usize]);
        }
        finish(right_emits, &right_counts);
    };
    rayon::join(left, right);
}

/// NULL emits and jumps go as counted.
fn finish(direction: &mut Direction, expected: &Expected) {
    let total: f64 = expected.null.iter().sum();
    if total > 0.0 {
        direction
            .null
            .iter_mut()
            .zip(&expected.null)
            .for_each(|(entry, count)| *entry = (count / total) as f32);
    }
    if expected.jumps.iter().any(|&count| count > 0.0) {
        direction.jumps = Jumps::from_counts(&expected.jumps);
    }
}

/// A part of what one word emits. A word whose links nobody agrees on emits nothing.
fn share(count: f64, total: f64) -> f32 {
    if total > 0.0 { (count / total) as f32 } else { 0.0 }
}
