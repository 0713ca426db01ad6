//! H of batches and its gradient by part scores, under any surrogate and search.

use maxmargin::Result;
use maxmargin::risk::{PartExample, PartRisk};
use maxmargin::search::{MarginSearch, Search, SurrogateSearch};
use maxmargin::structure::{Example, Structure};
use maxmargin::tasks::{Fitted, SearchOptions, Task, TaskSearch};

/// The examples of a task under a search.
pub struct Objective<T: Task> {
    examples: Vec<Example<T::Structure>>,
    risk: AnyRisk<T::Structure>,
    search: TaskSearch,
}

/// One decoding is exact for margin rescaling.
enum AnyRisk<S> {
    Margin(PartRisk<S, MarginSearch>),
    Other(PartRisk<S, SurrogateSearch>),
}

/// What a search says of a batch.
#[derive(Debug, Default)]
pub struct BatchAnswer {
    /// The sum of c·H.
    pub value: f64,
    /// Its gradient by the part scores of each example.
    pub gradients: Vec<Vec<f64>>,
    /// Queries of λ-oracles that this took.
    pub queries: u64,
}

impl<T: Task> Objective<T> {
    /// The objective of labelled data.
    pub fn new(task: &Fitted<T>, data: &T::Data, options: &SearchOptions) -> Result<Self> {
        let search = task.search(options, data)?;
        let structure = task.structure().clone();
        let risk = match search.search() {
            None => AnyRisk::Margin(PartRisk::new(structure, MarginSearch)?),
            Some(search) => AnyRisk::Other(PartRisk::new(structure, search.clone())?),
        };
        Ok(Self { examples: task.examples(data)?, risk, search })
    }

    /// The search.
    pub fn search(&self) -> &TaskSearch {
        &self.search
    }

    /// What the search says of some examples with these part scores.
    pub fn answer(&self, batch: &[usize], parts: &[Vec<f64>]) -> Result<BatchAnswer> {
        match &self.risk {
            AnyRisk::Margin(risk) => self.ask(risk, batch, parts),
            AnyRisk::Other(risk) => self.ask(risk, batch, parts),
        }
    }

    fn ask<Q: Search<T::Structure>>(
        &self,
        risk: &PartRisk<T::Structure, Q>,
        batch: &[usize],
        parts: &[Vec<f64>],
    ) -> Result<BatchAnswer>
    where
        T::Structure: Structure,
    {
        let asked = batch.iter().zip(parts).map(|(&i, parts)| {
            let Example { input, truth, .. } = &self.examples[i];
            PartExample { input, truth, parts }
        });
        let answers = risk.answers(&asked.collect::<Vec<_>>())?;
        let mut all = BatchAnswer::default();
        for (&i, mut answer) in batch.iter().zip(answers) {
            let weight = self.examples[i].weight;
            if weight != 1.0 {
                answer.gradient.iter_mut().for_each(|x| *x *= weight);
            }
            all.value += weight * answer.bounds.value;
            all.queries += u64::from(answer.queries);
            all.gradients.push(answer.gradient);
        }
        Ok(all)
    }
}
