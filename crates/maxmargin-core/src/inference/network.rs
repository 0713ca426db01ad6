//! Networks: nodes with supplies, and arcs that carry between nothing and their capacity.
//!
//! A flow z has 0 ≤ z_a ≤ capacity_a on each arc, and from each node as much more leaves than arrives as its supply
//! says. The constraint matrix is totally unimodular: where supplies and capacities are whole numbers, the vertices of
//! the polytope of all flows are whole too (SADDLE, "why is relaxation tight?"). So a structure whose labels are whole
//! flows can be decoded by linear programming, and trained on the polytope instead of its labels.

use crate::error::{Error, Result};

/// An arc from one node to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NetworkArc {
    /// Where it begins.
    pub tail: u32,
    /// Where it ends.
    pub head: u32,
    /// The most that it carries; may be infinite.
    pub capacity: f64,
    /// What it counts in distances between flows, above 0: the squared distance is Σ weight · difference².
    pub weight: f64,
}

/// A network, and with it the polytope of its flows.
///
/// Potentials of nodes are computed in the order of the nodes. Numbers of neighbours should be near each other, or all
/// arcs of the lower one should lead to higher ones (as in a bipartite graph, side by side); the last node should have
/// many arcs.
///
/// ```
/// use maxmargin_core::inference::{Network, NetworkArc};
/// let arc = |capacity| NetworkArc { tail: 0, head: 1, capacity, weight: 1.0 };
/// let network = Network::with_arcs(vec![1.0, -1.0], vec![arc(1.0), arc(0.5)])?;
/// assert!(network.excess(&[0.5, 0.5]) == 0.0);
/// assert!(network.excess(&[1.0, 0.5]) > 0.0);
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Network {
    supplies: Vec<f64>,
    arcs: Vec<NetworkArc>,
}

impl Network {
    /// Nodes with these supplies, which add up to 0, and arcs between them. Refused are arcs of other nodes, and numbers that are
    /// no supplies, capacities or weights.
    pub fn with_arcs(supplies: Vec<f64>, arcs: Vec<NetworkArc>) -> Result<Self> {
        if supplies.iter().any(|supply| !supply.is_finite()) {
            return Err(Error::parameter("network", "supplies are finite"));
        }
        let is_sound = |arc: &NetworkArc| {
            let is_between_nodes = (arc.tail.max(arc.head) as usize) < supplies.len();
            is_between_nodes && arc.capacity >= 0.0 && arc.weight > 0.0 && arc.weight.is_finite()
        };
        match arcs.iter().find(|arc| !is_sound(arc)) {
            None => Ok(Self { supplies, arcs }),
            Some(arc) => {
                let problem = format!(
                    "{arc:?} of {} nodes; capacities are not negative, weights above 0",
                    supplies.len()
                );
                Err(Error::parameter("network", problem))
            }
        }
    }

    /// Nodes with these supplies, and no arcs yet.
    pub(crate) fn new(supplies: Vec<f64>) -> Self {
        Self { supplies, arcs: Vec::new() }
    }

    /// Adds an arc between two nodes that exist.
    pub(crate) fn add(&mut self, arc: NetworkArc) {
        debug_assert!((arc.tail.max(arc.head) as usize) < self.supplies.len(), "an arc between nodes");
        debug_assert!(arc.weight > 0.0 && arc.capacity >= 0.0, "an arc with a weight and a capacity");
        self.arcs.push(NetworkArc { capacity: arc.capacity.max(0.0), ..arc });
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.supplies.len()
    }

    /// What leaves each node, less what arrives there.
    pub fn supplies(&self) -> &[f64] {
        &self.supplies
    }

    /// The arcs, in the order in which they were added.
    pub fn arcs(&self) -> &[NetworkArc] {
        &self.arcs
    }

    /// How far numbers on the arcs are from being a flow: the violations of all constraints, added up.
    pub fn excess(&self, flow: &[f64]) -> f64 {
        let mut left: Vec<f64> = self.supplies.iter().map(|supply| -supply).collect();
        let mut excess = 0.0;
        for (arc, &z) in self.arcs.iter().zip(flow) {
            left[arc.tail as usize] += z;
            left[arc.head as usize] -= z;
            excess += (-z).max(0.0) + (z - arc.capacity).max(0.0);
        }
        excess + left.iter().map(|left| left.abs()).sum::<f64>()
    }

    /// A bound on what rounding may hide in [`excess`](Self::excess): the balance of a node is a sum over its arcs.
    pub fn excess_rounding(&self, flow: &[f64]) -> f64 {
        let mut balances: Vec<(f64, f64)> =
            self.supplies().iter().map(|supply| (2.0, supply.abs())).collect();
        for (arc, z) in self.arcs().iter().zip(flow) {
            for node in [arc.tail, arc.head] {
                let (count, size) = &mut balances[node as usize];
                *count += 1.0;
                *size += z.abs();
            }
        }
        f64::EPSILON * balances.iter().map(|(count, size)| count * size).sum::<f64>()
    }
}
