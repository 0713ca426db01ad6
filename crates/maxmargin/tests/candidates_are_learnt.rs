//! Promise: candidates for labels are read as they are written, what is put in their place is one of them, and learning from them ends with
//! completions at rest, under an objective that never rose and bounds that hold.

use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;

use maxmargin::data::{Completion, Format, ReadOptions, TaskData, UNKNOWN_LABEL};
use maxmargin::solver::{Halt, SolverKind, Stop};
use maxmargin::surrogate::Surrogate;
use maxmargin::tasks::{Hierarchy, HierarchyExamples, RowExamples, SequenceExamples, TaskObject};
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
    let refused = read(&Multilabel::default(), "a.svm", "1,2 1:1\n", true).expect_err("sets have none");
    assert!(refused.to_string().contains("chain, multiclass and hierarchy do"), "{refused}");

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

#[test]
fn what_does_not_go_together_is_refused() {
    let examples = read(&Chain::default(), "a.txt", &with_lists(20, 6), true).expect("it fits");
    let trainer = || Trainer::new(Chain::default()).candidates(Candidates::default());
    let refusal = |trainer: Trainer, examples: &Examples| match trainer.prepare(examples) {
        Ok(_) => panic!("it was taken"),
        Err(error) => error.to_string(),
    };
    assert!(refusal(trainer(), &examples).contains("needs a λ"));
    assert!(
        refusal(trainer().lambda(0.1).surrogate(Surrogate::SLACK), &examples).contains("surrogate margin")
    );
    assert!(
        refusal(trainer().lambda(0.1).solver(SolverKind::SmallQp), &examples).contains("use another solver")
    );
    let plan =
        CheckpointPlan { directory: "nowhere".into(), every: std::time::Duration::ZERO, resume: false };
    assert!(refusal(trainer().lambda(0.1).checkpoint(plan), &examples).contains("turns"));
    assert!(refusal(Trainer::new(Chain::default()).lambda(0.1), &examples).contains("no label"));
    let plain = read(&Chain::default(), "a.txt", "a O\nb X\n", false).expect("it fits");
    assert!(refusal(trainer().lambda(0.1), &plain).contains("without candidates"));
    let nothing = read(&Chain::default(), "a.txt", "a _\nb ?\n", true);
    assert!(nothing.is_err() || !refusal(trainer().lambda(0.1), &nothing.expect("examples")).is_empty());
}
