//! Rows with nodes of a hierarchy.

use std::sync::Arc;

use super::Taxonomy;
use crate::data::{
    Alphabet, Completion, Dataset, ExampleRows, FeatureMatrix, NodeGraph, RowCandidates, TaskData,
    UNKNOWN_LABEL, are_starts, refuse, starts,
};
use crate::error::Result;
use crate::inference::Hierarchy;
use crate::tasks::given_labels::{GivenLabels, needed};

/// Rows with the nodes of a hierarchy that each has. Of a node and one above it only the first is kept: it implies the other.
///
/// ```
/// use maxmargin::data::{FeatureMatrix, TaskData};
/// use maxmargin::inference::Hierarchy;
/// use maxmargin::tasks::HierarchyExamples;
/// // 1 and 2 are below 0, and 3 stands alone.
/// let hierarchy = Hierarchy::forest(&[None, Some(0), Some(0), None])?;
/// let features = FeatureMatrix::from_dense(&[[1.0], [2.0]]);
/// let examples = HierarchyExamples::from_sets(features, &[vec![0, 2], vec![3]], hierarchy)?;
/// assert_eq!((examples.labels_of(0), examples.nodes_of(0)), (&[2][..], vec![0, 2]));
/// # Ok::<(), maxmargin::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct HierarchyExamples {
    rows: ExampleRows,
    /// Where the labels of each row start, and the end.
    sets: Vec<usize>,
    /// The most specific nodes of each row, ascending; unknown ones come last. Candidates are nodes of which each row has one.
    labels: GivenLabels,
    /// None where nobody knows any label.
    taxonomy: Option<Arc<Taxonomy>>,
}

impl HierarchyExamples {
    /// Rows with these nodes, those of each in any order and with or without what is above them; `sets` has where they start, and the
    /// end. Groups of rows fall apart: each row is an example of its own.
    pub fn new(
        rows: impl Into<ExampleRows>,
        sets: &[usize],
        labels: &[u32],
        taxonomy: Arc<Taxonomy>,
    ) -> Result<Self> {
        let rows = rows.into().ungrouped();
        if sets.len() != rows.len() + 1 || !are_starts(sets, labels.len()) {
            return refuse(format!(
                "the nodes of {} rows must start at number 0, one after the other, and the last end is their number, {}",
                rows.len(),
                labels.len()
            ));
        }
        let nodes = taxonomy.hierarchy().nodes();
        let is_strange = |&label: &u32| label as usize >= nodes && label != UNKNOWN_LABEL;
        if let Some(row) = sets.windows(2).position(|set| labels[set[0]..set[1]].iter().any(is_strange)) {
            return refuse(format!("row {} has a node beyond the {nodes} of the hierarchy", row + 1));
        }
        let specific = |set: &[usize]| most_specific(taxonomy.hierarchy(), &labels[set[0]..set[1]]);
        let each: Vec<Vec<u32>> = sets.windows(2).map(specific).collect();
        let (sets, labels) = (starts(each.iter().map(Vec::len)), GivenLabels::new(each.concat()));
        Ok(Self { rows, sets, labels, taxonomy: Some(taxonomy) })
    }

    /// Rows with one node each, of which candidates are known.
    pub fn with_candidates(
        rows: impl Into<ExampleRows>,
        candidates: RowCandidates,
        taxonomy: Arc<Taxonomy>,
    ) -> Result<Self> {
        let nodes = taxonomy.hierarchy().nodes();
        if candidates.label_count() > nodes {
            return refuse(format!("a candidate is a node beyond the {nodes} of the hierarchy"));
        }
        let starts: Vec<usize> = (0..=candidates.len()).collect();
        let examples = Self::new(rows, &starts, &candidates.known_labels(), taxonomy)?;
        Ok(Self { labels: examples.labels.clone().among(candidates), ..examples })
    }

    /// The same from a list for each row.
    pub fn from_sets(
        rows: impl Into<ExampleRows>,
        sets: &[impl AsRef<[u32]>],
        taxonomy: impl Into<Taxonomy>,
    ) -> Result<Self> {
        let starts = starts(sets.iter().map(|set| set.as_ref().len()));
        let labels: Vec<u32> = sets.iter().flat_map(AsRef::as_ref).copied().collect();
        Self::new(rows, &starts, &labels, Arc::new(taxonomy.into()))
    }

