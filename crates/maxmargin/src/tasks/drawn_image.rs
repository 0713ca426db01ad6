//! An image of columns and the segments that it is cut into, or points in it: as text for a terminal, or for whoever makes pictures.

use std::fmt;
use std::ops::Range;

/// How bright pixels are shown.
const SHADES: [char; 5] = [' ', '░', '▒', '▓', '█'];

/// An image, and one or several cuts of it below each other.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DrawnImage {
    /// The columns from left to right, each from top to bottom, from black (0) to white (1).
    pub columns: Vec<Vec<f64>>,
    /// The cuts.
    pub cuts: Vec<DrawnCut>,
    /// Points in it.
    pub points: Vec<DrawnPoints>,
}

/// Points in an image.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DrawnPoints {
    /// Whose they are.
    pub name: String,
    /// Column and row of each; the centre of the first pixel is (0, 0).
    pub places: Vec<(f64, f64)>,
}

/// What points are in text: those of the first kind, of the second, and of any other.
const MARKS: [char; 3] = ['o', '+', '*'];

impl DrawnImage {
    /// What marks a pixel, where a point is in it; the last one of several.
    fn mark(&self, column: usize, row: usize) -> Option<char> {
        let is_here = |&(x, y): &(f64, f64)| (x.round(), y.round()) == (column as f64, row as f64);
        let kinds = self.points.iter().enumerate().rev();
        let kind = kinds.into_iter().find(|(_, points)| points.places.iter().any(is_here))?.0;
        Some(MARKS[kind.min(MARKS.len() - 1)])
    }
}

/// The segments of an image.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DrawnCut {
    /// Whose they are.
    pub name: String,
    /// The columns of each, its class, and whether it is right; what is in no segment is left out.
    pub segments: Vec<(Range<usize>, String, bool)>,
}

/// Points are marked in place of their pixels, with a line below that says by what. Each segment is a bracket below its columns, with its class in it: `└─A─┘`. Where it is wrong, that is in brackets, `└[A]┘`, or `×` where there is no room for them.
impl fmt::Display for DrawnImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let height = self.columns.iter().map(Vec::len).max().unwrap_or(0);
        for row in 0..height {
            for (place, column) in self.columns.iter().enumerate() {
                if let Some(mark) = self.mark(place, row) {
                    write!(f, "{mark}")?;
                    continue;
                }
                let pixel = column.get(row).copied().unwrap_or(0.0).clamp(0.0, 1.0);
                let shade = (pixel * SHADES.len() as f64) as usize;
                write!(f, "{}", SHADES[shade.min(SHADES.len() - 1)])?;
            }
            writeln!(f)?;
        }
        if !self.points.is_empty() {
            let kinds = self.points.iter().enumerate();
            let names: Vec<String> = kinds
                .map(|(kind, points)| format!("{} {}", MARKS[kind.min(MARKS.len() - 1)], points.name))
                .collect();
            writeln!(f, "{}", names.join("   "))?;
        }
        for cut in &self.cuts {
            let mut line = vec![' '; self.columns.len()];
            for (columns, class, is_right) in &cut.segments {
                let name = match (*is_right, columns.len()) {
                    (true, _) => class.clone(),
                    (false, 0..3) => "×".to_owned(),
                    (false, _) => format!("[{class}]"),
                };
                line[columns.clone()].iter_mut().for_each(|place| *place = '─');
                if columns.len() > 1 {
                    (line[columns.start], line[columns.end - 1]) = ('└', '┘');
                }
                let name: Vec<char> = name.chars().take(columns.len()).collect();
                let first = columns.start + (columns.len() - name.len()) / 2;
                line[first..first + name.len()].copy_from_slice(&name);
            }
            writeln!(f, "{}  {}", line.into_iter().collect::<String>(), cut.name)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_are_below_their_columns() {
        let cut = |name: &str, segments: &[(Range<usize>, &str, bool)]| DrawnCut {
            name: name.to_owned(),
            segments: segments
                .iter()
                .map(|(at, class, right)| (at.clone(), (*class).to_owned(), *right))
                .collect(),
        };
        let image = DrawnImage {
            columns: (0..8).map(|k| vec![f64::from(k % 2), 0.5]).collect(),
            cuts: vec![
                cut("truth", &[(0..5, "A", true), (6..7, "B", true)]),
                cut("found", &[(0..5, "C", false), (6..8, "B", false)]),
            ],
            points: Vec::new(),
        };
        assert_eq!(image.to_string(), " █ █ █ █\n▒▒▒▒▒▒▒▒\n└─A─┘ B   truth\n└[C]┘ ×┘  found\n");
    }

    #[test]
    fn points_are_marked_in_their_pixels() {
        let points = |name: &str, places: &[(f64, f64)]| DrawnPoints {
            name: name.to_owned(),
            places: places.to_vec(),
        };
        let image = DrawnImage {
            columns: vec![vec![1.0; 2]; 3],
            points: vec![
                points("truth", &[(0.4, 0.0), (2.0, 1.0)]),
                points("found", &[(2.2, 0.8), (1.0, 9.0)]),
            ],
            ..DrawnImage::default()
        };
        assert_eq!(image.to_string(), "o██\n██+\no truth   + found\n");
    }
}
