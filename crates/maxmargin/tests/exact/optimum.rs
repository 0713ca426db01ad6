//! Weights that are as good as optimal, in numbers of [`BITS`] bits: F there is an upper bound on F* where no `f64` weights
//! come near it.
//!
//! Cutting planes of all examples, and the dual over them, max Σβb − 1/(2λ)‖Σβa‖² over simplices, by an active-set
//! method: planes enter one by one and leave when their coefficient falls to 0; on the face between, the optimum is that
//! of a linear system. A slight curvature makes every such system regular. Nothing of this is trusted: the weights
//! −Σβa/λ are weights like any others, and F there is computed anew.

use super::dyadic::{Dyadic, Side, dot};
use super::functions::{exp, logistic, pi};
use super::interval::Interval;
use super::objective::{Enclosure, ExactProblem, Spot, power_of, psi};
use super::rational::Rational;
use maxmargin::surrogate::Surrogate;

/// The length of mantissas.
const BITS: u64 = 768;

/// log₂ of the curvature that is added, relative to that of the largest plane.
const ADDED_CURVATURE: i64 = -320;

/// log₂ of what planes may cut off, relative to F: where there are a few planes, and where there are any number of tangents.
const NEGLIGIBLE: i64 = -120;
const NEGLIGIBLE_OF_CURVES: i64 = -70;

/// The most rounds where the planes of labels are tangents of a curve, and where they are all there is.
const MOST_TANGENTS: usize = 60;
const MOST_ROUNDS: usize = 300;

/// The most times that weights are doubled in a round.
const MOST_DOUBLINGS: usize = 30;

/// The most tangents that are kept without being of use.
const MOST_PLANES: usize = 60;

fn short(number: Dyadic) -> Dyadic {
    number.rounded(BITS, Side::Down)
}

/// H_i(w) ≥ ⟨a, w⟩ + b, up to the last of many digits.
#[derive(Debug, Clone, PartialEq)]
struct Plane {
    example: usize,
    slope: Vec<Dyadic>,
    offset: Dyadic,
}

/// What was found.
#[derive(Debug, Clone)]
pub struct Optimum {
    /// The weights.
    pub weights: Vec<Dyadic>,
    /// F there.
    pub value: Enclosure,
    /// (F − dual value) / F, roughly: how far the weights may be from the best.
    pub gap: f64,
}

/// The dual problem over the planes so far.
struct Dual<'a> {
    problem: &'a ExactProblem,
    shares: Vec<Dyadic>,
    planes: Vec<Plane>,
    /// ⟨a, a'⟩/λ.
    gram: Vec<Vec<Dyadic>>,
    beta: Vec<Dyadic>,
    curvature: Dyadic,
}

impl<'a> Dual<'a> {
    /// With the zero plane of each example, whose truth costs nothing.
    fn new(problem: &'a ExactProblem) -> Self {
        let shares: Vec<Dyadic> =
            problem.shares.iter().map(|share| share.rounded(BITS, Side::Down)).collect();
        let mut dual = Self {
            problem,
            shares: shares.clone(),
            planes: Vec::new(),
            gram: Vec::new(),
            beta: Vec::new(),
            curvature: Dyadic::power_of_two(ADDED_CURVATURE),
        };
        for example in 0..shares.len() {
            dual.add(Plane { example, slope: vec![Dyadic::zero(); problem.dim], offset: Dyadic::zero() });
        }
        dual.beta = shares;
        dual
    }

    fn add(&mut self, plane: Plane) {
        let product =
            |other: &Plane| dot(&plane.slope, &other.slope).divided(&self.problem.lambda, BITS, Side::Down);
        let own = product(&plane);
        let mut row: Vec<Dyadic> = self.planes.iter().map(product).collect();
        self.gram.iter_mut().zip(&row).for_each(|(others, product)| others.push(product.clone()));
        self.curvature = self.curvature.clone().max(own.scaled(ADDED_CURVATURE));
        row.push(own);
        self.gram.push(row);
        self.planes.push(plane);
        self.beta.push(Dyadic::zero());
    }

