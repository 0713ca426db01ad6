//! Random small hierarchies, and all closed sets of their nodes: the referee of everything that is found in them.

use maxmargin_core::inference::Hierarchy;
use rand::RngExt;
use rand_pcg::Pcg64Mcg;

/// A forest or another graph, with one root or several; nodes are numbered in any order.
pub fn random_hierarchy(random: &mut Pcg64Mcg, most: usize, is_tree: bool) -> Hierarchy {
    let nodes = random.random_range(2..=most);
    let mut numbers: Vec<u32> = (0..nodes as u32).collect();
    for place in (1..nodes).rev() {
        numbers.swap(place, random.random_range(0..=place));
    }
    let more_roots = random.random_range(0..3) == 0;
    let mut edges = Vec::new();
    for child in 1..nodes {
        if more_roots && random.random_range(0..4) == 0 {
            continue;
        }
        let mut parents = vec![random.random_range(0..child)];
        let others = if is_tree { 0 } else { random.random_range(0..3) };
        parents.extend((0..others).map(|_| random.random_range(0..child)));
        parents.sort_unstable();
        parents.dedup();
        edges.extend(parents.iter().map(|&parent| (numbers[parent], numbers[child])));
    }
    Hierarchy::from_edges(nodes, &edges).expect("edges go down")
}

/// All sets of nodes that have with each node its ancestors, and where `needs_child`, with each inner node a child.
pub fn closed_sets(hierarchy: &Hierarchy, needs_child: bool, is_empty_allowed: bool) -> Vec<Vec<u32>> {
    let nodes = hierarchy.nodes() as u32;
    let sets = (u32::from(!is_empty_allowed)..1 << nodes)
        .map(|mask| (0..nodes).filter(|node| mask >> node & 1 == 1).collect::<Vec<u32>>());
    let is_label = |set: &Vec<u32>| {
        hierarchy.is_closed(set)
            && (!needs_child || hierarchy.ends(set).iter().all(|&node| hierarchy.is_leaf(node)))
    };
    sets.filter(is_label).collect()
}

/// Some nodes that must be in or out; none at all in the first of three kinds.
pub fn random_fixed(random: &mut Pcg64Mcg, nodes: usize, kind: usize) -> Vec<Option<bool>> {
    let one = |random: &mut Pcg64Mcg| match random.random_range(0..6) {
        0 => Some(true),
        1 => Some(false),
        _ => None,
    };
    if kind == 0 { Vec::new() } else { (0..nodes).map(|_| one(random)).collect() }
}

/// Whether the nodes of a set are as they are fixed.
pub fn is_as_fixed(set: &[u32], fixed: &[Option<bool>]) -> bool {
    (0..).zip(fixed).all(|(node, fixed)| fixed.is_none_or(|is_in| set.contains(&node) == is_in))
}
