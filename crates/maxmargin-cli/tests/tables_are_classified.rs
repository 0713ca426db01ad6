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
