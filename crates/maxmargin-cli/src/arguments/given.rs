//! Which flags were given, so that none is given in vain.

use std::fmt::Display;

use anyhow::{Result, bail};
use clap::ArgMatches;
use clap::parser::ValueSource;
use maxmargin::solver::SolverKind;
use maxmargin::surrogate::Surrogate;
use maxmargin::tasks::TaskOption;

/// The flags on the command line, each with its values.
#[derive(Debug, Clone, Default)]
pub struct Given(Vec<(String, Vec<String>)>);

impl Given {
    /// Those of a command.
    pub fn of(matches: &ArgMatches) -> Self {
        let is_given = |id: &&clap::Id| matches.value_source(id.as_str()) == Some(ValueSource::CommandLine);
        let values = |id: &clap::Id| {
            let raw = matches.get_raw(id.as_str()).into_iter().flatten();
            (id.as_str().replace('_', "-"), raw.map(|value| value.to_string_lossy().into_owned()).collect())
        };
        Self(matches.ids().filter(is_given).map(values).collect())
    }

    fn values(&self, flag: &str) -> Option<&[String]> {
        self.0.iter().find(|(name, _)| name == flag).map(|(_, values)| &values[..])
    }

    /// Refuses a flag that would change nothing.
    pub fn refuse(&self, flag: &str, why: impl Display) -> Result<()> {
        match self.values(flag) {
            Some(_) => bail!("--{flag}: {why}; leave it out"),
            None => Ok(()),
        }
    }

    /// Refuses options of a task that others make idle.
    pub fn check_options(&self, options: &[TaskOption]) -> Result<()> {
        for option in options {
            let Some((other, value)) = option.idle_with else { continue };
            let is_default =
                || options.iter().any(|known| known.name == other && known.default == Some(value));
            let is_idle = self
                .values(other)
                .map_or_else(is_default, |values| values.iter().any(|given| given == value));
            if is_idle {
                self.refuse(option.name, format!("it says nothing with --{other} {value}"))?;
            }
        }
        Ok(())
    }

    /// Whether there are flags that some solvers do not look at.
    pub fn any_of_solving(&self) -> bool {
        ["groups", "gap", "require-gap"].iter().any(|flag| self.values(flag).is_some())
    }

    /// Refuses flags of solving that none of these solvers looks at, or nobody with this surrogate.
    pub fn check_solving(&self, solvers: &[SolverKind], surrogate: Surrogate) -> Result<()> {
        if !solvers.iter().any(|solver| solver.has_groups()) {
            let names: Vec<&str> = solvers.iter().map(|solver| solver.name()).collect();
            let why = "has no number of cutting-plane models; p-bmrm and prox-p-bmrm do";
            self.refuse("groups", format!("{} {why}", names.join(", ")))?;
        }
        if !surrogate.is_convex() {
            let why =
                "is not convex in the weights, so that there is no certificate whose gap could be reached";
            self.refuse("gap", format!("{surrogate} {why}"))?;
            self.refuse("require-gap", format!("{surrogate} {why}"))?;
        }
        Ok(())
    }
}
