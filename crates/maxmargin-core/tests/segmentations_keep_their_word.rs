//! Promise: whatever a segmentation says of its labels equals what enumeration says, for free and fixed widths, every loss, and truths
//! that cannot be found.

use std::ops::ControlFlow;
use std::sync::Arc;

use maxmargin_core::features::{FeatureMatrix, Rows};
use maxmargin_core::inference::Segment;
use maxmargin_core::linear::CooVector;
use maxmargin_core::risk::StructuredRisk;
use maxmargin_core::search::{MarginSearch, Strategy, SurrogateSearch};
use maxmargin_core::solver::{Limits, SolverKind, SolverSettings, run};
use maxmargin_core::structure::{
    ChainLoss, CostMatrix, Example, KnownSegments, LabelCost, Mark, PositionKeys, SegmentInput, SegmentLoss,
    SegmentationOptions, SegmentationStructure, Structure, Widths,
};
use maxmargin_core::surrogate::Surrogate;
use maxmargin_core::testing::check_structure;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

const FEATURES: usize = 2;
const OF_SEGMENTS: usize = 3;

fn rows(rows: usize, columns: usize, random: &mut Pcg64Mcg) -> Rows {
    let mut row = || (0..columns).map(|_| f64::from(random.random_range(-2..3))).collect();
    let values: Vec<Vec<f64>> = (0..rows.max(1)).map(|_| row()).collect();
    Rows::new(&Arc::new(FeatureMatrix::from_dense(&values)), 0..rows)
}

fn options(widths: Widths, background: Option<u32>, loss: SegmentLoss) -> SegmentationOptions {
    let all = background.is_some();
    let edges = all && matches!(widths, Widths::UpTo(_));
    SegmentationOptions { widths, background, edges, lengths: all, boundary: all, loss }
}

/// All cuts that can be found, or all whatever.
fn cuts(structure: &SegmentationStructure, length: usize, longest: usize) -> Vec<Vec<Segment>> {
    let mut open: Vec<Vec<Segment>> = vec![Vec::new()];
    let mut found = Vec::new();
    while let Some(cut) = open.pop() {
        let start = cut.last().map_or(0, |segment| segment.end as usize);
        if start == length {
            found.push(cut);
            continue;
        }
        for size in 1..=longest.min(length - start) {
            for class in 0..structure.classes() {
                let mut cut = cut.clone();
                cut.push(Segment::new(start..start + size, class));
                open.push(cut);
            }
        }
    }
    found
}

fn findable(structure: &SegmentationStructure, length: usize) -> Vec<Vec<Segment>> {
    let all = cuts(structure, length, structure.widths().longest());
    all.into_iter().filter(|cut| structure.can_find(cut)).collect()
}

fn losses() -> Vec<SegmentLoss> {
    let costs = vec![0.0, 1.0, 2.0, 1.0, 0.0, 1.0, 3.0, 1.0, 0.0];
    let uneven = vec![0.0, 0.3, 1.7, 1.1, 0.0, 0.25, 0.5, 1.0, 0.0];
    let matrix = |costs| LabelCost::Matrix(Arc::new(CostMatrix::new(3, costs).expect("nine costs")));
    vec![
        SegmentLoss::Segments,
        SegmentLoss::Positions(ChainLoss::default()),
        SegmentLoss::Positions(ChainLoss { mean: true, cost: matrix(costs) }),
        SegmentLoss::Positions(ChainLoss { mean: false, cost: matrix(uneven) }),
    ]
}

