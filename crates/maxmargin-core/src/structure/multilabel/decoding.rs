//! The best set of one input: scores as a field of binary labels, and which kernel maximises it.

use super::{LabelSet, MultilabelStructure, PairWeights};
use crate::inference::{
    AllSets, BinaryField, BoundedSet, BranchAndBound, Forest, LabelGraph, MOST_LABELS, RoofDual, k_best_sets,
};
use crate::linear::Precise;
use crate::structure::{Found, Mix, Side};

/// Losses count so much against scores at the end λ = 0, where they only break ties: relative to all scores together, and no
/// more than bounds allow for the rounding of scores. What a label costs is then lost in rounding if it is some hundred times
/// less than the dearest one.
const TIE: f64 = 2e-14;

/// The most relaxations that branch and bound solves for one set.
const MOST_NODES: usize = 300;

/// How the best set is found.
#[derive(Debug, Clone)]
pub(super) enum SetDecoder {
    /// By dynamic programming on a forest.
    Forest(Forest),
    /// All sets are listed.
    Listed,
    /// By branch and bound.
    Searched,
}

impl SetDecoder {
    pub(super) fn new(graph: &LabelGraph) -> Self {
        match Forest::new(graph) {
            Ok(forest) => SetDecoder::Forest(forest),
            Err(_) if graph.labels() <= MOST_LABELS => SetDecoder::Listed,
            Err(_) => SetDecoder::Searched,
        }
    }
}

/// What the kernels work with.
#[derive(Debug, Clone, Default)]
struct Kernels {
    dual: RoofDual,
    halves: Vec<u8>,
    forest: Option<Forest>,
    all: AllSets,
    search: BranchAndBound,
    /// The best set by number of differences, where all sets are listed.
    strata: Vec<(u32, f64)>,
}

/// The scores of one input: ⟨w, φ(x,y)⟩ = base + Σ_i unary_i·y_i + Σ_ij coupling_ij·y_i·y_j.
#[derive(Debug, Clone, Default)]
pub struct MultilabelScores {
    pub(super) base: f64,
    pub(super) unary: Vec<f64>,
    pub(super) coupling: Vec<f64>,
    /// The unary scores with the loss added.
    pub(super) augmented: Vec<f64>,
    /// Whether the max-flow's last problem had these couplings.
    is_known: bool,
    kernels: Kernels,
}

impl MultilabelScores {
    /// Makes room; returns the unary scores, all 0.
    pub(super) fn begin(&mut self, labels: usize, edges: usize) -> &mut [f64] {
        self.is_known = false;
        self.unary.clear();
        self.unary.resize(labels, 0.0);
        self.coupling.clear();
        self.coupling.reserve(edges);
        &mut self.unary
    }

    /// Adds the weights of all pairs to the scores.
    pub(super) fn add_pairs(&mut self, graph: &LabelGraph, kind: PairWeights, weights: &[f64]) {
        if kind == PairWeights::Both {
            self.coupling.extend_from_slice(weights);
            return;
        }
        let (weights, _) = weights.as_chunks::<4>();
        if graph.is_complete() {
            // The edges to all larger labels lie together: no indices, so that this vectorises.
            self.coupling.resize(weights.len(), 0.0);
            let (mut weights, mut couplings) = (weights, &mut self.coupling[..]);
            for i in 0..graph.labels() {
                let (before, others) = self.unary.split_at_mut(i + 1);
                let (here, coupling);
                (here, weights) = weights.split_at(others.len());
                (coupling, couplings) = couplings.split_at_mut(others.len());
                let (mut base, mut unary) = (0.0, 0.0);
                for ((four, other), coupling) in here.iter().zip(others).zip(coupling) {
                    let [neither, second, first, both] = *four;
                    base += neither;
                    unary += first - neither;
                    *other += second - neither;
                    *coupling = both - first - second + neither;
                }
                self.base += base;
                before[i] += unary;
            }
            return;
        }
        for (&(i, j), &[neither, second, first, both]) in graph.edges().iter().zip(weights) {
            self.base += neither;
            self.unary[i as usize] += first - neither;
            self.unary[j as usize] += second - neither;
            self.coupling.push(both - first - second + neither);
        }
    }

