//! What to learn, from what.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::Args;
use maxmargin::data::{Alphabet, Dataset, read_costs, read_label_weights, read_pairs};
use maxmargin::inference::MOST_LABELS;
use maxmargin::search::Strategy;
use maxmargin::structure::{ExtraLinks, Inference, LabelCost, PairWeights};
use maxmargin::surrogate::Surrogate;
use maxmargin::task::{LinkOptions, Pairs, SearchOptions, SetOptions, TaskKind, TaskOptions};

use super::data::{Folds, ReadArguments};
use super::examples::ExampleArguments;
use crate::files::Files;

/// What to learn, from what.
#[derive(Debug, Clone, Args)]
pub struct ProblemArguments {
    /// multiclass (one label per example), chain (one label per position of a sequence), multilabel (a set of labels) or
    /// matching (links between the nodes of a bipartite graph)
    ///
    /// A multiclass or multilabel task takes each position of a sequence as an example of its own.
    #[arg(value_name = "TASK")]
    pub task: TaskKind,

    /// The training data: one file or several of the same format
    #[arg(long, value_name = "FILE", required = true, num_args = 1.., next_line_help = false)]
    pub train: Vec<PathBuf>,

    /// Train on these folds of the training data only, for example 0 or 1-9 or 0,2,5-7
    ///
    /// Only the letters format has folds.
    #[arg(long, value_name = "LIST")]
    pub folds: Option<Folds>,

    #[command(flatten)]
    pub read: ReadArguments,

    #[command(flatten)]
    pub examples: ExampleArguments,

    /// The task loss: hamming, hamming-mean, zero-one, cost=FILE, weights=FILE or miss=X,false=Y
    ///
    /// zero-one: 1 for a wrong label (multiclass; the default there). hamming: the number of wrong positions (chains) or of
    /// labels that are wrongly in or out (multilabel); the default there. hamming-mean: that number divided by the length
    /// or the number of labels. cost=FILE: lines `truth predicted cost`; pairs that are not named cost 1; in a chain the costs
    /// of all positions are added up. weights=FILE (multilabel): lines `label weight`; labels that are not named weigh 1.
    /// miss=X,false=Y (matching): X for each sure link that is missed and Y for each link that is neither sure nor possible;
    /// both are 1 with hamming, the default there.
    #[arg(long, value_name = "LOSS", help_heading = "Problem")]
    pub loss: Option<LossChoice>,

    /// Leave out the constant feature
    #[arg(long, help_heading = "Problem")]
    pub no_bias: bool,

    /// Leave out the weights of the first and the last label (chains)
    #[arg(long, help_heading = "Problem")]
    pub no_boundary: bool,

    /// The pairs of labels that have weights (multilabel): all, none, tree, or a file with lines `label label`
    ///
    /// none: one SVM per label. tree: the pairs of labels that tell most about each other, without a cycle (Chow-Liu),
    /// found from the training data; with none and tree the best set of labels is found exactly and fast.
    #[arg(long, value_name = "PAIRS", default_value = "all", help_heading = "Problem")]
    pub pairs: PairsChoice,

    /// The weights of each pair (multilabel): four or both
    ///
    /// four: one each for neither label, the second only, the first only and both. both: only that for both, which makes
    /// features of sets sparse and training faster where there are many labels.
    #[arg(long, value_name = "WHICH", default_value = "four", help_heading = "Problem")]
    pub pair_weights: PairWeightsChoice,

    /// Among which label sets the most violated one is searched (multilabel): auto, exact or relaxed
    ///
    /// exact: among sets. relaxed: among the fractional sets of the linear relaxation too, by max-flow: the objective is then
    /// an upper bound on the exact one. auto: exact up to 20 labels and on trees, else relaxed. Prediction always is a set:
    /// by branch and bound, and if that takes too long by rounding and exchange of single labels.
    #[arg(long, value_name = "HOW", default_value = "auto", help_heading = "Problem")]
    pub inference: InferenceChoice,

    /// Give a label that is not in the set −x instead of nothing as features (multilabel)
    #[arg(long, help_heading = "Problem")]
    pub signed: bool,

    /// The most links of a left and of a right node (matching), for example 1,1 or 1,3
    #[arg(long, value_name = "A,B", default_value = "1,1", help_heading = "Problem")]
    pub fertility: Fertility,

    /// What to do about training examples in which a node has more sure links than --fertility allows (matching): error or
    /// free
    ///
    /// free: as many of the sure links as possible stay sure; the others become possible, so that they cost nothing whether
    /// or not they are predicted. Evaluations always count all sure links.
    #[arg(long, value_name = "HOW", default_value = "error", help_heading = "Problem")]
    pub extra_links: ExtraLinksChoice,

