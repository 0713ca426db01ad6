//! The library speaks of options, the program of flags: `the option missing=mean` there is `--missing mean` here.

/// How the library names an option in a sentence.
const OPTION: &str = "the option ";

/// A text of the library with options as flags, where they are such.
pub fn with_flags(text: &str, is_flag: impl Fn(&str) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(OPTION) {
        shown.push_str(before);
        let end = after.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(after.len());
        let (name, behind) = after.split_at(end);
        rest = after;
        match is_flag(name) && !name.is_empty() {
            true => {
                shown.extend(["--", name]);
                rest = behind;
                if let Some(value) = behind.strip_prefix('=') {
                    shown.push(' ');
                    rest = value;
                }
            }
            false => shown.push_str(OPTION),
        }
    }
    shown.push_str(rest);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_become_flags() {
        let shown = |text| with_flags(text, |name| ["missing", "label-columns"].contains(&name));
        for (text, expected) in [
            (
                "say the option missing=mean or the option missing=zero",
                "say --missing mean or --missing zero",
            ),
            ("Name them with the option label-columns.", "Name them with --label-columns."),
            ("the option label-columns, the option other", "--label-columns, the option other"),
            ("nothing, the option ", "nothing, the option "),
        ] {
            assert_eq!(shown(text), expected);
        }
    }
}
