//! Labels of matchings: which edges are links.

use crate::structure::{Coded, ascend};

/// A set of links, by the numbers of their edges within the example, ascending.
///
/// ```
/// use maxmargin_core::structure::Links;
/// let truth = Links::of_labels(&[0, 1, 2, 1]);
/// assert_eq!((truth.on, truth.free), (vec![1, 3], vec![2]));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Links {
    /// The edges that are links. Those of a truth are sure.
    pub on: Vec<u32>,
    /// Possible links of a truth, which cost nothing whether or not they are predicted. Empty in predictions.
    pub free: Vec<u32>,
}

impl Links {
    /// A prediction with these links, in whatever order they come.
    pub fn of(mut on: Vec<u32>) -> Self {
        ascend(&mut on);
        Self { on, free: Vec::new() }
    }

    /// The links that labels of edges say: 0 is none, 1 is sure, 2 is possible.
    pub fn of_labels(labels: &[u32]) -> Self {
        let with = |wanted: u32| {
            let edges = (0..).zip(labels).filter(|(_, label)| **label == wanted);
            edges.map(|(edge, _)| edge).collect()
        };
        Self { on: with(1), free: with(2) }
    }

    /// Calls `visit` with each edge that is a link in one of the two only, and whether it is this one.
    pub(super) fn for_each_change(&self, other: &Links, mut visit: impl FnMut(usize, bool)) {
        let (mut here, mut there) = (self.on.iter().peekable(), other.on.iter().peekable());
        loop {
            match (here.peek(), there.peek()) {
                (Some(a), Some(b)) if a == b => {
                    here.next();
                    there.next();
                }
                (Some(&&a), b) if b.is_none_or(|&&b| a < b) => {
                    visit(a as usize, true);
                    here.next();
                }
                (_, Some(&&b)) => {
                    visit(b as usize, false);
                    there.next();
                }
                (_, None) => return,
            }
        }
    }

    /// How many sure links of a truth are missing here, and how many links here are neither sure nor possible.
    pub fn mistakes(&self, truth: &Links) -> (usize, usize) {
        let (mut missed, mut wrong) = (0, 0);
        self.for_each_change(truth, |edge, is_here| match is_here {
            true => wrong += usize::from(truth.free.binary_search(&(edge as u32)).is_err()),
            false => missed += 1,
        });
        (missed, wrong)
    }
}

impl Coded for Links {
    fn encode(&self, code: &mut Vec<u32>) {
        code.push(self.on.len() as u32);
        code.extend_from_slice(&self.on);
        code.extend_from_slice(&self.free);
    }

    fn decode(&mut self, code: &[u32]) -> bool {
        let Some((&on, links)) = code.split_first() else { return false };
        let Some((on, free)) = links.split_at_checked(on as usize) else { return false };
        self.on.clear();
        self.on.extend_from_slice(on);
        self.free.clear();
        self.free.extend_from_slice(free);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_and_mistakes_are_those_of_sets() {
        let sets: Vec<Vec<u32>> =
            (0..32u32).map(|mask| (0..5).filter(|edge| mask >> edge & 1 == 1).collect()).collect();
        for (a, b) in sets.iter().flat_map(|a| sets.iter().map(move |b| (a, b))) {
            let free: Vec<u32> = [2, 4].into_iter().filter(|edge| !b.contains(edge)).collect();
            let (y, truth) = (Links::of(a.clone()), Links { on: b.clone(), free });
            let mut changes = Vec::new();
            y.for_each_change(&truth, |edge, is_here| changes.push((edge as u32, is_here)));
            let expected: Vec<(u32, bool)> = (0..5)
                .filter(|edge| a.contains(edge) != b.contains(edge))
                .map(|edge| (edge, a.contains(&edge)))
                .collect();
            assert_eq!(changes, expected, "{a:?}, {b:?}");
            let missed = b.iter().filter(|edge| !a.contains(edge)).count();
            let wrong = a.iter().filter(|e| !b.contains(e) && !truth.free.contains(e)).count();
            assert_eq!(y.mistakes(&truth), (missed, wrong), "{y:?}, {truth:?}");
        }
    }

    #[test]
    fn codes_come_back() {
        let links = Links { on: vec![1, 4], free: vec![0, 2, 7] };
        let (mut code, mut back) = (Vec::new(), Links::of(vec![3]));
        links.encode(&mut code);
        assert!(back.decode(&code));
        assert!(!back.decode(&[]) && !back.decode(&[3, 1]));
        assert!(back.decode(&code));
        assert_eq!(back, links);
    }
}
