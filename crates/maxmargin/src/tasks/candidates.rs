//! Tasks that learn from candidate labels: their examples, and the alternation of completion and training.

use std::sync::Arc;

use super::given_labels::WITHOUT_CANDIDATES;
use super::{Fitted, LabelOf, Task};
use crate::data::{Completion, TaskData, refuse};
use crate::error::{Error, Result};
use crate::risk::{CandidateExample, CandidateOptions, CandidateProblem, Risk};
use crate::structure::Coded;

/// A problem with candidates and the completion so far, whatever the task: what [training](crate::training) alternates.
pub trait CandidateTurns: Send {
    /// The number of examples.
    fn len(&self) -> usize;

    /// Whether there is no example.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the start leaves anything open, so that it is trained on first.
    fn has_start(&self) -> bool;

    /// Goes on from the start to the problem itself.
    fn end_start(&mut self);

    /// The risk under the completion.
    fn risk(&self) -> Result<Box<dyn Risk>>;

    /// Completes by the best-scoring candidates of the start, whatever was there before.
    fn restart(&mut self, weights: &[f64]) -> Result<()>;

    /// Completes by the best-scoring candidates where that lowers the objective. Returns for how many examples it did.
    fn complete(&mut self, weights: &[f64]) -> Result<usize>;

    /// The completion as numbers, for checkpoints.
    fn codes(&self) -> Vec<Vec<u32>>;

    /// Takes a completion from such numbers. False where they are none; whether it is one of candidates is for [`risk`](Self::risk) to say.
    fn take_codes(&mut self, codes: &[Vec<u32>]) -> bool;
}

struct Turns<T: Task> {
    problem: CandidateProblem<T::Structure>,
    /// Maximum margin sets of the candidates of the start, as long as these are trained on.
    start: Option<CandidateProblem<T::Structure>>,
    completion: Vec<LabelOf<T>>,
}

impl<T: Task> Turns<T> {
    fn current(&self) -> &CandidateProblem<T::Structure> {
        self.start.as_ref().unwrap_or(&self.problem)
    }
}

impl<T: Task> CandidateTurns for Turns<T> {
    fn len(&self) -> usize {
        self.completion.len()
    }

    fn risk(&self) -> Result<Box<dyn Risk>> {
        Ok(Box::new(self.current().risk(&self.completion)?))
    }

    fn restart(&mut self, weights: &[f64]) -> Result<()> {
        self.completion = self.current().best_candidates(weights)?;
        Ok(())
    }

    fn complete(&mut self, weights: &[f64]) -> Result<usize> {
        let current = self.start.as_ref().unwrap_or(&self.problem);
        Ok(current.complete(weights, &mut self.completion)?)
    }

    fn has_start(&self) -> bool {
        self.start.is_some()
    }

    fn end_start(&mut self) {
        self.start = None;
    }

    fn codes(&self) -> Vec<Vec<u32>> {
        let code = |label: &LabelOf<T>| {
            let mut code = Vec::new();
            label.encode(&mut code);
            code
        };
        self.completion.iter().map(code).collect()
    }

    fn take_codes(&mut self, codes: &[Vec<u32>]) -> bool {
        let label = |code: &Vec<u32>| {
            let mut label = LabelOf::<T>::default();
            label.decode(code).then_some(label)
        };
        let completion: Option<Vec<_>> = codes.iter().map(label).collect();
        let Some(completion) = completion.filter(|labels| labels.len() == self.completion.len()) else {
            return false;
        };
        self.completion = completion;
        true
    }
}

impl<T: Task> Fitted<T> {
    /// The problem of learning from the candidates of some data. `start` is the same data, perhaps with fewer candidates: the first
    /// completion is one of these.
    pub fn candidate_turns(
        &self,
        data: &T::Data,
        options: CandidateOptions,
        start: &T::Data,
    ) -> Result<Box<dyn CandidateTurns>> {
        let problem = self.candidate_problem(data, options)?;
        let completed = start.completed(Completion::Majority, self.labels(), 0)?;
        let completion = (0..start.len()).map(|i| T::truth(&self.structure, &completed, i));
        let completion = completion.collect::<Result<_>>()?;
        let is_open = start.open_rows().is_some_and(|rows| rows > 0);
        let start = is_open.then(|| self.candidate_problem(start, CandidateOptions::MMS)).transpose()?;
        Ok(Box::new(Turns::<T> { problem, start, completion }))
    }

    fn candidate_problem(
        &self,
        data: &T::Data,
        options: CandidateOptions,
    ) -> Result<CandidateProblem<T::Structure>> {
        self.check(data)?;
        self.task.check_decided()?;
        if data.is_empty() {
            return Err(Error::parameter("training data", "there are no examples"));
        }
        let example = |i: usize| {
            let Some(sets) = data.candidate_sets(i, self.labels()) else { return refuse(WITHOUT_CANDIDATES) };
            let (input, weight) = (Arc::new(T::input(data, i)), self.task.weight(data, i));
            Ok(CandidateExample { input, sets: Arc::new(sets), weight })
        };
        let examples = (0..data.len()).map(example).collect::<Result<_>>()?;
        Ok(CandidateProblem::new(self.structure.clone(), examples, options)?)
    }
}
