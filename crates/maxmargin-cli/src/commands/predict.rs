//! `maxmargin predict`: labels for new data.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use maxmargin::data::{Batch, ReadOptions, Reading, Unseen};
use maxmargin::tasks::{DrawnImage, ExampleBatches, Prediction, TaskObject};
use maxmargin::{Error, Model, OutputFile};

use crate::answers::{Answers, Form};
use crate::arguments::{
    Folds, PlotArguments, ReadArguments, ReadingOptions, RunArguments, WellFormedArguments,
};
use crate::evaluation::{unproven_note, unseen_note};
use crate::files::Files;
use crate::plot::SegmentedPicture;
use crate::print::note;

/// So many examples are predicted at a time, so that k-best lists of large files fit in memory.
const AT_A_TIME: usize = 4096;

/// So many examples are drawn: the first ones.
const MOST_DRAWN: usize = 40;

/// Predict labels
///
/// Writes one label per line, in the order of the input, with a blank line between sequences. For label sets, one set per
/// line: its labels separated by commas, and an empty line for the empty set. For matchings, one example per line: its links
/// as `left-right`, separated by spaces, as programs for word alignment write them. Labels in the input are ignored; they may be
/// missing where the format allows it. Attributes that the model does not know are left out. Where rows have names (--id-column, here
/// or in training), a line begins with the name and a tab.
///
/// Examples are answered as they arrive, in as much memory as a few of them need, and the output is flushed whenever no more
/// input is waiting; arff and idx are read as a whole first. No examples are no output.
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

