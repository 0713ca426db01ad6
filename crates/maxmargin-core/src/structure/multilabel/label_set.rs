//! Sets of labels, whole or fractional.
//!
//! A fractional set is a point of the local polytope: μ_i says how far label i is in, and μ_ij how far i and j are in
//! together. Where i or j is wholly in or out, μ_ij = μ_i·μ_j; so only edges between two fractional labels have a number of
//! their own. The relaxation's vertices have halves only; what lies between two of them has any numbers.

use std::fmt;

use crate::inference::LabelGraph;
use crate::structure::{Coded, ascend};

/// How far something is in a set: above 0 and at most 1. Compared bit by bit, so that sets can be told apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Share(u64);

impl Share {
    /// One half.
    pub const HALF: Share = Share(0.5_f64.to_bits());

    /// So much.
    pub fn new(value: f64) -> Self {
        Self(value.to_bits())
    }

    /// Whether it is above 0 and at most 1.
    pub(in crate::structure) fn is_proper(self) -> bool {
        self.get() > 0.0 && self.get() <= 1.0
    }

    /// As a number.
    pub fn get(self) -> f64 {
        f64::from_bits(self.0)
    }
}

impl fmt::Debug for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

/// A set of labels.
///
/// ```
/// use maxmargin_core::structure::LabelSet;
/// let set = LabelSet::of(&[4, 7]);
/// assert!(set.is_whole() && set.share(7) == 1.0 && set.share(5) == 0.0);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct LabelSet {
    /// What is wholly in, in ascending order.
    on: Vec<u32>,
    /// What is partly in, in ascending order.
    parts: Vec<(u32, Share)>,
    /// The edges of the graph between two fractional labels that are in together to some part, in ascending order.
    pairs: Vec<(u32, Share)>,
}

impl LabelSet {
    /// The set of these labels, in whatever order they come.
    pub fn of(labels: &[u32]) -> Self {
        let mut on = labels.to_vec();
        ascend(&mut on);
        Self { on, ..Self::default() }
    }

    /// A vertex of the relaxation: 0, 1 or 2 halves of each label; two halves are in together where their coupling is
    /// positive.
    pub(super) fn of_halves(halves: &[u8], graph: &LabelGraph, coupling: &[f64]) -> Self {
        let with = |count: u8| {
            (0..).zip(halves).filter(move |(_, halves)| **halves == count).map(|(label, _)| label)
        };
        let parts: Vec<(u32, Share)> = with(1).map(|label: u32| (label, Share::HALF)).collect();
        let mut pairs = Vec::new();
        for &(i, _) in &parts {
            let later =
                graph.neighbours(i as usize).iter().filter(|(j, _)| *j > i && halves[*j as usize] == 1);
            pairs.extend(later.filter(|(_, e)| coupling[*e as usize] > 0.0).map(|&(_, e)| (e, Share::HALF)));
        }
        pairs.sort_unstable_by_key(|pair| pair.0);
        Self { on: with(2).collect(), parts, pairs }
    }

    /// The point so far on the way from one set to another.
    pub(super) fn between(&self, other: &Self, share: f64, graph: &LabelGraph) -> Self {
        let labels = graph.labels();
        let (mut here, mut there) = (vec![0.0; labels], vec![0.0; labels]);
        self.fill(&mut here);
        other.fill(&mut there);
        let mixed = |a: f64, b: f64| if a == b { a } else { a + share * (b - a) };
        let values: Vec<f64> = here.iter().zip(&there).map(|(&a, &b)| mixed(a, b)).collect();
        let mut set = Self::default();
        for (label, &value) in values.iter().enumerate() {
            match value {
                _ if value <= 0.0 => {}
                _ if value >= 1.0 => set.on.push(label as u32),
                _ => set.parts.push((label as u32, Share::new(value))),
            }
        }
        for &(i, _) in &set.parts {
            for &(j, e) in graph.neighbours(i as usize).iter().filter(|(j, _)| *j > i) {
                let (i, j) = (i as usize, j as usize);
                if values[j] <= 0.0 || values[j] >= 1.0 {
                    continue;
                }
                let pair = mixed(self.pair(e, here[i], here[j]), other.pair(e, there[i], there[j]));
                if pair > 0.0 {
                    set.pairs.push((e, Share::new(pair)));
                }
            }
        }
        set.pairs.sort_unstable_by_key(|pair| pair.0);
        set
    }

    /// What is wholly in, in ascending order.
    pub fn on(&self) -> &[u32] {
        &self.on
    }

    /// What is partly in, in ascending order.
    pub fn parts(&self) -> &[(u32, Share)] {
        &self.parts
    }

    /// The labels that are partly in, in ascending order.
    pub(super) fn fractional(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        self.parts.iter().map(|part| part.0 as usize)
    }

    /// The edges between two fractional labels that are in together to some part, in ascending order.
    pub(super) fn pairs(&self) -> &[(u32, Share)] {
        &self.pairs
    }

