//! Small files about labels: a few fields a line, of which the first ones are names of labels.
//!
//! Fields are separated by white space; one that holds white space stands in double quotes, with a quote in it written twice. Empty lines and lines that begin with `#` are skipped. Like data, such a file may be
//! packed with gzip, and what is wrong with it has a line.

use std::borrow::Cow;
use std::path::Path;

use super::Alphabet;
use super::csv::closing_quote;
use super::source::{Line, Source};
use crate::error::{Error, Result};
use crate::shown::excerpt;
use crate::structure::CostMatrix;

/// More fields than any of these files has on a line: what lies beyond is not looked at.
const MOST_FIELDS: usize = 8;

/// One line of such a file.
pub(super) struct LabelLine<'a> {
    pub fields: Vec<Cow<'a, str>>,
    line: &'a Line<'a>,
}

impl LabelLine<'_> {
    /// The label that a field names.
    fn label(&self, labels: &Alphabet, field: &str) -> Result<u32> {
        let known = labels.get(field);
        known.ok_or_else(|| self.error(format!("the training data has no label \"{}\"", excerpt(field))))
    }

    /// Its number, from 1.
    pub fn number(&self) -> usize {
        self.line.number
    }

    /// A number of at least 0.
    fn cost(&self, field: &str) -> Result<f64> {
        let cost = field.parse().ok().filter(|cost: &f64| cost.is_finite() && *cost >= 0.0);
        cost.ok_or_else(|| self.error(format!("\"{}\" is not a cost: a number ≥ 0", excerpt(field))))
    }

    pub fn error(&self, problem: impl Into<String>) -> Error {
        self.line.error(0, problem)
    }

    /// There are not as many fields as were expected, which is so many at most: names with spaces may have come apart.
    pub fn miscounted(&self, expected: &str, most: usize) -> Error {
        let remedy =
            if self.fields.len() > most { "; a name with spaces stands in double quotes" } else { "" };
        self.error(format!("expected {expected}{remedy}"))
    }
}

/// Calls `visit` with each line that is not empty.
pub(super) fn for_each_line(path: &Path, mut visit: impl FnMut(&LabelLine<'_>) -> Result<()>) -> Result<()> {
    let mut source = Source::open(path)?;
    while let Some(line) = source.next_line()? {
        if line.text()?.trim_start().starts_with('#') {
            continue;
        }
        let fields = fields(&line)?;
        if !fields.is_empty() {
            visit(&LabelLine { fields, line: &line })?;
        }
    }
    Ok(())
}

/// The fields of a line, the first few of them.
fn fields<'a>(line: &Line<'a>) -> Result<Vec<Cow<'a, str>>> {
    let text = line.text()?;
    let (mut fields, mut rest) = (Vec::new(), text.trim_start());
    while !rest.is_empty() && fields.len() < MOST_FIELDS {
        let at = text.len() - rest.len();
        let end = if rest.starts_with('"') {
            let Some(end) = closing_quote(rest.as_bytes()) else {
                let problem = "this quote has no end; a label that begins with a quote stands in quotes, where each is written twice";
                return Err(line.error_at(at, problem));
            };
            fields.push(rest[1..end].replace("\"\"", "\"").into());
            end + 1
        } else {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            fields.push(rest[..end].into());
            end
        };
        let behind = &rest[end..];
        if !behind.is_empty() && !behind.starts_with(char::is_whitespace) {
            return Err(line.error_at(at + end, "more text after a closing quote"));
        }
        rest = behind.trim_start();
    }
    Ok(fields)
}

/// Reads a cost file: lines `truth predicted cost`; pairs that are not named cost 1.
pub fn read_costs(path: &Path, labels: &Alphabet) -> Result<CostMatrix> {
    let n = labels.len();
    let mut costs: Vec<f64> = (0..n * n).map(|i| f64::from(u8::from(i / n.max(1) != i % n.max(1)))).collect();
    for_each_line(path, |line| {
        let [truth, predicted, cost] = &line.fields[..] else {
            return Err(line.miscounted("`truth predicted cost`, three fields", 3));
        };
        let (truth, predicted) =
            (line.label(labels, truth)? as usize, line.label(labels, predicted)? as usize);
        let cost = line.cost(cost)?;
        if truth == predicted && cost != 0.0 {
            return Err(line.error("the cost of a right prediction must be 0"));
        }
        costs[truth * n + predicted] = cost;
        Ok(())
    })?;
    Ok(CostMatrix::new(n, costs)?)
}

/// Reads what each label costs: lines `label weight`; labels that are not named cost 1.
pub fn read_label_weights(path: &Path, labels: &Alphabet) -> Result<Vec<f64>> {
    let mut weights = vec![1.0; labels.len()];
    for_each_line(path, |line| {
        let [label, weight] = &line.fields[..] else {
            return Err(line.miscounted("`label weight`, two fields", 2));
        };
        weights[line.label(labels, label)? as usize] = line.cost(weight)?;
        Ok(())
    })?;
    Ok(weights)
}