    /// How margin error h and loss g are combined: margin, slack, beta=B, general=A,B, log, prob, prob-convex or micro-f1
    ///
    /// margin: h + g. slack: (h + 1)·g. beta=B: h·g^B + g, 0 ≤ B ≤ 1. general=A,B: h·g^B + g^A. log: g·log(1 + e^h). prob: the
    /// risk under normal noise, which is not convex and has no certificate. prob-convex: its convex extension. micro-f1:
    /// 1 − F1 of the labels as sets, without the --background label.
    #[arg(long, value_name = "NAME", default_value = "margin", help_heading = "Problem")]
    pub surrogate: Surrogate,

    /// How the most violated label is found: auto, stratified, hull, hull-fractional, angular, bisecting, binary or sarawagi
    ///
    /// stratified (with whole costs) and hull are exact, angular for slack with whole costs. bisecting, binary and sarawagi are for slack, and
    /// may miss the label: the certificate says by how much. hull-fractional optimises over mixes of labels, which is
    /// another, larger objective. With margin rescaling auto is one loss-augmented decoding, which is exact.
    #[arg(long, value_name = "NAME", default_value = "auto", help_heading = "Problem")]
    pub search: SearchChoice,

    /// Round costs that are no whole numbers down to multiples of this in the stratified search
    ///
    /// What that may miss is in the certificate.
    #[arg(long, value_name = "X", value_parser = super::positive, help_heading = "Problem")]
    pub loss_step: Option<f64>,

    #[command(flatten)]
    pub evaluation: super::EvaluationArguments,
}

/// The value of `--search`: a strategy, or what is best.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchChoice(pub Option<Strategy>);

impl FromStr for SearchChoice {
    type Err = maxmargin::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "auto" => Ok(Self(None)),
            name => Ok(Self(Some(name.parse()?))),
        }
    }
}

/// The value of `--loss`.
#[derive(Debug, Clone, PartialEq)]
pub enum LossChoice {
    /// Wrong positions.
    Hamming,
    /// Wrong positions, divided by the length.
    HammingMean,
    /// 1 when anything is wrong.
    ZeroOne,
    /// Costs from a file.
    Cost(PathBuf),
    /// Label weights from a file.
    Weights(PathBuf),
    /// What a missed and a false link cost.
    Links(f64, f64),
}

/// The value of `--fertility`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fertility(pub u32, pub u32);

impl FromStr for Fertility {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let limit = |text: &str| text.trim().parse::<u32>().ok().filter(|limit| *limit > 0);
        match text.split_once(',').map(|(left, right)| (limit(left), limit(right))) {
            Some((Some(left), Some(right))) => Ok(Self(left, right)),
            _ => Err("two whole numbers from 1 are needed, such as 1,1 or 1,3".to_owned()),
        }
    }
}

/// The value of `--extra-links`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExtraLinksChoice(pub ExtraLinks);

impl FromStr for ExtraLinksChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "error" => Ok(Self(ExtraLinks::Refuse)),
            "free" => Ok(Self(ExtraLinks::Free)),
            _ => Err("allowed are error and free".to_owned()),
        }
    }
}

/// The value of `--pairs`.
#[derive(Debug, Clone, PartialEq)]
pub enum PairsChoice {
    /// All pairs.
    All,
    /// No pairs.
    None,
    /// A tree found from the data.
    Tree,
    /// Pairs from a file.
    File(PathBuf),
}

impl FromStr for PairsChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text {
            "all" => Self::All,
            "none" => Self::None,
            "tree" => Self::Tree,
            "" => return Err("allowed are all, none, tree and the name of a file".to_owned()),
            file => Self::File(file.into()),
        })
    }
}

/// The value of `--pair-weights`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairWeightsChoice(pub PairWeights);

impl FromStr for PairWeightsChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "four" => Ok(Self(PairWeights::Four)),
            "both" => Ok(Self(PairWeights::Both)),
            _ => Err("allowed are four and both".to_owned()),
        }
    }
}

/// The value of `--inference`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InferenceChoice(pub Option<Inference>);

impl FromStr for InferenceChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self(None)),
            "exact" => Ok(Self(Some(Inference::Exact))),
            "relaxed" => Ok(Self(Some(Inference::Relaxed))),
            _ => Err("allowed are auto, exact and relaxed".to_owned()),
        }
    }
}

impl FromStr for LossChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(file) = text.strip_prefix("weights=").filter(|file| !file.is_empty()) {
            return Ok(Self::Weights(file.into()));
        }
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite() && *x > 0.0);
        if let Some((miss, wrong)) = text.strip_prefix("miss=").and_then(|rest| rest.split_once(",false=")) {
            return match (number(miss), number(wrong)) {
                (Some(miss), Some(wrong)) => Ok(Self::Links(miss, wrong)),
                _ => Err("miss=X,false=Y needs two finite numbers above 0".to_owned()),
            };
        }
        match (text, text.strip_prefix("cost=")) {
            ("hamming", _) => Ok(Self::Hamming),
            ("hamming-mean", _) => Ok(Self::HammingMean),
            ("zero-one", _) => Ok(Self::ZeroOne),
            (_, Some(file)) if !file.is_empty() => Ok(Self::Cost(file.into())),
            _ => {
                Err("allowed are hamming, hamming-mean, zero-one, cost=FILE, weights=FILE and miss=X,false=Y"
                    .to_owned())
            }
        }
    }
}