    /// Rows whose nodes are given by name, as a graph has them; also the names of the nodes that are left: those that rows have, and
    /// all above them. Refused where a name is none of the graph's.
    ///
    /// ```
    /// use maxmargin::data::{FeatureMatrix, NodeGraph, Shape};
    /// use maxmargin::tasks::HierarchyExamples;
    /// let graph = NodeGraph::from_edges([("animal", "cat"), ("cat", "lion"), ("animal", "dog")], Shape::Tree)?;
    /// let features = FeatureMatrix::from_dense(&[[1.0], [2.0]]);
    /// let (examples, names) = HierarchyExamples::from_names(features, &[vec!["lion"], vec!["dog"]], &graph)?;
    /// assert!(names.iter().eq(["cat", "dog", "lion"]));
    /// assert_eq!(examples.nodes_of(0), [0, 2]);
    /// # Ok::<(), maxmargin::Error>(())
    /// ```
    pub fn from_names<S: AsRef<str>>(
        rows: impl Into<ExampleRows>,
        sets: &[impl AsRef<[S]>],
        graph: &NodeGraph,
    ) -> Result<(Self, Alphabet)> {
        Self::of_named(rows.into(), sets, graph, &Alphabet::default())
    }

    /// The same with all nodes of the graph, whether a row has them or not: for rows that are one batch of many.
    pub fn from_names_of_all<S: AsRef<str>>(
        rows: impl Into<ExampleRows>,
        sets: &[impl AsRef<[S]>],
        graph: &NodeGraph,
    ) -> Result<(Self, Alphabet)> {
        Self::of_named(rows.into(), sets, graph, graph.names())
    }

    /// Rows with labels by their names, and more nodes that there are.
    fn of_named<S: AsRef<str>>(
        rows: ExampleRows,
        sets: &[impl AsRef<[S]>],
        graph: &NodeGraph,
        more: &Alphabet,
    ) -> Result<(Self, Alphabet)> {
        let mut known = Alphabet::default();
        let mut numbers = Vec::new();
        for set in sets {
            numbers.extend(set.as_ref().iter().map(|name| known.add(name.as_ref())));
        }
        more.iter().for_each(|name| _ = known.add(name));
        let (taxonomy, nodes, names) = Taxonomy::of_training(graph, &known, Default::default())?;
        let numbers: Vec<u32> = numbers.into_iter().map(|number| nodes[number as usize]).collect();
        let starts = starts(sets.iter().map(|set| set.as_ref().len()));
        Ok((Self::new(rows, &starts, &numbers, Arc::new(taxonomy))?, names))
    }

    /// Rows whose labels nobody knows.
    pub fn unlabelled(rows: impl Into<ExampleRows>) -> Self {
        let rows = rows.into().ungrouped();
        let (sets, labels) = ((0..=rows.len()).collect(), GivenLabels::unknown(rows.len()));
        Self { rows, sets, labels, taxonomy: None }
    }

    /// Rows of a table whose labels are numbered like the nodes.
    pub(super) fn of_table(mut table: Dataset, taxonomy: Arc<Taxonomy>) -> Result<Self> {
        let (rows, sets, labels) = taken(&mut table)?;
        match table.candidates.take() {
            Some(candidates) => Self::with_candidates(rows, candidates, taxonomy),
            None => Self::new(rows, &sets, &labels, taxonomy),
        }
    }

    /// The same, where each label has become a node: `number` has these.
    pub(super) fn of_renumbered_table(
        mut table: Dataset,
        number: &[u32],
        taxonomy: Arc<Taxonomy>,
    ) -> Result<Self> {
        if let Some(candidates) = &mut table.candidates {
            candidates.renumber(number);
            return Self::of_table(table, taxonomy);
        }
        let (rows, sets, mut labels) = taken(&mut table)?;
        for label in labels.iter_mut().filter(|label| **label != UNKNOWN_LABEL) {
            *label = number[*label as usize];
        }
        Self::new(rows, &sets, &labels, taxonomy)
    }

    /// The rows.
    pub fn rows(&self) -> &ExampleRows {
        &self.rows
    }

    /// The hierarchy, where labels are known.
    pub fn taxonomy(&self) -> Option<&Arc<Taxonomy>> {
        self.taxonomy.as_ref()
    }

    /// The known nodes of an example with all above them, ascending. Panics when it does not exist.
    pub fn nodes_of(&self, example: usize) -> Vec<u32> {
        let known = self.labels_of(example).iter().copied().filter(|&label| label != UNKNOWN_LABEL);
        self.closed(known.collect())
    }

