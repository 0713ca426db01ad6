//! F(w) = λ/2 ‖w‖² + 1/n Σ c_i max_y ψ(h_i(y), g_i(y)) of a small problem, enclosed.

use maxmargin::surrogate::{Scaled, Surrogate};

use super::dyadic::{Dyadic, dot};
use super::functions::{erfc, pi, power, softplus};
use super::interval::Interval;
use super::rational::Rational;
use crate::common::problem::{Problem, TaskKind};
use crate::common::surrogate::Surrogated;

/// Two numbers between which the true one lies: equal ones where it is rational and known.
#[derive(Debug, Clone)]
pub struct Enclosure {
    pub low: Rational,
    pub high: Rational,
}

impl Enclosure {
    pub fn exact(value: Rational) -> Self {
        Self { low: value.clone(), high: value }
    }

    pub fn add(&self, other: &Self) -> Self {
        Self { low: &self.low + &other.low, high: &self.high + &other.high }
    }

    /// Times a number that is not negative.
    pub fn scaled(&self, factor: &Rational) -> Self {
        assert!(!factor.is_negative());
        Self { low: &self.low * factor, high: &self.high * factor }
    }

    /// Of the larger of two.
    fn max(self, other: Self) -> Self {
        Self { low: self.low.max(other.low), high: self.high.max(other.high) }
    }
}

impl From<Interval> for Enclosure {
    fn from(interval: Interval) -> Self {
        Self { low: interval.low.into(), high: interval.high.into() }
    }
}

/// A label of an example: h = ⟨slope, w⟩ + constant, and g.
#[derive(Debug, Clone)]
pub struct ExactLabel {
    pub slope: Vec<Dyadic>,
    /// 0, but for Micro-F1 |y Δ y_i|.
    pub constant: Dyadic,
    pub g: Rational,
}

/// A label, or a mix of two, with its margin error at some weights.
#[derive(Debug, Clone)]
pub struct Spot {
    /// The two labels, equal unless it is a mix.
    pub labels: (usize, usize),
    /// The share of the second.
    pub share: Rational,
    pub h: Rational,
    pub g: Rational,
}

/// A problem with all labels of all examples written out.
#[derive(Debug, Clone)]
pub struct ExactProblem {
    pub surrogate: Surrogate,
    pub lambda: Dyadic,
    /// c_i / n.
    pub shares: Vec<Rational>,
    pub labels: Vec<Vec<ExactLabel>>,
    pub dim: usize,
    /// Whether mixes of two labels count.
    mixes: bool,
}

impl ExactProblem {
    /// `None` for mixes of labels under a surrogate whose best mix is no rational number.
    pub fn new(surrogated: &Surrogated, lambda: f64) -> Option<Self> {
        let problem = &surrogated.problem;
        let best_is_label = matches!(surrogated.surrogate, Surrogate::MARGIN | Surrogate::MicroF1);
        let mixes = surrogated.is_fractional() && !best_is_label;
        if mixes && surrogated.surrogate != Surrogate::SLACK {
            return None;
        }
        let n = Rational::whole(problem.samples.len() as i64);
        let share = |weight: f64| &Rational::from(weight) / &n;
        Some(Self {
            surrogate: surrogated.surrogate,
            lambda: lambda.into(),
            shares: problem.samples.iter().map(|sample| share(sample.weight)).collect(),
            labels: (0..problem.samples.len()).map(|i| labels(surrogated, i)).collect(),
            dim: problem.dim(),
            mixes,
        })
    }

    /// A problem whose labels are written out already.
    pub fn of(
        surrogate: Surrogate,
        lambda: f64,
        shares: Vec<Rational>,
        labels: Vec<Vec<ExactLabel>>,
    ) -> Self {
        let dim = labels[0][0].slope.len();
        Self { surrogate, lambda: lambda.into(), shares, labels, dim, mixes: false }
    }

    /// R(w), without the norm.
    pub fn risk_at(&self, w: &[Dyadic]) -> Enclosure {
        let worst = (0..self.shares.len()).map(|i| self.worst(i, w).1.scaled(&self.shares[i]));
        worst.fold(Enclosure::exact(Rational::zero()), |sum, risk| sum.add(&risk))
    }

