//! Two models on the same labelled data: which one is better, and whether that may be chance.

use super::HeldOut;
use crate::error::{Error, Result};
use crate::metrics::{PairedBootstrap, SignedRanks, resamples};
use crate::model::Model;

/// How two models do by one figure.
#[derive(Debug, Clone)]
pub struct ComparedFigure {
    /// Its name.
    pub name: &'static str,
    /// Its value for both models, on all examples.
    pub values: [f64; 2],
    /// What resamples of the examples say of the second one less the first.
    pub bootstrap: PairedBootstrap,
    /// The same differences example by example.
    pub ranks: SignedRanks,
}

/// How two models do on the same examples.
#[derive(Debug, Clone)]
pub struct ModelComparison {
    /// The number of examples.
    pub examples: usize,
    /// All figures that both have.
    pub figures: Vec<ComparedFigure>,
}

impl ModelComparison {
    /// Compares two models, each with the data as it has read it. Refused where these are not as many examples.
    pub fn of(models: [(&Model, &HeldOut); 2], rounds: usize, seed: u64) -> Result<Self> {
        let [first, second] = models.map(|(_, data)| data.data().len());
        if first != second {
            let problem = format!("one model reads {first} examples and the other {second}");
            return Err(Error::parameter("data", problem));
        }
        // All examples, then each by itself, then resamples.
        let mut samples = vec![(0..first).collect::<Vec<usize>>()];
        samples.extend((0..first).map(|i| vec![i]));
        samples.extend(resamples(first, rounds, seed));
        let [first_metrics, second_metrics] =
            models.map(|(model, data)| data.resampled(model.task(), model.deciding_weights(), &samples));
        let (first_metrics, second_metrics) = (first_metrics?, second_metrics?);
        let pairs: Vec<_> = first_metrics.iter().zip(&second_metrics).collect();
        let compared = |&(name, _): &(&'static str, f64)| {
            let values = |place: usize| {
                let (a, b) = pairs[place];
                Some([a.figure(name)?, b.figure(name)?])
            };
            let differences: Vec<f64> =
                (1..pairs.len()).map(|place| values(place).map_or(f64::NAN, |[a, b]| b - a)).collect();
            let (single, drawn) = differences.split_at(first);
            let (bootstrap, ranks) = (PairedBootstrap::of(drawn), SignedRanks::of(single));
            Some(ComparedFigure { name, values: values(0)?, bootstrap, ranks })
        };
        let figures = first_metrics[0].figures.iter().filter_map(compared).collect();
        Ok(Self { examples: first, figures })
    }
}
