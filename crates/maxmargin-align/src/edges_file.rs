//! Writes graphs in the format `edges`, which the program trains on and every text tool reads.

use std::io::Write;
use std::path::Path;

use maxmargin::OutputFile;
use maxmargin::data::EDGE_LABELS;
use maxmargin::data::{Attributes, TaskData, Vocabulary};
use maxmargin::tasks::GraphExamples;
use maxmargin::{Error, Result};

/// Writes graphs as a file of edges, with their weights and the numbers of links that have no edge. Numbers come back exactly; edges without a label are written like those without a link.
///
/// ```
/// use maxmargin_align::{AlignmentSource, ParallelText, SentenceLinks, write_edges};
/// use maxmargin::data::{ReadOptions, read_with};
/// let text = ParallelText::from_pairs([("the house", "la maison"), ("yes :", "oui :")]);
/// let source = AlignmentSource::new(&text);
/// let (data, vocabulary) = source.training_set(&vec![SentenceLinks::default(); 2], &source.groups())?;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("train.edges");
/// write_edges(&path, &data, &vocabulary)?;
/// let (read, _) = read_with(&[path], &ReadOptions::default(), &vocabulary)?;
/// assert_eq!(read.features.row(7).to_pairs(), data.rows().features().row(7).to_pairs());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_edges(path: &Path, data: &GraphExamples, vocabulary: &Vocabulary) -> Result<()> {
    let names = match &vocabulary.attributes {
        Attributes::Named(names) if names.len() == data.attributes() => names,
        _ => {
            let problem = "not graphs whose features have names, as a file of edges needs them";
            return Err(Error::parameter("data", problem));
        }
    };
    let edges = data.edges();
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
        declare(example, data, &mut text)?;
        for row in data.rows().range(example) {
            let label = EDGE_LABELS.get(data.labels()[row] as usize);
            text.push_str(&format!(
                "{} {} {}",
                edges[row].left,
                edges[row].right,
                label.unwrap_or(&EDGE_LABELS[0])
            ));
            data.rows().features().row(row).for_each(|column, value| {
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

/// The line before the edges of an example, where anything is to be said about it.
fn declare(example: usize, data: &GraphExamples, text: &mut String) -> Result<()> {
    let (weight, unreachable) = (data.weight(example), data.unreachable_links(example));
    if weight == 0.0 {
        let problem = format!("example {} has the weight 0; a file has weights above 0", example + 1);
        return Err(Error::parameter("data", problem));
    }
    if weight != 1.0 || data.unreachable().is_some() {
        text.push_str("@example");
        if weight != 1.0 {
            text.push_str(&format!(" weight={weight}"));
        }
        if data.unreachable().is_some() {
            text.push_str(&format!(" unreachable={unreachable}"));
        }
        text.push('\n');
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use maxmargin::data::{ExampleRows, ReadOptions, read_with};
    use maxmargin::features::FeatureMatrix;
    use maxmargin::structure::Edge;

    #[test]
    fn weights_and_unreachable_links_come_back() {
        let features = Arc::new(FeatureMatrix::from_dense(&[[0.5], [1.0], [-2.0], [0.25]]));
        let edges = [(0, 0), (0, 1), (3, 2), (1, 1)].map(|(left, right)| Edge { left, right });
        let labels = EDGE_LABELS.into_iter().collect();
        let vocabulary = Vocabulary { labels, attributes: Attributes::Named(["a"].into_iter().collect()) };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("graphs.edges");
        for weights in [None, Some(vec![1.0, 0.1 + 0.2, 1e-300])] {
            for unreachable in [None, Some(vec![0, 2, 1])] {
                let mut rows = ExampleRows::grouped(Arc::clone(&features), vec![0, 2, 3, 4]).unwrap();
                if let Some(weights) = &weights {
                    rows = rows.with_weights(weights.clone()).unwrap();
                }
                let mut data = GraphExamples::new(rows, edges, vec![1, 0, 2, 1]).unwrap();
                if let Some(unreachable) = &unreachable {
                    data = data.with_unreachable(unreachable.clone()).unwrap();
                }
                write_edges(&path, &data, &vocabulary).unwrap();
                let (read, _) =
                    read_with(std::slice::from_ref(&path), &ReadOptions::default(), &vocabulary).unwrap();
                assert_eq!((&read.weights, &read.unreachable), (&weights, &unreachable));
                assert_eq!((&read.labels[..], read.edges.as_deref()), (data.labels(), Some(data.edges())));
            }
        }
        let rows = ExampleRows::grouped(Arc::clone(&features), vec![0, 4]).unwrap();
        let data =
            GraphExamples::new(rows.with_weights(vec![0.0]).unwrap(), edges, vec![1, 0, 2, 1]).unwrap();
        assert!(write_edges(&folder.path().join("new"), &data, &vocabulary).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
