//! Files in batches of whole examples, as they arrive: what answers a stream, in as much memory as a batch takes.
//!
//! A batch is what one reading of a file or pipe has brought, up to the last place where an example ends (`borders`). The reader of the
//! format reads it like a file, with the numbers that its lines have in the whole. So an example waits for nothing that comes after it,
//! and where much arrives at once, much is answered at once. A few formats cannot be cut; their files are one batch each.
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
        let names = NamesOfFiles::new(&options, names)?;
        let columns = conll::Reader::new(&options.columns, options.text_columns.as_deref())?;
        Ok(Self { paths: paths.to_vec().into(), options, names, columns, format: None, open: None })
    }

    fn next_batch(&mut self) -> Result<Option<Batch<Dataset>>> {
        loop {
            let Some(open) = &mut self.open else {
                if self.paths.is_empty() {
                    return Ok(None);
                }
                self.open = self.open_next()?;
                continue;
            };
            let format = self.format.unwrap_or(Format::Svmlight);
            let mut whole;
            let source = match &mut open.borders {
                Some(borders) => match borders.next_batch(&mut open.source)? {
                    Some(batch) => {
                        whole = batch;
                        &mut whole
                    }
                    None => {
                        self.open = None;
                        continue;
                    }
                },
                None => &mut open.source,
            };
            let (data, unseen) = read_fixed(source, format, &self.options, &mut self.columns, &self.names)?;
            if open.borders.is_none() {
                self.open = None;
            }
            if !data.is_empty() {
                return Ok(Some(Batch { data, unseen }));
            }
        }
    }

    /// Opens the next file; none where there is nothing in it.
    fn open_next(&mut self) -> Result<Option<OpenFile>> {
        let Some(path) = self.paths.pop_front() else { return Ok(None) };
        let mut source = Source::open(&path)?;
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
