//! The risk as a maximum over polytopes: what solvers for saddle points see (SADDLE).
//!
//! ```text
//! R(w) = max_z 1/n Σ_i c_i ( ⟨F_iᵀw, z_i − z_i,truth⟩ + ⟨losses_i, z_i⟩ + constant_i ),    z_i any flow of network i
//! ```
//!
//! A solver sees networks, losses and products with F_i. It sees no label, as with planes.

use std::sync::OnceLock;

use crate::linear::FeatureSum;
use crate::structure::{Example, Flow, FlowPolytope, Structure};

/// A risk as a maximum over flows, example by example.
pub trait Saddle: Sync {
    /// The number of arcs of an example, without making its network.
    fn arcs(&self, i: usize) -> usize;

    /// The flows of an example. They are made once, and kept as long as the risk.
    fn polytope(&self, i: usize) -> &FlowPolytope;

    /// The largest norm of an arc's features.
    fn longest_arc(&self, i: usize) -> f64;

    /// F_iᵀw: the score of each arc.
    fn arc_scores(&self, i: usize, w: &[f64], scores: &mut [f64]);

    /// Adds the features of one arc: a column of F_i.
    fn add_arc_features(&self, i: usize, arc: usize, sum: &mut dyn FeatureSum);

    /// Adds F_i z to `sum`.
    fn add_flow_features(&self, i: usize, z: &[f64], sum: &mut [f64]);
}

/// The examples of a structure that is a [`Flow`].
pub(super) struct FlowSaddle<'a, S: Structure> {
    pub(super) flow: &'a dyn Flow<S::Input, S::Label>,
    pub(super) examples: &'a [Example<S>],
    pub(super) polytopes: &'a [OnceLock<FlowPolytope>],
    pub(super) longest_arcs: &'a [OnceLock<f64>],
}

impl<S: Structure> Saddle for FlowSaddle<'_, S>
where
    Example<S>: Send + Sync,
{
    fn arcs(&self, i: usize) -> usize {
        self.flow.arcs(&self.examples[i].input)
    }

    fn polytope(&self, i: usize) -> &FlowPolytope {
        let Example { input, truth, .. } = &self.examples[i];
        self.polytopes[i].get_or_init(|| self.flow.polytope(input, truth))
    }

    fn longest_arc(&self, i: usize) -> f64 {
        *self.longest_arcs[i].get_or_init(|| self.flow.longest_arc(&self.examples[i].input))
    }

    fn arc_scores(&self, i: usize, w: &[f64], scores: &mut [f64]) {
        self.flow.arc_scores(w, &self.examples[i].input, scores);
    }

    fn add_arc_features(&self, i: usize, arc: usize, sum: &mut dyn FeatureSum) {
        self.flow.add_arc_features(&self.examples[i].input, arc, sum);
    }

    fn add_flow_features(&self, i: usize, z: &[f64], sum: &mut [f64]) {
        self.flow.add_flow_features(&self.examples[i].input, z, sum);
    }
}
