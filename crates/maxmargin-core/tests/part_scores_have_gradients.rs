//! Promise: with part scores from outside, H is that of the same scores made by weights, its gradient is that of finite
//! differences, and what does not fit is refused in words, for every structure and every convex surrogate.

use std::fmt::Debug;
use std::sync::Arc;

use maxmargin_core::features::{FeatureMatrix, Rows};
use maxmargin_core::inference::{LabelGraph, Segment};
use maxmargin_core::risk::{PartAnswer, PartExample, PartRisk, Plane, Risk, StructuredRisk};
use maxmargin_core::search::{MarginSearch, Memory, Search, Strategy, SurrogateSearch};
use maxmargin_core::structure::{
    ChainLoss, ChainOptions, ChainStructure, CodeLevel, CodePyramid, Deformation, Edge, Example, Graph,
    Inference, LabelCost, LabelSet, LandmarkInput, LandmarkOptions, LandmarkStructure, Links,
    MatchingOptions, MatchingStructure, MulticlassStructure, MultilabelOptions, MultilabelStructure,
    PairWeights, PartEdge, Parts, SegmentInput, SegmentLoss, SegmentationOptions, SegmentationStructure,
    Structure, Template, Widths, Window,
};
use maxmargin_core::surrogate::Surrogate;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

const CONVEX: [&str; 7] = ["margin", "slack", "beta=0.5", "general=1.5,1", "log", "prob-convex", "micro-f1"];

/// Makes the part scores of an input from weights.
type PartsOf<X> = Box<dyn Fn(&[f64], &X) -> Vec<f64>>;

/// A structure with inputs, truths, and how to make part scores of weights.
struct Case<S: Structure> {
    structure: S,
    examples: Vec<(S::Input, S::Label)>,
    parts: PartsOf<S::Input>,
}

fn numbers(random: &mut Pcg64Mcg, count: usize, most: f64) -> Vec<f64> {
    (0..count).map(|_| random.random_range(-most..most)).collect()
}

fn matrix(random: &mut Pcg64Mcg, rows: usize, columns: usize) -> Arc<FeatureMatrix> {
    let rows: Vec<Vec<f64>> = (0..rows).map(|_| numbers(random, columns, 1.0)).collect();
    Arc::new(FeatureMatrix::from_dense(&rows))
}

/// Σ_j x_j w[j · labels + y] + bias, for each label.
fn unary(x: &Rows, t: usize, w: &[f64], labels: usize, bias: bool) -> Vec<f64> {
    let bias_start = x.columns() * labels;
    let score = |y: usize| {
        let mut sum = if bias { w[bias_start + y] } else { 0.0 };
        x.row(t).for_each(|j, value| sum += value * w[j * labels + y]);
        sum
    };
    (0..labels).map(score).collect()
}

fn multiclass(random: &mut Pcg64Mcg) -> Case<MulticlassStructure> {
    let x = matrix(random, 4, 3);
    Case {
        structure: MulticlassStructure::new(3, 5, true, LabelCost::ZeroOne).unwrap(),
        examples: (0..4).map(|i| (Rows::new(&x, i..i + 1), random.random_range(0..5))).collect(),
        parts: Box::new(|w, x| unary(x, 0, w, 5, true)),
    }
}

fn chain(random: &mut Pcg64Mcg, boundary: bool, mean: bool) -> Case<ChainStructure> {
    const LABELS: usize = 4;
    let x = matrix(random, 14, 3);
    let loss = ChainLoss { mean, ..ChainLoss::default() };
    let example = |range: std::ops::Range<usize>, random: &mut Pcg64Mcg| {
        let truth = range.clone().map(|_| random.random_range(0..LABELS as u32)).collect();
        (Rows::new(&x, range), truth)
    };
    let examples = [0..5, 5..6, 6..14].map(|range| example(range, random)).into();
    Case {
        structure: ChainStructure::new(3, LABELS, ChainOptions { bias: true, boundary, loss }).unwrap(),
        examples,
        parts: Box::new(|w, x| {
            let positions = (0..x.len()).flat_map(|t| unary(x, t, w, LABELS, true));
            // Transitions, first and last lie in the same order.
            positions.chain(w[4 * LABELS..].iter().copied()).collect()
        }),
    }
}

