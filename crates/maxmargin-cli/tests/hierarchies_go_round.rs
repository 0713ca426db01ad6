//! Hierarchies from the command line: files, paths and headers, one node or several, and what is wrong with them.

use crate::common::Folder;
use serde_json::Value;

/// Rows whose labels are leaves of a small tree.
fn animals() -> String {
    let row = |i: usize| {
        let label = ["cat", "dog", "oak", "moss"][i % 4];
        let group = i % 4 / 2;
        format!("{label} {}:1 {}:1 {}:0.{}\n", 1 + group, 3 + i % 4, 7, i % 7)
    };
    (0..40).map(row).collect()
}

const TREE: &str = "life animal\nlife plant\nanimal cat\nanimal dog\nplant oak\nplant moss\nplant fern\n";

#[test]
fn a_file_goes_round() {
    let folder = Folder::new();
    folder.write("train.svm", animals());
    folder.write("tree.txt", TREE);
    let flags = "--hierarchy tree.txt --lambda 0.01 --model m";
    for norm in [
        "flat",
        "flat --weights seen",
        "hsvm",
        "hsvm --weights seen",
        "nhsvm",
        "nhsvm --alpha maxmin --weights seen --no-bias",
        "nhsvm --alpha rho=1.5,directed",
        "ssvm",
        "ssvm --weights seen",
        "ssvm --solver bmrm",
        "ssvm --loss normalized --alpha maxmin",
    ] {
        folder.run(&format!("train hierarchy --train train.svm {flags} --norm {norm} --quiet")).success();
        assert_eq!(folder.output("predict --model m --input train.svm").lines().next(), Some("cat"));
        let evaluated = folder.output("eval --model m --data train.svm --json");
        for part in
            ["\"accuracy\":1.0", "\"tree_distance\":0.0", "\"hierarchical_f1\":1.0", "\"hamming\":0.0"]
        {
            assert!(evaluated.contains(part), "{norm}: {evaluated}");
        }
        let shown = folder.output("inspect m");
        assert!(shown.contains("animal") && !shown.contains("NaN"), "{norm}: {shown}");
        folder.run("inspect m --json --label cat").success();
    }
    let train = "train hierarchy --train train.svm --hierarchy tree.txt --lambda 0.01 --model other";
    folder.refusal(&format!("{train} --alpha maxmin"), &["--alpha", "--norm hsvm"]);
    let two = folder.output("predict --model m --input train.svm --k-best 2");
    assert!(two.contains("cat") && two.contains("dog"), "{two}");
    assert!(folder.output("predict --model m --input train.svm --confidence").starts_with("cat"));
    // The tree is drawn, without the root and what no example has.
    let drawn = folder.output("inspect m");
    assert!(drawn.contains("\n  cat ") && drawn.contains("\nanimal "), "{drawn}");
    assert!(!drawn.contains("fern") && !drawn.contains("life"), "{drawn}");
}

/// The tree is drawn to files, and with data also what became of its nodes.
#[test]
fn trees_are_drawn() {
    let folder = Folder::new();
    folder.write("train.svm", animals());
    folder.write("tree.txt", TREE);
    // One of the cats is called a dog.
    folder.write("test.svm", animals().replacen("cat", "dog", 1));
    let flags = "--hierarchy tree.txt --lambda 0.01 --norm nhsvm --model m --quiet";
    folder.run(&format!("train hierarchy --train train.svm {flags}")).success();
    folder.run("inspect m --plot tree.svg").success();
    let svg = std::fs::read_to_string(folder.path("tree.svg")).unwrap();
    assert!(svg.contains("animal") && svg.contains("moss") && !svg.contains("missed"), "{svg}");
    folder.run("eval --model m --data test.svm --plot errors.svg").success();
    let svg = std::fs::read_to_string(folder.path("errors.svg")).unwrap();
    assert!(svg.contains("missed") && svg.contains("wrong"), "{svg}");
    let table = folder.output("eval --model m --data test.svm --per-label");
    let line = |name: &str| {
        let line = table.lines().rev().find(|line| line.trim_start().starts_with(name)).unwrap_or_default();
        line.split_whitespace().rev().take(2).map(str::to_owned).collect::<Vec<_>>()
    };
    // Wrong, then missed.
    assert_eq!(
        (line("cat"), line("dog"), line("oak")),
        (vec!["1".into(), "0".into()], vec!["0".into(), "1".into()], vec!["0".into(), "0".into()]),
        "{table}"
    );
    folder.write("flat.svm", "a 1:1\nb 2:1\n");
    folder.run("train multiclass --train flat.svm --lambda 1 --model flat --quiet").success();
    folder.refusal("inspect flat --plot tree.svg", &["--plot", "multiclass"]);
    folder.refusal("eval --model flat --data flat.svm --plot x.svg", &["--confidence-bins"]);
}

