//! What it costs to turn one link of the best matching off, or another one on: for all edges at once.
//!
//! The best matching is a circulation of least cost (see [`BMatching`](super::BMatching)). With its prices all arcs of the residual network cost at least 0,
//! and the best matching in which an edge is flipped differs from it by the cheapest cycle through that edge's arc: what the arc costs, and
//! a shortest path from its end back to its start. Nodes of one side have few arcs out, so they are passed through: what is left is a
//! network between the nodes of the other side and the hub, and the shortest paths between all of these, by Floyd and Warshall where it is dense, else by Dijkstra
//! from each.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Bipartite, Gain, LinkLimits};

/// A matching that prices prove to be a best one.
#[derive(Debug, Clone, Copy)]
pub struct PricedLinks<'a> {
    /// The most links of a node.
    pub limits: LinkLimits,
    /// The edges that are on.
    pub on: &'a [u32],
    /// The price of each left node.
    pub left_prices: &'a [f64],
    /// The price of each right node.
    pub right_prices: &'a [f64],
}

/// For each edge how much less the best matching is worth in which it is off where it is on, or on where it is off.
pub fn flip_losses(graph: &Bipartite, gains: &[f64], priced: PricedLinks<'_>) -> Vec<f64> {
    let network = Residual::new(graph, gains, priced);
    let mut losses = vec![f64::INFINITY; graph.edges()];
    let nodes = network.sides[0].links.len() + 1;
    let arcs = network.arcs();
    match arcs.len() * 8 < nodes * nodes {
        true => network.by_dijkstra(&arcs, nodes, |from, row| network.close(from, row, &mut losses)),
        false => network.by_floyd(&arcs, nodes, |from, row| network.close(from, row, &mut losses)),
    }
    losses
}

/// The nodes of one side.
struct Side<'a> {
    limit: u32,
    prices: &'a [f64],
    links: Vec<u32>,
}

impl Side<'_> {
    fn has_room(&self, node: usize) -> bool {
        self.links[node] < self.limit
    }

    fn has_link(&self, node: usize) -> bool {
        self.links[node] > 0
    }
}

/// An arc between nodes that are kept, or between the hub and one.
#[derive(Debug, Clone, Copy)]
struct Arc {
    from: usize,
    to: usize,
    cost: f64,
}

/// The residual network, seen from the side with fewer nodes: that with more is passed through. To swap sides turns all arcs round, which
/// changes no cycle.
struct Residual<'a> {
    graph: &'a Bipartite,
    /// The nodes that are kept, and those that are not.
    sides: [Side<'a>; 2],
    is_swapped: bool,
    is_on: Vec<bool>,
    /// What each edge costs in the direction in which it can be used.
    costs: Vec<f64>,
}

impl<'a> Residual<'a> {
    fn new(graph: &'a Bipartite, gains: &[f64], priced: PricedLinks<'a>) -> Self {
        let PricedLinks { limits, on, left_prices, right_prices } = priced;
        let mut is_on = vec![false; graph.edges()];
        let (mut left_links, mut right_links) = (vec![0; graph.lefts()], vec![0; graph.rights()]);
        for &edge in on {
            let (left, right) = graph.ends(edge as usize);
            (left_links[left], right_links[right]) = (left_links[left] + 1, right_links[right] + 1);
            is_on[edge as usize] = true;
        }
        let cost = |(edge, &gain): (usize, &f64)| {
            let (left, right) = graph.ends(edge);
            let slack = left_prices[left] + right_prices[right] - gain;
            // Below 0 by rounding only.
            if is_on[edge] { -slack } else { slack }.larger(0.0)
        };
        let costs = gains.iter().enumerate().map(cost).collect();
        let left = Side { limit: limits.left, prices: left_prices, links: left_links };
        let right = Side { limit: limits.right, prices: right_prices, links: right_links };
        let is_swapped = graph.lefts() > graph.rights();
        let sides = if is_swapped { [right, left] } else { [left, right] };
        Self { graph, sides, is_swapped, is_on, costs }
    }

    fn hub(&self) -> usize {
        self.sides[0].links.len()
    }

    /// The kept node of an edge.
    fn kept(&self, edge: usize) -> usize {
        let (left, right) = self.graph.ends(edge);
        if self.is_swapped { right } else { left }
    }

