//! What training needs to know besides the task and the data.

use std::time::Duration;

use super::Candidates;
use super::ThresholdMetric;
use crate::data::columns_of;
use crate::data::{Alphabet, DataObject, Impute, Preprocessing, background_label};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::risk::Risk;
use crate::search::Strategy;
use crate::shown::excerpt;
use crate::solver::{Limits, SolverKind, SolverSettings};
use crate::surrogate::Surrogate;

/// How much to regularise: the three ways in use to say so, or by validation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Regularizer {
    /// λ of the objective λ/2 ‖w‖² + 1/n Σ H_i(w).
    Lambda(f64),
    /// C of ½ ‖w‖² + C · 1/n Σ H_i(w): λ = 1/C.
    CMean(f64),
    /// C of ½ ‖w‖² + C · Σ H_i(w): λ = 1/(C·n).
    CSum(f64),
    /// What is best for examples that are held out; see [`LambdaChoice`](super::LambdaChoice).
    Chosen {
        /// In so many folds; without it by what the number of examples allows.
        folds: Option<usize>,
    },
}

impl Regularizer {
    /// λ for this many examples, where it is said.
    pub fn lambda(self, examples: usize) -> Option<f64> {
        match self {
            Regularizer::Lambda(lambda) => Some(lambda),
            Regularizer::CMean(c) => Some(1.0 / c),
            Regularizer::CSum(c) => Some(1.0 / (c * examples as f64)),
            Regularizer::Chosen { .. } => None,
        }
    }
}

/// The label that stands for "nothing here".
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Background {
    /// The one that has a usual name, if there is one.
    #[default]
    Usual,
    /// None.
    None,
    /// The one of this name.
    Named(String),
}

impl Background {
    /// The label among these.
    pub fn of(&self, labels: &Alphabet) -> Result<Option<u32>> {
        match self {
            Background::Usual => Ok(background_label(labels)),
            Background::None => Ok(None),
            Background::Named(name) => match labels.get(name) {
                Some(label) => Ok(Some(label)),
                None => {
                    let names: Vec<String> =
                        labels.iter().take(20).map(|name| excerpt(name).to_string()).collect();
                    let more = if labels.len() > names.len() { ", …" } else { "" };
                    let problem = format!(
                        "no label is called {}; there are {}{more}, and none for no background",
                        excerpt(name),
                        names.join(", ")
                    );
                    Err(Error::parameter("background", problem))
                }
            },
        }
    }
}

/// What is done to columns before training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Columns {
    /// What to put where a value is missing.
    pub impute: Impute,
    /// Whether to divide by the standard deviation, and to centre dense data.
    pub standardize: bool,
    /// Whether to centre, sparse data too.
    pub center: bool,
    /// Whether to take 1 + ln of counts.
    pub log_counts: bool,
    /// Whether to multiply columns by their inverse document frequency.
    pub tf_idf: bool,
    /// Whether to divide rows by their length, at the end.
    pub normalize: bool,
}

impl Columns {
    /// Learns from training data what to do to its columns.
    pub fn fit(&self, data: &dyn DataObject) -> Result<Preprocessing> {
        // Readers let no missing value pass where none is filled in.
        if *self == Self::default() {
            return Ok(Preprocessing::default());
        }
        if self.log_counts && self.impute == Impute::Mean {
            let problem = "the mean of a column is no count, so that no logarithm can be taken of it; fill in 0 (the option missing), or leave out log-counts";
            return Err(Error::parameter("log-counts", problem));
        }
        let mut features = columns_of(data)?;
        let (counts, weighed);
        let mut impute = self.impute;
        let mut done = Preprocessing::default();
        if self.log_counts || self.tf_idf {
            // Columns are standardised as they are after that.
            counts = Preprocessing::fit_counts(features, impute, self.log_counts, self.tf_idf)?;
            weighed = counts.apply(features)?;
            (features, impute, done) = (&weighed, Impute::None, counts);
        }
        let columns = match self.center {
            true => Preprocessing::fit_centred(features, impute, self.standardize),
            false => Preprocessing::fit(features, impute, self.standardize),
        }?;
        let Preprocessing { log_counts, idf, .. } = done;
        let impute = done.impute.or(columns.impute);
        Ok(Preprocessing { impute, log_counts, idf, normalize: self.normalize, ..columns })
    }

    /// What was asked for where a model is to be started from: nothing is the same as for that model.
    pub fn of_start(asked: Self, model: Option<&Model>) -> Self {
        match model {
            Some(model) if asked == Self::default() => Self::of(model.preprocessing()),
            _ => asked,
        }
    }