    /// Nodes with all above them, ascending.
    pub(super) fn closed(&self, nodes: Vec<u32>) -> Vec<u32> {
        match &self.taxonomy {
            Some(taxonomy) => taxonomy.hierarchy().closure(&nodes),
            None => nodes,
        }
    }

    /// The nodes that an example may end at, as far as it names any: its candidates, or what it has.
    pub(super) fn named_of(&self, example: usize) -> &[u32] {
        match self.candidates() {
            Some(candidates) => candidates.of(example),
            None => self.labels_of(example),
        }
    }

    /// Whether each example has one most specific node.
    pub fn has_one_each(&self) -> bool {
        self.sets.windows(2).all(|set| set[1] - set[0] == 1)
    }
}

/// The rows of a table, where the labels of each start, and the labels.
fn taken(table: &mut Dataset) -> Result<(ExampleRows, Vec<usize>, Vec<u32>)> {
    table.refuse_kinds(&["graphs"], HierarchyExamples::KIND)?;
    let rows = table.take_rows()?;
    match table.sets.take() {
        Some(sets) => Ok((rows, sets, std::mem::take(&mut table.labels))),
        None => {
            let labels = table.take_labels(&rows);
            rows.check_row_count("labels", labels.len())?;
            Ok((rows, (0..=labels.len()).collect(), labels))
        }
    }
}

/// The nodes of a label that are not above another one of it, ascending; unknown ones come last, each as often as it was there.
fn most_specific(hierarchy: &Hierarchy, labels: &[u32]) -> Vec<u32> {
    let known: Vec<u32> = labels.iter().copied().filter(|&label| label != UNKNOWN_LABEL).collect();
    let unknown = labels.len() - known.len();
    let mut specific = hierarchy.ends(&hierarchy.closure(&known));
    specific.resize(specific.len() + unknown, UNKNOWN_LABEL);
    specific
}

impl TaskData for HierarchyExamples {
    const KIND: &'static str = "rows with nodes of a hierarchy";

    fn as_rows(&self) -> Option<&ExampleRows> {
        Some(&self.rows)
    }

    fn labels(&self) -> &[u32] {
        self.labels.labels()
    }

    fn labels_of(&self, example: usize) -> &[u32] {
        &self.labels()[self.sets[example]..self.sets[example + 1]]
    }

    /// Nodes that no example has are labels too.
    fn label_count(&self) -> usize {
        self.taxonomy.as_ref().map_or(0, |taxonomy| taxonomy.hierarchy().nodes())
    }

    fn subset(&self, examples: &[usize]) -> Result<Self> {
        let rows = self.rows.subset(examples)?;
        let sets = starts(examples.iter().map(|&i| self.labels_of(i).len()));
        let places = examples.iter().flat_map(|&i| self.sets[i]..self.sets[i + 1]);
        let labels = self.labels.subset(places, examples.iter().copied());
        Ok(Self { rows, sets, labels, taxonomy: self.taxonomy.clone() })
    }

    fn with_features(&self, features: Arc<FeatureMatrix>) -> Result<Self> {
        Ok(Self { rows: self.rows.clone().with_features(features)?, ..self.clone() })
    }

    fn bytes(&self) -> usize {
        self.rows.bytes() + self.labels.bytes() + 8 * self.sets.len()
    }

    fn candidates(&self) -> Option<&RowCandidates> {
        self.labels.candidates()
    }

    fn completed(&self, how: Completion, labels: usize, seed: u64) -> Result<Self> {
        let candidates = needed(self.candidates())?;
        let leaves = self.taxonomy.as_ref().map_or(&[][..], |taxonomy| taxonomy.hierarchy().leaves());
        // Any label is any leaf: other nodes may be no labels.
        let any = |row: usize| if candidates.of(row).is_empty() { leaves } else { candidates.of(row) };
        let labels = match how {
            Completion::Random => {
                let any = RowCandidates::new((0..self.len()).map(any));
                GivenLabels::new(any.completed(how, labels, seed)?)
            }
            Completion::First | Completion::Majority => self.labels.completed(how, labels, seed)?,
        };
        Ok(Self { labels, ..self.clone() })
    }

    fn narrowed(&self, how: Completion, labels: usize, seed: u64) -> Result<Self> {
        Ok(Self { labels: self.labels.narrowed(how, labels, seed)?, ..self.clone() })
    }

    fn known_parts(&self) -> Result<Self> {
        let known = self.subset(&self.labels.known_rows()?)?;
        Ok(Self { labels: known.labels.clone().settled(), ..known })
    }

