//! Random problems of every kind, and the numbers to make their weights of.

use std::cell::RefCell;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use maxmargin::tasks::multilabel::Pairs;
use proptest::prelude::*;
use proptest::test_runner::Config;

use super::{Problem, Sample, Sets, TaskKind, Values};

/// How large random problems are. For matchings `labels` is the number of nodes on each side, and `lengths` that of edges.
#[derive(Debug, Clone)]
pub struct Sizes {
    pub features: std::ops::RangeInclusive<usize>,
    pub labels: std::ops::RangeInclusive<usize>,
    pub lengths: std::ops::RangeInclusive<usize>,
    pub samples: std::ops::RangeInclusive<usize>,
    /// Whether examples have weights other than 1.
    pub weighted: bool,
}

/// Random problems of one kind.
pub fn problems(kind: TaskKind, sizes: Sizes) -> BoxedStrategy<Problem> {
    let flags = (any::<[bool; 5]>(), prop::sample::select(&Values::ALL[..]));
    (sizes.features.clone(), sizes.labels.clone(), flags)
        .prop_flat_map(move |(features, labels, ([bias, boundary, mean, matrix, sparse], values))| {
            let weight = if sizes.weighted {
                prop::sample::select(vec![0.5, 1.0, 2.0, 3.0]).boxed()
            } else {
                Just(1.0).boxed()
            };
            let sample = (positions(kind, features, labels, values, sizes.lengths.clone()), weight)
                .prop_map(|((rows, truth, edges), weight)| Sample { rows, truth, weight, edges });
            let costs = prop::collection::vec(0u8..4, (labels * labels).max(2));
            let fertility = prop_oneof![Just((1, 1)), (1u32..=3, 1u32..=3)];
            (costs, sets(labels), fertility, prop::collection::vec(sample, sizes.samples.clone())).prop_map(
                move |(costs, sets, fertility, mut samples)| {
                    if kind == TaskKind::Matching {
                        samples.iter_mut().for_each(|sample| sample.allow(fertility));
                    }
                    let cost = |(i, &c): (usize, &u8)| match kind {
                        TaskKind::Matching => f64::from(c.max(1)),
                        TaskKind::Multilabel => f64::from(c),
                        _ if i / labels == i % labels => 0.0,
                        _ => f64::from(c),
                    };
                    let count = match kind {
                        TaskKind::Matching => 2,
                        // One for each label, or two: of misses and of false ones.
                        TaskKind::Multilabel if boundary && labels > 1 => 2 * labels,
                        TaskKind::Multilabel => labels,
                        _ => labels * labels,
                    };
                    let has_pairs = kind == TaskKind::Chain && sets.signed && sets.both_only;
                    Problem {
                        kind,
                        features,
                        pair_features: if has_pairs { features.div_ceil(2) } else { 0 },
                        second_order: false,
                        labels,
                        bias,
                        boundary,
                        mean,
                        costs: matrix.then(|| costs.iter().enumerate().map(cost).take(count).collect()),
                        sets,
                        fertility,
                        values,
                        sparse,
                        samples,
                    }
                },
            )
        })
        .boxed()
}

/// The rows of a sample, its truth, and its edges.
type Positions = (Vec<Vec<f64>>, Vec<u32>, Vec<(u32, u32)>);

/// The rows of a sample and its truth.
fn positions(
    kind: TaskKind,
    features: usize,
    labels: usize,
    values: Values,
    lengths: std::ops::RangeInclusive<usize>,
) -> BoxedStrategy<Positions> {
    let row = move || prop::collection::vec((-3i8..=3).prop_map(move |v| values.of(v)), features);
    if kind == TaskKind::Multilabel {
        return (row().prop_map(|row| vec![row]), prop::collection::vec(0..2u32, labels), Just(Vec::new()))
            .boxed();
    }
    if kind == TaskKind::Matching {
        return graph(labels, lengths)
            .prop_flat_map(move |edges| {
                let count = edges.len();
                let truth = prop::collection::vec(prop_oneof![Just(0u32), Just(1), 0..3u32], count);
                (prop::collection::vec(row(), count), truth, Just(edges))
            })
            .boxed();
    }
    let lengths = if kind == TaskKind::Chain { lengths } else { 1..=1 };
    prop::collection::vec((row(), 0..labels as u32), lengths)
        .prop_map(|positions| {
            let (rows, truth) = positions.into_iter().unzip();
            (rows, truth, Vec::new())
        })
        .boxed()
}

