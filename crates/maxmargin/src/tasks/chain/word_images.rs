//! Noisy images of words, made up on the spot: data to try a chain on without a download.
//!
//! Each letter is a binary image of [`ROWS`] × [`COLUMNS`] pixels and each word a sequence of letters, as in the OCR data
//! of Taskar, Guestrin and Koller (Max-margin Markov networks, 2003). The letters are printed in a font of our own, then
//! moved, slanted, thickened, worn and speckled, until many cannot be told by themselves: is it an `h` or an `n`? The
//! words are common English ones, so the neighbours of a letter tell much of what its pixels do not, and that is what a
//! chain learns over a classifier of single letters.
//!
//! The same noise and seed give the same images on every machine, and more words only go on where fewer ended. The words
//! depend on the seed alone: other noise spoils the same words.

mod font;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::data::{Attributes, ExampleRows, Vocabulary};
use crate::features::{MatrixBuilder, Rows};
use crate::tasks::SequenceExamples;
use crate::{Error, Result};

/// The rows of pixels of a letter's image.
pub const ROWS: usize = 16;
/// The columns of pixels of a letter's image.
pub const COLUMNS: usize = 8;

/// A letter's pixels: a byte a row, whose highest bit is the leftmost pixel.
type Image = [u8; ROWS];

/// The words use every letter of the alphabet and share their pieces (-ther, -ight, -ing, -ound): pairs of neighbours are
/// all that a chain can learn, so they must tell something.
const WORDS: [&str; 64] = [
    "after", "another", "back", "because", "before", "black", "bought", "bright", "bring", "brother",
    "brought", "evening", "every", "father", "feather", "found", "give", "ground", "hear", "house", "jump",
    "king", "later", "learn", "leather", "light", "live", "might", "morning", "mother", "motion", "mouse",
    "nation", "never", "next", "night", "orange", "other", "over", "people", "prize", "queen", "question",
    "quick", "quite", "right", "river", "round", "sound", "spring", "station", "strange", "string", "then",
    "there", "they", "thing", "thought", "water", "weather", "when", "where", "white", "year",
];

/// How badly letters are printed: 0 is clean, 1 is hardly legible.
///
/// With the default of 0.5 and 400 words to learn from, a linear classifier of single letters gets about 21 % of the
/// letters of new images wrong, and a chain about 12 %.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise(f64);

impl Noise {
    /// Noise of a level between 0 and 1.
    pub fn new(level: f64) -> Result<Self> {
        if (0.0..=1.0).contains(&level) {
            Ok(Self(level))
        } else {
            Err(Error::parameter("noise", format!("must be between 0 and 1, not {level}")))
        }
    }

    /// The level.
    pub fn level(self) -> f64 {
        self.0
    }
}

impl Default for Noise {
    fn default() -> Self {
        Self(0.5)
    }
}

/// Images of words and what they say.
#[derive(Debug, Clone)]
pub struct WordImages {
    /// A sequence per word, a row per letter; column `r · COLUMNS + c` is 1 where the pixel in row `r` and column `c` is
    /// inked.
    pub data: SequenceExamples,
    /// The labels `a` to `z`, in this order, and numbered columns.
    pub vocabulary: Vocabulary,
    /// The words in the order of the sequences.
    pub words: Vec<String>,
}

/// Images of `count` words.
///
/// ```
/// use maxmargin::data::word_images::{Noise, draw, word_images};
/// let images = word_images(3, Noise::new(0.0)?, 7);
/// let rows = images.data.rows();
/// assert_eq!((rows.len(), rows.features().columns()), (3, 16 * 8));
/// assert_eq!(rows.input(0).len(), images.words[0].len());
/// println!("{}", draw(&rows.input(0)));
/// # Ok::<(), maxmargin::Error>(())
/// ```
pub fn word_images(count: usize, noise: Noise, seed: u64) -> WordImages {
    // Words and pixels have streams of their own, so that neither moves when the other draws more numbers.
    let mut choice = Pcg64Mcg::seed_from_u64(seed);
    let mut pixels = Pcg64Mcg::from_rng(&mut choice);
    let letters = font::letters();

    let mut words = Vec::with_capacity(count);
    let mut features = MatrixBuilder::sparse();
    let mut labels = Vec::new();
    let mut starts = vec![0];
    for _ in 0..count {
        let word = WORDS[choice.random_range(0..WORDS.len() as u32) as usize];
        for letter in word.bytes().map(|letter| letter - b'a') {
            let image = spoil(letters[usize::from(letter)], noise, &mut pixels);
            (0..ROWS * COLUMNS)
                .filter(|&pixel| is_inked(&image, pixel))
                .for_each(|pixel| features.push(pixel as u32, 1.0));
            features.end_row();
            labels.push(u32::from(letter));
        }
        starts.push(labels.len());
        words.push(word.to_owned());
    }

    let rows = ExampleRows::grouped(features.finish(ROWS * COLUMNS), starts);
    let data = rows.and_then(|rows| SequenceExamples::new(rows, labels));
    let alphabet: Vec<String> = ('a'..='z').map(String::from).collect();
    WordImages {
        data: data.expect("a row and a label for each letter"),
        vocabulary: Vocabulary {
            labels: alphabet.iter().map(String::as_str).collect(),
            attributes: Attributes::Numbered(ROWS * COLUMNS),
        },
        words,
    }
}

