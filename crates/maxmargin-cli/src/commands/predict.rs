//! `maxmargin predict`: labels for new data.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use clap::Args;
use maxmargin::data::{DataObject, Unseen};
use maxmargin::tasks::Prediction;
use maxmargin::{Error, Model, OutputFile, escaped};

use crate::arguments::{Folds, ReadArguments, ReadingOptions};
use crate::evaluation::{count_unproven, unproven_note, unseen_note};
use crate::files::Files;
use crate::print::note;

/// So many examples are predicted at a time, so that k-best lists of large files fit in memory.
const AT_A_TIME: usize = 4096;

/// Predict labels
///
/// Writes one label per line, in the order of the input, with a blank line between sequences. For label sets, one set per
/// line: its labels separated by commas, and an empty line for the empty set. For matchings, one example per line: its links
/// as `left-right`, separated by spaces, as programs for word alignment write them. Labels in the input are ignored; they may be
/// missing where the format allows it. Attributes that the model does not know are left out. Where rows have names (--id-column, here
/// or in training), a line begins with the name and a tab.
#[derive(Debug, Args)]
#[command(after_help = "\
With --k-best K there are up to K blocks for each example, best first. A block is a line `# RANK SCORE`, the labels one per
line (a label set or the links of a graph on one line), and a blank line. Where it is not proven that no other label scores
more, as may be with many labels and pairs of them, the line is `# RANK SCORE unproven`; a note on standard error counts them:

  # 1 12.25
  B-NP
  I-NP

  # 2 11.5
  B-NP
  O

Examples:
  maxmargin predict --model chunks.model --input new.crfsuite > tags.txt
  maxmargin predict --model yeast.model --input yeast-test.arff.gz > sets.txt
  maxmargin predict --model words.model --input new.edges > new.talp
  maxmargin predict --model mnist.model --input t10k-images-idx3-ubyte.gz --k-best 3 --output digits.txt")]
pub struct Predict {
    /// The model
    #[arg(long, value_name = "FILE")]
    model: PathBuf,

    /// The data: one file or several of the same format
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    input: Vec<PathBuf>,

    /// Where to write, replaced as a whole when all is done; standard output when it is not given or -
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write the K best labels of each example, with their scores
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    k_best: Option<u32>,

    /// Write the score of each prediction, in the format of --k-best 1
    #[arg(long)]
    scores: bool,

    /// Only these folds of the data, for example 0 or 1-9
    #[arg(long, value_name = "LIST")]
    folds: Option<Folds>,

    #[command(flatten)]
    read: ReadArguments,
}

impl Predict {
    /// Runs the command.
    pub fn run(self, reading: &ReadingOptions) -> Result<()> {
        let output = self.output.as_ref().filter(|path| path.as_os_str() != "-");
        let files = Files::default().read("--model", [&self.model]).read_data("--input", &self.input);
        reading.add_to(self.read.add_to(files)).write("--output", output).check()?;
        let model = Model::load(&self.model)?;
        let task = reading.apply(model.task().task())?;
        let read = model.known().read(task.as_ref(), &self.input, &self.read.options())?;
        let mut data = read.data;
        if let Some(folds) = &self.folds {
            data = data.in_folds(&folds.0)?;
        }
        if let Some(line) = unseen_note(Unseen { labels: 0, ..read.unseen }) {
            note(&line);
        }
        match output {
            Some(path) => {
                let mut file = OutputFile::create(path)?;
                self.write(&model, data, false, &mut file)?.map_err(|e| Error::io("write", path, e))?;
                Ok(file.finish()?)
            }
            None => {
                let for_person = io::stdout().is_terminal();
                let mut out = BufWriter::new(io::stdout().lock());
                match self.write(&model, data, for_person, &mut out)?.and_then(|()| out.flush()) {
                    Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
                        Err(anyhow!("cannot write the output: {e}"))
                    }
                    result => Ok(result?),
                }
            }
        }
    }

    /// The outer result is about the data, the inner one about the output. To a person labels are shown with what a terminal
    /// would obey written out; elsewhere they are what they are.
    fn write(
        &self,
        model: &Model,
        data: Arc<dyn DataObject>,
        for_person: bool,
        out: &mut dyn Write,
    ) -> Result<io::Result<()>> {
        let task = model.task();
        let data = model.view(data)?;
        let with_scores = self.scores || self.k_best.is_some();
        let k = self.k_best.unwrap_or(1) as usize;
        let text = |prediction: &Prediction| {
            let text = task.write(&prediction.label);
            match for_person {
                true => text.split('\n').map(|line| escaped(line).to_string()).collect::<Vec<_>>().join("\n"),
                false => text,
            }
        };
        let mut unproven = 0;
        let write_some =
            |examples: &[usize], predictions: &[Vec<Prediction>], out: &mut dyn Write| -> io::Result<()> {
                for (&i, predictions) in examples.iter().zip(predictions) {
                    let id =
                        data.id(i).map(|id| if for_person { escaped(id).to_string() } else { id.to_owned() });
                    if !with_scores && i > 0 && data.starts_block(i) {
                        writeln!(out)?;
                    }
                    for (rank, prediction) in predictions.iter().enumerate() {
                        if !with_scores {
                            let id = id.as_ref().map_or(String::new(), |id| format!("{id}\t"));
                            writeln!(out, "{id}{}", text(prediction))?;
                            continue;
                        }
                        let id = id.as_ref().map_or(String::new(), |id| format!("\t{id}"));
                        let unproven = if prediction.is_proven() { "" } else { " unproven" };
                        writeln!(out, "# {} {}{unproven}{id}", rank + 1, prediction.score)?;
                        writeln!(out, "{}\n", text(prediction))?;
                    }
                }
                Ok(())
            };
        let examples: Vec<usize> = (0..data.len()).collect();
        for examples in examples.chunks(AT_A_TIME) {
            let predictions = model.predict_view(data.subset(examples)?.as_ref(), k)?;
            unproven += count_unproven(&predictions);
            if let Err(error) = write_some(examples, &predictions, out) {
                return Ok(Err(error));
            }
        }
        if let Some(line) = unproven_note(unproven, data.len()) {
            note(&line);
        }
        Ok(Ok(()))
    }
}