/// A chain whose first two features are about pairs.
fn chain_of_pairs(random: &mut Pcg64Mcg, boundary: bool) -> Case<ChainStructure> {
    const LABELS: usize = 3;
    let x = matrix(random, 14, 3);
    let examples = [0..5, 5..6, 6..14].map(|range| {
        let truth = range.clone().map(|_| random.random_range(0..LABELS as u32)).collect();
        (Rows::new(&x, range), truth)
    });
    let options = ChainOptions { bias: true, boundary, loss: ChainLoss::default() };
    Case {
        structure: ChainStructure::new(1, LABELS, options).unwrap().with_pair_features(2).unwrap(),
        examples: examples.into(),
        parts: Box::new(|w, x| {
            const PAIRS: usize = LABELS * LABELS;
            let values = |t: usize| {
                let mut values = [0.0; 3];
                x.row(t).for_each(|j, value| values[j] = value);
                values
            };
            let (pairs, others) = w.split_at(2 * PAIRS);
            let position = |t: usize| (0..LABELS).map(move |y| (t, y));
            let positions = (0..x.len()).flat_map(position);
            let positions = positions.map(|(t, y)| values(t)[2] * others[y] + others[LABELS + y]);
            // Transitions, first and last lie in the same order; steps come last.
            let shared = others[2 * LABELS..].iter().copied();
            let steps = (1..x.len()).flat_map(|t| (0..PAIRS).map(move |pair| (t, pair)));
            let steps =
                steps.map(|(t, pair)| values(t)[0] * pairs[pair] + values(t)[1] * pairs[PAIRS + pair]);
            positions.chain(shared).chain(steps).collect()
        }),
    }
}

fn multilabel(
    random: &mut Pcg64Mcg,
    options: MultilabelOptions,
    graph: LabelGraph,
) -> Case<MultilabelStructure> {
    let labels = graph.labels();
    let x = matrix(random, 3, 3);
    let set = |random: &mut Pcg64Mcg| {
        let on: Vec<u32> = (0..labels as u32).filter(|_| random.random_range(0..3) == 0).collect();
        LabelSet::of(&on)
    };
    Case {
        examples: (0..3).map(|i| (Rows::new(&x, i..i + 1), set(random))).collect(),
        parts: Box::new(move |w, x| {
            [unary(x, 0, w, labels, options.bias), w[(3 + usize::from(options.bias)) * labels..].to_vec()]
                .concat()
        }),
        structure: MultilabelStructure::new(3, graph, options.clone()).unwrap(),
    }
}

fn matching(random: &mut Pcg64Mcg, fertility: (u32, u32)) -> Case<MatchingStructure> {
    let x = matrix(random, 9, 2);
    let edges: Vec<Edge> = (0..9).map(|edge| Edge { left: edge / 3, right: edge % 3 }).collect();
    let graph = Graph::new(Rows::new(&x, 0..9), edges.into(), 0).unwrap();
    let truths = [vec![0, 4], vec![1, 3, 8], vec![]];
    Case {
        structure: MatchingStructure::new(2, MatchingOptions { fertility, ..Default::default() }).unwrap(),
        examples: truths.map(|truth| (graph.clone(), Links::of(truth))).into(),
        parts: Box::new(|w, x| {
            (0..9)
                .map(|edge| {
                    let mut sum = w[2];
                    x.rows().row(edge).for_each(|j, value| sum += value * w[j]);
                    sum
                })
                .collect()
        }),
    }
}

/// Segments of three classes with weights of their positions, edges, lengths and ends.
fn segmentation(random: &mut Pcg64Mcg, loss: &SegmentLoss) -> Case<SegmentationStructure> {
    const CLASSES: usize = 3;
    const WIDTHS: [u32; CLASSES] = [1, 3, 2];
    let x = matrix(random, 14, 2);
    let cut = |length: usize, random: &mut Pcg64Mcg| {
        let (mut cut, mut start): (Vec<Segment>, usize) = (Vec::new(), 0);
        while start < length {
            let class = random.random_range(0..CLASSES as u32) as usize;
            let end = (start + random.random_range(1..=WIDTHS[class]) as usize).min(length);
            cut.push(Segment::new(start..end, class));
            start = end;
        }
        cut
    };
    let examples = [0..5, 5..6, 6..14].map(|range| {
        let truth = cut(range.len(), random);
        (SegmentInput::of_positions(Rows::new(&x, range)), truth)
    });
    let options = SegmentationOptions {
        widths: Widths::UpTo(WIDTHS.to_vec()),
        background: Some(0),
        edges: true,
        lengths: true,
        boundary: true,
        loss: loss.clone(),
    };
    Case {
        structure: SegmentationStructure::new(2, 0, options).unwrap(),
        examples: examples.into(),
        parts: Box::new(|w, x| {
            // Weights of both features for all positions, the first and the last; then bias, lengths, transitions, first, last.
            let product = |t: usize, column: usize| {
                let mut sum = 0.0;
                x.positions.row(t).for_each(|j, value| sum += value * w[j * 3 * CLASSES + column]);
                sum
            };
            let (bias, lengths) = (6 * CLASSES, 7 * CLASSES);
            let (transitions, first) = (10 * CLASSES, 10 * CLASSES + CLASSES * CLASSES);
            let mut parts = Vec::new();
            for (last, length, class) in
                (0..x.len()).flat_map(|t| (1..=3).flat_map(move |l| (0..CLASSES).map(move |c| (t, l, c))))
            {
                let Some(start) = (last + 1).checked_sub(length) else {
                    parts.push(0.0);
                    continue;
                };
                let mut sum: f64 = (start..=last).map(|t| product(t, class)).sum();
                sum += product(start, CLASSES + class) + product(last, 2 * CLASSES + class);
                sum += w[bias + class] + w[lengths + (length - 1) * CLASSES + class];
                sum += if start == 0 { w[first + class] } else { 0.0 };
                sum += if last + 1 == x.len() { w[first + CLASSES + class] } else { 0.0 };
                parts.push(sum);
            }
            parts.extend_from_slice(&w[transitions..first]);
            parts
        }),
    }
}

