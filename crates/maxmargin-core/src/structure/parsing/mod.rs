//! Dependency trees: each word of a sentence has a head and a relation to it (THESIS 5.3.4; McDonald, Crammer and Pereira 2005).
//!
//! φ(x,y) is the sum of the features of all labelled arcs (`features.rs`), hashed into a table of weights. Trees have no crossing arcs
//! ([`TreeKind::Projective`], Eisner 1996, O(n³)) or any ([`TreeKind::Any`], Chu and Liu 1965, Edmonds 1967, O(n²)), with one word below the root or
//! several. Score and loss are sums over arcs, and the relation of an arc depends on nothing else: every λ-oracle chooses relations arc by arc, and
//! then a tree. All of it is exact.
//!
//! | weights | at |
//! | --- | --- |
//! | arcs: `2^bits`, in lines of 8 | line of the hash, then direction and distance |
//! | relations: rows of one weight for each | `2^bits + row · relations + relation` |
//!
//! A truth that cannot be found (its arcs cross, or two words are below the root) is kept: H_i = max(0, ·) then.

mod between;
mod counts;
mod features;
mod loss;
mod options;
mod oracles;
mod parts;
mod scoring;
mod sentence;
mod siblings;
mod templates;
mod tree;

pub use loss::ArcLoss;
pub use options::{ParsingOptions, TreeKind};
pub use scoring::ParsingScores;
pub use sentence::{Sentence, Token};
pub use tree::{DependencyTree, TreeFault};

use self::counts::Counts;
use self::features::MOST_TERMS;
use self::siblings::{MOST_SIBLING_TERMS, SiblingScores, Tags, siblings};
use super::shape::check_size;
use super::{Found, Magnitude, Mix, Offers, Structure};
use crate::error::{Error, Result};
use crate::inference::{ArcTable, Gain, Lexicographic, ProjectiveTable, SiblingTable, best_arborescence};
use crate::linear::{FeatureSum, round_up};

/// Words and relations are fewer than this: both fit into one number.
const MOST: usize = 1 << 16;

/// Weights come in whole rows of so many, for the sake of model files.
const ROW: usize = 256;

/// Dependency trees with hashed features.
///
/// ```
/// use maxmargin_core::structure::{DependencyTree, ParsingOptions, ParsingStructure, Sentence, Structure, Token};
///
/// let task = ParsingStructure::new(2, ParsingOptions { hash_bits: 10, ..ParsingOptions::default() })?;
/// let x = Sentence::new([7, 8, 9].map(|word| Token { word, tag: word, ..Token::default() }));
/// let truth = DependencyTree { heads: vec![2, 0, 2], relations: vec![0, 1, 0] };
/// // With the features of the truth for weights the truth is the best tree.
/// let mut w = vec![0.0; task.dim()];
/// task.add_features(&x, &truth, 1.0, &mut w);
/// let mut scores = Default::default();
/// task.score(&w, &x, &mut scores);
/// assert_eq!(task.decode(&x, &mut scores).label, truth);
/// # Ok::<(), maxmargin_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ParsingStructure {
    relations: usize,
    options: ParsingOptions,
}

impl ParsingStructure {
    /// Which templates of features there are: weights are of use with those alone that they were learnt with, so that a stored model should say it.
    pub const FEATURES: u32 = 3;

    /// Trees with so many relations.
    pub fn new(relations: usize, options: ParsingOptions) -> Result<Self> {
        options.check()?;
        if relations == 0 {
            return Err(Error::parameter(
                "relations",
                "there are none; the training data has no labelled tree",
            ));
        }
        if relations > MOST {
            return Err(Error::parameter(
                "relations",
                format!("{relations} are too many; {MOST} is the most"),
            ));
        }
        let structure = Self { relations, options };
        check_size(structure.dim(), 1, Some(0))?;
        Ok(structure)
    }

    /// The options.
    pub fn options(&self) -> &ParsingOptions {
        &self.options
    }

