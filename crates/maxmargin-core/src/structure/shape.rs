//! What does not fit is refused where it enters, so that nothing inside has to look again.

use super::LabelCost;
use crate::error::{Error, Result};
use crate::features::Rows;

/// Refuses rows with another number of columns than a structure has features.
pub(super) fn check_features(x: &Rows, features: usize) -> Result<()> {
    match x.columns() == features {
        true => Ok(()),
        false => {
            let problem = format!("the input has {} features; the structure has {features}", x.columns());
            Err(Error::parameter("input", problem))
        }
    }
}

/// Refuses an input with another number of rows.
pub(super) fn check_rows(x: &Rows, rows: usize) -> Result<()> {
    match x.len() == rows {
        true => Ok(()),
        false => {
            let problem = format!("{} rows of features, where {rows} should be", x.len());
            Err(Error::parameter("input", problem))
        }
    }
}

/// Refuses a label that is not one of `labels`.
pub(super) fn check_label(label: u32, labels: usize) -> Result<()> {
    match (label as usize) < labels {
        true => Ok(()),
        false => {
            let problem =
                format!("there is no label {label}; they are numbered 0 to {}", labels.saturating_sub(1));
            Err(Error::parameter("label", problem))
        }
    }
}

/// Refuses numbers that do not ascend, or that are not below `count`.
pub(super) fn check_ascending(
    what: &str,
    numbers: impl Iterator<Item = u32> + Clone,
    count: usize,
) -> Result<()> {
    if !numbers.clone().is_sorted_by(|a, b| a < b) {
        return Err(Error::parameter("label", format!("the numbers of {what} must ascend")));
    }
    match numbers.last().filter(|&last| last as usize >= count) {
        None => Ok(()),
        Some(last) => {
            Err(Error::parameter("label", format!("number {last} of {what} is too large; there are {count}")))
        }
    }
}

/// At least two labels, and a cost matrix that fits them.
pub(super) fn check_labels(labels: usize, cost: &LabelCost) -> Result<()> {
    if labels < 2 {
        return Err(Error::parameter(
            "number of labels",
            format!("the training data has {labels} label(s); there is nothing to learn with fewer than two"),
        ));
    }
    match cost {
        LabelCost::Matrix(matrix) if matrix.labels() != labels => Err(Error::parameter(
            "cost matrix",
            format!("made for {} labels, but there are {labels}", matrix.labels()),
        )),
        _ => Ok(()),
    }
}

/// Refuses a task with too many weights, as their places are kept in 32 bits: those of `features` for each label, and
/// `others`, such as transitions; `None` where these are too many to be counted.
pub(super) fn check_size(features: usize, labels: usize, others: Option<usize>) -> Result<()> {
    let weights = features.checked_mul(labels).and_then(|unary| unary.checked_add(others?));
    let others = if others == Some(0) { "" } else { " and what goes with pairs of labels" };
    match weights.filter(|&weights| u32::try_from(weights).is_ok()) {
        Some(weights) => {
            // A first look at the memory, so that a slip in an index ends in a message.
            let room = Vec::<f64>::new().try_reserve_exact(weights);
            room.map_err(|_| {
                let problem = format!("no memory for {features} features times {labels} labels{others}");
                Error::parameter("data", problem)
            })
        }
        None => Err(Error::parameter(
            "data",
            format!(
                "{features} features times {labels} labels{others} are more than 2³² weights; hash or select features"
            ),
        )),
    }
}
