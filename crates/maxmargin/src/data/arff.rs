//! Weka's ARFF, as the multi-label collections of Mulan and MEKA use it.
//!
//! A header declares attributes, then `@data` begins rows: dense ones with a value for each attribute, or sparse ones with
//! `index value` for those that are not 0, counted from 0. What a sparse row leaves out is 0, or the first value that a
//! nominal attribute declares. A row may end with its weight in braces. `%` begins a comment; `?` is a missing value. Names
//! and values with blanks, commas or braces stand in quotes.
//!
//! ```text
//! @relation 'songs: -C 2'
//! @attribute happy {0,1}
//! @attribute calm {0,1}
//! @attribute tempo numeric
//! @attribute 'key of the song' {major,minor}
//! @data
//! 1,0,121.5,major
//! {1 1, 2 60, 3 minor}, {0.5}    % a row that counts half
//! ```
//!
//! The module `table` says which attributes are labels and what becomes of the others. A relation's name may hold MEKA's
//! option `-C n`: the first n attributes are labels, or the last when n is negative.

mod header;
mod rows;
mod words;

use super::dataset_builder::DatasetBuilder;
use super::reader::ReadOptions;
use super::source::Source;
use super::table::{LabelChoice, Table, choose_labels};
use crate::error::Result;

/// Reads a file to its end.
pub(crate) fn read(source: &mut Source, options: &ReadOptions, data: &mut DatasetBuilder<'_>) -> Result<()> {
    let takes_anything =
        |name: &str| options.table.takes_anything(name) || options.model_table.takes_anything(name);
    let header = header::read(source, takes_anything, options.label_lists)?;
    let counted = header.counted_labels;
    let choice = LabelChoice { options, counted, has_conventions: true };
    let labels = choose_labels(source, &header.columns, choice, data)?;
    let mut table = Table::new(source, header.columns, &labels, options, data)?;
    rows::read(source, &mut table, data)
}

/// Whether a file that begins with these bytes is of this format.
pub(crate) fn recognise(start: &[u8]) -> bool {
    let mut lines = start.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_start);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"%"));
    first.is_some_and(|line| header::RELATION.begins(line) || header::ATTRIBUTE.begins(line))
}

#[cfg(test)]
mod tests {
    use super::super::dataset::{Dataset, Vocabulary};
    use super::super::dataset_builder::Unseen;
    use super::super::reader::Missing;
    use super::*;

    const SONGS: &str = "\u{feff}% songs\r\n@RELATION 'songs: -C 2'\r\n@attribute happy {0,1}\n@Attribute 'cal\\'m' {false,TRUE}\n\
                         @attribute tempo REAL\n@attribute \"the key\" {major, 'min or'}\n@attribute loud {0,1}\n\n@DATA\n";

    fn parse_with(
        text: String,
        vocabulary: Option<&Vocabulary>,
        sets: bool,
    ) -> Result<(Dataset, Option<Vocabulary>, Unseen)> {
        let data = vocabulary.map_or_else(|| DatasetBuilder::growing(true), DatasetBuilder::fixed);
        let mut data = data.with_label_sets(sets);
        let options = ReadOptions { missing: Missing::Keep, ..ReadOptions::default() };
        read(&mut Source::from_reader("test", std::io::Cursor::new(text))?, &options, &mut data)?;
        Ok(data.finish())
    }

    fn pairs(data: &Dataset, names: &Vocabulary, row: usize) -> Vec<(String, f64)> {
        let super::super::Attributes::Named(attributes) = &names.attributes else { panic!("names") };
        let pairs = data.features.row(row).to_pairs().into_iter().filter(|&(_, value)| value != 0.0);
        pairs.map(|(j, value)| (attributes.name(j as u32).to_owned(), value)).collect()
    }

