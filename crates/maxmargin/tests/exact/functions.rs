//! exp, ln, erfc and powers as intervals, from their series with what the rest of a series can be.
//!
//! Exponentials below 2^−8000 are enclosed by 0 and that number: no `f64` comes near them.

use std::sync::OnceLock;

use super::dyadic::Dyadic;
use super::interval::{BITS, Interval};
use super::rational::Rational;

/// Where the terms of a series are too small to matter.
const ENOUGH: i64 = BITS as i64 + 16;

/// log₂ of what tiny numbers are enclosed by.
const TINY: i64 = -8000;

fn tiny() -> Interval {
    Interval { low: Dyadic::zero(), high: Dyadic::power_of_two(TINY) }
}

/// Whether a term is too small to change a sum of the size of `first`.
fn is_negligible(term: &Interval, first: &Dyadic) -> bool {
    let size = term.size();
    size.is_zero() || size.magnitude() + ENOUGH < first.magnitude()
}

/// 2·artanh(z) = ln((1 + z)/(1 − z)) for |z| ≤ 1/3: 2·Σ z^(2k+1)/(2k+1).
fn twice_artanh(z: &Interval) -> Interval {
    if z.size().is_zero() {
        return z.clone();
    }
    let square = z * z;
    let (mut power, mut sum) = (z.clone(), z.clone());
    for k in 1.. {
        power = &power * &square;
        let term = &power / &Interval::whole(2 * k + 1);
        if is_negligible(&term, &z.size()) {
            // The rest is at most this term times 1 + 1/9 + 1/81 + ….
            return sum.widened(&term.size().scaled(1)).scaled(1);
        }
        sum = &sum + &term;
    }
    unreachable!("the series converges")
}

/// arctan(1/n): Σ (−1)^k / ((2k+1)·n^(2k+1)).
fn arctan_of_inverse(n: i64) -> Interval {
    let square = Interval::whole(n * n);
    let mut power = &Interval::whole(1) / &Interval::whole(n);
    let first = power.size();
    let mut sum = power.clone();
    for k in 1.. {
        power = &power / &square;
        let term = &power / &Interval::whole(2 * k + 1);
        if is_negligible(&term, &first) {
            // Signs alternate: the rest is at most its first term.
            return sum.widened(&term.size());
        }
        sum = if k % 2 == 0 { &sum + &term } else { &sum - &term };
    }
    unreachable!("the series converges")
}

/// π, by Machin's formula.
pub fn pi() -> Interval {
    static PI: OnceLock<Interval> = OnceLock::new();
    PI.get_or_init(|| &arctan_of_inverse(5).scaled(4) - &arctan_of_inverse(239).scaled(2)).clone()
}

fn ln_2() -> Interval {
    static LN_2: OnceLock<Interval> = OnceLock::new();
    LN_2.get_or_init(|| twice_artanh(&(&Interval::whole(1) / &Interval::whole(3)))).clone()
}

/// e^x.
pub fn exp(x: &Interval) -> Interval {
    Interval::spanning(exp_at(&x.low), exp_at(&x.high))
}

fn exp_at(x: &Dyadic) -> Interval {
    /// The argument of the series is below 2^−HALVINGS.
    const HALVINGS: i64 = 8;
    if x.is_zero() {
        return Interval::whole(1);
    }
    if *x < Dyadic::whole(TINY) {
        return tiny();
    }
    assert!(*x < Dyadic::whole(-TINY), "exponentials of such large numbers are not needed");
    let doublings = (&Interval::point(x) / &ln_2()).low.to_whole();
    let rest = (&Interval::point(x) - &(&ln_2() * &Interval::whole(doublings))).scaled(-HALVINGS);
    let one = Interval::whole(1);
    let (mut term, mut sum) = (one.clone(), one.clone());
    for k in 1.. {
        term = &(&term * &rest) / &Interval::whole(k);
        if is_negligible(&term, &one.low) {
            sum = sum.widened(&term.size().scaled(1));
            break;
        }
        sum = &sum + &term;
    }
    for _ in 0..HALVINGS {
        sum = &sum * &sum;
    }
    sum.scaled(doublings)
}

