//! The k best placements of the parts of a tree.
//!
//! Given the cell of its parent, the cells of a part are ranked by what they are worth with all that is below the part. A placement is a rank for
//! each part, and all zeros are the best one. The next ones after a placement have one more rank for one part, the last one that has any or one
//! behind it, and zeros behind that: each placement follows one other, which is worth no less (Lawler 1972). What is lost is the difference of
//! two numbers of one list.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

use super::{Crossing, LinkValues, PartTree, PlacementTable};

struct Placement<V> {
    value: V,
    /// In the order of the tree: the root, then the child of each link.
    ranks: Vec<u32>,
    /// The last one that was changed.
    last: usize,
}

impl<V: Crossing> Ord for Placement<V> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.value.compare(other.value).then_with(|| other.ranks.cmp(&self.ranks))
    }
}

impl<V: Crossing> PartialOrd for Placement<V> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<V: Crossing> PartialEq for Placement<V> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<V: Crossing> Eq for Placement<V> {}

/// The lists of cells, best first, that were asked for: by place in the order of the tree, and the cell of the parent.
struct RankedCells<'a, V> {
    table: &'a PlacementTable<V>,
    tree: &'a PartTree,
    links: &'a [LinkValues<V>],
    most: usize,
    lists: HashMap<(usize, u32), Vec<(V, u32)>>,
}

impl<V: Crossing> RankedCells<'_, V> {
    /// The part at a place in the order of the tree.
    fn part(&self, place: usize) -> usize {
        if place == 0 { self.tree.root() } else { self.tree.links()[place - 1].1 }
    }

    fn list(&mut self, place: usize, cell: u32) -> &[(V, u32)] {
        if !self.lists.contains_key(&(place, cell)) {
            let part = self.part(place);
            let worth = |(own, &total): (usize, &V)| match place.checked_sub(1) {
                None => (total, own as u32),
                Some(link) => {
                    let (parent, sizes) = (self.tree.links()[link].0, &self.table.sizes);
                    let with = self.links[link].at((own, sizes[part]), (cell as usize, sizes[parent]));
                    (total + with, own as u32)
                }
            };
            let mut list: Vec<(V, u32)> = self.table.totals_of(part).iter().enumerate().map(worth).collect();
            list.sort_by(|a, b| b.0.compare(a.0).then(a.1.cmp(&b.1)));
            list.truncate(self.most);
            self.lists.insert((place, cell), list);
        }
        &self.lists[&(place, cell)]
    }

    /// The cell of each part, in the order of the tree.
    fn cells(&mut self, ranks: &[u32]) -> Vec<u32> {
        let mut by_part = vec![0; ranks.len()];
        for (place, &rank) in ranks.iter().enumerate() {
            let cell = self.cell_of_parent(place, &by_part);
            let part = self.part(place);
            by_part[part] = self.list(place, cell)[rank as usize].1;
        }
        by_part
    }

    fn cell_of_parent(&self, place: usize, by_part: &[u32]) -> u32 {
        place.checked_sub(1).map_or(0, |link| by_part[self.tree.links()[link].0])
    }
}

impl<V: Crossing> PlacementTable<V> {
    /// The k best placements of a table that is filled, best first; fewer where there are fewer.
    pub(crate) fn k_best(&self, tree: &PartTree, links: &[LinkValues<V>], k: usize) -> Vec<Vec<u32>> {
        let mut ranked = RankedCells { table: self, tree, links, most: k, lists: HashMap::new() };
        let (mut found, mut waiting) = (Vec::new(), BinaryHeap::new());
        if let Some(&(value, _)) = ranked.list(0, 0).first() {
            waiting.push(Placement { value, ranks: vec![0; tree.parts()], last: 0 });
        }
        while found.len() < k
            && let Some(Placement { value, ranks, last }) = waiting.pop()
        {
            let by_part = ranked.cells(&ranks);
            for place in last..ranks.len() {
                let cell = ranked.cell_of_parent(place, &by_part);
                let (list, rank) = (ranked.list(place, cell), ranks[place] as usize);
                if let Some(next) = list.get(rank + 1) {
                    let value = value - (list[rank].0 - next.0);
                    let mut ranks = ranks.clone();
                    ranks[place] += 1;
                    waiting.push(Placement { value, ranks, last: place });
                }
            }
            found.push(by_part);
        }
        found
    }
}
