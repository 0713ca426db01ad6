//! `maxmargin inspect`: what is in a model file.

mod heaviest;

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use maxmargin::data::Attributes;
use maxmargin::surrogate::Surrogate;
use maxmargin::training::describe_columns;
use maxmargin::{Model, escaped_path, excerpt};
use serde_json::{Value, json};

use self::heaviest::Heaviest;
use crate::arguments::PlotArguments;
use crate::files::Files;
use crate::plot::TreePicture;
use crate::print::{count, lower, number, say, say_json, upper};

/// Show what is in a model: how it was trained, its certificate, its heaviest weights
///
/// For chains also the heaviest transitions from a label to the next one; in JSON, null is the start or the end of a sequence. Where
/// templates make attributes of pairs of labels, also the heaviest of these. For
/// label sets with pairs also the heaviest couplings: what it is worth to two labels to be both in the set or both out,
/// less what it is worth to have one without the other. Hierarchies are drawn as trees: α, the length of the weights and the number of
/// training examples of each node; eval --per-label has its mistakes beside them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  maxmargin inspect chunks.model --top 10
  maxmargin inspect chunks.model --label B-NP --top 20
  maxmargin inspect taxa.model --plot tree.svg")]
pub struct Inspect {
    /// The model
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// How many of the heaviest attributes to show for each label (numbered attributes count from 1), and twice as many
    /// transitions or couplings of labels
    #[arg(long, value_name = "N", default_value_t = 5)]
    top: usize,

    /// Show only what has to do with this label, an attribute a line; may be given several times
    #[arg(long, value_name = "LABEL")]
    label: Vec<String>,

    #[command(flatten)]
    plot: PlotArguments,
}

impl Inspect {
    /// Runs the command.
    pub fn run(self) -> Result<()> {
        self.plot.add_to(Files::default().read("MODEL", [&self.model])).check()?;
        let model = Model::load(&self.model)?;
        let heaviest = Heaviest::new(&model, self.top, &self.label)?;
        let names = &model.names().labels;
        let around: Vec<u32> = self.label.iter().filter_map(|label| names.get(label)).collect();
        let drawing = model.task().draw(names, model.weights(), &around);
        match drawing.clone() {
            Some(tree) => {
                self.plot.draw(excerpt(&self.model.display().to_string()).to_string(), |title| {
                    TreePicture { title, tree }
                })?
            }
            None if self.plot.plot.is_empty() => {}
            None => bail!("--plot draws trees of labels; {} has none", model.task().name()),
        }
        if self.json {
            return say_json(&self.object(&model, &heaviest));
        }
        if let Some(scorer) = model.task().scorer() {
            return say(&self.network(&model, &scorer));
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
            count(description.passes, "pass"),
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
        if let Some(shifts) = model.label_shifts() {
            let ends = shifts.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), &shift| {
                (least.min(shift), most.max(shift))
            });
            text += &format!(
                "thresholds   tuned: {} to {} is added to the scores of labels\n",
                number(ends.0),
                number(ends.1)
            );
        }
        if let Some(drawing) = drawing {
            text += &format!("\n{drawing}");
        }
        say(&(text + &heaviest.text()))
    }

    /// What there is to say of a model whose weights are all 0.
    fn network(&self, model: &Model, scorer: &str) -> String {
        let (description, task) = (model.description(), model.task());
        format!(
            "model        {} (version {})\ntask         {}, {}, loss {}\ndata         {}\nnetwork      {scorer}\ntrained      surrogate {}, search {}, solver {}, seed {}, {}\ncertificate  none: the scores of a network are not linear in what it learns\n",
            escaped_path(&self.model),
            excerpt(&description.program_version),
            task.name(),
            count(model.names().labels.len(), "label"),
            task.loss_name(),
            count(description.examples, "example"),
            excerpt(&description.surrogate),
            excerpt(&description.search),
            excerpt(&description.solver),
            description.seed,
            count(description.passes, "epoch"),
        )
    }

    fn object(&self, model: &Model, heaviest: &Heaviest<'_>) -> Value {
        let (description, certificate) = (model.description(), model.certificate());
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
            "missing": model.preprocessing().impute.is_some(),
            "standardized": model.preprocessing().scale.is_some(),
            "centered": model.preprocessing().shift.is_some(),
            "dropped_labels": model.dropped_labels().iter().collect::<Vec<_>>(),
            "label_shifts": model.label_shifts(),
            "network": model.task().scorer(),
        });
        heaviest.add_to(&mut object);
        for (name, value) in model.task().facts() {
            object[name] = value;
        }
        object
    }
}
