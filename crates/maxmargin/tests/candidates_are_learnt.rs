//! Promise: candidates for labels are read as they are written, what is put in their place is one of them, and learning from them ends with
//! completions at rest, under an objective that never rose and bounds that hold.

use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;

use maxmargin::data::{Completion, Format, ReadOptions, TaskData, UNKNOWN_LABEL};
use maxmargin::solver::{Halt, SolverKind, Stop};
use maxmargin::surrogate::Surrogate;
use maxmargin::tasks::{
    Hierarchy, HierarchyExamples, LabelSetExamples, RowExamples, Segmentation, SequenceExamples, TaskObject,
};
use maxmargin::training::{
    CandidateMethod, CandidateStart, Candidates, CheckpointPlan, Event, Stage, Trained, Turn,
};
use maxmargin::{Chain, Error, Examples, Model, Multiclass, Multilabel, Trainer};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

fn read(task: &dyn TaskObject, name: &str, text: &str, candidates: bool) -> Result<Examples, Error> {
    let folder = tempfile::tempdir().expect("a folder");
    let file: PathBuf = folder.path().join(name);
    std::fs::write(&file, text).expect("a file");
    let format = name.ends_with(".txt").then_some(Format::Conll);
    let options = ReadOptions { candidates, format, ..ReadOptions::default() };
    Examples::read_files(task, &[file], &options)
}

/// Columns of text: names of three kinds, of which some are also used otherwise. Lists hold the truth, and often another label.
fn sentences(count: usize, seed: u64, label: impl Fn(&str, f64, &mut Pcg64Mcg) -> String) -> String {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let words = [
        ("Anna", "PER"),
        ("Ulm", "LOC"),
        ("sees", "O"),
        ("York", "LOC"),
        ("Bela", "PER"),
        ("in", "O"),
        ("Rose", "PER"),
    ];
    let mut text = String::new();
    for _ in 0..count {
        for _ in 0..random.random_range(2..6) {
            let (word, truth) = words[random.random_range(0..words.len())];
            let truth = if word == "Rose" && random.random_bool(0.3) { "O" } else { truth };
            let dice = random.random();
            writeln!(text, "{word} {}", label(truth, dice, &mut random)).expect("text");
        }
        text.push('\n');
    }
    text
}

fn with_lists(count: usize, seed: u64) -> String {
    sentences(count, seed, |truth, dice, random| {
        let other = ["PER", "LOC", "O"][random.random_range(0..3)];
        match dice {
            dice if dice < 0.4 => truth.to_owned(),
            dice if dice < 0.5 => "_".to_owned(),
            dice if dice < 0.7 => format!("{other}|{truth}|{truth}"),
            _ => format!("{other}|{truth}"),
        }
    })
}

fn trained(trainer: &Trainer, examples: &Examples) -> (Trained, Vec<Turn>) {
    let mut told = Vec::new();
    let training = trainer.prepare(examples).expect("it fits");
    let trained = training.run(&Halt::default(), |event| {
        if let Event::Turn(turn) = event {
            told.push(*turn);
        }
        ControlFlow::Continue(())
    });
    (trained.expect("it is trained"), told)
}

#[test]
fn lists_are_read_as_they_are_written() {
    let text = "He O|O\nmet B-PER|I-PER|B-PER\nhim _\n\nX ?\nY O\n";
    let examples = read(&Chain::default(), "a.txt", text, true).expect("it fits");
    assert!(examples.names().labels.iter().eq(["B-PER", "I-PER", "O"]));
    let data = examples.data().of_type::<SequenceExamples>().expect("sequences");
    let candidates = data.candidates().expect("they were read");
    let lists: Vec<&[u32]> = (0..5).map(|row| candidates.of(row)).collect();
    assert_eq!(lists, [&[2, 2][..], &[0, 1, 0], &[], &[], &[2]]);
    assert_eq!(TaskData::labels(data), [2, UNKNOWN_LABEL, UNKNOWN_LABEL, UNKNOWN_LABEL, 2]);
    assert_eq!(candidates.counts(), [2, 1, 2]);
    let second = TaskData::subset(data, &[1]).expect("it exists");
    assert_eq!(second.candidates().expect("still there").counts(), [1, 0, 1]);
    assert_ne!(TaskData::fingerprint(data), {
        let other = read(&Chain::default(), "a.txt", &text.replace("I-PER|B-PER", "I-PER|I-PER"), true);
        other.expect("it fits").data().fingerprint()
    });
    // Without the option a list is a label like any other.
    let plain = read(&Chain::default(), "a.txt", text, false).expect("it fits");
    assert_eq!(plain.names().labels.len(), 5);
    // Other formats have lists too.
    let rows = read(&Multiclass::default(), "a.svm", "a|b 1:1\n_ 1:2\nb 2:1\n", true).expect("it fits");
    let rows = rows.data().of_type::<RowExamples>().expect("rows");
    assert_eq!(rows.candidates().map(|rows| rows.counts()), Some([1, 1, 1]));
}

