//! What certificates assume of functions that are not IEEE operations: `exp`, `ln`, `ln_1p` and `powf` of the platform, and
//! `libm::erfc`, are at most 4 units in the last place off. No standard says so. So it is counted here, where surrogates use
//! them, against the intervals of the referee; and the intervals against digits that are known.
//!
//! `--nocapture` shows the largest error of each.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::exact::dyadic::{Dyadic, Side};
use crate::exact::functions::{self, erfc, exp, ln, ln_1p, pi, power, softplus};
use crate::exact::interval::Interval;
use crate::exact::rational::Rational;

/// The error that is assumed, in units in the last place.
const ASSUMED: f64 = 4.0;

/// Points at which each function is tried.
const POINTS: usize = 1000;

/// How far a number is from all that an interval holds, in units in its last place.
fn error(number: f64, truth: &Interval) -> f64 {
    let unit = Dyadic::from(number.abs().next_up() - number.abs());
    let number = Dyadic::from(number);
    let far = (&number - &truth.low).abs().max((&number - &truth.high).abs());
    far.divided(&unit, 64, Side::Up).to_f64()
}

fn point(number: f64) -> Interval {
    Interval::point(&number.into())
}

/// The largest error at random points, which may not be above what is assumed.
fn check(
    name: &str,
    mut argument: impl FnMut(&mut Pcg64Mcg) -> f64,
    computed: impl Fn(f64) -> f64,
    truth: impl Fn(&Interval) -> Interval,
) {
    let random = &mut Pcg64Mcg::seed_from_u64(12);
    let (mut largest, mut place) = (0.0, 0.0);
    for _ in 0..POINTS {
        let x = argument(random);
        let error = error(computed(x), &truth(&point(x)));
        if error > largest {
            (largest, place) = (error, x);
        }
    }
    println!("{name}: at most {largest:.3} units in the last place, at {place:?}");
    assert!(largest <= ASSUMED, "{name} at {place:?}: {largest} units in the last place");
}

/// Numbers of all sizes between two powers of two.
fn of_any_size(exponents: std::ops::Range<f64>) -> impl FnMut(&mut Pcg64Mcg) -> f64 {
    move |random| random.random_range(exponents.clone()).exp2()
}

#[test]
fn exponentials() {
    check("exp, −40 … 0", |random| random.random_range(-40.0..0.0), f64::exp, exp);
    // Down to the subnormal numbers.
    check("exp, −745 … −40", |random| random.random_range(-745.0..-40.0), f64::exp, exp);
    let mut size = of_any_size(-60.0..0.0);
    check("exp, near 0", move |random| -size(random), f64::exp, exp);
}

#[test]
fn logarithms() {
    check("ln, 2^−40 … 2^40", of_any_size(-40.0..40.0), f64::ln, ln);
    check("ln, near 1", |random| random.random_range(0.9..1.1), f64::ln, ln);
    check("ln_1p, 0 … 1", |random| random.random_range(0.0..1.0), f64::ln_1p, ln_1p);
    check("ln_1p, 2^−1000 … 1", of_any_size(-1000.0..0.0), f64::ln_1p, ln_1p);
}

#[test]
fn powers() {
    for exponent in [0.3, 0.7, 1.5, -1.5, 2.0, 3.0, -1.0, 1.0 / 3.0, -0.7] {
        let truth = |x: &Interval| {
            assert!(x.low == x.high, "points are short");
            power(&x.low.clone().into(), exponent)
        };
        let name = format!("powf({exponent}), 2^−20 … 2^20");
        check(&name, of_any_size(-20.0..20.0), |x| x.powf(exponent), truth);
    }
}

#[test]
fn complementary_error_functions() {
    check("erfc, 0 … 6", |random| random.random_range(0.0..6.0), libm::erfc, erfc);
    check("erfc, 6 … 26", |random| random.random_range(6.0..26.0), libm::erfc, erfc);
    check("erfc, near 0", of_any_size(-60.0..0.0), libm::erfc, erfc);
    let mirrored = |x: &Interval| &Interval::whole(2) - &erfc(&-x);
    check("erfc, −6 … 0", |random| random.random_range(-6.0..0.0), libm::erfc, mirrored);
}

/// A decimal fraction, exactly.
fn decimal(text: &str) -> Rational {
    let (whole, digits) = text.split_once('.').expect("a point");
    let power = Rational::whole(10).power(digits.len() as i32);
    let mut number = Rational::zero();
    for digit in whole.chars().chain(digits.chars()) {
        let digit = Rational::whole(digit.to_digit(10).expect("a digit").into());
        number = &(&number * &Rational::whole(10)) + &digit;
    }
    &number / &power
}

