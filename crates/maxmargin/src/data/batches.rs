//! Files in batches of whole examples, as they arrive: what answers a stream, in as much memory as a batch takes.
//!
//! A batch is what one reading of a file or pipe has brought, up to the last place where an example ends (`borders`). The reader of the
//! format reads it like a file, with the numbers that its lines have in the whole. So an example waits for nothing that comes after it,
//! and where much arrives at once, much is answered at once. A few formats cannot be cut; their files are one batch each.
//!
//! Where a line of a batch is at fault, the examples before it are a batch all the same, and the error comes after.
//!
//! What a reader knows of a whole file only is not checked: that the number of a sequence does not come again.

mod borders;

use std::collections::VecDeque;
use std::path::PathBuf;

use borders::Borders;

use super::conll;
use super::dataset::{Dataset, Vocabulary};
use super::dataset_builder::Unseen;
use super::format::Format;
use super::reader::{NamesOfFiles, ReadOptions, check_kind, check_options, read_fixed};
use super::source::Source;
use crate::error::{Error, Result};

/// Some of the examples of files.
#[derive(Debug, Clone)]
pub struct Batch<D> {
    /// The examples; never none.
    pub data: D,
    /// What the names that were fixed before do not have.
    pub unseen: Unseen,
}

/// The batches of files, one after the other. Files without any example have none.
pub(crate) struct Batches<'a> {
    paths: VecDeque<PathBuf>,
    options: ReadOptions,
    names: NamesOfFiles<'a>,
    columns: conll::Reader,
    format: Option<Format>,
    open: Option<OpenFile>,
    /// What went wrong behind the last batch.
    failure: Option<Error>,
}

struct OpenFile {
    source: Source,
    /// None for what is read as a whole.
    borders: Option<Borders>,
}

impl<'a> Batches<'a> {
    /// For files that are read with the names of a model.
    pub fn new(paths: &[PathBuf], options: ReadOptions, names: &'a Vocabulary) -> Result<Self> {
        if paths.is_empty() {
            return Err(Error::parameter("data", "at least one file is needed"));
        }
        let names = NamesOfFiles::of_stream(&options, names)?;
        let columns = conll::Reader::new(&options.columns, options.text_columns.as_deref())?;
        let paths = paths.to_vec().into();
        Ok(Self { paths, options, names, columns, format: None, open: None, failure: None })
    }

    fn next_batch(&mut self) -> Result<Option<Batch<Dataset>>> {
        if let Some(error) = self.failure.take() {
            return Err(error);
        }
        loop {
            let Some(open) = &mut self.open else {
                if self.paths.is_empty() {
                    return Ok(None);
                }
                self.open = self.open_next()?;
                continue;
            };
            let format = self.format.unwrap_or(Format::Svmlight);
            let mut read = |source: &mut Source| {
                read_fixed(source, format, &self.options, &mut self.columns, &self.names)
            };
            let (data, unseen) = match &mut open.borders {
                Some(borders) => match borders.next_batch(&mut open.source)? {
                    Some(mut batch) => {
                        let unread = batch.same_batch();
                        read(&mut batch).or_else(|error| {
                            let before = match &error {
                                Error::Data { place, .. } => borders.before_line(&unread, place.line),
                                _ => None,
                            };
                            let good = before.and_then(|mut before| read(&mut before).ok());
                            let Some(good) = good.filter(|(data, _)| !data.is_empty()) else {
                                return Err(error);
                            };
                            self.failure = Some(error);
                            Ok(good)
                        })?
                    }
                    None => {
                        self.open = None;
                        continue;
                    }
                },
                None => {
                    let whole = read(&mut open.source)?;
                    self.open = None;
                    whole
                }
            };
            if !data.is_empty() {
                return Ok(Some(Batch { data, unseen }));
            }
        }
    }

    /// Opens the next file; none where there is nothing in it.
    fn open_next(&mut self) -> Result<Option<OpenFile>> {
        match self.paths.pop_front() {
            Some(path) => self.begin(Source::open(&path)?),
            None => Ok(None),
        }
    }

    fn begin(&mut self, mut source: Source) -> Result<Option<OpenFile>> {
        if source.peek_line()?.trim_ascii().is_empty() {
            return Ok(None);
        }
        let format = self.options.format_of_peeked(&source)?;
        match self.format {
            None => {
                check_options(format, &self.options, 1 + self.paths.len())?;
                check_kind(format, &source, self.names.of_model())?;
                self.format = Some(format);
            }
            Some(first) if first != format => return Err(source.other_format(format, first)),
            Some(_) => {}
        }
        let borders = Borders::of(format, &source, &self.options);
        Ok(Some(OpenFile { source, borders }))
    }
}

