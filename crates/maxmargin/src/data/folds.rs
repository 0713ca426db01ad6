//! Which folds are meant: `0`, `1-9`, `0,2,5-7`.
//!
//! Formats that number the folds of a cross-validation (the OCR letters do) let a run choose some of them by a list of
//! numbers and ranges, separated by commas.
//!
//! ```
//! use maxmargin::data::parse_folds;
//! assert_eq!(parse_folds("0,2,5-7")?, [0, 2, 5, 6, 7]);
//! assert!(parse_folds("7-5").is_err());
//! # Ok::<(), maxmargin::Error>(())
//! ```

use crate::error::{Error, Result};

/// A range may not name more folds than this: a slip of the finger shall not fill the memory.
const MOST: u32 = 100_000;

/// The folds that a text like `0,2,5-7` names, sorted, each once.
pub fn parse_folds(text: &str) -> Result<Vec<u32>> {
    let mut folds = Vec::new();
    for part in text.split(',') {
        let part = part.trim();
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (number(text, part, first)?, number(text, part, last)?);
        if first > last {
            return Err(refuse(text, &format!("the range `{part}` runs backwards; write `{last}-{first}`")));
        }
        if last - first >= MOST {
            return Err(refuse(text, &format!("the range `{part}` names more than {MOST} folds")));
        }
        folds.extend(first..=last);
    }
    folds.sort_unstable();
    folds.dedup();
    Ok(folds)
}

fn number(text: &str, part: &str, number: &str) -> Result<u32> {
    let number = number.trim();
    let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    let parsed = if digits { number.parse().ok() } else { None };
    parsed.ok_or_else(|| {
        let problem = match part.is_empty() {
            true => "a number is missing".to_owned(),
            false => format!("`{part}` is neither a number nor a range like `1-9`"),
        };
        refuse(text, &problem)
    })
}

fn refuse(text: &str, problem: &str) -> Error {
    Error::parameter("folds", format!("`{text}`: {problem} (allowed: numbers and ranges, like `0,2,5-7`)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges() {
        assert_eq!(parse_folds("0").unwrap(), [0]);
        assert_eq!(parse_folds("1-9").unwrap(), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(parse_folds(" 3 , 1-2,2").unwrap(), [1, 2, 3]);
    }

    #[test]
    fn anything_else_says_what_is_allowed() {
        for (text, part) in [
            ("", "a number is missing"),
            ("1,,2", "a number is missing"),
            ("a", "`a` is neither"),
            ("1-", "`1-` is neither"),
            ("-1", "`-1` is neither"),
            ("1-2-3", "`1-2-3` is neither"),
            ("+1", "`+1` is neither"),
            ("9-1", "write `1-9`"),
            ("0-4294967295", "more than 100000"),
            ("99999999999", "is neither"),
        ] {
            let message = parse_folds(text).unwrap_err().to_string();
            assert!(message.contains(part) && message.contains("0,2,5-7"), "{text:?}: {message}");
        }
    }
}
