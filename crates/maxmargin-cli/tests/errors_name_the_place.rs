//! Every mistake of a user: exit code 2, a message that helps, nothing left behind.

use std::io::Write;

use crate::common::{Folder, rows};

#[test]
fn bad_data_is_refused() {
    let folder = Folder::new();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(rows(500).as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    for (task, name, content, parts) in [
        ("multiclass", "cut.gz", &packed[..packed.len() / 2], &["cut.gz"][..]),
        ("multiclass", "no-label", b"a 1:1\n1:1 2:1\n", &["no-label:2:1", "label"]),
        ("multiclass", "nan", b"a 1:1\nb 1:nan\n", &["nan:2:5"]),
        ("multiclass", "order", b"a 1:1\nb 3:1 2:1\n", &["order:2:7"]),
        ("chain", "qid", b"a qid:1 1:1\nb qid:2 1:1\na qid:1 1:1\n", &["qid:3"]),
        ("multiclass", "empty", b"", &["empty: ", "empty"]),
        ("multiclass", "one", b"a 1:1\na 2:1\n", &["fewer than two"]),
        ("chain", "rows", b"a 1:1\nb 2:1\n", &["no sequences", "qid"]),
    ] {
        folder.write(name, content);
        folder.refusal(&format!("train {task} --train {name} --model m --log l"), parts);
    }
    folder.refusal("train multiclass --train nowhere --model m", &["error: cannot read nowhere: "]);
}

#[test]
fn flags_of_training_are_named_as_such() {
    let folder = Folder::new();
    folder.write("rows.svm", rows(10));
    let compare = "compare solvers multiclass --train rows.svm";
    folder.refusal(&format!("{compare} --c-sum 1"), &["--c-sum is a flag of `maxmargin train`", "--lambdas"]);
    folder.refusal(&format!("{compare} --lambdas 1 --order 2"), &["--order is not a flag here", "chain"]);
}

/// Files of other programs are answered with what to make of them.
#[test]
fn formats_of_other_programs_have_a_remedy() {
    let folder = Folder::new();
    for (file, program) in [
        ("1 |words the:2 cat |shape short\n2 |words a\n", "Vowpal Wabbit"),
        ("__label__pet the cat sleeps\n__label__wild a fox runs away\n", "fastText"),
        ("{\"label\": \"pet\", \"text\": \"the cat\"}\n", "JSON"),
    ] {
        folder.write("data", file);
        folder.refusal("train multiclass --train data --lambda 1 --model m", &["data: ", program, "tabs"]);
    }
}

#[test]
fn bad_arguments_are_refused() {
    let folder = Folder::new();
    folder.write("costs", "red\n");
    let train = "train multiclass --train rows.svm --model m";
    for (arguments, parts) in [
        (format!("{train} --lambda 1 --c-sum 1"), &["cannot be used with"][..]),
        (format!("{train} --lambda 0"), &["--lambda", "above 0"]),
        (format!("{train} --gap nan"), &["--gap", "above 0"]),
        (format!("{train} --solver newton"), &["newton", "prox-p-bmrm"]),
        (format!("{train} --surrogate slick"), &["slick", "margin, slack, beta=B"]),
        (format!("{train} --surrogate beta=2"), &["between 0 and 1"]),
        (format!("{train} --surrogate general=0,1"), &["α − β must lie between 0 and 1"]),
        (format!("{train} --search angular"), &["slack rescaling only"]),
        (format!("{train} --surrogate slack --search fast"), &["fast", "stratified, hull"]),
        (format!("{train} --surrogate prob --solver bcfw"), &["convex", "sgd"]),
        (format!("{train} --loss huber"), &["cost=FILE"]),
        (format!("{train} --loss cost=costs"), &["costs:1", "three fields"]),
        (format!("{train} --folds 0"), &["has no folds"]),
        (format!("{train} --test-folds 0"), &["has no folds"]),
        (format!("{train} --threads 0"), &["--threads"]),
        (format!("{train} --labels rows.svm"), &["labels"]),
        (format!("{train} --format xls"), &["svmlight, crfsuite"]),
        (format!("{train} --pairs none"), &["unexpected argument '--pairs'", "the task multilabel has it"]),
        (format!("{train} --signed"), &["unexpected argument '--signed'", "the task multilabel has it"]),
        (format!("{train} --most-frequent-labels 2"), &["'--most-frequent-labels'", "the task multilabel has it"]),
        (format!("{train} --first 0"), &["--first"]),
        ("train ranking --train rows.svm --model m".into(), &["multiclass, chain, segmentation, parsing, multilabel"]),
        ("train chain --train tags.crf --model m --loss zero-one".into(), &["hamming"]),
        ("train multiclass --train rows.svm --model rows.svm".into(), &["rows.svm", "read as data"]),
        ("path multiclass --train rows.svm --model m --lambdas 1".into(), &["--validate"]),
        (
            "train multiclass --train rows.svm --model m --surrogate slack --solver extragradient".into(),
            &["extragradient needs the surrogate margin", "use bcfw"],
        ),
        (
            "train multilabel --train rows.svm --model m --solver small-qp".into(),
            &["small-qp needs the surrogate margin", "labels are flows in a network"],
        ),
        ("path multiclass --train rows.svm --model m --lambdas 1,x --validate rows.svm".into(), &["above 0"]),
        (
            "path multiclass --train rows.svm --model m --lambdas 1 --hold-out 1.5".into(),
            &["between 0 and 1"],
        ),
        (
            "path multiclass --train rows.svm --model m --lambdas 1 --hold-out 0.2 --validate rows.svm"
                .into(),
            &["cannot be used with"],
        ),
        (
            "path multiclass --train rows.svm --model m --lambdas 1 --hold-out 0.001".into(),
            &["nothing to validate on", "60 examples"],
        ),
        (
            "path multiclass --train rows.svm --model m --lambdas 1 --validate rows.svm --select micro_f2"
                .into(),
            &["no figure micro_f2", "error, accuracy, mean_loss, macro_f1"],
        ),
        (
            "path multiclass --train rows.svm --model m --lambdas 1 --validate rows.svm --refit".into(),
            &["--refit", "no training example is held out"],
        ),
        (
            "path chain --train tags.crf --model m --lambdas 1 --folds 0 --validate-folds 1 --first 2 --refit".into(),
            &["--refit", "leave out --first"],
        ),
    ] {
        folder.refusal(&arguments, parts);
    }
}

#[test]
fn bad_models_are_refused() {
    let folder = Folder::new();
    folder.output("train multiclass --train rows.svm --model good --quiet");
    let good = std::fs::read(folder.path("good")).unwrap();
    folder.write("half", &good[..good.len() / 2]);
    folder.write("text", "this is not a model at all\n");
    let header = br#"{"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}"#;
    let other = [&(header.len() as u64).to_le_bytes()[..], header, b"1"].concat();
    folder.write("other", other);
    for (model, part) in [
        ("half", "cut off"),
        ("text", "not a model"),
        ("other", "not of this program"),
        ("nowhere", "cannot read"),
    ] {
        folder.refusal(&format!("eval --model {model} --data rows.svm"), &[model, part]);
        folder.refusal(&format!("predict --model {model} --input rows.svm --output out"), &[model, part]);
        folder.refusal(&format!("inspect {model}"), &[model, part]);
        folder.refusal(
            &format!("train multiclass --train rows.svm --model m --warm-start {model}"),
            &[model, part],
        );
    }
    // A model of another task, or for other attributes.
    folder.refusal("eval --model good --data tags.crf", &["tags.crf", "names", "numbers"]);
    folder.output("train chain --train tags.crf --model chain --quiet");
    folder.refusal("predict --model chain --input rows.svm", &["rows.svm"]);
}

#[cfg(target_os = "linux")]
#[test]
fn places_that_cannot_be_written_are_refused() {
    let folder = Folder::new();
    folder.output("train multiclass --train rows.svm --model good --quiet");
    let train = "train multiclass --train rows.svm --quiet";
    for (arguments, parts) in [
        (format!("{train} --model no/such/m"), &["cannot write no/such/m", "there is no folder no/such"][..]),
        (format!("{train} --model ."), &["cannot write ."]),
        (format!("{train} --model /dev/full"), &["cannot write /dev/full"]),
        (format!("{train} --model m --log no/such/log"), &["cannot write no/such/log"]),
        ("predict --model good --input rows.svm --output /dev/full".into(), &["cannot write /dev/full"]),
        ("predict --model good --input rows.svm --output no/such/out".into(), &["no/such/out"]),
        (
            "path multiclass --train rows.svm --validate rows.svm --lambdas 1 --model no/m --quiet".into(),
            &["no/m"],
        ),
    ] {
        folder.refusal(&arguments, parts);
    }
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut predict = std::process::Command::new(assert_cmd::cargo::cargo_bin("maxmargin"));
    predict.args(["predict", "--model"]).arg(folder.path("good")).arg("--input").arg(folder.path("rows.svm"));
    assert_eq!(predict.stdout(full).status().unwrap().code(), Some(2));
}

#[cfg(unix)]
#[test]
fn a_reader_that_leaves_is_no_error() {
    let folder = Folder::new();
    folder.write("many.svm", rows(40_000));
    folder.output("train multiclass --train rows.svm --model m --quiet");
    let program = assert_cmd::cargo::cargo_bin("maxmargin");
    let script = format!(
        "{{ '{0}' predict --model m --input many.svm; echo code $? >&2; }} | head -1",
        program.display()
    );
    let output =
        std::process::Command::new("sh").args(["-c", &script]).current_dir(folder.path("")).output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "code 0\n");
}
