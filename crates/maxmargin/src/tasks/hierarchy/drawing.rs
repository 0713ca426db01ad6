//! A hierarchy as a tree to be drawn: what each node is worth, and how many examples have it.

use super::task::own_leaf_name;
use super::{HierarchyOptions, Norm};
use crate::data::Alphabet;
use crate::structure::alpha::shared::best_alpha;
use crate::tasks::{DrawnNode, DrawnTree};

/// So many nodes are drawn.
const MOST_NODES: usize = 400;

/// The nodes, each below its first parent: α, the length of its weights, and the examples of the training data that have it. Where there
/// are nodes to look `around`, only these, what is above them and what is right below them.
pub(super) fn tree(
    options: &HierarchyOptions,
    names: &Alphabet,
    squares: &[f64],
    around: &[u32],
) -> Option<DrawnTree> {
    // A leaf that a node has of its own as a label is drawn below it.
    let hierarchy = &options.with_own_leaves().ok()?;
    let shared = match options.norm {
        Norm::Ssvm => best_alpha(hierarchy, squares).ok().map(|best| best.weights),
        _ => None,
    };
    let alphas = shared.as_deref().or(options.settled.alphas.as_deref());
    let alpha = |node: u32| alphas.map_or(1.0, |alphas| alphas[node as usize]);
    let mut is_shown = vec![around.is_empty(); hierarchy.nodes()];
    let near = around.iter().flat_map(|&node| hierarchy.children(node)).copied();
    hierarchy.closure(around).into_iter().chain(near).for_each(|node| is_shown[node as usize] = true);
    // The parent that a node is drawn below.
    let home = |node: u32| hierarchy.parents(node).iter().copied().find(|&above| is_shown[above as usize]);
    let own_node = |node: u32| {
        let place = (node as usize).checked_sub(names.len());
        place.map(|place| options.settled.own[place])
    };
    let mut drawn = DrawnTree::default();
    // Those to be drawn next are at the end.
    let roots = hierarchy.roots().iter().rev().copied();
    let mut open: Vec<(u32, usize)> =
        roots.filter(|&node| is_shown[node as usize]).map(|node| (node, 0)).collect();
    while let Some((node, depth)) = open.pop() {
        if drawn.nodes.len() == MOST_NODES {
            break;
        }
        // In terms of what is added to scores: √α·W, or W itself under the shared norm.
        let scale = if shared.is_some() { 1.0 } else { alpha(node) };
        drawn.nodes.push(DrawnNode {
            name: own_node(node)
                .map_or_else(|| names.name(node).to_owned(), |of| own_leaf_name(names.name(of))),
            is_own_leaf: own_node(node).is_some(),
            depth,
            alpha: alpha(node),
            norm: (scale * squares[node as usize]).sqrt(),
            support: options.settled.support.as_ref().map_or(0, |support| support[node as usize]),
            also_below: {
                let others =
                    hierarchy.parents(node).iter().copied().filter(|&above| Some(above) != home(node));
                others.map(|above| names.name(above).to_owned()).collect()
            },
            counts: None,
        });
        let below = hierarchy.children(node).iter().rev();
        open.extend(
            below
                .filter(|&&child| is_shown[child as usize] && home(child) == Some(node))
                .map(|&child| (child, depth + 1)),
        );
    }
    drawn.left_out = hierarchy.nodes() - drawn.nodes.len();
    Some(drawn)
}