    #[test]
    fn dense_and_sparse_rows_say_the_same() {
        let dense = "1,FALSE,0,major,0\n".replace("FALSE", "false")
            + "0 , TRUE, -1.5e1, \"min or\" ,1 , { 0.5 } % half\n0\tfalse\t2 'min or' 0\n";
        let sparse = "{0 1}\n{1 TRUE, 2 -15, 3 'min or', 4 1}, {0.5}\n{2 2,3 \"min or\"}\n";
        for rows in [dense.as_str(), sparse] {
            let (data, names, _) = parse_with(format!("{SONGS}{rows}"), None, true).unwrap();
            let names = names.unwrap();
            assert!(names.labels.iter().eq(["cal'm", "happy"]));
            assert_eq!((data.labels.as_slice(), &data.sets), (&[1, 0][..], &Some(vec![0, 1, 2, 2])));
            assert_eq!(data.weights, Some(vec![1.0, 0.5, 1.0]));
            assert_eq!(pairs(&data, &names, 0), [("the key=major".to_owned(), 1.0)]);
            let second = [("tempo", -15.0), ("the key=min or", 1.0), ("loud", 1.0)];
            assert_eq!(pairs(&data, &names, 1), second.map(|(name, value)| (name.to_owned(), value)));
        }
    }

    #[test]
    fn a_model_finds_its_columns_and_labels_by_name() {
        let (_, names, _) = parse_with(format!("{SONGS}1,TRUE,1,major,1\n"), None, true).unwrap();
        let other = "@relation other\n@attribute loud numeric\n@attribute new real\n@attribute happy numeric\n\
                     @attribute cal'm {0,1}\n@attribute tempo integer\n@attribute 'the key' {rare,major}\n@data\n\
                     7,3,1.0,0,8,rare\n7,3,?,?,?,major\n";
        let (data, _, unseen) = parse_with(other.to_owned(), names.as_ref(), true).unwrap();
        assert_eq!(data.labels, [1, super::super::UNKNOWN_LABEL]);
        assert_eq!(unseen, Unseen { attributes: 3, ..Unseen::default() });
        let names = names.unwrap();
        assert_eq!(pairs(&data, &names, 0), [("tempo".to_owned(), 8.0), ("loud".to_owned(), 7.0)]);
        assert!(pairs(&data, &names, 1)[0].1.is_nan());
    }

    #[test]
    fn what_a_sparse_row_leaves_out_is_the_first_value() {
        let text =
            "@relation 'x: -C -1'\n@attribute a {1,0}\n@attribute b {1,0}\n@data\n{}\n{0 0,1 0}\n{1 0}\n";
        let (data, _, _) = parse_with(text.to_owned(), None, true).unwrap();
        assert_eq!(data.sets, Some(vec![0, 1, 1, 1]));
        assert_eq!(data.features.row(0).to_pairs(), [(0, 1.0)]);
        assert!(data.features.row(1).is_empty());
    }

    #[test]
    fn one_nominal_label_is_a_class() {
        let text = "@relation iris\n@attribute x numeric\n@attribute Class {setosa,versicolor}\n@data\n1,versicolor\n2,setosa\n";
        let (data, names, _) = parse_with(text.to_owned(), None, false).unwrap();
        assert!(names.unwrap().labels.iter().eq(["setosa", "versicolor"]));
        assert_eq!((data.labels.as_slice(), data.sets), (&[1, 0][..], None));
    }

    #[test]
    fn short_rows_cannot_fill_the_memory() {
        let values: Vec<String> = (0..5000).map(|value| value.to_string()).collect();
        let attributes =
            |kind: &str| (0..200).map(|j| format!("@attribute a{j} {{{kind}}}\n")).collect::<String>();
        let header = "@relation 'x: -C 1'\n@attribute l {0,1}\n".to_owned();
        let sparse = format!("{header}{}@data\n{}", attributes("a,b"), "{}\n".repeat(100_000));
        let dense =
            format!("{header}@attribute a {{{}}}\n@data\n{}", values.join(","), "0,?\n".repeat(10_000));
        for text in [sparse, dense] {
            let message = parse_with(text, None, true).unwrap_err().to_string();
            assert!(message.contains("would fill the memory"), "{message}");
        }
    }
}
