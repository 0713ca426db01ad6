//! What tags say about classes, and how long segments of each class are.

use serde_json::json;

use super::super::Stored;
use crate::data::tag_scheme::spans;
use crate::data::{OUTSIDE, Tag, TaskData, Vocabulary, are_tags};
use crate::error::{Error, Result};
use crate::structure::Mark;
use crate::tasks::SequenceExamples;

/// The classes of segments, as they are found in data.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Classes {
    /// What they are called, the background first where there is one.
    pub(super) names: Vec<String>,
    /// How many positions segments of each class have, or have at most.
    pub(super) widths: Vec<u32>,
    /// The class of what is outside.
    pub(super) background: Option<u32>,
    /// What each label of a position says.
    pub(super) marks: Vec<Mark>,
    /// How many segments of the data are longer than may be.
    pub(super) too_long: usize,
}

fn refuse<T>(problem: impl Into<String>) -> Result<T> {
    Err(Error::parameter("labels", problem))
}

impl Classes {
    /// Those of some sequences, whose labels are tags of the scheme IOB2.
    pub(super) fn of(
        names: &Vocabulary,
        data: &SequenceExamples,
        longest: u32,
        is_fixed: bool,
    ) -> Result<Self> {
        let labels = &names.labels;
        if !are_tags(labels, labels.len()) {
            return refuse(
                "segments are marked by tags such as O, B-NP and I-NP; the labels of the training data are others",
            );
        }
        let mut classes = Self::default();
        if labels.get(OUTSIDE).is_some() {
            classes.background = Some(0);
            classes.names.push(OUTSIDE.to_owned());
        }
        for name in labels.iter() {
            let (kind, begins) = match Tag::of(name) {
                Some(Tag::Chunk { kind, begins, .. }) => (kind, begins),
                _ => (OUTSIDE, true),
            };
            let place = classes.names.iter().position(|other| other == kind);
            let class = place.unwrap_or_else(|| {
                classes.names.push(kind.to_owned());
                classes.names.len() - 1
            });
            classes.marks.push(Mark { class: class as u32, begins });
        }
        // Of a class that the data has no segment of, one position.
        let unknown = 0;
        classes.widths = vec![unknown; classes.names.len()];
        for example in 0..data.len() {
            let tags = data.labels_of(example).iter();
            for span in
                spans(tags.map(|&label| ((label as usize) < labels.len()).then(|| labels.name(label))))
            {
                classes.measure(span.kind, span.end - span.start, longest, is_fixed)?;
            }
        }
        classes.widths.iter_mut().for_each(|width| *width = (*width).max(1));
        Ok(classes)
    }

    /// Takes in the length of a segment.
    fn measure(&mut self, kind: Option<&str>, length: usize, longest: u32, is_fixed: bool) -> Result<()> {
        let first = usize::from(self.background.is_some());
        let Some(place) = self.names.iter().skip(first).position(|name| Some(name.as_str()) == kind) else {
            return Ok(());
        };
        let width = &mut self.widths[first + place];
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        if is_fixed {
            if *width != 0 && *width != length {
                let problem = format!(
                    "segments of {} have {width} and {length} positions, but with fixed widths they all have one; leave fixed-widths out",
                    kind.unwrap_or_default()
                );
                return refuse(problem);
            }
            *width = length;
            return Ok(());
        }
        self.too_long += usize::from(length > longest);
        *width = (*width).max(length.min(longest));
        Ok(())
    }

    pub(super) fn save(&self, stored: Stored) -> Stored {
        let classes: Vec<u32> = self.marks.iter().map(|mark| mark.class).collect();
        let begins: Vec<bool> = self.marks.iter().map(|mark| mark.begins).collect();
        stored
            .with("classes", json!(self.names))
            .with("widths", json!(self.widths))
            .with("background_class", json!(self.background))
            .with("label_classes", json!(classes))
            .with("label_begins", json!(begins))
    }

    pub(super) fn load(stored: &Stored, labels: usize) -> std::result::Result<Self, String> {
        let names: Vec<String> = stored.field("classes")?;
        let widths: Vec<u32> = stored.field("widths")?;
        let (classes, begins): (Vec<u32>, Vec<bool>) =
            (stored.field("label_classes")?, stored.field("label_begins")?);
        if names.len() != widths.len() || classes.len() != labels || begins.len() != labels {
            return Err("the description's classes, widths and labels do not go together".to_owned());
        }
        let marks = classes.into_iter().zip(begins).map(|(class, begins)| Mark { class, begins }).collect();
        Ok(Self { names, widths, background: stored.field("background_class")?, marks, too_long: 0 })
    }
}