#[test]
fn intervals_hold_known_digits() {
    let one = Interval::whole(1);
    let third = &Rational::whole(7) / &Rational::whole(3);
    let known = [
        (pi(), "3.14159265358979323846264338327950288419716939937510582097494"),
        (exp(&one), "2.71828182845904523536028747135266249775724709369995957496697"),
        (ln(&Interval::whole(10)), "2.30258509299404568401799145468436420760110148862877297603333"),
        (erfc(&one), "0.157299207050285130658779364917390740703933002033697091540062"),
        (
            erfc(&Interval::whole(5)),
            "0.00000000000153745979442803485018834348538337889011805031472337993068791",
        ),
        (power(&third, 0.3), "1.28941594252611926734008149487305091178597154143275289296144"),
    ];
    for (interval, digits) in known {
        let truth = decimal(digits);
        // The last digit is rounded.
        let digits_after = digits.split_once('.').expect("a point").1.len() as i32;
        let last = Rational::whole(10).power(-digits_after);
        let (low, high) = (Rational::from(interval.low.clone()), Rational::from(interval.high.clone()));
        assert!(low <= &truth + &last && &truth - &last <= high, "{interval:?} is not {digits}");
        let width = (&interval.high - &interval.low).magnitude();
        assert!(width <= interval.high.magnitude() - 200, "{interval:?} has {width} bits only");
    }
}

/// Where one way to compute a function goes over into another, both must agree.
#[test]
fn intervals_rise_and_fall_as_functions_do() {
    let tiny = Dyadic::power_of_two(-180);
    for place in [3.0, 0.25, 7.0, 80.0] {
        let (left, right) = (&Dyadic::from(place) - &tiny, &Dyadic::from(place) + &tiny);
        let (left, right) = (erfc(&Interval::point(&left)), erfc(&Interval::point(&right)));
        assert!(left.high >= right.low, "erfc at {place}");
    }
    for h in [-9000.0, -750.0, -1.0, 0.0, 1.0, 40.0, 1e5] {
        let (left, right) = (softplus(&point(h)), softplus(&point(f64::next_up(h))));
        assert!(left.low <= right.high && left.low <= left.high, "softplus at {h}");
        // log(1 + e^h) − log(1 + e^−h) = h.
        let difference = &left - &softplus(&point(-h));
        assert!(difference.contains(&h.into()), "softplus at {h}: {difference:?}");
    }
    assert!(functions::logistic(&Dyadic::zero()) == Dyadic::power_of_two(-1));
}

#[test]
fn rounding_goes_outward() {
    let random = &mut Pcg64Mcg::seed_from_u64(5);
    let mut number = || {
        let size = of_any_size(-80.0..80.0)(random);
        Dyadic::from(size * random.random_range(-1.0..1.0))
    };
    for _ in 0..500 {
        let (x, y) = (number(), number());
        assert_eq!(x.to_f64(), Dyadic::from(x.to_f64()).to_f64());
        for bits in [3, 20, 60] {
            assert!(x.rounded(bits, Side::Down) <= x && x <= x.rounded(bits, Side::Up));
            let (low, high) = (x.divided(&y, bits, Side::Down), x.divided(&y, bits, Side::Up));
            // low ≤ x/y ≤ high, without a division.
            let (low, high) = if y.is_negative() { (&high * &y, &low * &y) } else { (&low * &y, &high * &y) };
            assert!(low <= x && x <= high, "{x:?} / {y:?}");
            let (low, high) = (x.abs().root(bits, Side::Down), x.abs().root(bits, Side::Up));
            assert!(&low * &low <= x.abs() && x.abs() <= &high * &high, "the root of {x:?}");
        }
        // A quotient without end, and a point.
        let seventh = &Rational::from(x) / &Rational::whole(7);
        let (of_seventh, of_y, y) = (Interval::of(&seventh), Interval::point(&y), Rational::from(y));
        let results = [
            (&of_seventh + &of_y, &seventh + &y),
            (&of_seventh - &of_y, &seventh - &y),
            (&of_seventh * &of_y, &seventh * &y),
            (&of_seventh / &(&of_y * &of_y), &seventh / &(&y * &y)),
        ];
        for (interval, truth) in results {
            let (low, high): (Rational, Rational) = (interval.low.into(), interval.high.into());
            assert!(low <= truth && truth <= high);
        }
    }
}
