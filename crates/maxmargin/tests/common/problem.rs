//! Small problems on which everything can be computed by listing all labels.
//!
//! Features, weights and costs are small integers, halves, or integers times 1 + 2⁻³⁰ (which no `f32` holds): sums of
//! their products are exact in `f64`, so that ties are real ties. The features φ are written out here a second time,
//! from the tables in the documentation, and share no code with the library.

mod strategies;

use std::sync::Arc;

use maxmargin::data::{DataObject, Dataset, Edge, FeatureMatrix, MatrixBuilder, TaskData};
use maxmargin::inference::LabelGraph;
use maxmargin::risk::Risk;
use maxmargin::structure::{
    ChainLoss, ChainOptions, ChainStructure, CostMatrix, Inference, LabelCost, LabelSet, LinkLoss, Links,
    MatchingOptions, MatchingStructure, MulticlassStructure, MultilabelOptions, MultilabelStructure,
    PairWeights, SetLoss,
};
use maxmargin::tasks::multilabel::{LabelWeights, Pairs};
use maxmargin::tasks::{self, Costs, Fitted, FittedObject, SearchOptions};

#[allow(unused_imports)]
pub use self::strategies::{Sizes, cases, numbers, problems, trainable, weights};

/// The tasks that problems are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskKind {
    Multiclass,
    Chain,
    Multilabel,
    Matching,
}

impl TaskKind {
    pub fn name(self) -> &'static str {
        match self {
            TaskKind::Multiclass => "multiclass",
            TaskKind::Chain => "chain",
            TaskKind::Multilabel => "multilabel",
            TaskKind::Matching => "matching",
        }
    }
}

impl std::fmt::Display for TaskKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// The types in which a feature matrix holds its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    Ones,
    Bytes,
    ScaledBytes,
    Single,
    Double,
}

impl Values {
    pub const ALL: [Values; 5] =
        [Values::Ones, Values::Bytes, Values::ScaledBytes, Values::Single, Values::Double];

    /// A value of this type for an integer from −3 to 3.
    fn of(self, integer: i8) -> f64 {
        let integer = f64::from(integer);
        match self {
            Values::Ones => f64::from(u8::from(integer > 0.0)),
            Values::Bytes => integer.abs(),
            Values::ScaledBytes => 0.25 * integer.abs(),
            Values::Single => 0.5 * integer,
            Values::Double => integer * (1.0 + f64::EPSILON * (1u64 << 22) as f64),
        }
    }
}

/// What only problems about label sets have.
#[derive(Debug, Clone, Default)]
pub struct Sets {
    /// How the library is told the pairs of labels that have weights.
    pub given: Pairs,
    /// These pairs, in ascending order.
    pub pairs: Vec<(u32, u32)>,
    /// Whether a pair has a weight for both labels only, and not four.
    pub both_only: bool,
    pub signed: bool,
    pub relaxed: bool,
}

/// An input with its label; a multiclass example has one row. So has one with a set of labels, whose truth has 0 or 1 for
/// each label. A graph has a row for each edge, and its truth has 0 (none), 1 (sure) or 2 (possible) for each.
#[derive(Debug, Clone, Default)]
pub struct Sample {
    pub rows: Vec<Vec<f64>>,
    pub truth: Vec<u32>,
    pub weight: f64,
    /// Matchings only: the nodes of each edge.
    pub edges: Vec<(u32, u32)>,
}

/// A task with its training data.
#[derive(Debug, Clone)]
pub struct Problem {
    pub kind: TaskKind,
    pub features: usize,
    /// Chains: how many of the features, the first ones, have a weight for each pair of labels.
    pub pair_features: usize,
    /// Chains: whether three labels in a row have weights.
    pub second_order: bool,
    pub labels: usize,
    pub bias: bool,
    pub boundary: bool,
    pub mean: bool,
    /// A cost matrix, row by row; 0/1 without one. Label sets: what each label costs, or [both](Self::set_cost). Matchings: what a missed and a false
    /// link cost.
    pub costs: Option<Vec<f64>>,
    pub sets: Sets,
    /// Matchings: the most links of a left and of a right node.
    pub fertility: (u32, u32),
    pub values: Values,
    pub sparse: bool,
    pub samples: Vec<Sample>,
}

impl Sample {
    /// Makes sure links possible that their nodes have no room for.
    fn allow(&mut self, fertility: (u32, u32)) {
        for edge in (0..self.truth.len()).filter(|&edge| self.truth[edge] == 1).collect::<Vec<_>>() {
            if !self.is_allowed(&self.truth, fertility) {
                self.truth[edge] = 2;
            }
        }
    }

