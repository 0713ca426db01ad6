//! Promise: searches keep their bounds on label planes made to be hard. With a thousand labels, all of them on the hull, the
//! hull search asks no more often than there are labels; the angular search comes as near to the best label after t
//! queries as SLACK's Theorem 4 says; and where losses are rounded, the bound covers what rounding hides.

use maxmargin::search::{
    Answer, Memory, Points, Scene, Strategy as Search, SurrogateSearch, Workspace, search,
};
use maxmargin::structure::{ChainScores, ScoreNoise, Structure};
use maxmargin::surrogate::Surrogate;
use maxmargin::tasks::SearchOptions;
use proptest::prelude::*;

use crate::common;

use crate::common::problem::{Problem, Sizes, TaskKind, cases, numbers, problems, weights};
use crate::common::surrogate::{Surrogated, best_label};

/// The truth and `count` labels, each a vertex of the hull: edges by rising steepness, their lengths random.
///
/// `spread` is how many powers of ten lie between the flattest and the steepest edge; with little the chain is nearly a line,
/// and the λ of all its edges are nearly the same.
fn concave(count: usize, spread: f64, lengths: &[f64], h: (f64, f64), g: f64) -> Vec<(f64, f64)> {
    let edge = |k: usize| {
        let steepness = 10f64.powf(spread * (k as f64 / count as f64 - 0.5));
        let length = lengths[k % lengths.len()] + k as f64 * 1e-6;
        (length * steepness / (1.0 + steepness), length / (1.0 + steepness))
    };
    let mut points = vec![(0.0, 0.0)];
    for k in 0..count {
        let (down, up) = edge(k);
        let (h, g) = points[k];
        points.push((h - down, g + up));
    }
    // All of them into the box from h.0 to h.1 and up to g.
    let (deepest, highest) = points[count];
    let mut points: Vec<(f64, f64)> = points
        .into_iter()
        .map(|point| (h.1 + (h.1 - h.0) * point.0 / -deepest, g * point.1 / highest))
        .collect();
    points[0] = (0.0, 0.0);
    points
}

fn curves() -> impl Strategy<Value = Vec<(f64, f64)>> {
    let lengths = prop::collection::vec(0.01..1.0f64, 1..40);
    let spread = prop::sample::select(vec![0.01, 0.5, 2.0, 6.0]);
    let g = prop::sample::select(vec![0.01, 1.0, 7.0, 1000.0]);
    (spread, lengths, -1.0..-0.5f64, 0.1..5.0f64, g)
        .prop_map(|(spread, lengths, low, high, g)| concave(1000, spread, &lengths, (low, high), g))
}

fn run(strategy: Search, points: &[(f64, f64)], surrogate: Surrogate) -> Answer<usize> {
    let mut plane = Points::new(points.to_vec());
    plane.stratified = false;
    search(strategy, &mut plane, surrogate, &mut Memory::default())
}

proptest! {
    #![proptest_config(cases(800))]

    #[test]
    fn the_hull_search_asks_no_more_often_than_there_are_labels(
        points in curves(),
        name in prop::sample::select(vec!["margin", "slack", "beta=0.5", "general=1.5,1", "general=3,2", "log", "prob", "prob-convex"]),
    ) {
        let surrogate: Surrogate = name.parse().unwrap();
        let best = best_label(&points, surrogate).2;
        for strategy in [Search::Hull, Search::HullFractional] {
            let answer = run(strategy, &points, surrogate);
            let asked = answer.queries.len();
            let ends = (points[1], points[points.len() - 1]);
            let case = || format!("{surrogate}, {strategy}, a chain of {} labels from {ends:?}", points.len());
            // All labels but the truth are vertices.
            prop_assert!(asked < points.len(), "{asked} queries: {}", case());
            let rounding = 1e-9 * (1.0 + best);
            prop_assert!(answer.upper >= best - rounding, "best {best}, bound {}: {}", answer.upper, case());
            match strategy {
                Search::Hull => prop_assert!((answer.value - best).abs() <= rounding, "best {best}, found {}: {}", answer.value, case()),
                _ => prop_assert!(answer.value >= best - rounding, "best {best}, found {}: {}", answer.value, case()),
            }
        }
    }

    #[test]
    fn the_angular_search_follows_theorem_4(points in curves()) {
        theorem_4(&points)?;
    }

    #[test]
    fn and_on_scattered_labels(points in prop::collection::vec((-0.999..4.0f64, 0.001..8.0f64), 1..400), scale in -4.0..4.0f64) {
        let scaled = points.into_iter().map(|(h, g)| (h, g * 10f64.powf(scale)));
        theorem_4(&[(0.0, 0.0)].into_iter().chain(scaled).collect::<Vec<_>>())?;
    }
}

