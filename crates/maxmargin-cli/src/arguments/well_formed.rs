//! Whether only well-formed sequences of tags are predicted.

use anyhow::{Result, bail};
use clap::Args;
use maxmargin::Model;
use maxmargin::data::tag_scheme::TagScheme;
use maxmargin::shown::excerpt;

/// What stands for a scheme that the names of the labels tell.
const BY_NAMES: &str = "auto";

/// Whether only well-formed sequences of tags are predicted.
#[derive(Debug, Clone, Args)]
pub struct WellFormedArguments {
    /// Only predict tags as a scheme writes them: iob1, iob2, bioes, bilou, or auto, by the names of the labels
    ///
    /// Chunks then begin and end as they should: no I-NP behind O where chunks begin with B-NP. Scores, lists of the best answers and
    /// confidences are those among such sequences. It is about the tags that the model has learnt (see --tag-scheme), and needs weights of
    /// first and last labels, which models have unless they were trained with --no-boundary.
    #[arg(long, value_name = "SCHEME", num_args = 0..=1, default_missing_value = BY_NAMES)]
    well_formed: Option<String>,
}

impl WellFormedArguments {
    /// The model that predicts so.
    pub fn apply(&self, model: Model) -> Result<Model> {
        let Some(name) = self.well_formed.as_deref() else { return Ok(model) };
        let scheme = TagScheme::ALL.into_iter().find(|scheme| scheme.name() == name);
        if scheme.is_none() && name != BY_NAMES {
            bail!("--well-formed: `{}` is not one of iob1, iob2, bioes, bilou and auto", excerpt(name));
        }
        Ok(model.well_formed(scheme)?)
    }
}
