//! Training: batches through the network, their part scores to the search, its gradient back through the network.
//!
//! A run has phases, each with a surrogate of its own: margin rescaling first, which moves weights wherever a margin is too small, and then perhaps another one
//! at a smaller rate from the same point (THESIS 5.3.4). The rate falls evenly to 0 within each phase. What counts at the end is the
//! network that was best on held-out data after some epoch, or the last one where there is none.
//!
//! All random numbers of an epoch come from the seed, the phase and the epoch: a run that goes on from a checkpoint makes the same steps as one that was never
//! interrupted.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use maxmargin::data::TaskData;
use maxmargin::metrics::Metrics;
use maxmargin::search::Strategy;
use maxmargin::surrogate::Surrogate;
use maxmargin::tasks::{Fitted, SearchOptions, Task};
use maxmargin::training::HeldOut;
use maxmargin::{Error, Result};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use crate::adam::{Adam, AdamOptions};
use crate::batches::batches;
use crate::checkpoint::{Checkpoint, Progress};
use crate::network::{Network, Pass};
use crate::objective::Objective;
use crate::scorer::{NetworkScorer, Shared, of_network};

/// Some epochs with one surrogate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Phase {
    /// The surrogate.
    pub surrogate: Surrogate,
    /// The search; what is best for the task if there is none.
    pub strategy: Option<Strategy>,
    /// How often all examples are gone through.
    pub epochs: usize,
    /// The length of steps at first.
    pub rate: f64,
}

impl Phase {
    fn asked(&self) -> SearchOptions {
        SearchOptions { surrogate: self.surrogate, strategy: self.strategy, ..SearchOptions::default() }
    }
}

/// How a network is trained.
#[derive(Debug, Clone)]
pub struct TrainingOptions {
    /// One after the other.
    pub phases: Vec<Phase>,
    /// How steps are made.
    pub adam: AdamOptions,
    /// How many rows (words, positions) a batch has, about.
    pub batch: usize,
    /// A phase ends early after so many epochs that are no better on held-out data.
    pub patience: usize,
    /// The seed of all random numbers.
    pub seed: u64,
    /// A file that holds the state after each epoch.
    pub checkpoint: Option<PathBuf>,
    /// Whether a run goes on from that file where it is there.
    pub resume: bool,
}

impl Default for TrainingOptions {
    fn default() -> Self {
        let margin = Phase { surrogate: Surrogate::MARGIN, strategy: None, epochs: 20, rate: 2e-3 };
        Self {
            phases: vec![margin],
            adam: AdamOptions::default(),
            batch: 600,
            patience: usize::MAX,
            seed: 1,
            checkpoint: None,
            resume: true,
        }
    }
}

impl TrainingOptions {
    fn check(&self) -> Result<()> {
        let refuse = |name: &str, problem: &str| Err(Error::parameter(name, problem));
        for phase in &self.phases {
            if !phase.rate.is_finite() || phase.rate <= 0.0 {
                return refuse("rate", "it is a finite number above 0");
            }
        }
        if self.phases.is_empty() {
            return refuse("phases", "there are none");
        }
        if self.batch == 0 {
            return refuse("batch", "it has one row at least");
        }
        Ok(())
    }
}

/// What an epoch came to.
#[derive(Debug, Clone)]
pub struct EpochReport {
    /// The phase, from 0.
    pub phase: usize,
    /// The epoch within it, from 0.
    pub epoch: usize,
    /// Of so many.
    pub epochs: usize,
    /// Its surrogate.
    pub surrogate: Surrogate,
    /// The mean of H over the epoch, with dropout and while the network changed.
    pub risk: f64,
    /// How good the network is on held-out data.
    pub held_out: Option<Metrics>,
    /// Whether it is the best one until now.
    pub is_best: bool,
    /// Seconds that the epoch took, those in searches, and those for held-out data.
    pub seconds: [f64; 3],
    /// Queries of λ-oracles for each example.
    pub queries: f64,
    /// Rows that were learnt from.
    pub rows: usize,
}

/// Watches a run.
pub trait Observer {
    /// After each epoch.
    fn epoch(&mut self, _: &EpochReport) -> Result<()> {
        Ok(())
    }

    /// Whether the run is to end: it does after the batch, with the best network until then.
    fn is_interrupted(&self) -> bool {
        false
    }
}

