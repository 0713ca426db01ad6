//! A hierarchy as a tree to be drawn: what each node is worth, and how many examples have it.

use super::{HierarchyOptions, Norm};
use crate::data::Alphabet;
use crate::structure::alpha::shared::best_alpha;
use crate::tasks::{DrawnNode, DrawnTree};

/// So many nodes are drawn.
const MOST_NODES: usize = 400;

/// The nodes, each below its first parent: α, the length of its weights, and the examples of the training data that have it.
pub(super) fn tree(options: &HierarchyOptions, names: &Alphabet, squares: &[f64]) -> Option<DrawnTree> {
    let hierarchy = options.settled.taxonomy.as_ref()?.hierarchy();
    let shared = match options.norm {
        Norm::Ssvm => best_alpha(hierarchy, squares).ok().map(|best| best.weights),
        _ => None,
    };
    let alphas = shared.as_deref().or(options.settled.alphas.as_deref());
    let alpha = |node: u32| alphas.map_or(1.0, |alphas| alphas[node as usize]);
    let mut drawn = DrawnTree::default();
    // Those to be drawn next are at the end.
    let mut open: Vec<(u32, usize)> = hierarchy.roots().iter().rev().map(|&node| (node, 0)).collect();
    while let Some((node, depth)) = open.pop() {
        if drawn.nodes.len() == MOST_NODES {
            drawn.left_out = hierarchy.nodes() - MOST_NODES;
            break;
        }
        // In terms of what is added to scores: √α·W, or W itself under the shared norm.
        let scale = if shared.is_some() { 1.0 } else { alpha(node) };
        drawn.nodes.push(DrawnNode {
            name: names.name(node).to_owned(),
            depth,
            alpha: alpha(node),
            norm: (scale * squares[node as usize]).sqrt(),
            support: options.settled.support.as_ref().map_or(0, |support| support[node as usize]),
            also_below: hierarchy.parents(node).iter().skip(1).map(|&above| names.name(above).to_owned()).collect(),
            counts: None,
        });
        let below = hierarchy.children(node).iter().rev();
        open.extend(
            below
                .filter(|&&child| hierarchy.parents(child).first() == Some(&node))
                .map(|&child| (child, depth + 1)),
        );
    }
    Some(drawn)
}
