//! What demos of several tasks share: training on data that is made up, and a certificate for somebody who never saw one.

use crate::data::Vocabulary;
use crate::error::{Error, Result};
use crate::metrics::{Comparison, Metrics};
use crate::model::Model;
use crate::shown::{percent, time};
use crate::solver::{Halt, Report};
use crate::tasks::{LabelOf, Task};
use crate::training::{Examples, Trainer};

/// A trained model and what it makes of test data.
pub(super) struct Learnt<T: Task> {
    pub model: Model,
    pub report: Report,
    pub metrics: Metrics,
    /// The label of each test example.
    pub labels: Vec<LabelOf<T>>,
}

/// Trains on some data and predicts other data with the same names.
pub(super) fn learn<T: Task>(
    task: T,
    lambda: f64,
    train: &T::Data,
    test: &T::Data,
    names: &Vocabulary,
) -> Result<Learnt<T>> {
    let trainer = Trainer::new(task).lambda(lambda).gap(1e-3);
    let training = trainer.prepare(&Examples::new(train.clone(), names.clone()))?;
    let trained = training.run(&Halt::default(), |_| std::ops::ControlFlow::Continue(()))?;
    let other_task = || Error::parameter("task", "the model is of another task");
    let task = trained.model.task_as::<T>().ok_or_else(other_task)?;
    let best = task.predict(trained.model.weights(), test, 1)?;
    let labels: Vec<LabelOf<T>> = best
        .into_iter()
        .map(|found| found.into_iter().next().map(|best| best.label).unwrap_or_default())
        .collect();
    let (names, predicted) = (&names.labels, &labels[..]);
    let known = names.len();
    let comparison = Comparison { truth: test, predicted, labels: names, known, background: None };
    let metrics = task.metrics(comparison)?;
    Ok(Learnt { model: trained.model, report: trained.report, metrics, labels })
}

/// The certificate for somebody who never saw one.
pub(super) fn explain(what: &str, wrong: &str, examples: &str, report: &Report) -> String {
    let certificate = &report.certificate;
    format!(
        "Training {what} means finding the weights w with the least F(w), a mixture of their size and of the\n\
         margins by which {wrong} come too close. After {} passes over the {examples}, in {}:\n\n  \
         the weights found have   F(w) = {:.6}\n  \
         and it is proven that no weights whatever reach less than {:.6},\n\n\
         so their F is within {} of the least possible.\n",
        report.passes,
        time(report.seconds),
        certificate.primal,
        certificate.lower_bound,
        percent(certificate.gap().0),
    )
}
