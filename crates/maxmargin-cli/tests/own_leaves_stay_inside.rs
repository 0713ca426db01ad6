//! Promise: a label that has others below it may have a leaf of its own, with weights that these do not share. It is as if the leaf were written in
//! the hierarchy, but nobody has to know of it: predictions, figures, files and starts are about the nodes that users wrote.

use crate::common::Folder;
use serde_json::Value;

/// Rows of cats, dogs, animals that are neither, and plants. What the leaf is called that animals would have is a parameter.
fn rows(animal: &str, count: usize) -> String {
    let row = |i: usize| {
        let label = ["cat", "dog", animal, "oak", "moss"][i % 5];
        let group = i % 5 / 3;
        format!("{label} {}:1 {}:1 {}:0.{}\n", 1 + group, 3 + i % 5, 8, i % 7)
    };
    (0..count).map(row).collect()
}

const TREE: &str = "life animal\nlife plant\nanimal cat\nanimal dog\nplant oak\nplant moss\nplant fern\n";
const TRAIN: &str = "train hierarchy --lambda 0.01 --gap 1e-7 --threads 1 --json --quiet";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("train.svm", rows("animal", 40));
    folder.write("written.svm", rows("self", 40));
    folder.write("tree.txt", TREE);
    folder.write("written.txt", format!("{TREE}animal self\n"));
    folder
}

fn trained(folder: &Folder, arguments: &str) -> Value {
    serde_json::from_str(&folder.output(&format!("{TRAIN} {arguments}"))).unwrap()
}

fn primal(found: &Value) -> f64 {
    found["primal"].as_f64().unwrap()
}

#[test]
fn the_model_is_that_of_a_leaf_in_the_file() {
    let folder = folder();
    for flags in [
        "--norm ssvm",
        "--norm ssvm --weights seen",
        "--norm ssvm --solver bmrm",
        "--norm ssvm --loss normalized",
        "--norm nhsvm",
        "--norm nhsvm --alpha maxmin --no-bias",
        "--norm nhsvm --alpha rho=1.5,directed --weights seen",
        "--norm hsvm --own-leaves yes --loss zero-one",
    ] {
        let own = trained(&folder, &format!("--train train.svm --hierarchy tree.txt --model m {flags}"));
        let flags = flags.replace("--own-leaves yes", "");
        let written =
            trained(&folder, &format!("--train written.svm --hierarchy written.txt --model n {flags}"));
        let (a, b) = (primal(&own), primal(&written));
        assert!((a - b).abs() <= 2e-7 * b, "{flags}: {a} against {b}");
        assert_eq!(own["weights"], written["weights"], "{flags}");
        let other = trained(
            &folder,
            &format!("--train train.svm --hierarchy tree.txt --model o {flags} --own-leaves no"),
        );
        assert!((primal(&other) - a).abs() > 1e-5 * a, "{flags}: {a}, and {} without", primal(&other));
        // Whoever asks hears of the nodes that were written.
        let answers = folder.output("predict --model m --input train.svm --k-best 2");
        assert!(answers.contains("animal") && !answers.contains("itself"), "{flags}: {answers}");
        let predicted = folder.output("predict --model m --input train.svm");
        let expected: Vec<&str> = ["cat", "dog", "animal", "oak", "moss"].repeat(8);
        assert!(predicted.lines().eq(expected), "{flags}: {predicted}");
        let evaluated = folder.output("eval --model m --data train.svm --json");
        for part in ["\"accuracy\":1.0", "\"tree_distance\":0.0", "\"mean_loss\":0.0"] {
            assert!(evaluated.contains(part), "{flags}: {evaluated}");
        }
    }
}

#[test]
fn a_model_is_looked_into() {
    let folder = folder();
    for weights in ["all", "seen"] {
        let flags =
            format!("--train train.svm --hierarchy tree.txt --norm nhsvm --weights {weights} --model m");
        trained(&folder, &flags);
        let shown: Value = serde_json::from_str(&folder.output("inspect m --json")).unwrap();
        let numbers = |name: &str| -> Vec<f64> { serde_json::from_value(shown[name].clone()).unwrap() };
        let labels: Vec<String> = serde_json::from_value(shown["labels"].clone()).unwrap();
        assert_eq!(labels, ["animal", "cat", "dog", "moss", "oak", "plant"]);
        assert_eq!((numbers("alpha").len(), numbers("support")), (6, vec![24.0, 8.0, 8.0, 8.0, 8.0, 16.0]));
        assert_eq!((numbers("own_leaves"), numbers("own_leaf_support")), (vec![0.0], vec![8.0]));
        let sum = numbers("alpha")[0] + numbers("own_leaf_alpha")[0];
        assert!((sum - 1.0).abs() < 1e-12, "α on the way to a label add up to 1: {sum}");
        // By attribute 5, which animals have that are neither cats nor dogs, one knows them.
        let heaviest = shown["heaviest"].as_array().unwrap();
        let own = heaviest.iter().find(|list| list["label"] == "animal (itself)").unwrap();
        assert_eq!(own["weights"][0][0], "5", "{own}");
        let drawn = folder.output("inspect m");
        assert!(
            drawn.contains("\n  animal (itself) ") && drawn.contains("each with a leaf of its own"),
            "{drawn}"
        );
        folder.run("eval --model m --data train.svm --plot errors.svg").success();
        let listed = folder.output("eval --model m --data train.svm --per-label");
        assert!(listed.contains("| animal ") && !listed.contains("| animal (itself)"), "{listed}");
    }
}

#[test]
fn a_start_knows_own_leaves_by_name() {
    let folder = folder();
    folder
        .write("more.svm", rows("animal", 40) + "fern 2:1 6:1 7:0.5\nplant 2:1 9:1\nplant 2:1 7:0.25 9:1\n");
    for norm in ["nhsvm", "ssvm"] {
        for weights in ["all", "seen"] {
            let flags = format!("--hierarchy tree.txt --norm {norm} --weights {weights}");
            let optimal = primal(&trained(&folder, &format!("--train train.svm --model old {flags}")));
            let one_pass = format!("{flags} --solver bmrm --max-passes 1 --model new");
            let warm = trained(&folder, &format!("--train train.svm {one_pass} --warm-start old"));
            assert!(primal(&warm) <= optimal * (1.0 + 1e-9), "{norm}, {weights}: {warm} after {optimal}");
            let warm = primal(&trained(&folder, &format!("--train more.svm {one_pass} --warm-start old")));
            let cold = primal(&trained(&folder, &format!("--train more.svm {one_pass}")));
            assert!(warm < cold, "{norm}, {weights}: {warm} against {cold}");
        }
    }
}

#[test]
fn what_has_no_own_leaves_says_so() {
    let folder = folder();
    folder.write("two.svm", rows("animal", 40) + "cat,oak 1:1 3:1\n");
    let train = |flags: &str| format!("train hierarchy --hierarchy tree.txt --lambda 0.1 --model m {flags}");
    for (flags, parts) in [
        ("--train train.svm --norm flat --own-leaves yes", ["--own-leaves", "for themselves"]),
        ("--train two.svm --norm nhsvm --own-leaves yes", ["--own-leaves", "one node per example"]),
        ("--train train.svm --own-leaves maybe", ["--own-leaves", "auto"]),
    ] {
        folder.refusal(&train(flags), &parts);
    }
    folder.run(&train("--train two.svm --norm nhsvm --quiet")).success();
    // Among norms that held-out examples choose from, those that can have it.
    folder.run(&train("--train train.svm --norm nhsvm --alpha auto --own-leaves yes --quiet")).success();
}
