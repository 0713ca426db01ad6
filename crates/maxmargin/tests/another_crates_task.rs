//! Promise: another crate brings a task with a structure, a surrogate and a solver of its own, and all of it is trained, proven,
//! saved, loaded, resumed and asked by name, with nothing but what is public.
//!
//! The task is ordinal regression: grades 0 < 1 < … of an input, with one direction of the features for all of them and a threshold
//! between each two.

use std::sync::Arc;
use std::time::Duration;

use maxmargin::data::{Attributes, FeatureMatrix, Vocabulary};
use maxmargin::features::Rows;
use maxmargin::linear::{FeatureSum, round_down, round_up};
use maxmargin::metrics::{Comparison, Metrics, mean};
use maxmargin::risk::{Groups, Risk, RiskId, evaluate, norm_bound};
use maxmargin::search::Strategy;
use maxmargin::solver::{
    Certificate, Progress, Solver, SolverFactory, SolverKind, SolverSettings, SolverState, lower_bound_of,
};
use maxmargin::structure::{Example, Found, KBest, Magnitude, Mix, Offers, Structure};
use maxmargin::surrogate::{Surrogate, SurrogateFunction};
use maxmargin::tasks::{RowExamples, Stored, Task, TaskOption, registry};
use maxmargin::testing::{check_structure, check_surrogate};
use maxmargin::training::CheckpointPlan;
use maxmargin::{EngineError, Error, Examples, Model, Result, Trainer};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use serde_json::{Map, Value};

type EngineResult<T> = std::result::Result<T, EngineError>;

// ── The structure ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

/// The score of grade y is y · ⟨u, x⟩ − θ_1 − … − θ_y, so φ(x,y) is y times the row, and −1 for each threshold that is passed.
#[derive(Debug, Clone)]
struct Grading {
    features: usize,
    grades: usize,
}

impl Structure for Grading {
    type Input = Rows;
    type Label = u32;
    type Scores = Vec<f64>;
    type Kernel = ();

    fn dim(&self) -> usize {
        self.features + self.grades - 1
    }

    fn check(&self, x: &Rows, y: &u32) -> EngineResult<()> {
        match x.len() == 1 && x.columns() == self.features && (*y as usize) < self.grades {
            true => Ok(()),
            false => Err(EngineError::parameter("grading", "one row of the features, and a grade there is")),
        }
    }

    fn score(&self, w: &[f64], x: &Rows, scores: &mut Vec<f64>) {
        let (direction, thresholds) = w.split_at(self.features);
        let mut along = 0.0;
        x.row(0).for_each(|j, value| along += direction[j] * value);
        scores.clear();
        scores.push(0.0);
        for (y, threshold) in thresholds.iter().enumerate() {
            scores.push(scores[y] + along - threshold);
        }
    }

    fn magnitude(&self, x: &Rows, _: &u32) -> Magnitude {
        let (most, stored) = ((self.grades - 1) as f64, x.row(0).len() as f64);
        let norm = round_up((most * most * x.row(0).norm_squared() + most).sqrt(), stored + 8.0);
        Magnitude { norm, terms: stored + 2.0 * most + 8.0, repeats: 1.0, loss: most, is_exact: false }
    }

    fn score_of(&self, _: &Rows, scores: &Vec<f64>, y: &u32) -> f64 {
        scores[*y as usize]
    }

    fn decode(&self, _: &Rows, scores: &mut Vec<f64>) -> Found<u32> {
        let best = (0..scores.len()).fold(0, |best, y| if scores[y] > scores[best] { y } else { best });
        Found::exactly(best as u32, scores[best], 0.0)
    }

    fn loss(&self, _: &Rows, truth: &u32, y: &u32) -> f64 {
        f64::from(truth.abs_diff(*y))
    }

    fn loss_unit(&self, _: &Rows, _: &u32) -> Option<f64> {
        Some(1.0)
    }

    fn maximize(&self, x: &Rows, truth: &u32, scores: &mut Vec<f64>, mix: Mix) -> Found<u32> {
        self.k_best(x, Some(truth), scores, mix, 1).remove(0)
    }

