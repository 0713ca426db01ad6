//! Associations between the words of two languages, estimated from unlabelled parallel text.
//!
//! How often words occur together (Dice's coefficient), how likely one translates the other (IBM Model 1, Brown et al. 1993),
//! and how likely they do at their places in a sentence pair (hidden Markov model, Vogel et al. 1996): the best features
//! of a word alignment (Taskar, Lacoste-Julien and Klein 2005) need no links, only much text. Probabilities are
//! estimated in both directions, which agree with each other where [`EstimationOptions::agreement`] says so.
//!
//! [`Associations::estimate`] makes tables of text, [`Associations::of_pair`] applies them to a sentence pair, new or not,
//! and [`Associations::save`] keeps them: who predicts later needs the same ones.

mod corpus;
mod estimation;
mod file;
mod jumps;
mod posteriors;
mod table;
#[cfg(test)]
mod tests;

use crate::ParallelText;
use maxmargin::{Error, Result};

use corpus::Corpus;
pub use table::{Associations, PairAssociations};

/// How to estimate. The defaults are those of which the user's page has figures.
#[derive(Debug, Clone, PartialEq)]
pub struct EstimationOptions {
    /// Passes of expectation-maximisation for Model 1.
    pub model1_passes: usize,
    /// Passes for the hidden Markov model, which starts from Model 1.
    pub hmm_passes: usize,
    /// The probability p₀ that a word comes from no word of the other sentence.
    pub null_probability: f64,
    /// Whether the two directions are trained together, on products of their posteriors.
    pub agreement: bool,
    /// Words are cut to this many letters, where given: a simple stemmer, with more evidence for rare forms. Whole words
    /// are better where there is text enough.
    pub letters: Option<usize>,
    /// Pairs of words all of whose probabilities are smaller are left out of the tables.
    pub smallest: f64,
}

impl Default for EstimationOptions {
    fn default() -> Self {
        Self {
            model1_passes: 5,
            hmm_passes: 5,
            null_probability: 0.1,
            agreement: true,
            letters: Some(5),
            smallest: 1e-4,
        }
    }
}

impl EstimationOptions {
    fn check(&self) -> Result<()> {
        for (name, value, allowed) in [
            (
                "null probability",
                self.null_probability,
                self.null_probability > 0.0 && self.null_probability < 1.0,
            ),
            ("smallest probability", self.smallest, (0.0..1.0).contains(&self.smallest)),
        ] {
            if !allowed {
                return Err(Error::parameter(name, format!("{value} is not between 0 and 1")));
            }
        }
        if self.letters == Some(0) {
            return Err(Error::parameter("letters", "words need at least one; 5 are usual"));
        }
        if self.model1_passes == 0 {
            return Err(Error::parameter("passes of Model 1", "at least one is needed; 5 are usual"));
        }
        Ok(())
    }
}

/// A model of translation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TranslationModel {
    /// IBM Model 1: a bag of words translates a bag of words.
    Model1,
    /// The hidden Markov model: translations go on near where they were.
    Hmm,
}

/// What a pass of expectation-maximisation reports.
#[derive(Debug, Clone, PartialEq)]
pub struct Pass {
    /// The model that is estimated.
    pub model: TranslationModel,
    /// The pass, from 1.
    pub number: usize,
    /// The number of passes for this model.
    pub passes: usize,
    /// The log-likelihood before this pass, of the right sentences given the left ones and the other way round. It rises
    /// from pass to pass of Model 1 without agreement.
    pub log_likelihood: [f64; 2],
}

impl Associations {
    /// Estimates associations from texts; `observe` is told of every pass.
    ///
    /// It is legitimate to give the text of labelled examples too, those to be predicted later among them: no link is
    /// looked at, and no word of theirs is then unknown.
    ///
    /// ```
    /// use maxmargin_align::association::{Associations, EstimationOptions};
    /// use maxmargin_align::ParallelText;
    /// let text = ParallelText::from_pairs([
    ///     ("the house", "la maison"), ("the flower", "la fleur"), ("a house", "une maison"), ("a flower", "une fleur"),
    /// ]);
    /// let associations = Associations::estimate(&[&text], &EstimationOptions::default(), |_| ())?;
    /// let pair = associations.of_pair(&["The", "house"], &["la", "maison"]);
    /// assert!(pair.hmm[0][0] > 0.8 && pair.hmm[0][1] < 0.1);
    /// # Ok::<(), maxmargin::Error>(())
    /// ```
    pub fn estimate(
        texts: &[&ParallelText],
        options: &EstimationOptions,
        mut observe: impl FnMut(&Pass),
    ) -> Result<Self> {
        options.check()?;
        let corpus = Corpus::new(texts, options.letters)?;
        let mut directions = estimation::uniform(&corpus);
        estimation::run(&corpus, TranslationModel::Model1, &mut directions, options, &mut observe);
        let model1 = directions.clone();
        estimation::run(&corpus, TranslationModel::Hmm, &mut directions, options, &mut observe);
        Ok(Self::from_estimates(corpus, [model1, directions], options))
    }
}
