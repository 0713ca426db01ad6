//! The oracles of trees beyond decoding: the k best, the best of every loss, and max-marginals.
//!
//! The k best labelled trees have the heads of the k best trees whose arcs have their best relations: any other heads have k better ones
//! before them. The relations of each of these trees are then worse ones, word by word, in the order of what is lost.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::{DependencyTree, ParsingScores, ParsingStructure, Sentence, TreeKind};
use crate::inference::{
    ArcTable, Gain, Lexicographic, PricedArc, ProjectiveStrata, best_arborescence, k_best_arborescences,
    k_best_projective, k_best_with_siblings, projective_max_marginals, sibling_max_marginals,
};
use crate::structure::{Confidence, Found, KBest, MaxMarginals, Mix, ScoreStratum, Stratified, Structure};

/// The most numbers in a table of all losses, and the most steps to fill it: about a second.
const LARGEST_TABLE: f64 = (1u64 << 25) as f64;
const MOST_STEPS: f64 = 1e9;

/// The best trees of all losses, with the relations of their arcs.
#[derive(Debug, Clone)]
pub(super) struct Strata {
    table: ProjectiveStrata,
    /// The relations of arcs that are taken in the one way or the other.
    chosen: ArcTable<u32>,
    others: Vec<u32>,
}

/// A tree with worse relations for some words: what it loses, the word in the list of losses that was changed last, and to which rank.
struct Variant<V> {
    value: V,
    tree: usize,
    word: usize,
    ranks: Vec<u32>,
}

impl<V: Gain> Ord for Variant<V> {
    fn cmp(&self, other: &Self) -> Ordering {
        let places = (other.tree, &other.ranks).cmp(&(self.tree, &self.ranks));
        self.value.compare(other.value).then(places)
    }
}

impl<V: Gain> PartialOrd for Variant<V> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<V: Gain> PartialEq for Variant<V> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<V: Gain> Eq for Variant<V> {}

/// What the arcs of a tree lose with their other relations: for each word, in the order of the least loss, these losses and relations, best first.
struct Relations<V> {
    words: Vec<(usize, Vec<(V, u32)>)>,
}

impl<V: Gain> Relations<V> {
    /// What a word loses from one rank to another.
    fn loss(&self, word: usize, from: usize, to: usize) -> Option<V> {
        let ranked = &self.words.get(word)?.1;
        Some(ranked[from].0 - ranked.get(to)?.0)
    }
}

impl ParsingStructure {
    fn k_best_heads<V: Gain>(
        &self,
        values: &ArcTable<V>,
        siblings: impl Fn(usize, usize, usize) -> V,
        k: usize,
    ) -> Vec<(Vec<u32>, V)> {
        match self.options.trees {
            TreeKind::Projective if self.options.siblings => {
                k_best_with_siblings(values, &siblings, self.options.roots, k)
            }
            TreeKind::Projective => k_best_projective(values, self.options.roots, k),
            TreeKind::Any => k_best_arborescences(values, self.options.roots, k),
        }
    }

    /// How many trees there are is no more than this, so that nobody asks for more.
    fn most_trees(&self, words: usize) -> usize {
        (0..words).fold(1usize, |most, _| most.saturating_mul(words + 1))
    }

    fn ranked_relations<V: Gain>(
        &self,
        scores: &ParsingScores,
        truth: Option<&DependencyTree>,
        heads: &[u32],
        most: usize,
        value: impl Fn(f64, f64) -> V,
    ) -> Relations<V> {
        let of_word = |place: usize, head: u32| {
            let row = (0..).zip(scores.row(head as usize, place + 1));
            let cost = |relation: u32| {
                let true_arc = truth.map(|truth| (truth.heads[place], truth.relations[place]));
                true_arc.map_or(0.0, |truth| self.options.loss.of_word(truth, (head, relation)))
            };
            let mut ranked: Vec<(V, u32)> =
                row.map(|(relation, &score)| (value(score, cost(relation)), relation)).collect();
            ranked.sort_by(|a, b| b.0.compare(a.0).then(a.1.cmp(&b.1)));
            ranked.truncate(most);
            (place, ranked)
        };
        let mut words: Vec<_> = heads.iter().enumerate().map(|(place, &head)| of_word(place, head)).collect();
        words.retain(|(_, ranked)| ranked.len() > 1);
        words.sort_by(|(_, a), (_, b)| (a[0].0 - a[1].0).compare(b[0].0 - b[1].0));
        Relations { words }
    }