    /// The number of relations.
    pub fn relations(&self) -> usize {
        self.relations
    }

    /// The task loss, which depends on the two trees only.
    pub fn loss_between(&self, truth: &DependencyTree, y: &DependencyTree) -> f64 {
        self.options.loss.between(truth, y)
    }

    /// Whether a tree can be found: a truth may have crossing arcs.
    pub fn can_find(&self, y: &DependencyTree) -> bool {
        y.has_roots(self.options.roots) && (self.options.trees == TreeKind::Any || y.is_projective())
    }

    fn rows_start(&self) -> usize {
        1 << self.options.hash_bits
    }

    /// The rows of relations.
    fn rows(&self) -> usize {
        (self.rows_start() / self.relations).max(1)
    }

    /// The heads of the best tree, given what arcs are worth, and what a score is worth that costs nothing.
    fn best_heads<V: Gain>(
        &self,
        arcs: &ArcTable<V>,
        siblings: &SiblingScores,
        value: impl Fn(f64) -> V,
        table: &mut ProjectiveTable<V>,
    ) -> Vec<u32> {
        let roots = self.options.roots;
        match self.options.trees {
            TreeKind::Projective if self.options.siblings => {
                let siblings = |head, sibling, word| value(siblings.of((head, sibling, word)));
                SiblingTable::new(arcs, &siblings, roots).tree()
            }
            TreeKind::Projective => {
                let mut heads = Vec::new();
                table.fill(arcs, roots);
                table.tree(&mut heads);
                heads
            }
            // There is one where all arcs have values: words one behind the other.
            TreeKind::Any => {
                best_arborescence(arcs, roots).unwrap_or_else(|| (0..arcs.words() as u32).collect())
            }
        }
    }

    /// What each arc is worth with its best relation, and which that is. Only the true arcs cost something or nothing by their relations.
    fn arc_values<V: Gain>(
        &self,
        scores: &ParsingScores,
        truth: Option<&DependencyTree>,
        value: impl Fn(f64, f64) -> V,
        (values, chosen): (&mut ArcTable<V>, &mut ArcTable<u32>),
    ) {
        let (words, loss) = (scores.words(), self.options.loss);
        let head_cost = truth.map_or(0.0, |_| loss.head);
        values.reset(words, V::ZERO - V::INFINITY);
        chosen.reset(words, 0);
        for head in 0..=words {
            for word in (1..=words).filter(|&word| word != head) {
                *values.value_mut(head, word) = value(scores.arcs.value(head, word), head_cost);
                *chosen.value_mut(head, word) = scores.best_relation(head, word);
            }
        }
        for (head, word, relation) in truth.into_iter().flat_map(DependencyTree::arcs) {
            let of =
                |other: u32, score: f64| value(score, if other == relation { 0.0 } else { loss.relation });
            let row = (0..).zip(scores.row(head, word));
            let best = row.map(|(other, &score)| (other, of(other, score)));
            let best = best.reduce(|best, next| if best.1.is_below(next.1) { next } else { best });
            if let Some((relation, best)) = best {
                *values.value_mut(head, word) = best;
                *chosen.value_mut(head, word) = relation;
            }
        }
    }

    /// The tree of some heads with the relations that were chosen for its arcs.
    fn with_relations(heads: Vec<u32>, chosen: &ArcTable<u32>) -> DependencyTree {
        let relation = |(word, &head): (usize, &u32)| chosen.value(head as usize, word);
        let relations = (1..).zip(&heads).map(relation).collect();
        DependencyTree { heads, relations }
    }

    fn score_of_tree(&self, scores: &ParsingScores, y: &DependencyTree) -> f64 {
        let arcs: f64 = y.arcs().map(|arc| scores.of(arc)).sum();
        if self.options.siblings { arcs + scores.siblings_of_tree(y) } else { arcs }
    }

