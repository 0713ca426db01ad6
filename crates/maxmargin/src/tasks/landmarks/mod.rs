//! Landmarks: named points of a face, found in its picture all at once (BUNDLE 4.2).

pub mod faces;

mod cutter;
mod demo;
mod examples;
mod frames;
mod geometry;
mod metrics;
mod normaliser;

use std::path::PathBuf;

pub use cutter::FaceCutter;
pub use examples::LandmarkExamples;
pub use frames::{Frames, LandmarkFace};
pub use geometry::{Geometry, PartLinks};
pub use normaliser::Normaliser;
use serde_json::{Map, Value, json};

use super::option::{choice, one, unknown};
use super::stored::unknown_loss;
use super::{ComparisonOf, DrawnImage, OptionGroup, Stored, Task, TaskOption};
use crate::data::{
    Alphabet, PointNames, ReadOptions, Reading, TaskData, TextReading, Unseen, Vocabulary, read_faces,
};
use crate::error::{Error, Place, Result};
use crate::metrics::Metrics;
use crate::search::Strategy;
use crate::shown::{count, number};
use crate::structure::{
    Deformation, GradientCells, LandmarkInput, LandmarkOptions, LandmarkStructure, PartEdge, Template, Window,
};
use crate::surrogate::Surrogate;

/// The format that models of landmarks name.
const FORMAT: &str = "landmarks";

/// Local binary patterns have eight bits.
const KINDS: usize = 256;

/// Gradients have nine directions.
const DIRECTIONS: usize = 9;

/// Offsets are measured in this share of the frame's side, so that most of their squares are about 1.
const SPREAD: f64 = 0.125;

/// Said where parts see no gradients.
const NO_GRADIENTS: &str = "no";

/// The sides that a frame may have.
const SIDES: std::ops::RangeInclusive<usize> = 8..=512;

/// The task: named points of faces, or of anything else that has about the same parts in about the same places.
///
/// ```
/// use maxmargin::tasks::{Landmarks, landmarks::faces::drawn_faces};
/// use maxmargin::{Examples, Trainer};
///
/// let task = Landmarks::default();
/// let faces = drawn_faces(&task, 20, 1)?;
/// let data = Examples::new(faces.data.clone(), faces.names.clone());
/// let model = Trainer::new(task).lambda(1.0).gap(0.1).train(&data)?;
/// let best = &model.predict(&faces.data, 1)?[0][0];
/// assert_eq!(best.label.as_array().map(Vec::len), Some(8));
/// # Ok::<(), maxmargin::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Landmarks {
    /// How faces are cut from pictures and what is seen around each pixel.
    pub frames: Frames,
    /// Which parts hang together.
    pub links: PartLinks,
    /// Whether an edge has a weight for each offset, instead of four of a quadratic function.
    pub table: bool,
    /// How many cells windows reach beyond where parts were seen.
    pub slack: usize,
    /// What distances are measured by.
    pub normaliser: Normaliser,
    /// Windows and edges, once they are known.
    pub geometry: Option<Geometry>,
}

impl Default for Landmarks {
    fn default() -> Self {
        // BUNDLE's 40 × 40 pixels; 115 codes a part, where BUNDLE's 8 parts have 908.
        let sides = Template::new(vec![9, 5, 3]);
        let template = sides.unwrap_or_else(|_| unreachable!("odd sides are allowed"));
        Self {
            frames: Frames { side: 40, margin: 0.1, template, gradients: None },
            links: PartLinks::default(),
            table: false,
            slack: 2,
            normaliser: Normaliser::default(),
            geometry: None,
        }
    }
}

const DEFORMATIONS: [(&str, bool); 2] = [("quadratic", false), ("table", true)];

const FRAME: TaskOption =
    TaskOption::value("frame", "PIXELS", "Faces are scaled to so many pixels a side, 8 to 512").default("40").more(
        "The box around a face becomes a square, and that a picture of this size. A landmark is found to the pixel of it: smaller frames are quicker and \
         coarser.",
    );
