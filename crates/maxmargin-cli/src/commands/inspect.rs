//! `maxmargin inspect`: what is in a model file.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use maxmargin::data::Attributes;
use maxmargin::surrogate::Surrogate;
use maxmargin::training::describe_columns;
use maxmargin::{Model, escaped_path, excerpt};
use serde_json::{Value, json};

use crate::print::{count, lower, number, say, say_json, upper};

/// Show what is in a model: how it was trained, its certificate, its heaviest weights
///
/// For label sets with pairs also the heaviest couplings: what it is worth to two labels to be both in the set or both out,
/// less what it is worth to have one without the other.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  maxmargin inspect chunks.model --top 10")]
pub struct Inspect {
    /// The model
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// How many of the heaviest attributes to show for each label (numbered attributes count from 1), and twice as many
    /// couplings of labels
    #[arg(long, value_name = "N", default_value_t = 5)]
    top: usize,
}

impl Inspect {
    /// Runs the command.
    pub fn run(self) -> Result<()> {
        let model = Model::load(&self.model)?;
        if self.json {
            return say_json(&self.object(&model));
        }
        let (description, certificate) = (model.description(), model.certificate());
        let dropped = match model.dropped_labels().len() {
            0 => String::new(),
            dropped => format!("; {} left out", count(dropped, "rare label")),
        };
        let attributes = match &model.names().attributes {
            Attributes::Named(names) => count(names.len(), "named attribute"),
            Attributes::Numbered(columns) => count(*columns, "numbered attribute"),
        };
        let unused = match description.attributes - model.names().attributes.len() {
            0 => String::new(),
            unused => format!(" ({unused} more had no weight)"),
        };
        let mut text = format!(
            "model        {} (version {})\ntask         {}, {}, {attributes}{unused}, loss {}, {}{dropped}\n{}data         {}{}\ntrained      λ {}, surrogate {}, search {}, solver {}, seed {}, {}\ncertificate  {}\n",
            escaped_path(&self.model),
            excerpt(&description.program_version),
            model.task().name(),
            count(model.names().labels.len(), "label"),
            model.task().loss_name(),
            model.task().describe(),
            describe_columns(model.preprocessing())
                .map_or(String::new(), |columns| format!("columns      {columns}\n")),
            count(description.examples, "example"),
            description
                .format
                .as_ref()
                .map(|format| format!(" in {} files", excerpt(format)))
                .unwrap_or_default(),
            number(description.lambda),
            excerpt(&description.surrogate),
            excerpt(&description.search),
            excerpt(&description.solver),
            description.seed,
            count(description.passes, "pass").replace("passs", "passes"),
            match description.surrogate.parse::<Surrogate>() {
                Ok(surrogate) if !surrogate.is_convex() => {
                    format!(
                        "none: {surrogate} is not convex in the weights; F = {}",
                        upper(certificate.primal)
                    )
                }
                _ => format!(
                    "{} ≤ F* ≤ {}: gap {}, oracle gap {}",
                    lower(certificate.lower_bound),
                    upper(certificate.primal),
                    certificate.gap(),
                    number(certificate.oracle_gap),
                ),
            },
        );
        let zero = model.weights().iter().filter(|&&weight| weight == 0.0).count();
        text += &format!(
            "weights      {} ({zero} are 0), norm {}\n",
            model.weights().len(),
            number(model.norm())
        );
        for block in model.blocks() {
            let shape: Vec<String> = block.shape.iter().map(usize::to_string).collect();
            text += &format!("             {}: {}\n", block.name, shape.join(" × "));
        }
        if self.top > 0 {
            text += "\nheaviest attributes\n";
            let width = longest(model.names().labels.iter()).max(9);
            for (label, heaviest) in self.heaviest(&model) {
                let list: Vec<String> =
                    heaviest.iter().map(|(name, weight)| format!("{} {weight:+.4}", excerpt(name))).collect();
                text += &format!("  {:<width$}  {}\n", excerpt(label), list.join("  "));
            }
            text += &self.coupling_list(&model);
        }
        say(&text)
    }

