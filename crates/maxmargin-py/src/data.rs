//! Examples of tasks, made of matrices and arrays of labels.
//!
//! Labels are numbers into a list of names, −1 where one is not known. Weights of examples are one for each, or none.

use std::sync::Arc;

use maxmargin::data::{
    Alphabet, Attributes, DataObject, Edge, ExampleRows, NodeGraph, Shape, UNKNOWN_LABEL, Vocabulary,
    read_hierarchy,
};
use maxmargin::tasks::{
    GraphExamples, HierarchyExamples, LabelSetExamples, RowExamples, SequenceExamples, TreeExamples,
};
use maxmargin::{Error, Examples};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::errors::{of_argument, raised};
use crate::faces;
use crate::matrix::Matrix;
use crate::model::Model;

type Numbers<'py> = PyReadonlyArray1<'py, i64>;
type Weights<'py> = Option<PyReadonlyArray1<'py, f64>>;

/// Examples with the names of their labels and columns.
#[pyclass(frozen, module = "maxmargin._engine")]
pub struct Data {
    pub data: Arc<dyn DataObject>,
    pub names: Vocabulary,
}

impl Data {
    pub fn examples(&self) -> Examples {
        Examples::of(Arc::clone(&self.data), self.names.clone())
    }

    fn new(data: impl maxmargin::data::TaskData, labels: Alphabet, matrix: &Matrix) -> Self {
        let attributes = match &matrix.names {
            Some(names) => Attributes::Named(names.clone()),
            None => Attributes::Numbered(matrix.features.columns()),
        };
        Self { data: Arc::new(data), names: Vocabulary { labels, attributes } }
    }
}

#[pymethods]
impl Data {
    /// Rows with a class each.
    #[staticmethod]
    #[pyo3(signature = (matrix, labels, names, weights=None))]
    fn rows(
        matrix: &Matrix,
        labels: Numbers<'_>,
        names: Vec<String>,
        weights: Weights<'_>,
    ) -> PyResult<Self> {
        let rows = weighted(ExampleRows::from(Arc::clone(&matrix.features)), weights)?;
        let data = RowExamples::new(rows, numbers(&labels, names.len())?).map_err(about_y)?;
        Ok(Self::new(data, alphabet(&names)?, matrix))
    }

    /// Sequences with a label for each row. The first so many columns are about the step from the row before.
    #[staticmethod]
    #[pyo3(signature = (matrix, starts, labels, names, weights=None, pair_columns=0))]
    fn sequences(
        matrix: &Matrix,
        starts: Numbers<'_>,
        labels: Numbers<'_>,
        names: Vec<String>,
        weights: Weights<'_>,
        pair_columns: usize,
    ) -> PyResult<Self> {
        let rows = weighted(grouped(matrix, &starts)?, weights)?;
        let data = SequenceExamples::new(rows, numbers(&labels, names.len())?).map_err(about_y)?;
        let data =
            data.with_pair_columns(pair_columns).map_err(|error| of_argument("pair_columns", error))?;
        Ok(Self::new(data, alphabet(&names)?, matrix))
    }

    /// Rows with a set of labels each, those of a row in ascending order.
    #[staticmethod]
    #[pyo3(signature = (matrix, starts, labels, names, weights=None))]
    fn sets(
        matrix: &Matrix,
        starts: Numbers<'_>,
        labels: Numbers<'_>,
        names: Vec<String>,
        weights: Weights<'_>,
    ) -> PyResult<Self> {
        let rows = weighted(ExampleRows::from(Arc::clone(&matrix.features)), weights)?;
        let (starts, labels) = (places(&starts, "y")?, numbers(&labels, names.len())?);
        let data = LabelSetExamples::new(rows, starts, labels).map_err(about_y)?;
        Ok(Self::new(data, alphabet(&names)?, matrix))
    }

    /// Rows with nodes of a hierarchy, by their names. The hierarchy is a list of (parent, child), or the names are paths like `a/b/c`; there
    /// may be `paths` that no row has. Nodes that no row has are left out, unless they are to be kept. Without labels these are rows to be
    /// predicted.
    #[staticmethod]
    #[pyo3(signature = (matrix, labels=None, edges=None, dag=false, weights=None, file=None, paths=Vec::new(), keep=false))]
    fn nodes(
        matrix: &Matrix,
        labels: Option<Vec<Vec<String>>>,
        edges: Option<Vec<(String, String)>>,
        dag: bool,
        weights: Weights<'_>,
        file: Option<std::path::PathBuf>,
        paths: Vec<String>,
        keep: bool,
    ) -> PyResult<Self> {
        let rows = weighted(ExampleRows::from(Arc::clone(&matrix.features)), weights)?;
        let Some(labels) = labels else {
            return Ok(Self::new(HierarchyExamples::unlabelled(rows), Alphabet::default(), matrix));
        };
        let shape = if dag { Shape::Dag } else { Shape::Tree };
        let graph = match (&edges, &file) {
            (_, Some(file)) => read_hierarchy(file, shape),
            (Some(edges), None) => {
                let edges = edges.iter().map(|(parent, child)| (parent.as_str(), child.as_str()));
                NodeGraph::from_edges(edges, shape)
            }
            (None, None) => NodeGraph::from_paths(labels.iter().flatten().chain(&paths).map(String::as_str)),
        };
        let graph = graph.map_err(|error| of_argument("hierarchy", error))?;
        let made = match keep {
            true => HierarchyExamples::from_names_of_all(rows, &labels, &graph),
            false => HierarchyExamples::from_names(rows, &labels, &graph),
        };
        let (data, names) = made.map_err(about_y)?;
        Ok(Self::new(data, names, matrix))
    }

