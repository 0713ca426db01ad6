//! Where the readers put what they read: a data set that grows row by row, and the names in it.
//!
//! Training data makes the vocabulary; labels are renumbered at the end so that they are sorted, whatever the order of
//! the examples, and a whole number is one label however rows spell it. Later data is read with a fixed vocabulary: an attribute that it lacks is dropped, a label that it
//! lacks becomes [`UNKNOWN_LABEL`], and both are counted in [`Unseen`]. Values of 0 are not stored, but their column
//! counts as seen.
//!
//! Rows have one label each, or a set of labels each where the task is about sets. Tables, whose header names all
//! columns before the first row, are gathered densely when most of their values are there.

mod labels;
mod pair_attributes;
mod row_candidates;

use std::borrow::Cow;
use std::sync::Arc;

use labels::RowLabels;
use rustc_hash::FxHashMap;

use super::alphabet::Alphabet;
use super::edges::EDGE_LABELS;
use super::kept_lines::LineKeeper;
use super::label_spelling::LabelSpellings;
use super::source::Line;
use super::{
    Attributes, Dataset, NodeGraph, OpenLabels, RowCandidates, SegmentKeys, UNKNOWN_LABEL, Vocabulary,
};
use crate::error::Result as Checked;
use crate::features::{FeatureMatrix, MatrixBuilder};
use crate::shown::{did_you_mean, excerpt};
use crate::structure::Edge;

/// After so many values of dense rows it is plain whether most of them are 0; to go on would waste memory if they are.
const ENOUGH_TO_TELL: usize = 1 << 16;

/// Stands for a label that is left out of sets on purpose.
const IGNORED_LABEL: u32 = UNKNOWN_LABEL - 1;

/// So many names are compared with one that may be a slip.
const MOST_COMPARED: usize = 10_000;

/// What a file held that a fixed vocabulary does not know.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unseen {
    /// The number of rows whose label is unknown; with label sets, the number of unknown labels in all of them.
    pub labels: usize,
    /// The number of values that were dropped because their attribute is unknown (each occurrence counts).
    pub attributes: usize,
    /// Whether none of the attributes that templates made and the vocabulary knows tells what any token is: they are marks of the ends of
    /// sentences, shapes and the like, which any text has.
    pub is_foreign: bool,
    /// The number of rows that have the name of an attribute, and of no label, where their label belongs.
    pub attributes_as_labels: usize,
    /// The line of the first of them.
    pub first_attribute_as_label: usize,
}

/// A data set in the making. A row is labelled, filled and ended; examples are ended after their last row.
pub(crate) struct DatasetBuilder<'v> {
    names: Names<'v>,
    /// The columns seen so far (growing) or of the vocabulary (fixed).
    columns: usize,
    features: MatrixBuilder,
    /// The values of the open row by column, when rows are gathered densely.
    dense_row: Option<Vec<f64>>,
    /// Whether so many values were looked at that this will not change before the end.
    stays_dense: bool,
    /// Images of `columns` bytes each, worth `byte / 255`; then `features` stays empty.
    images: Option<Vec<u8>>,
    labels: RowLabels,
    /// The candidates of each row, where there may be several.
    candidates: Option<RowCandidates>,
    /// The open labels of each row, where rows have sets and labels may be open.
    open: Option<OpenRows>,
    /// How the known labels may be spelled in rows.
    spellings: LabelSpellings,
    /// Labels that are left out of sets.
    ignored: Option<(&'v Alphabet, LabelSpellings)>,
    /// Whether the labels of a row may be a list in one column.
    label_lists: bool,
    /// The only labels that there may be.
    allowed: Option<Arc<Alphabet>>,
    renamed: Option<Arc<FxHashMap<String, String>>>,
    hierarchy: Option<Arc<NodeGraph>>,
    /// Where each example starts, and the end; kept only when examples are sequences.
    starts: Vec<usize>,
    chains: bool,
    examples: usize,
    weights: Option<Vec<f64>>,
    folds: Option<Vec<u32>>,
    ids: Option<Vec<Arc<str>>>,
    /// The name of the open example.
    id: Option<Arc<str>>,
    /// The attributes with a weight for each pair of labels, where there may be any.
    pairs: Option<Alphabet>,
    /// What rows are, where segments of them are to be known.
    segment_keys: Option<Vec<u64>>,
    /// The lines of rows, where they are to be kept.
    lines: Option<LineKeeper>,
    /// Columns of tables whose values are features.
    text_columns: Vec<String>,
    /// Where examples are graphs: the edge of each row.
    edges: Option<Vec<Edge>>,
    unreachable: Option<Vec<u32>>,
    unseen: Unseen,
}