    /// w = −Σβa/λ.
    fn weights(&self) -> Vec<Dyadic> {
        let mut sum = vec![Dyadic::zero(); self.problem.dim];
        for (plane, beta) in self.planes.iter().zip(&self.beta).filter(|(_, beta)| !beta.is_zero()) {
            for (sum, a) in sum.iter_mut().zip(&plane.slope).filter(|(_, a)| !a.is_zero()) {
                *sum = &*sum - &(beta * a);
            }
        }
        sum.iter().map(|sum| sum.divided(&self.problem.lambda, BITS, Side::Down)).collect()
    }

    /// The value of the dual without the added curvature.
    fn value(&self, w: &[Dyadic]) -> Dyadic {
        let offsets = self.planes.iter().zip(&self.beta).map(|(plane, beta)| beta * &plane.offset);
        let offset = offsets.fold(Dyadic::zero(), |sum, offset| &sum + &offset);
        &offset - &(&self.problem.lambda.scaled(-1) * &dot(w, w))
    }

    /// The derivative by a coefficient: the value of its plane, but for the added curvature.
    fn derivative(&self, k: usize) -> Dyadic {
        let mut sum = &self.planes[k].offset - &(&self.curvature * &self.beta[k]);
        for (product, beta) in self.gram[k].iter().zip(&self.beta).filter(|(_, beta)| !beta.is_zero()) {
            sum = &sum - &(product * beta);
        }
        short(sum)
    }

    /// Forgets planes that no longer count, when there are many.
    fn forget(&mut self) {
        if self.planes.len() < MOST_PLANES {
            return;
        }
        let counts: Vec<bool> = self.beta.iter().map(Dyadic::is_positive).collect();
        fn kept<T>(list: &mut Vec<T>, counts: &[bool]) {
            let mut counts = counts.iter();
            list.retain(|_| *counts.next().expect("as many"));
        }
        kept(&mut self.gram, &counts);
        self.gram.iter_mut().for_each(|row| kept(row, &counts));
        kept(&mut self.planes, &counts);
        kept(&mut self.beta, &counts);
    }

    /// Solves the dual over the planes so far.
    fn solve(&mut self, negligible: &Dyadic) {
        let mut support: Vec<usize> = (0..self.beta.len()).filter(|&k| self.beta[k].is_positive()).collect();
        for _ in 0..10 * self.planes.len() {
            self.climb(&mut support);
            let gradient: Vec<Dyadic> = (0..self.planes.len()).map(|k| self.derivative(k)).collect();
            // In each example the planes of the support have the same value here.
            let level = |example: usize| {
                let own = support.iter().filter(|&&k| self.planes[k].example == example);
                own.map(|&k| &gradient[k]).max().expect("every example has a plane")
            };
            let excess = |k: usize| &gradient[k] - level(self.planes[k].example);
            let best = (0..self.planes.len()).map(|k| (excess(k), k)).max().expect("there are planes");
            if best.0 <= *negligible {
                return;
            }
            support.push(best.1);
        }
    }

    /// Goes to the best point of the face, and drops what stands in the way.
    fn climb(&mut self, support: &mut Vec<usize>) {
        while let Some(step) = self.step(support) {
            // How far until a coefficient is 0.
            let mut length = Dyadic::one();
            for &(k, ref change) in step.iter().filter(|(_, change)| change.is_negative()) {
                let most = self.beta[k].divided(&-change, BITS, Side::Down);
                length = length.min(most);
            }
            let is_whole = length == Dyadic::one();
            for (k, change) in &step {
                let beta = short(&self.beta[*k] + &(&length * change));
                let is_left = beta.is_positive()
                    && beta.magnitude() > self.shares[self.planes[*k].example].magnitude() - 600;
                self.beta[*k] = if is_left { beta } else { Dyadic::zero() };
            }
            support.retain(|&k| self.beta[k].is_positive());
            if is_whole {
                return;
            }
        }
    }

