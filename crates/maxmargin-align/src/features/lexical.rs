//! The words themselves, and pairs of them. Only words that are in some sentences of the training text have features:
//! what is learnt from one sentence is learnt by heart.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::{ParallelText, Sentences};
use super::Sink;

/// A word or a pair of words has features if at least so many sentence pairs of the training text have it.
const ENOUGH: usize = 4;

/// Which words and pairs of words have features.
pub(crate) enum FrequentWords {
    /// Those that the training text has often enough, in lower case: left words, right words, and pairs of them.
    Selected { words: [FxHashMap<String, u32>; 2], pairs: FxHashSet<(u32, u32)> },
    /// Those that the model knows: the sink drops all others.
    Known,
}

impl FrequentWords {
    /// Those of a training text.
    pub fn select(text: &ParallelText) -> Self {
        let mut pairs: FxHashMap<(u32, u32), usize> = FxHashMap::default();
        let (left, left_words) = fold(&text.left);
        let (right, right_words) = fold(&text.right);
        for (left, right) in left.iter().zip(&right) {
            for &a in left {
                right.iter().for_each(|&b| *pairs.entry((a, b)).or_default() += 1);
            }
        }
        let pairs = pairs.into_iter().filter(|&(_, count)| count >= ENOUGH).map(|(pair, _)| pair).collect();
        Self::Selected { words: [left_words, right_words], pairs }
    }

    /// Adds the features of two words in lower case.
    pub fn add(&self, left: &str, right: &str, to: &mut impl Sink) {
        let (has_left, has_right, has_pair) = match self {
            Self::Known => (true, true, true),
            Self::Selected { words, pairs } => {
                let (left, right) = (words[0].get(left), words[1].get(right));
                let pair = left.zip(right).is_some_and(|(&left, &right)| pairs.contains(&(left, right)));
                (left.is_some(), right.is_some(), pair)
            }
        };
        if has_left {
            to.add(&format!("left={left}"), 1.0);
        }
        if has_right {
            to.add(&format!("right={right}"), 1.0);
        }
        if has_pair {
            to.add(&format!("pair={left}|{right}"), 1.0);
        }
    }
}

/// The frequent words of each sentence, each once, by the numbers that they get here.
fn fold(sentences: &Sentences) -> (Vec<Vec<u32>>, FxHashMap<String, u32>) {
    let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
    let folded: Vec<u32> = sentences
        .words()
        .iter()
        .map(|word| {
            let next = numbers.len() as u32;
            *numbers.entry(word.to_lowercase()).or_insert(next)
        })
        .collect();
    let mut counts = vec![0; numbers.len()];
    let mut all: Vec<Vec<u32>> = Vec::with_capacity(sentences.len());
    for sentence in 0..sentences.len() {
        let mut words: Vec<u32> =
            sentences.sentence(sentence).iter().map(|&word| folded[word as usize]).collect();
        words.sort_unstable();
        words.dedup();
        words.iter().for_each(|&word| counts[word as usize] += 1);
        all.push(words);
    }
    all.iter_mut().for_each(|words| words.retain(|&word| counts[word as usize] >= ENOUGH));
    numbers.retain(|_, number| counts[*number as usize] >= ENOUGH);
    (all, numbers)
}
