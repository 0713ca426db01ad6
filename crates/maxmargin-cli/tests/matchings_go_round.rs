//! Matchings from files of edges: train, evaluate, predict, inspect, compare, and what is refused on the way.

use crate::common::Folder;
use serde_json::Value;

/// Graphs with two to four nodes on each side, whose true links are near the diagonal and mostly look alike.
fn graphs(count: usize) -> String {
    let mut text = String::from("# made up\n");
    for i in 0..count {
        let nodes = 2 + i % 3;
        if i % 7 == 3 {
            text += "@example weight=2 unreachable=1\n";
        }
        for (l, r) in (0..nodes).flat_map(|l| (0..nodes).map(move |r| (l, r))) {
            let is_link = l == r && (i + l) % 5 != 0;
            let label = match (is_link, (i + 2 * l + r) % 11) {
                (true, _) => "sure",
                (false, 0) => "P",
                _ => "-",
            };
            let alike = f64::from(u8::from(is_link)) + ((i * 31 + l * 17 + r * 7) % 13) as f64 / 13.0;
            text += &format!("{l} {r} {label} alike:{alike:.3} apart:{}\n", l.abs_diff(r));
        }
        text.push('\n');
    }
    text
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("graphs.edges", graphs(40));
    folder
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Whether each line is links like `0-1 2-0` in which no node comes more often than it may.
fn check_links(text: &str, fertility: (usize, usize)) {
    for line in text.lines() {
        let links: Vec<(&str, &str)> =
            line.split_whitespace().filter_map(|link| link.split_once('-')).collect();
        assert_eq!(links.len(), line.split_whitespace().count(), "{line:?}");
        for (left, right) in &links {
            assert!(links.iter().filter(|link| link.0 == *left).count() <= fertility.0, "{line:?}");
            assert!(links.iter().filter(|link| link.1 == *right).count() <= fertility.1, "{line:?}");
        }
    }
}

#[test]
fn from_edges_to_links_and_figures() {
    let folder = folder();
    let summary =
        folder.output("train matching --train graphs.edges --test graphs.edges --model m --lambda 0.01");
    assert!(summary.contains("at most 1 link of a left node") && summary.contains("aer"), "{summary}");
    let links = folder.output("predict --model m --input graphs.edges");
    assert_eq!(links.lines().count(), 40);
    check_links(&links, (1, 1));

    let figures = json(&folder.output("eval --model m --data graphs.edges --json --per-label"));
    let figure = |name: &str| figures[name].as_f64().unwrap_or_else(|| panic!("{name} in {figures}"));
    assert_eq!((figures["task"].as_str(), figures["n"].as_u64()), (Some("matching"), Some(40)));
    assert!(figure("f1") > 0.8 && figure("aer") < 0.2 && figure("exact") > 0.3, "{figures}");
    // Links without an edge are missed for good.
    assert!(figure("recall") < 1.0 && figure("mean_loss") >= 6.0 / 40.0, "{figures}");
    assert_eq!(figures["per_label"].as_array().map(Vec::len), Some(1), "{figures}");
    assert!(folder.output("eval --model m --data graphs.edges").contains("precision"));

    let about = json(&folder.output("inspect m --json"));
    assert_eq!((about["fertility"].to_string(), about["dim"].as_u64()), ("[1,1]".to_owned(), Some(3)));
    let shown = folder.output("inspect m");
    assert!(shown.contains("at most 1 link of a left node") && shown.contains("alike +"), "{shown}");
}

#[test]
fn the_best_of_a_list_is_the_prediction() {
    let folder = folder();
    folder.output("train matching --train graphs.edges --model m --lambda 0.01 --fertility 2,1");
    let links = folder.output("predict --model m --input graphs.edges");
    check_links(&links, (2, 1));
    let lists = folder.output("predict --model m --input graphs.edges --k-best 3");
    // A line with rank and score, the links (perhaps none), and a blank line.
    let lines: Vec<&str> = lists.lines().collect();
    let blocks: Vec<&[&str]> = lines.chunks(3).collect();
    assert_eq!(blocks.len(), 3 * 40);
    for (line, best) in links.lines().zip(blocks.chunks(3)) {
        assert_eq!(best[0][1], line);
        let score = |(rank, block): (usize, &&[&str])| -> f64 {
            let head: Vec<&str> = block[0].split(' ').collect();
            assert_eq!((head[0], head[1], block[2]), ("#", (rank + 1).to_string().as_str(), ""), "{block:?}");
            head[2].parse().unwrap()
        };
        let scores: Vec<f64> = best.iter().enumerate().map(score).collect();
        assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
        assert!(best[0][1] != best[1][1] && best[1][1] != best[2][1] && best[0][1] != best[2][1], "{best:?}");
    }
}

#[test]
fn every_surrogate_and_search_trains() {
    let folder = folder();
    for options in [
        "--surrogate slack",
        "--surrogate slack --search stratified --loss miss=2,false=1",
        "--surrogate slack --search angular",
        "--surrogate log --search hull-fractional",
        "--surrogate micro-f1",
        "--surrogate prob-convex",
        "--surrogate slack --loss miss=0.7,false=0.3 --fertility 3,3",
    ] {
        let line =
            format!("train matching --train graphs.edges --model m --lambda 0.1 --gap 1e-3 --json {options}");
        let object = json(&folder.output(&line));
        assert!(object["gap"].as_f64().unwrap() <= 1e-3, "{options}: {object}");
    }
    let object = json(&folder.output(
        "path matching --train graphs.edges --hold-out 0.25 --lambdas 1,0.1 --select aer --refit --model m --json",
    ));
    assert!(object.to_string().contains("aer"), "{object}");
    let table =
        folder.output("compare searches matching --train graphs.edges --lambda 0.1 --surrogate slack");
    assert!(table.contains("stratified") && table.contains("hull"), "{table}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let folder = folder();
    folder.write("crowded.edges", "0 0 S a\n\n0 0 S a\n0 1 S b\n1 1 - b\n");
    folder.write("twice.edges", "0 0 S a\n0 0 - b\n");
    let wide: String =
        (0..900).map(|e| format!("{} {} {} a\n", e / 30, e % 30, if e == 0 { "S" } else { "-" })).collect();
    folder.write("wide.edges", wide);
    let train = |rest: &str| format!("train matching --model m --lambda 1 {rest}");
    for (options, parts) in [
        ("--train crowded.edges", &["example 2", "left node 0 has 2 sure links", "extra links"][..]),
        ("--train twice.edges", &["twice.edges:2:1", "line 1"]),
        ("--train rows.svm", &["no graphs", "edges"]),
        ("--train graphs.edges --loss zero-one", &["miss=X,false=Y"]),
        ("--train graphs.edges --loss miss=0,false=1", &["above 0"]),
        ("--train graphs.edges --fertility 1", &["1,1"]),
        ("--train graphs.edges --surrogate micro-f1 --background O", &["unexpected argument '--background'"]),
        (
            "--train graphs.edges --loss miss=0.7,false=0.3 --surrogate slack --search stratified",
            &["equal costs"],
        ),
        ("--train wide.edges --surrogate slack --search stratified", &["11 nodes", "hull"]),
    ] {
        folder.refusal(&train(options), parts);
    }
    for task in ["chain", "multilabel"] {
        let train = format!("train {task} --train graphs.edges --model m --lambda 1");
        folder.refusal(&train, &["are graphs"]);
    }
    folder.refusal(
        "train multiclass --train rows.svm --model m --lambda 1 --fertility 2,2",
        &["unexpected argument '--fertility'", "the tasks matching, alignment have it"],
    );
    folder.refusal(
        "train multiclass --train rows.svm --model m --lambda 1 --loss miss=1,false=2",
        &["zero-one, cost=FILE"],
    );
    folder.output(&train("--train crowded.edges --extra-links free"));
}

#[test]
fn with_an_inexact_search_a_prox_term_does_no_harm() {
    let folder = folder();
    let gap = |solver: &str| {
        let told = json(&folder.output(&format!(
            "train matching --train graphs.edges --model m --lambda 0.1 --surrogate slack --search bisecting --gap 0.001 --solver {solver} --json --quiet"
        )));
        told["gap"].as_f64().unwrap_or_else(|| panic!("{told}"))
    };
    // It once stopped at 0.31, where bmrm reached 0.19.
    let (bmrm, prox_bmrm) = (gap("bmrm"), gap("prox-bmrm"));
    assert!(prox_bmrm <= bmrm, "{prox_bmrm} with the prox term, {bmrm} without");
}

/// Numbers of nodes are names: gaps between them change nothing but what predictions are called.
#[test]
fn gaps_between_nodes_change_nothing() {
    let folder = Folder::new();
    let far = |node: u32| if node == 0 { 3 } else { 349_520 * node + 11 };
    let graphs = |number: &dyn Fn(u32) -> u32| -> String {
        let graph = |i: u32| -> String {
            let edge = |left: u32, right: u32| {
                let label = if left == right { "sure" } else { "none" };
                let noise = f64::from((i * 7 + left * 5 + right * 3) % 11) / 10.0;
                let near = 1.0 - f64::from(left.abs_diff(right)) / 4.0;
                format!("{} {} {label} near:{near} noise:{noise}\n", number(left), number(right))
            };
            let edges = (0..3).flat_map(|left| (0..3).map(move |right| (left, right)));
            edges
                .filter(|(l, r)| !(i + l + 2 * r).is_multiple_of(4) || l == r)
                .map(|(l, r)| edge(l, r))
                .collect::<String>()
                + "\n"
        };
        (0..30).map(graph).collect()
    };
    folder.write("near.edges", graphs(&|node| node));
    folder.write("far.edges", graphs(&far));
    for (fertility, solver) in [("1,1", "bcfw"), ("2,1", "bmrm"), ("1,1", "extragradient")] {
        let mut predictions = Vec::new();
        for name in ["near", "far"] {
            folder.output(&format!(
                "train matching --train {name}.edges --model {name}.model --lambda 0.1 --quiet --fertility {fertility} --solver {solver}"
            ));
            predictions.push(
                folder.output(&format!("predict --model {name}.model --input {name}.edges --k-best 3")),
            );
        }
        assert_eq!(
            std::fs::read(folder.path("near.model")).unwrap(),
            std::fs::read(folder.path("far.model")).unwrap()
        );
        let renamed = |line: &str| -> String {
            if line.starts_with('#') {
                return line.to_owned();
            }
            let link = |link: &str| {
                let (left, right) = link.split_once('-').unwrap();
                format!("{}-{}", far(left.parse().unwrap()), far(right.parse().unwrap()))
            };
            line.split_whitespace().map(link).collect::<Vec<_>>().join(" ")
        };
        let expected: Vec<String> = predictions[0].lines().map(renamed).collect();
        assert_eq!(predictions[1].lines().collect::<Vec<_>>(), expected);
    }
    // A mistake is told by the number in the file.
    folder.write("twice.edges", "700000 5 sure a\n700000 900000 sure b\n");
    folder.refusal(
        "train matching --train twice.edges --model new.model --lambda 1",
        &["left node 700000 has 2 sure links"],
    );
}
