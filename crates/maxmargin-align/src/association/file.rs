//! Files of associations: safetensors, with a version in the metadata.
//!
//! | tensor | type | |
//! | --- | --- | --- |
//! | `left.words`, `right.words` | u8 | the words in lower case, one a line |
//! | `left.sentences`, `right.sentences` | u32 | in how many sentences each word occurs |
//! | `partners.count` | u32 | how many right words the tables have for each left word |
//! | `partners` | u32 | their numbers, ascending for each left word |
//! | `dice` | f32 | of each pair |
//! | `model1.right`, `hmm.right` | f32 | of each pair: the probability of the right word, given the left one |
//! | `model1.left`, `hmm.left` | f32 | of each pair: the probability of the left word, given the right one |
//! | `….null` | f32 | the same given no word: `model1.right.null` for each right word, and so on |
//! | `hmm.right.jumps`, `hmm.left.jumps` | f64 | weights of jumps from −100 to 100 words |
//!
//! The numbers of a pair of words are probabilities or Dice's coefficients: all of them lie between 0 and 1, and a file with
//! others is refused. So is every file whose parts do not fit each other.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, SafeTensorError, TensorView};
use serde::{Deserialize, Serialize};

use maxmargin::OutputFile;
use maxmargin::data::Alphabet;
use maxmargin::shown::excerpt;
use maxmargin::tensor_file::{Checked, FileKind, said};
use maxmargin::{Error, Result};

use super::jumps::Jumps;
use super::table::Associations;

const KEY: &str = "maxmargin-associations";
const FORMAT_VERSION: u32 = 1;
const FILES: FileKind = FileKind {
    key: KEY,
    no_description: "a safetensors file, but not one of associations: is it a model?",
    container: explain,
    unreadable: "the description cannot be read",
    version: refuse_version,
};

const SIDES: [&str; 2] = ["left", "right"];
const MODELS: [&str; 2] = ["model1", "hmm"];
/// The side that is emitted, by direction.
const EMITTED: [&str; 2] = ["right", "left"];

#[derive(Serialize, Deserialize)]
struct Header {
    format_version: u32,
    null_probability: f64,
    letters: Option<usize>,
}

impl Associations {
    /// Saves the tables: written beside, then renamed, so that the file is whole or not there.
    ///
    /// ```
    /// use maxmargin_align::association::{Associations, EstimationOptions};
    /// use maxmargin_align::ParallelText;
    /// let text = ParallelText::from_pairs([("the house", "la maison"), ("the flower", "la fleur")]);
    /// let associations = Associations::estimate(&[&text], &EstimationOptions::default(), |_| ())?;
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("words.associations");
    /// associations.save(&path)?;
    /// let loaded = Associations::load(&path)?;
    /// let (left, right) = (["the", "house"], ["la", "maison"]);
    /// assert_eq!(loaded.of_pair(&left, &right), associations.of_pair(&left, &right));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&self, path: &Path) -> Result<()> {
        let bytes = self.to_bytes().map_err(|problem| Error::model(path, problem))?;
        let mut file = OutputFile::create(path)?;
        file.write_all(&bytes).map_err(|error| Error::io("write", path, error))?;
        file.finish()
    }

    /// Loads tables and checks all of them.
    pub fn load(path: &Path) -> Result<Self> {
        FILES.load(path, check_header, Self::from_tensors)
    }

    fn to_bytes(&self) -> Checked<Vec<u8>> {
        let mut tensors: Vec<(String, Dtype, Vec<u8>)> = Vec::new();
        for (side, name) in SIDES.into_iter().enumerate() {
            let words: Vec<&str> = self.words[side].iter().collect();
            if let Some(word) = words.iter().find(|word| word.contains('\n')) {
                return Err(format!(
                    "the word `{}` has a line feed in it, which no file can keep",
                    excerpt(word)
                ));
            }
            tensors.push((format!("{name}.words"), Dtype::U8, words.join("\n").into_bytes()));
            tensors.push((format!("{name}.sentences"), Dtype::U32, le_u32(&self.sentences[side])));
        }
        let counts: Vec<u32> = self.starts.windows(2).map(|ends| (ends[1] - ends[0]) as u32).collect();
        tensors.push(("partners.count".to_owned(), Dtype::U32, le_u32(&counts)));
        tensors.push(("partners".to_owned(), Dtype::U32, le_u32(&self.partners)));
        tensors.push(("dice".to_owned(), Dtype::F32, le_f32(&self.dice)));
        for (direction, emitted) in EMITTED.into_iter().enumerate() {
            for (model, name) in MODELS.into_iter().enumerate() {
                tensors.push((
                    format!("{name}.{emitted}"),
                    Dtype::F32,
                    le_f32(&self.tables[model][direction]),
                ));
                tensors.push((
                    format!("{name}.{emitted}.null"),
                    Dtype::F32,
                    le_f32(&self.null[model][direction]),
                ));
            }
            let jumps =
                self.jumps[direction].weights.iter().flat_map(|weight| weight.to_le_bytes()).collect();
            tensors.push((format!("hmm.{emitted}.jumps"), Dtype::F64, jumps));
        }
        let header = Header {
            format_version: FORMAT_VERSION,
            null_probability: self.null_probability,
            letters: self.letters,
        };
        let header = serde_json::to_string(&header).map_err(|error| error.to_string())?;
        let views = tensors.iter().map(|(name, kind, bytes)| {
            let view = TensorView::new(*kind, vec![bytes.len() * 8 / kind.bitsize()], bytes);
            Ok((name.as_str(), view.map_err(|error| error.to_string())?))
        });
        let views: Vec<(&str, TensorView<'_>)> = views.collect::<Checked<_>>()?;
        let metadata = HashMap::from([(KEY.to_owned(), header)]);
        safetensors::serialize(views, Some(metadata)).map_err(|error| error.to_string())
    }

    fn from_tensors(header: Header, tensors: &SafeTensors<'_>) -> Checked<Self> {
        let null_probability = header.null_probability;
        let file = Tensors(tensors);
        let words = [file.words("left.words")?, file.words("right.words")?];
        let sentences = [
            file.whole_numbers("left.sentences", words[0].len())?,
            file.whole_numbers("right.sentences", words[1].len())?,
        ];
        let partners = file.whole_numbers("partners", file.length("partners")?)?;
        let starts =
            starts(&file.whole_numbers("partners.count", words[0].len())?, &partners, words[1].len())?;
        let pairs = partners.len();
        let table = |model: usize, direction: usize| {
            file.fractions(&format!("{}.{}", MODELS[model], EMITTED[direction]), pairs)
        };
        let null = |model: usize, direction: usize| {
            let emitted = words[1 - direction].len();
            file.fractions(&format!("{}.{}.null", MODELS[model], EMITTED[direction]), emitted)
        };
        Ok(Self {
            dice: file.fractions("dice", pairs)?,
            tables: [[table(0, 0)?, table(0, 1)?], [table(1, 0)?, table(1, 1)?]],
            null: [[null(0, 0)?, null(0, 1)?], [null(1, 0)?, null(1, 1)?]],
            jumps: [file.jumps("hmm.right.jumps")?, file.jumps("hmm.left.jumps")?],
            words,
            sentences,
            starts,
            partners,
            null_probability,
            letters: header.letters,
        })
    }
}

