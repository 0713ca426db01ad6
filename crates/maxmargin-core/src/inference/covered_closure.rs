//! Best closed sets in any acyclic graph where an inner node needs a child: branch and bound (THESIS (6.22), which is NP-hard).
//!
//! Without the rule the best set is a [`Closure`]. The rule z_n ≤ Σ_children z_c gets a price μ_n ≥ 0: the best closure with values
//! v_n − μ_n + Σ_parents μ_p is worth at least as much as the best set, and at the best prices as much as the linear relaxation of (6.22),
//! because closures have no fractional vertices. Prices follow the violated rules, in steps as long as Polyak says (1969).
//!
//! Where a closure breaks the rule at a node, one of three holds for a best set: the node is out, or its first child is in, or the first is out
//! and the second in, and so on. Spaces of sets are split like this, that with the largest bound first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::{Closure, Hierarchy};

/// The steps of prices in the first space, and in those that it is split into.
const FIRST_STEPS: usize = 40;
const STEPS: usize = 8;

/// A set is proven to be best where no other can be worth more by this share of all values.
const TOLERANCE: f64 = 1e-14;

/// Searches for best sets whose paths end at leaves; working memory that is reused.
#[derive(Debug, Clone, Default)]
pub struct CoveredClosure {
    closure: Closure<f64>,
    priced: Vec<f64>,
    set: Vec<u32>,
    flags: Vec<bool>,
}

/// A set, and what it is proven to be.
#[derive(Debug, Clone, PartialEq)]
pub struct CoveredSet {
    /// The nodes, ascending.
    pub set: Vec<u32>,
    /// What they are worth.
    pub value: f64,
    /// No set is worth more than this; the value itself where the set is proven to be best.
    pub bound: f64,
}

/// Sets with some nodes fixed, and what they are worth at most.
struct Space {
    bound: f64,
    fixed: Vec<Option<bool>>,
    prices: Vec<f64>,
    split: Split,
    number: usize,
}

/// How a space falls into parts.
#[derive(Clone, Copy)]
enum Split {
    /// An inner node is out, or one of its children is in.
    Children(u32),
    /// A set that is not empty has one of the roots.
    Roots,
    /// A node is out or in.
    Node(u32),
}

impl Ord for Space {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bound.total_cmp(&other.bound).then(other.number.cmp(&self.number))
    }
}

impl PartialOrd for Space {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Space {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Space {}

/// What is searched for.
struct Problem<'a> {
    hierarchy: &'a Hierarchy,
    values: &'a [f64],
    never_empty: bool,
    fixed: &'a [Option<bool>],
    tolerance: f64,
}

impl Problem<'_> {
    fn value(&self, set: &[u32]) -> f64 {
        set.iter().map(|&node| self.values[node as usize]).sum()
    }

    fn is_as_fixed(&self, is_in: &[bool]) -> bool {
        self.fixed.iter().zip(is_in).all(|(fixed, is_in)| fixed.is_none_or(|fixed| fixed == *is_in))
    }
}

impl CoveredClosure {
    /// A best set in which nodes are as they are `fixed` (one entry per node, or none at all), from no more than so many spaces; none where
    /// no set is found, which proves that there is none only where spaces did not run out.
    pub fn maximize(
        &mut self,
        hierarchy: &Hierarchy,
        values: &[f64],
        never_empty: bool,
        fixed: &[Option<bool>],
        most_spaces: usize,
    ) -> Option<CoveredSet> {
        let extent: f64 = values.iter().map(|value| value.abs()).sum();
        let problem = Problem { hierarchy, values, never_empty, fixed, tolerance: TOLERANCE * extent };
        let mut best: Option<(f64, Vec<u32>)> = None;
        self.try_leaves(&problem, &mut best);
        let start = if fixed.is_empty() { vec![None; hierarchy.nodes()] } else { fixed.to_vec() };
        let (mut open, mut number) = (BinaryHeap::new(), 0);
        open.extend(self.relax(&problem, start, vec![0.0; values.len()], FIRST_STEPS, 0, &mut best));
        while let Some(space) = open.pop() {
            let least = best.as_ref().map_or(f64::NEG_INFINITY, |best| best.0);
            if space.bound <= least + problem.tolerance {
                // All others are worth no more.
                open.clear();
                break;
            }
            let more = match space.split {
                Split::Roots => hierarchy.roots().len(),
                Split::Children(node) => 1 + hierarchy.children(node).len(),
                Split::Node(_) => 2,
            };
            if number + more > most_spaces {
                open.push(space);
                break;
            }
            let Space { mut fixed, prices, split, .. } = space;
            let choices = match split {
                Split::Roots => hierarchy.roots(),
                Split::Children(node) | Split::Node(node) => {
                    if fixed[node as usize].is_none() {
                        fixed[node as usize] = Some(false);
                        number += 1;
                        let out = fixed.clone();
                        open.extend(self.relax(&problem, out, prices.clone(), STEPS, number, &mut best));
                        fixed[node as usize] = Some(true);
                    }
                    if let Split::Children(node) = split { hierarchy.children(node) } else { &[] }
                }
            };
            if let Split::Node(_) = split {
                number += 1;
                open.extend(self.relax(&problem, fixed, prices, STEPS, number, &mut best));
                continue;
            }
            for &choice in choices {
                if fixed[choice as usize].is_none() {
                    fixed[choice as usize] = Some(true);
                    number += 1;
                    open.extend(self.relax(
                        &problem,
                        fixed.clone(),
                        prices.clone(),
                        STEPS,
                        number,
                        &mut best,
                    ));
                    fixed[choice as usize] = Some(false);
                }
            }
        }
        let bound = open.iter().map(|space| space.bound).fold(f64::NEG_INFINITY, f64::max);
        best.map(|(value, set)| {
            let is_proven = bound <= value + problem.tolerance;
            CoveredSet { set, value, bound: if is_proven { value } else { bound } }
        })
    }

