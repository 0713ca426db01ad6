//! The convex hull search (THESIS Alg. 4): any ψ that is quasi-concave and increasing, through the plain λ-oracle.
//!
//! The labels found so far span a chain of edges, the upper right of their hull. The best point on it (a label, or
//! a mix of the two ends of an edge) has a tangent: the contour's, or the edge. Everything better lies above that tangent,
//! so the λ-oracle is asked there. Either it has a label above, which joins the chain, or the point is the best of the whole
//! hull. (THESIS prints the edges *below* the contour's tangent, and then misses the best mix in many problems.)
//!
//! For a label instead of a mix, the labels under the last edge are listed from the top down, by k-best with growing k,
//! until what is left below the last one cannot be better than the best. Where labels cannot be listed, and there is no table of
//! losses either, the line through the edge bounds what was missed.

use super::findings::{Findings, MOST_LISTED, MOST_QUERIES, mix_points};
use super::strategy::TOLERANCE;
use super::{Answer, LabelPlane, Memory, Spot, Stratum};
use crate::structure::Mix;
use crate::surrogate::Surrogate;

/// Heights beyond this are not asked for: sums and products of them could overflow.
const HIGHEST: f64 = 1e150;

/// How many labels are listed under an edge at first.
const FIRST_LISTED: usize = 4;

/// With more labels to list, a table of all losses is quicker, where there is one.
const FEW_LISTED: usize = 16;

/// The upper right of the hull of the labels found: g rises and h falls.
struct UpperHull<L> {
    spots: Vec<Spot<L>>,
}

/// A point on the chain: a label, or so far on the way to its other neighbour.
#[derive(Debug, Clone, Copy)]
struct Top {
    index: usize,
    /// The neighbour and the share of it, if the point is inside an edge.
    towards: Option<(usize, f64)>,
    point: (f64, f64),
    value: f64,
}

impl<L: Clone> UpperHull<L> {
    /// Adds a label, and drops those that are no longer on the upper right of the hull. Says whether it is there now.
    fn insert(&mut self, spot: Spot<L>) -> bool {
        let (h, g) = spot.point();
        // The first label with a larger loss, or with the same one.
        let place = self.spots.partition_point(|other| other.g < g);
        if self.spots[place..].iter().any(|other| other.h >= h) {
            return false;
        }
        let above = |a: &Spot<L>, b: &Spot<L>| {
            // Whether (h, g) lies above the edge from a to b.
            (b.g - a.g) * (h - a.h) > (g - a.g) * (b.h - a.h)
        };
        let after = place + self.spots[place..].iter().take_while(|other| other.g <= g).count();
        if place > 0 && after < self.spots.len() && !above(&self.spots[place - 1], &self.spots[after]) {
            return false;
        }
        self.spots.splice(place..after, [spot]);
        self.tidy(place);
        true
    }

    /// Drops neighbours of a new label that it has put inside the hull.
    fn tidy(&mut self, mut place: usize) {
        while place > 0 && self.spots[place - 1].h <= self.spots[place].h {
            self.spots.remove(place - 1);
            place -= 1;
        }
        let inside =
            |a: &Spot<L>, b: &Spot<L>, c: &Spot<L>| (c.g - a.g) * (b.h - a.h) <= (b.g - a.g) * (c.h - a.h);
        while place >= 2 && inside(&self.spots[place - 2], &self.spots[place - 1], &self.spots[place]) {
            self.spots.remove(place - 1);
            place -= 1;
        }
        while place + 2 < self.spots.len()
            && inside(&self.spots[place], &self.spots[place + 1], &self.spots[place + 2])
        {
            self.spots.remove(place + 1);
        }
    }

    /// The best point. Along the chain ψ rises and then falls, so it is the best label or on an edge beside it.
    fn top(&self, surrogate: Surrogate) -> Top {
        let value = |spot: &Spot<L>| surrogate.value(spot.h, spot.g);
        let better =
            |best: usize, i: usize| if value(&self.spots[i]) > value(&self.spots[best]) { i } else { best };
        let index = (0..self.spots.len()).fold(0, better);
        let here = &self.spots[index];
        let mut top = Top { index, towards: None, point: here.point(), value: value(here) };
        let neighbours = [index.checked_sub(1), Some(index + 1).filter(|&i| i < self.spots.len())];
        for neighbour in neighbours.into_iter().flatten() {
            let there = self.spots[neighbour].point();
            let share = surrogate.best_between(here.point(), there);
            let point = mix_points(here.point(), there, share);
            let value = surrogate.value(point.0, point.1);
            if share > 0.0 && share < 1.0 && value > top.value {
                top = Top { towards: Some((neighbour, share)), point, value, ..top };
            }
        }
        top
    }