    fn found(
        &self,
        scores: &ParsingScores,
        truth: Option<&DependencyTree>,
        label: DependencyTree,
    ) -> Found<DependencyTree> {
        let score = self.score_of_tree(scores, &label);
        let loss = truth.map_or(0.0, |truth| self.loss_between(truth, &label));
        Found::exactly(label, score, loss)
    }

    /// The tags of a sentence, as features need them.
    fn tags(&self, x: &Sentence) -> Tags {
        let mut tags = Tags::default();
        match self.options.siblings {
            true => tags.fill(x),
            false => tags.fine.fill(x),
        }
        tags
    }

    /// Tells the weights of one tree with 1 and those of another with −1, one for each term, without what both have: where only the relation of an arc
    /// differs, what it has with any relation.
    fn for_each_change(
        &self,
        x: &Sentence,
        tags: &Tags,
        y: &DependencyTree,
        other: &DependencyTree,
        mut tell: impl FnMut(usize, f64),
    ) {
        for (a, b) in y.arcs().zip(other.arcs()).filter(|(a, b)| a != b) {
            for (arc, sign) in [(a, 1.0), (b, -1.0)] {
                match a.0 == b.0 {
                    true => self.for_each_relation_feature(x, arc, |place| tell(place, sign)),
                    false => self.for_each_feature(x, &tags.fine, arc, |place| tell(place, sign)),
                }
            }
        }
        if self.options.siblings {
            for (a, b) in siblings(y).zip(siblings(other)).filter(|(a, b)| a != b) {
                self.for_each_sibling_feature(x, tags, a, |place| tell(place, 1.0));
                self.for_each_sibling_feature(x, tags, b, |place| tell(place, -1.0));
            }
        }
    }
}

impl Structure for ParsingStructure {
    type Input = Sentence;
    type Label = DependencyTree;
    type Scores = ParsingScores;
    type Kernel = ();

    fn check(&self, x: &Sentence, y: &DependencyTree) -> Result<()> {
        if x.len() >= MOST {
            return Err(Error::parameter(
                "input",
                format!("{} words; a sentence has fewer than {MOST}", x.len()),
            ));
        }
        y.check(x.len(), self.relations)
    }

    fn dim(&self) -> usize {
        self.rows_start() + (self.rows() * self.relations).next_multiple_of(ROW)
    }

    fn variables(&self, x: &Sentence) -> usize {
        x.len()
    }

    fn score(&self, w: &[f64], x: &Sentence, scores: &mut ParsingScores) {
        self.score_all(w, x, scores);
    }

    fn score_for(
        &self,
        w: &[f64],
        x: &Sentence,
        y: &DependencyTree,
        begin: bool,
        scores: &mut ParsingScores,
    ) {
        self.score_some(w, x, y, begin, scores);
    }

    /// Several features may share a weight: nothing is said of that.
    fn magnitude(&self, x: &Sentence, truth: &DependencyTree) -> Magnitude {
        let of_word = MOST_TERMS + if self.options.siblings { MOST_SIBLING_TERMS } else { 0 };
        let terms = (x.len() * of_word) as f64;
        Magnitude {
            norm: round_up(terms, 8.0),
            terms: (of_word + 16 * x.len() + 16) as f64,
            repeats: terms.max(1.0),
            loss: round_up(self.largest_loss(x, truth), 8.0),
            is_exact: true,
        }
    }

    fn score_of(&self, _: &Sentence, scores: &ParsingScores, y: &DependencyTree) -> f64 {
        self.score_of_tree(scores, y)
    }

    fn decode(&self, _: &Sentence, scores: &mut ParsingScores) -> Found<DependencyTree> {
        let mut table = std::mem::take(&mut scores.table);
        let heads = self.best_heads(&scores.arcs, &scores.siblings, |score| score, &mut table);
        scores.table = table;
        let relation = |(word, &head): (usize, &u32)| scores.best_relation(head as usize, word);
        let relations = (1..).zip(&heads).map(relation).collect();
        self.found(scores, None, DependencyTree { heads, relations })
    }

