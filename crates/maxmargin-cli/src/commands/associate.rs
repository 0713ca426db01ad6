//! `maxmargin associate`: what text and its translation say about words.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;
use maxmargin_align::ParallelText;
use maxmargin_align::association::{Associations, EstimationOptions, Pass, TranslationModel};

use crate::files::Files;
use crate::print::{count, note, say};

/// Estimate from text and its translation which words belong together
///
/// Needs no links. Writes a file of associations, from which `train alignment`, `predict` and `eval` make features of word pairs
/// (--associations): Dice's coefficient, and how likely one word translates the other by IBM Model 1 and by a hidden
/// Markov model, in both directions.
#[derive(Debug, Args)]
#[command(after_help = "\
The text to be aligned may be given as well: no links are looked at, and no word is then unknown.

Examples:
  maxmargin associate --text unlabelled.en.gz unlabelled.fr.gz --text test.en test.fr --output words.associations
  maxmargin associate --text unlabelled.en.gz unlabelled.fr.gz --letters 0 --no-agreement --output second.associations")]
pub struct Associate {
    /// A text and its translation, one sentence a line; may be given several times
    #[arg(long, value_names = ["LEFT", "RIGHT"], num_args = 2, required = true)]
    text: Vec<PathBuf>,

    /// Where to save the associations
    #[arg(long, value_name = "FILE")]
    output: PathBuf,

    /// Passes of expectation-maximisation for Model 1
    #[arg(long, value_name = "N", default_value_t = EstimationOptions::default().model1_passes, help_heading = "Estimation")]
    model1_passes: usize,

    /// Passes for the hidden Markov model, which starts from Model 1
    #[arg(long, value_name = "N", default_value_t = EstimationOptions::default().hmm_passes, help_heading = "Estimation")]
    hmm_passes: usize,

    /// The probability that a word translates none of the other sentence
    #[arg(long, value_name = "P", default_value_t = EstimationOptions::default().null_probability, help_heading = "Estimation")]
    null_probability: f64,

    /// Train the two directions each by itself, not on products of their posteriors
    #[arg(long, help_heading = "Estimation")]
    no_agreement: bool,

    /// Cut words to this many letters, so that forms of a word share their evidence; 0 for whole words
    #[arg(long, value_name = "N", default_value_t = EstimationOptions::default().letters.unwrap_or(0), help_heading = "Estimation")]
    letters: usize,

    /// Leave out word pairs all of whose probabilities are smaller
    #[arg(long, value_name = "P", default_value_t = EstimationOptions::default().smallest, help_heading = "Estimation")]
    smallest: f64,

    /// Say nothing but errors
    #[arg(long, short)]
    quiet: bool,
}

impl Associate {
    /// Runs the command.
    pub fn run(self) -> Result<()> {
        Files::default().read("--text", &self.text).write("--output", [&self.output]).check()?;
        let (pairs, rest) = self.text.as_chunks::<2>();
        if !rest.is_empty() {
            bail!("--text takes two files, a text and its translation");
        }
        let texts = pairs
            .iter()
            .map(|[left, right]| ParallelText::read(left, right))
            .collect::<Result<Vec<_>, _>>()?;
        let options = EstimationOptions {
            model1_passes: self.model1_passes,
            hmm_passes: self.hmm_passes,
            null_probability: self.null_probability,
            agreement: !self.no_agreement,
            letters: (self.letters > 0).then_some(self.letters),
            smallest: self.smallest,
        };
        let start = Instant::now();
        let watch = |pass: &Pass| {
            let model = match pass.model {
                TranslationModel::Model1 => "Model 1",
                TranslationModel::Hmm => "hidden Markov model",
            };
            let [right, left] = pass.log_likelihood;
            if !self.quiet {
                note(&format!(
                    "{model}, pass {} of {}: log-likelihoods {right:.0} and {left:.0}, {:.1} s",
                    pass.number,
                    pass.passes,
                    start.elapsed().as_secs_f64()
                ));
            }
        };
        let associations = Associations::estimate(&texts.iter().collect::<Vec<_>>(), &options, watch)?;
        associations.save(&self.output)?;
        if self.quiet {
            return Ok(());
        }
        let (left, right) = associations.words();
        say(&format!(
            "text         {}\nwords        {left} and {right}, {} kept\nassociations {}\n",
            count(texts.iter().map(ParallelText::len).sum(), "sentence pair"),
            count(associations.pairs(), "word pair"),
            self.output.display(),
        ))
    }
}
