//! Random fields of every kind, for the tests and the benchmarks of kernels.
//!
//! Each of them uses a part of it.
#![allow(dead_code)]

use maxmargin_core::inference::LabelGraph;
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// A field with what it borrows.
#[derive(Debug, Clone)]
pub struct RandomField {
    pub graph: LabelGraph,
    pub unary: Vec<f64>,
    pub coupling: Vec<f64>,
}

/// A source of random numbers that is the same everywhere.
pub struct Dice(Pcg64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(Pcg64::seed_from_u64(seed))
    }

    /// Between 0 and 1.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Between −1 and 1.
    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// From 0 to `most`.
    pub fn upto(&mut self, most: usize) -> usize {
        (self.0.next_u64() % (most as u64 + 1)) as usize
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Complete,
    Sparse,
    Forest,
    Independent,
    /// A lattice 15 labels wide.
    Lattice,
}

pub fn graph(dice: &mut Dice, labels: usize, shape: Shape) -> LabelGraph {
    let edges = match shape {
        Shape::Complete => return LabelGraph::complete(labels).unwrap(),
        Shape::Independent => return LabelGraph::independent(labels),
        Shape::Sparse => {
            let share = dice.unit();
            let all = (0..labels as u32).flat_map(|i| (i + 1..labels as u32).map(move |j| (i, j)));
            all.filter(|_| dice.unit() < share).collect()
        }
        Shape::Lattice => {
            let right = (1..labels as u32).filter(|i| i % 15 != 0).map(|i| (i - 1, i));
            right.chain((15..labels as u32).map(|i| (i - 15, i))).collect()
        }
        Shape::Forest => {
            let parents = (1..labels).map(|i| (dice.upto(i - 1) as u32, i as u32, dice.upto(9)));
            parents.filter(|&(_, _, chance)| chance > 0).map(|(i, j, _)| (i, j)).collect()
        }
    };
    LabelGraph::new(labels, edges).expect("a graph")
}

/// A field of any kind: attractive, repulsive or mixed; small integers with many ties, halves, reals; any size of numbers.
pub fn any_field(dice: &mut Dice, labels: usize, shape: Shape) -> RandomField {
    let graph = graph(dice, labels, shape);
    let size = [1.0, 1.0, 1.0, 1e-9, 1e12, 1e-200, 1e200][dice.upto(6)];
    let strength = [0.1, 0.5, 1.0, 3.0][dice.upto(3)];
    let (signs, whole, zeros) = (dice.upto(3), dice.upto(1) == 0, dice.upto(2) == 0);
    let mut number = |strength: f64| match () {
        () if zeros && dice.upto(2) == 0 => 0.0,
        () if whole => (4.0 * strength * dice.signed()).round() * size,
        () => strength * dice.signed() * size,
    };
    let coupling: Vec<f64> = (0..graph.edges().len())
        .map(|_| match (signs, number(strength)) {
            (0, c) => c.abs(),
            (1, c) => -c.abs(),
            (_, c) => c,
        })
        .collect();
    let mut unary: Vec<f64> = (0..labels).map(|_| number(1.0)).collect();
    if dice.upto(1) == 0 {
        // In ±1 variables this is a small field: much remains undecided.
        for (e, &(i, j)) in graph.edges().iter().enumerate() {
            unary[i as usize] -= 0.5 * coupling[e];
            unary[j as usize] -= 0.5 * coupling[e];
        }
    }
    RandomField { graph, unary, coupling }
}

/// A complete field in which wishes and couplings disagree. In ±1 variables each label's field is at most `pull` times what
/// its couplings can do together: near 1 everything is easy, near 0 everything is undecided.
pub fn frustrated(dice: &mut Dice, labels: usize, pull: f64) -> RandomField {
    let graph = LabelGraph::complete(labels).unwrap();
    let coupling: Vec<f64> = graph.edges().iter().map(|_| dice.signed()).collect();
    let (mut sums, mut spreads) = (vec![0.0; labels], vec![0.0; labels]);
    for (&(i, j), c) in graph.edges().iter().zip(&coupling) {
        for label in [i as usize, j as usize] {
            sums[label] += 0.5 * c;
            spreads[label] += 0.5 * c.abs();
        }
    }
    let unary = (0..labels).map(|i| pull * dice.signed() * spreads[i] - sums[i]).collect();
    RandomField { graph, unary, coupling }
}
