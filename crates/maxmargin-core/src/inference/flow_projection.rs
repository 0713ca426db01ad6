//! The flow that is nearest to a point: what the extragradient method asks for, twice per example and step
//! (Taskar, Lacoste-Julien, Jordan 2006, §3: there as a quadratic min-cost flow).
//!
//! ```text
//! min ½ Σ_a weight_a (z_a − x_a)²,    0 ≤ z ≤ capacity,    out(v) − in(v) = supply(v) for each node v
//! ```
//!
//! With a potential π_v for each node, the flow is z_a = x_a − (π_tail − π_head) / weight_a, cut off at 0 and the
//! capacity, and the dual is concave, smooth and piecewise quadratic. Newton's method on it (semismooth: only arcs that
//! are not cut off count) ends after a few steps, each with a line search that is exact up to a factor. The equations
//! are those of an electrical network of the arcs that are not cut off, with the last node as ground; a part that is
//! not connected to it is held by an anchor.
//!
//! Invariant: the flow is within 0 and capacity whatever happens; how far it is from conservation is returned.
//! Potentials of an earlier, similar projection are a good start.

use super::envelope::Envelope;
use super::{Network, NetworkArc};

/// No projection takes more steps than this; most take less than ten.
const MOST_STEPS: usize = 400;

/// After this many steps arcs that are cut off conduct as well: far from the answer nodes may be left with hardly an
/// arc that is not, and then Newton's direction is no better than the gradient.
const EASY: usize = 10;

/// How much such an arc conducts at most, as a share. It vanishes with the excess, so that the last steps are Newton's.
const LITTLE: f64 = 0.003;

/// Trials of one line search.
const MOST_TRIALS: usize = 60;

/// A line search ends where the slope has fallen to this share.
const FLAT: f64 = 0.25;

/// Excess at one node, relative to the flow, that may be rounding.
const ROUNDING: f64 = 1e-11;

/// It is, when it has not halved in this many steps.
const STUCK: usize = 2;

/// Working memory of projections, for networks of any size.
#[derive(Debug, Clone, Default)]
pub struct FlowProjection {
    /// Out − in − supply for each node.
    excess: Vec<f64>,
    /// The flow before it is cut off, and the numbers of the arcs where it is not.
    raw: Vec<f64>,
    free: Vec<u32>,
    direction: Vec<f64>,
    /// By how much the flow of an arc falls along the direction.
    fall: Vec<f64>,
    laplacian: Envelope,
}

/// How a projection went.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Projected {
    /// Σ_v |out − in − supply|: a few units in the last place.
    pub excess: f64,
    /// Steps of Newton's method.
    pub steps: usize,
}

/// The size of what is to become 0, and of the numbers that it is made of.
#[derive(Clone, Copy)]
struct Size {
    /// The largest excess of a node.
    largest: f64,
    /// The largest flow or supply.
    scale: f64,
}

fn add(potentials: &mut [f64], factor: f64, direction: &[f64]) {
    potentials.iter_mut().zip(direction).for_each(|(potential, d)| *potential += factor * d);
}

impl FlowProjection {
    /// Makes `flow` the nearest one to `point`. `potentials`, one for each node, are where to start, and then those of
    /// the flow.
    pub fn project(
        &mut self,
        network: &Network,
        point: &[f64],
        potentials: &mut [f64],
        flow: &mut [f64],
    ) -> Projected {
        let (arcs, nodes) = (network.arcs().len(), network.nodes());
        self.raw.resize(arcs, 0.0);
        self.direction.resize(nodes, 0.0);
        self.excess.resize(nodes, 0.0);
        let mut here = self.flow_of(network, point, potentials, flow);
        let (mut before, mut stuck, mut steps) = (f64::INFINITY, 0, 0);
        while steps < MOST_STEPS {
            let Size { largest, scale } = here;
            stuck = if largest > 0.5 * before { stuck + 1 } else { 0 };
            let rounding = largest <= ROUNDING * scale && stuck >= STUCK;
            if largest <= f64::EPSILON * scale || rounding {
                break;
            }
            before = before.min(largest);
            let little = if steps < EASY { 0.0 } else { LITTLE * (largest / scale).min(1.0) };
            self.newton_direction(network, little);
            let slope = self.slope();
            add(potentials, 1.0, &self.direction);
            here = self.flow_of(network, point, potentials, flow);
            if self.slope().abs() > FLAT * slope {
                let length = self.line_search(network, slope);
                add(potentials, length.unwrap_or(0.0) - 1.0, &self.direction);
                here = self.flow_of(network, point, potentials, flow);
                if length.is_none() {
                    break;
                }
            }
            steps += 1;
        }
        Projected { excess: self.excess.iter().map(|excess| excess.abs()).sum(), steps }
    }

