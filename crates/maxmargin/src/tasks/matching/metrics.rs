//! Metrics of matchings, by the names that word alignment uses (Och & Ney 2003).
//!
//! With the predicted links A, the sure ones S and the possible ones P, which include the sure ones: precision is |A∩P|/|A|,
//! recall |A∩S|/|S|, and the alignment error rate (AER) 1 − (|A∩S| + |A∩P|)/(|A| + |S|), counted over all examples
//! together. Sure links that are no edges of the graph count in |S|, so that leaving edges out of graphs improves nothing.

use super::GraphExamples;
use crate::data::TaskData;
use crate::metrics::{Comparison, Metrics, Retrieval, mean, share};
use crate::structure::{LinkLoss, Links, MatchingStructure};

/// The metrics of links between nodes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LinkMetrics {
    /// The number of examples.
    pub examples: usize,
    /// The number of edges, and of sure links that have none.
    pub edges: usize,
    /// |A|.
    pub predicted: usize,
    /// |S|, those without an edge included.
    pub sure: usize,
    /// Sure links without an edge.
    pub unreachable: usize,
    /// |A∩S|.
    pub right_sure: usize,
    /// |A∩P|.
    pub right: usize,
    /// The number of examples without a mistake.
    pub exact: usize,
    /// The mean loss.
    pub mean_loss: f64,
}

impl LinkMetrics {
    pub(super) fn of(
        structure: &MatchingStructure,
        comparison: Comparison<'_, GraphExamples, Links>,
    ) -> Self {
        let mut sum = Self { examples: comparison.predicted.len(), ..Self::default() };
        for (i, Links { on: predicted, .. }) in comparison.predicted.iter().enumerate() {
            let labels = comparison.truth.labels_of(i);
            let missing = comparison.truth.unreachable_links(i) as usize;
            let sure = missing + labels.iter().filter(|label| **label == 1).count();
            let found = |wanted: u32| {
                predicted.iter().filter(|&&edge| labels.get(edge as usize) == Some(&wanted)).count()
            };
            let (right_sure, right_possible) = (found(1), found(2));
            let is_exact = right_sure == sure && right_sure + right_possible == predicted.len();
            sum.edges += labels.len() + missing;
            sum.predicted += predicted.len();
            sum.sure += sure;
            sum.right_sure += right_sure;
            sum.right += right_sure + right_possible;
            sum.exact += usize::from(is_exact);
            sum.unreachable += missing;
        }
        let miss = match structure.link_loss() {
            LinkLoss::Mistakes { miss, .. } => miss,
            LinkLoss::Size => 0.0,
        };
        let loss = |i: usize, predicted: &Links| {
            let truth = comparison.as_known(comparison.truth.labels_of(i));
            structure.loss_between(&Links::of_labels(&truth), predicted)
        };
        sum.mean_loss = comparison.mean_loss(loss) + mean(miss * sum.unreachable as f64, sum.examples);
        sum
    }

    /// |A∩P| / |A|; 0 without predictions.
    pub fn precision(&self) -> f64 {
        share(self.right, self.predicted)
    }

    /// |A∩S| / |S|; 0 where there is nothing to find.
    pub fn recall(&self) -> f64 {
        share(self.right_sure, self.sure)
    }

    /// The harmonic mean of the two.
    pub fn f1(&self) -> f64 {
        let (precision, recall) = (self.precision(), self.recall());
        if precision + recall == 0.0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) }
    }

    /// The alignment error rate; 0 where nothing was to be found and nothing was.
    pub fn aer(&self) -> f64 {
        let all = self.predicted + self.sure;
        share(all - self.right_sure - self.right, all)
    }

    /// The share of edges that are wrongly linked or not.
    pub fn hamming(&self) -> f64 {
        share(self.sure - self.right_sure + self.predicted - self.right, self.edges)
    }
}

