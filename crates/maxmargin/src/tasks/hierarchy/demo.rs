//! The demo of hierarchies: an unbalanced tree, and what becomes of models when its nodes are copied.

use std::time::Instant;

use super::halves::Halves;
use super::options::{HierarchyOptions, Norm};
use super::{NodeTask, drawing};
use crate::error::Result;
use crate::shown::{percent, time};
use crate::tasks::demonstrating::{Learnt, explain, learn};

const HALVES: Halves = Halves { dimension: 60, depth: 8, copies: 1, seed: 1 };
const TRAINING_POINTS: usize = 600;
const TEST_POINTS: usize = 2000;
const COPIES: usize = 5;
/// Each norm with the best of a few λ on points of a third seed.
const NORMS: [(Norm, f64, &str); 3] = [
    (Norm::Flat, 0.003, "flat: a vector for each leaf"),
    (Norm::Hsvm, 0.01, "hsvm: a vector for each node"),
    (Norm::Nhsvm, 0.003, "nhsvm: nodes scaled by α"),
];

pub(super) fn run(say: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
    let begun = Instant::now();
    let (_, names) = HALVES.points(0, 2)?;
    say(&format!(
        "Finding the part of a space in which a point lies. The space is halved by a plane, one half of it by another, and so on,\n\
         {} times: a tree that grows in one direction only. {TRAINING_POINTS} points to learn from, {TEST_POINTS} new ones.\n\n",
        HALVES.depth,
    ))?;
    let learnt = |norm, lambda, halves: Halves| {
        let ((train, names), (test, _)) =
            (halves.points(TRAINING_POINTS, 2)?, halves.points(TEST_POINTS, 3)?);
        let options = HierarchyOptions { norm, ..HierarchyOptions::default() };
        let task = NodeTask::from(options);
        let learnt = learn(task, lambda, &train, &test, &names)?;
        let labels: Vec<String> =
            learnt.labels.iter().map(|&node| names.labels.name(node).to_owned()).collect();
        Ok::<(Learnt<NodeTask>, Vec<String>), crate::Error>((learnt, labels))
    };
    let mut rows = String::new();
    let mut last = None;
    for (norm, lambda, name) in NORMS {
        let (plain, labels) = learnt(norm, lambda, HALVES)?;
        let (_, copied) = learnt(norm, lambda, Halves { copies: COPIES, ..HALVES })?;
        let moved = labels.iter().zip(&copied).filter(|(before, after)| before != after).count();
        let error = plain.metrics.figure("error").unwrap_or_default();
        rows += &format!("{name:<32}{:>14}{:>26}\n", percent(error), format!("{moved} of {TEST_POINTS}"));
        last = Some(plain);
    }
    let Some(normalised) = last else { return Ok(()) };
    let drawn = normalised
        .model
        .task_as::<NodeTask>()
        .and_then(|task| drawing::tree(&task.task().options, &names.labels, normalised.model.weights()));
    say(&format!(
        "{}\nOn the {TEST_POINTS} new points, and how many predictions change when each inner node is there {COPIES} times, one below\n\
         the other, which says nothing new:\n\n{:<32}{:>14}{:>26}\n{rows}\n\
         α of the last one, which add up to 1 on the way to each leaf; copies of a node share what one of them had:\n\n{}\n{} in all.\n",
        explain("the last one", "wrong nodes", "points", &normalised.report),
        "",
        "wrong parts",
        "changed by copies",
        drawn.unwrap_or_default(),
        time(begun.elapsed().as_secs_f64()),
    ))
}