/// Watches nothing.
impl Observer for () {}

/// What a run ends with.
pub struct Trained<N: Network> {
    /// The network.
    pub scorer: Arc<NetworkScorer<N>>,
    /// The name of the last search.
    pub search: String,
    /// How many epochs there were.
    pub epochs: usize,
    /// The mean of H over the last one.
    pub risk: f64,
    /// Its figure on held-out data.
    pub best: Option<f64>,
}

/// Trains a network.
pub fn train<N: Network>(
    task: &Fitted<N::Task>,
    scorer: NetworkScorer<N>,
    data: &<N::Task as Task>::Data,
    held_out: Option<&HeldOut>,
    options: &TrainingOptions,
    observer: &mut dyn Observer,
) -> Result<Trained<N>> {
    options.check()?;
    let scorer = Arc::new(scorer);
    let inputs = (0..data.len()).map(|i| scorer.network.input(data, i)).collect::<Result<Vec<_>>>()?;
    let mut run = Run {
        task: task.clone().with_scorer(scorer.clone())?,
        rows: inputs.iter().map(N::rows).collect(),
        inputs,
        fingerprint: fingerprint(&scorer.network, data, held_out, options),
        scorer,
        held_out,
        options,
        state: Progress::default(),
        adam: Adam::default(),
        best: Vec::new(),
    };
    run.begin()?;
    // What does not go together is refused before the first epoch. The model names the last search.
    let mut search = String::new();
    for phase in &options.phases {
        search = run.task.search(&phase.asked(), data)?.name().to_owned();
    }
    while let Some(phase) = options.phases.get(run.state.phase) {
        let objective = Objective::new(&run.task, data, &phase.asked())?;
        while run.state.epoch < phase.epochs && run.state.without_gain < options.patience {
            let Some(report) = run.epoch(phase, &objective, observer)? else {
                return run.finish(search);
            };
            run.save()?;
            observer.epoch(&report)?;
            if observer.is_interrupted() {
                return run.finish(search);
            }
        }
        run.end_phase()?;
    }
    run.finish(search)
}

/// Tells runs apart that do not go on from one another.
fn fingerprint<N: Network>(
    network: &N,
    data: &<N::Task as Task>::Data,
    held_out: Option<&HeldOut>,
    options: &TrainingOptions,
) -> u64 {
    let TrainingOptions { phases, adam, batch, patience, seed, .. } = options;
    let description = serde_json::to_string(network.description()).unwrap_or_default();
    let (data, held_out) = (data.fingerprint(), held_out.map(|held_out| held_out.data().fingerprint()));
    let text = format!("{phases:?} {adam:?} {batch} {patience} {seed} {data:x} {held_out:?} {description}");
    maxmargin::data::fingerprint_of_bytes(text.as_bytes())
}

/// A run.
struct Run<'a, N: Network> {
    task: Fitted<N::Task>,
    inputs: Vec<N::Input>,
    rows: Vec<usize>,
    scorer: Shared<N>,
    held_out: Option<&'a HeldOut>,
    options: &'a TrainingOptions,
    fingerprint: u64,
    state: Progress,
    adam: Adam,
    /// The parameters of the best network.
    best: Vec<Vec<f32>>,
}

