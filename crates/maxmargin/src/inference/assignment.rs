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

/// No node.
const NONE: u32 = u32::MAX;

/// So many bids per left node are made before augmenting paths take over: bidding does not end soon where several nodes
/// compete for fewer others that are almost worth the same to them.
const BIDS: usize = 4;

/// The solver and its working memory.
///
/// ```
/// use maxmargin::inference::Assignment;
/// let mut assignment = Assignment::default();
/// let gains = assignment.begin(2, 3);
/// gains.copy_from_slice(&[3.0, 4.0, -1.0, /* second left node: */ 0.0, 3.5, -2.0]);
/// assignment.solve();
/// assert_eq!((assignment.partner(0), assignment.partner(1)), (Some(0), Some(1)));
/// ```
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

/// The search for one shortest path: right nodes with their distance and the left node before them.
#[derive(Debug, Clone, Default)]
struct Path<G> {
    distance: Vec<G>,
    before: Vec<u32>,
    /// Right nodes: those reached for good first, then the others.
    order: Vec<u32>,
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
        for _ in 0..2 {
            self.bid();
        }
        while let Some(left) = self.waiting.pop() {
            self.augment(left as usize);
        }
    }

    /// The right node to which a left one is linked.
    pub fn partner(&self, left: usize) -> Option<usize> {
        let right = self.right_of[left];
        (right != NONE).then_some(right as usize)
    }

    fn gain(&self, left: usize, right: usize) -> G {
        self.gains[left * self.rights + right]
    }

    /// All that wait bid; those that are outbid without a rise of the price wait for the next round.
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
            let raised = price + (best - second.1);
            // A rise that is lost in rounding would let two bidders outbid each other for ever.
            let is_raised = price.is_below(raised);
            if is_raised {
                self.prices[right] = raised;
            } else if self.left_of[right] != NONE && second.0 != NONE {
                right = second.0 as usize;
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

    /// The most profitable right node with its profit, and the second with its own: none with 0 where staying alone is the
    /// second best. None where nothing is profitable.
    fn two_best(&self, left: usize) -> Option<(usize, G, (u32, G))> {
        let (mut best, mut second) = ((NONE, G::ZERO), (NONE, G::ZERO));
        let gains = &self.gains[left * self.rights..(left + 1) * self.rights];
        for (right, (&gain, &price)) in gains.iter().zip(&self.prices).enumerate() {
            let profit = gain - price;
            if second.1.is_below(profit) {
                if best.1.is_below(profit) {
                    second = best;
                    best = (right as u32, profit);
                } else {
                    second = (right as u32, profit);
                }
            }
        }
        (best.0 != NONE).then_some((best.0 as usize, best.1, second))
    }

    /// Links a left node along a shortest path of slacks (profit + price − gain), if that is worth anything.
    fn augment(&mut self, start: usize) {
        let rights = self.rights;
        let Path { distance, before, order } = &mut self.path;
        let gains = &self.gains[start * rights..(start + 1) * rights];
        let mut profit = G::ZERO;
        for (&gain, &price) in gains.iter().zip(&self.prices) {
            profit = profit.larger(gain - price);
        }
        if profit == G::ZERO {
            return;
        }
        distance.clear();
        distance.extend(gains.iter().zip(&self.prices).map(|(&gain, &price)| profit + price - gain));
        before.clear();
        before.resize(rights, start as u32);
        order.clear();
        order.extend(0..rights as u32);
        // The nearest left node that can give up its link (the first one: stay alone), and how far that is.
        let (mut alone, mut length) = (start, profit);
        let mut reached = 0;
        let mut next = nearest(distance, order, reached);
        let end = loop {
            let Some(place) = next.filter(|&place| distance[order[place] as usize].is_below(length)) else {
                break None;
            };
            let right = order[place] as usize;
            let here = distance[right];
            let left = self.left_of[right];
            if left == NONE {
                length = here;
                break Some(right);
            }
            order.swap(reached, place);
            reached += 1;
            let left = left as usize;
            let gains = &self.gains[left * rights..(left + 1) * rights];
            let base = here + (gains[right] - self.prices[right]);
            if base.is_below(length) {
                (alone, length) = (left, base);
            }
            next = None;
            let mut least = length;
            for (place, &right) in order.iter().enumerate().skip(reached) {
                let right = right as usize;
                let through = base + self.prices[right] - gains[right];
                if through.is_below(distance[right]) {
                    distance[right] = through;
                    before[right] = left as u32;
                }
                if distance[right].is_below(least) {
                    least = distance[right];
                    next = Some(place);
                }
            }
        };
        for &right in &order[..reached] {
            let right = right as usize;
            self.prices[right] = self.prices[right] + (length - distance[right]);
        }
        let mut right = match end {
            Some(right) => right as u32,
            // The node that gives up its link hands it on; the first one has none.
            None => std::mem::replace(&mut self.right_of[alone], NONE),
        };
        while right != NONE {
            let left = self.path.before[right as usize];
            self.left_of[right as usize] = left;
            right = std::mem::replace(&mut self.right_of[left as usize], right);
            if left as usize == start {
                break;
            }
        }
    }

    /// What all links together gain.
    pub fn total(&self) -> G {
        let linked = (0..self.lefts).filter_map(|left| Some(self.gain(left, self.partner(left)?)));
        linked.fold(G::ZERO, |sum, gain| sum + gain)
    }
}

/// The place in `order`, from `first`, of the nearest node.
fn nearest<G: Gain>(distance: &[G], order: &[u32], first: usize) -> Option<usize> {
    let at = |place: usize| distance[order[place] as usize];
    (first..order.len()).reduce(|best, place| if at(place).is_below(at(best)) { place } else { best })
}
