//! Metrics of nodes: whether labels are right, and how much of each is.
//!
//! A label stands for its nodes and all above them, A for the truth and B for what was predicted. Hierarchical precision is
//! Σ|A∩B| / Σ|B| over all examples, recall Σ|A∩B| / Σ|A|, and F1 their harmonic mean (S. Kiritchenko, S. Matwin, F. Famili. 2005).
//! A node that the model does not know is in A all the same, and so is what is above it where that is known; one of which nothing but
//! its being there is known counts as one node.

use rayon::prelude::*;

use super::{HierarchyExamples, LabelKind, ScoresOf};
use crate::data::{TaskData, UNKNOWN_LABEL};
use crate::metrics::{Comparison, Metrics, PrecisionRecallAreas, Retrieval, mean, per_set, share};
use crate::structure::Structure;

/// Areas under curves are of at most so many scores.
const MOST_SCORES: usize = 1 << 25;

/// The metrics of nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct HierarchyMetrics {
    /// The number of examples.
    pub examples: usize,
    /// The share of examples whose label is right.
    pub accuracy: f64,
    /// All nodes of all examples together, with what is above them.
    pub hierarchical: Retrieval,
    /// The share of all nodes of all examples that are wrongly in or out.
    pub hamming: f64,
    /// The mean of |A Δ B|: where each label is one node of a tree, the number of edges between the two.
    pub distance: f64,
    /// The mean of the F1 of each node that is in the truth or in the predictions.
    pub macro_f1: f64,
    /// The mean loss.
    pub mean_loss: f64,
    per_label: Vec<(String, Retrieval)>,
}

impl HierarchyMetrics {
    pub(super) fn of<K: LabelKind>(
        structure: &K::Structure,
        comparison: Comparison<'_, HierarchyExamples, <K::Structure as Structure>::Label>,
    ) -> Self {
        let Comparison { truth, predicted, labels, known, .. } = comparison;
        let examples = predicted.len();
        let (mut right, mut wrong, mut loss) = (0, 0, 0.0);
        let mut hierarchical = Retrieval::default();
        let (mut true_sets, mut predicted_sets) = (Vec::new(), Vec::new());
        for (i, label) in predicted.iter().enumerate() {
            let nameless = truth.labels_of(i).iter().filter(|&&label| label == UNKNOWN_LABEL).count();
            // Flat labels have nothing above them, but what they stand for has.
            let (a, b) = (truth.nodes_of(i), truth.closed(K::nodes(structure, label)));
            let both = b.iter().filter(|node| a.binary_search(node).is_ok()).count();
            hierarchical.truth += a.len() + nameless;
            hierarchical.predicted += b.len();
            hierarchical.right += both;
            let differ = a.len() + b.len() - 2 * both + nameless;
            wrong += differ;
            right += usize::from(differ == 0);
            let strange = nameless + a.iter().filter(|&&node| node as usize >= known).count();
            let a_known: Vec<u32> = a.iter().copied().filter(|&node| (node as usize) < known).collect();
            loss += K::loss_of_nodes(structure, &a_known, &b, strange);
            true_sets.push(a);
            predicted_sets.push(b);
        }
        let sets = true_sets.iter().map(Vec::as_slice).zip(predicted_sets.iter().map(Vec::as_slice));
        let counts = per_set(labels.len(), sets);
        let used = || counts.iter().filter(|counts| counts.truth + counts.predicted > 0);
        Self {
            examples,
            accuracy: share(right, examples),
            hierarchical,
            hamming: share(wrong, examples * labels.len()),
            distance: share(wrong, examples),
            macro_f1: mean(used().map(Retrieval::f1).sum(), used().count()),
            mean_loss: mean(loss, examples),
            per_label: comparison.named(&counts),
        }
    }

    /// By the names of a task whose labels are one node each, or several.
    pub(super) fn named(self, is_one: bool) -> Metrics {
        let mut figures = vec![("error", 1.0 - self.accuracy), ("accuracy", self.accuracy)];
        let names = ["hierarchical_precision", "hierarchical_recall", "hierarchical_f1"];
        figures.extend(self.hierarchical.figures(names));
        figures.push(("hamming", self.hamming));
        figures.extend(is_one.then_some(("tree_distance", self.distance)));
        figures.extend([("macro_f1", self.macro_f1), ("mean_loss", self.mean_loss)]);
        let main = if is_one { "error" } else { "hierarchical_f1" };
        Metrics { figures, per_label: self.per_label, main: Some(main), ..Metrics::default() }
    }
}

