//! Precision and recall of chunks, as the CoNLL shared tasks count them.
//!
//! A chunk begins at a tag that says so (`B-`, `S-`), and at any other that follows another type or no chunk, so that IOB1
//! and IOB2 are read alike. It ends after a tag that says so (`E-`, `S-`), before the next chunk, before an `O` and at the
//! end of the sequence. A predicted chunk is right when a true chunk has the same first token, last token and type. A true
//! label without a name (it is missing, or the model does not know it and nobody remembers it) is a chunk of its own that
//! no prediction finds.

use super::SequenceExamples;
use crate::data::{Alphabet, Tag, are_tags};
use crate::metrics::{Comparison, Retrieval};

/// First token, end, type; `None` is the type of unknown tags.
type Chunk<'a> = (usize, usize, Option<&'a str>);

/// Counts the chunks, when the labels that the model knows are tags.
pub(super) fn count_chunks(comparison: Comparison<'_, SequenceExamples, Vec<u32>>) -> Option<Retrieval> {
    let Comparison { truth, predicted, labels, known, .. } = comparison;
    if !are_tags(labels, known) {
        return None;
    }
    let mut counts = Retrieval::default();
    for (i, predicted) in predicted.iter().enumerate() {
        let truth = chunks(truth.labels_of(i), labels);
        let predicted = chunks(predicted, labels);
        counts.truth += truth.len();
        counts.predicted += predicted.len();
        counts.right += predicted.iter().filter(|chunk| truth.contains(chunk)).count();
    }
    Some(counts)
}

fn chunks<'a>(sequence: &[u32], labels: &'a Alphabet) -> Vec<Chunk<'a>> {
    let mut chunks: Vec<Chunk<'a>> = Vec::new();
    // The type of the chunk that the next token may go on with.
    let mut open = None;
    for (t, &label) in sequence.iter().enumerate() {
        let named = (label as usize) < labels.len();
        open = match named.then(|| Tag::of(labels.name(label))).flatten() {
            Some(Tag::Outside) => None,
            Some(Tag::Chunk { kind, begins, ends }) => {
                match chunks.last_mut() {
                    Some(chunk) if open == Some(kind) && !begins => chunk.1 = t + 1,
                    _ => chunks.push((t, t + 1, Some(kind))),
                }
                (!ends).then_some(kind)
            }
            None => {
                chunks.push((t, t + 1, None));
                None
            }
        };
    }
    chunks
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
        count_chunks(comparison).map(|counts| (counts.truth, counts.predicted, counts.right))
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
            chunks.map(|(first, end, _)| (first, end)).collect::<Vec<_>>()
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
