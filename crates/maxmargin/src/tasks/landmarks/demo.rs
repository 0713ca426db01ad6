//! The demo of landmarks: the corners of eyes and mouths of drawn faces.

use std::time::Instant;

use super::super::DrawnImage;
use super::super::demonstrating::{Learnt, explain, learn};
use super::faces::{DrawnFaces, drawn_faces};
use super::metrics::deviations;
use super::{Landmarks, PartLinks};
use crate::data::TaskData;
use crate::error::Result;
use crate::shown::{percent, time};

/// About the third of BUNDLE's four, for as many faces as it has.
const LAMBDA: f64 = 1.0;
const SHOWN: usize = 6;

/// Faces to learn from and new ones, and a model.
struct Lesson {
    train: DrawnFaces,
    test: DrawnFaces,
    learnt: Learnt<Landmarks>,
}

impl Lesson {
    fn new(task: Landmarks) -> Result<Self> {
        let (train, test) = (drawn_faces(&task, 150, 1)?, drawn_faces(&task, 100, 2)?);
        let learnt = learn(task, LAMBDA, &train.data, &test.data, &train.names)?;
        Ok(Self { train, test, learnt })
    }

    fn figure(&self, name: &str) -> String {
        percent(self.learnt.metrics.figure(name).unwrap_or_default())
    }

    /// The mean deviation where each point is always put where it is in the mean of all faces.
    fn deviation_of_mean(&self) -> f64 {
        let frames = |faces: &DrawnFaces| -> Vec<Vec<(f64, f64)>> {
            (0..faces.data.len()).filter_map(|i| faces.data.frame_points(i)).collect()
        };
        let (train, test) = (frames(&self.train), frames(&self.test));
        let mean = |part: usize| {
            let sum = train.iter().fold((0.0, 0.0), |sum, face| (sum.0 + face[part].0, sum.1 + face[part].1));
            (sum.0 / train.len() as f64, sum.1 / train.len() as f64)
        };
        let means: Vec<(f64, f64)> = (0..self.train.data.parts()).map(mean).collect();
        let of_face = |(i, face): (usize, &Vec<(f64, f64)>)| {
            let scale = self.test.data.face(i).input.scale / face.len() as f64;
            face.iter().zip(&means).map(|(a, b)| (a.0 - b.0).hypot(a.1 - b.1) * scale).sum::<f64>()
        };
        test.iter().enumerate().map(of_face).sum::<f64>() / test.len() as f64
    }

    /// The first new faces with the points that were found, and the one that went worst.
    fn pictures(&self) -> Vec<DrawnImage> {
        let Some(task) = self.learnt.model.task_as::<Landmarks>() else { return Vec::new() };
        let structure = task.structure();
        let mean = |&i: &usize| {
            let all = deviations(structure, &self.test.data, i, &self.learnt.labels[i]).unwrap_or_default();
            all.iter().sum::<f64>()
        };
        let worst = (0..self.test.data.len()).max_by(|a, b| mean(a).total_cmp(&mean(b)));
        let shown = (0..SHOWN - 1).chain(worst.filter(|&i| i >= SHOWN - 1));
        let drawn = |i: usize| {
            let frame = self.test.data.face(i).input.frame;
            self.test.data.picture(i, &super::metrics::in_picture(structure, frame, &self.learnt.labels[i]))
        };
        shown.map(drawn).collect()
    }
}

/// The pictures of the demo.
pub(super) fn pictures() -> Result<Vec<DrawnImage>> {
    Ok(Lesson::new(Landmarks::default())?.pictures())
}

pub(super) fn run(say: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
    let begun = Instant::now();
    let tree = Lesson::new(Landmarks::default())?;
    let count = tree.test.data.len();
    say(&format!(
        "Finding the corners of eyes and mouth: {} drawn faces to learn from, {count} new ones.\n\n\
         Each point has a look that is learnt, pixel by pixel, and points that hang together have a usual offset. A spot beside a\n\
         face may look more like the corner of an eye than the corner itself; all points together tell.\n\n",
        tree.train.data.len(),
    ))?;
    let star = Lesson::new(Landmarks { links: PartLinks::Star(None), ..Landmarks::default() })?;
    let mut text = format!(
        "{}\nOn the {count} new faces, as shares of the distance between eyes and mouth:\n\n{:24}{:>16}{:>16}{:>16}\n",
        explain("landmarks", "wrong places", "faces", &tree.learnt.report),
        "",
        "mean deviation",
        "of worst point",
        "points found",
    );
    text += &format!("{:24}{:>16}\n", "always the mean place", percent(tree.deviation_of_mean()));
    for (name, lesson) in [("on a star of parts", &star), ("on a tree of parts", &tree)] {
        let [mean, worst, found] =
            ["mean_deviation", "worst_deviation", "points_found"].map(|name| lesson.figure(name));
        text += &format!("{name:24}{mean:>16}{worst:>16}{found:>16}\n");
    }
    if let Some(picture) = tree.pictures().first() {
        text += &format!("\nThe first of them:\n\n{picture}");
    }
    text += &format!("\n{} in all.\n", time(begun.elapsed().as_secs_f64()));
    say(&text)
}