With --json there is an object a line, with `labels` in the form of the task, `confidences` in the same form, and `others` for what
is not in a set of labels or links (--no-confidence leaves out both, and the margin); docs/predicting.md has the details:

  {\"confidences\":[2.5,0.75],\"id\":1,\"labels\":[\"B-NP\",\"I-NP\"],\"margin\":0.75,\"proven\":true,\"score\":12.25}

Examples:
  maxmargin predict --model chunks.model --input new.crfsuite > tags.txt
  tail -f sentences.txt | maxmargin predict --model chunks.model --input - --json
  maxmargin predict --model yeast.model --input yeast-test.arff.gz > sets.txt
  maxmargin predict --model words.model --input new.edges > new.talp
  maxmargin predict --model faces.model --input photo.jpg --plot photo.png
  maxmargin predict --model mnist.model --input t10k-images-idx3-ubyte.gz --k-best 3 --output digits.txt")]
pub struct Predict {
    /// The model
    #[arg(long, value_name = "FILE")]
    model: PathBuf,

    /// The data: one file or several of the same format; - is the standard input
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    input: Vec<PathBuf>,

    /// Where to write, replaced as a whole when all is done; standard output when it is not given or -
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write the K best labels of each example, with their scores
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    k_best: Option<u32>,

    /// Write the score of each prediction, in the format of --k-best 1
    #[arg(long, conflicts_with = "json")]
    scores: bool,

    /// Write behind each label, after a tab, how much less the best answer with another label there would score
    ///
    /// For label sets and links, which are on one line, the confidences of all of them are behind the tab, with spaces between.
    /// Where it is not proven, it is an interval like 0.5..1.25. --json says more.
    #[arg(long, conflicts_with_all = ["json", "k_best", "scores"])]
    confidence: bool,

    /// Write one JSON object a line for each example: labels, score, margin to the second best answer, confidences
    #[arg(long)]
    json: bool,

    /// Leave margin and confidences out of --json: then it takes no longer than labels alone
    ///
    /// They take about three times as long as the labels for chains, and hundreds of times as long for sets of nodes of a large hierarchy
    /// in which nodes have several parents.
    #[arg(long, requires = "json")]
    no_confidence: bool,

    /// Write the lines of the input with the answer as one more column
    ///
    /// For columns of text, as crf_test of CRF++ does. Comments and -DOCSTART- lines before a sentence stay where they are, so that programs that compare two columns, such as conlleval, can read it.
    #[arg(long, conflicts_with_all = ["json", "k_best", "scores", "confidence"])]
    columns: bool,

    /// Only these folds of the data, for example 0 or 1-9
    #[arg(long, value_name = "LIST")]
    folds: Option<Folds>,

    #[command(flatten)]
    well_formed: WellFormedArguments,

    #[command(flatten)]
    plot: PlotArguments,

    #[command(flatten)]
    read: ReadArguments,

    #[command(flatten)]
    run: RunArguments,
}

impl Predict {
    /// Runs the command.
    pub fn run(self, reading: &ReadingOptions) -> Result<()> {
        let output = self.output.as_ref().filter(|path| path.as_os_str() != "-");
        let files = Files::default().read("--model", [&self.model]).read_data("--input", &self.input);
        self.plot.add_to(reading.add_to(self.read.add_to(files))).write("--output", output).check()?;
        let model = self.well_formed.apply(Model::load(&self.model)?)?;
        let task = reading.apply(model.task().task())?;
        self.run.on_threads(|| match output {
            Some(path) => {
                let mut file = OutputFile::create(path)?;
                let failure = |e| Error::io("write", path, e).into();
                self.answer(&model, task.as_ref(), false, &mut file, failure)?;
                Ok(file.finish()?)
            }
            None => {
                let for_person = io::stdout().is_terminal();
                let mut out = BufWriter::new(io::stdout().lock());
                let failure = |e: io::Error| match e.kind() {
                    io::ErrorKind::BrokenPipe => e.into(),
                    _ => anyhow!("cannot write the output: {e}"),
                };
                self.answer(&model, task.as_ref(), for_person, &mut out, failure)
            }
        })
    }

    /// Answers the examples as they arrive.
    fn answer(
        &self,
        model: &Model,
        task: &dyn TaskObject,
        for_person: bool,
        out: &mut dyn Write,
        failure: impl Fn(io::Error) -> anyhow::Error,
    ) -> Result<()> {
        let form = match (self.json, self.confidence, self.scores || self.k_best.is_some()) {
            (true, ..) => Form::Json { ranked: self.k_best.is_some(), sure: !self.no_confidence },
            (_, true, _) => Form::Confident,
            (.., true) => Form::Ranked,
            _ => Form::Labels,
        };
        let k = self.k_best.unwrap_or(1) as usize;
        let mut answers = Answers::new(model.task(), form, for_person);
        let mut unseen = Unseen::default();
        let (is_drawn, mut images) = (!self.plot.plot.is_empty(), Vec::<DrawnImage>::new());
        for batch in self.batches(model, task)? {
            let batch = batch?;
            unseen.attributes += batch.unseen.attributes;
            let examples: Vec<usize> = (0..batch.data.len()).collect();
            for some in examples.chunks(AT_A_TIME) {
                let data = match some.len() == examples.len() {
                    true => Arc::clone(&batch.data),
                    false => batch.data.subset(some)?,
                };
                let predictions = match form.is_sure() {
                    true => model.predict_surely(data.as_ref(), k)?,
                    false => model.predict(data.as_ref(), k)?,
                };
                for (place, best) in predictions.iter().enumerate() {
                    let is_beside = |first: &Prediction| data.in_place(place, &first.label).is_some();
                    if self.columns && !best.first().is_none_or(is_beside) {
                        bail!("--columns writes columns of text again; this input is in another format");
                    }
                    answers.write(data.as_ref(), place, best, out).map_err(&failure)?;
                    if is_drawn
                        && images.len() < MOST_DRAWN
                        && let Some(first) = best.first()
                    {
                        images.extend(model.task().picture(data.as_ref(), place, &first.label));
                    }
                }
            }
            out.flush().map_err(&failure)?;
        }
        if is_drawn && images.is_empty() && answers.examples > 0 {
            bail!("--plot draws points in pictures; {} has no pictures", task.name());
        }
        let title = format!("What {} finds", self.model.display());
        self.plot.draw(title, |title| SegmentedPicture { title, images })?;
        if !self.run.quiet {
            let unproven = unproven_note(answers.unproven, answers.examples);
            unseen_note(unseen).into_iter().chain(unproven).for_each(|line| note(&line));
        }
        Ok(())
    }

    /// The examples as they arrive. Which folds there are is known at the end only.
    fn batches<'a>(&self, model: &'a Model, task: &dyn TaskObject) -> Result<ExampleBatches<'a>> {
        let known = model.known();
        let options = ReadOptions { keep_lines: self.columns, ..self.read.options() };
        let Some(folds) = &self.folds else { return Ok(known.read_batches(task, &self.input, &options)?) };
        let Reading { data, unseen, .. } = known.read(task, &self.input, &options)?;
        let data = data.in_folds(&folds.0)?;
        Ok(Box::new(std::iter::once(Ok(Batch { data, unseen }))))
    }
}