/// Φ*/Φ(ŷ^t) ≤ v₁^(4/(t+1)) after t queries, v₁ = max{λ₀∂(y₁), 1/(λ₀∂(y₁))} with ∂ = g/(h + 1).
fn theorem_4(points: &[(f64, f64)]) -> Result<(), TestCaseError> {
    let answer = run(Search::Angular, points, Surrogate::SLACK);
    let best = best_label(points, Surrogate::SLACK).2;
    prop_assert!((answer.value - best).abs() <= 1e-12 * best, "best {best}, found {}", answer.value);
    prop_assert!((answer.upper - best).abs() <= 1e-12 * best, "best {best}, bound {}", answer.upper);
    let first = answer.queries[0];
    let (h, g) = first.answer.expect("some label has Φ > 0");
    let product = first.mix.loss / first.mix.score * g / (h + 1.0);
    let capacity = product.max(1.0 / product);
    let mut found = 0.0_f64;
    for (t, query) in (1..).zip(&answer.queries) {
        found = query.answer.map_or(found, |(h, g)| found.max((h + 1.0) * g));
        let allowed = capacity.powf(4.0 / (f64::from(t) + 1.0));
        prop_assert!(
            best / found <= allowed * (1.0 + 1e-12),
            "Φ* = {best}, {found} after {t} queries, v₁ = {capacity} allows a ratio of {allowed}: {:?}",
            answer.queries
        );
    }
    Ok(())
}

/// Labels whose margin errors and losses lie many powers of ten apart, with which searches begin that remember them.
fn scattered() -> impl Strategy<Value = (Vec<(f64, f64)>, Vec<usize>)> {
    let power = |least: f64, most: f64| (least..most).prop_map(|power| 10f64.powf(power));
    let whole = |most: i32| (0..=most).prop_map(f64::from);
    let h = prop_oneof![
        whole(4),
        (-4..=0).prop_map(f64::from),
        power(-6.0, 17.0),
        power(-6.0, 17.0).prop_map(|h| -h)
    ];
    let g = prop_oneof![3 => whole(6), 1 => power(-14.0, 4.0)];
    (prop::collection::vec((h, g), 1..12), prop::collection::vec(0..12usize, 0..4)).prop_map(
        |(mut points, known)| {
            points.insert(0, (0.0, 0.0));
            let known = known.into_iter().map(|label| label % points.len()).collect();
            (points, known)
        },
    )
}

proptest! {
    #![proptest_config(cases(20_000))]

    #[test]
    fn no_bound_is_false_however_far_apart_labels_lie(
        (points, known) in scattered(),
        name in prop::sample::select(vec!["margin", "slack", "beta=0.5", "beta=0.9", "general=0.5,0", "general=1.5,1", "general=3,2", "general=2,2", "general=0.3,0.3", "log", "prob", "prob-convex"]),
        stratified: bool,
    ) {
        let surrogate: Surrogate = name.parse().unwrap();
        let best = best_label(&points, surrogate).2;
        let largest = |number: fn(&(f64, f64)) -> f64| points.iter().map(number).fold(0.0, f64::max);
        let (extent, loss) = (largest(|point| point.0.abs()), largest(|point| point.1));
        // What `SurrogateSearch` allows for at the least, and the referee of certificates is content with.
        let numbers = surrogate.steepest((0.0, loss), None, f64::INFINITY) * extent + surrogate.value(0.0, loss);
        for strategy in Search::ALL.into_iter().filter(|strategy| strategy.check(surrogate).is_ok()) {
            let mut plane = Points::new(points.clone());
            plane.stratified = stratified || strategy == Search::Stratified;
            let mut memory = Memory { lambda: 1.0, labels: known.clone() };
            let answer = search(strategy, &mut plane, surrogate, &mut memory);
            let rounding = 32.0 * f64::EPSILON * numbers + 4e-12 * answer.value;
            prop_assert!(
                answer.upper + rounding >= best,
                "{surrogate}, {strategy}: {best:e} is more than {:e}, found {:e}, of {points:?} with {known:?}",
                answer.upper, answer.value
            );
        }
    }
}

/// ψ rounded, by definition: a problem with costs that are no whole numbers.
fn rounded(costs: &[u8]) -> impl Fn(Problem) -> Problem + use<> {
    let costs = costs.to_vec();
    move |problem| {
        let labels = problem.labels;
        let cost = |i: usize| {
            if i / labels == i % labels { 0.0 } else { f64::from(1 + costs[i % costs.len()]) / 64.0 }
        };
        Problem { costs: Some((0..labels * labels).map(cost).collect()), ..problem }
    }
}

