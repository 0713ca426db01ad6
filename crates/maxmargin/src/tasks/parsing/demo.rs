//! The demo of trees: who does what with what, in sentences of a small grammar.

use std::time::Instant;

use super::super::demonstrating::{explain, learn};
use super::Parsing;
use super::grammar::sentences;
use crate::data::{Column, TaskData};
use crate::error::Result;
use crate::shown::{percent, time};
use crate::structure::{DependencyTree, TreeKind};

const LAMBDA: f64 = 0.01;
const HASH_BITS: u32 = 14;

pub(super) fn run(say: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
    let begun = Instant::now();
    let (train, test) = (sentences(150, 1)?, sentences(100, 2)?);
    say(&format!(
        "Trees of sentences: {} sentences to learn from, {} new ones.\n\n\
         Each word belongs to another, its head. In \"the woman sees the man with the telescope\" the telescope belongs to the\n\
         seeing; with a hat it would belong to the man. Which of the two it is depends on both words, and all arcs together\n\
         must be a tree. In some sentences arcs cross: no projective tree has that, others have.\n\n",
        train.data.len(),
        test.data.len(),
    ))?;
    let mut rows = String::new();
    let mut best = None;
    for (name, trees) in [("projective", TreeKind::Projective), ("non-projective", TreeKind::Any)] {
        let task = Parsing { trees, hash_bits: HASH_BITS, ..Parsing::default() };
        let learnt = learn(task, LAMBDA, &train.data, &test.data, &train.names)?;
        let figure = |name: &str| percent(learnt.metrics.figure(name).unwrap_or_default());
        rows += &format!("{name:16}{:>14}{:>14}{:>18}\n", figure("uas"), figure("las"), figure("exact"));
        best = Some(learnt);
    }
    let Some(learnt) = best else { return Ok(()) };
    let shown = (0..test.data.len())
        .find(|&i| test.data.tree(i).is_some_and(|tree| !tree.is_projective() && tree == learnt.labels[i]));
    let mut text = format!(
        "{}\nOn the {} new sentences:\n\n{:16}{:>14}{:>14}{:>18}\n{rows}\n",
        explain("trees", "wrong trees", "sentences", &learnt.report),
        test.data.len(),
        "",
        "right heads",
        "right arcs",
        "right sentences"
    );
    if let Some(i) = shown {
        text += "One whose arcs cross:\n\n";
        text += &drawn(&test.data, i, &learnt.labels[i], &|relation| {
            train.names.labels.name(relation).to_owned()
        });
    }
    text += &format!("\n{} in all.\n", time(begun.elapsed().as_secs_f64()));
    say(&text)
}

/// A line for each word: its number, itself, and what it belongs to.
fn drawn(
    data: &super::TreeExamples,
    example: usize,
    tree: &DependencyTree,
    name: &dyn Fn(u32) -> String,
) -> String {
    let Some(text) = data.text(example) else { return String::new() };
    let form = |word: usize| match word {
        0 => "the root",
        word => text.column(word - 1, Column::Form),
    };
    let line = |(head, word, relation): (usize, usize, u32)| {
        format!("  {word:2}  {:<12}{:>8} of {} ({head})\n", form(word), name(relation), form(head))
    };
    tree.arcs().map(line).collect()
}