    fn k_best_trees<V: Gain>(
        &self,
        scores: &ParsingScores,
        truth: Option<&DependencyTree>,
        k: usize,
        value: impl Fn(f64, f64) -> V,
    ) -> Vec<DependencyTree> {
        let (mut values, mut chosen) = (ArcTable::default(), ArcTable::default());
        self.arc_values(scores, truth, &value, (&mut values, &mut chosen));
        let siblings = |head, sibling, word| value(scores.siblings.of((head, sibling, word)), 0.0);
        let all = self.k_best_heads(&values, siblings, k.min(self.most_trees(scores.words())));
        let relations: Vec<Relations<V>> =
            all.iter().map(|(heads, _)| self.ranked_relations(scores, truth, heads, k, &value)).collect();
        let variant = |(tree, (_, value)): (usize, &(Vec<u32>, V))| Variant {
            value: *value,
            tree,
            word: 0,
            ranks: vec![0; relations[tree].words.len()],
        };
        let mut waiting: BinaryHeap<Variant<V>> = all.iter().enumerate().map(variant).collect();
        let mut found = Vec::new();
        while found.len() < k
            && let Some(best) = waiting.pop()
        {
            let (heads, of_tree) = (&all[best.tree].0, &relations[best.tree]);
            let mut tree = Self::with_relations(heads.clone(), &chosen);
            for (&(place, ref ranked), &rank) in of_tree.words.iter().zip(&best.ranks) {
                tree.relations[place] = ranked[rank as usize].1;
            }
            found.push(tree);
            waiting.extend(next_variants(&best, of_tree));
        }
        found
    }
}

/// The variants that follow one. Each is reached from one other: a worse rank of the word that was changed last, the next word changed too, or
/// the next word changed instead.
fn next_variants<V: Gain>(variant: &Variant<V>, relations: &Relations<V>) -> Vec<Variant<V>> {
    let &Variant { value, tree, word, ref ranks } = variant;
    let mut next = Vec::new();
    let mut push = |changes: &[(usize, usize)]| {
        let (mut value, mut ranks, mut last) = (value, ranks.clone(), word);
        for &(word, rank) in changes {
            let Some(loss) = relations.loss(word, ranks[word] as usize, rank) else { return };
            value = value - loss;
            ranks[word] = rank as u32;
            last = word;
        }
        next.push(Variant { value, tree, word: last, ranks });
    };
    let Some(&rank) = ranks.get(word) else { return next };
    if rank == 0 {
        // The best relations of all: the first change is that of the first word.
        push(&[(0, 1)]);
        return next;
    }
    push(&[(word, rank as usize + 1)]);
    if word + 1 < ranks.len() {
        push(&[(word + 1, 1)]);
        if rank == 1 {
            push(&[(word, 0), (word + 1, 1)]);
        }
    }
    next
}

impl KBest<ParsingStructure> for ParsingStructure {
    fn k_best(
        &self,
        _: &Sentence,
        truth: Option<&DependencyTree>,
        scores: &mut ParsingScores,
        mix: Mix,
        k: usize,
    ) -> Vec<Found<DependencyTree>> {
        if k == 0 {
            return Vec::new();
        }
        let value = |score, cost| {
            let (first, second) = mix.rank(score, cost);
            Lexicographic { first, second }
        };
        let trees = self.k_best_trees(scores, truth, k, value);
        trees.into_iter().map(|tree| self.found(scores, truth, tree)).collect()
    }
}

impl ParsingStructure {
    /// Costs as whole numbers of a unit, where the best projective tree of each can be found in time; none where not.
    fn whole_costs(&self, words: usize) -> Option<(f64, [u32; 2], usize)> {
        let (unit, loss) = (self.options.loss.unit()?, self.options.loss);
        let costs = [loss.head, loss.relation].map(|cost| (cost / unit).round() as u32);
        let most = costs[0].max(costs[1]) as usize * words;
        let (places, strata) = ((words + 1).pow(2) as f64, (most + 1) as f64);
        let fits = 4.0 * places * strata <= LARGEST_TABLE
            && places * words as f64 * strata * strata / 3.0 <= MOST_STEPS;
        let is_first_order = self.options.trees == TreeKind::Projective && !self.options.siblings;
        (is_first_order && fits).then_some((unit, costs, most))
    }

    /// Whether the best tree of every loss can be found for a sentence of so many words.
    pub fn has_strata(&self, words: usize) -> bool {
        self.whole_costs(words).is_some()
    }
}

