//! Parts of a word by its letters, and its shape.

/// The first `count` letters of a word that has so many.
pub(super) fn prefix(word: &str, count: usize) -> Option<&str> {
    let mut ends = word.char_indices().map(|(start, c)| start + c.len_utf8());
    ends.nth(count.checked_sub(1)?).map(|end| &word[..end])
}

/// The last `count` letters of a word that has so many.
pub(super) fn suffix(word: &str, count: usize) -> Option<&str> {
    let mut starts = word.char_indices().rev();
    starts.nth(count.checked_sub(1)?).map(|(start, _)| &word[start..])
}

/// A letter by its place: from 1, or from −1 backwards.
pub(super) fn letter(word: &str, place: i32) -> Option<&str> {
    let count = place.unsigned_abs() as usize;
    let part = if place > 0 { prefix(word, count)? } else { suffix(word, count)? };
    if place > 0 { suffix(part, 1) } else { prefix(part, 1) }
}

/// All runs of `count` letters.
pub(super) fn grams(word: &str, count: usize) -> impl Iterator<Item = &str> {
    let starts = word.char_indices().map(|(start, _)| &word[start..]);
    starts.map_while(move |rest| prefix(rest, count))
}

/// Writes `X` for upper-case letters, `x` for other letters, `9` for digits, and all else as it is; of several in a row only one,
/// where the shape is to be short.
pub(super) fn write_shape(word: &str, short: bool, to: &mut String) {
    let mut before = None;
    for c in word.chars() {
        let kind = match c {
            c if c.is_uppercase() => 'X',
            c if c.is_alphabetic() => 'x',
            c if c.is_numeric() => '9',
            c => c,
        };
        if !short || before != Some(kind) {
            to.push(kind);
        }
        before = Some(kind);
    }
}

/// Writes a text in lower case.
pub(super) fn write_lower(text: &str, to: &mut String) {
    to.extend(text.chars().flat_map(char::to_lowercase));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_counted_from_both_ends() {
        assert_eq!((prefix("über", 2), suffix("über", 4), prefix("ü", 2)), (Some("üb"), Some("über"), None));
        assert_eq!(
            (letter("über", 1), letter("über", -1), letter("über", -4)),
            (Some("ü"), Some("r"), Some("ü"))
        );
        assert_eq!(
            (letter("ab", 3), letter("ab", -3), letter("ab", 0), prefix("ab", 0)),
            (None, None, None, None)
        );
        assert!(grams("süß", 2).eq(["sü", "üß"]));
        assert_eq!(grams("a", 2).count(), 0);
    }

    #[test]
    fn shapes_show_case_digits_and_signs() {
        let shape = |word, short| {
            let mut shape = String::new();
            write_shape(word, short, &mut shape);
            shape
        };
        assert_eq!(
            (shape("McCain-12", false), shape("McCain-12", true)),
            ("XxXxxx-99".into(), "XxXx-9".into())
        );
        let mut lower = String::new();
        write_lower("ÜBER", &mut lower);
        assert_eq!(lower, "über");
    }
}
