//! Promise: parallel text, links and features of words are read whole or not at all. An error comes with the file, the
//! line, the column and a remedy, and what is written is what is read again.

use std::fs;
use std::path::{Path, PathBuf};

use maxmargin::data::TaskData as _;
use maxmargin::data::{Edge, UNKNOWN_LABEL};
use maxmargin::{Error, Result};
use maxmargin_align::{
    AlignmentSource, FeatureGroup, FeatureTable, ParallelText, SentenceLinks, read_links, write_pharaoh,
};
use proptest::prelude::*;

use crate::common;

use crate::common::fault::{fault, spoil};

fn write(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

fn text() -> ParallelText {
    ParallelText::from_pairs([("the house", "la maison"), ("yes", "oui , oui")])
}

/// The place of an error as `file:line:column`, and what it says.
fn place<T: std::fmt::Debug>(result: Result<T>) -> (String, String) {
    match result {
        Err(Error::Data { place, problem }) => {
            let file = place.file.file_name().unwrap().to_string_lossy().into_owned();
            (format!("{file}:{}:{}", place.line, place.column), problem)
        }
        other => panic!("no error with a place: {other:?}"),
    }
}

#[test]
fn of_text() {
    let folder = tempfile::tempdir().unwrap();
    for (left, right, expected, part) in [
        (&b"a b\nc\n"[..], &b"x\n"[..], "right:0:0", "1 sentences, but"),
        (b"a\n\nb\n", b"x\ny\nz\n", "left:2:1", "without words"),
        (b"a\n", b" \t \n", "right:1:1", "without words"),
        (b"", b"", "left:0:0", "empty"),
        (b"a\nb \xff\n", b"x\ny\n", "left:2:3", "UTF-8"),
        (b"<s snum=1> a </s>\n", b"<s snum=2> x </s>\n", "right:1:1", "sentence 2, but sentence 1"),
        (b"<s snum=1> a </s>\n<s snum=1> b </s>\n", b"x\n", "left:2:1", "line 1 already"),
        (b"<s snum=1> a </s>\nb\n", b"x\n", "left:2:1", "no `<s snum=…>` here"),
        (b"<s snum=1> a\n", b"x\n", "left:1:12", "no `</s>`"),
        (b"<s snum=one> a </s>\n", b"x\n", "left:1:4", "`snum=one` is no number"),
        (b"<s snum=1 a </s\n", b"x\n", "left:1:1", "without its `>`"),
        (b"<s snum=1> </s>\n", b"x\n", "left:1:1", "without words"),
    ] {
        let paths = [write(folder.path(), "left", left), write(folder.path(), "right", right)];
        let (found, problem) = place(ParallelText::read(&paths[0], &paths[1]));
        assert_eq!(found, expected, "{problem}");
        assert!(problem.contains(part), "{problem:?} lacks {part:?}");
    }
    let (left, right) = (folder.path().join("left"), folder.path().join("right"));
    fs::write(&left, "a b\nc\n").unwrap();
    fs::write(&right, "x\n").unwrap();
    let message = ParallelText::read(&left, &right).unwrap_err().to_string();
    assert!(message.contains("left has 2"), "names both files: {message}");
}

#[test]
fn of_links() {
    let folder = tempfile::tempdir().unwrap();
    for (links, expected, part) in [
        ("1 1 1 S\n1 3 1 S\n", "links:2:3", "word 3 on the left, where the sentence has 2"),
        ("1 1 9 P\n", "links:1:5", "word 9 on the right"),
        ("7 1 1 S\n", "links:1:1", "sentence 7 is not in the text"),
        ("1 1 1 S\n1 1 1 P\n", "links:2:1", "both S and P, see line 1"),
        ("1 1 1 Q\n", "links:1:7", "S for sure or P for possible"),
        ("1 1\n", "links:1:1", "2 fields"),
        ("1 1 x\n", "links:1:5", "`x` is not the position of a word"),
        ("0-0 1-1\n", "links:0:0", "1 lines, but the text has 2"),
        ("0-0\n0-0\n0-0\n", "links:3:1", "more lines than"),
        ("0-0 2-0\n\n", "links:1:5", "word 2 on the left"),
        ("0-0 1-7\n\n", "links:1:7", "word 7 on the right"),
        ("0-0 0p0\n\n", "links:1:1", "both 0-0 and 0p0"),
        ("0-0 0:1\n\n", "links:1:5", "`0:1` is no link"),
        ("0-\n\n", "links:1:1", "no link"),
    ] {
        let path = write(folder.path(), "links", links.as_bytes());
        let (found, problem) = place(read_links(&path, &text()));
        assert_eq!(found, expected, "{links:?}: {problem}");
        assert!(problem.contains(part), "{links:?}: {problem:?} lacks {part:?}");
        let packed = write(folder.path(), "links", &common::gz(links.as_bytes()));
        assert_eq!(place(read_links(&packed, &text())), (found, problem));
    }
    // NULL is no word, the same link twice is one, and the letter may be missing.
    let path = write(folder.path(), "links", b"2 1 3\n1 0 1 S\n1 2 0 P\n1 1 1 P\n2 1 3 S\n\n1 1 1 P\n");
    let links = read_links(&path, &text()).unwrap();
    assert_eq!(links[0], SentenceLinks { sure: vec![], possible: vec![Edge { left: 0, right: 0 }] });
    assert_eq!(links[1], SentenceLinks::sure(vec![Edge { left: 0, right: 2 }]));
}

#[test]
fn of_features() {
    let folder = tempfile::tempdir().unwrap();
    for (features, expected, part) in [
        ("1 1\n", "features:1:4", "position of a word"),
        ("3 1 1 a\n", "features:1:1", "sentence 3"),
        ("1 0 1 a\n", "features:1:3", "positions count from 1"),
        ("1 1 3 a\n", "features:1:5", "word 3 on the right"),
        ("1 1 1 a:x\n", "features:1:9", "not a number"),
        ("1 1 1 a:inf\n", "features:1:9", "not finite"),
        ("1 1 1 :1\n", "features:1:7", "without a name"),
    ] {
        let path = write(folder.path(), "features", features.as_bytes());
        let (found, problem) = place(FeatureTable::read(&path, &text()));
        assert_eq!(found, expected, "{features:?}: {problem}");
        assert!(problem.contains(part), "{features:?}: {problem:?} lacks {part:?}");
    }
}

#[test]
fn groups_say_what_they_need() {
    let text = text();
    let source = AlignmentSource::new(&text);
    assert_eq!(
        source.groups(),
        [FeatureGroup::Position, FeatureGroup::Spelling, FeatureGroup::Lexical],
        "what needs nothing"
    );
    let links = vec![SentenceLinks::default(); 2];
    for group in FeatureGroup::ALL {
        match source.training_set(&links, &[group]) {
            Ok((data, vocabulary)) => common::check_graphs(&data, &vocabulary),
            Err(error) => assert!(error.to_string().contains(&format!("{group} needs")), "{error}"),
        }
        assert_eq!(group.name().parse::<FeatureGroup>().unwrap(), group);
    }
    let mut long = ParallelText::default();
    long.push(["a"], std::iter::repeat_n("b", 1001));
    let message = AlignmentSource::new(&long)
        .training_set(&links[..1], &[FeatureGroup::Position])
        .unwrap_err()
        .to_string();
    assert!(message.contains("1 and 1001 words"), "{message}");
    let short = source.training_set(&links[..1], &source.groups()).unwrap_err().to_string();
    assert!(short.contains("for 1 sentence pairs, but the text has 2"), "{short}");
}

#[test]
fn unlabelled_text_has_unknown_labels_and_the_columns_of_the_model() {
    let text = text();
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "features", b"1 2 2 known:0.5 known:0.25\n2 1 1 known\n");
    let table = FeatureTable::read(&path, &text).unwrap();
    let source = AlignmentSource { table: Some(&table), external: None, ..AlignmentSource::new(&text) };
    let links = vec![SentenceLinks::sure(vec![Edge { left: 0, right: 0 }]); 2];
    let (train, vocabulary) = source.training_set(&links, &[FeatureGroup::Table]).unwrap();
    assert_eq!((train.labels_of(0), train.labels_of(1)), (&[1, 0, 0, 0][..], &[1, 0, 0][..]));
    assert_eq!(train.rows().features().row(3).to_pairs(), [(0, 0.75)]);
    assert_eq!(train.edges()[3], Edge { left: 1, right: 1 });
    let path = write(folder.path(), "features", b"1 1 1 new known:2\n");
    let table = FeatureTable::read(&path, &text).unwrap();
    let source = AlignmentSource { table: Some(&table), ..source };
    let test = source.test_set(None, &[FeatureGroup::Table], &vocabulary).unwrap();
    assert_eq!(test.rows().features().row(0).to_pairs(), [(0, 2.0)]);
    assert!((0..2).all(|i| test.labels_of(i).iter().all(|&label| label == UNKNOWN_LABEL)));
}