    /// Finds prices, a bound and where the rule is broken; none where no set of the space can be better than the best.
    fn relax(
        &mut self,
        problem: &Problem<'_>,
        fixed: Vec<Option<bool>>,
        mut prices: Vec<f64>,
        steps: usize,
        number: usize,
        best: &mut Option<(f64, Vec<u32>)>,
    ) -> Option<Space> {
        let hierarchy = problem.hierarchy;
        let mut found: Option<Space> = None;
        for _ in 0..steps {
            self.price(problem, &prices);
            let mut set = std::mem::take(&mut self.set);
            let is_possible = self.closure.maximize(hierarchy, &self.priced, &fixed, &mut set);
            self.set = set;
            if !is_possible {
                return None;
            }
            let bound =
                self.set.iter().map(|&node| self.priced[node as usize]).sum::<f64>() + self.closure.missed();
            self.repair(problem, best);
            let least = best.as_ref().map_or(f64::NEG_INFINITY, |best| best.0);
            if bound <= least + problem.tolerance {
                return None;
            }
            let slopes = self.slopes(hierarchy);
            let length: f64 = slopes.iter().map(|(_, slope)| slope * slope).sum();
            if found.as_ref().is_none_or(|found| bound < found.bound) {
                // The rule is broken at nodes without a child. Where it is kept, some price is too high: any open node will do.
                let broken =
                    slopes.iter().find(|(_, slope)| *slope > 0.0).map(|broken| Split::Children(broken.0));
                let open = || fixed.iter().position(Option::is_none).map(|node| Split::Node(node as u32));
                let split = if self.set.is_empty() { Some(Split::Roots) } else { broken.or_else(open) };
                let prices = prices.clone();
                // Without an open node the set is the only one, and no longer of interest.
                found = Some(Space { bound, fixed: Vec::new(), prices, split: split?, number });
            }
            if length == 0.0 || least == f64::NEG_INFINITY {
                break;
            }
            let step = (bound - least) / length;
            for (node, slope) in slopes {
                let price = &mut prices[node as usize];
                *price = (*price + step * slope).max(0.0);
            }
        }
        found.map(|found| Space { fixed, ..found })
    }

    /// What nodes are worth with prices on the rule.
    fn price(&mut self, problem: &Problem<'_>, prices: &[f64]) {
        self.priced.clear();
        self.priced.extend_from_slice(problem.values);
        for (node, &price) in (0..).zip(prices).filter(|(_, price)| **price > 0.0) {
            self.priced[node as usize] -= price;
            for &child in problem.hierarchy.children(node) {
                self.priced[child as usize] += price;
            }
        }
    }

    /// z_n − Σ_children z_c of the inner nodes for which it is not 0.
    fn slopes(&mut self, hierarchy: &Hierarchy) -> Vec<(u32, f64)> {
        self.mark(hierarchy.nodes());
        let inner = self.set.iter().filter(|&&node| !hierarchy.is_leaf(node));
        let slope = |&node: &u32| {
            let children = hierarchy.children(node).iter().filter(|&&child| self.flags[child as usize]);
            (node, 1.0 - children.count() as f64)
        };
        inner.map(slope).filter(|(_, slope)| *slope != 0.0).collect()
    }

    fn mark(&mut self, nodes: usize) {
        self.flags.clear();
        self.flags.resize(nodes, false);
        self.set.iter().for_each(|&node| self.flags[node as usize] = true);
    }