    fn fingerprint(&self) -> u64 {
        let mut of_hierarchy = crate::data::Fingerprint::default();
        if let Some(taxonomy) = &self.taxonomy {
            let hierarchy = taxonomy.hierarchy();
            for node in 0..hierarchy.nodes() as u32 {
                of_hierarchy.add_all(hierarchy.parents(node).iter().map(|&parent| u64::from(parent)));
            }
        }
        let of_hierarchy = of_hierarchy.number();
        self.rows.fingerprint(
            |i| self.labels_of(i),
            |i, fingerprint| {
                if i == 0 {
                    fingerprint.add(of_hierarchy);
                }
                self.labels.add_candidates(i..i + 1, fingerprint);
            },
        )
    }

    /// What the root is, and what is below it.
    fn notes(&self) -> Vec<String> {
        let Some(taxonomy) = &self.taxonomy else { return Vec::new() };
        let hierarchy = taxonomy.hierarchy();
        let kind = if hierarchy.is_tree() { "a tree" } else { "an acyclic graph" };
        let depth = (0..hierarchy.nodes() as u32).map(|node| hierarchy.depth(node) + 1).max().unwrap_or(0);
        let root = match taxonomy.root() {
            Some(root) => format!("the root \"{}\" is no node", crate::shown::excerpt(root)),
            None => "a root that is no node is above them".to_owned(),
        };
        vec![format!(
            "hierarchy: {kind} of {} nodes, {} of them leaves, {depth} levels, {} at the top; {root}",
            hierarchy.nodes(),
            hierarchy.leaves().len(),
            hierarchy.roots().len(),
        )]
    }

    /// Only data without labels: a table does not know the hierarchy that a task has.
    fn from_table(mut table: Dataset) -> Result<Self> {
        let (rows, _, labels) = taken(&mut table)?;
        match labels.iter().all(|&label| label == UNKNOWN_LABEL) {
            true => Ok(Self::unlabelled(rows)),
            false => refuse("labels of a hierarchy need the hierarchy; read them by the task"),
        }
    }

    fn of_one(features: FeatureMatrix) -> Result<Self> {
        match features.rows() {
            1 => Ok(Self::unlabelled(features)),
            rows => refuse(format!("{rows} rows are not one example; each row is one")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 above 1 and 2; 1 above 3; 4 alone.
    fn hierarchy() -> Hierarchy {
        Hierarchy::forest(&[None, Some(0), Some(0), Some(1), None]).unwrap()
    }

    fn features(rows: usize) -> FeatureMatrix {
        FeatureMatrix::from_dense(&(0..rows).map(|row| [row as f64]).collect::<Vec<_>>())
    }

    #[test]
    fn only_the_most_specific_nodes_are_kept() {
        let sets = [vec![3, 0], vec![1, 3, 2], vec![], vec![4, UNKNOWN_LABEL, 0]];
        let data = HierarchyExamples::from_sets(features(4), &sets, hierarchy()).unwrap();
        let labels: Vec<&[u32]> = (0..4).map(|i| data.labels_of(i)).collect();
        assert_eq!(labels, [&[3][..], &[2, 3], &[], &[0, 4, UNKNOWN_LABEL]]);
        assert_eq!((data.nodes_of(1), data.nodes_of(3)), (vec![0, 1, 2, 3], vec![0, 4]));
        assert_eq!((data.label_count(), data.has_one_each()), (5, false));
        let some = data.subset(&[3, 0]).unwrap();
        assert_eq!((some.labels_of(0), some.labels_of(1)), (&[0, 4, UNKNOWN_LABEL][..], &[3][..]));
    }

    #[test]
    fn what_does_not_go_together_is_refused() {
        let new = |rows, sets: &[Vec<u32>]| HierarchyExamples::from_sets(features(rows), sets, hierarchy());
        assert!(new(2, &[vec![0]]).is_err());
        assert!(new(1, &[vec![5]]).unwrap_err().to_string().contains("row 1 has a node beyond the 5"));
        assert!(HierarchyExamples::new(features(1), &[0, 2], &[1], Arc::new(hierarchy().into())).is_err());
    }

    #[test]
    fn another_hierarchy_is_other_data() {
        let other = Hierarchy::forest(&[None, Some(0), Some(1), Some(1), None]).unwrap();
        let data = |hierarchy| HierarchyExamples::from_sets(features(1), &[[3]], hierarchy).unwrap();
        assert_ne!(data(hierarchy()).fingerprint(), data(other).fingerprint());
    }
}
