//! Tables from the command line: columns are found by name, in training and for a model.

mod common;

use common::Folder;

const COLOURS: &str = "x,y,kind\n1,0,red\n0,1,blue\n1,0.2,red\n0.1,1,blue\n";

#[test]
fn csv_and_arff_have_one_model() {
    let folder = Folder::new();
    folder.write("train.csv", COLOURS);
    // Other names for files, columns in another order, no labels.
    folder.write("new.csv", "y;x\n0;1\n1;0\n");
    folder.write("new.arff", "@relation new\n@attribute y real\n@attribute x real\n@data\n0,1\n1,0\n");
    folder.write("names", "kind\n");
    folder.run("train multiclass --train train.csv --label-columns kind --model m --quiet").success();
    for input in
        ["new.csv --format csv", "new.csv --label-columns kind", "new.arff", "new.arff --labels names"]
    {
        assert_eq!(folder.output(&format!("predict --model m --input {input}")), "red\nblue\n", "{input}");
    }
    let evaluated = folder.output("eval --model m --data train.csv --format csv --labels names --json");
    assert!(evaluated.contains("\"error\":0.0"), "{evaluated}");
    // The names go with the test file as well.
    folder
        .run("train multiclass --train train.csv --test train.csv --format csv --labels names --model m --quiet")
        .success();
}

#[test]
fn what_is_wrong_is_said() {
    let folder = Folder::new();
    folder.write("train.csv", COLOURS);
    folder.write("holes.csv", COLOURS.replace("0.2", ""));
    folder.write("few.csv", "x,kind\n1,red\n");
    folder.run("train multiclass --train train.csv --label-columns kind --model m --quiet").success();
    for (arguments, parts) in [
        ("train multiclass --train train.csv --model n", &["train.csv", "--format"][..]),
        ("train multiclass --train train.csv --format csv --model n", &["train.csv", "--label-columns"]),
        (
            "train multiclass --train train.csv --label-columns x,kind --model n",
            &["train.csv", "task multilabel"],
        ),
        (
            "train multiclass --train holes.csv --label-columns kind --model n",
            &["holes.csv:4:3", "--missing"],
        ),
        (
            "train multiclass --train rows.svm --format svmlight --label-columns kind --model n",
            &["label-columns"],
        ),
        (
            "train multiclass --train train.csv --label-columns kind --missing most --model n",
            &["refuse", "mean"],
        ),
        ("predict --model m --input few.csv --format csv", &["few.csv:2", "column `y`"]),
    ] {
        folder.refusal(arguments, parts);
    }
}

/// What one program writes as 1 another writes as 1.0.
#[test]
fn whole_numbers_are_one_label_however_they_are_spelled() {
    let folder = Folder::new();
    let rows = |spell: &dyn Fn(usize) -> String| -> String {
        (0..40).map(|i| format!("{} {}:1 4:{}\n", spell(i % 3), i % 3 + 1, i % 7)).collect()
    };
    folder.write("whole.svm", rows(&|class| class.to_string()));
    folder.write("point.svm", rows(&|class| format!("{class}.0")));
    folder.write("exponent.svm", rows(&|class| format!("{class}.000000000000000000e+00")));
    // In training: in one file, whatever comes first.
    folder.write("mixed.svm", format!("1.0 2:1\n{}", rows(&|class| class.to_string())));
    folder.write("mixed-too.svm", format!("1 2:1\n{}", rows(&|class| class.to_string())));
    for name in ["whole", "mixed", "mixed-too"] {
        folder.output(&format!(
            "train multiclass --train {name}.svm --model {name}.model --lambda 0.1 --quiet"
        ));
    }
    let read = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert!(read("mixed.model") == read("mixed-too.model"));
    // For a model.
    let evaluate =
        |file: &str| folder.output(&format!("eval --model whole.model --data {file}.svm --json --per-label"));
    assert_eq!((evaluate("point"), evaluate("exponent")), (evaluate("whole"), evaluate("whole")));
    // With a stranger among them.
    folder.write(
        "stranger.svm",
        rows(&|class| if class == 2 { "7.0".to_owned() } else { format!("{class}.0") }),
    );
    let text = evaluate("stranger");
    let figures: serde_json::Value = serde_json::from_str(&text).unwrap();
    let names: Vec<&str> = figures["per_label"]
        .as_array()
        .unwrap()
        .iter()
        .map(|label| label["label"].as_str().unwrap())
        .collect();
    assert_eq!((names, &figures["unseen_labels"]), (vec!["0", "1", "2", "7.0"], &13.into()));
    // In a table.
    let table = |point: &str| {
        (0..20).fold("x,y,kind\n".to_owned(), |text, i| {
            text + &format!("{},{},{}{point}\n", i % 2, i % 3, i % 2)
        })
    };
    folder.write("whole.csv", table(""));
    folder.write("point.csv", table(".0"));
    folder.output(
        "train multiclass --train whole.csv --label-columns kind --model table.model --lambda 0.1 --quiet",
    );
    let evaluate = |file: &str| {
        folder.output(&format!("eval --model table.model --data {file} --label-columns kind --json"))
    };
    assert_eq!(evaluate("point.csv"), evaluate("whole.csv"));
}
