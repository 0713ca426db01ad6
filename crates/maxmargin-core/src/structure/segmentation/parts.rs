//! The part scores of a segmentation, from outside.
//!
//! | block | shape |
//! | --- | --- |
//! | segments | length × longest × classes: last position, number of positions less 1, class |
//! | transitions | classes × classes: before, after |
//!
//! Scores of segments that would begin before the first position, or that are too long for their class, count nowhere. So do those of a truth that cannot be found.

use super::{SegmentInput, SegmentationScores, SegmentationStructure};
use crate::inference::Segment;
use crate::structure::{PartBlock, Parts};

impl SegmentationStructure {
    fn segment_parts(&self, x: &SegmentInput) -> usize {
        x.len() * self.options.widths.longest() * self.classes()
    }
}

impl Parts<SegmentationStructure> for SegmentationStructure {
    fn blocks(&self, x: &SegmentInput) -> Vec<PartBlock> {
        let (classes, longest) = (self.classes(), self.options.widths.longest());
        vec![
            PartBlock::new("segments", &[x.len(), longest, classes]),
            PartBlock::new("transitions", &[classes, classes]),
        ]
    }

    fn scores_from_parts(&self, x: &SegmentInput, parts: &[f64], scores: &mut SegmentationScores) -> f64 {
        let (classes, widths) = (self.classes(), &self.options.widths);
        let (segments, steps) = parts.split_at(self.segment_parts(x));
        scores.steps.clear();
        scores.steps.extend_from_slice(steps);
        scores.positions.clear();
        scores.positions.resize(x.len() * self.columns(), 0.0);
        scores.ends.clear();
        scores.ends.resize(3 * classes, 0.0);
        self.clear_values(x.len(), scores);
        for (place, row) in segments.chunks_exact(classes).enumerate() {
            let (last, length) = (place / widths.longest(), place % widths.longest() + 1);
            if length <= last + 1 {
                let values = scores.values.row_mut(last, length).iter_mut().zip(row).enumerate();
                let there = values.filter(|(class, _)| widths.admits(*class, length));
                there.for_each(|(_, (value, part))| *value = *part);
            }
        }
        scores.extent()
    }

    fn add_parts(&self, x: &SegmentInput, y: &Vec<Segment>, factor: f64, gradient: &mut [f64]) {
        let (classes, widths) = (self.classes(), &self.options.widths);
        let (segments, steps) = gradient.split_at_mut(self.segment_parts(x));
        for segment in y.iter().filter(|segment| widths.admits(segment.class as usize, segment.len())) {
            let row = (segment.end as usize - 1) * widths.longest() + segment.len() - 1;
            segments[row * classes + segment.class as usize] += factor;
        }
        for pair in y.windows(2) {
            steps[pair[0].class as usize * classes + pair[1].class as usize] += factor;
        }
    }
}
