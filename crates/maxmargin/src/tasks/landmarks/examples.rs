//! Faces with their points, in frames of one size.

use super::frames::{Frames, LandmarkFace};
use crate::data::{
    Attributes, Fingerprint, TaskData, UNKNOWN_LABEL, Vocabulary, fingerprint_of_bytes, refuse,
};
use crate::error::Result;
use crate::tasks::{DrawnImage, DrawnPoints};

/// What weights of appearance are about, beside the part.
const PATTERNS: &str = "patterns";

/// Faces with their points, where these are known.
#[derive(Debug, Clone)]
pub struct LandmarkExamples {
    faces: Vec<LandmarkFace>,
    parts: usize,
    side: usize,
    /// The number of each point, face after face; unknown where it is.
    labels: Vec<u32>,
    /// Bytes of codes and gradients of one face.
    codes: usize,
}

impl LandmarkExamples {
    /// Faces of so many parts that were cut by these frames.
    pub fn new(frames: &Frames, parts: usize, faces: Vec<LandmarkFace>) -> Result<Self> {
        let size = (frames.side, frames.side);
        let sides = frames.template.sides();
        let sizes = (0..sides.len()).map(|level| frames.template.level_size(level, size));
        let codes: Vec<usize> = sizes.map(|(width, height)| width * height).collect();
        let field = frames.gradients.map_or((0, 0), |cells| cells.field_size(size));
        let numbers = 9 * field.0 * field.1;
        let mut labels = Vec::with_capacity(parts * faces.len());
        for (i, face) in faces.iter().enumerate() {
            let levels = face.input.picture.levels();
            if levels.len() != codes.len()
                || levels.iter().zip(&codes).any(|(level, codes)| level.codes().len() != *codes)
                || face.input.gradients.as_ref().map_or(0, |field| field.numbers().len()) != numbers
            {
                return refuse(format!("face {} was cut by other frames", i + 1));
            }
            match &face.points {
                Some((points, _)) if points.len() == parts => labels.extend(0..parts as u32),
                Some((points, _)) => {
                    return refuse(format!("face {} has {} points of {parts}", i + 1, points.len()));
                }
                None => labels.resize(labels.len() + parts, UNKNOWN_LABEL),
            }
        }
        Ok(Self { faces, parts, side: frames.side, labels, codes: codes.iter().sum::<usize>() + numbers })
    }

    /// A face. Panics when it does not exist.
    pub(super) fn face(&self, example: usize) -> &LandmarkFace {
        &self.faces[example]
    }

    /// The number of points of a face.
    pub fn parts(&self) -> usize {
        self.parts
    }

    /// The points of a face in its picture, and the length that distances are measured by, where they are known. Panics when the face does
    /// not exist.
    pub fn points(&self, example: usize) -> Option<(&[(f64, f64)], f64)> {
        let (points, length) = self.faces[example].points.as_ref()?;
        Some((points, *length))
    }

    /// The points of a face in its frame.
    pub(super) fn frame_points(&self, example: usize) -> Option<Vec<(f64, f64)>> {
        let face = &self.faces[example];
        let (points, _) = face.points.as_ref()?;
        Some(points.iter().map(|&point| face.in_frame(point)).collect())
    }

    /// A face as a picture, with the true points, where they are known, and those that were found, in the picture that it was cut from.
    pub(super) fn picture(&self, example: usize, found: &[(f64, f64)]) -> DrawnImage {
        let face = &self.faces[example];
        let column =
            |x: usize| (0..self.side).map(|y| f64::from(face.pixels[y * self.side + x]) / 255.0).collect();
        let truth = self.frame_points(example).map(|places| DrawnPoints { name: "truth".to_owned(), places });
        let places = found.iter().map(|&place| face.in_frame(place)).collect();
        let found = DrawnPoints { name: "found".to_owned(), places };
        DrawnImage {
            columns: (0..self.side).map(column).collect(),
            points: truth.into_iter().chain([found]).collect(),
            ..DrawnImage::default()
        }
    }

    /// The names of what is seen of parts.
    pub(super) fn attributes_of_all() -> Attributes {
        Attributes::Named([PATTERNS].into_iter().collect())
    }
}

impl TaskData for LandmarkExamples {
    const KIND: &'static str = "faces with named points";

    fn len(&self) -> usize {
        self.faces.len()
    }

    fn attributes(&self) -> usize {
        1
    }

    fn id(&self, example: usize) -> Option<&str> {
        self.faces.get(example).map(|face| face.file.as_str()).filter(|file| !file.is_empty())
    }

    fn subset(&self, examples: &[usize]) -> Result<Self> {
        if let Some(&i) = examples.iter().find(|&&i| i >= self.faces.len()) {
            return refuse(format!("there is no example {i}; there are {}", self.faces.len()));
        }
        let labels = examples.iter().flat_map(|&i| self.labels_of(i)).copied().collect();
        let faces = examples.iter().map(|&i| self.faces[i].clone()).collect();
        Ok(Self { faces, labels, ..*self })
    }

    fn labels(&self) -> &[u32] {
        &self.labels
    }

    fn labels_of(&self, example: usize) -> &[u32] {
        &self.labels[example * self.parts..(example + 1) * self.parts]
    }

    fn missing_truth(&self, _: bool) -> Option<&'static str> {
        let nothing = "an evaluation needs the true points: a table with the columns NAME_x and NAME_y of all points that the model finds, and no empty field in them";
        self.labels.contains(&UNKNOWN_LABEL).then_some(nothing)
    }

    fn default_names(&self) -> Result<Vocabulary> {
        let labels: Vec<String> = (1..=self.parts).map(|part| part.to_string()).collect();
        let labels = labels.iter().map(String::as_str).collect();
        Ok(Vocabulary { labels, attributes: Self::attributes_of_all() })
    }

    fn bytes(&self) -> usize {
        let files: usize = self.faces.iter().map(|face| face.file.len()).sum();
        let of_face = self.codes + self.side * self.side + 20 * self.parts + size_of::<LandmarkFace>() + 64;
        self.faces.len() * of_face + files
    }

    fn fingerprint(&self) -> u64 {
        let mut fingerprint = Fingerprint::default();
        for face in &self.faces {
            for level in face.input.picture.levels() {
                fingerprint.add(fingerprint_of_bytes(level.codes()));
            }
            if let Some(field) = &face.input.gradients {
                fingerprint.add(fingerprint_of_bytes(field.numbers()));
            }
            let (points, length) =
                face.points.as_ref().map_or((&[][..], 0.0), |(points, length)| (points, *length));
            fingerprint.add_all(points.iter().map(|(x, _)| x.to_bits()));
            fingerprint.add_all(points.iter().map(|(_, y)| y.to_bits()));
            let (left, top, step) = face.input.frame;
            [length, left, top, step].into_iter().for_each(|number| fingerprint.add(number.to_bits()));
        }
        fingerprint.number()
    }

    fn parts(&self) -> (&'static str, usize) {
        ("point", self.labels.len())
    }
}
