//! The letters as they would be printed: 6 columns wide and 12 rows high, of which 3 are for what rises above the small
//! letters (`b`, `l`) and 3 for what hangs below the line (`p`, `y`).

use super::{COLUMNS, Image, ROWS};

/// The size of a drawing in [`SHEETS`].
const WIDTH: usize = 6;
const HEIGHT: usize = 12;

/// The drawings, from `a` on, side by side and with two blanks between them.
const SHEETS: [&str; 4] = [
    "
......  #.....  ......  .....#  ......  ..###.  ......
......  #.....  ......  .....#  ......  .#....  ......
......  #.....  ......  .....#  ......  .#....  ......
.####.  #.###.  ..###.  .###.#  .####.  ####..  .###.#
.....#  ##...#  .#...#  #...##  #....#  .#....  #...##
.#####  #....#  #.....  #....#  ######  .#....  #....#
#....#  #....#  #.....  #....#  #.....  .#....  #....#
#...##  ##...#  .#...#  #...##  #....#  .#....  #...##
.###.#  #.###.  ..###.  .###.#  .####.  .#....  .###.#
......  ......  ......  ......  ......  ......  .....#
......  ......  ......  ......  ......  ......  #....#
......  ......  ......  ......  ......  ......  .####.
",
    "
#.....  ......  ......  #.....  .##...  ......  ......
#.....  ..#...  ....#.  #.....  ..#...  ......  ......
#.....  ......  ......  #.....  ..#...  ......  ......
#.###.  .##...  ...##.  #...#.  ..#...  ##.#..  #.###.
##...#  ..#...  ....#.  #..#..  ..#...  #.#.#.  ##...#
#....#  ..#...  ....#.  ###...  ..#...  #.#.#.  #....#
#....#  ..#...  ....#.  #..#..  ..#...  #.#.#.  #....#
#....#  ..#...  ....#.  #...#.  ..#...  #.#.#.  #....#
#....#  .####.  ....#.  #....#  .####.  #.#.#.  #....#
......  ......  ....#.  ......  ......  ......  ......
......  ......  #...#.  ......  ......  ......  ......
......  ......  .###..  ......  ......  ......  ......
",
    "
......  ......  ......  ......  ......  ......  ......
......  ......  ......  ......  ......  .#....  ......
......  ......  ......  ......  ......  .#....  ......
.####.  #.###.  .###.#  #.###.  .####.  ####..  #....#
#....#  ##...#  #...##  ##...#  #....#  .#....  #....#
#....#  #....#  #....#  #.....  .##...  .#....  #....#
#....#  #....#  #....#  #.....  ...##.  .#....  #....#
#....#  ##...#  #...##  #.....  #....#  .#..#.  #...##
.####.  #.###.  .###.#  #.....  .####.  ..##..  .###.#
......  #.....  .....#  ......  ......  ......  ......
......  #.....  .....#  ......  ......  ......  ......
......  #.....  .....#  ......  ......  ......  ......
",
    "
......  ......  ......  ......  ......
......  ......  ......  ......  ......
......  ......  ......  ......  ......
#....#  #...#.  #....#  #....#  ######
#....#  #...#.  .#..#.  #....#  ....#.
.#..#.  #.#.#.  ..##..  #....#  ...#..
.#..#.  #.#.#.  ..##..  #....#  ..#...
..##..  #.#.#.  .#..#.  #...##  .#....
..##..  .#.#..  #....#  .###.#  ######
......  ......  ......  .....#  ......
......  ......  ......  #....#  ......
......  ......  ......  .####.  ......
",
];

/// The clean images of `a` to `z`, each in the middle of its canvas.
pub(super) fn letters() -> Vec<Image> {
    SHEETS.iter().flat_map(|sheet| cut(sheet)).collect()
}

/// The images on one sheet.
fn cut(sheet: &str) -> Vec<Image> {
    let lines: Vec<&[u8]> = sheet.trim().lines().map(str::as_bytes).collect();
    let columns = (0..lines[0].len()).step_by(WIDTH + 2);
    columns
        .map(|left| {
            let mut image = [0; ROWS];
            for (row, line) in lines.iter().enumerate() {
                let ink = line[left..left + WIDTH].iter().fold(0, |ink, &c| ink << 1 | u8::from(c == b'#'));
                image[row + (ROWS - HEIGHT) / 2] = ink << ((COLUMNS - WIDTH) / 2);
            }
            image
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_26_letters_and_no_two_look_alike() {
        let letters = letters();
        assert_eq!(letters.len(), 26);
        for (i, a) in letters.iter().enumerate() {
            for (j, b) in letters.iter().enumerate().skip(i + 1) {
                let apart: u32 = a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum();
                assert!(apart >= 3, "letters {i} and {j} differ in {apart} pixels only");
            }
        }
    }

    #[test]
    fn sheets_are_whole() {
        for sheet in SHEETS {
            let lines: Vec<&str> = sheet.trim().lines().collect();
            assert_eq!(lines.len(), HEIGHT, "{sheet}");
            assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{sheet}");
        }
    }
}