/// Links of the two sentence pairs of `text`.
fn any_links() -> impl Strategy<Value = Vec<SentenceLinks>> {
    let edges =
        |lefts: u32, rights: u32| prop::collection::btree_map((0..lefts, 0..rights), any::<bool>(), 0..4);
    (edges(2, 2), edges(1, 3)).prop_map(|(first, second)| {
        [first, second]
            .map(|edges| {
                let mut links = SentenceLinks::default();
                for ((left, right), sure) in edges {
                    let to = if sure { &mut links.sure } else { &mut links.possible };
                    to.push(Edge { left, right });
                }
                links
            })
            .to_vec()
    })
}

/// Reading ends in links that fit the text, or in an error that names the file.
fn survives(bytes: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "strange", bytes);
    match read_links(&path, &text()) {
        Ok(links) => {
            let sizes = |pair: usize| text().sizes(pair);
            for (pair, links) in links.iter().enumerate() {
                assert!(links.sure.is_sorted_by(|a, b| a < b) && links.possible.is_sorted_by(|a, b| a < b));
                for link in links.sure.iter().chain(&links.possible) {
                    assert!((link.left as usize) < sizes(pair).0 && (link.right as usize) < sizes(pair).1);
                }
            }
        }
        Err(error) => assert!(error.to_string().contains("strange"), "{error}"),
    }
    for result in
        [FeatureTable::read(&path, &text()).map(|_| ()), ParallelText::read(&path, &path).map(|_| ())]
    {
        if let Err(error) = result {
            assert!(error.to_string().contains("strange"), "{error}");
        }
    }
}

