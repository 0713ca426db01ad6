//! `maxmargin inspect`: what is in a model file.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use maxmargin::data::Attributes;
use maxmargin::structure::ExtraLinks;
use maxmargin::surrogate::Surrogate;
use maxmargin::task::{LinkOptions, Task, TaskKind};
use maxmargin::{Model, escaped_path, excerpt};
use serde_json::{Value, json};

use crate::describe::{Coupling, columns, couplings_of, label_sets, links};
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
            return say_json(&self.object(&model)?);
        }
        let description = &model.description;
        let certificate = &description.certificate;
        let dropped = match model.dropped_labels.len() {
            0 => String::new(),
            dropped => format!("; {} left out", count(dropped, "rare label")),
        };
        let mut text = format!(
            "model        {} (version {})\ntask         {}, {}, {}, loss {}, {}{}\n{}{}data         {}{}\ntrained      λ {}, surrogate {}, search {}, solver {}, seed {}, {}\ncertificate  {}\n",
            escaped_path(&self.model),
            excerpt(&description.program_version),
            description.task,
            count(model.vocabulary.labels.len(), "label"),
            match &model.vocabulary.attributes {
                Attributes::Named(names) => count(names.len(), "named attribute"),
                Attributes::Numbered(columns) => count(*columns, "numbered attribute"),
            },
            model.loss_name(),
            if model.options.bias { "bias" } else { "no bias" },
            match (description.task, model.options.boundary) {
                (TaskKind::Chain, true) => ", boundary weights",
                (TaskKind::Chain, false) => ", no boundary weights",
                _ => "",
            },
            match (label_sets(&model.task()?), links(&model.task()?)) {
                (Some(sets), _) => format!("label sets   {sets}{dropped}\n"),
                (_, Some(links)) => format!("links        {links}\n"),
                _ => String::new(),
            },
            columns(&model.preprocessing)
                .map_or(String::new(), |columns| format!("columns      {columns}\n")),
            count(description.examples, "example"),
            description.format.map(|format| format!(" in {format} files")).unwrap_or_default(),
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
        let zero = model.weights.iter().filter(|&&weight| weight == 0.0).count();
        text +=
            &format!("weights      {} ({zero} are 0), norm {}\n", model.weights.len(), number(model.norm()));
        for block in model.blocks() {
            let shape: Vec<String> = block.shape.iter().map(usize::to_string).collect();
            text += &format!("             {}: {}\n", block.name, shape.join(" × "));
        }
        if self.top > 0 {
            text += "\nheaviest attributes\n";
            let width = longest(model.vocabulary.labels.iter()).max(9);
            for (label, heaviest) in self.heaviest(&model) {
                let list: Vec<String> =
                    heaviest.iter().map(|(name, weight)| format!("{} {weight:+.4}", excerpt(name))).collect();
                text += &format!("  {:<width$}  {}\n", excerpt(label), list.join("  "));
            }
            text += &self.coupling_list(&model)?;
        }
        say(&text)
    }

    /// The pairs of labels with the heaviest couplings; empty where there are none.
    fn coupling_list(&self, model: &Model) -> Result<String> {
        let couplings = couplings_of(model)?;
        if couplings.is_empty() {
            return Ok(String::new());
        }
        let shown = &couplings[..self.shown_couplings().min(couplings.len())];
        let first = longest(shown.iter().map(|coupling| coupling.first));
        let second = longest(shown.iter().map(|coupling| coupling.second));
        let mut text =
            "\nheaviest couplings of labels (above 0 they go together, below 0 they shun each other)\n"
                .to_owned();
        for coupling in shown {
            let Coupling { first: a, second: b, strength } = coupling;
            let (a, b) = (excerpt(a), excerpt(b));
            text += &format!("  {a:<first$}  {b:<second$}  {strength:+.4}\n");
        }
        Ok(text)
    }

    /// There are many more pairs than labels.
    fn shown_couplings(&self) -> usize {
        2 * self.top
    }

    /// For each label the attributes with the largest weights by absolute value.
    fn heaviest<'a>(&self, model: &'a Model) -> Vec<(&'a str, Vec<(String, f64)>)> {
        // A link has one weight per attribute, whatever the labels of edges.
        let is_graph = model.description.task == TaskKind::Matching;
        let labels = if is_graph { 1 } else { model.vocabulary.labels.len() };
        let attributes = &model.vocabulary.attributes;
        let of_label = |(y, label): (usize, &'a str)| {
            let mut order: Vec<usize> = (0..attributes.len()).collect();
            let weight = |j: usize| model.weights[j * labels + y];
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
        match is_graph {
            true => vec![of_label((0, "link"))],
            false => model.vocabulary.labels.iter().enumerate().map(of_label).collect(),
        }
    }

    fn object(&self, model: &Model) -> Result<Value> {
        let description = &model.description;
        let certificate = &description.certificate;
        let heaviest: Vec<Value> = self
            .heaviest(model)
            .into_iter()
            .map(|(label, weights)| json!({ "label": label, "weights": weights }))
            .collect();
        let couplings: Vec<Value> = couplings_of(model)?
            .into_iter()
            .take(self.shown_couplings())
            .map(|Coupling { first, second, strength }| json!({ "labels": [first, second], "coupling": strength }))
            .collect();
        let mut object = json!({
            "model": self.model.display().to_string(),
            "program_version": description.program_version,
            "task": description.task.name(),
            "labels": model.vocabulary.labels.iter().collect::<Vec<_>>(),
            "attributes": model.vocabulary.attributes.len(),
            "named_attributes": matches!(model.vocabulary.attributes, Attributes::Named(_)),
            "bias": model.options.bias,
            "boundary": model.options.boundary,
            "loss": model.loss_name(),
            "lambda": description.lambda,
            "surrogate": description.surrogate,
            "search": description.search,
            "solver": description.solver,
            "seed": description.seed,
            "n": description.examples,
            "dim": model.weights.len(),
            "passes": description.passes,
            "primal": certificate.primal,
            "lower_bound": certificate.lower_bound,
            "gap": certificate.gap().0,
            "oracle_gap": certificate.oracle_gap,
            "norm": model.norm(),
            "data_format": description.format.map(|format| format.name()),
            "heaviest": heaviest,
            "missing": model.preprocessing.impute.is_some(),
            "standardized": model.preprocessing.scale.is_some(),
            "centered": model.preprocessing.shift.is_some(),
        });
        if description.task == TaskKind::Matching {
            let LinkOptions { miss, false_link, fertility, extra_links } = model.options.links;
            object["miss"] = miss.into();
            object["false"] = false_link.into();
            object["fertility"] = json!([fertility.0, fertility.1]);
            object["free_extra_links"] = (extra_links == ExtraLinks::Free).into();
        }
        if let Task::Multilabel(structure) = model.task()? {
            object["pairs"] = structure.graph().edges().len().into();
            object["inference"] = if structure.is_relaxed() { "relaxed" } else { "exact" }.into();
            object["pair_weights"] = structure.pair_weights().count().into();
            object["signed"] = structure.is_signed().into();
            object["dropped_labels"] = model.dropped_labels.iter().collect();
            object["couplings"] = couplings.into();
        }
        Ok(object)
    }
}

/// The width of the longest name, as it is shown.
fn longest<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    names.map(|name| excerpt(name).to_string().chars().count()).max().unwrap_or(0)
}
