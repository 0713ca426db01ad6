//! The best partial matching of a dense bipartite graph, each node in at most one link: an assignment problem in which
//! nodes may stay alone (SADDLE, word alignment).
//!
//! Shortest augmenting paths with prices on the right nodes (Jonker & Volgenant 1987), rectangular, without dummy nodes.
//! A left node's profit at a right node is gain minus price, and staying alone is a profit of 0. First left nodes bid for
//! their most profitable right node, which raises its price to where they do not care; a bidder that is outbid bids
//! again. Those that remain alone although something is profitable find a shortest path: to a right node that is free,
//! or to a left node that gives up its link.
//!
//! Invariants: prices never fall and are 0 at free right nodes. A linked left node has its largest profit at its right
//! node, at least 0. A left node for which nothing is profitable stays alone for good. At the end all others are linked,
//! and prices and profits are a dual solution, so that the matching is the best one.

use super::Gain;
use super::dense_row::{at_distance, shorten, two_largest_profits};

/// No node.
const NONE: u32 = u32::MAX;

/// So many bids per left node are made before augmenting paths take over, which are hardly dearer: bidding does not end
/// soon where several nodes compete for fewer others that are almost worth the same to them.
const BIDS: usize = 2;

/// The solver and its working memory.
#[derive(Debug, Clone, Default)]
pub struct Assignment<G> {
    lefts: usize,
    rights: usize,
    /// What a link is worth: left × right.
    gains: Vec<G>,
    /// The price of each right node.
    prices: Vec<G>,
    right_of: Vec<u32>,
    left_of: Vec<u32>,
    /// Left nodes that have to look for a link.
    waiting: Vec<u32>,
    outbid: Vec<u32>,
    path: Path<G>,
}

/// The search for one shortest path. Ways are not kept: a node was reached from where its distance came from.
#[derive(Debug, Clone, Default)]
struct Path<G> {
    /// How far the right nodes are, as is known so far; infinity where that is known for good.
    distance: Vec<G>,
    /// The prices of right nodes; infinity where the distance is known for good.
    open_prices: Vec<G>,
    reached: Vec<Reached<G>>,
}

/// A right node whose distance is known for good, and the left node that was looked at just before.
#[derive(Debug, Clone, Copy)]
struct Reached<G> {
    right: u32,
    distance: G,
    left: u32,
    /// What ways through the left node start with: distance plus profit.
    base: G,
}

impl<G: Gain> Assignment<G> {
    /// Makes room for a graph, and returns the gains of all links, left × right, all 0, for the caller to fill in. A link
    /// that is not there gains nothing.
    pub fn begin(&mut self, lefts: usize, rights: usize) -> &mut [G] {
        (self.lefts, self.rights) = (lefts, rights);
        self.gains.clear();
        self.gains.resize(lefts * rights, G::ZERO);
        &mut self.gains
    }

    /// Finds the best matching.
    pub fn solve(&mut self) {
        // With a price of 0 a link without gain is never better than none; so no link need be told from a bad one.
        self.prices.clear();
        self.prices.resize(self.rights, G::ZERO);
        self.right_of.clear();
        self.right_of.resize(self.lefts, NONE);
        self.left_of.clear();
        self.left_of.resize(self.rights, NONE);
        self.waiting.clear();
        self.waiting.extend((0..self.lefts as u32).rev());
        self.bid();
        while let Some(left) = self.waiting.pop() {
            self.augment(left as usize);
        }
    }

    /// The right node to which a left one is linked.
    pub fn partner(&self, left: usize) -> Option<usize> {
        let right = self.right_of[left];
        (right != NONE).then_some(right as usize)
    }

    /// The price of each right node: no left node has a larger profit, gain less price, than at its partner, or than 0 alone.
    pub fn prices(&self) -> &[G] {
        &self.prices
    }

