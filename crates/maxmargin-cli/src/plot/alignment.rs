//! The links between two sentences as a grid.
//!
//! True links are frames, thick where they are sure and thin where they are possible. Predicted links are filled squares,
//! of another colour where they are wrong.

use maxmargin_align::{AlignmentPicture, Gold};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::file::{Drawn, Picture};
use super::{COLOURS, FONT, GREY, INK};

/// The side of a square, the margin around everything, the height of letters and their mean width, in pixels of PNG.
const SQUARE: i32 = 44;
const MARGIN: i32 = 20;
const LETTERS: i32 = 26;
const LETTER_WIDTH: i32 = 16;

/// The grid of a sentence pair.
pub struct GridPicture<'a>(pub AlignmentPicture<'a>);

impl GridPicture<'_> {
    /// Where the grid begins: beside the words on the left, and below those on the right.
    fn corner(&self) -> (i32, i32) {
        let room = |words: &[&str]| {
            let longest = words.iter().map(|word| word.chars().count()).max().unwrap_or(0);
            2 * MARGIN + LETTER_WIDTH * i32::try_from(longest).unwrap_or(i32::MAX / 1000).min(60)
        };
        (room(&self.0.left), room(&self.0.right))
    }

    fn end(&self) -> (i32, i32) {
        let (x, y) = self.corner();
        let squares = |words: &[&str]| SQUARE * words.len() as i32;
        (x + squares(&self.0.right), y + squares(&self.0.left))
    }
}

impl Picture for GridPicture<'_> {
    fn size(&self) -> (u32, u32) {
        let (x, y) = self.end();
        ((x + MARGIN) as u32, (y + MARGIN) as u32)
    }

    fn draw_parts<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Drawn<B> {
        area.fill(&WHITE)?;
        let (corner, end) = (self.corner(), self.end());
        let words = (FONT, LETTERS).into_font().color(&INK);
        // Letters have more room below than they use: centred, they would stand too high.
        let beside = words.pos(Pos::new(HPos::Right, VPos::Center));
        for (i, word) in (0..).zip(&self.0.left) {
            area.draw_text(word, &beside, (corner.0 - MARGIN / 2, corner.1 + i * SQUARE + 5 * SQUARE / 8))?;
        }
        let upright = (FONT, LETTERS).into_font().transform(FontTransform::Rotate270).color(&INK);
        let above = upright.pos(Pos::new(HPos::Left, VPos::Center));
        for (j, word) in (0..).zip(&self.0.right) {
            area.draw_text(word, &above, (corner.0 + j * SQUARE + SQUARE / 2, corner.1 - MARGIN / 2))?;
        }
        for i in 0..=self.0.left.len() as i32 {
            let y = corner.1 + i * SQUARE;
            area.draw(&PathElement::new([(corner.0, y), (end.0, y)], GREY.mix(0.4)))?;
        }
        for j in 0..=self.0.right.len() as i32 {
            let x = corner.0 + j * SQUARE;
            area.draw(&PathElement::new([(x, corner.1), (x, end.1)], GREY.mix(0.4)))?;
        }
        for i in 0..self.0.left.len() {
            for j in 0..self.0.right.len() {
                let mark = self.0.mark(i, j);
                let (x, y) = (corner.0 + j as i32 * SQUARE, corner.1 + i as i32 * SQUARE);
                let square = |inset: i32| [(x + inset, y + inset), (x + SQUARE - inset, y + SQUARE - inset)];
                if mark.predicted {
                    let colour = if mark.gold == Gold::None { COLOURS[1] } else { COLOURS[0] };
                    area.draw(&Rectangle::new(square(12), colour.filled()))?;
                }
                let frame = match mark.gold {
                    Gold::None => continue,
                    Gold::Possible => INK.stroke_width(1),
                    Gold::Sure => INK.stroke_width(4),
                };
                area.draw(&Rectangle::new(square(6), frame))?;
            }
        }
        Ok(())
    }
}
