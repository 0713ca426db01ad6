//! Promise: a structure, a surrogate, a search, a risk and a solver can be written outside this crate, with nothing but what is
//! public; and what they lack is named when a risk is made.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use maxmargin_core::features::{FeatureMatrix, Rows};
use maxmargin_core::linear::{FeatureSum, round_up};
use maxmargin_core::risk::{
    Bounds, Groups, Oracle, Plane, Point, Risk, RiskId, RiskMemory, StructuredRisk, SummedPlanes, evaluate,
    norm_bound,
};
use maxmargin_core::search::{MarginSearch, Memory, Scene, Search, Strategy, SurrogateSearch, Violation};
use maxmargin_core::solver::{
    Bmrm, Certificate, Limits, Outcome, Progress, RunState, Solver, SolverFactory, SolverKind,
    SolverSettings, SolverState, Stop, load_state, load_state_with, lower_bound_of, resume, run, save_state,
};
use maxmargin_core::structure::{Example, Found, LabelCost, Magnitude, Mix, MulticlassStructure, Structure};
use maxmargin_core::surrogate::{Surrogate, SurrogateFunction};
use maxmargin_core::testing::{check_structure, check_surrogate};
use maxmargin_core::{Error, Result};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

const LABELS: usize = 4;
const FEATURES: usize = 3;

/// Classes with vectors for inputs: nothing but what a structure must have, and the unit of its losses where it says that.
#[derive(Clone, Copy)]
struct Classes {
    unit: Option<f64>,
}

const CLASSES: Classes = Classes { unit: None };

impl Structure for Classes {
    type Input = [f64; FEATURES];
    type Label = u32;
    type Scores = [f64; LABELS];
    type Kernel = ();

    fn dim(&self) -> usize {
        FEATURES * LABELS
    }

    fn check(&self, _x: &[f64; FEATURES], y: &u32) -> Result<()> {
        if (*y as usize) < LABELS {
            Ok(())
        } else {
            Err(Error::parameter("class", "there is none with this number"))
        }
    }

    fn score(&self, w: &[f64], x: &[f64; FEATURES], scores: &mut [f64; LABELS]) {
        *scores = std::array::from_fn(|y| (0..FEATURES).map(|j| x[j] * w[j * LABELS + y]).sum());
    }

    fn magnitude(&self, x: &[f64; FEATURES], _truth: &u32) -> Magnitude {
        let norm = round_up(x.iter().map(|x| x * x).sum::<f64>().sqrt(), 8.0);
        Magnitude { norm, terms: 8.0, repeats: 1.0, loss: 1.0, is_exact: false }
    }

    fn score_of(&self, _x: &[f64; FEATURES], scores: &[f64; LABELS], y: &u32) -> f64 {
        scores[*y as usize]
    }

    fn decode(&self, _x: &[f64; FEATURES], scores: &mut [f64; LABELS]) -> Found<u32> {
        let best = (0..LABELS).fold(0, |best, y| if scores[y] > scores[best] { y } else { best });
        Found::exactly(best as u32, scores[best], 0.0)
    }

    fn loss(&self, _x: &[f64; FEATURES], truth: &u32, y: &u32) -> f64 {
        f64::from(u8::from(truth != y))
    }

    fn loss_unit(&self, _x: &[f64; FEATURES], _truth: &u32) -> Option<f64> {
        self.unit
    }

    fn maximize(&self, x: &[f64; FEATURES], truth: &u32, scores: &mut [f64; LABELS], mix: Mix) -> Found<u32> {
        let rank = |y: u32| mix.rank(scores[y as usize], self.loss(x, truth, &y));
        let best = (0..LABELS as u32).fold(0, |best, y| if rank(y) > rank(best) { y } else { best });
        Found::exactly(best, scores[best as usize], self.loss(x, truth, &best))
    }

    fn add_features<A: FeatureSum + ?Sized>(&self, x: &[f64; FEATURES], y: &u32, factor: f64, sum: &mut A) {
        x.iter().enumerate().for_each(|(j, x)| sum.add(j * LABELS + *y as usize, factor * x));
    }
}

