//! Where parts may be and which hang together, as the training data shows it.

use super::LandmarkExamples;
use crate::data::TaskData;
use crate::error::{Error, Result};
use crate::shown::excerpt;
use crate::structure::{PartEdge, Window};

/// Which parts hang together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum PartLinks {
    /// The tree whose offsets vary least in training data.
    #[default]
    Spanning,
    /// All hang on one part: on this one, or on that from which offsets vary least.
    Star(Option<String>),
    /// Those that are named, `A-B,B-C`.
    Given(String),
}

impl PartLinks {
    /// What an option says.
    pub(super) fn parse(text: &str) -> Self {
        match text {
            "spanning" => Self::Spanning,
            "star" => Self::Star(None),
            _ => match text.strip_prefix("star=") {
                Some(part) => Self::Star(Some(part.to_owned())),
                None => Self::Given(text.to_owned()),
            },
        }
    }

    /// The same as it was said.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Spanning => "spanning".to_owned(),
            Self::Star(None) => "star".to_owned(),
            Self::Star(Some(part)) => format!("star={part}"),
            Self::Given(text) => text.clone(),
        }
    }
}

/// Windows and edges.
#[derive(Debug, Clone, PartialEq)]
pub struct Geometry {
    /// Where each part may be.
    pub windows: Vec<Window>,
    /// The edges of the tree, parents first.
    pub edges: Vec<PartEdge>,
}

/// The mean offset between two parts, and how much it varies.
#[derive(Debug, Clone, Copy, Default)]
struct Offset {
    mean: (f64, f64),
    variance: f64,
}

impl Geometry {
    /// That of some faces in frames of this side; windows reach `slack` cells beyond where parts were seen.
    pub(super) fn of(
        data: &LandmarkExamples,
        side: usize,
        slack: usize,
        links: &PartLinks,
        name: impl Fn(usize) -> String,
    ) -> Result<Self> {
        let parts = data.parts();
        let all: Vec<Vec<(f64, f64)>> = (0..data.len()).filter_map(|i| data.frame_points(i)).collect();
        if all.is_empty() || parts == 0 {
            return Err(Error::parameter("training data", "no face has points"));
        }
        let last = side as f64 - 1.0;
        let span = |part: usize, of: fn(&(f64, f64)) -> f64| {
            let places = || all.iter().map(|face| of(&face[part]).round().clamp(0.0, last) as usize);
            let (least, most) = (places().min().unwrap_or(0), places().max().unwrap_or(0));
            let first = least.saturating_sub(slack);
            (first, (most + slack).min(side - 1) - first + 1)
        };
        let window = |part| {
            let ((left, width), (top, height)) = (span(part, |point| point.0), span(part, |point| point.1));
            Window { left, top, width, height }
        };
        let offset = |from: usize, to: usize| offset(&all, from, to);
        let pairs = match links {
            PartLinks::Spanning => spanning(parts, |a, b| offset(a, b).variance),
            PartLinks::Star(centre) => {
                let spread = |from: usize| (0..parts).map(|to| offset(from, to).variance).sum::<f64>();
                let nearest = (0..parts).min_by(|&a, &b| spread(a).total_cmp(&spread(b))).unwrap_or(0);
                let centre = match centre {
                    Some(text) => {
                        (0..parts).find(|&part| name(part) == *text).ok_or_else(|| no_part(text))?
                    }
                    None => nearest,
                };
                (0..parts).filter(|&part| part != centre).map(|part| (centre, part)).collect()
            }
            PartLinks::Given(text) => given(text, parts, &name)?,
        };
        let edge = |(parent, child): (usize, usize)| {
            let (x, y) = offset(parent, child).mean;
            PartEdge { parent, child, offset: (x.round() as i32, y.round() as i32) }
        };
        Ok(Self { windows: (0..parts).map(window).collect(), edges: pairs.into_iter().map(edge).collect() })
    }
}

fn no_part(text: &str) -> Error {
    Error::parameter("part-tree", format!("there is no part called `{}`", excerpt(text)))
}

