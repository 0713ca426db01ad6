//! Features from estimated associations: Dice's coefficient, and posteriors in both directions.

use super::Sink;
use super::competition::Competition;

/// Features of Dice's coefficient.
pub(super) fn dice(dice: &Competition, (i, j): (usize, usize), to: &mut impl Sink) {
    let value = dice.at(i, j);
    to.add("dice", value);
    to.add("dice.root", value.sqrt());
    to.add("dice.lead", value - dice.rival(i, j));
    for (limit, name) in
        [(0.05, "dice>0.05"), (0.1, "dice>0.1"), (0.2, "dice>0.2"), (0.4, "dice>0.4"), (0.6, "dice>0.6")]
    {
        to.flag(name, value > limit);
    }
    let (row, column) = dice.is_best(i, j);
    to.flag("dice.best", row && column);
    to.flag("dice.best-in-one", row != column);
}

/// The posteriors of a model in both directions.
pub(super) struct Posteriors {
    directions: [Competition; 2],
    /// The geometric mean of both: high where both agree.
    pub both: Competition,
    /// How likely each right word comes from no left word, and each left word from no right word.
    free: [Vec<f64>; 2],
}

/// Posteriors below this are all the same to the logarithm.
const SMALLEST: f64 = 1e-4;

/// The names of a model's features.
pub(super) struct Names {
    right: &'static str,
    left: &'static str,
    both: &'static str,
    larger: &'static str,
    lead: &'static str,
    log: &'static str,
    right_free: &'static str,
    left_free: &'static str,
    best: &'static str,
    best_in_one: &'static str,
    steps: [(f64, &'static str); 6],
}

/// The names of Model 1.
pub(super) const MODEL1: Names = Names {
    right: "model1.right",
    left: "model1.left",
    both: "model1.both",
    larger: "model1.larger",
    lead: "model1.lead",
    log: "model1.log",
    right_free: "model1.right-free",
    left_free: "model1.left-free",
    best: "model1.best",
    best_in_one: "model1.best-in-one",
    steps: [
        (0.01, "model1.both>0.01"),
        (0.05, "model1.both>0.05"),
        (0.15, "model1.both>0.15"),
        (0.3, "model1.both>0.3"),
        (0.5, "model1.both>0.5"),
        (0.8, "model1.both>0.8"),
    ],
};

/// The names of the hidden Markov model.
pub(super) const HMM: Names = Names {
    right: "hmm.right",
    left: "hmm.left",
    both: "hmm.both",
    larger: "hmm.larger",
    lead: "hmm.lead",
    log: "hmm.log",
    right_free: "hmm.right-free",
    left_free: "hmm.left-free",
    best: "hmm.best",
    best_in_one: "hmm.best-in-one",
    steps: [
        (0.01, "hmm.both>0.01"),
        (0.05, "hmm.both>0.05"),
        (0.15, "hmm.both>0.15"),
        (0.3, "hmm.both>0.3"),
        (0.5, "hmm.both>0.5"),
        (0.8, "hmm.both>0.8"),
    ],
};

/// The names of the hidden Markov model of second associations.
pub(super) const SECOND: Names = Names {
    right: "second.right",
    left: "second.left",
    both: "second.both",
    larger: "second.larger",
    lead: "second.lead",
    log: "second.log",
    right_free: "second.right-free",
    left_free: "second.left-free",
    best: "second.best",
    best_in_one: "second.best-in-one",
    steps: [
        (0.01, "second.both>0.01"),
        (0.05, "second.both>0.05"),
        (0.15, "second.both>0.15"),
        (0.3, "second.both>0.3"),
        (0.5, "second.both>0.5"),
        (0.8, "second.both>0.8"),
    ],
};

/// Whether two models agree on a pair of words.
pub(super) fn agreement(first: &Posteriors, second: &Posteriors, (i, j): (usize, usize), to: &mut impl Sink) {
    let (first, second) = (first.both.at(i, j), second.both.at(i, j));
    to.add("second.smaller", first.min(second));
    to.add("second.sum-above-1", (first + second - 1.0).max(0.0));
    to.flag("second.agrees", first > 0.5 && second > 0.5);
    to.flag("second.differs", (first > 0.5) != (second > 0.5));
}

impl Posteriors {
    pub fn new(directions: [Vec<f64>; 2], columns: usize) -> Self {
        let both = directions[0].iter().zip(&directions[1]).map(|(a, b)| (a * b).sqrt()).collect();
        let mut free = [vec![1.0; columns], Vec::new()];
        for row in directions[0].chunks(columns.max(1)) {
            free[0].iter_mut().zip(row).for_each(|(free, taken)| *free -= taken);
        }
        free[1].extend(directions[1].chunks(columns.max(1)).map(|row| 1.0 - row.iter().sum::<f64>()));
        free.iter_mut().flatten().for_each(|free| *free = free.max(0.0));
        Self {
            directions: directions.map(|values| Competition::new(values, columns)),
            both: Competition::new(both, columns),
            free,
        }
    }

    pub fn add(&self, names: &Names, (i, j): (usize, usize), to: &mut impl Sink) {
        let [right, left] = self.directions.each_ref().map(|direction| direction.at(i, j));
        let both = self.both.at(i, j);
        to.add(names.right, right);
        to.add(names.left, left);
        to.add(names.both, both);
        to.add(names.larger, right.max(left));
        to.add(names.lead, both - self.both.rival(i, j));
        to.add(names.log, 1.0 + (both + SMALLEST).ln() / -SMALLEST.ln());
        // How likely each word comes from no word at all.
        to.add(names.right_free, self.free[0][j]);
        to.add(names.left_free, self.free[1][i]);
        for (limit, name) in names.steps {
            to.flag(name, both > limit);
        }
        let (row, column) = self.both.is_best(i, j);
        to.flag(names.best, row && column);
        to.flag(names.best_in_one, row != column);
    }
}
