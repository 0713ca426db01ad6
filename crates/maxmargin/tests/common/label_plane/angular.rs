//! Angular search (SLACK Alg. 2) with its disputed lines as options.

use std::collections::VecDeque;

use super::{Label, oracle_among};

/// A range of slopes; an end is inside when its flag says so.
#[derive(Debug, Clone, Copy)]
pub struct Angle {
    pub beta: (f64, bool),
    pub alpha: (f64, bool),
}

impl Angle {
    /// The angle of all labels with Φ > 0.
    pub const ALL: Angle = Angle { beta: (0.0, false), alpha: (f64::INFINITY, false) };

    fn contains(&self, slope: f64) -> bool {
        let (beta, alpha) = (self.beta, self.alpha);
        (slope > beta.0 || beta.1 && slope == beta.0) && (slope < alpha.0 || alpha.1 && slope == alpha.0)
    }

    /// The slopes of both angles.
    fn within(self, parent: Angle) -> Angle {
        let higher = |a: (f64, bool), b: (f64, bool)| if a.0 > b.0 || a.0 == b.0 && b.1 { a } else { b };
        let lower = |a: (f64, bool), b: (f64, bool)| if a.0 < b.0 || a.0 == b.0 && b.1 { a } else { b };
        Angle { beta: higher(self.beta, parent.beta), alpha: lower(self.alpha, parent.alpha) }
    }
}

/// Which ends belong to the angles K¹ (above ∂r, flag s = 1) and K² (below it, s = 0).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ends {
    /// SLACK (8), THESIS (4.4): s = 0 is β ≤ ∂ < α; s = 1 is strict on both sides.
    Equation8,
    /// Appendix F of SLACK, THESIS 4.6: s = 0 is β < ∂ ≤ α; s = 1 is strict on both sides.
    AppendixF,
    /// ∂r goes to the half on z's side, and of the outer ends only ∂z is left out.
    HalfOpen,
    /// The same, within the angle that is split: ∂z′ may be its open end, behind which lies a label already seen.
    HalfOpenWithin,
}

/// What happens at "if z₁ = z₁′".
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OnDiagonal {
    /// As printed.
    ReturnLabel,
    /// The kinder reading: the best label so far.
    ReturnBest,
    /// Only this angle has nothing more to give.
    CloseAngle,
}

/// How a search went.
#[derive(Debug)]
pub struct Run {
    /// Φ of the answer.
    pub answer: f64,
    /// The first label seen, y₁.
    pub first: Option<Label>,
    /// Φ(ŷ) after each query.
    pub best: Vec<f64>,
}

/// T of Alg. 2, far above what any set of labels here needs.
pub const LIMIT: usize = 2000;

/// A first-in-first-out queue of angles, as the proof of Theorem 4 needs; each label has h, g > 0.
pub fn angular_search(
    labels: &[Label],
    all: Angle,
    lambda0: f64,
    ends: Ends,
    on_diagonal: OnDiagonal,
) -> Run {
    let mut queue = VecDeque::from([all]);
    let mut run = Run { answer: f64::NEG_INFINITY, first: None, best: Vec::new() };
    while let Some(angle) = queue.pop_front().filter(|_| run.best.len() < LIMIT) {
        let lambda = if run.best.is_empty() { lambda0 } else { 1.0 / (angle.alpha.0 * angle.beta.0).sqrt() };
        let y = oracle_among(labels, lambda, |y| angle.contains(y.slope())).map(|y| labels[y]);
        run.answer = run.answer.max(y.map_or(f64::NEG_INFINITY, Label::phi));
        run.best.push(run.answer);
        let Some(y) = y else { continue };
        run.first.get_or_insert(y);
        // z′ = (λg, h/λ) and r = (√(λhg), √(hg/λ)).
        let (z, z_mirror, r) = (y.slope(), y.h / (lambda * lambda * y.g), 1.0 / lambda);
        if y.h == lambda * y.g {
            match on_diagonal {
                OnDiagonal::ReturnLabel => return Run { answer: y.phi(), ..run },
                OnDiagonal::ReturnBest => return run,
                OnDiagonal::CloseAngle => continue,
            }
        }
        let (upper, lower) = (z.max(z_mirror), z.min(z_mirror));
        // For each end, from the top: α of K¹, β of K¹, α of K², β of K².
        let inside = match ends {
            Ends::Equation8 => [false, false, false, true],
            Ends::AppendixF => [false, false, true, false],
            Ends::HalfOpen | Ends::HalfOpenWithin if z > z_mirror => [false, true, false, true],
            Ends::HalfOpen | Ends::HalfOpenWithin => [true, false, true, false],
        };
        let k1 = Angle { alpha: (upper, inside[0]), beta: (r, inside[1]) };
        let k2 = Angle { alpha: (r, inside[2]), beta: (lower, inside[3]) };
        queue.extend([k1, k2].map(|k| if ends == Ends::HalfOpenWithin { k.within(angle) } else { k }));
    }
    run
}
