//! Promise: every surrogate is what it says of itself. It is finite everywhere, its gradient is that of its values, it is
//! convex, linear, monotone and quasi-concave where it claims to be, bounds the task loss where theory says so, and is
//! written and read back the same; parameters out of range are refused with what is allowed.

use maxmargin::surrogate::Surrogate;
use proptest::prelude::*;

use crate::common::problem::cases;

/// All kinds, with parameters at the edges of what is allowed.
const NAMES: [&str; 25] = [
    "margin",
    "slack",
    "beta=0",
    "beta=0.25",
    "beta=0.5",
    "beta=0.999",
    "beta=1",
    "general=0,0",
    "general=0.5,0",
    "general=0.3,0.3",
    "general=0.5,0.5",
    "general=1.25,0.25",
    "general=1.5,1",
    "general=2,1",
    "general=2,2",
    "general=2.2,1.2",
    "general=-1,-1",
    "general=0,-1",
    "general=-1,-1.5",
    "general=-0.5,-1.5",
    "general=-2,-2",
    "log",
    "prob",
    "prob-convex",
    "micro-f1",
];

fn surrogate() -> impl Strategy<Value = Surrogate> {
    prop::sample::select(&NAMES[..]).prop_map(|name| name.parse().unwrap())
}

fn exponents(surrogate: Surrogate) -> Option<(f64, f64)> {
    match surrogate {
        Surrogate::Scaled(scaled) => Some((scaled.alpha(), scaled.beta())),
        _ => None,
    }
}

/// Margin errors: moderate, in the tails, or next to 0.
fn h() -> impl Strategy<Value = f64> {
    let extreme = vec![-1e3, -60.0, -1.0, -1e-9, -0.0, 0.0, 1e-300, 1e-9, 1.0, 60.0, 1e3];
    prop_oneof![-4.0..4.0f64, -1e3..1e3f64, prop::sample::select(extreme)]
}

/// Losses that are not 0.
fn positive_g() -> impl Strategy<Value = f64> {
    let extreme = vec![1e-12, 1e-6, 1e-3, 1.0, 1e3];
    prop_oneof![0.01..8.0f64, (-9.0..3.0f64).prop_map(|x| 10f64.powf(x)), prop::sample::select(extreme)]
}

/// The g of a surrogate that goes with a loss: for Micro-F1, minus the sizes of two sets.
fn g_of(surrogate: Surrogate, loss: f64) -> f64 {
    if surrogate == Surrogate::MicroF1 { -loss.max(1.0) } else { loss }
}

/// The size of the numbers that ψ is added up from: what its rounding is measured by.
fn size(surrogate: Surrogate, h: f64, g: f64) -> f64 {
    match (surrogate, exponents(surrogate)) {
        (_, Some((alpha, beta))) if g > 0.0 => h.abs() * g.powf(beta) + g.powf(alpha),
        (_, Some(_)) => h.abs(),
        (Surrogate::MicroF1, _) => h.abs() / g.abs().max(1.0),
        _ => g * (1.0 + h.abs()) + g.sqrt() * h.abs(),
    }
}

/// A point of K₀, reached from any point by raising h; none where that does not help.
fn inside(surrogate: Surrogate, h: f64, g: f64) -> Option<(f64, f64)> {
    let least = match exponents(surrogate) {
        Some((alpha, beta)) if g > 0.0 => -g.powf(alpha - beta),
        Some(_) | None if surrogate == Surrogate::MicroF1 || g == 0.0 => 0.0,
        _ => f64::NEG_INFINITY,
    };
    let h = if h >= least { h } else { least + (least - h).min(10.0) };
    // Rounding may put the edge of K₀ outside.
    surrogate.contains(h, g).then_some((h, g))
}

