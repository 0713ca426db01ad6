//! Turns the columns of the CoNLL-2000 chunking task (`word tag chunk`, a blank line after each sentence) into
//! attributes in CRFsuite's format, with the usual template for chunking:
//!
//! - the words at −2 … +2, and the pairs of words at (−1, 0) and (0, +1),
//! - the tags at −2 … +2, the pairs at (−2, −1) … (+1, +2) and the triples at (−2, −1, 0) … (0, +1, +2),
//! - `__BOS__` on the first token of a sentence and `__EOS__` on the last.
//!
//! An attribute that would reach beyond its sentence is left out. Run it as
//!
//! ```text
//! cargo run --release --example chunking_attributes -- train.txt.gz > train.crfsuite
//! ```

use std::error::Error;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use maxmargin::data::Source;

/// The columns that a template reads.
#[derive(Clone, Copy)]
enum Column {
    Word,
    Tag,
}

/// Each attribute joins what a column holds at some places next to the token.
const TEMPLATES: [(Column, &[isize]); 19] = [
    (Column::Word, &[-2]),
    (Column::Word, &[-1]),
    (Column::Word, &[0]),
    (Column::Word, &[1]),
    (Column::Word, &[2]),
    (Column::Word, &[-1, 0]),
    (Column::Word, &[0, 1]),
    (Column::Tag, &[-2]),
    (Column::Tag, &[-1]),
    (Column::Tag, &[0]),
    (Column::Tag, &[1]),
    (Column::Tag, &[2]),
    (Column::Tag, &[-2, -1]),
    (Column::Tag, &[-1, 0]),
    (Column::Tag, &[0, 1]),
    (Column::Tag, &[1, 2]),
    (Column::Tag, &[-2, -1, 0]),
    (Column::Tag, &[-1, 0, 1]),
    (Column::Tag, &[0, 1, 2]),
];

struct Token {
    word: String,
    tag: String,
    chunk: String,
}

impl Token {
    fn column(&self, column: Column) -> &str {
        match column {
            Column::Word => &self.word,
            Column::Tag => &self.tag,
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut output = BufWriter::new(io::stdout().lock());
    for path in std::env::args_os().skip(1).map(PathBuf::from) {
        let mut source = Source::open(&path)?;
        let mut sentence = Vec::new();
        while let Some(line) = source.next_line()? {
            let mut columns = line.text()?.split_ascii_whitespace();
            match (columns.next(), columns.next(), columns.next(), columns.next()) {
                (None, ..) => write_sentence(&mut sentence, &mut output)?,
                (Some(word), Some(tag), Some(chunk), None) => {
                    sentence.push(Token { word: escape(word), tag: escape(tag), chunk: escape(chunk) });
                }
                _ => return Err(line.error(1, "expected three columns: word, tag and chunk").into()),
            }
        }
        write_sentence(&mut sentence, &mut output)?;
    }
    output.flush()?;
    Ok(())
}

/// Writes a sentence, if there is one, and empties it.
fn write_sentence(sentence: &mut Vec<Token>, output: &mut impl Write) -> io::Result<()> {
    for (position, token) in sentence.iter().enumerate() {
        write!(output, "{}", token.chunk)?;
        for (column, places) in TEMPLATES {
            write_attribute(sentence, position, column, places, output)?;
        }
        if position == 0 {
            write!(output, "\t__BOS__")?;
        }
        if position + 1 == sentence.len() {
            write!(output, "\t__EOS__")?;
        }
        writeln!(output)?;
    }
    if !sentence.is_empty() {
        writeln!(output)?;
    }
    sentence.clear();
    Ok(())
}

/// Writes an attribute such as `w[-1]|w[0]=the|dog`, unless one of its places is outside the sentence.
fn write_attribute(
    sentence: &[Token],
    position: usize,
    column: Column,
    places: &[isize],
    output: &mut impl Write,
) -> io::Result<()> {
    let at = |place: isize| position.checked_add_signed(place).and_then(|at| sentence.get(at));
    if places.iter().any(|&place| at(place).is_none()) {
        return Ok(());
    }
    let name = match column {
        Column::Word => "w",
        Column::Tag => "pos",
    };
    for (i, place) in places.iter().enumerate() {
        write!(output, "{}{name}[{place}]", if i == 0 { '\t' } else { '|' })?;
    }
    for (i, token) in places.iter().filter_map(|&place| at(place)).enumerate() {
        write!(output, "{}{}", if i == 0 { '=' } else { '|' }, token.column(column))?;
    }
    Ok(())
}

/// Marks the colons and backslashes of a name, so that no value is seen in it.
fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace(':', "\\:")
}
