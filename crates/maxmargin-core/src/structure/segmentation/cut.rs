//! Cuts as labels.

use crate::error::{Error, Result};
use crate::inference::Segment;
use crate::structure::Coded;
use crate::structure::shape::check_label;

/// The end and the class of each segment.
impl Coded for Vec<Segment> {
    fn encode(&self, code: &mut Vec<u32>) {
        code.extend(self.iter().flat_map(|segment| [segment.end, segment.class]));
    }

    fn decode(&mut self, code: &[u32]) -> bool {
        self.clear();
        let (pairs, rest) = code.as_chunks::<2>();
        let mut start = 0;
        for &[end, class] in pairs {
            self.push(Segment { start, end, class });
            start = end;
        }
        rest.is_empty() && self.iter().all(|segment| segment.start < segment.end)
    }
}

/// Refuses segments that do not follow each other from the first position to the last.
pub(super) fn check_cut(cut: &[Segment], length: usize, classes: usize) -> Result<()> {
    let mut start = 0;
    for segment in cut {
        if segment.start != start || segment.end <= start {
            let problem = format!(
                "a segment from {} to {}, where one from {start} on should be",
                segment.start, segment.end
            );
            return Err(Error::parameter("label", problem));
        }
        check_label(segment.class, classes)?;
        start = segment.end;
    }
    match start as usize == length {
        true => Ok(()),
        false => Err(Error::parameter(
            "label",
            format!("segments of {start} positions, of which there are {length}"),
        )),
    }
}

/// The class of each position.
pub(super) fn classes_of(cut: &[Segment]) -> impl Iterator<Item = u32> + '_ {
    cut.iter().flat_map(|segment| std::iter::repeat_n(segment.class, segment.len()))
}