#[test]
fn errors_name_the_place_and_the_remedy() {
    for (text, place, part) in [
        ("a O\nb O|\n", (2, 5), "an empty candidate in `O|`"),
        ("a O\n\nb |O\n", (3, 3), "one | between them"),
        ("a O||B-X\n", (1, 5), "_ stands for any label"),
        ("a O|_\n", (1, 5), "any label goes alone"),
        ("a |\n", (1, 3), "an empty candidate in `|`"),
        ("a B-X||O\n", (1, 7), "an empty candidate in `B-X||O`"),
    ] {
        match read(&Chain::default(), "a.txt", text, true) {
            Err(Error::Data { place: found, problem }) => {
                assert_eq!((found.line, found.column), place, "{text:?}: {problem}");
                assert!(problem.contains(part), "{problem}");
            }
            other => panic!("{text:?} gave {other:?}"),
        }
    }
    let refused = read(&Segmentation::default(), "a.txt", "a B-X\nb O\n", true).expect_err("cuts have none");
    assert!(refused.to_string().contains("chain, multiclass, multilabel and hierarchy do"), "{refused}");

    // What is known to a model is fixed.
    let examples = read(&Chain::default(), "a.txt", &with_lists(20, 1), true).expect("it fits");
    let trainer = Trainer::new(Chain::default()).lambda(0.1).candidates(Candidates::default());
    let model = trainer.train(&examples).expect("a model");
    let folder = tempfile::tempdir().expect("a folder");
    let (saved, file) = (folder.path().join("m.model"), folder.path().join("new.txt"));
    model.save(&saved).expect("it is saved");
    let model = Model::load(&saved).expect("it is there");
    let read_more = |text: &str| {
        std::fs::write(&file, text).expect("a file");
        let known = model.known();
        let task = known.task.task();
        known.read(task.as_ref(), std::slice::from_ref(&file), &ReadOptions::default())
    };
    let refused = read_more("Anna PER|LOC\nUlm LOC|ORG\n").expect_err("there is no ORG").to_string();
    assert!(refused.contains(":2:9") && refused.contains("`ORG` is no label of the model"), "{refused}");
    let refused = read_more("Anna PER|\n").expect_err("an empty candidate").to_string();
    assert!(refused.contains(":1:10") && refused.contains("an empty candidate"), "{refused}");
    assert!(read_more("Anna PER|LOC\nUlm ORG\n").is_ok(), "a strange label alone is as ever");
    assert!(read_more("Anna\nUlm\n").is_ok(), "without labels");
}

/// Bounds hold, the objective never rises, completions rest in the end, whatever the solver and the start.
#[test]
fn turns_never_raise_the_objective() {
    let examples = read(&Chain::default(), "a.txt", &with_lists(60, 2), true).expect("it fits");
    let mut changes = 0;
    for method in [CandidateMethod::Cllp, CandidateMethod::Mms] {
        for solver in [SolverKind::Bcfw, SolverKind::Bmrm, SolverKind::NSlack] {
            for start in [
                CandidateStart::Known,
                CandidateStart::Completed(Completion::Random),
                CandidateStart::Completed(Completion::First),
            ] {
                // A coarse gap: a turn may not lose what the one before it found.
                for gap in [0.2, 1e-4] {
                    let candidates = Candidates { method, start, ..Candidates::default() };
                    let trainer = Trainer::new(Chain::default())
                        .lambda(0.5)
                        .gap(gap)
                        .solver(solver)
                        .candidates(candidates);
                    let (trained, told) = trained(&trainer, &examples);
                    assert_eq!(told, trained.turns);
                    assert_eq!(trained.stop, Stop::GapReached);
                    let name = format!("{method}, {solver}, {start}, {gap}: {told:?}");
                    assert_eq!(told[0].stage, Stage::Known, "{name}");
                    assert_eq!(told.last().map(|turn| turn.changed), Some(0), "{name}");
                    for pair in told.windows(2).filter(|pair| pair[0].stage == pair[1].stage) {
                        assert!(pair[1].certificate.primal <= pair[0].certificate.primal, "{name}");
                        assert_eq!(pair[1].turn, pair[0].turn + 1, "{name}");
                        changes += pair[0].changed;
                    }
                    for turn in &told {
                        assert!(turn.certificate.lower_bound <= turn.certificate.primal, "{name}");
                        assert!(turn.certificate.gap().0 <= gap, "{name}");
                    }
                    let last = told[told.len() - 1];
                    assert_eq!(
                        (trained.model.certificate(), last.stage),
                        (last.certificate, Stage::Own),
                        "{name}"
                    );
                }
            }
        }
    }
    assert!(changes > 0, "nothing ever changed");
}