    /// Whether no node has more links than it may have.
    fn is_allowed(&self, y: &[u32], fertility: (u32, u32)) -> bool {
        let links = || self.edges.iter().zip(y).filter(|(_, y)| **y == 1).map(|(ends, _)| ends);
        links().all(|(left, right)| {
            links().filter(|ends| ends.0 == *left).count() <= fertility.0 as usize
                && links().filter(|ends| ends.1 == *right).count() <= fertility.1 as usize
        })
    }
}

/// All labels of a chain of this length.
pub fn all_labels(length: usize, labels: usize) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for _ in 0..length {
        all = all
            .into_iter()
            .flat_map(|start: Vec<u32>| {
                (0..labels as u32).map(move |y| start.iter().copied().chain([y]).collect())
            })
            .collect();
    }
    all
}

/// The labels that are in a set, which has 0 or 1 for each label.
fn members(y: &[u32]) -> Vec<u32> {
    (0..).zip(y).filter(|(_, on)| **on == 1).map(|(label, _)| label).collect()
}

/// A set that has 0 or 1 for each label, as the library has it.
pub fn label_set(y: &[u32]) -> LabelSet {
    LabelSet::of(&members(y))
}

/// Links that have 0 or 1 for each edge, or a truth that has 2 for what is possible, as the library has them.
pub fn links(y: &[u32]) -> Links {
    let with = |wanted: u32| (0..).zip(y).filter(|(_, y)| **y == wanted).map(|(edge, _)| edge).collect();
    Links { on: with(1), free: with(2) }
}

pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    assert_eq!(x.len(), y.len());
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// What the problem says by definition.
impl Problem {
    pub fn dim(&self) -> usize {
        let unary = (self.features - self.pair_features + usize::from(self.bias)) * self.labels;
        match self.kind {
            TaskKind::Multiclass => unary,
            TaskKind::Chain => {
                let pairs = (1 + self.pair_features) * self.labels * self.labels;
                let boundary = if self.boundary { 2 * self.labels } else { 0 };
                unary + pairs + boundary + if self.second_order { self.labels.pow(3) } else { 0 }
            }
            TaskKind::Multilabel => unary + if self.sets.both_only { 1 } else { 4 } * self.sets.pairs.len(),
            TaskKind::Matching => self.features + usize::from(self.bias),
        }
    }

    /// φ(x,y), dense.
    pub fn phi(&self, i: usize, y: &[u32]) -> Vec<f64> {
        let mut phi = vec![0.0; self.dim()];
        self.phi_parts(i, y).into_iter().for_each(|(j, value)| phi[j] += value);
        phi
    }

    /// φ(x,y) as entries that are still to be added up: their places, and numbers of the data or their negatives.
    pub fn phi_parts(&self, i: usize, y: &[u32]) -> Vec<(usize, f64)> {
        match self.kind {
            TaskKind::Multilabel => self.phi_of_set(i, y),
            TaskKind::Matching => self.phi_of_links(i, y),
            TaskKind::Multiclass | TaskKind::Chain => self.phi_of_labels(i, y),
        }
    }

    fn phi_of_labels(&self, i: usize, y: &[u32]) -> Vec<(usize, f64)> {
        let labels = self.labels;
        let mut parts = Vec::new();
        let (pairs, others) = (self.pair_features, self.features - self.pair_features);
        let unary = pairs * labels * labels;
        for (row, &y) in self.samples[i].rows.iter().zip(y) {
            let row = row[pairs..].iter().enumerate();
            parts.extend(row.map(|(j, &value)| (unary + j * labels + y as usize, value)));
            if self.bias {
                parts.push((unary + others * labels + y as usize, 1.0));
            }
        }
        if self.kind == TaskKind::Chain && !y.is_empty() {
            let transitions = unary + (others + usize::from(self.bias)) * labels;
            for (t, y) in y.windows(2).enumerate() {
                let pair = |j: usize| (j * labels + y[0] as usize) * labels + y[1] as usize;
                let row = self.samples[i].rows[t + 1][..pairs].iter().enumerate();
                parts.extend(row.map(|(j, &value)| (pair(j), value)));
            }
            parts.extend(y.windows(2).map(|y| (transitions + y[0] as usize * labels + y[1] as usize, 1.0)));
            if self.boundary {
                let first = transitions + labels * labels;
                parts.push((first + y[0] as usize, 1.0));
                parts.push((first + labels + y[y.len() - 1] as usize, 1.0));
            }
            if self.second_order {
                let triples = self.dim() - labels.pow(3);
                let place = |y: &[u32]| y.iter().fold(0, |place, &y| place * labels + y as usize);
                parts.extend(y.windows(3).map(|y| (triples + place(y), 1.0)));
            }
        }
        parts
    }