/// Three parts in pictures of 4×3 pixels, of which each part sees its own.
fn landmarks(random: &mut Pcg64Mcg, deformation: Deformation) -> Case<LandmarkStructure> {
    const KINDS: usize = 3;
    let window = |left, top, width, height| Window { left, top, width, height };
    let windows = vec![window(0, 0, 3, 2), window(1, 0, 3, 3), window(2, 1, 2, 2)];
    let edge = |parent, child, x, y| PartEdge { parent, child, offset: (x, y) };
    let options = LandmarkOptions {
        size: (4, 3),
        windows: windows.clone(),
        edges: vec![edge(1, 0, -1, 0), edge(1, 2, 1, 1)],
        deformation,
        template: Template::new(vec![1]).unwrap(),
        kinds: KINDS,
        gradients: None,
    };
    let example = |random: &mut Pcg64Mcg| {
        let codes = (0..12).map(|_| random.random_range(0..KINDS as u32) as u8).collect();
        let picture = CodePyramid::new([CodeLevel::new(4, codes).unwrap()]);
        let truth = windows.iter().map(|window| random.random_range(0..window.cells() as u32)).collect();
        (LandmarkInput { picture, gradients: None, scale: 0.5, frame: (0.0, 0.0, 1.0) }, truth)
    };
    let examples = (0..4).map(|_| example(random)).collect();
    Case {
        structure: LandmarkStructure::new(options).unwrap(),
        examples,
        parts: Box::new(move |w, x| {
            let codes = x.picture.levels()[0].codes();
            let cell = |part: usize, x: usize, y: usize| w[KINDS * part + usize::from(codes[4 * y + x])];
            let of_part = |(part, window): (usize, &Window)| -> Vec<f64> {
                let rows = window.top..window.top + window.height;
                let columns = || window.left..window.left + window.width;
                rows.flat_map(|y| columns().map(move |x| (x, y))).map(|(x, y)| cell(part, x, y)).collect()
            };
            let cells = windows.iter().enumerate().flat_map(of_part);
            cells.chain(w[KINDS * windows.len()..].iter().copied()).collect()
        }),
    }
}

/// H and its gradient, with all that is checked of them.
struct Asked<'a, S: Structure, Q> {
    risk: &'a PartRisk<S, Q>,
    what: String,
}

impl<S: Structure, Q: Search<S>> Asked<'_, S, Q> {
    fn answer(&self, (input, truth): &(S::Input, S::Label), parts: &[f64]) -> PartAnswer<S::Label> {
        let batch = [PartExample { input, truth, parts }];
        self.risk.answers(&batch).unwrap_or_else(|error| panic!("{}: {error}", self.what)).remove(0)
    }

    /// Where the label stays the same on both sides, H is smooth between them. Returns whether it does.
    fn check_gradient(&self, example: &(S::Input, S::Label), parts: &[f64], direction: &[f64]) -> bool {
        const STEP: f64 = 1e-5;
        let here = self.answer(example, parts);
        let moved = |step: f64| {
            let parts: Vec<f64> = parts.iter().zip(direction).map(|(part, d)| part + step * d).collect();
            self.answer(example, &parts)
        };
        let (before, after) = (moved(-STEP), moved(STEP));
        let labels =
            |answer: &PartAnswer<S::Label>| (answer.label.clone(), answer.second.clone().map(|s| s.0));
        if labels(&before) != labels(&here) || labels(&after) != labels(&here) {
            return false;
        }
        let rise = (after.bounds.value - before.bounds.value) / (2.0 * STEP);
        let slope: f64 = here.gradient.iter().zip(direction).map(|(a, b)| a * b).sum();
        assert!(
            (rise - slope).abs() < 1e-6 * (1.0 + slope.abs()),
            "{}: {slope} for {rise}, {here:?}",
            self.what
        );
        true
    }
}