const MARGIN: TaskOption =
    TaskOption::value("frame-margin", "SHARE", "What is added to each side of the box around a face, 0 to 2")
        .default("0.1")
        .more("A share of the box's longer side. Points outside are learnt as if they were at the edge.");
const TEMPLATE: TaskOption =
    TaskOption::value("template", "SIDES", "What a part sees: the sides of squares of pixels, odd, finest first")
        .default("9,5,3")
        .more(
            "A square for each level of a pyramid, each of half the resolution of the one before, up to six: 9,5,3 are 9×9 pixels, 5×5 of twice the size and 3×3 of \
             four times the size. Each pixel is seen as its local binary pattern, of which there are 256, and each of these has a weight.",
        );
const GRADIENTS: TaskOption =
    TaskOption::value("gradients", "CELLS,PIXELS", "Histograms of gradients too: cells a side, odd, and pixels a cell; or no")
        .default("no")
        .more(
            "5,4: a part also sees 5×5 cells of 4×4 pixels, and of each cell how much brightness changes in each of nine directions, beside what it changes around it.",
        );
const TREE: TaskOption =
    TaskOption::value("part-tree", "TREE", "Which parts hang together: spanning, star, star=PART or A-B,B-C")
        .default("spanning")
        .more(
            "spanning: the tree whose offsets vary least in training data. star: all hang on one part, the one from which they vary least, or on PART. \
             A-B,B-C: these edges, which are a tree of all parts.",
        );
const DEFORMATION: TaskOption =
    TaskOption::value("deformation", "KIND", "What is learnt of the offset of two parts: quadratic or table")
        .default("quadratic")
        .more(
            "quadratic: four weights an edge, of the offset and its square in each direction; the best label is found in time that grows with the number of pixels. \
             table: a weight for each offset; the time grows with its square.",
        );
const SLACK: TaskOption =
    TaskOption::value("slack", "PIXELS", "How far from where training data has a part it may be found, 0 to 64")
        .default("2")
        .more("Pixels of the frame. The window in which a part is searched has all its places in training data, and so many pixels more to each side.");
const NORMALISER: TaskOption =
    TaskOption::value("normaliser", "LENGTH", "What distances are measured by: eyes-mouth, box or A,B:C,D")
        .default("eyes-mouth")
        .more(
            "eyes-mouth: from the centre of the points that are called eye to that of those called mouth (of 68 numbered points: as iBUG numbers them). box: the \
             longer side of the box. A,B:C,D: from the centre of the points A and B to that of C and D.",
        )
        .about(OptionGroup::Problem);

/// A number in a range.
fn within<N: std::str::FromStr + PartialOrd + std::fmt::Display + Copy>(
    option: &str,
    values: &[String],
    least: N,
    most: N,
) -> Result<N> {
    let value = one(option, values)?.parse().ok().filter(|value: &N| (least..=most).contains(value));
    value.ok_or_else(|| Error::parameter(option, format!("a number from {least} to {most} is needed")))
}

impl Landmarks {
    fn structure_options(&self, geometry: &Geometry) -> LandmarkOptions {
        let deformation = match self.table {
            true => Deformation::Table,
            false => Deformation::Quadratic { spread: SPREAD * self.frames.side as f64 },
        };
        LandmarkOptions {
            size: (self.frames.side, self.frames.side),
            windows: geometry.windows.clone(),
            edges: geometry.edges.clone(),
            deformation,
            template: self.frames.template.clone(),
            kinds: KINDS,
            gradients: self.frames.gradients,
        }
    }

    fn sides(&self) -> String {
        let sides: Vec<String> = self.frames.template.sides().iter().map(usize::to_string).collect();
        sides.join(",")
    }

