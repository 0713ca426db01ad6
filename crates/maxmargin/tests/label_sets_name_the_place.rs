//! Promise: an error in a file with label sets or in a table comes with the file, the line and the column, and says what to
//! do about it.

use std::fs;
use std::path::PathBuf;

use maxmargin::Error;
use maxmargin::data::{Format, Missing, ReadOptions, read_training, read_with};

use crate::common;

/// The error of a training file with these bytes; its place as `line:column`, and its message.
fn error_of(bytes: &[u8], options: &ReadOptions) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, bytes).unwrap();
    match read_training(std::slice::from_ref(&path), options) {
        Err(Error::Data { place, problem }) => {
            assert_eq!(place.file, path);
            (format!("{}:{}", place.line, place.column), problem)
        }
        other => panic!("{:?} gave {other:?}", String::from_utf8_lossy(bytes)),
    }
}

fn check(text: &str, place: &str, part: &str, options: &ReadOptions) {
    let (found, problem) = error_of(text.as_bytes(), options);
    assert_eq!(found, place, "{text:?}: {problem}");
    assert!(problem.contains(part), "{text:?}: {problem:?} lacks {part:?}");
    // Packing a file changes nothing about its errors, nor do line ends.
    let crlf = text.replace('\n', "\r\n");
    for bytes in [common::gz(text.as_bytes()), crlf.into_bytes()] {
        assert_eq!(error_of(&bytes, options), (found.clone(), problem.clone()));
    }
}

fn sets(format: Format, labels: &[&str]) -> ReadOptions {
    let label_columns = labels.iter().map(|&name| name.to_owned()).collect();
    ReadOptions { format: Some(format), label_sets: true, label_columns, ..ReadOptions::default() }
}

#[test]
fn svmlight() {
    let options = sets(Format::Svmlight, &[]);
    for (text, place, part) in [
        ("1,2 1:1\n2,3,2 1:1\n", "2:5", "`2` comes twice"),
        ("+1,1 1:1\n", "1:4", "comes twice"),
        ("1,,2 1:1\n", "1:3", "label is missing"),
        ("1, 1:1\n", "1:3", "label is missing"),
        ("a,b:c 1:1\n", "1:3", "neither a label nor a feature"),
        ("1 qid:3 1:1\n", "1:3", "sets of labels make none"),
        ("qid:3 1:1\n", "1:1", "sets of labels make none"),
        ("1 2 1:1\n", "1:3", "`2` is no feature"),
        ("1 0:1\n", "1:3", "the option zero-based"),
        ("2 3 4\n0 0:1\n", "2:0", "after 1 rows, but its header promises 2"),
        ("1 3 4\n0 0:1\n1 0:1\n", "3:1", "beyond the 1"),
        ("1 3 4\n0 3:1\n", "2:3", "feature 3, but the header promises 3 features, from 0 to 2"),
        ("1 0 4\n0 3:1\n", "2:3", "no features"),
        ("1 3 4\n1,4 2:1\n", "2:3", "label 4, but the header promises 4 labels"),
        ("1 3 4\nx 2:1\n", "2:1", "no whole number"),
        ("1 4294967295 4\n1 2:1\n", "1:0", "4294967295 features"),
        ("0 3 4\n", "0:0", "no examples"),
    ] {
        check(text, place, part, &options);
    }
    // Without label sets.
    let options = ReadOptions { label_sets: false, ..options };
    for (text, place, part) in
        [("1,2 1:1\n", "1:1", "labels are sets"), ("2 3 4\n0,1 0:1\n", "1:3", "extreme-classification")]
    {
        check(text, place, part, &options);
    }
}

/// An ARFF file with these attributes and rows.
fn arff(attributes: &str, rows: &str) -> String {
    format!("@relation r\n{attributes}\n@data\n{rows}\n")
}

