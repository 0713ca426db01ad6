//! What a search knows of an example from the passes before.

use crate::structure::Coded;

/// The most labels that are remembered.
const MOST: usize = 6;

/// Where the last search of an example ended: the next one starts there.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory<L> {
    /// The λ of the last query; 0 before the first.
    pub lambda: f64,
    /// Labels that were worth knowing, the last ones first.
    pub labels: Vec<L>,
}

impl<L> Default for Memory<L> {
    fn default() -> Self {
        Self { lambda: 0.0, labels: Vec::new() }
    }
}

impl<L: Clone + PartialEq> Memory<L> {
    /// Puts a label first.
    pub fn keep(&mut self, label: &L) {
        if let Some(place) = self.labels.iter().position(|other| other == label) {
            self.labels[..=place].rotate_right(1);
            return;
        }
        self.labels.truncate(MOST - 1);
        self.labels.insert(0, label.clone());
    }
}

impl<L: Coded> Memory<L> {
    /// Numbers from which [`from_code`](Self::from_code) makes the same memory.
    pub fn code(&self) -> (f64, Vec<Vec<u32>>) {
        let code = |label: &L| {
            let mut code = Vec::new();
            label.encode(&mut code);
            code
        };
        (self.lambda, self.labels.iter().map(code).collect())
    }

    /// The memory that was written so; `None` where a code stands for no label.
    pub fn from_code((lambda, labels): (f64, Vec<Vec<u32>>)) -> Option<Self> {
        let label = |code: Vec<u32>| {
            let mut label = L::default();
            label.decode(&code).then_some(label)
        };
        Some(Self { lambda, labels: labels.into_iter().map(label).collect::<Option<_>>()? })
    }
}