fn inputs(count: usize) -> Vec<([f64; FEATURES], u32)> {
    let mut random = Pcg64Mcg::seed_from_u64(3);
    let mut input = || {
        let truth = random.random_range(0..LABELS as u32);
        (
            std::array::from_fn(|j| {
                random.random_range(-1.0..1.0) + f64::from(u8::from(j == truth as usize))
            }),
            truth,
        )
    };
    (0..count).map(|_| input()).collect()
}

fn classes() -> Vec<Example<Classes>> {
    inputs(30).into_iter().map(|(input, truth)| Example { input, truth, weight: 1.0 }).collect()
}

/// The same examples for the structure that is built in.
fn built_in(search: impl Search<MulticlassStructure> + 'static) -> Box<dyn Risk> {
    let inputs = inputs(30);
    let rows: Vec<_> = inputs.iter().map(|(input, _)| *input).collect();
    let x = Arc::new(FeatureMatrix::from_dense(&rows));
    let example =
        |(i, &(_, truth)): (usize, &(_, u32))| Example { input: Rows::new(&x, i..i + 1), truth, weight: 1.0 };
    let structure = MulticlassStructure::new(FEATURES, LABELS, false, LabelCost::ZeroOne).unwrap();
    Box::new(
        StructuredRisk::new(structure, search, inputs.iter().enumerate().map(example).collect()).unwrap(),
    )
}

fn run_to(risk: &dyn Risk, kind: SolverKind, max_passes: usize) -> Outcome {
    kind.check(risk).unwrap();
    let mut solver = kind.build(risk, &SolverSettings::new(0.05).unwrap()).unwrap();
    let limits = Limits { gap: 1e-7, max_passes, time_limit: None };
    run(solver.as_mut(), risk, limits, |_| ControlFlow::Continue(())).unwrap()
}

fn optimum(risk: &dyn Risk, kind: SolverKind) -> Certificate {
    let outcome = run_to(risk, kind, 3000);
    assert_eq!(outcome.stop, Stop::GapReached, "{kind}: {:?}", outcome.report.certificate);
    outcome.report.certificate
}

/// Two certificates of the same problem bracket the same value.
fn assert_same(a: Certificate, b: Certificate, what: &str) {
    assert!(a.lower_bound <= b.primal && b.lower_bound <= a.primal, "{what}: {a:?}, {b:?}");
}

#[test]
fn a_structure() {
    check_structure(&CLASSES, &classes(), |_| (0..LABELS as u32).collect()).unwrap_or_else(|e| panic!("{e}"));
    let exact = SurrogateSearch::new(Surrogate::SLACK, Strategy::Stratified).unwrap();
    let expected = optimum(built_in(exact).as_ref(), SolverKind::Bcfw);
    for strategy in
        [Strategy::Hull, Strategy::Angular, Strategy::Bisecting, Strategy::Binary, Strategy::Sarawagi]
    {
        let search = SurrogateSearch::new(Surrogate::SLACK, strategy).unwrap();
        // Where losses may be anything, a λ-oracle leaves something open. Where they are 0 or 1, the hull has all there is.
        let risk = |unit| StructuredRisk::new(Classes { unit }, search.clone(), classes()).unwrap();
        if strategy == Strategy::Hull {
            assert_same(optimum(&risk(Some(1.0)), SolverKind::Bcfw), expected, strategy.name());
        }
        let bracket = run_to(&risk(None), SolverKind::Bcfw, 300).report.certificate;
        assert_same(bracket, expected, strategy.name());
        assert!(bracket.gap().0 < 0.2, "{strategy}: {bracket:?}");
    }
}