impl Iterator for Batches<'_> {
    type Item = Result<Batch<Dataset>>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.next_batch().transpose();
        // After an error nothing more is to be had.
        if matches!(next, Some(Err(_))) {
            self.open = None;
            self.paths.clear();
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::super::{Attributes, read_training, read_with};
    use super::*;

    /// Brings a few bytes at a time.
    struct Dribble(std::io::Cursor<Vec<u8>>, usize);

    impl Read for Dribble {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let most = self.1.min(buffer.len());
            self.0.read(&mut buffer[..most])
        }
    }

    /// Labels and rows.
    type Example = (Vec<u32>, Vec<Vec<(usize, f64)>>);

    /// The rows of each example, with their labels.
    fn examples(data: &Dataset) -> Vec<Example> {
        let starts = data.sequences.clone().unwrap_or_else(|| (0..=data.features.rows()).collect());
        let row = |row: usize| data.features.row(row).to_pairs();
        let example = |i: usize| (data.labels_of(i).to_vec(), (starts[i]..starts[i + 1]).map(row).collect());
        (0..data.len()).map(example).collect()
    }

    fn options(format: Format, text: &str) -> ReadOptions {
        let label_columns = if format == Format::Csv { vec!["class".to_owned()] } else { Vec::new() };
        ReadOptions {
            format: Some(format),
            label_columns,
            label_sets: text.starts_with("a,b "),
            ..Default::default()
        }
    }

    /// All batches of a text that arrives bit by bit.
    fn batches(
        text: &str,
        options: &ReadOptions,
        names: &Vocabulary,
        bytes: usize,
    ) -> Result<Vec<Batch<Dataset>>> {
        stream(text, options, names, bytes)?.collect()
    }

    fn stream<'a>(
        text: &str,
        options: &ReadOptions,
        names: &'a Vocabulary,
        bytes: usize,
    ) -> Result<Batches<'a>> {
        let mut batches = Batches::new(&["-".into()], options.clone(), names)?;
        batches.paths.clear();
        let dribble = Dribble(std::io::Cursor::new(text.as_bytes().to_vec()), bytes);
        batches.open = batches.begin(Source::from_reader("text", dribble)?)?;
        Ok(batches)
    }

    fn named() -> Vocabulary {
        let attributes = Attributes::Named(["x", "y"].into_iter().collect());
        Vocabulary { labels: ["a", "b"].into_iter().collect(), attributes }
    }

    const TEXTS: [(Format, &str, usize); 8] = [
        (Format::Svmlight, "a 1:1\n# so\n\nb 2:0.5\na 3:1 # end\nb 1:1", 4),
        (Format::Svmlight, "a qid:1 1:1\nb qid:1 2:1\nb qid:2 1:1\na cost:2 qid:3 3:1\na qid:3 1:2\n", 3),
        (Format::Svmlight, "a,b 1:1\na 2:1\n 3:1\n", 3),
        (Format::Crfsuite, "\nB\tx\ty:2\nI\tx\n \nO\ty\n\n\n@weight:2\nB\tx\n", 3),
        (Format::Conll, "# about\nthe D B\ncat N I\n\na D B\r\n\r\n# more\nthe D B\ndog N I\n", 3),
        (Format::Letters, "1\to\t2\t1\t1\t0\t0\t1\n2\tn\t-1\t1\t2\t0\t1\t1\n3\ta\t-1\t2\t1\t0\t1\t0\n", 2),
        (
            Format::Csv,
            "\n\"x\";y;note;class\n1;2;so;a\n3;4;\"\"\"b\n\nb\"\"\";b\n\"5\";6;5\" disk;a\n7;8;;a\n",
            4,
        ),
        (Format::Edges, "0 0 S a b:2\n0 1 - a\n\n@example weight=2\n1 1 P b\n", 2),
    ];

    #[test]
    fn of_any_size_hold_the_same_examples() {
        for (format, text, count) in TEXTS {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("whole");
            std::fs::write(&file, text).unwrap();
            let options = options(format, text);
            let names = match format {
                Format::Csv => named(),
                _ => read_training(std::slice::from_ref(&file), &options).unwrap().1,
            };
            let (whole, _) = read_with(&[file], &options, &names).unwrap();
            assert_eq!(whole.len(), count, "{text}");
            for bytes in [1, 5, 16, 1 << 20] {
                let found = batches(text, &options, &names, bytes).unwrap();
                let together: Vec<_> = found.iter().flat_map(|batch| examples(&batch.data)).collect();
                assert_eq!(together, examples(&whole), "{bytes} bytes at a time of {text}");
                assert!(found.len() <= 2 || bytes < text.len(), "{} batches of {text}", found.len());
            }
            // Byte by byte, an example is there as soon as its end is.
            assert!(batches(text, &options, &names, 1).unwrap().len() >= count - 1, "{text}");
        }
    }

    #[test]
    fn name_the_lines_of_the_whole() {
        let numbered = Vocabulary { attributes: Attributes::Numbered(3), ..named() };
        for (format, text, place) in [
            (Format::Svmlight, "a 1:1\n\na 2:1\na 3:x\n", "text:4:5"),
            (Format::Crfsuite, "a\tx\n\nb\ty\n\na\tx:y\n", "text:5:5"),
            (Format::Csv, "x,y,note,class\n1,2,,a\n3,4,\"b\nb\",b\n5,z,,b\n", "text:5:3"),
        ] {
            let names = if format == Format::Svmlight { &numbered } else { &named() };
            for bytes in [1, 7, 1 << 20] {
                let mut all = stream(text, &options(format, text), names, bytes).unwrap();
                let good: usize =
                    all.by_ref().map_while(|batch| batch.ok().map(|batch| batch.data.len())).sum();
                assert_eq!(good, 2, "what comes before is read all the same: {text}");
                assert!(all.next().is_none());
                let message = batches(text, &options(format, text), names, bytes).unwrap_err().to_string();
                assert!(message.starts_with(place), "{bytes} bytes at a time: {message}");
            }
        }
    }

    #[test]
    fn of_nothing_are_none() {
        let names = Vocabulary { labels: ["a"].into_iter().collect(), attributes: Attributes::Numbered(3) };
        for text in ["", "\n", " \n\n", "# so\n"] {
            assert!(
                batches(text, &options(Format::Svmlight, text), &names, 1).unwrap().is_empty(),
                "{text:?}"
            );
        }
    }
}