    /// The other node of an edge.
    fn passed(&self, edge: usize) -> usize {
        let (left, right) = self.graph.ends(edge);
        if self.is_swapped { left } else { right }
    }

    /// The edges of a node that is passed through.
    fn edges_of_passed(&self, node: usize) -> &[u32] {
        if self.is_swapped { self.graph.of_left(node) } else { self.graph.of_right(node) }
    }

    /// The ways into a node that is passed through: from where, and what they cost.
    fn ways_in(&self, node: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let off =
            self.edges_of_passed(node).iter().map(|&edge| edge as usize).filter(|&edge| !self.is_on[edge]);
        let from_hub =
            self.sides[1].has_link(node).then(|| (self.hub(), self.sides[1].prices[node].larger(0.0)));
        off.map(|edge| (self.kept(edge), self.costs[edge])).chain(from_hub)
    }

    /// The ways out of it.
    fn ways_out(&self, node: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let on =
            self.edges_of_passed(node).iter().map(|&edge| edge as usize).filter(|&edge| self.is_on[edge]);
        let to_hub =
            self.sides[1].has_room(node).then(|| (self.hub(), (-self.sides[1].prices[node]).larger(0.0)));
        on.map(|edge| (self.kept(edge), self.costs[edge])).chain(to_hub)
    }

    /// All arcs between the nodes that are kept and the hub.
    fn arcs(&self) -> Vec<Arc> {
        let (kept, hub) = (&self.sides[0], self.hub());
        let mut arcs = Vec::new();
        for node in 0..hub {
            let price = kept.prices[node];
            if kept.has_link(node) {
                arcs.push(Arc { from: node, to: hub, cost: price.larger(0.0) });
            }
            if kept.has_room(node) {
                arcs.push(Arc { from: hub, to: node, cost: (-price).larger(0.0) });
            }
        }
        for node in 0..self.sides[1].links.len() {
            for (to, out) in self.ways_out(node) {
                arcs.extend(self.ways_in(node).map(|(from, cost)| Arc { from, to, cost: cost + out }));
            }
        }
        arcs
    }

    /// Lengths of shortest paths from each node to each, a row at a time.
    fn by_floyd(&self, arcs: &[Arc], nodes: usize, mut row: impl FnMut(usize, &[f64])) {
        let mut lengths = vec![f64::INFINITY; nodes * nodes];
        for &Arc { from, to, cost } in arcs {
            let length = &mut lengths[from * nodes + to];
            *length = length.smaller(cost);
        }
        (0..nodes).for_each(|node| lengths[node * nodes + node] = 0.0);
        let mut through = vec![0.0; nodes];
        for middle in 0..nodes {
            through.copy_from_slice(&lengths[middle * nodes..(middle + 1) * nodes]);
            for from in lengths.chunks_exact_mut(nodes) {
                let first = from[middle];
                if first < f64::INFINITY {
                    from.iter_mut().zip(&through).for_each(|(length, rest)| {
                        let way = first + rest;
                        *length = if way < *length { way } else { *length };
                    });
                }
            }
        }
        lengths.chunks_exact(nodes).enumerate().for_each(|(from, lengths)| row(from, lengths));
    }

    /// The same where there are few arcs.
    fn by_dijkstra(&self, arcs: &[Arc], nodes: usize, mut row: impl FnMut(usize, &[f64])) {
        let mut starts = vec![0; nodes + 1];
        arcs.iter().for_each(|arc| starts[arc.from + 1] += 1);
        (0..nodes).for_each(|node| starts[node + 1] += starts[node]);
        let mut sorted = arcs.to_vec();
        sorted.sort_by_key(|arc| arc.from);
        let (mut lengths, mut queue) = (vec![0.0; nodes], BinaryHeap::new());
        for source in 0..nodes {
            lengths.fill(f64::INFINITY);
            lengths[source] = 0.0;
            // Numbers that are not negative have the order of their bits.
            queue.push(Reverse((0, source)));
            while let Some(Reverse((bits, node))) = queue.pop() {
                let length = f64::from_bits(bits);
                if lengths[node] < length {
                    continue;
                }
                for &Arc { to, cost, .. } in &sorted[starts[node]..starts[node + 1]] {
                    let way = length + cost;
                    if way < lengths[to] {
                        lengths[to] = way;
                        queue.push(Reverse((way.to_bits(), to)));
                    }
                }
            }
            row(source, &lengths);
        }
    }