fn check<S, Q>(case: Case<S>, search: Q, what: &str, random: &mut Pcg64Mcg)
where
    S: Structure + Parts<S> + Clone + 'static,
    S::Input: Clone,
    Q: Search<S> + Clone,
    Example<S>: Sync,
{
    let Case { structure, examples, parts: parts_of } = case;
    let example = |(input, truth): &(S::Input, S::Label)| Example {
        input: input.clone(),
        truth: truth.clone(),
        weight: 1.0,
    };
    // A new one for each weights, so that it has no memory of others.
    let linear = || {
        let examples = examples.iter().map(example).collect();
        let risk = StructuredRisk::new(structure.clone(), search.clone(), examples);
        risk.unwrap_or_else(|error| panic!("{what}: {error}"))
    };
    let risk = PartRisk::new(structure.clone(), search.clone()).unwrap();
    let asked = Asked { risk: &risk, what: what.into() };
    let mut smooth = 0;
    for _ in 0..6 {
        let linear = linear();
        let w = numbers(random, linear.dim(), 1.5);
        let all: Vec<Vec<f64>> = examples.iter().map(|(input, _)| parts_of(&w, input)).collect();
        let batch: Vec<_> = examples
            .iter()
            .zip(&all)
            .map(|((input, truth), parts)| PartExample { input, truth, parts })
            .collect();
        let mut memories = vec![Memory::default(); batch.len()];
        let cold = risk.answers(&batch).unwrap();
        assert_eq!(risk.answers_from(&batch, &mut memories).unwrap(), cold, "{what}");
        for (i, answer) in cold.iter().enumerate() {
            let bounds = linear.oracle().plane(i, (&w).into(), &mut Plane::default());
            let value = answer.bounds.value;
            assert!(
                (bounds.value - value).abs() <= 1e-9 * (1.0 + value.abs()),
                "{what}, example {i}: {bounds:?} for {answer:?}"
            );
            assert!(answer.bounds.upper >= bounds.value - 1e-9 && bounds.upper >= value - 1e-9, "{what}");
            assert!(answer.bounds.upper.is_finite(), "{what}: {answer:?}");
            for _ in 0..3 {
                let direction = numbers(random, all[i].len(), 1.0);
                smooth += usize::from(asked.check_gradient(&examples[i], &all[i], &direction));
            }
        }
    }
    assert!(smooth > 20, "{what}: the gradient was compared {smooth} times only");
}

/// All surrogates, each under all searches that find its label; the first argument makes the same case again.
fn check_all<S>(what: &str, case: impl Fn(&mut Pcg64Mcg) -> Case<S>, is_whole: bool)
where
    S: Structure + Parts<S> + Clone + Debug + 'static,
    S::Input: Clone,
    Example<S>: Sync,
{
    let mut random = Pcg64Mcg::seed_from_u64(11);
    check(case(&mut random), MarginSearch, &format!("{what}, margin"), &mut random);
    for surrogate in CONVEX.map(|name| name.parse::<Surrogate>().unwrap()) {
        for strategy in Strategy::ALL {
            let finds_labels = matches!(strategy, Strategy::Stratified | Strategy::Hull);
            let Ok(search) = SurrogateSearch::new(surrogate, strategy) else { continue };
            if (is_whole || !finds_labels) && !strategy.needs_slack() {
                check(case(&mut random), search, &format!("{what}, {surrogate}, {strategy}"), &mut random);
            }
        }
    }
}

#[test]
fn of_multiclass() {
    check_all("multiclass", multiclass, true);
}

#[test]
fn of_chains() {
    check_all("chain", |random| chain(random, true, false), true);
    check_all("chain with features of pairs", |random| chain_of_pairs(random, true), true);
    check_all("the same without ends", |random| chain_of_pairs(random, false), true);
    for seen in [None, Some(&[[0, 1, 2], [1, 1, 0], [2, 0, 2]][..])] {
        let second = |random: &mut Pcg64Mcg, boundary| {
            let case = chain_of_pairs(random, boundary);
            let first = case.structure.dim();
            let parts = case.parts;
            Case {
                structure: case.structure.with_triples(seen).unwrap(),
                parts: Box::new(move |w: &[f64], x: &Rows| {
                    parts(&w[..first], x).into_iter().chain(w[first..].iter().copied()).collect()
                }),
                ..case
            }
        };
        check_all("chain of second order", |random| second(random, true), true);
        check_all("the same without ends", |random| second(random, false), true);
    }
    check_all("chain without ends", |random| chain(random, false, true), true);
}

