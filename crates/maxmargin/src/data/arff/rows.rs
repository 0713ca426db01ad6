//! The rows of an ARFF file, dense or sparse; all of a file are one or the other.

use super::super::dataset_builder::DatasetBuilder;
use super::super::number::leading_whole;
use super::super::source::{Line, Source};
use super::super::table::Table;
use super::words::{Words, is_blank};
use crate::error::Result;

/// Reads rows to the end of the file.
pub(super) fn read(source: &mut Source, table: &mut Table, data: &mut DatasetBuilder<'_>) -> Result<()> {
    let mut all_dense = None;
    while let Some(line) = source.next_line()? {
        let mut words = Words { line: &line, at: 0 };
        words.skip_blanks();
        if words.is_end() {
            continue;
        }
        table.count_line(&line);
        let dense = !words.take(b'{');
        match all_dense {
            None => table.begin_rows(&line, dense, data)?,
            Some(expected) if expected == dense => {}
            Some(_) => {
                let found = if dense { "a dense row" } else { "a sparse row" };
                return Err(line.error(words.at.max(1), format!("{found}, unlike those before it")));
            }
        }
        all_dense = Some(dense);
        match dense {
            true => dense_row(&mut words, table, data)?,
            false => sparse_row(&mut words, table, data)?,
        }
        let weight = end_of_row(&mut words, table)?;
        table.end_row(weight, data);
    }
    Ok(())
}

/// `value,value,…`; blanks separate as well as commas.
fn dense_row(words: &mut Words<'_, '_>, table: &mut Table, data: &mut DatasetBuilder<'_>) -> Result<()> {
    let line = words.line;
    let columns = table.columns.len();
    for j in 0..columns {
        if j > 0 {
            let before = words.at;
            words.skip_blanks();
            let comma = words.take(b',');
            if !comma && words.at == before && !words.is_end() {
                return Err(line.error(words.at + 1, "expected a comma after a value"));
            }
            words.skip_blanks();
        }
        if words.is_end() || words.peek() == Some(b'{') {
            let problem = format!("the row ends after {j} values, but {columns} attributes are declared");
            return Err(line.error(words.at + 1, problem));
        }
        value(words, j, table, data)?;
    }
    Ok(())
}

/// `index value, index value, … }`, with indices that increase.
fn sparse_row(words: &mut Words<'_, '_>, table: &mut Table, data: &mut DatasetBuilder<'_>) -> Result<()> {
    let line = words.line;
    let columns = table.columns.len();
    let (mut next, mut filled) = (0, 0);
    words.skip_blanks();
    let mut ended = words.take(b'}');
    while !ended {
        words.skip_blanks();
        let start = words.at;
        let Some((index, length)) = leading_whole(words.rest()) else {
            let problem = "expected `index value` pairs with commas between, and a closing brace";
            return Err(line.error(start + 1, problem));
        };
        words.at += length;
        if !words.peek().is_some_and(is_blank) {
            return Err(
                line.error(words.at + 1, format!("expected a blank and a value after the index {index}"))
            );
        }
        let j = match usize::try_from(index) {
            Ok(j) if j < columns => j,
            _ => {
                let problem = format!(
                    "index {index}, but the {columns} attributes are counted from 0 to {}",
                    columns - 1
                );
                return Err(line.error(start + 1, problem));
            }
        };
        if j < next {
            let problem = format!("index {j} after {}: indices must increase along a row", next - 1);
            return Err(line.error(start + 1, problem));
        }
        next = j + 1;
        filled = fill_up(line, filled, j, table, data)?;
        words.skip_blanks();
        value(words, j, table, data)?;
        words.skip_blanks();
        ended = words.take(b'}');
        if !ended && !words.take(b',') {
            return Err(line.error(words.at + 1, "expected a comma or the closing brace of the row"));
        }
    }
    fill_up(line, filled, columns, table, data)?;
    Ok(())
}

/// Adds what a sparse row leaves out before column `end`, from number `filled` of the columns that this concerns.
fn fill_up(
    line: &Line<'_>,
    mut filled: usize,
    end: usize,
    table: &mut Table,
    data: &mut DatasetBuilder<'_>,
) -> Result<usize> {
    while let Some(&j) = table.filled_up.get(filled).filter(|&&j| j < end) {
        table.left_out_cell(line, j, data)?;
        filled += 1;
    }
    // The column at the end is there.
    Ok(filled + usize::from(table.filled_up.get(filled) == Some(&end)))
}

fn value(
    words: &mut Words<'_, '_>,
    j: usize,
    table: &mut Table,
    data: &mut DatasetBuilder<'_>,
) -> Result<()> {
    let line = words.line;
    let word = words.word(|byte| is_blank(byte) || b",{}".contains(&byte))?;
    match &*word.text {
        b"" if !word.quoted => {
            Err(line.error(word.start + 1, "a value is missing; where it is not known, write ?"))
        }
        b"?" if !word.quoted => table.missing_cell(line, word.start, j, data),
        text => table.cell(line, word.start, j, text, data),
    }
}

/// The weight in braces that may follow, and nothing else.
fn end_of_row(words: &mut Words<'_, '_>, table: &Table) -> Result<f64> {
    let line = words.line;
    words.skip_blanks();
    if words.is_end() {
        return Ok(1.0);
    }
    let start = words.at;
    words.take(b',');
    words.skip_blanks();
    if !words.take(b'{') {
        let problem = format!("more text after the {} values of this row", table.columns.len());
        return Err(line.error(start + 1, problem));
    }
    words.skip_blanks();
    let word = words.word(|byte| is_blank(byte) || byte == b'}')?;
    let weight = Table::weight(line, word.start, &word.text)?;
    words.skip_blanks();
    let closed = words.take(b'}');
    words.skip_blanks();
    match closed && words.is_end() {
        true => Ok(weight),
        false => Err(line.error(words.at + 1, "a row ends with its weight in braces, like {0.5}")),
    }
}