    fn phi_of_links(&self, i: usize, y: &[u32]) -> Vec<(usize, f64)> {
        let mut parts = Vec::new();
        for (row, _) in self.samples[i].rows.iter().zip(y).filter(|(_, y)| **y == 1) {
            parts.extend(row.iter().copied().enumerate());
            if self.bias {
                parts.push((self.features, 1.0));
            }
        }
        parts
    }

    fn phi_of_set(&self, i: usize, y: &[u32]) -> Vec<(usize, f64)> {
        let row = &self.samples[i].rows[0];
        let mut parts = Vec::new();
        for (label, &on) in y.iter().enumerate() {
            let sign = match on {
                1 => 1.0,
                _ if self.sets.signed => -1.0,
                _ => continue,
            };
            parts.extend(row.iter().enumerate().map(|(j, &value)| (j * self.labels + label, sign * value)));
            if self.bias {
                parts.push((self.features * self.labels + label, sign));
            }
        }
        let start = (self.features + usize::from(self.bias)) * self.labels;
        for (pair, &(first, second)) in self.sets.pairs.iter().enumerate() {
            // Neither, the second only, the first only, both.
            let indicator = 2 * y[first as usize] + y[second as usize];
            match self.sets.both_only {
                true => parts.push((start + pair, f64::from(u8::from(indicator == 3)))),
                false => parts.push((start + 4 * pair + indicator as usize, 1.0)),
            }
        }
        parts
    }

    /// The costs of all positions, added up: exact where costs are whole numbers.
    pub fn cost(&self, i: usize, y: &[u32]) -> f64 {
        self.cost_parts(i, y).iter().sum()
    }

    /// What each position costs.
    pub fn cost_parts(&self, i: usize, y: &[u32]) -> Vec<f64> {
        let (miss, wrong) = self.link_costs();
        let is_wrong = |truth: u32, y: u32| f64::from(u8::from(truth != y));
        let cost = |(position, (&truth, &y)): (usize, (&u32, &u32))| match (self.kind, &self.costs) {
            (TaskKind::Matching, _) => match (truth, y) {
                (1, 0) => miss,
                (0, 1) => wrong,
                _ => 0.0,
            },
            (_, None) => is_wrong(truth, y),
            (TaskKind::Multilabel, Some(_)) => self.set_cost(position, truth == 1) * is_wrong(truth, y),
            (_, Some(costs)) => costs[truth as usize * self.labels + y as usize],
        };
        self.samples[i].truth.iter().zip(y).enumerate().map(cost).collect()
    }

    /// What a label of a set costs that is missed, or wrongly in: costs are one for each label, or all of the former, then all of
    /// the latter.
    pub fn set_cost(&self, label: usize, is_true: bool) -> f64 {
        let Some(costs) = &self.costs else { return 1.0 };
        let has_two = costs.len() > self.labels;
        costs[label + if has_two && !is_true { self.labels } else { 0 }]
    }

    /// Whether Micro-F1 knows the costs of label sets: one for each label, above 0.
    pub fn has_sizes(&self) -> bool {
        let is_known = |costs: &Vec<f64>| costs.len() == self.labels && costs.iter().all(|cost| *cost > 0.0);
        self.kind != TaskKind::Multilabel || self.costs.as_ref().is_none_or(is_known)
    }

    /// What a missed and a false link cost.
    fn link_costs(&self) -> (f64, f64) {
        match &self.costs {
            Some(costs) if self.kind == TaskKind::Matching => (costs[0], costs[1]),
            _ => (1.0, 1.0),
        }
    }

    /// L_i(y).
    pub fn loss(&self, i: usize, y: &[u32]) -> f64 {
        self.cost(i, y) / self.loss_divisor(i) as f64
    }

    /// By what costs are divided: the number of positions, where the loss is a mean.
    pub fn loss_divisor(&self, i: usize) -> usize {
        let has_mean = !matches!(self.kind, TaskKind::Multiclass | TaskKind::Matching);
        if has_mean && self.mean { self.samples[i].truth.len().max(1) } else { 1 }
    }

