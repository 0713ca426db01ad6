//! A hierarchy as a tree, a node a line: how much of a path each is, how long its weights are, how many examples have it, and how often it
//! was missed or predicted wrongly.
//!
//! Bars are as long as the numbers beside them, against the largest of their column.

use maxmargin::tasks::{DrawnNode, DrawnTree};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::file::{Drawn, Picture};
use super::{COLOURS, FONT, GREY, INK, text};

/// The height of a line, the margin, the step to the right for each level, and the mean width of letters, in pixels of PNG.
const LINE: i32 = 40;
const MARGIN: i32 = 32;
const STEP: i32 = 36;
const LETTERS: i32 = 26;
const LETTER_WIDTH: i32 = 15;

/// A column: its bars, and the number beside them.
const BAR: i32 = 150;
const COLUMN: i32 = BAR + 130;

/// Names are cut off here.
const LONGEST: usize = 40;
/// Levels below this one are not moved further to the right.
const DEEPEST: usize = 20;

/// The tree, below a title.
pub struct TreePicture {
    /// What it is of.
    pub title: String,
    /// The nodes.
    pub tree: DrawnTree,
}

/// What is shown of each node, with the number of its colour.
struct Column {
    name: &'static str,
    colour: usize,
    value: fn(&DrawnNode) -> f64,
    is_count: bool,
}

impl TreePicture {
    fn columns(&self) -> Vec<Column> {
        let column = |name, colour, is_count, value| Column { name, colour, value, is_count };
        let mut columns = vec![
            column("α", 0, false, |node| node.alpha),
            column("norm", 2, false, |node| node.norm),
            column("examples", 4, true, |node| f64::from(node.support)),
        ];
        if self.tree.nodes.iter().any(|node| node.counts.is_some()) {
            columns.push(column("missed", 1, true, |node| node.mistakes().unwrap_or_default()[0] as f64));
            columns.push(column("wrong", 3, true, |node| node.mistakes().unwrap_or_default()[1] as f64));
        }
        columns
    }

    /// The room for the tree itself.
    fn width(&self) -> i32 {
        let widest = self
            .tree
            .nodes
            .iter()
            .map(|node| left(node) + LETTER_WIDTH * shown(&node.name).chars().count() as i32);
        widest.max().unwrap_or(0).max(200) + 2 * MARGIN
    }

    fn lines(&self) -> i32 {
        self.tree.nodes.len() as i32 + i32::from(self.tree.left_out > 0)
    }
}

/// Where a node begins.
fn left(node: &DrawnNode) -> i32 {
    MARGIN + STEP * node.depth.min(DEEPEST) as i32
}

fn shown(name: &str) -> String {
    match name.chars().count() > LONGEST {
        true => name.chars().take(LONGEST - 1).chain(['…']).collect(),
        false => name.to_owned(),
    }
}

impl Picture for TreePicture {
    fn size(&self) -> (u32, u32) {
        let title = 2 * MARGIN + 20 * self.title.chars().count() as i32;
        let width = title.max(self.width() + COLUMN * self.columns().len() as i32 + MARGIN);
        (width as u32, (3 * MARGIN + LINE * (self.lines() + 2)) as u32)
    }

    fn draw_parts<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Drawn<B> {
        area.fill(&WHITE)?;
        let (left_centre, right_centre) =
            (Pos::new(HPos::Left, VPos::Center), Pos::new(HPos::Right, VPos::Center));
        let letters = (FONT, LETTERS).into_font().color(&INK);
        area.draw(&Text::new(self.title.as_str(), (MARGIN, MARGIN + LINE / 2), text(34).pos(left_centre)))?;
        let head = 2 * MARGIN + LINE;
        let line = |place: usize| head + LINE * (place as i32 + 1) + LINE / 2;
        // From each node a line goes up to the one above it.
        let mut above: Vec<usize> = Vec::new();
        for (place, node) in self.tree.nodes.iter().enumerate() {
            above.truncate(node.depth);
            if let Some(&parent) = above.last() {
                let x = left(&self.tree.nodes[parent]) + STEP / 3;
                let corner = [(x, line(parent) + LINE / 2), (x, line(place)), (left(node) - 4, line(place))];
                area.draw(&PathElement::new(corner, GREY.stroke_width(2)))?;
            }
            above.push(place);
            area.draw(&Text::new(
                shown(&node.name),
                (left(node), line(place)),
                letters.clone().pos(left_centre),
            ))?;
        }
        for (number, column) in self.columns().into_iter().enumerate() {
            let x = self.width() + COLUMN * number as i32;
            area.draw(&Text::new(column.name, (x, head + LINE / 2), letters.clone().pos(left_centre)))?;
            let largest = self.tree.nodes.iter().map(column.value).fold(0.0, f64::max);
            for (place, node) in self.tree.nodes.iter().enumerate() {
                let value = (column.value)(node);
                let length =
                    if largest > 0.0 { (f64::from(BAR) * value / largest).round() as i32 } else { 0 };
                let bar = [(x, line(place) - LINE / 4), (x + length, line(place) + LINE / 4)];
                area.draw(&Rectangle::new(bar, COLOURS[column.colour].mix(0.7).filled()))?;
                let number = if column.is_count { format!("{value:.0}") } else { format!("{value:.3}") };
                let end = (x + COLUMN - 24, line(place));
                area.draw(&Text::new(number, end, letters.clone().pos(right_centre)))?;
            }
        }
        if self.tree.left_out > 0 {
            let more = format!("… {} more", self.tree.left_out);
            area.draw(&Text::new(more, (MARGIN, line(self.tree.nodes.len())), letters.pos(left_centre)))?;
        }
        area.present()
    }
}

#[cfg(test)]
mod tests {
    use maxmargin::metrics::Retrieval;

    use super::*;

    #[test]
    fn mistakes_are_drawn_where_they_are_known() {
        let node = |name: &str, depth| DrawnNode {
            name: name.to_owned(),
            depth,
            alpha: 0.25,
            ..DrawnNode::default()
        };
        let tree = DrawnTree { nodes: vec![node("<animal>", 0), node("cat", 1)], left_out: 7 };
        let svg = |tree: DrawnTree| {
            let picture = TreePicture { title: "a tree".to_owned(), tree };
            picture.svg(picture.size()).unwrap()
        };
        let plain = svg(tree.clone());
        assert!(
            plain.contains("&lt;animal&gt;") && plain.contains("0.250") && plain.contains("7 more"),
            "{plain}"
        );
        // One line leads from the cat to the animal.
        assert_eq!(plain.matches("<polyline").count(), 1, "{plain}");
        assert!(!plain.contains("missed"), "{plain}");
        let counts = Retrieval { truth: 5, predicted: 2, right: 1 };
        let counted = svg(tree.with_counts(&[("cat".to_owned(), counts)]));
        assert!(counted.contains("missed") && counted.contains("wrong"), "{counted}");
    }
}