#[test]
fn every_answer_is_that_of_enumeration() {
    let mut random = Pcg64Mcg::seed_from_u64(0);
    let mut unfindable = 0;
    for loss in losses() {
        for (widths, length) in [
            (Widths::UpTo(vec![1, 3, 2]), 0),
            (Widths::UpTo(vec![1, 3, 2]), 1),
            (Widths::UpTo(vec![1, 3, 2]), 4),
            (Widths::UpTo(vec![2, 2, 2]), 5),
            (Widths::Exactly(vec![1, 3, 2]), 5),
            (Widths::Exactly(vec![2, 3, 2]), 6),
        ] {
            for (background, has_segments) in [(Some(0), true), (None, false)] {
                let of_segments = if has_segments { OF_SEGMENTS } else { 0 };
                let options = options(widths.clone(), background, loss.clone());
                let longest = options.widths.longest();
                let structure = SegmentationStructure::new(FEATURES, of_segments, options).expect("it fits");
                let segments = has_segments.then(|| rows(length * longest, OF_SEGMENTS, &mut random));
                let input =
                    SegmentInput { positions: rows(length, FEATURES, &mut random), segments, keys: None };
                let all = cuts(&structure, length, longest + 1);
                for _ in 0..3 {
                    let truth = all[random.random_range(0..all.len())].clone();
                    unfindable += usize::from(!structure.can_find(&truth));
                    let example = Example { input: input.clone(), truth, weight: 1.0 };
                    check_structure(&structure, &[example], |_| findable(&structure, length))
                        .unwrap_or_else(|error| panic!("{widths:?}, {loss:?}, {length}: {error}"));
                }
            }
        }
    }
    assert!(unfindable > 10, "{unfindable}");
}

/// Segments that are known by what their positions are have features like others, one for each kind.
#[test]
fn known_segments_have_features() {
    let mut random = Pcg64Mcg::seed_from_u64(3);
    let mut known_ones = 0;
    for (widths, length) in [
        (Widths::UpTo(vec![1, 3, 2]), 4),
        (Widths::UpTo(vec![2, 2, 2]), 5),
        (Widths::Exactly(vec![1, 3, 2]), 5),
    ] {
        for round in 0..6 {
            // Few keys, so that segments come again; 0 is none.
            let keys: Arc<[u64]> = (0..2 * length).map(|_| random.random_range(0..4)).collect();
            let keys = PositionKeys::new(&keys, 2, 0..length).expect("two for each");
            let known = KnownSegments::collect(2, 1 + round % 2, |visit| {
                (0..length).for_each(|start| visit(&keys, start..(start + 1 + start % 3).min(length)));
            });
            known_ones += known.len();
            let options = options(widths.clone(), Some(0), SegmentLoss::Segments);
            let plain = SegmentationStructure::new(FEATURES, 0, options).expect("it fits");
            let structure = plain.clone().knowing(Arc::new(known.clone())).expect("it fits");
            assert_eq!(structure.dim(), plain.dim() + 3 * known.len());
            let positions = rows(length, FEATURES, &mut random);
            let input = SegmentInput { positions, segments: None, keys: Some(keys) };
            let all = cuts(&structure, length, structure.widths().longest() + 1);
            let truth = all[random.random_range(0..all.len())].clone();
            let example = Example { input: input.clone(), truth: truth.clone(), weight: 1.0 };
            check_structure(&structure, &[example], |_| findable(&structure, length))
                .unwrap_or_else(|error| panic!("{widths:?}, {length}: {error}"));
            // The same input without keys has no such features.
            let unknown = SegmentInput { keys: None, ..input };
            let example = Example { input: unknown.clone(), truth, weight: 1.0 };
            check_structure(&structure, &[example], |_| findable(&structure, length))
                .unwrap_or_else(|error| panic!("{widths:?}, {length}: {error}"));
        }
    }
    assert!(known_ones > 40, "{known_ones}");
}