    /// Makes a set that keeps the rule of the closure that was found last: paths that end too early are taken back, and leaves that are worth
    /// more than their ways cost are added.
    fn repair(&mut self, problem: &Problem<'_>, best: &mut Option<(f64, Vec<u32>)>) {
        let hierarchy = problem.hierarchy;
        self.mark(hierarchy.nodes());
        for &node in hierarchy.order().iter().rev() {
            let has_child = hierarchy.children(node).iter().any(|&child| self.flags[child as usize]);
            if !hierarchy.is_leaf(node) && !has_child {
                self.flags[node as usize] = false;
            }
        }
        for &leaf in hierarchy.leaves() {
            if self.flags[leaf as usize] {
                continue;
            }
            let missing = || hierarchy.ancestors(leaf).iter().filter(|&&node| !self.flags[node as usize]);
            let is_allowed = |node: u32| problem.fixed.get(node as usize) != Some(&Some(false));
            if missing().all(|&node| is_allowed(node))
                && missing().map(|&node| problem.values[node as usize]).sum::<f64>() > 0.0
            {
                hierarchy.ancestors(leaf).iter().for_each(|&node| self.flags[node as usize] = true);
            }
        }
        self.offer(problem, best);
    }

    /// The sets of one leaf each, and none.
    fn try_leaves(&mut self, problem: &Problem<'_>, best: &mut Option<(f64, Vec<u32>)>) {
        let hierarchy = problem.hierarchy;
        self.set.clear();
        self.mark(hierarchy.nodes());
        self.offer(problem, best);
        let value = |leaf: &u32| problem.value(hierarchy.ancestors(*leaf));
        let highest = hierarchy.leaves().iter().max_by(|a, b| value(a).total_cmp(&value(b)));
        if problem.fixed.is_empty()
            && let Some(&leaf) = highest
        {
            self.set.extend_from_slice(hierarchy.ancestors(leaf));
            self.mark(hierarchy.nodes());
            self.offer(problem, best);
        }
    }

    /// Takes the nodes that are marked for the best set, if they are better and allowed.
    fn offer(&self, problem: &Problem<'_>, best: &mut Option<(f64, Vec<u32>)>) {
        let is_in = (0..).zip(&self.flags).filter(|(_, is_in)| **is_in).map(|(node, _)| node);
        let set: Vec<u32> = is_in.collect();
        if (set.is_empty() && problem.never_empty) || !problem.is_as_fixed(&self.flags) {
            return;
        }
        let value = problem.value(&set);
        if best.as_ref().is_none_or(|best| value > best.0) {
            *best = Some((value, set));
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;
    use crate::inference::hierarchies::{closed_sets, is_as_fixed, random_fixed, random_hierarchy};

    #[test]
    fn best_sets_equal_enumeration() {
        let mut random = Pcg64Mcg::seed_from_u64(1);
        let mut search = CoveredClosure::default();
        let (mut proven_at_once, mut rounds) = (0, 0);
        for round in 0..1500 {
            let graph = random_hierarchy(&mut random, 12, round % 8 == 0);
            let never_empty = round % 2 == 0;
            let values: Vec<f64> = (0..graph.nodes()).map(|_| random.random_range(-1.5..1.5)).collect();
            let fixed = random_fixed(&mut random, graph.nodes(), round % 3);
            let value = |set: &Vec<u32>| set.iter().map(|&node| values[node as usize]).sum::<f64>();
            let all = closed_sets(&graph, true, !never_empty);
            let best = all.iter().filter(|set| is_as_fixed(set, &fixed)).map(value).max_by(f64::total_cmp);
            let found = search.maximize(&graph, &values, never_empty, &fixed, usize::MAX);
            assert_eq!(found.is_some(), best.is_some(), "round {round}: {graph:?}, {fixed:?}");
            let (Some(best), Some(found)) = (best, found) else { continue };
            assert!(
                all.iter().filter(|set| is_as_fixed(set, &fixed)).any(|set| *set == found.set),
                "round {round}: {found:?}"
            );
            assert_eq!(found.bound, found.value, "round {round}");
            assert!(
                (found.value - best).abs() < 1e-9,
                "round {round}: {found:?} for {best} in {graph:?}, {values:?}, {fixed:?}"
            );
            if let Some(early) = search.maximize(&graph, &values, never_empty, &fixed, 0) {
                assert!(
                    early.value <= best + 1e-9 && early.bound >= best - 1e-9,
                    "round {round}: {early:?} and {best}"
                );
                proven_at_once += usize::from(early.bound <= early.value + 1e-9);
                rounds += 1;
            }
        }
        // The relaxation is whole most of the time.
        assert!(proven_at_once > rounds / 2, "{proven_at_once} of {rounds}");
    }
}
