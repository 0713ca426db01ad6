//! The best set of one input, under any mix of score and loss: what each node is worth, and which kernel finds the set.

use super::NodeSetStructure;
use crate::inference::{
    BoundedSet, Closure, CoveredClosure, Gain, Lexicographic, StratifiedTreeSets, TreeSets,
    best_sets_elsewhere, k_best_sets,
};
use crate::structure::hierarchy::blocks::KnownNodes;
use crate::structure::{Found, LabelSet, Mix};

/// At the ends of the λ-oracle, what the one that breaks ties counts of the other, where branch and bound finds sets. Decoding may miss
/// as much of all scores together.
pub(super) const TIE: f64 = 1e-12;

/// The most spaces of sets that branch and bound looks at, and the most nodes of all of them together; what is then missed is said.
const MOST_SPACES: usize = 200;
const MOST_NODES: usize = 200_000;

/// The scores of one input: ⟨w, φ(x,y)⟩ = base + Σ_{n∈y} nodes_n.
#[derive(Debug, Clone, Default)]
pub struct NodeSetScores {
    pub(super) base: f64,
    pub(super) nodes: Vec<f64>,
    /// Which nodes have scores, where not all were asked for.
    pub(super) known: KnownNodes,
    plain: Kernels<f64>,
    ends: Kernels<Lexicographic>,
    covered: CoveredClosure,
    pub(super) strata: StratifiedTreeSets,
}

/// What finds sets, and what nodes are worth to it.
#[derive(Debug, Clone, Default)]
struct Kernels<G> {
    values: Vec<G>,
    tree: TreeSets<G>,
    closure: Closure<G>,
    set: Vec<u32>,
}

impl NodeSetScores {
    /// The place of the scores of nodes.
    pub(super) fn begin(&mut self) -> &mut Vec<f64> {
        self.base = 0.0;
        &mut self.nodes
    }

    /// The score of each node by itself.
    pub fn nodes(&self) -> &[f64] {
        &self.nodes
    }

    pub(super) fn score_of(&self, set: &LabelSet) -> f64 {
        self.base + set.on().iter().map(|&node| self.nodes[node as usize]).sum::<f64>()
    }

    /// The size of all scores together.
    pub(super) fn extent(&self) -> f64 {
        self.base.abs() + self.nodes.iter().map(|score| score.abs()).sum::<f64>()
    }
}

/// A set with how much more another may be worth.
struct Best<G> {
    set: Vec<u32>,
    missed: G,
}

impl NodeSetStructure {
    /// The best set under a mix.
    pub(super) fn best_set(
        &self,
        scores: &mut NodeSetScores,
        truth: Option<&LabelSet>,
        mix: Mix,
    ) -> Found<LabelSet> {
        if self.is_hard() {
            return self.best_covered(scores, truth, mix);
        }
        // At the ends of the λ-oracle the other of the two breaks ties.
        let best = match truth.filter(|_| mix.score == 0.0 || mix.loss == 0.0) {
            Some(truth) => {
                let NodeSetScores { nodes, ends, .. } = scores;
                self.weigh(nodes, Some(truth), &mut ends.values, |score, slope| {
                    let (first, second) = mix.rank(score, slope);
                    Lexicographic { first, second }
                });
                let best = self.solve(ends, &[]);
                best.map(|best| Best { missed: best.missed.first, set: best.set })
            }
            None => {
                self.weigh_plainly(scores, truth, mix);
                self.solve(&mut scores.plain, &[])
            }
        };
        // Without fixed nodes there always is a set.
        let Best { set, missed } = best.unwrap_or(Best { set: Vec::new(), missed: f64::INFINITY });
        self.found(scores, truth, mix, set, missed)
    }

    /// The best set by branch and bound.
    fn best_covered(
        &self,
        scores: &mut NodeSetScores,
        truth: Option<&LabelSet>,
        mix: Mix,
    ) -> Found<LabelSet> {
        let (of_scores, of_losses) = (scores.extent(), self.loss.largest_of_all(self.nodes()));
        let NodeSetScores { nodes, plain: Kernels { values, .. }, covered, .. } = scores;
        // Where all sets tie in the one, the other alone counts.
        let share = |of: f64, by: f64| match by > 0.0 {
            true if of > 0.0 => TIE * of / by,
            true => 1.0,
            false => 0.0,
        };
        let mixed = match truth {
            Some(_) if mix.loss == 0.0 => {
                Mix { score: mix.score, loss: mix.score * share(of_scores, of_losses) }
            }
            Some(_) if mix.score == 0.0 => {
                Mix { score: mix.loss * share(of_losses, of_scores), loss: mix.loss }
            }
            _ => mix,
        };
        self.weigh(nodes, truth, values, |score, slope| mixed.height(score, slope));
        let most_spaces = (MOST_NODES / values.len()).min(MOST_SPACES);
        let best = covered.maximize(self.hierarchy(), values, self.rules.never_empty, &[], most_spaces);
        // Each leaf with its ancestors is a set.
        let (set, missed) =
            best.map_or((Vec::new(), f64::INFINITY), |best| (best.set, best.bound - best.value));
        self.found(scores, truth, mix, set, missed)
    }

