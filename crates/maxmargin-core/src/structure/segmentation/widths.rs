//! How long segments of each class may be.

use std::collections::BTreeSet;

use crate::error::{Error, Result};

/// How many positions segments of each class have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Widths {
    /// Up to so many, by class. Every position counts alike.
    UpTo(Vec<u32>),
    /// Just so many, by class. A position counts with its place in the segment: each class is a template.
    Exactly(Vec<u32>),
}

impl Widths {
    fn all(&self) -> &[u32] {
        match self {
            Self::UpTo(widths) | Self::Exactly(widths) => widths,
        }
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.all().len()
    }

    /// The longest segments.
    pub fn longest(&self) -> usize {
        self.all().iter().copied().max().unwrap_or(0) as usize
    }

    /// Whether a segment of a class may have this many positions.
    pub fn admits(&self, class: usize, length: usize) -> bool {
        match self {
            Self::UpTo(widths) => (1..=widths[class] as usize).contains(&length),
            Self::Exactly(widths) => widths[class] as usize == length,
        }
    }

    /// The classes whose segments may have each number of positions, from 1 on.
    pub(super) fn by_length(&self) -> Vec<Vec<usize>> {
        let of_length = |length| (0..self.classes()).filter(|&class| self.admits(class, length)).collect();
        (1..=self.longest()).map(of_length).collect()
    }

    /// The column of weights of the first place of each class, and the number of columns.
    pub(super) fn columns(&self) -> (Vec<usize>, usize) {
        let count = |width: u32| match self {
            Self::UpTo(_) => 1,
            Self::Exactly(_) => width as usize,
        };
        let mut columns = 0;
        let first = |&width: &u32| {
            columns += count(width);
            columns - count(width)
        };
        (self.all().iter().map(first).collect(), columns)
    }

    /// How far the column of a place in a segment of a class is behind that of the first place; none beyond its width.
    pub(super) fn column_of_place(&self, class: usize, place: usize) -> Option<usize> {
        match self {
            Self::UpTo(_) => Some(0),
            Self::Exactly(widths) => (place < widths[class] as usize).then_some(place),
        }
    }

    pub(super) fn check(&self) -> Result<()> {
        if self.classes() < 2 {
            let problem =
                format!("{} class(es); there is nothing to learn with fewer than two", self.classes());
            return Err(Error::parameter("classes", problem));
        }
        match self.all().iter().position(|&width| width == 0) {
            Some(class) => {
                Err(Error::parameter("widths", format!("segments of class {class} have no position")))
            }
            None => Ok(()),
        }
    }

    /// Refuses a sequence that no segments cover exactly.
    pub fn check_length(&self, length: usize) -> Result<()> {
        let Self::Exactly(widths) = self else { return Ok(()) };
        let mut is_covered = vec![false; length + 1];
        is_covered[0] = true;
        for end in 1..=length {
            is_covered[end] = widths
                .iter()
                .any(|&width| end.checked_sub(width as usize).is_some_and(|start| is_covered[start]));
        }
        match is_covered[length] {
            true => Ok(()),
            false => {
                let problem = format!(
                    "no segments of the widths {} cover {length} positions exactly; mark what lies between segments as a class of one position, such as O, or give sequences of another length",
                    listed(widths)
                );
                Err(Error::parameter("widths", problem))
            }
        }
    }
}

/// Each width once, from the smallest on.
fn listed(widths: &[u32]) -> String {
    let widths: BTreeSet<u32> = widths.iter().copied().collect();
    let widths: Vec<String> = widths.iter().map(u32::to_string).collect();
    widths.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_lie_one_after_another() {
        let widths = Widths::Exactly(vec![2, 1, 3]);
        let places = (0..3).flat_map(|class| (0..3).map(move |place| (class, place)));
        let (first, count) = widths.columns();
        let column = |(class, place)| Some(first[class] + widths.column_of_place(class, place)?);
        let columns: Vec<usize> = places.filter_map(column).collect();
        assert_eq!(columns, (0..count).collect::<Vec<_>>());
        assert_eq!(Widths::UpTo(vec![2, 1, 3]).columns(), (vec![0, 1, 2], 3));
    }

    #[test]
    fn what_no_widths_cover_is_refused() {
        let widths = Widths::Exactly(vec![3, 5]);
        let covered: Vec<usize> = (0..12).filter(|&length| widths.check_length(length).is_ok()).collect();
        assert_eq!(covered, [0, 3, 5, 6, 8, 9, 10, 11]);
        assert!(Widths::UpTo(vec![3, 1]).check_length(7).is_ok());
        assert!(Widths::UpTo(vec![3]).check().is_err() && Widths::Exactly(vec![3, 0]).check().is_err());
    }
}
