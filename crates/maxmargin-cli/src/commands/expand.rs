//! `maxmargin expand`: the attributes that templates make, to look at and for other programs to learn from.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use maxmargin::data::{Format, ReadOptions, write_attribute_lines};
use maxmargin::tasks::SequenceExamples;
use maxmargin::{Chain, Error, Examples, OutputFile};

use crate::arguments::ColumnArguments;
use crate::files::Files;

/// Write the attributes that templates make of columns of text
///
/// One token a line in the format of CRFsuite, `label TAB attribute[:value] …`, with a blank line after each sentence: to see what
/// templates do, or for other programs to learn from the same attributes.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  maxmargin expand --data train.txt --templates chunk | less
  maxmargin expand --data train.txt --templates my.templates --output train.crfsuite")]
pub struct Expand {
    /// Columns of text: one file or several with as many columns; - is the standard input
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    data: Vec<PathBuf>,

    /// Where to write; standard output when it is not given or -
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    columns: ColumnArguments,
}

impl Expand {
    /// Runs the command.
    pub fn run(self) -> Result<()> {
        let output = self.output.as_ref().filter(|path| path.as_os_str() != "-");
        let files = Files::default().read_data("--data", &self.data);
        self.columns.add_to(files).write("--output", output).check()?;
        let columns = self.columns.options();
        // Templates are for nothing else, and what does not look like columns is refused.
        let format = columns.templates.is_none().then_some(Format::Conll);
        let options = ReadOptions { format, columns, ..ReadOptions::default() };
        let examples = Examples::read_files(&Chain::default(), &self.data, &options)?;
        let Some(sequences) = examples.data().of_type::<SequenceExamples>() else {
            bail!("this data has no sequences")
        };
        match output {
            Some(path) => {
                let mut file = OutputFile::create(path)?;
                write_attribute_lines(sequences, examples.names(), &mut file)
                    .map_err(|error| Error::io("write", path, error))?;
                Ok(file.finish()?)
            }
            None => {
                let mut out = BufWriter::new(io::stdout().lock());
                let written = write_attribute_lines(sequences, examples.names(), &mut out);
                written.and_then(|()| out.flush()).map_err(|error| match error.kind() {
                    io::ErrorKind::BrokenPipe => error.into(),
                    _ => anyhow!("cannot write the output: {error}"),
                })
            }
        }
    }
}