    /// Whether no label is fractional.
    pub fn is_whole(&self) -> bool {
        self.parts.is_empty()
    }

    /// How far a label is in.
    pub fn share(&self, label: u32) -> f64 {
        if self.on.binary_search(&label).is_ok() {
            return 1.0;
        }
        let place = self.parts.binary_search_by_key(&label, |part| part.0);
        place.map_or(0.0, |place| self.parts[place].1.get())
    }

    /// Σ_i μ_i.
    pub fn size(&self) -> f64 {
        self.on.len() as f64 + self.parts.iter().map(|part| part.1.get()).sum::<f64>()
    }

    /// All labels that are in to some part, with how far.
    pub(in crate::structure) fn members(&self) -> impl Iterator<Item = (usize, f64)> + Clone + '_ {
        let on = self.on.iter().map(|&label| (label as usize, 1.0));
        on.chain(self.parts.iter().map(|&(label, share)| (label as usize, share.get())))
    }

    /// Writes μ_i for each label.
    pub(in crate::structure) fn fill(&self, values: &mut [f64]) {
        values.fill(0.0);
        self.members().for_each(|(label, share)| values[label] = share);
    }

    /// μ_ij of an edge, given μ_i and μ_j.
    pub(super) fn pair(&self, edge: u32, i: f64, j: f64) -> f64 {
        let is_fractional = |share: f64| share > 0.0 && share < 1.0;
        if !is_fractional(i) || !is_fractional(j) {
            return i * j;
        }
        let place = self.pairs.binary_search_by_key(&edge, |pair| pair.0);
        place.map_or(0.0, |place| self.pairs[place].1.get())
    }
}

/// How many labels are on, how many are fractional, the labels that are on, and then three numbers for each fractional
/// label and each edge: which, and its share in two halves.
impl Coded for LabelSet {
    fn encode(&self, code: &mut Vec<u32>) {
        code.extend([self.on.len() as u32, self.parts.len() as u32]);
        code.extend(&self.on);
        for &(number, Share(bits)) in self.parts.iter().chain(&self.pairs) {
            code.extend([number, (bits >> 32) as u32, bits as u32]);
        }
    }

    fn decode(&mut self, code: &[u32]) -> bool {
        let &[on, parts, ref rest @ ..] = code else { return false };
        let share = |three: &[u32]| (three[0], Share((u64::from(three[1]) << 32) | u64::from(three[2])));
        let Some((on, rest)) = rest.split_at_checked(on as usize) else { return false };
        let Some((parts, pairs)) = rest.split_at_checked((parts as usize).saturating_mul(3)) else {
            return false;
        };
        self.on.clear();
        self.on.extend_from_slice(on);
        self.parts.clear();
        self.parts.extend(parts.chunks_exact(3).map(share));
        self.pairs.clear();
        self.pairs.extend(pairs.chunks_exact(3).map(share));
        pairs.len().is_multiple_of(3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_come_back() {
        let graph = LabelGraph::complete(5).unwrap();
        let coupling: Vec<f64> = (0..10).map(|e| if e % 3 == 0 { 1.0 } else { -1.0 }).collect();
        let vertex = LabelSet::of_halves(&[1, 2, 1, 0, 1], &graph, &coupling);
        let mix = vertex.between(&LabelSet::of(&[0, 3]), 0.3, &graph);
        for set in [LabelSet::default(), LabelSet::of(&[1, 4]), vertex, mix] {
            let mut code = vec![];
            set.encode(&mut code);
            let mut back = LabelSet::of(&[9]);
            assert!(back.decode(&code));
            assert!(!back.decode(&code[1..1]) && !back.decode(&[2, 0, 1]) && !back.decode(&[0, u32::MAX]));
            assert!(back.decode(&code));
            assert_eq!(back, set);
        }
    }

    #[test]
    fn a_mix_is_linear_in_all_its_numbers() {
        let graph = LabelGraph::complete(4).unwrap();
        let coupling = [1.0, -1.0, 1.0, -1.0, 1.0, 1.0];
        let a = LabelSet::of_halves(&[1, 1, 1, 2], &graph, &coupling);
        let b = LabelSet::of_halves(&[0, 2, 1, 1], &graph, &coupling);
        let mix = a.between(&b, 0.25, &graph);
        let numbers = |set: &LabelSet| {
            let mut values = vec![0.0; 4];
            set.fill(&mut values);
            let edges = graph.edges().iter().enumerate();
            let pairs: Vec<f64> = edges
                .map(|(e, &(i, j))| set.pair(e as u32, values[i as usize], values[j as usize]))
                .collect();
            values.extend(pairs);
            values
        };
        for ((mix, a), b) in numbers(&mix).into_iter().zip(numbers(&a)).zip(numbers(&b)) {
            assert!((mix - (0.75 * a + 0.25 * b)).abs() < 1e-15, "{mix} of {a} and {b}");
        }
    }
}
