//! Parts that are put into the cells of grids, joined in a tree: what a placement is worth is a sum over parts and over links between two.
//!
//! Dynamic programming from the leaves to the root (Felzenszwalb and Huttenlocher 2005). A link whose worth is quadratic in the offset of its parts
//! is a distance transform, O(cells) (`distance_transform.rs`); any other one is a table of all pairs of cells.
//!
//! Invariant: `totals` of a part has, for each of its cells, the best worth of all that is below the part, itself included.

mod distance_transform;
mod k_best;

pub(crate) use distance_transform::{Bend, Crossing, Size, TransformMemory, transform};

/// Which part hangs on which. Links are in an order in which the parent of each is known before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PartTree {
    parts: usize,
    /// Parent and child.
    links: Vec<(usize, usize)>,
}

impl PartTree {
    /// A tree of so many parts, of which there is at least one, with its links; none where they are no tree in this order.
    pub(crate) fn new(parts: usize, links: Vec<(usize, usize)>) -> Option<Self> {
        let root = links.first().map_or(0, |link| link.0);
        let mut is_known: Vec<bool> = (0..parts).map(|part| part == root).collect();
        let join = |&(parent, child): &(usize, usize)| {
            let is_new = parent < parts && child < parts && is_known[parent] && !is_known[child];
            if is_new {
                is_known[child] = true;
            }
            is_new
        };
        (parts > 0 && links.len() == parts - 1 && links.iter().all(join)).then_some(Self { parts, links })
    }

    /// The part on which all others hang.
    pub(crate) fn root(&self) -> usize {
        self.links.first().map_or(0, |link| link.0)
    }

    /// The links, parents first.
    pub(crate) fn links(&self) -> &[(usize, usize)] {
        &self.links
    }

    /// The number of parts.
    pub(crate) fn parts(&self) -> usize {
        self.parts
    }
}

/// What the offset between the two parts of a link is worth.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum LinkValues<V> {
    /// A quadratic function on each axis.
    Bent(Bend<V>, Bend<V>),
    /// Any number for each offset: row by row, the child's place less the parent's.
    Table(Vec<V>),
}

impl<V: Crossing> LinkValues<V> {
    /// What it is worth that the child is in one cell and the parent in another.
    #[inline]
    pub(crate) fn at(&self, (child, of_child): (usize, Size), (parent, of_parent): (usize, Size)) -> V {
        let ((x, y), (parent_x, parent_y)) =
            ((child % of_child.0, child / of_child.0), (parent % of_parent.0, parent / of_parent.0));
        match self {
            Self::Bent(across, down) => {
                across.at(of_parent.0, x, parent_x) + down.at(of_parent.1, y, parent_y)
            }
            Self::Table(values) => {
                values[(y + of_parent.1 - 1 - parent_y) * (of_child.0 + of_parent.0 - 1) + x + of_parent.0
                    - 1
                    - parent_x]
            }
        }
    }

    /// The same, seen from the parent.
    fn reversed(&self) -> Self {
        match self {
            Self::Bent(across, down) => Self::Bent(across.reversed(), down.reversed()),
            Self::Table(values) => Self::Table(values.iter().rev().copied().collect()),
        }
    }

    /// For each cell of the target the best cell of the source, and what it is worth.
    fn transform(
        &self,
        source: (&[V], Size),
        target: Size,
        memory: &mut TransformMemory<V>,
        best: &mut [V],
        from: &mut [u32],
    ) {
        match self {
            Self::Bent(across, down) => transform((across, down), source, target, memory, best, from),
            Self::Table(_) => {
                for (place, (best, from)) in best.iter_mut().zip(from).enumerate() {
                    for (cell, &value) in source.0.iter().enumerate() {
                        let value = value + self.at((cell, source.1), (place, target));
                        if cell == 0 || !value.is_below(*best) {
                            (*best, *from) = (value, cell as u32);
                        }
                    }
                }
            }
        }
    }
}

/// The best placements of the parts of a tree, with the working memory to find them.
#[derive(Debug, Clone, Default)]
pub(crate) struct PlacementTable<V> {
    /// Where the cells of each part begin, and the end.
    starts: Vec<usize>,
    sizes: Vec<Size>,
    totals: Vec<V>,
    /// For each link what its child is worth to each cell of its parent, and the child's cell.
    messages: Vec<Vec<V>>,
    origins: Vec<Vec<u32>>,
    memory: TransformMemory<V>,
}

