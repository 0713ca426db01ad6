//! Sequences as CRFsuite reads them: what templates made of columns of text, for other programs to learn from.

use std::io::{self, Write};

use super::{Attributes, TaskData, UNKNOWN_LABEL, Vocabulary};
use crate::tasks::SequenceExamples;

/// Writes a token a line, `label TAB attribute[:value] TAB …`, and a blank line after each sequence. A token without a label begins with
/// the tab. The values are written so that they are read again as they are. Weights of examples
/// and names are not written. Attributes of pairs of labels are refused, which other programs have no weights for, and so are names of other data.
///
/// ```
/// use maxmargin::data::{ColumnOptions, ReadOptions, write_attribute_lines};
/// use maxmargin::{Chain, Examples};
/// # let folder = std::env::temp_dir().join(format!("maxmargin-lines-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let file = folder.join("new.txt");
/// std::fs::write(&file, "He PRP B-NP\nreckons VBZ B-VP\n")?;
/// let columns = ColumnOptions { templates: None, ..ColumnOptions::default() };
/// let options = ReadOptions { columns, ..ReadOptions::default() };
/// let examples = Examples::read_files(&Chain::default(), &[file], &options)?;
/// let mut lines = Vec::new();
/// write_attribute_lines(examples.data().of_type().unwrap(), examples.names(), &mut lines)?;
/// assert_eq!(String::from_utf8(lines)?, "B-NP\tU0=He\tU1=PRP\nB-VP\tU0=reckons\tU1=VBZ\n\n");
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_attribute_lines(
    sequences: &SequenceExamples,
    names: &Vocabulary,
    out: &mut dyn Write,
) -> io::Result<()> {
    let invalid = |error: &str| io::Error::new(io::ErrorKind::InvalidInput, error);
    if sequences.pair_columns() > 0 {
        return Err(invalid("attributes of pairs of labels have no place in this format"));
    }
    let known = |&label: &u32| label == UNKNOWN_LABEL || (label as usize) < names.labels.len();
    if names.attributes.len() < sequences.attributes() || !sequences.labels().iter().all(known) {
        return Err(invalid("these are not the names of this data"));
    }
    // Each name once, however many tokens have it.
    let attributes: Vec<String> = match &names.attributes {
        Attributes::Named(names) => names.iter().map(|name| format!("\t{}", escaped(name))).collect(),
        Attributes::Numbered(columns) => (1..=*columns).map(|column| format!("\t{column}")).collect(),
    };
    let labels: Vec<String> = names.labels.iter().map(escaped).collect();
    for example in 0..sequences.len() {
        let rows = sequences.rows().input(example);
        for (position, &label) in sequences.labels_of(example).iter().enumerate() {
            let mut pairs = rows.row(position).to_pairs();
            pairs.retain(|&(_, value)| value != 0.0);
            if label != UNKNOWN_LABEL {
                out.write_all(labels[label as usize].as_bytes())?;
            } else if pairs.is_empty() {
                // A blank line would end the sequence.
                out.write_all(b"\t")?;
            }
            for (column, value) in pairs {
                out.write_all(attributes[column].as_bytes())?;
                if value != 1.0 {
                    write!(out, ":{value}")?;
                }
            }
            out.write_all(b"\n")?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// A name in which colons are no values.
fn escaped(name: &str) -> String {
    name.replace('\\', "\\\\").replace(':', "\\:")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{ExampleRows, FeatureMatrix};

    #[test]
    fn a_token_of_which_nothing_is_known_ends_no_sequence() {
        let rows = FeatureMatrix::from_dense(&[[1.0], [0.0], [2.0]]);
        let rows = ExampleRows::grouped(rows, vec![0, 3]).unwrap();
        let sequences = SequenceExamples::new(rows, vec![UNKNOWN_LABEL; 3]).unwrap();
        let names = Vocabulary {
            labels: ["A"].into_iter().collect(),
            attributes: Attributes::Named(["x"].into_iter().collect()),
        };
        let mut lines = Vec::new();
        write_attribute_lines(&sequences, &names, &mut lines).unwrap();
        assert_eq!(String::from_utf8(lines).unwrap(), "\tx\n\t\n\tx:2\n\n");
    }
}
