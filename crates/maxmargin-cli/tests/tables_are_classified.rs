//! Tables from the command line: columns are found by name, in training and for a model.

use crate::common;

use crate::common::Folder;

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
fn a_warm_start_takes_columns_for_what_they_were() {
    let folder = Folder::new();
    folder.write(
        "train.csv",
        "who,x,note,w,kind,code\na,1,?,1,red,1\nb,0,-,2,blue,2\nc,0.9,-,1,red,1\nd,0.1,?,1,blue,3\n",
    );
    let columns =
        "--label-columns kind --id-column who --ignore-columns note --weight-column w --text-columns code";
    folder.output(&format!("train multiclass --train train.csv {columns} --lambda 0.1 --model old --quiet"));
    let train = "train multiclass --train train.csv --lambda 0.1 --warm-start old --quiet --json";
    let summary = |more: &str, model: &str| -> serde_json::Value {
        serde_json::from_str(&folder.output(&format!("{train} {more} --model {model}"))).unwrap()
    };
    let (repeated, taken) = (summary(columns, "m"), summary("", "n"));
    assert_eq!((&repeated["dim"], &repeated["primal"]), (&taken["dim"], &taken["primal"]));
    let predict = |model: &str| folder.output(&format!("predict --model {model} --input train.csv"));
    assert_eq!(predict("m"), predict("n"));
    assert!(predict("n").starts_with("a\tred\n"), "{}", predict("n"));
}