/// Prints a letter badly. Moves and slants are rare because linear scores suffer from them with a chain or without; wear
/// and speckles are common because a chain makes up for much of what they cost.
fn spoil(mut image: Image, Noise(level): Noise, random: &mut Pcg64Mcg) -> Image {
    if random.random_bool(0.2 * level) {
        image = slant(image, random.random());
    }
    if random.random_bool(0.3 * level) {
        image = shift(image, random.random_range(-1..=1), random.random_range(-1..=1));
    }
    if random.random_bool(0.2 * level) {
        image = image.map(|row| row | row >> 1);
    }
    if random.random_bool(0.8 * level) {
        wear(&mut image, random);
    }
    for pixel in 0..ROWS * COLUMNS {
        if random.random_bool(0.15 * level) {
            image[pixel / COLUMNS] ^= mask(pixel);
        }
    }
    image
}

/// Moves the image; what leaves the canvas is lost.
fn shift(image: Image, down: i32, right: i32) -> Image {
    std::array::from_fn(|row| {
        let from =
            row.checked_add_signed(-down as isize).and_then(|row| image.get(row)).copied().unwrap_or(0);
        if right < 0 { from << -right } else { from >> right }
    })
}

/// Leans the image: the upper rows go a pixel one way, the lower ones a pixel the other.
fn slant(image: Image, forwards: bool) -> Image {
    std::array::from_fn(|row| match (row, forwards) {
        (0..6, true) | (10.., false) => image[row] >> 1,
        (0..6, false) | (10.., true) => image[row] << 1,
        _ => image[row],
    })
}

/// Wears off a stroke: 3 × 3 pixels around an inked one.
fn wear(image: &mut Image, random: &mut Pcg64Mcg) {
    let inked: Vec<usize> = (0..ROWS * COLUMNS).filter(|&pixel| is_inked(image, pixel)).collect();
    if inked.is_empty() {
        return;
    }
    let centre = inked[random.random_range(0..inked.len() as u32) as usize];
    let across = mask(centre) << 1 | mask(centre) | mask(centre) >> 1;
    let row = centre / COLUMNS;
    image[row.saturating_sub(1)..(row + 2).min(ROWS)].iter_mut().for_each(|row| *row &= !across);
}

/// The bit of a pixel in the byte of its row.
fn mask(pixel: usize) -> u8 {
    0x80 >> (pixel % COLUMNS)
}

fn is_inked(image: &Image, pixel: usize) -> bool {
    image[pixel / COLUMNS] & mask(pixel) != 0
}

/// Draws a word for a terminal: the letters side by side with a blank between them, in `ROWS / 2` lines of equal length,
/// each of which shows two rows of pixels by half blocks. A letter takes `COLUMNS + 1` characters of each line (the last
/// one has no blank), so that a caller can set text below each.
///
/// ```
/// use maxmargin::data::word_images::{Noise, draw, word_images};
/// let images = word_images(1, Noise::default(), 7);
/// let picture = draw(&images.data.rows().input(0));
/// assert_eq!(picture.lines().count(), 8);
/// ```
pub fn draw(word: &Rows) -> String {
    let images: Vec<Image> = (0..word.len())
        .map(|position| {
            let mut image = [0; ROWS];
            word.row(position).for_each(|pixel, value| {
                if pixel < ROWS * COLUMNS && value > 0.5 {
                    image[pixel / COLUMNS] |= mask(pixel);
                }
            });
            image
        })
        .collect();
    let lines: Vec<String> = (0..ROWS / 2)
        .map(|line| {
            let letters: Vec<String> =
                images.iter().map(|image| half_blocks(image[2 * line], image[2 * line + 1])).collect();
            letters.join(" ")
        })
        .collect();
    lines.join("\n")
}

/// Two rows of pixels as one line of characters.
fn half_blocks(upper: u8, lower: u8) -> String {
    (0..COLUMNS)
        .map(|column| match (upper & mask(column) != 0, lower & mask(column) != 0) {
            (true, true) => '█',
            (true, false) => '▀',
            (false, true) => '▄',
            (false, false) => ' ',
        })
        .collect()
}