#[test]
fn arff_headers() {
    let options = sets(Format::Arff, &["l"]);
    let lines = |text: &str| arff(&format!("@attribute l {{0,1}}\n{text}"), "1,1");
    for (text, place, part) in [
        (lines("attribute x numeric"), "3:1", "expected @relation"),
        (lines("@attributes x numeric"), "3:1", "expected @relation"),
        (lines("@attribute"), "3:11", "needs a name"),
        (lines("@attribute x"), "3:13", "type of `x` is missing"),
        (lines("@attribute 'x numeric"), "3:12", "no end"),
        (lines("@attribute x String"), "3:14", "StringToWordVector"),
        (lines("@attribute x date 'yyyy'"), "3:14", "of type date"),
        (lines("@attribute x float"), "3:14", "`float` is not the type"),
        (lines("@attribute x numeric y"), "3:22", "more text"),
        (lines("@attribute x {a,b"), "3:14", "no closing brace"),
        (lines("@attribute x {a,,b}"), "3:17", "missing between commas"),
        (lines("@attribute x {a,'a'}"), "3:17", "declared twice"),
        (lines("@attribute 'x\\n' real"), "3:12", "line break"),
        (lines("@attribute x real\n@attribute x real"), "4:12", "first is declared on line 3"),
        (lines("@attribute a=b real\n@attribute a {b,c}"), "4:12", "`a=b` has the name of another"),
        (arff("@attribute l {a,b}\n@attribute x real", ""), "2:12", "can be `a`"),
        (arff("@attribute m {0,1}\n@attribute x real", "1,1"), "0:0", "no column is called `l`"),
        (arff("@attribute l {0,1}", "1"), "0:0", "no column is left"),
        ("@relation r\n@data\n".to_owned(), "2:0", "no @attribute"),
        ("@relation r\n@attribute l {0,1}\n".to_owned(), "2:0", "before @data"),
        (lines("@attribute x real").replace("1,1\n", ""), "0:0", "no examples"),
    ] {
        check(&text, place, part, &options);
    }
    let options = sets(Format::Arff, &[]);
    check(&lines("@attribute x real"), "0:0", "the option label-columns", &options);
    let counted = lines("@attribute x real").replace("@relation r", "@relation 'r: -C -3'");
    check(&counted, "0:0", "-C -3 on line 1", &options);
    // One label for each row.
    let options = ReadOptions { label_sets: false, ..options };
    check(&lines("@attribute x real"), "0:0", "which column is the label", &options);
    check(
        &lines("@attribute x real").replace("@relation r", "@relation 'r: -C 2'"),
        "0:0",
        "labels are sets",
        &options,
    );
    let options = ReadOptions { label_columns: vec!["x".to_owned()], ..options };
    check(&lines("@attribute x real"), "3:12", "declare its values", &options);
}

#[test]
fn arff_rows() {
    let options = sets(Format::Arff, &["l"]);
    let header = "@attribute l {0,1}\n@attribute x real\n@attribute n {a,b,c,d}";
    for (row, column, part) in [
        ("1,2", 4, "ends after 2 values, but 3"),
        ("1,2,{3}", 5, "ends after 2 values"),
        ("1,2,a,b", 6, "more text after the 3 values"),
        ("1,2,a,", 6, "more text"),
        ("1,,a", 3, "write ?"),
        ("1,'2'3,a", 6, "expected a comma"),
        ("1,x,a", 3, "`x` in the column `x` is not a number"),
        ("1,inf,a", 3, "not finite"),
        ("1,?,a", 3, "the option missing=mean"),
        ("1,2,?", 5, "the value of `n` is missing"),
        ("?,2,a", 1, "label `l` is missing"),
        ("2,2,a", 1, "`2` is no value of `l`, which has {0,1}"),
        ("1,2,e", 5, "{a,b,c,d}"),
        ("1,2,'a", 5, "no end"),
        ("1,2,a {0}", 8, "above 0"),
        ("1,2,a,{1", 9, "weight in braces"),
        ("1,2,a,{1} x", 11, "weight in braces"),
        ("{0 1,1 2", 9, "comma or the closing brace"),
        ("{0 1 1 2}", 6, "comma or the closing brace"),
        ("{0 1,}", 6, "expected `index value`"),
        ("{x 1}", 2, "expected `index value`"),
        ("{0}", 3, "blank and a value"),
        ("{3 1}", 2, "counted from 0 to 2"),
        ("{99999999999999999999 1}", 2, "expected `index value`"),
        ("{1 1,1 2}", 6, "index 1 after 1"),
        ("{1 1,0 1}", 6, "index 0 after 1"),
        ("{1 ?}", 4, "the option missing=mean"),
        ("{1 1}, {x}", 9, "`x` is not a finite"),
    ] {
        check(&arff(header, row), &format!("6:{column}"), part, &options);
    }
    check(&arff(header, "1,2,a\n{0 1}"), "7:1", "a sparse row, unlike", &options);
    check(&arff(header, "{0 1}\n1,2,a"), "7:1", "a dense row, unlike", &options);
    let not_utf8 = [arff(header, "").as_bytes(), b"1,2,\xff\n"].concat();
    assert_eq!(error_of(&not_utf8, &options).0, "7:5");
}

