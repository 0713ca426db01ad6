//! A block of weights for each node of a hierarchy: what labels of one node and of several share.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::features::Rows;
use crate::inference::Hierarchy;
use crate::linear::{FeatureSum, Precise, add_row_products, precise_row_products};
use crate::structure::shape::{check_features, check_rows, check_size};

/// The blocks, and by what each is scaled.
#[derive(Debug, Clone)]
pub(super) struct NodeBlocks {
    pub hierarchy: Arc<Hierarchy>,
    pub features: usize,
    pub bias: bool,
    /// √α_n; `None` where all are 1.
    scales: Option<Arc<[f64]>>,
}

impl NodeBlocks {
    pub fn new(
        features: usize,
        hierarchy: Arc<Hierarchy>,
        bias: bool,
        alpha: Option<&[f64]>,
    ) -> Result<Self> {
        check_size(features.saturating_add(usize::from(bias)), hierarchy.nodes(), Some(0))?;
        if let Some(alpha) = alpha {
            check_weights("alpha", alpha, hierarchy.nodes())?;
        }
        let scales = alpha.filter(|alpha| alpha.iter().any(|alpha| *alpha != 1.0));
        let scales = scales.map(|alpha| alpha.iter().map(|alpha| alpha.sqrt()).collect());
        Ok(Self { hierarchy, features, bias, scales })
    }

    pub fn check_input(&self, x: &Rows) -> Result<()> {
        check_features(x, self.features)?;
        check_rows(x, 1)
    }

    pub fn nodes(&self) -> usize {
        self.hierarchy.nodes()
    }

    pub fn dim(&self) -> usize {
        (self.features + usize::from(self.bias)) * self.nodes()
    }

    /// √α_n.
    pub fn scale(&self, node: u32) -> f64 {
        self.scales.as_ref().map_or(1.0, |scales| scales[node as usize])
    }

    /// The square of what a block is scaled by: α_n, up to rounding.
    pub fn square(&self, node: u32) -> f64 {
        self.scale(node) * self.scale(node)
    }

    /// Whether features are handed on as they are.
    pub fn is_exact(&self) -> bool {
        self.scales.is_none()
    }

    /// Σ of squared scales over some nodes: times ‖x‖², the squared norm of their features.
    pub fn squares(&self, nodes: impl Iterator<Item = u32>) -> f64 {
        nodes.map(|node| self.square(node)).sum()
    }

    /// √α_n ⟨W_n, x⟩ for each node.
    pub fn score(&self, w: &[f64], x: &Rows, scores: &mut Vec<f64>) {
        scores.clear();
        match self.bias {
            true => scores.extend_from_slice(&w[self.features * self.nodes()..]),
            false => scores.resize(self.nodes(), 0.0),
        }
        add_row_products(x.row(0), w, scores);
        self.scale_all(scores);
    }

    /// The same with about twice the digits, up to the last two roundings.
    pub fn score_precisely(&self, w: &[f64], x: &Rows, scores: &mut Vec<f64>) {
        let mut sums = vec![Precise::default(); self.nodes()];
        if self.bias {
            let biases = &w[self.features * self.nodes()..];
            sums.iter_mut().zip(biases).for_each(|(sum, &w)| sum.add(w));
        }
        precise_row_products(x.row(0), w, &mut sums);
        scores.clear();
        scores.extend(sums.iter().map(|sum| sum.get()));
        self.scale_all(scores);
    }

    fn scale_all(&self, scores: &mut [f64]) {
        if let Some(scales) = &self.scales {
            scores.iter_mut().zip(&**scales).for_each(|(score, scale)| *score *= scale);
        }
    }

    /// Adds `factor` times the features of one node.
    pub fn add_node<A: FeatureSum + ?Sized>(&self, x: &Rows, node: u32, factor: f64, sum: &mut A) {
        let factor = factor * self.scale(node);
        if factor != 0.0 {
            sum.add_row(x.row(0), self.nodes(), node as usize, factor);
            if self.bias {
                sum.add(self.features * self.nodes() + node as usize, factor);
            }
        }
    }

    /// Adds `factor` times the features of the nodes that are in `y` less of those that are in `z` only; both ascend.
    pub fn add_difference<A: FeatureSum + ?Sized>(
        &self,
        x: &Rows,
        (y, z): (&[u32], &[u32]),
        factor: f64,
        sum: &mut A,
    ) {
        for (node, [in_y, in_z, _]) in members([y, z, &[]]) {
            if in_y != in_z {
                self.add_node(x, node, if in_y { factor } else { -factor }, sum);
            }
        }
    }

    /// ‖x‖², the bias included.
    pub fn kernel(&self, x: &Rows) -> f64 {
        let row = x.row(0);
        row.dot(&row) + f64::from(u8::from(self.bias))
    }

    /// ⟨φ(y) − φ(truth), φ(z) − φ(truth)⟩ over the kernel, of whole sets.
    pub fn product(&self, truth: &[u32], y: &[u32], z: &[u32]) -> f64 {
        // Where both differ from the truth they are alike.
        let differ = members([truth, y, z]).filter(|&(_, [t, y, z])| y != t && z != t);
        self.squares(differ.map(|(node, _)| node))
    }
}

/// The nodes that are in one of three ascending lists, ascending, with the lists that have them.
pub(super) fn members(mut lists: [&[u32]; 3]) -> impl Iterator<Item = (u32, [bool; 3])> {
    std::iter::from_fn(move || {
        let node = *lists.iter().filter_map(|rest| rest.first()).min()?;
        let has = lists.each_mut().map(|rest| {
            let is_here = rest.first() == Some(&node);
            *rest = &rest[usize::from(is_here)..];
            is_here
        });
        Some((node, has))
    })
}

/// Refuses weights of nodes that are none, or not one for each node.
pub(super) fn check_weights(what: &str, weights: &[f64], nodes: usize) -> Result<()> {
    if weights.len() != nodes {
        let problem = format!("{} numbers for {nodes} nodes", weights.len());
        return Err(Error::parameter(what, problem));
    }
    match weights.iter().position(|weight| !weight.is_finite() || *weight < 0.0) {
        None => Ok(()),
        Some(node) => {
            let problem =
                format!("{} for node {node}; it must be 0 or a finite number above it", weights[node]);
            Err(Error::parameter(what, problem))
        }
    }
}
