//! Estimation against a plain implementation, and posteriors against all alignments.

use std::collections::HashMap;

use proptest::prelude::*;

use super::corpus::Corpus;
use super::estimation::{Directions, run, uniform};
use super::jumps::{Jumps, REACH};
use super::posteriors::{FLOOR, Lattice};
use super::*;

/// Posteriors of words and of NULL, and the likelihood, by adding up all alignments.
struct Summed {
    likelihood: f64,
    words: Vec<Vec<f64>>,
    null: Vec<f64>,
    jumps: Vec<f64>,
}

/// A hidden state is a place and whether the word there emits, or NULL does.
#[derive(Clone, Copy)]
struct State {
    place: usize,
    null: bool,
}

/// `emission[j][i]` is t(word j | word i), `null_emission[j]` is t(word j | NULL).
fn sum_all(emission: &[Vec<f64>], null_emission: &[f64], jumps: &Jumps, null: f64) -> Summed {
    let (steps, states) = (emission.len(), emission[0].len());
    let transitions = jumps.transitions(states);
    let mut sums = Summed {
        likelihood: 0.0,
        words: vec![vec![0.0; states]; steps],
        null: vec![0.0; steps],
        jumps: vec![0.0; 2 * REACH + 1],
    };
    for number in 0..(2 * states).pow(steps as u32) {
        let digit = |step: usize| number / (2 * states).pow(step as u32) % (2 * states);
        let path: Vec<State> =
            (0..steps).map(|step| State { place: digit(step) / 2, null: digit(step) % 2 == 1 }).collect();
        let mut probability = 1.0;
        for (step, state) in path.iter().enumerate() {
            let before = step.checked_sub(1).map(|before| path[before].place);
            let jump = match before {
                None => transitions.first()[state.place],
                Some(before) if state.null => f64::from(before == state.place),
                Some(before) => transitions.from(before)[state.place],
            };
            probability *= jump
                * match state.null {
                    true => null * null_emission[step],
                    false => (1.0 - null) * emission[step][state.place],
                };
        }
        sums.likelihood += probability;
        for (step, state) in path.iter().enumerate() {
            if state.null {
                sums.null[step] += probability;
                continue;
            }
            sums.words[step][state.place] += probability;
            let from = if step == 0 { -1 } else { path[step - 1].place as isize };
            sums.jumps[Jumps::place(from, state.place as isize)] += probability;
        }
    }
    let scale = 1.0 / sums.likelihood;
    let all = sums.words.iter_mut().flatten().chain(&mut sums.null).chain(&mut sums.jumps);
    all.for_each(|value| *value *= scale);
    sums
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()))
}

proptest! {
    #[test]
    fn posteriors_are_sums_over_all_alignments(
        states in 1usize..4,
        steps in 1usize..5,
        numbers in prop::collection::vec(1e-6..1.0f64, 24),
        weights in prop::collection::vec(0.0..1.0f64, 9),
        null in 0.01..0.9f64,
    ) {
        let emission: Vec<Vec<f64>> = numbers.chunks(states).take(steps).map(<[f64]>::to_vec).collect();
        let null_emission = &numbers[24 - steps..];
        let mut jumps = Jumps::default();
        jumps.weights[REACH - 4..=REACH + 4].copy_from_slice(&weights);
        let expected = sum_all(&emission, null_emission, &jumps, null);

        let mut lattice = Lattice::default();
        lattice.resize(7, 3);
        lattice.resize(states, steps);
        lattice.emission.copy_from_slice(&emission.concat());
        lattice.null_emission.copy_from_slice(null_emission);
        let mut counts = vec![0.0; 2 * REACH + 1];
        let log_likelihood = lattice.hmm(&jumps.transitions(states), null, Some(&mut counts));
        prop_assert!(close(log_likelihood, expected.likelihood.ln(), 1e-9));
        for (found, expected) in lattice.posterior.iter().zip(expected.words.iter().flatten()) {
            prop_assert!(close(*found, *expected, 1e-9), "{found} is not {expected}");
        }
        for (found, expected) in lattice.null_posterior.iter().zip(&expected.null) {
            prop_assert!(close(*found, *expected, 1e-9), "NULL: {found} is not {expected}");
        }
        for (found, expected) in counts.iter().zip(&expected.jumps) {
            prop_assert!(close(*found, *expected, 1e-9), "jumps: {found} is not {expected}");
        }

        // Model 1 is the hidden Markov model whose jumps are all alike, but for NULL, which then does not matter.
        let flat = sum_all(&emission, null_emission, &Jumps::default(), null);
        prop_assert!(close(lattice.model1(null), flat.likelihood.ln(), 1e-9));
        for (found, expected) in lattice.posterior.iter().zip(flat.words.iter().flatten()) {
            prop_assert!(close(*found, *expected, 1e-9), "Model 1: {found} is not {expected}");
        }
    }
}

