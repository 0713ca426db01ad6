//! How good trees are, by the names that dependency parsing uses.

use super::TreeExamples;
use crate::data::TaskData;
use crate::metrics::{Comparison, Metrics, Retrieval, share};
use crate::structure::{DependencyTree, ParsingStructure};

/// Words, and those of them whose head and whose head and relation are right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Attachments {
    /// The number of words.
    pub words: usize,
    /// Those with the right head.
    pub heads: usize,
    /// Those with the right head and relation.
    pub arcs: usize,
}

impl Attachments {
    fn add(&mut self, head: bool, arc: bool) {
        self.words += 1;
        self.heads += usize::from(head);
        self.arcs += usize::from(arc);
    }

    /// The unlabelled and the labelled attachment score.
    pub fn scores(&self) -> [f64; 2] {
        [share(self.heads, self.words), share(self.arcs, self.words)]
    }
}

/// Counts over all sentences.
pub(super) fn metrics(
    structure: &ParsingStructure,
    comparison: Comparison<'_, TreeExamples, DependencyTree>,
) -> Metrics {
    let (mut all, mut without) = (Attachments::default(), Attachments::default());
    let (mut roots, mut exact) = (0, 0);
    let mut per_label = vec![Retrieval::default(); comparison.labels.len()];
    for (i, predicted) in comparison.predicted.iter().enumerate() {
        let Some(truth) = comparison.truth.tree(i) else { continue };
        let root = |tree: &DependencyTree| tree.heads.iter().position(|head| *head == 0);
        roots += usize::from(root(&truth) == root(predicted));
        let mut is_exact = true;
        let words = truth.arcs().zip(predicted.arcs()).zip(comparison.truth.is_punctuation(i));
        for ((truth, found), is_punctuation) in words {
            let (head, arc) = (truth.0 == found.0, truth.0 == found.0 && truth.2 == found.2);
            all.add(head, arc);
            if !is_punctuation {
                without.add(head, arc);
            }
            is_exact &= arc;
            let mut count = |relation: u32, count: fn(&mut Retrieval)| {
                per_label.get_mut(relation as usize).into_iter().for_each(count);
            };
            count(truth.2, |of| of.truth += 1);
            count(found.2, |of| of.predicted += 1);
            if arc {
                count(truth.2, |of| of.right += 1);
            }
        }
        exact += usize::from(is_exact);
    }
    let sentences = comparison.predicted.len();
    let mean_loss = comparison.mean_loss(|i, predicted| {
        let truth = comparison.truth.tree(i).unwrap_or_else(|| predicted.clone());
        let relations = comparison.as_known(comparison.truth.labels_of(i));
        structure.loss_between(&DependencyTree { relations, ..truth }, predicted)
    });
    let ([uas, las], [uas_without, las_without]) = (all.scores(), without.scores());
    Metrics {
        figures: vec![
            ("uas", uas),
            ("las", las),
            ("uas_no_punct", uas_without),
            ("las_no_punct", las_without),
            ("root_accuracy", share(roots, sentences)),
            ("exact", share(exact, sentences)),
            ("mean_loss", mean_loss),
        ],
        per_label: comparison.named(&per_label),
        per_type: Vec::new(),
        main: Some("las"),
    }
}