#[test]
fn what_is_missing_is_named() {
    let risk = |surrogate, strategy| {
        let search = SurrogateSearch::new(surrogate, strategy).unwrap();
        StructuredRisk::new(CLASSES, search, classes()).map(drop).unwrap_err().to_string()
    };
    let message = risk(Surrogate::SLACK, Strategy::Stratified);
    assert!(message.contains("best label of every loss") && message.contains("use hull"), "{message}");
    let message = risk(Surrogate::MicroF1, Strategy::Hull);
    assert!(message.contains("labels that are sets"), "{message}");
    let mut wrong = classes();
    wrong[4].truth = 9;
    let error = StructuredRisk::new(CLASSES, MarginSearch, wrong).map(drop).unwrap_err();
    assert_eq!(error.to_string(), "class: example 5: there is none with this number");
    let prob = SurrogateSearch::new(Surrogate::Prob, Strategy::Hull).unwrap();
    let risk = StructuredRisk::new(CLASSES, prob, classes()).unwrap();
    assert!(!risk.is_convex() && SolverKind::Bcfw.check(&risk).is_err(), "prob has no certificate");
    let saddle = SolverKind::SmallQp.check(&risk).unwrap_err();
    assert!(saddle.to_string().contains("flows"), "{saddle}");
}

/// A surrogate by its functions.
struct Function {
    name: &'static str,
    value: fn(f64, f64) -> f64,
    gradient: fn(f64, f64) -> (f64, f64),
    /// Of the largest loss and the largest h.
    steepest: fn(f64, f64) -> f64,
    rises_and_falls: bool,
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl SurrogateFunction for Function {
    fn name(&self) -> &str {
        self.name
    }

    fn value(&self, h: f64, g: f64) -> f64 {
        (self.value)(h, g)
    }

    fn gradient(&self, h: f64, g: f64) -> (f64, f64) {
        (self.gradient)(h, g)
    }

    fn steepest(&self, range: (f64, f64), _unit: Option<f64>, largest_h: f64) -> f64 {
        (self.steepest)(range.1, largest_h)
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn rises_and_falls(&self) -> bool {
        self.rises_and_falls
    }
}

/// log(1 + e^h).
fn soft_plus(h: f64) -> f64 {
    h.max(0.0) + (-h.abs()).exp().ln_1p()
}

/// g·log(1 + e^h), once more.
static LOG: Function = Function {
    name: "my-log",
    value: |h, g| g * soft_plus(h),
    gradient: |h, g| (g / (1.0 + (-h).exp()), soft_plus(h)),
    steepest: |loss, _| loss,
    rises_and_falls: true,
};

/// g·max(0, 1 + h)², whose slope has no bound, and whose tangents may be negative at h = 0.
static SQUARED: Function = Function {
    name: "squared",
    value: |h, g| g * (1.0 + h).max(0.0).powi(2),
    gradient: |h, g| (2.0 * g * (1.0 + h).max(0.0), (1.0 + h).max(0.0).powi(2)),
    steepest: |loss, largest_h| 2.0 * loss * (1.0 + largest_h),
    rises_and_falls: true,
};

/// Says that it is convex, and is not.
static LIAR: Function = Function {
    name: "liar",
    value: |h, g| g * (h.atan() + 2.0),
    gradient: |h, g| (g / (1.0 + h * h), h.atan() + 2.0),
    steepest: |loss, _| loss,
    rises_and_falls: true,
};

/// Costs something where nothing is wrong.
static COSTLY: Function = Function {
    name: "costly",
    value: |h, _| 1.0 + h,
    gradient: |_, _| (1.0, 0.0),
    steepest: |_, _| 1.0,
    rises_and_falls: false,
};

#[test]
fn a_surrogate() {
    let log = Surrogate::custom(&LOG).unwrap();
    assert_eq!(log.to_string(), "my-log");
    check_surrogate(log, 3.0, 10.0).unwrap_or_else(|e| panic!("{e}"));
    let squared = Surrogate::custom(&SQUARED).unwrap();
    check_surrogate(squared, 3.0, 10.0).unwrap_or_else(|e| panic!("{e}"));
    let liar = check_surrogate(Surrogate::custom(&LIAR).unwrap(), 3.0, 10.0).unwrap_err();
    assert!(liar.to_string().contains("convex"), "{liar}");
    assert!(Surrogate::custom(&COSTLY).is_err());
    assert!(SurrogateSearch::new(log, Strategy::Angular).is_err(), "for slack rescaling only");
    for strategy in [Strategy::Hull, Strategy::Stratified] {
        let risk = |surrogate| built_in(SurrogateSearch::new(surrogate, strategy).unwrap());
        let expected = optimum(risk(Surrogate::Log).as_ref(), SolverKind::Bcfw);
        for kind in [SolverKind::Bcfw, SolverKind::ProxBmrm] {
            assert_same(optimum(risk(log).as_ref(), kind), expected, "log");
        }
        let expected = optimum(risk(squared).as_ref(), SolverKind::Bcfw);
        assert_same(optimum(risk(squared).as_ref(), SolverKind::Bmrm), expected, "squared");
    }
}

/// Margin rescaling by trying all labels.
#[derive(Clone)]
struct TryAll;

impl Search<Classes> for TryAll {
    type Workspace = ();

    fn most_violated(
        &self,
        scene: Scene<'_, Classes>,
        memory: &mut Memory<u32>,
        _: &mut (),
    ) -> Violation<u32> {
        let Scene { structure, input, truth, scores, scale, noise, .. } = scene;
        let value = |y: &u32| {
            scale * (scores[*y as usize] - scores[*truth as usize]) + structure.loss(input, truth, y)
        };
        let label = (0..LABELS as u32).max_by(|a, b| value(a).total_cmp(&value(b))).unwrap_or(*truth);
        memory.keep(&label);
        let (value, offset) = (value(&label), structure.loss(input, truth, &label));
        let rounding = noise.of_margin();
        Violation { label, second: None, slope: 1.0, offset, value, upper: value, rounding, queries: 4 }
    }

    fn remembers(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "try-all"
    }
}

#[test]
fn a_search() {
    let risk = StructuredRisk::new(CLASSES, TryAll, classes()).unwrap();
    let found = optimum(&risk, SolverKind::Bcfw);
    assert_same(found, optimum(built_in(MarginSearch).as_ref(), SolverKind::Bcfw), "try-all");
    // What it remembers goes into checkpoints, and what fits no example is refused without harm.
    let memory = risk.memory();
    assert!(memory.queries > 0 && memory.examples.iter().all(|example| !example.1.is_empty()));
    risk.remember(memory.clone()).unwrap();
    for code in [vec![], vec![7], vec![1, 2]] {
        let mut foreign = memory.clone();
        foreign.examples[2].1 = vec![code];
        assert!(risk.remember(foreign).is_err());
    }
    assert_eq!(risk.memory(), memory);
}

/// Σ max(0, 1 − s_i w) for single numbers: a risk without structure.
struct Hinges(Vec<f64>, RiskId);

struct HingeOracle<'a>(&'a Hinges);

impl Risk for Hinges {
    fn id(&self) -> RiskId {
        self.1
    }