/// Where there is no choice it is ordinary training.
#[test]
fn without_a_choice_it_is_ordinary_training() {
    let text = sentences(40, 3, |truth, _, _| truth.to_owned());
    let [with, without] =
        [true, false].map(|candidates| read(&Chain::default(), "a.txt", &text, candidates).expect("it fits"));
    let trainer = || Trainer::new(Chain::default()).lambda(0.1).gap(1e-5);
    let ordinary = trainer().train(&without).expect("a model").certificate();
    for method in CandidateMethod::NAMES {
        let candidates = Candidates { method: method.parse().expect("a method"), ..Candidates::default() };
        let own = trainer().candidates(candidates).train(&with).expect("a model").certificate();
        assert!(
            own.lower_bound <= ordinary.primal && ordinary.lower_bound <= own.primal,
            "{method}: {own:?}"
        );
    }
}

#[test]
fn baselines_are_ordinary_training_on_completed_labels() {
    let text = with_lists(40, 4);
    let examples = read(&Chain::default(), "a.txt", &text, true).expect("it fits");
    let names = &examples.names().labels;
    for how in [Completion::First, Completion::Majority, Completion::Random] {
        let data = examples.data().of_type::<SequenceExamples>().expect("sequences");
        let mut labels =
            data.candidates().expect("they are there").completed(how, 3, 7).expect("labels").into_iter();
        let completed: String = text
            .lines()
            .map(|line| match line.split_once(' ') {
                Some((word, _)) => format!("{word} {}\n", names.name(labels.next().expect("a label"))),
                None => "\n".to_owned(),
            })
            .collect();
        let plain = read(&Chain::default(), "a.txt", &completed, false).expect("it fits");
        let trainer = || Trainer::new(Chain::default()).lambda(0.1).seed(7);
        let candidates = Candidates { method: CandidateMethod::Completed(how), ..Candidates::default() };
        let [own, other] = [trainer().candidates(candidates).train(&examples), trainer().train(&plain)]
            .map(|model| model.expect("a model").weights().to_vec());
        assert_eq!(own, other, "{how}");
    }
}

