//! What wrong links cost.

use super::Links;
use crate::error::{Error, Result};

/// Costs up to this count as whole numbers, of which the best matching of every loss can be found.
const LARGEST_WHOLE: f64 = 100.0;

/// The task loss of matchings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LinkLoss {
    /// Missed sure links and false links, each with its cost. Possible links cost nothing.
    Mistakes {
        /// What a sure link costs that is not there.
        miss: f64,
        /// What a link costs that is neither sure nor possible.
        false_link: f64,
    },
    /// −|y| whatever the truth, for Micro-F1.
    Size,
}

impl Default for LinkLoss {
    fn default() -> Self {
        LinkLoss::Mistakes { miss: 1.0, false_link: 1.0 }
    }
}

impl LinkLoss {
    /// Refuses what is no cost.
    pub(super) fn check(&self) -> Result<()> {
        let LinkLoss::Mistakes { miss, false_link } = *self else { return Ok(()) };
        for (name, cost) in [("miss", miss), ("false", false_link)] {
            if !cost.is_finite() || cost <= 0.0 {
                let problem = format!("{cost} is not allowed; a mistake costs a finite number above 0");
                return Err(Error::parameter(format!("loss {name}"), problem));
            }
        }
        Ok(())
    }

    /// The loss of links where others are true.
    pub(super) fn of(&self, truth: &Links, y: &Links) -> f64 {
        match *self {
            LinkLoss::Size => -(y.on.len() as f64),
            LinkLoss::Mistakes { miss, false_link } => {
                let (missed, wrong) = y.mistakes(truth);
                miss * missed as f64 + false_link * wrong as f64
            }
        }
    }

    /// The loss of no link at all.
    pub(super) fn of_nothing(&self, truth: &Links) -> f64 {
        self.of(truth, &Links::default())
    }

    /// Tells how the loss changes with each of `edges` edges when it is linked. True ones are told again after all others:
    /// the last time counts.
    pub(super) fn each_slope(&self, truth: &Links, edges: usize, mut tell: impl FnMut(usize, f64)) {
        let (sure, possible, other) = match *self {
            LinkLoss::Size => (-1.0, -1.0, -1.0),
            LinkLoss::Mistakes { miss, false_link } => (-miss, 0.0, false_link),
        };
        (0..edges).for_each(|edge| tell(edge, other));
        truth.free.iter().for_each(|&edge| tell(edge as usize, possible));
        truth.on.iter().for_each(|&edge| tell(edge as usize, sure));
    }

    /// Where all losses are whole multiples of a unit, that unit: negative for sizes.
    pub(super) fn unit(&self) -> Option<f64> {
        match *self {
            LinkLoss::Size => Some(-1.0),
            LinkLoss::Mistakes { miss, false_link } if miss == false_link => Some(miss),
            LinkLoss::Mistakes { miss, false_link } => {
                let is_whole = |cost: f64| cost.fract() == 0.0 && cost <= LARGEST_WHOLE;
                (is_whole(miss) && is_whole(false_link))
                    .then(|| greatest_divisor(miss as u32, false_link as u32))
            }
        }
    }

    /// The smallest loss above 0.
    pub(super) fn least(&self) -> f64 {
        match *self {
            LinkLoss::Size => 1.0,
            LinkLoss::Mistakes { miss, false_link } => miss.min(false_link),
        }
    }

    /// Whether all mistakes cost 1.
    pub fn counts_mistakes(&self) -> bool {
        *self == LinkLoss::default()
    }
}

fn greatest_divisor(a: u32, b: u32) -> f64 {
    if b == 0 { f64::from(a) } else { greatest_divisor(b, a % b) }
}
