//! The demo of segmentations: reading noisy number plates, column by column and character by character.

use std::ops::Range;
use std::time::Instant;

use super::super::demonstrating::{explain, learn};
use super::super::{Chain, DrawnCut, DrawnImage, Segmentation};
use super::Mistakes;
use super::plate_images::{PlateImages, plate_images};
use crate::data::TaskData;
use crate::error::Result;
use crate::shown::{percent, time};
use crate::solver::Report;

const SHOWN: usize = 3;
/// Values of λ with a good error of columns on plates of a third seed.
const LAMBDA: f64 = 0.01;
const CHAIN_LAMBDA: f64 = 0.1;

/// Plates that were read in two ways.
struct Readings {
    train: usize,
    test: PlateImages,
    report: Report,
    /// The tags of all columns of each plate.
    chain: Vec<Vec<u32>>,
    segments: Vec<Vec<u32>>,
}

impl Readings {
    fn new() -> Result<Self> {
        let (train, test) = (plate_images(150, 1), plate_images(200, 2));
        let names = &train.vocabulary;
        let chain = learn(Chain::default(), CHAIN_LAMBDA, &train.data, &test.data, names)?;
        let task = Segmentation {
            mistakes: Mistakes::Positions,
            fixed_widths: true,
            edges: false,
            ..Segmentation::default()
        };
        let cuts = learn(task, LAMBDA, &train.data, &test.data, names)?;
        let model = cuts.model.task_as::<Segmentation>();
        let written = |cut: &Vec<_>| model.map(|task| task.structure().write(cut)).unwrap_or_default();
        let segments = cuts.labels.iter().map(written).collect();
        Ok(Self { train: train.data.len(), test, report: cuts.report, chain: chain.labels, segments })
    }

    /// The share of columns with another tag, and of plates with another text.
    fn errors(&self, readings: &[Vec<u32>]) -> [f64; 2] {
        let data = &self.test.data;
        let plates = || (0..data.len()).zip(readings);
        let wrong = |(plate, reading): (usize, &Vec<u32>)| {
            reading.iter().zip(data.labels_of(plate)).filter(|(a, b)| a != b).count()
        };
        let misread = |(plate, reading): &(usize, &Vec<u32>)| self.text(reading) != self.test.texts[*plate];
        [
            plates().map(wrong).sum::<usize>() as f64 / data.labels().len() as f64,
            plates().filter(misread).count() as f64 / data.len() as f64,
        ]
    }

    fn name(&self, tag: u32) -> &str {
        self.test.vocabulary.labels.name(tag)
    }

    /// What the tags of a plate's columns say.
    fn text(&self, tags: &[u32]) -> String {
        self.segments_of(tags).into_iter().map(|(_, class)| class).collect()
    }

    /// The segments that tags mark, as those of the plates are marked.
    fn segments_of(&self, tags: &[u32]) -> Vec<(Range<usize>, String)> {
        let mut segments: Vec<(Range<usize>, String)> = Vec::new();
        for (column, &tag) in tags.iter().enumerate() {
            let Some((mark, class)) = self.name(tag).split_once('-') else { continue };
            match segments.last_mut().filter(|(at, other)| mark == "I" && at.end == column && other == class)
            {
                Some((at, _)) => at.end += 1,
                None => segments.push((column..column + 1, class.to_owned())),
            }
        }
        segments
    }

    fn picture(&self, plate: usize) -> DrawnImage {
        let truth = self.segments_of(self.test.data.labels_of(plate));
        let cut = |name: &str, tags: &[u32]| DrawnCut {
            name: name.to_owned(),
            segments: self
                .segments_of(tags)
                .into_iter()
                .map(|(at, class)| {
                    let is_right = truth.iter().any(|other| (&other.0, &other.1) == (&at, &class));
                    (at, class, is_right)
                })
                .collect(),
        };
        let cuts = vec![
            cut("truth", self.test.data.labels_of(plate)),
            cut("chain", &self.chain[plate]),
            cut("segmentation", &self.segments[plate]),
        ];
        DrawnImage { cuts, ..self.test.picture(plate) }
    }

    /// The first plates that the segmentation reads right and the chain does not.
    fn pictures(&self) -> Vec<DrawnImage> {
        let is_right = |plate: &usize| self.text(&self.segments[*plate]) == self.test.texts[*plate];
        let is_helped = |plate: &usize| self.text(&self.chain[*plate]) != self.test.texts[*plate];
        let plates = (0..self.test.data.len()).filter(is_right).filter(is_helped);
        plates.take(SHOWN).map(|plate| self.picture(plate)).collect()
    }
}

/// The pictures of the demo.
pub(super) fn pictures() -> Result<Vec<DrawnImage>> {
    Ok(Readings::new()?.pictures())
}

pub(super) fn run(say: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
    let begun = Instant::now();
    let readings = Readings::new()?;
    let count = readings.test.data.len();
    say(&format!(
        "Reading noisy number plates: {} plates to learn from, {count} new ones to read.\n\n\
         The columns of an image are the positions of a sequence. The chain tags each column and learns which tags follow each\n\
         other. The segmentation cuts the image into characters, each with a width of its own, and learns a template of each.\n\n",
        readings.train,
    ))?;
    let [chain, segments] =
        [&readings.chain, &readings.segments].map(|readings_of| readings.errors(readings_of));
    let mut text = format!(
        "{}\nOn the {count} new plates:\n\n{:14}{:>16}{:>16}\n{:14}{:>16}{:>16}\n{:14}{:>16}{:>16}\n\n",
        explain("the segmentation", "wrong cuts", "plates", &readings.report),
        "",
        "wrong columns",
        "wrong plates",
        "chain",
        percent(chain[0]),
        percent(chain[1]),
        "segmentation",
        percent(segments[0]),
        percent(segments[1]),
    );
    text += "Some plates that templates help to read (wrong segments in square brackets):\n";
    for picture in readings.pictures() {
        text += &format!("\n{picture}");
    }
    text += &format!("\n{} in all.\n", time(begun.elapsed().as_secs_f64()));
    say(&text)
}
