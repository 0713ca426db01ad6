//! Dependency trees: each word of a sentence has a head, which is another word or the root above all, and no word is above itself.
//!
//! Words are numbered from 1; 0 is the root. A tree is a list of heads, that of word 1 first. [`ProjectiveTable`] finds the best tree without crossing
//! arcs in O(n³) (Eisner 1996), with the [k best](k_best_projective), the best one of [every loss](ProjectiveStrata) and the best one
//! [with each arc](projective_max_marginals), [`SiblingTable`] the best one where neighbours below one head count too; [`best_arborescence`] the best of all trees in O(n²) (Chu and Liu 1965, Edmonds 1967, Tarjan 1977), and
//! [`k_best_arborescences`] the k best.

mod arborescence;
mod k_best_arborescences;
mod k_best_projective;
mod max_marginals;
mod projective;
mod siblings;
mod spans;
mod strata;

pub use arborescence::best_arborescence;
pub use k_best_arborescences::k_best_arborescences;
pub use k_best_projective::{k_best_projective, k_best_with_siblings};
pub use max_marginals::projective_max_marginals;
pub use projective::ProjectiveTable;
pub use siblings::{SiblingTable, sibling_max_marginals};
pub use strata::{PricedArc, ProjectiveStrata};

use super::Gain;

/// How many words may have the root for a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Roots {
    /// Any number, one at least.
    Any,
    /// One, as Universal Dependencies have it.
    #[default]
    One,
}

/// What each arc from a head to a word is worth.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ArcTable<V = f64> {
    words: usize,
    /// `(words + 1) × (words + 1)`, a row for each head.
    values: Vec<V>,
}

impl<V: Copy> ArcTable<V> {
    /// All arcs of so many words, each worth what `value(head, word)` says.
    pub fn new(words: usize, mut value: impl FnMut(usize, usize) -> V, nothing: V) -> Self {
        let mut table = Self { words: 0, values: Vec::new() };
        table.reset(words, nothing);
        for head in 0..=words {
            for word in (1..=words).filter(|&word| word != head) {
                *table.value_mut(head, word) = value(head, word);
            }
        }
        table
    }

    /// So many words, all of whose arcs are worth the same.
    pub fn reset(&mut self, words: usize, value: V) {
        self.words = words;
        self.values.clear();
        self.values.resize((words + 1) * (words + 1), value);
    }

    /// The number of words, without the root.
    pub fn words(&self) -> usize {
        self.words
    }

    /// What an arc is worth.
    #[inline]
    pub fn value(&self, head: usize, word: usize) -> V {
        self.values[head * (self.words + 1) + word]
    }

    /// What an arc is worth, to be changed.
    #[inline]
    pub fn value_mut(&mut self, head: usize, word: usize) -> &mut V {
        &mut self.values[head * (self.words + 1) + word]
    }

    /// The same arcs with other values.
    #[cfg(test)]
    pub fn map<W: Copy>(&self, value: impl FnMut(V) -> W) -> ArcTable<W> {
        ArcTable { words: self.words, values: self.values.iter().copied().map(value).collect() }
    }
}

impl<V: Gain> ArcTable<V> {
    /// What a tree is worth.
    pub fn value_of(&self, heads: &[u32]) -> V {
        let arcs = heads.iter().enumerate().map(|(word, &head)| self.value(head as usize, word + 1));
        arcs.fold(V::ZERO, |sum, arc| sum + arc)
    }
}

/// The neighbour of each word: the word of the same head, on the same side of it, that is next on the way to the head; 0 for none.
pub fn siblings_of(heads: &[u32]) -> Vec<u32> {
    let mut siblings = vec![0; heads.len()];
    // From each head outwards on either side: first words behind their heads, then those before them.
    let words = 1..=heads.len();
    let behind = words.clone().filter(|&word| (heads[word - 1] as usize) < word);
    let before = words.rev().filter(|&word| heads[word - 1] as usize > word);
    let mut last = vec![[0; 2]; heads.len() + 1];
    for (side, word) in behind.map(|word| (0, word)).chain(before.map(|word| (1, word))) {
        let head = heads[word - 1] as usize;
        siblings[word - 1] = std::mem::replace(&mut last[head][side], word as u32);
    }
    siblings
}

/// Less than all that can be gained: what is not allowed.
fn nothing<V: Gain>() -> V {
    V::ZERO - V::INFINITY
}

#[cfg(test)]
pub(crate) mod listed {
    //! All trees of a few words, and random tables: what decoders are compared with.

    use rand::RngExt;
    use rand_pcg::Pcg64Mcg;

    use super::{ArcTable, Roots};

    /// Whether heads are those of a tree.
    pub fn is_tree(heads: &[u32], roots: Roots) -> bool {
        let count = heads.iter().filter(|head| **head == 0).count();
        let reaches_root = |word: usize| {
            let mut at = word as u32;
            (0..=heads.len()).any(|_| {
                at = if at == 0 { 0 } else { heads[at as usize - 1] };
                at == 0
            })
        };
        (roots == Roots::Any || count <= 1) && (1..=heads.len()).all(reaches_root)
    }

    /// Whether no two arcs cross, that from the root included.
    pub fn is_projective(heads: &[u32]) -> bool {
        let span = |word: usize| {
            let (head, word) = (heads[word - 1] as usize, word);
            (head.min(word), head.max(word))
        };
        let crosses = |(a, b): (usize, usize), (c, d): (usize, usize)| a < c && c < b && b < d;
        let words = || 1..=heads.len();
        words().all(|v| words().all(|w| !crosses(span(v), span(w))))
    }

    /// All trees of so many words.
    pub fn trees(words: usize, roots: Roots, projective_only: bool) -> Vec<Vec<u32>> {
        let mut all: Vec<Vec<u32>> = vec![Vec::new()];
        for word in 1..=words as u32 {
            let heads = (0..=words as u32).filter(|&head| head != word);
            all = heads.flat_map(|head| all.iter().map(move |tree| [&tree[..], &[head]].concat())).collect();
        }
        all.retain(|heads| is_tree(heads, roots) && (!projective_only || is_projective(heads)));
        all
    }

    /// Whole numbers, so that there are ties and sums are exact.
    pub fn random_table(words: usize, random: &mut Pcg64Mcg) -> ArcTable {
        ArcTable::new(words, |_, _| f64::from(random.random_range(-4..5)), f64::NEG_INFINITY)
    }
}
