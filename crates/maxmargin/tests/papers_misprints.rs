//! Promise: where the papers are printed wrong, the printed version fails on labels that can be checked by hand, and the
//! version that this library follows does not.
//!
//! SLACK is Choi, Meshi, Srebro (AISTATS 2016), THESIS is Choi (2018). Labels are points (h, g) of a plane, the oracles
//! are loops over all of them, and the referee is enumeration. Each test runs the printed version beside the corrected
//! one; the random label sets are seeded, so the shares of failures that the tests demand are not chance.

use std::cell::RefCell;
use std::collections::HashSet;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::common::label_plane::angular::{Angle, Ends, LIMIT, OnDiagonal, Run, angular_search};
use crate::common::label_plane::hull::{HALF, LOG, SLACK, Side, corrected_search, printed_search};
use crate::common::label_plane::{Label, best_phi, extremes, labels_around, oracle, whole_labels};

fn labels(points: &[(f64, f64)]) -> Vec<Label> {
    points.iter().map(|&(h, g)| Label { h, g }).collect()
}

// ---- THESIS 3.3.1: for which α, β is h·g^β + g^α quasi-concave where it is not negative? ----

/// "α ≤ −1 or α ≥ 0, 0 ≤ β − α ≤ 1".
fn accepted_as_printed(alpha: f64, beta: f64) -> bool {
    (alpha <= -1.0 || alpha >= 0.0) && (0.0..=1.0).contains(&(beta - alpha))
}

fn accepted(alpha: f64, beta: f64) -> bool {
    accepted_as_printed(beta, alpha)
}

fn generalised(y: Label, alpha: f64, beta: f64) -> f64 {
    y.h * y.g.powf(beta) + y.g.powf(alpha)
}

/// Two labels with ψ = c whose middle has ψ < c. The contour is h = c·g^−β − g^(α−β).
fn dent(alpha: f64, beta: f64) -> Option<(Label, Label)> {
    let losses = [0.01, 0.1, 0.3, 1.0, 2.0, 5.0, 20.0, 100.0];
    let on_contour = |c: f64, g: f64| Label { h: c * g.powf(-beta) - g.powf(alpha - beta), g };
    [0.0, 0.1, 1.0, 10.0, 1000.0].into_iter().find_map(|c| {
        let pairs =
            losses.iter().flat_map(|&a| losses.iter().map(move |&b| (on_contour(c, a), on_contour(c, b))));
        pairs.into_iter().find(|&(a, b)| {
            let middle = a.mix(b, 0.5);
            let rounding = 1e-9 * (middle.h.abs() * middle.g.powf(beta) + middle.g.powf(alpha) + c);
            generalised(middle, alpha, beta) < c - rounding
        })
    })
}

#[test]
fn the_condition_of_generalised_scaling_has_alpha_and_beta_exchanged() {
    let (margin, slack) = ((1.0, 0.0), (1.0, 1.0));
    assert!(accepted(margin.0, margin.1) && accepted(slack.0, slack.1));
    assert!(!accepted_as_printed(margin.0, margin.1), "as printed margin rescaling should be rejected");

    let (mut printed, mut wrongly) = (0, Vec::new());
    for (i, j) in (-10..=12).flat_map(|i| (-10..=12).map(move |j| (i, j))) {
        let (alpha, beta) = (f64::from(i) / 4.0, f64::from(j) / 4.0);
        let dent = dent(alpha, beta);
        assert_eq!(
            accepted(alpha, beta),
            dent.is_none(),
            "α = {alpha}, β = {beta}, a middle below both ends: {dent:?}"
        );
        if accepted_as_printed(alpha, beta) {
            printed += 1;
            wrongly.extend(dent.map(|dent| (alpha, beta, dent)));
        }
    }
    assert!(wrongly.len() > printed / 2, "only {} of {printed} accepted as printed are wrong", wrongly.len());
    // What both accept has α = β, where the exchange changes nothing.
    assert!((wrongly.iter()).all(|&(alpha, beta, _)| alpha != beta), "{wrongly:?}");
}

