//! `compare searches`: every search that applies, on the same examples and weights, and a picture of a label plane.

use std::fs;

use crate::common::Folder;
use serde_json::Value;

const COMPARE: &str = "compare searches chain --train tags.crf --lambda 0.05 --solver bmrm --quiet";

fn compare(folder: &Folder, arguments: &str) -> Value {
    let text = folder.output(&format!("{COMPARE} --json {arguments}"));
    assert_eq!(text.lines().count(), 1, "{text}");
    serde_json::from_str(&text).unwrap()
}

fn names(found: &Value) -> Vec<&str> {
    found["searches"].as_array().unwrap().iter().map(|row| row["search"].as_str().unwrap()).collect()
}

#[test]
fn exact_searches_miss_nothing_and_bounds_hold() {
    let folder = Folder::new();
    for surrogate in ["slack", "margin", "prob-convex", "micro-f1", "log"] {
        let found = compare(&folder, &format!("--surrogate {surrogate} --every 2"));
        assert_eq!((&found["followed"], &found["every"]), (&6.into(), &2.into()), "{found}");
        assert!(["stratified", "hull"].contains(&found["search"].as_str().unwrap()), "{found}");
        // BMRM asks for every example once a pass.
        let calls = 6 * found["passes"].as_u64().unwrap();
        let success = found["searches"][0]["warm"]["success_rate"].as_f64().unwrap();
        assert!(success > 0.0 && success <= 1.0, "{found}");
        for row in found["searches"].as_array().unwrap() {
            for totals in [&row["warm"], &row["cold"]] {
                assert_eq!(totals["searches"], calls, "{row}");
                assert_eq!(totals["bounds_broken"], 0, "{surrogate}: {row}");
                assert!(totals["seconds"].as_f64().unwrap() >= 0.0, "{row}");
                if row["exact"] == true {
                    assert_eq!(totals["miss_rate"], 0.0, "{surrogate}: {row}");
                }
            }
            if row["exact"] == true && row["over"] == "labels" {
                assert_eq!(row["warm"]["success_rate"], success, "{surrogate}: {row}");
            }
        }
    }
}

#[test]
fn only_searches_that_apply_are_tried() {
    let folder = Folder::new();
    let all = ["stratified", "hull", "hull-fractional", "angular", "bisecting", "binary", "sarawagi"];
    assert_eq!(names(&compare(&folder, "--surrogate slack")), all);
    assert_eq!(names(&compare(&folder, "--surrogate log")), all[..3]);
    assert_eq!(names(&compare(&folder, "--surrogate general=-0.5,-1")), all[..1]);
    folder.write("costs", "O B-NP 0.7\n");
    let found = compare(&folder, "--surrogate slack --loss cost=costs");
    assert_eq!(names(&found), all[1..], "losses are no whole numbers");
    assert_eq!(found["search"], "hull");
}

#[test]
fn any_search_may_drive_and_threads_do_not_matter() {
    let folder = Folder::new();
    let counts = |threads: usize| {
        let arguments = format!("--surrogate slack --search angular --every 3 --threads {threads}");
        let mut found = compare(&folder, &arguments);
        assert_eq!(found["search"], "angular");
        for row in found["searches"].as_array_mut().unwrap() {
            row["warm"]["seconds"].take();
            row["cold"]["seconds"].take();
        }
        (found["searches"].clone(), found["primal"].clone())
    };
    assert_eq!(counts(1), counts(3));
}

#[test]
fn the_table_has_a_row_for_each_search() {
    let folder = Folder::new();
    let text = folder.output(&format!("{COMPARE} --surrogate slack --max-passes 4"));
    for part in
        ["driven by stratified", "2 examples of 12, 8 oracle calls", "| sarawagi ", "| queries warm |"]
    {
        assert!(text.contains(part), "expected {part:?} in\n{text}");
    }
    assert!(text.contains("* over mixes of labels"), "{text}");
    assert!(!text.contains("error in the program"), "{text}");
}

#[test]
fn a_label_plane_is_drawn() {
    let folder = Folder::new();
    let found = compare(&folder, "--surrogate slack --plot a.svg --plot a.png --example 7");
    assert_eq!((&found["drawn"]["example"], &found["followed"]), (&7.into(), &3.into()), "{found}");
    let svg = fs::read_to_string(folder.path("a.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"), "{svg}");
    for part in
        ["h, the margin error", "g, the loss", "example 7, its call", "angular: ", "sarawagi: ", "rays of"]
    {
        assert!(svg.contains(part), "expected {part:?} in\n{svg}");
    }
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    let png = fs::read(folder.path("a.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    assert!(svg.contains(&format!("viewBox=\"0 0 {} {}\"", number(16), number(20))));

    let found = compare(&folder, "--surrogate log --plot b.svg");
    assert!(found["drawn"]["example"].is_number(), "{found}");
    assert_eq!(folder.files(), ["a.png", "a.svg", "b.svg", "rows.svm", "tags.crf"]);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let folder = Folder::new();
    for (arguments, parts) in [
        ("--surrogate log --search angular", &["slack rescaling only"][..]),
        ("--example 3", &["--plot"]),
        ("--example 12 --plot a.svg", &["no example 12", "0 to 11"]),
        ("--every 0", &["--every"]),
        ("--plot a.gif", &[".svg, .png or .pdf"]),
    ] {
        folder.refusal(&format!("{COMPARE} {arguments}"), parts);
    }
}