#[test]
fn rules_are_chosen_with_lambda() {
    let folder = Folder::new();
    folder.write("train.svm", animals());
    folder.write("tree.txt", TREE);
    let train =
        "train hierarchy --train train.svm --hierarchy tree.txt --norm nhsvm --alpha auto --cv 3 --model";
    let output = folder.run(&format!("{train} m")).success().get_output().clone();
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(err.matches("| chosen |").count(), 1, "{err}");
    for rule in ["rho=2", "maxmin", "rho=2,directed", "rho=1.5", "hsvm", "flat"] {
        assert!(
            err.contains(&format!("\n| {rule} ")) && err.contains(&format!("choosing λ: {rule}, ")),
            "{err}"
        );
    }
    let found: serde_json::Value =
        serde_json::from_str(&folder.output(&format!("{train} j --json --quiet --solver bcfw"))).unwrap();
    let choice = &found["lambda_choice"];
    let rule = choice["variant"].as_str().unwrap();
    assert!(out.contains(&format!("with {rule}, of 5 others")), "{out}");
    assert!(choice["tried"].as_array().unwrap().iter().all(|tried| tried["variant"].is_string()), "{choice}");
    let norm =
        if ["hsvm", "flat"].contains(&rule) { rule.to_owned() } else { format!("nhsvm --alpha {rule}") };
    let train = "train hierarchy --train train.svm --hierarchy tree.txt --quiet";
    folder.run(&format!("{train} --norm {norm} --lambda {} --model n", found["lambda"])).success();
    let [chosen, named] = ["m", "n"].map(|model| std::fs::read(folder.path(model)).unwrap());
    assert!(chosen == named, "the models differ");
    let path = "path hierarchy --train train.svm --hierarchy tree.txt --hold-out 0.2 --model p";
    folder.refusal(&format!("{path} --norm nhsvm --alpha auto"), &["--alpha", "name a rule"]);
    folder.refusal(&format!("{train} --norm ssvm --alpha auto --model q"), &["--alpha", "ssvm"]);
    folder.refusal(&format!("{train} --norm nhsvm --alpha best --model q"), &["--alpha", "no rule", "auto"]);
    folder.refusal(&format!("{train} --norm nhsvm --alpha maxmn --model q"), &["did you mean maxmin?"]);
}

#[test]
fn shared_norms_go_on_after_a_break() {
    let folder = Folder::new();
    folder.write("train.svm", animals());
    folder.write("tree.txt", TREE);
    for flags in ["--norm ssvm", "--norm ssvm --weights seen --solver bmrm"] {
        let train = format!(
            "train hierarchy --train train.svm --hierarchy tree.txt {flags} --lambda 0.01 --gap 1e-4 --quiet"
        );
        folder.run(&format!("{train} --model whole")).success();
        folder.run(&format!("{train} --model broken --checkpoint state --max-passes 4")).success();
        folder.run(&format!("{train} --model broken --checkpoint state --resume")).success();
        let [whole, broken] = ["whole", "broken"].map(|model| std::fs::read(folder.path(model)).unwrap());
        assert!(whole == broken, "{flags}");
        std::fs::remove_dir_all(folder.path("state")).unwrap();
    }
    // What cannot be done with it is said.
    let train = "train hierarchy --train train.svm --hierarchy tree.txt --lambda 1 --model m --norm ssvm";
    folder.refusal(&format!("{train} --solver sgd"), &["shared norm", "bcfw"]);
    folder.refusal(&format!("{train} --loss normalized --label-count many"), &["--loss", "leaves"]);
}

#[test]
fn lambda_is_chosen_with_weights_of_seen_pairs() {
    let folder = Folder::new();
    folder.write("train.svm", animals());
    folder.write("tree.txt", TREE);
    for norm in ["hsvm", "ssvm"] {
        let flags = format!("--hierarchy tree.txt --norm {norm} --weights seen --model m --json");
        let trained = folder.output(&format!("train hierarchy --train train.svm {flags}"));
        assert!(trained.contains("\"lambda\""), "{trained}");
        assert!(folder.output("eval --model m --data train.svm --json").contains("\"accuracy\":1.0"));
    }
}

