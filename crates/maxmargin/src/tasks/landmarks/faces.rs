//! Faces that are drawn on the spot: data to try landmarks on without a download.
//!
//! A face is an oval with eyes, brows, a nose and a mouth, of sizes that differ from face to face. It is turned, looks to a side and is lit from one,
//! has hair of some colour, and freckles and spots beside it that look much like eyes; everything is covered with noise. Its eight points
//! are those of BUNDLE 4.2: the corners of eyes and mouth, the tip of the nose, and the centre. The same seed gives the same faces.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::normaliser::{self, Normaliser};
use super::{LandmarkExamples, LandmarkFace, Landmarks};
use crate::data::Vocabulary;
use crate::error::Result;

/// The columns and rows of a picture.
pub const SIDE: usize = 72;

/// The names of a face's points.
pub const POINTS: [&str; 8] = [
    "left_eye_outer",
    "left_eye_inner",
    "right_eye_inner",
    "right_eye_outer",
    "nose",
    "mouth_left",
    "mouth_right",
    "centre",
];

/// A drawn face.
#[derive(Debug, Clone)]
pub struct DrawnFace {
    /// The pixels, row by row.
    pub pixels: Vec<u8>,
    /// Left, top, width and height of a box around it, as a detector might find it.
    pub bounds: [f64; 4],
    /// Its points, in pixels.
    pub points: Vec<(f64, f64)>,
}

/// Drawn faces, cut as a task asks for it.
#[derive(Debug, Clone)]
pub struct DrawnFaces {
    /// The faces.
    pub data: LandmarkExamples,
    /// The names of their points.
    pub names: Vocabulary,
}

/// So many faces for a task.
pub fn drawn_faces(task: &Landmarks, count: usize, seed: u64) -> Result<DrawnFaces> {
    let ends = match &task.normaliser {
        Normaliser::Box => Normaliser::Box.ends(&POINTS)?,
        _ => Normaliser::EyesToMouth.ends(&POINTS)?,
    };
    let cut = |DrawnFace { pixels, bounds, points }: DrawnFace| {
        let length = normaliser::length(&ends, bounds, &points).unwrap_or(1.0);
        LandmarkFace::new(&task.frames, (SIDE, &pixels), bounds, Some((points, length)))
    };
    let faces = draw(count, seed).map(cut).collect::<Result<Vec<_>>>()?;
    let labels = POINTS.into_iter().collect();
    let names = Vocabulary { labels, attributes: LandmarkExamples::attributes_of_all() };
    Ok(DrawnFaces { data: LandmarkExamples::new(&task.frames, POINTS.len(), faces)?, names })
}

/// Draws faces, one after the other.
///
/// ```
/// use maxmargin::tasks::landmarks::faces::{POINTS, draw};
/// let face = draw(1, 7).next().unwrap();
/// assert_eq!((face.pixels.len(), face.points.len()), (72 * 72, POINTS.len()));
/// ```
pub fn draw(count: usize, seed: u64) -> impl Iterator<Item = DrawnFace> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    (0..count).map(move |_| Features::random(&mut random).draw(&mut random))
}

/// An ellipse of some brightness.
#[derive(Debug, Clone, Copy)]
struct Blob {
    at: (f64, f64),
    size: (f64, f64),
    light: f64,
}

/// A face in its own coordinates: (0, 0) is between the eyes and the mouth, and 1 about half its height.
struct Features {
    /// Painted one over the other: first what is beside the face, then it.
    blobs: Vec<Blob>,
    points: Vec<(f64, f64)>,
    background: f64,
    /// Where its centre is in the picture, how large it is, and how far it is turned.
    centre: (f64, f64),
    scale: f64,
    angle: f64,
    /// How much brighter it gets to the right, and downwards.
    light: (f64, f64),
    noise: f64,
}

