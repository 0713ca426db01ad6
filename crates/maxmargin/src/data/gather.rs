//! Where the readers put what they read: a data set that grows row by row, and the names in it.
//!
//! Training data makes the vocabulary; labels are renumbered at the end so that they are sorted, whatever the order of
//! the examples. Later data is read with a fixed vocabulary: an attribute that it lacks is dropped, a label that it
//! lacks becomes [`UNKNOWN_LABEL`], and both are counted in [`Unseen`]. Values of 0 are not stored, but their column
//! counts as seen.

use std::sync::Arc;

use super::alphabet::Alphabet;
use super::dataset::{Attributes, Dataset, UNKNOWN_LABEL, Vocabulary};
use super::features::{FeatureMatrix, MatrixBuilder};

/// What a file held that a fixed vocabulary does not know.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unseen {
    /// The number of rows whose label is unknown.
    pub labels: usize,
    /// The number of values that were dropped because their attribute is unknown (each occurrence counts).
    pub attributes: usize,
}

/// A data set in the making. A row is labelled, filled and ended; examples are ended after their last row.
pub(crate) struct Gathering<'v> {
    names: Names<'v>,
    /// The columns seen so far (growing) or of the vocabulary (fixed).
    columns: usize,
    features: MatrixBuilder,
    /// Images of `columns` bytes each, worth `byte / 255`; then `features` stays empty.
    images: Option<Vec<u8>>,
    labels: Vec<u32>,
    /// Where each example starts, and the end; kept only when examples are sequences.
    starts: Vec<usize>,
    chains: bool,
    examples: usize,
    weights: Option<Vec<f64>>,
    folds: Option<Vec<u32>>,
    unseen: Unseen,
}

enum Names<'v> {
    Growing { labels: Alphabet, attributes: Alphabet, named: bool },
    Fixed(&'v Vocabulary),
}

impl<'v> Gathering<'v> {
    /// With a vocabulary that grows; its attributes have names or only numbers.
    pub fn growing(named: bool) -> Self {
        let (labels, attributes) = (Alphabet::default(), Alphabet::default());
        Self::new(Names::Growing { labels, attributes, named }, 0)
    }

    /// With the vocabulary of a model.
    pub fn fixed(vocabulary: &'v Vocabulary) -> Self {
        Self::new(Names::Fixed(vocabulary), vocabulary.attributes.len())
    }