    /// The way to the best point of the face, `None` when it is a single point.
    fn step(&self, support: &[usize]) -> Option<Vec<(usize, Dyadic)>> {
        // Each example's coefficients add up to its share: the largest one makes up for the others.
        let base = |example: usize| {
            let own = support.iter().filter(|&&k| self.planes[k].example == example);
            *own.max_by(|&&a, &&b| self.beta[a].cmp(&self.beta[b])).expect("every example has a plane")
        };
        let bases: Vec<usize> = (0..self.shares.len()).map(base).collect();
        let base = |k: usize| bases[self.planes[k].example];
        let free: Vec<usize> = support.iter().copied().filter(|&k| base(k) != k).collect();
        if free.is_empty() {
            return None;
        }
        let mut rows: Vec<Vec<Dyadic>> = Vec::new();
        for &k in &free {
            let entry = |&l: &usize| {
                let product = &(&self.gram[k][l] - &self.gram[k][base(l)])
                    - &(&self.gram[base(k)][l] - &self.gram[base(k)][base(l)]);
                let times = i64::from(k == l) + i64::from(base(k) == base(l));
                short(&product + &(&self.curvature * &Dyadic::whole(times)))
            };
            let mut row: Vec<Dyadic> = free.iter().map(entry).collect();
            row.push(&self.derivative(k) - &self.derivative(base(k)));
            rows.push(row);
        }
        let changes = solved(rows);
        let mut step: Vec<(usize, Dyadic)> = free.iter().copied().zip(changes).collect();
        for &base in &bases {
            let own = step.iter().filter(|(k, _)| bases[self.planes[*k].example] == base);
            let sum = own.fold(Dyadic::zero(), |sum, (_, change)| &sum - change);
            step.push((base, sum));
        }
        Some(step)
    }
}

/// Solves a positive definite system; the right side is the last column.
fn solved(mut rows: Vec<Vec<Dyadic>>) -> Vec<Dyadic> {
    let n = rows.len();
    for k in 0..n {
        let (above, below) = rows.split_at_mut(k + 1);
        let pivot = &above[k];
        if !pivot[k].is_positive() {
            continue;
        }
        for row in below.iter_mut().filter(|row| !row[k].is_zero()) {
            let factor = row[k].divided(&pivot[k], BITS, Side::Down);
            for j in k..=n {
                row[j] = short(&row[j] - &(&factor * &pivot[j]));
            }
        }
    }
    let mut solution = vec![Dyadic::zero(); n];
    for k in (0..n).rev() {
        if !rows[k][k].is_positive() {
            continue;
        }
        let known = (k + 1..n).fold(Dyadic::zero(), |sum, j| &sum + &(&rows[k][j] * &solution[j]));
        solution[k] = (&rows[k][n] - &known).divided(&rows[k][k], BITS, Side::Down);
    }
    solution
}

/// F(w) and the planes that touch it there.
fn cut(problem: &ExactProblem, shares: &[Dyadic], w: &[Dyadic]) -> (Dyadic, Vec<Plane>) {
    let mut value = &problem.lambda.scaled(-1) * &dot(w, w);
    let mut planes = Vec::new();
    for (example, share) in shares.iter().enumerate() {
        let (spot, height) = problem.worst(example, w);
        value = &value + &(share * &height.high.rounded(BITS, Side::Up));
        planes.push(tangent(problem, example, &spot, &height));
    }
    (value, planes)
}

