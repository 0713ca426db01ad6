//! The k best sets of links of a bipartite graph (Murty 1968; the splitting of Lawler 1972).
//!
//! Once the best set of a space is taken, what remains of the space falls into parts without overlap:
//!
//! - sets without one of its links: the first links up to some place are forced and the next one is banned. The best of
//!   each is one augmenting path away ([`BMatching::replace`]), from the prices of the set that was taken;
//! - sets with all its links and more. No link that has room is worth more than nothing, or the set would not be the
//!   best; so the best of these sets has one link more, the most valuable one, and takes no search at all. What has more
//!   links than that has this one or not, and is split again in the same way.
//!
//! Invariant: each set that was not taken is in exactly one open space, and worth no more than the best set of it.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::rc::Rc;

use super::{BMatching, Bipartite, Gain, LinkLimits, Priced};

/// A part of all sets of links, by its best one.
struct Space<G> {
    value: G,
    /// Of equal values the space that was found first is split first, so that answers are reproducible.
    number: usize,
    kind: Kind<G>,
}

enum Kind<G> {
    /// The first `forced` edges of a list are on, the others of it are off; all else is open.
    Exchange { best: Priced<G>, forced: Vec<u32>, banned: Vec<u32> },
    /// All links of `base`, and at least one of those that may be added, from `place` on: the best has that one only.
    Addition { base: Rc<[u32]>, addable: Rc<[u32]>, place: usize },
}

impl<G: Gain> Ord for Space<G> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.value.compare(other.value).then(other.number.cmp(&self.number))
    }
}

impl<G: Gain> PartialOrd for Space<G> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<G: Gain> PartialEq for Space<G> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<G: Gain> Eq for Space<G> {}

/// The `k` best sets of links, best first, each as its edges in ascending order; fewer when there are fewer.
pub fn k_best_matchings<G: Gain>(
    graph: &Bipartite,
    gains: &[G],
    limits: LinkLimits,
    k: usize,
    matching: &mut BMatching<G>,
) -> Vec<Vec<u32>> {
    let mut taken = Vec::new();
    if k == 0 {
        return taken;
    }
    matching.solve(graph, gains, limits);
    let value = |links: &[u32]| links.iter().fold(G::ZERO, |sum, &edge| sum + gains[edge as usize]);
    let mut open = Open { spaces: BinaryHeap::new(), found: 0 };
    let best = matching.priced();
    open.push(value(&best.on), Kind::Exchange { best, forced: Vec::new(), banned: Vec::new() });
    let mut room = Room::new(graph, limits);
    while let Some(Space { kind, .. }) = open.spaces.pop() {
        let is_last = taken.len() + 1 == k;
        match kind {
            Kind::Exchange { best, .. } if is_last => taken.push(best.on),
            Kind::Exchange { best, mut forced, banned } => {
                let choices: Vec<u32> = best.on.iter().copied().filter(|e| !forced.contains(e)).collect();
                for edge in choices {
                    matching.restore(graph, &best);
                    forced.iter().for_each(|&edge| matching.force(edge as usize));
                    banned.iter().for_each(|&edge| matching.ban(edge as usize));
                    matching.replace(graph, gains, edge as usize);
                    let banned = banned.iter().copied().chain([edge]).collect();
                    let best = matching.priced();
                    open.push(value(&best.on), Kind::Exchange { best, forced: forced.clone(), banned });
                    forced.push(edge);
                }
                room.take(&best.on);
                let is_open = |edge: &u32| {
                    best.on.binary_search(edge).is_err() && !banned.contains(edge) && room.has(*edge)
                };
                let mut addable: Vec<u32> = (0..graph.edges() as u32).filter(is_open).collect();
                addable.sort_by(|&a, &b| gains[b as usize].compare(gains[a as usize]));
                open.add(&best.on, addable.into(), 0, value, gains);
                taken.push(best.on);
            }
            Kind::Addition { base, addable, place } => {
                let mut links = base.to_vec();
                links.push(addable[place]);
                links.sort_unstable();
                if !is_last {
                    room.take(&links);
                    let rest = addable[place + 1..].iter().copied().filter(|&edge| room.has(edge)).collect();
                    open.add(&links, rest, 0, value, gains);
                    open.add(&base, addable, place + 1, value, gains);
                }
                taken.push(links);
            }
        }
        if is_last {
            break;
        }
    }
    taken
}

/// The spaces that wait to be split.
struct Open<G> {
    spaces: BinaryHeap<Space<G>>,
    found: usize,
}

impl<G: Gain> Open<G> {
    fn push(&mut self, value: G, kind: Kind<G>) {
        self.found += 1;
        self.spaces.push(Space { value, number: self.found, kind });
    }

    /// The sets that have all of `base` and something from this place on.
    fn add(
        &mut self,
        base: &[u32],
        addable: Rc<[u32]>,
        place: usize,
        value: impl Fn(&[u32]) -> G,
        gains: &[G],
    ) {
        if let Some(&edge) = addable.get(place) {
            let value = value(base) + gains[edge as usize];
            self.push(value, Kind::Addition { base: base.into(), addable, place });
        }
    }
}

/// Which nodes have room for another link.
struct Room<'a> {
    graph: &'a Bipartite,
    limits: LinkLimits,
    lefts: Vec<u32>,
    rights: Vec<u32>,
}

impl<'a> Room<'a> {
    fn new(graph: &'a Bipartite, limits: LinkLimits) -> Self {
        Self { graph, limits, lefts: vec![0; graph.lefts()], rights: vec![0; graph.rights()] }
    }

    /// Beside these links.
    fn take(&mut self, links: &[u32]) {
        self.lefts.fill(self.limits.left);
        self.rights.fill(self.limits.right);
        for &edge in links {
            let (left, right) = self.graph.ends(edge as usize);
            self.lefts[left] -= 1;
            self.rights[right] -= 1;
        }
    }

    fn has(&self, edge: u32) -> bool {
        let (left, right) = self.graph.ends(edge as usize);
        self.lefts[left] > 0 && self.rights[right] > 0
    }
}