    /// The flow of potentials, and how far it is from being one.
    fn flow_of(&mut self, network: &Network, point: &[f64], potentials: &[f64], flow: &mut [f64]) -> Size {
        self.excess.iter_mut().zip(network.supplies()).for_each(|(excess, supply)| *excess = -supply);
        self.free.clear();
        let mut scale = network.supplies().iter().fold(0.0, |scale: f64, supply| scale.max(supply.abs()));
        let places = point.iter().zip(&mut self.raw).zip(flow);
        for ((a, arc), ((x, raw), flow)) in (0..).zip(network.arcs()).zip(places) {
            let (tail, head) = (arc.tail as usize, arc.head as usize);
            *raw = x - (potentials[tail] - potentials[head]) / arc.weight;
            *flow = raw.clamp(0.0, arc.capacity);
            if *flow > 0.0 {
                self.excess[tail] += *flow;
                self.excess[head] -= *flow;
                scale = scale.max(*flow);
                if *raw < arc.capacity {
                    self.free.push(a);
                }
            }
        }
        let largest = self.excess.iter().fold(0.0, |largest: f64, excess| largest.max(excess.abs()));
        Size { largest, scale }
    }

    /// How fast the dual rises in the direction.
    fn slope(&self) -> f64 {
        self.excess.iter().zip(&self.direction).map(|(excess, d)| excess * d).sum()
    }

    /// Solves the equations of the arcs that are not cut off, or of all, where those that are cut off conduct a little.
    fn newton_direction(&mut self, network: &Network, little: f64) {
        let ground = network.nodes() - 1;
        let ends = |arc: &NetworkArc| (arc.tail as usize, arc.head as usize);
        let free = || self.free.iter().map(|&a| &network.arcs()[a as usize]).map(|arc| (arc, 1.0 - little));
        let all = if little > 0.0 { network.arcs() } else { &[] };
        let arcs =
            || free().chain(all.iter().map(|arc| (arc, little))).filter(|(arc, _)| arc.tail != arc.head);
        let laplacian = &mut self.laplacian;
        laplacian.clear(ground);
        for (arc, _) in arcs() {
            let (tail, head) = ends(arc);
            if tail != ground && head != ground {
                laplacian.announce(tail, head);
            }
        }
        laplacian.allocate();
        for (arc, share) in arcs() {
            let ((tail, head), conductance) = (ends(arc), share / arc.weight);
            for node in [tail, head].into_iter().filter(|&node| node != ground) {
                laplacian.add(node, node, conductance);
            }
            if tail != ground && head != ground {
                laplacian.add(tail, head, -conductance);
            }
        }
        laplacian.factor(1.0);
        self.direction.copy_from_slice(&self.excess);
        self.direction[ground] = 0.0;
        laplacian.solve(&mut self.direction[..ground]);
    }

    /// How far to go instead of one length of the direction, at whose end the flow is now: to where the dual is nearly
    /// flat. It rises with `start` at first. None where that is only rounding.
    fn line_search(&mut self, network: &Network, start: f64) -> Option<f64> {
        if start.is_nan() || start <= 0.0 {
            return None;
        }
        self.fall.clear();
        self.fall.extend(
            network.arcs().iter().map(|arc| {
                (self.direction[arc.tail as usize] - self.direction[arc.head as usize]) / arc.weight
            }),
        );
        let supplied: f64 = network.supplies().iter().zip(&self.direction).map(|(s, d)| s * d).sum();
        let slope = |length: f64| {
            let carried = network.arcs().iter().zip(self.raw.iter().zip(&self.fall));
            let carried = carried.map(|(arc, (raw, fall))| {
                arc.weight * fall * (raw + (1.0 - length) * fall).clamp(0.0, arc.capacity)
            });
            carried.sum::<f64>() - supplied
        };
        // The slope falls with the length. A bracket, and false position that halves the weight of an end that stays.
        let (mut low, mut low_slope) = (0.0, start);
        let mut high: Option<(f64, f64)> = None;
        let mut length = 1.0;
        for _ in 0..MOST_TRIALS {
            let here = slope(length);
            if here.abs() <= FLAT * start {
                return Some(length);
            }
            if here > 0.0 {
                (low, low_slope) = (length, here);
                high = high.map(|(high, slope)| (high, 0.5 * slope));
            } else {
                high = Some((length, here));
                low_slope *= 0.5;
            }
            length = match high {
                None => 4.0 * length,
                Some((high, slope)) => low + (high - low) * low_slope / (low_slope - slope),
            };
            if !length.is_finite() {
                return None;
            }
        }
        Some(low).filter(|&low| low > 0.0)
    }
}
