//! What the offset between two parts is worth: weights of the edges of the tree.
//!
//! The offset of a child from its parent, less the usual one, is `(u, v)` in units of a spread. Quadratic edges have the features u, v, u², v²
//! (BUNDLE 4.2), whose weights may have any sign; a table has a weight for each offset.

use super::{LandmarkStructure, Window};
use crate::inference::{Bend, LinkValues, Size};
use crate::linear::FeatureSum;
use crate::structure::Mix;

/// What is learnt about the offsets of parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Deformation {
    /// Four weights an edge: those of the offset and of its square, in each direction. So many cells are one unit.
    Quadratic {
        /// The cells.
        spread: f64,
    },
    /// A weight for each offset.
    Table,
}

/// The features of a quadratic edge.
pub(super) const QUADRATIC: usize = 4;

/// An edge of the tree: a part hangs on another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartEdge {
    /// The part that is nearer to the root.
    pub parent: usize,
    /// The other one.
    pub child: usize,
    /// The usual offset from parent to child, in cells: to the right, and down.
    pub offset: (i32, i32),
}

/// An offset between the cells of two windows, in units of the spread, on one axis.
#[derive(Debug, Clone, Copy)]
struct Axis {
    /// The offset between the first cells, less the usual one.
    shift: i64,
    sources: usize,
    targets: usize,
    spread: f64,
}

impl Axis {
    /// The unit of a place in the table of a [`Bend`].
    fn unit(&self, place: usize) -> f64 {
        (place as i64 - (self.targets as i64 - 1) + self.shift) as f64 / self.spread
    }

    fn places(&self) -> usize {
        self.sources + self.targets - 1
    }

    fn bend(&self, linear: f64, square: f64) -> Bend<f64> {
        let worth = |place| {
            let unit = self.unit(place);
            linear * unit + square * (unit * unit)
        };
        let values = (0..self.places()).map(worth).collect();
        Bend { values, curvature: 2.0 * square / (self.spread * self.spread) }
    }

    /// The largest size of what a label has in features, squared.
    fn largest(&self) -> f64 {
        let size = |place| {
            let square = self.unit(place).powi(2);
            square + square * square
        };
        (0..self.places()).map(size).fold(0.0, f64::max)
    }

    /// The largest size of what a label is worth.
    fn extent(&self, linear: f64, square: f64) -> f64 {
        let size = |place| {
            let unit = self.unit(place);
            (linear * unit).abs() + (square * (unit * unit)).abs()
        };
        (0..self.places()).map(size).fold(0.0, f64::max)
    }
}

/// The axes of an edge: to the right, and down.
pub(super) struct Axes([Axis; 2]);

impl Axes {
    pub(super) fn new(edge: &PartEdge, windows: &[Window], spread: f64) -> Self {
        let (child, parent) = (&windows[edge.child], &windows[edge.parent]);
        let axis = |(child, parent): ((usize, usize), (usize, usize)), offset: i32| Axis {
            shift: child.0 as i64 - parent.0 as i64 - i64::from(offset),
            sources: child.1,
            targets: parent.1,
            spread,
        };
        Self([
            axis(((child.left, child.width), (parent.left, parent.width)), edge.offset.0),
            axis(((child.top, child.height), (parent.top, parent.height)), edge.offset.1),
        ])
    }

    /// u, v, u² and v² of two cells.
    fn features(
        &self,
        (child, of_child): (usize, Size),
        (parent, of_parent): (usize, Size),
    ) -> [f64; QUADRATIC] {
        let Self([across, down]) = self;
        let u = across.unit(child % of_child.0 + of_parent.0 - 1 - parent % of_parent.0);
        let v = down.unit(child / of_child.0 + of_parent.1 - 1 - parent / of_parent.0);
        [u, v, u * u, v * v]
    }

    pub(super) fn largest(&self) -> f64 {
        self.0.iter().map(Axis::largest).sum()
    }

    fn link(&self, w: &[f64]) -> LinkValues<f64> {
        LinkValues::Bent(self.0[0].bend(w[0], w[2]), self.0[1].bend(w[1], w[3]))
    }

    fn extent(&self, w: &[f64]) -> f64 {
        self.0[0].extent(w[0], w[2]) + self.0[1].extent(w[1], w[3])
    }
}

impl LandmarkStructure {
    /// The weights of an edge: where they begin among those of all edges, and how many there are.
    pub(super) fn edge_weights(&self, edge: usize) -> std::ops::Range<usize> {
        self.edge_starts()[edge]..self.edge_starts()[edge + 1]
    }

    fn axes(&self, edge: usize, spread: f64) -> Axes {
        Axes::new(&self.edges()[edge], self.windows(), spread)
    }

