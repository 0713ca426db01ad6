//! What a model answers for one example: a label by its names, its score, and how sure each part of it is.
//!
//! How sure a part is, is what the best label with another value there scores less (the difference of two max-marginals). The second
//! best label of all differs somewhere, so that the least of these numbers is the margin to it.

use serde_json::Value;

use super::{LabelOf, Task};
use crate::data::Vocabulary;
use crate::structure::{Confidence, Found, MaxMarginals};

/// A label that was predicted for one example.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The label by its names: one, a list of them, or a list of pairs, as the task has it.
    pub label: Value,
    /// Its score.
    pub score: f64,
    /// How much more a label that is not listed before it may score: 0 where it is proven to be the best of those. Sets of
    /// many labels with pairs may be too hard to prove.
    pub missed: f64,
    /// How sure it is, where somebody asked and it is the best one.
    pub certainty: Option<Certainty>,
}

/// How sure a label and its parts are.
#[derive(Debug, Clone, PartialEq)]
pub struct Certainty {
    /// How much more it scores than the second best label.
    pub margin: Confidence,
    /// The same for each name in the label, in their order: than the best label that has something else there.
    pub parts: Vec<Confidence>,
    /// The same for what could be in a set and is not: than the best set with it.
    pub others: Vec<(Value, Confidence)>,
}

impl Prediction {
    /// Whether no label that is not listed before it scores more.
    pub fn is_proven(&self) -> bool {
        self.missed == 0.0
    }

    /// The names in the label, in their order.
    pub fn names(&self) -> Vec<&str> {
        match &self.label {
            Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
            other => other.as_str().into_iter().collect(),
        }
    }
}

impl Certainty {
    /// Of the values that a label has, and how sure each of them is.
    pub(super) fn of<T: Task>(
        structure: &T::Structure,
        names: &Vocabulary,
        input: &super::InputOf<T>,
        best: &Found<LabelOf<T>>,
        sure: &[Confidence],
        marginals: &dyn MaxMarginals<T::Structure>,
    ) -> Self {
        let least = |of: fn(&Confidence) -> f64| sure.iter().map(of).fold(f64::INFINITY, f64::min);
        let margin =
            Confidence { at_least: least(|sure| sure.at_least), at_most: least(|sure| sure.at_most) };
        let (mut parts, mut others) = (Vec::new(), Vec::new());
        for (variable, (value, sure)) in
            marginals.values(input, &best.label).into_iter().zip(sure).enumerate()
        {
            match T::member(names, input, variable).filter(|_| value == 0) {
                Some(name) => others.push((name, *sure)),
                None if T::is_named(structure, &best.label, variable) => parts.push(*sure),
                None => {}
            }
        }
        Self { margin, parts, others }
    }
}
