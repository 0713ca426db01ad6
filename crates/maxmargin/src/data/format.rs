//! Which formats there are, and how a file shows which one it is in.
//!
//! A file's content decides, not its name: idx files begin with two zero bytes; a line of the OCR letters is made of
//! numbers and one letter; after its label a line of SVMlight's format goes on with `number:`, `qid:` or `cost:`; and a
//! tab elsewhere makes it CRFsuite's format. The first line that shows one of these marks decides. Before that, lines with the same number
//! of columns, the last of which is a label by its looks, are columns of text (see `conll`). A CRFsuite file whose
//! attributes are numbers with values looks like SVMlight's; such a file needs its format named. ARFF begins with
//! `@relation`, after comments perhaps. A list of images begins with the name of one. A line of the format edges has two whole numbers and one of the few labels of
//! edges, or begins with `@example`. CSV shows no mark of its own: a file is called `.csv` or `.tsv`, or its format is named, or its
//! label columns are.

use std::fmt;
use std::str::FromStr;

use super::number::whole;
use super::source::Source;
use super::svmlight::is_feature;
use super::{arff, conll, edges, idx, images, letters};
use crate::error::{Error, Result};
use crate::shown::{did_you_mean, excerpt};

/// The formats that can be read.
///
/// ```
/// use maxmargin::data::Format;
/// let format: Format = "crfsuite".parse()?;
/// assert_eq!(format, Format::Crfsuite);
/// assert_eq!(format.to_string(), "crfsuite");
/// # Ok::<(), maxmargin::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// `label index:value …`, the format of SVMlight and LIBSVM; with `qid:N` for sequences.
    Svmlight,
    /// `label TAB attribute[:value] …`, CRFsuite's format; a blank line ends a sequence.
    Crfsuite,
    /// `word tag … label`, the columns of the CoNLL shared tasks; a blank line ends a sequence.
    Conll,
    /// The OCR letters: words of 0/1 images, with folds.
    Letters,
    /// MNIST's images and labels.
    Idx,
    /// Images of columns, PGM or PNG, and the segments that they are cut into.
    Images,
    /// Weka's tables; with Mulan's or MEKA's way to say which attributes are labels.
    Arff,
    /// Tables with a header line, and separators that it shows.
    Csv,
    /// `left right label feature[:value] …`: bipartite graphs; a blank line ends one.
    Edges,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 9] = [
        Format::Svmlight,
        Format::Crfsuite,
        Format::Conll,
        Format::Letters,
        Format::Idx,
        Format::Images,
        Format::Arff,
        Format::Csv,
        Format::Edges,
    ];

    /// The name by which a user chooses the format.
    pub fn name(self) -> &'static str {
        match self {
            Format::Svmlight => "svmlight",
            Format::Crfsuite => "crfsuite",
            Format::Conll => "conll",
            Format::Letters => "letters",
            Format::Idx => "idx",
            Format::Images => "images",
            Format::Arff => "arff",
            Format::Csv => "csv",
            Format::Edges => "edges",
        }
    }

    /// Whether the format's attributes have names; otherwise they are numbered.
    pub fn has_named_attributes(self) -> bool {
        matches!(self, Format::Crfsuite | Format::Conll | Format::Edges) || self.is_table()
    }

    /// Whether the format is a table, whose labels are columns.
    pub fn is_table(self) -> bool {
        matches!(self, Format::Arff | Format::Csv)
    }

    /// Whether a file is called as tables are: `.csv`, or `.tsv` without blank lines, which would end sentences. It may be packed.
    pub(super) fn is_called_table(source: &Source) -> bool {
        let name = source.path().file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let name = name.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        let (is_csv, is_tsv) = (name.ends_with(".csv"), name.ends_with(".tsv"));
        let start = source.peeked().trim_ascii_end();
        let has_blank_line = || {
            let mut lines = start.split(|&byte| byte == b'\n');
            lines.any(|line| line.trim_ascii().is_empty())
        };
        is_csv || (is_tsv && !has_blank_line())
    }

    /// Finds out from its content which format a file is in.
    pub fn detect(source: &mut Source) -> Result<Format> {
        source.peek()?;
        Self::of_peeked(source)
    }

    /// The same from what was read so far.
    pub(super) fn of_peeked(source: &Source) -> Result<Format> {
        let (start, is_whole) = (source.peeked(), source.is_exhausted());
        if start.is_empty() {
            return Err(source.error("the file is empty"));
        }
        if idx::recognise(start) {
            return Ok(Format::Idx);
        }
        if arff::recognise(start) {
            return Ok(Format::Arff);
        }
        if images::recognise(start) {
            return Ok(Format::Images);
        }
        let lines =
            || start.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let first =
            lines().find(|line| !line.trim_ascii().is_empty() && !line.starts_with(b"#")).unwrap_or_default();
        if !matches!(of_line(first), Some(Format::Letters | Format::Edges)) {
            match conll::recognise(start, is_whole) {
                conll::Recognised::Columns => return Ok(Format::Conll),
                conll::Recognised::Either => return Err(source.error(EITHER)),
                conll::Recognised::Neither => {}
            }
        }
        let mut blank = true;
        for line in lines() {
            blank &= line.trim_ascii().is_empty();
            if let Some(format) = of_line(line) {
                return Ok(format);
            }
        }
        if blank && is_whole {
            return Err(source.error("the file holds no examples: all its lines are blank"));
        }
        if let Some(problem) = foreign(first) {
            return Err(source.error(problem));
        }
        Err(source.error(format!(
            "cannot tell the format from the content; name it with the option format ({})",
            names()
        )))
    }
}

