//! The options of label sets by their names.

use super::super::label_weights::miss_and_false;
use super::super::option::{NO_BIAS, OptionGroup, TaskOption, choice, not_allowed, one, unknown};
use super::{LabelWeights, Multilabel, Pairs};
use crate::error::{Error, Result};
use crate::structure::{Inference, PairWeights};
use crate::tasks::Task;

pub(super) fn all() -> Vec<TaskOption> {
    vec![
        TaskOption::value(
            "loss",
            "LOSS",
            "The task loss: hamming, hamming-mean, miss=X,false=Y, weights=FILE or balanced",
        )
        .default("hamming")
        .more(
            "hamming: the number of labels that are wrongly in or out. hamming-mean: that number divided by the number \
             of labels. miss=X,false=Y: X for each label that is missed, and Y for each that is wrongly in. weights=FILE: lines \
             `label weight` or `label miss false`; labels that are not named weigh 1. balanced: to miss a label costs the \
             more, the rarer it is, and the less when it is wrongly in.",
        ),
        NO_BIAS,
        TaskOption::value(
            "pairs",
            "PAIRS",
            "The pairs of labels that have weights: all, none, tree, or a file with lines `label label`",
        )
        .default("all")
        .more(
            "none: one SVM per label. tree: the pairs of labels that tell most about each other, without a cycle (Chow-Liu), \
             found from the training data; with none and tree the best set of labels is found exactly and fast.",
        ),
        TaskOption::value("pair-weights", "WHICH", "The weights of each pair: four or both").default("both").more(
            "both: a weight for both labels being in. four: one each for neither label, the second only, the first only and \
             both; training then takes two to four times as long, and predictions were no better where it was measured.",
        )
        .idle_with("pairs", "none"),
        TaskOption::value(
            "inference",
            "HOW",
            "Among which label sets the most violated one is searched: auto, exact or relaxed",
        )
        .default("auto")
        .more(
            "exact: among sets. relaxed: among the fractional sets of the linear relaxation too, by max-flow: the objective \
             is then an upper bound on the exact one. auto: exact up to 20 labels and on trees, else relaxed. Prediction \
             always is a set: by branch and bound, and if that takes too long by rounding and exchange of single labels.",
        ),
        TaskOption::switch("signed", "Give a label that is not in the set −x instead of nothing as features"),
        TaskOption::value(
            "most-frequent-labels",
            "K",
            "Keep only the K labels that most training examples have",
        )
        .about(OptionGroup::TrainingData)
        .more("The others are left out of all sets, and the model keeps their names: an evaluation ignores them too."),
    ]
}

pub(super) fn set(task: &mut Multilabel, option: &str, values: &[String]) -> Result<()> {
    match option {
        "no-bias" => task.bias = false,
        "signed" => task.signed = true,
        "pair-weights" => {
            let choices = [("four", PairWeights::Four), ("both", PairWeights::Both)];
            task.pair_weights = choice(option, values, &choices)?;
        }
        "inference" => {
            let choices =
                [("auto", None), ("exact", Some(Inference::Exact)), ("relaxed", Some(Inference::Relaxed))];
            task.inference = choice(option, values, &choices)?;
        }
        "pairs" => {
            task.pairs = match one(option, values)? {
                "all" => Pairs::All,
                "none" => Pairs::None,
                "tree" => Pairs::Tree,
                "" => {
                    let problem = "allowed are all, none, tree and the name of a file";
                    return Err(Error::parameter(option, problem));
                }
                file => Pairs::File(file.into()),
            }
        }
        "loss" => (task.weights, task.mean) = loss(option, one(option, values)?)?,
        "most-frequent-labels" => {
            let count = one(option, values)?.parse().ok().filter(|count| *count > 0);
            let problem = "a whole number from 1 is needed";
            task.most_frequent_labels = Some(count.ok_or_else(|| Error::parameter(option, problem))?);
        }
        _ => return Err(unknown(Multilabel::NAME, option)),
    }
    Ok(())
}

fn loss(option: &str, loss: &str) -> Result<(LabelWeights, bool)> {
    if let Some(weights) = LabelWeights::parse(loss) {
        return Ok((weights, false));
    }
    if let Some((miss, wrong)) = miss_and_false(loss)? {
        return Ok((LabelWeights::Kinds { miss, wrong }, false));
    }
    let problem = match loss {
        "hamming" => return Ok((LabelWeights::Equal, false)),
        "hamming-mean" => return Ok((LabelWeights::Equal, true)),
        "zero-one" => {
            "zero-one: the 0/1 loss of a whole set does not split over its labels; use hamming or hamming-mean"
        }
        other if other.starts_with("cost=") => {
            "cost=FILE is not for label sets; use weights=FILE with lines `label weight`"
        }
        _ => {
            let losses = ["hamming", "hamming-mean", "miss=X,false=Y", "weights=FILE", "balanced"];
            return Err(not_allowed(option, loss, &losses));
        }
    };
    Err(Error::parameter(option, problem))
}
