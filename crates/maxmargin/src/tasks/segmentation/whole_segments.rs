//! Weights for segments as a whole: for those that the training data has more than once.
//!
//! [Templates](crate::data::templates) of segments say what makes two segments the same: their words, their tags, their shapes. A segment that comes once in the training
//! data has no weight unless that is asked for: there are more than twice as many of them, and they made no difference to F1 of names.

use std::sync::Arc;

use serde_json::json;

use super::super::Stored;
use crate::data::{SegmentKeys, TaskData};
use crate::structure::{KnownSegments, SegmentInput};
use crate::tasks::{SequenceExamples, TaskOption};

/// The field of a model file with their number, and the tensors with them.
const SIZES: &str = "known_segments";
const SEGMENTS: &str = "segment_numbers";
const ENDS: &str = "segment_ends";

pub(super) const KNOWN_SEGMENTS: TaskOption =
    TaskOption::value("known-segments", "N", "Segments that come N times in the training data have weights as a whole; 0: none do")
        .default("2")
        .more(
            "Templates that begin with S say by what segments are known: `Sw=%x[0,0]` by all their words. The ready-made sets chunk and ner have \
             some. Without such templates there are no such weights.",
        );

/// What is asked for, and the segments once training data was seen.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct WholeSegments {
    /// How often a segment comes to be known; 0 where none is to be.
    pub(super) least: usize,
    known: Option<Arc<KnownSegments>>,
}

impl Default for WholeSegments {
    fn default() -> Self {
        Self { least: 2, known: None }
    }
}

impl WholeSegments {
    /// With the segments of training data; `cut` calls what it is given with the rows of each in a sequence.
    pub(super) fn resolved(
        &self,
        data: &SequenceExamples,
        cut: impl Fn(&[u32], &mut dyn FnMut(std::ops::Range<usize>)),
    ) -> Self {
        let keys = data.segment_keys().filter(|_| self.least > 0);
        let known = keys.map(|keys| {
            KnownSegments::collect(keys.kinds(), self.least, |visit| {
                for example in 0..data.len() {
                    if let Some(keys) = keys.of(data.rows().range(example)) {
                        cut(data.labels_of(example), &mut |segment| visit(&keys, segment));
                    }
                }
            })
        });
        Self { known: known.map(Arc::new), ..*self }
    }

    /// The known segments, where there are any.
    pub(super) fn known(&self) -> Option<&Arc<KnownSegments>> {
        self.known.as_ref()
    }

    /// How many there are, of all kinds.
    pub(super) fn len(&self) -> usize {
        self.known.as_ref().map_or(0, |known| known.len())
    }

    /// A name for each: the number by which a segment is looked up, which says the same in all models.
    pub(super) fn names(&self) -> Vec<String> {
        let segments = self.known.as_ref().map_or_else(Vec::new, |known| known.numbers().0);
        segments.iter().map(|number| format!("{number:x}")).collect()
    }

    pub(super) fn save(&self, stored: Stored) -> Stored {
        let Some(known) = &self.known else { return stored };
        let (segments, ends) = known.numbers();
        let sizes = json!([known.kinds(), segments.len(), ends.len()]);
        let mut stored = stored.with(SIZES, sizes).with("tensors", json!([SEGMENTS, ENDS]));
        for (name, numbers) in [(SEGMENTS, segments), (ENDS, ends)] {
            // They have 52 bits.
            let numbers: Vec<f64> = numbers.into_iter().map(|number| number as f64).collect();
            stored.add_tensor(name, vec![numbers.len()], numbers);
        }
        stored
    }

    pub(super) fn load(stored: &Stored) -> Result<Self, String> {
        let Some([kinds, segments, ends]) = stored.field::<Option<[usize; 3]>>(SIZES)? else {
            return Ok(Self { least: 0, known: None });
        };
        let numbers = |name: &str, count: usize| -> Result<Vec<u64>, String> {
            Ok(stored.tensor(name, &[count])?.iter().map(|&number| number as u64).collect())
        };
        let (segments, ends) = (numbers(SEGMENTS, segments)?, numbers(ENDS, ends)?);
        let known = KnownSegments::new(kinds, &segments, &ends).map_err(|e| e.to_string())?;
        Ok(Self { least: 1, known: Some(Arc::new(known)) })
    }
}

/// A sequence of the data.
pub(super) fn input(data: &SequenceExamples, example: usize) -> SegmentInput {
    let range = data.rows().range(example);
    let keys = data.segment_keys().and_then(|keys: &SegmentKeys| keys.of(range));
    SegmentInput { keys, ..SegmentInput::of_positions(data.rows().input(example)) }
}
