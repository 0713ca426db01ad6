//! `compare solvers --plot`: a curve for each solver in each panel, files that are whole, and refusals before any work.

use std::fs;

use crate::common::Folder;

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
        ("--plot a.svg --plot b.gif", &["b.gif", "--plot", ".svg, .png or .pdf"][..]),
        ("--plot svg", &["ends in .svg, .png or .pdf"]),
        ("--plot a.svg --plot no/such/b.png", &["cannot write no/such/b.png"]),
    ] {
        let message = folder.refusal(&format!("{COMPARE} {arguments}"), parts);
        assert!(!message.contains("pass 1"), "{message}");
    }
}

#[test]
fn figures_have_the_size_and_the_title_that_were_asked_for() {
    let folder = Folder::new();
    let figure = "--solvers bmrm --max-passes 1 --plot a.svg --plot a.png";
    folder.output(&format!("{COMPARE} {figure} --plot-size 700x500 --plot-title Bundles"));
    let svg = fs::read_to_string(folder.path("a.svg")).unwrap();
    assert!(svg.contains(r#"width="700" height="500" viewBox="0 0 1400 1000""#), "{svg}");
    assert!(svg.contains("Bundles") && !svg.contains("multiclass on"), "{svg}");
    let png = fs::read(folder.path("a.png")).unwrap();
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    assert_eq!((number(16), number(20)), (1400, 1000));
    let tiny =
        folder.run(&format!("{COMPARE} {figure} --plot-size 10x900")).success().get_output().stderr.clone();
    let tiny = String::from_utf8(tiny).unwrap();
    assert!(tiny.contains("note: a figure of 10x900 has no room for all panels; it is 502x900"), "{tiny}");
    folder.refusal(&format!("{COMPARE} {figure} --plot-size large"), &["such as 800x600"]);
    folder.refusal(&format!("{COMPARE} --plot-title alone"), &["--plot <FILE>"]);
}

#[test]
fn pdf_is_whole_and_of_the_right_size() {
    let folder = Folder::new();
    folder.output(&format!("{COMPARE} --solvers bmrm --max-passes 2 --plot a.pdf --plot-size 700x500"));
    let pdf = fs::read(folder.path("a.pdf")).unwrap();
    let text = String::from_utf8_lossy(&pdf);
    assert!(text.starts_with("%PDF-1.4\n") && text.ends_with("%%EOF\n"), "{text}");
    assert!(text.contains("/MediaBox [0 0 700 500]"), "{text}");
    // The table at the end says where objects begin, in bytes.
    let find = |bytes: &[u8], from: usize| {
        from + pdf[from..].windows(bytes.len()).position(|at| at == bytes).unwrap()
    };
    let table = find(b"xref\n0 5\n", 0);
    assert!(text.contains(&format!("startxref\n{table}\n")), "{text}");
    for object in 1..5 {
        let entry = table + 9 + 20 * object;
        let place: usize = std::str::from_utf8(&pdf[entry..entry + 10]).unwrap().parse().unwrap();
        assert!(pdf[place..].starts_with(format!("{object} 0 obj\n").as_bytes()), "object {object}");
    }
    let start = find(b"stream\n", 0) + 7;
    let mut content = String::new();
    std::io::Read::read_to_string(&mut flate2::read::ZlibDecoder::new(&pdf[start..]), &mut content).unwrap();
    // Letters are areas with curves, curves of solvers are strokes in their colours.
    assert!(content.contains(" c ") && content.contains("0.000 0.447 0.698 RG 4 w"), "{content}");
}

#[test]
fn curves_are_written_as_the_ending_says() {
    let folder = Folder::new();
    let found = folder.output(&format!("{COMPARE} --solvers bmrm,bcfw --gap 1e-3 --curves c.csv"));
    let runs: serde_json::Value = serde_json::from_str(&found).unwrap();
    let passes: u64 =
        runs["runs"].as_array().unwrap().iter().map(|run| run["passes"].as_u64().unwrap()).sum();
    let csv = fs::read_to_string(folder.path("c.csv")).unwrap();
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let column = |name: &str| header.iter().position(|own| *own == name).unwrap();
    let (solver, gap) = (column("solver"), column("gap"));
    let rows: Vec<_> = lines.collect();
    assert_eq!(rows.len() as u64, passes);
    assert!(
        rows.iter().all(|row| row.len() == header.len() && ["bmrm", "bcfw"].contains(&row[solver])),
        "{csv}"
    );
    assert!(rows.last().unwrap()[gap].parse::<f64>().unwrap() <= 1e-3, "{csv}");
    // What a pass did not measure is empty, and the same is null.
    folder.output(&format!("{COMPARE} --solvers bmrm,bcfw --gap 1e-3 --curves c.jsonl"));
    let lines = fs::read_to_string(folder.path("c.jsonl")).unwrap();
    let objects: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(objects.len() as u64, passes);
    assert!(objects.iter().all(|object| object["lower_bound"].is_number()), "{lines}");
    folder.refusal(&format!("{COMPARE} --curves c.txt"), &[".csv or .jsonl"]);
}
