//! Images of columns with the segments that they are cut into.
//!
//! Pixels are grey squares. Below the image each cut has a line: a bar below each segment with its class, of another colour where it is wrong.

use maxmargin::tasks::{DrawnCut, DrawnImage};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::file::{Drawn, Picture};
use super::{COLOURS, text};

/// The side of a pixel, the margin around everything, the height of a line, and the room for names of cuts, in pixels of PNG.
const SQUARE: i32 = 18;
const MARGIN: i32 = 32;
const LINE: i32 = 46;
const NAMES: i32 = 240;
const LETTERS: i32 = 28;

/// Images below each other and below a title.
pub struct SegmentedPicture {
    /// What they are of.
    pub title: String,
    /// The images.
    pub images: Vec<DrawnImage>,
}

fn height(image: &DrawnImage) -> i32 {
    let rows = image.columns.first().map_or(0, Vec::len) as i32;
    rows * SQUARE + image.cuts.len() as i32 * LINE + 2 * MARGIN
}

impl Picture for SegmentedPicture {
    fn size(&self) -> (u32, u32) {
        let columns = self.images.iter().map(|image| image.columns.len()).max().unwrap_or(0) as i32;
        let all: i32 = self.images.iter().map(height).sum();
        ((columns * SQUARE + 3 * MARGIN + NAMES) as u32, (all + 2 * MARGIN + LINE) as u32)
    }

    fn draw_parts<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Drawn<B> {
        area.fill(&WHITE)?;
        let left = text(34).pos(Pos::new(HPos::Left, VPos::Center));
        area.draw(&Text::new(self.title.as_str(), (MARGIN, MARGIN + LINE / 2), left))?;
        let mut top = 2 * MARGIN + LINE;
        for image in &self.images {
            draw_image(area, image, top)?;
            top += height(image);
        }
        Ok(())
    }
}

fn draw_image<B: DrawingBackend>(area: &DrawingArea<B, Shift>, image: &DrawnImage, top: i32) -> Drawn<B> {
    let at = |column: usize| MARGIN + column as i32 * SQUARE;
    let mut bottom = top;
    for (x, column) in image.columns.iter().enumerate() {
        for (y, &pixel) in column.iter().enumerate() {
            let grey = (255.0 * pixel.clamp(0.0, 1.0)).round() as u8;
            let y = top + y as i32 * SQUARE;
            let square = [(at(x), y), (at(x + 1), y + SQUARE)];
            area.draw(&Rectangle::new(square, RGBColor(grey, grey, grey).filled()))?;
            bottom = bottom.max(y + SQUARE);
        }
    }
    let named = text(LETTERS).pos(Pos::new(HPos::Left, VPos::Center));
    let inside = (super::FONT, LETTERS).into_font().color(&WHITE).pos(Pos::new(HPos::Center, VPos::Center));
    for (number, DrawnCut { name, segments }) in (0..).zip(&image.cuts) {
        let middle = bottom + number * LINE + LINE / 2 + 6;
        for (columns, class, is_right) in segments {
            let colour = COLOURS[usize::from(!is_right)];
            let bar = [
                (at(columns.start) + 2, middle - LINE / 2 + 6),
                (at(columns.end) - 2, middle + LINE / 2 - 4),
            ];
            area.draw(&Rectangle::new(bar, colour.filled()))?;
            // Letters have more room below than they use.
            let centre = ((at(columns.start) + at(columns.end)) / 2, middle + 3);
            area.draw(&Text::new(class.as_str(), centre, inside.clone()))?;
        }
        area.draw(&Text::new(name.as_str(), (at(image.columns.len()) + MARGIN, middle), named.clone()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_segment_has_another_colour() {
        let cut = |is_right| DrawnCut {
            name: "found".to_owned(),
            segments: vec![(0..3, "A".to_owned(), is_right)],
        };
        let svg = |is_right| {
            let images = vec![DrawnImage { columns: vec![vec![0.5; 2]; 4], cuts: vec![cut(is_right)] }];
            let picture = SegmentedPicture { title: "a plate".to_owned(), images };
            picture.svg(picture.size()).unwrap()
        };
        let has = |svg: &str, colour: usize| {
            let RGBColor(red, green, blue) = COLOURS[colour];
            svg.contains(&format!("fill=\"#{red:02X}{green:02X}{blue:02X}\""))
        };
        let (right, wrong) = (svg(true), svg(false));
        assert!(right.contains("a plate") && right.contains("found"), "{right}");
        assert!(has(&right, 0) && !has(&right, 1), "{right}");
        assert!(has(&wrong, 1) && !has(&wrong, 0), "{wrong}");
    }
}
