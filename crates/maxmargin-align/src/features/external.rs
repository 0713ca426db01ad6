//! The links of another aligner: whether it links the two words, what it links beside them, and what else it links them to.

use super::super::SentenceLinks;
use super::Sink;

/// The links of a sentence pair as a grid.
pub(super) struct Grid {
    linked: Vec<bool>,
    rows: usize,
    columns: usize,
    in_row: Vec<u32>,
    in_column: Vec<u32>,
}

impl Grid {
    /// From links within the sentences; whatever lies outside is left out.
    pub fn new(rows: usize, columns: usize, links: &SentenceLinks) -> Self {
        let mut grid = Self {
            linked: vec![false; rows * columns],
            rows,
            columns,
            in_row: vec![0; rows],
            in_column: vec![0; columns],
        };
        for link in links.sure.iter().chain(&links.possible) {
            let (i, j) = (link.left as usize, link.right as usize);
            if i < rows && j < columns && !std::mem::replace(&mut grid.linked[i * columns + j], true) {
                grid.in_row[i] += 1;
                grid.in_column[j] += 1;
            }
        }
        grid
    }

    fn beside(&self, (i, j): (usize, usize), (down, across): (isize, isize)) -> bool {
        match (i.checked_add_signed(down), j.checked_add_signed(across)) {
            (Some(i), Some(j)) => i < self.rows && j < self.columns && self.linked[i * self.columns + j],
            _ => false,
        }
    }

    pub fn add(&self, at: (usize, usize), to: &mut impl Sink) {
        let own = self.beside(at, (0, 0));
        let (before, after) = (self.beside(at, (-1, -1)), self.beside(at, (1, 1)));
        let others = (self.in_row[at.0] - u32::from(own), self.in_column[at.1] - u32::from(own));
        to.flag("external.link", own);
        to.flag("external.link-alone", own && others == (0, 0));
        to.flag("external.link-shared", own && others != (0, 0));
        to.flag("external.link-in-diagonal", own && (before || after));
        to.flag("external.before", !own && before);
        to.flag("external.after", !own && after);
        to.flag("external.gap", !own && before && after);
        to.flag("external.left-taken", !own && others.0 > 0);
        to.flag("external.right-taken", !own && others.1 > 0);
        to.flag("external.both-free", !own && others == (0, 0));
        let beside = [(-1, 0), (1, 0), (0, -1), (0, 1)];
        to.flag("external.touches", !own && beside.into_iter().any(|step| self.beside(at, step)));
    }
}