    /// F of weights that a run returned.
    pub fn at_weights(&self, weights: &[f64]) -> Enclosure {
        self.at(&weights.iter().map(|&weight| Dyadic::from(weight)).collect::<Vec<_>>())
    }

    /// F(w).
    pub fn at(&self, w: &[Dyadic]) -> Enclosure {
        let norm = &self.lambda.scaled(-1) * &dot(w, w);
        Enclosure::exact(norm.into()).add(&self.risk_at(w))
    }

    /// H_i(w), and a label or mix where it is reached, or nearly.
    pub fn worst(&self, i: usize, w: &[Dyadic]) -> (Spot, Enclosure) {
        let mut best: Option<(Spot, Enclosure)> = None;
        let spots = self.spots(i, w);
        let spots = if self.mixes { mixes(spots) } else { spots };
        for spot in spots {
            let value = psi(self.surrogate, &spot.h, &spot.g);
            best = Some(match best {
                None => (spot, value),
                Some((_, high)) if high.low < value.low => (spot, high.max(value)),
                Some((best, high)) => (best, high.max(value)),
            });
        }
        best.expect("an example has labels")
    }

    /// The labels of an example that may be the most violated: ψ rises with h, so that of each g the one with the largest h does.
    fn spots(&self, i: usize, w: &[Dyadic]) -> Vec<Spot> {
        let mut spots: Vec<Spot> = Vec::new();
        for (number, label) in self.labels[i].iter().enumerate() {
            let h: Rational = (&dot(&label.slope, w) + &label.constant).into();
            match spots.iter_mut().find(|spot| spot.g == label.g) {
                Some(spot) if spot.h >= h => {}
                Some(spot) => (spot.labels, spot.h) = ((number, number), h),
                None => {
                    let share = Rational::zero();
                    spots.push(Spot { labels: (number, number), share, h, g: label.g.clone() });
                }
            }
        }
        spots
    }
}

/// All labels of an example, in exact numbers.
fn labels(surrogated: &Surrogated, i: usize) -> Vec<ExactLabel> {
    let problem = &surrogated.problem;
    let of_truth = problem.phi_parts(i, &problem.samples[i].truth);
    let slope = |parts: Vec<(usize, f64)>| {
        let mut slope = vec![Dyadic::zero(); problem.dim()];
        parts.into_iter().for_each(|(j, value)| slope[j] = &slope[j] + &value.into());
        of_truth.iter().for_each(|&(j, value)| slope[j] = &slope[j] - &value.into());
        slope
    };
    let divisor = Rational::whole(problem.loss_divisor(i) as i64);
    let loss = |costs: Vec<f64>| {
        let sum = costs.iter().fold(Rational::zero(), |sum, &cost| &sum + &cost.into());
        &sum / &divisor
    };
    // Counts of labels are small whole numbers, or halves: Micro-F1 needs no more than what they are as `f64`.
    let counts = |constant: f64, g: f64, costs: Vec<f64>, shares: Vec<f64>| match surrogated.surrogate {
        // Labels of sets may have weights with many digits.
        Surrogate::MicroF1 if problem.kind == TaskKind::Multilabel => {
            let truth = problem.samples[i].truth.iter().map(|&label| f64::from(label));
            let sizes = shares.into_iter().zip(truth).enumerate().flat_map(|(label, (share, truth))| {
                [share, truth].map(|share| problem.set_cost(label, true) * share)
            });
            let constant = costs.iter().fold(Dyadic::zero(), |sum, &cost| &sum + &cost.into());
            (constant, sizes.fold(Rational::zero(), |sum, size| &sum - &size.into()))
        }
        Surrogate::MicroF1 => (constant.into(), g.into()),
        _ => (Dyadic::zero(), loss(costs)),
    };
    let exact = |parts, costs, shares, (constant, g): (f64, f64)| {
        let (constant, g) = counts(constant, g, costs, shares);
        ExactLabel { slope: slope(parts), constant, g }
    };
    let rounded = surrogated.labels(i);
    let of_counts = rounded.iter().map(|label| (label.constant, label.g));
    if problem.sets.relaxed {
        let vertices = problem.vertices();
        let all = vertices.iter().zip(of_counts);
        return all
            .map(|(set, counts)| {
                let costs = set_costs(problem, i, &set.nodes);
                exact(problem.phi_parts_at(i, set), costs, set.nodes.clone(), counts)
            })
            .collect();
    }
    let all = problem.labels_of(i);
    let all = all.iter().zip(of_counts);
    let shares = |y: &[u32]| y.iter().map(|&label| f64::from(label)).collect();
    all.map(|(y, counts)| exact(problem.phi_parts(i, y), problem.cost_parts(i, y), shares(y), counts))
        .collect()
}