/// Solves a problem as well as its digits allow.
pub fn optimum(problem: &ExactProblem) -> Optimum {
    let mut dual = Dual::new(problem);
    let is_linear = problem.surrogate.is_linear();
    let (rounds, enough) =
        if is_linear { (MOST_ROUNDS, NEGLIGIBLE) } else { (MOST_TANGENTS, NEGLIGIBLE_OF_CURVES) };
    let mut best: Option<(Dyadic, Vec<Dyadic>)> = None;
    let mut lower = Dyadic::zero();
    for _ in 0..rounds {
        let mut w = dual.weights();
        lower = lower.max(dual.value(&w));
        let (mut value, mut planes) = cut(problem, &dual.shares, &w);
        // Tangents of e^h lead only a step of 1 down in h. Where the weights are large, that is a way of many steps.
        for _ in 0..if is_linear { 0 } else { MOST_DOUBLINGS } {
            let further: Vec<Dyadic> = w.iter().map(|w| w.scaled(1)).collect();
            let (there, of_there) = cut(problem, &dual.shares, &further);
            if there >= value {
                break;
            }
            (w, value) = (further, there);
            planes.extend(of_there);
        }
        if best.as_ref().is_none_or(|(least, _)| value < *least) {
            best = Some((value, w));
        }
        let least = &best.as_ref().expect("just set").0;
        if least - &lower <= least.scaled(enough) {
            break;
        }
        let negligible = least.scaled(enough - 20);
        planes.retain(|plane| !dual.planes.contains(plane));
        if planes.is_empty() {
            break;
        }
        planes.into_iter().for_each(|plane| dual.add(plane));
        dual.solve(&negligible);
        if !is_linear {
            dual.forget();
        }
    }
    let (value, weights) = best.expect("a round at least");
    let gap = match value.is_positive() {
        true => (&value - &lower).divided(&value, 64, Side::Up).to_f64(),
        false => 0.0,
    };
    Optimum { value: problem.at(&weights), weights, gap }
}

/// The plane that touches H_i where its value was found.
fn tangent(problem: &ExactProblem, example: usize, spot: &Spot, height: &Enclosure) -> Plane {
    let (first, second) = (&problem.labels[example][spot.labels.0], &problem.labels[example][spot.labels.1]);
    let slope = derivative(problem.surrogate, spot);
    let share = spot.share.rounded(BITS, Side::Down);
    let mix = |a: &Dyadic, b: &Dyadic| short(a + &(&share * &(b - a)));
    // ψ without margin error. Where ψ is linear in h, it is the same for a label wherever it is found.
    let constant = Rational::from(mix(&first.constant, &second.constant));
    let offset = match problem.surrogate.is_linear() {
        true => psi(problem.surrogate, &constant, &spot.g).low,
        false => &height.low - &(&(&spot.h - &constant) * &slope.clone().into()),
    };
    Plane {
        example,
        slope: first.slope.iter().zip(&second.slope).map(|(a, b)| short(&mix(a, b) * &slope)).collect(),
        offset: offset.rounded(BITS, Side::Down),
    }
}

/// ∂ψ/∂h.
fn derivative(surrogate: Surrogate, spot: &Spot) -> Dyadic {
    let Spot { h, g, .. } = spot;
    let derivative: Rational = match surrogate {
        Surrogate::Scaled(scaled) if g.is_positive() => power_of(g, scaled.beta()).low,
        Surrogate::Scaled(scaled) => Rational::whole(i64::from(scaled.beta() == 0.0)),
        Surrogate::MicroF1 if g.is_negative() => &Rational::one() / &-g,
        Surrogate::Log if g.is_positive() => g * &logistic(&h.rounded(256, Side::Down)).into(),
        Surrogate::ProbConvex if g.is_positive() => {
            let root = Interval::of(g).root();
            let z = &(&Interval::of(h) * &pi().root()).scaled(-1) / &root;
            let density = if h.is_negative() { exp(&-&(&z * &z)) } else { Interval::whole(1) };
            (&root * &density).low.into()
        }
        _ => Rational::zero(),
    };
    derivative.rounded(BITS, Side::Down)
}
