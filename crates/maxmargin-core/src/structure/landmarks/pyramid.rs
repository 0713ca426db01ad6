//! What is seen around each pixel of a picture, as a number, at several scales: the pyramid of local binary patterns of BUNDLE 4.2.
//!
//! A level holds a code for each of its pixels. Level 0 has the pixels of the picture; a pixel of the next level stands for 2×2 of this one. A cell
//! (x, y) of the picture sees at level k the square of codes around (x >> k, y >> k), which is the *template* of the level: so many codes to each side.
//! Each level therefore reaches beyond the picture by its side's half.
//!
//! The pattern of a pixel (Ojala, Pietikäinen and Harwood 1996) has a bit for each of its eight neighbours: whether it is at least as bright.

use std::sync::Arc;

use crate::error::{Error, Result};

/// Codes of pixels, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeLevel {
    width: usize,
    codes: Vec<u8>,
}

impl CodeLevel {
    /// The codes of so many columns, row by row.
    pub fn new(width: usize, codes: Vec<u8>) -> Result<Self> {
        match width > 0 && !codes.is_empty() && codes.len().is_multiple_of(width) {
            true => Ok(Self { width, codes }),
            false => {
                let problem = format!("{} codes are no rows of {width}", codes.len());
                Err(Error::parameter("codes", problem))
            }
        }
    }

    /// The columns and rows.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.width, self.codes.len() / self.width)
    }

    /// So many codes of a row, from a column on.
    #[inline]
    pub(super) fn row(&self, row: usize, column: usize, count: usize) -> &[u8] {
        let start = row * self.width + column;
        &self.codes[start..start + count]
    }

    /// All codes.
    pub fn codes(&self) -> &[u8] {
        &self.codes
    }
}

/// How a template lies in the levels: the side of its square in each, odd, the finest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    sides: Vec<usize>,
}

/// So many levels and no more: the last stands for squares of 32 pixels.
const MOST_LEVELS: usize = 6;

/// The longest side of a template.
const LONGEST_SIDE: usize = 63;

impl Template {
    /// A template with these sides.
    pub fn new(sides: Vec<usize>) -> Result<Self> {
        let is_side = |side: &usize| side % 2 == 1 && *side <= LONGEST_SIDE;
        match (1..=MOST_LEVELS).contains(&sides.len()) && sides.iter().all(is_side) {
            true => Ok(Self { sides }),
            false => {
                let problem = format!(
                    "{sides:?} are no sides; there are 1 to {MOST_LEVELS} levels, each with an odd side up to {LONGEST_SIDE}"
                );
                Err(Error::parameter("template", problem))
            }
        }
    }

    /// A square of `side` pixels, and about the same square at each coarser level.
    pub fn halving(side: usize, levels: usize) -> Result<Self> {
        let sides =
            (0..levels.min(MOST_LEVELS + 1)).map(|level| if level == 0 { side } else { side >> level | 1 });
        Self::new(sides.collect())
    }

    /// The sides, the finest first.
    pub fn sides(&self) -> &[usize] {
        &self.sides
    }

    /// How many codes a cell sees.
    pub fn len(&self) -> usize {
        self.sides.iter().map(|side| side * side).sum()
    }

    /// Whether it sees nothing, which is never so.
    pub fn is_empty(&self) -> bool {
        self.sides.is_empty()
    }

    /// How many pixels beyond a picture must be known to each side: those of templates, and the neighbours of their pixels.
    pub fn margin(&self) -> usize {
        let reach = |(level, side): (usize, &usize)| (side / 2 + 2) << level;
        let furthest = self.sides.iter().enumerate().map(reach).max().unwrap_or(0);
        furthest.next_multiple_of(1 << (self.sides.len() - 1))
    }

    /// The columns and rows that a level has for a picture of this size.
    pub fn level_size(&self, level: usize, (width, height): (usize, usize)) -> (usize, usize) {
        let of = |length: usize| ((length.max(1) - 1) >> level) + self.sides[level];
        (of(width), of(height))
    }
}

/// The codes of a picture at several scales. Copies share them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodePyramid {
    levels: Arc<[CodeLevel]>,
}

impl CodePyramid {
    /// A pyramid of these levels, the finest first.
    pub fn new(levels: impl IntoIterator<Item = CodeLevel>) -> Self {
        Self { levels: levels.into_iter().collect() }
    }

