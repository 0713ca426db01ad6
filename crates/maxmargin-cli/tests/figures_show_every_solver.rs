//! `compare solvers --plot`: a curve for each solver in each panel, files that are whole, and refusals before any work.

mod common;

use std::fs;

use common::Folder;

const COMPARE: &str = "compare solvers multiclass --train rows.svm --lambdas 0.1,0.01 --quiet --json";

/// The distinct colours of the lines in a figure, each with the number of its lines.
fn strokes(svg: &str) -> Vec<(String, usize)> {
    let mut strokes: Vec<(String, usize)> = Vec::new();
    for line in svg.lines().filter(|line| line.starts_with("<polyline")) {
        let colour = line.split("stroke=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        match strokes.iter_mut().find(|(known, _)| known == colour) {
            Some((_, count)) => *count += 1,
            None => strokes.push((colour.to_owned(), 1)),
        }
    }
    strokes
}

#[test]
fn svg_has_a_curve_for_each_solver_in_each_panel() {
    let folder = Folder::new();
    folder.output(&format!("{COMPARE} --solvers bmrm,prox-bmrm,n-slack --plot a.svg"));
    let svg = fs::read_to_string(folder.path("a.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"), "{svg}");
    for part in [
        "relative gap",
        "time in seconds",
        "passes over the data",
        "λ = 0.1",
        "λ = 0.01",
        "bmrm",
        "prox-bmrm",
        "n-slack",
        "multiclass on rows.svm: 60 examples, 3 labels, 18 weights",
        "font-family=\"sans-serif\"",
    ] {
        assert!(svg.contains(part), "expected {part:?} in\n{svg}");
    }
    // Two panels for each of two λ, and the legend. The lines of axes are many more.
    let curves: Vec<_> = strokes(&svg).into_iter().filter(|(_, count)| *count == 5).collect();
    assert_eq!(curves.len(), 3, "{:?}", strokes(&svg));
    assert_eq!(folder.files(), ["a.svg", "rows.svm", "tags.crf"]);
}

#[test]
fn png_has_its_signature_and_size() {
    let folder = Folder::new();
    let solvers = "--solvers bmrm,prox-bmrm";
    let found = folder.output(&format!("{COMPARE} {solvers} --plot a.PNG --plot a.svg --max-passes 1"));
    assert!(found.contains(r#""plots":["a.PNG","a.svg"]"#), "{found}");
    let png = fs::read(folder.path("a.PNG")).unwrap();
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    let svg = fs::read_to_string(folder.path("a.svg")).unwrap();
    let size = format!("viewBox=\"0 0 {} {}\"", number(16), number(20));
    assert!(svg.contains(&size), "expected {size} in {}", svg.lines().next().unwrap());
    assert_eq!(number(20), 2 * 680 + 80);
}

#[test]
fn bad_places_are_refused_before_any_work() {
    let folder = Folder::new();
    for (arguments, parts) in [
        ("--plot a.svg --plot b.pdf", &["b.pdf", "--plot", ".svg or .png"][..]),
        ("--plot svg", &["ends in .svg or .png"]),
        ("--plot a.svg --plot no/such/b.png", &["cannot write no/such/b.png"]),
    ] {
        let message = folder.refusal(&format!("{COMPARE} {arguments}"), parts);
        assert!(!message.contains("pass 1"), "{message}");
    }
}
