//! Tables of faces: a header that names the columns, and a line for each face.

use std::path::Path;

use super::super::csv::{Records, separator};
use super::super::images::Picture;
use super::super::source::{Line, Source};
use super::{
    Face, MOST_POINTS, Visit, as_str, check_bounds, check_names, check_point, folder_of, number, open_picture,
};
use crate::error::Result;
use crate::shown::excerpt;

/// The columns of the box.
const BOUNDS: [&str; 4] = ["left", "top", "width", "height"];

/// What a column has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    File,
    /// A number of the box.
    Bound(usize),
    /// A coordinate of a point: the first, or the second.
    Point(usize, usize),
}

struct Header {
    roles: Vec<Role>,
    points: Vec<String>,
}

/// Reads a table to its end.
pub(super) fn read(
    source: &mut Source,
    names: &mut Option<Vec<String>>,
    must_know: bool,
    visit: &mut Visit<'_>,
) -> Result<()> {
    let folder = folder_of(source);
    let mut records = Records::new(separator(source.peek()?), 2 * MOST_POINTS + 6);
    let header = loop {
        let Some(record) = records.next(source)? else {
            return Err(source.error(
                "there is no header; it names the columns: file, left, top, width, height, and NAME_x and NAME_y for each point",
            ));
        };
        if record.is_blank() {
            continue;
        }
        let fields = record
            .fields()
            .map(|field| Ok((field.as_ref().map_or(0, |field| field.start), text_of(field?.text))));
        let fields = fields.collect::<Result<Vec<_>>>()?;
        break Header::parse(&record.line, &fields)?;
    };
    records.expect_fields(header.roles.len() + 1);
    check_names(&header.points, names, must_know).map_err(|problem| source.error(problem))?;
    // Where each known point is among those of the header.
    let known = names.as_deref().unwrap_or_default();
    let places: Vec<Option<usize>> =
        known.iter().map(|name| header.points.iter().position(|other| other == name)).collect();
    // The faces of one picture follow each other.
    let mut last: Option<(String, Picture)> = None;
    let mut count = 0usize;
    while let Some(record) = records.next(source)? {
        if record.is_blank() {
            continue;
        }
        let fields = record
            .fields()
            .map(|field| Ok((field.as_ref().map_or(0, |field| field.start), text_of(field?.text))));
        let fields = fields.collect::<Result<Vec<_>>>()?;
        let line = &record.line;
        let row = header.row(line, &fields)?;
        if last.as_ref().is_none_or(|(name, _)| *name != row.file) {
            last = Some((row.file.clone(), picture(line, &folder, &row)?));
        }
        let Some((_, picture)) = &last else { continue };
        let all = [0.0, 0.0, picture.width as f64, picture.height as f64];
        let bounds = row.bounds.unwrap_or(all);
        check_bounds(bounds, picture).map_err(|problem| line.error(row.bounds_at, problem))?;
        for (name, point) in header.points.iter().zip(&row.points) {
            if let Some((at, place)) = point {
                check_point(name, *place, picture).map_err(|problem| line.error(*at, problem))?;
            }
        }
        if must_know && let Some(missing) = row.points.iter().position(Option::is_none) {
            let problem = format!(
                "the point {} is missing; all faces to learn from have all points",
                excerpt(&header.points[missing])
            );
            return Err(line.error(1, problem));
        }
        let point = |place: &Option<usize>| place.and_then(|place| row.points[place]).map(|(_, point)| point);
        let points = places.iter().map(point).collect();
        let face = Face { file: &row.file, picture, bounds, points };
        visit(&as_str(names), face).map_err(|problem| line.error(1, problem))?;
        count += 1;
    }
    match count > 0 || !must_know {
        true => Ok(()),
        false => Err(source.error("there are no faces below the header")),
    }
}

fn text_of(text: std::borrow::Cow<'_, [u8]>) -> Vec<u8> {
    text.into_owned()
}

fn picture(line: &Line<'_>, folder: &Path, row: &Row) -> Result<Picture> {
    open_picture(folder, &row.file).map_err(|problem| line.error(row.file_at, problem))
}

/// What a line says: each number with its column in the line.
struct Row {
    file: String,
    file_at: usize,
    bounds: Option<[f64; 4]>,
    bounds_at: usize,
    points: Vec<Option<(usize, (f64, f64))>>,
}

