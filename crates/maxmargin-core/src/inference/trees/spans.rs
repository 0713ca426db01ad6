//! Spans of words of which projective trees are put together.

/// The kinds of spans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Complete: the beginning is above all the rest.
    Right,
    /// Complete: the end is above all the rest.
    Left,
    /// Open: with an arc from the beginning to the end.
    OpenRight,
    /// Open: with an arc from the end to the beginning.
    OpenLeft,
    /// Both ends are words of one head outside, next to each other among those on this side of it.
    Between,
}

impl Kind {
    /// All kinds in the order in which those of the same words are found.
    pub(super) const ALL: [Kind; 4] = [Kind::OpenRight, Kind::OpenLeft, Kind::Left, Kind::Right];

    /// The same where neighbours below one head count (McDonald and Pereira 2006).
    pub(super) const WITH_SIBLINGS: [Kind; 5] =
        [Kind::Between, Kind::OpenRight, Kind::OpenLeft, Kind::Left, Kind::Right];
}

/// The words from `start` to `end`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Span {
    pub(super) fn new(kind: Kind, start: usize, end: usize) -> Self {
        Self { kind, start, end }
    }

    /// The two spans that a tree is made of whose one word below the root is this.
    pub(super) fn below_root(word: usize, words: usize) -> [Self; 2] {
        [Self::new(Kind::Left, 1, word), Self::new(Kind::Right, word, words)]
    }

    /// The arc of an open span: head and word.
    pub(super) fn arc(self) -> Option<(usize, usize)> {
        match self.kind {
            Kind::OpenRight => Some((self.start, self.end)),
            Kind::OpenLeft => Some((self.end, self.start)),
            Kind::Right | Kind::Left | Kind::Between => None,
        }
    }

    /// Where a span of more than one word may be split.
    pub(super) fn splits(self) -> std::ops::Range<usize> {
        match self.kind {
            Kind::Right => self.start + 1..self.end + 1,
            _ => self.start..self.end,
        }
    }

    /// The two spans that this one is made of, when it is split at a place.
    pub(super) fn parts(self, split: usize) -> [Self; 2] {
        let Self { kind, start, end } = self;
        match kind {
            Kind::Right => [Self::new(Kind::OpenRight, start, split), Self::new(Kind::Right, split, end)],
            Kind::Left => [Self::new(Kind::Left, start, split), Self::new(Kind::OpenLeft, split, end)],
            Kind::OpenRight | Kind::OpenLeft | Kind::Between => {
                [Self::new(Kind::Right, start, split), Self::new(Kind::Left, split + 1, end)]
            }
        }
    }

    /// Where a span may be split where neighbours below one head count: an open one at the neighbour of its word, or at the head where there is none.
    pub(super) fn sibling_splits(self) -> std::ops::Range<usize> {
        match self.kind {
            Kind::Right | Kind::OpenLeft => self.start + 1..self.end + 1,
            Kind::Left | Kind::OpenRight | Kind::Between => self.start..self.end,
        }
    }

    /// The two spans that this one is made of then.
    pub(super) fn sibling_parts(self, split: usize) -> [Self; 2] {
        let Self { kind, start, end } = self;
        match kind {
            Kind::OpenRight if split == start => {
                [Self::new(Kind::Right, start, start), Self::new(Kind::Left, start + 1, end)]
            }
            Kind::OpenRight => {
                [Self::new(Kind::OpenRight, start, split), Self::new(Kind::Between, split, end)]
            }
            Kind::OpenLeft if split == end => {
                [Self::new(Kind::Right, start, end - 1), Self::new(Kind::Left, end, end)]
            }
            Kind::OpenLeft => [Self::new(Kind::Between, start, split), Self::new(Kind::OpenLeft, split, end)],
            Kind::Right | Kind::Left | Kind::Between => self.parts(split),
        }
    }

    /// The arc of an open span with the word's neighbour below the head, 0 where there is none: head, neighbour and word.
    pub(super) fn sibling(self, split: usize) -> Option<[usize; 3]> {
        let (head, word) = self.arc()?;
        Some([head, if split == head { 0 } else { split }, word])
    }
}
