//! The verdicts on many random problems: how many runs there were, and what was false of them.

use maxmargin::solver::SolverKind;

use super::judge::{Fault, Trial};

/// So many faults are shown.
const MOST_SHOWN: usize = 4;

/// What has been heard so far.
#[derive(Default)]
pub struct Docket {
    /// Runs, and those that reached their gap.
    pub runs: usize,
    pub reached: usize,
    /// The solvers among them.
    pub solvers: Vec<SolverKind>,
    faults: Vec<String>,
}

impl Docket {
    /// Takes in all runs on one problem, which wanted this gap. `describe` tells how to find it again.
    pub fn add(&mut self, trials: &[Trial], gap: f64, describe: impl Fn() -> String) {
        for trial in trials {
            self.runs += 1;
            self.reached += usize::from(trial.certificate.gap().0 <= gap.max(1e-9));
            if !self.solvers.contains(&trial.kind) {
                self.solvers.push(trial.kind);
            }
            for Fault { charge, excess, text } in &trial.faults {
                self.faults.push(format!(
                    "{}, {charge:?}: {text}, by {excess:.2e}; {:?}, {} after {} passes\n  {}",
                    trial.kind,
                    trial.certificate,
                    trial.stop.name(),
                    trial.passes,
                    describe(),
                ));
            }
        }
    }

    /// Nothing was false.
    pub fn close(&self) {
        let Self { runs, faults, .. } = self;
        let shown: Vec<&String> = faults.iter().take(MOST_SHOWN).collect();
        assert!(faults.is_empty(), "{} faults in {runs} runs:\n{shown:#?}", faults.len());
    }
}
