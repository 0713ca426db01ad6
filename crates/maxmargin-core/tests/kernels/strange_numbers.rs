//! Promise: kernels come to an end with some answer, whatever the numbers are.

use crate::inference::{
    AllSets, Assignment, BMatching, BinaryField, Bipartite, BranchAndBound, FlowProjection, Forest,
    LabelGraph, LinkLimits, Network, NetworkArc, RoofDual, StratifiedTable, k_best_matchings, k_best_paths,
    k_best_sets, viterbi,
};

#[test]
fn kernels_come_to_an_end_with_any_numbers() {
    let strange = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -f64::MAX, 5e-324, 0.0, -0.0, 1.0];
    let take = |count: usize, from: usize| -> Vec<f64> {
        (0..count).map(|k| strange[(from + k * (1 + from % 5)) % strange.len()]).collect()
    };
    for from in 0..60 {
        let (unary, step) = (take(6, from), take(4, from + 1));
        let (mut best, mut path) = (Vec::new(), Vec::new());
        viterbi(2, &unary, &step[..], &mut best, &mut path);
        assert!(path.len() == 3 && path.iter().all(|&state| state < 2));
        assert!(k_best_paths(2, &unary, &step[..], &mut best, 5).len() <= 5);
        let mut table = StratifiedTable::default();
        table.fill(2, &unary, &step[..], [0, 1, 1, 0, 2, 0]);
        assert!(table.values().count() > 0);
        for states in 0..1 {
            viterbi(states, &unary, &step[..], &mut best, &mut path);
            table.fill(states, &unary, &step[..], []);
            assert!(path.is_empty());
        }
        for graph in
            [LabelGraph::complete(4).unwrap(), LabelGraph::new(4, vec![(0, 1), (1, 2), (1, 3)]).unwrap()]
        {
            let (unary, coupling) = (take(4, from + 2), take(graph.edges().len(), from + 3));
            let field = BinaryField { graph: &graph, unary: &unary, coupling: &coupling };
            let mut sets = AllSets::default();
            sets.fill(field).unwrap();
            assert!(sets.k_best(3).len() <= 3);
            let mut tree = BranchAndBound::default();
            assert_eq!(tree.maximize(field, &[None; 4], 100).on.len(), 4);
            assert!(k_best_sets(4, 3, |fixed| tree.maximize(field, fixed, 100)).len() <= 3);
            RoofDual::default().solve(field, &mut Vec::new());
            if let Ok(mut forest) = Forest::new(&graph) {
                assert_eq!(forest.maximize(field, &[None; 4]).0.len(), 4);
            }
        }
        let mut graph = Bipartite::default();
        graph.reset(2, 2, [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter());
        let (gains, limits) = (take(4, from + 4), LinkLimits { left: 1, right: 1 });
        let mut matching = BMatching::default();
        matching.solve(&graph, &gains, limits);
        assert!(matching.links().len() <= 2);
        assert!(k_best_matchings(&graph, &gains, limits, 3, &mut matching).len() <= 3);
        let mut assignment = Assignment::default();
        assignment.begin(2, 2).copy_from_slice(&gains);
        assignment.solve();
        let arc = |capacity: f64| NetworkArc { tail: 0, head: 1, capacity: capacity.abs(), weight: 1.0 };
        let arcs: Vec<NetworkArc> = take(3, from).into_iter().filter(|c| !c.is_nan()).map(arc).collect();
        let network = Network::with_arcs(vec![1.0, -1.0], arcs.clone()).unwrap();
        let (mut flow, point) = (vec![0.0; arcs.len()], take(arcs.len(), from + 5));
        FlowProjection::default().project(&network, &point, &mut [0.0; 2], &mut flow);
    }
}