/// Where the other candidate is always the same one, what is known elsewhere tells which of them is right.
#[test]
fn truth_is_found_among_candidates() {
    let test = read(&Chain::default(), "b.txt", &sentences(200, 9, |truth, _, _| truth.to_owned()), false);
    let test = test.expect("it fits");
    let test = test.data().of_type::<SequenceExamples>().expect("sequences").clone();
    let truth: Vec<String> =
        TaskData::labels(&test).iter().map(|&label| ["LOC", "O", "PER"][label as usize].to_owned()).collect();
    let mistakes = |examples: &Examples, method: &str| {
        let (method, start) = (method.parse().expect("a method"), CandidateStart::Known);
        let candidates = Candidates { method, start, ..Candidates::default() };
        let model = Trainer::new(Chain::default())
            .lambda(0.05)
            .candidates(candidates)
            .train(examples)
            .expect("a model");
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("b.txt");
        std::fs::write(&file, sentences(200, 9, |truth, _, _| truth.to_owned())).expect("a file");
        let known = model.known();
        let data =
            known.read(known.task.task().as_ref(), &[file], &ReadOptions::default()).expect("it fits").data;
        let predicted = model.predict(data.as_ref(), 1).expect("predictions");
        let predicted = predicted.iter().flat_map(|best| best[0].names());
        predicted.zip(&truth).filter(|(own, truth)| own != *truth).count()
    };
    let lists = sentences(150, 5, |truth, dice, _| match dice {
        dice if dice < 0.3 => truth.to_owned(),
        _ => format!("O|{truth}"),
    });
    let examples = read(&Chain::default(), "a.txt", &lists, true).expect("it fits");
    let (cllp, first) = (mistakes(&examples, "cllp"), mistakes(&examples, "first"));
    assert!(cllp * 2 < first, "{cllp} mistakes of cllp, {first} of first");

    // Rows alone, too.
    let rows = "a|b 1:1\na|c 1:1\nb 2:1\nb|c 2:1\nc|a 3:1\nc 3:1\n_ 3:1\n";
    let rows = read(&Multiclass::default(), "a.svm", rows, true).expect("it fits");
    let trainer = Trainer::new(Multiclass::default()).lambda(0.05).candidates(Candidates::default());
    let model = trainer.train(&rows).expect("a model");
    let predicted = model.predict(rows.data(), 1).expect("predictions");
    let names: Vec<&str> = predicted.iter().map(|best| best[0].names()[0]).collect();
    assert_eq!(names, ["a", "a", "b", "b", "c", "c", "c"]);
}

/// Rows with one node of a hierarchy each: turns end, lists are learnt from, and nodes that nothing names are no answers.
#[test]
fn nodes_of_a_hierarchy_have_candidates() {
    let text =
        "a/b|a/c 1:1\na/b 1:1\nd/e|a/b 2:1\nd/e 2:1\nd/f 3:1\nd/e|d/f|d/f 3:1\n? 1:1\na/c|a/b|a/c 4:1\n";
    let task = Hierarchy::default();
    let examples = read(&task, "a.svm", text, true).expect("it fits");
    let data = examples.data().of_type::<HierarchyExamples>().expect("nodes");
    assert_eq!(data.candidates().map(|rows| rows.counts()), Some([3, 4, 1]));
    let second = TaskData::subset(data, &[2, 6]).expect("they exist");
    assert_eq!(second.candidates().expect("still there").counts(), [0, 1, 1]);
    let other = read(&task, "a.svm", &text.replace("a/c|a/b|a/c", "a/b|a/c|a/c"), true).expect("it fits");
    assert_ne!(examples.data().fingerprint(), other.data().fingerprint());
    for method in CandidateMethod::NAMES {
        for weights in ["all", "seen"] {
            let mut task = Hierarchy::default();
            task.set("weights", &[weights.to_owned()]).expect("an option");
            let candidates =
                Candidates { method: method.parse().expect("a method"), ..Candidates::default() };
            let trainer = Trainer::new(task).lambda(0.02).gap(1e-4).candidates(candidates);
            let (trained, told) = trained(&trainer, &examples);
            assert_eq!(told.is_empty(), !candidates.method.takes_turns(), "{method}");
            assert!(told.last().is_none_or(|last| last.changed == 0), "{method}: {told:?}");
            let predicted = trained.model.predict(examples.data(), 1).expect("predictions");
            let names: Vec<&str> = predicted.iter().map(|best| best[0].names()[0]).collect();
            if method == "cllp" {
                assert_eq!(names, ["a/b", "a/b", "d/e", "d/e", "d/f", "d/f", "a/b", "a/c"], "{weights}");
            }
        }
    }
    match read(&task, "a.svm", "a/b|a/c 1:1\nd/e||a/b 2:1\n", true) {
        Err(Error::Data { place, problem }) => {
            assert_eq!((place.line, place.column), (2, 5), "{problem}");
        }
        other => panic!("it gave {other:?}"),
    }
    // Sets of nodes have no list of sets.
    let mut sets = Hierarchy::default();
    sets.set("label-count", &["many".to_owned()]).expect("an option");
    let trainer = Trainer::new(sets).lambda(0.1).candidates(Candidates::default());
    let refused = trainer.prepare(&examples).map(|_| ()).expect_err("there are several");
    assert!(refused.to_string().contains("nodes of a hierarchy"), "{refused}");
}

