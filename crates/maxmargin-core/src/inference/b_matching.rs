//! The best set of links in a bipartite graph where a node may have several links, up to a limit, and the best one after
//! an edge is banned: a circulation of least cost, by shortest augmenting paths.
//!
//! The network has a node *hub* besides the left and the right nodes. Hub → left carries as many units as the left node
//! has links, right → hub likewise, and an edge carries 1 where it is a link. Duals are a price u of each left and v of
//! each right node. With the gain w of an edge, these are the reduced costs of the residual network, all at least 0:
//!
//! | from | to | where | costs |
//! | --- | --- | --- | --- |
//! | left | right | the edge is off and not banned | u + v − w |
//! | right | left | the edge is on and not forced | w − u − v |
//! | left | hub | the left node has a link | u |
//! | hub | left | it has room | −u |
//! | right | hub | the right node has room | −v |
//! | hub | right | it has a link | v |
//!
//! So a node that has links and room has a price of 0, and one without any link may have a price below 0.
//!
//! To ban a link takes it out of the network: its left node has a unit too many and its right node one too few, and one
//! shortest path between them is the new optimum (Murty 1968, in the form of Miller, Stone & Cox 1997). To force an edge
//! that is on only removes an arc, so that prices stay what they are. Nothing else is needed for the k best matchings.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::{Bipartite, Gain, PricedLinks};

/// What may happen to an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Rule {
    #[default]
    Open,
    Forced,
    Banned,
}

/// The most links of a left and of a right node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkLimits {
    /// Of a left node.
    pub left: u32,
    /// Of a right node.
    pub right: u32,
}

/// The links of a graph and the prices that prove that no others are worth more.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Priced<G> {
    /// The edges that are on, ascending.
    pub on: Vec<u32>,
    left_prices: Vec<G>,
    right_prices: Vec<G>,
}

/// The solver and its working memory.
#[derive(Debug, Clone)]
pub struct BMatching<G> {
    limits: LinkLimits,
    left_prices: Vec<G>,
    right_prices: Vec<G>,
    is_on: Vec<bool>,
    rules: Vec<Rule>,
    left_links: Vec<u32>,
    right_links: Vec<u32>,
    distance: Vec<G>,
    /// How a node was reached.
    step: Vec<Step>,
    queue: BinaryHeap<Entry<G>>,
}

/// How a node was reached, and whether that is for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Step {
    state: Reached,
    /// The node before.
    before: u32,
    /// The edge to it; none where one of the two is the hub.
    edge: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Reached {
    #[default]
    Never,
    Perhaps,
    ForGood,
}

const NO_EDGE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Entry<G> {
    distance: G,
    node: u32,
}

impl<G: Gain> Ord for Entry<G> {
    fn cmp(&self, other: &Self) -> Ordering {
        // The queue has the largest on top; of equal ones the smallest node, so that answers are reproducible.
        other.distance.compare(self.distance).then(other.node.cmp(&self.node))
    }
}

impl<G: Gain> PartialOrd for Entry<G> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<G: Gain> PartialEq for Entry<G> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<G: Gain> Eq for Entry<G> {}

impl<G> Default for BMatching<G> {
    fn default() -> Self {
        Self {
            limits: LinkLimits { left: 1, right: 1 },
            left_prices: Vec::new(),
            right_prices: Vec::new(),
            is_on: Vec::new(),
            rules: Vec::new(),
            left_links: Vec::new(),
            right_links: Vec::new(),
            distance: Vec::new(),
            step: Vec::new(),
            queue: BinaryHeap::new(),
        }
    }
}

impl<G: Gain> BMatching<G> {
    /// Finds the best set of links.
    pub fn solve(&mut self, graph: &Bipartite, gains: &[G], limits: LinkLimits) {
        self.begin(graph, limits);
        for left in 0..graph.lefts() {
            let best = graph.of_left(left).iter().map(|&edge| {
                let (_, right) = graph.ends(edge as usize);
                gains[edge as usize] - self.right_prices[right]
            });
            // Prices of the right nodes only rise: what pays for nobody now never will.
            self.left_prices[left] = best.fold(G::ZERO, G::larger);
            while self.left_links[left] < limits.left && G::ZERO.is_below(self.left_prices[left]) {
                self.link_one_more(graph, gains, left);
            }
        }
    }

