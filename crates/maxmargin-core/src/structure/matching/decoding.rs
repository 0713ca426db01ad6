//! The best links of one graph: scores of its edges, and which kernel maximises them.

use super::{Links, MatchingStructure};
use crate::inference::{
    Assignment, BMatching, Bipartite, Gain, Lexicographic, LinkLimits, PricedLinks, StratifiedMatching,
    flip_losses, k_best_matchings,
};
use crate::structure::Graph;
use crate::structure::{Found, Mix};

/// A graph is dense, and its links are found in a table of all pairs of nodes, if that has at most so many times as many
/// cells as there are edges.
const DENSE: usize = 6;

/// No edge.
const NONE: u32 = u32::MAX;

/// What the kernels work with, for gains that are numbers or pairs of them.
#[derive(Debug, Clone, Default)]
struct Kernels<G> {
    gains: Vec<G>,
    assignment: Assignment<G>,
    matching: BMatching<G>,
}

/// The scores of one graph: ⟨w, φ(x,y)⟩ = base + Σ of the scores of links.
#[derive(Debug, Clone, Default)]
pub struct MatchingScores {
    pub(super) base: f64,
    pub(super) links: Vec<f64>,
    shape: Shape,
    plain: Kernels<f64>,
    /// At the ends of the λ-oracle, where one coordinate breaks ties in the other.
    paired: Kernels<Lexicographic>,
    pub(super) strata: StratifiedMatching,
}

/// The graph as kernels need it, made when one asks.
#[derive(Debug, Clone, Default)]
struct Shape {
    graph: Bipartite,
    has_graph: bool,
    /// The edge between each left and right node, or none.
    table: Vec<u32>,
    has_table: bool,
}

impl Shape {
    fn graph(&mut self, x: &Graph) -> &Bipartite {
        if !std::mem::replace(&mut self.has_graph, true) {
            self.graph.reset(x.lefts(), x.rights(), x.ends().iter().map(|edge| (edge.left, edge.right)));
        }
        &self.graph
    }

    fn table(&mut self, x: &Graph) -> &[u32] {
        if !std::mem::replace(&mut self.has_table, true) {
            self.table.clear();
            self.table.resize(x.lefts() * x.rights(), NONE);
            for (edge, ends) in (0..).zip(x.ends()) {
                self.table[ends.left as usize * x.rights() + ends.right as usize] = edge;
            }
        }
        &self.table
    }
}

impl MatchingScores {
    /// Makes room; returns the scores of links, all 0.
    pub(super) fn begin(&mut self, edges: usize) -> &mut [f64] {
        (self.shape.has_graph, self.shape.has_table) = (false, false);
        self.base = 0.0;
        self.links.clear();
        self.links.resize(edges, 0.0);
        &mut self.links
    }

    /// The scores of a set of links.
    pub(super) fn score_of(&self, y: &Links) -> f64 {
        self.base + y.on.iter().map(|&edge| self.links[edge as usize]).sum::<f64>()
    }

    /// The graph with the edges of each node side by side, and the scores.
    pub(super) fn graph(&mut self, x: &Graph) -> (&Bipartite, &[f64], &mut StratifiedMatching) {
        (self.shape.graph(x), &self.links, &mut self.strata)
    }
}

impl<G: Gain> Kernels<G> {
    /// What each link is worth, from its score and the change of the loss that it makes.
    fn weigh(
        &mut self,
        matching: &MatchingStructure,
        scores: &[f64],
        truth: Option<&Links>,
        gain: impl Fn(f64, f64) -> G,
    ) {
        self.gains.clear();
        let Some(truth) = truth else {
            self.gains.extend(scores.iter().map(|&score| gain(score, 0.0)));
            return;
        };
        self.gains.resize(scores.len(), G::ZERO);
        let set = |edge: usize, slope: f64| self.gains[edge] = gain(scores[edge], slope);
        matching.options.loss.each_slope(truth, scores.len(), set);
    }

    /// The best links.
    fn best(&mut self, x: &Graph, shape: &mut Shape, limits: LinkLimits) -> Vec<u32> {
        let Self { gains, assignment, matching } = self;
        let (lefts, rights) = (x.lefts(), x.rights());
        if !is_dense(x, limits) {
            matching.solve(shape.graph(x), gains, limits);
            return matching.links();
        }
        let table = assignment.begin(lefts, rights);
        if x.is_complete() {
            table.copy_from_slice(gains);
            assignment.solve();
            // Edges are sorted by their left node, and so are links.
            let link = |left: usize| Some((left * rights + assignment.partner(left)?) as u32);
            return (0..lefts).filter_map(link).collect();
        }
        for (ends, &gain) in x.ends().iter().zip(&*gains) {
            table[ends.left as usize * rights + ends.right as usize] = gain;
        }
        assignment.solve();
        let edges = shape.table(x);
        let link = |left: usize| Some(edges[left * rights + assignment.partner(left)?]);
        let mut links: Vec<u32> = (0..lefts).filter_map(link).filter(|&edge| edge != NONE).collect();
        links.sort_unstable();
        links
    }
}