#[test]
fn labels_that_a_model_does_not_know_are_near_or_far() {
    let folder = Folder::new();
    folder.write("train.svm", animals());
    folder.write("tree.txt", TREE);
    folder.write("test.svm", "fern 2:1 5:1\ncat 1:1 3:1\n");
    folder
        .run("train hierarchy --train train.svm --test test.svm --hierarchy tree.txt --lambda 0.01 --model m --quiet")
        .success();
    let evaluated = folder.output("eval --model m --data test.svm --json");
    // Of plant and fern the model finds plant, and oak or moss is wrong: 3 of 4 predicted nodes, 3 of 4 true ones.
    for part in
        ["\"accuracy\":0.5", "\"hierarchical_f1\":0.75", "\"tree_distance\":1.0", "\"unseen_labels\":1"]
    {
        assert!(evaluated.contains(part), "{part}: {evaluated}");
    }
    // Of a label that no file names nothing is known but that it is there. A test on the way says the same.
    folder.write("test.svm", "fern 2:1 5:1\ncat 1:1 3:1\nelk 1:1\n");
    let evaluated: Value =
        serde_json::from_str(&folder.output("eval --model m --data test.svm --json")).unwrap();
    let train =
        "train hierarchy --train train.svm --test test.svm --hierarchy tree.txt --lambda 0.01 --model n";
    let trained: Value = serde_json::from_str(&folder.output(&format!("{train} --quiet --json"))).unwrap();
    for (figure, value) in trained["test"].as_object().unwrap() {
        assert_eq!(&evaluated[figure], value, "{figure}");
    }
    // The hierarchy is described once, and not where nothing is to be said.
    let said = |flags: &str| {
        String::from_utf8(folder.run(&format!("{train} {flags}")).success().get_output().stderr.clone())
            .unwrap()
    };
    assert_eq!(said("").matches("hierarchy: a tree of").count(), 1);
    assert!(!said("--quiet").contains("hierarchy: "));
}

#[test]
fn a_start_goes_by_the_names_of_nodes() {
    let folder = Folder::new();
    folder.write("train.svm", animals());
    folder.write("more.svm", animals() + "fern 2:1 6:1 7:0.5\nfern 2:1 6:1 7:0.25\n");
    folder.write("tree.txt", TREE);
    let train = "train hierarchy --hierarchy tree.txt --lambda 0.01 --gap 1e-6 --threads 1 --quiet --json";
    let primal = |arguments: &str| -> f64 {
        let found: Value = serde_json::from_str(&folder.output(&format!("{train} {arguments}"))).unwrap();
        found["primal"].as_f64().unwrap()
    };
    for norm in ["hsvm", "nhsvm", "flat", "ssvm"] {
        for (before, after) in [("all", "all"), ("seen", "seen"), ("seen", "all"), ("all", "seen")] {
            let flags = |weights: &str| format!("--norm {norm} --weights {weights}");
            let place = format!("{norm} from {before} to {after}");
            let optimal = primal(&format!("--train train.svm --model old {}", flags(before)));
            let one_pass =
                format!("{} --warm-start old --solver bmrm --max-passes 1 --model new", flags(after));
            // The same problem is solved from the start where it has the same weights.
            if before == after || (before, after) == ("seen", "all") {
                let warm = primal(&format!("--train train.svm {one_pass}"));
                assert!(warm <= optimal * (1.0 + 1e-9), "{place}: {warm} after {optimal}");
            }
            // A new node is no hindrance, and what was known of others is of use.
            let warm = primal(&format!("--train more.svm {one_pass}"));
            let cold = primal(&format!(
                "--train more.svm {} --solver bmrm --max-passes 1 --model cold",
                flags(after)
            ));
            assert!(warm < cold, "{place}: {warm} against {cold}");
        }
    }
    let other = format!("{train} --train more.svm --norm flat --warm-start old --model new");
    folder.refusal(&other, &["--warm-start", "the same options as then"]);
}

#[test]
fn names_with_an_at_are_names_where_they_are_known() {
    let folder = Folder::new();
    folder.write("tree.txt", "r x@y\nr b\nr c\n");
    folder.write("rows.csv", "f,g,h,kind\n1,0,0,x@y\n0,1,0,b\n1,0.5,0,x@y\n0,0,1,c@b\n0,0,1.5,c@b\n");
    folder.write("rows.svm", "x@y 1:1\nb 2:1\nx@y 1:1 2:0.5\n");
    let train = "train hierarchy --hierarchy tree.txt --lambda 0.01 --model m --quiet --train";
    folder.output(&format!("{train} rows.csv --label-columns kind"));
    let found = folder.output("predict --model m --input rows.csv");
    assert_eq!(found.lines().collect::<Vec<_>>(), ["x@y", "b", "x@y", "b,c", "b,c"]);
    assert!(folder.output("eval --model m --data rows.csv --json").contains("\"unseen_labels\":0"));
    folder.output(&format!("{train} rows.svm"));
    assert_eq!(folder.output("predict --model m --input rows.svm"), "x@y\nb\nx@y\n");
}

