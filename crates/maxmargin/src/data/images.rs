//! Images whose columns are the positions of a sequence, and the segments that they are cut into.
//!
//! A list has a line for each image: its file (beside the list, where it is no absolute path), then its segments from left to right, each with its class and its
//! number of columns. A segment may say where it begins, from 1. `O` is what is in no segment. A picture itself is an image without segments, to be predicted.
//!
//! ```text
//! # two plates
//! plates/1.pgm Z:8 O:2 G:9 1:6
//! plates/2.png Z@1:8 G@9:9
//! ```
//!
//! Images are grey, PGM, PNG or JPEG, and all of one height: a pixel is a feature of its column, worth `byte / 255`. Segments become tags of columns in the scheme IOB2.

mod named;
mod picture;

use std::path::Path;

pub use named::{is_picture_file, pictures_named};
pub use picture::Picture;

use super::OUTSIDE;
use super::dataset_builder::DatasetBuilder;
use super::source::{Line, Source};
use crate::error::{Error, Result};
use crate::shown::{escaped_path, excerpt};

/// The file of an image has at most so many bytes.
const LARGEST_FILE: u64 = 1 << 28;

/// Whether a file that begins with these bytes is of this format.
pub(super) fn recognise(start: &[u8]) -> bool {
    let mut lines = start.split(|&byte| byte == b'\n');
    let first = lines.find(|line| !line.trim_ascii().is_empty() && !line.starts_with(b"#"));
    is_picture(start) || first.is_some_and(names_an_image)
}

/// Whether a file that begins with these bytes is an image itself.
pub(super) fn is_picture(start: &[u8]) -> bool {
    picture::recognise(start)
}

fn names_an_image(line: &[u8]) -> bool {
    let tabs = line.contains(&b'\t');
    let name = line.split(|&byte| separates(tabs, byte)).next().unwrap_or_default();
    let is_called =
        |end: &[u8]| name.len() > end.len() && name[name.len() - end.len()..].eq_ignore_ascii_case(end);
    [&b".pgm"[..], b".png", b".jpg", b".jpeg"].into_iter().any(is_called)
}

/// Tabs are between fields where there are any, so that names of files may have spaces.
fn separates(tabs: bool, byte: u8) -> bool {
    if tabs { byte == b'\t' } else { byte.is_ascii_whitespace() }
}

/// Reads a list, or one image, to its end.
pub(crate) fn read(source: &mut Source, data: &mut DatasetBuilder<'_>) -> Result<()> {
    data.set_chains();
    source.peek()?;
    if is_picture(source.peeked()) {
        if data.needs_labels() {
            let problem = "an image without segments; name a list of images, with a line such as `1.pgm A:8 O:2 B:9` for each";
            return Err(source.error(problem));
        }
        let (picture, name) = (picture_of(source)?, source.path().to_string_lossy().into_owned());
        add_pixels(&picture, data).map_err(|problem| source.error(problem))?;
        (0..picture.width).for_each(|_| data.no_label());
        data.id(&name);
        data.end_example(1.0, None);
        return Ok(());
    }
    let folder = source.path().parent().map(Path::to_owned).unwrap_or_default();
    while let Some(line) = source.next_line()? {
        let text = line.text()?;
        if text.trim_ascii().is_empty() || text.starts_with('#') {
            continue;
        }
        let fields = fields(text);
        let Some(&(at, name)) = fields.first() else { continue };
        let file = folder.join(name);
        let picture = Source::open(&file).and_then(|mut image| picture_of(&mut image)).map_err(|error| {
            line.error(at + 1, format!("the image {}: {}", excerpt(name), without_place(&error)))
        })?;
        add_pixels(&picture, data)
            .map_err(|problem| line.error(at + 1, format!("{}: {problem}", escaped_path(&file))))?;
        match fields.len() {
            1 if data.needs_labels() => {
                let problem = format!(
                    "{} has no segments; write the class and the width of each behind it, such as A:8 O:2 B:9",
                    excerpt(name)
                );
                return Err(line.error(at + 1, problem));
            }
            1 => (0..picture.width).for_each(|_| data.no_label()),
            _ => add_segments(&line, &fields[1..], picture.width, data)?,
        }
        data.id(name);
        data.end_example(1.0, None);
    }
    Ok(())
}

