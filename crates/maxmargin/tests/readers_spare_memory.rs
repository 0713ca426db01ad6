//! Promise: reading needs at most twice the memory of what is read, and what is refused needs no more than the longest line.
//! Checked where the system tells the peak (Linux).
#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use maxmargin::Model;
use maxmargin::data::{Attributes, Format, LONGEST_LINE, ReadOptions, read_training};

/// What the allocator and the reader's buffers may take beside.
const BESIDE: usize = 2 << 20;

/// A line of the process's status, in bytes.
fn status(key: &str) -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(key)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() << 10
}

fn check(path: &Path) {
    check_with(path, &ReadOptions::default());
}

fn check_with(path: &Path, options: &ReadOptions) {
    // Sets the peak back to what is used now.
    if fs::write("/proc/self/clear_refs", "5").is_err() {
        eprintln!("skipped: the system does not let the peak be set back");
        return;
    }
    let before = status("VmRSS");
    let (data, vocabulary) = read_training(&[path.to_owned()], options).unwrap();
    let names = match &vocabulary.attributes {
        Attributes::Named(names) => names.bytes(),
        Attributes::Numbered(_) => 0,
    };
    let peak = status("VmHWM").saturating_sub(before);
    let of_examples = 8 * data.sequences.map_or(0, |starts| starts.len())
        + 8 * data.sets.map_or(0, |starts| starts.len())
        + 8 * data.weights.map_or(0, |weights| weights.len())
        + 4 * data.folds.map_or(0, |folds| folds.len())
        + 8 * data.edges.map_or(0, |edges| edges.len())
        + 4 * data.unreachable.map_or(0, |counts| counts.len());
    let held = data.features.bytes() + 4 * data.labels.len() + of_examples + names;
    assert!(held > 5 << 20, "too little to tell: {held} bytes");
    assert!(peak <= 2 * held + BESIDE, "{}: a peak of {peak} bytes for {held}", path.display());
}

/// One test, since the peak is that of the whole process.
#[test]
fn reading_spares_memory() {
    every_format();
    bombs();
}

/// Small files that unpack to 600 MB without a line feed or in one quote, and files without an end.
fn bombs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("zeros.gz");
    let mut out = GzEncoder::new(File::create(&path).unwrap(), Compression::fast());
    (0..600).for_each(|_| out.write_all(&[0; 1 << 20]).unwrap());
    out.finish().unwrap();
    let refused = |format| {
        let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
        read_training(std::slice::from_ref(&path), &options).map(drop).unwrap_err()
    };
    let formats = [Format::Svmlight, Format::Crfsuite, Format::Letters, Format::Csv, Format::Edges];
    for format in formats {
        spares(LONGEST_LINE, || refused(format).to_string());
    }
    spares(0, || Model::load(&path).unwrap_err().to_string());
    let mut out = GzEncoder::new(File::create(&path).unwrap(), Compression::fast());
    out.write_all(b"l,x\n1,\"").unwrap();
    (0..600).for_each(|_| out.write_all(&b"1,2\n".repeat(1 << 18)).unwrap());
    out.finish().unwrap();
    let options = ReadOptions { label_columns: vec!["l".to_owned()], ..ReadOptions::default() };
    spares(LONGEST_LINE, || {
        let refused = read_training(std::slice::from_ref(&path), &options).map(drop).unwrap_err().to_string();
        assert!(refused.contains("zeros.gz:2:3: this quote has no end"), "{refused}");
        refused
    });
    spares(0, || Model::load(Path::new("/dev/zero")).unwrap_err().to_string());
}

/// Something that is refused takes little more memory than this, and says so in a few words.
fn spares(most: usize, refused: impl FnOnce() -> String) {
    if fs::write("/proc/self/clear_refs", "5").is_err() {
        return;
    }
    let before = status("VmRSS");
    let message = refused();
    let peak = status("VmHWM").saturating_sub(before);
    assert!(peak <= most + BESIDE, "a peak of {peak} bytes for {message:?}");
    assert!(message.len() < 500, "{message}");
}