    /// The pairs of labels with the heaviest couplings; empty where there are none.
    fn coupling_list(&self, model: &Model) -> String {
        let couplings = model.task().couplings(&model.names().labels, model.weights());
        if couplings.is_empty() {
            return String::new();
        }
        let shown = &couplings[..self.shown_couplings().min(couplings.len())];
        let first = longest(shown.iter().map(|(first, ..)| first.as_str()));
        let second = longest(shown.iter().map(|(_, second, _)| second.as_str()));
        let mut text =
            "\nheaviest couplings of labels (above 0 they go together, below 0 they shun each other)\n"
                .to_owned();
        for (a, b, strength) in shown {
            let (a, b) = (excerpt(a), excerpt(b));
            text += &format!("  {a:<first$}  {b:<second$}  {strength:+.4}\n");
        }
        text
    }

    /// There are many more pairs than labels.
    fn shown_couplings(&self) -> usize {
        2 * self.top
    }

    /// For each label the attributes with the largest weights by absolute value. A block with one weight per attribute has
    /// one list of them.
    fn heaviest<'a>(&self, model: &'a Model) -> Vec<(&'a str, Vec<(String, f64)>)> {
        let Some(block) = model.blocks().into_iter().next() else { return Vec::new() };
        let labels: Vec<&str> = match block.shape.len() {
            1 => vec![block.name],
            _ => model.names().labels.iter().collect(),
        };
        let attributes = &model.names().attributes;
        let of_label = |(y, &label): (usize, &&'a str)| {
            let mut order: Vec<usize> = (0..attributes.len()).collect();
            let weight = |j: usize| model.weights()[j * labels.len() + y];
            let heavier =
                |&a: &usize, &b: &usize| weight(b).abs().total_cmp(&weight(a).abs()).then(a.cmp(&b));
            if self.top < order.len() {
                order.select_nth_unstable_by(self.top, heavier);
                order.truncate(self.top);
            }
            order.sort_by(heavier);
            let name = |j: usize| match attributes {
                Attributes::Named(names) => names.name(j as u32).to_owned(),
                Attributes::Numbered(_) => (j + 1).to_string(),
            };
            let nonzero = order.into_iter().filter(|&j| weight(j) != 0.0);
            (label, nonzero.map(|j| (name(j), weight(j))).collect())
        };
        labels.iter().enumerate().map(of_label).collect()
    }

    fn object(&self, model: &Model) -> Value {
        let (description, certificate) = (model.description(), model.certificate());
        let heaviest: Vec<Value> = self
            .heaviest(model)
            .into_iter()
            .map(|(label, weights)| json!({ "label": label, "weights": weights }))
            .collect();
        let couplings: Vec<Value> =
            (model.task().couplings(&model.names().labels, model.weights()).into_iter())
                .take(self.shown_couplings())
                .map(|(first, second, strength)| json!({ "labels": [first, second], "coupling": strength }))
                .collect();
        let mut object = json!({
            "model": self.model.display().to_string(),
            "program_version": description.program_version,
            "task": model.task().name(),
            "labels": model.names().labels.iter().collect::<Vec<_>>(),
            "attributes": model.names().attributes.len(),
            "trained_attributes": description.attributes,
            "named_attributes": matches!(model.names().attributes, Attributes::Named(_)),
            "loss": model.task().loss_name(),
            "lambda": description.lambda,
            "surrogate": description.surrogate,
            "search": description.search,
            "solver": description.solver,
            "seed": description.seed,
            "n": description.examples,
            "dim": model.weights().len(),
            "passes": description.passes,
            "primal": certificate.primal,
            "lower_bound": certificate.lower_bound,
            "gap": certificate.gap().0,
            "oracle_gap": certificate.oracle_gap,
            "norm": model.norm(),
            "data_format": description.format,
            "heaviest": heaviest,
            "missing": model.preprocessing().impute.is_some(),
            "standardized": model.preprocessing().scale.is_some(),
            "centered": model.preprocessing().shift.is_some(),
            "dropped_labels": model.dropped_labels().iter().collect::<Vec<_>>(),
            "couplings": couplings,
        });
        for (name, value) in model.task().facts() {
            object[name] = value;
        }
        object
    }
}

/// The width of the longest name, as it is shown.
fn longest<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    names.map(|name| excerpt(name).to_string().chars().count()).max().unwrap_or(0)
}
