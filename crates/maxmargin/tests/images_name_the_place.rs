//! Promise: images of columns are read with their segments, as one list and one by one, and what does not fit together is an error that
//! names the line, the column and the remedy.

use std::fs;
use std::path::Path;

use maxmargin::data::{ReadOptions, UNKNOWN_LABEL, read_training, read_with};

/// An image of two rows, as text.
fn pgm(columns: &[[u8; 2]]) -> String {
    let row = |row: usize| columns.iter().map(|column| column[row].to_string()).collect::<Vec<_>>().join(" ");
    format!("P2\n{} 2\n255\n{}\n{}\n", columns.len(), row(0), row(1))
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let images = folder.path().join("images");
    fs::create_dir(&images).unwrap();
    fs::write(images.join("five.pgm"), pgm(&[[0, 51], [255, 0], [0, 0], [102, 0], [0, 255]])).unwrap();
    fs::write(images.join("two.pgm"), pgm(&[[255, 255], [0, 0]])).unwrap();
    fs::write(images.join("high.pgm"), "P2 1 3 255 1 2 3").unwrap();
    fs::write(images.join("short.pgm"), "P5 4 2 255\nabc").unwrap();
    folder
}

fn write(folder: &Path, lines: &str) -> Vec<std::path::PathBuf> {
    let list = folder.join("list.txt");
    fs::write(&list, lines).unwrap();
    vec![list]
}

#[test]
fn columns_are_positions() {
    let folder = folder();
    let lines = "# plates\nimages/five.pgm A:2 O:1 B:2\nimages/two.pgm B@1:1 A@2:1\n";
    let (data, names) = read_training(&write(folder.path(), lines), &ReadOptions::default()).unwrap();
    assert_eq!((data.len(), data.features.columns()), (2, 2));
    let tags: Vec<&str> = data.labels.iter().map(|&label| names.labels.name(label)).collect();
    assert_eq!(tags, ["B-A", "I-A", "O", "B-B", "I-B", "B-B", "B-A"]);
    let scaled = |byte: u8| f64::from(byte) * (1.0 / 255.0);
    assert_eq!(data.features.row(0).to_pairs(), [(1, scaled(51))]);
    assert_eq!(data.features.row(3).to_pairs(), [(0, scaled(102))]);
    assert_eq!(data.features.row(5).to_pairs(), [(0, scaled(255)), (1, scaled(255))]);
    assert_eq!(&*data.ids.as_ref().unwrap()[1], "images/two.pgm");

    // To be predicted: a list without segments, or an image itself.
    let bare = write(folder.path(), "images/five.pgm\nimages/two.pgm A:1 C:1\n");
    let (data, unseen) = read_with(&bare, &ReadOptions::default(), &names).unwrap();
    assert_eq!(data.labels_of(0), [UNKNOWN_LABEL; 5]);
    assert_eq!((names.labels.name(data.labels_of(1)[0]), unseen.labels), ("B-A", 1));
    let image = [folder.path().join("images/two.pgm")];
    let (data, _) = read_with(&image, &ReadOptions::default(), &names).unwrap();
    assert_eq!((data.len(), data.labels.len()), (1, 2));
    let error = read_training(&image, &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("without segments"), "{error}");
}

#[test]
fn what_does_not_cover_an_image_is_refused() {
    let folder = folder();
    for (lines, place, parts) in [
        (
            "images/two.pgm A:2\nimages/five.pgm A:2 B:2\n",
            "2:24",
            &["columns 5 to 5 are in no segment", "O:1"][..],
        ),
        ("images/five.pgm A:2 B:4\n", "1:21", &["4 columns, but only 3 of the image's 5"]),
        ("images/five.pgm A@1:2 B@2:4\n", "1:23", &["overlap", "ends with column 2"]),
        ("images/five.pgm A@1:2 B@4:2\n", "1:23", &["columns 3 to 3 are in no segment", "O:1"]),
        ("images/five.pgm A@2:4\n", "1:17", &["columns 1 to 1"]),
        ("images/five.pgm A:2 B\n", "1:21", &["A:8", "A@1:8"]),
        ("images/five.pgm A:0\n", "1:17", &["no segment"]),
        ("images/five.pgm :5\n", "1:17", &["no segment"]),
        ("images/five.pgm A@x:5\n", "1:17", &["no segment"]),
        ("images/five.pgm\n", "1:1", &["has no segments", "A:8"]),
        ("images/none.pgm A:5\n", "1:1", &["images/none.pgm"]),
        ("images/short.pgm A:4\n", "1:1", &["4×2 pixels promised, but there are 3"]),
        ("images/two.pgm A:2\nimages/high.pgm A:1\n", "2:1", &["3 pixels", "one height"]),
    ] {
        let list = write(folder.path(), lines);
        let error = read_training(&list, &ReadOptions::default()).unwrap_err().to_string();
        assert!(error.contains(&format!("list.txt:{place}: ")), "{lines:?} at {place}: {error}");
        parts.iter().for_each(|part| assert!(error.contains(part), "{lines:?}: {error:?} lacks {part:?}"));
    }
}
