//! Writes graphs in the format `edges`, which the program trains on and every text tool reads.

use std::io::Write;
use std::path::Path;

use super::super::dataset::{Attributes, Dataset, Vocabulary};
use super::super::graph::EDGE_LABELS;
use crate::error::{Error, Result};
use crate::output::OutputFile;

/// Writes graphs as a file of edges. Numbers come back exactly; edges without a label are written like those without a link.
///
/// ```
/// use maxmargin::data::alignment::{AlignmentSource, ParallelText, SentenceLinks, write_edges};
/// use maxmargin::data::{ReadOptions, read_with};
/// let text = ParallelText::from_pairs([("the house", "la maison"), ("yes :", "oui :")]);
/// let source = AlignmentSource::new(&text);
/// let (data, vocabulary) = source.training_set(&vec![SentenceLinks::default(); 2], &source.groups())?;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("train.edges");
/// write_edges(&path, &data, &vocabulary)?;
/// let (read, _) = read_with(&[path], &ReadOptions::default(), &vocabulary)?;
/// assert_eq!(read.features.row(7).to_pairs(), data.features.row(7).to_pairs());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_edges(path: &Path, data: &Dataset, vocabulary: &Vocabulary) -> Result<()> {
    let (Some(edges), Attributes::Named(names)) = (&data.edges, &vocabulary.attributes) else {
        return Err(Error::parameter(
            "data",
            "not graphs whose features have names, as a file of edges needs them",
        ));
    };
    let escaped: Vec<String> = names
        .iter()
        .map(|name| {
            name.replace('\\', "\\\\")
                .replace(':', "\\:")
                .replace(|letter: char| letter.is_ascii_whitespace(), "_")
        })
        .collect();
    let mut file = OutputFile::create(path)?;
    let mut text = String::new();
    for example in 0..data.len() {
        text.clear();
        if let Some(unreachable) = &data.unreachable {
            text.push_str(&format!("@example unreachable={}\n", unreachable[example]));
        }
        for row in data.range(example) {
            let label = data.labels.get(row).and_then(|&label| EDGE_LABELS.get(label as usize));
            text.push_str(&format!(
                "{} {} {}",
                edges[row].left,
                edges[row].right,
                label.unwrap_or(&EDGE_LABELS[0])
            ));
            data.features.row(row).for_each(|column, value| {
                text.push(' ');
                text.push_str(&escaped[column]);
                if value != 1.0 {
                    text.push_str(&format!(":{value}"));
                }
            });
            text.push('\n');
        }
        text.push('\n');
        file.write_all(text.as_bytes()).map_err(|error| Error::io("write", path, error))?;
    }
    file.finish()
}
