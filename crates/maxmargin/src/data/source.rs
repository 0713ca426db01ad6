//! Files as lines or as bytes, compressed or not.
//!
//! A [`Source`] reads a file, a pipe or the standard input (named `-`) through one large buffer and lends each line from it, so
//! that nothing is allocated per line; the buffer grows only for a line that is longer than it, up to [`LONGEST_LINE`].
//! Gzip is recognised by its first two bytes, whatever the name, and several gzip members in a row are read as one file.
//! Lines end with a line feed, with or without a carriage return before it; the last one may lack it. A byte order mark
//! before the first line is skipped, and columns are counted from after it, as editors show them.
//!
//! ```
//! use maxmargin::data::Source;
//! let mut source = Source::from_reader("two-lines", &b"first\r\nsecond"[..])?;
//! let mut lengths = Vec::new();
//! while let Some(line) = source.next_line()? {
//!     lengths.push((line.number, line.bytes.len()));
//! }
//! assert_eq!(lengths, [(1, 5), (2, 6)]);
//! # Ok::<(), maxmargin::Error>(())
//! ```

use std::fs::File;
use std::io::{self, BufReader, Cursor, ErrorKind, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

use super::format::Format;
use crate::error::{Error, Place, Result};

/// What some editors put before text that is UTF-8.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// How many bytes are read at a time, and how much of a file [`Source::peek`] sees.
pub(crate) const BUFFER: usize = 256 << 10;

/// A line has fewer bytes than this, 128 MiB; a longer one is refused. The longest that data has are rows of wide tables and
/// bags of words, of some ten million values in ten bytes each. Without a limit, a file without line feeds (packed, it may
/// be a thousand times smaller) would fill the memory.
pub const LONGEST_LINE: usize = 128 << 20;

/// The text of an example that is read by itself has fewer bytes than this, 1 GiB.
const LARGEST_EXAMPLE: usize = 8 * LONGEST_LINE;

/// A file that is read from its start to its end, once.
pub struct Source {
    path: PathBuf,
    reader: Box<dyn Read>,
    compressed: bool,
    /// The bytes read but not yet given out are `buffer[start..end]`.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    exhausted: bool,
    /// Whether a byte order mark would have been skipped.
    begun: bool,
    lines: usize,
}

/// Where a line ends.
enum Found {
    At(usize),
    /// There is no line.
    EndOfFile,
    /// Not within [`LONGEST_LINE`].
    TooFar,
}

/// One line of a [`Source`], without its end.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    /// The file that the line is from.
    pub file: &'a Path,
    /// The line's number, from 1.
    pub number: usize,
    /// What the line holds.
    pub bytes: &'a [u8],
}

impl Source {
    /// Opens a file; `-` is the standard input.
    pub fn open(path: &Path) -> Result<Self> {
        if path == Path::new("-") {
            return Self::from_reader("-", io::stdin());
        }
        let file = File::open(path).map_err(|error| Error::io("read", path, error))?;
        Self::from_reader(path, file)
    }

    /// Whether this is the standard input, a pipe or the like, which can be read only once.
    pub fn is_stream(path: &Path) -> bool {
        path == Path::new("-")
            || std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
    }

    /// Reads from anything, under the name that errors shall give it.
    pub fn from_reader(name: impl Into<PathBuf>, mut reader: impl Read + 'static) -> Result<Self> {
        let path = name.into();
        let mut magic = [0; 2];
        let read = fill(&mut reader, &mut magic).map_err(|error| Error::io("read", &path, error))?;
        let compressed = read == 2 && magic == [0x1f, 0x8b];
        let whole = Cursor::new(magic).take(read as u64).chain(reader);
        let reader: Box<dyn Read> = match compressed {
            true => Box::new(MultiGzDecoder::new(BufReader::with_capacity(BUFFER / 4, whole))),
            false => Box::new(whole),
        };
        let buffer = vec![0; BUFFER];
        Ok(Self {
            path,
            reader,
            compressed,
            buffer,
            start: 0,
            end: 0,
            exhausted: false,
            begun: false,
            lines: 0,
        })
    }