    /// The k best sets under a mix, best first.
    pub(super) fn best_sets(
        &self,
        scores: &mut NodeSetScores,
        truth: Option<&LabelSet>,
        mix: Mix,
        k: usize,
    ) -> Vec<Found<LabelSet>> {
        self.weigh_plainly(scores, truth, mix);
        let kernels = &mut scores.plain;
        // Nodes are fixed from the roots down, so that it is soon known where no set is left.
        let hierarchy = self.hierarchy();
        let order = hierarchy.order();
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &node)| places[node as usize] = place);
        let mut fixed = vec![None; order.len()];
        let best = k_best_sets(order.len(), k, |in_order: &[Option<bool>]| {
            let last = in_order.partition_point(Option::is_some).checked_sub(1);
            if let Some(node) = last.filter(|&last| in_order[last] == Some(true)).map(|last| order[last])
                && hierarchy.parents(node).iter().any(|&above| in_order[places[above as usize]] != Some(true))
            {
                return None;
            }
            order.iter().zip(in_order).for_each(|(&node, is_in)| fixed[node as usize] = *is_in);
            let Best { set, missed } = self.solve(kernels, &fixed)?;
            let score = set.iter().map(|&node| kernels.values[node as usize]).sum::<f64>();
            let on = order.iter().map(|node| set.binary_search(node).is_ok()).collect();
            Some(BoundedSet { on, score, bound: score + missed })
        });
        let mut list = Vec::with_capacity(best.len());
        for BoundedSet { on, score, bound } in best {
            let set = order.iter().zip(on).filter(|(_, on)| *on).map(|(&node, _)| node).collect::<Vec<_>>();
            list.push(self.found(scores, truth, mix, set, bound - score));
        }
        list
    }

    /// For each node, what the best set that differs from this one there scores; −∞ where none does.
    pub(super) fn best_otherwise(&self, scores: &mut NodeSetScores, set: &LabelSet) -> Vec<f64> {
        self.weigh_plainly(scores, None, Mix::SCORE);
        let NodeSetScores { base, nodes, plain, .. } = scores;
        if self.is_tree {
            let others = best_sets_elsewhere(self.hierarchy(), nodes, self.rules, set.on());
            return others.into_iter().map(|other| *base + other).collect();
        }
        let mut fixed = vec![None; nodes.len()];
        let mut otherwise = |node: usize| {
            fixed[node] = Some(set.on().binary_search(&(node as u32)).is_err());
            let best = self.solve(plain, &fixed);
            fixed[node] = None;
            best.map_or(f64::NEG_INFINITY, |best| {
                *base + best.set.iter().map(|&node| nodes[node as usize]).sum::<f64>() + best.missed
            })
        };
        (0..nodes.len()).map(&mut otherwise).collect()
    }

    /// A set with its score and loss.
    fn found(
        &self,
        scores: &NodeSetScores,
        truth: Option<&LabelSet>,
        mix: Mix,
        set: Vec<u32>,
        missed: f64,
    ) -> Found<LabelSet> {
        let label = LabelSet::of(&set);
        let loss = truth.map_or(0.0, |truth| self.loss_between(truth, &label));
        let slopes = if truth.is_some() { self.loss.largest_of_all(self.nodes()) } else { 0.0 };
        // What rounding does is allowed for elsewhere.
        let rounding = self.decoding_terms() * f64::EPSILON * mix.height(scores.extent(), slopes);
        let missed = if missed > rounding { missed } else { 0.0 };
        Found { score: scores.score_of(&label), loss, label, missed }
    }

    /// What each node is worth, of its score and of the change of the loss when it goes in.
    fn weigh<G>(
        &self,
        scores: &[f64],
        truth: Option<&LabelSet>,
        values: &mut Vec<G>,
        value: impl Fn(f64, f64) -> G,
    ) {
        values.clear();
        let Some(truth) = truth else {
            values.extend(scores.iter().map(|&score| value(score, 0.0)));
            return;
        };
        let mut on = truth.on().iter().peekable();
        values.extend((0..).zip(scores).map(|(node, &score)| {
            let is_true = on.next_if_eq(&&node).is_some();
            value(score, self.loss.slope(node as usize, scores.len(), is_true))
        }));
    }

    fn weigh_plainly(&self, scores: &mut NodeSetScores, truth: Option<&LabelSet>, mix: Mix) {
        let NodeSetScores { nodes, plain, .. } = scores;
        self.weigh(nodes, truth, &mut plain.values, |score, slope| mix.height(score, slope));
    }

    /// The best set with some nodes fixed; none where there is no such set.
    fn solve<G: Gain>(&self, kernels: &mut Kernels<G>, fixed: &[Option<bool>]) -> Option<Best<G>> {
        let hierarchy = self.hierarchy();
        let Kernels { values, tree, closure, set } = kernels;
        if self.is_tree {
            let is_there = tree.maximize(hierarchy, values, self.rules, fixed, set);
            return is_there.then(|| Best { set: set.clone(), missed: G::ZERO });
        }
        if !closure.maximize(hierarchy, values, fixed, set) {
            return None;
        }
        if !set.is_empty() || !self.rules.never_empty {
            return Some(Best { set: set.clone(), missed: closure.missed() });
        }
        // A set that is not empty has a root.
        let mut best: Option<(G, Vec<u32>)> = None;
        // What was missed with any root may lie as much above the best.
        let mut missed = G::ZERO;
        let mut with_root = if fixed.is_empty() { vec![None; values.len()] } else { fixed.to_vec() };
        for &root in hierarchy.roots() {
            if with_root[root as usize] == Some(false) {
                continue;
            }
            let before = with_root[root as usize].replace(true);
            if closure.maximize(hierarchy, values, &with_root, set) {
                let value = set.iter().fold(G::ZERO, |sum, &node| sum + values[node as usize]);
                if missed.is_below(closure.missed()) {
                    missed = closure.missed();
                }
                if best.as_ref().is_none_or(|(other, _)| other.is_below(value)) {
                    best = Some((value, set.clone()));
                }
            }
            with_root[root as usize] = before;
        }
        best.map(|(_, set)| Best { set, missed })
    }
}
