//! Rows with a set of labels in SVMlight's format: `label,label index:value index:value …`.
//!
//! This is how LIBSVM's collection of multi-label data and the extreme-classification repository write them. A line
//! that begins with a feature has no label; a label must not come twice on a line. A file of the repository begins with
//! a header of three numbers, `rows features labels`; then features and labels count from 0, and both the number of rows
//! and every index must be what the header says. Nothing is allocated on its word.
//!
//! Where labels may be open, `5?` is one of which nobody knows whether the row has it, and `?` (or `_`) alone stands for all labels that the row does not name.
//!
//! ```text
//! 3 5 4
//! 0,3 0:0.5 4:1
//! 2 1:1
//!  3:0.25
//! ```

use super::super::candidates::is_any;
use super::super::dataset_builder::DatasetBuilder;
use super::super::number::whole;
use super::super::source::{Line, Source};
use super::{is_blank, without_plus};
use crate::error::Result;
use crate::shown::excerpt;

/// What the header of a file promises.
pub(super) struct Promise {
    rows: u64,
    /// The number of feature columns; it fits where columns are numbered.
    pub features: usize,
    labels: u64,
}

impl Promise {
    /// The header, if the line is one: three whole numbers and nothing else.
    pub fn parse(line: &Line<'_>) -> Result<Option<Self>> {
        let mut tokens = line.bytes.split(|&byte| is_blank(byte)).filter(|token| !token.is_empty());
        let mut next = || tokens.next().and_then(whole);
        let (Some(rows), Some(features), Some(labels), None) = (next(), next(), next(), tokens.next()) else {
            return Ok(None);
        };
        match u32::try_from(features) {
            Ok(columns) if columns < u32::MAX => Ok(Some(Self { rows, features: columns as usize, labels })),
            _ => {
                let problem =
                    format!("the header promises {features} features; at most {} are possible", u32::MAX - 1);
                Err(line.error(0, problem))
            }
        }
    }

    /// Checks that one more row may follow after so many.
    pub fn check_row(&self, line: &Line<'_>, rows: u64) -> Result<()> {
        match rows < self.rows {
            true => Ok(()),
            false => Err(line.error(1, format!("a row beyond the {} that the header promises", self.rows))),
        }
    }

    /// Checks that the file ends after as many rows as it should.
    pub fn check_end(&self, source: &Source, rows: u64) -> Result<()> {
        match rows < self.rows {
            false => Ok(()),
            true => Err(source.error_on_last_line(
                0,
                format!(
                    "the file ends after {rows} rows, but its header promises {} (blank lines are no rows)",
                    self.rows
                ),
            )),
        }
    }

    #[inline]
    pub fn check_feature(&self, line: &Line<'_>, start: usize, index: u64) -> Result<()> {
        match index < self.features as u64 {
            true => Ok(()),
            false => Err(self.beyond(line, start, "feature", index, self.features as u64)),
        }
    }

    fn check_label(&self, line: &Line<'_>, start: usize, name: &str) -> Result<()> {
        match whole(name.as_bytes()) {
            Some(label) if label < self.labels => Ok(()),
            Some(label) => Err(self.beyond(line, start, "label", label, self.labels)),
            None => Err(line.error(
                start + 1,
                format!(
                    "the label `{}` is no whole number, but after a header of three numbers labels are",
                    excerpt(name)
                ),
            )),
        }
    }

    #[cold]
    fn beyond(&self, line: &Line<'_>, start: usize, what: &str, index: u64, count: u64) -> crate::Error {
        let problem = match count {
            0 => format!("{what} {index}, but the header promises no {what}s"),
            _ => format!("{what} {index}, but the header promises {count} {what}s, from 0 to {}", count - 1),
        };
        line.error(start + 1, problem)
    }
}

/// Adds the labels of a token, which begins `start` bytes into the line, to the set of the open row.
pub(super) fn read_labels(
    line: &Line<'_>,
    start: usize,
    token: &[u8],
    promise: Option<&Promise>,
    data: &mut DatasetBuilder<'_>,
) -> Result<()> {
    let text = line.text_at(start, token)?;
    let mut at = start;
    for name in text.split(',') {
        let begin = at;
        at += name.len() + 1;
        if name.is_empty() {
            let problem =
                format!("a label is missing in `{}`: labels stand between single commas", excerpt(text));
            return Err(line.error(begin + 1, problem));
        }
        if name.contains(':') {
            let problem = format!(
                "`{}` is neither a label nor a feature: expected labels with commas between, then index:value",
                excerpt(name)
            );
            return Err(line.error(begin + 1, problem));
        }
        let name = without_plus(name);
        if data.has_open_labels() && is_any(name) {
            data.open_others();
            continue;
        }
        let open = name.strip_suffix('?').filter(|_| data.has_open_labels());
        let name = open.unwrap_or(name);
        if let Some(promise) = promise {
            promise.check_label(line, begin, name)?;
        }
        data.check_label(line, begin, name)?;
        let is_new = match open {
            Some(name) => data.add_open_label(name),
            None => data.add_label(name),
        };
        if !is_new {
            return Err(
                line.error(begin + 1, format!("the label `{}` comes twice on one line", excerpt(name)))
            );
        }
    }
    Ok(())
}

/// Whether a label can only be meant as several.
pub(super) fn is_list_of_numbers(label: &str) -> bool {
    label.contains(',') && label.split(',').all(|part| whole(part.as_bytes()).is_some())
}

#[cfg(test)]
mod tests {
    use super::super::super::dataset::{Dataset, Vocabulary};
    use super::*;

    fn parse(text: &'static str) -> Result<(Dataset, Vocabulary)> {
        let mut data = DatasetBuilder::growing(false).with_label_sets(true);
        super::super::read(&mut Source::from_reader("test", text.as_bytes())?, false, &mut data)?;
        let (data, vocabulary, _) = data.finish();
        Ok((data, vocabulary.unwrap()))
    }

    #[test]
    fn sets_of_any_size() {
        let (data, names) = parse("b,a 1:1\n1:0.5 2:1\n  cost:2 2:1 # none\nc\n+1,a\t3:1\n").unwrap();
        assert!(names.labels.iter().eq(["1", "a", "b", "c"]));
        assert_eq!(data.sets, Some(vec![0, 2, 2, 2, 3, 5]));
        assert_eq!(data.labels, [1, 2, 3, 0, 1]);
        assert_eq!(data.weights, Some(vec![1.0, 1.0, 2.0, 1.0, 1.0]));
        assert_eq!(data.features.row(1).to_pairs(), [(0, 0.5), (1, 1.0)]);
        assert!(data.sequences.is_none());
    }

    #[test]
    fn a_header_counts_from_0_and_is_checked() {
        let (data, names) = parse("3 5 4\n0,3 0:0.5 3:1\n2 1:1\n 3:0.25\n").unwrap();
        assert_eq!((data.len(), data.features.columns(), names.labels.len()), (3, 5, 3));
        assert_eq!(data.features.row(0).to_pairs(), [(0, 0.5), (3, 1.0)]);
        assert_eq!(data.sets, Some(vec![0, 2, 3, 3]));
        // Promises cost nothing.
        assert!(parse("18446744073709551615 9 9\n1 1:1\n").unwrap_err().to_string().contains("after 1 rows"));
    }
}