    fn loss(&self, _: &Sentence, truth: &DependencyTree, y: &DependencyTree) -> f64 {
        self.loss_between(truth, y)
    }

    fn largest_loss(&self, x: &Sentence, _: &DependencyTree) -> f64 {
        self.options.loss.largest() * x.len() as f64
    }

    fn loss_unit(&self, _: &Sentence, _: &DependencyTree) -> Option<f64> {
        self.options.loss.unit()
    }

    fn least_loss(&self, _: &Sentence, _: &DependencyTree) -> f64 {
        self.options.loss.least()
    }

    fn maximize(
        &self,
        _: &Sentence,
        truth: &DependencyTree,
        scores: &mut ParsingScores,
        mix: Mix,
    ) -> Found<DependencyTree> {
        let mut chosen = std::mem::take(&mut scores.chosen);
        let heads = if mix.score == 0.0 || mix.loss == 0.0 {
            // An end of the λ-oracle: ties matter.
            let mut values = ArcTable::default();
            let value = |score, cost| {
                let (first, second) = mix.rank(score, cost);
                Lexicographic { first, second }
            };
            self.arc_values(scores, Some(truth), value, (&mut values, &mut chosen));
            let of_score = |score| value(score, 0.0);
            self.best_heads(&values, &scores.siblings, of_score, &mut ProjectiveTable::default())
        } else {
            let (mut values, mut table) =
                (std::mem::take(&mut scores.values), std::mem::take(&mut scores.table));
            let value = |score, cost| mix.height(score, cost);
            self.arc_values(scores, Some(truth), value, (&mut values, &mut chosen));
            let of_score = |score| value(score, 0.0);
            let heads = self.best_heads(&values, &scores.siblings, of_score, &mut table);
            (scores.values, scores.table) = (values, table);
            heads
        };
        let label = Self::with_relations(heads, &chosen);
        scores.chosen = chosen;
        self.found(scores, Some(truth), label)
    }

    fn add_features<A: FeatureSum + ?Sized>(
        &self,
        x: &Sentence,
        y: &DependencyTree,
        factor: f64,
        sum: &mut A,
    ) {
        let tags = self.tags(x);
        for arc in y.arcs() {
            self.for_each_feature(x, &tags.fine, arc, |place| sum.add(place, factor));
        }
        if self.options.siblings {
            for sibling in siblings(y) {
                self.for_each_sibling_feature(x, &tags, sibling, |place| sum.add(place, factor));
            }
        }
    }

    fn add_difference<A: FeatureSum + ?Sized>(
        &self,
        x: &Sentence,
        y: &DependencyTree,
        truth: &DependencyTree,
        factor: f64,
        sum: &mut A,
    ) {
        self.for_each_change(x, &self.tags(x), y, truth, |place, sign| sum.add(place, sign * factor));
    }

    fn offers(&self) -> Offers<'_, Self> {
        Offers {
            k_best: Some(self),
            // Neither knows of neighbours.
            stratified: (!self.options.siblings).then_some(self),
            max_marginals: Some(self),
            parts: (!self.options.siblings).then_some(self),
            ..Offers::default()
        }
    }

    fn product(
        &self,
        x: &Sentence,
        _: &(),
        truth: &DependencyTree,
        y: &DependencyTree,
        z: &DependencyTree,
    ) -> f64 {
        let tags = self.tags(x);
        let changed = y.arcs().zip(truth.arcs()).filter(|(a, b)| a != b).count();
        let mut counts = Counts::new(MOST_TERMS * changed);
        self.for_each_change(x, &tags, y, truth, |place, sign| counts.add(place, sign));
        if y == z {
            return counts.squares();
        }
        let mut product = 0.0;
        self.for_each_change(x, &tags, z, truth, |place, sign| product += sign * counts.of(place));
        product
    }
}

#[cfg(test)]
mod tests;