const EITHER: &str = "this may be conll (columns, the label last) or crfsuite (the label first, then attributes), for both columns \
                      could be labels; name the format";

/// What to do with lines of other programs that are not read as they are.
fn foreign(line: &[u8]) -> Option<&'static str> {
    let line = line.trim_ascii_start();
    let is_namespace = |pair: &[u8]| pair[0] == b' ' && pair[1] == b'|';
    if line.starts_with(b"__label__") {
        Some(
            "this looks like fastText's format, which is not read; write the label, then the words, with tabs between (crfsuite)",
        )
    } else if line.starts_with(b"{") || line.starts_with(b"[") {
        Some(
            "this looks like JSON, which is not read; write a table with a header (csv), or the label, then attributes, with tabs between (crfsuite)",
        )
    } else if line.starts_with(b"|") || line.windows(2).any(is_namespace) {
        Some(
            "this looks like Vowpal Wabbit's format, which is not read; write the label, then name:value, with tabs between (crfsuite)",
        )
    } else {
        None
    }
}

/// The format that a line shows, if it shows one.
fn of_line(line: &[u8]) -> Option<Format> {
    let tabs = || line.split(|&byte| byte == b'\t');
    if tabs().count() > letters::HEAD.len() && looks_like_a_letter(tabs()) {
        return Some(Format::Letters);
    }
    if edges::recognise(line) {
        return Some(Format::Edges);
    }
    if line.starts_with(b"@weight") {
        return Some(Format::Crfsuite);
    }
    let mut tokens = line.split(|&byte| byte == b' ' || byte == b'\t').filter(|token| !token.is_empty());
    let label = tokens.next()?;
    if label.starts_with(b"#") && !line.contains(&b'\t') {
        return None;
    }
    if tokens.next().is_some_and(is_feature) || is_feature(label) {
        return Some(Format::Svmlight);
    }
    line.contains(&b'\t').then_some(Format::Crfsuite)
}

fn looks_like_a_letter<'a>(mut fields: impl Iterator<Item = &'a [u8]>) -> bool {
    let numbers = letters::HEAD.iter().zip(&mut fields).all(|(&name, field)| match name {
        "letter" => !field.is_empty(),
        "next_id" => field == b"-1" || whole(field).is_some(),
        _ => whole(field).is_some(),
    });
    numbers && fields.next().is_some_and(|pixel| pixel == b"0" || pixel == b"1")
}