#[test]
fn a_beta_below_zero_is_quasi_concave_at_most_and_falls_with_the_loss() {
    let falls = |alpha: f64, beta: f64| {
        let points = [-3.0, -1.0, -0.3, 0.0, 0.3, 1.0, 3.0]
            .iter()
            .flat_map(|&h| [0.2, 1.0, 4.0].map(|g| Label { h, g }));
        points.into_iter().find(|&y| {
            let psi_g = y.h * beta * y.g.powf(beta - 1.0) + alpha * y.g.powf(alpha - 1.0);
            generalised(y, alpha, beta) >= 0.0 && psi_g < -1e-9
        })
    };
    for (i, j) in (-10..=12).flat_map(|i| (-10..=12).map(move |j| (i, j))) {
        let (alpha, beta) = (f64::from(i) / 4.0, f64::from(j) / 4.0);
        if accepted(alpha, beta) {
            let falls = falls(alpha, beta);
            assert_eq!(falls.is_some(), beta < 0.0, "α = {alpha}, β = {beta}: ψ_g < 0 at {falls:?}");
        }
    }
}

// ---- SLACK Alg. 2: angular search ----

fn search(labels: &[Label], lambda0: f64, ends: Ends, on_diagonal: OnDiagonal) -> Run {
    angular_search(labels, Angle::ALL, lambda0, ends, on_diagonal)
}

fn angular(labels: &[Label], lambda0: f64, ends: Ends) -> Run {
    search(labels, lambda0, ends, OnDiagonal::CloseAngle)
}

/// How many of the random sets of whole labels `fails` holds for, and the first of them with the λ₀ used.
fn failures(sets: usize, fails: impl Fn(&[Label], f64) -> bool) -> (usize, Option<(Vec<Label>, f64)>) {
    let mut random = Pcg64Mcg::seed_from_u64(29);
    let sets = (0..sets).map(|_| (whole_labels(&mut random), [0.5, 1.0, 2.0][random.random_range(0..3)]));
    let mut failed = sets.filter(|(labels, lambda0)| fails(labels, *lambda0));
    let first = failed.next();
    (failed.count() + usize::from(first.is_some()), first)
}

#[test]
fn a_label_on_the_diagonal_closes_its_angle_and_not_the_search() {
    // λ₀ = 1 finds (1, 4); its upper half, λ = ½, finds (1.4, 2.8) on the diagonal h = λg; (3, 1.5) is in the lower.
    let example = labels(&[(1.0, 4.0), (1.4, 2.8), (3.0, 1.5)]);
    let phi = |on_diagonal| search(&example, 1.0, Ends::HalfOpenWithin, on_diagonal).answer;
    assert_eq!(phi(OnDiagonal::CloseAngle), 4.5, "{example:?}");
    assert_eq!(phi(OnDiagonal::ReturnBest), 4.0, "{example:?}");
    assert_eq!(phi(OnDiagonal::ReturnLabel), 1.4 * 2.8, "less than the first label found: {example:?}");

    let sets = 2000;
    let missed = |on_diagonal| {
        failures(sets, |y, lambda0| {
            search(y, lambda0, Ends::HalfOpenWithin, on_diagonal).answer < best_phi(y)
        })
    };
    for (on_diagonal, least) in [(OnDiagonal::ReturnLabel, sets / 50), (OnDiagonal::ReturnBest, sets / 1000)]
    {
        let (count, _) = missed(on_diagonal);
        assert!(count > least, "{on_diagonal:?} missed the optimum of only {count} sets of {sets}");
    }
    let (count, first) = missed(OnDiagonal::CloseAngle);
    assert_eq!(count, 0, "closing the angle missed the optimum of {first:?}");
}

#[test]
fn half_open_angles_lose_no_label_of_the_middle_slope() {
    const RIGHT: [Ends; 3] = [Ends::AppendixF, Ends::HalfOpen, Ends::HalfOpenWithin];
    // λ₀ = 1 finds (1, 4) and ∂r = 1: by (8) neither 1 < ∂ < 4 nor ¼ ≤ ∂ < 1 has the optimum.
    let example = labels(&[(1.0, 4.0), (2.25, 2.25)]);
    let phi = |ends| angular(&example, 1.0, ends).answer;
    assert_eq!(phi(Ends::Equation8), 4.0, "{example:?}");
    assert_eq!(RIGHT.map(phi), [5.0625; 3], "{RIGHT:?}: {example:?}");

    let sets = 2000;
    let missed = |ends| failures(sets, |y, lambda0| angular(y, lambda0, ends).answer < best_phi(y));
    let (count, _) = missed(Ends::Equation8);
    assert!(count > sets / 100, "(8) lost the optimum of only {count} sets of {sets}");
    for ends in RIGHT {
        let (count, first) = missed(ends);
        assert_eq!(count, 0, "{ends:?} lost the optimum of {first:?}");
    }
}

