//! How good predictions for held-out data are, for people and for machines.

use maxmargin::data::Unseen;
use maxmargin::metrics::{ConfidenceBin, Metrics, Retrieval};
use maxmargin::training::{Evaluation, HeldOut};
use serde_json::{Value, json};

use crate::plot::{Curve, Figure, Panel};
use crate::print::{count, number, percent};
use crate::table::Table;

/// A line about predictions that are not proven to be the best, if there are any.
pub fn unproven_note(unproven: usize, examples: usize) -> Option<String> {
    let what = "are not proven to be the best ones: the search for better sets was cut short";
    (unproven > 0)
        .then(|| format!("note: the predictions of {unproven} of {} {what}", count(examples, "example")))
}

/// An evaluation with the data that it is about.
pub struct Shown<'a> {
    held_out: &'a HeldOut,
    pub evaluation: Evaluation,
}

impl<'a> Shown<'a> {
    /// What was found out about some data.
    pub fn new(held_out: &'a HeldOut, evaluation: Evaluation) -> Self {
        Self { held_out, evaluation }
    }
}

impl Shown<'_> {
    /// One object with the metrics by name.
    pub fn json(&self, per_label: bool) -> Value {
        let (data, unseen) = (self.held_out.data(), self.held_out.unseen());
        let mut object = json!({
            "n": data.len(),
            "rows": data.parts().1,
            "unseen_labels": unseen.labels,
            "unseen_attributes": unseen.attributes,
            "unproven": self.evaluation.unproven,
            "background": self.held_out.background(),
        });
        for &(name, value) in &self.evaluation.metrics.figures {
            object[name] = json!(value);
        }
        if !self.evaluation.metrics.per_type.is_empty() || per_label {
            let one = |(name, label): &(String, Retrieval)| {
                json!({
                    "label": name, "truth": label.truth, "predicted": label.predicted, "right": label.right,
                    "precision": label.precision(), "recall": label.recall(), "f1": label.f1(),
                })
            };
            if per_label {
                object["per_label"] = self.evaluation.metrics.per_label.iter().map(one).collect();
            }
            let by_type = |found: &(String, Retrieval)| {
                let mut object = one(found);
                object["type"] = object["label"].take();
                object.as_object_mut().map(|fields| fields.remove("label"));
                object
            };
            object["per_type"] = self.evaluation.metrics.per_type.iter().map(by_type).collect();
        }
        object
    }

    /// The metrics that one line has room for: without accuracies, which the errors imply, and what F1 is the mean of.
    pub fn summary(&self) -> Vec<(&'static str, f64)> {
        let left_out = |name: &str| {
            let implied = ["accuracy", "token_accuracy"].contains(&name);
            implied || ["precision", "recall"].iter().any(|end| name.ends_with(end))
        };
        self.evaluation.metrics.figures.iter().copied().filter(|(name, _)| !left_out(name)).collect()
    }

    /// The metrics in a line.
    pub fn line(&self) -> String {
        let figure =
            |(name, value): (&str, f64)| format!("{} {}", name.replace('_', " "), shown(name, value));
        self.summary().into_iter().map(figure).collect::<Vec<_>>().join(", ")
    }

    /// The metrics as a table.
    pub fn table(&self) -> String {
        let mut table = Table::new(["metric", "value"]);
        let data = self.held_out.data();
        table.row(["examples".to_owned(), data.len().to_string()]);
        let (part, parts) = data.parts();
        if parts != data.len() {
            table.row([format!("{part}s"), parts.to_string()]);
        }
        if let Some(label) = self.held_out.background() {
            table.row(["background", label]);
        }
        for &(name, value) in &self.evaluation.metrics.figures {
            table.row([name.to_owned(), shown(name, value)]);
        }
        table.to_string()
    }

    /// A row per label.
    pub fn label_table(&self) -> String {
        Self::retrievals("label", &self.evaluation.metrics.per_label)
    }

    /// A row per type of chunk, and one for all, where labels mark chunks.
    pub fn type_table(&self) -> Option<String> {
        let types = &self.evaluation.metrics.per_type;
        let mut all = Retrieval::default();
        for (_, found) in types {
            all.truth += found.truth;
            all.predicted += found.predicted;
            all.right += found.right;
        }
        let rows: Vec<_> = types.iter().cloned().chain([("all".to_owned(), all)]).collect();
        (!types.is_empty()).then(|| Self::retrievals("chunk", &rows))
    }

    fn retrievals(what: &str, rows: &[(String, Retrieval)]) -> String {
        let mut table = Table::new([what, "true", "predicted", "right", "precision", "recall", "F1"]);
        for (name, label) in rows {
            table.row([
                name.clone(),
                label.truth.to_string(),
                label.predicted.to_string(),
                label.right.to_string(),
                percent(label.precision()),
                percent(label.recall()),
                percent(label.f1()),
            ]);
        }
        table.to_string()
    }

    /// Lines about what the model does not know, and what is not proven, if there is anything.
    pub fn notes(&self) -> Vec<String> {
        let data = self.held_out.data();
        let reading = self.held_out.notes().iter().map(|line| format!("note: {line}"));
        let unseen = unseen_note(self.held_out.unseen());
        reading.chain(unseen).chain(unproven_note(self.evaluation.unproven, data.len())).collect()
    }
}

