//! Maximum-weight closures: best sets that have with each node its ancestors, in any acyclic graph (Picard 1976).
//!
//! A positive node may pay for the negative ones above it. What it pays is a flow from child to parent without limits, and the best set
//! are the nodes that a payment which is left over reaches in the residual graph: it is closed, because all arcs upwards stay open.
//!
//! Most nodes are decided before: only positive nodes and what is above them can be in the best set. Of these, from the bottom up, a
//! node without open children is out where it is not worth more than nothing, and stands or falls with its parent where it has but
//! one. On a tree this decides all. The flow is found on the rest, in Dinic's phases: paths of one length at a time, each by
//! a search that never comes back to a dead end.
//!
//! [`Gain`]s are an ordered group, which is all that a flow needs: with [`Lexicographic`](super::Lexicographic) ones ties are broken
//! exactly.

use super::{Gain, Hierarchy};

/// Working memory for best closures.
#[derive(Debug, Clone, Default)]
pub struct Closure<G> {
    /// What is known of each node of the hierarchy; all [`State::Unseen`] between two searches, but for fixed nodes.
    states: Vec<State>,
    /// The nodes that may be in, children before their parents.
    candidates: Vec<u32>,
    /// What candidates are worth with those that stand and fall with them, and less what they have paid.
    worth: Vec<G>,
    open_children: Vec<u32>,
    network: Payments<G>,
}

/// What is known of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    /// Nothing above 0 is below it: out, unless it is wanted.
    #[default]
    Unseen,
    Candidate,
    In,
    Out,
    /// It is in when this node is.
    With(u32),
}

impl<G: Gain> Closure<G> {
    /// Finds a best closed set in which nodes are as they are `fixed` (one entry per node, or none at all); false where there is no
    /// such set. The empty set is one. Of equal sets the smallest is found.
    pub fn maximize(
        &mut self,
        hierarchy: &Hierarchy,
        values: &[G],
        fixed: &[Option<bool>],
        set: &mut Vec<u32>,
    ) -> bool {
        set.clear();
        self.states.clear();
        self.states.resize(hierarchy.nodes(), State::Unseen);
        if !self.fix(hierarchy, fixed) {
            return false;
        }
        self.gather(hierarchy, values);
        self.contract(hierarchy);
        self.pay(hierarchy);
        // Parents are decided before their children.
        for &node in self.candidates.iter().rev() {
            if let State::With(other) = self.states[node as usize] {
                self.states[node as usize] = self.states[other as usize];
            }
        }
        set.extend((0..).zip(&self.states).filter(|(_, state)| **state == State::In).map(|(node, _)| node));
        true
    }

    /// How much more than the set that was found last another may be worth: nothing but what rounding did to the payments, which prove
    /// it. After all payments nobody outside has anything left, and nobody inside lacks anything.
    pub fn missed(&self) -> G {
        let Self { network, worth, .. } = self;
        network.nodes.iter().enumerate().fold(G::ZERO, |missed, (place, &node)| {
            let balance = network.balance(place, worth[node as usize]);
            let is_in = network.levels[place] != UNSEEN;
            missed + G::ZERO.larger(if is_in { G::ZERO - balance } else { balance })
        })
    }

    /// What must be in, with all above it, and what must be out, with all below it.
    fn fix(&mut self, hierarchy: &Hierarchy, fixed: &[Option<bool>]) -> bool {
        if fixed.iter().all(Option::is_none) {
            return true;
        }
        for (node, _) in (0..).zip(fixed).filter(|(_, fixed)| **fixed == Some(true)) {
            hierarchy.ancestors(node).iter().for_each(|&above| self.states[above as usize] = State::In);
        }
        for &node in hierarchy.order() {
            let is_below =
                hierarchy.parents(node).iter().any(|&above| self.states[above as usize] == State::Out);
            if is_below || fixed[node as usize] == Some(false) {
                if self.states[node as usize] == State::In {
                    return false;
                }
                self.states[node as usize] = State::Out;
            }
        }
        true
    }