/// The score of a truth that cannot be found is that of its features too: H depends on it.
#[test]
fn truths_that_cannot_be_found_have_the_score_of_their_features() {
    let mut random = Pcg64Mcg::seed_from_u64(4);
    for widths in [Widths::UpTo(vec![1, 3, 2]), Widths::Exactly(vec![1, 3, 2])] {
        let (length, longest) = (5, widths.longest());
        let options = options(widths, Some(0), SegmentLoss::Segments);
        let structure = SegmentationStructure::new(FEATURES, OF_SEGMENTS, options).expect("it fits");
        let keys: Arc<[u64]> = (0..length as u64).map(|t| 1 + t % 2).collect();
        let keys = PositionKeys::new(&keys, 1, 0..length).expect("one for each");
        let known =
            KnownSegments::collect(1, 1, |visit| (1..5).for_each(|end| visit(&keys, end - 1..end + 1)));
        let structure = structure.knowing(Arc::new(known)).expect("it fits");
        let input = SegmentInput {
            positions: rows(length, FEATURES, &mut random),
            segments: Some(rows(length * longest, OF_SEGMENTS, &mut random)),
            keys: Some(keys),
        };
        let w: Vec<f64> = (0..structure.dim()).map(|_| random.random_range(-1.0..1.0)).collect();
        let mut scores = Default::default();
        structure.score(&w, &input, &mut scores);
        for cut in cuts(&structure, length, longest + 1) {
            let mut phi = CooVector::default();
            structure.add_features(&input, &cut, 1.0, &mut phi);
            let (found, expected) = (structure.score_of(&input, &scores, &cut), phi.dot(&w));
            assert!((found - expected).abs() < 1e-9, "{cut:?}: {found} instead of {expected}");
        }
    }
}

/// H of a truth that cannot be found is at least 0, and solvers agree.
#[test]
fn solvers_agree_also_on_truths_that_cannot_be_found() {
    let mut random = Pcg64Mcg::seed_from_u64(1);
    let widths = Widths::UpTo(vec![1, 2, 2]);
    for surrogate in [Surrogate::MARGIN, Surrogate::SLACK, Surrogate::MicroF1] {
        let structure =
            SegmentationStructure::new(FEATURES, 0, options(widths.clone(), Some(0), SegmentLoss::Segments))
                .expect("it fits");
        let examples: Vec<_> = (0..6)
            .map(|_| {
                let all = cuts(&structure, 4, 4);
                let truth = all[random.random_range(0..all.len())].clone();
                let input = SegmentInput::of_positions(rows(4, FEATURES, &mut random));
                Example { input, truth, weight: 1.0 }
            })
            .collect();
        let settings = SolverSettings::new(0.05).expect("a lambda");
        let bounds = |kind: SolverKind| {
            let limits = Limits { gap: 1e-6, max_passes: 3000, time_limit: None };
            let go_on = |_: &_| ControlFlow::Continue(());
            let outcome = match surrogate == Surrogate::MARGIN {
                true => {
                    let risk = StructuredRisk::new(structure.clone(), MarginSearch, examples.clone())
                        .expect("a risk");
                    run(kind.build(&risk, &settings).expect("a solver").as_mut(), &risk, limits, go_on)
                }
                false => {
                    let search = SurrogateSearch::new(surrogate, Strategy::Stratified).expect("a search");
                    let risk =
                        StructuredRisk::new(structure.clone(), search, examples.clone()).expect("a risk");
                    run(kind.build(&risk, &settings).expect("a solver").as_mut(), &risk, limits, go_on)
                }
            };
            outcome.expect("it runs").report.certificate
        };
        let (first, second) = (bounds(SolverKind::Bcfw), bounds(SolverKind::ProxBmrm));
        assert!(first.gap().0 <= 1e-6 && second.gap().0 <= 1e-6, "{surrogate}: {first:?}, {second:?}");
        assert!(first.lower_bound <= second.primal && second.lower_bound <= first.primal, "{surrogate}");
    }
}

#[test]
fn labels_spell_cuts() {
    let widths = Widths::UpTo(vec![1, 3, 1]);
    let structure = SegmentationStructure::new(FEATURES, 0, options(widths, Some(0), SegmentLoss::Segments))
        .expect("it fits");
    let mark = |class, begins| Mark { class, begins };
    // O, B-x, I-x, B-y.
    let marks = vec![mark(0, true), mark(1, true), mark(1, false), mark(2, true)];
    assert!(structure.clone().spelt_by(marks[..2].to_vec()).is_err(), "y has no label");
    assert!(structure.clone().spelt_by([&marks[..2], &marks[3..]].concat()).is_err(), "x cannot go on");
    assert!(structure.clone().spelt_by(vec![mark(3, true)]).is_err());
    let structure = structure.spelt_by(marks).expect("all can be spelt");
    for cut in findable(&structure, 5) {
        assert_eq!(structure.read(&structure.write(&cut)), cut);
    }
    // Inside without a begin, and a label that is none.
    let read = structure.read(&[2, 2, 0, 9, 1]);
    let classes: Vec<_> = read.iter().map(|segment| (segment.start, segment.class)).collect();
    assert_eq!(classes, [(0, 1), (2, 0), (3, u32::MAX), (4, 1)]);
}