    /// Adds the weights of all pairs to scores of which nothing is rounded yet, and rounds them.
    pub(super) fn take_precise_pairs(
        &mut self,
        graph: &LabelGraph,
        kind: PairWeights,
        weights: &[f64],
        mut base: Precise,
        mut unary: Vec<Precise>,
    ) {
        if kind == PairWeights::Both {
            self.coupling.extend_from_slice(weights);
        } else {
            for (&(i, j), &[neither, second, first, both]) in
                graph.edges().iter().zip(weights.as_chunks::<4>().0)
            {
                base.add(neither);
                [first, -neither].into_iter().for_each(|w| unary[i as usize].add(w));
                [second, -neither].into_iter().for_each(|w| unary[j as usize].add(w));
                let mut coupling = Precise::default();
                [both, -first, -second, neither].into_iter().for_each(|w| coupling.add(w));
                self.coupling.push(coupling.get());
            }
        }
        self.base = base.get();
        self.unary.iter_mut().zip(unary).for_each(|(score, sum)| *score = sum.get());
    }

    /// The same times `scale`, with `loss(label)` added to the score of each label.
    pub(super) fn scaled_into(&self, scale: f64, base: f64, loss: impl Fn(usize) -> f64, out: &mut Self) {
        out.begin(self.unary.len(), self.coupling.len());
        out.base = scale * self.base + base;
        let unary = out.unary.iter_mut().zip(&self.unary).enumerate();
        unary.for_each(|(label, (out, score))| *out = scale * score + loss(label));
        out.coupling.extend(self.coupling.iter().map(|score| scale * score));
    }

    /// The score of a set.
    pub(super) fn score_of(&self, graph: &LabelGraph, set: &LabelSet) -> f64 {
        let unary: f64 = set.members().map(|(i, share)| share * self.unary[i]).sum();
        if self.coupling.is_empty() {
            return self.base + unary;
        }
        let mut pairs: f64 =
            set.pairs().iter().map(|(e, share)| share.get() * self.coupling[*e as usize]).sum();
        for (place, &i) in set.on().iter().enumerate() {
            let others = set.on()[place + 1..].iter().map(|&j| (j as usize, 1.0));
            let parts = set.parts().iter().map(|&(j, share)| (j as usize, share.get()));
            for (j, share) in others.chain(parts) {
                pairs += graph.edge(i as usize, j).map_or(0.0, |edge| share * self.coupling[edge]);
            }
        }
        self.base + unary + pairs
    }

    /// The field with the loss added, and what works on it.
    fn augmented_field<'a>(&'a mut self, graph: &'a LabelGraph) -> (BinaryField<'a>, &'a mut Kernels) {
        (BinaryField { graph, unary: &self.augmented, coupling: &self.coupling }, &mut self.kernels)
    }

    /// The size of the scores of pairs together.
    pub(super) fn extent_of_pairs(&self) -> f64 {
        self.coupling.iter().map(|score| score.abs()).sum()
    }

    /// The size of all scores together.
    pub(super) fn extent(&self) -> f64 {
        self.unary.iter().chain(&self.coupling).map(|score| score.abs()).sum()
    }
}

impl MultilabelStructure {
    /// Adds λ times the loss to the scores, up to a constant, and returns λ. At the ends of the λ-oracle one of the two
    /// only breaks ties.
    pub(super) fn augment(&self, scores: &mut MultilabelScores, truth: Option<&LabelSet>, mix: Mix) -> f64 {
        let Some(truth) = truth else {
            scores.augmented.clone_from(&scores.unary);
            return 0.0;
        };
        let mut on = truth.on().iter().peekable();
        self.augment_by(scores, mix, |label| Some(on.next_if_eq(&&(label as u32)).is_some()))
    }

    /// The same, where `truth` says of each label, asked in their order, whether it is to be in; one of which nothing is known costs nothing.
    pub(super) fn augment_by(
        &self,
        scores: &mut MultilabelScores,
        mix: Mix,
        mut truth: impl FnMut(usize) -> Option<bool>,
    ) -> f64 {
        scores.augmented.clone_from(&scores.unary);
        let labels = self.labels();
        let lambda = match mix.score == 0.0 || mix.loss == 0.0 {
            true => self.lambda_of_end(scores, mix),
            false => mix.loss / mix.score,
        };
        for (label, score) in scores.augmented.iter_mut().enumerate() {
            if let Some(is_true) = truth(label) {
                *score += lambda * self.options.loss.slope(label, labels, is_true);
            }
        }
        lambda
    }