impl MatchingStructure {
    pub(super) fn limits(&self) -> LinkLimits {
        let (left, right) = self.options.fertility;
        LinkLimits { left, right }
    }

    pub(super) fn found(&self, scores: &MatchingScores, truth: Option<&Links>, on: Vec<u32>) -> Found<Links> {
        let label = Links::of(on);
        let loss = truth.map_or(0.0, |truth| self.options.loss.of(truth, &label));
        Found::exactly(label.clone(), scores.score_of(&label), loss)
    }

    /// The best links under a mix.
    pub(super) fn best_links(
        &self,
        x: &Graph,
        scores: &mut MatchingScores,
        truth: Option<&Links>,
        mix: Mix,
    ) -> Found<Links> {
        let MatchingScores { links, shape, plain, paired, .. } = scores;
        let on = match is_end(truth, mix) {
            false => {
                plain.weigh(self, links, truth, |score, loss| mix.height(score, loss));
                plain.best(x, shape, self.limits())
            }
            true => {
                paired.weigh(self, links, truth, |score, loss| pair(mix, score, loss));
                paired.best(x, shape, self.limits())
            }
        };
        self.found(scores, truth, on)
    }

    /// For each edge how much less the best links score among which it is, if it is none of the best, or is not.
    pub(super) fn flip_losses(&self, x: &Graph, scores: &mut MatchingScores) -> (Vec<u32>, Vec<f64>) {
        let MatchingScores { links, shape, plain, .. } = scores;
        plain.weigh(self, links, None, |score, _| score);
        let limits = self.limits();
        let on = plain.best(x, shape, limits);
        let graph = shape.graph(x);
        let Kernels { gains, assignment, matching } = plain;
        if !is_dense(x, limits) {
            let losses = flip_losses(graph, gains, matching.proof(&on));
            return (on, losses);
        }
        let right_prices = assignment.prices();
        let profit = |edge: &u32| gains[*edge as usize] - right_prices[graph.ends(*edge as usize).1];
        let largest = |left: usize| graph.of_left(left).iter().map(profit).fold(0.0, f64::max);
        let left_prices: Vec<f64> = (0..x.lefts()).map(largest).collect();
        let priced = PricedLinks { limits, on: &on, left_prices: &left_prices, right_prices };
        let losses = flip_losses(graph, gains, priced);
        (on, losses)
    }

    /// The k best sets of links under a mix, best first.
    pub(super) fn best_lists(
        &self,
        x: &Graph,
        scores: &mut MatchingScores,
        truth: Option<&Links>,
        mix: Mix,
        k: usize,
    ) -> Vec<Found<Links>> {
        let MatchingScores { links, shape, plain, paired, .. } = scores;
        let limits = self.limits();
        let lists = match is_end(truth, mix) {
            false => {
                plain.weigh(self, links, truth, |score, loss| mix.height(score, loss));
                k_best_matchings(shape.graph(x), &plain.gains, limits, k, &mut plain.matching)
            }
            true => {
                paired.weigh(self, links, truth, |score, loss| pair(mix, score, loss));
                k_best_matchings(shape.graph(x), &paired.gains, limits, k, &mut paired.matching)
            }
        };
        lists.into_iter().map(|on| self.found(scores, truth, on)).collect()
    }
}

/// Whether the links of a graph are found in a table of all pairs of nodes.
fn is_dense(x: &Graph, limits: LinkLimits) -> bool {
    let is_single = limits == LinkLimits { left: 1, right: 1 };
    is_single && x.lefts() as u64 * x.rights() as u64 <= (DENSE * x.edges().len()) as u64
}

/// Whether a mix is an end of the λ-oracle with ties to break. Without a truth there is no loss to break them.
fn is_end(truth: Option<&Links>, mix: Mix) -> bool {
    truth.is_some() && (mix.score == 0.0 || mix.loss == 0.0)
}

fn pair(mix: Mix, score: f64, loss: f64) -> Lexicographic {
    let (first, second) = mix.rank(score, loss);
    Lexicographic { first, second }
}
