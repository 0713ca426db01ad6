//! Quotients of dyadic numbers, exactly.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};

use super::dyadic::{Dyadic, Side};

/// A quotient with a positive denominator. It is not reduced: denominators here are products of a few counts and costs.
#[derive(Clone)]
pub struct Rational {
    numerator: Dyadic,
    denominator: Dyadic,
}

impl Rational {
    pub fn zero() -> Self {
        Dyadic::zero().into()
    }

    pub fn one() -> Self {
        Dyadic::one().into()
    }

    pub fn whole(number: i64) -> Self {
        Dyadic::whole(number).into()
    }

    pub fn is_zero(&self) -> bool {
        self.numerator.is_zero()
    }

    pub fn is_negative(&self) -> bool {
        self.numerator.is_negative()
    }

    pub fn is_positive(&self) -> bool {
        self.numerator.is_positive()
    }

    /// Cut to so many bits, unless it is shorter.
    pub fn rounded(&self, bits: u64, side: Side) -> Dyadic {
        if self.denominator == Dyadic::one() {
            return self.numerator.rounded(bits, side);
        }
        self.numerator.divided(&self.denominator, bits, side)
    }

    /// x^exponent for a whole exponent, which may be negative unless x is 0.
    pub fn power(&self, exponent: i32) -> Self {
        let product = (0..exponent.unsigned_abs()).fold(Self::one(), |product, _| &product * self);
        if exponent < 0 { &Self::one() / &product } else { product }
    }

    /// An `f64` near the number, for people.
    pub fn to_f64(&self) -> f64 {
        self.rounded(62, Side::Down).to_f64()
    }
}

impl From<Dyadic> for Rational {
    fn from(numerator: Dyadic) -> Self {
        Self { numerator, denominator: Dyadic::one() }
    }
}

impl From<f64> for Rational {
    fn from(number: f64) -> Self {
        Dyadic::from(number).into()
    }
}

impl Add for &Rational {
    type Output = Rational;

    fn add(self, other: &Rational) -> Rational {
        if self.denominator == other.denominator {
            return Rational {
                numerator: &self.numerator + &other.numerator,
                denominator: self.denominator.clone(),
            };
        }
        Rational {
            numerator: &(&self.numerator * &other.denominator) + &(&other.numerator * &self.denominator),
            denominator: &self.denominator * &other.denominator,
        }
    }
}

impl Neg for &Rational {
    type Output = Rational;

    fn neg(self) -> Rational {
        Rational { numerator: -&self.numerator, denominator: self.denominator.clone() }
    }
}

impl Sub for &Rational {
    type Output = Rational;

    fn sub(self, other: &Rational) -> Rational {
        self + &-other
    }
}

impl Mul for &Rational {
    type Output = Rational;

    fn mul(self, other: &Rational) -> Rational {
        Rational {
            numerator: &self.numerator * &other.numerator,
            denominator: &self.denominator * &other.denominator,
        }
    }
}

impl Div for &Rational {
    type Output = Rational;

    fn div(self, other: &Rational) -> Rational {
        assert!(!other.is_zero(), "division by 0");
        let (numerator, denominator) =
            (&self.numerator * &other.denominator, &self.denominator * &other.numerator);
        match denominator.is_negative() {
            true => Rational { numerator: -&numerator, denominator: -&denominator },
            false => Rational { numerator, denominator },
        }
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.denominator == other.denominator {
            return self.numerator.cmp(&other.numerator);
        }
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Rational {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Rational {}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "≈{:?}", self.to_f64())
    }
}