    /// Bipartite graphs with a row, two ends and a label for each edge: 0 not linked, 1 linked, 2 possible.
    #[staticmethod]
    #[pyo3(signature = (matrix, starts, edges, labels, weights=None))]
    fn graphs(
        matrix: &Matrix,
        starts: Numbers<'_>,
        edges: PyReadonlyArray2<'_, i64>,
        labels: Numbers<'_>,
        weights: Weights<'_>,
    ) -> PyResult<Self> {
        let rows = weighted(grouped(matrix, &starts)?, weights)?;
        let edges = edges.as_array();
        if edges.ncols() != 2 {
            return Err(PyValueError::new_err("X: an edge has two ends"));
        }
        let end = |end: i64| {
            u32::try_from(end).map_err(|_| PyValueError::new_err(format!("X: {end} is no number of a node")))
        };
        let edges: PyResult<Vec<Edge>> = edges
            .rows()
            .into_iter()
            .map(|row| Ok(Edge { left: end(row[0])?, right: end(row[1])? }))
            .collect();
        let labels = numbers(&labels, maxmargin::data::EDGE_LABELS.len())?;
        let data = GraphExamples::new(rows, edges?, labels).map_err(|error| of_argument("X", error))?;
        Ok(Self::new(data, maxmargin::data::EDGE_LABELS.into_iter().collect(), matrix))
    }

    /// The sentences of a text in CoNLL-U, with their trees. With a model relations are numbered as it has them; without one crossing
    /// arcs can be lifted.
    #[staticmethod]
    #[pyo3(signature = (text, model=None, lift=false))]
    fn trees(text: &str, model: Option<&Model>, lift: bool) -> PyResult<Self> {
        let known = model.map(|model| model.inner.names());
        let (data, names) =
            TreeExamples::from_conllu(text, known).map_err(|error| of_argument("X", error))?;
        let data = if lift { data.lifted().0 } else { data };
        Ok(Self { data: Arc::new(data), names })
    }

    /// Faces in pictures (arrays or files), each in a box or in all of its picture, with points of these names where they are known. They
    /// are cut as the options of landmarks say, or as for a model.
    #[staticmethod]
    #[pyo3(signature = (pictures, boxes, names=Vec::new(), points=None, options=None, model=None))]
    fn faces(
        pictures: &Bound<'_, PyList>,
        boxes: Vec<Option<[f64; 4]>>,
        names: Vec<String>,
        points: Option<PyReadonlyArray3<'_, f64>>,
        options: Option<&Bound<'_, PyDict>>,
        model: Option<&Model>,
    ) -> PyResult<Self> {
        let task = faces::task(options, model)?;
        let names = model.map_or(names, faces::point_names);
        faces::of_pictures(&task, &names, pictures, &boxes, points.as_ref())
    }

    /// Faces of files as the program reads them: tables, iBUG's points, and with a model pictures.
    #[staticmethod]
    #[pyo3(signature = (files, options=None, model=None))]
    fn face_files(
        py: Python<'_>,
        files: Vec<std::path::PathBuf>,
        options: Option<&Bound<'_, PyDict>>,
        model: Option<&Model>,
    ) -> PyResult<Self> {
        faces::of_files(py, &faces::task(options, model)?, &files, model)
    }

    /// The number of examples.
    fn __len__(&self) -> usize {
        self.data.len()
    }

    /// The names of labels.
    #[getter]
    fn label_names(&self) -> Vec<String> {
        self.names.labels.iter().map(str::to_owned).collect()
    }

    /// A number that depends on all that is learnt from.
    #[getter]
    fn fingerprint(&self) -> u64 {
        self.data.fingerprint()
    }
}

fn about_y(error: Error) -> PyErr {
    of_argument("y", error)
}

fn weighted(rows: ExampleRows, weights: Weights<'_>) -> PyResult<ExampleRows> {
    match weights {
        None => Ok(rows),
        Some(weights) => rows
            .with_weights(weights.as_array().to_vec())
            .map_err(|error| of_argument("sample_weight", error)),
    }
}

fn grouped(matrix: &Matrix, starts: &Numbers<'_>) -> PyResult<ExampleRows> {
    let starts = places(starts, "X")?;
    ExampleRows::grouped(Arc::clone(&matrix.features), starts).map_err(|error| of_argument("X", error))
}

fn places(starts: &Numbers<'_>, argument: &str) -> PyResult<Vec<usize>> {
    let place = |&start: &i64| {
        let problem = || PyValueError::new_err(format!("{argument}: {start} is no place of a row"));
        usize::try_from(start).map_err(|_| problem())
    };
    starts.as_array().iter().map(place).collect()
}

/// Labels of so many names; −1 is not known.
fn numbers(labels: &Numbers<'_>, names: usize) -> PyResult<Vec<u32>> {
    let number = |&label: &i64| match label {
        -1 => Ok(UNKNOWN_LABEL),
        label if (0..names as i64).contains(&label) => Ok(label as u32),
        label => Err(PyValueError::new_err(format!("y: {label} is not one of {names} labels"))),
    };
    labels.as_array().iter().map(number).collect()
}

fn alphabet(names: &[String]) -> PyResult<Alphabet> {
    let alphabet: Alphabet = names.iter().map(String::as_str).collect();
    match alphabet.len() == names.len() {
        true => Ok(alphabet),
        false => Err(raised(Error::parameter("y", "two different labels have the same name as text"))),
    }
}