    fn dim(&self) -> usize {
        1
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn weight(&self, _i: usize) -> f64 {
        1.0
    }

    fn magnitude(&self, i: usize) -> Magnitude {
        Magnitude { norm: self.0[i].abs(), terms: 2.0, repeats: 1.0, loss: 1.0, is_exact: false }
    }

    fn oracle(&self) -> Box<dyn Oracle + '_> {
        Box::new(HingeOracle(self))
    }

    fn queries(&self) -> u64 {
        0
    }

    fn memory(&self) -> RiskMemory {
        RiskMemory::default()
    }

    fn remember(&self, _memory: RiskMemory) -> Result<()> {
        Ok(())
    }
}

/// A plane's code says whether the hinge is active: its slope is then factor · s_i, and 0 otherwise.
impl HingeOracle<'_> {
    fn slope(&self, i: usize, plane: &Plane) -> f64 {
        plane.parts().map(|(code, factor)| if code == [1] { factor * self.0.0[i] } else { 0.0 }).sum()
    }
}

impl Oracle for HingeOracle<'_> {
    fn plane(&mut self, i: usize, at: Point<'_>, plane: &mut Plane) -> Bounds {
        let value = 1.0 - self.0.0[i] * at.scale() * at.direction()[0];
        *plane = if value > 0.0 { Plane::new(&[1], -1.0, 1.0) } else { Plane::new(&[0], 0.0, 0.0) };
        let value = value.max(0.0);
        Bounds::new(value, value, 8.0 * f64::EPSILON * (1.0 + self.0.0[i].abs() * at.norm()))
    }

    fn values_there(&mut self, i: usize, planes: &[Plane], values: &mut Vec<f64>) {
        // Only solvers that ask right after `plane` use this one; it has no scores to go by here.
        self.values(i, Point::unmeasured(&[0.0], 1.0), planes, values);
    }

    fn values(&mut self, i: usize, at: Point<'_>, planes: &[Plane], values: &mut Vec<f64>) {
        values.extend(
            planes.iter().map(|plane| self.slope(i, plane) * at.scale() * at.direction()[0] + plane.b),
        );
    }

    fn products(&mut self, i: usize, plane: &Plane, others: &[Plane], products: &mut Vec<f64>) {
        products.clear();
        products
            .extend(others.iter().chain([plane]).map(|other| self.slope(i, plane) * self.slope(i, other)));
    }

    fn add_slopes(
        &mut self,
        i: usize,
        planes: &[Plane],
        factors: &[(usize, f64)],
        sum: &mut dyn FeatureSum,
    ) -> f64 {
        factors.iter().for_each(|&(k, factor)| sum.add(0, factor * self.slope(i, &planes[k])));
        factors.iter().map(|&(k, factor)| (factor * self.slope(i, &planes[k])).abs()).sum()
    }

    fn add_planes(
        &mut self,
        examples: Range<usize>,
        at: Point<'_>,
        slope: &mut dyn FeatureSum,
    ) -> SummedPlanes {
        let mut total = SummedPlanes::default();
        for i in examples {
            let mut plane = Plane::default();
            let bounds = self.plane(i, at, &mut plane);
            let here = self.slope(i, &plane);
            slope.add(0, here);
            let length = here.abs();
            total += SummedPlanes {
                offset: plane.b,
                bounds,
                length,
                additions: 1.0,
                rounded: f64::EPSILON * length,
                roundings: 1.0,
            };
        }
        total
    }
}

