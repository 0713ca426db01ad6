//! Images of number plates, made up on the spot: data to try a segmentation on without a download.
//!
//! A plate has two letters, four digits and two letters, of different widths, with gaps between them that differ from plate to plate. Its columns of [`ROWS`] pixels are
//! the positions, and each character is a segment. Characters are printed pale or dark, a pixel higher or lower, and then everything is covered with
//! noise, until most columns cannot be told by themselves. The same seed gives the same images on every machine.

mod font;

use font::{Glyph, HEIGHT, glyphs};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::data::{Attributes, ExampleRows, MatrixBuilder, OUTSIDE, Vocabulary};
use crate::tasks::{DrawnImage, SequenceExamples};

/// The rows of pixels.
pub const ROWS: usize = HEIGHT + 1;

/// Images of plates and what they say.
#[derive(Debug, Clone)]
pub struct PlateImages {
    /// A sequence for each plate, a row for each column of pixels, from black (0) to white (1). Labels are tags: `O`, `B-7`, `I-7`.
    pub data: SequenceExamples,
    /// The tags, and numbered columns.
    pub vocabulary: Vocabulary,
    /// What the plates say.
    pub texts: Vec<String>,
}

/// Images of `count` plates.
///
/// ```
/// use maxmargin::data::{TaskData, plate_images};
/// let plates = plate_images(3, 7);
/// assert_eq!((plates.data.len(), plates.texts[0].len()), (3, 8));
/// ```
pub fn plate_images(count: usize, seed: u64) -> PlateImages {
    let glyphs = glyphs();
    let (digits, letters) = glyphs.split_at(10);
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut plates = Plates {
        features: MatrixBuilder::dense(ROWS),
        labels: Vec::new(),
        random: Pcg64Mcg::from_rng(&mut random),
    };
    let (mut texts, mut starts) = (Vec::with_capacity(count), vec![0]);
    for _ in 0..count {
        let mut text = String::new();
        let paper = plates.between(0.25, 0.45);
        for (group, of) in [(2, letters), (4, digits), (2, letters)] {
            plates.add_gap(if text.is_empty() { 1..=3 } else { 2..=4 }, paper);
            for place in 0..group {
                if place > 0 {
                    plates.add_gap(1..=2, paper);
                }
                let number = random.random_range(0..of.len() as u32) as usize;
                plates.add(&of[number], number_of(&glyphs, of[number].name), paper);
                text.push(of[number].name);
            }
        }
        plates.add_gap(1..=3, paper);
        starts.push(plates.labels.len());
        texts.push(text);
    }
    let rows = ExampleRows::grouped(plates.features.finish(ROWS), starts);
    let data = rows.and_then(|rows| SequenceExamples::new(rows, plates.labels));
    let tags = glyphs.iter().flat_map(|glyph| [format!("B-{}", glyph.name), format!("I-{}", glyph.name)]);
    let tags: Vec<String> = std::iter::once(OUTSIDE.to_owned()).chain(tags).collect();
    PlateImages {
        data: data.expect("a row and a label for each column"),
        vocabulary: Vocabulary {
            labels: tags.iter().map(String::as_str).collect(),
            attributes: Attributes::Numbered(ROWS),
        },
        texts,
    }
}

fn number_of(glyphs: &[Glyph], name: char) -> usize {
    glyphs.iter().position(|glyph| glyph.name == name).unwrap_or_default()
}

/// Plates in the making.
struct Plates {
    features: MatrixBuilder,
    labels: Vec<u32>,
    random: Pcg64Mcg,
}

impl Plates {
    fn between(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * self.random.random::<f64>()
    }

    fn add_column(&mut self, pixels: [f64; ROWS], label: usize) {
        for pixel in pixels {
            let noise = self.between(-0.2, 0.2);
            // What is kept in bytes by others is whole steps here as well.
            let grey = ((pixel + noise).clamp(0.0, 1.0) * 255.0).round() / 255.0;
            self.features.push(0, grey);
        }
        self.features.end_row();
        self.labels.push(label as u32);
    }

    fn add_gap(&mut self, columns: std::ops::RangeInclusive<u32>, paper: f64) {
        for _ in 0..self.random.random_range(columns) {
            self.add_column([paper; ROWS], 0);
        }
    }

    fn add(&mut self, glyph: &Glyph, number: usize, paper: f64) {
        let ink = self.between(0.3, 0.6);
        let down = self.random.random_range(0..=ROWS as u32 - HEIGHT as u32) as usize;
        for (place, column) in glyph.columns.iter().enumerate() {
            let mut pixels = [paper; ROWS];
            for (row, _) in column.iter().enumerate().filter(|(_, is_inked)| **is_inked) {
                pixels[row + down] += ink;
            }
            self.add_column(pixels, 1 + 2 * number + usize::from(place > 0));
        }
    }
}

impl PlateImages {
    /// A plate as a picture, with nothing below it.
    pub fn picture(&self, plate: usize) -> DrawnImage {
        let column = |row: usize| {
            let mut pixels = vec![0.0; ROWS];
            self.data.rows().features().row(row).for_each(|pixel, value| pixels[pixel] = value);
            pixels
        };
        DrawnImage { columns: self.data.rows().range(plate).map(column).collect(), ..DrawnImage::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::TaskData;

    #[test]
    fn labels_spell_the_texts() {
        let plates = plate_images(20, 3);
        let longer = plate_images(30, 3);
        assert_eq!(plates.texts, longer.texts[..20], "more plates only go on");
        assert_ne!(plates.texts, plate_images(20, 4).texts);
        for (i, text) in plates.texts.iter().enumerate() {
            let names = plates.data.labels_of(i).iter().map(|&label| plates.vocabulary.labels.name(label));
            let spelt: String = names.filter_map(|name| name.strip_prefix("B-")).collect();
            assert_eq!(&spelt, text);
        }
    }
}