#[test]
fn of_segmentations() {
    check_all("segments", |random| segmentation(random, &SegmentLoss::Segments), true);
    let positions = SegmentLoss::Positions(ChainLoss::default());
    check_all("their positions", |random| segmentation(random, &positions), true);
}

#[test]
fn of_label_sets() {
    let four = MultilabelOptions::default();
    check_all(
        "complete graph",
        |random| multilabel(random, four.clone(), LabelGraph::complete(4).unwrap()),
        true,
    );
    let both = MultilabelOptions { pair_weights: PairWeights::Both, signed: true, ..four.clone() };
    check_all("signed", |random| multilabel(random, both.clone(), LabelGraph::complete(4).unwrap()), true);
    check_all("no pairs", |random| multilabel(random, both.clone(), LabelGraph::independent(5)), true);
}

#[test]
fn of_fractional_label_sets() {
    let relaxed = MultilabelOptions { inference: Inference::Relaxed, ..MultilabelOptions::default() };
    check_all(
        "relaxed",
        |random| multilabel(random, relaxed.clone(), LabelGraph::complete(4).unwrap()),
        false,
    );
}

#[test]
fn of_matchings() {
    check_all("matching", |random| matching(random, (1, 1)), true);
    check_all("fertile matching", |random| matching(random, (2, 1)), true);
}

#[test]
fn of_landmarks() {
    for deformation in [Deformation::Quadratic { spread: 1.5 }, Deformation::Table] {
        let mut random = Pcg64Mcg::seed_from_u64(12);
        let what = format!("landmarks, {deformation:?}");
        check(landmarks(&mut random, deformation), MarginSearch, &what, &mut random);
        for surrogate in ["margin", "slack", "beta=0.5", "log"].map(|name| name.parse::<Surrogate>().unwrap())
        {
            for strategy in [Strategy::Hull, Strategy::Angular] {
                // The angular search is for slack rescaling only.
                let Ok(search) = SurrogateSearch::new(surrogate, strategy) else { continue };
                let what = format!("{what}, {surrogate}, {strategy}");
                check(landmarks(&mut random, deformation), search, &what, &mut random);
            }
        }
    }
}

#[test]
fn inputs_need_no_features() {
    let graph = Graph::without_features(&[Edge { left: 0, right: 0 }, Edge { left: 0, right: 1 }]).unwrap();
    let structure = MatchingStructure::new(0, MatchingOptions { bias: false, ..Default::default() }).unwrap();
    let risk = PartRisk::new(structure, MarginSearch).unwrap();
    let truth = Links::of(vec![0]);
    let answer =
        &risk.answers(&[PartExample { input: &graph, truth: &truth, parts: &[1.0, 3.0] }]).unwrap()[0];
    assert_eq!((answer.bounds.value, &answer.gradient[..]), (4.0, &[-1.0, 1.0][..]));
}

#[test]
fn what_does_not_fit_is_refused() {
    let structure = ChainStructure::new(0, 3, ChainOptions { bias: false, ..Default::default() }).unwrap();
    let risk = PartRisk::new(structure, MarginSearch).unwrap();
    let input = Rows::without_features(2);
    let refused = |truth: Vec<u32>, parts: Vec<f64>| {
        let good = PartExample { input: &input, truth: &vec![0, 0], parts: &[0.0; 21] };
        let bad = PartExample { input: &input, truth: &truth, parts: &parts };
        risk.answers(&[good, bad]).unwrap_err().to_string()
    };
    let message = refused(vec![0, 1], vec![0.0; 20]);
    assert_eq!(
        message,
        "parts: example 2: 20 numbers, where 21 should be: positions 2 × 3, transitions 3 × 3, first 3, last 3"
    );
    let mut parts = vec![0.0; 21];
    parts[7] = f64::NAN;
    assert!(refused(vec![0, 1], parts).contains("number 7 is NaN"));
    assert!(refused(vec![0, 3], vec![0.0; 21]).contains("there is no label 3"));
    assert!(refused(vec![0], vec![0.0; 21]).contains("2 rows of features, where 1 should be"));
    let batch = [PartExample { input: &input, truth: &vec![0, 0], parts: &[0.0; 21] }];
    assert!(risk.answers_from(&batch, &mut []).is_err());
    let foreign = Memory { lambda: 1.0, labels: vec![vec![7]] };
    assert!(risk.answers_from(&batch, &mut [foreign]).is_err());
}
