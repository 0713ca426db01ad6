//! Predictions that are well-formed: sequences of tags that their scheme would write itself.
//!
//! What a scheme does not write is a step between two tags, or one to the first or from the last of a sequence. Each of these has a weight in a
//! chain. So the weights of such steps are barred, by a number that no other weights make up for, and all inference goes on as before: best labels, the k best and
//! confidences are those among well-formed sequences. The trained weights, and the certificate about them, stay as they are.

use super::{Block, Model};
use crate::data::tag_scheme::TagScheme;
use crate::error::{Error, Result};
use crate::structure::Confidence;
use crate::tasks::Prediction;

/// What a barred step costs, in largest weights.
const BAR: f64 = 1e12;

impl Model {
    /// The same model, which only predicts sequences of tags as this scheme writes them; without one, as the names of the labels tell.
    /// For chains with weights of first and last labels. What was not well-formed among training data is not predicted. It is no
    /// part of what is saved.
    ///
    /// ```
    /// use maxmargin::data::{Alphabet, FeatureMatrix, Attributes, Vocabulary, ExampleRows};
    /// use maxmargin::tasks::SequenceExamples;
    /// use maxmargin::{Chain, Examples, Trainer};
    ///
    /// // What has a 1 is I, though a chunk should begin with B.
    /// let rows = ExampleRows::grouped(FeatureMatrix::from_dense(&[[1.0], [0.0]]), vec![0, 1, 2])?;
    /// let labels: Alphabet = ["B", "I", "O"].into_iter().collect();
    /// let names = Vocabulary { labels, attributes: Attributes::Numbered(1) };
    /// let examples = Examples::new(SequenceExamples::new(rows, vec![1, 2])?, names);
    /// let model = Trainer::new(Chain::default()).lambda(0.001).train(&examples)?;
    /// assert_eq!(model.predict_numbers(&[[1.0]])?.names(), ["I"]);
    /// assert_ne!(model.well_formed(None)?.predict_numbers(&[[1.0]])?.names(), ["I"], "no chunk begins with I");
    /// # Ok::<(), maxmargin::Error>(())
    /// ```
    pub fn well_formed(self, scheme: Option<TagScheme>) -> Result<Self> {
        let labels = &self.names.labels;
        let refuse = |problem: &str| Err(Error::parameter("well-formed", problem));
        if self.task.scorer().is_some() {
            return refuse("the scores of a network cannot be barred yet; only weights can");
        }
        let blocks = self.task.blocks();
        let block = |name: &str| blocks.iter().find(|block| block.name == name);
        let Some(steps) = block("transition").filter(|block| block.shape == [labels.len(), labels.len()])
        else {
            return refuse("only chains of tags are well-formed or not");
        };
        let (Some(first), Some(last)) = (block("first"), block("last")) else {
            return refuse(
                "the model has no weights of first and last labels; train it without the option no-boundary",
            );
        };
        let learnt = self.text.tags.map(|tags| tags.model);
        let scheme = match (scheme, learnt) {
            (Some(scheme), _) => {
                scheme.check_names(labels).and_then(|()| scheme.check_types(labels)).map(|()| scheme)?
            }
            (None, Some(scheme)) => scheme.check_names(labels).map(|()| scheme)?,
            (None, None) => TagScheme::of_names(labels)?,
        };
        let mut barred = Vec::new();
        // Blocks behind the first one are at the end of all weights, however many attributes there are.
        let from_end = |block: &Block, place: usize| self.weights.len() - block.start - place;
        for (i, from) in labels.iter().enumerate() {
            for (j, to) in labels.iter().enumerate() {
                if !scheme.has_step(Some(from), Some(to)) {
                    barred.push(from_end(steps, i * labels.len() + j));
                }
            }
            if !scheme.has_step(None, Some(from)) {
                barred.push(from_end(first, i));
            }
            if !scheme.has_step(Some(from), None) {
                barred.push(from_end(last, i));
            }
        }
        Ok(Self { weights: self.weights.with_barred(barred), ..self })
    }
}

/// Bars weights, which are given by how far from the end they are.
pub(super) fn bar(barred: &[usize], weights: &mut [f64]) {
    if barred.is_empty() {
        return;
    }
    let largest = weights.iter().fold(0.0, |largest: f64, weight| largest.max(weight.abs()));
    let count = weights.len();
    barred.iter().for_each(|from_end| weights[count - from_end] = -BAR * (1.0 + largest));
}

/// What a barred step costs by these weights; none where nothing is barred.
pub(super) fn price(barred: &[usize], weights: &[f64]) -> Option<f64> {
    barred
        .first()
        .and_then(|from_end| weights.get(weights.len().checked_sub(*from_end)?))
        .map(|weight| -weight)
}

/// Drops the answers that take a barred step, but for the first, and says of what has no other value that its confidence is infinite.
pub(super) fn drop_barred(answers: &mut Vec<Prediction>, price: f64) {
    let Some(best) = answers.first().map(|best| best.score) else { return };
    let is_far = |less: f64| less > price / 2.0;
    answers.retain(|answer| !is_far(best - answer.score));
    let free = |sure: &mut Confidence| {
        for bound in [&mut sure.at_least, &mut sure.at_most] {
            *bound = if is_far(*bound) { f64::INFINITY } else { *bound };
        }
    };
    for certainty in answers.iter_mut().filter_map(|answer| answer.certainty.as_mut()) {
        free(&mut certainty.margin);
        certainty.parts.iter_mut().for_each(free);
    }
}
