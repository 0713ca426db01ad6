//! The best label under the score, and under every mix of score and loss.

use super::{Listed, MIXES, Worth, allowed, wrong};
use crate::error::Result;
use crate::structure::{Found, Mix, ScoreNoise, Structure};

/// Multiples of the inverse of this add up without rounding.
const GRID: f64 = 1024.0;

impl<S: Structure> Listed<'_, S> {
    /// All oracles with the scores that are there.
    pub(super) fn check_oracles(&self, scores: &mut S::Scores, mut noise: ScoreNoise) -> Result<()> {
        noise.error += self.structure.decoding_error(scores);
        self.check_decoding(scores, &noise)?;
        for mix in MIXES {
            self.check_mix(scores, &noise, mix)?;
        }
        self.check_lists(scores, &noise)?;
        self.check_strata(scores, &noise)?;
        self.check_sets(scores, &noise)?;
        self.check_confidences(scores, &noise)?;
        self.check_between(scores, &noise)
    }

    fn check_decoding(&self, scores: &mut S::Scores, noise: &ScoreNoise) -> Result<()> {
        let found = self.structure.decode(self.input, scores);
        let worths = self.worths(scores);
        let best = worths.iter().map(|worth| worth.score).fold(f64::NEG_INFINITY, f64::max);
        if !self.known.contains(&found.label) {
            return wrong(format!("decode finds {:?}, which is not among the labels", found.label));
        }
        let score = self.structure.score_of(self.input, scores, &found.label);
        if found.loss != 0.0 || (found.score - score).abs() > allowed(noise, Mix::SCORE) {
            return wrong(format!("decode says {found:?}, but the label's score is {score}, without a loss"));
        }
        if best - score > allowed(noise, Mix::SCORE) + found.missed {
            return wrong(format!("decode finds {found:?}, and misses a label with the score {best}"));
        }
        Ok(())
    }

    fn check_mix(&self, scores: &mut S::Scores, noise: &ScoreNoise, mix: Mix) -> Result<()> {
        let found = self.structure.maximize(self.input, self.truth, scores, mix);
        self.check_found(scores, noise, &found, mix)?;
        if !self.is_relaxed() && !self.known.contains(&found.label) {
            return wrong(format!("maximize finds {:?}, which is not among the labels", found.label));
        }
        let worths = self.worths(scores);
        let rank = |worth: &Worth<'_, S::Label>| mix.rank(worth.score, worth.loss);
        let here = mix.rank(found.score, found.loss);
        let allowed = allowed(noise, mix);
        for worth in &worths {
            let there = rank(worth);
            if there.0 - here.0 > allowed + found.missed {
                return wrong(format!("maximize under {mix:?} finds {found:?}, and misses {worth}"));
            }
        }
        // At the ends the other coordinate breaks ties. Where sums are rounded nobody can tell what a tie is.
        let is_end = match (mix.score == 0.0, mix.loss == 0.0) {
            (true, _) => self.structure.loss_unit(self.input, self.truth).is_some(),
            (_, true) => worths.iter().all(|worth| (GRID * worth.score).fract() == 0.0),
            _ => false,
        };
        let ties = worths.iter().map(rank).filter(|there| there.0 == here.0).map(|there| there.1);
        let best = ties.fold(f64::NEG_INFINITY, f64::max);
        let of_other = 4.0 * (noise.error + noise.of_sums(noise.loss));
        if is_end && found.missed == 0.0 && best - here.1 > of_other {
            return wrong(format!(
                "maximize under {mix:?} finds {found:?}, and breaks the tie with {best} badly"
            ));
        }
        Ok(())
    }

    /// What is said of a label that was found is so.
    pub(super) fn check_found(
        &self,
        scores: &S::Scores,
        noise: &ScoreNoise,
        found: &Found<S::Label>,
        mix: Mix,
    ) -> Result<()> {
        let score = self.structure.score_of(self.input, scores, &found.label);
        let loss = self.structure.loss(self.input, self.truth, &found.label);
        let differs = (found.score - score).abs() > 4.0 * noise.error
            || (found.loss - loss).abs() > 4.0 * noise.of_sums(noise.loss)
            || found.missed < 0.0
            || found.missed.is_nan();
        match differs {
            true => wrong(format!(
                "under {mix:?} {found:?} is found, but its score is {score} and its loss {loss}"
            )),
            false => Ok(()),
        }
    }
}