    /// The direction in which everything better than the top lies, and whether that is certain.
    ///
    /// However large λ is: h may be larger still, and a label of less loss the better one.
    fn tangent(&self, top: &Top, surrogate: Surrogate, largest_loss: f64) -> (Mix, bool) {
        if let Some((neighbour, _)) = top.towards {
            return (self.edge(top.index.min(neighbour)), true);
        }
        let (by_h, by_g) = surrogate.gradient(top.point.0, top.point.1);
        let tangent = Mix { score: 1.0, loss: by_g / by_h };
        if by_h > 0.0 && is_askable(tangent, largest_loss) {
            return (Mix { loss: tangent.loss.max(0.0), ..tangent }, true);
        }
        // At the truth all that is better has a larger loss: above the edge to the next label too, of which no point is
        // better. Elsewhere ψ or its slopes were too small or too large for floating point, and this is a guess.
        let is_certain = top.point.1 <= 0.0;
        match top.index + 1 < self.spots.len() {
            true => (self.edge(top.index), is_certain),
            false => (Mix::LOSS, is_certain),
        }
    }

    /// The direction of the edge from this label to the next.
    fn edge(&self, index: usize) -> Mix {
        Mix::level(self.spots[index].point(), self.spots[index + 1].point())
    }
}

/// Whether heights under a mix are numbers to compute with; not if its λ is none.
fn is_askable(mix: Mix, largest_loss: f64) -> bool {
    mix.loss * (1.0 + largest_loss) < HIGHEST
}

/// The best label, or (`fractional`) the best mix of two.
pub(super) fn search<P: LabelPlane>(
    plane: &mut P,
    surrogate: Surrogate,
    memory: &mut Memory<P::Label>,
    fractional: bool,
) -> Answer<P::Label> {
    let mut findings = Findings::new(plane, surrogate);
    // Fractional labels are mixes already, and cannot be listed.
    let fractional = fractional || plane.is_fractional();
    if fractional {
        // Mixes have all losses.
        findings.unit = None;
    }
    let mut chain = UpperHull { spots: vec![plane.truth()] };
    for label in &memory.labels {
        let spot = plane.spot(label);
        findings.see(&spot);
        chain.insert(spot);
    }
    if findings.value <= 0.0 {
        // Nothing is known: the tangent at the truth would ask for the largest loss.
        let spot = findings.query(plane, first_guess(surrogate, plane.loss_range()));
        chain.insert(spot);
    }
    // Labels under an edge, from the top down: asked for at once where a label is wanted, since the edge's own ends are
    // mostly known to be too low.
    let mut listed = 0;
    let (low, high) = plane.loss_range();
    let largest_loss = low.abs().max(high.abs());
    // How far above the tangent of the top another label may lie, once that is known.
    let mut above_tangent = None;
    let (top, mix) = loop {
        let top = chain.top(surrogate);
        let (mix, is_certain) = chain.tangent(&top, surrogate, largest_loss);
        if !fractional && findings.is_proven() {
            break (top, mix);
        }
        if !is_askable(mix, largest_loss) {
            listed = 0;
            break (top, Mix::LOSS);
        }
        let height = |(h, g): (f64, f64)| mix.height(h, g);
        let spot = if fractional || top.towards.is_none() {
            listed = 0;
            findings.query(plane, mix)
        } else {
            match list(plane, mix, FIRST_LISTED, &mut findings) {
                Some(spots) => {
                    listed = FIRST_LISTED;
                    spots.into_iter().next().unwrap_or_else(|| plane.truth())
                }
                None => {
                    listed = 0;
                    findings.query(plane, mix)
                }
            }
        };
        let rounding = match mix.score > 0.0 {
            true => TOLERANCE * mix.height(top.point.0.abs(), top.point.1.abs() + largest_loss),
            // Losses are compared as they are: however small one is, its h may be large.
            false => 0.0,
        };
        let is_above = height(spot.point()) > height(top.point) + rounding;
        let there = spot.point();
        if !is_above && is_certain && spot.missed == 0.0 {
            above_tangent = Some(rounding + rounding_of_slope(&top, largest_loss));
        }
        if !is_above || findings.queries() >= MOST_QUERIES {
            break (top, mix);
        }
        if !chain.insert(spot) {
            // A known label above the tangent, and yet no better point on the edge to it: the two differ by rounding only.
            // The edge itself then proves what the tangent could not.
            let edge = Mix::level(top.point, there);
            if edge.loss > 0.0 && is_askable(edge, largest_loss) {
                findings.query(plane, edge);
            }
            break (top, mix);
        }
    };
    remember(memory, &chain, &top, mix, &findings);
    match top.towards {
        Some((neighbour, share)) if fractional => {
            let second = Some((chain.spots[neighbour].clone(), share));
            // The answer is the point itself: what was missed is measured from there.
            findings.value = top.value;
            let upper = if findings.is_proven() { top.value } else { findings.upper };
            Answer {
                best: chain.spots[top.index].clone(),
                second,
                value: top.value,
                upper,
                ..findings.into_answer()
            }
        }
        Some(_) if !findings.is_proven() => {
            if listed == 0 {
                look_up(plane, &mut findings);
            }
            while !findings.is_proven() && (1..MOST_LISTED).contains(&listed) {
                listed *= 4;
                if listed > FEW_LISTED && look_up(plane, &mut findings) {
                    break;
                }
                list(plane, mix, listed, &mut findings);
            }
            memory.keep(&findings.best.label);
            findings.into_answer()
        }
        _ => {
            if let Some(above) = above_tangent {
                // A label with a tangent that nothing lies above is the best, up to what lay above by rounding.
                findings.settle(mix, above);
            }
            findings.into_answer()
        }
    }
}

