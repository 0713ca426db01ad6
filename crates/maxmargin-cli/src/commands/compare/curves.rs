//! The curves of a comparison in a file: a line per pass of each run, as CSV or as JSON.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use maxmargin::solver::Report;
use maxmargin::{Error, OutputFile};
use serde_json::{Map, Value, json};

use crate::training::add_certificate;

/// A file of curves. Its ending tells the format.
#[derive(Debug, Clone)]
pub struct CurvesFile {
    /// Where it is.
    pub path: PathBuf,
    is_csv: bool,
}

impl CurvesFile {
    /// Refuses endings other than .csv and .jsonl.
    pub fn new(path: PathBuf) -> Result<Self, &'static str> {
        let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
        let is_csv = match ending.as_ref().and_then(|ending| ending.to_str()) {
            Some("csv") => true,
            Some("jsonl" | "ndjson") => false,
            _ => return Err("the name of a file of curves ends in .csv or .jsonl"),
        };
        Ok(Self { path, is_csv })
    }

    /// Writes the passes of runs, each with the name of its solver and λ.
    pub fn write<'a>(&self, runs: impl Iterator<Item = (&'static str, f64, &'a [Report])>) -> Result<()> {
        let passes = runs.flat_map(|(solver, lambda, passes)| {
            passes.iter().map(move |report| fields(solver, lambda, report))
        });
        let mut file = OutputFile::create(&self.path)?;
        let mut text = String::new();
        for fields in passes {
            if self.is_csv && text.is_empty() {
                text = line(fields.keys().cloned());
            }
            match self.is_csv {
                true => text += &line(fields.values().map(cell)),
                false => text += &format!("{}\n", Value::Object(fields)),
            }
        }
        file.write_all(text.as_bytes()).map_err(|e| Error::io("write", &self.path, e))?;
        Ok(file.finish()?)
    }
}

fn fields(solver: &str, lambda: f64, report: &Report) -> Map<String, Value> {
    let mut fields = json!({
        "solver": solver,
        "lambda": lambda,
        "passes": report.passes,
        "seconds": report.seconds,
        "master_seconds": report.master_seconds,
        "oracle_calls": report.oracle_calls,
        "queries": report.queries,
    });
    add_certificate(&mut fields, report);
    fields.as_object().cloned().unwrap_or_default()
}

/// Names of solvers and numbers need no quotes; what is not known is empty.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn line(cells: impl Iterator<Item = String>) -> String {
    cells.collect::<Vec<_>>().join(",") + "\n"
}