#[test]
fn what_is_wrong_is_said() {
    let folder = Folder::new();
    folder.write("train.csv", COLOURS);
    folder.write("holes.csv", COLOURS.replace("0.2", ""));
    folder.write("few.csv", "x,kind\n1,red\n");
    folder.run("train multiclass --train train.csv --label-columns kind --model m --quiet").success();
    for (arguments, parts) in [
        ("train multiclass --train train.csv --model n", &["train.csv", "--label-columns"][..]),
        (
            "train multiclass --train train.csv --label-columns kind,\"x --model n",
            &["label-columns", "quote"],
        ),
        ("train multiclass --train rows.svm --id-column who --format svmlight --model n", &["id-column"]),
        (
            "train multiclass --train train.csv --label-columns kind --id-column z --model n",
            &["train.csv", "--id-column"],
        ),
        ("train multiclass --train train.csv --format csv --model n", &["train.csv", "--label-columns"]),
        (
            "train multiclass --train train.csv --label-columns x,kind --model n",
            &["train.csv", "labels are sets"],
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

/// Everything about columns is said once, in training: later files are read alike, whatever their names and columns hold.
#[test]
fn text_weights_and_names_go_round() {
    let folder = Folder::new();
    let people = "\"who, full\",age,job,w,\"kind, \"\"of\"\"\",remark\n\"A, 1\",30,cook,1,\"yes, sure\",\nB,50,clerk,2,no,x\nC,31,cook,1,\"yes, sure\",\nD,52,clerk,1,no,\n";
    folder.write("people.csv", people);
    folder.write("people.txt", people);
    folder.write("costs", "\"yes, sure\" no 3\n");
    let flags = "--ignore-columns remark --weight-column w --loss cost=costs --model m --lambda 0.01 --quiet";
    let columns = ["--label-columns", "\"kind, \"\"of\"\"\"", "--id-column", "who, full"];
    let train = format!("train multiclass --train people.csv {flags}");
    common::command(&folder.path(""), &train).args(columns).assert().success();
    let expected = "A, 1\tyes, sure\nB\tno\nC\tyes, sure\nD\tno\n";
    // What shows no format is what the model was trained on.
    for file in ["people.csv", "people.txt"] {
        assert_eq!(folder.output(&format!("predict --model m --input {file}")), expected);
    }
    assert!(folder.output("predict --model m --input people.csv --scores").contains("\tA, 1\nyes, sure\n"));
    let json = folder.output("predict --model m --input people.csv --json");
    assert!(json.starts_with("{") && json.contains("\"id\":\"A, 1\""), "{json}");
    assert!(folder.output("eval --model m --data people.csv --json").contains("\"error\":0.0"));
    folder.write("new.arff", "@relation r\n@attribute 'who, full' string\n@attribute remark date yyyy\n@attribute age real\n@attribute job {clerk,cook}\n@data\n'A, 9',1999,30,cook\nB,?,50,clerk\n");
    assert_eq!(folder.output("predict --model m --input new.arff"), "A, 9\tyes, sure\nB\tno\n");
    folder.write("new.tsv", "job\tage\npilot\t30\nclerk\t50\n");
    assert_eq!(folder.output("predict --model m --input new.tsv"), "yes, sure\nno\n");
}

/// A start from a model of other columns: those that it knows are changed as for it, new ones as the data says.
#[test]
fn columns_of_a_start_go_by_their_names() {
    let folder = Folder::new();
    let rows = |jobs: [&str; 3]| -> String {
        (0..30)
            .map(|i| format!("{},{},{},{}\n", i * 7 % 11, jobs[i % 3], i % 5, ["u", "v", "w"][i % 3]))
            .collect()
    };
    folder.write("old.csv", format!("x,job,y,l\n{}", rows(["a", "b", "c"])));
    folder.write(
        "new.csv",
        format!(
            "job,x,y,l\n{}",
            rows(["c", "new", "b"])
                .replace("w\n", "w\nb,100,1,w\n")
                .lines()
                .map(|line| {
                    let cells: Vec<&str> = line.split(',').collect();
                    if cells[0] == "b" {
                        format!("{line}\n")
                    } else {
                        format!("{},{},{},{}\n", cells[1], cells[0], cells[2], cells[3])
                    }
                })
                .collect::<String>()
        ),
    );
    for columns in ["--standardize", "--tf-idf", "--standardize --center --normalize"] {
        let flags = format!("--label-columns l {columns} --lambda 0.01 --gap 1e-4 --threads 1 --quiet");
        folder.run(&format!("train multiclass --train old.csv {flags} --model m")).success();
        folder
            .run(&format!("train multiclass --train new.csv {flags} --warm-start m --solver bmrm --model n"))
            .success();
        let predicted = folder.output("predict --model n --input new.csv");
        assert_eq!(predicted.lines().count(), 40, "{predicted}");
        // What is not said anew is as it was.
        let unsaid = flags.replace(columns, "");
        folder
            .run(&format!("train multiclass --train new.csv {unsaid} --warm-start m --solver bmrm --model o"))
            .success();
        assert!(
            std::fs::read(folder.path("n")).unwrap() == std::fs::read(folder.path("o")).unwrap(),
            "{columns}"
        );
    }
}

/// Counts are weighed alike by training, prediction, evaluation and a start from another model.
#[test]
fn weights_of_words_go_with_the_model() {
    let folder = Folder::new();
    let rows: String = (0..60usize)
        .map(|i| format!("{} {}:{} {}:1 9:{}\n", i % 3, i % 3 + 1, i % 4 + 1, 4 + i % 5, i % 7 + 1))
        .collect();
    folder.write("train.svm", &rows);
    let flags = "--log-counts --tf-idf --normalize --lambda 0.01 --gap 1e-6 --threads 1 --quiet";
    folder.run(&format!("train multiclass --train train.svm {flags} --model m")).success();
    let evaluated = folder.output("eval --model m --data train.svm --json");
    let predicted = folder.output("predict --model m --input train.svm");
    let truth = rows.lines().map(|line| &line[..1]);
    let wrong = truth.zip(predicted.lines()).filter(|(truth, found)| truth != found).count();
    assert!(evaluated.contains(&format!("\"error\":{:?}", wrong as f64 / 60.0)), "{evaluated} {wrong}");
    assert!(wrong < 10, "{wrong}");
    // One row has no statistics of its own.
    let first = rows.lines().next().unwrap();
    folder.write("one.svm", format!("{first}\n"));
    assert_eq!(folder.output("predict --model m --input one.svm").lines().next(), predicted.lines().next());
    let again = folder.output(&format!(
        "train multiclass --train train.svm {flags} --warm-start m --solver bmrm --model n --json"
    ));
    assert!(again.contains("\"stop\":\"gap reached\""), "{again}");
    folder.refusal(
        "train multiclass --train train.svm --tf-idf --lambda 0.01 --warm-start m --solver bmrm --model n",
        &["--warm-start", "log-counts"],
    );
    folder.write("half.svm", "1 1:0.5\n");
    folder.refusal("predict --model m --input half.svm", &["log-counts", "row 1", "0.5"]);
    assert!(folder.output("inspect m").contains("logarithmic counts, tf-idf, rows of length 1"));
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
