//! Starting from the weights of another model of the same task.
//!
//! Weights go by names: what is about attributes and labels that both have is taken over, block by block, and all else starts at 0. Weights
//! about pairs of labels of which one is new, or whose labels come in another order, start at 0 too. Any start will do, as a certificate
//! holds wherever it began.

use std::collections::HashMap;
use std::hash::Hash;

use super::Problem;
use crate::data::{Alphabet, Attributes, Vocabulary};
use crate::error::{Error, Result};
use crate::linear::SeenPairs;
use crate::model::{Block, Model};
use crate::tasks::FittedObject;
use crate::tasks::chain::PAIR_ATTRIBUTES;

/// The new place of each old one, where there is one.
type Places = Vec<Option<usize>>;

/// The weights of a model for a problem.
pub(super) fn weights(model: &Model, problem: &Problem) -> Result<Vec<f64>> {
    let differs =
        |what: &str| Error::parameter("warm start", format!("cannot start from this model: {what}"));
    let (old, new) = (model.task(), problem.task());
    if old.name() != new.name() {
        return Err(differs(&format!("it is for the task {}, not {}", old.name(), new.name())));
    }
    if old.scorer().is_some() {
        return Err(differs("its scores are those of a network, and its weights are all 0"));
    }
    let (before, now) = (model.names(), problem.examples().names());
    let labels = places_of_names(&before.labels, &now.labels);
    if labels.iter().all(Option::is_none) {
        return Err(differs("it has none of the labels of the training data"));
    }
    let (mut from, mut to) = (old.blocks(), new.blocks());
    let other_weights = || differs("it has other weights; give the task the same options as then");
    let attributes = attributes(before, now, (old.pair_attributes(), new.pair_attributes()))
        .ok_or_else(|| differs("it has none of the attributes of the training data"))?;
    let (old_names, new_names) = (old.weight_names(&before.labels), new.weight_names(&now.labels));
    let name = |(_, name): &'_ (usize, String)| name.clone();
    let columns = by_name(old_names.columns.iter().map(name), new_names.columns.iter().map(name));
    if old.seen_pairs().is_some() || new.seen_pairs().is_some() {
        return match options(old) == options(new) {
            true => {
                let mut weights = of_pairs(model, new, &attributes, now.attributes.len(), &columns);
                copy_label_blocks(model, new, &labels, &mut weights);
                Ok(weights)
            }
            false => Err(other_weights()),
        };
    }
    let mut weights = vec![0.0; new.dim()];
    let states = by_name(old_names.states.iter(), new_names.states.iter());
    let are_same_labels = before.labels.iter().eq(now.labels.iter());
    // Attributes of pairs, where both have any, are rows of a block of their own, before that of the others.
    let (of_pairs, others) = attributes.split_at(old.pair_attributes());
    let pairs = (old.pair_attributes() > 0).then(|| from.remove(0));
    let new_pairs = (new.pair_attributes() > 0).then(|| to.remove(0));
    if !from.iter().map(|block| block.name).eq(to.iter().map(|block| block.name))
        || options(old) != options(new)
    {
        return Err(other_weights());
    }
    let rows = with_constant(others, now.attributes.len() - new.pair_attributes(), &from, &to)
        .ok_or_else(|| differs("it has none of the attributes of the training data"))?;
    if let Some((from, to)) = pairs.zip(new_pairs) {
        let axes = [of_pairs.to_vec(), labels.clone(), labels.clone()];
        copy_block(model, &from, &axes, &mut weights, &to);
    }
    for (k, (from, to)) in from.iter().zip(&to).enumerate() {
        if from.shape.len() != to.shape.len() {
            return Err(other_weights());
        }
        let own_rows = old_names.rows_of(from.name).zip(new_names.rows_of(to.name));
        let rows: Vec<Places> = match own_rows {
            _ if k == 0 => rows.clone(),
            Some((old, new))
                if (Some(&old.len()), Some(&new.len())) == (from.shape.first(), to.shape.first()) =>
            {
                vec![by_name(old.iter(), new.iter()).0]
            }
            _ => Vec::new(),
        };
        let first = rows.len();
        let (named, sizes) = if k == 0 { &columns } else { &states };
        let is_about_names = |axis: usize| (from.shape[axis], to.shape[axis]) == *sizes;
        let axes: Vec<Places> = if (first..from.shape.len()).all(is_about_names) {
            rows.into_iter().chain((first..from.shape.len()).map(|_| named.clone())).collect()
        } else if are_same_labels && from.shape[first..] == to.shape[first..] {
            rows.into_iter()
                .chain(from.shape[first..].iter().map(|&size| (0..size).map(Some).collect()))
                .collect()
        } else {
            continue;
        };
        copy_block(model, from, &axes, &mut weights, to);
    }
    Ok(weights)
}

/// Copies what is about labels alone, given their new places.
fn copy_label_blocks(model: &Model, new: &dyn FittedObject, labels: &Places, weights: &mut [f64]) {
    let to = new.blocks();
    for from in model.task().blocks().iter().skip(1) {
        let is_about = |block: &Block, count: usize| block.shape.iter().all(|&size| size == count);
        let same = to.iter().skip(1).find(|to| to.name == from.name && to.shape.len() == from.shape.len());
        if let Some(to) = same.filter(|to| is_about(from, labels.len()) && is_about(to, new.labels())) {
            copy_block(model, from, &vec![labels.clone(); from.shape.len()], weights, to);
        }
    }
}

fn copy_block(model: &Model, from: &Block, axes: &[Places], weights: &mut [f64], to: &Block) {
    let old = &model.weights()[from.start..from.start + from.len()];
    copy(old, axes, &mut weights[to.start..to.start + to.len()], &to.shape);
}

