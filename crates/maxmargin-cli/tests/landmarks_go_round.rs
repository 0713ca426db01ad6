//! Landmarks from pictures: train, evaluate, predict, draw, inspect, and what is refused on the way.

use std::fmt::Write;
use std::fs;

use crate::common::Folder;
use maxmargin::tasks::landmarks::faces::{POINTS, SIDE, draw};
use serde_json::Value;

const TRAIN: &str =
    "train landmarks --train train.csv --template 5,3 --frame 24 --lambda 1 --gap 0.05 --quiet";

/// Drawn faces in files: a table, and a picture each.
fn write_faces(folder: &Folder, table: &str, count: usize, seed: u64) {
    let columns: Vec<String> = POINTS.iter().map(|name| format!("{name}_x,{name}_y")).collect();
    let mut text = format!("file,left,top,width,height,{}\n", columns.join(","));
    for (number, face) in draw(count, seed).enumerate() {
        let file = format!("{seed}-{number}.pgm");
        let picture = [format!("P5 {SIDE} {SIDE} 255\n").as_bytes(), &face.pixels].concat();
        fs::write(folder.path(&file), picture).unwrap();
        let [left, top, width, height] = face.bounds;
        write!(text, "{file},{left},{top},{width},{height}").unwrap();
        face.points.iter().for_each(|(x, y)| write!(text, ",{x},{y}").unwrap());
        text.push('\n');
    }
    folder.write(table, text);
}

