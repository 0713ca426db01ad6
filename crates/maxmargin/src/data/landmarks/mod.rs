//! Faces, or anything else with named points in a picture: tables of them, iBUG's `.pts` files, and pictures by themselves.
//!
//! A table has a line for each face: the file of the picture (beside the table, where it is no absolute path), a box around the face, and the
//! points. A picture may have several faces, and a face without a box is all of the picture.
//!
//! ```text
//! file,left,top,width,height,eye_left_x,eye_left_y,mouth_x,mouth_y
//! anna.jpg,40,32,120,120,71.5,80,99,131.5
//! ```
//!
//! Coordinates are pixels, to the right and down; the centre of the first pixel is (0, 0).

mod points;
mod table;

use std::path::{Path, PathBuf};

use super::images::{self, Picture, picture_of, without_place};
use super::number::float;
use super::source::{Line, Source};
use crate::error::{Error, Result};
use crate::shown::{escaped_path, excerpt};

/// A face in a picture.
pub(crate) struct Face<'a> {
    /// The picture's file, as it was named.
    pub(crate) file: &'a str,
    pub(crate) picture: &'a Picture,
    /// The first column and row, and how many there are.
    pub(crate) bounds: [f64; 4],
    /// Its points, in the order of the names; none where one is not known.
    pub(crate) points: Option<Vec<(f64, f64)>>,
}

/// The names of points.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PointNames<'a> {
    /// They are those of the first file; all faces must have all of them.
    Found,
    /// They are known already.
    Known(&'a [&'a str]),
}

/// What is done with a face, given the names of its points; what it refuses is said of the face's place.
pub(super) type Visit<'a> = dyn FnMut(&[&str], Face<'_>) -> std::result::Result<(), String> + 'a;

/// The most points of a face.
const MOST_POINTS: usize = 1000;

/// Shows all faces of some files, and returns the names of their points. What `visit` refuses is said of the face's place.
pub(crate) fn read_faces(
    files: &[PathBuf],
    names: PointNames<'_>,
    visit: &mut Visit<'_>,
) -> Result<Vec<String>> {
    let mut found: Option<Vec<String>> = match names {
        PointNames::Found => None,
        PointNames::Known(names) => Some(names.iter().map(|&name| name.to_owned()).collect()),
    };
    let must_know = matches!(names, PointNames::Found);
    for file in files {
        let mut source = Source::open(file)?;
        read_source(&mut source, &mut found, must_know, visit)?;
    }
    Ok(found.unwrap_or_default())
}

/// Reads one file, whatever it is.
fn read_source(
    source: &mut Source,
    names: &mut Option<Vec<String>>,
    must_know: bool,
    visit: &mut Visit<'_>,
) -> Result<()> {
    source.peek()?;
    if points::recognise(source.peeked()) {
        return points::read(source, names, must_know, visit);
    }
    if !images::is_picture(source.peeked()) {
        return table::read(source, names, must_know, visit);
    }
    if must_know {
        let problem =
            "a picture without points; name a table with its file, a box and the points of each face";
        return Err(source.error(problem));
    }
    let (file, picture) = (source.path().to_string_lossy().into_owned(), picture_of(source)?);
    let bounds = [0.0, 0.0, picture.width as f64, picture.height as f64];
    let face = Face { file: &file, picture: &picture, bounds, points: None };
    visit(&as_str(names), face).map_err(|problem| source.error(problem))
}

fn as_str(names: &Option<Vec<String>>) -> Vec<&str> {
    names.iter().flatten().map(String::as_str).collect()
}

/// The picture of this name, beside a file; what is wrong with it else.
fn open_picture(folder: &Path, name: &str) -> std::result::Result<Picture, String> {
    let file = folder.join(name);
    let opened = Source::open(&file).and_then(|mut source| picture_of(&mut source));
    opened.map_err(|error| format!("the picture {}: {}", excerpt(name), without_place(&error)))
}

/// Refuses names that there are twice, too many, or none, and others than those of the files before.
pub(crate) fn check_names(
    names: &[String],
    known: &mut Option<Vec<String>>,
    must_know: bool,
) -> std::result::Result<(), String> {
    if names.len() > MOST_POINTS {
        return Err(format!("{} points; a face has at most {MOST_POINTS}", names.len()));
    }
    match known {
        None if names.is_empty() => Err("there are no points to learn".to_owned()),
        None => {
            *known = Some(names.to_vec());
            Ok(())
        }
        Some(known) if must_know && known[..] != *names => {
            Err("its points are not those of the first file, by name and in the same order".to_owned())
        }
        Some(_) => Ok(()),
    }
}

