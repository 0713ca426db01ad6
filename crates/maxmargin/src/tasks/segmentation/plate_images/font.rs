//! The characters as they would be printed: seven rows high, and each as wide as it is.

/// The number of rows.
pub(super) const HEIGHT: usize = 7;

/// Their names, sheet by sheet.
const NAMES: [&str; 3] = ["01234567", "89ACEFHK", "LMPTUXYZ"];

/// The drawings, side by side with two blanks between them.
const SHEETS: [&str; 3] = [
    "
.###.  .##  .###.  ####.  ...#.  #####  .###.  #####
#...#  ###  #...#  ....#  ..##.  #....  #....  ....#
#...#  .##  ....#  ....#  .#.#.  #....  #....  ...#.
#...#  .##  ...#.  .###.  #..#.  ####.  ####.  ..#..
#...#  .##  ..#..  ....#  #####  ....#  #...#  ..#..
#...#  .##  .#...  ....#  ...#.  ....#  #...#  .#...
.###.  .##  #####  ####.  ...#.  ####.  .###.  .#...
",
    "
.###.  .###.  ...#...  .###.  #####  ####  #...#  #...#
#...#  #...#  ..#.#..  #...#  #....  #...  #...#  #..#.
#...#  #...#  ..#.#..  #....  #....  #...  #...#  #.#..
.###.  .####  .#...#.  #....  ####.  ###.  #####  ##...
#...#  ....#  .#####.  #....  #....  #...  #...#  #.#..
#...#  ....#  #.....#  #...#  #....  #...  #...#  #..#.
.###.  .###.  #.....#  .###.  #####  #...  #...#  #...#
",
    "
#...  #.....#  ####.  #####  #...#  #...#  #...#  ######
#...  ##...##  #...#  ..#..  #...#  #...#  #...#  ....#.
#...  #.#.#.#  #...#  ..#..  #...#  .#.#.  .#.#.  ...#..
#...  #..#..#  ####.  ..#..  #...#  ..#..  ..#..  ..#...
#...  #.....#  #....  ..#..  #...#  .#.#.  ..#..  .#....
#...  #.....#  #....  ..#..  #...#  #...#  ..#..  #.....
####  #.....#  #....  ..#..  .###.  #...#  ..#..  ######
",
];

/// A character: its name, and its columns from left to right, each from top to bottom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Glyph {
    pub(super) name: char,
    pub(super) columns: Vec<[bool; HEIGHT]>,
}

/// All of them, digits first.
pub(super) fn glyphs() -> Vec<Glyph> {
    let of_sheet = |(names, sheet): (&&str, &&str)| {
        let rows: Vec<Vec<&str>> = sheet.trim().lines().map(|row| row.split_whitespace().collect()).collect();
        let glyph = |(number, name): (usize, char)| {
            let is_inked = |row: usize, column: usize| rows[row][number].as_bytes()[column] == b'#';
            let column = |column: usize| std::array::from_fn(|row| is_inked(row, column));
            Glyph { name, columns: (0..rows[0][number].len()).map(column).collect() }
        };
        names.chars().enumerate().map(glyph).collect::<Vec<_>>()
    };
    NAMES.iter().zip(&SHEETS).flat_map(of_sheet).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_drawn_in_its_own_way() {
        let glyphs = glyphs();
        assert_eq!(glyphs.len(), 24);
        assert!(glyphs[..10].iter().all(|glyph| glyph.name.is_ascii_digit()));
        for (i, glyph) in glyphs.iter().enumerate() {
            assert!((3..=7).contains(&glyph.columns.len()), "{}", glyph.name);
            assert!(glyphs[..i].iter().all(|other| other.columns != glyph.columns), "{}", glyph.name);
        }
    }
}
