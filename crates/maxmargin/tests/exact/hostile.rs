//! Random small problems whose numbers are hard on floating point: columns that share a large offset, columns of very
//! different scales, duplicates, contradictions, columns that are equal or constant, examples without features.

use maxmargin::search::Strategy as SearchStrategy;
use maxmargin::solver::SolverSettings;
use maxmargin::surrogate::Surrogate;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rand::seq::{IndexedMutRandom, IndexedRandom};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::common::polytope::relaxed;
use crate::common::problem::{Problem, Sample, Sizes, TaskKind, Values, problems};
use crate::common::surrogate::Surrogated;

/// Surrogates that are convex in the weights, each as often as it stands here.
const SURROGATES: [&str; 18] = [
    "margin",
    "margin",
    "margin",
    "margin",
    "margin",
    "slack",
    "slack",
    "log",
    "prob-convex",
    "micro-f1",
    "beta=0.5",
    "beta=0.3",
    "general=2,1",
    "general=2,2",
    "general=1.5,0.7",
    "general=0.7,0",
    "general=0,-1",
    "general=-1.5,-1.5",
];

/// The most labels that an example of a matching may have.
const MOST_MATCHINGS: usize = 70;

/// A problem, how it is trained, and when training ends.
#[derive(Debug, Clone)]
pub struct Case {
    /// Whether its numbers are of moderate size, so that a solver should get to the gap.
    pub is_tame: bool,
    pub surrogated: Surrogated,
    pub settings: SolverSettings,
    pub gap: f64,
    pub passes: usize,
}

/// The problem of a seed.
pub fn case(seed: u64) -> Case {
    let random = &mut Pcg64Mcg::seed_from_u64(seed);
    let mut problem = small_problem(random);
    problem.second_order = problem.kind == TaskKind::Chain && seed % 5 == 3;
    let is_tame = seed.is_multiple_of(3);
    if is_tame {
        give_digits(&mut problem, random);
    } else {
        spoil(&mut problem, random);
    }
    let lambdas = if is_tame { (-3, 1) } else { (-8, 3) };
    let surrogate: Surrogate = SURROGATES.choose(random).expect("a surrogate").parse().expect("a surrogate");
    let strategy = if random.random() { None } else { SearchStrategy::ALL.choose(random).copied() };
    let mut surrogated = Surrogated::new(&problem, surrogate, strategy);
    surrogated.background = random.random_range(0..2u32).checked_sub(1);
    if surrogated.try_risk().is_err() {
        surrogated.strategy = None;
    }
    let settings = SolverSettings {
        groups: random.random_range(1..=4),
        seed: random.random_range(0..1000),
        ..SolverSettings::new(number_between(lambdas.0, lambdas.1, random)).expect("a positive number")
    };
    // Masters of problems that are beyond floating point take long: many passes are for a few of them.
    let limits = if is_tame { [60, 200, 200, 200] } else { [10, 20, 40, 120] };
    let passes = *limits.choose(random).expect("a limit");
    let gap = *[1e-3, 1e-6, 1e-9, 1e-12, 0.0].choose(random).expect("a gap");
    Case { is_tame, surrogated, settings, gap, passes }
}

/// A problem with small whole numbers.
fn small_problem(random: &mut Pcg64Mcg) -> Problem {
    let sizes = Sizes { features: 1..=3, labels: 2..=3, lengths: 1..=4, samples: 2..=4, weighted: true };
    let strategy = match random.random_range(0..10) {
        0..4 => {
            problems(TaskKind::Multiclass, Sizes { features: 1..=4, labels: 2..=4, samples: 2..=5, ..sizes })
        }
        4..6 => problems(TaskKind::Chain, sizes),
        6..8 => problems(TaskKind::Multilabel, Sizes { labels: 2..=4, samples: 2..=5, ..sizes }),
        8 => relaxed(3..=4, 3),
        _ => problems(TaskKind::Matching, Sizes { features: 1..=4, lengths: 1..=9, ..sizes }),
    };
    let mut bytes = [0; 32];
    random.fill(&mut bytes[..]);
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    loop {
        let problem = strategy.new_tree(&mut runner).expect("nothing is filtered").current();
        let is_small = |i: usize| problem.labels_of(i).len() <= MOST_MATCHINGS;
        if problem.kind != TaskKind::Matching || (0..problem.samples.len()).all(is_small) {
            return problem;
        }
    }
}