#[test]
fn a_risk() {
    let risk = Hinges(vec![1.0, 2.0, -0.5, 1.5], RiskId::new());
    let mut solver = Bmrm::new(0.1, &risk, 1, None).unwrap();
    let limits = Limits { gap: 1e-9, ..Limits::default() };
    let outcome = run(&mut solver, &risk, limits, |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(outcome.stop, Stop::GapReached);
    // From w = 1 on only the negative one costs, and its slope is 0.5/4 = 0.125, more than λ w = 0.1 takes away; but below
    // 1 the first hinge pulls up with 1/4.
    assert!((outcome.weights[0] - 1.0).abs() < 1e-6, "{:?}", outcome.weights);
}

/// Subgradient steps, with a lower bound from the mean of all planes: slow, but it proves something.
struct Subgradient {
    lambda: f64,
    steps: f64,
    weights: Vec<f64>,
    /// The mean of all slopes and offsets so far.
    mean: (Vec<f64>, f64),
}

impl Subgradient {
    const NAME: &str = "subgradient";

    fn new(lambda: f64, dim: usize) -> Self {
        Self { lambda, steps: 0.0, weights: vec![0.0; dim], mean: (vec![0.0; dim], 0.0) }
    }

    fn load(bytes: &[u8], risk: &dyn Risk) -> Result<Self> {
        let (numbers, rest) = bytes.as_chunks::<8>();
        let numbers: Vec<f64> = numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
        let dim = risk.dim();
        if !rest.is_empty() || numbers.len() != 3 + 2 * dim {
            return Err(Error::parameter("checkpoint", "made for another number of weights"));
        }
        let (weights, slope) = numbers[3..].split_at(dim);
        let mean = (slope.to_vec(), numbers[2]);
        Ok(Self { lambda: numbers[0], steps: numbers[1], weights: weights.to_vec(), mean })
    }
}

#[derive(Debug)]
struct Subgradients;

impl SolverFactory for Subgradients {
    fn name(&self) -> &'static str {
        Subgradient::NAME
    }

    fn build(&self, risk: &dyn Risk, settings: &SolverSettings) -> Result<Box<dyn Solver>> {
        Ok(Box::new(Subgradient::new(settings.lambda, risk.dim())))
    }

    fn load(&self, state: &[u8], risk: &dyn Risk) -> Result<Box<dyn Solver>> {
        Ok(Box::new(Subgradient::load(state, risk)?))
    }
}

