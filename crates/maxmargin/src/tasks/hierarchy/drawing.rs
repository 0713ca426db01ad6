//! A hierarchy as indented lines: what each node is worth, and how many examples have it.

use super::{HierarchyOptions, Norm};
use crate::data::Alphabet;
use crate::shown::excerpt;
use crate::structure::alpha::shared::best_alpha;

/// So many lines are drawn.
const MOST_LINES: usize = 400;
/// Names are cut off here.
const WIDTH: usize = 44;

/// The nodes, each below its first parent: α, the length of its weights, and the examples of the training data that have it. Where there
/// are nodes to look `around`, only these, what is above them and what is right below them.
pub(super) fn tree(
    options: &HierarchyOptions,
    names: &Alphabet,
    squares: &[f64],
    around: &[u32],
) -> Option<String> {
    let hierarchy = options.settled.taxonomy.as_ref()?.hierarchy();
    let nodes = hierarchy.nodes();
    let shared = match options.norm {
        Norm::Ssvm => best_alpha(hierarchy, squares).ok().map(|best| best.weights),
        _ => None,
    };
    let alphas = shared.as_deref().or(options.settled.alphas.as_deref());
    let alpha = |node: u32| alphas.map_or(1.0, |alphas| alphas[node as usize]);
    let mut is_shown = vec![around.is_empty(); nodes];
    let near = around.iter().flat_map(|&node| hierarchy.children(node)).copied();
    hierarchy.closure(around).into_iter().chain(near).for_each(|node| is_shown[node as usize] = true);
    // The parent that a node is drawn below.
    let home = |node: u32| hierarchy.parents(node).iter().copied().find(|&above| is_shown[above as usize]);
    let shown = is_shown.iter().filter(|is_shown| **is_shown).count();
    let mut text = format!("{:<WIDTH$}{:>10}{:>10}{:>10}\n", "node", "α", "norm", "examples");
    // Those to be drawn next are at the end.
    let roots = hierarchy.roots().iter().rev().copied();
    let mut open: Vec<(u32, usize)> =
        roots.filter(|&node| is_shown[node as usize]).map(|node| (node, 0)).collect();
    let mut drawn = 0;
    while let Some((node, depth)) = open.pop() {
        if drawn == MOST_LINES {
            text += &format!("… {} more\n", shown - drawn);
            break;
        }
        drawn += 1;
        let others: Vec<u32> =
            hierarchy.parents(node).iter().copied().filter(|&above| Some(above) != home(node)).collect();
        let others = match others.is_empty() {
            true => String::new(),
            false => {
                let names: Vec<String> =
                    others.iter().take(3).map(|&parent| excerpt(names.name(parent)).to_string()).collect();
                format!("  also below {}{}", names.join(", "), if others.len() > 3 { ", …" } else { "" })
            }
        };
        let name = format!("{}{}", "  ".repeat(depth.min(12)), excerpt(names.name(node)).at_most(WIDTH - 26));
        let support = options.settled.support.as_ref().map_or(0, |support| support[node as usize]);
        // In terms of what is added to scores: √α·W, or W itself under the shared norm.
        let scale = if shared.is_some() { 1.0 } else { alpha(node) };
        let norm = (scale * squares[node as usize]).sqrt();
        text += &format!("{name:<WIDTH$}{:>10.4}{norm:>10.4}{support:>10}{others}\n", alpha(node));
        let below = hierarchy.children(node).iter().rev();
        open.extend(
            below
                .filter(|&&child| is_shown[child as usize] && home(child) == Some(node))
                .map(|&child| (child, depth + 1)),
        );
    }
    if shown < nodes {
        text += &format!("({} of {nodes} nodes are not shown)\n", nodes - shown);
    }
    Some(text)
}