#[test]
fn what_does_not_fit_is_refused() {
    let new = |widths, background| {
        SegmentationStructure::new(FEATURES, 0, options(widths, background, SegmentLoss::Segments))
    };
    assert!(new(Widths::UpTo(vec![1]), None).is_err());
    assert!(new(Widths::UpTo(vec![1, 0]), None).is_err());
    assert!(new(Widths::UpTo(vec![1, 2]), Some(2)).is_err());
    let structure = new(Widths::Exactly(vec![2, 4]), None).expect("it fits");
    let mut random = Pcg64Mcg::seed_from_u64(2);
    let mut input = |length| SegmentInput::of_positions(rows(length, FEATURES, &mut random));
    let check = |input: &SegmentInput, cut: &[Segment]| structure.check(input, &cut.to_vec());
    let (four, five) = (input(4), input(5));
    check(&four, &[Segment::new(0..4, 1)]).expect("a cut");
    check(&four, &[Segment::new(0..1, 0), Segment::new(1..4, 1)]).expect("a cut that cannot be found");
    let refused = |input: &SegmentInput, cut: &[Segment], part: &str| {
        let error = check(input, cut).expect_err("it is no cut").to_string();
        assert!(error.contains(part), "{error}");
    };
    refused(&five, &[Segment::new(0..5, 1)], "cover 5 positions");
    refused(&four, &[Segment::new(0..2, 0)], "of which there are 4");
    refused(&four, &[Segment::new(0..2, 0), Segment::new(1..4, 0)], "from 2 on");
    refused(&four, &[Segment::new(0..2, 0), Segment::new(3..4, 0)], "from 2 on");
    refused(&four, &[Segment::new(0..4, 2)], "label 2");
}

/// Micro-F1 of two labels that are both empty has no value: a truth for which there is such another label is refused, and no other.
#[test]
fn an_empty_truth_is_one_label_of_its_own() {
    let mut random = Pcg64Mcg::seed_from_u64(31);
    let mut refused = 0;
    for round in 0..300 {
        let all: Vec<u32> = (0..2).map(|_| random.random_range(1..4)).collect();
        let widths = if random.random() { Widths::UpTo(all) } else { Widths::Exactly(all) };
        let length = random.random_range(1..5);
        if widths.check_length(length).is_err() {
            continue;
        }
        let options = options(widths, Some(0), SegmentLoss::Segments);
        let structure = SegmentationStructure::new(FEATURES, 0, options).unwrap();
        let truths = cuts(&structure, length, length);
        let truth = truths[random.random_range(0..truths.len())].clone();
        let is_empty = |cut: &Vec<Segment>| cut.iter().all(|segment| segment.class == 0);
        let is_other = |cut: &Vec<Segment>| is_empty(cut) && *cut != truth;
        let is_shared = is_empty(&truth) && findable(&structure, length).iter().any(is_other);
        let input = SegmentInput::of_positions(rows(length, FEATURES, &mut random));
        let examples = vec![Example { input, truth: truth.clone(), weight: 1.0 }];
        for surrogate in [Surrogate::MicroF1, Surrogate::SLACK] {
            let search = SurrogateSearch::new(surrogate, Strategy::Hull).unwrap().with_background(Some(0));
            let risk = StructuredRisk::new(structure.clone(), search, examples.clone());
            let is_refused = risk.is_err();
            assert_eq!(
                is_refused,
                is_shared && surrogate == Surrogate::MicroF1,
                "round {round}: {truth:?}, {:?}",
                structure.widths()
            );
            refused += usize::from(is_refused);
        }
    }
    assert!(refused > 10, "{refused}");
}
