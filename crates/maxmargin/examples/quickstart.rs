//! The library in a few lines: from data to predictions. The README and the crate's documentation show the same.

use std::ops::ControlFlow;

use maxmargin::data::{Noise, word_images};
use maxmargin::solver::{Limits, SolverKind, SolverSettings, run};
use maxmargin::task::{Task, TaskKind, TaskOptions};

fn main() -> maxmargin::Result<()> {
    // Images of words; `data::read_training` gives the same two things from files.
    let train = word_images(100, Noise::default(), 1);
    let (features, labels) = (train.vocabulary.attributes.len(), train.vocabulary.labels.len());

    let task = Task::new(TaskKind::Chain, features, labels, TaskOptions::default())?;
    let risk = task.risk(&train.data)?;
    let mut solver = SolverKind::Auto.build(risk.as_ref(), &SolverSettings::new(0.1)?);
    let outcome = run(solver.as_mut(), risk.as_ref(), Limits::default(), |_| ControlFlow::Continue(()));
    let proof = outcome.report.certificate;
    println!("F(w) = {:.4}, at least {:.4} for any w", proof.primal, proof.lower_bound);

    let test = word_images(1, Noise::default(), 2);
    let best = &task.predict(&outcome.weights, &test.data, 1)?[0][0];
    let read: String = best.labels.iter().map(|&y| train.vocabulary.labels.name(y)).collect();
    println!("read {read:?}, it was {:?}", test.words[0]);
    Ok(())
}
