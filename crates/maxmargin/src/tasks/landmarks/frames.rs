//! Faces cut from their pictures and scaled to one size, so that all have their parts in about the same places.

use crate::data::{Face, Picture, refuse};
use crate::error::Result;
use crate::structure::{CodePyramid, GradientCells, GradientField, LandmarkInput, Template};

/// How finely a pixel of a large face is looked at.
const MOST_SAMPLES: i64 = 16;

/// How faces are cut and what is seen of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Frames {
    /// The columns and rows of a face.
    pub side: usize,
    /// What is added to each side of its box, as a share of the box's longer side.
    pub margin: f64,
    /// What is seen around each pixel.
    pub template: Template,
    /// The histograms of gradients that are seen as well, if any.
    pub gradients: Option<GradientCells>,
}

/// A face in its frame.
#[derive(Debug, Clone)]
pub struct LandmarkFace {
    pub(super) input: LandmarkInput,
    /// The file of its picture.
    pub(super) file: String,
    /// Where its points are in the picture, and the length that distances are measured by.
    pub(super) points: Option<(Vec<(f64, f64)>, f64)>,
    /// Its pixels as they were cut, for people to look at.
    pub(super) pixels: Vec<u8>,
}

impl LandmarkFace {
    /// A face in a grey picture of so many columns, given row by row, in a box (left, top, width, height), with its points and the length
    /// that distances are measured by, where they are known.
    pub fn new(
        frames: &Frames,
        (columns, pixels): (usize, &[u8]),
        bounds: [f64; 4],
        points: Option<(Vec<(f64, f64)>, f64)>,
    ) -> Result<Self> {
        let picture = Picture::of_rows(columns, pixels.to_vec())?;
        let is_number = |x: &f64| x.is_finite() && x.abs() <= 1e9;
        if !bounds.iter().all(is_number) || bounds[2] < 1.0 || bounds[3] < 1.0 {
            return refuse(format!(
                "{bounds:?} is no box of a face: left, top, width and height, these two from 1"
            ));
        }
        if let Some((points, length)) = &points
            && !(points.iter().all(|(x, y)| is_number(x) && is_number(y))
                && *length > 0.0
                && is_number(length))
        {
            return refuse(
                "points are numbers, and the length that distances are measured by is above 0".to_owned(),
            );
        }
        let face = Face { file: "", picture: &picture, bounds, points: None };
        frames.cut(&face, points)
    }

    /// Where a place of the picture is in the frame.
    pub(super) fn in_frame(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let (left, top, step) = self.input.frame;
        ((x - left) / step, (y - top) / step)
    }
}

impl Frames {
    /// Cuts a face from its picture.
    pub(super) fn cut(
        &self,
        face: &Face<'_>,
        points: Option<(Vec<(f64, f64)>, f64)>,
    ) -> Result<LandmarkFace> {
        let [left, top, width, height] = face.bounds;
        let side = width.max(height) * (1.0 + 2.0 * self.margin);
        let step = side / self.side as f64;
        // The centre of the first pixel: the box ends half a pixel beyond the centres of its last ones.
        let first = |start: f64, length: f64| start + (length - side + step - 1.0) / 2.0;
        let (left, top) = (first(left, width), first(top, height));
        let margin = self.gradients.map_or(0, |cells| cells.margin()).max(self.template.margin());
        let places = || -(margin as i64)..(self.side + margin) as i64;
        let pixel =
            |(x, y): (i64, i64)| sample(face.picture, (left + x as f64 * step, top + y as f64 * step), step);
        let pixels: Vec<u8> = places().flat_map(|y| places().map(move |x| (x, y))).map(pixel).collect();
        let size = (self.side, self.side);
        // With less of what is around the frame.
        let with_margin = |less: usize| -> Vec<u8> {
            let (cut, side) = (margin - less, self.side + 2 * less);
            let rows = pixels.chunks_exact(self.side + 2 * margin).skip(cut).take(side);
            rows.flat_map(|row| &row[cut..][..side]).copied().collect()
        };
        let picture = CodePyramid::of_patterns(&with_margin(self.template.margin()), size, &self.template)?;
        let field = |cells| GradientField::of_pixels(&pixels, size, margin, cells);
        let gradients = self.gradients.map(field).transpose()?;
        let pixels = with_margin(0);
        let length = points.as_ref().map_or(side, |(_, length)| *length);
        let input = LandmarkInput { picture, gradients, scale: step / length, frame: (left, top, step) };
        Ok(LandmarkFace { input, file: face.file.to_owned(), points, pixels })
    }
}