/// Options that say what weights are about; what mistakes cost may differ, and so may the data that pairs were found from.
fn options(task: &dyn FittedObject) -> serde_json::Map<String, serde_json::Value> {
    let mut fields = task.save().fields;
    fields.remove("loss");
    fields.remove("links");
    fields.remove("class_weights");
    fields.remove(PAIR_ATTRIBUTES);
    for by_name in ["pairs", "triples", "tensors"].iter().chain(task.fields_of_data()) {
        fields.remove(*by_name);
    }
    if let Some(sets) = fields.get_mut("sets").and_then(|sets| sets.as_object_mut()) {
        sets.remove("listed");
        sets.remove("inference");
    }
    fields
}

/// Weights where one of the two has weights for some pairs of attributes and labels only, given the new places of old attributes and
/// of what attributes have weights for, with the numbers of both.
fn of_pairs(
    model: &Model,
    new: &dyn FittedObject,
    attributes: &[Option<usize>],
    new_attributes: usize,
    (columns, (old_width, new_width)): &(Places, (usize, usize)),
) -> Vec<f64> {
    let old = model.task();
    let mut weights = vec![0.0; new.dim()];
    // Where the weights of all attributes end, those of the constant feature begin.
    let constant = |task: &dyn FittedObject, attributes: usize, width: usize| {
        task.seen_pairs().map_or(attributes * width, SeenPairs::len)
    };
    let new_place = |row: usize, column: usize| match new.seen_pairs() {
        Some(pairs) => pairs.place(row, column as u32),
        None => Some(row * new_width + column),
    };
    let mut take = |from: usize, to: Option<usize>| {
        let old = model.weights().get(from);
        if let (Some(&old), Some(weight)) = (old, to.and_then(|to| weights.get_mut(to))) {
            *weight = old;
        }
    };
    for (row, place) in attributes.iter().enumerate() {
        let Some(new_row) = *place else { continue };
        let range = match old.seen_pairs() {
            Some(pairs) => pairs.starts()[row]..pairs.starts()[row + 1],
            None => row * old_width..(row + 1) * old_width,
        };
        for from in range {
            let column = old.seen_pairs().map_or(from % old_width, |pairs| pairs.labels()[from] as usize);
            take(from, columns[column].and_then(|column| new_place(new_row, column)));
        }
    }
    let (from, to) = (constant(old, attributes.len(), *old_width), constant(new, new_attributes, *new_width));
    for (column, place) in columns.iter().enumerate() {
        take(from + column, place.map(|column| to + column));
    }
    weights
}

/// The new place of each old name, and how many names there are, before and now.
fn by_name<S: Eq + Hash>(
    old: impl ExactSizeIterator<Item = S>,
    new: impl ExactSizeIterator<Item = S>,
) -> (Places, (usize, usize)) {
    let sizes = (old.len(), new.len());
    let places: HashMap<S, usize> = new.enumerate().map(|(place, name)| (name, place)).collect();
    (old.map(|name| places.get(&name).copied()).collect(), sizes)
}

fn places_of_names(old: &Alphabet, new: &Alphabet) -> Places {
    old.iter().map(|name| new.get(name).map(|place| place as usize)).collect()
}

/// The new place of each attribute, those of pairs and all others counted from 0 each, where it is of the same kind. None where the two
/// have nothing in common.
fn attributes(before: &Vocabulary, now: &Vocabulary, pairs: (usize, usize)) -> Option<Places> {
    let mut places: Places = match (&before.attributes, &now.attributes) {
        (Attributes::Numbered(old), Attributes::Numbered(new)) => {
            (0..*old).map(|row| (row < *new).then_some(row)).collect()
        }
        (Attributes::Named(old), Attributes::Named(new)) => places_of_names(old, new),
        _ => return None,
    };
    for (row, place) in places.iter_mut().enumerate() {
        *place = place.filter(|&place| (row < pairs.0) == (place < pairs.1));
        *place = place.map(|place| if row < pairs.0 { place } else { place - pairs.1 });
    }
    (places.is_empty() || places.iter().any(Option::is_some)).then_some(places)
}

/// The new row of each old row of a block, given those of `new_attributes` attributes, the constant feature included.
fn with_constant(
    attributes: &[Option<usize>],
    new_attributes: usize,
    from: &[Block],
    to: &[Block],
) -> Option<Vec<Places>> {
    let mut places = attributes.to_vec();
    // The constant feature comes last.
    let (old, new) = (*from.first()?.shape.first()?, *to.first()?.shape.first()?);
    let more = (old.checked_sub(attributes.len())?, new.checked_sub(new_attributes)?);
    match more {
        (0, 0) => {}
        (1, 1) => places.push(Some(new - 1)),
        // Rows of another kind: these of another crate's task.
        _ if old == new => places = (0..old).map(Some).collect(),
        _ => return None,
    }
    Some(vec![places])
}

/// Copies what has a new place.
fn copy(from: &[f64], axes: &[Places], to: &mut [f64], shape: &[usize]) {
    let Some((places, inner)) = axes.split_first() else {
        to.copy_from_slice(from);
        return;
    };
    let (old_stride, new_stride) =
        (inner.iter().map(Vec::len).product::<usize>(), shape[1..].iter().product::<usize>());
    for (old, place) in places.iter().enumerate() {
        if let Some(new) = place {
            let (old, new) = (old * old_stride, new * new_stride);
            copy(&from[old..old + old_stride], inner, &mut to[new..new + new_stride], &shape[1..]);
        }
    }
}