impl Header {
    fn parse(line: &Line<'_>, fields: &[(usize, Vec<u8>)]) -> Result<Self> {
        let expected =
            "a header names the columns file, left, top, width, height, and NAME_x and NAME_y for each point";
        let (mut roles, mut points) = (Vec::new(), Vec::<String>::new());
        for (at, name) in fields {
            let refuse = |problem: String| Err(line.error(at + 1, problem));
            let Ok(name) = std::str::from_utf8(name) else {
                return refuse("the name of the column is not UTF-8".to_owned());
            };
            let coordinate = name.strip_suffix("_x").map(|point| (point, 0));
            let coordinate = coordinate.or_else(|| name.strip_suffix("_y").map(|point| (point, 1)));
            let role = match (BOUNDS.iter().position(|bound| *bound == name), coordinate) {
                _ if name == "file" => Role::File,
                (Some(bound), _) => Role::Bound(bound),
                (None, Some((point, axis))) if !point.is_empty() => {
                    let known = points.iter().position(|other| other == point);
                    let place = known.unwrap_or_else(|| {
                        points.push(point.to_owned());
                        points.len() - 1
                    });
                    Role::Point(place, axis)
                }
                _ => return refuse(format!("the column `{}` is not known; {expected}", excerpt(name))),
            };
            if roles.contains(&role) {
                return refuse(format!("the column `{}` is there twice", excerpt(name)));
            }
            roles.push(role);
        }
        let has = |role: Role| roles.contains(&role);
        if !has(Role::File) {
            return Err(line.error(1, format!("there is no column `file`; {expected}")));
        }
        if (0..4).any(|bound| has(Role::Bound(bound)))
            && let Some(missing) = (0..4).find(|&bound| !has(Role::Bound(bound)))
        {
            return Err(line.error(1, format!("the column `{}` of the box is missing", BOUNDS[missing])));
        }
        let lacks = |point: usize| (0..2).find(|&axis| !has(Role::Point(point, axis)));
        if let Some((point, axis)) = (0..points.len()).find_map(|point| Some((point, lacks(point)?))) {
            let problem = format!("the column `{}_{}` is missing", excerpt(&points[point]), ["x", "y"][axis]);
            return Err(line.error(1, problem));
        }
        Ok(Self { roles, points })
    }

    fn row(&self, line: &Line<'_>, fields: &[(usize, Vec<u8>)]) -> Result<Row> {
        let expected = self.roles.len();
        if fields.len() != expected {
            let found = if fields.len() > expected {
                format!("more than {expected}")
            } else {
                fields.len().to_string()
            };
            return Err(line.error(1, format!("{found} fields, but the header has {expected}")));
        }
        let mut row = Row {
            file: String::new(),
            file_at: 1,
            bounds: None,
            bounds_at: 1,
            points: vec![None; self.points.len()],
        };
        let mut coordinates = vec![[None; 2]; self.points.len()];
        for (role, (at, text)) in self.roles.iter().zip(fields) {
            match *role {
                Role::File => {
                    let name = std::str::from_utf8(text).ok().filter(|name| !name.is_empty());
                    let problem = "the column `file` names no picture";
                    name.ok_or_else(|| line.error(at + 1, problem))?.clone_into(&mut row.file);
                    row.file_at = at + 1;
                }
                Role::Bound(bound) => {
                    row.bounds_at = if bound == 0 { at + 1 } else { row.bounds_at };
                    if text.is_empty() {
                        return Err(line.error(at + 1, format!("`{}` of the box is missing", BOUNDS[bound])));
                    }
                    row.bounds.get_or_insert([0.0; 4])[bound] = number(line, *at, text, BOUNDS[bound])?;
                }
                Role::Point(_, _) if text.is_empty() => {}
                Role::Point(point, axis) => {
                    coordinates[point][axis] = Some((at + 1, number(line, *at, text, &self.points[point])?));
                }
            }
        }
        let both = |[x, y]: &[Option<(usize, f64)>; 2]| match (x, y) {
            (Some((at, x)), Some((_, y))) => Some((*at, (*x, *y))),
            _ => None,
        };
        row.points = coordinates.iter().map(both).collect();
        Ok(row)
    }
}