    /// The file as the user named it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What comes next, without taking it: as much as the buffer holds, and all of a short file.
    pub fn peek(&mut self) -> Result<&[u8]> {
        self.begin()?;
        while !self.exhausted && self.end - self.start < BUFFER {
            self.read_more()?;
        }
        Ok(&self.buffer[self.start..self.end])
    }

    /// The same with as little waiting as may be: what has arrived with the first line that is not blank.
    pub(crate) fn peek_line(&mut self) -> Result<&[u8]> {
        self.begin()?;
        let has_line = |bytes: &[u8]| memchr::memchr(b'\n', bytes.trim_ascii_start()).is_some();
        while !self.exhausted && self.end - self.start < BUFFER && !has_line(self.peeked()) {
            self.read_more()?;
        }
        Ok(self.peeked())
    }

    /// What was read and not yet given out.
    pub(crate) fn peeked(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Whether nothing comes after what was [peeked](Self::peeked).
    pub(crate) fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    /// What has arrived, up to the last border in it, as a source of its own with `header` before it. `border` is shown what has
    /// arrived, and from where on it has not seen it yet. The end of the file is a border too.
    pub(crate) fn next_batch(
        &mut self,
        mut border: impl FnMut(&[u8], usize) -> Option<usize>,
        header: &[u8],
    ) -> Result<Option<Source>> {
        self.begin()?;
        let mut seen = 0;
        let length = loop {
            let bytes = self.peeked();
            if let Some(end) = (bytes.len() > seen).then(|| border(bytes, seen)).flatten() {
                break end;
            }
            seen = bytes.len();
            if self.exhausted {
                break seen;
            }
            if seen >= LARGEST_EXAMPLE {
                let problem = format!("an example of more than {} MiB", LARGEST_EXAMPLE >> 20);
                return Err(self.error_on_last_line(0, problem));
            }
            self.read_more()?;
        };
        if length == 0 {
            return Ok(None);
        }
        let buffer = [header, &self.buffer[self.start..self.start + length]].concat();
        let lines_of = |bytes: &[u8]| memchr::memchr_iter(b'\n', bytes).count();
        let before = self.lines;
        self.start += length;
        self.lines += lines_of(&buffer[header.len()..]);
        Ok(Some(self.of_bytes(buffer, before - lines_of(header).min(before))))
    }

    /// Some bytes of this source, of which so many lines come before.
    fn of_bytes(&self, buffer: Vec<u8>, lines: usize) -> Self {
        Self {
            path: self.path.clone(),
            reader: Box::new(io::empty()),
            compressed: false,
            start: 0,
            end: buffer.len(),
            buffer,
            exhausted: true,
            begun: true,
            lines,
        }
    }

    /// A batch of which nothing was read yet, once more.
    pub(crate) fn same_batch(&self) -> Self {
        self.of_bytes(self.peeked().to_vec(), self.lines)
    }

    /// What such a batch has before a line, up to where an example ends by `border`, which is not shown the header of so many bytes. None
    /// where no example does.
    pub(crate) fn before_line(
        &self,
        line: usize,
        header: usize,
        border: impl FnOnce(&[u8], usize) -> Option<usize>,
    ) -> Option<Self> {
        let bytes = self.peeked();
        let last = line.checked_sub(self.lines + 2)?;
        let end = memchr::memchr_iter(b'\n', bytes).nth(last)? + 1;
        let length = border(bytes.get(header..end)?, 0).filter(|length| *length > 0)?;
        Some(self.of_bytes(bytes[..header + length].to_vec(), self.lines))
    }

    /// The next line, or `None` at the end of the file.
    pub fn next_line(&mut self) -> Result<Option<Line<'_>>> {
        self.next_lines(|_| false)
    }

