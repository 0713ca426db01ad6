//! Promise: certificates of risks of candidate labels are true to the last digit where floating point loses all of them.
//!
//! The referee of `exact` lists all labels inside and outside of the candidates of small problems, and holds every solver to them. What examples
//! weigh is taken as the risk has it: the mean is over the functions that can be anything but 0.
//!
//! `MAXMARGIN_CERTIFICATE_RUNS` says how many problems, `MAXMARGIN_CERTIFICATE_SEED` with which to begin.

use std::sync::Arc;

use maxmargin::features::Rows;
use maxmargin::risk::{CandidateExample, CandidateOptions, CandidateProblem, Risk};
use maxmargin::solver::{Limits, SolverKind};
use maxmargin::structure::{CandidateLoss, CandidateSets, Structure};
use maxmargin::surrogate::Surrogate;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::common;
use crate::common::problem::{Problem, Sample, TaskKind};
use crate::exact::docket::Docket;
use crate::exact::dyadic::Dyadic;
use crate::exact::hostile::{self, case};
use crate::exact::judge::{Trial, judge_bounds, try_solver};
use crate::exact::objective::{ExactLabel, ExactProblem};
use crate::exact::optimum::optimum;
use crate::exact::rational::Rational;

/// Problems by default.
const PROBLEMS: usize = 40;

/// A problem, with candidates for each position of each example; the truth is the completion, and one of them.
struct Case {
    problem: Problem,
    candidates: Vec<Vec<Vec<u32>>>,
    options: CandidateOptions,
    hostile: hostile::Case,
}

/// One of the problems that certificates of known labels are tried on, with candidates.
fn with_candidates(seed: u64) -> Option<Case> {
    let random = &mut Pcg64Mcg::seed_from_u64(seed);
    let hostile = case(seed);
    let mut problem = hostile.surrogated.problem.clone();
    if !matches!(problem.kind, TaskKind::Multiclass | TaskKind::Chain) {
        return None;
    }
    problem.second_order = false;
    let labels = problem.labels as u32;
    let mut of_position = |&truth: &u32| match random.random_range(0..4) {
        0 => vec![truth],
        // All are.
        1 => Vec::new(),
        _ => {
            let mut some: Vec<u32> = (0..labels).filter(|&y| y == truth || random.random()).collect();
            some.reverse();
            some
        }
    };
    let of_sample = |sample: &Sample| sample.truth.iter().map(&mut of_position).collect();
    let candidates = problem.samples.iter().map(of_sample).collect();
    let random = &mut Pcg64Mcg::seed_from_u64(seed + 1);
    let weights = [0.0, 0.3, 1.0, 2.7];
    let options = CandidateOptions {
        inside: *weights.choose(random).unwrap(),
        outside: *weights[1..].choose(random).unwrap(),
        loss: if random.random() { CandidateLoss::Completion } else { CandidateLoss::Nearest },
    };
    Some(Case { problem, candidates, options, hostile })
}

impl Case {
    fn sets(&self, i: usize) -> CandidateSets {
        CandidateSets::new(self.candidates[i].iter().map(Vec::as_slice))
    }

    /// The risk as the library has it. `None` where nothing is known of any label.
    fn risk(&self) -> Option<Box<dyn Risk>> {
        let problem = &self.problem;
        let truths = problem.samples.iter().map(|sample| &sample.truth);
        match problem.kind {
            TaskKind::Chain => self.risk_of(problem.chain(), &truths.cloned().collect::<Vec<_>>()),
            _ => self.risk_of(problem.multiclass(), &truths.map(|truth| truth[0]).collect::<Vec<_>>()),
        }
    }

    fn risk_of<S>(&self, structure: S, completion: &[S::Label]) -> Option<Box<dyn Risk>>
    where
        S: Structure<Input = Rows> + Clone + 'static,
    {
        let matrix = self.problem.dataset().features;
        let mut start = 0;
        let examples = self.problem.samples.iter().enumerate().map(|(i, sample)| {
            let rows = start..start + sample.rows.len();
            start = rows.end;
            let input = Arc::new(Rows::new(&matrix, rows));
            CandidateExample { input, sets: Arc::new(self.sets(i)), weight: sample.weight }
        });
        let problem = CandidateProblem::new(structure, examples.collect(), self.options).ok()?;
        Some(Box::new(problem.risk(completion).unwrap()))
    }

