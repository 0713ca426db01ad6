//! Training with every solver that applies, and the verdict on every certificate on the way.

use std::fmt::Write;
use std::ops::ControlFlow;

use maxmargin::risk::Risk;
use maxmargin::solver::{Certificate, Limits, Report, RunState, SolverKind, SolverSettings, Stop, resume};

use super::dyadic::Side;
use super::hostile::Case;
use super::objective::{Enclosure, ExactProblem};
use super::optimum::optimum;
use super::rational::Rational;

/// What a certificate can be charged with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charge {
    /// A bound that is no number.
    NoNumber,
    /// A lower bound above the primal value.
    NoBracket,
    /// A primal value below F of the weights.
    Primal,
    /// A lower bound above F*.
    LowerBound,
}

impl Charge {
    pub const ALL: [Charge; 4] = [Charge::NoNumber, Charge::NoBracket, Charge::Primal, Charge::LowerBound];
}

/// What is false, and by how much of it.
#[derive(Debug, Clone)]
pub struct Fault {
    pub charge: Charge,
    pub excess: f64,
    pub text: String,
}

/// What a run came to.
#[derive(Debug, Clone)]
pub struct Trial {
    pub kind: SolverKind,
    pub stop: Stop,
    pub passes: usize,
    pub certificate: Certificate,
    /// F of the weights that the run returned.
    pub value: Enclosure,
    /// F* is at most this: of all runs and of the reference the least.
    pub optimum: Rational,
    /// The worst of each kind that is false of its certificates.
    pub faults: Vec<Fault>,
}

impl Trial {
    /// (F(w) − F*) / F*: how good the weights are, whatever their certificate says.
    pub fn true_gap(&self) -> f64 {
        relative(&self.value.high, &self.optimum)
    }
}

/// Keeps a fault unless there is a worse one of its kind.
fn keep(faults: &mut Vec<Fault>, fault: Fault) {
    match faults.iter_mut().find(|other| other.charge == fault.charge) {
        Some(other) if other.excess >= fault.excess => {}
        Some(other) => *other = fault,
        None => faults.push(fault),
    }
}

/// |x − y| / |y|; 0 where both are 0.
fn relative(x: &Rational, y: &Rational) -> f64 {
    let difference = x - y;
    match (difference.is_zero(), y.is_zero()) {
        (true, _) => 0.0,
        (false, true) => f64::INFINITY,
        (false, false) => (&difference / y).rounded(64, Side::Up).to_f64().abs(),
    }
}

/// All runs of a case, and how far the reference may be from the optimum.
pub struct Hearing {
    pub trials: Vec<Trial>,
    pub reference_gap: f64,
}

/// Runs every solver of `kinds` that applies. `None` where there is nothing to judge: the library refuses the problem, or its
/// objective is no number that can be enclosed.
pub fn hear(case: &Case, kinds: impl Iterator<Item = SolverKind>) -> Option<Hearing> {
    let risk = case.surrogated.try_risk().ok()?;
    let exact = ExactProblem::new(&case.surrogated, case.settings.lambda)?;
    let reference = optimum(&exact);
    let Case { settings, gap, passes, .. } = case;
    let limits = Limits { gap: *gap, max_passes: *passes, time_limit: None };
    let applies = |kind: &SolverKind| kind.check(risk.as_ref()).is_ok();
    let try_one = |kind| {
        let risk = case.surrogated.risk();
        try_solver(risk.as_ref(), settings, limits, kind, |weights| exact.at_weights(weights))
    };
    let mut trials: Vec<Trial> = kinds.filter(applies).map(try_one).collect();
    judge_bounds(&mut trials, reference.value.high);
    Some(Hearing { trials, reference_gap: reference.gap })
}

/// Charges lower bounds that are above F of any weights that are known, or above another upper bound on F*.
pub fn judge_bounds(trials: &mut [Trial], upper: Rational) {
    let values = trials.iter().map(|trial| trial.value.high.clone());
    let least = values.fold(upper, Rational::min);
    for trial in trials {
        trial.optimum = least.clone();
        let lower = trial.certificate.lower_bound;
        if lower.is_finite() && Rational::from(lower) > least {
            let excess = relative(&lower.into(), &least);
            let text = format!("the lower bound {lower:?} is above F* ≤ {:?}", least.to_f64());
            keep(&mut trial.faults, Fault { charge: Charge::LowerBound, excess, text });
        }
    }
}

