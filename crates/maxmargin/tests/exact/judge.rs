//! Training with every solver that applies, and the verdict on every certificate on the way.

use std::fmt::Write;
use std::ops::ControlFlow;

use maxmargin::solver::{Certificate, Limits, RunState, SolverKind, Stop, resume};

use super::dyadic::{Dyadic, Side};
use super::hostile::Case;
use super::objective::{Enclosure, ExactProblem};
use super::optimum::optimum;
use super::rational::Rational;

/// The solvers under trial.
pub const SOLVERS: [SolverKind; 10] = [
    SolverKind::Bmrm,
    SolverKind::ProxBmrm,
    SolverKind::PBmrm,
    SolverKind::ProxPBmrm,
    SolverKind::NSlack,
    SolverKind::Bcfw,
    SolverKind::Sdca,
    SolverKind::Sgd,
    SolverKind::Extragradient,
    SolverKind::SmallQp,
];

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
    /// What is false of its certificates.
    pub faults: Vec<String>,
}

impl Trial {
    /// (F(w) − F*) / F*: how good the weights are, whatever their certificate says.
    pub fn true_gap(&self) -> f64 {
        relative(&self.value.high, &self.optimum)
    }
}

/// (x − y) / |y|; 0 where both are 0.
fn relative(x: &Rational, y: &Rational) -> f64 {
    let difference = x - y;
    match (difference.is_zero(), y.is_zero()) {
        (true, _) => 0.0,
        (false, true) => f64::INFINITY,
        (false, false) => (&difference / y).rounded(64, Side::Up).to_f64(),
    }
}

/// All runs of a case, and how far the reference may be from the optimum.
pub struct Hearing {
    pub trials: Vec<Trial>,
    pub reference_gap: f64,
}

/// Runs every solver of `kinds` that applies. `None` where there is nothing to judge: the library refuses the problem, or its
/// objective is no number that can be enclosed.
pub fn hear(case: &Case, kinds: &[SolverKind]) -> Option<Hearing> {
    let risk = case.surrogated.try_risk().ok()?;
    let exact = ExactProblem::new(&case.surrogated, case.settings.lambda)?;
    let reference = optimum(&exact);
    let applies = |kind: &&SolverKind| kind.check(risk.as_ref()).is_ok();
    let mut trials: Vec<Trial> =
        kinds.iter().filter(applies).map(|&kind| try_solver(case, &exact, kind)).collect();
    let values = trials.iter().map(|trial| trial.value.high.clone());
    let least = values.fold(reference.value.high.clone(), Rational::min);
    for trial in &mut trials {
        trial.optimum = least.clone();
        let lower = trial.certificate.lower_bound;
        if lower.is_finite() && Rational::from(lower) > least {
            let excess = relative(&lower.into(), &least);
            trial.faults.push(format!(
                "the lower bound {lower:?} is above F* ≤ {:?}, by {excess:.2e} of it",
                least.to_f64()
            ));
        }
    }
    Some(Hearing { trials, reference_gap: reference.gap })
}

/// One run.
fn try_solver(case: &Case, exact: &ExactProblem, kind: SolverKind) -> Trial {
    let risk = case.surrogated.risk();
    let mut solver = kind.build(risk.as_ref(), &case.settings);
    let limits = Limits { gap: case.gap, max_passes: case.passes, time_limit: None };
    let mut state = RunState::new(risk.dim());
    let mut faults = Vec::new();
    let stop = resume(solver.as_mut(), risk.as_ref(), limits, &mut state, |state, solver| {
        let report = state.report;
        let Certificate { primal, lower_bound, oracle_gap } = report.certificate;
        let pass = report.passes;
        if !(lower_bound <= primal) || oracle_gap.is_nan() {
            faults.push(format!("pass {pass}: {:?} is no bracket", report.certificate));
        }
        if report.primal_now.is_nan() || report.primal_now == f64::NEG_INFINITY {
            faults.push(format!("pass {pass}: a primal value of {}", report.primal_now));
        } else if pass.is_power_of_two() && report.primal_now.is_finite() {
            let value = exact.at_weights(solver.weights());
            faults.extend(
                fault_of_primal(report.primal_now, &value).map(|fault| format!("pass {pass}: {fault}")),
            );
        }
        // A run that has been found out need not go on.
        if faults.is_empty() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    let outcome = state.into_outcome(stop);
    let Certificate { primal, lower_bound, .. } = outcome.report.certificate;
    let weights_are_numbers = outcome.weights.iter().all(|weight| weight.is_finite());
    if !primal.is_finite() || !lower_bound.is_finite() || !weights_are_numbers {
        faults.push(format!("{:?} with weights {:?}", outcome.report.certificate, outcome.weights));
    }
    let value = match weights_are_numbers {
        true => exact.at_weights(&outcome.weights),
        false => exact.at(&vec![Dyadic::zero(); exact.dim]),
    };
    if faults.is_empty() {
        faults.extend(fault_of_primal(primal, &value));
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

/// What is false of a primal value that is said to be at least F of some weights.
fn fault_of_primal(primal: f64, value: &Enclosure) -> Option<String> {
    let is_false = Rational::from(primal) < value.low;
    is_false.then(|| {
        let lack = relative(&value.low, &primal.into());
        format!(
            "the primal {primal:?} is below F = {:?} of its weights, by {lack:.2e} of it",
            value.low.to_f64()
        )
    })
}

/// All that it takes to see a fault again.
pub fn description(case: &Case) -> String {
    let Case { surrogated, settings, gap, passes } = case;
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
        "{} features, {} labels, bias {}, boundary {}, mean {}, costs {:?}, sparse {}",
        problem.features,
        problem.labels,
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
