//! Which scheme a data set is in.

use super::{Span, TagScheme, spans};
use crate::data::tags::Tag;
use crate::error::{Error, Result};
use crate::shown::{count, excerpt};

/// The scheme that tags are in, and how sure that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecognisedScheme {
    /// The scheme.
    pub scheme: TagScheme,
    /// Whether another scheme would have written the same tags.
    pub is_ambiguous: bool,
    /// The number of tags that the scheme would have written otherwise.
    pub malformed: usize,
}

impl RecognisedScheme {
    /// The scheme of sequences of labels: the one in which the fewest tags are malformed. Refused where labels are no tags.
    pub fn of<'a, S>(sequences: impl Iterator<Item = S>) -> Result<Self>
    where
        S: Iterator<Item = &'a str>,
    {
        let mut malformed = [0; TagScheme::ALL.len()];
        let mut has_chunks = false;
        for sequence in sequences {
            let tags: Vec<&str> = sequence.collect();
            if let Some(other) = tags.iter().find(|tag| Tag::of(tag).is_none()) {
                let problem = format!(
                    "`{}` is no tag: schemes are about labels such as O, B-NP and I-NP",
                    excerpt(other)
                );
                return Err(Error::parameter("tag-scheme", problem));
            }
            let spans: Vec<Span<'_>> = spans(tags.iter().copied().map(Some));
            has_chunks |= !spans.is_empty();
            for (scheme, malformed) in TagScheme::ALL.into_iter().zip(&mut malformed) {
                let written = scheme.write(tags.len(), &spans);
                let is_own = |(tag, written): (&&str, &Option<(char, &str)>)| {
                    written.map(|(letter, _)| letter) == tag.chars().next().filter(|letter| *letter != 'O')
                };
                *malformed += tags.iter().zip(&written).filter(|pair| !is_own(*pair)).count();
            }
        }
        if !has_chunks {
            return Err(Error::parameter("tag-scheme", "the labels mark no chunks: all are O"));
        }
        // Where schemes are alike, the usual ones.
        let order = [TagScheme::Iob2, TagScheme::Bioes, TagScheme::Bilou, TagScheme::Iob1];
        let faults = |scheme: TagScheme| malformed[scheme as usize];
        let fewest = malformed.into_iter().min().unwrap_or(0);
        let mut best = order.into_iter().filter(|&scheme| faults(scheme) == fewest);
        let scheme = best.next().unwrap_or(TagScheme::Iob2);
        Ok(Self { scheme, is_ambiguous: best.next().is_some(), malformed: fewest })
    }

    /// What to tell a person, where the tags do not show it by themselves.
    pub fn note(&self) -> Option<String> {
        let Self { scheme, is_ambiguous, malformed } = *self;
        let assumed =
            is_ambiguous.then(|| format!("the tags may be of several schemes; {scheme} is assumed"));
        let faulty = (malformed > 0).then(|| {
            format!("{} not as {scheme} writes tags, read as conlleval does", count(malformed, "tag"))
        });
        let parts: Vec<String> = assumed.into_iter().chain(faulty).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}
