//! Images of columns with the segments that they are cut into, or with points in them.
//!
//! Pixels are grey squares. Below the image each cut has a line: a bar below each segment with its class, of another colour where it is wrong. Points are discs, of a
//! colour for each kind, with a line below that says whose they are. Images with points are beside each other, four in a row.

use maxmargin::tasks::{DrawnCut, DrawnImage, DrawnPoints};
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
/// The side of a pixel and the radius of a point where images have points, and how many of these are in a row.
const SMALL_SQUARE: i32 = 8;
const RADIUS: i32 = 7;
const IN_A_ROW: usize = 4;

/// Images below each other and below a title.
pub struct SegmentedPicture {
    /// What they are of.
    pub title: String,
    /// The images.
    pub images: Vec<DrawnImage>,
}

/// The side of a pixel.
fn square(image: &DrawnImage) -> i32 {
    if image.points.is_empty() { SQUARE } else { SMALL_SQUARE }
}

fn height(image: &DrawnImage) -> i32 {
    let rows = image.columns.first().map_or(0, Vec::len) as i32;
    let lines = image.cuts.len() + usize::from(!image.points.is_empty());
    rows * square(image) + lines as i32 * LINE + 2 * MARGIN
}

/// The columns of an image with what is beside it.
fn width(image: &DrawnImage) -> i32 {
    let columns = image.columns.len() as i32 * square(image) + MARGIN;
    if image.points.is_empty() { columns + MARGIN + NAMES } else { columns.max(NAMES + MARGIN) }
}

impl SegmentedPicture {
    /// The images that are beside each other.
    fn rows(&self) -> impl Iterator<Item = &[DrawnImage]> {
        self.images
            .chunk_by(|a, b| !a.points.is_empty() && !b.points.is_empty())
            .flat_map(|some| some.chunks(IN_A_ROW))
    }
}

impl Picture for SegmentedPicture {
    fn size(&self) -> (u32, u32) {
        let across = self.rows().map(|row| row.iter().map(width).sum::<i32>()).max().unwrap_or(0);
        let down: i32 = self.rows().map(|row| row.iter().map(height).max().unwrap_or(0)).sum();
        ((across + MARGIN) as u32, (down + 2 * MARGIN + LINE) as u32)
    }

    fn draw_parts<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Drawn<B> {
        area.fill(&WHITE)?;
        let left = text(34).pos(Pos::new(HPos::Left, VPos::Center));
        area.draw(&Text::new(self.title.as_str(), (MARGIN, MARGIN + LINE / 2), left))?;
        let mut top = 2 * MARGIN + LINE;
        for row in self.rows() {
            let mut left = MARGIN;
            for image in row {
                draw_image(area, image, (left, top))?;
                left += width(image);
            }
            top += row.iter().map(height).max().unwrap_or(0);
        }
        Ok(())
    }
}

fn draw_image<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    image: &DrawnImage,
    (left, top): (i32, i32),
) -> Drawn<B> {
    let side = square(image);
    let at = |column: usize| left + column as i32 * side;
    let mut bottom = top;
    for (x, column) in image.columns.iter().enumerate() {
        for (y, &pixel) in column.iter().enumerate() {
            let grey = (255.0 * pixel.clamp(0.0, 1.0)).round() as u8;
            let y = top + y as i32 * side;
            let pixel_square = [(at(x), y), (at(x + 1), y + side)];
            area.draw(&Rectangle::new(pixel_square, RGBColor(grey, grey, grey).filled()))?;
            bottom = bottom.max(y + side);
        }
    }
    draw_points(area, image, (left, top), bottom)?;
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

/// Discs where points are, and whose they are below the image.
fn draw_points<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    image: &DrawnImage,
    (left, top): (i32, i32),
    bottom: i32,
) -> Drawn<B> {
    let side = f64::from(square(image));
    let named = text(LETTERS).pos(Pos::new(HPos::Left, VPos::Center));
    let mut name_at = left;
    for (kind, DrawnPoints { name, places }) in image.points.iter().enumerate() {
        let colour = COLOURS[kind % COLOURS.len()];
        for (x, y) in places {
            // What is far outside is no place of a picture.
            let place = |x: f64, first: i32| first + ((x + 0.5) * side).clamp(-1e6, 1e6).round() as i32;
            area.draw(&Circle::new((place(*x, left), place(*y, top)), RADIUS, colour.filled()))?;
        }
        let middle = bottom + LINE / 2 + 6;
        area.draw(&Circle::new((name_at + RADIUS, middle), RADIUS, colour.filled()))?;
        area.draw(&Text::new(name.as_str(), (name_at + 3 * RADIUS, middle), named.clone()))?;
        name_at += NAMES / 2;
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
            let columns = vec![vec![0.5; 2]; 4];
            let images = vec![DrawnImage { columns, cuts: vec![cut(is_right)], points: Vec::new() }];
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

    #[test]
    fn points_are_discs_in_rows_of_images() {
        let points =
            |name: &str| DrawnPoints { name: name.to_owned(), places: vec![(1.0, 1.0), (1e300, f64::NAN)] };
        let image = DrawnImage {
            columns: vec![vec![0.5; 4]; 4],
            points: vec![points("truth"), points("found")],
            ..DrawnImage::default()
        };
        let picture = SegmentedPicture { title: "faces".to_owned(), images: vec![image; IN_A_ROW + 1] };
        assert_eq!(picture.rows().map(<[_]>::len).collect::<Vec<_>>(), [IN_A_ROW, 1]);
        let svg = picture.svg(picture.size()).unwrap();
        assert_eq!(svg.matches("<circle").count(), 6 * (IN_A_ROW + 1), "{svg}");
        assert!(svg.contains("truth") && svg.contains("found"), "{svg}");
    }
}
