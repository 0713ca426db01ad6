//! Parallel text, links between its words and tables of their features.

use std::fs;
use std::path::{Path, PathBuf};

use maxmargin::Result;
use maxmargin::data::ReadOptions;
use maxmargin::tasks::Task;
use maxmargin_align::{
    Alignment, AlignmentSource, FeatureTable, ParallelText, SentenceLinks, pharaoh_line, read_links,
};

use super::{Shape, Target, put, sound};
use crate::common;

pub fn targets() -> Vec<Target> {
    let target = |name, texts: &[&str], read: fn(&Path, u64) -> Result<()>| Target {
        name,
        sound: texts.iter().map(|text| sound(text, 0)).collect(),
        shape: Shape::Plain,
        read: Box::new(read),
    };
    vec![
        target(
            "parallel-text",
            &["the house .\nyes é\n", "<s snum=0001> the house . </s>\n<s snum=7> yes </s>\r\n"],
            read_text,
        ),
        target("links", &["1 1 1 S\n1 2 2 P\n\n2 1 1\n2 0 1 S\n", "0-0 1p1 2-2\n\n"], links),
        target("feature-table", &["1 1 1 dictionary same:0.5\n2 1 1 same:-1e-3 x\n\n1 2 1\n"], features),
    ]
}

/// The text on the other side.
fn text() -> ParallelText {
    ParallelText::from_pairs([("the house .", "la maison ."), ("yes", "oui")])
}

fn beside(path: &Path, name: &str, text: &str) -> PathBuf {
    let path = path.with_file_name(name);
    if !path.exists() {
        fs::write(&path, text).expect("the folder is ours");
    }
    path
}

fn read_text(path: &Path, way: u64) -> Result<()> {
    let plain = beside(path, "input-plain", "la maison .\noui\n");
    let marked = beside(path, "input-marked", "<s snum=1> la maison . </s>\n<s snum=7> oui </s>\n");
    // The file beside itself, then against the others.
    let other = [path, &plain, &marked][(way % 3) as usize];
    let text = ParallelText::read(path, other)?;
    assert!(!text.is_empty() && text.left.len() == text.right.len());
    for pair in 0..text.len() {
        let (left, right) = text.sizes(pair);
        assert!(left > 0 && right > 0);
        assert_eq!(text.left.text(pair).len(), left);
    }
    // Features are for sentences that are not too long; here few words will do.
    if (0..text.len()).all(|pair| text.sizes(pair).0 * text.sizes(pair).1 <= 400) && text.len() < 50 {
        let source = AlignmentSource::new(&text);
        let links = vec![SentenceLinks::default(); text.len()];
        let (data, vocabulary) = source.training_set(&links, &source.groups())?;
        common::check_graphs(&data, &vocabulary);
    }
    Ok(())
}

fn links(path: &Path, _: u64) -> Result<()> {
    let text = text();
    let links = read_links(path, &text)?;
    assert_eq!(links.len(), text.len());
    for (pair, links) in links.iter().enumerate() {
        let (left, right) = text.sizes(pair);
        let inside =
            |edge: &&maxmargin::data::Edge| (edge.left as usize) < left && (edge.right as usize) < right;
        assert!(links.sure.iter().chain(&links.possible).all(|edge| inside(&edge)));
    }
    let mut written = String::new();
    links.iter().for_each(|links| pharaoh_line(links, &mut written));
    let again = path.with_file_name("written");
    put(&again, written.as_bytes()).expect("the folder is ours");
    assert_eq!(read_links(&again, &text)?, links);
    Ok(())
}

fn features(path: &Path, _: u64) -> Result<()> {
    let (left, right) =
        (beside(path, "left", "the house .\nyes\n"), beside(path, "right", "la maison .\noui\n"));
    FeatureTable::read(path, &text())?;
    let task = Alignment {
        links: vec![beside(path, "links", "0-0\n\n")],
        feature_table: vec![path.to_owned()],
        ..Alignment::default()
    };
    let read = task.read(&[left, right], &ReadOptions::default(), None)?;
    common::check_graphs(&read.data, &read.names);
    Ok(())
}