#[test]
fn csv() {
    let options = sets(Format::Csv, &["l"]);
    for (text, place, part) in [
        ("l,x\n1,2,3\n", "2:5", "more fields than the 2"),
        ("l,x\n1,2\n1\n", "3:2", "1 fields, but the header names 2"),
        ("l;x\n1;0,5\n", "2:3", "decimals with a point"),
        (
            "l,x\n1,2\n1,red\n",
            "3:3",
            "`red` in the column `x` is not a number, as its other values are; mend it, or",
        ),
        ("l,x\n1,-inf\n", "2:3", "not finite"),
        ("l,x\n1,\n", "2:3", "the option missing=zero"),
        ("l,x\n1, NA \n", "2:4", "`x` is missing"),
        ("l,x\n,2\n", "2:1", "label `l` is missing"),
        ("l,x\n2,2\n", "2:1", "`2`: expected 0 or 1"),
        ("l,x\n1,\"2\n", "2:3", "no end"),
        ("l,x\n1,\"2\"3\n", "2:6", "after a closing quote"),
        // Line breaks in quotes.
        ("l,x\n1,2,\"3\n\"\n", "2:5", "more fields than the 2"),
        ("l,\"x\ny\"\n1,2\n", "1:3", "a line break in the name of a column"),
        ("\u{feff}l,\"x\ny\",z\n1,2\n", "1:3", "a line break in the name of a column"),
        ("l,x\n1,2\n\n1,\"2\n0,3\n1,\n", "4:3", "this quote has no end"),
        ("l,x\n1,\"2\"\"\n0,3\n", "2:3", "this quote has no end"),
        ("l,x\n\"1\n\", \"2\n0,3\n", "3:4", "this quote has no end"),
        ("l,,x\n1,2,3\n", "1:3", "column 2 has no name"),
        ("l,x,x\n1,2,3\n", "1:5", "second column `x`"),
        ("l\n1\n", "1:0", "only one column"),
        ("m,x\n1,2\n", "0:0", "`l`, which the option label-columns names"),
        ("l,x\n", "0:0", "no examples"),
        ("\n\n", "0:0", "empty"),
    ] {
        check(text, place, part, &options);
    }
    let (place, problem) = error_of(b"l,x\n1,7\n1,\"2\n3\"\n", &options);
    assert!(place == "3:3" && problem.starts_with("`2\\n3` in the column `x` is not"), "{place}: {problem}");
    check("l,x\n1,2\n", "0:0", "the option label-columns", &sets(Format::Csv, &[]));
    let two = ReadOptions { label_sets: false, ..sets(Format::Csv, &["l", "x"]) };
    check("l,x,y\n1,2,3\n", "0:0", "labels are sets", &two);
}