const RISING: [&str; 8] = [
    "margin",
    "slack",
    "beta=0.5",
    "general=0.5,0",
    "general=1.5,1",
    "general=3,2",
    "general=0.3,0.3",
    "log",
];

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn rounded_losses_are_bounded(
        problem in problems(TaskKind::Chain, Sizes { features: 1..=3, labels: 2..=3, lengths: 1..=4, samples: 1..=2, weighted: false }),
        costs in prop::collection::vec(0u8..200, 9),
        name in prop::sample::select(&RISING[..]),
        at in numbers(),
        scale in prop::sample::select(vec![1.0, 0.1, 0.0]),
    ) {
        let problem = rounded(&costs)(problem);
        let surrogate: Surrogate = name.parse().unwrap();
        let surrogated = Surrogated::new(&problem, surrogate, None);
        let (structure, data) = (problem.chain(), problem.dataset());
        let w: Vec<f64> = weights(&problem, &at).iter().map(|w| scale * w).collect();
        for i in 0..data.len() {
            let (input, truth) = (data.input(i), data.labels_of(i).to_vec());
            let points: Vec<_> = surrogated.labels(i).iter().map(|label| label.point(&w)).collect();
            let best = best_label(&points, surrogate).2.max(0.0);
            let rounding = 1e-9 * (1.0 + best);
            // The last step divides all costs, though the search cannot know.
            for step in [3.0, 0.7, 0.1, 1e-3, 1.0 / 64.0] {
                let search = SurrogateSearch::new(surrogate, Search::Stratified).unwrap().with_step(Some(step));
                let mut scores = ChainScores::default();
                structure.score(&w, &input, &mut scores);
                let scene = Scene { structure: &structure, input: &input, truth: &truth, scores: &mut scores, scale: 1.0, example: 0, noise: ScoreNoise::UNKNOWN };
                let answer = search.answer(scene, &mut Memory::default(), &mut Workspace::default());
                let case = || format!("{surrogate}, step {step}, example {i}: found {}, bound {}, best {best}, labels {points:?}", answer.value, answer.upper);
                prop_assert!(answer.upper >= best - rounding && answer.value <= best + rounding, "{}", case());
                let own = surrogated.surrogate.value(answer.best.h, answer.best.g).max(0.0);
                prop_assert!((own - answer.value).abs() <= rounding, "its own ψ is {own}: {}", case());
                // Rounding costs no more than what it may hide of the best label's loss: little, when steps are small.
                let hidden = step * if problem.mean { 1.0 } else { truth.len() as f64 };
                let ((y, _), ..) = best_label(&points, surrogate);
                let at_least = surrogate.value(points[y].0, (points[y].1 - hidden).max(0.0));
                prop_assert!(answer.value >= at_least - rounding, "at least {at_least}: {}", case());
                if step == 1.0 / 64.0 {
                    prop_assert!((answer.value - best).abs() <= rounding, "{}", case());
                }
            }
        }
    }
}

/// Where ψ falls with the loss, nothing is known of losses between two steps.
#[test]
fn rounding_is_refused_where_it_proves_nothing() {
    let sample = common::problem::Sample {
        rows: vec![vec![1.0]; 3],
        truth: vec![0, 1, 0],
        weight: 1.0,
        edges: vec![],
    };
    let problem = Problem {
        kind: TaskKind::Chain,
        features: 1,
        pair_features: 0,
        second_order: false,
        labels: 2,
        bias: false,
        boundary: false,
        mean: false,
        costs: Some(vec![0.0, 0.3, 0.25, 0.0]),
        sets: common::problem::Sets::default(),
        fertility: (1, 1),
        values: common::problem::Values::Double,
        sparse: false,
        samples: vec![sample],
    };
    let (task, data) = (problem.task(), problem.dataset());
    let refusal = |name: &str, step: Option<f64>, strategy: Option<Search>| {
        let options = SearchOptions { surrogate: name.parse().unwrap(), strategy, step, background: None };
        task.search(&options, &*problem.data()).err().map(|e| e.to_string())
    };
    assert_eq!(refusal("slack", Some(0.1), None), None);
    for strategy in [None, Some(Search::Stratified)] {
        let message = refusal("general=-1,-1.5", Some(0.1), strategy);
        assert!(message.as_ref().is_some_and(|m| m.contains("whole numbers")), "{message:?}");
    }
    for step in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let message = refusal("slack", Some(step), None);
        assert!(message.as_ref().is_some_and(|m| m.contains("above 0")), "step {step}: {message:?}");
    }
    // The search by itself claims no bound.
    let search = SurrogateSearch::new("general=-1,-1.5".parse().unwrap(), Search::Stratified).unwrap();
    let (structure, input, truth) = (problem.chain(), data.input(0), data.labels_of(0).to_vec());
    let mut scores = ChainScores::default();
    structure.score(&vec![0.5; problem.dim()], &input, &mut scores);
    let scene = Scene {
        structure: &structure,
        input: &input,
        truth: &truth,
        scores: &mut scores,
        scale: 1.0,
        noise: ScoreNoise::UNKNOWN,
        example: 0,
    };
    let answer = search.with_step(Some(0.4)).answer(scene, &mut Memory::default(), &mut Workspace::default());
    assert_eq!(answer.upper, f64::INFINITY, "{answer:?}");
}