    fn add_features<A: FeatureSum + ?Sized>(&self, x: &Rows, y: &u32, factor: f64, sum: &mut A) {
        x.row(0).for_each(|j, value| sum.add(j, factor * f64::from(*y) * value));
        (0..*y as usize).for_each(|threshold| sum.add(self.features + threshold, -factor));
    }

    fn offers(&self) -> Offers<'_, Self> {
        Offers { k_best: Some(self), ..Offers::default() }
    }
}

impl KBest<Grading> for Grading {
    fn k_best(
        &self,
        x: &Rows,
        truth: Option<&u32>,
        scores: &mut Vec<f64>,
        mix: Mix,
        k: usize,
    ) -> Vec<Found<u32>> {
        let loss = |y: u32| truth.map_or(0.0, |truth| self.loss(x, truth, &y));
        let found = (0..).zip(scores.iter()).map(|(y, &score)| Found::exactly(y, score, loss(y)));
        let mut all: Vec<Found<u32>> = found.collect();
        let rank = |found: &Found<u32>| mix.rank(found.score, found.loss);
        all.sort_by(|a, b| rank(b).partial_cmp(&rank(a)).unwrap_or(std::cmp::Ordering::Equal));
        all.truncate(k);
        all
    }
}

// ── The surrogate ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

/// g·max(0, 1 + h)².
#[derive(Debug)]
struct Squared;

impl SurrogateFunction for Squared {
    fn name(&self) -> &str {
        "squared-slack"
    }

    fn value(&self, h: f64, g: f64) -> f64 {
        g * (1.0 + h).max(0.0).powi(2)
    }

    fn gradient(&self, h: f64, g: f64) -> (f64, f64) {
        let slack = (1.0 + h).max(0.0);
        (2.0 * g * slack, slack * slack)
    }

    fn steepest(&self, range: (f64, f64), _: Option<f64>, largest_h: f64) -> f64 {
        2.0 * range.1 * (1.0 + largest_h)
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn rises_and_falls(&self) -> bool {
        true
    }
}

// ── The solver ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/// Frank-Wolfe on the dual, with an exact line search: the mean of planes ⟨slope, w⟩ + offset whose minimum is highest.
struct FrankWolfe {
    risk: RiskId,
    lambda: f64,
    slope: Vec<f64>,
    offset: f64,
    /// What the slope was rounded by, in norm.
    error: f64,
    weights: Vec<f64>,
    best: f64,
}

impl FrankWolfe {
    const NAME: &str = "frank-wolfe";
}

/// Roundings of the few operations on each number in a pass, generously.
const OPERATIONS: f64 = 32.0;

impl Solver for FrankWolfe {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn lambda(&self) -> f64 {
        self.lambda
    }

    fn check(&self, risk: &dyn Risk) -> EngineResult<()> {
        match self.risk == risk.id() {
            true => Ok(()),
            false => Err(EngineError::parameter("risk", "another one")),
        }
    }

    fn one_pass(&mut self, risk: &dyn Risk) -> Progress {
        self.weights = self.slope.iter().map(|slope| -slope / self.lambda).collect();
        let groups = Groups::new(risk.len(), 1);
        let Ok(evaluation) = evaluate(risk, (&self.weights).into(), &groups) else {
            return Progress { certificate: Certificate::UNKNOWN, oracle_calls: 0, master_seconds: 0.0 };
        };
        let here = Certificate::at(self.lambda, &self.weights, evaluation.risk);
        let plane = &evaluation.planes[0];
        let (mut along, mut length) = (0.0, 0.0);
        for (old, new) in self.slope.iter().zip(&plane.slope) {
            along += old * (new - old);
            length += (new - old) * (new - old);
        }
        let gain = self.lambda * (plane.offset - self.offset) - along;
        let share = if gain <= 0.0 { 0.0 } else { (gain / length).min(1.0) };
        for (old, new) in self.slope.iter_mut().zip(&plane.slope) {
            *old += share * (new - *old);
        }
        self.offset = round_down((1.0 - share) * self.offset + share * plane.offset, OPERATIONS);
        let rounded = OPERATIONS * f64::EPSILON * (norm_bound(&self.slope) + norm_bound(&plane.slope));
        self.error = round_up((1.0 - share) * self.error + share * plane.error + rounded, OPERATIONS);
        let norm = round_up((norm_bound(&self.slope) + self.error) / self.lambda, OPERATIONS);
        let load = 1.0 + OPERATIONS * f64::EPSILON;
        self.best = self.best.max(lower_bound_of(self.offset, norm, self.lambda, load));
        let certificate = Certificate { lower_bound: self.best, ..here };
        Progress { certificate, oracle_calls: risk.len() as u64, master_seconds: 0.0 }
    }

