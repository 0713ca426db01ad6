//! The λ-oracle constrained to an angle, which the angular search asks (SLACK Alg. 2).
//!
//! Where there is a table of all losses, the answer is looked up there. A label that is not the best of its loss never
//! matters: the best one has a larger Φ, and lies in another angle if not in this. Elsewhere whole labels are listed by k-best.
//!
//! Fractional labels fill a convex region of the label plane. Its best point in an angle is the plain oracle's answer, or
//! lies where a ray of the angle cuts the upper right of its border: on the edge between two vertices that plain queries
//! find. (In the language of linear programs: the multiplier of the constraint is found by max-flows.) What an angle has
//! left of the border or below it is worth less than the border's ends, which the angular search has seen.

use super::angular::Angle;
use super::findings::MOST_LISTED;
use super::strategy::TOLERANCE;
use super::{GaveUp, LabelPlane, Spot, Stratum};
use crate::structure::Mix;

/// The most vertices that are looked for on the way to one edge.
const MOST_VERTICES: usize = 200;

/// How the oracle answers.
pub(super) enum Constrained<L> {
    /// From the best label of each loss.
    Table(Vec<Stratum>),
    /// Fractional labels: from the vertices known of the upper right border.
    Border(Vec<Spot<L>>),
    /// From a list of labels.
    Listing,
}

impl<L: Clone + PartialEq> Constrained<L> {
    pub(super) fn new(plane: &mut impl LabelPlane<Label = L>) -> Self {
        if plane.is_fractional() {
            return Constrained::Border(Vec::new());
        }
        let mut strata = Vec::new();
        if plane.strata(&mut strata) && strata.iter().all(|stratum| stratum.g == stratum.upper) {
            Constrained::Table(strata)
        } else {
            Constrained::Listing
        }
    }

    /// λ₀ = Ĥ/Ĝ, the largest H and g, where the table has them.
    pub(super) fn first_lambda(&self) -> f64 {
        let Constrained::Table(strata) = self else { return 1.0 };
        let largest = |value: fn(&Stratum) -> f64| strata.iter().map(value).fold(0.0, f64::max);
        let lambda = largest(|stratum| stratum.h + 1.0) / largest(|stratum| stratum.g);
        if lambda > 0.0 && lambda.is_finite() { lambda } else { 1.0 }
    }

    /// The label of largest height in an angle, unless that is at most `floor`.
    pub(super) fn ask(
        &mut self,
        plane: &mut impl LabelPlane<Label = L>,
        angle: &Angle,
        mix: Mix,
        floor: f64,
    ) -> Result<Option<Spot<L>>, GaveUp<L>> {
        match self {
            Constrained::Table(strata) => Ok(looked_up(plane, strata, angle, mix, floor)),
            Constrained::Border(known) => Ok(on_the_border(plane, known, angle, mix)),
            Constrained::Listing => plane.constrained(angle, mix, floor, MOST_LISTED),
        }
    }
}

fn looked_up<P: LabelPlane>(
    plane: &mut P,
    strata: &[Stratum],
    angle: &Angle,
    mix: Mix,
    floor: f64,
) -> Option<Spot<P::Label>> {
    let height = |stratum: &Stratum| mix.height(stratum.h, stratum.g);
    let inside = strata.iter().enumerate().filter(|(_, stratum)| angle.contains(stratum.h, stratum.g));
    let best = inside.max_by(|a, b| height(a.1).total_cmp(&height(b.1)));
    // The slope must be the table's to the last bit, or the label would be found again in an angle without it.
    best.filter(|(_, stratum)| height(stratum) > floor).map(|(number, stratum)| Spot {
        h: stratum.h,
        g: stratum.g,
        ..plane.in_stratum(number)
    })
}

/// The slope g/H of a label, H = h + 1.
fn slope<L>(spot: &Spot<L>) -> f64 {
    let big_h = spot.h + 1.0;
    if big_h > 0.0 { spot.g / big_h } else { f64::INFINITY }
}

