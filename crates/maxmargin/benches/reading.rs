//! How fast files are read, in bytes of uncompressed text per second.
//!
//! `cargo bench --bench reading`: on generated files, and on the real data sets where they are at hand (in the folder
//! that `MAXMARGIN_DATA` names, else in `../shared/data` beside the workspace).

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use divan::Bencher;
use divan::counter::BytesCount;
use maxmargin::data::{ColumnOptions, ReadOptions, Source, read_training};

fn main() {
    divan::main();
}

/// The same scatter in every run.
fn scatter(i: usize) -> usize {
    i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33
}

/// Writes a file into a new folder, and times how it is read.
fn time(bencher: Bencher<'_, '_>, files: &[(&str, Vec<u8>)]) {
    time_with(bencher, files, ReadOptions::default());
}

fn time_with(bencher: Bencher<'_, '_>, files: &[(&str, Vec<u8>)], options: ReadOptions) {
    let folder = tempfile::tempdir().expect("a folder for the data");
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).expect("space for the data");
    }
    time_file(bencher, folder.path().join(files[0].0), options);
}

fn time_file(bencher: Bencher<'_, '_>, path: PathBuf, options: ReadOptions) {
    let mut bytes = Vec::new();
    let size = Source::open(&path).and_then(|mut source| source.read_bytes(u64::MAX, &mut bytes));
    drop(bytes);
    let size = size.expect("a file that can be read");
    let paths = [path];
    bencher
        .counter(BytesCount::new(size))
        .bench_local(|| read_training(&paths, &options).expect("sound data"));
}

#[divan::bench]
fn svmlight_bytes(bencher: Bencher) {
    let mut text = String::new();
    for row in 0..10_000 {
        write!(text, "{}", row % 10).unwrap();
        (0..150).for_each(|j| write!(text, " {}:{}", 5 * j + 1, scatter(row * 150 + j) % 256).unwrap());
        text.push('\n');
    }
    time(bencher, &[("data", text.into_bytes())]);
}

#[divan::bench]
fn svmlight_decimals(bencher: Bencher) {
    let mut text = String::new();
    for row in 0..10_000 {
        write!(text, "{}", row % 10).unwrap();
        for j in 0..150 {
            write!(text, " {}:{:.6}", 5 * j + 1, scatter(row * 150 + j) as f64 / 2f64.powi(31)).unwrap();
        }
        text.push('\n');
    }
    time(bencher, &[("data", text.into_bytes())]);
}

#[divan::bench]
fn crfsuite(bencher: Bencher) {
    let mut text = String::new();
    for row in 0..50_000 {
        write!(text, "{}", row % 20).unwrap();
        // Few attributes are frequent and many are rare, as in text.
        for j in 0..19 {
            let rare = scatter(row * 19 + j) as f64 / 2f64.powi(31);
            write!(text, "\tw[{j}]=word-{}", (50_000.0 * rare.powi(4)) as usize).unwrap();
        }
        text.push_str(if row % 25 == 24 { "\n\n" } else { "\n" });
    }
    time(bencher, &[("data", text.into_bytes())]);
}

#[divan::bench]
fn letters(bencher: Bencher) {
    let mut text = String::new();
    for row in 0..20_000 {
        write!(text, "{row}\ta\t-1\t{row}\t1\t0").unwrap();
        (0..128).for_each(|j| {
            text.push_str(if scatter(row * 128 + j).is_multiple_of(5) { "\t1" } else { "\t0" })
        });
        text.push('\n');
    }
    time(bencher, &[("data", text.into_bytes())]);
}

#[divan::bench]
fn idx(bencher: Bencher) {
    let count = 20_000u32;
    let mut images: Vec<u8> = [2051, count, 28, 28].into_iter().flat_map(u32::to_be_bytes).collect();
    images.extend((0..count as usize * 784).map(|i| if i % 40 < 8 { scatter(i) as u8 } else { 0 }));
    let mut labels: Vec<u8> = [2049, count].into_iter().flat_map(u32::to_be_bytes).collect();
    labels.extend((0..count).map(|i| (i % 10) as u8));
    time(bencher, &[("images-idx3", images), ("labels-idx1", labels)]);
}

/// How tables and lists of labels are read.
fn label_sets() -> ReadOptions {
    ReadOptions { label_sets: true, label_columns: vec!["l".to_owned()], ..ReadOptions::default() }
}

/// A header that declares 100 numbers.
fn arff_header() -> String {
    let attributes: String = (0..100).map(|j| format!("@attribute a{j} numeric\n")).collect();
    format!("@relation r\n@attribute l {{0,1}}\n{attributes}@data\n")
}

#[divan::bench]
fn arff_dense(bencher: Bencher) {
    let mut text = arff_header();
    for row in 0..10_000 {
        write!(text, "{}", row % 2).unwrap();
        (0..100).for_each(|j| write!(text, ",{:.6}", scatter(row * 100 + j) as f64 / 2f64.powi(31)).unwrap());
        text.push('\n');
    }
    time_with(bencher, &[("data.arff", text.into_bytes())], label_sets());
}

#[divan::bench]
fn arff_sparse(bencher: Bencher) {
    let mut text = arff_header();
    for row in 0..40_000 {
        write!(text, "{{0 {}", row % 2).unwrap();
        (1..=33).for_each(|j| write!(text, ",{} {}", 3 * j, scatter(row * 100 + j) % 256).unwrap());
        text.push_str("}\n");
    }
    time_with(bencher, &[("data.arff", text.into_bytes())], label_sets());
}

#[divan::bench]
fn csv(bencher: Bencher) {
    time_csv(bencher, "");
}

/// A text in quotes on each line, as other programs write them.
#[divan::bench]
fn csv_quoted(bencher: Bencher) {
    time_csv(bencher, "\"");
}

fn time_csv(bencher: Bencher, quote: &str) {
    let names: Vec<String> = (0..100).map(|j| format!("a{j}")).collect();
    let mut text = format!("l,{}\n", names.join(","));
    for row in 0..10_000 {
        write!(text, "{quote}{}{quote}", row % 2).unwrap();
        (0..100).for_each(|j| write!(text, ",{:.6}", scatter(row * 100 + j) as f64 / 2f64.powi(31)).unwrap());
        text.push('\n');
    }
    time_with(bencher, &[("data.csv", text.into_bytes())], label_sets());
}

#[divan::bench]
fn svmlight_label_sets(bencher: Bencher) {
    let mut text = String::new();
    for row in 0..10_000 {
        write!(text, "{},{},{}", row % 10, 10 + row % 7, 20 + row % 3).unwrap();
        (0..150).for_each(|j| write!(text, " {}:{}", 5 * j + 1, scatter(row * 150 + j) % 256).unwrap());
        text.push('\n');
    }
    let options = ReadOptions { label_sets: true, ..ReadOptions::default() };
    time_with(bencher, &[("data", text.into_bytes())], options);
}

#[divan::bench(args = ["letters/letter.data.gz", "mnist/train-images-idx3-ubyte.gz", "yeast/yeast-train.arff.gz", "conll2000/train.txt.gz"])]
fn real(bencher: Bencher, file: &str) {
    let folder = match std::env::var_os("MAXMARGIN_DATA") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
    };
    match folder.join(file) {
        path if path.exists() => {
            let label_sets = file.contains(".arff");
            let templates = file.contains("conll").then(|| "chunk".into());
            let columns = ColumnOptions { templates, ..ColumnOptions::default() };
            time_file(bencher, path, ReadOptions { label_sets, columns, ..ReadOptions::default() });
        }
        _ => eprintln!("skipped: {file} is not here"),
    }
}