    fn weights(&self) -> &[f64] {
        &self.weights
    }

    fn state(&self) -> Option<SolverState<'_>> {
        let numbers = [self.lambda, self.offset, self.error, self.best].into_iter();
        let numbers = numbers.chain(self.slope.iter().copied());
        Some(SolverState::Other { name: Self::NAME, state: numbers.flat_map(f64::to_le_bytes).collect() })
    }
}

#[derive(Debug)]
struct FrankWolfeFactory;

impl SolverFactory for FrankWolfeFactory {
    fn name(&self) -> &'static str {
        FrankWolfe::NAME
    }

    fn build(&self, risk: &dyn Risk, settings: &SolverSettings) -> EngineResult<Box<dyn Solver>> {
        let zero = vec![0.0; risk.dim()];
        Ok(Box::new(FrankWolfe {
            risk: risk.id(),
            lambda: settings.lambda,
            slope: zero.clone(),
            offset: 0.0,
            error: 0.0,
            weights: zero,
            best: 0.0,
        }))
    }

    fn load(&self, state: &[u8], risk: &dyn Risk) -> EngineResult<Box<dyn Solver>> {
        let numbers: Vec<f64> =
            state.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
        match numbers.split_first_chunk::<4>() {
            Some((&[lambda, offset, error, best], slope)) if slope.len() == risk.dim() => {
                let weights = slope.iter().map(|slope| -slope / lambda).collect();
                let (risk, slope) = (risk.id(), slope.to_vec());
                Ok(Box::new(FrankWolfe { risk, lambda, slope, offset, error, weights, best }))
            }
            _ => Err(EngineError::parameter("checkpoint", "of other weights")),
        }
    }
}

// ── The task ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────

#[derive(Debug, Clone, Default)]
struct Grades;

impl Task for Grades {
    type Structure = Grading;

    const NAME: &'static str = "grades";
    const ABOUT: &'static str = "\
A grade for each example

Labels are grades, in the order of their numbers. A mistake costs the distance.";
    const STRATIFIED_NEEDS: [&'static str; 2] = ["strata, which grades do not have", "use hull"];

    fn options() -> Vec<TaskOption> {
        Vec::new()
    }

    fn set(&mut self, option: &str, _: &[String]) -> Result<()> {
        Err(Error::parameter(option, "grades has no options"))
    }

    fn structure(&self, features: usize, labels: usize) -> Result<Grading> {
        match labels {
            2.. => Ok(Grading { features, grades: labels }),
            _ => Err(Error::parameter("labels", "there are at least two grades")),
        }
    }

    // What is about data.

    type Data = RowExamples;

    fn resolve(&self, _: &Vocabulary, _: &RowExamples) -> Result<Self> {
        Ok(self.clone())
    }

    fn input(data: &RowExamples, example: usize) -> Rows {
        data.rows().input(example)
    }

    fn truth(_: &Grading, data: &RowExamples, example: usize) -> Result<u32> {
        Ok(data.label(example))
    }

    fn best_search(_: &Grading, _: Surrogate, _: &RowExamples) -> (Strategy, &'static str) {
        (Strategy::Hull, "grades are few, and all can be listed")
    }

    fn metrics(_: &Grading, comparison: Comparison<'_, RowExamples, u32>) -> Metrics {
        let distance = |i: usize, y: &u32| f64::from(comparison.truth.label(i).abs_diff(*y));
        let is_right = |i: usize, y: &u32| f64::from(u8::from(comparison.truth.label(i) == *y));
        let figures =
            vec![("mean_loss", comparison.mean_loss(distance)), ("accuracy", comparison.mean_loss(is_right))];
        Metrics { figures, ..Metrics::default() }
    }

    // What is about labels, weights and files.

    fn counts_mistakes(&self) -> bool {
        false
    }

    fn has_whole_losses(_: &Grading, _: Surrogate) -> bool {
        false
    }

    fn blocks(&self, features: usize, labels: usize) -> Vec<(&'static str, Vec<usize>)> {
        vec![("direction", vec![features, 1]), ("thresholds", vec![labels - 1])]
    }

    fn save(&self) -> Stored {
        Stored::default().with("loss", self.loss_name())
    }

    fn load(stored: &Stored, _: usize) -> std::result::Result<Self, String> {
        if stored.loss()? == "distance" { Ok(Self) } else { Err("another loss".to_owned()) }
    }

    fn loss_name(&self) -> &'static str {
        "distance"
    }