    /// What the offsets of all edges are worth, given the weights of the edges.
    pub(super) fn score_edges(&self, w: &[f64], links: &mut Vec<LinkValues<f64>>) {
        links.clear();
        links.extend((0..self.edges().len()).map(|edge| {
            let weights = &w[self.edge_weights(edge)];
            match self.deformation() {
                Deformation::Quadratic { spread } => self.axes(edge, spread).link(weights),
                Deformation::Table => LinkValues::Table(weights.to_vec()),
            }
        }));
    }

    /// The largest that the absolute values of all that edges add to one label come to.
    pub(super) fn edges_extent(&self, w: &[f64]) -> f64 {
        let of_edge = |edge: usize| {
            let weights = &w[self.edge_weights(edge)];
            match self.deformation() {
                Deformation::Quadratic { spread } => self.axes(edge, spread).extent(weights),
                Deformation::Table => crate::linear::largest_size(weights),
            }
        };
        (0..self.edges().len()).map(of_edge).sum()
    }

    /// The cells of the two parts of an edge, with the sizes of their windows: child, then parent.
    pub(super) fn ends(&self, edge: usize, y: &[u32]) -> ((usize, Size), (usize, Size)) {
        let end = |part: usize| (y[part] as usize, self.windows()[part].size());
        let PartEdge { parent, child, .. } = self.edges()[edge];
        (end(child), end(parent))
    }

    /// The weights of an edge that a label has, and how much of each.
    pub(super) fn for_each_edge_feature(&self, edge: usize, y: &[u32], mut visit: impl FnMut(usize, f64)) {
        let (child, parent) = self.ends(edge, y);
        let start = self.edge_weights(edge).start;
        match self.deformation() {
            Deformation::Quadratic { spread } => {
                let features = self.axes(edge, spread).features(child, parent);
                features.into_iter().enumerate().for_each(|(place, value)| visit(start + place, value));
            }
            Deformation::Table => {
                let ((cell, of_child), (at, of_parent)) = (child, parent);
                let x = cell % of_child.0 + of_parent.0 - 1 - at % of_parent.0;
                let y = cell / of_child.0 + of_parent.1 - 1 - at / of_parent.0;
                visit(start + y * (of_child.0 + of_parent.0 - 1) + x, 1.0);
            }
        }
    }

    /// Adds the features of an edge to those of a label.
    pub(super) fn add_edge<A: FeatureSum + ?Sized>(
        &self,
        edge: usize,
        y: &[u32],
        first_weight: usize,
        factor: f64,
        sum: &mut A,
    ) {
        self.for_each_edge_feature(edge, y, |place, value| sum.add(first_weight + place, factor * value));
    }

    /// ⟨features of a less those of t, features of b less those of t⟩ of one edge.
    pub(super) fn edge_product(&self, edge: usize, [a, b, t]: [&[u32]; 3]) -> f64 {
        let features = |y: &[u32]| {
            let mut features = [(0, 0.0); QUADRATIC];
            let mut count = 0;
            self.for_each_edge_feature(edge, y, |place, value| {
                features[count] = (place, value);
                count += 1;
            });
            features
        };
        let [a, b, t] = [features(a), features(b), features(t)];
        match self.deformation() {
            Deformation::Quadratic { .. } => {
                (0..QUADRATIC).map(|k| (a[k].1 - t[k].1) * (b[k].1 - t[k].1)).sum()
            }
            Deformation::Table => {
                let same = |a: &[(usize, f64)], b: &[(usize, f64)]| f64::from(u8::from(a[0].0 == b[0].0));
                same(&a, &b) - same(&a, &t) - same(&b, &t) + 1.0
            }
        }
    }
}

/// The values of links under a mix of score and loss.
pub(super) fn lifted<V: crate::inference::Crossing>(
    links: &[LinkValues<f64>],
    mix: Mix,
    value: impl Fn(f64) -> V,
) -> Vec<LinkValues<V>> {
    let all = |values: &[f64]| values.iter().map(|&score| value(score)).collect();
    // Where scores only decide ties they still bend the way they do: which sources overtake which goes by that.
    let factor = if mix.score == 0.0 { 1.0 } else { mix.score };
    let bend = |bend: &Bend<f64>| Bend { values: all(&bend.values), curvature: factor * bend.curvature };
    let lift = |link: &LinkValues<f64>| match link {
        LinkValues::Bent(across, down) => LinkValues::Bent(bend(across), bend(down)),
        LinkValues::Table(values) => LinkValues::Table(all(values)),
    };
    links.iter().map(lift).collect()
}