    /// Cells and pixels of gradients, as their option has them.
    fn gradients_text(&self) -> String {
        let text = |cells: GradientCells| format!("{},{}", cells.side(), cells.pixels());
        self.frames.gradients.map_or_else(|| NO_GRADIENTS.to_owned(), text)
    }

    fn set_gradients(&mut self, text: &str) -> Result<()> {
        let numbers = text.split_once(',').map(|(side, pixels)| (side.trim().parse(), pixels.trim().parse()));
        self.frames.gradients = match (text, numbers) {
            (NO_GRADIENTS, _) => None,
            (_, Some((Ok(side), Ok(pixels)))) => Some(GradientCells::new(side, pixels)?),
            _ => {
                let problem = "two numbers with a comma between are needed, such as 5,4, or no";
                return Err(Error::parameter("gradients", problem));
            }
        };
        Ok(())
    }

    fn deformation_name(&self) -> &'static str {
        DEFORMATIONS[usize::from(self.table)].0
    }

    /// Points that are outside of their frame, of how many.
    fn outside(&self, data: &LandmarkExamples) -> (usize, usize) {
        let side = self.frames.side as f64;
        let is_outside = |place: &&(f64, f64)| {
            let is_in = |x: f64| (-0.5..side - 0.5).contains(&x);
            !(is_in(place.0) && is_in(place.1))
        };
        let of_face = |i: usize| data.frame_points(i).unwrap_or_default();
        let outside = (0..data.len()).map(|i| of_face(i).iter().filter(is_outside).count()).sum();
        (outside, data.labels().len())
    }
}

impl Task for Landmarks {
    type Data = LandmarkExamples;
    type Structure = LandmarkStructure;

