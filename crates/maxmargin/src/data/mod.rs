//! Data: from files to feature matrices, labels and names.
//!
//! [`read_training`] and [`read_with`] turn files into a [`Dataset`]: a [`Source`] opens a file, [`Format`] tells what
//! it holds, and one module per format (`svmlight`, `crfsuite`, `conll`, `letters`, `idx`, `images`, `arff`, `csv`, `edges`) reads it. A data set is a
//! [`FeatureMatrix`] with a label or a set of labels per row, and says how rows group into sequences. [`Vocabulary`] maps
//! the names in files to the numbers in data sets, and `tags` knows what the names of labels mean by convention.
//! A task makes its examples of a data set: a type of its own that implements [`TaskData`], mostly of [`ExampleRows`] and labels,
//! and whose parts go together by construction. [`Preprocessing`] fills in missing values and standardises columns.

mod alphabet;
mod arff;
mod attribute_lines;
mod batches;
mod candidates;
mod conll;
mod conllu;
mod crfsuite;
mod csv;
mod dataset;
mod dataset_builder;
mod edges;
mod example_rows;
mod folds;
mod format;
mod hierarchy;
mod hold_out;
mod idx;
mod images;
mod kept_lines;
mod label_lines;
mod label_names;
mod label_spelling;
mod landmarks;
mod letters;
mod name_list;
pub mod number;
mod open_labels;
mod preprocessing;
mod reader;
mod segment_keys;
mod source;
mod svmlight;
mod table;
pub mod tag_scheme;
mod tags;
mod task_data;
pub mod templates;

pub use crate::tasks::chain::word_images::{self, Noise, WordImages, word_images};
pub use crate::tasks::matching::sentence_pairs::{SentencePairs, sentence_pairs};
pub use crate::tasks::multilabel::topics::{TopicNotes, topic_notes};
pub use crate::tasks::segmentation::plate_images::{PlateImages, plate_images};
pub use alphabet::Alphabet;
pub use attribute_lines::write_attribute_lines;
pub use batches::Batch;
pub(crate) use batches::Batches;
pub use candidates::{Completion, RowCandidates};
pub use conll::ColumnOptions;
pub use conllu::{Column, ConlluSentence, read_conllu};
pub use dataset::{Attributes, Dataset, Vocabulary};
pub use dataset_builder::Unseen;
pub use edges::EDGE_LABELS;
pub use example_rows::ExampleRows;
pub use folds::parse_folds;
pub use format::Format;
pub use hierarchy::{NodeGraph, Shape, path_parent, read_hierarchy, read_node_names};
pub use hold_out::{cross_validation, hold_out};
pub use images::{Picture, is_picture_file, pictures_named};
pub use kept_lines::KeptLines;
pub use label_lines::{read_costs, read_label_costs, read_label_weights, read_pairs};
pub use label_spelling::LabelSpellings;
pub use maxmargin_core::features::{
    FeatureMatrix, IndexArray, MatrixBuilder, Row, RowValues, Rows, Shared, ValueArray,
};
pub use maxmargin_core::structure::{Edge, Graph, UNKNOWN_LABEL};
pub use maxmargin_core::{Fingerprint, fingerprint_of_bytes};
pub use name_list::{join_names, parse_names};
pub use open_labels::OpenLabels;
pub use preprocessing::{FarScales, Impute, Preprocessing, far_scales, nearly_constant_columns};
pub(crate) use preprocessing::{VECTORS, columns_of};
pub use reader::{
    Missing, ReadOptions, Reading, TextReading, files_beside, read_training, read_training_as, read_with,
};
pub use segment_keys::SegmentKeys;
pub use source::{LONGEST_LINE, Line, Source};
pub use table::TableColumns;
pub use tags::background_label;
pub(crate) use tags::{OUTSIDE, Tag, are_tags};
pub use task_data::{DataObject, TaskData};
pub use templates::TextColumns;

pub(crate) use self::conllu::parse_conllu;
pub(crate) use self::edges::MOST_NODES;
pub(crate) use self::example_rows::{are_starts, chosen, refuse, starts};
pub(crate) use self::landmarks::{Face, PointNames, check_bounds, check_names, check_point, read_faces};
