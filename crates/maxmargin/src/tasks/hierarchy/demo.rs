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
/// Of these λ each norm has the one with the fewest mistakes on points that are in neither set.
const LAMBDAS: [f64; 4] = [0.03, 0.01, 0.003, 0.001];
const NORMS: [(Norm, &str); 3] = [
    (Norm::Flat, "flat: a vector for each leaf"),
    (Norm::Hsvm, "hsvm: a vector for each node"),
    (Norm::Nhsvm, "nhsvm: nodes scaled by α"),
];
/// The seeds of points to learn from, to choose λ on, and to test on.
const SEEDS: [u64; 3] = [2, 4, 3];

/// What is learnt with a norm, and its predictions by name; λ is chosen where none is given.
fn learnt(norm: Norm, lambda: Option<f64>, halves: Halves) -> Result<(f64, Learnt<NodeTask>, Vec<String>)> {
    let [train, other, test] = SEEDS;
    let (train, names) = halves.points(TRAINING_POINTS, train)?;
    let task = || NodeTask::from(HierarchyOptions { norm, ..HierarchyOptions::default() });
    let error = |learnt: &Learnt<NodeTask>| learnt.metrics.figure("error").unwrap_or_default();
    let lambda = match lambda {
        Some(lambda) => lambda,
        None => {
            let (other, _) = halves.points(TEST_POINTS, other)?;
            let mut best = (f64::INFINITY, LAMBDAS[0]);
            for lambda in LAMBDAS {
                let error = error(&learn(task(), lambda, &train, &other, &names)?);
                if error < best.0 {
                    best = (error, lambda);
                }
            }
            best.1
        }
    };
    let (test, _) = halves.points(TEST_POINTS, test)?;
    let learnt = learn(task(), lambda, &train, &test, &names)?;
    let labels = learnt.labels.iter().map(|&node| names.labels.name(node).to_owned()).collect();
    Ok((lambda, learnt, labels))
}

pub(super) fn run(say: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
    let begun = Instant::now();
    let (_, names) = HALVES.points(0, 2)?;
    say(&format!(
        "Finding the part of a space in which a point lies. The space is halved by a plane, one half of it by another, and so on,\n\
         {} times: a tree that grows in one direction only. {TRAINING_POINTS} points to learn from, {TEST_POINTS} new ones.\n\n",
        HALVES.depth,
    ))?;
    let mut rows = String::new();
    let mut last = None;
    for (norm, name) in NORMS {
        let (lambda, plain, labels) = learnt(norm, None, HALVES)?;
        let (_, _, copied) = learnt(norm, Some(lambda), Halves { copies: COPIES, ..HALVES })?;
        let moved = labels.iter().zip(&copied).filter(|(before, after)| before != after).count();
        let error = plain.metrics.figure("error").unwrap_or_default();
        rows += &format!("{name:<32}{:>14}{:>26}\n", percent(error), format!("{moved} of {TEST_POINTS}"));
        last = Some(plain);
    }
    let Some(normalised) = last else { return Ok(()) };
    let drawn = normalised.model.task_as::<NodeTask>().and_then(|task| {
        let squares = task.structure().node_squares(normalised.model.weights());
        drawing::tree(&task.task().options, &names.labels, &squares, &[])
    });
    say(&format!(
        "{}\nOn the {TEST_POINTS} new points, and how many predictions change when each inner node is there {COPIES} times, one below\n\
         the other, which says nothing new:\n\n{:<32}{:>14}{:>26}\n{rows}\n\
         α of the last one, which add up to 1 on the way to each leaf:\n\n{}\n{} in all.\n",
        explain("the last one", "wrong nodes", "points", &normalised.report),
        "",
        "wrong parts",
        "changed by copies",
        drawn.unwrap_or_default(),
        time(begun.elapsed().as_secs_f64()),
    ))
}