fn offset(all: &[Vec<(f64, f64)>], from: usize, to: usize) -> Offset {
    let offsets = || all.iter().map(|face| (face[to].0 - face[from].0, face[to].1 - face[from].1));
    let count = all.len() as f64;
    let sum = offsets().fold((0.0, 0.0), |sum, offset| (sum.0 + offset.0, sum.1 + offset.1));
    let mean = (sum.0 / count, sum.1 / count);
    let variance = offsets().map(|(x, y)| (x - mean.0).powi(2) + (y - mean.1).powi(2)).sum::<f64>() / count;
    Offset { mean, variance }
}

/// The tree with the least sum of costs, from part 0 on (Prim 1957).
fn spanning(parts: usize, cost: impl Fn(usize, usize) -> f64) -> Vec<(usize, usize)> {
    // The cheapest edge from what is in the tree to each part that is not.
    let mut nearest: Vec<Option<(f64, usize)>> =
        (0..parts).map(|part| (part > 0).then(|| (cost(0, part), 0))).collect();
    let mut edges = Vec::new();
    let open = |nearest: &[Option<(f64, usize)>]| {
        let places = nearest.iter().enumerate().filter_map(|(part, edge)| Some((part, (*edge)?)));
        places.min_by(|(_, a), (_, b)| a.0.total_cmp(&b.0))
    };
    while let Some((part, (_, parent))) = open(&nearest) {
        edges.push((parent, part));
        nearest[part] = None;
        for (other, edge) in nearest.iter_mut().enumerate() {
            if let Some(edge) = edge.as_mut().filter(|edge| cost(part, other) < edge.0) {
                *edge = (cost(part, other), part);
            }
        }
    }
    edges
}

/// The edges that are named, from the first part of the first one on.
fn given(text: &str, parts: usize, name: &impl Fn(usize) -> String) -> Result<Vec<(usize, usize)>> {
    let names: Vec<String> = (0..parts).map(name).collect();
    let number = |text: &str| names.iter().position(|name| name == text);
    // Names may have hyphens themselves.
    let edge = |text: &str| {
        let cuts = text.match_indices('-');
        let mut edges =
            cuts.filter_map(|(at, _)| Some((number(text[..at].trim())?, number(text[at + 1..].trim())?)));
        edges.next().ok_or_else(|| {
            let problem = format!(
                "`{}` is no edge A-B of two parts, nor is it spanning, star or star=PART",
                excerpt(text)
            );
            Error::parameter("part-tree", problem)
        })
    };
    let mut open = text.split(',').map(edge).collect::<Result<Vec<_>>>()?;
    let mut is_known = vec![false; parts];
    is_known[open[0].0] = true;
    let mut edges = Vec::new();
    while let Some(place) = open.iter().position(|&(a, b)| is_known[a] != is_known[b]) {
        let (a, b) = open.remove(place);
        let (parent, child) = if is_known[a] { (a, b) } else { (b, a) };
        is_known[child] = true;
        edges.push((parent, child));
    }
    match open.is_empty() && edges.len() + 1 == parts {
        true => Ok(edges),
        false => {
            let problem = format!(
                "the edges are no tree of all {parts} parts: each part hangs together with each, by one way only"
            );
            Err(Error::parameter("part-tree", problem))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_are_those_of_least_cost() {
        let places = [0.0_f64, 5.0, 1.0, 6.0];
        let edges = spanning(4, |a, b| (places[a] - places[b]).abs());
        assert_eq!(edges, [(0, 2), (2, 1), (1, 3)]);
        assert_eq!(spanning(1, |_, _| 0.0), []);
    }

    #[test]
    fn given_edges_are_a_tree_or_refused() {
        let name = |part: usize| ["a", "b-1", "c"][part].to_owned();
        assert_eq!(given("c-b-1, a-b-1", 3, &name).unwrap(), [(2, 1), (1, 0)]);
        for text in ["a-c", "a-c,a-c", "a-b-1,b-1-c,c-a", "a-d,a-c", "", "a-a,a-c"] {
            assert!(given(text, 3, &name).is_err(), "{text}");
        }
    }
}