    fn describe(structure: &Grading, _: &Self) -> String {
        format!("{} grades", structure.grades)
    }

    fn facts(_: &Grading, _: &Self) -> Map<String, Value> {
        Map::new()
    }

    fn name(_: &Self::Structure, names: &Vocabulary, _: &Rows, label: &u32) -> Value {
        names.labels.iter().nth(*label as usize).unwrap_or_default().into()
    }

    fn write(label: &Value) -> String {
        label.as_str().unwrap_or_default().to_owned()
    }
}

// ── The test ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const FEATURES: [&str; 3] = ["price", "service", "noise"];
const GRADES: [&str; 4] = ["poor", "fair", "good", "superb"];
const LAMBDA: f64 = 0.05;

type Graded = ([f64; 3], u32);

fn graded(count: usize) -> Vec<Graded> {
    let mut random = Pcg64Mcg::seed_from_u64(7);
    let mut one = || {
        let x: [f64; 3] = std::array::from_fn(|_| random.random_range(-1.0..1.0));
        let quality = -0.5 * x[0] + 2.0 * x[1] - x[2] + random.random_range(-0.5..0.5);
        (x, [-1.0, 0.0, 1.0].iter().filter(|&&threshold| quality > threshold).count() as u32)
    };
    (0..count).map(|_| one()).collect()
}

/// The only place that knows how examples are made.
fn examples(graded: &[Graded]) -> Examples {
    let rows: Vec<[f64; 3]> = graded.iter().map(|(x, _)| *x).collect();
    let features = FeatureMatrix::from_dense(&rows);
    let labels = graded.iter().map(|(_, grade)| *grade).collect();
    let names = Vocabulary {
        labels: GRADES.into_iter().collect(),
        attributes: Attributes::Named(FEATURES.into_iter().collect()),
    };
    Examples::new(RowExamples::new(features, labels).expect("a grade for each row"), names)
}

/// The objective, straight from its definition.
fn objective(w: &[f64], graded: &[Graded]) -> f64 {
    let score = |x: &[f64; 3], y: u32| {
        let along: f64 = (0..3).map(|j| w[j] * x[j]).sum();
        f64::from(y) * along - w[3..3 + y as usize].iter().sum::<f64>()
    };
    let worst = |(x, truth): &Graded| {
        let psi = |y: u32| Squared.value(score(x, y) - score(x, *truth), f64::from(truth.abs_diff(y)));
        (0..4).map(psi).fold(0.0, f64::max)
    };
    let risk = mean(graded.iter().map(worst).sum(), graded.len());
    0.5 * LAMBDA * w.iter().map(|w| w * w).sum::<f64>() + risk
}

fn trainer(solver: SolverKind, gap: f64) -> Trainer {
    let surrogate = Surrogate::custom(&Squared).expect("a surrogate");
    Trainer::new(Grades).surrogate(surrogate).solver(solver).lambda(LAMBDA).gap(gap)
}

