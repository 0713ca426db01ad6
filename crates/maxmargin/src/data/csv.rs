//! Tables with commas, semicolons or tabs between their fields, and a header line that names the columns.
//!
//! The separator is what the header has most of. A field may stand in double quotes, within which a quote is written
//! twice, and may then hold separators and line breaks. Features are numbers or text; a field that is empty, `?`, `NA` or `nan` is
//! missing. Where rows have sets of labels, label columns hold 0 or 1; where they have one label, the label column holds any text. The module `table`
//! says which columns are labels.
//!
//! ```text
//! tempo;loudness;happy;calm
//! 121.5;0.3;1;0
//! 60;0.1;0;1
//! ```

mod fields;
mod kinds;
mod records;

pub(super) use fields::closing_quote;
pub(super) use fields::separator;
use records::Record;
pub(super) use records::{RecordEnds, Records};

use super::dataset_builder::DatasetBuilder;
use super::reader::ReadOptions;
use super::source::Source;
use super::table::{Column, Kind, LabelChoice, MOST_COLUMNS, Table, choose_labels, find_text};
use crate::error::Result;
use crate::shown::excerpt;

/// Reads a file to its end.
pub(crate) fn read(source: &mut Source, options: &ReadOptions, data: &mut DatasetBuilder<'_>) -> Result<()> {
    // One field more than there may be shows that there are too many.
    let separator = separator(source.peek()?);
    let mut records = Records::new(separator, MOST_COLUMNS + 1);
    let start = source.peek()?.to_vec();
    let mut columns = header(source, &mut records)?;
    records.expect_fields(columns.len() + 1);
    let count = columns.len();
    find_text(&mut columns, options, data, || kinds::look_like_text(start, separator, count))?;
    let choice = LabelChoice { options, counted: None, has_conventions: false };
    let labels = choose_labels(source, &columns, choice, data)?;
    let mut table = Table::new(source, columns, &labels, options, data)?;
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
        row(&record, &mut table, data)?;
        table.end_row(1.0, data);
    }
    Ok(())
}

