//! Faces with their landmarks: of pictures in arrays and files, and drawn ones.

use std::path::PathBuf;
use std::sync::Arc;

use maxmargin::Error;
use maxmargin::data::{Picture, ReadOptions, Reading};
use maxmargin::tasks::Task;
use maxmargin::tasks::landmarks::faces::{POINTS, SIDE, draw};
use maxmargin::tasks::landmarks::{FaceCutter, Landmarks};
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::data::Data;
use crate::errors::{of_argument, raised};
use crate::model::Model;

/// The task that options make, or that of a model.
pub fn task(options: Option<&Bound<'_, PyDict>>, model: Option<&Model>) -> PyResult<Landmarks> {
    if let Some(model) = model {
        let fitted = model.inner.task_as::<Landmarks>();
        return match fitted {
            Some(fitted) => Ok(fitted.task().clone()),
            None => Err(PyValueError::new_err("model: it finds no landmarks")),
        };
    }
    let mut task = Landmarks::default();
    for (option, values) in options.into_iter().flatten() {
        task.set(&option.extract::<String>()?, &values.extract::<Vec<String>>()?).map_err(raised)?;
    }
    Ok(task)
}

/// What a model calls points.
pub fn point_names(model: &Model) -> Vec<String> {
    model.inner.names().labels.iter().map(str::to_owned).collect()
}

/// Faces of pictures: arrays of bytes, or files by their names.
pub fn of_pictures(
    task: &Landmarks,
    names: &[String],
    pictures: &Bound<'_, PyList>,
    boxes: &[Option<[f64; 4]>],
    points: Option<&PyReadonlyArray3<'_, f64>>,
) -> PyResult<Data> {
    let py = pictures.py();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut cutter = FaceCutter::new(task, &names).map_err(|error| about("names", error))?;
    let points = points.map(PyReadonlyArray3::as_array);
    if boxes.len() != pictures.len() || points.as_ref().is_some_and(|points| points.dim().0 != boxes.len()) {
        return Err(PyValueError::new_err("X: there is a box and a row of points for each picture"));
    }
    // The faces of one file follow each other.
    let mut last: Option<(PathBuf, Picture)> = None;
    for (number, (picture, bounds)) in pictures.iter().zip(boxes).enumerate() {
        let of_face = |error: Error| about(&format!("face {number}"), error);
        let points = points.as_ref().map(|points| {
            let rows = points.index_axis(numpy::ndarray::Axis(0), number);
            rows.rows().into_iter().map(|point| (point[0], point[1])).collect::<Vec<_>>()
        });
        if let Ok(pixels) = picture.extract::<PyReadonlyArray2<'_, u8>>() {
            let (columns, pixels) = (pixels.as_array().ncols(), pixels.as_array().iter().copied().collect());
            let add = || cutter.add(&Picture::of_rows(columns, pixels)?, *bounds, points);
            py.detach(add).map_err(of_face)?;
            continue;
        }
        let file: PathBuf = picture.extract()?;
        if last.as_ref().is_none_or(|(name, _)| *name != file) {
            last = Some((file.clone(), py.detach(|| Picture::open(&file)).map_err(of_face)?));
        }
        if let Some((_, picture)) = &last {
            py.detach(|| cutter.add(picture, *bounds, points)).map_err(of_face)?;
        }
    }
    let (data, names) = cutter.finish().map_err(|error| of_argument("X", error))?;
    Ok(Data { data: Arc::new(data), names })
}

/// Faces of files as the program reads them.
pub fn of_files(
    py: Python<'_>,
    task: &Landmarks,
    files: &[PathBuf],
    model: Option<&Model>,
) -> PyResult<Data> {
    let known = model.map(|model| model.inner.names());
    let read = py.detach(|| task.read(files, &ReadOptions::default(), known));
    let Reading { data, names, .. } = read.map_err(|error| about("X", error))?;
    Ok(Data { data: Arc::new(data), names })
}

/// What is wrong with a face or with all of them, by the argument that it came in.
fn about(place: &str, error: Error) -> PyErr {
    match error {
        Error::Parameter { name, problem } => match &*name {
            "points" => PyValueError::new_err(format!("y: {place}: {problem}")),
            "box" | "picture" => PyValueError::new_err(format!("X: {place}: {problem}")),
            "names" => PyValueError::new_err(format!("point_names: {problem}")),
            _ => raised(Error::Parameter { name, problem }),
        },
        Error::Io { .. } => raised(error),
        error => of_argument("X", error),
    }
}

/// So many faces that are drawn on the spot, other ones for each seed: a list of (picture, box), an array of points (faces, points, 2),
/// and the names of these.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub fn drawn_faces<'py>(
    py: Python<'py>,
    count: usize,
    seed: u64,
) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyArray3<f64>>, Vec<&'static str>)> {
    let (faces, mut points) = (PyList::empty(py), Vec::new());
    for face in draw(count, seed) {
        let picture: Bound<'py, PyArray2<u8>> = PyArray1::from_vec(py, face.pixels).reshape([SIDE, SIDE])?;
        let [left, top, width, height] = face.bounds;
        faces.append((picture, (left, top, width, height)))?;
        points.extend(face.points.iter().flat_map(|&(x, y)| [x, y]));
    }
    let points = PyArray1::from_vec(py, points).reshape([count, POINTS.len(), 2])?;
    Ok((faces, points, POINTS.to_vec()))
}
