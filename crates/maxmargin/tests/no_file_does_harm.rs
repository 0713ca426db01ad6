//! Promise: whatever a file holds, reading it ends in something that fits together or in an error that names the file. Nothing
//! panics, nothing fills the memory, and no message is long or holds what a terminal would obey.
//!
//! Files in order and those of `tests/corpus`, each named after the fault that it once showed, are spoiled at random, over and
//! over, and read in every way. By default this is a fixed number of files, the same in every run. For hours of it:
//!
//! ```text
//! MAXMARGIN_FUZZ_SECONDS=36000 MAXMARGIN_FUZZ_SEED=2 cargo test --release -p maxmargin --test no_file_does_harm -- --nocapture
//! ```
//!
//! What fails is kept as a file whose name is printed. Put into the folder of its target in the corpus, it is read first in
//! every later run.

mod common;
mod fuzz;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fuzz::allocations::{Counting, counted};
use fuzz::{Target, put, targets};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How many files each target reads, when no time is given.
const FILES: usize = 15_000;
/// The memory that reading a file may take at once. Those here have at most some megabytes when they are unpacked, of which
/// two make a million columns of a table, and these take some two hundred bytes each.
const MOST_MEMORY: usize = 512 << 20;
/// All that is ever allocated for it: a bound on work that does not depend on a clock.
const MOST_WORK: usize = 2 << 30;
/// The longest message, in characters.
const LONGEST_MESSAGE: usize = 800;

#[test]
fn no_file_does_harm() {
    let seed = variable("MAXMARGIN_FUZZ_SEED").unwrap_or(1);
    let end = variable("MAXMARGIN_FUZZ_SECONDS").map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz");
    let mut fuzzers: Vec<Fuzzer> = targets()
        .into_iter()
        .enumerate()
        .map(|(k, target)| Fuzzer::new(target, &folder, seed + 1000 * k as u64))
        .collect();
    for fuzzer in &mut fuzzers {
        fuzzer.read_what_is_known();
    }
    match end {
        None => fuzzers.iter_mut().for_each(|fuzzer| (0..FILES).for_each(|_| fuzzer.read_spoiled())),
        Some(end) => {
            while Instant::now() < end {
                fuzzers.iter_mut().for_each(|fuzzer| (0..100).for_each(|_| fuzzer.read_spoiled()));
            }
        }
    }
    for fuzzer in &fuzzers {
        let Fuzzer { target, read, refused, .. } = fuzzer;
        println!("{}: {read} files, {refused} of them refused", target.name);
        // Files that are all refused for their first bytes would show nothing.
        assert!(*refused < *read, "{}: no spoiled file was read", target.name);
    }
}

fn variable(name: &str) -> Option<u64> {
    let value = std::env::var(name).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{name}={value}: expected a whole number")))
}

/// A target, its files, and what became of them.
struct Fuzzer {
    target: Target,
    /// The file that is read: the one at fault when a run dies or never ends.
    path: PathBuf,
    failures: PathBuf,
    corpus: Vec<(PathBuf, Vec<u8>)>,
    random: Pcg64Mcg,
    read: usize,
    refused: usize,
}

impl Fuzzer {
    fn new(target: Target, folder: &Path, seed: u64) -> Self {
        let (own, failures) = (folder.join(target.name), folder.join("failures"));
        for folder in [&own, &failures] {
            fs::create_dir_all(folder).expect("a folder for what is read");
        }
        let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(target.name);
        let mut corpus: Vec<(PathBuf, Vec<u8>)> = fs::read_dir(kept)
            .into_iter()
            .flatten()
            .map(|entry| entry.expect("the corpus can be listed").path())
            .map(|path| (path.clone(), fs::read(path).expect("the corpus can be read")))
            .collect();
        corpus.sort();
        let path = own.join("input-images-idx3");
        Self { target, path, failures, corpus, random: Pcg64Mcg::seed_from_u64(seed), read: 0, refused: 0 }
    }

    /// Files in order are read, packed or not, and those of the corpus do no harm in any way.
    fn read_what_is_known(&mut self) {
        for sound in &self.target.sound {
            for bytes in [sound.bytes.clone(), common::gz(&sound.bytes)] {
                let is_plain = bytes == sound.bytes;
                if let Err(message) = self.harmless(&bytes, sound.way)
                    && (is_plain || matches!(self.target.shape, fuzz::Shape::Plain))
                {
                    panic!("{}: a file in order was refused: {message}", self.target.name);
                }
            }
        }
        for (_, bytes) in &self.corpus {
            for way in 0..256 {
                _ = self.harmless(bytes, way);
            }
        }
    }

    fn read_spoiled(&mut self) {
        let Self { target, corpus, random, .. } = self;
        let files: Vec<&[u8]> = target
            .sound
            .iter()
            .map(|sound| &sound.bytes[..])
            .chain(corpus.iter().map(|(_, bytes)| &bytes[..]))
            .collect();
        // Most of the corpus is refused at once; what comes of files in order is read further.
        let most = if random.random_bool(0.75) { target.sound.len() } else { files.len() };
        let chosen = random.random_range(0..most);
        let bytes = target.spoil(files[chosen], &files, random);
        let own = target.sound.get(chosen).map(|sound| sound.way);
        let way = own.filter(|_| random.random_bool(0.5)).unwrap_or(random.random_range(0..256));
        self.read += 1;
        self.refused += usize::from(self.harmless(&bytes, way).is_err());
    }

    /// Reads a file; its error, if it is refused. Panics when harm is done, and keeps the file.
    fn harmless(&self, bytes: &[u8], way: u64) -> Result<(), String> {
        put(&self.path, bytes).expect("a place for what is read");
        let read = AssertUnwindSafe(|| {
            (self.target.read)(&self.path, way).map_err(|error| {
                let is_parameter = matches!(error, maxmargin::Error::Parameter { .. });
                (error.to_string(), is_parameter)
            })
        });
        let (result, taken) = counted(|| catch_unwind(read));
        let harm = match &result {
            Err(_) => Some("it panics".to_owned()),
            Ok(_) if taken.peak > MOST_MEMORY => Some(format!("it takes {} bytes of memory", taken.peak)),
            Ok(_) if taken.asked > MOST_WORK => Some(format!("it allocates {} bytes in all", taken.asked)),
            Ok(Ok(())) => None,
            Ok(Err((message, is_parameter))) => {
                let message =
                    message.replace(&*self.path.parent().unwrap_or(&self.path).to_string_lossy(), "");
                let obeyed =
                    |c: char| c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c) || c == '\u{2066}';
                if message.chars().count() > LONGEST_MESSAGE {
                    Some(format!("a message of {} bytes", message.len()))
                } else if message.contains(obeyed) {
                    Some(format!("a message that a terminal would obey: {message:?}"))
                } else if !is_parameter && !message.contains("input-") {
                    Some(format!("a message without the name of the file: {message}"))
                } else {
                    None
                }
            }
        };
        if let Some(harm) = harm {
            let name = format!("{}-{:016x}", self.target.name, maxmargin::data::fingerprint_of_bytes(bytes));
            let kept = self.failures.join(name);
            fs::write(&kept, bytes).expect("a place for what failed");
            let (name, kept) = (self.target.name, kept.display());
            panic!("{name}, way {way}: {harm}\nthe file: {kept}\nto keep it, copy it to tests/corpus/{name}");
        }
        match result {
            Ok(Err((message, _))) => Err(message),
            _ => Ok(()),
        }
    }
}