#[test]
fn no_label_comes_twice_when_angles_stay_within_the_one_they_split() {
    // λ₀ = 2 finds (9, 2), then (6, 3) on the closed end of (2/9, ½]; its mirror is the open end, the slope of (9, 2).
    let example = labels(&[(9.0, 2.0), (6.0, 3.0)]);
    let queries = |ends| angular(&example, 2.0, ends).best.len();
    assert!(queries(Ends::HalfOpen) > 5 && queries(Ends::HalfOpenWithin) <= 5, "{example:?}");

    // Theorem 2: M labels, each seen once, take at most 2M + 1 queries.
    let sets = 2000;
    let over = |ends| failures(sets, |y, lambda0| angular(y, lambda0, ends).best.len() > 2 * y.len() + 1);
    let endless = failures(sets, |y, lambda0| angular(y, lambda0, Ends::Equation8).best.len() == LIMIT);
    let (printed, loose) = (over(Ends::Equation8), over(Ends::HalfOpen));
    assert!(printed.0 > sets / 2, "(8) took over 2M + 1 queries for only {} sets of {sets}", printed.0);
    assert!(endless.0 > sets / 2, "(8) went on without end for only {} sets of {sets}", endless.0);
    assert!(loose.0 > 0, "half-open angles need not stay within the one they split");
    let (count, first) = over(Ends::HalfOpenWithin);
    assert_eq!(count, 0, "over 2M + 1 queries for {first:?}");
}

// ---- SLACK Theorems 4 and 5 ----

/// The first query t after which Φ(y*)/Φ(ŷ) > v^(4/(t+1)).
fn breaks_theorem_4(run: &Run, best: f64, v: f64) -> Option<usize> {
    let queries = 1..=run.best.len();
    queries.into_iter().find(|&t| best / run.best[t - 1] > v.powf(4.0 / (t as f64 + 1.0)) * (1.0 + 1e-12))
}

/// The first t for which t queries do not give an ε-optimal label, with ε from t = 4·log(ĜĤ/φ)/ε.
fn breaks_theorem_5(run: &Run, best: f64, v: f64) -> Option<usize> {
    let queries = 1..=run.best.len();
    queries.into_iter().find(|&t| run.best[t - 1] < (1.0 - 4.0 * v.ln() / t as f64) * best * (1.0 - 1e-12))
}

/// Labels with Ĥ = 1 and Ĝ = `scale`.
fn scaled_labels(random: &mut Pcg64Mcg, scale: f64) -> Vec<Label> {
    let count = random.random_range(2..40);
    let mut labels: Vec<Label> = vec![Label { h: 1.0, g: 1e-6 * scale }, Label { h: 1e-6, g: scale }];
    labels.extend(
        (0..count)
            .map(|_| Label { h: random.random_range(0.01..1.0), g: scale * random.random_range(0.01..1.0) }),
    );
    labels
}

#[test]
fn the_capacity_of_theorem_4_is_lambda_times_the_slope() {
    // λ₀ = 2 = ∂(y₁) makes the printed v₁ = max{λ₀/∂, ∂/λ₀} one, which calls the first label the best.
    let example = labels(&[(2.0, 4.0), (3.0, 3.0)]);
    let run = angular(&example, 2.0, Ends::AppendixF);
    assert_eq!((run.first, run.best[0]), (Some(example[0]), 8.0), "Φ* = 9: {example:?}");
    assert_eq!(breaks_theorem_4(&run, 9.0, 1.0), Some(1), "{run:?}, {example:?}");

    let (mut random, mut broken, sets) = (Pcg64Mcg::seed_from_u64(31), 0, 1000);
    for _ in 0..sets {
        let scale = 10f64.powi(random.random_range(-3..4));
        let (labels, lambda0) =
            (scaled_labels(&mut random, scale), 10f64.powf(random.random_range(-3.0..3.0)));
        let run = angular(&labels, lambda0, Ends::AppendixF);
        let (best, slope) = (best_phi(&labels), run.first.expect("all labels have Φ > 0").slope());
        let printed = (lambda0 / slope).max(slope / lambda0);
        let capacity = (lambda0 * slope).max(1.0 / (lambda0 * slope));
        broken += usize::from(breaks_theorem_4(&run, best, printed).is_some());
        let wrong = breaks_theorem_4(&run, best, capacity);
        assert_eq!(
            wrong, None,
            "v₁ = {capacity} after so many queries, λ₀ = {lambda0}: Φ* = {best}, {run:?}, {labels:?}"
        );
    }
    assert!(broken > sets / 100, "the printed v₁ is broken in only {broken} sets of {sets}");
}

