//! From sentence pairs to bipartite graphs: [`GraphExamples`] with an edge for every pair of words.
//!
//! Every word pair is a candidate. A sentence pair of 30 words each has 900 edges, and a matching is found among them in
//! less time than it takes to make their features, so nothing is gained by leaving some out.

use super::features::{FeatureGroup, FrequentWords, PairView, Sink};
use super::{FeatureTable, ParallelText, SentenceLinks};
use crate::association::Associations;
use maxmargin::data::Alphabet;
use maxmargin::data::EDGE_LABELS;
use maxmargin::data::{Attributes, ExampleRows, Vocabulary};
use maxmargin::features::MatrixBuilder;
use maxmargin::structure::Edge;
use maxmargin::structure::UNKNOWN_LABEL;
use maxmargin::tasks::GraphExamples;
use maxmargin::{Error, Result};

/// The most words of a sentence: memory grows with the square of it.
const LONGEST_SENTENCE: usize = 1000;

/// All that edges get their features from.
///
/// ```
/// use maxmargin_align::association::{Associations, EstimationOptions};
/// use maxmargin::data::{Edge, TaskData};
/// use maxmargin_align::{AlignmentSource, ParallelText, SentenceLinks};
/// let text = ParallelText::from_pairs([("the house", "la maison"), ("the flower", "la fleur")]);
/// let diagonal = SentenceLinks::sure(vec![Edge { left: 0, right: 0 }, Edge { left: 1, right: 1 }]);
/// let associations = Associations::estimate(&[&text], &EstimationOptions::default(), |_| ())?;
/// let source = AlignmentSource { associations: Some(&associations), ..AlignmentSource::new(&text) };
/// let (train, vocabulary) = source.training_set(&[diagonal.clone(), diagonal], &source.groups())?;
/// assert_eq!((train.rows().len(), train.edges().len()), (2, 8));
/// assert_eq!(train.labels_of(0), [1, 0, 0, 1]);
/// let new = ParallelText::from_pairs([("a house", "une maison")]);
/// let test = AlignmentSource { text: &new, ..source }.test_set(None, &source.groups(), &vocabulary)?;
/// assert_eq!(test.rows().features().columns(), train.rows().features().columns());
/// # Ok::<(), maxmargin::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct AlignmentSource<'a> {
    /// The sentence pairs.
    pub text: &'a ParallelText,
    /// What is known of words from unlabelled text.
    pub associations: Option<&'a Associations>,
    /// The same, estimated otherwise: from the first letters of words, without agreement, or from other text.
    pub second: Option<&'a Associations>,
    /// The links of another aligner, for each sentence pair.
    pub external: Option<&'a [SentenceLinks]>,
    /// Features of the user.
    pub table: Option<&'a FeatureTable>,
}

impl<'a> AlignmentSource<'a> {
    /// Text alone.
    pub fn new(text: &'a ParallelText) -> Self {
        Self { text, associations: None, second: None, external: None, table: None }
    }

    /// All groups of features that can be had from this source.
    pub fn groups(&self) -> Vec<FeatureGroup> {
        FeatureGroup::ALL.into_iter().filter(|&group| self.lacks(group).is_none()).collect()
    }

