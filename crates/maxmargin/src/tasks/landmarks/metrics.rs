//! How far landmarks are from where they should be.

use super::LandmarkExamples;
use crate::metrics::{Comparison, Metrics, Retrieval, mean, share};
use crate::structure::{LandmarkStructure, Structure};

/// Points that are no further away than this, as a share of the length that distances are measured by, count as found.
pub(super) const FOUND: f64 = 0.1;

/// The deviations of the points of a face, where they are known: distances in its picture, as shares of its length.
pub(super) fn deviations(
    structure: &LandmarkStructure,
    data: &LandmarkExamples,
    example: usize,
    label: &[u32],
) -> Option<Vec<f64>> {
    let (points, length) = data.points(example)?;
    let frame = data.face(example).input.frame;
    let found = in_picture(structure, frame, label);
    Some(points.iter().zip(found).map(|(a, b)| (a.0 - b.0).hypot(a.1 - b.1) / length).collect())
}

/// Where the parts of a label are in the picture that a frame was cut from.
pub(super) fn in_picture(
    structure: &LandmarkStructure,
    (left, top, step): (f64, f64, f64),
    label: &[u32],
) -> Vec<(f64, f64)> {
    let place = |(x, y): (usize, usize)| (left + x as f64 * step, top + y as f64 * step);
    structure.places(label).into_iter().map(place).collect()
}

pub(super) fn metrics(
    structure: &LandmarkStructure,
    comparison: Comparison<'_, LandmarkExamples, Vec<u32>>,
) -> Metrics {
    let faces = comparison.predicted.len();
    let mut per_label = vec![Retrieval::default(); comparison.labels.len()];
    let (mut sum, mut worst, mut near) = (0.0, 0.0, 0);
    for (i, label) in comparison.predicted.iter().enumerate() {
        let Some(deviations) = deviations(structure, comparison.truth, i, label) else { continue };
        let of_face = mean(deviations.iter().sum(), deviations.len());
        sum += of_face;
        worst += deviations.iter().copied().fold(0.0, f64::max);
        near += usize::from(of_face < FOUND);
        for (count, deviation) in per_label.iter_mut().zip(deviations) {
            count.truth += 1;
            count.predicted += 1;
            count.right += usize::from(deviation < FOUND);
        }
    }
    let found: usize = per_label.iter().map(|count| count.right).sum();
    let points: usize = per_label.iter().map(|count| count.truth).sum();
    let mean_loss = comparison.mean_loss(|i, label| {
        let Some(places) = comparison.truth.frame_points(i) else { return 0.0 };
        structure.loss(&comparison.truth.face(i).input, &structure.nearest(&places), label)
    });
    Metrics {
        figures: vec![
            ("mean_deviation", mean(sum, faces)),
            ("worst_deviation", mean(worst, faces)),
            ("faces_found", share(near, faces)),
            ("points_found", share(found, points)),
            ("mean_loss", mean_loss),
        ],
        per_label: comparison.named(&per_label),
        per_type: Vec::new(),
        main: Some("mean_deviation"),
    }
}
