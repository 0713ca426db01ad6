//! Segmentations without rounding: all cuts of short sequences, with the features that the documentation gives them.

use maxmargin::inference::Segment;
use maxmargin::structure::Widths;
use maxmargin::surrogate::Surrogate;

use super::dyadic::Dyadic;
use super::objective::{ExactLabel, ExactProblem};
use super::rational::Rational;

/// What a wrong cut costs.
#[derive(Debug, Clone)]
pub enum CutLoss {
    /// Costs of positions, by true and predicted class, added up or averaged.
    Positions { costs: Vec<f64>, is_mean: bool },
    /// Segments in one of the two cuts only.
    Segments,
}

/// A sequence with its true cut.
#[derive(Debug, Clone)]
pub struct Sequence {
    pub rows: Vec<Vec<f64>>,
    /// Features of the segment of each length that ends at each position; empty where segments have none.
    pub segment_rows: Vec<Vec<f64>>,
    pub truth: Vec<Segment>,
    pub weight: f64,
}

/// A small problem.
#[derive(Debug, Clone)]
pub struct CutProblem {
    pub widths: Widths,
    pub background: Option<u32>,
    pub edges: bool,
    pub lengths: bool,
    pub boundary: bool,
    pub loss: CutLoss,
    pub surrogate: Surrogate,
    pub lambda: f64,
    pub sequences: Vec<Sequence>,
}

impl CutProblem {
    pub fn exact(&self) -> ExactProblem {
        let n = Rational::whole(self.sequences.len() as i64);
        let shares = self.sequences.iter().map(|sequence| &Rational::from(sequence.weight) / &n).collect();
        let labels = self.sequences.iter().map(|sequence| self.labels(sequence)).collect();
        ExactProblem::of(self.surrogate, self.lambda, shares, labels)
    }

    pub fn features(&self) -> usize {
        self.sequences[0].rows[0].len()
    }

    pub fn segment_features(&self) -> usize {
        self.sequences[0].segment_rows.first().map_or(0, Vec::len)
    }

    fn classes(&self) -> usize {
        self.widths.classes()
    }

    /// All cuts that can be found.
    pub fn cuts(&self, length: usize) -> Vec<Vec<Segment>> {
        let mut open = vec![Vec::<Segment>::new()];
        let mut found = Vec::new();
        while let Some(cut) = open.pop() {
            let start = cut.last().map_or(0, |segment| segment.end as usize);
            if start == length {
                found.push(cut);
                continue;
            }
            for end in start + 1..=length {
                for class in (0..self.classes()).filter(|&class| self.widths.admits(class, end - start)) {
                    let mut longer = cut.clone();
                    longer.push(Segment::new(start..end, class));
                    open.push(longer);
                }
            }
        }
        found
    }

    /// All cuts, and the true one: a risk is never below 0, whether or not the truth can be found.
    fn labels(&self, sequence: &Sequence) -> Vec<ExactLabel> {
        let mut cuts = self.cuts(sequence.rows.len());
        if !cuts.contains(&sequence.truth) {
            cuts.push(sequence.truth.clone());
        }
        let of_truth = self.features_of(sequence, &sequence.truth);
        let label = |cut: &Vec<Segment>| {
            let own = self.features_of(sequence, cut);
            let slope = own.iter().zip(&of_truth).map(|(own, truth)| own - truth).collect();
            let (constant, g) = match self.surrogate {
                Surrogate::MicroF1 => {
                    let sizes = self.counted(cut).len() + self.counted(&sequence.truth).len();
                    (
                        Dyadic::whole(self.segments_apart(cut, &sequence.truth)),
                        Rational::whole(-(sizes as i64)),
                    )
                }
                _ => (Dyadic::zero(), self.loss_of(cut, &sequence.truth)),
            };
            ExactLabel { slope, constant, g }
        };
        cuts.iter().map(label).collect()
    }

    fn counted(&self, cut: &[Segment]) -> Vec<Segment> {
        cut.iter().copied().filter(|segment| Some(segment.class) != self.background).collect()
    }

    fn segments_apart(&self, a: &[Segment], b: &[Segment]) -> i64 {
        let (a, b) = (self.counted(a), self.counted(b));
        let alone = |own: &[Segment], other: &[Segment]| own.iter().filter(|s| !other.contains(s)).count();
        (alone(&a, &b) + alone(&b, &a)) as i64
    }

    fn loss_of(&self, cut: &[Segment], truth: &[Segment]) -> Rational {
        let CutLoss::Positions { costs, is_mean } = &self.loss else {
            return Rational::whole(self.segments_apart(cut, truth));
        };
        let classes =
            |cut: &[Segment]| cut.iter().flat_map(|s| vec![s.class as usize; s.len()]).collect::<Vec<_>>();
        let (own, right) = (classes(cut), classes(truth));
        let pairs = own.iter().zip(&right);
        let sum = pairs.fold(Rational::zero(), |sum, (own, right)| {
            &sum + &Rational::from(costs[right * self.classes() + own])
        });
        if *is_mean { &sum / &Rational::whole(own.len() as i64) } else { sum }
    }

    /// φ(x, y), by the table of blocks.
    fn features_of(&self, sequence: &Sequence, cut: &[Segment]) -> Vec<Dyadic> {
        let (classes, length) = (self.classes(), sequence.rows.len());
        let own_width = |class: usize| match &self.widths {
            Widths::UpTo(_) => 1,
            Widths::Exactly(widths) => widths[class] as usize,
        };
        let longest = self.widths.longest();
        let of_positions: usize = (0..classes).map(own_width).sum();
        let columns = of_positions * if self.edges { 3 } else { 1 };
        let segments = self.features() * columns;
        let bias = segments + self.segment_features() * classes;
        let lengths = bias + classes;
        let transitions = lengths + if self.lengths { longest * classes } else { 0 };
        let first = transitions + classes * classes;
        let last = first + classes;
        let dim = first + if self.boundary { 2 * classes } else { 0 };
        let mut sum = vec![Dyadic::zero(); dim];
        let mut add = |place: usize, value: f64| sum[place] = &sum[place] + &Dyadic::from(value);
        for (k, segment) in cut.iter().enumerate() {
            let (class, start, end) = (segment.class as usize, segment.start as usize, segment.end as usize);
            let before: usize = (0..class).map(own_width).sum();
            for t in start..end {
                let column = match &self.widths {
                    Widths::UpTo(_) => Some(class),
                    Widths::Exactly(_) => (t - start < own_width(class)).then_some(before + t - start),
                };
                let at_edges = [(t == start, classes + class), (t + 1 == end, 2 * classes + class)];
                let at_edges = at_edges.into_iter().filter(|(is_here, _)| self.edges && *is_here);
                for column in column.into_iter().chain(at_edges.map(|(_, column)| column)) {
                    let row = sequence.rows[t].iter().enumerate();
                    row.for_each(|(j, &value)| add(j * columns + column, value));
                }
            }
            if self.widths.admits(class, end - start) && !sequence.segment_rows.is_empty() {
                let row = sequence.segment_rows[(end - 1) * longest + end - start - 1].iter().enumerate();
                row.for_each(|(j, &value)| add(segments + j * classes + class, value));
            }
            add(bias + class, 1.0);
            if self.lengths && end - start <= longest {
                add(lengths + (end - start - 1) * classes + class, 1.0);
            }
            if k > 0 {
                add(transitions + cut[k - 1].class as usize * classes + class, 1.0);
            }
            if self.boundary && start == 0 {
                add(first + class, 1.0);
            }
            if self.boundary && end == length {
                add(last + class, 1.0);
            }
        }
        sum
    }
}