/// The areas under the precision-recall curves of node scores, for so many nodes; none where they would be too many. Nodes that the
/// structure does not have score less than all others.
pub(super) fn areas<K: LabelKind>(
    structure: &K::Structure,
    weights: &[f64],
    truth: &HierarchyExamples,
    nodes: usize,
) -> Option<PrecisionRecallAreas> {
    if truth.len().saturating_mul(nodes) > MOST_SCORES {
        return None;
    }
    let of_example = |scores: &mut (ScoresOf<K>, Vec<f64>), i: usize| {
        structure.score(weights, &truth.rows().input(i), &mut scores.0);
        K::node_scores(structure, &scores.0, &mut scores.1);
        scores.1.resize(nodes, f64::NEG_INFINITY);
        (scores.1.clone(), truth.nodes_of(i))
    };
    let each: Vec<(Vec<f64>, Vec<u32>)> =
        (0..truth.len()).into_par_iter().map_init(Default::default, of_example).collect();
    let of_node = |node: usize| {
        let pair = |(scores, nodes): &(Vec<f64>, Vec<u32>)| {
            (scores[node], nodes.binary_search(&(node as u32)).is_ok())
        };
        each.iter().map(pair).collect::<Vec<_>>()
    };
    Some(PrecisionRecallAreas::of((0..nodes).map(of_node)))
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::super::{HierarchyTask, LabelKind, Many, One};
    use super::*;
    use crate::data::{Alphabet, Attributes, FeatureMatrix, Vocabulary};
    use crate::inference::Hierarchy;
    use crate::structure::LabelSet;
    use crate::tasks::{Fitted, Task};

    /// a above b and c; b above d; e alone.
    fn hierarchy(more: &[Option<u32>]) -> Hierarchy {
        Hierarchy::forest(&[&[None, Some(0), Some(0), Some(1), None], more].concat()).unwrap()
    }

    fn examples(sets: &[Vec<u32>], hierarchy: Hierarchy) -> HierarchyExamples {
        let features = FeatureMatrix::from_dense(&vec![[1.0]; sets.len()]);
        HierarchyExamples::from_sets(features, sets, hierarchy).unwrap()
    }

    /// A task for five nodes, of which labels may end at all but a, and sets of them anywhere.
    fn fitted<K: LabelKind>() -> Fitted<HierarchyTask<K>> {
        let labels: Alphabet = ["a", "b", "c", "d", "e"].into_iter().collect();
        let names = Vocabulary { labels, attributes: Attributes::Numbered(1) };
        let data = examples(&[vec![1], vec![2], vec![3], vec![4]], hierarchy(&[]));
        Fitted::new(HierarchyTask::<K>::default().resolve(&names, &data).unwrap(), 1, 5).unwrap()
    }

    fn metrics<K: LabelKind>(
        truth: &HierarchyExamples,
        predicted: &[<K::Structure as Structure>::Label],
    ) -> Metrics {
        let labels: Alphabet = ["a", "b", "c", "d", "e", "f"].into_iter().collect();
        let comparison = Comparison { truth, predicted, labels: &labels, known: 5, background: None };
        fitted::<K>().metrics(comparison).unwrap()
    }

    #[test]
    fn examples_by_hand() {
        // f is below b, and the model does not know it; of the last label nobody knows anything.
        let truth = examples(&[vec![3], vec![2], vec![5], vec![UNKNOWN_LABEL]], hierarchy(&[Some(1)]));
        // {a,b,d} and the same; {a,c} and {a,b,d}; {a,b,f} and {a,b,d}; {?} and {e}.
        let found = metrics::<One>(&truth, &[3, 3, 3, 4]);
        let figure = |name: &str| found.figure(name).unwrap();
        assert_eq!((figure("accuracy"), figure("error")), (0.25, 0.75));
        assert_eq!(figure("hierarchical_precision"), 6.0 / 10.0);
        assert_eq!(figure("hierarchical_recall"), 6.0 / 9.0);
        assert_eq!((figure("tree_distance"), figure("mean_loss")), (7.0 / 4.0, 7.0 / 4.0));
        assert_eq!(figure("hamming"), 7.0 / 24.0);

        let sets = [vec![0, 1, 3], vec![0], vec![0, 1, 4], vec![4]].map(|set| LabelSet::of(&set));
        let found = metrics::<Many>(&truth, &sets[..]);
        let figure = |name: &str| found.figure(name).unwrap();
        // Right are {a,b,d}, {a}, {a,b} and nothing of 3, 1, 3 and 1.
        assert_eq!((figure("hierarchical_precision"), figure("hierarchical_recall")), (6.0 / 8.0, 6.0 / 9.0));
        assert_eq!(figure("mean_loss"), (0.0 + 1.0 + 2.0 + 2.0) / 4.0);
    }

    #[test]
    fn the_distance_is_a_way_in_the_tree() {
        let mut random = Pcg64Mcg::seed_from_u64(1);
        let tree = hierarchy(&[]);
        let up = |node: u32| std::iter::successors(Some(node), |&node| tree.parents(node).first().copied());
        for _ in 0..100 {
            let ends = [2, 3, 4];
            let (a, b) = (ends[random.random_range(0..3)], ends[random.random_range(0..3)]);
            // Up from one to the nearest node that is above both, or to the root, and down again.
            let common = up(a).find(|node| up(b).any(|other| other == *node));
            let steps = |from: u32| up(from).take_while(|node| Some(*node) != common).count();
            let found = metrics::<One>(&examples(&[vec![a]], hierarchy(&[])), &[b]);
            assert_eq!(found.figure("tree_distance"), Some((steps(a) + steps(b)) as f64), "{a} {b}");
        }
    }

    #[test]
    fn areas_are_of_all_nodes_and_strangers_come_last() {
        // Only the first node's bias is above 0, so that a comes first everywhere, and f, which nobody knows, last.
        let task = fitted::<Many>();
        let truth = examples(&[vec![0], vec![0, 5]], hierarchy(&[None]));
        let mut weights = vec![0.0; task.dim()];
        weights[5..].copy_from_slice(&[1.0, -1.0, -1.0, -1.0, -1.0]);
        let found = areas::<Many>(task.structure(), &weights, &truth, 6).unwrap();
        let a = vec![(1.0, true), (1.0, true)];
        let f = vec![(f64::NEG_INFINITY, false), (f64::NEG_INFINITY, true)];
        assert_eq!(found, PrecisionRecallAreas::of([a, f]));
        assert_eq!(found.average, (1.0 + 0.5) / 2.0);
    }
}
