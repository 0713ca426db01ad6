//! Which risk bounds are about.

use std::cell::Cell;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::check_dim;
use crate::error::{Error, Result};
use crate::risk::{Risk, RiskId};

thread_local! {
    /// The risk for which a state is being read, by this thread.
    static READ_FOR: Cell<Option<RiskId>> = const { Cell::new(None) };
}

/// The risk that a solver or a run belongs to. Nothing that has one can be read but by [`load_state`](super::load_state), which knows
/// for which risk it was saved: what a solver knows proves nothing about another.
#[derive(Debug, Clone)]
pub struct MadeFor(RiskId);

impl MadeFor {
    /// This one.
    pub fn new(risk: &dyn Risk) -> Self {
        Self(risk.id())
    }

    /// Whether it is this one.
    pub fn is(&self, risk: &dyn Risk) -> bool {
        self.0 == risk.id()
    }

    pub(super) fn check(&self, weights: &[f64], risk: &dyn Risk) -> Result<()> {
        match self.is(risk) {
            true => check_dim(weights, risk),
            false => Err(Error::parameter("risk", "the solver was made for another one; make one for this")),
        }
    }

    /// Reads something that was saved of a run on this risk.
    pub(super) fn while_reading<T>(risk: &dyn Risk, read: impl FnOnce() -> T) -> T {
        let before = READ_FOR.replace(Some(risk.id()));
        let found = read();
        READ_FOR.set(before);
        found
    }
}

impl Serialize for MadeFor {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

impl<'de> Deserialize<'de> for MadeFor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        <()>::deserialize(deserializer)?;
        READ_FOR
            .get()
            .map(Self)
            .ok_or_else(|| D::Error::custom("only load_state reads what was saved of a run"))
    }
}
