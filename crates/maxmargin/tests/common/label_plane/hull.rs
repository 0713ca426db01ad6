//! Convex hull search (THESIS Alg. 4), as printed and as it holds.

use super::Label;

/// A surrogate: its name, its value and its gradient (ψ_h, ψ_g).
pub struct Psi {
    pub name: &'static str,
    pub value: fn(Label) -> f64,
    pub gradient: fn(Label) -> (f64, f64),
}

/// Slack rescaling, with h for 1 + m.
pub const SLACK: Psi = Psi { name: "slack", value: Label::phi, gradient: |y| (y.g, y.h) };

/// β-scaling with β = ½.
pub const HALF: Psi = Psi {
    name: "β-scaling",
    value: |y| y.h * y.g.sqrt() + y.g,
    gradient: |y| (y.g.sqrt(), 0.5 * y.h / y.g.sqrt() + 1.0),
};

/// Loss-scaled log loss: its K₀ is the whole plane of labels.
pub const LOG: Psi = Psi {
    name: "log",
    value: |y| y.g * y.h.exp().ln_1p(),
    gradient: |y| (y.g / (1.0 + (-y.h).exp()), y.h.exp().ln_1p()),
};

impl Psi {
    /// max ψ on the segment between two labels: a grid, then golden sections around its best point.
    pub fn max_on(&self, y1: Label, y2: Label) -> f64 {
        const GRID: u32 = 16;
        let golden = (5f64.sqrt() - 1.0) / 2.0;
        let at = |a: f64| (self.value)(y1.mix(y2, a));
        let grid = (0..=GRID).map(|k| f64::from(k) / f64::from(GRID));
        let top = grid.max_by(|&a, &b| at(a).total_cmp(&at(b))).expect("the grid has points");
        let step = 1.0 / f64::from(GRID);
        let (mut low, mut high) = ((top - step).max(0.0), (top + step).min(1.0));
        for _ in 0..30 {
            let (a, b) = (high - golden * (high - low), low + golden * (high - low));
            if at(a) < at(b) { low = a } else { high = b }
        }
        at(top).max(at(0.5 * (low + high)))
    }

    /// The fractional optimum by enumeration: it lies on an edge of the hull, and each edge joins two labels.
    pub fn max_on_hull(&self, labels: &[Label]) -> f64 {
        let pairs = labels.iter().enumerate().flat_map(|(j, &y)| labels[..=j].iter().map(move |&x| (x, y)));
        pairs.map(|(x, y)| self.max_on(x, y)).fold(f64::MIN, f64::max)
    }

    /// How far y′ is above the tangent of ψ's contour at y: if it is, the edge from y to y′ starts into higher ψ.
    fn above(&self, y: Label, other: Label) -> f64 {
        let (by_h, by_g) = (self.gradient)(y);
        by_h * (other.h - y.h) + by_g * (other.g - y.g)
    }
}

/// The side of the tangent T′ on which a neighbour must lie for Get-λ to take its edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Side {
    Below,
    Above,
}

/// What a search found.
#[derive(Debug, PartialEq)]
pub struct Found {
    /// ψ of the fractional answer.
    pub potential: f64,
    pub queries: usize,
    /// How far the label of the last query is above the line T, which goes through the best label found.
    pub excess: f64,
}

/// λ = −∂(T): the λ for which both ends of the edge have the same value.
fn edge_lambda(a: Label, b: Label) -> f64 {
    -(a.h - b.h) / (a.g - b.g)
}