    /// What a group needs that is not there.
    fn lacks(&self, group: FeatureGroup) -> Option<&'static str> {
        match group {
            FeatureGroup::External if self.external.is_none() => Some("the links of another aligner"),
            FeatureGroup::Second if self.second.is_none() => Some("second associations, estimated otherwise"),
            FeatureGroup::Table if self.table.is_none() => Some("a file of features"),
            group if group.needs_associations() && self.associations.is_none() => {
                Some("associations, estimated from unlabelled text")
            }
            _ => None,
        }
    }

    /// Examples to learn from, with the names of their features and labels.
    pub fn training_set(
        &self,
        links: &[SentenceLinks],
        groups: &[FeatureGroup],
    ) -> Result<(GraphExamples, Vocabulary)> {
        let frequent = match groups.contains(&FeatureGroup::Lexical) {
            true => FrequentWords::select(self.text),
            false => FrequentWords::Known,
        };
        let mut names = Alphabet::default();
        let data = self.graphs(Some(links), groups, &frequent, &mut Columns::Growing(&mut names))?;
        let labels = EDGE_LABELS.into_iter().collect();
        Ok((data, Vocabulary { labels, attributes: Attributes::Named(names) }))
    }

    /// Examples for a model that knows these names; features with other names are dropped. Without links, labels are
    /// unknown.
    pub fn test_set(
        &self,
        links: Option<&[SentenceLinks]>,
        groups: &[FeatureGroup],
        vocabulary: &Vocabulary,
    ) -> Result<GraphExamples> {
        let Attributes::Named(names) = &vocabulary.attributes else {
            return Err(Error::parameter(
                "features",
                "those of the model have numbers; features of words have names",
            ));
        };
        self.graphs(links, groups, &FrequentWords::Known, &mut Columns::Fixed(names))
    }

    fn graphs(
        &self,
        links: Option<&[SentenceLinks]>,
        groups: &[FeatureGroup],
        frequent: &FrequentWords,
        columns: &mut Columns<'_>,
    ) -> Result<GraphExamples> {
        self.check(links, groups)?;
        let mut matrix = MatrixBuilder::sparse();
        let (mut labels, mut edges, mut starts) = (Vec::new(), Vec::new(), vec![0]);
        for pair in 0..self.text.len() {
            let view = self.view(pair);
            for i in 0..view.left.len() {
                for j in 0..view.right.len() {
                    let edge = Edge { left: i as u32, right: j as u32 };
                    let mut row = RowSink { columns, matrix: &mut matrix };
                    for &group in groups {
                        match (group, self.table) {
                            (FeatureGroup::Table, Some(table)) => table.add(pair, edge, &mut row),
                            _ => view.add(group, (i, j), frequent, &mut row),
                        }
                    }
                    matrix.end_row();
                    edges.push(edge);
                    labels.push(links.map_or(UNKNOWN_LABEL, |links| label(&links[pair], edge)));
                }
            }
            starts.push(edges.len());
        }
        GraphExamples::new(ExampleRows::grouped(matrix.finish(columns.len()), starts)?, edges, labels)
    }

    fn view(&self, pair: usize) -> PairView<'a> {
        let (left, right) = (self.text.left.text(pair), self.text.right.text(pair));
        let known = [self.associations, self.second].map(|known| Some(known?.of_pair(&left, &right)));
        PairView::new(left, right, known, self.external.map(|links| &links[pair]))
    }

    fn check(&self, links: Option<&[SentenceLinks]>, groups: &[FeatureGroup]) -> Result<()> {
        for &group in groups {
            if let Some(lacking) = self.lacks(group) {
                return Err(Error::parameter("features", format!("the group {group} needs {lacking}")));
            }
        }
        for (what, links) in [("links", links), ("links of another aligner", self.external)] {
            if let Some(links) = links
                && links.len() != self.text.len()
            {
                let problem =
                    format!("for {} sentence pairs, but the text has {}", links.len(), self.text.len());
                return Err(Error::parameter(what, problem));
            }
        }
        for pair in 0..self.text.len() {
            let (left, right) = self.text.sizes(pair);
            let number = self.text.number(pair);
            let allowed = 1..=LONGEST_SENTENCE;
            if !allowed.contains(&left) || !allowed.contains(&right) {
                let problem = format!(
                    "sentence pair {number} has {left} and {right} words, not 1 to {LONGEST_SENTENCE}; cut it or remove it"
                );
                return Err(Error::parameter("text", problem));
            }
        }
        Ok(())
    }
}

fn label(links: &SentenceLinks, edge: Edge) -> u32 {
    if links.sure.binary_search(&edge).is_ok() {
        1
    } else if links.possible.binary_search(&edge).is_ok() {
        2
    } else {
        0
    }
}

/// The columns of the matrix by name.
enum Columns<'a> {
    Growing(&'a mut Alphabet),
    Fixed(&'a Alphabet),
}

impl Columns<'_> {
    fn find(&mut self, name: &str) -> Option<u32> {
        match self {
            Columns::Growing(names) => Some(names.add(name)),
            Columns::Fixed(names) => names.get(name),
        }
    }

    fn len(&self) -> usize {
        match self {
            Columns::Growing(names) => names.len(),
            Columns::Fixed(names) => names.len(),
        }
    }
}

/// The open row of the matrix.
struct RowSink<'a, 'c> {
    columns: &'a mut Columns<'c>,
    matrix: &'a mut MatrixBuilder,
}

impl Sink for RowSink<'_, '_> {
    fn add(&mut self, name: &str, value: f64) {
        // Features need no more digits than this, and take half the memory.
        let value = f64::from(value as f32);
        if value != 0.0
            && let Some(column) = self.columns.find(name)
        {
            self.matrix.push(column, value);
        }
    }
}
