//! Tables with commas, semicolons or tabs between their fields, and a header line that names the columns.
//!
//! The separator is what the header has most of. A field may stand in double quotes, within which a quote is written
//! twice, and may then hold separators and line breaks. Features are numbers; a field that is empty, `?`, `NA` or `nan` is missing. Where rows have
//! sets of labels, label columns hold 0 or 1; where they have one label, the label column holds any text. The module `table`
//! says which columns are labels.
//!
//! ```text
//! tempo;loudness;happy;calm
//! 121.5;0.3;1;0
//! 60;0.1;0;1
//! ```

mod fields;
mod records;

use fields::separator;
pub(super) use records::RecordEnds;
use records::{Record, Records};

use super::dataset_builder::DatasetBuilder;
use super::reader::ReadOptions;
use super::source::Source;
use super::table::{Column, Kind, LabelChoice, MOST_COLUMNS, Table, choose_labels};
use crate::error::Result;
use crate::shown::excerpt;

/// Reads a file to its end.
pub(crate) fn read(source: &mut Source, options: &ReadOptions, data: &mut DatasetBuilder<'_>) -> Result<()> {
    // One field more than there may be shows that there are too many.
    let mut records = Records::new(separator(source.peek()?), MOST_COLUMNS + 1);
    let columns = header(source, &mut records)?;
    records.expect_fields(columns.len() + 1);
    let choice = LabelChoice { options, counted: None, has_conventions: false };
    let labels = choose_labels(source, &columns, choice, data)?;
    let mut table = Table::new(source, columns, &labels, options.missing, data)?;
    let class = labels.first().copied().filter(|_| !data.label_sets());
    let mut begun = false;
    while let Some(record) = records.next(source)? {
        if record.is_blank() {
            continue;
        }
        table.count_line(&record.line);
        if !begun {
            table.begin_rows(&record.line, true, data)?;
            begun = true;
        }
        row(&record, class, &mut table, data)?;
        table.end_row(1.0, data);
    }
    Ok(())
}

fn row(
    record: &Record<'_>,
    class: Option<usize>,
    table: &mut Table,
    data: &mut DatasetBuilder<'_>,
) -> Result<()> {
    let line = &record.line;
    let columns = table.columns.len();
    let mut found = 0;
    for field in record.fields() {
        let field = field?;
        if found == columns {
            let problem = format!(
                "more fields than the {columns} that the header names; quote fields that hold the separator"
            );
            return Err(line.error(field.start + 1, problem));
        }
        match is_missing(&field.text, class == Some(found)) {
            true => table.missing_cell(line, field.start, found, data)?,
            false => table.cell(line, field.start, found, &field.text, data)?,
        }
        found += 1;
    }
    match found == columns {
        true => Ok(()),
        false => {
            let problem = format!("{found} fields, but the header names {columns}");
            Err(line.error(line.bytes.len() + 1, problem))
        }
    }
}

/// Whether a field has no value. A class may be called anything.
fn is_missing(text: &[u8], class: bool) -> bool {
    match text {
        b"" => true,
        b"?" | b"NA" => !class,
        _ => !class && text.eq_ignore_ascii_case(b"nan"),
    }
}

/// The columns that the first record names.
fn header(source: &mut Source, records: &mut Records) -> Result<Vec<Column>> {
    while let Some(record) = records.next(source)? {
        if record.is_blank() {
            continue;
        }
        let line = record.line;
        let mut columns = Vec::new();
        for field in record.fields() {
            let field = field?;
            let name = String::from_utf8(field.text.into_owned()).map_err(|_| {
                line.error(
                    field.start + 1,
                    "this is not UTF-8 text; convert the file, for example with iconv",
                )
            })?;
            if name.is_empty() {
                let problem = format!("column {} has no name; name it, or remove it", columns.len() + 1);
                return Err(line.error(field.start + 1, problem));
            }
            if name.contains(['\n', '\r']) {
                return Err(line.error(field.start + 1, "a line break in the name of a column"));
            }
            let place = (line.number, field.start + 1);
            Column { name, kind: Kind::Any, place }.add_to(&mut columns, &line)?;
        }
        if let [column] = &columns[..] {
            let problem = format!(
                "only one column, `{}`: the header must name several, with commas, semicolons or tabs between",
                excerpt(&column.name)
            );
            return Err(line.error(0, problem));
        }
        return Ok(columns);
    }
    Err(source.error("the file is empty"))
}

#[cfg(test)]
mod tests {
    use super::super::dataset::{Dataset, Vocabulary};
    use super::super::reader::Missing;
    use super::*;

    fn parse(text: &'static str, labels: &[&str], sets: bool) -> Result<(Dataset, Vocabulary)> {
        let mut data = DatasetBuilder::growing(true).with_label_sets(sets);
        let label_columns = labels.iter().map(|&label| label.to_owned()).collect();
        let options = ReadOptions { label_columns, missing: Missing::Keep, ..ReadOptions::default() };
        read(&mut Source::from_reader("test", text.as_bytes())?, &options, &mut data)?;
        let (data, vocabulary, _) = data.finish();
        Ok((data, vocabulary.unwrap()))
    }

    #[test]
    fn separators_and_quotes() {
        for text in [
            "a,\"b \"\"x\"\"\",happy,calm\n1,2.5,1,0\n\n-1,\"4\",true,1\n",
            "\u{feff}a;\"b \"\"x\"\"\";happy;calm\r\n1;2.5;1;0\r\n-1; 4 ;1.0;1",
            "a\t\"b \"\"x\"\"\"\thappy\tcalm\n1\t2.5\t1\t0\n-1\t4\tTRUE\t1\n",
        ] {
            let (data, names) = parse(text, &["happy", "calm"], true).unwrap();
            assert!(names.labels.iter().eq(["calm", "happy"]));
            assert_eq!((data.labels.as_slice(), &data.sets), (&[1, 0, 1][..], &Some(vec![0, 1, 3])));
            assert_eq!(data.features.row(0).to_pairs(), [(0, 1.0), (1, 2.5)]);
            assert_eq!(data.features.row(1).to_pairs(), [(0, -1.0), (1, 4.0)]);
            let super::super::Attributes::Named(names) = names.attributes else { panic!("names") };
            assert!(names.iter().eq(["a", "b \"x\""]));
        }
    }

    #[test]
    fn one_label_column_is_the_class() {
        let (data, names) = parse("x,country\n1,NA\n2,de\n", &["country"], false).unwrap();
        assert!(names.labels.iter().eq(["NA", "de"]));
        assert_eq!((data.labels.as_slice(), data.sets), (&[0, 1][..], None));
        assert!(parse("x,country\n1,\n", &["country"], false).is_err());
    }

    #[test]
    fn missing_values_are_kept_when_asked() {
        let (data, _) = parse("a,b,c,d,l\n,?,NA,NaN,1\n1,2,3,4,0\n", &["l"], true).unwrap();
        assert!(data.features.row(0).to_pairs().iter().all(|(_, value)| value.is_nan()));
        assert_eq!(data.features.row(1).to_pairs(), [(0, 1.0), (1, 2.0), (2, 3.0), (3, 4.0)]);
    }
}