/// Chains of second order learn from candidates as others do.
#[test]
fn chains_of_second_order_have_candidates() {
    let examples = read(&Chain::default(), "a.txt", &with_lists(40, 7), true).expect("it fits");
    for (order, weights) in [("1", "all"), ("2", "all"), ("2", "seen")] {
        let mut task = Chain::default();
        task.set("order", &[order.to_owned()]).expect("an option");
        task.set("weights", &[weights.to_owned()]).expect("an option");
        for method in [CandidateMethod::Cllp, CandidateMethod::Mms] {
            let candidates = Candidates { method, ..Candidates::default() };
            let trainer = Trainer::new(task.clone()).lambda(0.2).gap(1e-3).candidates(candidates);
            let (trained, told) = trained(&trainer, &examples);
            assert_eq!(trained.stop, Stop::GapReached, "{order} {method}");
            assert_eq!(told.last().map(|turn| turn.changed), Some(0), "{order} {method}: {told:?}");
            for pair in told.windows(2).filter(|pair| pair[0].stage == pair[1].stage) {
                assert!(
                    pair[1].certificate.primal <= pair[0].certificate.primal,
                    "{order} {method}: {told:?}"
                );
            }
        }
    }
}

/// A run that is broken off anywhere, in whichever stage, goes on to the same bits: weights, bounds and turns.
#[test]
fn turns_go_on_from_checkpoints() {
    let examples = read(&Chain::default(), "a.txt", &with_lists(40, 8), true).expect("it fits");
    let folder = tempfile::tempdir().expect("a folder");
    let bits = |trained: &Trained| {
        let certificate = trained.report.certificate;
        let mut numbers = trained.model.weights().to_vec();
        numbers.extend([certificate.primal, certificate.lower_bound]);
        (numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>(), trained.report.passes)
    };
    let (mut stages, mut places) = (Vec::new(), 0);
    for (method, solver) in [
        (CandidateMethod::Cllp, SolverKind::Bcfw),
        (CandidateMethod::Mms, SolverKind::NSlack),
        (CandidateMethod::Cllp, SolverKind::PBmrm),
    ] {
        let candidates = Candidates {
            method,
            start: CandidateStart::Completed(Completion::First),
            ..Candidates::default()
        };
        let trainer =
            || Trainer::new(Chain::default()).lambda(0.3).gap(1e-3).solver(solver).candidates(candidates);
        let (whole, turns) = trained(&trainer(), &examples);
        let passes = whole.report.passes;
        for end in (1..=passes).step_by((passes / 12).max(1)) {
            let directory = folder.path().join(format!("{method}-{solver}-{end}"));
            let every = std::time::Duration::ZERO;
            let plan = |resume| CheckpointPlan { directory: directory.clone(), every, resume };
            let mut told = Vec::new();
            let mut run = |resume: bool, end: usize| {
                let training = trainer().checkpoint(plan(resume)).prepare(&examples).expect("it fits");
                let begun = training.report().passes;
                let trained = training.run(&Halt::default(), |event| match event {
                    Event::Pass(report, _) if report.passes == end => ControlFlow::Break(()),
                    Event::Turn(turn) => {
                        told.push(*turn);
                        ControlFlow::Continue(())
                    }
                    _ => ControlFlow::Continue(()),
                });
                (begun, trained.expect("a run"))
            };
            let (_, broken) = run(false, end);
            let (begun, resumed) = run(true, usize::MAX);
            let name = format!("{method}, {solver}, broken off after {end} of {passes}");
            assert_eq!(begun, end, "{name}");
            assert_eq!(resumed.turns, turns, "{name}");
            assert_eq!(bits(&resumed), bits(&whole), "{name}");
            // One that was over is over again, whatever was told before.
            let (begun, again) = run(true, usize::MAX);
            assert_eq!((begun, &again.turns, bits(&again)), (passes, &turns, bits(&whole)), "{name}");
            assert!(told.len() >= turns.len(), "{name}");
            stages.extend(turns.get(broken.turns.len()).map(|turn| turn.stage));
            places += 1;
        }
        // Other ways to go are other runs.
        let directory = folder.path().join(format!("{method}-{solver}-1"));
        for other in [
            Candidates { inside: 2.0, ..candidates },
            Candidates { start: CandidateStart::Known, ..candidates },
        ] {
            let every = std::time::Duration::ZERO;
            let plan = CheckpointPlan { directory: directory.clone(), every, resume: true };
            let refused = trainer().candidates(other).checkpoint(plan).prepare(&examples);
            let refused = refused.map(|_| ()).expect_err("another run").to_string();
            assert!(refused.contains("of candidates is"), "{refused}");
        }
    }
    for stage in [Stage::Known, Stage::Start, Stage::Own] {
        assert!(stages.contains(&stage), "of {places} places none was in the stage {stage:?}");
    }
}

