//! Expands templates: turns columns of text into attributes in CRFsuite's format, for other programs to learn from. Run it as
//!
//! ```text
//! cargo run --release --example template_attributes -- ner train.txt > train.crfsuite
//! ```
//!
//! with the name of a ready-made set or a file of templates first.

use std::error::Error;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use maxmargin::data::{Attributes, ColumnOptions, ReadOptions, TaskData};
use maxmargin::tasks::SequenceExamples;
use maxmargin::{Chain, Examples};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let templates = arguments.next().ok_or("name a set of templates and files of columns")?;
    let columns = ColumnOptions { templates: Some(templates), ..ColumnOptions::default() };
    let options = ReadOptions { columns, ..ReadOptions::default() };
    let examples = Examples::read_files(&Chain::default(), &arguments.collect::<Vec<_>>(), &options)?;
    let sequences: &SequenceExamples = examples.data().of_type().ok_or("these are no sequences")?;
    let Attributes::Named(names) = &examples.names().attributes else { return Err("no names".into()) };

    let mut out = BufWriter::new(io::stdout().lock());
    for i in 0..sequences.len() {
        let input = sequences.rows().input(i);
        for (t, &label) in sequences.labels_of(i).iter().enumerate() {
            write!(out, "{}", examples.names().labels.name(label))?;
            for (column, value) in input.row(t).to_pairs() {
                let name = names.name(column as u32).replace('\\', "\\\\").replace(':', "\\:");
                write!(out, "\t{name}")?;
                if value != 1.0 {
                    write!(out, ":{value}")?;
                }
            }
            writeln!(out)?;
        }
        writeln!(out)?;
    }
    Ok(out.flush()?)
}
