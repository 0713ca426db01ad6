//! The letters of the two words: names, numbers and cognates look alike in related languages.

use super::Sink;

/// Words up to this many letters are compared letter by letter.
const COMPARED: usize = 40;

/// From the words as written, and in lower case.
pub(super) fn add(written: [&str; 2], folded: [&str; 2], to: &mut impl Sink) {
    let kinds = written.map(Kind::of);
    match kinds {
        [Kind::Word, Kind::Word] => words(written, folded, to),
        [Kind::Number, Kind::Number] => {
            to.flag("spelling.numbers-equal", written[0] == written[1]);
            to.flag("spelling.numbers-differ", written[0] != written[1]);
        }
        [Kind::Punctuation, Kind::Punctuation] => {
            to.flag("spelling.marks-equal", written[0] == written[1]);
            to.flag("spelling.marks-differ", written[0] != written[1]);
        }
        [Kind::Punctuation, _] | [_, Kind::Punctuation] => to.add("spelling.one-mark", 1.0),
        [Kind::Number, _] | [_, Kind::Number] => to.add("spelling.one-number", 1.0),
    }
}

fn words(written: [&str; 2], folded: [&str; 2], to: &mut impl Sink) {
    let lengths = folded.map(|word| word.chars().count());
    let long = lengths.map(|length| length > 4);
    to.flag("spelling.equal", folded[0] == folded[1]);
    to.flag("spelling.equal-as-written", written[0] == written[1]);
    to.flag("spelling.equal-long", folded[0] == folded[1] && long[0]);
    let prefix = folded[0].chars().zip(folded[1].chars()).take_while(|(a, b)| a == b).count();
    to.flag("spelling.prefix-4", prefix >= 4);
    to.add("spelling.prefix", prefix as f64 / lengths[0].max(lengths[1]) as f64);
    if long[0] && long[1] {
        let ratio = common_letters(folded) as f64 / lengths[0].max(lengths[1]) as f64;
        to.add("spelling.common", ratio);
        to.flag("spelling.common>0.6", ratio > 0.6);
        to.flag("spelling.common>0.8", ratio > 0.8);
    }
    to.flag("spelling.both-long", long[0] && long[1]);
    to.flag("spelling.one-long", long[0] != long[1]);
    let capital = written.map(|word| word.chars().next().is_some_and(char::is_uppercase));
    to.flag("spelling.both-capital", capital[0] && capital[1]);
    to.flag("spelling.one-capital", capital[0] != capital[1]);
}

/// What a word consists of.
#[derive(Clone, Copy)]
enum Kind {
    Word,
    Number,
    Punctuation,
}

impl Kind {
    fn of(word: &str) -> Self {
        if word.chars().any(char::is_alphabetic) {
            Kind::Word
        } else if word.chars().any(char::is_numeric) {
            Kind::Number
        } else {
            Kind::Punctuation
        }
    }
}

/// The length of the longest common subsequence, of the first letters of both words.
fn common_letters([a, b]: [&str; 2]) -> usize {
    // lengths[k] is that of the letters of a so far with the first k letters of b.
    let mut lengths = [0usize; COMPARED + 1];
    for x in a.chars().take(COMPARED) {
        let mut diagonal = 0;
        for (k, y) in b.chars().take(COMPARED).enumerate() {
            let above = lengths[k + 1];
            lengths[k + 1] = if x == y { diagonal + 1 } else { above.max(lengths[k]) };
            diagonal = above;
        }
    }
    lengths.into_iter().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_letters_are_a_longest_common_subsequence() {
        assert_eq!(common_letters(["government", "gouvernement"]), 10);
        assert_eq!(common_letters(["abc", ""]), 0);
        assert_eq!(common_letters(["abcbdab", "bdcaba"]), 4);
        assert_eq!(common_letters(["é", "é"]), 1);
    }
}
