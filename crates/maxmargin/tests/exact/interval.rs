//! Intervals whose ends are rounded outward: whatever is computed with them encloses the true value.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::dyadic::{Dyadic, Side};
use super::rational::Rational;

/// The length of the ends' mantissas. About 20 bits are lost in the longest of the functions.
pub const BITS: u64 = 256;

/// All numbers from `low` to `high`.
#[derive(Debug, Clone)]
pub struct Interval {
    pub low: Dyadic,
    pub high: Dyadic,
}

impl Interval {
    /// Everything between two numbers, a little more.
    pub fn new(low: &Dyadic, high: &Dyadic) -> Self {
        assert!(low <= high);
        Self { low: low.rounded(BITS, Side::Down), high: high.rounded(BITS, Side::Up) }
    }

    pub fn point(number: &Dyadic) -> Self {
        Self::new(number, number)
    }

    pub fn whole(number: i64) -> Self {
        Self::point(&Dyadic::whole(number))
    }

    /// The interval of a quotient.
    pub fn of(number: &Rational) -> Self {
        Self { low: number.rounded(BITS, Side::Down), high: number.rounded(BITS, Side::Up) }
    }

    /// From the low end of one to the high end of another.
    pub fn spanning(low: Self, high: Self) -> Self {
        Self { low: low.low, high: high.high }
    }

    /// Times a power of two, exactly.
    pub fn scaled(&self, by: i64) -> Self {
        Self { low: self.low.scaled(by), high: self.high.scaled(by) }
    }

    /// The largest absolute value.
    pub fn size(&self) -> Dyadic {
        self.low.abs().max(self.high.abs())
    }

    /// With so much more at both ends.
    pub fn widened(&self, by: &Dyadic) -> Self {
        Self::new(&(&self.low - by), &(&self.high + by))
    }

    pub fn root(&self) -> Self {
        Self { low: self.low.root(BITS, Side::Down), high: self.high.root(BITS, Side::Up) }
    }

    pub fn contains(&self, number: &Dyadic) -> bool {
        self.low <= *number && *number <= self.high
    }
}

impl Add for &Interval {
    type Output = Interval;

    fn add(self, other: &Interval) -> Interval {
        Interval { low: sum(&self.low, &other.low, Side::Down), high: sum(&self.high, &other.high, Side::Up) }
    }
}

/// A sum in which numbers of very different size are not written out to all digits.
fn sum(x: &Dyadic, y: &Dyadic, side: Side) -> Dyadic {
    if x.is_zero() || y.is_zero() {
        return (x + y).rounded(BITS, side);
    }
    let (large, small) = if x.magnitude() >= y.magnitude() { (x, y) } else { (y, x) };
    let far = 2 * BITS as i64;
    if large.magnitude() - small.magnitude() <= far {
        return (x + y).rounded(BITS, side);
    }
    // 2^e with |small| < 2^e, in its place where that is on the right side, else nothing.
    let least = Dyadic::power_of_two(large.magnitude() - far);
    let step = match (side, small.is_negative()) {
        (Side::Down, true) => -&least,
        (Side::Up, false) => least,
        _ => Dyadic::zero(),
    };
    (large + &step).rounded(BITS, side)
}

impl Neg for &Interval {
    type Output = Interval;

    fn neg(self) -> Interval {
        Interval { low: -&self.high, high: -&self.low }
    }
}

impl Sub for &Interval {
    type Output = Interval;

    fn sub(self, other: &Interval) -> Interval {
        self + &-other
    }
}

impl Mul for &Interval {
    type Output = Interval;

    fn mul(self, other: &Interval) -> Interval {
        if !self.low.is_negative() && !other.low.is_negative() {
            return Interval::new(&(&self.low * &other.low), &(&self.high * &other.high));
        }
        let products = [
            &self.low * &other.low,
            &self.low * &other.high,
            &self.high * &other.low,
            &self.high * &other.high,
        ];
        let low = products.iter().min().expect("four products");
        let high = products.iter().max().expect("four products");
        Interval::new(low, high)
    }
}

impl Div for &Interval {
    type Output = Interval;

    fn div(self, other: &Interval) -> Interval {
        assert!(other.low.is_positive(), "only positive divisors are needed");
        let divisor = |end: &Dyadic, largest: bool| {
            let divisor = if largest != end.is_negative() { &other.low } else { &other.high };
            let side = if largest { Side::Up } else { Side::Down };
            end.divided(divisor, BITS, side)
        };
        Interval { low: divisor(&self.low, false), high: divisor(&self.high, true) }
    }
}
