//! Cuts spelt by a label for each position, as files have them.

use super::SegmentationStructure;
use crate::error::{Error, Result};
use crate::inference::Segment;
use crate::structure::UNKNOWN_LABEL;
use crate::structure::shape::check_label;

/// What a label says of its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// The class of the segment that the position is in.
    pub class: u32,
    /// Whether a segment begins there whatever comes before. One also begins where the class is another one.
    pub begins: bool,
}

impl SegmentationStructure {
    /// The same with labels of positions that spell segments. Refused where a segment that can be found cannot be spelt: each class has a mark
    /// that begins a segment, and one that does not where segments may have several positions.
    pub fn spelt_by(self, marks: Vec<Mark>) -> Result<Self> {
        marks.iter().try_for_each(|mark| check_label(mark.class, self.classes()))?;
        let has = |class: u32, begins| marks.contains(&Mark { class, begins });
        for class in 0..self.classes() as u32 {
            let is_long =
                (2..=self.widths().longest()).any(|length| self.widths().admits(class as usize, length));
            if !has(class, true) || (is_long && !has(class, false)) {
                let problem = format!("no label begins a segment of class {class}, or none goes on with one");
                return Err(Error::parameter("marks", problem));
            }
        }
        Ok(Self { marks, ..self })
    }

    /// The cut that the labels of all positions spell. A label that is none is a segment of its own, of a class that is none.
    pub fn read(&self, labels: &[u32]) -> Vec<Segment> {
        let mut cut: Vec<Segment> = Vec::new();
        for (t, &label) in labels.iter().enumerate() {
            let mark = self.marks.get(label as usize).copied();
            let Mark { class, begins } = mark.unwrap_or(Mark { class: UNKNOWN_LABEL, begins: true });
            match cut.last_mut().filter(|last| !begins && last.class == class) {
                Some(last) => last.end += 1,
                None => cut.push(Segment { start: t as u32, end: t as u32 + 1, class }),
            }
        }
        cut
    }

    /// The labels that spell a cut.
    pub fn write(&self, cut: &[Segment]) -> Vec<u32> {
        let label = |mark: Mark| {
            self.marks.iter().position(|&other| other == mark).map_or(UNKNOWN_LABEL, |label| label as u32)
        };
        let of_segment = |segment: &Segment| {
            let [first, others] = [true, false].map(|begins| label(Mark { class: segment.class, begins }));
            (0..segment.len()).map(move |place| if place == 0 { first } else { others })
        };
        cut.iter().flat_map(of_segment).collect()
    }

    /// Whether cuts are spelt by labels.
    pub(super) fn is_spelt(&self) -> bool {
        !self.marks.is_empty()
    }
}