impl<N: Network> Run<'_, N> {
    /// Starts, or goes on from a checkpoint.
    fn begin(&mut self) -> Result<()> {
        self.adam = Adam::new(&self.scorer.parameters);
        if let Some(path) = self.options.checkpoint.as_ref().filter(|_| self.options.resume)
            && let Some(checkpoint) = Checkpoint::read(path, self.fingerprint, &self.scorer.parameters)?
        {
            self.scorer.parameters.set(&checkpoint.values).map_err(of_network)?;
            (self.state, self.adam, self.best) = (checkpoint.progress, checkpoint.adam, checkpoint.best);
        }
        Ok(())
    }

    fn save(&self) -> Result<()> {
        let Some(path) = &self.options.checkpoint else { return Ok(()) };
        let values = self.scorer.parameters.values().map_err(of_network)?;
        let (progress, adam, best) = (self.state.clone(), self.adam.clone(), self.best.clone());
        Checkpoint { progress, values, adam, best }.write(path, self.fingerprint)
    }

    /// The random numbers of this epoch.
    fn random(&self) -> Pcg64Mcg {
        let Progress { phase, epoch, .. } = self.state;
        let text = format!("{} {phase} {epoch}", self.options.seed);
        Pcg64Mcg::seed_from_u64(maxmargin::data::fingerprint_of_bytes(text.as_bytes()))
    }

    /// One epoch; none where it was broken off.
    fn epoch(
        &mut self,
        phase: &Phase,
        objective: &Objective<N::Task>,
        observer: &dyn Observer,
    ) -> Result<Option<EpochReport>> {
        let begun = Instant::now();
        let mut random = self.random();
        let batches = batches(&self.rows, self.options.batch, &mut random);
        // H is a mean over examples, however many a batch has.
        let mean = self.inputs.len() as f64 / batches.len().max(1) as f64;
        let (mut value, mut queries, mut searching) = (0.0, 0, 0.0);
        for (place, batch) in batches.iter().enumerate() {
            if observer.is_interrupted() {
                return Ok(None);
            }
            let inputs: Vec<&N::Input> = batch.iter().map(|&i| &self.inputs[i]).collect();
            let scores = self.scorer.network.scores(&inputs, &mut Pass::Train(&mut random));
            let scores = scores.map_err(of_network)?;
            let parts = scores.parts().map_err(of_network)?;
            let asked = Instant::now();
            let answer = objective.answer(batch, &parts)?;
            searching += asked.elapsed().as_secs_f64();
            value += answer.value;
            queries += answer.queries;
            let done = (self.state.epoch as f64 + place as f64 / batches.len() as f64) / phase.epochs as f64;
            let rate = phase.rate * (1.0 - done);
            self.learn(&scores, &answer.gradients, 1.0 / mean, rate).map_err(of_network)?;
        }
        let trained = begun.elapsed().as_secs_f64();
        let held_out = self.evaluate()?;
        self.state.risk = value / self.inputs.len().max(1) as f64;
        let figure = held_out.as_ref().and_then(|metrics| metrics.figure(metrics.main?));
        let is_best = held_out.is_none() || figure > self.state.best;
        self.state.without_gain = if is_best { 0 } else { self.state.without_gain + 1 };
        if is_best {
            self.state.best = figure;
            self.best = self.scorer.parameters.values().map_err(of_network)?;
        }
        let report = EpochReport {
            phase: self.state.phase,
            epoch: self.state.epoch,
            epochs: phase.epochs,
            surrogate: phase.surrogate,
            risk: self.state.risk,
            held_out,
            is_best,
            seconds: [trained, searching, begun.elapsed().as_secs_f64() - trained],
            queries: queries as f64 / self.inputs.len().max(1) as f64,
            rows: self.rows.iter().sum(),
        };
        self.state.epoch += 1;
        self.state.epochs += 1;
        Ok(Some(report))
    }

    fn learn(
        &mut self,
        scores: &crate::network::Scores,
        gradients: &[Vec<f64>],
        factor: f64,
        rate: f64,
    ) -> candle_core::Result<()> {
        let gradients = (scores.pulled_back(gradients)? * factor)?.backward()?;
        self.adam.step(&self.scorer.parameters, &gradients, rate, &self.options.adam)
    }

    fn evaluate(&self) -> Result<Option<Metrics>> {
        let Some(held_out) = self.held_out else { return Ok(None) };
        Ok(Some(held_out.evaluate(&self.task, &vec![0.0; self.task.dim()])?.metrics))
    }

    /// A phase ends with its best network, from which the next one starts afresh.
    fn end_phase(&mut self) -> Result<()> {
        if !self.best.is_empty() {
            self.scorer.parameters.set(&self.best).map_err(of_network)?;
        }
        self.adam = Adam::new(&self.scorer.parameters);
        self.state.phase += 1;
        (self.state.epoch, self.state.without_gain) = (0, 0);
        self.save()
    }

    fn finish(self, search: String) -> Result<Trained<N>> {
        if !self.best.is_empty() {
            self.scorer.parameters.set(&self.best).map_err(of_network)?;
        }
        let Progress { epochs, risk, best, .. } = self.state;
        Ok(Trained { scorer: self.scorer, search, epochs, risk, best })
    }
}
