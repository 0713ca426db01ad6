//! Precision and recall of chunks, as the CoNLL shared tasks count them.
//!
//! See [`spans`] for what a chunk is, whatever the scheme of the tags. A predicted chunk is right when a true chunk has the same first token, last token and type. A true
//! label without a name (it is missing, or the model does not know it and nobody remembers it) is a chunk of its own that
//! no prediction finds.

use std::collections::BTreeMap;

use super::SequenceExamples;
use crate::data::TaskData;
use crate::data::tag_scheme::{Span, spans};
use crate::data::{Alphabet, are_tags};
use crate::metrics::{Comparison, Retrieval};

/// How well chunks are found: all together, and by type.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ChunkCounts {
    pub(super) all: Retrieval,
    /// By type, in the order of their names. Chunks of unknown tags are in none.
    pub(super) by_type: BTreeMap<String, Retrieval>,
}

/// Counts the chunks, when the labels that the model knows are tags.
pub(super) fn count_chunks(comparison: Comparison<'_, SequenceExamples, Vec<u32>>) -> Option<ChunkCounts> {
    let Comparison { truth, predicted, labels, known, .. } = comparison;
    if !are_tags(labels, known) {
        return None;
    }
    let mut counts = ChunkCounts::default();
    for (i, predicted) in predicted.iter().enumerate() {
        let truth = chunks(truth.labels_of(i), labels);
        for chunk in &truth {
            counts.add(chunk, |count| count.truth += 1);
        }
        for chunk in chunks(predicted, labels) {
            counts.add(&chunk, |count| count.predicted += 1);
            let same_start = truth.binary_search_by_key(&chunk.start, |chunk| chunk.start);
            if same_start.is_ok_and(|at| truth[at] == chunk) {
                counts.add(&chunk, |count| count.right += 1);
            }
        }
    }
    Some(counts)
}

impl ChunkCounts {
    fn add(&mut self, chunk: &Span<'_>, count: impl Fn(&mut Retrieval)) {
        count(&mut self.all);
        let Some(kind) = chunk.kind else { return };
        match self.by_type.get_mut(kind) {
            Some(counts) => count(counts),
            None => count(self.by_type.entry(kind.to_owned()).or_default()),
        }
    }
}

fn chunks<'a>(sequence: &[u32], labels: &'a Alphabet) -> Vec<Span<'a>> {
    spans(sequence.iter().map(|&label| ((label as usize) < labels.len()).then(|| labels.name(label))))
}

#[cfg(test)]
mod tests {
    use super::super::truth;
    use super::*;
    use crate::structure::UNKNOWN_LABEL;

    fn alphabet() -> Alphabet {
        ["O", "B-NP", "I-NP", "B-VP", "I-VP", "I-LST"].into_iter().collect()
    }

    fn count(sequence: &[u32], predicted: &[u32], known: usize) -> Option<(usize, usize, usize)> {
        let (truth, predicted, labels) = (truth(&[sequence]), [predicted.to_vec()], alphabet());
        let comparison =
            Comparison { truth: &truth, predicted: &predicted, labels: &labels, known, background: None };
        count_chunks(comparison).map(|counts| (counts.all.truth, counts.all.predicted, counts.all.right))
    }

    #[test]
    fn chunks_match_whole() {
        // B-NP I-NP O B-VP against itself, a shorter phrase, and another type.
        assert_eq!(count(&[1, 2, 0, 3], &[1, 2, 0, 3], 5), Some((2, 2, 2)));
        assert_eq!(count(&[1, 2, 0, 3], &[1, 0, 0, 3], 5), Some((2, 2, 1)));
        assert_eq!(count(&[1, 2, 0, 3], &[3, 4, 0, 0], 5), Some((2, 1, 0)));
        // A prediction that goes on beyond the true end is wrong.
        assert_eq!(count(&[1, 0], &[1, 2], 5), Some((1, 1, 0)));
    }

    #[test]
    fn an_inside_tag_can_begin_a_chunk() {
        // I-NP I-NP is B-NP I-NP; I-VP after I-NP begins a new chunk; B-NP B-NP are two.
        assert_eq!(count(&[1, 2], &[2, 2], 5), Some((1, 1, 1)));
        assert_eq!(count(&[1, 3], &[2, 4], 5), Some((2, 2, 2)));
        assert_eq!(count(&[1, 2], &[1, 1], 5), Some((1, 2, 0)));
        assert_eq!(count(&[2, 0, 2], &[2, 0, 2], 5), Some((2, 2, 2)));
    }

    #[test]
    fn unknown_tags_are_chunks_that_nobody_finds() {
        assert_eq!(count(&[1, UNKNOWN_LABEL, 2], &[1, 2, 2], 5), Some((3, 1, 0)));
        // A tag that the model does not know but the truth names goes on with its chunk.
        assert_eq!(count(&[5, 5], &[0, 0], 5), Some((1, 0, 0)));
    }

    #[test]
    fn ends_and_single_tokens_are_marked_too() {
        let labels: Alphabet = ["O", "B-X", "I-X", "E-X", "S-X", "L-X", "U-X"].into_iter().collect();
        let chunks = |sequence: &[u32]| {
            let chunks = chunks(sequence, &labels).into_iter();
            chunks.map(|chunk| (chunk.start, chunk.end)).collect::<Vec<_>>()
        };
        assert_eq!(chunks(&[1, 2, 3, 4, 0, 1, 3]), [(0, 3), (3, 4), (5, 7)]);
        assert_eq!(chunks(&[1, 2, 5, 6, 0, 1, 5]), [(0, 3), (3, 4), (5, 7)]);
        // After an end, and without a begin, a chunk begins wherever one is.
        assert_eq!(chunks(&[3, 3, 2, 4, 2, 3]), [(0, 1), (1, 2), (2, 3), (3, 4), (4, 6)]);
    }

    #[test]
    fn other_labels_mark_no_chunks() {
        // I-LST alone would do, but it is the truth's.
        assert_eq!(count(&[0, 5], &[0, 0], 1), None);
    }
}