fn row(record: &Record<'_>, table: &mut Table, data: &mut DatasetBuilder<'_>) -> Result<()> {
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
        match is_missing(&field.text, table.is_literal(found)) {
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
fn is_missing(text: &[u8], literal: bool) -> bool {
    match text {
        b"" => true,
        b"?" | b"NA" => !literal,
        _ => !literal && text.eq_ignore_ascii_case(b"nan"),
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
    use super::super::dataset::{Attributes, Dataset, Vocabulary};
    use super::super::dataset_builder::Unseen;
    use super::super::reader::Missing;
    use super::super::table::{TableColumns, settle_text_values};
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

    /// Reads a training file with these columns for text, ids and the like, then another one with the vocabulary of the first.
    fn parse_both(
        train: &'static str,
        later: &'static str,
        table: TableColumns,
    ) -> Result<(Vec<String>, Dataset, Unseen)> {
        let label_columns = vec!["l".to_owned()];
        let options = ReadOptions { label_columns, table, missing: Missing::Keep, ..ReadOptions::default() };
        let mut data = DatasetBuilder::growing(true);
        read(&mut Source::from_reader("train", train.as_bytes())?, &options, &mut data)?;
        let columns = data.take_text_columns();
        let (mut dataset, vocabulary, _) = data.finish();
        let mut vocabulary = vocabulary.unwrap();
        let Attributes::Named(names) = &mut vocabulary.attributes else { panic!("names") };
        settle_text_values(&mut dataset, names, &columns, options.table.least_count);
        let features = names.iter().map(str::to_owned).collect();
        let later_options =
            ReadOptions { model_table: options.table, table: TableColumns::default(), ..options };
        let mut data = DatasetBuilder::fixed(&vocabulary);
        read(&mut Source::from_reader("later", later.as_bytes())?, &later_options, &mut data)?;
        let (data, _, unseen) = data.finish();
        Ok((features, data, unseen))
    }

    #[test]
    fn the_values_of_text_are_features() {
        let train = "x,job,code,l\n1,cook,a1,u\n2,\"clerk, tall\",a1,v\n3,NA,b,u\n";
        let later = "job;code;x;l\ncook;b;7;u\npilot;?;8;v\n";
        let (features, data, unseen) = parse_both(train, later, TableColumns::default()).unwrap();
        assert_eq!(features, ["x", "job=cook", "code=a1", "job=clerk, tall", "job=?", "code=b"]);
        let stored = |row: usize| -> Vec<(usize, f64)> {
            data.features.row(row).to_pairs().into_iter().filter(|pair| pair.1 != 0.0).collect()
        };
        assert_eq!(stored(0), [(0, 7.0), (1, 1.0), (5, 1.0)]);
        assert_eq!((stored(1), unseen.attributes), (vec![(0, 8.0)], 2));
        // Rare values are one, and so are those that are new.
        let rare = TableColumns { least_count: 2, ..TableColumns::default() };
        let (features, data, unseen) = parse_both(train, later, rare).unwrap();
        assert_eq!(features, ["x", "job=(other)", "code=a1", "code=(other)"]);
        assert_eq!(data.features.row(1).to_pairs().len() - usize::from(!data.features.is_sparse()), 3);
        assert_eq!(unseen.attributes, 0);
    }

    #[test]
    fn columns_may_be_weights_names_or_nothing() {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let table = TableColumns {
            ignored: names(&["remark"]),
            weight: Some("w".to_owned()),
            id: Some("who".to_owned()),
            text: names(&["zip"]),
            ..TableColumns::default()
        };
        let train = "who,x,w,remark,zip,l\nNA,1,0.5,\"a\nb\",089,u\n\"n, 2\",2,3,?,12,v\n";
        let (features, data, unseen) = parse_both(train, train, table.clone()).unwrap();
        assert_eq!(features, ["x", "zip=089", "zip=12"]);
        assert_eq!((data.weights, unseen), (Some(vec![0.5, 3.0]), Unseen::default()));
        let ids = data.ids.unwrap();
        assert!(ids.iter().map(|id| &**id).eq(["NA", "n, 2"]), "{ids:?}");
        // What a model keeps need not be there.
        let (_, data, _) = parse_both(train, "x,zip\n1,089\n", table.clone()).unwrap();
        assert_eq!((data.weights, data.ids), (None, None));
        for (change, text, part) in [
            (
                TableColumns { id: Some("z".to_owned()), ..table.clone() },
                train,
                "train: no column is called `z`, which the option id-column",
            ),
            (
                TableColumns { id: Some("w".to_owned()), ..table.clone() },
                train,
                "train:1:7: the option id-column names `w`, but the option weight-column",
            ),
            (
                TableColumns { ignored: names(&["l"]), ..table.clone() },
                train,
                "train:1:20: the option ignore-columns names `l`, but it is a label",
            ),
            (table.clone(), "who,x,w,remark,zip,l\n1,2,0,,4,u\n", "train:2:5: the weight `0`"),
            (table.clone(), "who,x,w,remark,zip,l\n1,2,,,4,u\n", "train:2:5: the weight `w` is missing"),
            (
                TableColumns::default(),
                "x,y,l\n1,2,u\n3,a,v\n",
                "train:3:3: `a` in the column `y` is not a number",
            ),
            (TableColumns::default(), "x,x=a,l\nb,2,u\na,3,v\n", "train:3:1: its feature `x=a`"),
            (
                TableColumns::default(),
                "x,x=a,l\nb,b,u\na,b,v\n",
                "train:1:3: values of `x=a` could be taken for values of `x`",
            ),
            (TableColumns::default(), "x,y,l\n1,\"a\nb\",u\n", "train:2:3: a value of `y` that is not"),
        ] {
            let message = parse_both(text, text, change).unwrap_err().to_string();
            assert!(message.starts_with(part), "{message}");
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