/// A number of this order of magnitude: a power of ten, or one with all digits.
pub fn number_between(least: i32, most: i32, random: &mut Pcg64Mcg) -> f64 {
    let digits = if random.random() { 1.0 } else { random.random_range(1.0..10.0) };
    let power = random.random_range(least..=most);
    (digits * format!("1e{power}").parse::<f64>().expect("a number")).clamp(ten(least), ten(most))
}

fn ten(power: i32) -> f64 {
    format!("1e{power}").parse().expect("a number")
}

/// Makes the numbers of a problem hard on floating point.
pub fn spoil(problem: &mut Problem, random: &mut Pcg64Mcg) {
    duplicate(problem, random);
    give_digits(problem, random);
    let whole = if random.random() { 1.0 } else { number_between(-12, 12, random) };
    let (scales_differ, offsets) = (random.random_range(0..4) == 0, random.random_range(0..4));
    let common_offset = number_between(5, 13, random);
    for column in 0..problem.features {
        let scale = if scales_differ { number_between(-12, 12, random) } else { whole };
        let offset = match offsets {
            0 => 0.0,
            1 => common_offset,
            2 if random.random() => number_between(5, 13, random),
            2 => 0.0,
            _ => common_offset * scale,
        };
        values_of(problem, column).for_each(|value| *value = *value * scale + offset);
    }
    spoil_columns(problem, random);
    if random.random_range(0..3) == 0 {
        for sample in &mut problem.samples {
            sample.weight = number_between(-3, 3, random);
        }
    }
}

/// Features and costs with many digits, or with decimal ones.
pub fn give_digits(problem: &mut Problem, random: &mut Pcg64Mcg) {
    problem.values = Values::Double;
    let digits = random.random_range(0..3);
    for value in problem.samples.iter_mut().flat_map(|sample| &mut sample.rows).flatten() {
        match digits {
            0 => {}
            1 => *value += random.random_range(-1.0..1.0),
            _ => *value = f64::from(random.random_range(-2000..2000)) / 1000.0,
        }
    }
    if random.random() {
        let unit = if random.random() { 0.1 } else { random.random_range(0.1..3.0) };
        problem.costs.iter_mut().flatten().for_each(|cost| *cost *= unit);
    }
}

/// The values of a column.
fn values_of(problem: &mut Problem, column: usize) -> impl Iterator<Item = &mut f64> {
    problem.samples.iter_mut().flat_map(|sample| &mut sample.rows).map(move |row| &mut row[column])
}

/// Equal columns, constant columns, examples without features.
fn spoil_columns(problem: &mut Problem, random: &mut Pcg64Mcg) {
    if problem.features > 1 && random.random_range(0..6) == 0 {
        let rows = problem.samples.iter_mut().flat_map(|sample| &mut sample.rows);
        rows.for_each(|row| row[1] = row[0]);
    }
    if random.random_range(0..6) == 0 {
        let column = random.random_range(0..problem.features);
        let constant = problem.samples[0].rows.first().map_or(1.0, |row| row[column]);
        values_of(problem, column).for_each(|value| *value = constant);
    }
    if random.random_range(0..8) == 0 {
        let sample = problem.samples.choose_mut(random).expect("an example");
        sample.rows.iter_mut().flatten().for_each(|value| *value = 0.0);
    }
}

/// Two equal examples, or two that contradict each other.
fn duplicate(problem: &mut Problem, random: &mut Pcg64Mcg) {
    if random.random_range(0..4) != 0 {
        return;
    }
    let mut copy: Sample = problem.samples[0].clone();
    if random.random() {
        let labels = problem.labels as u32;
        for truth in &mut copy.truth {
            *truth = match problem.kind {
                TaskKind::Multiclass | TaskKind::Chain => (*truth + 1) % labels,
                TaskKind::Multilabel => 1 - *truth,
                // No link at all is always allowed.
                TaskKind::Matching => 0,
            };
        }
    }
    *problem.samples.last_mut().expect("an example") = copy;
}