    /// The edges that are on, ascending.
    pub fn links(&self) -> Vec<u32> {
        (0..).zip(&self.is_on).filter(|(_, on)| **on).map(|(edge, _)| edge).collect()
    }

    /// The links with their prices, to go back to.
    pub fn priced(&self) -> Priced<G> {
        Priced {
            on: self.links(),
            left_prices: self.left_prices.clone(),
            right_prices: self.right_prices.clone(),
        }
    }

    /// Goes back to an optimum that was found before, without any rules.
    pub fn restore(&mut self, graph: &Bipartite, priced: &Priced<G>) {
        self.begin(graph, self.limits);
        self.left_prices.copy_from_slice(&priced.left_prices);
        self.right_prices.copy_from_slice(&priced.right_prices);
        for &edge in &priced.on {
            self.is_on[edge as usize] = true;
            let (left, right) = graph.ends(edge as usize);
            self.left_links[left] += 1;
            self.right_links[right] += 1;
        }
    }

    /// Keeps an edge on that is.
    pub fn force(&mut self, edge: usize) {
        debug_assert!(self.is_on[edge]);
        self.rules[edge] = Rule::Forced;
    }

    /// Keeps an edge off that is.
    pub fn ban(&mut self, edge: usize) {
        debug_assert!(!self.is_on[edge]);
        self.rules[edge] = Rule::Banned;
    }

    /// Bans an edge that is on, and finds the best set of links without it.
    pub fn replace(&mut self, graph: &Bipartite, gains: &[G], edge: usize) {
        debug_assert!(self.is_on[edge]);
        self.rules[edge] = Rule::Banned;
        self.is_on[edge] = false;
        let (left, right) = graph.ends(edge);
        let end = graph.lefts() + right;
        let length = self.shortest_path(graph, gains, left, end);
        self.shift_prices(graph, length);
        self.walk_back(graph, left, end);
    }

    fn begin(&mut self, graph: &Bipartite, limits: LinkLimits) {
        let (lefts, rights, edges) = (graph.lefts(), graph.rights(), graph.edges());
        self.limits = limits;
        fill(&mut self.left_prices, lefts, G::ZERO);
        fill(&mut self.right_prices, rights, G::ZERO);
        fill(&mut self.is_on, edges, false);
        fill(&mut self.rules, edges, Rule::Open);
        fill(&mut self.left_links, lefts, 0);
        fill(&mut self.right_links, rights, 0);
    }

    /// Gives a left node one more link, or lowers its price to 0 where that does not pay.
    fn link_one_more(&mut self, graph: &Bipartite, gains: &[G], left: usize) {
        let hub = graph.lefts() + graph.rights();
        let alone = self.left_prices[left];
        let length = self.shortest_path(graph, gains, left, hub);
        if !length.is_below(alone) {
            self.shift_prices(graph, alone);
            self.left_prices[left] = G::ZERO;
            return;
        }
        self.shift_prices(graph, length);
        self.left_links[left] += 1;
        self.walk_back(graph, left, hub);
    }