/// Open labels of rows in the making.
#[derive(Default)]
struct OpenRows {
    rows: OpenLabels,
    /// Those of the open row.
    labels: Vec<u32>,
    others: bool,
}

enum Names<'v> {
    Growing { labels: Alphabet, attributes: Alphabet, named: bool },
    Fixed(&'v Vocabulary),
}

impl<'v> DatasetBuilder<'v> {
    /// With a vocabulary that grows; its attributes have names or only numbers.
    pub fn growing(named: bool) -> Self {
        let (labels, attributes) = (Alphabet::default(), Alphabet::default());
        Self::new(Names::Growing { labels, attributes, named }, 0)
    }

    /// With the vocabulary of a model.
    pub fn fixed(vocabulary: &'v Vocabulary) -> Self {
        let spellings = LabelSpellings::of(&vocabulary.labels);
        Self { spellings, ..Self::new(Names::Fixed(vocabulary), vocabulary.attributes.len()) }
    }

    fn new(names: Names<'v>, columns: usize) -> Self {
        Self {
            names,
            columns,
            features: MatrixBuilder::sparse(),
            dense_row: None,
            stays_dense: false,
            images: None,
            labels: RowLabels::default(),
            candidates: None,
            open: None,
            spellings: LabelSpellings::default(),
            ignored: None,
            label_lists: false,
            allowed: None,
            renamed: None,
            hierarchy: None,
            starts: vec![0],
            chains: false,
            examples: 0,
            weights: None,
            folds: None,
            ids: None,
            id: None,
            pairs: None,
            segment_keys: None,
            lines: None,
            text_columns: Vec::new(),
            edges: None,
            unreachable: None,
            unseen: Unseen::default(),
        }
    }

    /// With a set of labels for each row, or one label. To be said before the first row.
    pub fn with_label_sets(mut self, label_sets: bool) -> Self {
        if label_sets {
            self.labels.make_sets();
        }
        self
    }

    /// With what rows are, where segments of them are to be known.
    pub fn with_segment_keys(mut self, segment_keys: bool) -> Self {
        self.segment_keys = segment_keys.then(Vec::new);
        self
    }

    /// With the lines of rows, where they are to be written again.
    pub fn with_lines(mut self, lines: bool) -> Self {
        self.lines = lines.then(LineKeeper::default);
        self
    }

    /// Without some labels that a fixed vocabulary does not have, as if no row had them.
    pub fn without_labels(mut self, ignored: &'v Alphabet) -> Self {
        self.ignored = self.label_sets().then(|| (ignored, LabelSpellings::of(ignored)));
        self
    }

    /// With sets that may be lists in one column of a table.
    pub fn with_label_lists(mut self, label_lists: bool) -> Self {
        self.label_lists = label_lists;
        self
    }

    /// With these labels only.
    pub fn with_allowed_labels(mut self, allowed: Option<Arc<Alphabet>>) -> Self {
        self.allowed = allowed;
        self
    }

    /// With labels that have other names than in files.
    pub fn with_renamed_labels(mut self, renamed: Option<Arc<FxHashMap<String, String>>>) -> Self {
        self.renamed = renamed;
        self
    }

    /// Whether the set of a row may be a list in one column.
    pub fn label_lists(&self) -> bool {
        self.label_lists
    }