    /// The next line, and with it as many more as belong to it: `goes_on` is shown each, with its end, and says whether the next
    /// one does. All of them are one [`Line`], which has the number of the first and the line feeds between. Together they
    /// are no longer than a line may be. Those that `goes_on` does not see the end of, because the file or the limit comes
    /// before, are given out as far as it was shown them.
    #[inline]
    pub(crate) fn next_lines(&mut self, mut goes_on: impl FnMut(&[u8]) -> bool) -> Result<Option<Line<'_>>> {
        self.begin()?;
        let mut length = match self.end_of_line(0)? {
            Found::At(length) => length,
            Found::EndOfFile => return Ok(None),
            Found::TooFar => return Err(self.too_long()),
        };
        let number = self.lines + 1;
        self.lines += 1;
        let mut shown = 0;
        while goes_on(&self.buffer[self.start + shown..self.start + length]) {
            let Found::At(next) = self.end_of_line(length)? else { break };
            (shown, length) = (length, next);
            self.lines += 1;
        }
        let bytes = &self.buffer[self.start..self.start + length];
        self.start += length;
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        Ok(Some(Line { file: &self.path, number, bytes }))
    }

    /// How far it is from the next byte to after the line feed that comes `from` bytes later or more, or to the end of a file
    /// that lacks the last one.
    #[inline]
    fn end_of_line(&mut self, from: usize) -> Result<Found> {
        let mut searched = from;
        loop {
            let unsearched = &self.buffer[self.start + searched..self.end];
            if let Some(found) = memchr::memchr(b'\n', unsearched) {
                return Ok(Found::At(searched + found + 1));
            }
            searched += unsearched.len();
            if self.exhausted {
                return Ok(if searched == from { Found::EndOfFile } else { Found::At(searched) });
            }
            if searched >= LONGEST_LINE {
                return Ok(Found::TooFar);
            }
            self.read_more()?;
        }
    }

    /// Appends the next bytes to `to`: `count` of them, or fewer when the file ends before. Memory is asked for only as
    /// bytes arrive, so a `count` that lies costs nothing. Returns how many there were.
    pub fn read_bytes(&mut self, count: u64, to: &mut Vec<u8>) -> Result<u64> {
        let buffered = (self.end - self.start) as u64;
        let from_buffer = count.min(buffered) as usize;
        to.extend_from_slice(&self.buffer[self.start..self.start + from_buffer]);
        self.start += from_buffer;
        let missing = count - from_buffer as u64;
        if missing == 0 || self.exhausted {
            return Ok(from_buffer as u64);
        }
        match self.reader.by_ref().take(missing).read_to_end(to) {
            Ok(read) => Ok((from_buffer + read) as u64),
            Err(error) => Err(self.failure(error)),
        }
    }

    /// A problem with the file as a whole.
    pub fn error(&self, problem: impl Into<String>) -> Error {
        Error::data(Place::new(&self.path, 0, 0), problem)
    }

    /// The file is in one format, and those before in another.
    pub(crate) fn other_format(&self, found: Format, first: Format) -> Error {
        self.error(format!("this file looks like {found}, but the first one is {first}"))
    }

    /// A problem on the line that was given out last.
    pub(crate) fn error_on_last_line(&self, column: usize, problem: impl Into<String>) -> Error {
        Error::data(Place::new(&self.path, self.lines, column), problem)
    }

    /// Skips the byte order mark that some editors put before text. It would be part of the first name otherwise.
    #[inline]
    fn begin(&mut self) -> Result<()> {
        if !std::mem::replace(&mut self.begun, true) {
            while !self.exhausted && self.end - self.start < BYTE_ORDER_MARK.len() {
                self.read_more()?;
            }
            if self.buffer[self.start..self.end].starts_with(BYTE_ORDER_MARK) {
                self.start += BYTE_ORDER_MARK.len();
            }
        }
        Ok(())
    }

    /// The line after the last one has no end in sight.
    #[cold]
    fn too_long(&mut self) -> Error {
        self.lines += 1;
        let is_binary = memchr::memchr(0, &self.buffer[self.start..self.end]).is_some();
        let remedy = match is_binary {
            true => "this is no text, for it holds zero bytes; name another file, or its format",
            false => "break it into lines, or leave out what is 0 (svmlight and sparse arff may)",
        };
        self.error_on_last_line(
            0,
            format!("a line of more than {} MiB, the most that is read; {remedy}", LONGEST_LINE >> 20),
        )
    }

    /// Reads at least one byte more into the buffer, or notes that there is none.
    fn read_more(&mut self) -> Result<()> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            self.buffer.resize(2 * self.buffer.len(), 0);
        }
        loop {
            match self.reader.read(&mut self.buffer[self.end..]) {
                Ok(read) => {
                    self.end += read;
                    self.exhausted = read == 0;
                    return Ok(());
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failure(error)),
            }
        }
    }

    /// What a failed read means to the user.
    fn failure(&self, error: io::Error) -> Error {
        match error.kind() {
            ErrorKind::UnexpectedEof if self.compressed => self.error(
                "the gz is truncated: the file ends inside its compressed data; fetch or pack it again",
            ),
            ErrorKind::InvalidData | ErrorKind::InvalidInput if self.compressed => {
                self.error(format!("the gz is corrupt ({error}); fetch or pack it again"))
            }
            _ => Error::io("read", &self.path, error),
        }
    }
}