/// What the rounding of a tangent's λ may come to at all losses. Its terms are about |h|/g and λ, and may cancel.
fn rounding_of_slope(top: &Top, largest_loss: f64) -> f64 {
    let (h, g) = top.point;
    if g > 0.0 { TOLERANCE * (h / g).abs() * (g + largest_loss) } else { 0.0 }
}

/// Looks the best label up in the table of all losses, where there is one without rounding.
fn look_up<P: LabelPlane>(plane: &mut P, findings: &mut Findings<P::Label>) -> bool {
    let mut strata = Vec::new();
    if !plane.strata(&mut strata) || strata.iter().any(|stratum| stratum.g != stratum.upper) {
        return false;
    }
    let value = |stratum: &Stratum| findings.surrogate.value(stratum.h, stratum.g);
    let best = (0..strata.len()).max_by(|&a, &b| value(&strata[a]).total_cmp(&value(&strata[b])));
    if let Some(best) = best.filter(|&best| value(&strata[best]) > findings.value) {
        findings.see(&plane.in_stratum(best));
    }
    findings.asked(Mix::AUGMENTED, Some(findings.best.point()));
    findings.upper = findings.value;
    true
}

/// Lists the labels under an edge from the top down, and learns how good those left can be.
fn list<P: LabelPlane>(
    plane: &mut P,
    mix: Mix,
    k: usize,
    findings: &mut Findings<P::Label>,
) -> Option<Vec<Spot<P::Label>>> {
    let listed = plane.k_best(mix, k)?;
    findings.asked(mix, listed.first().map(Spot::point));
    listed.iter().for_each(|spot| findings.see(spot));
    let left = match listed.last() {
        Some(last) if listed.len() == k => {
            findings.highest_below(mix, mix.height(last.h, last.g) + last.missed)
        }
        _ => 0.0,
    };
    findings.upper = findings.upper.min(left.max(findings.value));
    Some(listed)
}

/// The labels beside the best point, which the next search starts with.
fn remember<L: Clone + PartialEq>(
    memory: &mut Memory<L>,
    chain: &UpperHull<L>,
    top: &Top,
    mix: Mix,
    findings: &Findings<L>,
) {
    memory.lambda = mix.loss;
    let (low, high) = (top.index.saturating_sub(1), (top.index + 1).min(chain.spots.len() - 1));
    for place in (low..=high).filter(|&place| place != top.index) {
        memory.keep(&chain.spots[place].label);
    }
    memory.keep(&chain.spots[top.index].label);
    memory.keep(&findings.best.label);
}

/// A λ to begin with: the tangent at one mistake without margin error, or at half of an F1.
fn first_guess(surrogate: Surrogate, range: (f64, f64)) -> Mix {
    if surrogate == Surrogate::MicroF1 {
        return Mix { score: 1.0, loss: 0.5 };
    }
    let (by_h, by_g) = surrogate.gradient(0.0, range.1.clamp(f64::MIN_POSITIVE, 1.0));
    let lambda = by_g / by_h;
    Mix { score: 1.0, loss: if lambda.is_finite() { lambda.max(0.0) } else { 1.0 } }
}