    /// Says who is above whom among the labels, as the header of a file has it. Refused where the files before it had another one.
    pub fn set_hierarchy(&mut self, graph: &Arc<NodeGraph>) -> Result<(), &'static str> {
        if self.hierarchy.as_ref().is_some_and(|before| !before.says_the_same(graph)) {
            return Err("this hierarchy is not that of the files before this one");
        }
        if self.needs_labels() {
            self.allowed = Some(Arc::new(graph.names().clone()));
        }
        self.hierarchy = Some(Arc::clone(graph));
        Ok(())
    }

    /// Refuses a label that there may not be; it begins so many bytes into the line.
    pub fn check_label(&self, line: &Line<'_>, at: usize, name: &str) -> Checked<()> {
        let name = self.renamed(name);
        match &self.allowed {
            Some(allowed) if allowed.get(&name).is_none() => {
                let remedy = match name.parse::<f64>() {
                    Ok(_) => {
                        "; the option node-names says what numbers of the data are called there".to_owned()
                    }
                    Err(_) => did_you_mean(&name, allowed.iter().take(MOST_COMPARED)),
                };
                let problem = format!("the label `{}` is no node of the hierarchy{remedy}", excerpt(&*name));
                Err(line.error(at + 1, problem))
            }
            _ => Ok(()),
        }
    }

    /// Whether there is such a label by what was known before the rows: the names of a model, or the labels that there may be.
    pub fn is_label_before_rows(&self, name: &str) -> bool {
        let name = self.renamed(name);
        let is_known = |known: &Alphabet| known.get(&name).is_some();
        self.fixed_vocabulary().is_some_and(|names| is_known(&names.labels))
            || self.allowed.as_deref().is_some_and(is_known)
    }

    /// Whether a fixed vocabulary has an attribute of this name.
    pub fn is_known_attribute(&self, name: &str) -> bool {
        self.fixed_vocabulary().is_some_and(|names| match &names.attributes {
            Attributes::Named(attributes) => attributes.get(name).is_some(),
            Attributes::Numbered(_) => false,
        })
    }

    /// Counts a row on this line that has an attribute where its label belongs.
    pub fn add_attribute_as_label(&mut self, line: usize) {
        if self.unseen.attributes_as_labels == 0 {
            self.unseen.first_attribute_as_label = line;
        }
        self.unseen.attributes_as_labels += 1;
    }

    /// What a label is called.
    fn renamed<'n>(&self, name: &'n str) -> Cow<'n, str> {
        match self.renamed.as_ref().and_then(|renamed| renamed.get(name)) {
            Some(other) => Cow::Owned(other.clone()),
            None => Cow::Borrowed(name),
        }
    }

    /// Whether this label is left out of sets.
    pub fn is_ignored(&self, name: &str) -> bool {
        self.ignored.as_ref().is_some_and(|(ignored, _)| ignored.get(name).is_some())
    }

    /// Whether each row has a set of labels.
    pub fn label_sets(&self) -> bool {
        self.labels.are_sets()
    }

    /// The number of examples ended so far.
    pub fn examples(&self) -> usize {
        self.examples
    }

    /// Whether examples are sequences. A format that knows says so before the first row.
    pub fn chains(&self) -> bool {
        self.chains
    }

    /// Says that examples are sequences of rows.
    pub fn set_chains(&mut self) {
        self.chains = true;
    }

    /// Says that examples are graphs and rows edges, whose labels have names and an order of their own.
    pub fn set_graphs(&mut self) {
        self.chains = true;
        self.edges.get_or_insert_default();
        EDGE_LABELS.iter().for_each(|name| self.know_label(name));
    }

    /// Says which edge the open row is about.
    pub fn edge(&mut self, edge: Edge) {
        self.edges.get_or_insert_default().push(edge);
    }

    /// Says how many sure links of the open example have no edge.
    pub fn unreachable(&mut self, links: u32) {
        if links > 0 {
            let examples = self.examples;
            self.unreachable.get_or_insert_default().resize(examples, 0);
            self.unreachable.get_or_insert_default().push(links);
        }
    }

    /// Whether labels must be there: data to train from has them.
    pub fn needs_labels(&self) -> bool {
        matches!(self.names, Names::Growing { .. })
    }

    /// Demands that rows have this many columns, as the rows and the model before them have.
    pub fn set_columns(&mut self, columns: usize) -> Result<(), String> {
        match &self.names {
            Names::Growing { .. } if self.labels.rows() == 0 => self.columns = columns,
            _ if self.columns == columns => {}
            Names::Growing { .. } => {
                return Err(format!("{columns} pixels, but the files before this one have {}", self.columns));
            }
            Names::Fixed(_) => {
                return Err(format!(
                    "{columns} pixels, but the model was trained on {} columns",
                    self.columns
                ));
            }
        }
        Ok(())
    }

    /// Makes a growing vocabulary have at least this many numbered columns.
    pub fn expect_columns(&mut self, columns: usize) {
        if let Names::Growing { .. } = self.names {
            self.columns = self.columns.max(columns);
        }
    }

    /// Makes a label part of a growing vocabulary, whether or not a row has it.
    pub fn know_label(&mut self, name: &str) {
        if let Names::Growing { labels, .. } = &mut self.names {
            self.spellings.add(labels, name);
        }
    }

    /// Says that the values of a column of text are features.
    pub fn know_text_column(&mut self, name: &str) {
        if self.needs_labels() && self.examples == 0 {
            self.text_columns.push(name.to_owned());
        }
    }

    /// The columns of text in the training data.
    pub fn take_text_columns(&mut self) -> Vec<String> {
        std::mem::take(&mut self.text_columns)
    }

    /// Says what the open example is called.
    pub fn id(&mut self, id: &str) {
        self.id = Some(id.into());
    }

    /// Sets the label of the open row. Where rows have sets, it is the only one.
    pub fn label(&mut self, name: &str) {
        self.add_label(name);
        self.end_label_set();
        let label = self.labels.last();
        self.push_candidates(label.as_slice());
    }

    /// Where what the open row is goes to, by which segments are known; none where nobody asks.
    pub fn segment_keys(&mut self) -> Option<&mut Vec<u64>> {
        self.segment_keys.as_mut()
    }

    /// Where the lines of rows go to; none where nobody asks.
    pub fn lines(&mut self) -> Option<&mut LineKeeper> {
        self.lines.as_mut()
    }

    /// Says whether what templates made tells nothing of the tokens so far that the vocabulary knows.
    pub fn set_foreign(&mut self, is_foreign: bool) {
        self.unseen.is_foreign = is_foreign;
    }

    /// Says that nothing is known about the label or the labels of the open row: it will count as wrong.
    pub fn no_label(&mut self) {
        self.labels.add(UNKNOWN_LABEL);
        self.end_label_set();
        self.push_candidates(&[]);
    }

    /// Adds a label to the set of the open row; false when it is there already.
    pub fn add_label(&mut self, name: &str) -> bool {
        match self.number_in_row(name) {
            UNKNOWN_LABEL => {
                self.unseen.labels += 1;
                self.labels.add_stranger(name)
            }
            IGNORED_LABEL => true,
            label => self.labels.add(label),
        }
    }

    /// Adds a label, by the number that [`DatasetBuilder::number_of_label`] gave. The caller sees to it that a row does not
    /// have it twice.
    pub fn add_numbered_label(&mut self, label: u32) {
        match label {
            IGNORED_LABEL => return,
            UNKNOWN_LABEL => self.unseen.labels += 1,
            _ => {}
        }
        self.labels.add(label);
    }

    /// Ends the set of labels of the open row, which may be empty.
    pub fn end_label_set(&mut self) {
        self.labels.end_set();
        if let Some(OpenRows { rows, labels, others }) = &mut self.open {
            rows.push(labels, std::mem::take(others));
            labels.clear();
        }
    }

    /// The number of a label that a row has, which may be spelled in several ways.
    fn number_in_row(&mut self, name: &str) -> u32 {
        let name = &*self.renamed(name);
        match &mut self.names {
            Names::Growing { labels, .. } => self.spellings.add(labels, name),
            Names::Fixed(vocabulary) => {
                match (self.spellings.find(&vocabulary.labels, name), &self.ignored) {
                    (Some(label), _) => label,
                    (None, Some((ignored, spellings))) if spellings.find(ignored, name).is_some() => {
                        IGNORED_LABEL
                    }
                    (None, _) => UNKNOWN_LABEL,
                }
            }
        }
    }

    /// The number by which the label of a column is known here (until [`DatasetBuilder::finish`] sorts them); a growing vocabulary
    /// takes it in, a fixed one may not know it.
    pub fn number_of_label(&mut self, name: &str) -> u32 {
        let name = &*self.renamed(name);
        match &mut self.names {
            Names::Growing { labels, .. } => labels.add(name),
            Names::Fixed(vocabulary) => match vocabulary.labels.get(name) {
                Some(label) => label,
                None if self.is_ignored(name) => IGNORED_LABEL,
                None => UNKNOWN_LABEL,
            },
        }
    }

    /// The labels so far, in the order of their numbers.
    pub fn label_names(&self) -> impl Iterator<Item = &str> {
        match &self.names {
            Names::Growing { labels, .. } => labels.iter(),
            Names::Fixed(vocabulary) => vocabulary.labels.iter(),
        }
    }

    /// Whether a label is known so far.
    pub fn knows_label(&self, name: &str) -> bool {
        match &self.names {
            Names::Growing { labels, .. } => labels.get(name).is_some(),
            Names::Fixed(vocabulary) => vocabulary.labels.get(name).is_some(),
        }
    }

    /// The vocabulary of the model, when it is fixed.
    pub fn fixed_vocabulary(&self) -> Option<&'v Vocabulary> {
        match self.names {
            Names::Growing { .. } => None,
            Names::Fixed(vocabulary) => Some(vocabulary),
        }
    }

    /// Adds a value to the open row, by the number of its column.
    #[inline]
    pub fn column(&mut self, column: u32, value: f64) {
        if column as usize >= self.columns {
            match self.names {
                Names::Growing { .. } => self.columns = column as usize + 1,
                Names::Fixed(_) => {
                    self.unseen.attributes += 1;
                    return;
                }
            }
        }
        self.store(column, value);
    }

    /// Adds a value to the open row, by the name of its attribute.
    #[inline]
    pub fn attribute(&mut self, name: &str, value: f64) {
        let column = self.column_of(name);
        self.known_column(column, value);
    }

    /// The column of an attribute; a growing vocabulary takes it in, a fixed one may not know it.
    #[inline]
    pub fn column_of(&mut self, name: &str) -> Option<u32> {
        let behind = self.behind_pairs();
        match &mut self.names {
            Names::Growing { attributes, .. } => Some(attributes.add(name) | behind),
            Names::Fixed(Vocabulary { attributes: Attributes::Named(names), .. }) => names.get(name),
            Names::Fixed(_) => None,
        }
    }

    /// Adds a value to the open row, in the column that [`DatasetBuilder::column_of`] found for its name.
    #[inline]
    pub fn known_column(&mut self, column: Option<u32>, value: f64) {
        match column {
            Some(column) => self.store(column, value),
            None => self.unseen.attributes += 1,
        }
    }

    /// The names of the columns so far.
    pub fn column_names(&self) -> Option<&Alphabet> {
        match &self.names {
            Names::Growing { attributes, .. } => Some(attributes),
            Names::Fixed(Vocabulary { attributes: Attributes::Named(names), .. }) => Some(names),
            Names::Fixed(_) => None,
        }
    }

    /// Says that rows hold `values` values each, whether they are 0 or not, in columns that are all known by now. They
    /// are gathered densely if that is most of the columns: fewer would make the matrix larger than its file.
    pub fn set_dense(&mut self, values: usize) {
        let columns = self.column_names().map_or(0, Alphabet::len);
        if self.examples == 0 && columns > 0 && 2 * values >= columns {
            self.features = MatrixBuilder::dense(columns);
            self.dense_row = Some(vec![0.0; columns]);
        }
    }

    /// Whether rows are gathered densely: then each must hold the values that were promised.
    pub fn is_dense(&self) -> bool {
        self.dense_row.is_some()
    }

    #[inline]
    fn store(&mut self, column: u32, value: f64) {
        match &mut self.dense_row {
            None if value != 0.0 => self.features.push(column, value),
            None => {}
            // A negative zero would not fit into a byte.
            Some(row) => row[column as usize] = value + 0.0,
        }
    }

    /// Ends the open row.
    pub fn end_row(&mut self) {
        for value in self.dense_row.iter_mut().flatten() {
            self.features.push(0, std::mem::take(value));
        }
        self.features.end_row();
        if self.dense_row.is_some() && !self.stays_dense && self.features.stored() >= ENOUGH_TO_TELL {
            self.stays_dense = true;
            self.features = std::mem::take(&mut self.features).sparse_if_worthwhile();
            if self.features.is_sparse() {
                self.dense_row = None;
            }
        }
    }

    /// Where the bytes of images go; each image is a row and needs [`DatasetBuilder::label`], but not its end.
    pub fn images(&mut self) -> &mut Vec<u8> {
        self.images.get_or_insert_default()
    }

    /// Ends the example that the rows since the last one make.
    pub fn end_example(&mut self, weight: f64, fold: Option<u32>) {
        if weight != 1.0 && self.weights.is_none() {
            self.weights = Some(vec![1.0; self.examples]);
        }
        if let Some(weights) = &mut self.weights {
            weights.push(weight);
        }
        if let Some(fold) = fold {
            self.folds.get_or_insert_default().push(fold);
        }
        if self.id.is_some() || self.ids.is_some() {
            let ids = self.ids.get_or_insert_default();
            ids.resize(self.examples, "".into());
            ids.push(self.id.take().unwrap_or_default());
        }
        if self.chains {
            self.starts.push(self.labels.rows());
        }
        self.examples += 1;
    }

    /// The data, the vocabulary where it grew, and what was unseen where it was fixed.
    pub fn finish(self) -> (Dataset, Option<Vocabulary>, Unseen) {
        let Self {
            names, columns, mut features, images, labels, starts, chains, weights, folds, unseen, ..
        } = self;
        let spellings = self.spellings;
        let (edges, examples, ids, hierarchy) = (self.edges, self.examples, self.ids, self.hierarchy);
        let unreachable = self.unreachable.map(|mut links| {
            links.resize(examples, 0);
            links
        });
        let pair_columns = self.pairs.as_ref().map_or(0, Alphabet::len);
        let (columns, vocabulary, renumbered) = match names {
            Names::Growing { labels: names, mut attributes, named } => {
                if let Some(pairs) = self.pairs {
                    attributes = pair_attributes::before(pairs, &attributes, &mut features);
                }
                let names = spellings.shortest(names);
                let attributes = match named {
                    true => Attributes::Named(attributes),
                    false => Attributes::Numbered(columns),
                };
                let (labels, renumbered) = match &edges {
                    None => sorted(&names),
                    Some(_) => (names.clone(), (0..names.len() as u32).collect()),
                };
                (attributes.len(), Some(Vocabulary { labels, attributes }), Some(renumbered))
            }
            Names::Fixed(_) => (columns, None, None),
        };
        let (labels, sets) = labels.finish(renumbered.as_deref());
        let candidates =
            self.candidates.map(|candidates| row_candidates::finish(candidates, renumbered.as_deref()));
        let open = self.open.map(|open| match &renumbered {
            Some(renumbered) => open.rows.renumbered(|label| Some(renumbered[label as usize])),
            None => open.rows,
        });
        let rows = starts.last().copied().unwrap_or(0);
        let segment_keys = self.segment_keys.and_then(|keys| SegmentKeys::new(keys, rows).ok());
        let lines = self.lines.and_then(|lines| lines.finish(rows));
        let features = match images {
            None => features.finish(columns).sparse_if_worthwhile(),
            Some(bytes) if bytes.is_empty() => FeatureMatrix::default(),
            Some(mut bytes) => {
                bytes.shrink_to_fit();
                let images = FeatureMatrix::from_bytes(bytes, columns, 1.0 / 255.0);
                images.expect("images of one size").sparse_if_worthwhile()
            }
        };
        let shrunk = |mut starts: Vec<usize>| {
            starts.shrink_to_fit();
            starts
        };
        let sequences = chains.then(|| shrunk(starts));
        (
            Dataset {
                features: Arc::new(features),
                pair_columns,
                segment_keys,
                lines,
                labels,
                sets,
                candidates,
                open,
                sequences,
                weights,
                folds,
                ids,
                edges: edges.map(Arc::from),
                unreachable,
                hierarchy,
            },
            vocabulary,
            unseen,
        )
    }
}

/// The names in sorted order, and the new number of each old one.
fn sorted(names: &Alphabet) -> (Alphabet, Vec<u32>) {
    let order = names.sorted_order();
    let mut renumbered = vec![0; order.len()];
    for (new, &old) in order.iter().enumerate() {
        renumbered[old as usize] = new as u32;
    }
    (order.iter().map(|&old| names.name(old)).collect(), renumbered)
}

#[cfg(test)]
mod tests;