/// One direction of a plain implementation: tables by name, nothing shared, nothing parallel.
struct Plain {
    table: HashMap<(String, String), f64>,
    null: HashMap<String, f64>,
    jumps: Jumps,
}

type Pair = (Vec<&'static str>, Vec<&'static str>);

impl Plain {
    fn posteriors(&self, emitting: &[&str], emitted: &[&str], model: TranslationModel, null: f64) -> Summed {
        let t = |f: &str, e: &str| self.table[&(e.to_owned(), f.to_owned())] + FLOOR;
        let emission: Vec<Vec<f64>> =
            emitted.iter().map(|f| emitting.iter().map(|e| t(f, e)).collect()).collect();
        let null_emission: Vec<f64> = emitted.iter().map(|f| self.null[*f] + FLOOR).collect();
        let jumps = match model {
            TranslationModel::Model1 => Jumps::default(),
            TranslationModel::Hmm => self.jumps.clone(),
        };
        sum_all(&emission, &null_emission, &jumps, null)
    }
}

/// Both directions, a pass at a time.
fn plain_pass(pairs: &[Pair], plain: &mut [Plain; 2], model: TranslationModel, options: &EstimationOptions) {
    let mut counts: [HashMap<(String, String), f64>; 2] = Default::default();
    let mut null: [HashMap<String, f64>; 2] = Default::default();
    let mut jumps = [vec![0.0; 2 * REACH + 1], vec![0.0; 2 * REACH + 1]];
    for (left, right) in pairs {
        let p = options.null_probability;
        let sums = [plain[0].posteriors(left, right, model, p), plain[1].posteriors(right, left, model, p)];
        for (i, e) in left.iter().enumerate() {
            for (j, f) in right.iter().enumerate() {
                let (mut a, mut b) = (sums[0].words[j][i], sums[1].words[i][j]);
                if options.agreement {
                    (a, b) = (a * b, a * b);
                }
                *counts[0].entry((e.to_string(), f.to_string())).or_default() += a;
                *counts[1].entry((f.to_string(), e.to_string())).or_default() += b;
            }
        }
        for (direction, emitted) in [right, left].into_iter().enumerate() {
            for (word, posterior) in emitted.iter().zip(&sums[direction].null) {
                *null[direction].entry(word.to_string()).or_default() += posterior;
            }
            jumps[direction].iter_mut().zip(&sums[direction].jumps).for_each(|(sum, jump)| *sum += jump);
        }
    }
    for direction in 0..2 {
        let mut totals: HashMap<String, f64> = HashMap::new();
        counts[direction].iter().for_each(|((e, _), count)| *totals.entry(e.clone()).or_default() += count);
        for (pair, count) in &counts[direction] {
            plain[direction].table.insert(pair.clone(), count / totals[&pair.0]);
        }
        let total: f64 = null[direction].values().sum();
        for (word, count) in &null[direction] {
            plain[direction].null.insert(word.clone(), count / total);
        }
        if model == TranslationModel::Hmm {
            plain[direction].jumps = Jumps::from_counts(&jumps[direction]);
        }
    }
}

fn plain_start(pairs: &[Pair]) -> [Plain; 2] {
    [false, true].map(|turned| {
        let mut plain = Plain { table: HashMap::new(), null: HashMap::new(), jumps: Jumps::default() };
        for (left, right) in pairs {
            let (emitting, emitted) = if turned { (right, left) } else { (left, right) };
            for f in emitted {
                plain.null.insert(f.to_string(), 0.0);
                emitting.iter().for_each(|e| _ = plain.table.insert((e.to_string(), f.to_string()), 0.0));
            }
        }
        let share = 1.0 / plain.null.len() as f64;
        plain.table.values_mut().chain(plain.null.values_mut()).for_each(|value| *value = share);
        plain
    })
}

fn sentence() -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(vec!["a", "b", "c", "d", "e"]), 1..4)
}

fn text_of(pairs: &[Pair]) -> ParallelText {
    let mut text = ParallelText::default();
    pairs.iter().for_each(|(left, right)| text.push(left.iter().copied(), right.iter().copied()));
    text
}