impl ProblemArguments {
    /// The files that are read.
    pub fn files(&self) -> Files {
        let files = self.read.add_to(Files::default().read_data("--train", &self.train));
        let files = match &self.loss {
            Some(LossChoice::Cost(file) | LossChoice::Weights(file)) => files.read("--loss", [file]),
            _ => files,
        };
        match &self.pairs {
            PairsChoice::File(file) => files.read("--pairs", [file]),
            _ => files,
        }
    }

    /// The task's options; a cost file needs the names of the labels, and a tree of pairs the data.
    pub fn task_options(&self, labels: &Alphabet, data: &Dataset) -> Result<TaskOptions> {
        let chain = self.task == TaskKind::Chain;
        let is_sets = self.task == TaskKind::Multilabel;
        let is_links = self.task == TaskKind::Matching;
        let mut weights = None;
        let (cost, mean) = match &self.loss {
            Some(LossChoice::Links(..)) if !is_links => bail!("--loss miss=X,false=Y is for matching"),
            Some(LossChoice::Links(..)) => (LabelCost::ZeroOne, false),
            Some(LossChoice::Hamming) | None if is_links => (LabelCost::ZeroOne, false),
            Some(_) if is_links => bail!("--loss: a matching has the loss hamming or miss=X,false=Y"),
            Some(LossChoice::Weights(file)) if is_sets => {
                weights = Some(read_label_weights(file, labels)?.into());
                (LabelCost::ZeroOne, false)
            }
            Some(LossChoice::Weights(_)) => bail!("--loss weights=FILE is for multilabel; use cost=FILE"),
            Some(LossChoice::Cost(_)) if is_sets => {
                bail!("--loss cost=FILE is not for label sets; use weights=FILE with lines `label weight`")
            }
            Some(LossChoice::ZeroOne) if is_sets => bail!(
                "--loss zero-one: the 0/1 loss of a whole set does not split over its labels; use hamming or hamming-mean"
            ),
            Some(LossChoice::Cost(file)) => (LabelCost::Matrix(Arc::new(read_costs(file, labels)?)), false),
            Some(LossChoice::ZeroOne) if chain => bail!(
                "--loss zero-one: the 0/1 loss of a whole chain does not split over its positions, so the most violated labels cannot be found by dynamic programming here; use hamming or hamming-mean"
            ),
            Some(LossChoice::HammingMean) => (LabelCost::ZeroOne, chain || is_sets),
            Some(LossChoice::Hamming | LossChoice::ZeroOne) | None => (LabelCost::ZeroOne, false),
        };
        let sets = if is_sets { self.set_options(labels, data, weights)? } else { SetOptions::default() };
        let is_default = self.pairs == PairsChoice::All
            && self.pair_weights.0 == PairWeights::Four
            && self.inference.0.is_none()
            && !self.signed;
        if !is_sets && !is_default {
            bail!("--pairs, --pair-weights, --inference and --signed are for multilabel only");
        }
        let links = self.link_options();
        if !is_links && (links.fertility, links.extra_links) != ((1, 1), ExtraLinks::Refuse) {
            bail!("--fertility and --extra-links are for matching only");
        }
        Ok(TaskOptions { bias: !self.no_bias, boundary: chain && !self.no_boundary, cost, mean, sets, links })
    }

    fn link_options(&self) -> LinkOptions {
        let (miss, false_link) = match self.loss {
            Some(LossChoice::Links(miss, false_link)) => (miss, false_link),
            _ => (1.0, 1.0),
        };
        let Fertility(left, right) = self.fertility;
        LinkOptions { miss, false_link, fertility: (left, right), extra_links: self.extra_links.0 }
    }

    fn set_options(
        &self,
        labels: &Alphabet,
        data: &Dataset,
        weights: Option<Arc<[f64]>>,
    ) -> Result<SetOptions> {
        let pairs = match &self.pairs {
            PairsChoice::All => Pairs::All,
            PairsChoice::None => Pairs::None,
            PairsChoice::Tree => Pairs::tree(data, labels.len())?,
            PairsChoice::File(file) => Pairs::Listed(read_pairs(file, labels)?),
        };
        let inference = self.inference.0.unwrap_or(match pairs {
            Pairs::All if labels.len() > MOST_LABELS => Inference::Relaxed,
            Pairs::Listed(_) if labels.len() > MOST_LABELS => Inference::Relaxed,
            _ => Inference::Exact,
        });
        Ok(SetOptions { pairs, pair_weights: self.pair_weights.0, signed: self.signed, inference, weights })
    }

    /// The surrogate and its search.
    pub fn search_options(&self, labels: &Alphabet) -> Result<SearchOptions> {
        Ok(SearchOptions {
            surrogate: self.surrogate,
            strategy: self.search.0,
            step: self.loss_step,
            background: match self.surrogate {
                Surrogate::MicroF1 => self.evaluation.background(self.task, labels)?,
                _ => None,
            },
        })
    }
}
