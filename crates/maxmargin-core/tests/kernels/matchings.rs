//! Promise: assignments, matchings with several links per node, their k best and the best of every loss equal what listing
//! all sets of links finds: on sparse and dense graphs, with ties and with links that are worth nothing or less.

use crate::inference::{
    Assignment, BMatching, Bipartite, Gain, Lexicographic, LinkLimits, StratifiedMatching, k_best_matchings,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// A small graph with whole gains, so that sums are exact and ties are real.
#[derive(Debug)]
struct Case {
    lefts: usize,
    rights: usize,
    edges: Vec<(u32, u32)>,
    limits: LinkLimits,
    first: Vec<f64>,
    second: Vec<f64>,
}

impl Case {
    fn new(random: &mut Pcg64Mcg, largest: usize, most_edges: usize) -> Self {
        let (lefts, rights) = (random.random_range(0..=largest), random.random_range(0..=largest));
        let share = [0.3, 0.6, 1.0][random.random_range(0..3)];
        let mut edges: Vec<(u32, u32)> = (0..lefts as u32)
            .flat_map(|left| (0..rights as u32).map(move |right| (left, right)))
            .filter(|_| random.random_bool(share))
            .collect();
        // In any order.
        for place in (1..edges.len()).rev() {
            edges.swap(place, random.random_range(0..=place));
        }
        edges.truncate(most_edges);
        let limits = match random.random_range(0..2) {
            0 => LinkLimits { left: 1, right: 1 },
            _ => LinkLimits { left: random.random_range(1..4), right: random.random_range(1..4) },
        };
        let size = [1, 3, 1000][random.random_range(0..3)];
        let mut gains =
            || edges.iter().map(|_| f64::from(random.random_range(-size..=size))).collect::<Vec<_>>();
        let (first, second) = (gains(), gains());
        Self { lefts, rights, edges, limits, first, second }
    }

    fn graph(&self) -> Bipartite {
        let mut graph = Bipartite::default();
        graph.reset(self.lefts, self.rights, self.edges.iter().copied());
        graph
    }

    fn pairs(&self) -> Vec<Lexicographic> {
        let pair = |(&first, &second): (&f64, &f64)| Lexicographic { first, second };
        self.first.iter().zip(&self.second).map(pair).collect()
    }

    fn is_allowed(&self, links: &[u32]) -> bool {
        let count = |of: &dyn Fn(&(u32, u32)) -> u32, node: u32| {
            links.iter().filter(|&&edge| of(&self.edges[edge as usize]) == node).count() as u32
        };
        (0..self.lefts as u32).all(|left| count(&|ends| ends.0, left) <= self.limits.left)
            && (0..self.rights as u32).all(|right| count(&|ends| ends.1, right) <= self.limits.right)
    }

    /// All allowed sets of links.
    fn all(&self) -> Vec<Vec<u32>> {
        let set =
            |mask: u32| (0..self.edges.len() as u32).filter(|edge| mask >> edge & 1 == 1).collect::<Vec<_>>();
        (0..1u32 << self.edges.len()).map(set).filter(|links| self.is_allowed(links)).collect()
    }
}

fn worth<G: Gain>(gains: &[G], links: &[u32]) -> G {
    links.iter().fold(G::ZERO, |sum, &edge| sum + gains[edge as usize])
}

/// What all sets are worth, the best first.
fn ranking<G: Gain>(all: &[Vec<u32>], gains: &[G]) -> Vec<G> {
    let mut worths: Vec<G> = all.iter().map(|links| worth(gains, links)).collect();
    worths.sort_by(|a, b| b.compare(*a));
    worths
}

fn check_best<G: Gain>(case: &Case, graph: &Bipartite, gains: &[G], best: G) {
    let mut matching = BMatching::default();
    matching.solve(graph, gains, case.limits);
    let links = matching.links();
    assert!(case.is_allowed(&links), "{links:?}, {case:?}");
    assert_eq!(worth(gains, &links), best, "{links:?}, {case:?}");
    if case.limits != (LinkLimits { left: 1, right: 1 }) {
        return;
    }
    let mut assignment = Assignment::default();
    let table = assignment.begin(case.lefts, case.rights);
    for (&(left, right), &gain) in case.edges.iter().zip(gains) {
        table[left as usize * case.rights + right as usize] = gain;
    }
    assignment.solve();
    let edge = |left: usize| {
        let ends = (left as u32, assignment.partner(left)? as u32);
        case.edges.iter().position(|edge| *edge == ends).map(|edge| edge as u32)
    };
    let links: Vec<u32> = (0..case.lefts).filter_map(edge).collect();
    assert!(case.is_allowed(&links), "{links:?}, {case:?}");
    assert_eq!(worth(gains, &links), best, "{links:?}, {case:?}");
    assert_eq!(assignment.total(), best, "{case:?}");
}

fn check_list<G: Gain>(case: &Case, graph: &Bipartite, gains: &[G], ranking: &[G], k: usize) {
    let mut matching = BMatching::default();
    let list = k_best_matchings(graph, gains, case.limits, k, &mut matching);
    assert_eq!(list.len(), k.min(ranking.len()), "the {k} best of {case:?}");
    for (rank, (links, &expected)) in list.iter().zip(ranking).enumerate() {
        assert!(links.is_sorted() && case.is_allowed(links), "number {rank}: {links:?}, {case:?}");
        assert_eq!(worth(gains, links), expected, "number {rank}: {links:?}, {case:?}");
        assert!(!list[..rank].contains(links), "number {rank}: {links:?} twice, {case:?}");
    }
}

#[test]
fn the_best_of_four_thousand_graphs() {
    let mut random = Pcg64Mcg::seed_from_u64(1);
    for _ in 0..4000 {
        let case = Case::new(&mut random, 4, 12);
        let (graph, all) = (case.graph(), case.all());
        check_best(&case, &graph, &case.first, ranking(&all, &case.first)[0]);
        check_best(&case, &graph, &case.pairs(), ranking(&all, &case.pairs())[0]);
    }
}

#[test]
fn the_k_best_of_four_thousand_graphs() {
    let mut random = Pcg64Mcg::seed_from_u64(2);
    for round in 0..4000 {
        let case = Case::new(&mut random, 4, 9);
        let (graph, all) = (case.graph(), case.all());
        let ranks = ranking(&all, &case.first);
        for k in [0, 1, 2, 3, 7, all.len() / 2] {
            check_list(&case, &graph, &case.first, &ranks, k);
        }
        if round % 4 == 0 {
            check_list(&case, &graph, &case.first, &ranks, usize::MAX);
            check_list(&case, &graph, &case.pairs(), &ranking(&all, &case.pairs()), usize::MAX);
        }
    }
}

#[test]
fn the_best_of_every_loss() {
    let mut random = Pcg64Mcg::seed_from_u64(3);
    let mut table = StratifiedMatching::default();
    for _ in 0..2000 {
        let case = Case::new(&mut random, 4, 10);
        let (graph, all) = (case.graph(), case.all());
        // True links have a cost below 0; all of them together make the loss of no link.
        let (miss, wrong) = (random.random_range(1..3), random.random_range(1..4));
        let costs: Vec<i32> =
            case.edges.iter().map(|_| [-miss, wrong, 0][random.random_range(0..3)]).collect();
        let start: i32 = costs.iter().filter(|cost| **cost < 0).map(|cost| -cost).sum();
        let loss = |links: &[u32]| start + links.iter().map(|&edge| costs[edge as usize]).sum::<i32>();
        let losses = all.iter().map(|links| loss(links)).max().unwrap() as usize + 2;
        let mut best = vec![f64::NEG_INFINITY; losses];
        for links in &all {
            let stratum = &mut best[loss(links) as usize];
            *stratum = stratum.max(worth(&case.first, links));
        }
        assert!(StratifiedMatching::fits(&graph, case.limits, losses));
        assert!(table.fill(&graph, case.limits, &case.first, &costs, start as usize, losses));
        let values: Vec<f64> = table.values().collect();
        assert_eq!(values, best, "costs {costs:?}, {case:?}");
        for (k, &value) in values.iter().enumerate().filter(|(_, value)| value.is_finite()) {
            let links = table.links(k);
            assert!(links.is_sorted() && case.is_allowed(&links), "loss {k}: {links:?}, {case:?}");
            let found = (loss(&links), worth(&case.first, &links));
            assert_eq!(found, (k as i32, value), "{links:?}, costs {costs:?}, {case:?}");
        }
    }
}

/// Numbers whose sums are rounded, of all sizes at once.
#[test]
fn rounding_does_no_harm() {
    let mut random = Pcg64Mcg::seed_from_u64(5);
    for round in 0..2000 {
        let mut case = Case::new(&mut random, 4, 9);
        let sizes: &[f64] = if round % 2 == 0 { &[1.0] } else { &[1e-9, 1e-3, 1.0, 1e6] };
        for gain in &mut case.first {
            *gain = sizes[random.random_range(0..sizes.len())] * random.random_range(-1.0..1.0);
        }
        let (graph, gains) = (case.graph(), &case.first);
        let ranks = ranking(&case.all(), gains);
        let list = k_best_matchings(&graph, gains, case.limits, usize::MAX, &mut BMatching::default());
        assert_eq!(list.len(), ranks.len(), "{case:?}");
        let rounding = 1e-14 * gains.iter().map(|gain| gain.abs()).sum::<f64>();
        for (rank, (links, expected)) in list.iter().zip(&ranks).enumerate() {
            let found = worth(gains, links);
            assert!((found - expected).abs() <= rounding, "number {rank}: {found} for {expected}, {case:?}");
        }
    }
}

/// Two solvers that share no idea but the duals, on graphs too large to be listed.
#[test]
fn both_solvers_agree_on_large_graphs() {
    let mut random = Pcg64Mcg::seed_from_u64(4);
    for round in 0..300 {
        let (lefts, rights) = (random.random_range(1..60usize), random.random_range(1..60usize));
        let size = [2, 20, 1 << 20][round % 3];
        let mut number = || f64::from(random.random_range(-size / 4..=size));
        let first: Vec<f64> = (0..lefts * rights).map(|_| number()).collect();
        let pairs: Vec<Lexicographic> =
            first.iter().map(|&first| Lexicographic { first, second: number() }).collect();
        check_agreement(lefts, rights, &first, round);
        check_agreement(lefts, rights, &pairs, round);
    }
}

fn check_agreement<G: Gain>(lefts: usize, rights: usize, gains: &[G], round: usize) {
    let (mut assignment, mut matching) = (Assignment::default(), BMatching::default());
    assignment.begin(lefts, rights).copy_from_slice(gains);
    assignment.solve();
    let mut partners: Vec<usize> = (0..lefts).filter_map(|left| assignment.partner(left)).collect();
    partners.sort_unstable();
    assert!(partners.windows(2).all(|two| two[0] < two[1]), "round {round}: {partners:?}");
    let mut graph = Bipartite::default();
    let edges = (0..lefts as u32).flat_map(|l| (0..rights as u32).map(move |r| (l, r)));
    graph.reset(lefts, rights, edges);
    matching.solve(&graph, gains, LinkLimits { left: 1, right: 1 });
    assert_eq!(assignment.total(), worth(gains, &matching.links()), "round {round}: {lefts} × {rights}");
}

/// A narrow graph may be long; a wide one is refused and does not eat the memory.
#[test]
fn only_the_width_counts() {
    let limits = LinkLimits { left: 1, right: 1 };
    let mut graph = Bipartite::default();
    let band = |l: u32| (l.saturating_sub(1)..=l + 1).map(move |r| (l, r));
    graph.reset(200, 201, (0..200).flat_map(band));
    assert!(StratifiedMatching::fits(&graph, limits, 400));
    graph.reset(30, 30, (0..30).flat_map(|l| (0..30).map(move |r| (l, r))));
    assert!(!StratifiedMatching::fits(&graph, limits, 61));
    assert!(!StratifiedMatching::default().fill(&graph, limits, &[0.0; 900], &[1; 900], 0, 61));
    // The smaller side is what counts.
    for (lefts, rights) in [(4, 60), (60, 4)] {
        graph.reset(lefts, rights, (0..lefts as u32).flat_map(|l| (0..rights as u32).map(move |r| (l, r))));
        assert!(StratifiedMatching::fits(&graph, limits, 10));
    }
}
