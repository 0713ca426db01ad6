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

use maxmargin::EngineError;
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

    fn decode(&mut self, code: &[u32]) -> bool {
        let &[start, end] = code else { return false };
        *self = Interval { start: start as usize, end: end as usize };
        true
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

    /// What does not fit is refused here, before anything is computed with it.
    fn check(&self, x: &Self::Input, y: &Interval) -> Result<(), EngineError> {
        let problem = match () {
            () if x.iter().any(|position| position.len() != self.features) => "another number of features",
            () if y.start > y.end || y.end > x.len() => "an interval that is not in the sequence",
            () => return Ok(()),
        };
        Err(EngineError::parameter("example", problem))
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

// 5. Training, as for every built-in task: structure + search = risk, and any solver takes the risk. `SurrogateSearch` in the place
// of `MarginSearch` trains other surrogates, with no more than the trait above.

fn main() -> Result<(), Box<dyn Error>> {
    let mut random = Pcg64Mcg::seed_from_u64(1);
    let (train, test) = (made_up(300, &mut random), made_up(300, &mut random));

    let risk = StructuredRisk::new(Segment { features: FEATURES }, MarginSearch, train)?;
    let settings = SolverSettings::new(0.01)?;
    let mut solver = SolverKind::ProxBmrm.build(&risk, &settings)?;
    let outcome = run(solver.as_mut(), &risk, Limits::default(), |_| ControlFlow::Continue(()))?;

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

// 6. The test that every structure deserves: on small inputs, all that it says is compared with a list of all labels. Features are
// small whole numbers in half of the inputs, so that there are ties.

#[cfg(test)]
mod tests {
    use maxmargin::search::{Strategy, SurrogateSearch};
    use maxmargin::surrogate::Surrogate;
    use maxmargin::testing::check_structure;

    use super::*;

    fn all_intervals(length: usize) -> Vec<Interval> {
        let proper =
            (0..length).flat_map(move |start| (start + 1..=length).map(move |end| Interval { start, end }));
        std::iter::once(Interval::EMPTY).chain(proper).collect()
    }

    #[test]
    fn the_structure_keeps_its_word() -> Result<(), Box<dyn Error>> {
        let mut random = Pcg64Mcg::seed_from_u64(2);
        let mut example = |i: usize| {
            let length = random.random_range(1..7);
            let mut feature = || match i % 2 {
                0 => f64::from(random.random_range(-2..=2)),
                _ => random.random_range(-1.0..1.0),
            };
            let input: Vec<Vec<f64>> = (0..length).map(|_| vec![feature(), feature()]).collect();
            let labels = all_intervals(length);
            Example { input, truth: labels[random.random_range(0..labels.len())], weight: 1.0 }
        };
        let examples: Vec<_> = (0..300).map(&mut example).collect();
        Ok(check_structure(&Segment { features: 2 }, &examples, |x| all_intervals(x.len()))?)
    }

    #[test]
    fn other_surrogates_need_no_more() -> Result<(), Box<dyn Error>> {
        let train = made_up(40, &mut Pcg64Mcg::seed_from_u64(3));
        let search = SurrogateSearch::new(Surrogate::SLACK, Strategy::Hull)?;
        let risk = StructuredRisk::new(Segment { features: FEATURES }, search, train)?;
        let mut solver = SolverKind::Bcfw.build(&risk, &SolverSettings::new(0.1)?)?;
        let limits = Limits { max_passes: 200, ..Limits::default() };
        let outcome = run(solver.as_mut(), &risk, limits, |_| ControlFlow::Continue(()))?;
        let certificate = outcome.report.certificate;
        // What the search may have missed is a part of the gap, and here there is little of it.
        assert!(certificate.lower_bound > 0.0 && certificate.gap().0 < 0.1, "{certificate:?}");
        Ok(())
    }
}