/// Files in a folder, by name.
fn write(folder: &tempfile::TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn names_of_labels() {
    let folder = tempfile::tempdir().unwrap();
    let data = write(&folder, "data-train.arff", &arff("@attribute l {0,1}\n@attribute x real", "1,2"));
    let mut options = sets(Format::Arff, &[]);
    for (xml, part) in [
        ("<labels><label nom='l'/></labels>", "data.xml:1:9: this label has no attribute `name`"),
        ("<labels>\n<label name='m'/></labels>", "no column is called `m`, which"),
        ("l\nl\n", "data.xml:2:1: the label `l` is listed twice"),
    ] {
        let names = write(&folder, "data.xml", xml);
        for labels in [None, Some(names)] {
            options.labels = labels;
            let message = read_training(std::slice::from_ref(&data), &options).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }
    options.labels = Some(folder.path().join("nothing"));
    assert!(read_training(&[data], &options).unwrap_err().to_string().contains("cannot read"));
    let svm = write(&folder, "svm", "1,2 1:1\n");
    let message =
        |options: &ReadOptions| read_training(std::slice::from_ref(&svm), options).unwrap_err().to_string();
    options.format = Some(Format::Svmlight);
    assert!(message(&options).contains("svmlight has them inside"));
    assert!(message(&sets(Format::Svmlight, &["l"])).contains("only arff and csv do"));
}

#[test]
fn several_tables() {
    let folder = tempfile::tempdir().unwrap();
    let first = write(&folder, "first", "l,x,y\n1,2,3\n");
    let sparse = arff("@attribute l {0,1}\n@attribute x real\n@attribute y real", "{0 1}");
    let cases = [
        (write(&folder, "fewer", "l,x\n1,2\n"), "fewer:2:", "have a column `y`"),
        (write(&folder, "more", "l,x,y,z\n1,2,3,4\n"), "more:1:7:", "`z` is not in the files before"),
        (write(&folder, "sparse", &sparse), "sparse:", "looks like arff, but the first one is csv"),
    ];
    let options = ReadOptions { format: None, ..sets(Format::Csv, &["l"]) };
    for (second, place, part) in cases {
        let message = read_training(&[first.clone(), second], &options).unwrap_err().to_string();
        assert!(message.contains(place) && message.contains(part), "{message}");
    }
    let dense = write(&folder, "dense.arff", &sparse.replace("{0 1}", "1,2,3"));
    let sparse = write(&folder, "sparse.arff", &sparse);
    let message = read_training(&[dense.clone(), sparse.clone()], &options).unwrap_err().to_string();
    assert!(message.contains("sparse.arff:6:1:") && message.contains("dense ones"), "{message}");
    assert_eq!(read_training(&[sparse, dense], &options).unwrap().0.len(), 2);
}

#[test]
fn tables_for_a_model() {
    let folder = tempfile::tempdir().unwrap();
    let options = ReadOptions { missing: Missing::Keep, ..sets(Format::Csv, &[]) };
    let model = common::named(&["l", "m"], &["x", "y"]);
    let read =
        |text: &str, options: &ReadOptions| read_with(&[write(&folder, "file.csv", text)], options, &model);
    // Labels are found by the model's names, or may all be absent.
    let (data, unseen) = read("y,m,x,l\n1,1,2,0\n", &options).unwrap();
    assert_eq!((data.labels, data.features.row(0).to_pairs()), (vec![1], vec![(0, 2.0), (1, 1.0)]));
    assert_eq!((unseen.labels, unseen.attributes), (0, 0));
    let (data, unseen) = read("y,x,z\n1,2,3\n", &options).unwrap();
    assert_eq!(data.labels, [maxmargin::data::UNKNOWN_LABEL]);
    assert_eq!((unseen.labels, unseen.attributes), (0, 1));
    // A column that the model does not know may hold any text, and lines are counted right after it.
    let remarks = "y,x,remark\n1,2,\"loud,\r\n\"\"live\"\"\n\"\n3,4,\n";
    let (data, unseen) = read(remarks, &ReadOptions { missing: Missing::Refuse, ..options.clone() }).unwrap();
    assert_eq!(data.features.row(1).to_pairs(), [(0, 4.0), (1, 3.0)]);
    assert_eq!((unseen.labels, unseen.attributes), (0, 2));
    let message = read(&format!("{remarks}5,z,6\n"), &options).unwrap_err().to_string();
    assert!(message.contains("file.csv:6:3: `z` in the column `x`"), "{message}");
    // A place after a line break is named by the line where the row begins.
    for (row, part) in
        [("1,z", "`z` in the column `x`"), ("1", "2 fields"), ("1,2,3", "more fields than the 3")]
    {
        let text = format!("remark,y,x\n-,1,2\n\"a\nb\",{row}\n");
        let message = read(&text, &options).unwrap_err().to_string();
        assert!(message.contains(&format!("file.csv:3: {part}")), "{message}");
    }
    // A label that the model does not know counts.
    let named = |names: &[&str]| ReadOptions {
        label_columns: names.iter().map(|&name| name.to_owned()).collect(),
        ..options.clone()
    };
    let (_, unseen) = read("y,x,z,l,m\n1,2,1,0,0\n1,2,0,0,0\n", &named(&["z", "l", "m"])).unwrap();
    assert_eq!((unseen.labels, unseen.attributes), (1, 0));
    // A label of the model that is not named would count as absent.
    let message = read("y,x,l,m\n1,2,1,0\n", &named(&["m"])).unwrap_err().to_string();
    assert!(message.contains("the option label-columns does not name `l`"), "{message}");
    for (text, part) in [
        ("y,m,x\n1,1,2\n", "no column is called `l`, which the model names"),
        ("x,m,l\n1,1,2\n", "file.csv:2: the model was trained with a column `y`, which is missing here"),
    ] {
        let message = read(text, &options).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
    let numbered = common::numbered(&["l"], 2);
    let path = write(&folder, "file.csv", "x,l\n1,1\n");
    let message = read_with(&[path], &options, &numbered).unwrap_err().to_string();
    assert!(message.contains("the model's have numbers"), "{message}");
}