/// Refuses points that are not in their picture, with a pixel to spare.
pub(crate) fn check_point(
    name: &str,
    (x, y): (f64, f64),
    picture: &Picture,
) -> std::result::Result<(), String> {
    let is_inside = |place: f64, count: usize| (-1.0..=count as f64).contains(&place);
    match is_inside(x, picture.width) && is_inside(y, picture.height) {
        true => Ok(()),
        false => Err(format!(
            "the point {} at ({x}, {y}) is outside the picture of {}×{} pixels",
            excerpt(name),
            picture.width,
            picture.height
        )),
    }
}

/// Refuses boxes that are empty, or beside their picture.
pub(crate) fn check_bounds(
    [left, top, width, height]: [f64; 4],
    picture: &Picture,
) -> std::result::Result<(), String> {
    let most = 16.0 * picture.width.max(picture.height) as f64;
    let is_there = |first: f64, count: f64, all: usize| first < all as f64 && first + count > 0.0;
    if !(width >= 1.0 && height >= 1.0 && width <= most && height <= most) {
        return Err(format!(
            "a box of {width}×{height} pixels around a face; it has at least one, and no more than the picture needs"
        ));
    }
    match is_there(left, width, picture.width) && is_there(top, height, picture.height) {
        true => Ok(()),
        false => Err(format!(
            "the box at ({left}, {top}) of {width}×{height} pixels is outside the picture of {}×{}",
            picture.width, picture.height
        )),
    }
}

/// The number that is all of `text`, which begins `at` bytes into the line.
fn number(line: &Line<'_>, at: usize, text: &[u8], name: &str) -> Result<f64> {
    let value = float(text).filter(|value| value.is_finite());
    value.ok_or_else(|| {
        let problem = format!("`{}` is no number of pixels for `{}`", excerpt(text), excerpt(name));
        line.error(at + 1, problem)
    })
}

/// The folder that a file's pictures are in.
fn folder_of(source: &Source) -> PathBuf {
    source.path().parent().map(Path::to_owned).unwrap_or_default()
}