    /// What must have been asked for where this was fitted.
    fn of(preprocessing: &Preprocessing) -> Self {
        let is_zero = |filled: &Vec<f64>| filled.iter().all(|&value| value == 0.0);
        Self {
            impute: match &preprocessing.impute {
                None => Impute::None,
                Some(filled) if is_zero(filled) => Impute::Zero,
                Some(_) => Impute::Mean,
            },
            standardize: preprocessing.scale.is_some(),
            center: preprocessing.shift.is_some(),
            log_counts: preprocessing.log_counts,
            tf_idf: preprocessing.idf.is_some(),
            normalize: preprocessing.normalize,
        }
    }

    /// Whether something that was fitted before does what is asked for here.
    pub fn are_those_of(&self, preprocessing: &Preprocessing) -> bool {
        (self.impute != Impute::None) == preprocessing.impute.is_some()
            && self.standardize == preprocessing.scale.is_some()
            && (self.standardize || self.center == preprocessing.shift.is_some())
            && self.log_counts == preprocessing.log_counts
            && self.tf_idf == preprocessing.idf.is_some()
            && self.normalize == preprocessing.normalize
    }
}

/// Passes of a run that has no gap to stop at, unless somebody says otherwise.
const PASSES_WITHOUT_CERTIFICATE: usize = 100;

/// Everything that training can be told.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How much to regularise.
    pub regularizer: Regularizer,
    /// The surrogate loss.
    pub surrogate: Surrogate,
    /// The search for the most violated label; what is best for the task without it.
    pub search: Option<Strategy>,
    /// The step to which costs that are no whole numbers are rounded down by the stratified search.
    pub loss_step: Option<f64>,
    /// Micro-F1: the label that is in no set.
    pub background: Background,
    /// What is done to columns.
    pub columns: Columns,
    /// The solver.
    pub solver: SolverKind,
    /// The number of cutting-plane models of those that have several.
    pub groups: usize,
    /// The seed of everything random.
    pub seed: u64,
    /// The relative gap to stop at.
    pub gap: f64,
    /// The most passes; 100 where there is no certificate and no other limit.
    pub max_passes: Option<usize>,
    /// The most time.
    pub time_limit: Option<Duration>,
    /// Whether to keep weights in single precision, with a certificate for the rounded ones.
    pub single_precision: bool,
    /// How to learn from candidate labels, where the data has these.
    pub candidates: Option<Candidates>,
    /// Label sets: tune thresholds for this metric, on examples that are held out from a first training run.
    pub tune_threshold: Option<ThresholdMetric>,
}

impl Settings {
    /// How candidate labels are learnt from, where that goes by turns.
    pub(super) fn turns(&self) -> Option<Candidates> {
        self.candidates.filter(|candidates| candidates.method.takes_turns())
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            regularizer: Regularizer::Chosen { folds: None },
            surrogate: Surrogate::MARGIN,
            search: None,
            loss_step: None,
            background: Background::Usual,
            columns: Columns::default(),
            solver: SolverKind::Auto,
            groups: 16,
            seed: 0,
            gap: 1e-2,
            max_passes: None,
            time_limit: None,
            single_precision: false,
            candidates: None,
            tune_threshold: None,
        }
    }
}

impl Settings {
    /// When to stop.
    pub fn limits(&self) -> Limits {
        let max_passes = self.max_passes.unwrap_or(usize::MAX);
        Limits { gap: self.gap, max_passes, time_limit: self.time_limit }
    }

    /// The same for a risk, which may have no certificate: then only a number of passes can end a run.
    pub fn limits_for(&self, risk: &dyn Risk) -> Limits {
        let mut limits = self.limits();
        if !risk.is_convex() && self.max_passes.is_none() && self.time_limit.is_none() {
            limits.max_passes = PASSES_WITHOUT_CERTIFICATE;
        }
        limits
    }

    /// What a solver needs to know.
    pub fn solver_settings(&self, lambda: f64) -> Result<SolverSettings> {
        if self.groups == 0 {
            return Err(Error::parameter("groups", "0 is not allowed; there is at least one"));
        }
        if self.gap.is_nan() || self.gap < 0.0 {
            return Err(Error::parameter("gap", format!("{} is not allowed; it is at least 0", self.gap)));
        }
        let settings = SolverSettings::new(lambda)?;
        Ok(SolverSettings { groups: self.groups, seed: self.seed, ..settings })
    }
}
