//! iBUG's `.pts` files: the points of one face, whose picture lies beside the file under the same name.
//!
//! ```text
//! version: 1
//! n_points: 2
//! {
//! 71.5 80
//! 99 131.5
//! }
//! ```
//!
//! Points have no names: they are called by their numbers, from 1. There the first pixel is (1, 1). The box is that of the points, as is
//! usual for these files where no detector has found one.

use std::path::Path;

use super::super::number::whole;
use super::super::source::Source;
use super::{
    Face, MOST_POINTS, Visit, as_str, beside, check_names, check_point, folder_of, number, open_picture,
};
use crate::error::Result;
use crate::shown::excerpt;

/// What a picture may end with.
const ENDS: [&str; 4] = ["png", "jpg", "jpeg", "pgm"];

/// Whether a file that begins with these bytes has points.
pub(super) fn recognise(start: &[u8]) -> bool {
    start.trim_ascii_start().starts_with(b"version:")
}

/// Reads the points of one face.
pub(super) fn read(
    source: &mut Source,
    names: &mut Option<Vec<String>>,
    must_know: bool,
    visit: &mut Visit<'_>,
) -> Result<()> {
    let path = source.path().to_owned();
    let folder = folder_of(source);
    let file = ENDS.iter().map(|end| path.with_extension(end)).find(|file| file.exists());
    let Some(file) = file else {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let tried: Vec<String> = ENDS.iter().map(|end| format!("{stem}.{end}")).collect();
        let problem = format!("there is no picture beside it; looked for {}", excerpt(&tried.join(", ")));
        return Err(source.error(problem));
    };
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let picture =
        open_picture(&folder, &name).map_err(|problem| beside(source, Path::new(&name), &problem))?;
    let (mut promised, mut is_open, mut points) = (None, false, Vec::new());
    let mut is_closed = false;
    while let Some(line) = source.next_line()? {
        let text = line.bytes.trim_ascii();
        match text {
            b"" => {}
            _ if is_closed => return Err(line.error(1, "more text behind the }")),
            b"{" if !is_open => {
                if promised.is_none() {
                    return Err(line.error(1, "`n_points: N` is missing before the {"));
                }
                is_open = true;
            }
            b"}" if is_open => {
                if promised != Some(points.len()) {
                    let problem = format!(
                        "n_points promises {} points, and there are {}",
                        shown(promised),
                        points.len()
                    );
                    return Err(line.error(1, problem));
                }
                is_closed = true;
            }
            _ if !is_open => {
                let Some((key, value)) = line.text()?.split_once(':') else {
                    return Err(line.error(1, "expected `version: 1`, `n_points: N` or {"));
                };
                if key.trim() == "n_points" {
                    let count = whole(value.trim().as_bytes())
                        .filter(|count| (1..=MOST_POINTS as u64).contains(count));
                    let problem = format!("n_points is a whole number from 1 to {MOST_POINTS}");
                    promised = Some(count.ok_or_else(|| line.error(1, problem))? as usize);
                }
            }
            _ => {
                if promised == Some(points.len()) {
                    let problem =
                        format!("a line more than the {} points that n_points promises", shown(promised));
                    return Err(line.error(1, problem));
                }
                let text = line.text()?;
                let fields: Vec<&str> = text.split_ascii_whitespace().collect();
                let &[x, y] = &fields[..] else {
                    return Err(line.error(1, "a point is two numbers with a space between, x and y"));
                };
                let coordinate = |field: &str, name: &str| {
                    number(&line, field.as_ptr() as usize - text.as_ptr() as usize, field.as_bytes(), name)
                };
                let point = (coordinate(x, "x")? - 1.0, coordinate(y, "y")? - 1.0);
                check_point(&(points.len() + 1).to_string(), point, &picture)
                    .map_err(|problem| line.error(1, problem))?;
                points.push(point);
            }
        }
    }
    if !is_closed {
        return Err(source.error("the points end without a }"));
    }
    let own: Vec<String> = (1..=points.len()).map(|number| number.to_string()).collect();
    check_names(&own, names, must_know).map_err(|problem| source.error(problem))?;
    let bounds = around(&points);
    let is_known = names.as_deref() == Some(&own[..]);
    let face = Face { file: &name, picture: &picture, bounds, points: is_known.then_some(points) };
    visit(&as_str(names), face).map_err(|problem| source.error(problem))
}

fn shown(promised: Option<usize>) -> usize {
    promised.unwrap_or_default()
}

/// The box of some points, no smaller than a pixel.
fn around(points: &[(f64, f64)]) -> [f64; 4] {
    let span = |of: fn(&(f64, f64)) -> f64| {
        let least = points.iter().map(of).fold(f64::INFINITY, f64::min);
        let most = points.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
        (least, (most - least).max(1.0))
    };
    let ((left, width), (top, height)) = (span(|point| point.0), span(|point| point.1));
    [left, top, width, height]
}