fn assert_same(corpus: &Corpus, found: &Directions, plain: &[Plain; 2]) {
    for left in 0..corpus.left.words.len() {
        for pair in corpus.pairs.starts[left]..corpus.pairs.starts[left + 1] {
            let e = corpus.left.words.name(left as u32).to_owned();
            let f = corpus.right.words.name(corpus.pairs.right[pair]).to_owned();
            let expected = [plain[0].table[&(e.clone(), f.clone())], plain[1].table[&(f.clone(), e.clone())]];
            for direction in 0..2 {
                let value = f64::from(found[direction].table[pair]);
                let expected = expected[direction];
                assert!(
                    close(value, expected, 1e-3),
                    "{e} {f} in direction {direction}: {value} is not {expected}"
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn estimation_equals_a_plain_one(pairs in prop::collection::vec((sentence(), sentence()), 1..6), agreement: bool) {
        let options = EstimationOptions { agreement, model1_passes: 3, hmm_passes: 2, ..EstimationOptions::default() };
        let corpus = Corpus::new(&[&text_of(&pairs)], None).unwrap();
        let (mut found, mut plain) = (uniform(&corpus), plain_start(&pairs));
        for (model, passes) in [(TranslationModel::Model1, 3), (TranslationModel::Hmm, 2)] {
            run(&corpus, model, &mut found, &options, &mut |_| ());
            (0..passes).for_each(|_| plain_pass(&pairs, &mut plain, model, &options));
            assert_same(&corpus, &found, &plain);
        }
    }

    #[test]
    fn model_1_climbs(pairs in prop::collection::vec((sentence(), sentence()), 1..8)) {
        let options = EstimationOptions { agreement: false, model1_passes: 8, ..EstimationOptions::default() };
        let mut last = [f64::NEG_INFINITY; 2];
        Associations::estimate(&[&text_of(&pairs)], &options, |pass| {
            if pass.model == TranslationModel::Model1 {
                for (now, last) in pass.log_likelihood.iter().zip(&mut last) {
                    assert!(*now >= *last - 1e-4, "{now} after {last} in pass {}", pass.number);
                    *last = *now;
                }
            }
        }).unwrap();
    }

    #[test]
    fn counts_are_of_sentences(pairs in prop::collection::vec((sentence(), sentence()), 1..8)) {
        let options = EstimationOptions { smallest: 0.0, ..EstimationOptions::default() };
        let associations = Associations::estimate(&[&text_of(&pairs)], &options, |_| ()).unwrap();
        let has = |words: &[&str], word: &str| f64::from(words.contains(&word));
        for (e, f) in pairs.iter().flat_map(|(left, right)| left.iter().flat_map(|e| right.iter().map(move |f| (e, f)))) {
            let left: f64 = pairs.iter().map(|pair| has(&pair.0, e)).sum();
            let right: f64 = pairs.iter().map(|pair| has(&pair.1, f)).sum();
            let both: f64 = pairs.iter().map(|pair| has(&pair.0, e) * has(&pair.1, f)).sum();
            let found = associations.of_pair(&[*e], &[*f]);
            prop_assert!(close(found.dice[0], 2.0 * both / (left + right), 1e-6), "{} {}", e, f);
            prop_assert_eq!((found.sentences[0][0], found.sentences[1][0]), (left as u32, right as u32));
        }
    }
}

#[test]
fn unknown_words_follow_their_neighbours() {
    let text = ParallelText::from_pairs([
        ("the house", "la maison"),
        ("the flower", "la fleur"),
        ("a house", "une maison"),
    ]);
    let associations = Associations::estimate(&[&text], &EstimationOptions::default(), |_| ()).unwrap();
    let pair = associations.of_pair(&["the", "zebra", "house"], &["la", "okapi", "maison"]);
    for [posteriors, other] in [&pair.model1, &pair.hmm] {
        for posterior in posteriors.iter().chain(other) {
            assert!((0.0..=1.0).contains(posterior), "{posterior}");
        }
    }
    let empty: [&str; 0] = [];
    assert!(associations.of_pair(&empty, &["la"]).hmm[0].is_empty());
}

#[test]
fn cut_words_share_their_evidence() {
    let text = ParallelText::from_pairs([
        ("he sings", "il chante"),
        ("he singing", "il chantait"),
        ("12345 x", "12346 y"),
    ]);
    let options = EstimationOptions { letters: Some(4), ..EstimationOptions::default() };
    let associations = Associations::estimate(&[&text], &options, |_| ()).unwrap();
    assert_eq!(associations.sentences_with("Singer"), (2, 0));
    assert_eq!(associations.sentences_with("chanter"), (0, 2));
    // Numbers are not cut: others begin alike.
    assert_eq!(
        (associations.sentences_with("12345"), associations.sentences_with("12347")),
        ((1, 0), (0, 0))
    );
    let pair = associations.of_pair(&["singer"], &["chanteur"]);
    assert_eq!(pair.dice, [1.0]);
}

#[test]
fn options_out_of_range_are_refused() {
    let text = ParallelText::from_pairs([("a", "b")]);
    let usual = EstimationOptions::default();
    for options in [
        EstimationOptions { null_probability: 0.0, ..usual.clone() },
        EstimationOptions { null_probability: f64::NAN, ..usual.clone() },
        EstimationOptions { model1_passes: 0, ..usual.clone() },
        EstimationOptions { smallest: 1.0, ..usual.clone() },
        EstimationOptions { letters: Some(0), ..usual.clone() },
    ] {
        assert!(Associations::estimate(&[&text], &options, |_| ()).is_err(), "{options:?}");
    }
    let long = vec!["a"; 200];
    let mut text = ParallelText::default();
    text.push(long.iter().copied(), ["b"]);
    let message = Associations::estimate(&[&text], &usual, |_| ()).unwrap_err().to_string();
    assert!(message.contains("at most 100 words"), "{message}");
}