#[test]
fn names_of_nodes_are_those_of_a_file() {
    let folder = Folder::new();
    let numbers = ["cat", "dog", "oak", "moss"];
    let numbered =
        numbers.iter().enumerate().fold(animals(), |text, (i, name)| text.replace(name, &i.to_string()));
    folder.write("train.svm", numbered);
    folder.write("tree.txt", TREE);
    folder.write("names.txt", "0 cat\n1 dog\n2 oak\n3 moss\n");
    let files = "--hierarchy tree.txt --node-names names.txt";
    folder
        .run(&format!("train hierarchy --train train.svm {files} --lambda 0.01 --model m --quiet"))
        .success();
    assert_eq!(folder.output("predict --model m --input train.svm").lines().nth(1), Some("dog"));
    assert!(folder.output("eval --model m --data train.svm --json").contains("\"accuracy\":1.0"));
}

#[test]
fn paths_need_no_file_and_sets_are_found() {
    let folder = Folder::new();
    let row = |i: usize| {
        let label = ["a/b", "a/c,d", "d/e", "a/b,d/e"][i % 4];
        let has = |part: &str| usize::from(label.split(',').any(|path| path.starts_with(part)));
        format!("{label} 1:{} 2:{} 3:{} 4:{} 5:0.{}\n", has("a/b"), has("a/c"), has("d"), has("d/e"), i % 5)
    };
    folder.write("train.svm", (0..40).map(row).collect::<String>());
    folder.run("train hierarchy --train train.svm --lambda 0.001 --model m --quiet").success();
    let predicted = folder.output("predict --model m --input train.svm");
    assert_eq!(predicted.lines().take(4).collect::<Vec<_>>(), ["a/b", "a/c,d", "d/e", "a/b,d/e"]);
    let evaluated = folder.output("eval --model m --data train.svm --json");
    for part in ["\"accuracy\":1.0", "\"au_prc\":1.0", "\"au_prc_average\":1.0", "\"au_prc_weighted\":1.0"] {
        assert!(evaluated.contains(part), "{part}: {evaluated}");
    }
    // What it predicts is read again as labels, closed or not.
    let sure = folder.output("predict --model m --input train.svm --confidence");
    assert!(!sure.is_empty());
    folder.run("train hierarchy --train train.svm --label-count many --norm nhsvm --lambda 0.001 --model m --quiet").success();
    folder.output("inspect m --json");
}

#[test]
fn headers_of_clus_declare_trees_and_graphs() {
    let folder = Folder::new();
    let rows = |labels: [&str; 3]| -> String {
        (0..30).map(|i| format!("{},{},{}\n", i % 3, (i * i) % 5, labels[i % 3])).collect()
    };
    let header = |list: &str| {
        format!(
            "@relation x\n@attribute p numeric\n@attribute q numeric\n@attribute class hierarchical {list}\n@data\n"
        )
    };
    let tree = "1,1/2,1/2/3,4,4/5,9";
    folder.write("tree.arff", header(tree) + &rows(["1/2/3", "4/5@1/2", "4"]));
    let graph = "root/a,root/b,a/c,b/c,c/d,b/e";
    folder.write("graph.arff", header(graph) + &rows(["d", "e@a", "b"]));
    for (file, nodes) in [("tree.arff", 5), ("graph.arff", 5)] {
        folder.run(&format!("train hierarchy --train {file} --lambda 0.01 --model m --quiet")).success();
        let inspected = folder.output("inspect m --json");
        let parents = inspected.split("\"parents\":").nth(1).unwrap();
        let lists = parents[..parents.find("]]").unwrap()].matches('[').count() - 1;
        assert_eq!(lists, nodes, "{inspected}");
        let evaluated = folder.output(&format!("eval --model m --data {file} --json"));
        assert!(evaluated.contains("\"au_prc\":"), "{evaluated}");
    }
    folder.refusal(
        "train multiclass --train tree.arff --model n",
        &["tree.arff:4", "hierarchical", "task hierarchy"],
    );
}

/// Levels in columns of their own, as other programs have them, are answered with how they are written here.
#[test]
fn levels_go_into_one_column() {
    let folder = Folder::new();
    folder.write("levels.csv", "size,kind,animal\n1,pet,cat\n2,pet,dog\n3,wild,fox\n");
    folder.refusal(
        "train hierarchy --train levels.csv --label-columns kind,animal --lambda 1 --model m",
        &["levels.csv:2:3", "`kind` is `pet`", "a path a/b/c"],
    );
}

