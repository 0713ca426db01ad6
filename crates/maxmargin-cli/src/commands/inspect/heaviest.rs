//! The heaviest weights of a model: of attributes, of transitions between labels, of pairs of labels.

use anyhow::{Result, bail};
use maxmargin::data::Attributes;
use maxmargin::linear::SeenPairs;
use maxmargin::shown::did_you_mean;
use maxmargin::tasks::WeightNames;
use maxmargin::{Model, excerpt};
use serde_json::{Value, json};

/// What is to be shown.
pub struct Heaviest<'a> {
    model: &'a Model,
    /// How many attributes for each label; twice as many transitions and couplings.
    top: usize,
    /// Only what these labels have to do with; all where there are none.
    labels: Vec<&'a str>,
    /// What weights are about.
    names: WeightNames,
}

/// A weight of going from one label to another; the start and the end of sequences have no name.
type Transition<'a> = (Option<&'a str>, Option<&'a str>, f64);

impl<'a> Heaviest<'a> {
    /// Refuses labels that the model does not have.
    pub fn new(model: &'a Model, top: usize, labels: &'a [String]) -> Result<Self> {
        let names = model.task().weight_names(&model.names().labels);
        for label in labels {
            if !has_labels(model) {
                bail!("--label: the weights of {} belong to no label; leave it out", model.task().name());
            }
            let states = &names.states;
            if !states.contains(label) {
                let (some, more) = (states.iter().take(20), if states.len() > 20 { ", …" } else { "" });
                let some: Vec<String> = some.map(|name| excerpt(name).to_string()).collect();
                let meant = did_you_mean(label, states.iter().take(10_000).map(String::as_str));
                bail!(
                    "--label: the model has no label {}; there are {}{more}{meant}",
                    excerpt(label),
                    some.join(", ")
                );
            }
        }
        Ok(Self { model, top, labels: labels.iter().map(String::as_str).collect(), names })
    }

    fn is_shown(&self, label: &str) -> bool {
        self.labels.is_empty() || self.labels.contains(&label)
    }

    /// For each label (or what else has a column of weights) the attributes with the largest weights by absolute value. A block with
    /// one weight per attribute has one list of them.
    fn attributes(&self) -> Vec<(&str, Vec<(String, f64)>)> {
        let model = self.model;
        let pairs = model.task().pair_attributes();
        let Some(block) = model.blocks().into_iter().nth(usize::from(pairs > 0)) else { return Vec::new() };
        if let Some(seen) = model.task().seen_pairs() {
            return self.seen_attributes(seen, block.start);
        }
        let attributes = model.names().attributes.len() - pairs;
        let WeightNames { states, columns, .. } = &self.names;
        let (columns, width): (Vec<(usize, &str)>, _) = match has_labels(model) {
            false => (vec![(0, block.name)], 1),
            true => {
                let is_shown = |(_, (state, _)): &(usize, &(usize, String))| self.is_shown(&states[*state]);
                let shown = columns.iter().enumerate().filter(is_shown);
                (shown.map(|(column, (_, name))| (column, name.as_str())).collect(), columns.len())
            }
        };
        if has_labels(model) && (block.shape[0] < attributes || block.shape[1..] != [width]) {
            // Weights of another crate's task, which has no row for each attribute.
            return Vec::new();
        }
        let of_column = |(column, name)| {
            let weight = |j: usize| model.weights()[block.start + j * width + column];
            let order = largest(attributes, self.top, weight);
            (name, order.into_iter().map(|j| (self.attribute(pairs + j), weight(j))).collect())
        };
        columns.into_iter().map(of_column).collect()
    }

    /// The same where only some pairs of attributes and labels have weights, which start there.
    fn seen_attributes(&self, seen: &SeenPairs, start: usize) -> Vec<(&str, Vec<(String, f64)>)> {
        let WeightNames { states, columns, .. } = &self.names;
        let is_shown: Vec<bool> = columns.iter().map(|(state, _)| self.is_shown(&states[*state])).collect();
        let mut of_columns: Vec<Vec<(usize, f64)>> = vec![Vec::new(); columns.len()];
        for (attribute, places) in seen.starts().windows(2).enumerate() {
            for place in places[0]..places[1] {
                let (column, weight) = (seen.labels()[place] as usize, self.model.weights()[start + place]);
                if is_shown[column] && weight != 0.0 {
                    of_columns[column].push((attribute, weight));
                }
            }
        }
        let named = |list: &Vec<(usize, f64)>| {
            let order = largest(list.len(), self.top, |i| list[i].1);
            order.into_iter().map(|i| (self.attribute(list[i].0), list[i].1)).collect()
        };
        let shown = columns.iter().zip(&of_columns).zip(is_shown).filter(|(_, is_shown)| *is_shown);
        shown.map(|(((_, name), list), _)| (name.as_str(), named(list))).collect()
    }