/// What a user can make of an error of the container.
fn explain(error: SafeTensorError) -> String {
    format!("not a file of associations, or cut off ({}); estimate them again", said(&error))
}

fn refuse_version(version: u32) -> Option<String> {
    (version != FORMAT_VERSION).then(|| {
        format!(
            "format version {version}, this program reads version {FORMAT_VERSION}; estimate the associations again"
        )
    })
}

fn check_header(header: &Header) -> Checked<()> {
    let null_probability = header.null_probability;
    match null_probability > 0.0 && null_probability < 1.0 {
        true => Ok(()),
        false => Err(format!("the null probability {null_probability} is not between 0 and 1")),
    }
}

/// Where the partners of each left word start, and the end.
fn starts(counts: &[u32], partners: &[u32], rights: usize) -> Checked<Vec<usize>> {
    let mut starts = vec![0];
    for &count in counts {
        let start = starts[starts.len() - 1];
        let row =
            partners.get(start..start + count as usize).ok_or("more partners are counted than listed")?;
        if !row.is_sorted_by(|a, b| a < b) || row.last().is_some_and(|&last| last as usize >= rights) {
            return Err("the partners of a word are not ascending numbers of right words".to_owned());
        }
        starts.push(start + row.len());
    }
    match starts[starts.len() - 1] == partners.len() {
        true => Ok(starts),
        false => Err("fewer partners are counted than listed".to_owned()),
    }
}

fn le_u32(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn le_f32(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// The tensors of a file, read with checks.
struct Tensors<'a>(&'a SafeTensors<'a>);

impl<'a> Tensors<'a> {
    fn bytes(&self, name: &str, kind: Dtype) -> Checked<&'a [u8]> {
        let tensor = self.0.tensor(name).map_err(|_| format!("the tensor {name} is missing"))?;
        match tensor.dtype() == kind && tensor.shape().len() == 1 {
            true => Ok(tensor.data()),
            false => Err(format!("the tensor {name} is not a list of {kind:?}")),
        }
    }

    fn length(&self, name: &str) -> Checked<usize> {
        Ok(self.bytes(name, Dtype::U32)?.len() / 4)
    }

    fn words(&self, name: &str) -> Checked<Alphabet> {
        let text = std::str::from_utf8(self.bytes(name, Dtype::U8)?);
        let text = text.map_err(|_| format!("the tensor {name} is not UTF-8"))?;
        let words: Alphabet = text.split('\n').collect();
        match words.len() == text.split('\n').count() {
            true => Ok(words),
            false => Err(format!("the tensor {name} has a word twice")),
        }
    }

    fn chunks<const N: usize>(&self, name: &str, kind: Dtype, length: usize) -> Checked<&[[u8; N]]> {
        let (chunks, _) = self.bytes(name, kind)?.as_chunks();
        match chunks.len() == length {
            true => Ok(chunks),
            false => Err(format!("the tensor {name} has {} numbers; expected {length}", chunks.len())),
        }
    }

    fn whole_numbers(&self, name: &str, length: usize) -> Checked<Vec<u32>> {
        Ok(self.chunks(name, Dtype::U32, length)?.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect())
    }

    fn fractions(&self, name: &str, length: usize) -> Checked<Vec<f32>> {
        let chunks = self.chunks(name, Dtype::F32, length)?;
        let numbers: Vec<f32> = chunks.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
        match numbers.iter().find(|number| !(0.0..=1.001).contains(*number)) {
            None => Ok(numbers),
            Some(number) => {
                Err(format!("the tensor {name} holds {number}; expected numbers between 0 and 1"))
            }
        }
    }

    fn jumps(&self, name: &str) -> Checked<Jumps> {
        let chunks = self.chunks(name, Dtype::F64, Jumps::default().weights.len())?;
        let jumps = Jumps { weights: chunks.iter().map(|&bytes| f64::from_le_bytes(bytes)).collect() };
        match jumps.are_sound() {
            true => Ok(jumps),
            false => Err(format!("the tensor {name} holds weights that are not between 0 and 1")),
        }
    }
}
