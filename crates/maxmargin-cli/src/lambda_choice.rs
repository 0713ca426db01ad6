//! How λ is chosen by itself, shown: while it goes on, as a table, and for machines.

use std::time::Duration;

use maxmargin::metrics::Metrics;
use maxmargin::training::{ChoiceEvent, LambdaChoice, TriedLambda};
use serde_json::{Value, json};

use crate::interrupt;
use crate::print::{count, note, number, time};
use crate::progress::Progress;
use crate::table::Table;
use crate::training::show;

/// Shows what a choice tells while it goes on.
pub struct ChoiceProgress {
    quiet: bool,
    run: Option<Progress>,
    /// What the task is, where there are several to choose among, and a comma.
    variant: String,
}

impl ChoiceProgress {
    /// Before the first λ.
    pub fn new(quiet: bool) -> Self {
        Self { quiet, run: None, variant: String::new() }
    }

    /// Takes in what happened.
    pub fn take(&mut self, event: ChoiceEvent<'_>) {
        match event {
            ChoiceEvent::Variant(name) => self.variant = format!("{name}, "),
            ChoiceEvent::Run(lambda, (fold, folds), limits) => {
                let fold = if folds > 1 { format!(", fold {fold} of {folds}") } else { String::new() };
                self.finish();
                let name = format!("choosing λ: {}{}{fold}", self.variant, number(lambda));
                self.run = Some(Progress::bar_only(limits, self.quiet, &name));
            }
            ChoiceEvent::Of(event) => {
                if let Some(run) = &mut self.run {
                    let _ = show(event, run, |_| ());
                }
            }
            ChoiceEvent::Tried(tried, figure) => {
                self.finish();
                if !self.quiet {
                    let TriedLambda { lambda, value, passes, seconds, .. } = tried;
                    let (lambda, value, time) = (number(*lambda), number(*value), time(*seconds));
                    let passes = count(*passes, "pass");
                    note(&format!(
                        "choosing λ: {}{lambda} has {figure} {value}, after {passes} in {time}",
                        self.variant,
                    ));
                }
            }
        }
    }

    fn finish(&mut self) {
        if let Some(run) = self.run.take() {
            run.finish();
        }
    }
}

/// All values of λ in a table.
pub fn table(choice: &LambdaChoice, examples: usize) -> String {
    let columns = ["λ", "C-sum", choice.figure, "mean loss", "passes", "gap", "time", ""];
    let chosen_of = (!choice.variants.is_empty()).then_some("");
    let mut table = Table::new(chosen_of.into_iter().chain(columns));
    let mut tried: Vec<&TriedLambda> = choice.tried.iter().collect();
    tried.sort_by(|a, b| a.variant.cmp(&b.variant).then(b.lambda.total_cmp(&a.lambda)));
    for TriedLambda { variant, lambda, value, mean_loss, passes, seconds, gap } in tried {
        let is_chosen = *lambda == choice.lambda && *variant == choice.variant;
        let name = choice.variants.get(*variant).cloned();
        let cells = [
            number(*lambda),
            number(1.0 / (lambda * examples as f64)),
            number(*value),
            number(*mean_loss),
            passes.to_string(),
            format!("{gap:.1e}"),
            time(*seconds),
            if is_chosen { "chosen" } else { "" }.to_owned(),
        ];
        table.row(name.into_iter().chain(cells));
    }
    table.to_string()
}

/// Why this λ, in a few words.
pub fn why(choice: &LambdaChoice) -> String {
    let how = match choice.folds {
        1 => format!("on {} held out", count(choice.validated_on, "example")),
        folds => format!("in {folds} folds"),
    };
    let better = if Metrics::is_smaller_better(choice.figure) { "least" } else { "best" };
    let short = if choice.is_cut_short { "; cut short" } else { "" };
    let of = match choice.variants.get(choice.variant) {
        Some(name) => format!(" with {name}, of {} others and", choice.variants.len() - 1),
        None => " of".to_owned(),
    };
    format!("{better} {}{of} {} values {how}{short}", choice.figure.replace('_', " "), choice.tried.len())
}

/// What to say of a choice that all values came out of alike.
pub fn tie_note(choice: &LambdaChoice, is_standardized: bool) -> Option<String> {
    let first = choice.tried.first()?.value;
    let is_tie = choice.tried.len() > 1 && choice.tried.iter().all(|tried| tried.value == first);
    let figure = choice.figure.replace('_', " ");
    let is_perfect = first == if Metrics::is_smaller_better(choice.figure) { 0.0 } else { 1.0 };
    let remedy = match is_standardized {
        true => "no λ helps",
        false => "columns may have numbers of very different sizes, for which --standardize is the remedy",
    };
    (is_tie && !is_perfect).then(|| {
        format!(
            "note: the table is a tie: all {} values of λ have the {figure} {}, and the largest is taken; if that is no better than guessing, {remedy}",
            choice.tried.len(),
            number(first)
        )
    })
}

/// What to say of a choice that ended early: after how much, and what to do about it.
pub fn cut_note(choice: &LambdaChoice, time_limit: Option<Duration>) -> Option<String> {
    let values = count(choice.tried.len(), "value");
    let why = match (interrupt::asked(), time_limit) {
        (false, Some(limit)) => {
            format!("--time-limit {}, of which it may take half", number(limit.as_secs_f64()))
        }
        _ => "a signal".to_owned(),
    };
    let remedy = "smaller ones may be better; name λ (--lambda, --c-sum) or give more time";
    let short = choice.is_cut_short;
    short.then(|| format!("note: the choice of λ was cut short after {values} by {why}: {remedy}"))
}

/// All of it for machines.
pub fn json(choice: &LambdaChoice, examples: usize) -> Value {
    let one = |tried: &TriedLambda| {
        json!({
            "variant": choice.variants.get(tried.variant), "lambda": tried.lambda, "c_sum": 1.0 / (tried.lambda * examples as f64), "value": tried.value,
            "mean_loss": tried.mean_loss, "passes": tried.passes, "seconds": tried.seconds, "gap": tried.gap,
        })
    };
    json!({
        "figure": choice.figure,
        "variant": choice.variants.get(choice.variant),
        "folds": choice.folds,
        "validated_on": choice.validated_on,
        "cut_short": choice.is_cut_short,
        "tried": choice.tried.iter().map(one).collect::<Vec<_>>(),
    })
}