fn folder() -> Folder {
    let folder = Folder::new();
    write_faces(&folder, "train.csv", 60, 1);
    write_faces(&folder, "test.csv", 30, 2);
    folder
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn from_pictures_to_points_and_figures() {
    let folder = folder();
    let summary = json(&folder.output(&format!("{TRAIN} --test test.csv --model m --json")));
    let [primal, bound] = ["primal", "lower_bound"].map(|name| summary[name].as_f64().unwrap());
    assert!(0.0 < bound && bound <= primal && primal <= bound / 0.949, "{summary}");
    let figures = json(&folder.output("eval --model m --data test.csv --json"));
    let deviation = figures["mean_deviation"].as_f64().unwrap();
    assert!((0.01..0.2).contains(&deviation), "{figures}");
    assert!(figures["points_found"].as_f64().unwrap() > 0.5, "{figures}");
    let table = folder.output("eval --model m --data test.csv --per-label");
    assert!(table.contains("left_eye_outer") && table.contains("mean_deviation"), "{table}");
    let inspected = folder.output("inspect m");
    assert!(inspected.contains("8 parts") && inspected.contains("deformation"), "{inspected}");
    // A line for each face: its picture, and all points in pixels of it.
    let lines = folder.output("predict --model m --input test.csv");
    let truth: Vec<_> = draw(30, 2).collect();
    assert_eq!(lines.lines().count(), 30, "{lines}");
    let mut sum = 0.0;
    for (number, line) in lines.lines().enumerate() {
        let (file, points) = line.split_once('\t').unwrap();
        assert_eq!(file, format!("2-{number}.pgm"));
        let points: Vec<(f64, f64)> = points
            .split(' ')
            .zip(POINTS)
            .map(|(point, name)| {
                let (x, y) =
                    point.strip_prefix(name).unwrap().strip_prefix('=').unwrap().split_once(',').unwrap();
                (x.parse().unwrap(), y.parse().unwrap())
            })
            .collect();
        assert_eq!(points.len(), 8);
        let all = &truth[number].points;
        let middle = |a: usize, b: usize| ((all[a].0 + all[b].0) / 2.0, (all[a].1 + all[b].1) / 2.0);
        // The eyes are symmetric: their centre is between the outer and the inner corners.
        let eyes = ((middle(0, 1).0 + middle(2, 3).0) / 2.0, (middle(0, 1).1 + middle(2, 3).1) / 2.0);
        let length = (eyes.0 - middle(5, 6).0).hypot(eyes.1 - middle(5, 6).1);
        let of = |(a, b): (&(f64, f64), &(f64, f64))| (a.0 - b.0).hypot(a.1 - b.1) / length / 8.0;
        sum += points.iter().zip(all).map(of).sum::<f64>() / 30.0;
    }
    assert!((sum - deviation).abs() < 1e-3, "{sum} from what was predicted, {deviation} from eval");
}

#[test]
fn gradients_are_learnt_beside_patterns() {
    let folder = folder();
    let weights = |flags: &str| {
        let summary = json(&folder.output(&format!("{TRAIN} {flags} --model m --json")));
        let [primal, bound] = ["primal", "lower_bound"].map(|name| summary[name].as_f64().unwrap());
        assert!(0.0 < bound && bound <= primal && primal <= bound / 0.949, "{summary}");
        summary["dim"].as_u64().unwrap()
    };
    // Eight parts, nine cells each, nine directions.
    assert_eq!(weights("--gradients 3,4"), weights("--gradients no") + 8 * 9 * 9);
    // Hardly any patterns: gradients find the points.
    let found = |flags: &str| {
        folder.output(&format!("{} {flags} --model m", TRAIN.replace("--template 5,3", "--template 1")));
        let inspected = folder.output("inspect m");
        assert_eq!(
            inspected.contains("gradients of 5×5 cells of 3 pixels"),
            flags.contains("5,3"),
            "{inspected}"
        );
        json(&folder.output("eval --model m --data test.csv --json"))["points_found"].as_f64().unwrap()
    };
    assert!(found("--gradients 5,3") > found("") + 0.1);
    for gradients in ["4,4", "3", "3,x", "3,99", "yes"] {
        folder.refusal(&format!("{TRAIN} --gradients {gradients} --model n"), &["--gradients"]);
    }
}

#[test]
fn points_are_drawn_listed_and_sure() {
    let folder = folder();
    folder.output(&format!("{TRAIN} --part-tree star=nose --model m"));
    folder.output("predict --model m --input test.csv --plot faces.svg --plot faces.png --output points.txt");
    let svg = fs::read_to_string(folder.path("faces.svg")).unwrap();
    assert_eq!(svg.matches("<circle").count(), 30 * (2 * 8 + 2));
    assert!(fs::read(folder.path("faces.png")).unwrap().starts_with(b"\x89PNG"));
    // A picture by itself is one face, whose points nobody knows.
    let object = json(&folder.output("predict --model m --input 2-0.pgm --json --k-best 3"));
    assert_eq!(
        (object["labels"][4][0].as_str(), object["labels"].as_array().unwrap().len()),
        (Some("nose"), 8)
    );
    let scores: Vec<f64> =
        object["k_best"].as_array().unwrap().iter().map(|best| best["score"].as_f64().unwrap()).collect();
    assert!(scores.len() == 3 && scores.is_sorted_by(|a, b| a >= b), "{object}");
    let margin = object["margin"].as_f64().unwrap();
    assert!(
        (margin - (scores[0] - scores[1])).abs() < 1e-9
            && object["confidences"].as_array().unwrap().len() == 8
    );
    folder.refusal("eval --model m --data 2-0.pgm", &["true points"]);
    let problem = "train landmarks --train train.csv --lambda 1 --model n";
    folder.refusal(&format!("{problem} --part-tree star=ear"), &["ear"]);
    folder.refusal(&format!("{problem} --part-tree nose-centre"), &["no tree"]);
    folder.refusal(&format!("{problem} --template 4,3"), &["odd"]);
    folder.refusal(&format!("{problem} --normaliser ear:nose"), &["ear"]);
    folder.refusal(&format!("{problem} --surrogate slack --search stratified"), &["distances"]);
}

#[test]
fn every_surrogate_and_table_of_offsets_is_learnt() {
    let folder = Folder::new();
    write_faces(&folder, "few.csv", 8, 3);
    for flags in [
        "--surrogate slack --search hull-fractional",
        "--deformation table --gap 0.2",
        "--solver bcfw --normaliser box",
        "--solver prox-bmrm --slack 0",
    ] {
        let summary = json(&folder.output(&format!(
            "train landmarks --train few.csv --template 3 --frame 16 --lambda 1 --model m --json --quiet {flags}"
        )));
        let [primal, bound] = ["primal", "lower_bound"].map(|name| summary[name].as_f64().unwrap());
        assert!(0.0 < bound && bound <= primal && primal - bound <= 0.21 * primal, "{flags}: {summary}");
        let figures = json(&folder.output("eval --model m --data few.csv --json"));
        assert!(figures["mean_loss"].as_f64().unwrap() < 0.5, "{flags}: {figures}");
    }
    // Distances are no whole numbers: which pose hurts most is not always proven, and the certificate says so.
    let summary = json(&folder.output(
        "train landmarks --train few.csv --template 3 --frame 16 --lambda 1 --model m --json --quiet --surrogate slack --max-passes 20",
    ));
    let [primal, bound, missed] =
        ["primal", "lower_bound", "oracle_gap"].map(|name| summary[name].as_f64().unwrap());
    assert!(primal - bound - missed <= 0.05 * primal && missed > 0.0, "{summary}");
}

#[test]
fn faults_are_named_with_their_place() {
    let folder = Folder::new();
    write_faces(&folder, "good.csv", 3, 4);
    let text = fs::read_to_string(folder.path("good.csv")).unwrap();
    let train = "train landmarks --train bad.csv --lambda 1 --model m";
    let picture = fs::read(folder.path("4-1.pgm")).unwrap();
    fs::write(folder.path("short.pgm"), &picture[..200]).unwrap();
    fs::write(folder.path("none.jpg"), b"\xff\xd8\xff\xe0").unwrap();
    for (bad, parts) in [
        (text.replace("4-1.pgm", "short.pgm"), &["bad.csv:3", "short.pgm", "promised"][..]),
        (text.replace("4-1.pgm", "none.jpg"), &["bad.csv:3", "JPEG"]),
        (text.replace("4-1.pgm", "gone.png"), &["bad.csv:3", "gone.png"]),
        (text.replace("nose_x", "nose_z"), &["bad.csv:1", "nose_z"]),
        (text.replace("4-2.pgm,", "4-2.pgm,1,"), &["bad.csv:4", "fields"]),
    ] {
        folder.write("bad.csv", bad);
        folder.refusal(train, parts);
    }
}

#[test]
fn the_demo_draws_faces() {
    let folder = Folder::new();
    let text = folder.output("demo landmarks --plot faces.svg");
    assert!(text.contains("mean deviation") && text.contains("on a tree of parts"), "{text}");
    let svg = fs::read_to_string(folder.path("faces.svg")).unwrap();
    assert!(svg.contains("<circle") && svg.contains("truth"), "{svg}");
}
