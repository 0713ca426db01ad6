//! An image of columns and the segments that it is cut into: as text for a terminal, or for whoever makes pictures.

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
}

/// The segments of an image.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DrawnCut {
    /// Whose they are.
    pub name: String,
    /// The columns of each, its class, and whether it is right; what is in no segment is left out.
    pub segments: Vec<(Range<usize>, String, bool)>,
}

/// Each segment is a bracket below its columns, with its class in it: `└─A─┘`. Where it is wrong, that is in brackets, `└[A]┘`, or `×` where there is no room for them.
impl fmt::Display for DrawnImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let height = self.columns.iter().map(Vec::len).max().unwrap_or(0);
        for row in 0..height {
            for column in &self.columns {
                let pixel = column.get(row).copied().unwrap_or(0.0).clamp(0.0, 1.0);
                let shade = (pixel * SHADES.len() as f64) as usize;
                write!(f, "{}", SHADES[shade.min(SHADES.len() - 1)])?;
            }
            writeln!(f)?;
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
        };
        assert_eq!(image.to_string(), " █ █ █ █\n▒▒▒▒▒▒▒▒\n└─A─┘ B   truth\n└[C]┘ ×┘  found\n");
    }
}