/// Words to learn from and new ones to read, for demos.
pub(crate) fn images_of_a_demo() -> (WordImages, WordImages) {
    (word_images(400, Noise::default(), 1), word_images(200, Noise::default(), 2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::TaskData;

    fn pixels(images: &WordImages) -> Vec<Vec<(usize, f64)>> {
        (0..images.data.rows().features().rows())
            .map(|row| images.data.rows().features().row(row).to_pairs())
            .collect()
    }

    #[test]
    fn labels_spell_the_words() {
        let images = word_images(50, Noise::default(), 3);
        assert_eq!((images.data.len(), images.words.len()), (50, 50));
        assert_eq!(images.data.rows().features().rows(), images.data.labels().len());
        for (i, word) in images.words.iter().enumerate() {
            let spelt: String =
                images.data.labels_of(i).iter().map(|&label| images.vocabulary.labels.name(label)).collect();
            assert_eq!(&spelt, word);
        }
    }

    #[test]
    fn all_letters_and_pixels_are_known_even_without_words() {
        let images = word_images(0, Noise::default(), 3);
        assert!(images.data.is_empty());
        assert_eq!(images.vocabulary.labels.iter().collect::<String>(), "abcdefghijklmnopqrstuvwxyz");
        assert_eq!(images.vocabulary.attributes.len(), ROWS * COLUMNS);
        assert_eq!(images.data.rows().features().columns(), ROWS * COLUMNS);
    }

    #[test]
    fn the_seed_decides_and_more_words_only_go_on() {
        let images = word_images(20, Noise::default(), 3);
        let longer = word_images(30, Noise::default(), 3);
        assert_eq!(images.words, longer.words[..20]);
        assert_eq!(pixels(&images), pixels(&longer)[..images.data.labels().len()]);

        let other = word_images(20, Noise::default(), 4);
        assert_ne!(images.words, other.words);
        assert_ne!(pixels(&images), pixels(&other));
    }

    #[test]
    fn noise_spoils_the_same_words() {
        let clean = word_images(20, Noise(0.0), 3);
        let noisy = word_images(20, Noise(1.0), 3);
        assert_eq!(clean.words, noisy.words);
        assert_ne!(pixels(&clean), pixels(&noisy));
        let letters = font::letters();
        for (pixels, &label) in pixels(&clean).iter().zip(clean.data.labels()) {
            let ink: u32 = letters[label as usize].iter().map(|row| row.count_ones()).sum();
            assert_eq!(pixels.len(), ink as usize);
        }
    }

    /// Figures in the documentation are about these very images: a new version of `rand` must not change them unseen.
    #[test]
    fn images_are_pinned() {
        let images = word_images(1, Noise::default(), 1);
        let picture = draw(&images.data.rows().input(0));
        let lines: Vec<&str> = picture.lines().map(str::trim_end).collect();
        let pinned = [
            "▄  ▀  ▀    ▄ ▄▄▀▄ ▄        ▄  ▄▄           ▄",
            " ▀▀                  ▄       ▄       ▀",
            "  ▄▄█ ▄           ▄ ▄▄      ██▄▄      ▄▄▄▄",
            " ▀   ▀█  ▄█▀  ▄▄▀    ██▄     █  ▀▀     ▄▄▄█",
            "   ▄ ▄█   █  ▀ █     █       █▀ ▄    ▄ █  ▄",
            "  ▀▀▀ █   █▄▄ ██  ▄ ▀▀     ▄  ▀▀      ▀▀▀▀ ▀",
            "   ▄▄ █▄            ▀  ▄       ▄ ▀",
            "         ▄         ▀ ▄  █",
        ];
        assert_eq!(images.words, ["quite"]);
        assert_eq!(lines, pinned, "the image became\n{picture}");
    }

    #[test]
    fn the_words_are_sorted_and_use_every_letter() {
        assert!(WORDS.is_sorted_by(|a, b| a < b));
        for letter in 'a'..='z' {
            assert!(WORDS.iter().any(|word| word.contains(letter)), "no word has {letter}");
        }
    }

    #[test]
    fn noise_is_between_0_and_1() {
        for level in [-0.1, 1.1, f64::NAN] {
            assert!(Noise::new(level).is_err(), "{level}");
        }
        assert_eq!(Noise::new(1.0).unwrap().level(), 1.0);
    }

    #[test]
    fn what_leaves_the_canvas_is_lost() {
        let mut image = [0; ROWS];
        image[0] = 0b1000_0001;
        assert_eq!(shift(image, -1, 0), [0; ROWS]);
        assert_eq!(shift(image, 2, 1)[2], 0b0100_0000);
        assert_eq!(shift(image, 0, -1)[0], 0b0000_0010);
    }

    #[test]
    fn half_blocks_show_two_rows() {
        assert_eq!(half_blocks(0b1100_0000, 0b1010_0000), "█▀▄     ");
    }
}