    fn attribute(&self, number: usize) -> String {
        match &self.model.names().attributes {
            Attributes::Named(names) => names.name(number as u32).to_owned(),
            Attributes::Numbered(_) => (number + 1).to_string(),
        }
    }

    /// The heaviest weights of attributes for going from one label to the next one, of which one is shown.
    fn steps(&self) -> Vec<(String, &'a str, &'a str, f64)> {
        let names = &self.model.names().labels;
        let block =
            self.model.blocks().into_iter().next().filter(|_| self.model.task().pair_attributes() > 0);
        let Some(block) = block else { return Vec::new() };
        let weights = &self.model.weights()[block.start..][..block.len()];
        let ends = |i: usize| [i / names.len() % names.len(), i % names.len()].map(|y| names.name(y as u32));
        let weight = |i: usize| match ends(i).iter().any(|end| self.is_shown(end)) {
            true => weights[i],
            false => 0.0,
        };
        let step = |i: usize| {
            let [before, after] = ends(i);
            (self.attribute(i / (names.len() * names.len())), before, after, weight(i))
        };
        largest(weights.len(), 2 * self.top, weight).into_iter().map(step).collect()
    }

    /// The heaviest transitions of sequences, from and to the labels that are shown.
    fn transitions(&self) -> Vec<Transition<'_>> {
        let names = &self.names.states;
        let name = |label: usize| Some(names[label].as_str());
        let mut all: Vec<Transition<'_>> = Vec::new();
        for block in self.model.blocks() {
            if block.shape.iter().any(|&size| size != names.len()) {
                continue;
            }
            let weights = self.model.weights()[block.start..][..block.len()].iter().enumerate();
            match block.name {
                "transition" => {
                    all.extend(weights.map(|(i, &w)| (name(i / names.len()), name(i % names.len()), w)));
                }
                "first" => all.extend(weights.map(|(i, &w)| (None, name(i), w))),
                "last" => all.extend(weights.map(|(i, &w)| (name(i), None, w))),
                _ => {}
            }
        }
        all.retain(|(from, to, _)| {
            self.labels.is_empty()
                || [from, to].iter().any(|end| end.is_some_and(|label| self.is_shown(label)))
        });
        let order = largest(all.len(), 2 * self.top, |i| all[i].2);
        order.into_iter().map(|i| all[i]).collect()
    }

    /// The heaviest weights of three labels in a row, of which one is shown.
    fn triples(&self) -> Vec<([String; 3], f64)> {
        let mut all = self.model.task().triples(&self.model.names().labels, self.model.weights());
        all.retain(|(labels, _)| labels.iter().any(|label| self.is_shown(label)));
        let order = largest(all.len(), 2 * self.top, |i| all[i].1);
        order.into_iter().map(|i| all[i].clone()).collect()
    }

    /// The heaviest couplings of pairs of labels.
    fn couplings(&self) -> Vec<(String, String, f64)> {
        let mut all = self.model.task().couplings(&self.model.names().labels, self.model.weights());
        all.retain(|(first, second, _)| self.is_shown(first) || self.is_shown(second));
        all.truncate(2 * self.top);
        all
    }

    /// For a person: with labels that were asked for, an attribute a line, else a label a line.
    pub fn text(&self) -> String {
        if self.top == 0 {
            return String::new();
        }
        let mut text = String::new();
        if self.labels.is_empty() {
            text += "\nheaviest attributes\n";
            let width = longest(self.names.columns.iter().map(|(_, name)| name.as_str())).max(9);
            for (label, heaviest) in self.attributes() {
                let list: Vec<String> =
                    heaviest.iter().map(|(name, weight)| format!("{} {weight:+.4}", excerpt(name))).collect();
                text += &format!("  {:<width$}  {}\n", excerpt(label), list.join("  "));
            }
        } else {
            for (label, heaviest) in self.attributes() {
                text += &format!("\nheaviest attributes of {}\n", excerpt(label));
                for (name, weight) in heaviest {
                    text += &format!("  {weight:+9.4}  {}\n", excerpt(&name));
                }
            }
        }
        let end = |name: Option<&str>, otherwise: &str| match name {
            Some(name) => excerpt(name).to_string(),
            None => otherwise.to_owned(),
        };
        let transitions: Vec<_> = (self.transitions().into_iter())
            .map(|(from, to, weight)| (end(from, "(start)"), end(to, "(end)"), weight))
            .collect();
        if !transitions.is_empty() {
            text += "\nheaviest transitions (from a label to the next one)\n";
            text += &pairs(&transitions, "→ ");
        }
        let triples: Vec<_> = (self.triples().into_iter())
            .map(|(labels, weight)| {
                let [before, from, to] = labels.map(|label| excerpt(&label).to_string());
                (format!("{before} → {from}"), to, weight)
            })
            .collect();
        if !triples.is_empty() {
            text += "\nheaviest labels in a row (beside the transitions between them)\n";
            text += &pairs(&triples, "→ ");
        }
        let steps: Vec<_> = (self.steps().into_iter())
            .map(|(attribute, from, to, weight)| {
                (excerpt(&attribute).to_string(), format!("{} → {}", excerpt(from), excerpt(to)), weight)
            })
            .collect();
        if !steps.is_empty() {
            text += "\nheaviest attributes of transitions\n";
            text += &pairs(&steps, "");
        }
        let couplings: Vec<_> = (self.couplings().into_iter())
            .map(|(a, b, strength)| (excerpt(&a).to_string(), excerpt(&b).to_string(), strength))
            .collect();
        if !couplings.is_empty() {
            text +=
                "\nheaviest couplings of labels (above 0 they go together, below 0 they shun each other)\n";
            text += &pairs(&couplings, "");
        }
        text
    }

    /// Adds what there is to an object.
    pub fn add_to(&self, object: &mut Value) {
        let attributes = self.attributes().into_iter();
        object["heaviest"] =
            attributes.map(|(label, weights)| json!({ "label": label, "weights": weights })).collect();
        object["transitions"] = (self.transitions().into_iter())
            .map(|(from, to, weight)| json!({ "from": from, "to": to, "weight": weight }))
            .collect();
        object["triples"] = (self.triples().into_iter())
            .map(|(labels, weight)| json!({ "labels": labels, "weight": weight }))
            .collect();
        object["pair_weights"] = (self.steps().into_iter())
            .map(|(attribute, from, to, weight)| {
                json!({ "attribute": attribute, "from": from, "to": to, "weight": weight })
            })
            .collect();
        object["couplings"] = (self.couplings().into_iter())
            .map(|(first, second, strength)| json!({ "labels": [first, second], "coupling": strength }))
            .collect();
    }
}

/// Whether attributes have a weight for each label.
fn has_labels(model: &Model) -> bool {
    model.blocks().first().is_some_and(|block| block.shape.len() > 1)
}

/// The places of the largest of some weights by absolute value, without those that are 0.
fn largest(count: usize, most: usize, weight: impl Fn(usize) -> f64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let heavier = |&a: &usize, &b: &usize| weight(b).abs().total_cmp(&weight(a).abs()).then(a.cmp(&b));
    if most < order.len() {
        order.select_nth_unstable_by(most, heavier);
        order.truncate(most);
    }
    order.sort_by(heavier);
    order.retain(|&i| weight(i) != 0.0);
    order
}

fn pairs(pairs: &[(String, String, f64)], between: &str) -> String {
    let first = longest(pairs.iter().map(|(first, ..)| first.as_str()));
    let second = longest(pairs.iter().map(|(_, second, _)| second.as_str()));
    let line = |(a, b, weight): &(String, String, f64)| {
        format!("  {a:<first$}  {between}{b:<second$}  {weight:+.4}\n")
    };
    pairs.iter().map(line).collect()
}

/// The width of the longest name, as it is shown.
fn longest<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    names.map(|name| excerpt(name).to_string().chars().count()).max().unwrap_or(0)
}