    /// A λ with which the loss only breaks ties of the score, or the other way round.
    fn lambda_of_end(&self, scores: &MultilabelScores, mix: Mix) -> f64 {
        let labels = self.labels();
        let (smallest, largest) = self.options.loss.extremes(labels);
        if largest == 0.0 {
            return 0.0;
        }
        if mix.score == 0.0 {
            return 2.0 * (1.0 + scores.extent()) / smallest;
        }
        match TIE * scores.extent() / (largest * labels as f64) {
            0.0 => 1.0,
            lambda => lambda,
        }
    }

    /// The best vertex of the relaxation under a mix.
    pub(super) fn best_vertex(
        &self,
        scores: &mut MultilabelScores,
        truth: &LabelSet,
        mix: Mix,
    ) -> Found<LabelSet> {
        self.augment(scores, Some(truth), mix);
        let is_known = std::mem::replace(&mut scores.is_known, true);
        let (field, Kernels { dual, halves, .. }) = scores.augmented_field(&self.graph);
        match is_known {
            true => dual.solve_again(field, halves),
            false => dual.solve(field, halves),
        };
        let label = LabelSet::of_halves(halves, &self.graph, field.coupling);
        self.found(scores, Some(truth), label)
    }

    /// The best set under a mix.
    pub(super) fn best_set(
        &self,
        scores: &mut MultilabelScores,
        truth: Option<&LabelSet>,
        mix: Mix,
    ) -> Found<LabelSet> {
        let lambda = self.augment(scores, truth, mix);
        let (field, kernels) = scores.augmented_field(&self.graph);
        match &self.decoder {
            SetDecoder::Listed => {
                kernels.fill(field);
                let label = of_mask(kernels.all.best().0);
                self.found(scores, truth, label)
            }
            decoder => {
                let best = kernels.solve(decoder, field, &[]);
                self.bounded(scores, truth, mix, lambda, best)
            }
        }
    }

    /// The best set under the augmented scores that agrees with what is fixed, or of those that do not. For decoders that are certain.
    pub(super) fn best_of_side(
        &self,
        scores: &mut MultilabelScores,
        fixed: &[Option<bool>],
        side: Side,
    ) -> Option<LabelSet> {
        let (field, kernels) = scores.augmented_field(&self.graph);
        if let SetDecoder::Listed = &self.decoder {
            kernels.fill(field);
            let bits = |is: Option<bool>| {
                let labels =
                    (0..).zip(fixed).filter(|(_, fixed)| fixed.is_some() && (is.is_none() || **fixed == is));
                labels.fold(0_u32, |mask, (label, _)| mask | 1 << label)
            };
            let (mask, values) = (bits(None), bits(Some(true)));
            let mut best = kernels.all.best_by_key(1, |set| usize::from(set & mask != values));
            return best.swap_remove(usize::from(side == Side::Outside)).map(|(set, _)| of_mask(set));
        }
        if side == Side::Inside {
            return Some(of_flags(&kernels.solve(&self.decoder, field, fixed).on));
        }
        let best = kernels.solve(&self.decoder, field, &[]);
        let differs = |(on, fixed): (&bool, &Option<bool>)| fixed.is_some_and(|fixed| fixed != *on);
        if best.on.iter().zip(fixed).any(differs) {
            return Some(of_flags(&best.on));
        }
        let mut other = vec![None; fixed.len()];
        let mut best: Option<BoundedSet> = None;
        for (label, known) in fixed.iter().enumerate().filter(|(_, fixed)| fixed.is_some()) {
            other[label] = known.map(|on| !on);
            let found = kernels.solve(&self.decoder, field, &other);
            other[label] = None;
            if best.as_ref().is_none_or(|best| found.score > best.score) {
                best = Some(found);
            }
        }
        best.map(|best| of_flags(&best.on))
    }

    /// The k best sets under a mix, best first.
    pub(super) fn best_sets(
        &self,
        scores: &mut MultilabelScores,
        truth: Option<&LabelSet>,
        mix: Mix,
        k: usize,
    ) -> Vec<Found<LabelSet>> {
        let lambda = self.augment(scores, truth, mix);
        let (field, kernels) = scores.augmented_field(&self.graph);
        match &self.decoder {
            SetDecoder::Listed => {
                kernels.fill(field);
                let best = kernels.all.k_best(k);
                best.into_iter().map(|(mask, _)| self.found(scores, truth, of_mask(mask))).collect()
            }
            decoder => {
                let best = k_best_sets(self.labels(), k, |fixed| kernels.solve(decoder, field, fixed));
                let bounded = |best| self.bounded(scores, truth, mix, lambda, best);
                best.into_iter().map(bounded).collect()
            }
        }
    }