    /// Takes the nodes that are worth more than nothing, and all above them.
    fn gather(&mut self, hierarchy: &Hierarchy, values: &[G]) {
        let Self { states, candidates, worth, open_children, .. } = self;
        candidates.clear();
        for (node, value) in (0..).zip(values) {
            if G::ZERO.is_below(*value) && states[node as usize] == State::Unseen {
                states[node as usize] = State::Candidate;
                candidates.push(node);
            }
        }
        worth.resize(values.len(), G::ZERO);
        open_children.resize(values.len(), 0);
        let mut next = 0;
        while next < candidates.len() {
            let node = candidates[next];
            next += 1;
            worth[node as usize] = values[node as usize];
            open_children[node as usize] = 0;
            for &parent in hierarchy.parents(node) {
                if states[parent as usize] == State::Unseen {
                    states[parent as usize] = State::Candidate;
                    candidates.push(parent);
                }
            }
        }
        // Children before their parents: many are picked out of all nodes in their order, few are sorted.
        if candidates.len() > values.len() / 16 {
            candidates.clear();
            let is_candidate = |node: &&u32| states[**node as usize] == State::Candidate;
            candidates.extend(hierarchy.order().iter().rev().filter(is_candidate));
        } else {
            candidates.sort_unstable_by_key(|&node| (std::cmp::Reverse(hierarchy.depth(node)), node));
        }
    }

    /// Decides nodes without open children, from the bottom up.
    fn contract(&mut self, hierarchy: &Hierarchy) {
        let Self { states, candidates, worth, open_children, .. } = self;
        for &node in &*candidates {
            let is_open = |parent: &&u32| states[**parent as usize] == State::Candidate;
            let mut open = hierarchy.parents(node).iter().filter(is_open);
            let (first, second) = (open.next().copied(), open.next());
            let has_worth = G::ZERO.is_below(worth[node as usize]);
            states[node as usize] = match first {
                // All above it is in already, and what is below it can only gain by it.
                None if has_worth => State::In,
                _ if open_children[node as usize] > 0 => State::Candidate,
                _ if !has_worth => State::Out,
                Some(parent) if second.is_none() => {
                    worth[parent as usize] = worth[parent as usize] + worth[node as usize];
                    State::With(parent)
                }
                _ => State::Candidate,
            };
            if states[node as usize] == State::Candidate {
                for &parent in hierarchy.parents(node) {
                    open_children[parent as usize] += 1;
                }
            }
        }
    }

    /// Decides the rest.
    fn pay(&mut self, hierarchy: &Hierarchy) {
        let Self { states, candidates, worth, network, .. } = self;
        let is_open = |states: &[State], node: u32| states[node as usize] == State::Candidate;
        network.begin(candidates.iter().copied().filter(|&node| is_open(states, node)), hierarchy.nodes());
        for place in 0..network.nodes.len() {
            let node = network.nodes[place];
            network.worth[place] = worth[node as usize];
            network
                .add_arcs(hierarchy.parents(node).iter().copied().filter(|&parent| is_open(states, parent)));
        }
        network.link();
        network.run();
        for (place, &node) in network.nodes.iter().enumerate() {
            let is_reached = network.levels[place] != UNSEEN;
            states[node as usize] = if is_reached { State::In } else { State::Out };
        }
    }
}

const UNSEEN: u32 = u32::MAX;

/// Payments from children to parents among few nodes.
#[derive(Debug, Clone, Default)]
struct Payments<G> {
    nodes: Vec<u32>,
    /// The place of each node of the hierarchy among them; meaningless for others.
    places: Vec<u32>,
    /// What each node is worth less what it has paid, with what it was paid.
    worth: Vec<G>,
    /// The arcs of each node to its parents begin here.
    starts: Vec<u32>,
    heads: Vec<u32>,
    tails: Vec<u32>,
    paid: Vec<G>,
    /// The arcs from the children of each node.
    incoming_starts: Vec<u32>,
    incoming: Vec<u32>,
    levels: Vec<u32>,
    queue: Vec<u32>,
    cursors: Vec<u32>,
    path: Vec<Step>,
}

/// A way along an arc, upwards or back.
#[derive(Debug, Clone, Copy)]
struct Step {
    arc: u32,
    is_up: bool,
}

impl<G: Gain> Payments<G> {
    fn begin(&mut self, nodes: impl Iterator<Item = u32>, all: usize) {
        self.nodes.clear();
        self.nodes.extend(nodes);
        self.places.resize(all, 0);
        for (place, &node) in (0..).zip(&self.nodes) {
            self.places[node as usize] = place;
        }
        self.worth.clear();
        self.worth.resize(self.nodes.len(), G::ZERO);
        self.starts.clear();
        self.starts.push(0);
        self.heads.clear();
        self.tails.clear();
    }

