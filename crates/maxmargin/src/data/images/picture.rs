//! Grey pictures of PGM, PNG and JPEG files, as columns of pixels.

use std::io::Cursor;
use std::path::Path;

use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use super::super::source::Source;
use super::picture_of;
use crate::error::Error;
use crate::shown::excerpt;

/// A picture has at most so many pixels.
const MOST_PIXELS: u64 = 1 << 26;

/// A grey picture.
///
/// ```
/// use maxmargin::data::Picture;
/// let picture = Picture::of_rows(3, vec![1, 2, 3, 4, 5, 6])?;
/// assert_eq!(picture.size(), (3, 2));
/// assert!(Picture::of_rows(4, vec![1, 2, 3, 4, 5, 6]).is_err());
/// # Ok::<(), maxmargin::Error>(())
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct Picture {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// Row by row.
    pixels: Vec<u8>,
}

const PNG: &[u8] = b"\x89PNG";
const JPEG: &[u8] = b"\xff\xd8\xff";

/// A JPEG picture has at most so many pixels to a side: its decoder asks for memory by the header.
const LONGEST_SIDE: usize = 1 << 14;

/// Whether a file that begins with these bytes is a picture.
pub(super) fn recognise(start: &[u8]) -> bool {
    let is_pgm = match start {
        [b'P', b'2' | b'5', rest @ ..] => begins_with_size(rest),
        _ => false,
    };
    is_pgm || start.starts_with(PNG) || start.starts_with(JPEG)
}

/// Whether width and height follow, as they do in PGM: `P2` may be a label, too.
fn begins_with_size(mut rest: &[u8]) -> bool {
    (0..2).all(|_| {
        let before = rest.len();
        loop {
            rest = rest.trim_ascii_start();
            match rest.strip_prefix(b"#") {
                Some(comment) => {
                    let end = comment.iter().position(|&byte| byte == b'\n').unwrap_or(comment.len());
                    rest = &comment[end..];
                }
                None => break,
            }
        }
        let is_apart = rest.len() < before;
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        rest = &rest[digits..];
        is_apart && digits > 0 && rest.first().is_none_or(u8::is_ascii_whitespace)
    })
}