    /// For each label, what `of` makes of the score of the best set that differs from this one there, and of a bound on it: a
    /// relaxation cannot tell, so each is searched with that label fixed.
    pub(super) fn best_otherwise<T>(
        &self,
        scores: &mut MultilabelScores,
        set: &LabelSet,
        of: impl Fn(f64, f64) -> T,
    ) -> Vec<T> {
        self.augment(scores, None, Mix::SCORE);
        let base = scores.base;
        let (field, kernels) = scores.augmented_field(&self.graph);
        let is_listed = matches!(self.decoder, SetDecoder::Listed);
        if is_listed {
            kernels.fill(field);
        }
        let mut fixed = vec![None; self.labels()];
        let mut otherwise = |label: usize| {
            let is_on = set.share(label as u32) == 1.0;
            if is_listed {
                let score = base + kernels.all.best_where(label, !is_on);
                return of(score, score);
            }
            fixed[label] = Some(!is_on);
            let BoundedSet { score, bound, .. } = kernels.solve(&self.decoder, field, &fixed);
            fixed[label] = None;
            of(base + score, base + bound)
        };
        (0..self.labels()).map(&mut otherwise).collect()
    }

    /// A set that a kernel found, with what it may have missed in the units of the mix.
    fn bounded(
        &self,
        scores: &MultilabelScores,
        truth: Option<&LabelSet>,
        mix: Mix,
        lambda: f64,
        best: BoundedSet,
    ) -> Found<LabelSet> {
        let unit = match mix.score == 0.0 {
            // Where nothing costs anything, no loss can be missed.
            true if lambda == 0.0 => 0.0,
            true => mix.loss / lambda,
            false => mix.score,
        };
        let missed = unit * (best.bound - best.score).max(0.0);
        Found { missed, ..self.found(scores, truth, of_flags(&best.on)) }
    }

    /// Finds the best score for each number of differences from a set.
    pub(super) fn count_differences(&self, scores: &mut MultilabelScores, from: &LabelSet) {
        let MultilabelScores { unary, coupling, kernels, .. } = scores;
        let field = BinaryField { graph: &self.graph, unary, coupling };
        match &self.decoder {
            SetDecoder::Forest(forest) => {
                let mut flags = vec![false; self.labels()];
                from.on().iter().for_each(|&label| flags[label as usize] = true);
                kernels.forest.get_or_insert_with(|| forest.clone()).count_differences(field, &flags);
            }
            _ => {
                kernels.fill(field);
                let mask = from.on().iter().fold(0, |mask, label| mask | (1 << label));
                kernels.strata = kernels.all.best_by_distance(mask);
            }
        }
    }
}

impl MultilabelScores {
    /// The best score for each number of differences, after they were counted.
    pub(super) fn best_by_differences(&self) -> impl Iterator<Item = f64> + '_ {
        let forest = self.kernels.forest.iter().flat_map(Forest::scores);
        forest.chain(self.kernels.strata.iter().map(|(_, score)| *score)).map(|score| self.base + score)
    }

    /// The best set with this many differences.
    pub(super) fn set_with_differences(&self, differences: usize) -> LabelSet {
        match &self.kernels.forest {
            Some(forest) => of_flags(&forest.set(differences)),
            None => of_mask(self.kernels.strata[differences].0),
        }
    }
}

impl Kernels {
    /// Lists all sets. There are few enough labels, or this is not called.
    fn fill(&mut self, field: BinaryField<'_>) {
        let is_filled = self.all.fill(field);
        debug_assert!(is_filled.is_ok());
    }

    fn solve(&mut self, decoder: &SetDecoder, field: BinaryField<'_>, fixed: &[Option<bool>]) -> BoundedSet {
        match decoder {
            SetDecoder::Forest(forest) => {
                let forest = self.forest.get_or_insert_with(|| forest.clone());
                let (on, score) = forest.maximize(field, fixed);
                BoundedSet::proven(on, score)
            }
            _ => self.search.maximize(field, fixed, MOST_NODES),
        }
    }
}

fn of_mask(mask: u32) -> LabelSet {
    LabelSet::of(&(0..u32::BITS).filter(|label| mask & (1 << label) != 0).collect::<Vec<u32>>())
}

fn of_flags(flags: &[bool]) -> LabelSet {
    let on = (0..).zip(flags).filter(|(_, on)| **on).map(|(label, _)| label);
    LabelSet::of(&on.collect::<Vec<u32>>())
}