impl Features {
    fn random(random: &mut Pcg64Mcg) -> Self {
        let mut between = |least: f64, most: f64| least + (most - least) * random.random::<f64>();
        // What is nearer moves further when a face looks to a side.
        let look = (between(-1.0, 1.0), between(-0.6, 0.6));
        let seen = |x: f64, y: f64, near: f64| (x + near * look.0, y + near * look.1);
        let skin = between(0.5, 0.8);
        let (hair, background) = (between(0.05, 0.6), between(0.1, 0.9));
        let head = (between(0.66, 0.8), between(0.92, 1.08));
        let mut blobs = Vec::new();
        let mut add = |at: (f64, f64), size: (f64, f64), light: f64| blobs.push(Blob { at, size, light });
        // Spots beside the face, dark in something bright like eyes.
        for _ in 0..3 {
            let turn = between(0.0, std::f64::consts::TAU);
            let at = (1.25 * turn.cos(), 1.3 * turn.sin());
            add(at, (between(0.12, 0.22), between(0.06, 0.12)), between(0.6, 1.0));
            add(at, (0.07, 0.07), between(0.0, 0.2));
        }
        add((0.0, -0.28), (head.0 * between(1.05, 1.2), head.1 * 0.95), hair);
        add((0.0, 0.05), head, skin);
        let (apart, up) = (between(0.28, 0.37), between(-0.34, -0.24));
        let (wide, high) = (between(0.12, 0.18), between(0.04, 0.085));
        let gaze = between(-0.05, 0.05);
        let brow = (between(0.1, 0.2), hair * between(0.4, 0.9));
        let mut points = Vec::new();
        for side in [-1.0, 1.0] {
            let eye = seen(side * apart, up, 0.07);
            add((eye.0, eye.1 - brow.0 - 0.03), (wide * 1.25, 0.035), brow.1);
            add(eye, (wide, high), (skin + 0.35).min(1.0));
            add((eye.0 + gaze, eye.1), (0.06, high.min(0.06)), 0.08);
            points.extend([(eye.0 - wide, eye.1), (eye.0 + wide, eye.1)]);
        }
        let nose = seen(0.0, between(0.1, 0.2), 0.2);
        add(((nose.0 + 0.05 * look.0) * 0.6, nose.1 - 0.17), (0.04, 0.2), skin * 1.12);
        add((nose.0, nose.1 + 0.03), (between(0.09, 0.14), 0.05), skin * 0.72);
        add((nose.0, nose.1 - 0.02), (0.08, 0.06), skin * 1.08);
        let mouth = seen(0.0, between(0.46, 0.58), 0.09);
        let (half, open) = (between(0.2, 0.32), between(0.02, 0.09));
        add(mouth, (half, open + 0.025), skin * between(0.45, 0.7));
        if open > 0.05 {
            add(mouth, (half * 0.75, open * 0.5), between(0.05, 0.95));
        }
        points.push(nose);
        points.extend([(mouth.0 - half, mouth.1), (mouth.0 + half, mouth.1)]);
        let eyes = ((points[0].0 + points[3].0) / 2.0, (points[0].1 + points[3].1) / 2.0);
        points.push(((eyes.0 + mouth.0) / 2.0, (eyes.1 + mouth.1) / 2.0));
        let middle = SIDE as f64 / 2.0 - 0.5;
        Self {
            blobs,
            points,
            background,
            centre: (middle + between(-4.0, 4.0), middle + between(-4.0, 4.0)),
            scale: between(20.0, 27.0),
            angle: between(-0.3, 0.3),
            light: (between(-0.45, 0.45), between(-0.3, 0.3)),
            noise: between(0.03, 0.13),
        }
    }

    /// Where a place of the face is in the picture.
    fn in_picture(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let (sin, cos) = self.angle.sin_cos();
        (self.centre.0 + self.scale * (cos * x - sin * y), self.centre.1 + self.scale * (sin * x + cos * y))
    }

    /// How bright a place of the face is.
    fn brightness(&self, (x, y): (f64, f64)) -> f64 {
        let soft = 1.0 / self.scale;
        self.blobs.iter().fold(self.background, |light, blob| {
            let (across, down) = ((x - blob.at.0) / blob.size.0, (y - blob.at.1) / blob.size.1);
            let outside = (across.hypot(down) - 1.0) * blob.size.0.min(blob.size.1);
            // A pixel that lies on the edge has something of both.
            let share = (0.5 - outside / soft).clamp(0.0, 1.0);
            light + share * (blob.light - light)
        })
    }

    fn draw(&self, random: &mut Pcg64Mcg) -> DrawnFace {
        let (sin, cos) = self.angle.sin_cos();
        let mut pixels = Vec::with_capacity(SIDE * SIDE);
        for row in 0..SIDE {
            for column in 0..SIDE {
                let (right, down) = (column as f64 - self.centre.0, row as f64 - self.centre.1);
                let place =
                    ((cos * right + sin * down) / self.scale, (cos * down - sin * right) / self.scale);
                let lit = 1.0 + (self.light.0 * right + self.light.1 * down) / (SIDE as f64 / 2.0);
                // The sum of some even numbers is about normal, with this deviation.
                let even: f64 = (0..4).map(|_| random.random::<f64>() - 0.5).sum::<f64>() * 3f64.sqrt();
                let light = self.brightness(place) * lit + self.noise * even;
                pixels.push((255.0 * light.clamp(0.0, 1.0)).round() as u8);
            }
        }
        let mut between = |least: f64, most: f64| least + (most - least) * random.random::<f64>();
        let half = self.scale * between(0.85, 1.0);
        let middle = self.in_picture((0.0, 0.08));
        let at = (middle.0 + self.scale * between(-0.08, 0.08), middle.1 + self.scale * between(-0.08, 0.08));
        let rounded = |x: f64| (10.0 * x).round() / 10.0;
        DrawnFace {
            pixels,
            bounds: [at.0 - half, at.1 - half, 2.0 * half, 2.0 * half].map(rounded),
            points: self
                .points
                .iter()
                .map(|&point| self.in_picture(point))
                .map(|(x, y)| (rounded(x), rounded(y)))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::TaskData;

    #[test]
    fn points_are_inside_and_the_same_for_a_seed() {
        let faces: Vec<DrawnFace> = draw(50, 3).collect();
        let longer: Vec<DrawnFace> = draw(60, 3).collect();
        assert!(faces.iter().zip(&longer).all(|(a, b)| a.pixels == b.pixels && a.points == b.points));
        assert_ne!(faces[0].pixels, draw(1, 4).next().unwrap().pixels);
        for face in &faces {
            let [left, top, width, height] = face.bounds;
            for &(x, y) in &face.points {
                assert!(
                    (left - 2.0..left + width + 2.0).contains(&x)
                        && (top - 2.0..top + height + 2.0).contains(&y)
                );
            }
        }
        let cut = drawn_faces(&Landmarks::default(), 3, 3).unwrap();
        assert_eq!((cut.data.len(), cut.data.parts(), cut.names.labels.len()), (3, 8, 8));
        assert_eq!(cut.data.points(1).unwrap().0, faces[1].points);
    }
}