    /// The arcs of the next node.
    fn add_arcs(&mut self, parents: impl Iterator<Item = u32>) {
        let tail = self.starts.len() as u32 - 1;
        for parent in parents {
            self.heads.push(self.places[parent as usize]);
            self.tails.push(tail);
        }
        self.starts.push(self.heads.len() as u32);
    }

    fn link(&mut self) {
        let nodes = self.nodes.len();
        self.paid.clear();
        self.paid.resize(self.heads.len(), G::ZERO);
        self.incoming_starts.clear();
        self.incoming_starts.resize(nodes + 1, 0);
        self.heads.iter().for_each(|&head| self.incoming_starts[head as usize + 1] += 1);
        (0..nodes).for_each(|node| self.incoming_starts[node + 1] += self.incoming_starts[node]);
        self.incoming.clear();
        self.incoming.resize(self.heads.len(), 0);
        self.cursors.clear();
        self.cursors.extend_from_slice(&self.incoming_starts[..nodes]);
        for (arc, &head) in (0..).zip(&self.heads) {
            let free = &mut self.cursors[head as usize];
            self.incoming[*free as usize] = arc;
            *free += 1;
        }
    }

    /// Pays until nobody who has something left reaches somebody who needs it; levels then tell who is reached.
    fn run(&mut self) {
        // The distance grows with each phase, and is less than the number of nodes.
        for _ in 0..=self.nodes.len() {
            if !self.measure() {
                return;
            }
            self.cursors.clear();
            self.cursors.resize(self.nodes.len(), 0);
            for source in 0..self.nodes.len() {
                while G::ZERO.is_below(self.worth[source]) && self.find_path(source) {
                    self.push(source);
                }
            }
        }
        self.measure();
    }

    /// The ways out of a node: to its parents, then back to children that have paid to it.
    fn step(&self, node: usize, number: u32) -> Option<Step> {
        let parents = self.starts[node + 1] - self.starts[node];
        if number < parents {
            return Some(Step { arc: self.starts[node] + number, is_up: true });
        }
        let arc = self.incoming_starts[node] + (number - parents);
        (arc < self.incoming_starts[node + 1])
            .then(|| Step { arc: self.incoming[arc as usize], is_up: false })
    }

    fn end(&self, step: Step) -> usize {
        (if step.is_up { self.heads[step.arc as usize] } else { self.tails[step.arc as usize] }) as usize
    }

    fn is_open(&self, step: Step) -> bool {
        step.is_up || G::ZERO.is_below(self.paid[step.arc as usize])
    }

    /// What a node is worth with what it was paid, and without what it has paid.
    fn balance(&self, node: usize, worth: G) -> G {
        let ranges = [&self.incoming_starts, &self.starts]
            .map(|starts| starts[node] as usize..starts[node + 1] as usize);
        let [incoming, outgoing] = ranges;
        let paid = |sum: G, arc: usize| sum + self.paid[arc];
        let taken = self.incoming[incoming].iter().map(|&arc| arc as usize).fold(worth, paid);
        taken - outgoing.fold(G::ZERO, paid)
    }

    /// Finds levels; whether somebody in need is reached. Where nobody is, all that can be reached have levels.
    fn measure(&mut self) -> bool {
        self.levels.clear();
        self.levels.resize(self.nodes.len(), UNSEEN);
        self.queue.clear();
        for (node, worth) in (0..).zip(&self.worth) {
            if G::ZERO.is_below(*worth) {
                self.levels[node as usize] = 0;
                self.queue.push(node);
            }
        }
        let (mut next, mut last) = (0, UNSEEN);
        while next < self.queue.len() {
            let node = self.queue[next] as usize;
            next += 1;
            let level = self.levels[node] + 1;
            if level > last {
                break;
            }
            let mut number = 0;
            while let Some(step) = self.step(node, number) {
                number += 1;
                let end = self.end(step);
                if self.levels[end] == UNSEEN && self.is_open(step) {
                    self.levels[end] = level;
                    self.queue.push(end as u32);
                    if self.worth[end].is_below(G::ZERO) {
                        last = level;
                    }
                }
            }
        }
        last != UNSEEN
    }

