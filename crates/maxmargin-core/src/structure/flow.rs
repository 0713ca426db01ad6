//! Structures whose labels are flows: for solvers that replace the maximum over labels by one over a polytope (SADDLE).
//!
//! If each label of an input is a flow of whole numbers in a network, and score and loss are linear in the flow, then
//!
//! ```text
//! H(w) = max_y ⟨w, φ(x,y) − φ(x,truth)⟩ + L(y) = max_z ⟨Fᵀw, z − z_truth⟩ + ⟨losses, z⟩ + constant
//! ```
//!
//! with z over all flows, whole or not: a network has no fractional vertices. F has a column of features for each arc.
//! It is never written down; a structure multiplies by it and by its transpose.
//!
//! A chain is a path through a trellis. One label of several is a path over one of several arcs.

use crate::inference::Network;
use crate::linear::{CooVector, FeatureSum, dot};

/// A structure whose labels are flows in a network. [`Structure::offers`](super::Structure::offers) says which are.
///
/// For every label y of an input x, z = [`label_flow`](Self::label_flow) is a flow of the network, its score is ⟨z, arc
/// scores⟩ and its loss ⟨z, losses⟩ + constant; and no label is worth less than a flow for any scores of arcs.
pub trait Flow<Input, Label>: Sync {
    /// The number of arcs of an input, which must not take long to tell: it decides whether there is memory for all.
    fn arcs(&self, x: &Input) -> usize;

    /// The network of an input, with the loss of its flows.
    fn polytope(&self, x: &Input, truth: &Label) -> FlowPolytope;

    /// The flow that stands for a label.
    fn label_flow(&self, x: &Input, y: &Label) -> Vec<f64>;

    /// The score Fᵀw of each arc.
    fn arc_scores(&self, w: &[f64], x: &Input, scores: &mut [f64]);

    /// Adds the features of one arc: a column of F.
    fn add_arc_features(&self, x: &Input, arc: usize, sum: &mut dyn FeatureSum);

    /// The largest norm of an arc's features: of a column of F.
    fn longest_arc(&self, x: &Input) -> f64 {
        let mut features = CooVector::default();
        let mut norm_squared = |arc| {
            features.clear();
            self.add_arc_features(x, arc, &mut features);
            let features = features.added_up();
            features.product(&features)
        };
        (0..self.arcs(x)).map(&mut norm_squared).fold(0.0, f64::max).sqrt()
    }

    /// Adds F z to `sum`, for z of any sign and whether it is a flow or not.
    fn add_flow_features(&self, x: &Input, z: &[f64], sum: &mut [f64]);
}

/// All flows of one example, and their loss.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FlowPolytope {
    /// The network.
    pub network: Network,
    /// What a unit of flow on each arc costs.
    pub losses: Vec<f64>,
    /// The loss of a flow without its arcs: it makes that of the truth 0.
    pub constant: f64,
    /// The flow that stands for the truth.
    pub truth: Vec<f64>,
}

impl FlowPolytope {
    /// A polytope where the loss of the truth is 0.
    pub fn new(network: Network, losses: Vec<f64>, truth: Vec<f64>) -> Self {
        let constant = -losses.iter().zip(&truth).map(|(loss, z)| loss * z).sum::<f64>();
        Self { network, losses, constant, truth }
    }

    /// The loss of a flow.
    pub fn loss(&self, flow: &[f64]) -> f64 {
        self.constant + dot(&self.losses, flow)
    }
}
