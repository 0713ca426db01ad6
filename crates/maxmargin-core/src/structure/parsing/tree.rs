//! Trees of labelled arcs: what is predicted.

use crate::error::{Error, Result};
use crate::inference::Roots;
use crate::structure::Coded;

/// The head and the relation of each word. Words are numbered from 1; the head 0 is the root.
///
/// ```
/// use maxmargin_core::structure::DependencyTree;
/// // "cats often sleep": both are below "sleep", which is below the root.
/// let tree = DependencyTree { heads: vec![3, 3, 0], relations: vec![1, 2, 0] };
/// assert!(tree.is_projective());
/// let crossing = DependencyTree { heads: vec![3, 4, 0, 3], relations: vec![0; 4] };
/// assert!(!crossing.is_projective());
/// assert_eq!(crossing.lifted().heads, [3, 3, 0, 3]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct DependencyTree {
    /// The head of each word.
    pub heads: Vec<u32>,
    /// The relation of each word to its head.
    pub relations: Vec<u32>,
}

/// What is wrong with heads: the number of the word at fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeFault {
    /// Its head is no word of the sentence.
    OutOfRange(usize),
    /// It is above itself.
    Cycle(usize),
    /// The root is its head, and that of an earlier word.
    SecondRoot(usize),
}

impl DependencyTree {
    /// The number of words.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// The arcs: head, word and relation.
    pub fn arcs(&self) -> impl Iterator<Item = (usize, usize, u32)> + Clone + '_ {
        let arcs = self.heads.iter().zip(&self.relations).enumerate();
        arcs.map(|(place, (&head, &relation))| (head as usize, place + 1, relation))
    }

    /// What keeps heads from being those of a tree.
    pub fn fault(heads: &[u32], roots: Roots) -> Option<TreeFault> {
        if let Some(place) = heads.iter().position(|&head| head as usize > heads.len()) {
            return Some(TreeFault::OutOfRange(place + 1));
        }
        // Words of which is known that the root is above them, and those on the way up from the word that is looked at.
        let mut state = vec![0u32; heads.len() + 1];
        state[0] = u32::MAX;
        for word in 1..=heads.len() {
            let mut at = word;
            while state[at] == 0 {
                state[at] = word as u32;
                at = heads[at - 1] as usize;
            }
            if state[at] == word as u32 {
                return Some(TreeFault::Cycle(at));
            }
            let mut at = word;
            while state[at] == word as u32 {
                state[at] = u32::MAX;
                at = heads[at - 1] as usize;
            }
        }
        let second = heads.iter().enumerate().filter(|(_, head)| **head == 0).nth(1);
        second.filter(|_| roots == Roots::One).map(|(place, _)| TreeFault::SecondRoot(place + 1))
    }

    /// Whether the root has no more words below it than it may have.
    pub fn has_roots(&self, roots: Roots) -> bool {
        roots == Roots::Any || self.heads.iter().filter(|head| **head == 0).count() <= 1
    }

    /// Whether no two arcs cross, those from the root included.
    pub fn is_projective(&self) -> bool {
        self.crossing_word().is_none()
    }

    /// The word with the shortest arc that reaches over a word which is not below its head.
    fn crossing_word(&self) -> Option<usize> {
        let mut shortest: Option<(usize, usize)> = None;
        for (head, word, _) in self.arcs() {
            let (low, high) = (head.min(word), head.max(word));
            if high - low > 1
                && shortest.is_none_or(|(length, _)| high - low < length)
                && (low + 1..high).any(|between| !self.is_below(between, head))
            {
                shortest = Some((high - low, word));
            }
        }
        shortest.map(|(_, word)| word)
    }

    fn is_below(&self, word: usize, head: usize) -> bool {
        let mut at = word;
        while at != 0 && at != head {
            at = self.heads[at - 1] as usize;
        }
        at == head
    }

    /// A tree without crossing arcs: words whose arcs cross others are moved up to the head of their head, shortest arcs first
    /// (Nivre and Nilsson 2005). Relations stay.
    pub fn lifted(&self) -> Self {
        let mut tree = self.clone();
        while let Some(word) = tree.crossing_word() {
            let head = tree.heads[word - 1] as usize;
            // The root is above all: its own arcs cross nothing that way.
            let Some(place) = head.checked_sub(1) else { break };
            tree.heads[word - 1] = tree.heads[place];
        }
        tree
    }

    /// Refuses what is no tree of so many words and relations. How many words are below the root is not asked.
    pub(super) fn check(&self, words: usize, relations: usize) -> Result<()> {
        let problem = if self.heads.len() != words || self.relations.len() != words {
            let (heads, relations) = (self.heads.len(), self.relations.len());
            format!("{heads} heads and {relations} relations for {words} words")
        } else if let Some(&relation) = self.relations.iter().find(|&&number| number as usize >= relations) {
            format!("there is no relation {relation}; there are {relations}")
        } else {
            match Self::fault(&self.heads, Roots::Any) {
                None | Some(TreeFault::SecondRoot(_)) => return Ok(()),
                Some(TreeFault::OutOfRange(word)) => {
                    format!("word {word} has the head {}; there are {words} words", self.heads[word - 1])
                }
                Some(TreeFault::Cycle(word)) => format!("word {word} is above itself"),
            }
        };
        Err(Error::parameter("label", problem))
    }
}

impl Coded for DependencyTree {
    fn encode(&self, code: &mut Vec<u32>) {
        code.extend_from_slice(&self.heads);
        code.extend_from_slice(&self.relations);
    }

    fn decode(&mut self, code: &[u32]) -> bool {
        if !code.len().is_multiple_of(2) {
            return false;
        }
        let (heads, relations) = code.split_at(code.len() / 2);
        self.heads.clear();
        self.heads.extend_from_slice(heads);
        self.relations.clear();
        self.relations.extend_from_slice(relations);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::listed_trees::{is_projective, is_tree, trees};

    fn tree(heads: &[u32]) -> DependencyTree {
        DependencyTree { heads: heads.to_vec(), relations: vec![0; heads.len()] }
    }

    #[test]
    fn trees_are_told_from_what_is_none() {
        for words in 0..5usize {
            let heads = (0..(words as u32 + 2).pow(words as u32)).map(|number| {
                let digit = |place| number / (words as u32 + 2).pow(place) % (words as u32 + 2);
                (0..words as u32).map(digit).collect::<Vec<u32>>()
            });
            for heads in heads {
                for roots in [Roots::One, Roots::Any] {
                    let in_range = heads.iter().all(|&head| head as usize <= words);
                    let expected = in_range && is_tree(&heads, roots);
                    let fault = DependencyTree::fault(&heads, roots);
                    assert_eq!(fault.is_none(), expected, "{heads:?}: {fault:?}");
                }
            }
        }
    }

    #[test]
    fn lifted_trees_do_not_cross() {
        for words in 0..6 {
            for heads in trees(words, Roots::Any, false) {
                let tree = tree(&heads);
                assert_eq!(tree.is_projective(), is_projective(&heads), "{heads:?}");
                let lifted = tree.lifted();
                assert!(is_projective(&lifted.heads) && is_tree(&lifted.heads, Roots::Any), "{heads:?}");
                assert_eq!(lifted == tree, is_projective(&heads));
            }
        }
    }

    #[test]
    fn codes_come_back() {
        let tree = DependencyTree { heads: vec![2, 0], relations: vec![5, 7] };
        let (mut code, mut back) = (Vec::new(), DependencyTree::default());
        tree.encode(&mut code);
        assert!(back.decode(&code) && back == tree);
        assert!(!back.decode(&[1]));
    }
}
