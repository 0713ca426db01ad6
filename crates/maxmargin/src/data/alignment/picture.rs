//! Pictures of an alignment as a grid: a row for each word on the left, a column for each word on the right.
//!
//! | predicted | | not predicted | |
//! | --- | --- | --- | --- |
//! | `●` | and sure | `○` | but sure: missed |
//! | `■` | and possible | `□` | but possible |
//! | `×` | but neither: wrong | `·` | nothing |
//!
//! SVG shows the same: gold links as frames, solid where they are sure and dashed where they are possible, predictions as
//! filled squares, red where they are wrong.

use std::fmt::Write;

use super::super::graph::Edge;
use super::SentenceLinks;

/// Two sentences with links between their words: those that are true, and those that were predicted.
///
/// ```
/// use maxmargin::data::Edge;
/// use maxmargin::data::alignment::{AlignmentPicture, SentenceLinks};
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
/// assert!(picture.svg().starts_with("<svg "));
/// ```
#[derive(Debug, Clone)]
pub struct AlignmentPicture<'a> {
    left: Vec<&'a str>,
    right: Vec<&'a str>,
    marks: Vec<Mark>,
}

/// What is known of a pair of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Mark {
    gold: Gold,
    predicted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Gold {
    #[default]
    None,
    Possible,
    Sure,
}

/// The side of a square in SVG, and the width of a letter, both in pixels.
const SQUARE: usize = 18;
const LETTER: f64 = 7.0;

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

    fn mark(&self, i: usize, j: usize) -> Mark {
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

    /// As the text of an SVG file.
    pub fn svg(&self) -> String {
        let room = |words: &[&str]| {
            let longest = words.iter().map(|word| word.chars().count()).max().unwrap_or(0);
            (longest as f64 * LETTER).ceil() as usize + 12
        };
        let (left, top) = (room(&self.left), room(&self.right));
        let (width, height) = (left + self.right.len() * SQUARE + 6, top + self.left.len() * SQUARE + 6);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
        );
        for (i, word) in self.left.iter().enumerate() {
            let (x, y) = (left - 6, top + i * SQUARE + 13);
            write_line(
                &mut svg,
                format_args!("<text x=\"{x}\" y=\"{y}\" text-anchor=\"end\">{}</text>", escape(word)),
            );
        }
        for (j, word) in self.right.iter().enumerate() {
            let (x, y) = (left + j * SQUARE + 13, top - 6);
            write_line(
                &mut svg,
                format_args!("<text transform=\"translate({x} {y}) rotate(-90)\">{}</text>", escape(word)),
            );
        }
        for i in 0..self.left.len() {
            for j in 0..self.right.len() {
                self.square(&mut svg, (left + j * SQUARE, top + i * SQUARE), self.mark(i, j));
            }
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn square(&self, svg: &mut String, (x, y): (usize, usize), mark: Mark) {
        write_line(
            svg,
            format_args!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\" fill=\"none\" stroke=\"#ddd\"/>"
            ),
        );
        if mark.predicted {
            let color = if mark.gold == Gold::None { "#d33" } else { "#357" };
            let size = SQUARE - 8;
            let (x, y) = (x + 4, y + 4);
            write_line(
                svg,
                format_args!(
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{size}\" height=\"{size}\" fill=\"{color}\"/>"
                ),
            );
        }
        let dashes = match mark.gold {
            Gold::None => return,
            Gold::Sure => "",
            Gold::Possible => " stroke-dasharray=\"2 2\"",
        };
        let size = SQUARE - 4;
        let (x, y) = (x + 2, y + 2);
        write_line(
            svg,
            format_args!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{size}\" height=\"{size}\" fill=\"none\" stroke=\"black\"{dashes}/>"
            ),
        );
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

fn write_line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{line}");
}

/// Text that is safe inside of an element.
fn escape(word: &str) -> String {
    let mut escaped = String::with_capacity(word.len());
    for letter in word.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            letter if letter.is_control() => escaped.push('\u{fffd}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pictures_are_whole_whatever_the_words(
            left in prop::collection::vec(".{0,6}", 0..4),
            right in prop::collection::vec(".{0,6}", 0..4),
            links in prop::collection::vec((0u32..5, 0u32..5), 0..8),
        ) {
            let links: Vec<Edge> = links.into_iter().map(|(left, right)| Edge { left, right }).collect();
            let gold = SentenceLinks::sure(links.clone());
            let picture = AlignmentPicture::new(&left, &right, &gold, &links);
            let svg = picture.svg();
            // Every mark of an element is one: words bring none of their own.
            prop_assert_eq!(svg.matches('<').count(), svg.matches('>').count());
            prop_assert_eq!(svg.matches("<text").count(), left.len() + right.len());
            let inside = |link: &&Edge| (link.left as usize) < left.len() && (link.right as usize) < right.len();
            let linked = gold.sure.iter().filter(inside).count();
            prop_assert_eq!(svg.matches("stroke=\"black\"").count(), linked);
            prop_assert_eq!(svg.matches("fill=\"#357\"").count(), linked);
            prop_assert!(picture.text().matches('●').count() >= linked);
        }
    }
}
