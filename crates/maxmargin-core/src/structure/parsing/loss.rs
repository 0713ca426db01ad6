//! What wrong arcs cost.

use super::DependencyTree;
use crate::error::{Error, Result};

/// Costs up to this count as whole numbers, of which the best tree of every loss can be found.
const LARGEST_WHOLE: f64 = 100.0;

/// The task loss: a sum over words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ArcLoss {
    /// What a wrong head costs, whatever the relation.
    pub head: f64,
    /// What a wrong relation to the right head costs.
    pub relation: f64,
}

impl ArcLoss {
    /// The number of wrong heads.
    pub const HEADS: ArcLoss = ArcLoss { head: 1.0, relation: 0.0 };
    /// The number of words whose head or relation is wrong.
    pub const ARCS: ArcLoss = ArcLoss { head: 1.0, relation: 1.0 };

    pub(super) fn check(&self) -> Result<()> {
        let Self { head, relation } = *self;
        let is_cost = |cost: f64| cost.is_finite() && cost >= 0.0;
        match is_cost(head) && is_cost(relation) && head > 0.0 {
            true => Ok(()),
            false => {
                let problem = format!(
                    "head={head},relation={relation} is not allowed; a wrong head costs a finite number above 0, a wrong relation 0 or more"
                );
                Err(Error::parameter("loss", problem))
            }
        }
    }

    /// The loss of a word with this head and relation.
    pub(super) fn of_word(&self, truth: (u32, u32), found: (u32, u32)) -> f64 {
        match () {
            () if truth.0 != found.0 => self.head,
            () if truth.1 != found.1 => self.relation,
            () => 0.0,
        }
    }

    /// The loss of a tree where another is true.
    pub fn between(&self, truth: &DependencyTree, y: &DependencyTree) -> f64 {
        let (mut heads, mut relations) = (0u32, 0u32);
        for (truth, found) in truth.arcs().zip(y.arcs()) {
            heads += u32::from(truth.0 != found.0);
            relations += u32::from(truth.0 == found.0 && truth.2 != found.2);
        }
        self.head * f64::from(heads) + self.relation * f64::from(relations)
    }

    /// Where all losses are whole multiples of a unit, that unit.
    pub fn unit(&self) -> Option<f64> {
        let Self { head, relation } = *self;
        if relation == 0.0 || relation == head {
            return Some(head);
        }
        let is_whole = |cost: f64| cost.fract() == 0.0 && cost <= LARGEST_WHOLE;
        (is_whole(head) && is_whole(relation)).then(|| {
            let (mut a, mut b) = (head as u32, relation as u32);
            while b > 0 {
                (a, b) = (b, a % b);
            }
            f64::from(a)
        })
    }

    /// The smallest loss above 0.
    pub(super) fn least(&self) -> f64 {
        if self.relation > 0.0 { self.head.min(self.relation) } else { self.head }
    }

    /// The largest cost of one word.
    pub(super) fn largest(&self) -> f64 {
        self.head.max(self.relation)
    }
}