    /// The same with all labels written out.
    fn exact(&self) -> ExactProblem {
        let problem = &self.problem;
        let CandidateOptions { inside, outside, .. } = self.options;
        let sides = [(true, inside), (false, outside)];
        let functions = sides.iter().flat_map(|&(is_inside, weight)| {
            let of_side = (0..problem.samples.len()).map(move |i| (i, self.labels(i, is_inside), weight));
            of_side.filter(move |(_, labels, weight)| *weight > 0.0 && labels.len() > 1)
        });
        let functions: Vec<_> = functions.collect();
        let share = functions.len() as f64 / problem.samples.len() as f64;
        let count = Rational::whole(functions.len() as i64);
        let weight_of = |i: usize, weight: f64| share * problem.samples[i].weight * weight;
        let shares = functions.iter().map(|&(i, _, weight)| &Rational::from(weight_of(i, weight)) / &count);
        let shares = shares.collect();
        let labels = functions.into_iter().map(|(_, labels, _)| labels).collect();
        ExactProblem::of(Surrogate::MARGIN, self.hostile.settings.lambda, shares, labels)
    }

    /// The labels of one side, and the completion.
    fn labels(&self, i: usize, is_inside: bool) -> Vec<ExactLabel> {
        let (problem, sets) = (&self.problem, self.sets(i));
        let truth = &problem.samples[i].truth;
        let of_side = |y: &Vec<u32>| y == truth || sets.contains(y) == is_inside;
        let all = problem.labels_of(i).into_iter().filter(of_side);
        all.map(|y| self.label(i, &y)).collect()
    }

    fn label(&self, i: usize, y: &[u32]) -> ExactLabel {
        let problem = &self.problem;
        let mut slope = vec![Dyadic::zero(); problem.dim()];
        let parts = problem.phi_parts(i, y).into_iter();
        parts.for_each(|(j, value)| slope[j] = &slope[j] + &value.into());
        let of_truth = problem.phi_parts(i, &problem.samples[i].truth).into_iter();
        of_truth.for_each(|(j, value)| slope[j] = &slope[j] - &value.into());
        let costs = y.iter().enumerate().map(|(t, &y)| Rational::from(self.cost(i, t, y)));
        let divisor = Rational::whole(problem.loss_divisor(i) as i64);
        let g = &costs.fold(Rational::zero(), |sum, cost| &sum + &cost) / &divisor;
        ExactLabel { slope, constant: Dyadic::zero(), g }
    }

    fn cost(&self, i: usize, t: usize, y: u32) -> f64 {
        let problem = &self.problem;
        let cost = |truth: u32| match &problem.costs {
            Some(costs) => costs[truth as usize * problem.labels + y as usize],
            None => f64::from(u8::from(truth != y)),
        };
        let candidates = &self.candidates[i][t];
        match self.options.loss {
            CandidateLoss::Completion => cost(problem.samples[i].truth[t]),
            CandidateLoss::Nearest if candidates.is_empty() || candidates.contains(&y) => 0.0,
            CandidateLoss::Nearest => {
                candidates.iter().map(|&truth| cost(truth)).fold(f64::INFINITY, f64::min)
            }
        }
    }

    /// Every solver that applies, judged.
    fn hear(&self) -> Option<Vec<Trial>> {
        let (risk, exact) = (self.risk()?, self.exact());
        let hostile::Case { settings, gap, passes, .. } = &self.hostile;
        let limits = Limits { gap: *gap, max_passes: *passes, time_limit: None };
        let solvers = SolverKind::solvers().filter(|kind| kind.check(risk.as_ref()).is_ok());
        let try_one = |kind| {
            let risk = self.risk().expect("it was there before");
            try_solver(risk.as_ref(), settings, limits, kind, |weights| exact.at_weights(weights))
        };
        let mut trials: Vec<Trial> = solvers.map(try_one).collect();
        judge_bounds(&mut trials, optimum(&exact).value.high);
        Some(trials)
    }
}

#[test]
fn random_problems_that_are_hard_on_floating_point() {
    let count = common::number_of("MAXMARGIN_CERTIFICATE_RUNS", PROBLEMS);
    let first = common::number_of("MAXMARGIN_CERTIFICATE_SEED", 0) as u64;
    let (mut problems, mut docket) = (0, Docket::default());
    common::with_threads(1, || {
        for seed in first..first + count as u64 {
            let Some(case) = with_candidates(seed) else { continue };
            let Some(trials) = case.hear() else { continue };
            problems += 1;
            docket.add(&trials, case.hostile.gap, || {
                let Case { problem, candidates, options, hostile } = &case;
                format!("seed {seed}, {options:?}, {candidates:?}, {:?}\n  {problem:?}", hostile.settings)
            });
        }
    });
    println!("{} runs on {problems} problems, {} of them to their gap", docket.runs, docket.reached);
    docket.close();
    let Docket { runs, reached, .. } = docket;
    assert!(reached * 4 > runs, "{reached} of {runs} runs reached their gap");
    assert!(problems * 4 > count, "{problems} problems");
}
