//! What goes with sentence pairs.

use std::path::PathBuf;

use clap::Args;
use maxmargin::data::alignment::{FeatureGroup, SentenceOptions};

/// What goes with sentence pairs: two data files, the text and its translation.
#[derive(Debug, Clone, Args)]
pub struct SentenceArguments {
    /// The true links between the words of sentence pairs; a second file for the test data
    ///
    /// Then two files of text are named as data, one sentence a line: the text and its translation, as in --train text.en text.fr.
    /// Links are lines `sentence left right S|P` that count from 1 (shared tasks on word alignment), or a line `i-j …` for
    /// each sentence pair that counts from 0, with `ipj` for possible links (Pharaoh).
    #[arg(long, value_name = "FILE", num_args = 1..=2, help_heading = "Sentence pairs")]
    pub links: Vec<PathBuf>,

    /// What `maxmargin associate` has found out about words; a second file where it was estimated in another way too
    #[arg(long, value_name = "FILE", num_args = 1..=2, help_heading = "Sentence pairs")]
    pub associations: Vec<PathBuf>,

    /// The links of another aligner, as a feature; a second file for the test data
    #[arg(long, value_name = "FILE", num_args = 1..=2, help_heading = "Sentence pairs")]
    pub external_links: Vec<PathBuf>,

    /// Features of word pairs, lines `sentence left right name[:value] …`; a second file for the test data
    #[arg(long, value_name = "FILE", num_args = 1..=2, help_heading = "Sentence pairs")]
    pub feature_table: Vec<PathBuf>,

    /// The groups of features to train with: all that can be had unless named
    ///
    /// position, spelling, lexical: from the text itself. dice, model1, hmm, context, frequency: from --associations.
    /// second: from a second file of them. external: from --external-links. table: from --feature-table.
    #[arg(long, value_name = "GROUP,…", value_delimiter = ',', help_heading = "Sentence pairs")]
    pub features: Vec<FeatureGroup>,
}

impl SentenceArguments {
    /// For the training data, or the only data of a command.
    pub fn options(&self) -> SentenceOptions {
        self.options_of(0)
    }

    /// For the test data.
    pub fn options_for_more(&self) -> SentenceOptions {
        self.options_of(1)
    }

    fn options_of(&self, file: usize) -> SentenceOptions {
        SentenceOptions {
            links: self.links.get(file).cloned(),
            associations: self.associations.clone(),
            external: self.external_links.get(file).cloned(),
            table: self.feature_table.get(file).cloned(),
            groups: self.features.clone(),
        }
    }
}