/// How bright a picture is around a place, over a square of so many of its pixels.
fn sample(picture: &Picture, (x, y): (f64, f64), step: f64) -> u8 {
    let samples = (step.ceil() as i64).clamp(1, MOST_SAMPLES);
    let mut sum = 0.0;
    let offset = |k: i64| ((k as f64 + 0.5) / samples as f64 - 0.5) * step;
    for down in 0..samples {
        for across in 0..samples {
            sum += between(picture, x + offset(across), y + offset(down));
        }
    }
    (sum / (samples * samples) as f64).round() as u8
}

/// How bright a picture is between its pixels.
fn between(picture: &Picture, x: f64, y: f64) -> f64 {
    let (column, row) = (x.floor(), y.floor());
    let (right, down) = (x - column, y - row);
    let at = |across: i64, below: i64| f64::from(picture.nearest(column as i64 + across, row as i64 + below));
    let above = at(0, 0) * (1.0 - right) + at(1, 0) * right;
    let below = at(0, 1) * (1.0 - right) + at(1, 1) * right;
    above * (1.0 - down) + below * down
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_have_their_points_where_the_picture_has_them() {
        let frames = Frames {
            side: 10,
            margin: 0.25,
            template: Template::halving(3, 2).unwrap(),
            gradients: Some(GradientCells::new(3, 4).unwrap()),
        };
        // Brightness rises by 4 to the right and by 2 downwards.
        let pixels: Vec<u8> = (0..40).flat_map(|y| (0..40).map(move |x| (4 * x + 2 * y) as u8)).collect();
        // 15 pixels on 10 cells: from 8 to 23 to the right, and from 11 to 26 downwards.
        let face = LandmarkFace::new(&frames, (40, &pixels), [11.0, 14.0, 10.0, 10.0], None).unwrap();
        assert_eq!(face.input.frame, (8.75, 11.75, 1.5));
        assert_eq!((face.pixels.len(), face.input.scale), (100, 1.5 / 15.0));
        for (cell, &pixel) in face.pixels.iter().enumerate() {
            let (x, y) = (8.75 + (cell % 10) as f64 * 1.5, 11.75 + (cell / 10) as f64 * 1.5);
            assert!((f64::from(pixel) - 4.0 * x - 2.0 * y).abs() <= 0.5 + 1e-9, "cell {cell}");
            let (column, row) = face.in_frame((x, y));
            assert!((column - (cell % 10) as f64).abs() + (row - (cell / 10) as f64).abs() < 1e-9);
        }
    }

    #[test]
    fn what_is_no_face_is_refused() {
        let frames =
            Frames { side: 4, margin: 0.0, template: Template::halving(1, 1).unwrap(), gradients: None };
        let bounds = [0.0, 0.0, 4.0, 4.0];
        let face = |columns, bounds, points| LandmarkFace::new(&frames, (columns, &[7; 16]), bounds, points);
        assert!(face(4, bounds, Some((vec![(1.0, 2.0)], 1.0))).is_ok());
        assert!(face(4, [-1e6, 0.0, 1.0, 1.0], None).is_ok(), "far outside: all is as at the edge");
        assert!(face(3, bounds, None).is_err() && face(0, bounds, None).is_err());
        assert!(face(4, [0.0, 0.0, f64::NAN, 4.0], None).is_err() && face(4, [0.0; 4], None).is_err());
        assert!(face(4, bounds, Some((vec![(f64::NAN, 2.0)], 1.0))).is_err());
        assert!(face(4, bounds, Some((vec![(1.0, 2.0)], 0.0))).is_err());
    }
}
