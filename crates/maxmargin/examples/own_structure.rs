//! A structure of your own, worked through: find the one interesting stretch of a sequence.
//!
//! Think of the active minutes in a day of measurements, or the gene in a stretch of DNA. An input is a sequence of
//! feature vectors. A label is one interval of it, possibly empty. It is neither a class nor a chain with a label per
//! position: "at most one interval" ties all positions together, and decoding is a maximum-sum interval.
//!
//! ```text
//! cargo run --release --example own_structure
//! ```

use std::error::Error;
use std::ops::ControlFlow;

use maxmargin::linear::FeatureSum;
use maxmargin::risk::StructuredRisk;
use maxmargin::search::MarginSearch;
use maxmargin::solver::{Limits, SolverKind, SolverSettings, run};
use maxmargin::structure::{Coded, Example, Found, Magnitude, Mix, Structure};
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

// 1. What is predicted.

/// The positions `start..end`. The empty interval is always written as 0..0, so that equal labels compare as equal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
struct Interval {
    start: usize,
    end: usize,
}

impl Interval {
    const EMPTY: Interval = Interval { start: 0, end: 0 };

    fn contains(self, position: usize) -> bool {
        (self.start..self.end).contains(&position)
    }
}

// Solvers keep labels between passes as short rows of numbers.
impl Coded for Interval {
    fn encode(&self, code: &mut Vec<u32>) {
        code.extend([self.start as u32, self.end as u32]);
    }

    fn decode(&mut self, code: &[u32]) {
        *self = Interval { start: code[0] as usize, end: code[1] as usize };
    }
}

// 2. The structure: φ(x,y) = Σ_{t in y} (x_t, 1), so ⟨w, φ⟩ is a sum of one score per position inside.

/// The best interval of a sequence of vectors with this many features.
struct Segment {
    features: usize,
}

/// What `score` leaves behind for one input: computed once per weight vector, queried as often as a search likes.
#[derive(Default)]
struct SegmentScores {
    /// The gain of having each position inside.
    inside: Vec<f64>,
}

impl Structure for Segment {
    type Input = Vec<Vec<f64>>;
    type Label = Interval;
    type Scores = SegmentScores;
    type Kernel = ();

    fn dim(&self) -> usize {
        self.features + 1
    }

    fn score(&self, w: &[f64], x: &Self::Input, scores: &mut SegmentScores) {
        let (weights, bias) = w.split_at(self.features);
        let position = |x: &Vec<f64>| bias[0] + x.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>();
        scores.inside.clear();
        scores.inside.extend(x.iter().map(position));
    }

    /// How large the numbers are from which scores, features and losses are made: what they may be rounded by is a part of the
    /// certificate. Larger is safe, smaller is not.
    fn magnitude(&self, x: &Self::Input, _truth: &Interval) -> Magnitude {
        let norm = |x: &Vec<f64>| (1.0 + x.iter().map(|x| x * x).sum::<f64>()).sqrt();
        Magnitude {
            norm: 1.001 * x.iter().map(norm).sum::<f64>(),
            terms: (self.features + 2 * x.len() + 8) as f64,
            repeats: x.len() as f64,
            loss: x.len() as f64,
            is_exact: false,
        }
    }

    fn score_of(&self, _x: &Self::Input, scores: &SegmentScores, y: &Interval) -> f64 {
        scores.inside[y.start..y.end].iter().sum()
    }

    fn decode(&self, _x: &Self::Input, scores: &mut SegmentScores) -> Found<Interval> {
        let label = best_interval(scores.inside.iter().map(|&score| (score, 0.0)));
        Found::exactly(label, self.score_of(_x, scores, &label), 0.0)
    }

    /// The positions on which the two disagree.
    fn loss(&self, _x: &Self::Input, truth: &Interval, y: &Interval) -> f64 {
        let overlap = truth.end.min(y.end).saturating_sub(truth.start.max(y.start));
        ((truth.end - truth.start) + (y.end - y.start) - 2 * overlap) as f64
    }

    // 3. The λ-oracle. Taking in a position changes the loss by −1 when the truth has it and by +1 when it has not: the
    // loss is a sum over positions like the score, so the same decoder maximises any mix of the two. `Mix::rank` says
    // what is compared first, and what breaks a tie at the ends λ = 0 and λ = ∞: it is linear in (score, loss), so the
    // ranks of positions add up to the rank of an interval.
    fn maximize(
        &self,
        x: &Self::Input,
        truth: &Interval,
        scores: &mut SegmentScores,
        mix: Mix,
    ) -> Found<Interval> {
        let gain = |(t, &score)| mix.rank(score, if truth.contains(t) { -1.0 } else { 1.0 });
        let label = best_interval(scores.inside.iter().enumerate().map(gain));
        Found::exactly(label, self.score_of(x, scores, &label), self.loss(x, truth, &label))
    }

    fn add_features<A: FeatureSum + ?Sized>(&self, x: &Self::Input, y: &Interval, factor: f64, sum: &mut A) {
        for position in &x[y.start..y.end] {
            position.iter().enumerate().for_each(|(j, value)| sum.add(j, factor * value));
            sum.add(self.features, factor);
        }
    }
}

/// The interval with the largest sum of pairs, compared in order (Kadane's algorithm). The empty one counts (0, 0).
fn best_interval(gains: impl Iterator<Item = (f64, f64)>) -> Interval {
    let (mut best, mut found) = ((0.0, 0.0), Interval::EMPTY);
    let (mut sum, mut start) = ((0.0, 0.0), 0);
    for (t, gain) in gains.enumerate() {
        // The best interval that ends here goes on from the best one that ends before, unless that one is a burden.
        if sum <= (0.0, 0.0) {
            (sum, start) = ((0.0, 0.0), t);
        }
        sum = (sum.0 + gain.0, sum.1 + gain.1);
        if sum > best {
            (best, found) = (sum, Interval { start, end: t + 1 });
        }
    }
    found
}

