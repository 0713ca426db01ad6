//! What a structure may offer beyond decoding: lists, strata, sets and labels between labels.

use std::collections::HashSet;

use super::{Listed, MIXES, Worth, allowed, wrong};
use crate::error::Result;
use crate::structure::{Found, Mix, ScoreNoise, Structure};

impl<S: Structure> Listed<'_, S> {
    /// The k best labels, with the truth and without.
    pub(super) fn check_lists(&self, scores: &mut S::Scores, noise: &ScoreNoise) -> Result<()> {
        let Some(lists) = self.structure.offers().k_best else { return Ok(()) };
        let count = self.labels.len();
        for mix in MIXES {
            for truth in [Some(self.truth), None] {
                if truth.is_none() && mix.score == 0.0 {
                    continue;
                }
                for k in [0, 1, 3, count / 2, count, usize::MAX] {
                    let list = lists.k_best(self.input, truth, scores, mix, k);
                    self.check_list(scores, noise, &list, (mix, truth.is_some(), k))?;
                }
            }
        }
        Ok(())
    }

    fn check_list(
        &self,
        scores: &S::Scores,
        noise: &ScoreNoise,
        list: &[Found<S::Label>],
        (mix, has_truth, k): (Mix, bool, usize),
    ) -> Result<()> {
        let case =
            || format!("k_best of {k} under {mix:?}, {}", if has_truth { "with truth" } else { "without" });
        if list.len() != k.min(self.labels.len()) {
            return wrong(format!("{}: {} labels of {}", case(), list.len(), self.labels.len()));
        }
        let value =
            |worth: &Worth<'_, S::Label>| mix.height(worth.score, if has_truth { worth.loss } else { 0.0 });
        let mut values: Vec<f64> = self.worths(scores).iter().map(value).collect();
        values.sort_by(|a, b| b.total_cmp(a));
        let mut seen = HashSet::new();
        for (place, found) in list.iter().enumerate() {
            if !seen.insert(&found.label) || !self.known.contains(&found.label) {
                return wrong(format!("{}: {:?} is twice in the list, or no label", case(), found.label));
            }
            if has_truth {
                self.check_found(scores, noise, found, mix)?;
            }
            let height = mix.height(found.score, found.loss);
            let allowed = allowed(noise, mix);
            if values[place] - height > allowed + found.missed
                || height - values[place] > allowed && found.missed == 0.0
            {
                return wrong(format!(
                    "{}: number {place} is {found:?}, worth {height} and not {}",
                    case(),
                    values[place]
                ));
            }
        }
        Ok(())
    }

    /// The best label of every loss.
    pub(super) fn check_strata(&self, scores: &mut S::Scores, noise: &ScoreNoise) -> Result<()> {
        let Some(stratified) = self.structure.offers().stratified else { return Ok(()) };
        let mut strata = Vec::new();
        if !stratified.strata(self.input, self.truth, scores, None, &mut strata) {
            return Ok(());
        }
        let (of_scores, of_losses) = (4.0 * noise.error, 4.0 * noise.of_sums(noise.loss));
        for worth in self.worths(scores) {
            let holds = strata.iter().any(|stratum| {
                let (low, high) = stratum.losses;
                low - of_losses <= worth.loss
                    && worth.loss <= high + of_losses
                    && worth.score <= stratum.score + of_scores
            });
            if !holds {
                return wrong(format!("no stratum holds {worth}: {strata:?}"));
            }
        }
        for (number, stratum) in strata.iter().enumerate().filter(|(_, stratum)| stratum.score.is_finite()) {
            let label = stratified.stratum_label(self.input, scores, number);
            let score = self.structure.score_of(self.input, scores, &label);
            let loss = self.structure.loss(self.input, self.truth, &label);
            let (low, high) = stratum.losses;
            if (score - stratum.score).abs() > of_scores || loss < low - of_losses || loss > high + of_losses
            {
                let problem = format!("{label:?}, with the score {score} and the loss {loss}");
                return wrong(format!("the best label of {stratum:?} is {problem}"));
            }
        }
        Ok(())
    }

    /// Labels as sets, with and without a background.
    pub(super) fn check_sets(&self, scores: &S::Scores, noise: &ScoreNoise) -> Result<()> {
        let Some(sets) = self.structure.offers().sets else { return Ok(()) };
        let Self { input, truth, .. } = self;
        for background in [None, Some(0)] {
            let sized = sets.with_sizes(background);
            let (least, most) = sets.sizes(input, truth, background);
            let scale = 0.5;
            let mut added = S::Scores::default();
            sets.add_set_loss(truth, background, scores, scale, &mut added);
            for label in &self.labels {
                let (size, set_loss) =
                    (sets.size(label, background), sets.set_loss(truth, label, background));
                let of_truth = sets.size(truth, background);
                if !(least..=most).contains(&size) || sized.loss(input, truth, label) != -size {
                    let problem = format!(
                        "the size {size}, and with_sizes the loss {}",
                        sized.loss(input, truth, label)
                    );
                    return wrong(format!("{label:?} has {problem}; sizes are {least} to {most}"));
                }
                if set_loss > size + of_truth || set_loss < 0.0 || (label == *truth && set_loss != 0.0) {
                    return wrong(format!(
                        "{label:?} differs from {truth:?} by {set_loss}, with sizes {size}, {of_truth}"
                    ));
                }
                let expected = scale * self.structure.score_of(input, scores, label) + set_loss;
                let score = sized.score_of(input, &added, label);
                if (score - expected).abs() > 4.0 * (noise.error + noise.of_sums(size + of_truth)) {
                    return wrong(format!("add_set_loss makes {score} of {label:?} instead of {expected}"));
                }
            }
        }
        Ok(())
    }

    /// The best label with another value of each variable.
    pub(super) fn check_confidences(&self, scores: &mut S::Scores, noise: &ScoreNoise) -> Result<()> {
        let Some(marginals) = self.structure.offers().max_marginals else { return Ok(()) };
        let best = self.structure.decode(self.input, scores);
        let values = marginals.values(self.input, &best.label);
        let found = marginals.confidences(self.input, scores, &best);
        if found.len() != values.len() {
            return wrong(format!("{} variables, but {} confidences", values.len(), found.len()));
        }
        let worths = self.worths(scores);
        let top = worths.iter().map(|worth| worth.score).fold(f64::NEG_INFINITY, f64::max);
        for (place, (value, confidence)) in values.iter().zip(&found).enumerate() {
            let differs = |worth: &&Worth<'_, S::Label>| {
                marginals.values(self.input, worth.label).get(place) != Some(value)
            };
            let other = worths.iter().filter(differs).map(|worth| worth.score);
            let expected = top - other.fold(f64::NEG_INFINITY, f64::max);
            let allowed = 8.0 * noise.error;
            let is_true = match expected.is_finite() {
                true => confidence.at_least <= expected + allowed && expected <= confidence.at_most + allowed,
                false => confidence.at_most == expected,
            };
            if !is_true {
                return wrong(format!(
                    "variable {place} of {:?} has {confidence:?}, not {expected}",
                    best.label
                ));
            }
        }
        Ok(())
    }

    /// Score and loss are linear on the way between two labels.
    pub(super) fn check_between(&self, scores: &S::Scores, noise: &ScoreNoise) -> Result<()> {
        let Some(relaxed) = self.structure.offers().relaxed else { return Ok(()) };
        let worth = |label: &S::Label| {
            let loss = self.structure.loss(self.input, self.truth, label);
            (self.structure.score_of(self.input, scores, label), loss)
        };
        for a in self.some_labels() {
            for b in self.some_labels() {
                let (here, there, share) = (worth(a), worth(b), 0.25);
                let between = relaxed.between(a, b, share);
                let found = worth(&between);
                let expected = (here.0 + share * (there.0 - here.0), here.1 + share * (there.1 - here.1));
                let differs = (found.0 - expected.0).abs() > 8.0 * noise.error
                    || (found.1 - expected.1).abs() > 8.0 * noise.of_sums(noise.loss);
                if differs {
                    return wrong(format!(
                        "{between:?} between {a:?} and {b:?} is worth {found:?} and not {expected:?}"
                    ));
                }
            }
        }
        Ok(())
    }
}
