//! What the fuzzer is made of: an allocator that counts, ways to spoil files, and all that reads them.

pub mod allocations;
pub mod data;
pub mod mutation;
pub mod saved;
pub mod words;

use std::path::Path;

use maxmargin::Result;
use rand_pcg::Pcg64Mcg;

/// Reads a file in this way, checks all that comes out of it, and panics where that does not fit together.
pub type Read = Box<dyn Fn(&Path, u64) -> Result<()>>;

/// Something that reads files of one kind.
pub struct Target {
    /// Its name, which is that of its folder in the corpus.
    pub name: &'static str,
    /// Files without a fault.
    pub sound: Vec<Sound>,
    /// How a file is put together anew after its parts were spoiled.
    pub shape: Shape,
    pub read: Read,
}

/// A file without a fault, and the way in which it is read.
pub struct Sound {
    pub bytes: Vec<u8>,
    pub way: u64,
}

/// What a file looks like to who spoils it.
pub enum Shape {
    /// Bytes, which may be packed.
    Plain,
    /// Safetensors: the length of the header, the header, the rest.
    Tensors,
    /// A checkpoint: a header that vouches for the rest.
    Checkpoint,
}

impl Target {
    /// Spoils a file. Where parts vouch for each other, they are mostly made to fit again: else nothing behind would be read.
    pub fn spoil(&self, bytes: &[u8], others: &[&[u8]], random: &mut Pcg64Mcg) -> Vec<u8> {
        use rand::RngExt;
        match self.shape {
            Shape::Plain => {
                let spoiled = mutation::mutate(bytes, others, random);
                if random.random_bool(0.15) { mutation::pack(&spoiled, random) } else { spoiled }
            }
            Shape::Tensors if random.random_bool(0.8) => saved::spoil_tensors(bytes, random),
            Shape::Checkpoint if random.random_bool(0.8) => saved::spoil_checkpoint(bytes, random),
            Shape::Tensors | Shape::Checkpoint => mutation::mutate(bytes, others, random),
        }
    }
}

/// All that reads files.
pub fn targets() -> Vec<Target> {
    [data::targets(), words::targets(), saved::targets()].into_iter().flatten().collect()
}

/// Puts bytes into a file without emptying it first: some file systems take that for an unsafe replacement, and wait for the
/// disk each time.
pub fn put(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write;
    let mut file = std::fs::OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)
}

fn sound(text: &str, way: u64) -> Sound {
    Sound { bytes: text.as_bytes().to_vec(), way }
}