/// λ by itself: judged on what is known of the examples that are held out.
#[test]
fn lambda_is_chosen_on_known_parts() {
    let examples = read(&Chain::default(), "a.txt", &with_lists(120, 10), true).expect("it fits");
    for method in ["cllp", "mms", "known", "majority"] {
        let candidates = Candidates { method: method.parse().expect("a method"), ..Candidates::default() };
        let trainer = Trainer::new(Chain::default()).candidates(candidates);
        let training = trainer.prepare(&examples).expect("it fits");
        let choice = training.lambda_choice().expect("nobody named it").clone();
        assert!(choice.tried.len() > 2 && choice.validated_on > 0, "{method}: {choice:?}");
        let figures: Vec<f64> = choice.tried.iter().map(|tried| tried.value).collect();
        let spread = figures.iter().fold(0.0, |most: f64, value| most.max((value - figures[0]).abs()));
        assert!(spread > 0.0 || method != "cllp", "{method}: all are alike, {choice:?}");
        let trained = training.run(&Halt::default(), |_| ControlFlow::Continue(())).expect("a model");
        assert_eq!(trained.stop, Stop::GapReached, "{method}");
    }
    // Where nothing that is held out is known, nobody can choose.
    let lists = sentences(40, 11, |truth, _, _| format!("{truth}|O|PER"));
    let examples = read(&Chain::default(), "a.txt", &lists, true).expect("it fits");
    let refused = Trainer::new(Chain::default()).candidates(Candidates::default()).prepare(&examples);
    let refused = refused.map(|_| ()).expect_err("nothing is known").to_string();
    assert!(refused.contains("lambda") && refused.contains("one candidate"), "{refused}");
}