impl Picture {
    /// The picture that a file holds; what is wrong with it else.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        match bytes {
            _ if bytes.starts_with(PNG) => Self::png(bytes),
            _ if bytes.starts_with(JPEG) => Self::jpeg(bytes),
            [b'P', kind @ (b'2' | b'5'), rest @ ..] => Self::pgm(*kind == b'5', rest),
            _ => Err("this is neither PGM (P2, P5), PNG nor JPEG".to_owned()),
        }
    }

    fn new(width: u64, height: u64) -> Result<Self, String> {
        match width.checked_mul(height) {
            Some(pixels) if pixels > 0 && pixels <= MOST_PIXELS => {
                Ok(Self { width: width as usize, height: height as usize, pixels: Vec::new() })
            }
            _ => Err(format!("{width}×{height} pixels; there must be some, and {MOST_PIXELS} at most")),
        }
    }

    /// What follows the two letters of a PGM file: width, height and the largest value as text, then pixels.
    fn pgm(is_binary: bool, bytes: &[u8]) -> Result<Self, String> {
        let mut words = Words { bytes, at: 0 };
        let [width, height, most] = [words.number()?, words.number()?, words.number()?];
        if !(1..=255).contains(&most) {
            return Err(format!("the largest value is {most}; it must be from 1 to 255"));
        }
        let mut picture = Self::new(width, height)?;
        let count = picture.width * picture.height;
        picture.pixels = match is_binary {
            // One space ends the header.
            true => words.bytes.get(words.at + 1..).unwrap_or_default().iter().copied().take(count).collect(),
            false => {
                let pixel = |_| words.number().map(|value| value.min(256) as u16);
                let pixels = (0..count).map(pixel).collect::<Result<Vec<u16>, _>>()?;
                let is_over = |value: &&u16| u64::from(**value) > most;
                if let Some(value) = pixels.iter().find(is_over) {
                    return Err(format!("the value {value} is larger than {most}, the largest value"));
                }
                pixels.into_iter().map(|value| value as u8).collect()
            }
        };
        if picture.pixels.len() < count {
            return Err(format!("{width}×{height} pixels promised, but there are {}", picture.pixels.len()));
        }
        if most < 255 {
            let scaled = |pixel: u8| ((u64::from(pixel).min(most) * 255 + most / 2) / most) as u8;
            picture.pixels.iter_mut().for_each(|pixel| *pixel = scaled(*pixel));
        }
        Ok(picture)
    }

    fn png(bytes: &[u8]) -> Result<Self, String> {
        let said = |error: png::DecodingError| excerpt(&error.to_string()).to_string();
        let mut decoder = png::Decoder::new(Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().map_err(said)?;
        let (width, height) = reader.info().size();
        let mut picture = Self::new(u64::from(width), u64::from(height))?;
        let size = reader.output_buffer_size().ok_or("the picture is too large")?;
        let mut samples = vec![0; size];
        let info = reader.next_frame(&mut samples).map_err(said)?;
        let count = info.color_type.samples();
        // How bright colours look; what is transparent counts like what is not.
        let grey = |samples: &[u8]| match *samples {
            [red, green, blue, ..] => {
                ((299 * u32::from(red) + 587 * u32::from(green) + 114 * u32::from(blue) + 500) / 1000) as u8
            }
            [grey, ..] => grey,
            [] => 0,
        };
        picture.pixels = samples.chunks_exact(count).map(grey).collect();
        picture.pixels.truncate(picture.width * picture.height);
        Ok(picture)
    }

    /// What its makers call brightness. A file that ends early is refused, where lenient decoders would fill in grey.
    fn jpeg(bytes: &[u8]) -> Result<Self, String> {
        let options = DecoderOptions::default()
            .set_strict_mode(true)
            .set_max_width(LONGEST_SIDE)
            .set_max_height(LONGEST_SIDE)
            .jpeg_set_out_colorspace(ColorSpace::Luma);
        let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
        let said = |error: &dyn std::fmt::Debug| {
            format!("no whole JPEG picture: {}", excerpt(&format!("{error:?}")))
        };
        decoder.decode_headers().map_err(|error| said(&error))?;
        let info = decoder.info().ok_or("no JPEG picture: it has no size")?;
        // Memory is asked for before pixels are read: what a short file promises is not believed.
        let most = (1 << 20) + 4096 * bytes.len();
        if usize::from(info.width) * usize::from(info.height) > most {
            return Err(format!(
                "{}×{} pixels promised, more than {} bytes have",
                info.width,
                info.height,
                bytes.len()
            ));
        }
        if !has_end(bytes) {
            return Err("no whole JPEG picture: its end is missing".to_owned());
        }
        let mut picture = Self::new(u64::from(info.width), u64::from(info.height))?;
        picture.pixels = decoder.decode().map_err(|error| said(&error))?;
        match picture.pixels.len() == picture.width * picture.height {
            true => Ok(picture),
            false => Err("the colours of this JPEG picture are not known".to_owned()),
        }
    }

    /// A pixel; beyond the edges those at the edges.
    #[inline]
    pub(crate) fn nearest(&self, x: i64, y: i64) -> u8 {
        let inside = |place: i64, count: usize| place.clamp(0, count as i64 - 1) as usize;
        self.pixels[inside(y, self.height) * self.width + inside(x, self.width)]
    }

    /// A picture of so many columns, given row by row.
    pub fn of_rows(width: usize, pixels: Vec<u8>) -> Result<Self, Error> {
        if width == 0 || pixels.is_empty() || !pixels.len().is_multiple_of(width) {
            let problem = format!("{} pixels are no rows of {width}", pixels.len());
            return Err(Error::parameter("picture", problem));
        }
        Ok(Self { width, height: pixels.len() / width, pixels })
    }

    /// The picture in a file: PGM, PNG or JPEG, looked at in grey.
    pub fn open(file: impl AsRef<Path>) -> Result<Self, Error> {
        picture_of(&mut Source::open(file.as_ref())?)
    }

    /// The numbers of columns and rows.
    pub fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    /// The pixels of a column, from top to bottom.
    pub(super) fn column(&self, column: usize) -> impl Iterator<Item = u8> + '_ {
        self.pixels[column..].iter().step_by(self.width).copied()
    }
}

/// Whether the marker of the end comes behind the last one of a scan: decoders fill in what is missing, and a small picture within the
/// headers may have an end of its own.
fn has_end(jpeg: &[u8]) -> bool {
    let last = |marker: [u8; 2]| jpeg.windows(2).rposition(|two| two == marker);
    last([0xff, 0xd9]).is_some_and(|end| Some(end) > last([0xff, 0xda]))
}

