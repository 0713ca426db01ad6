//! Learning from candidate labels.

use std::str::FromStr;

use anyhow::{Result, bail};
use clap::Args;
use maxmargin::training::{CandidateMethod, CandidateStart, Candidates};

/// Above the flags about candidates.
pub const CANDIDATES: &str = "Candidate labels";

/// How to learn from candidate labels.
#[derive(Debug, Clone, Args)]
pub struct CandidateArguments {
    /// Learn from lists of candidates, such as `B-PER|I-PER`: by cllp, mms, first, random, majority or known
    ///
    /// `_` or `?` stand for any label.
    /// cllp: the best candidate is to win against other candidates and against all other labels. mms: the best candidate is to win against
    /// labels that are none. Both train by turns until completions rest. first, random and majority: put one candidate in
    /// place of each list, and train as ever (majority: the one that is named most often, as annotators do in `O|O|B-PER`). known: train on
    /// those positions alone that have one candidate. For chain, multiclass, multilabel (where `2,5?` or
    /// `?` in a column leaves a label open) and hierarchy (of one node): docs/candidates.md.
    #[arg(long, value_name = "METHOD", num_args = 0..=1, default_missing_value = "cllp", require_equals = false, help_heading = CANDIDATES)]
    candidates: Option<CandidateMethod>,

    /// cllp: what labels inside and outside of the candidates count, c₁ and c₂
    #[arg(long, value_name = "C1,C2", default_value = "1,1", requires = "candidates", help_heading = CANDIDATES)]
    candidate_weights: Weights,

    /// cllp and mms: what turns start from: majority, first or random (one candidate of each list), or known
    ///
    /// Where any label may be, it is completed at first by maximum margin sets, from weights that were trained on the other positions; with known
    /// this is so for lists, too.
    #[arg(long, value_name = "START", default_value = "majority", requires = "candidates", help_heading = CANDIDATES)]
    candidate_start: CandidateStart,
}

/// c₁ and c₂.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Weights(f64, f64);

impl FromStr for Weights {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let weight = |text: &str| text.trim().parse::<f64>().ok().filter(|c| c.is_finite() && *c >= 0.0);
        let both =
            text.split_once(',').and_then(|(inside, outside)| Some((weight(inside)?, weight(outside)?)));
        match both {
            Some((inside, outside)) if inside + outside > 0.0 => Ok(Self(inside, outside)),
            _ => Err("expected two numbers that are not negative and not both 0, such as 1,1".to_owned()),
        }
    }
}

impl CandidateArguments {
    /// What was asked for. Refused where a flag would have no effect.
    pub fn get(&self) -> Result<Option<Candidates>> {
        let Some(method) = self.candidates else { return Ok(None) };
        let Weights(inside, outside) = self.candidate_weights;
        if method != CandidateMethod::Cllp && (inside, outside) != (1.0, 1.0) {
            bail!("--candidate-weights: {method} has none; they go with cllp");
        }
        if !method.takes_turns() && self.candidate_start != Candidates::default().start {
            bail!("--candidate-start: {method} takes no turns; it goes with cllp and mms");
        }
        Ok(Some(Candidates { method, inside, outside, start: self.candidate_start }))
    }
}