/// Sets of which some labels are open, in every format that has sets, and learnt from.
#[test]
fn labels_of_sets_may_be_open() {
    let lists = "a,b? 1:1\n1:1 2:1\nb,? 2:1\n? 3:1\na,c 1:1 3:1\nc? 3:1\nc 3:1\na 1:1\n";
    let csv = "x1,x2,x3,a,b,c\n1,0,0,1,?,0\n1,1,0,0,0,0\n0,1,0,?,1,?\n0,0,1,?,?,?\n1,0,1,1,0,1\n0,0,1,0,0,?\n0,0,1,0,0,1\n1,0,0,1,0,0\n";
    let arff = format!(
        "@relation r\n{}{}@data\n{}",
        ["x1", "x2", "x3"].map(|name| format!("@attribute {name} numeric\n")).concat(),
        ["a", "b", "c"].map(|name| format!("@attribute {name} {{0,1}}\n")).concat(),
        csv.split_once('\n').expect("a header").1,
    );
    let sparse = "{0 1, 3 1, 4 ?}\n{0 1, 1 1}\n{1 1, 3 ?, 4 1, 5 ?}\n{2 1, 3 ?, 4 ?, 5 ?}\n{0 1, 2 1, 3 1, 5 1}\n{2 1, 5 ?}\n{2 1, 5 1}\n{0 1, 3 1}\n";
    let sparse = format!("{}@data\n{sparse}", arff.split_once("@data").expect("data").0);
    let folder = tempfile::tempdir().expect("a folder");
    let mut fingerprints = Vec::new();
    for (name, text) in [("a.svm", lists), ("a.csv", csv), ("a.arff", &arff), ("b.arff", &sparse)] {
        let file = folder.path().join(name);
        std::fs::write(&file, text).expect("a file");
        let columns = if name == "a.svm" { &[][..] } else { &["a", "b", "c"] };
        let label_columns = columns.iter().map(|&name| name.to_owned()).collect();
        let options = ReadOptions { candidates: true, label_columns, ..ReadOptions::default() };
        let task = Multilabel::default();
        let examples = Examples::read_files(&task, &[file], &options).expect(name);
        assert!(examples.names().labels.iter().eq(["a", "b", "c"]), "{name}");
        let data = examples.data().of_type::<LabelSetExamples>().expect("sets");
        assert_eq!(TaskData::open_rows(data), Some(4), "{name}");
        let sets: Vec<String> = (0..8)
            .map(|row| {
                let sets = TaskData::candidate_sets(data, row, 3).expect("they were read");
                let of_label = |label| match sets.of(label) {
                    [0] => '0',
                    [1] => '1',
                    _ => '?',
                };
                (0..3).map(of_label).collect()
            })
            .collect();
        assert_eq!(sets, ["1?0", "000", "?1?", "???", "101", "00?", "001", "100"], "{name}");
        assert_eq!(TaskData::known_parts(data).expect("rows").labels(), [0, 2, 2, 0], "{name}");
        let second = TaskData::subset(data, &[2, 1]).expect("they exist");
        assert_eq!(TaskData::open_rows(&second), Some(1), "{name}");
        fingerprints.push(data.clone());
        for method in CandidateMethod::NAMES {
            let candidates =
                Candidates { method: method.parse().expect("a method"), ..Candidates::default() };
            let trainer = Trainer::new(Multilabel::default()).lambda(0.05).gap(1e-4).candidates(candidates);
            let (trained, told) = trained(&trainer, &examples);
            assert_eq!(told.is_empty(), !candidates.method.takes_turns(), "{name} {method}");
            assert!(told.last().is_none_or(|last| last.changed == 0), "{name} {method}: {told:?}");
            for pair in told.windows(2).filter(|pair| pair[0].stage == pair[1].stage) {
                assert!(pair[1].certificate.primal <= pair[0].certificate.primal, "{name} {method}");
            }
            if method == "cllp" {
                let predicted = trained.model.predict(examples.data(), 1).expect("predictions");
                assert_eq!(predicted[4][0].names(), ["a", "c"], "{name}");
                assert_eq!(predicted[3][0].names(), ["c"], "{name}: what is alike has it");
            }
        }
    }
    assert_ne!(
        TaskData::fingerprint(&fingerprints[0]),
        TaskData::fingerprint(&TaskData::completed(&fingerprints[0], Completion::First, 3, 0).expect("sets"))
    );
    for (text, place, part) in [
        ("a,b?,b 1:1\n", (1, 6), "comes twice"),
        ("a,a? 1:1\n", (1, 3), "comes twice"),
        ("a 1:1\na,,b? 1:1\n", (2, 3), "a label is missing"),
    ] {
        match read(&Multilabel::default(), "a.svm", text, true) {
            Err(Error::Data { place: found, problem }) => {
                assert_eq!((found.line, found.column), place, "{text:?}: {problem}");
                assert!(problem.contains(part), "{problem}");
            }
            other => panic!("{text:?} gave {other:?}"),
        }
    }
    // Without the option a question mark is part of a name, or a label that is missing.
    let plain = read(&Multilabel::default(), "a.svm", "a,b? 1:1\n", false).expect("it fits");
    assert!(plain.names().labels.iter().eq(["a", "b?"]));
}

#[test]
fn what_does_not_go_together_is_refused() {
    let examples = read(&Chain::default(), "a.txt", &with_lists(20, 6), true).expect("it fits");
    let trainer = || Trainer::new(Chain::default()).candidates(Candidates::default());
    let refusal = |trainer: Trainer, examples: &Examples| match trainer.prepare(examples) {
        Ok(_) => panic!("it was taken"),
        Err(error) => error.to_string(),
    };
    assert!(
        refusal(trainer().lambda(0.1).surrogate(Surrogate::SLACK), &examples).contains("surrogate margin")
    );
    assert!(
        refusal(trainer().lambda(0.1).solver(SolverKind::SmallQp), &examples).contains("use another solver")
    );
    assert!(refusal(Trainer::new(Chain::default()).lambda(0.1), &examples).contains("no label"));
    let plain = read(&Chain::default(), "a.txt", "a O\nb X\n", false).expect("it fits");
    assert!(refusal(trainer().lambda(0.1), &plain).contains("without candidates"));
    let nothing = read(&Chain::default(), "a.txt", "a _\nb ?\n", true);
    assert!(nothing.is_err() || !refusal(trainer().lambda(0.1), &nothing.expect("examples")).is_empty());
}
