//! Predictions as people and programs read them: lines of text, or JSON.

use std::io::{self, Write};

use maxmargin::data::DataObject;
use maxmargin::escaped;
use maxmargin::structure::Confidence;
use maxmargin::tasks::{Certainty, FittedObject, Prediction};
use serde_json::{Map, Value, json};

/// What is written of a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The labels.
    Labels,
    /// The labels, and how sure each is.
    Confident,
    /// Lists of the best labels with their scores.
    Ranked,
    /// An object a line, with such a list or without, and with how sure labels are or without.
    Json { ranked: bool, sure: bool },
}

impl Form {
    /// Whether it says how sure labels are.
    pub fn is_sure(self) -> bool {
        matches!(self, Self::Confident | Self::Json { sure: true, .. })
    }
}

/// Writes predictions, example by example.
pub struct Answers<'a> {
    task: &'a dyn FittedObject,
    form: Form,
    /// Whether a person reads them on a terminal: then what it would obey is written out. Elsewhere labels are what they are.
    for_person: bool,
    /// The number of examples so far.
    pub examples: usize,
    /// Those whose predictions are not proven to be the best.
    pub unproven: usize,
}

impl<'a> Answers<'a> {
    /// To the labels of a task.
    pub fn new(task: &'a dyn FittedObject, form: Form, for_person: bool) -> Self {
        Self { task, form, for_person, examples: 0, unproven: 0 }
    }

    /// Writes the best labels of one example, which has this place in some data.
    pub fn write(
        &mut self,
        data: &dyn DataObject,
        place: usize,
        best: &[Prediction],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        self.examples += 1;
        self.unproven += usize::from(!best.iter().all(Prediction::is_proven));
        let id = data.id(place);
        let shown = id.map(|id| if self.for_person { escaped(id).to_string() } else { id.to_owned() });
        match self.form {
            Form::Json { ranked, .. } => {
                let mut object = self.object(best, ranked);
                object.insert("id".to_owned(), id.map_or_else(|| json!(self.examples), |id| json!(id)));
                return writeln!(out, "{}", Value::from(object));
            }
            Form::Ranked => {
                let id = shown.map_or(String::new(), |id| format!("\t{id}"));
                for (rank, prediction) in (1..).zip(best) {
                    let unproven = if prediction.is_proven() { "" } else { " unproven" };
                    writeln!(out, "# {rank} {}{unproven}{id}", prediction.score)?;
                    writeln!(out, "{}\n", self.text(prediction))?;
                }
                return Ok(());
            }
            Form::Labels | Form::Confident => {}
        }
        if self.examples > 1 && data.starts_block(place) {
            writeln!(out)?;
        }
        for prediction in best {
            if let Some(id) = &shown {
                write!(out, "{id}\t")?;
            }
            match &prediction.certainty {
                None => {
                    let text = data.in_place(place, &prediction.label).map(|text| self.shown(text));
                    writeln!(out, "{}", text.unwrap_or_else(|| self.text(prediction)))?;
                }
                Some(certainty) => writeln!(out, "{}", confident(&self.text(prediction), certainty))?,
            }
        }
        // With its own sequence, so that who waits for its end need not wait for the next one.
        match data.has_blocks() {
            true => writeln!(out),
            false => Ok(()),
        }
    }

    fn text(&self, prediction: &Prediction) -> String {
        self.shown(self.task.write(&prediction.label))
    }

    fn shown(&self, text: String) -> String {
        match self.for_person {
            true => text.split('\n').map(|line| escaped(line).to_string()).collect::<Vec<_>>().join("\n"),
            false => text,
        }
    }

    /// What is known of one example.
    fn object(&self, best: &[Prediction], ranked: bool) -> Map<String, Value> {
        let one = |prediction: &Prediction| {
            let Prediction { label, score, .. } = prediction;
            json!({ "labels": label, "score": score, "proven": prediction.is_proven() })
        };
        let mut object = match best.first().map(one) {
            Some(Value::Object(object)) => object,
            _ => Map::new(),
        };
        if let Some((best, certainty)) = best.first().and_then(|best| Some((best, best.certainty.as_ref()?)))
        {
            object.insert("margin".to_owned(), number(&certainty.margin));
            let parts: Vec<Value> = certainty.parts.iter().map(number).collect();
            // They have the form of the labels: a list of as many, or one.
            let parts = match (&best.label, parts.first()) {
                (Value::String(_), Some(only)) => only.clone(),
                _ => parts.into(),
            };
            object.insert("confidences".to_owned(), parts);
            if !certainty.others.is_empty() {
                let written = |name: &Value| self.task.write(&json!([name]));
                let named = |name: &Value| name.as_str().map_or_else(|| written(name), str::to_owned);
                let other = |(name, sure): &(Value, Confidence)| (named(name), number(sure));
                let others: Map<String, Value> = certainty.others.iter().map(other).collect();
                object.insert("others".to_owned(), others.into());
            }
        }
        if ranked {
            object.insert("k_best".to_owned(), best.iter().map(one).collect());
        }
        object
    }
}

/// Each line with how sure what is on it is, behind a tab.
fn confident(text: &str, certainty: &Certainty) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let shown = |sure: &Confidence| match sure.is_proven() {
        true => sure.at_least.to_string(),
        false => format!("{}..{}", sure.at_least, sure.at_most),
    };
    let sure: Vec<String> = certainty.parts.iter().map(shown).collect();
    let per_line = if lines.len() == sure.len() { sure } else { vec![sure.join(" ")] };
    let line = |(line, sure): (&&str, &String)| format!("{line}\t{sure}");
    lines.iter().zip(&per_line).map(line).collect::<Vec<_>>().join("\n")
}

/// A number, or the two that it lies between; null for what JSON has no number for.
fn number(sure: &Confidence) -> Value {
    match sure.is_proven() {
        true => json!(sure.at_least),
        false => json!([sure.at_least, sure.at_most]),
    }
}