    pub fn labels_of(&self, i: usize) -> Vec<Vec<u32>> {
        let sample = &self.samples[i];
        let is_set = matches!(self.kind, TaskKind::Multilabel | TaskKind::Matching);
        let mut all = all_labels(sample.truth.len(), if is_set { 2 } else { self.labels });
        if self.kind == TaskKind::Matching {
            all.retain(|y| sample.is_allowed(y, self.fertility));
        }
        all
    }

    /// φ(x_i,y) − φ(x_i,y_i) and L_i(y) for every label y: all the planes of H_i.
    pub fn planes(&self, i: usize) -> Vec<(Vec<f64>, f64)> {
        let truth = self.phi(i, &self.samples[i].truth);
        let slope = |y: &[u32]| self.phi(i, y).iter().zip(&truth).map(|(a, b)| a - b).collect();
        self.labels_of(i).iter().map(|y| (slope(y), self.loss(i, y))).collect()
    }

    /// H_i(w).
    pub fn h(&self, i: usize, w: &[f64]) -> f64 {
        self.planes(i).iter().map(|(a, b)| dot(a, w) + b).fold(f64::NEG_INFINITY, f64::max)
    }

    /// R(w).
    pub fn risk_at(&self, w: &[f64]) -> f64 {
        let n = self.samples.len() as f64;
        (0..self.samples.len()).map(|i| self.samples[i].weight * self.h(i, w)).sum::<f64>() / n
    }

    /// F(w).
    pub fn objective(&self, lambda: f64, w: &[f64]) -> f64 {
        0.5 * lambda * dot(w, w) + self.risk_at(w)
    }
}

/// The same problem as the library sees it.
impl Problem {
    fn label_cost(&self) -> LabelCost {
        match &self.costs {
            _ if matches!(self.kind, TaskKind::Multilabel | TaskKind::Matching) => LabelCost::ZeroOne,
            None => LabelCost::ZeroOne,
            Some(costs) => LabelCost::Matrix(Arc::new(CostMatrix::new(self.labels, costs.clone()).unwrap())),
        }
    }

    pub fn multiclass(&self) -> MulticlassStructure {
        MulticlassStructure::new(self.features, self.labels, self.bias, self.label_cost()).unwrap()
    }

    pub fn chain(&self) -> ChainStructure {
        let loss = ChainLoss { cost: self.label_cost(), mean: self.mean };
        let options = ChainOptions { bias: self.bias, boundary: self.boundary, loss };
        let structure = ChainStructure::new(self.features - self.pair_features, self.labels, options);
        let structure = structure.unwrap().with_pair_features(self.pair_features).unwrap();
        if self.second_order { structure.with_triples(None).unwrap() } else { structure }
    }

    pub fn multilabel(&self) -> MultilabelStructure {
        let loss = match &self.costs {
            Some(costs) if costs.len() > self.labels => {
                let (miss, wrong) = costs.split_at(self.labels);
                SetLoss::Mistakes { miss: miss.into(), wrong: wrong.into(), mean: self.mean }
            }
            costs => {
                let weights = costs.as_ref().map(|costs| costs.as_slice().into());
                SetLoss::Hamming { weights, mean: self.mean }
            }
        };
        let options = MultilabelOptions {
            bias: self.bias,
            pair_weights: self.pair_weights(),
            signed: self.sets.signed,
            loss,
            inference: self.inference(),
        };
        let graph = LabelGraph::new(self.labels, self.sets.pairs.clone()).unwrap();
        MultilabelStructure::new(self.features, graph, options).unwrap()
    }

    pub fn matching(&self) -> MatchingStructure {
        let (miss, false_link) = self.link_costs();
        let loss = LinkLoss::Mistakes { miss, false_link };
        let options = MatchingOptions {
            bias: self.bias,
            loss,
            fertility: self.fertility,
            ..MatchingOptions::default()
        };
        MatchingStructure::new(self.features, options).unwrap()
    }

    fn pair_weights(&self) -> PairWeights {
        if self.sets.both_only { PairWeights::Both } else { PairWeights::Four }
    }

    fn inference(&self) -> Inference {
        if self.sets.relaxed { Inference::Relaxed } else { Inference::Exact }
    }