#[test]
fn what_is_wrong_has_a_line() {
    let folder = Folder::new();
    folder.write("train.svm", animals());
    folder.write("strange.svm", animals() + "elk 1:1\n");
    folder.write("slip.svm", "animl 1:1\n");
    folder.write("numbers.svm", "1 1:1\n2 2:1\n");
    folder.write("inner.svm", animals() + "plant 2:1\n");
    folder.write("two.svm", animals() + "cat,oak 2:1\n");
    folder.write("tree.txt", TREE);
    folder.write("cycle.txt", "life animal\nanimal cat\ncat animal\n");
    folder.write("parents.txt", format!("{TREE}animal moss\n"));
    folder.write("one.txt", "life animal\nanimal\n");
    folder.write("wrong.names", "0 cat\n1 lion\n");
    folder.write("empty.svm", "a//b 1:1\na/c 2:1\n");
    folder.write("paths.svm", "a/b 1:1\na/c 2:1\n");
    let header = |list: &str| {
        format!("@relation x\n@attribute p numeric\n@attribute class hierarchical {list}\n@data\n")
    };
    folder.write("cycle.arff", header("root/a,root/b,a/c,c/a") + "1,c\n2,b\n");
    folder.write("strange.arff", header("a,a/b,a/c") + "1,a/b\n2,a/e\n");
    folder.write("missing.arff", header("a,a/b,a/c") + "1,a/b\n2,a/c@\n");
    let train = |flags: &str| format!("train hierarchy --lambda 0.1 --model m {flags}");
    for (flags, parts) in [
        ("--train train.svm", &["--hierarchy", "no paths"][..]),
        ("--train train.svm --hierarchy cycle.txt", &["cycle.txt:3", "a cycle: `animal` > `cat` > `animal`"]),
        ("--train train.svm --hierarchy parents.txt", &["parents.txt:8", "`moss`", "line 6", "--dag"]),
        ("--train train.svm --hierarchy one.txt", &["one.txt:2", "two fields"]),
        ("--train train.svm --hierarchy none.txt", &["none.txt"]),
        ("--train strange.svm --hierarchy tree.txt", &["strange.svm:41:1", "`elk` is no node"]),
        ("--train slip.svm --hierarchy tree.txt", &["slip.svm:1:1", "did you mean animal?"]),
        ("--train numbers.svm --hierarchy tree.txt", &["`1` is no node", "--node-names"]),
        ("--train train.svm --hierarchy tree.txt --node-names wrong.names", &["wrong.names:2", "`lion`"]),
        ("--train train.svm --node-names wrong.names", &["--node-names", "--hierarchy"]),
        (
            "--train inner.svm --hierarchy tree.txt --inner no",
            &["--inner", "example 41", "`plant`", "--inner yes"],
        ),
        ("--train two.svm --hierarchy tree.txt --label-count one", &["example 41", "--label-count many"]),
        ("--train train.svm --hierarchy tree.txt --norm nhsvm --alpha rho=1", &["--alpha", "rho=R"]),
        ("--train train.svm --hierarchy tree.txt --norm flat --loss nodes", &["--loss", "zero-one"]),
        ("--train two.svm --hierarchy tree.txt --loss zero-one", &["--loss", "nodes and leaves"]),
        ("--train train.svm --hierarchy tree.txt --norm fat", &["--norm", "flat"]),
        ("--train cycle.arff", &["cycle.arff:3", "a cycle: `a` > `c` > `a`"]),
        ("--train strange.arff", &["strange.arff:6:3", "`a/e` is no node"]),
        ("--train missing.arff", &["missing.arff:6:3", "a label is missing in `a/c@`"]),
        ("--train empty.svm", &["a label of the data", "`a//b` has an empty part"]),
        ("--train paths.svm --dag", &["--dag", "paths have one parent each", "leave it out"]),
        (
            "--train train.svm --hierarchy tree.txt --norm nhsvm --alpha-limit 1.2",
            &["--alpha-limit", "in a tree", "leave it out"],
        ),
        (
            "--train train.svm --hierarchy tree.txt --tune-threshold micro_f1",
            &["--tune-threshold: hierarchy has no thresholds", "multilabel"],
        ),
    ] {
        folder.refusal(&train(flags), parts);
    }
    // Several parents are no fault where they are meant.
    folder.run(&train("--train train.svm --hierarchy parents.txt --dag --quiet")).success();
    folder.run(&train("--train inner.svm --hierarchy tree.txt --quiet")).success();
}