impl Solver for Subgradient {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn lambda(&self) -> f64 {
        self.lambda
    }

    fn one_pass(&mut self, risk: &dyn Risk) -> Progress {
        let evaluation = evaluate(risk, (&self.weights).into(), &Groups::new(risk.len(), 1))
            .expect("a point of this risk");
        let mut certificate = Certificate::at(self.lambda, &self.weights, evaluation.risk);
        self.steps += 1.0;
        let (plane, share) = (&evaluation.planes[0], 1.0 / self.steps);
        for (mean, slope) in self.mean.0.iter_mut().zip(&plane.slope) {
            *mean += share * (slope - *mean);
        }
        self.mean.1 += share * (plane.offset - self.mean.1);
        // Roughly rounded: a real solver would count operations.
        let norm = norm_bound(&self.mean.0) / self.lambda * (1.0 + 1e-9);
        certificate.lower_bound = lower_bound_of(self.mean.1 * (1.0 - 1e-9), norm, self.lambda, 1.0);
        let weights = self.mean.0.iter().map(|mean| -mean / self.lambda).collect();
        let oracle_calls = risk.len() as u64;
        self.weights = weights;
        Progress { certificate, oracle_calls, master_seconds: 0.0 }
    }

    fn weights(&self) -> &[f64] {
        &self.weights
    }

    fn state(&self) -> Option<SolverState<'_>> {
        let numbers = [self.lambda, self.steps, self.mean.1].into_iter();
        let numbers = numbers.chain(self.weights.iter().copied()).chain(self.mean.0.iter().copied());
        let state = numbers.flat_map(f64::to_le_bytes).collect();
        Some(SolverState::Other { name: Self::NAME, state })
    }
}

#[test]
fn a_solver_with_checkpoints() {
    let risk = StructuredRisk::new(CLASSES, MarginSearch, classes()).unwrap();
    let limits = |max_passes| Limits { gap: 0.0, max_passes, time_limit: None };
    let go_on = |_: &RunState, _: &dyn Solver| ControlFlow::Continue(());
    let kind = SolverKind::custom(&Subgradients);
    let mut solver = kind.build(&risk, &SolverSettings::new(0.05).unwrap()).unwrap();
    let mut state = RunState::new(&risk);
    resume(solver.as_mut(), &risk, limits(20), &mut state, go_on).unwrap();
    let bytes = save_state(&state, solver.as_ref(), &risk).unwrap();
    resume(solver.as_mut(), &risk, limits(60), &mut state, go_on).unwrap();
    let whole = state.into_outcome(Stop::PassLimit);
    assert_same(whole.report.certificate, optimum(&risk, SolverKind::Bcfw), "subgradient");

    let refused = load_state(&bytes, &risk).map(drop).unwrap_err().to_string();
    assert!(refused.contains("subgradient"), "{refused}");
    let (mut state, mut again) = load_state_with(&bytes, &risk, &[&Subgradients]).unwrap();
    resume(again.as_mut(), &risk, limits(60), &mut state, go_on).unwrap();
    let resumed = state.into_outcome(Stop::PassLimit);
    assert_eq!(resumed.weights, whole.weights);
    assert_eq!(resumed.report.certificate, whole.report.certificate);
    // For another risk the state is refused.
    let other = Hinges(vec![1.0], RiskId::new());
    assert!(load_state_with(&bytes, &other, &[&Subgradients]).is_err());
}