impl<'a> Line<'a> {
    /// A problem on this line; `column` counts bytes from 1, and 0 means the whole line.
    pub fn error(&self, column: usize, problem: impl Into<String>) -> Error {
        // Several lines that belong together go by the number of the first, where a column of a later one would mislead.
        let before = &self.bytes[..column.saturating_sub(1).min(self.bytes.len())];
        let column = if memchr::memchr(b'\n', before).is_some() { 0 } else { column };
        Error::data(Place::new(self.file, self.number, column), problem)
    }

    /// A problem at a byte of this line, or of the several that belong together, with the number of the one that it is on.
    pub(crate) fn error_at(&self, byte: usize, problem: impl Into<String>) -> Error {
        let before = &self.bytes[..byte];
        let lines = memchr::memchr_iter(b'\n', before).count();
        let column = before.len() - memchr::memrchr(b'\n', before).map_or(0, |end| end + 1) + 1;
        Error::data(Place::new(self.file, self.number + lines, column), problem)
    }

    /// The line as text, or an error that names the first byte that is not UTF-8.
    pub fn text(&self) -> Result<&'a str> {
        self.text_at(0, self.bytes)
    }

    /// A part of the line, which begins `offset` bytes into it, as text.
    pub fn text_at(&self, offset: usize, part: &'a [u8]) -> Result<&'a str> {
        std::str::from_utf8(part).map_err(|error| {
            let column = offset + error.valid_up_to() + 1;
            self.error(column, "this is not UTF-8 text; convert the file, for example with iconv")
        })
    }
}

