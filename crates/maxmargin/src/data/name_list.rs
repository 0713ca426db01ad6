//! Names in a list, with commas between: those of columns, those of the labels in a set.
//!
//! As in a line of csv, a name may stand in double quotes, within which a quote is written twice: `size,"red, blue"`. Blanks around
//! a name do not belong to it unless they are in quotes.

use std::borrow::Cow;
use std::io::Cursor;

use super::csv::Records;
use super::source::Source;
use crate::error::{Error, Result};
use crate::shown::excerpt;

/// A list has at most so many names.
const MOST_NAMES: usize = 1 << 20;

/// The names in a list.
///
/// ```
/// use maxmargin::data::parse_names;
/// assert_eq!(parse_names(r#"size, "red, blue","5"" wide""#)?, ["size", "red, blue", "5\" wide"]);
/// assert!(parse_names("a,,b").is_err());
/// # Ok::<(), maxmargin::Error>(())
/// ```
pub fn parse_names(text: &str) -> Result<Vec<String>> {
    let refuse = |problem: &str| Err(Error::parameter("names", format!("`{}`: {problem}", excerpt(text))));
    let mut source = Source::from_reader("names", Cursor::new(text.as_bytes().to_vec()))?;
    let mut records = Records::new(b',', MOST_NAMES);
    let mut names = Vec::new();
    if let Ok(Some(record)) = records.next(&mut source) {
        for field in record.fields() {
            match field.map(|field| String::from_utf8(field.text.into_owned())) {
                Ok(Ok(name)) => names.push(name),
                _ => return refuse("text goes on after a closing quote; write a quote in quotes twice"),
            }
        }
    } else {
        return refuse("a quote has no end");
    }
    match names.iter().any(String::is_empty) || names.is_empty() {
        true => {
            refuse("a name is missing; names have commas between, and stand in quotes if they hold commas")
        }
        false => Ok(names),
    }
}

/// A list of names, each in quotes where it could be taken for something else.
///
/// ```
/// use maxmargin::data::join_names;
/// assert_eq!(join_names(["size", "red, blue"]), r#"size,"red, blue""#);
/// ```
pub fn join_names<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(quoted_if_needed).collect::<Vec<_>>().join(",")
}

fn quoted_if_needed(name: &str) -> Cow<'_, str> {
    let is_plain = !name.is_empty()
        && !name.contains([',', '"', '\n', '\r'])
        && !name.starts_with([' ', '\t'])
        && !name.ends_with([' ', '\t']);
    match is_plain {
        true => name.into(),
        false => format!("\"{}\"", name.replace('"', "\"\"")).into(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn names_come_back(names in prop::collection::vec("[ab,\" \t]{1,4}", 1..4)) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            prop_assert_eq!(parse_names(&join_names(names.iter().copied())).unwrap(), names);
        }
    }

    #[test]
    fn slips_are_refused() {
        for text in ["", " ", "a,", ",a", "a,\"b", "\"a\"b"] {
            assert!(parse_names(text).unwrap_err().to_string().contains(text.trim()), "{text:?}");
        }
    }
}