    /// The length of the shortest path. Distances beyond it are not all known.
    fn shortest_path(&mut self, graph: &Bipartite, gains: &[G], start: usize, end: usize) -> G {
        let (lefts, rights) = (graph.lefts(), graph.rights());
        let hub = lefts + rights;
        fill(&mut self.distance, hub + 1, G::ZERO);
        fill(&mut self.step, hub + 1, Step::default());
        self.queue.clear();
        self.queue.push(Entry { distance: G::ZERO, node: start as u32 });
        self.step[start].state = Reached::Perhaps;
        while let Some(Entry { distance, node }) = self.queue.pop() {
            let node = node as usize;
            if self.step[node].state == Reached::ForGood {
                continue;
            }
            self.step[node].state = Reached::ForGood;
            if node == end {
                return distance;
            }
            match node {
                _ if node == hub => {
                    for left in 0..lefts {
                        if self.left_links[left] < self.limits.left {
                            let through = distance - self.left_prices[left];
                            self.reach(left, through, node, NO_EDGE);
                        }
                    }
                    for right in 0..rights {
                        if self.right_links[right] > 0 {
                            let through = distance + self.right_prices[right];
                            self.reach(lefts + right, through, node, NO_EDGE);
                        }
                    }
                }
                left if left < lefts => {
                    let price = self.left_prices[left];
                    if self.left_links[left] > 0 {
                        self.reach(hub, distance + price, node, NO_EDGE);
                    }
                    for &edge in graph.of_left(left) {
                        let e = edge as usize;
                        if self.is_on[e] || self.rules[e] == Rule::Banned {
                            continue;
                        }
                        let right = graph.ends(e).1;
                        let slack = price + self.right_prices[right] - gains[e];
                        self.reach(lefts + right, distance + slack, node, edge);
                    }
                }
                _ => {
                    let right = node - lefts;
                    if self.right_links[right] < self.limits.right {
                        self.reach(hub, distance - self.right_prices[right], node, NO_EDGE);
                    }
                    for &edge in graph.of_right(right) {
                        let e = edge as usize;
                        if !self.is_on[e] || self.rules[e] == Rule::Forced {
                            continue;
                        }
                        let left = graph.ends(e).0;
                        let slack = gains[e] - self.left_prices[left] - self.right_prices[right];
                        self.reach(left, distance + slack, node, edge);
                    }
                }
            }
        }
        // Only a left node without a link may be cut off from the hub, and then staying alone is all that it can do.
        self.left_prices[start]
    }

    #[inline]
    fn reach(&mut self, node: usize, distance: G, before: usize, edge: u32) {
        let step = &mut self.step[node];
        let is_shorter = match step.state {
            Reached::Never => true,
            Reached::Perhaps => distance.is_below(self.distance[node]),
            Reached::ForGood => false,
        };
        if is_shorter {
            *step = Step { state: Reached::Perhaps, before: before as u32, edge };
            self.distance[node] = distance;
            self.queue.push(Entry { distance, node: node as u32 });
        }
    }

    /// Moves prices so that all arcs of a path of this length cost nothing, and none less than that.
    fn shift_prices(&mut self, graph: &Bipartite, length: G) {
        let lefts = graph.lefts();
        let hub = lefts + graph.rights();
        let Self { step, distance, .. } = self;
        let shift = |node: usize| match step[node].state {
            Reached::ForGood => (length - distance[node]).larger(G::ZERO),
            _ => G::ZERO,
        };
        let of_hub = shift(hub);
        for (node, price) in self.left_prices.iter_mut().enumerate() {
            *price = *price - shift(node) + of_hub;
        }
        for (right, price) in self.right_prices.iter_mut().enumerate() {
            *price = *price + shift(lefts + right) - of_hub;
        }
    }

    /// Sends a unit along the path that was found.
    fn walk_back(&mut self, graph: &Bipartite, start: usize, end: usize) {
        let lefts = graph.lefts();
        let hub = lefts + graph.rights();
        let mut node = end;
        while node != start {
            let Step { before, edge, .. } = self.step[node];
            let before = before as usize;
            if edge != NO_EDGE {
                self.is_on[edge as usize] = node >= lefts;
            } else if node == hub {
                match before < lefts {
                    true => self.left_links[before] -= 1,
                    false => self.right_links[before - lefts] += 1,
                }
            } else {
                match node < lefts {
                    true => self.left_links[node] += 1,
                    false => self.right_links[node - lefts] -= 1,
                }
            }
            node = before;
        }
    }
}

impl BMatching<f64> {
    /// These links, which must be those that were found, with the prices that prove that they are the best.
    pub fn proof<'a>(&'a self, on: &'a [u32]) -> PricedLinks<'a> {
        let Self { limits, left_prices, right_prices, .. } = self;
        PricedLinks { limits: *limits, on, left_prices, right_prices }
    }
}

fn fill<T: Copy>(values: &mut Vec<T>, length: usize, value: T) {
    values.clear();
    values.resize(length, value);
}
