//! Numbers m·2^e with whole m of any length: every `f64` is one, and so are their sums and products.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

use num_bigint::{BigInt, Sign};
use num_traits::{Signed, Zero};

/// m·2^e, exactly. The mantissa is odd, or 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dyadic {
    mantissa: BigInt,
    exponent: i64,
}

/// To which side a number is rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Down,
    Up,
}

/// m / 2^shift, rounded to a whole number.
fn shifted(mantissa: &BigInt, shift: u64, side: Side) -> BigInt {
    // The shift of negative numbers rounds down as well.
    match side {
        Side::Down => mantissa >> shift,
        Side::Up => -(-mantissa >> shift),
    }
}

impl Dyadic {
    pub fn new(mantissa: BigInt, exponent: i64) -> Self {
        match mantissa.trailing_zeros() {
            None => Self::zero(),
            Some(0) => Self { mantissa, exponent },
            Some(zeros) => Self { mantissa: mantissa >> zeros, exponent: exponent + zeros as i64 },
        }
    }

    pub fn zero() -> Self {
        Self { mantissa: BigInt::zero(), exponent: 0 }
    }

    pub fn one() -> Self {
        Self::power_of_two(0)
    }

    pub fn power_of_two(exponent: i64) -> Self {
        Self { mantissa: BigInt::from(1), exponent }
    }

    pub fn whole(number: i64) -> Self {
        Self::new(BigInt::from(number), 0)
    }

    pub fn mantissa(&self) -> &BigInt {
        &self.mantissa
    }

    pub fn exponent(&self) -> i64 {
        self.exponent
    }

    pub fn is_zero(&self) -> bool {
        self.mantissa.is_zero()
    }

    pub fn is_negative(&self) -> bool {
        self.mantissa.is_negative()
    }

    pub fn is_positive(&self) -> bool {
        self.mantissa.is_positive()
    }

    pub fn abs(&self) -> Self {
        Self { mantissa: self.mantissa.abs(), exponent: self.exponent }
    }

    /// e with 2^(e−1) ≤ |x| < 2^e; of no use for 0.
    pub fn magnitude(&self) -> i64 {
        self.mantissa.bits() as i64 + self.exponent
    }

    /// x·2^by.
    pub fn scaled(&self, by: i64) -> Self {
        if self.is_zero() {
            return Self::zero();
        }
        Self { mantissa: self.mantissa.clone(), exponent: self.exponent + by }
    }

    /// With a mantissa of at most so many bits.
    pub fn rounded(&self, bits: u64, side: Side) -> Self {
        match self.mantissa.bits() {
            length if length <= bits => self.clone(),
            length => {
                let shift = length - bits;
                Self::new(shifted(&self.mantissa, shift, side), self.exponent + shift as i64)
            }
        }
    }

    /// self / other with so many bits at least.
    pub fn divided(&self, other: &Self, bits: u64, side: Side) -> Self {
        assert!(!other.is_zero(), "division by 0");
        let wanted = bits as i64 + 1 + other.mantissa.bits() as i64 - self.mantissa.bits() as i64;
        let shift = wanted.max(0) as u64;
        let numerator = &self.mantissa << shift;
        let (mut quotient, rest) = (&numerator / &other.mantissa, &numerator % &other.mantissa);
        // The quotient is rounded towards 0.
        if !rest.is_zero() {
            let is_negative = rest.is_negative() != other.is_negative();
            match side {
                Side::Down if is_negative => quotient -= 1,
                Side::Up if !is_negative => quotient += 1,
                _ => {}
            }
        }
        Self::new(quotient, self.exponent - other.exponent - shift as i64).rounded(bits, side)
    }

    /// √x with so many bits.
    pub fn root(&self, bits: u64, side: Side) -> Self {
        assert!(!self.is_negative(), "root of a negative number");
        if self.is_zero() {
            return Self::zero();
        }
        let mut shift = (2 * bits as i64 + 2 - self.mantissa.bits() as i64).max(0);
        shift += (self.exponent - shift).rem_euclid(2);
        let radicand = &self.mantissa << shift as u64;
        let mut root = radicand.sqrt();
        if side == Side::Up && &root * &root != radicand {
            root += 1;
        }
        Self::new(root, (self.exponent - shift) / 2).rounded(bits, side)
    }