/// The best label in an angle with ends between 0 and ∞, or none where the border is not in it. `known` are vertices of the
/// upper right border, among them its ends.
fn on_the_border<P: LabelPlane>(
    plane: &mut P,
    known: &mut Vec<Spot<P::Label>>,
    angle: &Angle,
    mix: Mix,
) -> Option<Spot<P::Label>> {
    let best = plane.maximize(mix);
    known.push(best.clone());
    let ray = match slope(&best) {
        slope if slope > angle.high.0 => angle.high.0,
        slope if slope < angle.low.0 => angle.low.0,
        _ => return Some(best),
    };
    let below = known.iter().filter(|spot| slope(spot) <= ray).max_by(|a, b| slope(a).total_cmp(&slope(b)));
    let above = known.iter().filter(|spot| slope(spot) > ray).min_by(|a, b| slope(a).total_cmp(&slope(b)));
    let (mut below, mut above) = (below?.clone(), above?.clone());
    // What the unconstrained best is worth more than the answer, unless the edge turns out to be the border's.
    let mut is_border = false;
    for _ in 0..MOST_VERTICES {
        if above.g <= below.g || above.h >= below.h {
            is_border = true;
            break;
        }
        let edge = Mix::level(below.point(), above.point());
        let vertex = plane.maximize(edge);
        let height = |spot: &Spot<P::Label>| edge.height(spot.h, spot.g);
        let rounding = TOLERANCE * edge.height(1.0 + below.h.abs(), below.g);
        if height(&vertex) <= height(&below) + rounding {
            is_border = true;
            break;
        }
        known.push(vertex.clone());
        if slope(&vertex) > ray {
            above = vertex;
        } else {
            below = vertex;
        }
    }
    // g = ray · H on the way from one to the other.
    let (big_h, rise, fall) = (below.h + 1.0, above.g - below.g, above.h - below.h);
    let share = (ray * big_h - below.g) / (rise - ray * fall);
    let mut answer = match share > 0.0 && share.is_finite() {
        true => plane.between(&below, &above, share.min(1.0))?,
        false => below,
    };
    if !is_border {
        answer.missed = (mix.height(best.h, best.g) - mix.height(answer.h, answer.g)).max(0.0);
    }
    Some(answer)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::super::Scene;
    use super::super::structure_plane::StructurePlane;
    use super::*;
    use crate::features::{FeatureMatrix, Rows};
    use crate::inference::LabelGraph;
    use crate::inference::local_polytope::{PolytopeRow, maximize_relaxed};
    use crate::structure::{
        Inference, LabelSet, MultilabelOptions, MultilabelStructure, ScoreNoise, Structure,
    };

    /// A random field with a truth: h + 1 and g as linear functions of (1, μ_i, μ_ij).
    struct Problem {
        graph: LabelGraph,
        unary: Vec<f64>,
        coupling: Vec<f64>,
        truth: LabelSet,
    }

    impl Problem {
        fn new(random: &mut Pcg64Mcg) -> Self {
            let labels = random.random_range(3..7);
            let graph = LabelGraph::complete(labels).unwrap();
            let mut numbers = |count: usize| (0..count).map(|_| random.random_range(-1.5..1.5)).collect();
            let (unary, coupling) = (numbers(labels), numbers(graph.edges().len()));
            let on: Vec<u32> = (0..labels as u32).filter(|_| random.random_range(0..3) == 0).collect();
            Self { graph, unary, coupling, truth: LabelSet::of(&on) }
        }

        fn structure(&self) -> (MultilabelStructure, Vec<f64>) {
            let options = MultilabelOptions {
                bias: false,
                inference: Inference::Relaxed,
                ..MultilabelOptions::default()
            };
            let pairs = self.coupling.iter().flat_map(|&both| [0.0, 0.0, 0.0, both]);
            let w = self.unary.iter().copied().chain(pairs).collect();
            (MultilabelStructure::new(1, self.graph.clone(), options).expect("a task"), w)
        }

        fn slope_of_loss(&self, label: usize) -> f64 {
            if self.truth.share(label as u32) == 1.0 { -1.0 } else { 1.0 }
        }

        /// The largest h + λg in an angle by a linear program; none where no point is there.
        fn program(&self, angle: &Angle, lambda: f64, score_of_truth: f64) -> Option<f64> {
            // factor · (h + 1) + other · g ≤ 0.
            let row = |factor: f64, other: f64| PolytopeRow {
                nodes: (0..)
                    .zip(&self.unary)
                    .map(|(label, u)| (label, factor * u + other * self.slope_of_loss(label as usize)))
                    .collect(),
                pairs: (0..).zip(&self.coupling).map(|(edge, c)| (edge, factor * c)).collect(),
                bound: -factor * (1.0 - score_of_truth) - other * self.truth.size(),
            };
            let unary: Vec<f64> = self
                .unary
                .iter()
                .enumerate()
                .map(|(label, u)| u + lambda * self.slope_of_loss(label))
                .collect();
            let rows = [row(angle.low.0, -1.0), row(-angle.high.0, 1.0)];
            let point = maximize_relaxed(&self.graph, &unary, &self.coupling, &rows).ok()?;
            Some(point.score - score_of_truth + lambda * self.truth.size())
        }
    }

    #[test]
    fn equals_the_program_with_two_more_rows() {
        let mut random = Pcg64Mcg::seed_from_u64(5);
        let x = Rows::new(&Arc::new(FeatureMatrix::from_dense(&[[1.0]])), 0..1);
        let (mut inside, mut on_a_ray) = (0, 0);
        for round in 0..400 {
            let problem = Problem::new(&mut random);
            let (structure, w) = problem.structure();
            let (mut scores, mut strata) = (Default::default(), Vec::new());
            structure.score(&w, &x, &mut scores);
            let score_of_truth = structure.score_of(&x, &scores, &problem.truth);
            let scene = Scene {
                example: 0,
                structure: &structure,
                input: &x,
                truth: &problem.truth,
                scores: &mut scores,
                scale: 1.0,
                noise: ScoreNoise::UNKNOWN,
            };
            let range = (0.0, problem.unary.len() as f64);
            let mut plane = StructurePlane::new(scene, 0.0, range, None, &mut strata);
            let ends = [Mix::SCORE, Mix::LOSS].map(|mix| plane.maximize(mix));
            let mut known = ends.to_vec();
            for _ in 0..5 {
                let mut power = |low: f64, high: f64| random.random_range(low..high).exp();
                let (lambda, low, width) = (power(-2.0, 2.0), power(-2.5, 2.0), power(0.0, 1.5));
                let angle = Angle { low: (low, false), high: (low * width, false) };
                let found = on_the_border(&mut plane, &mut known, &angle, Mix { score: 1.0, loss: lambda });
                let program = problem.program(&angle, lambda, score_of_truth);
                let Some(spot) = found else {
                    // Then all that is in the angle has less h and less g than an end.
                    let [first, last] = ends.each_ref().map(slope);
                    assert!(angle.high.0 < first || angle.low.0 > last, "round {round}: {angle:?}, {ends:?}");
                    continue;
                };
                let rounding = 1e-9 * (1.0 + low * width);
                let there = slope(&spot);
                let case = || format!("round {round}: {angle:?}, λ = {lambda}, {spot:?}, {program:?}");
                assert!(there >= low - rounding && there <= low * width + rounding, "{}", case());
                let height = spot.h + lambda * spot.g;
                let best = program.unwrap_or_else(|| panic!("{}", case()));
                assert!((height - best).abs() <= 1e-6 * (1.0 + best.abs()), "{height} for {}", case());
                match there > low * (1.0 + 1e-9) && there < low * width * (1.0 - 1e-9) {
                    true => inside += 1,
                    false => on_a_ray += 1,
                }
            }
        }
        assert!(inside > 100 && on_a_ray > 100, "{inside} inside, {on_a_ray} on a ray");
    }
}