    pub fn task(&self) -> Box<dyn FittedObject> {
        let &Self { bias, boundary, mean, fertility, features, labels, .. } = self;
        let costs = match self.label_cost() {
            LabelCost::Matrix(matrix) => Costs::Matrix(matrix),
            _ => Costs::Equal,
        };
        let (miss, false_link) = self.link_costs();
        match self.kind {
            TaskKind::Multiclass => {
                let class_weights = LabelWeights::Equal;
                fitted(tasks::Multiclass { bias, costs, class_weights }, features, labels)
            }
            TaskKind::Chain => {
                let mut task = tasks::Chain { bias, boundary, costs, mean, ..Default::default() };
                task.pair_attributes = self.pair_features;
                if self.second_order {
                    tasks::Task::set(&mut task, "order", &["2".to_owned()]).unwrap();
                }
                fitted(task, features, labels)
            }
            TaskKind::Multilabel => {
                let task = tasks::Multilabel {
                    bias,
                    pairs: self.sets.given.clone(),
                    pair_weights: self.pair_weights(),
                    signed: self.sets.signed,
                    inference: Some(self.inference()),
                    weights: match &self.costs {
                        Some(costs) if costs.len() > labels => {
                            let (miss, wrong) = costs.split_at(labels);
                            LabelWeights::Mistakes { miss: miss.into(), wrong: wrong.into() }
                        }
                        Some(costs) => LabelWeights::Listed(costs.as_slice().into()),
                        None => LabelWeights::Equal,
                    },
                    mean,
                    most_frequent_labels: None,
                };
                fitted(task, features, labels)
            }
            TaskKind::Matching => {
                let task =
                    tasks::Matching { bias, miss, false_link, fertility, ..tasks::Matching::default() };
                // The labels of edges.
                fitted(task, features, 3)
            }
        }
    }

    pub fn risk(&self) -> Box<dyn Risk> {
        let (task, data) = (self.task(), self.data());
        task.risk(&*data, &task.search(&SearchOptions::default(), &*data).unwrap()).unwrap()
    }

    /// The examples as the task has them.
    pub fn data(&self) -> Arc<dyn DataObject> {
        fn of<D: TaskData>(table: Dataset) -> Arc<dyn DataObject> {
            Arc::new(D::from_table(table).unwrap())
        }
        match self.kind {
            TaskKind::Multiclass => of::<tasks::RowExamples>(self.dataset()),
            TaskKind::Chain => of::<tasks::SequenceExamples>(self.dataset()),
            TaskKind::Multilabel => of::<tasks::LabelSetExamples>(self.dataset()),
            TaskKind::Matching => of::<tasks::GraphExamples>(self.dataset()),
        }
    }

    /// The examples where they are graphs.
    pub fn graphs(&self) -> tasks::GraphExamples {
        tasks::GraphExamples::from_table(self.dataset()).unwrap()
    }

    pub fn dataset(&self) -> Dataset {
        let is_set = self.kind == TaskKind::Multilabel;
        let (mut starts, mut labels) = (vec![0], Vec::new());
        for sample in &self.samples {
            labels.extend(if is_set { members(&sample.truth) } else { sample.truth.clone() });
            starts.push(labels.len());
        }
        Dataset {
            features: Arc::new(self.matrix()),
            pair_columns: self.pair_features,
            labels,
            sets: is_set.then(|| starts.clone()),
            sequences: matches!(self.kind, TaskKind::Chain | TaskKind::Matching).then_some(starts),
            weights: Some(self.samples.iter().map(|sample| sample.weight).collect()),
            edges: (self.kind == TaskKind::Matching).then(|| {
                let ends = self.samples.iter().flat_map(|sample| &sample.edges);
                ends.map(|&(left, right)| Edge { left, right }).collect()
            }),
            ..Dataset::default()
        }
    }

    fn matrix(&self) -> FeatureMatrix {
        let rows = || self.samples.iter().flat_map(|sample| &sample.rows);
        if self.values == Values::ScaledBytes && self.features > 0 {
            let bytes = rows().flatten().map(|value| (value / 0.25) as u8).collect();
            let matrix = FeatureMatrix::from_bytes(bytes, self.features, 0.25).expect("whole rows");
            return if self.sparse { matrix.sparse_if_worthwhile() } else { matrix };
        }
        let mut builder =
            if self.sparse { MatrixBuilder::sparse() } else { MatrixBuilder::dense(self.features) };
        for row in rows() {
            for (j, &value) in row.iter().enumerate() {
                if !self.sparse || value != 0.0 {
                    builder.push(j as u32, value);
                }
            }
            builder.end_row();
        }
        builder.finish(self.features)
    }
}

fn fitted(task: impl tasks::Task, features: usize, labels: usize) -> Box<dyn FittedObject> {
    Box::new(Fitted::new(task, features, labels).unwrap())
}