/// Reads what it costs to miss each label, and when it is wrongly in: lines `label miss false`, or `label weight` for both; labels
/// that are not named cost 1.
pub fn read_label_costs(path: &Path, labels: &Alphabet) -> Result<(Vec<f64>, Vec<f64>)> {
    let (mut miss, mut wrong) = (vec![1.0; labels.len()], vec![1.0; labels.len()]);
    for_each_line(path, |line| {
        let (label, costs) = match &line.fields[..] {
            [label, weight] => (label, [weight; 2]),
            [label, miss, wrong] => (label, [miss, wrong]),
            _ => return Err(line.miscounted("`label weight` or `label miss false`, two or three fields", 3)),
        };
        let label = line.label(labels, label)? as usize;
        (miss[label], wrong[label]) = (line.cost(costs[0])?, line.cost(costs[1])?);
        Ok(())
    })?;
    Ok((miss, wrong))
}

/// Reads pairs of labels: lines `label label`.
pub fn read_pairs(path: &Path, labels: &Alphabet) -> Result<Vec<(u32, u32)>> {
    let mut pairs = Vec::new();
    for_each_line(path, |line| {
        let [a, b] = &line.fields[..] else {
            return Err(line.miscounted("`label label`, two fields", 2));
        };
        let (a, b) = (line.label(labels, a)?, line.label(labels, b)?);
        if a == b {
            return Err(line.error("a label is no pair with itself"));
        }
        pairs.push((a.min(b), a.max(b)));
        Ok(())
    })?;
    pairs.sort_unstable();
    pairs.dedup();
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_and_pairs_are_read_and_nonsense_is_refused() {
        let labels: Alphabet = ["cat", "dog", "cow"].into_iter().collect();
        let file = tempfile::NamedTempFile::new().unwrap();
        let write = |text: &str| std::fs::write(file.path(), text).unwrap();
        write("# comment\n\ndog 2.5\n");
        assert_eq!(read_label_weights(file.path(), &labels).unwrap(), [1.0, 2.5, 1.0]);
        write("cow cat\ncat dog\ncat cow\n");
        assert_eq!(read_pairs(file.path(), &labels).unwrap(), [(0, 1), (0, 2)]);
        for (text, part) in [
            ("dog", "two fields"),
            ("\nelk dog", ":2: the training data has no label \"elk\""),
            ("cat cat", "itself"),
        ] {
            write(text);
            let message = read_pairs(file.path(), &labels).unwrap_err().to_string();
            assert!(message.contains(part), "{text:?} gave {message:?}");
        }
        std::fs::write(file.path(), b"cat dog\n# \xe9\n").unwrap();
        let message = read_pairs(file.path(), &labels).unwrap_err().to_string();
        assert!(
            message.ends_with(":2:3: this is not UTF-8 text; convert the file, for example with iconv"),
            "{message}"
        );
        write("\u{feff}cat dog\r\n");
        assert_eq!(read_pairs(file.path(), &labels).unwrap(), [(0, 1)]);
        write(&format!("cat {}", "dog ".repeat(1_000_000)));
        assert!(
            read_pairs(file.path(), &labels).unwrap_err().to_string().contains(":1: expected `label label`")
        );
        write("\"cow\" \t\"dog\"\n");
        assert_eq!(read_pairs(file.path(), &labels).unwrap(), [(1, 2)]);
        for (text, part) in
            [("\n cow \"dog", ":2:6: this quote has no end"), ("\"cow\"dog cat", ":1:6: more text")]
        {
            write(text);
            let message = read_pairs(file.path(), &labels).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
        let spaced: Alphabet = ["dark \"red\"", "#1", "plain"].into_iter().collect();
        write("\"dark \"\"red\"\"\" 2\n\"#1\" 3\n# 4\n");
        assert_eq!(read_label_weights(file.path(), &spaced).unwrap(), [2.0, 3.0, 1.0]);
        write("dog -1");
        assert!(read_label_weights(file.path(), &labels).unwrap_err().to_string().contains("not a cost"));
    }

    #[test]
    fn costs_are_read_and_nonsense_is_refused() {
        let labels: Alphabet = ["cat", "dog"].into_iter().collect();
        let file = tempfile::NamedTempFile::new().unwrap();
        let read = |text: &str| {
            std::fs::write(file.path(), text).unwrap();
            read_costs(file.path(), &labels)
        };
        let matrix = read("# truth predicted cost\ncat dog 3\n").unwrap();
        assert_eq!(matrix.as_slice(), [0.0, 3.0, 1.0, 0.0]);
        for (text, part) in [
            ("cat cow 1", ":1: the training data has no label \"cow\""),
            ("small cat dog 2", "three fields; a name with spaces stands in double quotes"),
            ("cat dog", "three fields"),
            ("\ncat dog NaN", ":2: \"NaN\" is not a cost"),
            ("cat dog -1", "is not a cost"),
            ("cat cat 1", "must be 0"),
        ] {
            let message = read(text).unwrap_err().to_string();
            assert!(message.contains(part), "{text:?} gave {message:?}");
        }
    }
}