/// The edges of a graph: all between two sets of nodes, or some of them in any order.
fn graph(nodes: usize, edges: std::ops::RangeInclusive<usize>) -> BoxedStrategy<Vec<(u32, u32)>> {
    let nodes = 1..=nodes as u32;
    (nodes.clone(), nodes, any::<bool>())
        .prop_flat_map(move |(lefts, rights, is_complete)| {
            let all: Vec<(u32, u32)> = (0..lefts).flat_map(|l| (0..rights).map(move |r| (l, r))).collect();
            let (least, most) = ((*edges.start()).min(all.len()), (*edges.end()).min(all.len()));
            match is_complete && all.len() <= most {
                true => Just(all).boxed(),
                false => prop::sample::subsequence(all, least..=most).prop_shuffle().boxed(),
            }
        })
        .boxed()
}

/// All pairs, none, a forest, or any graph; exact inference.
fn sets(labels: usize) -> BoxedStrategy<Sets> {
    let all: Vec<(u32, u32)> =
        (0..labels as u32).flat_map(|i| (i + 1..labels as u32).map(move |j| (i, j))).collect();
    let parents = prop::collection::vec(any::<Option<prop::sample::Index>>(), labels);
    let forest = parents.prop_map(|parents| {
        let edge = |(j, parent): (usize, Option<prop::sample::Index>)| {
            parent.filter(|_| j > 0).map(|parent| (parent.index(j) as u32, j as u32))
        };
        Pairs::Listed(parents.into_iter().enumerate().filter_map(edge).collect())
    });
    let graph = prop::sample::subsequence(all.clone(), 0..=all.len()).prop_shuffle().prop_map(Pairs::Listed);
    let pairs = prop_oneof![Just(Pairs::All), Just(Pairs::None), forest, graph];
    (pairs, any::<[bool; 2]>())
        .prop_map(move |(given, [signed, both_only])| {
            let mut pairs = match &given {
                Pairs::All => all.clone(),
                Pairs::None | Pairs::Tree | Pairs::File(_) => Vec::new(),
                Pairs::Listed(pairs) => pairs.clone(),
            };
            pairs.sort_unstable();
            Sets { given, pairs, both_only, signed, relaxed: false }
        })
        .boxed()
}

/// Random problems of all kinds that are small enough to be solved with all labels listed.
pub fn trainable(weighted: bool) -> BoxedStrategy<Problem> {
    let sizes = Sizes { features: 1..=3, labels: 2..=3, lengths: 1..=3, samples: 1..=6, weighted };
    let multiclass = Sizes { features: 1..=4, labels: 2..=5, samples: 1..=10, ..sizes.clone() };
    let sets = Sizes { labels: 1..=4, ..sizes.clone() };
    let graphs = Sizes { lengths: 1..=5, ..sizes.clone() };
    prop_oneof![
        problems(TaskKind::Multiclass, multiclass),
        problems(TaskKind::Chain, sizes),
        problems(TaskKind::Multilabel, sets),
        problems(TaskKind::Matching, graphs),
    ]
    .boxed()
}

/// Integer weights for a problem, from numbers of which there are enough.
pub fn weights(problem: &Problem, numbers: &[i8]) -> Vec<f64> {
    numbers.iter().cycle().take(problem.dim()).map(|&w| f64::from(w)).collect()
}

/// Enough numbers for [`weights`]: more than any small problem has weights.
pub fn numbers() -> impl Strategy<Value = Vec<i8>> {
    prop::collection::vec(-3i8..=3, 61)
}

/// How long one test may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// A configuration with this many cases; ten times as many when `MAXMARGIN_FULL` is set.
///
/// A test that does not come to an end fails, too: after some minutes.
pub fn cases(cases: u32) -> Config {
    let factor = if std::env::var_os("MAXMARGIN_FULL").is_some() { 10 } else { 1 };
    watch_this_test(factor * PATIENCE);
    Config {
        cases: factor * cases,
        failure_persistence: None,
        // Milliseconds: a smaller counter-example is not worth waiting longer for.
        max_shrink_time: 10_000,
        ..Config::default()
    }
}

/// Ends the program when the test of this thread is still running after so long.
///
/// The watch is over when the thread ends, or with the next test that it runs.
fn watch_this_test(patience: Duration) {
    thread_local!(static RUNNING: RefCell<Option<Sender<()>>> = const { RefCell::new(None) });
    let (running, ended) = channel();
    RUNNING.set(Some(running));
    let test = thread::current().name().unwrap_or("a test").to_owned();
    thread::spawn(move || {
        if ended.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
            eprintln!(
                "{test}: no end after {} seconds, a solver must be going round in circles",
                patience.as_secs()
            );
            std::process::abort();
        }
    });
}
