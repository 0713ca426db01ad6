//! Records and their fields: `csv-core` finds where they end.
//!
//! Its machine never fails: it takes text after a closing quote as part of the field, and a quote that is never closed as
//! closed by the end of the file. Both are slips that would go unseen, so they are looked for here. Blanks around a field do
//! not belong to it; those before its quote are kept from the machine, which would not see the quote behind them.
//!
//! Only the ends of fields are kept. Their text is lent from the record, so that a long one is in memory once.

use csv_core::{ReadFieldResult, ReadRecordResult, Reader, ReaderBuilder, Terminator};

use super::super::source::{LONGEST_LINE, Line, Source};
use super::fields::Fields;
use crate::error::Result;

/// Takes a source apart into records.
pub(super) struct Records {
    machine: Reader,
    separator: u8,
    /// Of a record with more fields than this, only so many are read.
    most_fields: usize,
    /// Where the fields of the open record end, counted from its start; as many as there are.
    ends: Vec<usize>,
    found: usize,
    /// How long the lines are that the open record has so far, and where its open field begins.
    before: usize,
    field: usize,
    /// Where the machine puts the text of fields, over and over: they are taken from the record.
    unused: Box<[u8]>,
}

/// The fields of one line, or of several if there are line breaks in quotes.
pub(super) struct Record<'a> {
    pub line: Line<'a>,
    ends: &'a [usize],
    separator: u8,
}

/// Whether a record has ended.
enum Progress {
    Done,
    /// It ends on a later line, for there is a quote open.
    Open,
}

impl Records {
    /// For records with this separator and at most so many fields.
    pub fn new(separator: u8, most_fields: usize) -> Self {
        let mut machine =
            ReaderBuilder::new().delimiter(separator).terminator(Terminator::Any(b'\n')).build();
        let mut unused = vec![0; 4 << 10].into_boxed_slice();
        // A byte order mark was skipped before, and the machine skips another one unless it has read something.
        machine.read_field(b"\n", &mut unused);
        Self { machine, separator, most_fields, ends: Vec::new(), found: 0, before: 0, field: 0, unused }
    }

    /// From now on, records have at most so many fields.
    pub fn expect_fields(&mut self, most: usize) {
        self.most_fields = most;
        self.ends.truncate(most);
    }

    /// The next record, which may be blank.
    pub fn next<'a>(&'a mut self, source: &'a mut Source) -> Result<Option<Record<'a>>> {
        (self.found, self.before, self.field) = (0, 0, 0);
        let mut progress = Progress::Done;
        let line = source.next_lines(|line| {
            progress = self.read(line);
            matches!(progress, Progress::Open)
        })?;
        let Some(line) = line else { return Ok(None) };
        if let Progress::Open = progress {
            let problem = format!(
                "this quote has no end in the file, or none in {} MiB, the most that is read of a row; \
                 close it, and write a quote in quotes twice",
                LONGEST_LINE >> 20
            );
            return Err(line.error_at(self.field, problem));
        }
        Ok(Some(Record { line, ends: &self.ends[..self.found], separator: self.separator }))
    }

    /// Reads the first line of a record, or a later one while a quote is open.
    #[inline]
    fn read(&mut self, line: &[u8]) -> Progress {
        if self.before == 0 {
            if line.trim_ascii().is_empty() {
                return Progress::Done;
            }
            if memchr::memchr(b'"', line).is_none() {
                self.read_plain(line);
                return Progress::Done;
            }
        }
        self.read_quoted(line)
    }

    /// A line without quotes, at once.
    fn read_plain(&mut self, mut line: &[u8]) {
        loop {
            if self.found == self.ends.len() && !self.make_room() {
                break;
            }
            let ends = &mut self.ends[self.found..];
            let (result, read, _, ended) = self.machine.read_record(line, &mut self.unused, ends);
            line = &line[read..];
            self.found += ended;
            match result {
                ReadRecordResult::Record | ReadRecordResult::End => break,
                // After all of a line without an end, an empty one tells the machine that it was the last.
                ReadRecordResult::InputEmpty
                | ReadRecordResult::OutputFull
                | ReadRecordResult::OutputEndsFull => {}
            }
        }
        // The machine counts without separators.
        self.ends[..self.found].iter_mut().enumerate().for_each(|(separators, end)| *end += separators);
    }

    /// A line that has quotes, or that a quote goes on to, field by field.
    fn read_quoted(&mut self, line: &[u8]) -> Progress {
        let mut at = 0;
        while at < line.len() {
            if self.field == self.before + at {
                at += line[at..].iter().take_while(|&&byte| is_blank(byte, self.separator)).count();
                self.field = self.before + at;
                if at == line.len() {
                    break;
                }
            }
            let (result, read, _) = self.machine.read_field(&line[at..], &mut self.unused);
            at += read;
            if let ReadFieldResult::Field { record_end } = result
                && (!self.end_field(self.before + at - 1) || record_end)
            {
                return Progress::Done;
            }
        }
        // The last line may lack its line feed.
        if !line.ends_with(b"\n")
            && let (ReadFieldResult::Field { .. }, ..) = self.machine.read_field(b"\n", &mut self.unused)
        {
            self.end_field(self.before + at);
            return Progress::Done;
        }
        self.before += line.len();
        Progress::Open
    }

    /// Notes where a field ends and the next one begins, unless there are more than there may be.
    fn end_field(&mut self, end: usize) -> bool {
        let has_room = self.found < self.ends.len() || self.make_room();
        if has_room {
            self.ends[self.found] = end;
            self.found += 1;
            self.field = end + 1;
        }
        has_room
    }

    /// Makes room for more fields, unless there are as many as may be.
    fn make_room(&mut self) -> bool {
        let room = (2 * self.ends.len()).max(64).min(self.most_fields);
        self.ends.resize(room.max(self.ends.len()), 0);
        self.found < self.ends.len()
    }
}

impl Record<'_> {
    /// Whether this is an empty line.
    pub fn is_blank(&self) -> bool {
        self.ends.is_empty()
    }

    /// The fields, one after the other.
    pub fn fields(&self) -> Fields<'_, '_> {
        Fields::new(&self.line, self.ends, self.separator)
    }
}

/// Whether a byte beside a field does not belong to it.
#[inline]
pub(super) fn is_blank(byte: u8, separator: u8) -> bool {
    byte != separator && (byte == b' ' || byte == b'\t')
}
