//! One example's label plane with the ways of all searches through it, ready to be drawn (SLACK Fig. 2, THESIS Fig. 5-1).

use crate::search::{Answer, LabelPlane, Query, Spot, Strategy};
use crate::structure::Mix;
use crate::surrogate::Surrogate;

/// Up to so many labels all of them are listed.
const MOST_LABELS: usize = 1000;

/// Otherwise this many of the best in the direction of each edge of the hull.
const UNDER_EDGE: usize = 100;

/// The most edges that are looked for, in long examples.
const MOST_EDGES: usize = 60;

/// A label is above an edge if it is so by more than this, relative to the numbers involved.
const TOLERANCE: f64 = 1e-9;

/// Points of a contour.
const CONTOUR_POINTS: usize = 400;

/// The way of one search.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchPath {
    /// The search.
    pub strategy: Strategy,
    /// Its queries in order.
    pub queries: Vec<Query>,
    /// Where the answer lies.
    pub end: (f64, f64),
    /// ψ of the answer.
    pub value: f64,
    /// Its upper bound.
    pub upper: f64,
}

/// A label plane: labels as points (h, g), the upper right of their hull, and the ways of searches from nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Portrait {
    /// The surrogate.
    pub surrogate: Surrogate,
    /// The number of the example, from 0.
    pub example: usize,
    /// Which call of the example's oracle it was, from 1.
    pub call: usize,
    /// Labels, those in the same place once.
    pub labels: Vec<(f64, f64)>,
    /// Whether these are all labels.
    pub is_whole: bool,
    /// The upper right of the hull, from the largest h to the largest g.
    pub hull: Vec<(f64, f64)>,
    /// The searches.
    pub paths: Vec<SearchPath>,
}

impl Portrait {
    /// Looks at a plane, and takes the ways from the answers.
    pub fn new<'a, P: LabelPlane>(
        plane: &mut P,
        surrogate: Surrogate,
        example: usize,
        call: usize,
        answers: impl Iterator<Item = (Strategy, &'a Answer<P::Label>)>,
    ) -> Self
    where
        P::Label: 'a,
    {
        let path = |(strategy, answer): (Strategy, &Answer<P::Label>)| SearchPath {
            strategy,
            queries: answer.queries.clone(),
            end: answer.point(),
            value: answer.value,
            upper: answer.upper,
        };
        let paths: Vec<SearchPath> = answers.map(path).collect();
        let hull = hull(plane);
        let all = plane.k_best(Mix::AUGMENTED, MOST_LABELS + 1);
        let is_listed = all.as_ref().is_some_and(|all| all.len() <= MOST_LABELS);
        let is_whole = is_listed && !plane.is_fractional();
        let mut listed = all.unwrap_or_default();
        if !is_whole {
            listed.truncate(UNDER_EDGE);
            for edge in hull.windows(2) {
                listed.extend(plane.k_best(Mix::level(edge[0], edge[1]), UNDER_EDGE).into_iter().flatten());
            }
        }
        let mut labels: Vec<(f64, f64)> = listed.iter().map(Spot::point).collect();
        labels.push(plane.truth().point());
        labels.extend(paths.iter().flat_map(|path| &path.queries).filter_map(|query| query.answer));
        labels.extend(&hull);
        labels.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        labels.dedup();
        Self { surrogate, example, call, labels, is_whole, hull, paths }
    }

    /// The best label found.
    pub fn best(&self) -> f64 {
        let of_labels = self.paths.iter().filter(|path| !path.strategy.mixes());
        of_labels.map(|path| path.value).fold(0.0, f64::max)
    }

    /// Where ψ has a value, for h and g in these ranges, by rising g.
    pub fn contour(&self, level: f64, heights: (f64, f64), losses: (f64, f64)) -> Vec<(f64, f64)> {
        let step = (losses.1 - losses.0) / CONTOUR_POINTS as f64;
        let points = (0..=CONTOUR_POINTS).filter_map(|i| {
            let g = losses.0 + step * i as f64;
            let (mut low, mut high) = heights;
            let value = |h: f64| self.surrogate.value(h, g);
            if value(low) > level || value(high) < level {
                return None;
            }
            for _ in 0..50 {
                let middle = 0.5 * (low + high);
                if value(middle) < level { low = middle } else { high = middle }
            }
            Some((high, g))
        });
        points.collect()
    }
}

/// The upper right of the hull of all labels: the λ-oracle is asked across each edge until it has nothing above.
fn hull(plane: &mut impl LabelPlane) -> Vec<(f64, f64)> {
    let mut done = vec![plane.maximize(Mix::SCORE).point()];
    let mut waiting = vec![plane.maximize(Mix::LOSS).point()];
    let mut queries = 0;
    while let (Some(&a), Some(&b)) = (done.last(), waiting.last()) {
        let mut above = None;
        if a.0 > b.0 && a.1 < b.1 && queries < MOST_EDGES {
            queries += 1;
            let mix = Mix::level(a, b);
            let height = |(h, g): (f64, f64)| mix.height(h, g);
            let found = plane.maximize(mix).point();
            let rounding = TOLERANCE * (1.0 + mix.height(a.0.abs(), a.1.abs()));
            above = (height(found) > height(a) + rounding).then_some(found);
        }
        match above {
            Some(found) => waiting.push(found),
            None => {
                waiting.pop();
                if a != b {
                    done.push(b);
                }
            }
        }
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Memory, Points, search};

    #[test]
    fn a_portrait_has_labels_hull_and_ways() {
        let points = vec![(0.0, 0.0), (3.0, 0.1), (0.45, 1.1), (-0.9, 4.0), (1.5, 1.8)];
        let mut plane = Points::new(points.clone());
        let answer = search(Strategy::Hull, &mut plane, Surrogate::SLACK, &mut Memory::default());
        let portrait =
            Portrait::new(&mut plane, Surrogate::SLACK, 7, 2, [(Strategy::Hull, &answer)].into_iter());
        assert_eq!(portrait.labels.len(), points.len());
        assert!(portrait.is_whole);
        assert_eq!(portrait.hull, [(3.0, 0.1), (1.5, 1.8), (-0.9, 4.0)]);
        assert_eq!(portrait.paths[0].end, (1.5, 1.8));
        assert_eq!(portrait.best(), 2.5 * 1.8);
        let contour = portrait.contour(4.5, (-1.0, 10.0), (0.0, 4.0));
        assert!(contour.len() > 100);
        for (h, g) in contour {
            assert!(((h + 1.0) * g - 4.5).abs() < 1e-9, "{h}, {g}");
        }
    }
}
