//! Trees against all trees of short sentences.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::*;
use crate::inference::Roots;
use crate::inference::listed_trees::trees;
use crate::structure::Example;
use crate::testing::check_structure;

fn random_sentence(words: usize, random: &mut Pcg64Mcg) -> Sentence {
    // Few words and tags, so that they repeat.
    Sentence::new((0..words).map(|_| Token {
        word: random.random_range(10..14),
        tag: random.random_range(20..23),
        coarse: random.random_range(30..32),
        ending: random.random_range(40..42),
        form: random.random_range(50..52),
    }))
}

/// All trees with all relations.
fn labelled_trees(words: usize, relations: u32, options: &ParsingOptions) -> Vec<DependencyTree> {
    let all = trees(words, options.roots, options.trees == TreeKind::Projective);
    let number = relations.pow(words as u32);
    let of_number =
        |number: u32| (0..words as u32).map(move |place| number / relations.pow(place) % relations);
    let labelled = |heads: &Vec<u32>| -> Vec<DependencyTree> {
        let tree = |number| DependencyTree { heads: heads.clone(), relations: of_number(number).collect() };
        (0..number).map(tree).collect()
    };
    all.iter().flat_map(labelled).collect()
}

fn all_options() -> Vec<ParsingOptions> {
    let mut all = Vec::new();
    for trees in [TreeKind::Projective, TreeKind::Any] {
        for roots in [Roots::One, Roots::Any] {
            for loss in [ArcLoss::HEADS, ArcLoss::ARCS, ArcLoss { head: 2.0, relation: 0.75 }] {
                for siblings in [false, true].into_iter().filter(|two| !two || trees != TreeKind::Any) {
                    all.push(ParsingOptions { trees, roots, loss, hash_bits: 8, siblings });
                }
            }
        }
    }
    all
}

#[test]
fn they_keep_their_word() -> Result<()> {
    let mut random = Pcg64Mcg::seed_from_u64(11);
    for options in all_options() {
        for (words, relations) in [(0, 2), (1, 3), (2, 2), (3, 2), (4, 1)] {
            let structure = ParsingStructure::new(relations as usize, options)?;
            let all = labelled_trees(words, relations, &options);
            let input = random_sentence(words, &mut random);
            let truth = all[random.random_range(0..all.len())].clone();
            // Among all trees, those that cross too.
            let any = ParsingOptions { trees: TreeKind::Any, roots: Roots::Any, siblings: false, ..options };
            let others = labelled_trees(words, relations, &any);
            let other = others[random.random_range(0..others.len())].clone();
            let example = |truth| Example { input: input.clone(), truth, weight: 1.0 };
            check_structure(&structure, &[example(truth), example(other)], |_| all.clone())?;
        }
    }
    Ok(())
}

#[test]
fn truths_that_cannot_be_found_are_known() {
    let crossing = DependencyTree { heads: vec![3, 4, 0, 3], relations: vec![0; 4] };
    let two_roots = DependencyTree { heads: vec![0, 0], relations: vec![0; 2] };
    for options in all_options() {
        let structure = ParsingStructure::new(1, options).unwrap();
        assert_eq!(structure.can_find(&crossing), options.trees == TreeKind::Any);
        assert_eq!(structure.can_find(&two_roots), options.roots == Roots::Any);
    }
}

#[test]
fn many_kinds_of_tags_share_the_last_number() -> Result<()> {
    let word = |number: u32| Token { word: number, tag: number, coarse: number, ..Token::default() };
    let x = Sentence::new((10..110).map(word));
    for siblings in [false, true] {
        check_scores(&x, ParsingOptions { hash_bits: 12, siblings, ..ParsingOptions::default() })?;
    }
    Ok(())
}

fn check_scores(x: &Sentence, options: ParsingOptions) -> Result<()> {
    let structure = ParsingStructure::new(3, options)?;
    let mut random = Pcg64Mcg::seed_from_u64(12);
    let w: Vec<f64> = (0..structure.dim()).map(|_| random.random_range(-1.0..1.0)).collect();
    let (mut scores, mut some) = (ParsingScores::default(), ParsingScores::default());
    structure.score(&w, x, &mut scores);
    let tree = structure.decode(x, &mut scores).label;
    let mut phi = vec![0.0; structure.dim()];
    structure.add_features(x, &tree, 1.0, &mut phi);
    let score = structure.score_of(x, &scores, &tree);
    assert!((crate::linear::dot(&phi, &w) - score).abs() < 1e-9);
    structure.score_for(&w, x, &tree, true, &mut some);
    assert_eq!(structure.score_of(x, &some, &tree), score);
    Ok(())
}

#[test]
fn what_does_not_fit_is_refused() {
    let options = ParsingOptions::default();
    assert!(ParsingStructure::new(0, options).is_err());
    assert!(ParsingStructure::new(2, ParsingOptions { hash_bits: 40, ..options }).is_err());
    let crossing = ParsingOptions { siblings: true, trees: TreeKind::Any, ..options };
    assert!(ParsingStructure::new(2, crossing).unwrap_err().to_string().contains("NP-hard"));
    let free = ArcLoss { head: 0.0, relation: 1.0 };
    assert!(ParsingStructure::new(2, ParsingOptions { loss: free, ..options }).is_err());
    let structure = ParsingStructure::new(2, ParsingOptions { hash_bits: 8, ..options }).unwrap();
    let x = Sentence::new([Token::default(); 2]);
    let check = |heads: &[u32], relations: &[u32]| {
        structure.check(&x, &DependencyTree { heads: heads.to_vec(), relations: relations.to_vec() })
    };
    assert!(check(&[2, 0], &[0, 1]).is_ok() && check(&[0, 0], &[0, 1]).is_ok());
    for (heads, relations) in
        [(&[2, 1][..], &[0, 1][..]), (&[3, 0], &[0, 1]), (&[2, 0], &[0, 2]), (&[0], &[0])]
    {
        assert!(check(heads, relations).is_err(), "{heads:?} {relations:?}");
    }
}