    /// The local binary patterns of a picture of this size, given its pixels with a [margin](Template::margin) to each side, row by row.
    pub fn of_patterns(pixels: &[u8], size: (usize, usize), template: &Template) -> Result<Self> {
        let margin = template.margin();
        let (width, height) = (size.0 + 2 * margin, size.1 + 2 * margin);
        if size.0 == 0 || size.1 == 0 || pixels.len() != width * height {
            let problem = format!(
                "{} pixels; a picture of {}×{} with a margin of {margin} has {}",
                pixels.len(),
                size.0,
                size.1,
                width * height
            );
            return Err(Error::parameter("picture", problem));
        }
        // Sums of the pixels that one of the level stands for, so that nothing is rounded.
        let mut sums = Grid { width, values: pixels.iter().copied().map(u32::from).collect() };
        let mut levels = Vec::with_capacity(template.sides.len());
        for (level, side) in template.sides.iter().enumerate() {
            if level > 0 {
                sums = sums.halved();
            }
            let (columns, rows) = template.level_size(level, size);
            let first = (margin >> level) - side / 2;
            let places = (first..first + rows).flat_map(|y| (first..first + columns).map(move |x| (x, y)));
            levels.push(CodeLevel { width: columns, codes: places.map(|at| sums.pattern(at)).collect() });
        }
        Ok(Self::new(levels))
    }

    /// The levels, the finest first.
    pub fn levels(&self) -> &[CodeLevel] {
        &self.levels
    }
}

struct Grid {
    width: usize,
    values: Vec<u32>,
}

impl Grid {
    fn at(&self, x: usize, y: usize) -> u32 {
        self.values[y * self.width + x]
    }

    /// Each 2×2 values added up.
    fn halved(&self) -> Self {
        let (width, height) = (self.width / 2, self.values.len() / self.width / 2);
        let sum = |(x, y): (usize, usize)| {
            self.at(x, y) + self.at(x + 1, y) + self.at(x, y + 1) + self.at(x + 1, y + 1)
        };
        let places = (0..height).flat_map(|y| (0..width).map(move |x| (2 * x, 2 * y)));
        Self { width, values: places.map(sum).collect() }
    }

    /// A bit for each neighbour, in turn.
    fn pattern(&self, (x, y): (usize, usize)) -> u8 {
        let centre = self.at(x, y);
        let around = [
            (x - 1, y - 1),
            (x, y - 1),
            (x + 1, y - 1),
            (x + 1, y),
            (x + 1, y + 1),
            (x, y + 1),
            (x - 1, y + 1),
            (x - 1, y),
        ];
        around.iter().fold(0, |code, &(x, y)| code << 1 | u8::from(self.at(x, y) >= centre))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_those_of_the_neighbours() {
        let template = Template::new(vec![1]).unwrap();
        let margin = template.margin();
        let size = (1, 1);
        let width = 1 + 2 * margin;
        let mut pixels = vec![0; width * width];
        // A bright pixel above the centre, and one to its left.
        pixels[margin * width + margin] = 5;
        pixels[(margin - 1) * width + margin] = 9;
        pixels[margin * width + margin - 1] = 5;
        let pyramid = CodePyramid::of_patterns(&pixels, size, &template).unwrap();
        assert_eq!(pyramid.levels()[0].codes(), [0b0100_0001]);
        assert!(CodePyramid::of_patterns(&pixels[1..], size, &template).is_err());
    }

    #[test]
    fn coarse_levels_see_the_same_place() {
        // Brightness rises to the right, at every scale: only the three neighbours to the left are darker.
        for (side, levels, size) in [(9, 3, (40, 40)), (1, 1, (3, 2)), (5, 4, (7, 9)), (3, 6, (33, 1))] {
            let template = Template::halving(side, levels).unwrap();
            let (width, height) = (size.0 + 2 * template.margin(), size.1 + 2 * template.margin());
            let pixels: Vec<u8> = (0..height).flat_map(|_| (0..width).map(|x| x.min(255) as u8)).collect();
            let pyramid = CodePyramid::of_patterns(&pixels, size, &template).unwrap();
            for (level, codes) in pyramid.levels().iter().enumerate() {
                assert_eq!(codes.size(), template.level_size(level, size));
                assert!(codes.codes().iter().all(|&code| code == 0b0111_1100), "level {level}");
            }
        }
    }

    #[test]
    fn templates_that_are_none_are_refused() {
        for (side, levels) in [(8, 1), (65, 1), (9, 0), (9, 7), (9, usize::MAX), (0, 1)] {
            assert!(Template::halving(side, levels).is_err(), "{side} {levels}");
        }
        assert_eq!(Template::halving(9, 3).unwrap().sides(), [9, 5, 3]);
        assert!(CodeLevel::new(3, vec![0; 4]).is_err() && CodeLevel::new(0, vec![]).is_err());
    }
}