/// What each label of a fractional set costs: the cost times 0, ½ or 1.
fn set_costs(problem: &Problem, i: usize, nodes: &[f64]) -> Vec<f64> {
    let truth = &problem.samples[i].truth;
    let cost = |label: usize| problem.set_cost(label, truth[label] == 1);
    (0..nodes.len()).map(|label| cost(label) * (nodes[label] - f64::from(truth[label])).abs()).collect()
}

/// The labels, and for each two of them the mix with the largest (h + 1)·g, where that is between them. The best mix of all
/// labels is on an edge of their hull, and so is one of these.
fn mixes(spots: Vec<Spot>) -> Vec<Spot> {
    let mut all = spots.clone();
    let one = Rational::one();
    let two = Rational::whole(2);
    for (place, a) in spots.iter().enumerate() {
        for b in &spots[..place] {
            // (p + s·dp)(q + s·dq) is largest at s = −(p·dq + q·dp)/(2·dp·dq).
            let (p, q) = (&a.h + &one, &a.g);
            let (dp, dq) = (&b.h - &a.h, &b.g - &a.g);
            let curvature = &dp * &dq;
            if !curvature.is_negative() {
                continue;
            }
            let slope = &(&p * &dq) + &(q * &dp);
            let share = &-&slope / &(&two * &curvature);
            if share.is_positive() && share < one {
                let labels = (a.labels.0, b.labels.0);
                let (h, g) = (&a.h + &(&share * &dp), &a.g + &(&share * &dq));
                all.push(Spot { labels, share, h, g });
            }
        }
    }
    all
}

/// ψ(h, g), as the documentation has it.
pub fn psi(surrogate: Surrogate, h: &Rational, g: &Rational) -> Enclosure {
    match surrogate {
        Surrogate::Scaled(scaled) => scaled_value(scaled, h, g),
        Surrogate::MicroF1 => match g.is_negative() {
            true => Enclosure::exact(h / &-g),
            false => Enclosure::exact(Rational::zero()),
        },
        _ if !g.is_positive() => Enclosure::exact(Rational::zero()),
        Surrogate::Log => Enclosure::from(softplus(&Interval::of(h))).scaled(g),
        Surrogate::ProbConvex => prob_value(h, g),
        Surrogate::Prob => unreachable!("no certificate exists"),
        Surrogate::Custom(_) => unreachable!("none of the documentation's"),
    }
}

/// h·g^β + g^α.
fn scaled_value(scaled: Scaled, h: &Rational, g: &Rational) -> Enclosure {
    if !g.is_positive() {
        return Enclosure::exact(if scaled.beta() == 0.0 { h.clone() } else { Rational::zero() });
    }
    let of_alpha = power_of(g, scaled.alpha());
    let of_beta = power_of(g, scaled.beta());
    let product = match h.is_negative() {
        false => of_beta.scaled(h),
        true => Enclosure { low: h * &of_beta.high, high: h * &of_beta.low },
    };
    product.add(&of_alpha)
}

/// g^exponent for g > 0: exact where the exponent is a small whole number.
pub fn power_of(g: &Rational, exponent: f64) -> Enclosure {
    match exponent == f64::from(exponent as i32) && exponent.abs() <= 16.0 {
        true => Enclosure::exact(g.power(exponent as i32)),
        false => power(g, exponent).into(),
    }
}

/// g·erfc(−h·√π/(2√g)) for h ≤ 0, and g + √g·h beyond.
fn prob_value(h: &Rational, g: &Rational) -> Enclosure {
    let (of_h, of_g) = (Interval::of(h), Interval::of(g));
    let root = of_g.root();
    if h.is_positive() {
        return (&of_g + &(&root * &of_h)).into();
    }
    let z = &(&-&of_h * &pi().root()).scaled(-1) / &root;
    (&of_g * &erfc(&z)).into()
}
