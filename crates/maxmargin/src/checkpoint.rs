//! Checkpoints: the complete state of a run in a file, so that a run that was killed goes on as if nothing had happened.
//!
//! The file is written beside its place and renamed, so there is always a whole one. It begins with a line for people, then
//! says for which run it is (data, λ, solver, …). The rest is what the risk cannot be made anew without, if there is anything (completions of
//! candidate labels), and the state of the driver and of the solver, with every random number generator, each with what vouches for it. A checkpoint is refused when it is damaged or when it is of another run, and the
//! error says what differs.

use std::fs::{File, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::data::fingerprint_of_bytes;
use crate::error::{Error, Result};
use crate::output::OutputFile;
use crate::risk::Risk;
use crate::shown::excerpt;
use crate::solver::{RunState, Solver, SolverFactory, load_state_with, save_state};

const MAGIC: &[u8] = b"maxmargin checkpoint, version 7\n";

/// What a run is about takes some hundred bytes. It lies within this many.
const LONGEST_HEADER: u64 = 1 << 20;

/// The characters of a value of another run that an error shows.
const MOST_OF_A_VALUE: usize = 200;

/// The file in a checkpoint directory.
const NAME: &str = "state.checkpoint";

/// What a run is about, as pairs of a name and a value: two runs with the same identity go the same way.
pub type Identity = Vec<(String, String)>;

/// The directory in which a run keeps its checkpoint.
#[derive(Debug)]
pub struct CheckpointDir {
    file: PathBuf,
    /// The directory, locked.
    _lock: Option<File>,
}

#[derive(Serialize, Deserialize)]
struct Header {
    identity: Identity,
    /// The length of what comes before the state, and its fingerprint.
    beside: (u64, u64),
    /// The length of all that follows.
    bytes: u64,
}

/// A checkpoint that was read, of the right run, and not looked into yet.
pub(crate) struct Saved {
    /// What was saved [beside](CheckpointDir::save_beside) the state.
    pub beside: Vec<u8>,
    state: Vec<u8>,
}

impl CheckpointDir {
    /// The checkpoint of a directory, which is made if it is not there.
    pub fn new(directory: &Path) -> Result<Self> {
        if directory.is_file() {
            let problem = "a file; a checkpoint needs the name of a directory".to_owned();
            return Err(Error::model(directory, problem));
        }
        std::fs::create_dir_all(directory).map_err(|e| Error::io("create", directory, e))?;
        let file = directory.join(NAME);
        OutputFile::check(&file)?;
        // Where directories can be locked, two runs cannot write over each other.
        let lock = File::open(directory).ok();
        if let Some(Err(TryLockError::WouldBlock)) = lock.as_ref().map(File::try_lock) {
            return Err(Error::model(
                &file,
                "another run is using this checkpoint; name another directory".to_owned(),
            ));
        }
        Ok(Self { file, _lock: lock })
    }

    /// The file itself.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Whether there is a checkpoint.
    pub fn exists(&self) -> bool {
        self.file.exists()
    }

    /// Replaces the checkpoint, as a whole or not at all.
    pub fn save(
        &self,
        identity: &Identity,
        state: &RunState,
        solver: &dyn Solver,
        risk: &dyn Risk,
    ) -> Result<()> {
        self.save_beside(&[], identity, state, solver, risk)
    }

    /// The same with more that the run depends on.
    pub(crate) fn save_beside(
        &self,
        beside: &[u8],
        identity: &Identity,
        state: &RunState,
        solver: &dyn Solver,
        risk: &dyn Risk,
    ) -> Result<()> {
        let damaged = |e: postcard::Error| Error::io("write", &self.file, std::io::Error::other(e));
        let body = save_state(state, solver, risk)?;
        let header = Header {
            identity: identity.clone(),
            beside: (beside.len() as u64, fingerprint_of_bytes(beside)),
            bytes: (beside.len() + body.len()) as u64,
        };
        let header = postcard::to_stdvec(&header).map_err(damaged)?;
        self.replace(&[MAGIC, &header, beside, &body]).map_err(|e| Error::io("write", &self.file, e))
    }

    /// The new file has a fixed name while it is written: what a killed run leaves of it is written over by the next.
    fn replace(&self, parts: &[&[u8]]) -> std::io::Result<()> {
        let new = self.file.with_extension("new");
        let write = || {
            let mut file = File::create(&new)?;
            parts.iter().try_for_each(|part| file.write_all(part))?;
            file.sync_all()?;
            std::fs::rename(&new, &self.file)?;
            // Some systems cannot sync a directory; then the last checkpoint but one may come back after a power cut.
            if let Some(Ok(directory)) = self.file.parent().map(File::open) {
                drop(directory.sync_all());
            }
            Ok(())
        };
        write().inspect_err(|_| drop(std::fs::remove_file(&new)))
    }

    /// Reads the checkpoint of a run of this identity. The risk's searches remember what they knew then.
    pub fn load(&self, identity: &Identity, risk: &dyn Risk) -> Result<(RunState, Box<dyn Solver>)> {
        self.load_with(identity, risk, &[])
    }

    /// What the run is about.
    pub fn identity(&self) -> Result<Identity> {
        self.read().map(|(identity, _)| identity)
    }

    /// The same where solvers that were written elsewhere may come back, each by the name of its factory.
    pub fn load_with(
        &self,
        identity: &Identity,
        risk: &dyn Risk,
        others: &[&dyn SolverFactory],
    ) -> Result<(RunState, Box<dyn Solver>)> {
        self.load_saved(&self.saved(identity)?, risk, others)
    }

    /// Reads the checkpoint of a run of this identity, but for its state.
    pub(crate) fn saved(&self, identity: &Identity) -> Result<Saved> {
        let (found, saved) = self.read()?;
        for ((name, value), (old_name, old_value)) in identity.iter().zip(&found) {
            if name != old_name || value != old_value {
                return Err(self.refused(format!(
                    "of another run: its {} is {}, and this run's {name} is {value}; \
                     give the same data and settings as then, or another directory",
                    excerpt(old_name),
                    excerpt(old_value).at_most(MOST_OF_A_VALUE),
                )));
            }
        }
        if identity.len() != found.len() {
            return Err(self.refused("of another kind of run".to_owned()));
        }
        Ok(saved)
    }

    /// The state that was saved, of a run on this risk.
    pub(crate) fn load_saved(
        &self,
        saved: &Saved,
        risk: &dyn Risk,
        others: &[&dyn SolverFactory],
    ) -> Result<(RunState, Box<dyn Solver>)> {
        load_state_with(&saved.state, risk, others)
            .map_err(|error| self.refused(format!("{error}; delete it and start again")))
    }

    fn refused(&self, problem: String) -> Error {
        Error::model(&self.file, problem)
    }

    pub(crate) fn damaged(&self) -> Error {
        self.refused("not a whole checkpoint: it was cut or changed; delete it and start again".to_owned())
    }

    /// What the run is about, and its state.
    fn read(&self) -> Result<(Identity, Saved)> {
        let mut reader = File::open(&self.file).map_err(|e| Error::io("read", &self.file, e))?;
        let mut read = |count: u64, to: &mut Vec<u8>| {
            Read::by_ref(&mut reader)
                .take(count)
                .read_to_end(to)
                .map_err(|e| Error::io("read", &self.file, e))
        };
        // What is no checkpoint may have no end: nothing is read on the word of what is not checked.
        let mut bytes = Vec::new();
        read(MAGIC.len() as u64, &mut bytes)?;
        if bytes != MAGIC {
            return Err(self.refused(
                "not a checkpoint, or one of another version of maxmargin; delete it and start again"
                    .to_owned(),
            ));
        }
        bytes.clear();
        read(LONGEST_HEADER, &mut bytes)?;
        let (header, begun) = postcard::take_from_bytes::<Header>(&bytes).map_err(|_| self.damaged())?;
        let begins = bytes.len() - begun.len();
        let begun = begun.len() as u64;
        // One byte more tells whether the file goes on.
        read(header.bytes.saturating_sub(begun).saturating_add(1), &mut bytes)?;
        let body = &bytes[begins..];
        if header.bytes != body.len() as u64 {
            return Err(self.damaged());
        }
        let (length, fingerprint) = header.beside;
        let beside = usize::try_from(length).ok().and_then(|length| body.get(..length));
        let beside = beside.filter(|beside| fingerprint_of_bytes(beside) == fingerprint);
        let beside = beside.ok_or_else(|| self.damaged())?.to_vec();
        bytes.drain(..begins + beside.len());
        Ok((header.identity, Saved { beside, state: bytes }))
    }
}