    /// A path from a source to somebody in need, level by level.
    fn find_path(&mut self, source: usize) -> bool {
        self.path.clear();
        let mut node = source;
        loop {
            if self.worth[node].is_below(G::ZERO) {
                return true;
            }
            match self.step(node, self.cursors[node]) {
                Some(step) => {
                    let end = self.end(step);
                    if self.levels[end] == self.levels[node] + 1 && self.is_open(step) {
                        self.path.push(step);
                        node = end;
                    } else {
                        self.cursors[node] += 1;
                    }
                }
                None => {
                    // A dead end: nobody comes here again in this phase.
                    self.levels[node] = UNSEEN;
                    let Some(step) = self.path.pop() else { return false };
                    node = self.end(Step { is_up: !step.is_up, ..step });
                    self.cursors[node] += 1;
                }
            }
        }
    }

    /// Pays as much as goes along the path.
    fn push(&mut self, source: usize) {
        let sink = self.path.last().map_or(source, |&step| self.end(step));
        let mut amount = self.worth[source].smaller(G::ZERO - self.worth[sink]);
        for step in self.path.iter().filter(|step| !step.is_up) {
            amount = amount.smaller(self.paid[step.arc as usize]);
        }
        for &Step { arc, is_up } in &self.path {
            let paid = &mut self.paid[arc as usize];
            *paid = if is_up { *paid + amount } else { *paid - amount };
        }
        self.worth[source] = self.worth[source] - amount;
        self.worth[sink] = self.worth[sink] + amount;
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;
    use crate::inference::Lexicographic;
    use crate::inference::hierarchies::{closed_sets, is_as_fixed, random_fixed, random_hierarchy};

    #[test]
    fn best_closures_equal_enumeration() {
        let mut random = Pcg64Mcg::seed_from_u64(1);
        let mut closure = Closure::default();
        let mut found = Vec::new();
        let mut flows = 0;
        for round in 0..4000 {
            let graph = random_hierarchy(&mut random, 12, round % 8 == 0);
            let mut part = || f64::from(random.random_range(-3..=3));
            let values: Vec<Lexicographic> =
                (0..graph.nodes()).map(|_| Lexicographic { first: part(), second: part() }).collect();
            let fixed = random_fixed(&mut random, graph.nodes(), round % 3);
            let value = |set: &Vec<u32>| {
                set.iter().fold(Lexicographic::ZERO, |sum, &node| sum + values[node as usize])
            };
            let all = closed_sets(&graph, false, true);
            let best = all.iter().filter(|set| is_as_fixed(set, &fixed)).map(value).max();
            let is_there = closure.maximize(&graph, &values, &fixed, &mut found);
            assert_eq!(is_there, best.is_some(), "round {round}: {graph:?}, {fixed:?}");
            if let Some(best) = best {
                flows += usize::from(!closure.network.nodes.is_empty());
                assert!(all.contains(&found) && is_as_fixed(&found, &fixed), "round {round}: {found:?}");
                assert_eq!(
                    value(&found),
                    best,
                    "round {round}: {found:?} in {graph:?}, {values:?}, {fixed:?}"
                );
            }
        }
        assert!(flows > 500, "only {flows} flows");
    }

    #[test]
    fn payments_prove_what_is_best() {
        let mut random = Pcg64Mcg::seed_from_u64(3);
        let (mut closure, mut found) = (Closure::default(), Vec::new());
        for round in 0..300 {
            let graph = random_hierarchy(&mut random, 200, false);
            let scale = [1.0, 1e12, 1e-9][round % 3];
            let mut part = || scale * random.random_range(-1.5..1.0f64).powi(3);
            let values: Vec<f64> = (0..graph.nodes()).map(|_| part()).collect();
            assert!(closure.maximize(&graph, &values, &[], &mut found));
            let size: f64 = values.iter().map(|value| value.abs()).sum();
            assert!(closure.missed() <= 4.0 * f64::EPSILON * size, "{} of {size}", closure.missed());
            // Without its payments the same set is proven nothing of.
            if closure.network.paid.iter().any(|paid| *paid > 0.1 * scale) {
                closure.network.paid.fill(0.0);
                assert!(closure.missed() > 0.01 * scale, "{}", closure.missed());
            }
        }
    }

    #[test]
    fn whatever_the_numbers_it_comes_to_an_end() {
        let mut random = Pcg64Mcg::seed_from_u64(2);
        let mut closure = Closure::default();
        let strange = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300, 1.0, -1.0];
        for _ in 0..500 {
            let graph = random_hierarchy(&mut random, 12, false);
            let values: Vec<f64> =
                (0..graph.nodes()).map(|_| strange[random.random_range(0..strange.len())]).collect();
            let mut found = Vec::new();
            assert!(closure.maximize(&graph, &values, &[], &mut found));
            assert!(graph.is_closed(&found));
        }
    }
}