/// What an error says, without the place that is said already.
pub(super) fn without_place(error: &Error) -> String {
    match error {
        Error::Data { problem, .. } => problem.clone(),
        Error::Io { source, .. } => source.to_string(),
        error => error.to_string(),
    }
}

pub(super) fn picture_of(source: &mut Source) -> Result<Picture> {
    let mut bytes = Vec::new();
    if source.read_bytes(LARGEST_FILE + 1, &mut bytes)? > LARGEST_FILE {
        return Err(source.error("more than 256 MiB for one image"));
    }
    Picture::parse(&bytes).map_err(|problem| source.error(problem))
}

/// Each column is a row of features.
fn add_pixels(picture: &Picture, data: &mut DatasetBuilder<'_>) -> std::result::Result<(), String> {
    data.set_columns(picture.height)
        .map_err(|problem| format!("a column of {problem}; all images have one height: scale them to it"))?;
    let pixels = data.images();
    (0..picture.width).for_each(|column| pixels.extend(picture.column(column)));
    Ok(())
}

/// The fields of a line and where each begins.
fn fields(text: &str) -> Vec<(usize, &str)> {
    let tabs = text.contains('\t');
    let fields = text.split(|letter: char| letter.is_ascii() && separates(tabs, letter as u8));
    let placed = fields.map(|field| (field.as_ptr() as usize - text.as_ptr() as usize, field.trim_ascii()));
    placed.filter(|(_, field)| !field.is_empty()).collect()
}

/// Labels the columns of an image by its segments, which must cover it from the first column to the last.
fn add_segments(
    line: &Line<'_>,
    segments: &[(usize, &str)],
    columns: usize,
    data: &mut DatasetBuilder<'_>,
) -> Result<()> {
    // The first column that is in no segment yet.
    let mut next = 1;
    let mut name = String::new();
    for &(at, text) in segments {
        let refuse = |problem: String| Err(line.error(at + 1, format!("`{}`: {problem}", excerpt(text))));
        let Some((class, first, width)) = parse(text) else {
            return refuse(
                "no segment; write its class and its number of columns, A:8, or where it begins as well, A@1:8".to_owned(),
            );
        };
        match first.unwrap_or(next) {
            first if first < next => {
                return refuse(format!("segments overlap: the one before ends with column {}", next - 1));
            }
            first if first > next => {
                let gap = first - next;
                return refuse(format!(
                    "the columns {next} to {} are in no segment; write O:{gap} where nothing is",
                    first - 1
                ));
            }
            _ => {}
        }
        if width > columns + 1 - next {
            let left = columns + 1 - next;
            return refuse(format!("{width} columns, but only {left} of the image's {columns} are left"));
        }
        for column in 0..width {
            name.clear();
            match class {
                OUTSIDE => name.push_str(OUTSIDE),
                _ => {
                    name.push_str(if column == 0 { "B-" } else { "I-" });
                    name.push_str(class);
                }
            }
            data.label(&name);
        }
        next += width;
    }
    if next <= columns {
        let at = segments.last().map_or(0, |(at, text)| at + text.len());
        let (gap, end) = (columns + 1 - next, columns);
        let problem =
            format!("the columns {next} to {end} are in no segment; write O:{gap} where nothing is");
        return Err(line.error(at + 1, problem));
    }
    Ok(())
}

/// A segment: its class, where it begins if it says so, and its width.
fn parse(text: &str) -> Option<(&str, Option<usize>, usize)> {
    let (class, width) = text.rsplit_once(':')?;
    let width = width.parse().ok().filter(|&width: &usize| width > 0)?;
    let (class, first) = match class.rsplit_once('@') {
        Some((before, first)) if !before.is_empty() => (before, Some(first.parse().ok()?)),
        _ => (class, None),
    };
    (!class.is_empty()).then_some((class, first, width))
}