    /// Takes the cycles that have a path from this node or the hub in them.
    fn close(&self, from: usize, lengths: &[f64], losses: &mut [f64]) {
        let mut close = |edge: usize, length: f64| {
            let loss = self.costs[edge] + length;
            losses[edge] = losses[edge].smaller(loss);
        };
        // Cycles through an edge that is off: into the node that is passed through, out to `from`, and back to the edge's other end.
        let mut enter = |node: usize, out: f64| {
            let off = self.edges_of_passed(node).iter().map(|&edge| edge as usize);
            off.filter(|&edge| !self.is_on[edge])
                .for_each(|edge| close(edge, out + lengths[self.kept(edge)]));
        };
        if from == self.hub() {
            let prices = self.sides[1].prices;
            let with_room = (0..prices.len()).filter(|&node| self.sides[1].has_room(node));
            return with_room.for_each(|node| enter(node, (-prices[node]).larger(0.0)));
        }
        let edges = match self.is_swapped {
            true => self.graph.of_right(from),
            false => self.graph.of_left(from),
        };
        let on = || edges.iter().map(|&edge| edge as usize).filter(|&edge| self.is_on[edge]);
        on().for_each(|edge| enter(self.passed(edge), self.costs[edge]));
        // And through one that is on: out to `from`, and back into the node that it came from.
        for edge in on() {
            let back = self.ways_in(self.passed(edge)).map(|(end, cost)| lengths[end] + cost);
            let length = back.fold(f64::INFINITY, f64::min);
            losses[edge] = losses[edge].smaller(self.costs[edge] + length);
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::super::BMatching;
    use super::*;

    /// What the best links gain.
    fn best(graph: &Bipartite, gains: &[f64], worth: &[f64], limits: LinkLimits) -> f64 {
        let mut matching = BMatching::default();
        matching.solve(graph, worth, limits);
        matching.links().iter().map(|&edge| gains[edge as usize]).sum()
    }

    #[test]
    fn each_edge_costs_what_solving_again_says() {
        let mut random = Pcg64Mcg::seed_from_u64(5);
        let (mut dense, mut sparse) = (0, 0);
        for round in 0..300 {
            let (lefts, rights) = match round % 3 {
                0 => (random.random_range(1..7), random.random_range(1..7)),
                1 => (random.random_range(1..4), random.random_range(4..9)),
                _ => (random.random_range(30..50), random.random_range(30..50)),
            };
            let share = if round % 3 == 2 { 0.04 } else { random.random_range(0.2..1.0) };
            let mut edges = Vec::new();
            for left in 0..lefts {
                edges.extend((0..rights).filter(|_| random.random_bool(share)).map(|right| (left, right)));
            }
            let mut graph = Bipartite::default();
            graph.reset(lefts as usize, rights as usize, edges.iter().copied());
            let is_whole = round % 2 == 0;
            let mut gain = || match is_whole {
                true => f64::from(random.random_range(-2..4)),
                false => random.random_range(-1.0..2.0),
            };
            let gains: Vec<f64> = edges.iter().map(|_| gain()).collect();
            let limits =
                [(1, 1), (2, 1), (1, 3), (2, 2)].map(|(left, right)| LinkLimits { left, right })[round % 4];
            let mut matching = BMatching::default();
            matching.solve(&graph, &gains, limits);
            let on = matching.links();
            let network = Residual::new(&graph, &gains, matching.proof(&on));
            let nodes = network.hub() + 1;
            *(if network.arcs().len() * 8 < nodes * nodes { &mut sparse } else { &mut dense }) += 1;
            let losses = flip_losses(&graph, &gains, matching.proof(&on));
            let total = best(&graph, &gains, &gains, limits);
            let all = 1.0 + gains.iter().map(|gain| gain.abs()).sum::<f64>();
            for (edge, loss) in losses.into_iter().enumerate() {
                let mut worth = gains.clone();
                worth[edge] = if on.contains(&(edge as u32)) { -1.0 } else { 2.0 * all };
                let other = best(&graph, &gains, &worth, limits);
                assert!(
                    (total - other - loss).abs() < 1e-9,
                    "round {round}, edge {edge} of {edges:?} with {gains:?}: {loss} for {}",
                    total - other
                );
            }
        }
        assert!(dense > 100 && sparse > 50, "{dense} dense, {sparse} sparse");
    }
}