/// Reads until `to` is full or the reader ends.
fn fill(reader: &mut impl Read, to: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < to.len() {
        match reader.read(&mut to[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;

    use super::*;

    fn gz(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn lines(bytes: Vec<u8>) -> Result<Vec<Vec<u8>>> {
        let mut source = Source::from_reader("lines", Cursor::new(bytes))?;
        let mut lines = Vec::new();
        while let Some(line) = source.next_line()? {
            lines.push(line.bytes.to_vec());
            assert_eq!(line.number, lines.len());
        }
        assert!(source.next_line()?.is_none());
        Ok(lines)
    }

    proptest! {
        #[test]
        fn lines_are_those_of_the_file(
            expected in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..20),
            crlf: bool,
            ended: bool,
            cut in 0usize..500,
        ) {
            let clean = |line: &Vec<u8>| -> Vec<u8> {
                line.iter().copied().filter(|b| !matches!(b, b'\n' | b'\r')).collect()
            };
            let mut expected: Vec<Vec<u8>> = expected.iter().map(clean).collect();
            let mut bytes = expected.join(if crlf { &b"\r\n"[..] } else { &b"\n"[..] });
            match ended && !expected.is_empty() {
                true => bytes.push(b'\n'),
                false if expected.last().is_some_and(Vec::is_empty) => _ = expected.pop(),
                false => {}
            }
            // The magic bytes of gzip would be taken for such.
            prop_assume!(!bytes.starts_with(&[0x1f, 0x8b]) && !bytes.starts_with(BYTE_ORDER_MARK));
            prop_assert_eq!(&lines(bytes.clone()).unwrap(), &expected);
            // As gzip, in two members.
            let cut = cut.min(bytes.len());
            let packed = [gz(&bytes[..cut]), gz(&bytes[cut..])].concat();
            prop_assert_eq!(&lines(packed).unwrap(), &expected);
        }
    }

    #[test]
    fn a_line_longer_than_the_buffer_is_one_line() {
        let long = vec![b'x'; 3 * BUFFER + 17];
        let read = lines([&long[..], b"\nshort"].concat()).unwrap();
        assert_eq!(read, [long, b"short".to_vec()]);
    }

    #[test]
    fn a_line_without_end_is_refused_at_the_limit() {
        for (byte, part) in [(b'x', "break it into lines"), (0, "no text")] {
            let endless = Cursor::new(*b"first\n").chain(io::repeat(byte));
            let mut source = Source::from_reader("endless", endless).unwrap();
            assert_eq!(source.next_line().unwrap().unwrap().bytes, b"first");
            let message = source.next_line().unwrap_err().to_string();
            assert!(message.starts_with("endless:2: a line of more than 128 MiB"), "{message}");
            assert!(message.contains(part), "{message}");
            assert!(source.buffer.len() <= LONGEST_LINE);
        }
    }

    #[test]
    fn lines_that_belong_together_are_one() {
        let long = "y".repeat(BUFFER);
        let text = format!("1\r\n2+\r\n+\n{long}\n3\n4+\n5+");
        let mut source = Source::from_reader("lines", Cursor::new(text)).unwrap();
        let mut found = Vec::new();
        while let Some(line) = source.next_lines(|line| line.trim_ascii_end().ends_with(b"+")).unwrap() {
            found.push((line.number, String::from_utf8(line.bytes.to_vec()).unwrap()));
        }
        let together = format!("2+\r\n+\n{long}");
        let expected = [(1, "1"), (2, &together), (5, "3"), (6, "4+\n5+")];
        assert_eq!(found, expected.map(|(number, line)| (number, line.to_owned())));
    }

    #[test]
    fn places_are_on_the_first_line_or_on_their_own() {
        let line = Line { file: "test".as_ref(), number: 7, bytes: b"ab\ncd" };
        for (byte, by_the_first, own) in [
            (0, "test:7:1: x", "test:7:1: x"),
            (3, "test:7: x", "test:8:1: x"),
            (5, "test:7: x", "test:8:3: x"),
        ] {
            assert_eq!(line.error(byte + 1, "x").to_string(), by_the_first);
            assert_eq!(line.error_at(byte, "x").to_string(), own);
        }
    }

    #[test]
    fn lines_that_go_on_for_ever_are_cut_at_the_limit() {
        let endless = Cursor::new(*b"first\n").chain(io::repeat(b'x').take(LONGEST_LINE as u64 / 2));
        let endless = endless.chain(&b"\n"[..]).chain(io::repeat(b'x'));
        let mut source = Source::from_reader("endless", endless).unwrap();
        assert_eq!(source.next_lines(|_| true).unwrap().unwrap().bytes.len(), LONGEST_LINE / 2 + 6);
        assert!(source.buffer.len() <= LONGEST_LINE);
    }

    #[test]
    fn a_byte_order_mark_is_skipped_once() {
        assert_eq!(lines(b"\xef\xbb\xbfa\n\xef\xbb\xbfb".to_vec()).unwrap(), [&b"a"[..], b"\xef\xbb\xbfb"]);
        assert_eq!(lines(gz(b"\xef\xbb\xbf")).unwrap(), [b""; 0]);
        assert_eq!(lines(b"\xef\xbb".to_vec()).unwrap(), [b"\xef\xbb"]);
        let mut source = Source::from_reader("mark", &b"\xef\xbb\xbf1 2"[..]).unwrap();
        assert_eq!(source.peek().unwrap(), b"1 2");
    }

    #[test]
    fn a_truncated_gz_says_so() {
        let packed = gz(b"some lines\nof text\n");
        for cut in 2..packed.len() {
            let message = lines(packed[..cut].to_vec()).unwrap_err().to_string();
            assert!(message.starts_with("lines: the gz is truncated"), "cut at {cut}: {message}");
        }
    }

    #[test]
    fn bytes_come_through_and_after_the_buffer() {
        let bytes: Vec<u8> = (0..2 * BUFFER + 5).map(|i| (i % 251) as u8).collect();
        let mut source = Source::from_reader("bytes", Cursor::new(bytes.clone())).unwrap();
        assert_eq!(source.peek().unwrap()[..4], bytes[..4]);
        let mut read = Vec::new();
        assert_eq!(source.read_bytes(10, &mut read).unwrap(), 10);
        assert_eq!(source.read_bytes(u64::MAX, &mut read).unwrap(), bytes.len() as u64 - 10);
        assert!(read == bytes);
    }
}