    /// All that wait bid; those that are outbid without a rise of the price wait for a path.
    fn bid(&mut self) {
        let mut bids = BIDS * self.lefts;
        self.outbid.clear();
        while let Some(left) = self.waiting.pop() {
            if bids == 0 {
                self.waiting.push(left);
                break;
            }
            bids -= 1;
            let Some((mut right, best, second)) = self.two_best(left as usize) else { continue };
            let price = self.prices[right];
            let raised = price + (best - second);
            // A rise that is lost in rounding would let two bidders outbid each other for ever.
            let is_raised = price.is_below(raised);
            if is_raised {
                self.prices[right] = raised;
            } else if self.left_of[right] != NONE {
                right = self.free_tie(left as usize, best).unwrap_or(right);
            }
            let before = std::mem::replace(&mut self.left_of[right], left);
            self.right_of[left as usize] = right as u32;
            if before != NONE {
                self.right_of[before as usize] = NONE;
                if is_raised { self.waiting.push(before) } else { self.outbid.push(before) }
            }
        }
        self.waiting.append(&mut self.outbid);
    }

    /// The most profitable right node with its profit, and the second largest profit, which is 0 where that is to stay
    /// alone. None where nothing is profitable.
    #[inline]
    fn two_best(&self, left: usize) -> Option<(usize, G, G)> {
        let row = self.row(left);
        let (right, best, second) = two_largest_profits(row, &self.prices);
        (best != G::ZERO).then_some((right, best, second))
    }

    /// A free right node that is as profitable as the best.
    fn free_tie(&self, left: usize, best: G) -> Option<usize> {
        let nodes = self.row(left).iter().zip(&self.prices).zip(&self.left_of);
        nodes.into_iter().position(|((&gain, &price), &of)| of == NONE && gain - price == best)
    }

    /// Links a left node along a shortest path of slacks (profit + price − gain), if that is worth anything.
    fn augment(&mut self, start: usize) {
        let rights = self.rights;
        let Path { distance, open_prices, reached } = &mut self.path;
        let row = |left: usize| &self.gains[left * rights..(left + 1) * rights];
        let (_, profit, _) = two_largest_profits(row(start), &self.prices);
        if profit == G::ZERO {
            return;
        }
        distance.clear();
        distance.resize(rights, G::INFINITY);
        open_prices.clear();
        open_prices.extend_from_slice(&self.prices);
        reached.clear();
        // The nearest left node that can give up its link (the first one: stay alone), and how far that is.
        let (mut alone, mut length) = (start, profit);
        let (mut left, mut base) = (start, profit);
        let end = loop {
            let least = shorten(distance, row(left), open_prices, base);
            if !least.is_below(length) {
                break None;
            }
            let Some(right) = at_distance(distance, least, |right| self.left_of[right] == NONE) else {
                break None;
            };
            reached.push(Reached { right: right as u32, distance: least, left: left as u32, base });
            if self.left_of[right] == NONE {
                length = least;
                break Some(right);
            }
            left = self.left_of[right] as usize;
            base = least + (row(left)[right] - self.prices[right]);
            if base.is_below(length) {
                (alone, length) = (left, base);
            }
            // No way leads to it any more.
            (distance[right], open_prices[right]) = (G::INFINITY, G::INFINITY);
        };
        let mut right = match end {
            Some(right) => right as u32,
            // The node that gives up its link hands it on; the first one has none.
            None => std::mem::replace(&mut self.right_of[alone], NONE),
        };
        while right != NONE {
            let (price, gains) = (self.prices[right as usize], &self.gains[right as usize..]);
            let here = reached.iter().find(|node| node.right == right).map(|node| node.distance);
            // The same sum of the same numbers has the same rounding. Nodes reached later cannot come first.
            let is_before =
                |node: &&Reached<G>| Some(node.base + price - gains[node.left as usize * rights]) == here;
            let Some(&Reached { left, .. }) = reached.iter().find(is_before) else { break };
            self.left_of[right as usize] = left;
            right = std::mem::replace(&mut self.right_of[left as usize], right);
            if left as usize == start {
                break;
            }
        }
        for node in reached.iter() {
            let right = node.right as usize;
            self.prices[right] = self.prices[right] + (length - node.distance);
        }
    }

    fn row(&self, left: usize) -> &[G] {
        &self.gains[left * self.rights..(left + 1) * self.rights]
    }

    /// What all links together gain.
    #[cfg(test)]
    pub fn total(&self) -> G {
        let linked =
            (0..self.lefts).filter_map(|left| Some(self.gains[left * self.rights + self.partner(left)?]));
        linked.fold(G::ZERO, |sum, gain| sum + gain)
    }
}
