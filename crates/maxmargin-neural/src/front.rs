//! From examples to a model whose predictions a network makes.

use std::collections::HashMap;
use std::sync::Arc;

use candle_core::DType;
use maxmargin::model::Description;
use maxmargin::solver::Certificate;
use maxmargin::tasks::{Fitted, Task};
use maxmargin::training::{Examples, HeldOut};
use maxmargin::{Error, Model, Result};

use crate::model_file::scorer_of;
use crate::network::{Builder, Network};
use crate::scorer::{NetworkScorer, of_network};
use crate::training::{Observer, TrainingOptions, train};

/// Trains a network for a [resolved](Task::resolve) task from random parameters. `describe` makes its description of the data.
pub fn train_model<N: Network>(
    task: N::Task,
    describe: impl FnOnce(&<N::Task as Task>::Data) -> Result<N::Description>,
    examples: &Examples,
    held_out: Option<&HeldOut>,
    options: &TrainingOptions,
    observer: &mut dyn Observer,
) -> Result<Model> {
    let description = describe(data_of::<N>(examples)?)?;
    let mut builder = Builder::random(options.seed, DType::F32);
    let labels = examples.names().labels.len();
    let network = N::new(description, labels, &mut builder).map_err(of_network)?;
    let parameters = builder.finish().map_err(of_network)?;
    finish(task, NetworkScorer { network, parameters }, examples, held_out, options, observer)
}

/// Trains the network of a model further, from where it is.
pub fn train_more<N: Network>(
    task: N::Task,
    model: &Model,
    examples: &Examples,
    held_out: Option<&HeldOut>,
    options: &TrainingOptions,
    observer: &mut dyn Observer,
) -> Result<Model> {
    let refuse = |problem: &str| Error::parameter("model", problem);
    let start = scorer_of::<N>(model).ok_or_else(|| refuse("it has no such network"))?;
    if !model.names().labels.iter().eq(examples.names().labels.iter()) {
        return Err(refuse("it has other labels than the data"));
    }
    let trained = start.parameters.iter().map(|(name, var)| (name, var.as_tensor()));
    let tensors = trained.chain(start.parameters.fixed());
    // Copies: the model stays as it is.
    let copies: candle_core::Result<HashMap<_, _>> =
        tensors.map(|(name, tensor)| Ok((name.to_owned(), tensor.copy()?))).collect();
    let mut builder = Builder::stored(copies.map_err(of_network)?, DType::F32);
    let (description, labels) = (start.network.description().clone(), model.task().labels());
    let network = N::new(description, labels, &mut builder).map_err(of_network)?;
    let parameters = builder.finish().map_err(of_network)?;
    finish(task, NetworkScorer { network, parameters }, examples, held_out, options, observer)
}

fn data_of<N: Network>(examples: &Examples) -> Result<&<N::Task as Task>::Data> {
    examples.data().of_type().ok_or_else(|| {
        let problem = format!("the data is not that of {}", N::Task::NAME);
        Error::parameter("data", problem)
    })
}

fn finish<N: Network>(
    task: N::Task,
    scorer: NetworkScorer<N>,
    examples: &Examples,
    held_out: Option<&HeldOut>,
    options: &TrainingOptions,
    observer: &mut dyn Observer,
) -> Result<Model> {
    let names = examples.names();
    let fitted = Fitted::new(task, names.attributes.len(), names.labels.len())?;
    let trained = train::<N>(&fitted, scorer, data_of::<N>(examples)?, held_out, options, observer)?;
    let surrogate = options.phases.last().map(|phase| phase.surrogate.to_string());
    let description = Description {
        program_version: env!("CARGO_PKG_VERSION").to_owned(),
        // Nothing holds the weights of the model back, which are all 0.
        lambda: f64::MIN_POSITIVE,
        surrogate: surrogate.unwrap_or_default(),
        search: trained.search,
        solver: "adam".to_owned(),
        seed: options.seed,
        certificate: Certificate { primal: trained.risk, lower_bound: f64::NEG_INFINITY, oracle_gap: 0.0 },
        passes: trained.epochs,
        examples: examples.len(),
        attributes: names.attributes.len(),
        format: examples.format().map(str::to_owned),
    };
    let weights = vec![0.0; fitted.dim()];
    let model = Model::new(description, Box::new(fitted), names.clone(), weights)?
        .with_text(examples.text().clone())
        .with_dropped_labels(examples.dropped_labels().clone());
    let scorer: Arc<NetworkScorer<N>> = trained.scorer;
    model.with_scorer::<N::Task>(scorer)
}