impl<V: Crossing> PlacementTable<V> {
    /// Finds what all cells are worth, given what they are worth by themselves: part after part, row by row.
    pub(crate) fn fill(
        &mut self,
        tree: &PartTree,
        sizes: impl IntoIterator<Item = Size>,
        values: impl IntoIterator<Item = V>,
        links: &[LinkValues<V>],
    ) {
        let Self { starts, sizes: all_sizes, totals, messages, origins, memory } = self;
        all_sizes.clear();
        all_sizes.extend(sizes);
        starts.clear();
        starts.push(0);
        starts.extend(all_sizes.iter().scan(0, |end, size| {
            *end += size.0 * size.1;
            Some(*end)
        }));
        totals.clear();
        totals.extend(values);
        messages.resize_with(tree.links().len(), Vec::new);
        origins.resize_with(tree.links().len(), Vec::new);
        for (number, &(parent, child)) in tree.links().iter().enumerate().rev() {
            let cells = starts[parent]..starts[parent + 1];
            messages[number].resize(cells.len(), V::ZERO);
            origins[number].resize(cells.len(), 0);
            let source = (&totals[starts[child]..starts[child + 1]], all_sizes[child]);
            let (best, from) = (&mut messages[number], &mut origins[number]);
            links[number].transform(source, all_sizes[parent], memory, best, from);
            totals[cells].iter_mut().zip(best).for_each(|(total, message)| *total = *total + *message);
        }
    }

    fn totals_of(&self, part: usize) -> &[V] {
        &self.totals[self.starts[part]..self.starts[part + 1]]
    }

    /// The best placement: the cell of each part.
    pub(crate) fn best(&self, tree: &PartTree) -> Vec<u32> {
        let mut cells = vec![0; tree.parts()];
        cells[tree.root()] = last_largest(self.totals_of(tree.root()));
        for (&(parent, child), from) in tree.links().iter().zip(&self.origins) {
            cells[child] = from[cells[parent] as usize];
        }
        cells
    }

    /// For each cell of each part, part after part, the best placement that has it.
    pub(crate) fn max_marginals(&mut self, tree: &PartTree, links: &[LinkValues<V>]) -> Vec<V> {
        let mut marginals = self.totals.clone();
        let (mut without, mut from) = (Vec::new(), Vec::new());
        for (number, &(parent, child)) in tree.links().iter().enumerate() {
            // All that is not below this link, by the parent's cell.
            let of_parent = &marginals[self.starts[parent]..self.starts[parent + 1]];
            without.clear();
            without.extend(of_parent.iter().zip(&self.messages[number]).map(|(all, below)| *all - *below));
            let cells = self.starts[child]..self.starts[child + 1];
            let mut above = vec![V::ZERO; cells.len()];
            from.resize(cells.len(), 0);
            let source = (&without[..], self.sizes[parent]);
            links[number].reversed().transform(
                source,
                self.sizes[child],
                &mut self.memory,
                &mut above,
                &mut from,
            );
            marginals[cells].iter_mut().zip(above).for_each(|(total, above)| *total = *total + above);
        }
        marginals
    }
}

/// The place of the largest number, the last one of several.
fn last_largest<V: Crossing>(values: &[V]) -> u32 {
    let better = |best: (u32, V), next: (u32, V)| if next.1.is_below(best.1) { best } else { next };
    (0..).zip(values.iter().copied()).reduce(better).map_or(0, |best| best.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_a_tree_with_parents_first() {
        let tree = |parts, links: &[(usize, usize)]| PartTree::new(parts, links.to_vec());
        assert!(tree(3, &[(1, 0), (1, 2)]).is_some_and(|tree| tree.root() == 1));
        assert!(tree(3, &[(1, 0), (0, 2)]).is_some() && tree(1, &[]).is_some());
        for (parts, links) in [
            (0, &[][..]),
            (2, &[]),
            (2, &[(0, 0)]),
            (2, &[(0, 2)]),
            (3, &[(0, 1), (0, 1)]),
            (4, &[(0, 1), (2, 3), (0, 2)]),
        ] {
            assert!(tree(parts, links).is_none(), "{links:?}");
        }
    }
}
