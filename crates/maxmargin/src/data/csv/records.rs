//! Records and their fields: `csv-core` finds where they end.
//!
//! Its machine never fails: it takes text after a closing quote as part of the field, and a quote that is never closed as
//! closed by the end of the file. Both are slips that would go unseen, so they are looked for here. Blanks around a field do
//! not belong to it; those before its quote are kept from the machine, which would not see the quote behind them.
//!
//! Only the ends of fields are kept. Their text is lent from the record, so that a long one is in memory once.

use csv_core::{ReadFieldResult, ReadRecordResult, Reader, ReaderBuilder, Terminator};

use super::super::source::{LONGEST_LINE, Line, Source};
use super::super::table::MOST_COLUMNS;
use super::fields::{Fields, separator};
use crate::error::Result;

/// Takes a source apart into records.
pub(in super::super) struct Records {
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
    /// How much of it the machine has counted in the open record, or in one that ended with a field by itself.
    written: usize,
}

/// The fields of one line, or of several if there are line breaks in quotes.
pub(in super::super) struct Record<'a> {
    pub line: Line<'a>,
    ends: &'a [usize],
    separator: u8,
}

/// Whether a record has ended.
enum Progress {
    Done,
    /// More of it comes; after a whole line, because a quote is open.
    Open,
}

impl Progress {
    fn is_done(&self) -> bool {
        matches!(self, Progress::Done)
    }
}

impl Records {
    /// For records with this separator and at most so many fields.
    pub fn new(separator: u8, most_fields: usize) -> Self {
        let mut machine =
            ReaderBuilder::new().delimiter(separator).terminator(Terminator::Any(b'\n')).build();
        let mut unused = vec![0; 4 << 10].into_boxed_slice();
        // A byte order mark was skipped before, and the machine skips another one unless it has read something.
        machine.read_field(b"\n", &mut unused);
        Self {
            machine,
            separator,
            most_fields,
            ends: Vec::new(),
            found: 0,
            before: 0,
            field: 0,
            unused,
            written: 0,
        }
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
            !progress.is_done()
        })?;
        let Some(line) = line else { return Ok(None) };
        if !progress.is_done() {
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
    fn read(&mut self, line: &[u8]) -> Progress {
        if self.before == 0 && line.trim_ascii().is_empty() {
            return Progress::Done;
        }
        let mut at = 0;
        while at < line.len() {
            if self.field == self.before + at {
                let plain = plain_fields(&line[at..], self.separator);
                if self.read_plain(&line[at..at + plain]).is_done() {
                    return Progress::Done;
                }
                at += plain;
                at += line[at..].iter().take_while(|&&byte| is_blank(byte, self.separator)).count();
                if at == line.len() {
                    break;
                }
                self.field = self.before + at;
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

    /// Fields without quotes, all at once, from where the open field begins. It is not done when a field comes after them.
    fn read_plain(&mut self, mut fields: &[u8]) -> Progress {
        let (first, start, written) = (self.found, self.field, self.written);
        let mut progress = Progress::Open;
        while !fields.is_empty() {
            if self.found == self.ends.len() && !self.make_room() {
                progress = Progress::Done;
                break;
            }
            let ends = &mut self.ends[self.found..];
            let (result, read, written, ended) = self.machine.read_record(fields, &mut self.unused, ends);
            fields = &fields[read..];
            self.found += ended;
            self.written += written;
            if let ReadRecordResult::Record = result {
                self.written = 0;
                progress = Progress::Done;
                break;
            }
        }
        // The machine counts the bytes that it writes, which separators are not among.
        for (separators, end) in self.ends[first..self.found].iter_mut().enumerate() {
            *end = start + (*end - written) + separators;
            self.field = *end + 1;
        }
        progress
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

/// Finds where records end in rows that arrive bit by bit.
pub(crate) struct RecordEnds {
    records: Records,
    /// How far the rows were looked at, and whether a quote was open there.
    seen: usize,
    is_open: bool,
}

impl RecordEnds {
    /// For the rows under this header.
    pub(crate) fn new(header: &[u8]) -> Self {
        Self { records: Records::new(separator(header), MOST_COLUMNS + 1), seen: 0, is_open: false }
    }

    /// The end of the last record, if it is behind `from`, where the rows so far were looked at before; from 0 on they are others.
    pub(crate) fn last(&mut self, rows: &[u8], from: usize) -> Option<usize> {
        if from == 0 {
            if self.is_open {
                self.records = Records::new(self.records.separator, self.records.most_fields);
            }
            (self.seen, self.is_open) = (0, false);
        }
        let end = memchr::memrchr(b'\n', rows)? + 1;
        let mut last = None;
        if !self.is_open && memchr::memchr(b'"', &rows[self.seen..end]).is_none() {
            last = Some(end);
            self.seen = end;
        }
        while self.seen < end {
            let line = memchr::memchr(b'\n', &rows[self.seen..]).map_or(end, |line| self.seen + line + 1);
            if !self.is_open {
                (self.records.found, self.records.before, self.records.field) = (0, 0, 0);
            }
            self.is_open = !self.records.read(&rows[self.seen..line]).is_done();
            self.seen = line;
            last = if self.is_open { last } else { Some(line) };
        }
        last.filter(|last| *last > from)
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

/// The length of the fields that come before the first one with a quote.
fn plain_fields(line: &[u8], separator: u8) -> usize {
    match memchr::memchr(b'"', line) {
        Some(quote) => memchr::memrchr(separator, &line[..quote]).map_or(0, |last| last + 1),
        None => line.len(),
    }
}

/// Whether a byte beside a field does not belong to it.
#[inline]
pub(super) fn is_blank(byte: u8, separator: u8) -> bool {
    byte != separator && (byte == b' ' || byte == b'\t')
}
