//! Rows with candidates for their label: lists of names in the place of one; and sets of labels of which some are open.

use super::{DatasetBuilder, IGNORED_LABEL, OpenRows};
use crate::data::source::Line;
use crate::data::{RowCandidates, UNKNOWN_LABEL, candidates};
use crate::error::Result;
use crate::shown::excerpt;

impl DatasetBuilder<'_> {
    /// With candidates for each row instead of one label; with labels that are open where rows have sets. To be said after what rows have, and before
    /// the first of them.
    pub fn with_candidates(mut self, candidates: bool) -> Self {
        match self.label_sets() && !self.label_lists {
            true => self.open = candidates.then(OpenRows::default),
            false => self.candidates = candidates.then(RowCandidates::default),
        }
        self
    }

    /// Whether labels of sets may be open.
    pub fn has_open_labels(&self) -> bool {
        self.open.is_some()
    }

    /// Says that nobody knows whether the set of the open row has this label; false when the row named it before.
    pub fn add_open_label(&mut self, name: &str) -> bool {
        let label = self.number_in_row(name);
        if label == UNKNOWN_LABEL {
            self.unseen.labels += 1;
        }
        self.add_open_number(label)
    }

    /// The same by the number that [`DatasetBuilder::number_of_label`] gave.
    pub fn add_open_number(&mut self, label: u32) -> bool {
        let Some(open) = self.open.as_mut().filter(|_| label < IGNORED_LABEL) else { return true };
        open.labels.push(label);
        self.labels.name(label)
    }

    /// Says that nobody knows which labels the set of the open row has beside those that it names.
    pub fn open_others(&mut self) {
        self.open.iter_mut().for_each(|open| open.others = true);
    }

    /// Sets the label of the open row, or its candidates where it may have several: the entry is then a list of them. It begins so many bytes
    /// into the line.
    pub fn label_or_candidates(&mut self, line: &Line<'_>, at: usize, text: &str) -> Result<()> {
        if self.candidates.is_none() {
            self.label(text);
            return Ok(());
        }
        if candidates::is_any(text) {
            self.no_label();
            return Ok(());
        }
        let is_list = text.contains(candidates::SEPARATOR)
            && (self.needs_labels() || self.number_in_row(text) == UNKNOWN_LABEL);
        if !is_list {
            self.label(text);
            return Ok(());
        }
        let (mut votes, mut place) = (Vec::new(), at);
        for name in text.split(candidates::SEPARATOR) {
            if name.is_empty() {
                let problem = format!(
                    "an empty candidate in `{}`: labels have one | between them, and _ stands for any label",
                    excerpt(text)
                );
                return Err(line.error(place + 1, problem));
            }
            if candidates::is_any(name) {
                let problem = format!(
                    "`{name}` among the candidates `{}`: any label goes alone, so leave out either it or the others",
                    excerpt(text)
                );
                return Err(line.error(place + 1, problem));
            }
            match self.number_in_row(name) {
                UNKNOWN_LABEL | IGNORED_LABEL => {
                    let names: Vec<String> =
                        self.label_names().take(20).map(|name| excerpt(name).to_string()).collect();
                    let problem = format!(
                        "the candidate `{}` is no label of the model, which knows {}; leave it out, or write _ for any label",
                        excerpt(name),
                        names.join(", ")
                    );
                    return Err(line.error(place + 1, problem));
                }
                label => votes.push(label),
            }
            place += name.len() + candidates::SEPARATOR.len_utf8();
        }
        let is_known = votes.windows(2).all(|pair| pair[0] == pair[1]);
        self.labels.add(if is_known { votes[0] } else { UNKNOWN_LABEL });
        self.push_candidates(&votes);
        Ok(())
    }

    /// Says what the candidates of the open row are, where there may be several.
    pub(super) fn push_candidates(&mut self, votes: &[u32]) {
        if let Some(candidates) = &mut self.candidates {
            candidates.push(votes);
        }
    }
}

/// The candidates by the numbers that labels have in the end.
pub(super) fn finish(mut candidates: RowCandidates, renumbered: Option<&[u32]>) -> RowCandidates {
    renumbered.into_iter().for_each(|renumbered| candidates.renumber(renumbered));
    candidates
}
