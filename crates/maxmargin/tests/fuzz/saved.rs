//! What the program itself saved: models, associations, checkpoints.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use maxmargin::data::{ReadOptions, Reading, fingerprint_of_bytes};
use maxmargin::risk::Risk;
use maxmargin::solver::{Limits, RunState, SolverKind, SolverSettings, resume};
use maxmargin::tasks::{Chain, Fitted, Task};
use maxmargin::{CheckpointDir, Identity};
use maxmargin::{Model, Result};
use maxmargin_align::ParallelText;
use maxmargin_align::association::{Associations, EstimationOptions};
use rand::RngExt;
use rand_pcg::Pcg64Mcg;

use super::mutation::mutate;
use super::{Shape, Sound, Target, put};
use crate::common::models::{ALL_TASKS, model, models_of_sets, sparse_model};

/// The line with which a checkpoint begins.
const MAGIC: &[u8] = b"maxmargin checkpoint, version 7\n";

pub fn targets() -> Vec<Target> {
    let mut models = models_of_sets();
    for (task, named, bias) in
        ALL_TASKS.into_iter().flat_map(|task| [(task, true, true), (task, false, false)])
    {
        models.push(model(task, named, bias, !named));
        models.push(sparse_model(task, named, bias));
    }
    let models = models.iter().map(|model| bytes(|path| model.save(path))).collect();
    let pairs =
        [("the house is small", "la maison est petite"), ("the flower", "la fleur"), ("house", "maison")];
    let text = ParallelText::from_pairs(pairs);
    let associations = Associations::estimate(&[&text], &EstimationOptions::default(), |_| ()).expect("text");
    vec![
        Target { name: "model", sound: models, shape: Shape::Tensors, read: Box::new(read_model) },
        Target {
            name: "associations",
            sound: vec![bytes(|path| associations.save(path))],
            shape: Shape::Tensors,
            read: Box::new(read_associations),
        },
        checkpoints(),
    ]
}

/// What is saved.
fn bytes(save: impl FnOnce(&Path) -> Result<()>) -> Sound {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("saved");
    save(&path).expect("it can be saved");
    Sound { bytes: fs::read(path).expect("it is there"), way: 0 }
}

fn read_model(path: &Path, _: u64) -> Result<()> {
    let model = Model::load(path)?;
    assert_eq!(model.task().dim(), model.weights().len());
    assert_eq!(model.blocks().iter().map(|block| block.len()).sum::<usize>(), model.weights().len());
    assert!(model.weights().iter().all(|weight| weight.is_finite()));
    Ok(())
}

fn read_associations(path: &Path, _: u64) -> Result<()> {
    let associations = Associations::load(path)?;
    let pair = associations.of_pair(&["the", "house", "x"], &["la", "maison", "fleur", "y"]);
    for posterior in pair.hmm.iter().chain(&pair.model1).flatten() {
        assert!((-1e-6..=1.0 + 1e-6).contains(posterior), "{posterior}");
    }
    Ok(())
}

fn identity() -> Identity {
    vec![("solver".to_owned(), "any".to_owned()), ("data".to_owned(), "7".to_owned())]
}

/// A small problem, so that checkpoints are small too.
fn risk() -> Box<dyn Risk> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("data");
    fs::write(&path, "B\tx\ty:2\nI\tx\n\nO\ty\nB\tx\nO\n\nI\n").expect("the folder is ours");
    let reading = Chain::default().read(&[path], &ReadOptions::default(), None);
    let Reading { data, names, .. } = reading.expect("data in order");
    let (features, labels) = (names.attributes.len(), names.labels.len());
    let task = Fitted::new(Chain::default(), features, labels).expect("a task");
    task.risk(&data).expect("labelled data")
}

fn checkpoints() -> Target {
    let risk = risk();
    let sound = SolverKind::ALL.into_iter().map(|kind| {
        let folder = tempfile::tempdir().expect("a folder");
        let directory = CheckpointDir::new(folder.path()).expect("a folder");
        let mut solver = kind.build(risk.as_ref(), &SolverSettings::new(0.1).expect("λ")).unwrap();
        let limits = Limits { gap: 1e-9, max_passes: 2, time_limit: None };
        let mut state = RunState::new(risk.as_ref());
        resume(solver.as_mut(), risk.as_ref(), limits, &mut state, |state, solver| {
            directory.save(&identity(), state, solver, risk.as_ref()).expect("it can be saved");
            ControlFlow::Continue(())
        })
        .unwrap();
        Sound { bytes: fs::read(directory.file()).expect("it is there"), way: 0 }
    });
    let sound = sound.collect();
    let read = move |path: &Path, _: u64| {
        let folder = path.with_file_name("input-checkpoint");
        let directory = CheckpointDir::new(&folder)?;
        let bytes = fs::read(path).expect("it is there");
        put(directory.file(), &bytes).expect("the folder is ours");
        let (state, _) = directory.load(&identity(), risk.as_ref())?;
        _ = state.report();
        Ok(())
    };
    Target { name: "checkpoint", sound, shape: Shape::Checkpoint, read: Box::new(read) }
}

/// Spoils header and data each by itself, and makes the length of the header right again.
pub fn spoil_tensors(bytes: &[u8], random: &mut Pcg64Mcg) -> Vec<u8> {
    let end = match bytes.first_chunk::<8>().map(|length| u64::from_le_bytes(*length)) {
        Some(length) if length < bytes.len() as u64 - 8 => 8 + length as usize,
        _ => return mutate(bytes, &[], random),
    };
    let (mut header, mut data) = (bytes[8..end].to_vec(), bytes[end..].to_vec());
    if random.random_bool(0.7) {
        header = mutate(&header, &[], random);
    }
    if random.random_bool(0.5) {
        data = mutate(&data, &[], random);
    }
    [&(header.len() as u64).to_le_bytes()[..], &header, &data].concat()
}

/// What is beside the state: its length, and its fingerprint.
type Beside = (u64, u64);

/// Spoils the state, and lets header and seal vouch for it.
pub fn spoil_checkpoint(bytes: &[u8], random: &mut Pcg64Mcg) -> Vec<u8> {
    let read = |rest| postcard::take_from_bytes::<(Identity, Beside, u64)>(rest).ok();
    let header = bytes.strip_prefix(MAGIC).and_then(read);
    let Some(((mut identity, mut beside, _), body)) = header else { return mutate(bytes, &[], random) };
    let mut body = mutate(&body[..body.len().saturating_sub(size_of::<u64>())], &[], random);
    body.extend(fingerprint_of_bytes(&body).to_le_bytes());
    if let Some((_, value)) = identity.first_mut()
        && random.random_bool(0.1)
    {
        *value = String::from_utf8_lossy(&mutate(value.as_bytes(), &[], random)).into_owned();
    }
    if random.random_bool(0.1) {
        beside.0 = random.random::<u64>() >> random.random_range(0..64);
    }
    let header = postcard::to_stdvec(&(identity, beside, body.len() as u64)).expect("memory");
    [MAGIC, &header, &body].concat()
}