/// ln x for x > 0.
pub fn ln(x: &Interval) -> Interval {
    Interval::spanning(ln_at(&x.low), ln_at(&x.high))
}

fn ln_at(x: &Dyadic) -> Interval {
    assert!(x.is_positive(), "the logarithm of a positive number");
    // x = m·2^k with 2/3 ≤ m < 4/3 or thereabouts.
    let mut doublings = x.magnitude();
    if x.scaled(-doublings) < Dyadic::from(0.6875) {
        doublings -= 1;
    }
    let m = Interval::point(&x.scaled(-doublings));
    let one = Interval::whole(1);
    // Written without a sign in the divisor's way: m + 1 is positive.
    let z = &(&m - &one) / &(&m + &one);
    &twice_artanh(&z) + &(&ln_2() * &Interval::whole(doublings))
}

/// ln(1 + u) for 0 ≤ u ≤ 1.
pub fn ln_1p(u: &Interval) -> Interval {
    twice_artanh(&(u / &(&Interval::whole(2) + u)))
}

/// log(1 + e^h), increasing.
pub fn softplus(h: &Interval) -> Interval {
    let at = |h: &Dyadic| {
        let tail = ln_1p(&exp_at(&-&h.abs()));
        if h.is_positive() { &tail + &Interval::point(h) } else { tail }
    };
    Interval::spanning(at(&h.low), at(&h.high))
}

/// The derivative of [`softplus`] near h, for searches.
pub fn logistic(h: &Dyadic) -> Dyadic {
    let e = exp_at(&-&h.abs());
    let one = Interval::whole(1);
    let numerator = if h.is_negative() { e.clone() } else { one.clone() };
    (&numerator / &(&one + &e)).low
}

/// erfc z for z ≥ 0, decreasing.
pub fn erfc(z: &Interval) -> Interval {
    Interval::spanning(erfc_at(&z.high), erfc_at(&z.low))
}

fn erfc_at(z: &Dyadic) -> Interval {
    assert!(!z.is_negative());
    if *z > Dyadic::whole(80) {
        return tiny();
    }
    let point = Interval::point(z);
    let bell = &exp(&-&(&point * &point)) / &pi().root();
    if *z < Dyadic::whole(3) {
        return &Interval::whole(1) - &(&bell * &erf_series(&point));
    }
    // erfc z = e^(−z²)/√π · 1/(z + (1/2)/(z + (2/2)/(z + (3/2)/(z + …)))): the tail of the fraction from some place on is at
    // least z and at most what one more place makes of that. It converges like e^(−2z√(2n)).
    let places = 40 + 4500 / z.to_whole().pow(2);
    let next = |n: i64, tail: &Interval| &point + &(&Interval::whole(n).scaled(-1) / tail);
    let mut tail = Interval::spanning(point.clone(), next(places, &point));
    for n in (1..places).rev() {
        tail = next(n, &tail);
    }
    &bell / &tail
}

/// Σ 2^(n+1) z^(2n+1)/(2n+1)!!, which times e^(−z²)/√π is erf z.
fn erf_series(z: &Interval) -> Interval {
    if z.size().is_zero() {
        return z.clone();
    }
    let twice_square = (z * z).scaled(1);
    let mut term = z.scaled(1);
    let first = term.size();
    let mut sum = term.clone();
    for n in 1.. {
        term = &(&term * &twice_square) / &Interval::whole(2 * n + 1);
        // From here on each term is at most half of the one before.
        let halves = twice_square.size() < Dyadic::whole(n);
        if halves && is_negligible(&term, &first) {
            return sum.widened(&term.size().scaled(1));
        }
        sum = &sum + &term;
    }
    unreachable!("the series converges")
}

/// g^exponent for g > 0.
pub fn power(g: &Rational, exponent: f64) -> Interval {
    let exponent = Interval::point(&Dyadic::from(exponent));
    exp(&(&ln(&Interval::of(g)) * &exponent))
}