proptest! {
    #![proptest_config(cases(40_000))]

    #[test]
    fn no_slope_is_steeper_than_the_steepest(surrogate in surrogate(), h in h(), g in positive_g(), low in 0.0..1.0f64, high in 1.0..3.0f64) {
        let (range, least) = match surrogate {
            Surrogate::MicroF1 => ((-g * high, -g * low), 0.0),
            _ => ((0.0, g * high), g * low.max(0.01)),
        };
        let g = if surrogate == Surrogate::MicroF1 { -g } else { g };
        let (slope, steepest) = (surrogate.gradient(h, g).0, surrogate.steepest(range, Some(least), f64::INFINITY));
        prop_assert!(slope <= steepest * (1.0 + 1e-12), "{surrogate} at {h}, {g}: {slope} is more than {steepest}");
        prop_assert_eq!(surrogate.steepest(range, None, f64::INFINITY).is_infinite(), surrogate.is_unbounded());
    }

    #[test]
    fn finite(surrogate in surrogate(), h in h(), loss in positive_g(), zero in prop::bool::weighted(0.2)) {
        let g = if zero { 0.0 } else { g_of(surrogate, loss) };
        let value = surrogate.value(h, g);
        prop_assert!(value.is_finite(), "{surrogate}: ψ({h}, {g}) = {value}");
        let (by_h, by_g) = surrogate.gradient(h, g);
        prop_assert!(by_h.is_finite() && by_h >= 0.0 && !by_g.is_nan(), "{surrogate} at ({h}, {g}): ({by_h}, {by_g})");
        prop_assert!(g == 0.0 || by_g.is_finite(), "{surrogate} at ({h}, {g}): ∂ψ/∂g = {by_g}");
        // Losses as small as numbers can be; with β < 0 the value itself is too large for a number.
        if exponents(surrogate).is_none_or(|(_, beta)| beta >= 0.0) {
            for g in [f64::MIN_POSITIVE, 5e-324].map(|loss| g_of(surrogate, loss)) {
                let value = surrogate.value(h, g);
                prop_assert!(value.is_finite(), "{surrogate}: ψ({h}, {g:e}) = {value}");
                let (by_h, by_g) = surrogate.gradient(h, g);
                prop_assert!(by_h.is_finite() && !by_g.is_nan(), "{surrogate} at ({h}, {g:e}): ({by_h}, {by_g})");
            }
        }
    }

    #[test]
    fn gradients_are_those_of_the_values(surrogate in surrogate(), h in h(), loss in positive_g()) {
        let g = g_of(surrogate, loss);
        // Not across h = 0, where the second derivative of ProbLoss's extension jumps.
        let h = if h.abs() < 1e-6 { 1e-6 } else { h };
        let step = 1e-5 * h.abs().min(1.0) * g.abs().sqrt().min(1.0);
        let (by_h, by_g) = surrogate.gradient(h, g);
        let central = |f: &dyn Fn(f64) -> f64, step: f64| (f(step) - f(-step)) / (2.0 * step);
        let scale = size(surrogate, h, g);
        let difference = central(&|d| surrogate.value(h + d, g), step);
        let rounding = 1e-15 * scale / step + 1e-15 * h.abs() / step * by_h;
        prop_assert!(
            (by_h - difference).abs() <= rounding + 1e-5 * (by_h.abs() + difference.abs()) + 1e-9 * g.abs().sqrt(),
            "{surrogate} at ({h}, {g}): ∂ψ/∂h = {by_h}, differences {difference}"
        );
        let step = 1e-5 * g.abs();
        let difference = central(&|d| surrogate.value(h, g + d), step);
        let terms = scale / g.abs();
        prop_assert!(
            (by_g - difference).abs() <= 1e-15 * scale / step + 1e-6 * terms * (1.0 + h * h / g.abs()).min(1e3),
            "{surrogate} at ({h}, {g}): ∂ψ/∂g = {by_g}, differences {difference}"
        );
    }

    #[test]
    fn convex_or_linear_in_h(surrogate in surrogate(), a in h(), b in h(), loss in positive_g(), share in 0.0..1.0f64) {
        let g = g_of(surrogate, loss);
        let middle = surrogate.value(a + share * (b - a), g);
        let (at_a, at_b) = (surrogate.value(a, g), surrogate.value(b, g));
        let chord = at_a + share * (at_b - at_a);
        let rounding = 1e-13 * (size(surrogate, a, g) + size(surrogate, b, g));
        prop_assert!(
            !surrogate.is_convex() || middle <= chord + rounding,
            "{surrogate}, g = {g}: ψ = {at_a} at {a}, {at_b} at {b}, {middle} above {chord} at {share} of the way"
        );
        prop_assert!(
            !surrogate.is_linear() || (middle - chord).abs() <= rounding,
            "{surrogate}, g = {g}: ψ = {at_a} at {a}, {at_b} at {b}, {middle} for {chord} at {share} of the way"
        );
        // A tangent lies below: what makes a label a cutting plane.
        let tangent = at_a + surrogate.gradient(a, g).0 * (b - a);
        prop_assert!(
            !surrogate.is_convex() || at_b >= tangent - rounding,
            "{surrogate}, g = {g}: the tangent at {a} has {tangent} at {b}, ψ = {at_b}"
        );
    }

    #[test]
    fn increasing(surrogate in surrogate(), h in h(), loss in positive_g(), more in positive_g(), zero in prop::bool::weighted(0.1)) {
        let g = if zero && surrogate != Surrogate::MicroF1 { 0.0 } else { g_of(surrogate, loss) };
        let value = surrogate.value(h, g);
        let rounding = 1e-13 * (size(surrogate, h, g) + size(surrogate, h + more, g));
        prop_assert!(surrogate.value(h + more, g) >= value - rounding, "{surrogate}: falls with h from ({h}, {g}) by {more}");
        let Some((h, g)) = inside(surrogate, h, g).filter(|_| surrogate.is_monotone()) else { return Ok(()) };
        let value = surrogate.value(h, g);
        let higher = (g + more).min(if surrogate == Surrogate::MicroF1 { -1.0 } else { f64::INFINITY });
        let rounding = 1e-13 * (size(surrogate, h, g) + size(surrogate, h, higher));
        // Where β > 0 a label without loss is worth 0 whatever its h, and labels of less than 0 do not matter.
        let there = surrogate.value(h, higher);
        prop_assert!(
            there >= value - rounding || (g == 0.0 && value == 0.0),
            "{surrogate}: {value} at ({h}, {g}), {there} at ({h}, {higher})"
        );
    }

    #[test]
    fn quasi_concave(
        surrogate in surrogate(),
        a in (h(), positive_g()),
        b in (h(), positive_g()),
        share in prop_oneof![Just(0.5), 0.0..1.0f64],
        zero in prop::bool::weighted(0.1),
    ) {
        let loss = if zero && surrogate.is_monotone() { 0.0 } else { a.1 };
        let (a, b) = (inside(surrogate, a.0, g_of(surrogate, loss)), inside(surrogate, b.0, g_of(surrogate, b.1)));
        let (Some(a), Some(b)) = (a, b) else { return Ok(()) };
        let middle = (a.0 + share * (b.0 - a.0), a.1 + share * (b.1 - a.1));
        let at = |point: (f64, f64)| surrogate.value(point.0, point.1);
        let lower = at(a).min(at(b));
        let sizes = size(surrogate, middle.0, middle.1);
        prop_assert!(
            at(middle) >= lower - 1e-12 * (sizes + lower),
            "{surrogate}: {} at {a:?}, {} at {b:?}, but {} at {middle:?}", at(a), at(b), at(middle)
        );
    }

    #[test]
    fn at_least_the_task_loss_of_a_mistake(surrogate in surrogate(), h in h(), loss in positive_g()) {
        let alpha_is_one = exponents(surrogate).is_some_and(|(alpha, _)| alpha == 1.0);
        let bounds = alpha_is_one || surrogate.needs_hamming();
        let h = h.abs();
        let value = if bounds { surrogate.value(h, loss) } else { f64::INFINITY };
        prop_assert!(value >= loss * (1.0 - 1e-15), "{surrogate}: ψ({h}, {loss}) = {value}");
    }

    #[test]
    fn micro_f1_without_margin_error_is_one_minus_f1(both in 0u32..50, missed in 0u32..50, wrong in 0u32..50) {
        let [both, missed, wrong] = [both, missed, wrong].map(f64::from);
        prop_assume!(both + missed + wrong > 0.0);
        let (size, truth) = (both + wrong, both + missed);
        let f1 = 2.0 * both / (size + truth);
        let value = Surrogate::MicroF1.value(missed + wrong, -size - truth);
        prop_assert!((value - (1.0 - f1)).abs() <= 1e-15, "{value} for F1 = {f1}");
    }

    #[test]
    fn names_are_read_back(alpha_less_beta in 0.0..=1.0f64, beta in prop_oneof![0.0..3.0f64, -3.0..=-1.0f64], tenths in (0u32..=10, 0u32..40)) {
        let (difference, tenth) = tenths;
        let (low, high) = (f64::from(tenth) / 10.0, f64::from(tenth + difference) / 10.0);
        for text in [format!("general={},{beta}", beta + alpha_less_beta), format!("general={high},{low}")] {
            // The sum may be rounded up by a digit that does not matter.
            let surrogate = text.parse::<Surrogate>();
            prop_assert!(surrogate.is_ok(), "{text}: {}", surrogate.unwrap_err());
            let surrogate = surrogate.unwrap();
            let again: Surrogate = surrogate.to_string().parse().unwrap();
            prop_assert_eq!(surrogate, again, "{} is written {}", text, surrogate);
        }
        if beta >= 0.0 {
            let surrogate: Surrogate = format!("beta={}", alpha_less_beta).parse().unwrap();
            prop_assert_eq!(surrogate, surrogate.to_string().parse().unwrap());
        }
    }

    #[test]
    fn parameters_out_of_range_are_refused(alpha in -4.0..4.0f64, beta in -4.0..4.0f64) {
        let wrong = |x: f64| !(-1e-9..=1.0 + 1e-9).contains(&x);
        if wrong(alpha - beta) || (beta > -1.0 && beta < 0.0) {
            let refusal = format!("general={alpha},{beta}").parse::<Surrogate>().map(|s| s.to_string());
            let message = refusal.map_err(|e| e.to_string());
            prop_assert!(
                matches!(&message, Err(m) if m.contains("between 0 and 1") && m.contains("at most −1")),
                "α = {alpha}, β = {beta}: {message:?}"
            );
        }
        if wrong(beta) {
            let message = format!("beta={beta}").parse::<Surrogate>().map_err(|e| e.to_string());
            prop_assert!(matches!(&message, Err(m) if m.contains("between 0 and 1")), "β = {beta}: {message:?}");
        }
    }
}