fn names() -> String {
    Format::ALL.map(Format::name).join(", ")
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let known = Format::ALL.into_iter().find(|format| format.name() == name);
        known.ok_or_else(|| {
            let meant = did_you_mean(name, Format::ALL.map(Format::name));
            Error::parameter("format", format!("`{}` is not one of {}{meant}", excerpt(name), names()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(text: &'static [u8]) -> Result<Format> {
        Format::detect(&mut Source::from_reader("test", text)?)
    }

    #[test]
    fn content_shows_the_format() {
        for (text, format) in [
            (&b"1 1:0.5 2:1\n"[..], Format::Svmlight),
            (b"\n# comment\n+1\n-1 7:1", Format::Svmlight),
            (b"NOUN qid:1 3:1", Format::Svmlight),
            (b"1:0.5 2:1", Format::Svmlight),
            (b"3\t1:0.5\t2:1", Format::Svmlight),
            (b"B-NP\tw[0]=a\n", Format::Crfsuite),
            (b"O\nB-NP\tw[0]=a:0.5\n", Format::Crfsuite),
            (b"@weight:2\nO\n", Format::Crfsuite),
            (b"\tw[0]=a\n", Format::Crfsuite),
            (b"#\tw[0]=#\tpos=#\n", Format::Crfsuite),
            (b"1\to\t2\t1\t1\t0\t0\t0\t1\n", Format::Letters),
            (b"1\to\t-1\t1\t1\t0\t1\t\r\n", Format::Letters),
            (b"\0\0\x08\x03", Format::Idx),
            (b"# plates\n1.pgm A:8 O:2\n", Format::Images),
            (b"my plate.PNG\tA:8\tO:2\n", Format::Images),
            (b"P5 3 1 255\n\0\0\0", Format::Images),
            (b"% about\r\n\r\n@RELATION x\r\n", Format::Arff),
            (b"\xef\xbb\xbf@relation x", Format::Arff),
            (b"@attribute x {a,\tb}\n", Format::Arff),
            (b"%\tw[0]=%\n@weight:2\n", Format::Crfsuite),
            (b"3 5 4\n0,3 0:1\n", Format::Svmlight),
            (b"1,2 3:1\n", Format::Svmlight),
            (b"# graphs\n\n0 1 sure dice:0.5\n", Format::Edges),
            (b"0\t1\tS\n", Format::Edges),
            (b"@example weight=2\n0 1 - a\n", Format::Edges),
            (b"The\tDT\tB-NP\ncat\tNN\tI-NP\n", Format::Conll),
            (b"-DOCSTART- -X- O O\n\n12:30 CD I-NP O\nin IN I-PP O\n", Format::Conll),
            (b"# a comment\n\nthe D\ncat N\n\nthe D\ndog N\n", Format::Conll),
            (b"the\tD\ncat\tN\n\na\tD\ndog\tN\n", Format::Conll),
            (b"# # B-NP\r\n7 CD I-NP\r\n", Format::Conll),
            (b"N\tcat\nN\tdog\n\nV\truns\nV\tsits\n", Format::Crfsuite),
            (b"b qid:1 cost:1\t1:1 # so\nb qid:2 cost:1\t1:1 # so\n", Format::Svmlight),
            (b"B-NP\tcat\tpos=N\nI-NP\tdog\tpos=N\n", Format::Crfsuite),
        ] {
            assert_eq!(detect(text).unwrap(), format, "{:?}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn what_shows_nothing_is_refused() {
        for (text, part) in [
            (&b""[..], "empty"),
            (b"\n \r\n", "no examples"),
            (b"a b c\n", "the option format"),
            (b"a\nb\n", "the option format"),
            (b"a,b\n1,2\n", "the option format"),
            (b"a, b, c\n1, 2, 3\n1, 4, 3\n", "the option format"),
            (b"5.1 3.5 a\n4.9 3.0 a\n7 3.2 b\n6.4 3.2 b\n", "the option format"),
            (b"a\tb\nb\ta\na\tb\na\ta\n", "conll (columns, the label last) or crfsuite"),
        ] {
            let message = detect(text).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
        assert!("tsv".parse::<Format>().unwrap_err().to_string().contains("svmlight, crfsuite"));
    }
}
