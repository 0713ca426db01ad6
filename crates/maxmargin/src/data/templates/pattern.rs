//! The regular expressions of templates: the small dialect of Wapiti.
//!
//! `.` is any character, `\d \a \w \l \u \p \s` are a digit, a letter, either, a lower-case letter, an upper-case letter, punctuation
//! and a space, in upper case what is not one; a backslash before anything else stands for that. `?` takes what is before it if it
//! can, `*` takes it as often as is needed and no more. `^` in front and `$` at the end hold to the ends of the text.
//!
//! A state is a place in the expression and one in the text. No state is looked at twice, so that time and memory are at most
//! their product, whatever the expression.

use std::ops::Range;

/// An expression has at most so many steps.
const MOST_STEPS: usize = 64;

/// A regular expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pattern {
    at_start: bool,
    at_end: bool,
    steps: Vec<(Class, Repeat)>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Class {
    Any,
    Character(char),
    /// One of the letters that name a class, and whether it is what is not in it.
    Named(char, bool),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Repeat {
    Once,
    /// If it can.
    Optional,
    /// As often as is needed.
    Any,
}

impl Class {
    fn holds(self, c: char) -> bool {
        match self {
            Class::Any => true,
            Class::Character(own) => own == c,
            Class::Named(name, inverted) => {
                inverted
                    != match name {
                        'a' => c.is_alphabetic(),
                        'd' => c.is_numeric(),
                        'l' => c.is_lowercase(),
                        'p' => !c.is_alphanumeric() && !c.is_whitespace() && !c.is_control(),
                        's' => c.is_whitespace(),
                        'u' => c.is_uppercase(),
                        _ => c.is_alphanumeric(),
                    }
            }
        }
    }
}

impl Pattern {
    /// Reads an expression.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (at_start, text) = text.strip_prefix('^').map_or((false, text), |rest| (true, rest));
        let (mut at_end, mut steps) = (false, Vec::new());
        let mut characters = text.chars().peekable();
        while let Some(c) = characters.next() {
            let class = match c {
                '*' | '?' => {
                    return Err(format!(
                        "`{c}` has nothing before it to repeat; as a character it is `\\{c}`"
                    ));
                }
                '$' if characters.peek().is_none() => {
                    at_end = true;
                    break;
                }
                '.' => Class::Any,
                '\\' => match characters.next() {
                    None => return Err("a backslash at the end; as a character it is `\\\\`".to_owned()),
                    Some(name) if "adlpsuw".contains(name.to_ascii_lowercase()) => {
                        Class::Named(name.to_ascii_lowercase(), name.is_ascii_uppercase())
                    }
                    Some(c) => Class::Character(c),
                },
                c => Class::Character(c),
            };
            let repeat = match characters.next_if(|next| "?*".contains(*next)) {
                Some('?') => Repeat::Optional,
                Some(_) => Repeat::Any,
                None => Repeat::Once,
            };
            steps.push((class, repeat));
        }
        match steps.len() <= MOST_STEPS {
            true => Ok(Self { at_start, at_end, steps }),
            false => Err(format!("more than {MOST_STEPS} characters and classes in one expression")),
        }
    }

    /// The first part of a text that matches, in bytes.
    pub(super) fn find(&self, text: &str) -> Option<Range<usize>> {
        let letters: Vec<(usize, char)> = text.char_indices().collect();
        let byte = |at: usize| letters.get(at).map_or(text.len(), |letter| letter.0);
        let mut seen = vec![false; (self.steps.len() + 1) * (letters.len() + 1)];
        let last = if self.at_start { 0 } else { letters.len() };
        // A state from which no match was found for one start has none for a later one.
        let end = |start| self.end_of_match(start, &letters, &mut seen);
        let (start, end) =
            (0..=last).zip((0..=last).map(end)).find_map(|(start, end)| Some((start, end?)))?;
        Some(byte(start)..byte(end))
    }

    fn end_of_match(&self, start: usize, letters: &[(usize, char)], seen: &mut [bool]) -> Option<usize> {
        let mut open = vec![(0, start)];
        while let Some((step, at)) = open.pop() {
            if std::mem::replace(&mut seen[step * (letters.len() + 1) + at], true) {
                continue;
            }
            let Some(&(class, repeat)) = self.steps.get(step) else {
                match self.at_end && at < letters.len() {
                    true => continue,
                    false => return Some(at),
                }
            };
            let holds = letters.get(at).is_some_and(|&(_, c)| class.holds(c));
            // What is to be tried first comes last.
            match repeat {
                Repeat::Once if holds => open.push((step + 1, at + 1)),
                Repeat::Once => {}
                Repeat::Optional => {
                    open.push((step + 1, at));
                    if holds {
                        open.push((step + 1, at + 1));
                    }
                }
                Repeat::Any => {
                    if holds {
                        open.push((step, at + 1));
                    }
                    open.push((step + 1, at));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found<'a>(pattern: &str, text: &'a str) -> Option<&'a str> {
        Pattern::parse(pattern).unwrap().find(text).map(|range| &text[range])
    }

    #[test]
    fn the_dialect_is_what_it_says() {
        for (pattern, text, part) in [
            ("^.?.?.?", "London", Some("Lon")),
            ("^.?.?.?", "of", Some("of")),
            (".?.?.?$", "London", Some("don")),
            ("^\\u\\u*$", "NATO", Some("NATO")),
            ("^\\u\\u*$", "Nato", None),
            ("^\\u*", "NATO", Some("")),
            ("\\d\\d*\\D", "a123b", Some("123b")),
            ("\\p", "a-b", Some("-")),
            ("\\a\\s\\A", "x 7", Some("x 7")),
            ("\\l", "ÄÖü", Some("ü")),
            ("a$b^", "xa$b^", Some("a$b^")),
            ("\\*\\?\\$", "*?$", Some("*?$")),
            ("$", "ab", Some("")),
            ("", "ab", Some("")),
            ("ab", "", None),
        ] {
            assert_eq!(found(pattern, text), part, "{pattern} in {text}");
        }
        for pattern in ["*", "a**", "?", "^*", "\\", &"a".repeat(65)] {
            assert!(Pattern::parse(pattern).is_err(), "{pattern}");
        }
    }

    #[test]
    fn repetitions_of_repetitions_end() {
        let text = "a".repeat(5000);
        assert_eq!(found(&format!("{}b", "a*".repeat(60)), &text), None);
        assert_eq!(found(&format!("{}b", "a?".repeat(60)), &text), None);
    }

    /// By the rules, without a memory.
    fn slow(steps: &[(Class, Repeat)], at_end: bool, text: &[char]) -> Option<usize> {
        let Some((&(class, repeat), rest)) = steps.split_first() else {
            return (!at_end || text.is_empty()).then_some(0);
        };
        let holds = text.first().is_some_and(|&c| class.holds(c));
        let one = |steps| holds.then(|| slow(steps, at_end, &text[1..]).map(|n| n + 1)).flatten();
        match repeat {
            Repeat::Once => one(rest),
            Repeat::Optional => one(rest).or_else(|| slow(rest, at_end, text)),
            Repeat::Any => slow(rest, at_end, text).or_else(|| one(steps)),
        }
    }

    proptest! {
        #[test]
        fn matches_are_those_of_plain_backtracking(pattern in "\\^?([ab.][*?]?){0,5}\\$?", text in "[abc]{0,8}") {
            let parsed = Pattern::parse(&pattern).unwrap();
            let letters: Vec<char> = text.chars().collect();
            let last = if parsed.at_start { 0 } else { letters.len() };
            let expected = (0..=last).find_map(|start| {
                let length = slow(&parsed.steps, parsed.at_end, &letters[start..])?;
                Some(start..start + length)
            });
            prop_assert_eq!(parsed.find(&text), expected, "{} in {}", pattern, text);
        }
    }
}