    /// The nearest whole number, more or less: within 1.
    pub fn to_whole(&self) -> i64 {
        let whole = match self.exponent {
            exponent if exponent >= 0 => &self.mantissa << exponent as u64,
            exponent => {
                shifted(&(self + &Self::power_of_two(-1)).mantissa_at(exponent), -exponent as u64, Side::Down)
            }
        };
        i64::try_from(whole).expect("a number of moderate size")
    }

    /// m with x = m·2^exponent; what is smaller than that is cut off.
    fn mantissa_at(&self, exponent: i64) -> BigInt {
        match self.exponent - exponent {
            shift if shift >= 0 => &self.mantissa << shift as u64,
            shift => &self.mantissa >> -shift as u64,
        }
    }

    /// An `f64` near the number, for people and for starting points; nothing is proven with it.
    pub fn to_f64(&self) -> f64 {
        let short = self.rounded(62, Side::Down);
        let mantissa = i64::try_from(&short.mantissa).expect("62 bits") as f64;
        // In two steps, each of which may underflow or overflow only if the number does.
        let half = (short.exponent / 2).clamp(-1000, 1000) as i32;
        let rest = (short.exponent - i64::from(half)).clamp(-1000, 1000) as i32;
        mantissa * power_of_two(half) * power_of_two(rest)
    }
}

/// 2^e for −1000 ≤ e ≤ 1000.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

impl From<f64> for Dyadic {
    fn from(number: f64) -> Self {
        assert!(number.is_finite(), "{number} is no number");
        let bits = number.to_bits();
        let (field, fraction) = ((bits >> 52 & 0x7ff) as i64, bits & ((1 << 52) - 1));
        let (mantissa, exponent) =
            if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
        let sign = if number < 0.0 { Sign::Minus } else { Sign::Plus };
        Self::new(BigInt::from_biguint(sign, mantissa.into()), exponent)
    }
}

impl Add for &Dyadic {
    type Output = Dyadic;

    fn add(self, other: &Dyadic) -> Dyadic {
        if self.is_zero() {
            return other.clone();
        }
        if other.is_zero() {
            return self.clone();
        }
        let (high, low) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        let shift = (high.exponent - low.exponent) as u64;
        Dyadic::new((&high.mantissa << shift) + &low.mantissa, low.exponent)
    }
}

impl Neg for &Dyadic {
    type Output = Dyadic;

    fn neg(self) -> Dyadic {
        Dyadic { mantissa: -&self.mantissa, exponent: self.exponent }
    }
}

impl Sub for &Dyadic {
    type Output = Dyadic;

    fn sub(self, other: &Dyadic) -> Dyadic {
        self + &-other
    }
}

impl Mul for &Dyadic {
    type Output = Dyadic;

    fn mul(self, other: &Dyadic) -> Dyadic {
        // The product of odd numbers is odd.
        match self.is_zero() || other.is_zero() {
            true => Dyadic::zero(),
            false => Dyadic {
                mantissa: &self.mantissa * &other.mantissa,
                exponent: self.exponent + other.exponent,
            },
        }
    }
}

impl Ord for Dyadic {
    fn cmp(&self, other: &Self) -> Ordering {
        let signs = (self.mantissa.sign(), other.mantissa.sign());
        match signs {
            (Sign::Plus, Sign::Plus) if self.magnitude() != other.magnitude() => {
                self.magnitude().cmp(&other.magnitude())
            }
            (Sign::Minus, Sign::Minus) if self.magnitude() != other.magnitude() => {
                other.magnitude().cmp(&self.magnitude())
            }
            (here, there) if here != there => here.cmp(&there),
            _ => (self - other).mantissa.cmp(&BigInt::zero()),
        }
    }
}

impl PartialOrd for Dyadic {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// ⟨x, y⟩ with as many bits as it takes.
pub fn dot(x: &[Dyadic], y: &[Dyadic]) -> Dyadic {
    assert_eq!(x.len(), y.len());
    x.iter().zip(y).fold(Dyadic::zero(), |sum, (x, y)| match x.is_zero() || y.is_zero() {
        true => sum,
        false => &sum + &(x * y),
    })
}
