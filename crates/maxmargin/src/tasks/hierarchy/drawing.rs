//! A hierarchy as indented lines: what each node is worth, and how many examples have it.

use super::HierarchyOptions;
use crate::data::Alphabet;
use crate::shown::excerpt;

/// So many lines are drawn.
const MOST_LINES: usize = 400;
/// Names are cut off here.
const WIDTH: usize = 44;

/// The nodes, each below its first parent: α, the length of its weights, and the examples of the training data that have it.
pub(super) fn tree(options: &HierarchyOptions, names: &Alphabet, weights: &[f64]) -> Option<String> {
    let hierarchy = options.settled.taxonomy.as_ref()?.hierarchy();
    let nodes = hierarchy.nodes();
    let mut norms = vec![0.0; nodes];
    for row in weights.chunks_exact(nodes.max(1)) {
        norms.iter_mut().zip(row).for_each(|(norm, weight)| *norm += weight * weight);
    }
    let alpha = |node: u32| options.settled.alphas.as_ref().map_or(1.0, |alphas| alphas[node as usize]);
    let mut text = format!("{:<WIDTH$}{:>10}{:>10}{:>10}\n", "node", "α", "norm", "examples");
    // Those to be drawn next are at the end.
    let mut open: Vec<(u32, usize)> = hierarchy.roots().iter().rev().map(|&node| (node, 0)).collect();
    let mut drawn = 0;
    while let Some((node, depth)) = open.pop() {
        if drawn == MOST_LINES {
            text += &format!("… {} more\n", nodes - drawn);
            break;
        }
        drawn += 1;
        let others = match hierarchy.parents(node) {
            [_, others @ ..] if !others.is_empty() => {
                let names: Vec<String> =
                    others.iter().take(3).map(|&parent| excerpt(names.name(parent)).to_string()).collect();
                format!("  also below {}{}", names.join(", "), if others.len() > 3 { ", …" } else { "" })
            }
            _ => String::new(),
        };
        let name = format!("{}{}", "  ".repeat(depth.min(12)), excerpt(names.name(node)).at_most(WIDTH - 26));
        let support = options.settled.support.as_ref().map_or(0, |support| support[node as usize]);
        // In terms of what is added to scores: √α·W.
        let norm = (alpha(node) * norms[node as usize]).sqrt();
        text += &format!("{name:<WIDTH$}{:>10.4}{norm:>10.4}{support:>10}{others}\n", alpha(node));
        let below = hierarchy.children(node).iter().rev();
        open.extend(
            below
                .filter(|&&child| hierarchy.parents(child).first() == Some(&node))
                .map(|&child| (child, depth + 1)),
        );
    }
    Some(text)
}