/// A figure: a share in percent, or a number.
fn shown(name: &str, value: f64) -> String {
    if Metrics::is_share(name) { percent(value) } else { number(value) }
}

/// Confidence bins as a table, and whether what is surer is right more often.
pub fn bin_table(bins: &[ConfidenceBin]) -> String {
    let mut table = Table::new(["confidence from", "to", "predicted", "right", "precision"]);
    for bin in bins {
        table.row([
            number(bin.least),
            number(bin.most),
            bin.parts.to_string(),
            bin.right.to_string(),
            percent(bin.precision()),
        ]);
    }
    let falls: Vec<String> = (bins.windows(2).enumerate())
        .filter(|(_, pair)| pair[1].precision() < pair[0].precision())
        .map(|(place, _)| format!("from bin {} to bin {}", place + 1, place + 2))
        .collect();
    let conclusion = match falls[..] {
        [] => "Precision rises throughout.".to_owned(),
        _ => format!("Precision falls {}.", falls.join(", ")),
    };
    format!("{table}\n{conclusion}\n")
}

/// The same for programs.
pub fn bin_objects(bins: &[ConfidenceBin]) -> Value {
    let object = |bin: &ConfidenceBin| {
        let ConfidenceBin { least, median, most, parts, right } = bin;
        json!({
            "least": least, "median": median, "most": most, "predicted": parts, "right": right,
            "precision": bin.precision(),
        })
    };
    bins.iter().map(object).collect()
}

/// Precision over confidence.
pub fn bin_figure(title: String, bins: &[ConfidenceBin]) -> Figure {
    let points = bins.iter().map(|bin| (bin.median, bin.precision())).collect();
    let curves = vec![Curve { name: "predicted parts".to_owned(), points }];
    let (x, y) = ("confidence (median of a bin)".to_owned(), "precision".to_owned());
    let panel = Panel { title: String::new(), x, y, curves, level: None };
    Figure { title, rows: vec![vec![panel]] }
}

/// A line about what a model does not know, if there is anything.
pub fn unseen_note(unseen: Unseen) -> Option<String> {
    let labels = match unseen.labels {
        0 => None,
        labels => {
            let labels = count(labels, "label");
            Some(format!("counted as mistakes: {labels} that the model does not know"))
        }
    };
    let attributes = match unseen.attributes {
        0 => None,
        values => {
            Some(format!("left out: {} of attributes that the model does not know", count(values, "value")))
        }
    };
    let parts: Vec<String> = labels.into_iter().chain(attributes).collect();
    (!parts.is_empty()).then(|| format!("note: {}", parts.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fall_of_precision_is_named() {
        let bin = |right| ConfidenceBin { least: 0.0, median: 0.5, most: 1.0, parts: 10, right };
        let conclusion = |right: &[usize]| {
            let table = bin_table(&right.iter().map(|&right| bin(right)).collect::<Vec<_>>());
            table.lines().last().unwrap_or_default().to_owned()
        };
        assert_eq!(conclusion(&[5, 7, 7, 9]), "Precision rises throughout.");
        assert_eq!(conclusion(&[5, 4, 9, 8]), "Precision falls from bin 1 to bin 2, from bin 3 to bin 4.");
    }
}