/// Theorem 5's search from λ₀ with φ = `share`·Φ*, and the first query that breaks Theorem 4's bound or its own with
/// v₁ = ĜĤ/φ.
fn theorem_5(labels: &[Label], share: f64, lambda0: f64) -> (Run, [Option<usize>; 2]) {
    let ((h, g), best) = (extremes(labels), best_phi(labels));
    let phi = share * best;
    let angle = Angle { beta: (phi / (h * h), true), alpha: (g * g / phi, true) };
    let run = angular_search(labels, angle, lambda0, Ends::AppendixF, OnDiagonal::CloseAngle);
    let v = g * h / phi;
    let broken = [breaks_theorem_4(&run, best, v), breaks_theorem_5(&run, best, v)];
    (run, broken)
}

#[test]
fn theorem_5_starts_from_h_over_g() {
    // Ĥ = 1, Ĝ = 10⁶, Φ* = 0.86 Ĝ. From λ₀ = Ĝ/Ĥ the oracle sees little but g, and the labels with a little more g and a
    // quarter less h come first. α₀β₀ = (Ĝ/Ĥ)², so line 6 of Alg. 2 itself would start from Ĥ/Ĝ.
    let big = 1e6;
    let mut example = labels(&[(1.0, 0.86 * big), (0.001, big)]);
    example.extend((0..4).map(|k| f64::from(k) * 0.002).map(|d| Label { h: 0.75 + d, g: (0.875 - d) * big }));
    let share = 0.85 / 0.86;
    let (run, broken) = theorem_5(&example, share, big);
    assert_eq!(broken, [Some(2), Some(3)], "λ₀ = Ĝ/Ĥ: {run:?}, {example:?}");
    let (run, broken) = theorem_5(&example, share, 1.0 / big);
    assert_eq!(broken, [None; 2], "λ₀ = Ĥ/Ĝ: {run:?}, {example:?}");

    let (mut random, mut bad, sets) = (Pcg64Mcg::seed_from_u64(37), 0, 2000);
    for _ in 0..sets {
        let scale = 10f64.powi(random.random_range(-6..7));
        let labels = scaled_labels(&mut random, scale);
        let ((h, g), share) = (extremes(&labels), [0.5, 0.9, 0.999][random.random_range(0..3)]);
        bad += usize::from(theorem_5(&labels, share, g / h).1 != [None; 2]);
        let (run, broken) = theorem_5(&labels, share, h / g);
        assert_eq!(broken, [None; 2], "λ₀ = Ĥ/Ĝ, φ = {share} Φ*: {run:?}, {labels:?}");
    }
    assert!(bad > 0, "λ₀ = Ĝ/Ĥ broke the bound in no set of {sets}");
}

// ---- THESIS Alg. 4: convex hull search ----

fn plain(labels: &[Label]) -> impl Fn(f64) -> usize {
    |lambda| oracle(labels, lambda)
}

fn misses(found: f64, best: f64) -> bool {
    found < best - 1e-7 * (1.0 + best.abs())
}

#[test]
fn the_edge_that_leads_to_the_optimum_is_above_the_tangent() {
    let sets = 400;
    // The surrogate, h of the true label, the least h. With h ≥ 0 all labels are inside K₀ of slack rescaling, and K₀ of
    // the log loss is everything; of the last family few labels are inside.
    let families =
        [(&SLACK, 1.0, 0.0), (&LOG, 0.0, -3.0), (&SLACK, 1.0, -3.0), (&HALF, 0.0, -3.0), (&HALF, 0.0, -8.0)];
    let missed_above = families.map(|(psi, truth, low)| {
        let mut random = Pcg64Mcg::seed_from_u64(41);
        let (mut below, mut above) = (0, 0);
        for _ in 0..sets {
            let labels = labels_around(&mut random, truth, low);
            let best = psi.max_on_hull(&labels);
            let [printed, turned] = [Side::Below, Side::Above]
                .map(|side| misses(printed_search(&labels, plain(&labels), psi, side, &[]).potential, best));
            below += usize::from(printed);
            above += usize::from(turned);
            let found = corrected_search(&labels, plain(&labels), psi, &[]);
            assert!(!misses(found.potential, best), "{}: {found:?}, not {best}: {labels:?}", psi.name);
        }
        assert!(below > sets / 5, "{} from {low}: as printed only {below} of {sets} were missed", psi.name);
        above
    });
    // Turning the side is all there is to it inside K₀; outside, the tangent means nothing.
    assert_eq!(missed_above[..2], [0, 0], "missed inside K₀, of {sets} sets");
    assert!(
        missed_above[4] > sets / 5,
        "without a thought for K₀ only {missed_above:?} of {sets} were missed"
    );
}