impl Stratified<ParsingStructure> for ParsingStructure {
    fn strata(
        &self,
        _: &Sentence,
        truth: &DependencyTree,
        scores: &mut ParsingScores,
        step: Option<f64>,
        strata: &mut Vec<ScoreStratum>,
    ) -> bool {
        let words = scores.words();
        let Some((unit, [head_cost, relation_cost], most)) =
            self.whole_costs(words).filter(|_| step.is_none())
        else {
            return false;
        };
        let mut chosen = ArcTable::default();
        chosen.reset(words, 0);
        let mut arcs = ArcTable::default();
        arcs.reset(words, PricedArc { value: f64::NEG_INFINITY, cost: 0 });
        for head in 0..=words {
            for word in (1..=words).filter(|&word| word != head) {
                *arcs.value_mut(head, word) =
                    PricedArc { value: scores.arcs.value(head, word), cost: head_cost };
                *chosen.value_mut(head, word) = scores.best_relation(head, word);
            }
        }
        let (mut others, mut other_relations) = (vec![None; words], vec![0; words]);
        // The right head: with the true relation, or with the best of the wrong ones where that costs something.
        for (head, word, relation) in truth.arcs() {
            let row = scores.row(head, word);
            if relation_cost == 0 {
                arcs.value_mut(head, word).cost = 0;
                continue;
            }
            *arcs.value_mut(head, word) = PricedArc { value: row[relation as usize], cost: 0 };
            *chosen.value_mut(head, word) = relation;
            let wrong = (0..).zip(row).filter(|(other, _)| *other != relation);
            let best = wrong.reduce(|best, next| if next.1 > best.1 { next } else { best });
            if let Some((other, &value)) = best {
                others[word - 1] = Some((head as u32, PricedArc { value, cost: relation_cost }));
                other_relations[word - 1] = other;
            }
        }
        let table = ProjectiveStrata::new(arcs, others, self.options.roots, most);
        strata.clear();
        strata.extend(table.values().iter().enumerate().map(|(number, &score)| {
            let loss = unit * number as f64;
            ScoreStratum { score, losses: (loss, loss) }
        }));
        scores.strata = Some(Strata { table, chosen, others: other_relations });
        true
    }

    fn stratum_label(&self, x: &Sentence, scores: &mut ParsingScores, number: usize) -> DependencyTree {
        let Some(Strata { table, chosen, others }) = &scores.strata else {
            return self.decode(x, scores).label;
        };
        let (heads, is_other) = table.tree(number);
        let mut tree = Self::with_relations(heads, chosen);
        for place in (0..tree.len()).filter(|&place| is_other[place]) {
            tree.relations[place] = others[place];
        }
        tree
    }
}

/// The variables are words. A value says head and relation: the relation in its lower half, the head in the upper.
impl MaxMarginals<ParsingStructure> for ParsingStructure {
    fn values(&self, _: &Sentence, y: &DependencyTree) -> Vec<u32> {
        y.arcs().map(|(head, _, relation)| (head as u32) << 16 | relation).collect()
    }

    fn confidences(
        &self,
        x: &Sentence,
        scores: &mut ParsingScores,
        best: &Found<DependencyTree>,
    ) -> Vec<Confidence> {
        let heads = match self.options.trees {
            TreeKind::Projective => self.best_with_other_heads(scores, &best.label),
            TreeKind::Any => self.best_without_arcs(scores, &best.label),
        };
        let of_word = |((head, word, relation), other_head): ((usize, usize, u32), f64)| {
            let row = (0..).zip(scores.row(head, word)).filter(|(other, _)| *other != relation);
            let other = row.map(|(_, &score)| score).fold(f64::NEG_INFINITY, f64::max);
            let with_relation = best.score - scores.of((head, word, relation)) + other;
            Confidence::exactly(best, with_relation.max(other_head))
        };
        debug_assert_eq!(x.len(), heads.len());
        best.label.arcs().zip(heads).map(of_word).collect()
    }
}

impl ParsingStructure {
    /// For each word, what the best tree with another head of it is worth.
    fn best_with_other_heads(&self, scores: &ParsingScores, best: &DependencyTree) -> Vec<f64> {
        let siblings = |head, sibling, word| scores.siblings.of((head, sibling, word));
        let marginals = match self.options.siblings {
            true => sibling_max_marginals(&scores.arcs, &siblings, self.options.roots),
            false => projective_max_marginals(&scores.arcs, self.options.roots),
        };
        let of_word = |(head, word, _): (usize, usize, u32)| {
            let others = (0..=scores.words()).filter(|&other| other != word && other != head);
            others.map(|other| marginals.value(other, word)).fold(f64::NEG_INFINITY, f64::max)
        };
        best.arcs().map(of_word).collect()
    }

    /// The same among all trees: one is found for each word, without its arc.
    fn best_without_arcs(&self, scores: &ParsingScores, best: &DependencyTree) -> Vec<f64> {
        let mut arcs = scores.arcs.clone();
        let mut of_word = |(head, word, _): (usize, usize, u32)| {
            let arc = std::mem::replace(arcs.value_mut(head, word), f64::NEG_INFINITY);
            let found = best_arborescence(&arcs, self.options.roots);
            let value = found.map_or(f64::NEG_INFINITY, |heads| arcs.value_of(&heads));
            *arcs.value_mut(head, word) = arc;
            value
        };
        best.arcs().map(&mut of_word).collect()
    }
}