impl From<LinkMetrics> for Metrics {
    fn from(metrics: LinkMetrics) -> Self {
        let figures = vec![
            ("precision", metrics.precision()),
            ("recall", metrics.recall()),
            ("f1", metrics.f1()),
            ("aer", metrics.aer()),
            ("hamming", metrics.hamming()),
            ("exact", share(metrics.exact, metrics.examples)),
            ("mean_loss", metrics.mean_loss),
        ];
        // Of the labels of edges only one is predicted, and what is predicted of possible links counts nowhere.
        let sure = Retrieval {
            truth: metrics.sure - metrics.unreachable,
            predicted: metrics.predicted - (metrics.right - metrics.right_sure),
            right: metrics.right_sure,
        };
        Metrics {
            figures,
            per_label: vec![("sure".to_owned(), sure)],
            main: Some("aer"),
            ..Metrics::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;
    use crate::data::EDGE_LABELS;
    use crate::structure::Edge;
    use crate::tasks::{self, chain};

    fn metrics(labels: &[&[u32]], unreachable: Vec<u32>, predicted: &[Vec<u32>]) -> LinkMetrics {
        let rows = chain::rows_without_features(labels.iter().map(|labels| labels.len()));
        let edges: Vec<Edge> =
            (0..rows.features().rows() as u32).map(|right| Edge { left: 0, right }).collect();
        let data =
            GraphExamples::new(rows, edges, labels.concat()).unwrap().with_unreachable(unreachable).unwrap();
        let names = &EDGE_LABELS.into_iter().collect();
        let task = tasks::Matching { miss: 2.0, false_link: 0.5, ..tasks::Matching::default() };
        let task = tasks::Fitted::new(task, 0, 3).unwrap();
        let predicted: Vec<Links> = predicted.iter().map(|links| Links::of(links.clone())).collect();
        let predicted = &predicted[..];
        let comparison = Comparison { truth: &data, predicted, labels: names, known: 3, background: None };
        LinkMetrics::of(task.structure(), comparison)
    }

    #[test]
    fn an_example_by_hand() {
        // Sure: 0, 1 of the first and one without an edge; possible: 2. Predicted: 0, 2, 3.
        let found = metrics(&[&[1, 1, 2, 0], &[0]], vec![1, 0], &[vec![0, 2, 3], vec![]]);
        assert_eq!((found.precision(), found.recall()), (2.0 / 3.0, 1.0 / 3.0));
        assert!((found.aer() - (1.0 - 3.0 / 6.0)).abs() < 1e-15);
        // Two missed, one false, of five edges and one link without an edge.
        assert_eq!((found.hamming(), found.exact), (3.0 / 6.0, 1));
        assert_eq!(found.mean_loss, (2.0 * 2.0 + 0.5) / 2.0);
        assert!((found.f1() - 2.0 * (2.0 / 9.0) / 1.0).abs() < 1e-15);
        let nothing = metrics(&[&[0, 0]], vec![0], &[vec![]]);
        assert_eq!((nothing.aer(), nothing.mean_loss, nothing.exact), (0.0, 0.0, 1));
    }

    #[test]
    fn counts_are_those_of_sets() {
        let mut random = Pcg64Mcg::seed_from_u64(1);
        for round in 0..200 {
            let labels: Vec<u32> = (0..8).map(|_| random.random_range(0..3)).collect();
            let predicted: Vec<u32> = (0..8).filter(|_| random.random_bool(0.5)).collect();
            let found = metrics(&[&labels], vec![0], std::slice::from_ref(&predicted));
            let set = |test: &dyn Fn(u32) -> bool| -> HashSet<u32> {
                (0..8).filter(|&edge| test(labels[edge as usize])).collect()
            };
            let a: HashSet<u32> = predicted.iter().copied().collect();
            let (s, p) = (set(&|label| label == 1), set(&|label| label > 0));
            let (a_s, a_p) = ((&a & &s).len() as f64, (&a & &p).len() as f64);
            let ratio = |x: f64, y: usize| if y == 0 { 0.0 } else { x / y as f64 };
            assert_eq!(found.precision(), ratio(a_p, a.len()), "round {round}");
            assert_eq!(found.recall(), ratio(a_s, s.len()), "round {round}");
            if a.len() + s.len() > 0 {
                let aer = 1.0 - (a_s + a_p) / (a.len() + s.len()) as f64;
                assert!((found.aer() - aer).abs() < 1e-12, "round {round}");
            }
            let (missed, wrong) = ((&s - &a).len() as f64, (&a - &p).len() as f64);
            assert_eq!(found.mean_loss, 2.0 * missed + 0.5 * wrong, "round {round}");
            assert_eq!(found.hamming(), (missed + wrong) / 8.0, "round {round}");
        }
    }
}