#[test]
fn the_truth_costs_nothing() {
    for name in NAMES {
        let surrogate: Surrogate = name.parse().unwrap();
        assert_eq!(surrogate.value(0.0, 0.0), 0.0, "{name}");
    }
    for size in 0..5 {
        assert_eq!(Surrogate::MicroF1.value(0.0, -2.0 * f64::from(size)), 0.0, "Micro-F1, {size} labels");
    }
}

#[test]
fn prob_is_not_convex_and_says_so() {
    let prob = Surrogate::Prob;
    assert!(!prob.is_convex());
    let [low, middle, high] = [0.0, 2.0, 4.0].map(|h| prob.value(h, 1.0));
    assert!(middle > 0.5 * (low + high) + 0.1, "{low}, {middle}, {high}");
}

#[test]
fn names_that_are_none_are_refused_with_what_there_is() {
    let cases = [
        ("hinge", "margin, slack, beta=B"),
        ("", "micro-f1"),
        ("beta", "beta=B"),
        ("beta=x", "not a number"),
        ("beta=", "not a number"),
        ("beta=nan", "between 0 and 1"),
        ("beta=inf", "between 0 and 1"),
        ("general=1", "two numbers"),
        ("general=1,", "not a number"),
        ("general=nan,0", "between 0 and 1"),
        ("general=inf,inf", "between 0 and 1"),
        ("general=-inf,-inf", "between 0 and 1"),
        ("margin=1", "margin, slack"),
        ("Slack", "margin, slack"),
    ];
    for (text, allowed) in cases {
        let message = text.parse::<Surrogate>().map_err(|e| e.to_string());
        assert!(matches!(&message, Err(m) if m.contains(allowed)), "{text:?}: {message:?}");
    }
}