/// Alg. 4 as printed but for the side of the tangent; `oracle` is O(λ), `warm` are the labels that S starts with
/// (THESIS 5.2.2).
pub fn printed_search(
    labels: &[Label],
    oracle: impl Fn(f64) -> usize,
    psi: &Psi,
    side: Side,
    warm: &[usize],
) -> Found {
    let mut s: Vec<usize> = warm.to_vec();
    let phi = |y: usize| (psi.value)(labels[y]);
    let sort = |s: &mut Vec<usize>| s.sort_by(|&a, &b| labels[a].g.total_cmp(&labels[b].g));
    let top = |s: &[usize]| (0..s.len()).max_by(|&a, &b| phi(s[a]).total_cmp(&phi(s[b])));
    let get_lambda = |s: &[usize]| {
        let Some(t) = top(s) else { return f64::INFINITY };
        let y = labels[s[t]];
        let taken = |&&n: &&usize| match side {
            Side::Below => psi.above(y, labels[n]) < 0.0,
            Side::Above => psi.above(y, labels[n]) > 0.0,
        };
        let (before, after) = (t.checked_sub(1).and_then(|t| s.get(t)), s.get(t + 1));
        let tangent = || {
            let (by_h, by_g) = (psi.gradient)(y);
            by_g / by_h
        };
        let edge = after.filter(taken).or(before.filter(taken));
        edge.map_or_else(tangent, |&n| edge_lambda(y, labels[n]))
    };
    sort(&mut s);
    for queries in 1.. {
        let lambda = get_lambda(&s);
        let y = oracle(lambda);
        if s.contains(&y) {
            let t = top(&s).expect("y is in S");
            let around = &s[t.saturating_sub(1)..(t + 2).min(s.len())];
            let edges = around.windows(2).map(|e| psi.max_on(labels[e[0]], labels[e[1]]));
            let excess = labels[y].value(lambda) - labels[s[t]].value(lambda);
            return Found { potential: edges.fold(phi(s[t]), f64::max), queries, excess };
        }
        s.push(y);
        sort(&mut s);
    }
    unreachable!("each query but the last adds a label")
}

/// Keeps the labels of S that are vertices of its upper right hull, by rising g.
fn keep_frontier(labels: &[Label], s: &mut Vec<usize>) {
    s.sort_by(|&a, &b| (labels[b].g, labels[b].h).partial_cmp(&(labels[a].g, labels[a].h)).expect("finite"));
    let mut chain: Vec<usize> = Vec::new();
    for &n in s.iter() {
        let new = labels[n];
        if chain.last().is_some_and(|&last| new.h <= labels[last].h) {
            continue;
        }
        while let [.., a, b] = chain[..] {
            let (a, b) = (labels[a], labels[b]);
            if (b.h - a.h) * (a.g - new.g) > (new.h - a.h) * (a.g - b.g) {
                break;
            }
            chain.pop();
        }
        chain.push(n);
    }
    chain.reverse();
    *s = chain;
}

/// Alg. 4 as it holds: edges to neighbours above T′, S kept as a hull, an end by value, and labels outside K₀.
pub fn corrected_search(labels: &[Label], oracle: impl Fn(f64) -> usize, psi: &Psi, warm: &[usize]) -> Found {
    let mut s: Vec<usize> = warm.to_vec();
    let phi = |y: usize| (psi.value)(labels[y]);
    let mut queries = 0;
    for lambda in [f64::INFINITY, 0.0] {
        if s.iter().all(|&y| phi(y) <= 0.0) {
            s.push(oracle(lambda));
            queries += 1;
        }
    }
    let mut closed: Vec<[usize; 2]> = Vec::new();
    loop {
        keep_frontier(labels, &mut s);
        let t = (0..s.len()).max_by(|&a, &b| phi(s[a]).total_cmp(&phi(s[b]))).expect("S has a label");
        let y = labels[s[t]];
        let inside = phi(s[t]) > 0.0;
        let around = if inside { &s[t.saturating_sub(1)..(t + 2).min(s.len())] } else { &s[..] };
        let mut edges = around.windows(2).map(|e| [e[0], e[1]]);
        let edge = if inside {
            edges.find(|e| e.iter().any(|&n| psi.above(y, labels[n]) > 0.0))
        } else {
            edges.find(|e| !closed.contains(e))
        };
        let (lambda, on) = match edge {
            Some([a, b]) => (edge_lambda(labels[a], labels[b]), Some(labels[a])),
            None => ((psi.gradient)(y).1 / (psi.gradient)(y).0, inside.then_some(y)),
        };
        let next = on.map(|on| {
            queries += 1;
            let found = oracle(lambda);
            let line = on.value(lambda);
            (found, labels[found].value(lambda) - line)
        });
        match (next, edge) {
            (Some((found, excess)), _) if excess > 1e-12 * (1.0 + y.h.abs() + lambda * y.g) => s.push(found),
            (Some(_), Some(edge)) if !inside => closed.push(edge),
            _ => {
                let edges = around.windows(2).map(|e| psi.max_on(labels[e[0]], labels[e[1]]));
                let excess = next.map_or(0.0, |(_, excess)| excess);
                return Found { potential: edges.fold(phi(s[t]), f64::max), queries, excess };
            }
        }
    }
}
