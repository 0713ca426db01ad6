//! Faces of pictures, cut one after the other and measured as a task asks for it.

use super::normaliser::{self, Ends};
use super::{Frames, LandmarkExamples, LandmarkFace, Landmarks};
use crate::data::{Alphabet, Face, Picture, Vocabulary, check_bounds, check_names, check_point};
use crate::error::{Error, Result};

/// Makes examples of faces in pictures.
///
/// ```
/// use maxmargin::data::Picture;
/// use maxmargin::tasks::landmarks::faces::{POINTS, SIDE, draw};
/// use maxmargin::tasks::landmarks::{FaceCutter, Landmarks};
///
/// let mut cutter = FaceCutter::new(&Landmarks::default(), &POINTS)?;
/// for face in draw(3, 1) {
///     cutter.add(&Picture::of_rows(SIDE, face.pixels)?, Some(face.bounds), Some(face.points))?;
/// }
/// let (faces, names) = cutter.finish()?;
/// assert_eq!((faces.parts(), names.labels.len()), (8, 8));
/// # Ok::<(), maxmargin::Error>(())
/// ```
#[derive(Debug)]
pub struct FaceCutter {
    frames: Frames,
    names: Alphabet,
    ends: Ends,
    faces: Vec<LandmarkFace>,
}

impl FaceCutter {
    /// For faces whose points have these names.
    pub fn new(task: &Landmarks, names: &[&str]) -> Result<Self> {
        let refused = |problem: String| Error::parameter("names", problem);
        let owned: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        check_names(&owned, &mut None, true).map_err(refused)?;
        let alphabet: Alphabet = names.iter().copied().collect();
        if alphabet.len() != names.len() {
            return Err(refused("two points have the same name".to_owned()));
        }
        let ends = task.normaliser.ends(names)?;
        Ok(Self { frames: task.frames.clone(), names: alphabet, ends, faces: Vec::new() })
    }

    /// Adds a face in a box (left, top, width, height), or in all of a picture, with its points in the order of their names, where they
    /// are known. Errors are about `box` or `points`.
    pub fn add(
        &mut self,
        picture: &Picture,
        bounds: Option<[f64; 4]>,
        points: Option<Vec<(f64, f64)>>,
    ) -> Result<()> {
        let bounds = bounds.unwrap_or([0.0, 0.0, picture.width as f64, picture.height as f64]);
        check_bounds(bounds, picture).map_err(|problem| Error::parameter("box", problem))?;
        if let Some(points) = &points {
            let refused = |problem: String| Error::parameter("points", problem);
            if points.len() != self.names.len() {
                return Err(refused(format!("{} points for {} names", points.len(), self.names.len())));
            }
            let mut pairs = self.names.iter().zip(points);
            pairs.try_for_each(|(name, &point)| check_point(name, point, picture)).map_err(refused)?;
        }
        self.cut(&Face { file: "", picture, bounds, points })
    }

    /// Adds a face that was checked where it was read.
    pub(super) fn cut(&mut self, face: &Face<'_>) -> Result<()> {
        let length = |points: &[(f64, f64)]| normaliser::length(&self.ends, face.bounds, points);
        let measured = |points: Vec<(f64, f64)>| length(&points).map(|length| (points, length));
        let points = face.points.clone().map(measured).transpose();
        let points = points.map_err(|problem| Error::parameter("points", problem))?;
        self.faces.push(self.frames.cut(face, points)?);
        Ok(())
    }

    /// The examples, and what their points are called.
    pub fn finish(self) -> Result<(LandmarkExamples, Vocabulary)> {
        let data = LandmarkExamples::new(&self.frames, self.names.len(), self.faces)?;
        Ok((data, Vocabulary { labels: self.names, attributes: LandmarkExamples::attributes_of_all() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_face_is_refused_with_what_is_wrong() {
        let picture = Picture::of_rows(6, vec![9; 48]).unwrap();
        let task = Landmarks::default();
        let mut cutter = FaceCutter::new(&task, &["eye", "mouth"]).unwrap();
        let points = |x: f64| Some(vec![(x, 1.0), (2.0, 6.0)]);
        cutter.add(&picture, None, points(2.0)).unwrap();
        cutter.add(&picture, Some([1.0, 1.0, 4.0, 4.0]), None).unwrap();
        for (bounds, points, part) in [
            (Some([9.0, 0.0, 4.0, 4.0]), None, "box: the box at (9, 0)"),
            (Some([f64::NAN, 0.0, 4.0, 4.0]), None, "box"),
            (Some([0.0, 0.0, 0.0, 4.0]), None, "box"),
            (None, points(7.5), "points: the point eye at (7.5, 1)"),
            (None, points(f64::NAN), "points"),
            (None, Some(vec![(1.0, 1.0)]), "points: 1 points for 2 names"),
            (None, Some(vec![(1.0, 1.0); 2]), "points: the points that distances are measured between"),
        ] {
            let error = cutter.add(&picture, bounds, points).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
        let (faces, names) = cutter.finish().unwrap();
        assert_eq!((crate::data::TaskData::len(&faces), names.labels.len()), (2, 2));
        for (names, part) in
            [(&["eye", "eye", "mouth"][..], "same name"), (&[], "no points"), (&["a", "b"], "normaliser")]
        {
            let error = FaceCutter::new(&task, names).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