#[test]
fn the_parts_keep_their_word() {
    let graded = graded(12);
    let rows: Vec<[f64; 3]> = graded.iter().map(|(x, _)| *x).chain([[1.0, -2.0, 0.0]]).collect();
    let matrix = Arc::new(FeatureMatrix::from_dense(&rows));
    let truths = graded.iter().map(|(_, truth)| *truth).chain([2]);
    let example =
        |(i, truth): (usize, u32)| Example { input: Rows::new(&matrix, i..i + 1), truth, weight: 1.0 };
    let examples: Vec<_> = truths.enumerate().map(example).collect();
    let structure = Grading { features: 3, grades: 4 };
    check_structure(&structure, &examples, |_| (0..4).collect()).unwrap_or_else(|e| panic!("{e}"));
    let surrogate = Surrogate::custom(&Squared).unwrap();
    check_surrogate(surrogate, 3.0, 10.0).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn it_trains_certifies_saves_loads_and_predicts() {
    let graded = graded(40);
    let examples = examples(&graded);
    let own = SolverKind::custom(&FrankWolfeFactory);
    let model = trainer(own, 1e-3).train(&examples).unwrap();
    assert_eq!(model.description().solver, "frank-wolfe");
    assert_eq!(model.description().surrogate, "squared-slack");

    // The certificate, against the definition: at the weights, around them, and where a built-in solver ends.
    let Certificate { primal, lower_bound, .. } = model.certificate();
    assert!(model.certificate().gap().0 <= 1e-3);
    let value = objective(model.weights(), &graded);
    assert!(lower_bound <= value && value <= primal && primal <= value * (1.0 + 1e-9), "{value}: {primal}");
    let mut random = Pcg64Mcg::seed_from_u64(8);
    for round in 0..2000 {
        let size = 10.0_f64.powi(-(round % 6));
        let near: Vec<f64> =
            model.weights().iter().map(|w| w + size * random.random_range(-1.0..1.0)).collect();
        assert!(objective(&near, &graded) >= lower_bound, "{near:?}");
    }
    let exact = trainer(SolverKind::Bcfw, 1e-9).train(&examples).unwrap();
    let least = objective(exact.weights(), &graded);
    assert!(lower_bound <= least && least <= primal && exact.certificate().lower_bound <= primal, "{least}");
    assert!((least - exact.certificate().primal).abs() <= 1e-8 * least);

    // Nobody knows the task by its name until it is registered.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("grades.model");
    model.save(&path).unwrap();
    assert!(Model::load(&path).unwrap_err().to_string().contains("grades"));
    registry::add::<Grades>().unwrap();
    let loaded = Model::load(&path).unwrap();
    assert_eq!(loaded.weights(), model.weights());
    assert_eq!(loaded.certificate(), model.certificate());
    assert_eq!(loaded.task_as::<Grades>().map(|task| task.structure().grades), Some(4));

    // By the names of attributes, by numbers, and several at once.
    let best = loaded.predict_one(&[[("service", 1.0), ("noise", -1.0), ("garden", 5.0)]]).unwrap();
    assert_eq!(best.names(), ["superb"]);
    assert_eq!(loaded.predict_numbers(&[[1.0, -1.0, 1.0]]).unwrap().names(), ["poor"]);
    let lists = loaded.predict(examples.data(), 2).unwrap();
    let right =
        lists.iter().zip(&graded).filter(|(list, (_, truth))| list[0].names() == [GRADES[*truth as usize]]);
    assert!(
        right.count() >= 30 && lists.iter().all(|list| list.len() == 2 && list[0].score >= list[1].score)
    );
}

#[test]
fn a_run_of_its_solver_goes_on_from_a_checkpoint() {
    let examples = examples(&graded(40));
    let own = SolverKind::custom(&FrankWolfeFactory);
    let whole = trainer(own, 0.0).max_passes(30).train(&examples).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let plan = |resume| CheckpointPlan { directory: folder.path().join("c"), every: Duration::ZERO, resume };
    trainer(own, 0.0).max_passes(10).checkpoint(plan(false)).train(&examples).unwrap();
    let resumed = trainer(own, 0.0).max_passes(30).checkpoint(plan(true)).train(&examples).unwrap();
    assert_eq!((resumed.weights(), resumed.certificate()), (whole.weights(), whole.certificate()));
}