/// A problem with a file as a whole, where it names another.
fn beside(source: &Source, file: &Path, problem: &str) -> Error {
    source.error(format!("{}: {problem}", escaped_path(file)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a file says of its faces: names, boxes and points.
    fn faces(name: &str, text: &str, known: Option<&[&str]>) -> std::result::Result<Vec<String>, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let picture = b"P5 8 6 255\n".iter().copied().chain(0..48).collect::<Vec<u8>>();
        std::fs::write(folder.path().join("a.pgm"), &picture).map_err(|error| error.to_string())?;
        std::fs::write(folder.path().join("short.pgm"), &picture[..30]).map_err(|error| error.to_string())?;
        let path = folder.path().join(name);
        std::fs::write(&path, text).map_err(|error| error.to_string())?;
        let mut lines = Vec::new();
        let names = known.map_or(PointNames::Found, PointNames::Known);
        let found = read_faces(&[path], names, &mut |_, face| {
            lines.push(format!("{} {:?} {:?}", face.picture.nearest(1, 0), face.bounds, face.points));
            Ok(())
        });
        let found = found.map_err(|error| error.to_string())?;
        lines.insert(0, found.join(" "));
        Ok(lines)
    }

    #[test]
    fn tables_have_a_face_a_line() {
        let text = "file,left,top,width,height,eye_x,eye_y,mouth_x,mouth_y\na.pgm,1,0,4,4,1.5,2,2,3\n\na.pgm,-1,1,6,6,0,0,7,5\n";
        let found = faces("t.csv", text, None).unwrap();
        assert_eq!(
            found,
            [
                "eye mouth",
                "1 [1.0, 0.0, 4.0, 4.0] Some([(1.5, 2.0), (2.0, 3.0)])",
                "1 [-1.0, 1.0, 6.0, 6.0] Some([(0.0, 0.0), (7.0, 5.0)])"
            ]
        );
        // Other separators and another order; no box, and points that nobody knows.
        let text = "mouth_y;mouth_x;file;nose_x;nose_y\n1;2;a.pgm;;\n;;\"a.pgm\";1;1\n";
        let found = faces("t.csv", text, Some(&["mouth"])).unwrap();
        assert_eq!(found[1..], ["1 [0.0, 0.0, 8.0, 6.0] Some([(2.0, 1.0)])", "1 [0.0, 0.0, 8.0, 6.0] None"]);
        assert_eq!(
            faces("t.csv", "file\na.pgm\n", Some(&["mouth"])).unwrap()[1],
            "1 [0.0, 0.0, 8.0, 6.0] None"
        );
    }

    #[test]
    fn points_have_their_picture_beside_them() {
        let text = "version: 1\nn_points: 2\n{\n2.5 3\n6 5\n}\n";
        let found = faces("a.pts", text, None).unwrap();
        assert_eq!(found, ["1 2", "1 [1.5, 2.0, 3.5, 2.0] Some([(1.5, 2.0), (5.0, 4.0)])"]);
        assert_eq!(faces("a.pts", text, Some(&["1", "2", "3"])).unwrap()[1], "1 [1.5, 2.0, 3.5, 2.0] None");
    }

    #[test]
    fn faults_have_a_place() {
        let header = "file,left,top,width,height,eye_x,eye_y\n";
        for (name, text, known, parts) in [
            ("t.csv", "", false, &["no header"][..]),
            ("t.csv", "left,top\n", false, &[":1", "file"]),
            ("t.csv", "file,eye_x\n", false, &[":1", "eye_y"]),
            ("t.csv", "file,eye_x,eye_x,eye_y\n", false, &[":1", "twice"]),
            ("t.csv", "file,colour\n", false, &[":1", "colour"]),
            ("t.csv", "file,left\n", false, &[":1", "top"]),
            ("t.csv", "file\na.pgm\n", false, &["no points"]),
            ("t.csv", &format!("{header}a.pgm,0,0,4,4,1\n"), false, &[":2", "6 fields", "7"]),
            ("t.csv", &format!("{header}a.pgm,0,0,4,4,1,2,3\n"), false, &[":2", "more than 7"]),
            ("t.csv", &format!("{header}a.pgm,0,0,4,4,,2\n"), false, &[":2", "eye", "missing"]),
            ("t.csv", &format!("{header}a.pgm,0,0,4,4,x,2\n"), false, &[":2", ":2:15"]),
            ("t.csv", &format!("{header}a.pgm,0,0,4,4,nan,2\n"), false, &[":2"]),
            ("t.csv", &format!("{header}a.pgm,0,0,4,4,9,2\n"), false, &[":2", "outside", "8×6"]),
            ("t.csv", &format!("{header}a.pgm,9,0,4,4,1,2\n"), false, &[":2", "box", "outside"]),
            ("t.csv", &format!("{header}a.pgm,0,0,0,4,1,2\n"), false, &[":2", "0×4"]),
            ("t.csv", &format!("{header}a.pgm,0,,4,4,1,2\n"), false, &[":2", "top"]),
            ("t.csv", &format!("{header}short.pgm,0,0,4,4,1,2\n"), false, &[":2", "short.pgm", "promised"]),
            ("t.csv", &format!("{header}none.pgm,0,0,4,4,1,2\n"), false, &[":2", "none.pgm"]),
            ("t.csv", &format!("{header},0,0,4,4,1,2\n"), false, &[":2", "file"]),
            ("t.csv", header, false, &["no faces"]),
            ("a.pts", "version: 1\nn_points: 2\n{\n1 1\n}\n", false, &[":5", "2 points"]),
            ("a.pts", "version: 1\nn_points: 1\n{\n1 1\n2 2\n}\n", false, &[":5", "1 points"]),
            ("a.pts", "version: 1\nn_points: 1\n{\n1\n}\n", false, &[":4"]),
            ("a.pts", "version: 1\nn_points: 1\n{\n1 1\n", false, &["}"]),
            ("a.pts", "version: 1\nn_points: x\n{\n1 1\n}\n", false, &[":2"]),
            ("a.pts", "version: 1\nn_points: 99999999999\n{\n1 1\n}\n", false, &[":2", "1000"]),
            ("a.pts", "version: 1\nn_points: 2\n{\n1 1\n1 30\n}\n", false, &[":5", "outside"]),
            ("b.pts", "version: 1\nn_points: 1\n{\n1 1\n}\n", false, &["b.png", "b.pgm"]),
            ("p.pgm", "P2 1 1 9 5", false, &["without points"]),
            ("p.pgm", "P2 4 1 9 5", true, &["PGM"]),
        ] {
            let error = faces(name, text, known.then_some(&["eye"][..])).unwrap_err();
            assert!(parts.iter().all(|part| error.contains(part)), "{text:?}: {error}");
        }
    }
}