/// One run, whose primal values are held to F itself.
pub fn try_solver(
    risk: &dyn Risk,
    settings: &SolverSettings,
    limits: Limits,
    kind: SolverKind,
    value_of: impl Fn(&[f64]) -> Enclosure,
) -> Trial {
    let mut solver = kind.build(risk, settings).unwrap();
    let mut state = RunState::new(risk);
    let mut faults = Vec::new();
    let stop = resume(solver.as_mut(), risk, limits, &mut state, |state, solver| {
        let report = state.report();
        faults_of_numbers(report, &mut faults);
        // F itself takes longer than a pass.
        if report.passes.is_power_of_two() && report.primal_now.is_finite() {
            fault_of_primal(report.passes, report.primal_now, &value_of(solver.weights()), &mut faults);
        }
        ControlFlow::Continue(())
    })
    .unwrap();
    let outcome = state.into_outcome(stop);
    let Certificate { primal, lower_bound, .. } = outcome.report.certificate;
    let weights_are_numbers = outcome.weights.iter().all(|weight| weight.is_finite());
    if !primal.is_finite() || !lower_bound.is_finite() || !weights_are_numbers {
        let text = format!("{:?} with weights {:?}", outcome.report.certificate, outcome.weights);
        keep(&mut faults, Fault { charge: Charge::NoNumber, excess: f64::INFINITY, text });
    }
    let value = match weights_are_numbers {
        true => value_of(&outcome.weights),
        false => value_of(&vec![0.0; outcome.weights.len()]),
    };
    if primal.is_finite() && weights_are_numbers {
        fault_of_primal(outcome.report.passes, primal, &value, &mut faults);
    }
    Trial {
        kind,
        stop,
        passes: outcome.report.passes,
        certificate: outcome.report.certificate,
        optimum: value.high.clone(),
        value,
        faults,
    }
}

/// What is false of the bounds after a pass whatever the problem is.
fn faults_of_numbers(report: &Report, faults: &mut Vec<Fault>) {
    let pass = report.passes;
    let Certificate { primal, lower_bound, oracle_gap } = report.certificate;
    let numbers = [primal, lower_bound, oracle_gap, report.primal_now];
    if numbers.iter().any(|number| number.is_nan())
        || primal == f64::NEG_INFINITY
        || lower_bound == f64::INFINITY
    {
        let text = format!("pass {pass}: {:?}, primal value now {}", report.certificate, report.primal_now);
        keep(faults, Fault { charge: Charge::NoNumber, excess: f64::INFINITY, text });
    }
    if lower_bound > primal || oracle_gap < 0.0 {
        let excess = (lower_bound - primal) / primal.abs();
        let text = format!("pass {pass}: {:?} is no bracket", report.certificate);
        keep(faults, Fault { charge: Charge::NoBracket, excess, text });
    }
}

/// What is false of a primal value that is said to be at least F of some weights.
fn fault_of_primal(pass: usize, primal: f64, value: &Enclosure, faults: &mut Vec<Fault>) {
    if Rational::from(primal) < value.low {
        let excess = relative(&value.low, &primal.into());
        let text = format!(
            "pass {pass}: the primal {primal:?} is below F = {:?} of its weights",
            value.low.to_f64()
        );
        keep(faults, Fault { charge: Charge::Primal, excess, text });
    }
}

/// All that it takes to see a fault again.
pub fn description(case: &Case) -> String {
    let Case { surrogated, settings, gap, passes, .. } = case;
    let problem = &surrogated.problem;
    let mut text = String::new();
    let mut line = |part: String| writeln!(text, "  {part}").expect("a string takes all");
    line(format!(
        "{}, {}, search {:?}, background {:?}, λ {:?}, groups {}, seed {}, gap {gap:?}, at most {passes} passes",
        problem.kind,
        surrogated.surrogate,
        surrogated.strategy.map(|strategy| strategy.name()),
        surrogated.background,
        settings.lambda,
        settings.groups,
        settings.seed,
    ));
    line(format!(
        "{} features, {} labels, second order {}, bias {}, boundary {}, mean {}, costs {:?}, sparse {}",
        problem.features,
        problem.labels,
        problem.second_order,
        problem.bias,
        problem.boundary,
        problem.mean,
        problem.costs,
        problem.sparse
    ));
    line(format!("{:?}, fertility {:?}", problem.sets, problem.fertility));
    for sample in &problem.samples {
        let crate::common::problem::Sample { rows, truth, weight, edges } = sample;
        line(format!("truth {truth:?} weight {weight:?} rows {rows:?} edges {edges:?}"));
    }
    text
}
