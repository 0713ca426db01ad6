//! Tables of words in the text form of word2vec: a word and its numbers on each line, and perhaps a line before them with how many there are.

use std::collections::HashSet;
use std::path::Path;

use maxmargin::Result;
use maxmargin::data::Source;

use crate::lexicon::{Names, SPECIAL};

/// Words with as many numbers each.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WordVectors {
    /// The words, in small letters.
    pub(crate) names: Names,
    /// How many numbers each has.
    pub size: usize,
    /// The rows of a table: before those of words two of zeros.
    pub(crate) rows: Vec<f32>,
}

impl WordVectors {
    /// Reads a file, which may be packed by gzip. Of words that differ in capitals only the first one counts.
    pub fn read(path: &Path) -> Result<Self> {
        let mut source = Source::open(path)?;
        let (mut names, mut seen, mut rows) = (Vec::new(), HashSet::new(), Vec::new());
        let mut size = None;
        while let Some(line) = source.next_line()? {
            let text = line.text()?.trim_end();
            let mut fields = text.split(' ').filter(|field| !field.is_empty());
            let Some(word) = fields.next() else { continue };
            let values: Vec<&str> = fields.collect();
            // How many words there are, and of what size.
            if line.number == 1 && values.len() == 1 {
                continue;
            }
            let expected = *size.get_or_insert(values.len());
            if values.len() != expected || expected == 0 {
                let problem = format!("{} numbers where a word has {}", values.len(), expected.max(1));
                return Err(line.error(1, problem));
            }
            let word = word.to_lowercase();
            if !seen.insert(word.clone()) {
                continue;
            }
            if names.is_empty() {
                rows.resize(SPECIAL * expected, 0.0);
            }
            for value in values {
                match value.parse::<f32>().ok().filter(|value| value.is_finite()) {
                    Some(value) => rows.push(value),
                    None => {
                        return Err(line.error(1, format!("`{}` is no number", maxmargin::excerpt(value))));
                    }
                }
            }
            names.push(word);
        }
        match size {
            Some(size) => Ok(Self { names: names.into(), size, rows }),
            None => Err(maxmargin::Error::parameter("vectors", "the file has no words")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<WordVectors> {
        let folder = tempfile::tempdir().map_err(|e| maxmargin::Error::parameter("folder", e.to_string()))?;
        let path = folder.path().join("words.txt");
        _ = std::fs::write(&path, text);
        WordVectors::read(&path)
    }

    #[test]
    fn both_forms_are_read() -> Result<()> {
        let with_counts = read("2 3\nThe 1 2 3\nthe 4 5 6\ncat -1 0.5 1e-3\n")?;
        assert_eq!(with_counts, read("The 1 2 3 \ncat -1 0.5 1e-3")?);
        assert_eq!((with_counts.size, with_counts.names.rows()), (3, 4));
        assert_eq!(with_counts.rows[6..9], [1.0, 2.0, 3.0]);
        Ok(())
    }

    #[test]
    fn faults_name_their_line() {
        for (text, problem) in [
            ("a 1 2\nb 1\n", ":2"),
            ("a 1 x\n", "`x` is no number"),
            ("a 1 nan\n", "no number"),
            ("", "no words"),
            ("7 3\n", "no words"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(problem), "{text}: {error}");
        }
    }
}