proptest! {
    #[test]
    fn links_come_back(links in any_links()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("links");
        write_pharaoh(&path, &links).unwrap();
        let read = read_links(&path, &text()).unwrap();
        prop_assert_eq!(&read, &links);
        let mut wpt = String::new();
        for (pair, links) in links.iter().enumerate() {
            for (edges, mark) in [(&links.possible, 'P'), (&links.sure, 'S')] {
                for Edge { left, right } in edges.iter().rev() {
                    wpt += &format!("{} {} {} {mark}\n", pair + 1, left + 1, right + 1);
                }
            }
        }
        fs::write(&path, wpt).unwrap();
        // A file without links could be either format.
        if links.iter().any(|links| *links != SentenceLinks::default()) {
            prop_assert_eq!(read_links(&path, &text()).unwrap(), links);
        }
    }

    #[test]
    fn spoiled_files(which in 0usize..4, faults in prop::collection::vec(fault(), 1..4)) {
        let sound = ["1 1 1 S\n1 2 2 P\n2 1 3\n", "0-0 1p1\n0-2\n", "1 2 2 a:0.5 b\n2 1 1 c:-1e3\n",
            "<s snum=0001> the house </s>\n<s snum=0002> yes </s>\n"][which];
        let mut bytes = sound.as_bytes().to_vec();
        faults.iter().for_each(|fault| spoil(&mut bytes, fault));
        survives(&bytes);
        survives(&common::gz(&bytes));
    }

    #[test]
    fn arbitrary_text(text in "[\\t\\n 0-9pSP:<>s=/a-]{0,60}") {
        survives(text.as_bytes());
    }
}

#[test]
fn the_hansards_are_as_their_readme_says() {
    let Some(folder) = common::real_data("hansards_wpt2003") else { return };
    let file = |name: &str| folder.join(name);
    let text = ParallelText::read(&file("test.e"), &file("test.f")).unwrap();
    assert_eq!((text.len(), text.left.tokens().len(), text.right.tokens().len()), (447, 7020, 7761));
    for name in ["test.wa.nonullalign", "test.wa.nullalign"] {
        let links = read_links(&file(name), &text).unwrap();
        let sure: usize = links.iter().map(|links| links.sure.len()).sum();
        let possible: usize = links.iter().map(|links| links.possible.len()).sum();
        assert_eq!((sure, possible), (4038, 13400), "{name}");
    }
    let trial = ParallelText::read(&file("trial.e"), &file("trial.f")).unwrap();
    let links = read_links(&file("trial.wa"), &trial).unwrap();
    assert_eq!((trial.len(), trial.number(0)), (37, 1001));
    assert_eq!(links.iter().map(|links| links.sure.len()).sum::<usize>(), 338);
    let unlabelled = ParallelText::read(&file("unlabelled.e.gz"), &file("unlabelled.f.gz")).unwrap();
    assert_eq!(unlabelled.len(), 124_013);
    assert_eq!((unlabelled.left.tokens().len(), unlabelled.right.tokens().len()), (1_783_883, 2_068_328));
}
