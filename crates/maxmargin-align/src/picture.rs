//! Pictures of an alignment as a grid: a row for each word on the left, a column for each word on the right.
//!
//! | predicted | | not predicted | |
//! | --- | --- | --- | --- |
//! | `●` | and sure | `○` | but sure: missed |
//! | `■` | and possible | `□` | but possible |
//! | `×` | but neither: wrong | `·` | nothing |

use super::SentenceLinks;
use maxmargin::structure::Edge;

/// Two sentences with links between their words: those that are true, and those that were predicted.
///
/// ```
/// use maxmargin::data::Edge;
/// use maxmargin_align::{AlignmentPicture, SentenceLinks};
/// let edge = |left, right| Edge { left, right };
/// let gold = SentenceLinks { sure: vec![edge(1, 2)], possible: vec![edge(0, 0), edge(0, 1)] };
/// let (left, right) = (["the", "house"], ["de", "la", "maison"]);
/// let picture = AlignmentPicture::new(&left, &right, &gold, &[edge(0, 1), edge(1, 0), edge(1, 2)]);
/// let expected = "
///       d l m
///       e a a
///           i
///           s
///           o
///           n
/// the   □ ■ ·
/// house × · ●
/// ";
/// assert_eq!(format!("\n{}", picture.text()), expected);
/// ```
#[derive(Debug, Clone)]
pub struct AlignmentPicture<'a> {
    /// The words of the rows.
    pub left: Vec<&'a str>,
    /// The words of the columns.
    pub right: Vec<&'a str>,
    marks: Vec<Mark>,
}

/// What is known of a pair of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mark {
    /// Whether they are truly linked.
    pub gold: Gold,
    /// Whether a link was predicted.
    pub predicted: bool,
}

/// Whether two words are truly linked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Gold {
    /// No.
    #[default]
    None,
    /// Perhaps.
    Possible,
    /// Yes.
    Sure,
}

impl<'a> AlignmentPicture<'a> {
    /// Takes links within the sentences; whatever lies outside is left out.
    pub fn new<W: AsRef<str>>(
        left: &'a [W],
        right: &'a [W],
        gold: &SentenceLinks,
        predicted: &[Edge],
    ) -> Self {
        let words = |words: &'a [W]| -> Vec<&'a str> { words.iter().map(AsRef::as_ref).collect() };
        let (left, right) = (words(left), words(right));
        let mut marks = vec![Mark::default(); left.len() * right.len()];
        let mut mark = |links: &[Edge], set: fn(&mut Mark)| {
            for link in links {
                let (i, j) = (link.left as usize, link.right as usize);
                if i < left.len() && j < right.len() {
                    set(&mut marks[i * right.len() + j]);
                }
            }
        };
        mark(&gold.possible, |mark| mark.gold = Gold::Possible);
        mark(&gold.sure, |mark| mark.gold = Gold::Sure);
        mark(predicted, |mark| mark.predicted = true);
        Self { left, right, marks }
    }

    /// What is known of a word on the left and one on the right.
    pub fn mark(&self, i: usize, j: usize) -> Mark {
        self.marks[i * self.right.len() + j]
    }

    /// As text, for a terminal: words on the right are written downwards.
    pub fn text(&self) -> String {
        let width = self.left.iter().map(|word| word.chars().count()).max().unwrap_or(0);
        let height = self.right.iter().map(|word| word.chars().count()).max().unwrap_or(0);
        let mut text = String::new();
        let columns: Vec<Vec<char>> = self.right.iter().map(|word| word.chars().collect()).collect();
        for line in 0..height {
            let mut row = " ".repeat(width);
            for column in &columns {
                row.push(' ');
                row.push(column.get(line).copied().unwrap_or(' '));
            }
            text.push_str(row.trim_end());
            text.push('\n');
        }
        for (i, word) in self.left.iter().enumerate() {
            text.push_str(word);
            text.extend(std::iter::repeat_n(' ', width - word.chars().count()));
            for j in 0..self.right.len() {
                text.push(' ');
                text.push(self.mark(i, j).letter());
            }
            text.push('\n');
        }
        text
    }
}

impl Mark {
    fn letter(self) -> char {
        match (self.gold, self.predicted) {
            (Gold::Sure, true) => '●',
            (Gold::Sure, false) => '○',
            (Gold::Possible, true) => '■',
            (Gold::Possible, false) => '□',
            (Gold::None, true) => '×',
            (Gold::None, false) => '·',
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn grids_have_a_mark_for_every_pair_of_words(
            left in prop::collection::vec("[a-zà-ü]{0,6}", 0..4),
            right in prop::collection::vec("[a-zà-ü]{0,6}", 0..4),
            links in prop::collection::vec((0u32..5, 0u32..5), 0..8),
        ) {
            let links: Vec<Edge> = links.into_iter().map(|(left, right)| Edge { left, right }).collect();
            let gold = SentenceLinks::sure(links.clone());
            let text = AlignmentPicture::new(&left, &right, &gold, &links).text();
            let inside = |link: &&Edge| (link.left as usize) < left.len() && (link.right as usize) < right.len();
            let linked = gold.sure.iter().filter(inside).count();
            prop_assert_eq!(text.matches('●').count(), linked);
            prop_assert_eq!(text.matches('·').count(), left.len() * right.len() - linked);
        }
    }
}