    const NAME: &'static str = "landmarks";
    const ABOUT: &'static str = "\
Named points of a face, or of anything that has about the same parts in about the same places, found in its picture

Data is a table with a line for each face: the file of its picture (PNG, JPEG or PGM), a box around it (left, top, width, height) and the points \
(NAME_x, NAME_y), or iBUG's .pts files. A label is a place for each point. Predictions are a line for each face: its picture, and NAME=X,Y for each \
point, in pixels of the picture. Metrics: mean_deviation (the mean distance of points from where they should be, as a share of a length that --normaliser \
chooses), worst_deviation (the same of the worst point of each face), faces_found and points_found (the shares of faces and points with a deviation \
below 0.1), the mean loss, and how often each point is found.";
    const READS_TABLES: bool = false;
    const OF_DATA: &'static [&'static str] = &["windows", "edges"];

    fn options() -> Vec<TaskOption> {
        vec![FRAME, MARGIN, TEMPLATE, GRADIENTS, TREE, DEFORMATION, SLACK, NORMALISER]
    }

    fn set(&mut self, option: &str, values: &[String]) -> Result<()> {
        match option {
            "frame" => self.frames.side = within(option, values, *SIDES.start(), *SIDES.end())?,
            "frame-margin" => self.frames.margin = within(option, values, 0.0, 2.0)?,
            "template" => {
                let problem =
                    || Error::parameter(option, "odd numbers with commas between are needed, such as 9,5,3");
                let sides = one(option, values)?.split(',').map(|side| side.trim().parse().ok());
                let sides: Vec<usize> = sides.collect::<Option<_>>().ok_or_else(problem)?;
                self.frames.template = Template::new(sides)?;
            }
            "gradients" => self.set_gradients(one(option, values)?)?,
            "part-tree" => self.links = PartLinks::parse(one(option, values)?),
            "deformation" => self.table = choice(option, values, &DEFORMATIONS)?,
            "slack" => self.slack = within(option, values, 0, 64)?,
            "normaliser" => self.normaliser = Normaliser::parse(one(option, values)?)?,
            _ => return Err(unknown(Self::NAME, option)),
        }
        Ok(())
    }

    fn read(
        &self,
        files: &[PathBuf],
        options: &ReadOptions,
        known: Option<&Vocabulary>,
    ) -> Result<Reading<LandmarkExamples>> {
        if let Some(format) = options.format {
            let problem = format!(
                "landmarks are read from tables and .pts files that say what they are, not as {format}"
            );
            return Err(Error::parameter("format", problem));
        }
        let known_names: Option<Vec<&str>> = known.map(|names| names.labels.iter().collect());
        let point_names = known_names.as_deref().map_or(PointNames::Found, PointNames::Known);
        let mut cutter: Option<FaceCutter> = None;
        let names = read_faces(files, point_names, &mut |names, face| {
            let cutter = match &mut cutter {
                Some(cutter) => cutter,
                None => cutter.insert(FaceCutter::new(self, names).map_err(|error| error.to_string())?),
            };
            cutter.cut(&face).map_err(|error| error.to_string())
        })?;
        let (data, names) = match cutter {
            Some(cutter) => cutter.finish()?,
            None if known.is_some() => {
                let labels: Alphabet = names.iter().map(String::as_str).collect();
                let data = LandmarkExamples::new(&self.frames, labels.len(), Vec::new())?;
                (data, Vocabulary { labels, attributes: LandmarkExamples::attributes_of_all() })
            }
            None => {
                let file = files.first().cloned().unwrap_or_default();
                return Err(Error::data(Place::new(file, 0, 0), "there are no faces"));
            }
        };
        let mut notes = Vec::new();
        if let (outside @ 1.., all) = self.outside(&data) {
            notes.push(format!(
                "{outside} of {all} points are outside of their frame (the option frame-margin widens it)"
            ));
        }
        let text = TextReading { notes, ..TextReading::default() };
        Ok(Reading { data, names, format: Some(FORMAT.to_owned()), unseen: Unseen::default(), text })
    }

    fn resolve(&self, names: &Vocabulary, data: &LandmarkExamples) -> Result<Self> {
        if data.parts() != names.labels.len() {
            let problem = format!("{} names for {}", names.labels.len(), count(data.parts(), "part"));
            return Err(Error::parameter("names", problem));
        }
        let name = |part: usize| names.labels.name(part as u32).to_owned();
        let geometry = Geometry::of(data, self.frames.side, self.slack, &self.links, name)?;
        Ok(Self { geometry: Some(geometry), ..self.clone() })
    }

    fn structure(&self, _: usize, parts: usize) -> Result<LandmarkStructure> {
        match self.geometry.as_ref().filter(|geometry| geometry.windows.len() == parts) {
            Some(geometry) => Ok(LandmarkStructure::new(self.structure_options(geometry))?),
            None => Err(Error::parameter(
                "landmarks",
                format!("the windows of {} are not known yet", count(parts, "part")),
            )),
        }
    }

    fn input(data: &LandmarkExamples, example: usize) -> LandmarkInput {
        data.face(example).input.clone()
    }

    fn truth(structure: &LandmarkStructure, data: &LandmarkExamples, example: usize) -> Result<Vec<u32>> {
        let places = data.frame_points(example);
        places
            .map(|places| structure.nearest(&places))
            .ok_or_else(|| Error::parameter("points", "they are not known"))
    }

    fn counts_mistakes(&self) -> bool {
        false
    }

    fn has_whole_losses(_: &LandmarkStructure, _: Surrogate) -> bool {
        false
    }

    const STRATIFIED_NEEDS: [&'static str; 2] = [
        "losses that are whole numbers, and distances are not",
        "distances are no whole numbers; use hull, and a surrogate that rises with the loss",
    ];

    fn best_search(_: &LandmarkStructure, _: Surrogate, _: &LandmarkExamples) -> (Strategy, &'static str) {
        (
            Strategy::Hull,
            "it says what it may have missed; hull-fractional misses nothing of a larger objective",
        )
    }

    fn blocks(&self, features: usize, labels: usize) -> Vec<(&'static str, Vec<usize>)> {
        let Ok(structure) = self.structure(features, labels) else { return Vec::new() };
        let (codes, appearance) = (structure.code_weights(), structure.appearance_weights());
        let edges = crate::structure::Structure::dim(&structure) - appearance;
        let shape = match self.table {
            true => vec![edges],
            false => vec![structure.options().edges.len(), 4],
        };
        let gradients = ("gradients", vec![(appearance - codes) / DIRECTIONS, DIRECTIONS]);
        let gradients = (appearance > codes).then_some(gradients);
        let codes = ("appearance", vec![codes / KINDS, KINDS]);
        [codes].into_iter().chain(gradients).chain([("deformation", shape)]).collect()
    }

    fn save(&self) -> Stored {
        let Geometry { windows, edges } =
            self.geometry.clone().unwrap_or(Geometry { windows: vec![], edges: vec![] });
        let windows: Vec<[usize; 4]> =
            windows.iter().map(|window| [window.left, window.top, window.width, window.height]).collect();
        let edges: Vec<(usize, usize, i32, i32)> =
            edges.iter().map(|edge| (edge.parent, edge.child, edge.offset.0, edge.offset.1)).collect();
        Stored::default()
            .with("bias", false)
            .with("boundary", false)
            .with("loss", self.loss_name())
            .with("frame", self.frames.side)
            .with("frame_margin", self.frames.margin)
            .with("template", self.frames.template.sides().to_vec())
            .with("gradients", self.gradients_text())
            .with("part_tree", self.links.text())
            .with("deformation", self.deformation_name())
            .with("slack", self.slack)
            .with("normaliser", self.normaliser.text())
            .with("windows", json!(windows))
            .with("edges", json!(edges))
    }

    fn load(stored: &Stored, labels: usize) -> std::result::Result<Self, String> {
        match stored.loss()?.as_str() {
            "deviation" => {}
            loss => return unknown_loss(loss),
        }
        let said = |error: Error| error.to_string();
        let (deformation, normaliser): (String, String) =
            (stored.field("deformation")?, stored.field("normaliser")?);
        let table = DEFORMATIONS.iter().find(|(name, _)| *name == deformation);
        let (side, margin): (usize, f64) = (stored.field("frame")?, stored.field("frame_margin")?);
        if !SIDES.contains(&side) || !(0.0..=2.0).contains(&margin) {
            return Err("the description's frame is out of range".to_owned());
        }
        let template = Template::new(stored.field("template")?).map_err(|error| error.to_string())?;
        let windows: Vec<[usize; 4]> = stored.field("windows")?;
        let edges: Vec<(usize, usize, i32, i32)> = stored.field("edges")?;
        if windows.len() != labels {
            return Err(format!("{} windows for {}", windows.len(), count(labels, "part")));
        }
        let windows =
            windows.into_iter().map(|[left, top, width, height]| Window { left, top, width, height });
        let edges = edges.into_iter().map(|(parent, child, x, y)| PartEdge { parent, child, offset: (x, y) });
        let mut task = Self {
            frames: Frames { side, margin, template, gradients: None },
            links: PartLinks::parse(&stored.field::<String>("part_tree")?),
            table: table.ok_or("the deformation is not known to this version")?.1,
            slack: stored.field("slack")?,
            normaliser: Normaliser::parse(&normaliser).map_err(said)?,
            geometry: Some(Geometry { windows: windows.collect(), edges: edges.collect() }),
        };
        // Models that were made before there were any say nothing of them.
        let gradients = stored.fields.contains_key("gradients").then(|| stored.field::<String>("gradients"));
        task.set_gradients(gradients.transpose()?.as_deref().unwrap_or(NO_GRADIENTS)).map_err(said)?;
        Ok(task)
    }

    fn loss_name(&self) -> &'static str {
        "deviation"
    }

    fn describe(structure: &LandmarkStructure, task: &Self) -> String {
        let cells: usize = structure.windows().iter().map(Window::cells).sum();
        format!(
            "{} in frames of {}×{} pixels with a margin of {}, templates of {} pixels a side{}, {} deformation, {} searched, distances by {}",
            count(structure.parts(), "part"),
            task.frames.side,
            task.frames.side,
            number(task.frames.margin),
            task.sides(),
            task.frames.gradients.map_or(String::new(), |cells| {
                format!(" and gradients of {0}×{0} cells of {1} pixels", cells.side(), cells.pixels())
            }),
            task.deformation_name(),
            count(cells, "pixel"),
            task.normaliser.text(),
        )
    }

    fn facts(structure: &LandmarkStructure, task: &Self) -> Map<String, Value> {
        let places: Vec<Value> = structure
            .windows()
            .iter()
            .map(|window| json!([window.left, window.top, window.width, window.height]))
            .collect();
        let edges = structure
            .options()
            .edges
            .iter()
            .map(|edge| json!([edge.parent, edge.child, edge.offset.0, edge.offset.1]));
        let facts = [
            ("frame", json!(task.frames.side)),
            ("frame_margin", json!(task.frames.margin)),
            ("template", json!(task.frames.template.sides())),
            ("gradients", json!(task.frames.gradients.map(|cells| [cells.side(), cells.pixels()]))),
            ("deformation", json!(task.deformation_name())),
            ("normaliser", json!(task.normaliser.text())),
            ("windows", json!(places)),
            ("edges", edges.collect()),
        ];
        facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Name, column and row of each point in its picture, to a hundredth of a pixel.
    fn name(
        structure: &LandmarkStructure,
        names: &Vocabulary,
        input: &LandmarkInput,
        label: &Vec<u32>,
    ) -> Value {
        let rounded = |x: f64| (100.0 * x).round() / 100.0;
        let places = metrics::in_picture(structure, input.frame, label);
        let point =
            |(part, (x, y)): (u32, (f64, f64))| json!([names.labels.name(part), rounded(x), rounded(y)]);
        (0..).zip(places).map(point).collect()
    }

    fn write(label: &Value) -> String {
        let point = |point: &Value| format!("{}={},{}", point[0].as_str().unwrap_or("_"), point[1], point[2]);
        let points: Vec<String> = label.as_array().into_iter().flatten().map(point).collect();
        points.join(" ")
    }

    fn metrics(structure: &LandmarkStructure, comparison: ComparisonOf<'_, Self>) -> Metrics {
        metrics::metrics(structure, comparison)
    }

    /// How stiff each edge is: how much a square of the spread costs more, in both directions together.
    fn couplings(
        structure: &LandmarkStructure,
        names: &Alphabet,
        weights: &[f64],
    ) -> Vec<(String, String, f64)> {
        let LandmarkOptions { edges, deformation: Deformation::Quadratic { .. }, .. } = structure.options()
        else {
            return Vec::new();
        };
        let name = |part: usize| names.name(part as u32).to_owned();
        let of_edge = |(edge, weights): (&PartEdge, &[f64])| {
            (name(edge.parent), name(edge.child), -weights[2] - weights[3])
        };
        edges.iter().zip(weights[structure.appearance_weights()..].chunks_exact(4)).map(of_edge).collect()
    }

    /// The face with the points of a label as [`name`](Task::name) has it.
    fn picture(data: &LandmarkExamples, example: usize, label: &Value) -> Option<DrawnImage> {
        let place = |point: &Value| Some((point[1].as_f64()?, point[2].as_f64()?));
        let places: Vec<(f64, f64)> = label.as_array()?.iter().map(place).collect::<Option<_>>()?;
        Some(data.picture(example, &places))
    }

    fn demo_images() -> Result<Vec<DrawnImage>> {
        demo::pictures()
    }

    fn demo(say: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
        demo::run(say)
    }
}