/// Numbers between spaces and comments.
struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Words<'_> {
    fn number(&mut self) -> Result<u64, String> {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'#' => {
                    let rest = &self.bytes[self.at..];
                    self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                }
                _ if byte.is_ascii_whitespace() => self.at += 1,
                _ => break,
            }
        }
        let rest = &self.bytes[self.at..];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += digits;
        let digits = std::str::from_utf8(&rest[..digits]).unwrap_or_default();
        digits.parse().map_err(|_| "the file ends, or has no number, where PGM has one".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(picture: &Picture) -> Vec<Vec<u8>> {
        (0..picture.width).map(|column| picture.column(column).collect()).collect()
    }

    #[test]
    fn text_and_bytes_are_the_same_picture() {
        let text = Picture::parse(b"P2 # so\n3 2\n255\n1 2 3\n# and\n4 5 6").unwrap();
        assert_eq!(columns(&text), [[1, 4], [2, 5], [3, 6]]);
        assert_eq!(Picture::parse(b"P5\n3 2 255\n\x01\x02\x03\x04\x05\x06").unwrap(), text);
        // A largest value of 1: black and white.
        assert_eq!(columns(&Picture::parse(b"P2 2 1 1 0 1").unwrap()), [[0], [255]]);
    }

    #[test]
    fn png_is_read_grey_or_coloured() {
        let encoded = |colour: png::ColorType, samples: &[u8]| {
            let mut bytes = Vec::new();
            let mut encoder = png::Encoder::new(&mut bytes, 2, 1);
            encoder.set_color(colour);
            encoder.write_header().unwrap().write_image_data(samples).unwrap();
            bytes
        };
        let grey = Picture::parse(&encoded(png::ColorType::Grayscale, &[7, 200])).unwrap();
        assert_eq!(columns(&grey), [[7], [200]]);
        let coloured = encoded(png::ColorType::Rgba, &[7, 7, 7, 255, 200, 200, 200, 9]);
        assert_eq!(Picture::parse(&coloured).unwrap(), grey);
        assert!(recognise(&coloured) && recognise(b"P5\n1 1") && !recognise(b"P5"));
        assert!(recognise(b"P2 # so\n3 2\n") && !recognise(b"P2\n") && !recognise(b"P2 1:0.5 2:1\nP5 1:2\n"));
        assert!(!recognise(b"P2\n1 1:0.5\n") && !recognise(b"P52 1\n"));
        assert!(Picture::parse(&coloured[..40]).is_err());
    }

    #[test]
    fn what_is_no_picture_is_refused() {
        for (bytes, part) in [
            (&b"GIF"[..], "neither PGM"),
            (b"P5 2 2 255\n\x01\x02\x03", "there are 3"),
            (b"P5 0 2 255\n", "0×2"),
            (b"P5 4000000000 4000000000 255\n", "at most"),
            (b"P5 1 1 65535\n\0\0", "65535"),
            (b"P2 1 1 9 10", "larger than 9"),
            (b"P2 1 1 9", "no number"),
            (b"P2 1 x", "no number"),
        ] {
            let problem = Picture::parse(bytes).unwrap_err();
            assert!(problem.contains(part), "{problem}");
        }
    }

    /// Two blocks of one colour each: 128 and 136.
    fn tiny_jpeg() -> Vec<u8> {
        let mut bytes = b"\xff\xd8\xff\xdb\x00\x43\x00".to_vec();
        bytes.extend([1; 64]);
        bytes.extend(b"\xff\xc0\x00\x0b\x08\x00\x08\x00\x10\x01\x01\x11\x00");
        // Differences of brightness: none is the code 0, and one of seven bits the code 10. All else ends the block.
        let huffman = |class: u8, lengths: [u8; 2], symbols: &[u8]| {
            let mut table = vec![0xff, 0xc4, 0, 19 + symbols.len() as u8, class];
            table.extend(lengths);
            table.extend([0; 14]);
            table.extend(symbols);
            table
        };
        bytes.extend(huffman(0x00, [1, 1], &[0, 7]));
        bytes.extend(huffman(0x10, [1, 0], &[0]));
        bytes.extend(b"\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00\x28\x0f\xff\xd9");
        bytes
    }

    #[test]
    fn jpeg_is_read_as_brightness() {
        let bytes = tiny_jpeg();
        assert!(recognise(&bytes));
        let picture = Picture::parse(&bytes).unwrap();
        assert_eq!((picture.width, picture.height), (16, 8));
        assert_eq!(
            [picture.nearest(-5, 3), picture.nearest(7, 9), picture.nearest(8, 0), picture.nearest(99, 0)],
            [128, 128, 136, 136]
        );
        for end in [10, 90, bytes.len() - 4] {
            let problem = Picture::parse(&bytes[..end]).unwrap_err();
            assert!(problem.contains("JPEG"), "{end}: {problem}");
        }
    }
}