// 4. Data. Real data would come from a file; this one is made up, and noisy enough that no position can be judged alone.

const FEATURES: usize = 6;

fn made_up(count: usize, random: &mut impl Rng) -> Vec<Example<Segment>> {
    let mut example = || {
        let length = random.random_range(20..40);
        let start = random.random_range(0..length - 5);
        let truth = Interval { start, end: random.random_range(start + 3..=length) };
        // Some features are larger inside, some smaller, and the last says nothing.
        let signal = |j: usize| [0.6, -0.5, 0.4, -0.3, 0.2, 0.0][j];
        let input = (0..length)
            .map(|t| {
                let shift = if truth.contains(t) { 1.0 } else { -1.0 };
                (0..FEATURES).map(|j| shift * signal(j) + random.random_range(-2.0..2.0)).collect()
            })
            .collect();
        Example { input, truth, weight: 1.0 }
    };
    (0..count).map(|_| example()).collect()
}

// 5. Training, as for every built-in task: structure + search = risk, and any solver takes the risk. Margin rescaling needs
// no more than the trait above; `SurrogateSearch` would need `KBest`, `Stratified` and `LabelSets` as well.

fn main() -> Result<(), Box<dyn Error>> {
    let mut random = Pcg64Mcg::seed_from_u64(1);
    let (train, test) = (made_up(300, &mut random), made_up(300, &mut random));

    let risk = StructuredRisk::new(Segment { features: FEATURES }, MarginSearch, train)?;
    let settings = SolverSettings::new(0.01)?;
    let mut solver = SolverKind::ProxBmrm.build(&risk, &settings);
    let outcome = run(solver.as_mut(), &risk, Limits::default(), |_| ControlFlow::Continue(()));

    let certificate = outcome.report.certificate;
    println!("{} passes, {}", outcome.report.passes, outcome.stop.name());
    println!(
        "F(w) = {:.6}, and no weights reach less than {:.6}",
        certificate.primal, certificate.lower_bound
    );
    println!("gap {} (of which the oracle's share is {})", certificate.gap(), certificate.oracle_gap);

    let structure = risk.structure();
    let mut scores = SegmentScores::default();
    let (mut wrong, mut alone, mut positions) = (0.0, 0, 0);
    for Example { input, truth, .. } in &test {
        structure.score(&outcome.weights, input, &mut scores);
        let found = structure.decode(input, &mut scores);
        wrong += structure.loss(input, truth, &found.label);
        alone += (0..input.len()).filter(|&t| (scores.inside[t] > 0.0) != truth.contains(t)).count();
        positions += input.len();
    }
    println!("wrong positions in new sequences: {:.2} %", 100.0 * wrong / positions as f64);
    println!("the same scores, each position by itself: {:.2} %", 100.0 * alone as f64 / positions as f64);
    Ok(())
}

// 6. The test that every structure deserves: on small inputs, the oracle equals enumeration. Scores and losses here are
// small integers, so that there are ties and all sums are exact.

#[cfg(test)]
mod tests {
    use super::*;

    fn all_intervals(length: usize) -> impl Iterator<Item = Interval> {
        let proper =
            (0..length).flat_map(move |start| (start + 1..=length).map(move |end| Interval { start, end }));
        std::iter::once(Interval::EMPTY).chain(proper)
    }

    #[test]
    fn the_oracle_equals_enumeration() {
        let mut random = Pcg64Mcg::seed_from_u64(2);
        let structure = Segment { features: 1 };
        for _ in 0..2000 {
            let length = random.random_range(1..7);
            let x: Vec<Vec<f64>> = (0..length).map(|_| vec![random.random_range(-2..=2) as f64]).collect();
            let labels: Vec<Interval> = all_intervals(length).collect();
            let truth = labels[random.random_range(0..labels.len())];
            let mut scores = SegmentScores::default();
            structure.score(&[1.0, random.random_range(-1..=1) as f64], &x, &mut scores);
            for mix in [Mix::SCORE, Mix::AUGMENTED, Mix::LOSS, Mix { score: 1.0, loss: 2.0 }] {
                let rank = |y: &Interval| {
                    mix.rank(structure.score_of(&x, &scores, y), structure.loss(&x, &truth, y))
                };
                let best = labels.iter().map(rank).max_by(|a, b| a.partial_cmp(b).unwrap()).unwrap();
                let found = structure.maximize(&x, &truth, &mut scores, mix);
                assert_eq!(mix.rank(found.score, found.loss), best, "{x:?} {truth:?} {mix:?}: {found:?}");
                assert_eq!(found.loss, structure.loss(&x, &truth, &found.label));
            }
        }
    }

    #[test]
    fn features_agree_with_scores() {
        let mut random = Pcg64Mcg::seed_from_u64(3);
        let structure = Segment { features: FEATURES };
        let w: Vec<f64> = (0..structure.dim()).map(|_| random.random_range(-1.0..1.0)).collect();
        for Example { input, truth, .. } in made_up(20, &mut random) {
            let mut scores = SegmentScores::default();
            structure.score(&w, &input, &mut scores);
            let mut features = vec![0.0; structure.dim()];
            structure.add_features(&input, &truth, 1.0, features.as_mut_slice());
            let product: f64 = w.iter().zip(&features).map(|(w, f)| w * f).sum();
            assert!((product - structure.score_of(&input, &scores, &truth)).abs() < 1e-9);
        }
    }
}