fn every_format() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| {
        let path = folder.path().join(name);
        let writer = BufWriter::new(File::create(&path).unwrap());
        (path, writer)
    };

    // The last value asks for more than a byte, so that all before it must be widened.
    let (path, mut out) = file("svmlight");
    for row in 0..20_000 {
        write!(out, "{}", row % 10).unwrap();
        (1..100).for_each(|j| write!(out, " {}:{}", 3 * j, 1 + (row * j) % 200).unwrap());
        writeln!(out, "{}", if row == 19_999 { " 999:0.1" } else { "" }).unwrap();
    }
    drop(out);
    check(&path);

    let (path, mut out) = file("crfsuite");
    for row in 0..60_000 {
        write!(out, "{}", row % 10).unwrap();
        (0..20).for_each(|j| write!(out, "\ta[{j}]={}", row * (j + 7) % 30_011).unwrap());
        out.write_all(if row % 20 == 19 { b"\n\n" } else { b"\n" }).unwrap();
    }
    drop(out);
    check(&path);

    let (path, mut out) = file("letters");
    for row in 1..=40_000 {
        let end = row % 5 == 0;
        let next = if end { "-1".to_owned() } else { (row + 1).to_string() };
        write!(out, "{row}\ta\t{next}\t{}\t{}\t0", (row - 1) / 5, (row - 1) % 5 + 1).unwrap();
        (0..128).for_each(|j| out.write_all(if (row + j) % 3 == 0 { b"\t1" } else { b"\t0" }).unwrap());
        writeln!(out).unwrap();
    }
    drop(out);
    check(&path);

    let (path, mut out) = file("some-images-idx3");
    [2051u32, 30_000, 28, 28].iter().for_each(|word| out.write_all(&word.to_be_bytes()).unwrap());
    for pixel in 0..30_000 * 784usize {
        out.write_all(&[if pixel % 5 == 0 { (pixel % 251) as u8 } else { 0 }]).unwrap();
    }
    drop(out);
    let (_, mut out) = file("some-labels-idx1");
    [2049u32, 30_000].iter().for_each(|word| out.write_all(&word.to_be_bytes()).unwrap());
    out.write_all(&[3; 30_000]).unwrap();
    drop(out);
    check(&path);

    // Tables: dense, sparse, and dense with mostly zeros.
    let label_columns = vec!["l".to_owned()];
    let options = ReadOptions { label_sets: true, label_columns, ..ReadOptions::default() };
    for (name, sparse) in [("dense.arff", false), ("sparse.arff", true)] {
        let (path, mut out) = file(name);
        writeln!(out, "@relation r\n@attribute l {{0,1}}").unwrap();
        (0..100).for_each(|j| writeln!(out, "@attribute a{j} numeric").unwrap());
        writeln!(out, "@data").unwrap();
        for row in 0..20_000 {
            out.write_all(if sparse { b"{0 1" } else { b"1" }).unwrap();
            for j in (1..=100).filter(|j| !sparse || (row + j) % 3 == 0) {
                let value = f64::from(row * j % 997 + 1) / 7.0;
                match sparse {
                    true => write!(out, ",{j} {value}").unwrap(),
                    false => write!(out, ",{value}").unwrap(),
                }
            }
            writeln!(out, "{}", if sparse { "}" } else { "" }).unwrap();
        }
        drop(out);
        check_with(&path, &options);
    }
    let (path, mut out) = file("table.csv");
    let names: Vec<String> = (0..1000).map(|j| format!("a{j}")).collect();
    writeln!(out, "l,{}", names.join(",")).unwrap();
    for row in 0..20_000 {
        write!(out, "0").unwrap();
        (0..1000).for_each(|j| write!(out, "{}", if (row + j) % 40 == 0 { ",0.7" } else { ",0" }).unwrap());
        writeln!(out).unwrap();
    }
    drop(out);
    check_with(&path, &options);
}
