//! Which pictures a file names: for those who must not replace any of them.

use std::path::{Path, PathBuf};

use super::is_picture;
use crate::data::source::Source;

/// What the files of pictures end with.
const ENDS: [&str; 4] = ["pgm", "png", "jpg", "jpeg"];

/// Whether a file is a picture.
pub fn is_picture_file(path: &Path) -> bool {
    Source::open(path).is_ok_and(|mut source| source.peek().is_ok_and(is_picture))
}

/// The pictures that a list, a table or a file of points may be about: whatever in it is called like one, and what lies under its name
/// beside a file of points.
pub fn pictures_named(path: &Path) -> Vec<PathBuf> {
    if path.extension().is_some_and(|end| end == "pts") {
        return ENDS.iter().map(|end| path.with_extension(end)).collect();
    }
    let (Ok(mut source), false) = (Source::open(path), is_picture_file(path)) else { return Vec::new() };
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut found = Vec::new();
    while let Ok(Some(line)) = source.next_line() {
        let Ok(text) = line.text() else { continue };
        // Names may have spaces where other signs are between fields.
        let fields = text.split(['\t', ',', ';', '"']).chain(text.split_ascii_whitespace());
        let names = fields.map(str::trim).filter(|name| is_called_picture(name));
        found.extend(names.map(|name| folder.join(name)));
    }
    found
}

fn is_called_picture(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, end)| ENDS.iter().any(|other| end.eq_ignore_ascii_case(other)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_tables_and_points_name_pictures() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        let named = |name: &str, text: &str| {
            std::fs::write(place(name), text).unwrap();
            pictures_named(&place(name))
        };
        let list = named("list.txt", "# two\n1.pgm A:8 O:2\nb/2 3.PNG\tB:4\n\nx.txt A:1\n");
        for file in ["1.pgm", "b/2 3.PNG"] {
            assert!(list.contains(&place(file)), "{list:?}");
        }
        assert!(!list.contains(&place("x.txt")));
        assert_eq!(named("table.csv", "file;x\n\"a b.jpg\";3\n")[0], place("a b.jpg"));
        assert!(named("face.pts", "version: 1\n").contains(&place("face.jpeg")));
        assert!(named("p.pgm", "P5 1 1 255\n\0").is_empty() && is_picture_file(&place("p.pgm")));
        assert!(!is_picture_file(&place("list.txt")) && !is_picture_file(&place("none")));
    }
}
