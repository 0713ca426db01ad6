//! Small files about labels: a few fields a line, of which the first ones are names of labels.
//!
//! Fields are separated by white space. Empty lines and lines that begin with `#` are skipped. Like data, such a file may be
//! packed with gzip, and what is wrong with it has a line.

use std::path::Path;

use super::Alphabet;
use super::source::{Line, Source};
use crate::error::{Error, Result};
use crate::shown::excerpt;
use crate::structure::CostMatrix;

/// More fields than any of these files has on a line: what lies beyond is not looked at.
const MOST_FIELDS: usize = 8;

/// One line of such a file.
struct LabelLine<'a> {
    pub fields: Vec<&'a str>,
    line: &'a Line<'a>,
    labels: &'a Alphabet,
}

impl LabelLine<'_> {
    /// The label that a field names.
    pub fn label(&self, field: &str) -> Result<u32> {
        let known = self.labels.get(field);
        known.ok_or_else(|| self.error(format!("the training data has no label \"{}\"", excerpt(field))))
    }

    /// A number of at least 0.
    pub fn cost(&self, field: &str) -> Result<f64> {
        let cost = field.parse().ok().filter(|cost: &f64| cost.is_finite() && *cost >= 0.0);
        cost.ok_or_else(|| self.error(format!("\"{}\" is not a cost: a number ≥ 0", excerpt(field))))
    }

    pub fn error(&self, problem: impl Into<String>) -> Error {
        self.line.error(0, problem)
    }
}

/// Calls `visit` with each line that is not empty.
fn for_each_line(
    path: &Path,
    labels: &Alphabet,
    mut visit: impl FnMut(&LabelLine<'_>) -> Result<()>,
) -> Result<()> {
    let mut source = Source::open(path)?;
    while let Some(line) = source.next_line()? {
        let fields: Vec<&str> = line.text()?.split_whitespace().take(MOST_FIELDS).collect();
        if !fields.is_empty() && !fields[0].starts_with('#') {
            visit(&LabelLine { fields, line: &line, labels })?;
        }
    }
    Ok(())
}

/// Reads a cost file: lines `truth predicted cost`; pairs that are not named cost 1.
pub fn read_costs(path: &Path, labels: &Alphabet) -> Result<CostMatrix> {
    let n = labels.len();
    let mut costs: Vec<f64> = (0..n * n).map(|i| f64::from(u8::from(i / n.max(1) != i % n.max(1)))).collect();
    for_each_line(path, labels, |line| {
        let [truth, predicted, cost] = line.fields[..] else {
            return Err(line.error("expected `truth predicted cost`, three fields"));
        };
        let (truth, predicted) = (line.label(truth)? as usize, line.label(predicted)? as usize);
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
    for_each_line(path, labels, |line| {
        let [label, weight] = line.fields[..] else {
            return Err(line.error("expected `label weight`, two fields"));
        };
        weights[line.label(label)? as usize] = line.cost(weight)?;
        Ok(())
    })?;
    Ok(weights)
}

/// Reads pairs of labels: lines `label label`.
pub fn read_pairs(path: &Path, labels: &Alphabet) -> Result<Vec<(u32, u32)>> {
    let mut pairs = Vec::new();
    for_each_line(path, labels, |line| {
        let [a, b] = line.fields[..] else {
            return Err(line.error("expected `label label`, two fields"));
        };
        let (a, b) = (line.label(a)?, line.label(b)?);
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