    fn new(names: Names<'v>, columns: usize) -> Self {
        Self {
            names,
            columns,
            features: MatrixBuilder::sparse(),
            images: None,
            labels: Vec::new(),
            starts: vec![0],
            chains: false,
            examples: 0,
            weights: None,
            folds: None,
            unseen: Unseen::default(),
        }
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

    /// Whether labels must be there: data to train from has them.
    pub fn needs_labels(&self) -> bool {
        matches!(self.names, Names::Growing { .. })
    }

    /// Demands that rows have this many columns, as the rows and the model before them have.
    pub fn set_columns(&mut self, columns: usize) -> Result<(), String> {
        match &self.names {
            Names::Growing { .. } if self.labels.is_empty() => self.columns = columns,
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

    /// Makes a label part of a growing vocabulary, whether or not a row has it.
    pub fn know_label(&mut self, name: &str) {
        if let Names::Growing { labels, .. } = &mut self.names {
            labels.add(name);
        }
    }

    /// Sets the label of the open row.
    pub fn label(&mut self, name: &str) {
        let label = match &mut self.names {
            Names::Growing { labels, .. } => labels.add(name),
            Names::Fixed(vocabulary) => match vocabulary.labels.get(name) {
                Some(label) => label,
                None => {
                    self.unseen.labels += 1;
                    UNKNOWN_LABEL
                }
            },
        };
        self.labels.push(label);
    }

    /// Says that the open row has no label.
    pub fn no_label(&mut self) {
        self.labels.push(UNKNOWN_LABEL);
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
        let column = match &mut self.names {
            Names::Growing { attributes, .. } => attributes.add(name),
            Names::Fixed(vocabulary) => {
                let known = match &vocabulary.attributes {
                    Attributes::Named(names) => names.get(name),
                    Attributes::Numbered(_) => None,
                };
                match known {
                    Some(column) => column,
                    None => {
                        self.unseen.attributes += 1;
                        return;
                    }
                }
            }
        };
        self.store(column, value);
    }

    #[inline]
    fn store(&mut self, column: u32, value: f64) {
        if value != 0.0 {
            self.features.push(column, value);
        }
    }

    /// Ends the open row.
    pub fn end_row(&mut self) {
        self.features.end_row();
    }

    /// Where the bytes of images go; each image is a row and needs [`Gathering::label`], but not its end.
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
        if self.chains {
            self.starts.push(self.labels.len());
        }
        self.examples += 1;
    }

    /// The data, the vocabulary where it grew, and what was unseen where it was fixed.
    pub fn finish(self) -> (Dataset, Option<Vocabulary>, Unseen) {
        let Self {
            names, columns, features, images, mut labels, starts, chains, weights, folds, unseen, ..
        } = self;
        let (columns, vocabulary) = match names {
            Names::Growing { labels: names, attributes, named } => {
                let attributes = match named {
                    true => Attributes::Named(attributes),
                    false => Attributes::Numbered(columns),
                };
                let labels = sort_labels(&names, &mut labels);
                (attributes.len(), Some(Vocabulary { labels, attributes }))
            }
            Names::Fixed(_) => (columns, None),
        };
        let features = match images {
            None => features.finish(columns),
            Some(bytes) if bytes.is_empty() => FeatureMatrix::default(),
            Some(mut bytes) => {
                bytes.shrink_to_fit();
                FeatureMatrix::from_bytes(bytes, columns, 1.0 / 255.0).sparse_if_worthwhile()
            }
        };
        labels.shrink_to_fit();
        let shrunk = |mut starts: Vec<usize>| {
            starts.shrink_to_fit();
            starts
        };
        let sequences = chains.then(|| shrunk(starts));
        (
            Dataset { features: Arc::new(features), labels, sets: None, sequences, weights, folds },
            vocabulary,
            unseen,
        )
    }
}

/// Renumbers `labels` so that their names are sorted, and returns the names in that order.
fn sort_labels(names: &Alphabet, labels: &mut [u32]) -> Alphabet {
    let order = names.sorted_order();
    let mut renumbered = vec![0; order.len()];
    for (new, &old) in order.iter().enumerate() {
        renumbered[old as usize] = new as u32;
    }
    for label in labels.iter_mut().filter(|label| **label != UNKNOWN_LABEL) {
        *label = renumbered[*label as usize];
    }
    order.iter().map(|&old| names.name(old)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_sorted_whatever_their_order_in_the_file() {
        let mut data = Gathering::growing(false);
        for label in ["10", "9", "10"] {
            data.label(label);
            data.column(0, 1.0);
            data.end_row();
            data.end_example(1.0, None);
        }
        let (data, vocabulary, _) = data.finish();
        let vocabulary = vocabulary.unwrap();
        assert_eq!(vocabulary.labels.iter().collect::<Vec<_>>(), ["9", "10"]);
        assert_eq!(data.labels, [1, 0, 1]);
        assert!(data.weights.is_none() && data.sequences.is_none() && data.folds.is_none());
    }

    #[test]
    fn weights_appear_with_the_first_that_is_not_1() {
        let mut data = Gathering::growing(false);
        for weight in [1.0, 2.0, 1.0] {
            data.label("x");
            data.end_row();
            data.end_example(weight, None);
        }
        assert_eq!(data.finish().0.weights, Some(vec![1.0, 2.0, 1.0]));
    }

    #[test]
    fn a_fixed_vocabulary_drops_and_counts_what_it_does_not_know() {
        let labels = ["a"].into_iter().collect();
        let vocabulary = Vocabulary { labels, attributes: Attributes::Numbered(2) };
        let mut data = Gathering::fixed(&vocabulary);
        data.label("b");
        for column in [0, 1, 2, 7] {
            data.column(column, 1.0);
        }
        data.end_row();
        data.end_example(1.0, None);
        let (data, _, unseen) = data.finish();
        assert_eq!(unseen, Unseen { labels: 1, attributes: 2 });
        assert_eq!(data.labels, [UNKNOWN_LABEL]);
        assert_eq!(data.features.columns(), 2);
        assert_eq!(data.features.row(0).to_pairs(), [(0, 1.0), (1, 1.0)]);
    }
}
