//! Combinatorial kernels without any learning in them.
//!
//! Chains of states: [`viterbi()`] and its relatives, [`best_elsewhere`] for each position, [`best_path_outside`] of a product of sets; their [`Steps`] are alike or not. Cuts into segments: [`best_segments`] and its relatives. Sets of labels with a score for each label and pair that is on, a
//! [`BinaryField`]: all sets where labels are few ([`AllSets`]), dynamic programs where there is no cycle ([`Forest`]), the relaxation
//! by maximum flow anywhere ([`RoofDual`]), and exact answers on top of it
//! ([`BranchAndBound`], [`k_best_sets`]). Matchings of bipartite graphs: [`Assignment`] where graphs are dense and nodes
//! have one link at most, [`BMatching`] anywhere, what it costs to flip a link ([`flip_losses`]), [`k_best_matchings`] on top of it, and the
//! best one of every loss ([`StratifiedMatching`]). Flows in a [`Network`]: the nearest one to a point ([`FlowProjection`]). Trees and acyclic graphs of
//! nodes, of which labels are sets: [`Hierarchy`], with best sets by dynamic programming in trees ([`TreeSets`], of every loss
//! [`StratifiedTreeSets`], for each node [`best_sets_elsewhere`]) and by maximum flow in all graphs ([`Closure`]; [`CoveredClosure`] where paths end at leaves). Dependency trees of
//! words, given the values of their arcs, an [`ArcTable`]: without crossing arcs ([`ProjectiveTable`] and its relatives), or any ([`best_arborescence`]).
//!
//! These are the innermost loops of structures, and take numbers as slices. Whatever the numbers are, infinite or none at all, they come
//! to an end with some answer. Slices of other lengths than those of the graph, and numbers of nodes, edges, labels or states that there
//! are not, end in a panic, as with the slices of the standard library: structures check theirs when they are made.

mod assignment;
mod b_matching;
mod bipartite;
mod branch_and_bound;
mod chow_liu;
mod closure;
mod covered_closure;
mod dense_row;
mod dominance;
mod enumeration;
mod envelope;
mod field;
mod flipped_links;
mod flow_projection;
mod forest;
mod gain;
mod hierarchy;
mod k_best_matchings;
mod k_best_paths;
mod k_best_sets;
mod k_best_viterbi;
mod max_flow;
mod max_marginal_paths;
mod network;
mod outside_paths;
mod roof_duality;
mod segments;
mod steps;
mod stratified_matching;
mod stratified_tree_sets;
mod stratified_viterbi;
mod tree_max_marginals;
mod tree_sets;
mod trees;
mod viterbi;

/// The referee of the relaxation, which tests of other crates read too.
#[cfg(test)]
#[path = "../../tests/reference/local_polytope.rs"]
pub(crate) mod local_polytope;

/// Small hierarchies with all their closed sets, which tests of whole structures read too.
#[cfg(test)]
#[path = "../../tests/reference/hierarchies.rs"]
pub(crate) mod hierarchies;

pub use assignment::Assignment;
pub use b_matching::{BMatching, LinkLimits, Priced};
pub use bipartite::Bipartite;
pub use branch_and_bound::{BoundedSet, BranchAndBound};
pub use chow_liu::chow_liu;
pub use closure::Closure;
pub use covered_closure::{CoveredClosure, CoveredSet};
pub use enumeration::{AllSets, MOST_LABELS};
pub use field::{BinaryField, LabelGraph};
pub use flipped_links::{PricedLinks, flip_losses};
pub use flow_projection::{FlowProjection, Projected};
pub use forest::Forest;
pub use gain::Gain;
pub use hierarchy::{Hierarchy, HierarchyFault};
pub use k_best_matchings::k_best_matchings;
pub use k_best_paths::k_best_paths;
pub use k_best_sets::k_best_sets;
pub use k_best_viterbi::{Lexicographic, k_best_viterbi};
pub use max_marginal_paths::{best_elsewhere, for_each_max_marginal};
pub use network::{Network, NetworkArc};
pub use outside_paths::{OutsideTable, best_path_outside};
pub use roof_duality::{RoofDual, relaxed_score};
pub use segments::{
    Segment, SegmentMemory, SegmentTable, StratifiedSegments, best_cuts_elsewhere, best_segments,
    k_best_segments,
};
pub use steps::{EachStep, MaxPlusSteps, Steps, TripleSteps};
pub use stratified_matching::StratifiedMatching;
pub use stratified_tree_sets::{StratifiedTreeSets, cells_of_strata};
pub use stratified_viterbi::StratifiedTable;
pub use tree_max_marginals::best_sets_elsewhere;
pub use tree_sets::{SetRules, TreeSets};
#[cfg(test)]
pub(crate) use trees::listed as listed_trees;
pub use trees::{
    ArcTable, PricedArc, ProjectiveStrata, ProjectiveTable, Roots, best_arborescence, k_best_arborescences,
    k_best_projective, projective_max_marginals,
};
pub use viterbi::viterbi;

#[cfg(test)]
mod tests {
    use super::BinaryField;
    use super::local_polytope::{PolytopeRow, maximize_relaxed};
    use crate::inference::LabelGraph;

    #[test]
    fn rows_cut_off_halves() -> Result<(), String> {
        let graph = LabelGraph::complete(3);
        let field = BinaryField { graph: &graph, unary: &[1.0; 3], coupling: &[-2.0; 3] };
        assert!((maximize_relaxed(field, &[])?.score - 1.5).abs() < 1e-7);
        // The triangle inequality μ_0 + μ_1 + μ_2 − μ_01 − μ_02 − μ_12 ≤ 1.
        let triangle = PolytopeRow {
            nodes: vec![(0, 1.0), (1, 1.0), (2, 1.0)],
            pairs: vec![(0, -1.0), (1, -1.0), (2, -1.0)],
            bound: 1.0,
        };
        assert!((maximize_relaxed(field, &[triangle])?.score - 1.0).abs() < 1e-7);
        Ok(())
    }

    #[test]
    fn impossible_rows_are_refused() {
        let graph = LabelGraph::independent(2);
        let field = BinaryField { graph: &graph, unary: &[1.0; 2], coupling: &[] };
        let row = |nodes, bound| PolytopeRow { nodes, pairs: vec![], bound };
        assert!(maximize_relaxed(field, &[row(vec![(0, 1.0)], -1.0)]).is_err());
        assert!(maximize_relaxed(field, &[row(vec![(2, 1.0)], 1.0)]).is_err());
        let pair = PolytopeRow { pairs: vec![(0, 1.0)], ..PolytopeRow::default() };
        assert!(maximize_relaxed(field, &[pair]).is_err());
    }
}