// ---- When to stop ----

#[test]
fn a_warm_start_that_ends_at_a_known_label_can_end_too_early() {
    let (mut random, sets) = (Pcg64Mcg::seed_from_u64(43), 400);
    let mut early = 0;
    for _ in 0..sets {
        // What was a vertex in the last pass need not be one now; T then joins labels under the hull of S, and the
        // known label that ends the search lies above T. All are inside K₀, and the edge is the right one.
        let labels = labels_around(&mut random, 1.0, 0.0);
        let warm: Vec<usize> = (0..labels.len().min(4)).collect();
        let best = SLACK.max_on_hull(&labels);
        let found = printed_search(&labels, plain(&labels), &SLACK, Side::Above, &warm);
        let missed = misses(found.potential, best);
        assert_eq!(missed, found.excess > 1e-9, "by label {found:?}, not {best}: {labels:?}");
        early += usize::from(missed);
        let found = corrected_search(&labels, plain(&labels), &SLACK, &warm);
        assert!(!misses(found.potential, best), "{found:?}, not {best}: {labels:?}");
    }
    assert!(early > sets / 5, "only {early} of {sets} ended early");
}

#[test]
fn labels_on_one_edge_are_not_visited_one_by_one() {
    // 1001 labels on the edge between two vertices. Which of them comes back is the oracle's choice when they tie; this
    // one likes what it has not returned yet, as a decoder with random ties mostly does.
    let edge: Vec<Label> = (0..=1000).map(|k| Label { h: 1000.0 - f64::from(k), g: f64::from(k) }).collect();
    let fresh = || {
        let returned = RefCell::new(HashSet::new());
        let edge = &edge;
        move |lambda: f64| {
            let top = oracle(edge, lambda);
            let ties = |&y: &usize| edge[y].value(lambda) == edge[top].value(lambda);
            let mut returned = returned.borrow_mut();
            let y = (0..edge.len()).filter(ties).find(|y| !returned.contains(y)).unwrap_or(top);
            returned.insert(y);
            y
        }
    };
    let by_label = printed_search(&edge, fresh(), &SLACK, Side::Above, &[]);
    let by_value = corrected_search(&edge, fresh(), &SLACK, &[]);
    assert!(!misses(by_value.potential, 250_000.0), "{by_value:?}");
    assert!(by_value.queries <= 4, "by value {by_value:?}");
    assert!(by_label.queries > 1000, "by label {by_label:?}");
}

#[test]
fn two_ends_with_different_labels_may_have_nothing_between_them() {
    // Theorem 1: no λ finds (½, ½). Bisection that waits for one label at both ends goes on until λ has no more digits.
    let example = labels(&[(0.01, 1.0), (1.0, 0.01), (0.5, 0.5)]);
    let (mut low, mut high) = (1e-3, 2e3);
    for _ in 0..40 {
        let middle = f64::sqrt(low * high);
        *(if oracle(&example, middle) == oracle(&example, low) { &mut low } else { &mut high }) = middle;
    }
    let ends = [low, high].map(|lambda| example[oracle(&example, lambda)]);
    assert_ne!(ends[0], ends[1], "the ends {low} and {high} of {example:?}");
    // One query where the two ends tie settles it: nothing is above their line.
    let tie = (ends[0].h - ends[1].h) / (ends[1].g - ends[0].g);
    let above = example[oracle(&example, tie)].value(tie) - ends[0].value(tie);
    assert!(above <= 1e-12, "{above} above the line at λ = {tie}: {example:?}");
    // Both searches by λ miss the best label, by any factor; the angular search does not.
    assert_eq!(angular(&example, 1.0, Ends::HalfOpenWithin).answer, 0.25, "{example:?}");
}
