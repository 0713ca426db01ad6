//! What identifies a run, so that a checkpoint goes on with the run that it is of.

use serde_json::Value;

use super::Problem;
use crate::checkpoint::Identity;
use crate::data::{Preprocessing, fingerprint_of_bytes};
use crate::solver::{SolverKind, SolverSettings};
use crate::tasks::FittedObject;

/// What λ is called in an identity.
const LAMBDA: &str = "λ";

/// λ of a run.
pub(super) fn lambda_of(identity: &Identity) -> Option<f64> {
    let lambda = identity.iter().find(|(name, _)| name == LAMBDA);
    lambda.and_then(|(_, value)| value.parse().ok())
}

/// Whether a run is one of this task with these options.
pub(super) fn is_of_task(identity: &Identity, task: &dyn FittedObject) -> bool {
    of_task(task).iter().all(|own| identity.contains(own))
}

/// What a task and its options say of a run.
fn of_task(task: &dyn FittedObject) -> Identity {
    let stored = task.save();
    let mut identity: Identity = Vec::new();
    let mut add = |name: &str, value: String| identity.push((name.to_owned(), value));
    add("task", task.name().to_owned());
    let nested = |(name, value): (&String, &Value)| match value {
        Value::Object(fields) => fields.clone().into_iter().collect(),
        value => vec![(name.clone(), value.clone())],
    };
    for (name, value) in stored.fields.iter().flat_map(nested) {
        let text = value.to_string();
        // A list of thousands of pairs would tell nobody anything.
        let is_long = text.len() > 200;
        let text =
            if is_long { format!("the one with fingerprint {:016x}", fingerprint(&text)) } else { text };
        add(&name, text.trim_matches('"').to_owned());
    }
    for (name, _, values) in &stored.tensors {
        add(name, format!("numbers {}", hash(values)));
    }
    identity
}

/// All that decides which way a run goes. What is easiest to understand comes first: the first difference is reported.
pub(super) fn identity(problem: &Problem, kind: SolverKind, settings: &SolverSettings) -> Identity {
    let start = settings
        .start
        .as_ref()
        .map_or("at 0".to_owned(), |start| format!("the weights {} of another model", hash(start)));
    let mut identity = vec![("program version".to_owned(), env!("CARGO_PKG_VERSION").to_owned())];
    identity.extend(of_task(problem.task()));
    let mut add = |name: &str, value: String| identity.push((name.to_owned(), value));
    add("surrogate", problem.search().surrogate().to_string());
    add("search", problem.search().to_string());
    add("number of weights", problem.task().dim().to_string());
    add("start", start);
    add("solver", kind.to_string());
    add(LAMBDA, settings.lambda.to_string());
    add("number of groups", settings.groups.to_string());
    add("seed", settings.seed.to_string());
    add("number of examples", problem.examples().len().to_string());
    add("data", format!("the one with fingerprint {:016x}", problem.examples().data().fingerprint()));
    if let Some(columns) = describe_columns(problem.preprocessing()) {
        add("columns", columns);
    }
    identity
}

fn hash(numbers: &[f64]) -> String {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    format!("{:016x}", fingerprint_of_bytes(&bytes))
}

fn fingerprint(text: &str) -> u64 {
    fingerprint_of_bytes(text.as_bytes())
}

/// What is done to columns, in words; none where they are left as they are.
pub fn describe_columns(preprocessing: &Preprocessing) -> Option<String> {
    let Preprocessing { impute, log_counts, idf, shift, scale, normalize } = preprocessing;
    let filled = impute.as_ref().map(|values| match values.iter().any(|&value| value != 0.0) {
        true => "missing values are filled in with the column's mean",
        false => "missing values are filled in with 0",
    });
    let standardised = match (shift, scale) {
        (Some(_), Some(_)) => Some("standardised (mean 0, deviation 1)"),
        (None, Some(_)) => Some("standardised (divided by their deviation)"),
        (Some(_), None) => Some("centred"),
        (None, None) => None,
    };
    let counts = match (log_counts, idf) {
        (true, Some(_)) => Some("logarithmic counts, tf-idf"),
        (true, None) => Some("logarithmic counts"),
        (false, Some(_)) => Some("tf-idf"),
        (false, None) => None,
    };
    let rows = normalize.then_some("rows of length 1");
    let parts: Vec<&str> = [filled, counts, standardised, rows].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
