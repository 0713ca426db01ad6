//! Combinatorial kernels without any learning in them.
//!
//! What others know of it are the shapes that structures and data are made of: [`Hierarchy`], [`LabelGraph`] (and [`chow_liu`], which chooses one),
//! [`Network`], [`Segment`], with the limits and rules of them. All are checked when they are made, and answer whatever they are asked.
//!
//! The rest are the innermost loops of structures, for this crate only: they take numbers as slices, whose lengths structures check
//! when they are made. Whatever the numbers are, infinite or none at all, they come to an end with some answer.
//!
//! Chains of states: `viterbi` and its relatives, `best_elsewhere` for each position, `best_path_outside` of a product of sets; their `Steps` are
//! alike or not. Cuts into segments: `best_segments` and its relatives. Sets of labels with a score for each label and pair that is on, a
//! `BinaryField`: all sets where labels are few (`AllSets`), dynamic programs where there is no cycle (`Forest`), the relaxation
//! by maximum flow anywhere (`RoofDual`), and exact answers on top of it (`BranchAndBound`, `k_best_sets`). Matchings of bipartite graphs:
//! `Assignment` where graphs are dense and nodes have one link at most, `BMatching` anywhere, what it costs to flip a link (`flip_losses`),
//! `k_best_matchings` on top of it, and the best one of every loss (`StratifiedMatching`). Flows in a network: the nearest one to a point
//! (`FlowProjection`). Sets of nodes of a hierarchy: the best ones by dynamic programming in trees (`TreeSets`, of every loss
//! `StratifiedTreeSets`, for each node `best_sets_elsewhere`) and by maximum flow in all graphs (`Closure`; `CoveredClosure` where paths end at
//! leaves). Dependency trees of words, given the values of their arcs, an `ArcTable`: without crossing arcs (`ProjectiveTable` and its
//! relatives), or any (`best_arborescence`). Parts in the cells of grids, joined in a `PartTree`, with distance transforms for links (`PlacementTable`).

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
mod part_trees;
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

/// Random networks with their nearest flows, which tests of other crates read too.
#[cfg(test)]
#[path = "../../tests/reference/networks.rs"]
mod networks;

#[cfg(test)]
#[path = "../../tests/kernels/mod.rs"]
mod kernels;

/// Small hierarchies with all their closed sets, which tests of whole structures read too.
#[cfg(test)]
#[path = "../../tests/reference/hierarchies.rs"]
pub(crate) mod hierarchies;

pub use b_matching::LinkLimits;
pub use chow_liu::chow_liu;
pub use enumeration::MOST_LABELS;
pub use field::LabelGraph;
pub use hierarchy::{Hierarchy, HierarchyFault};
pub use network::{Network, NetworkArc};
pub use segments::Segment;
pub use tree_sets::SetRules;
pub use trees::Roots;

pub(crate) use assignment::Assignment;
pub(crate) use b_matching::{BMatching, Priced};
pub(crate) use bipartite::Bipartite;
pub(crate) use branch_and_bound::{BoundedSet, BranchAndBound};
pub(crate) use closure::Closure;
pub(crate) use covered_closure::CoveredClosure;
pub(crate) use enumeration::AllSets;
pub(crate) use field::BinaryField;
pub(crate) use flipped_links::{PricedLinks, flip_losses};
pub(crate) use flow_projection::FlowProjection;
pub(crate) use forest::Forest;
pub(crate) use gain::Gain;
pub(crate) use k_best_matchings::k_best_matchings;
pub(crate) use k_best_paths::k_best_paths;
pub(crate) use k_best_sets::k_best_sets;
pub(crate) use k_best_viterbi::{Lexicographic, k_best_viterbi};
pub(crate) use max_marginal_paths::{best_elsewhere, for_each_max_marginal};
pub(crate) use outside_paths::{OutsideTable, best_path_outside};
pub(crate) use part_trees::{Bend, Crossing, LinkValues, PartTree, PlacementTable, Size};
pub(crate) use roof_duality::{RoofDual, relaxed_score};
pub(crate) use segments::{
    SegmentMemory, SegmentTable, StratifiedSegments, best_cuts_elsewhere, best_segments,
    best_segments_of_widths, k_best_segments,
};
pub(crate) use steps::{EachStep, MaxPlusSteps, Steps, TripleSteps};
pub(crate) use stratified_matching::StratifiedMatching;
pub(crate) use stratified_tree_sets::{StratifiedTreeSets, cells_of_strata};
pub(crate) use stratified_viterbi::StratifiedTable;
pub(crate) use tree_max_marginals::best_sets_elsewhere;
pub(crate) use tree_sets::TreeSets;
#[cfg(test)]
pub(crate) use trees::listed as listed_trees;
pub(crate) use trees::{
    ArcTable, PricedArc, ProjectiveStrata, ProjectiveTable, SiblingTable, best_arborescence,
    k_best_arborescences, k_best_projective, k_best_with_siblings, projective_max_marginals,
    sibling_max_marginals, siblings_of,
};
pub(crate) use viterbi::viterbi;

#[cfg(test)]
mod tests {
    use super::local_polytope::{PolytopeRow, maximize_relaxed};
    use crate::inference::LabelGraph;

    #[test]
    fn rows_cut_off_halves() -> Result<(), String> {
        let graph = LabelGraph::complete(3).map_err(|error| error.to_string())?;
        let relaxed = |rows: &[PolytopeRow]| maximize_relaxed(&graph, &[1.0; 3], &[-2.0; 3], rows);
        assert!((relaxed(&[])?.score - 1.5).abs() < 1e-7);
        // The triangle inequality μ_0 + μ_1 + μ_2 − μ_01 − μ_02 − μ_12 ≤ 1.
        let triangle = PolytopeRow {
            nodes: vec![(0, 1.0), (1, 1.0), (2, 1.0)],
            pairs: vec![(0, -1.0), (1, -1.0), (2, -1.0)],
            bound: 1.0,
        };
        assert!((relaxed(&[triangle])?.score - 1.0).abs() < 1e-7);
        Ok(())
    }

    #[test]
    fn impossible_rows_are_refused() {
        let graph = LabelGraph::independent(2);
        let is_refused = |row: PolytopeRow| maximize_relaxed(&graph, &[1.0; 2], &[], &[row]).is_err();
        let row = |nodes, bound| PolytopeRow { nodes, pairs: vec![], bound };
        assert!(is_refused(row(vec![(0, 1.0)], -1.0)));
        assert!(is_refused(row(vec![(2, 1.0)], 1.0)));
        let pair = PolytopeRow { pairs: vec![(0, 1.0)], ..PolytopeRow::default() };
        assert!(is_refused(pair));
    }
}
