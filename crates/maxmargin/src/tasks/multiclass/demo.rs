//! The demo of classification: telling noisy images of letters apart, for several λ.

use std::time::Instant;

use super::super::demonstrating::learn;
use super::Multiclass;
use crate::data::TaskData;
use crate::error::Result;
use crate::shown::{number, percent, time};
use crate::tasks::chain::word_images::images_of_a_demo;

pub(super) fn run(say: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
    let begun = Instant::now();
    let (train, test) = images_of_a_demo();
    let names = train.vocabulary;
    let (train, test) = (train.data.into_rows()?, test.data.into_rows()?);
    say(&format!(
        "Telling noisy images of letters apart, each by itself: {} letters to learn from, {} new ones to read.\n\
         λ says how much simple weights count against mistakes on the training letters.\n\n{:>10}{:>16}{:>10}{:>10}{:>14}\n",
        train.len(),
        test.len(),
        "λ",
        "proven F*",
        "gap",
        "passes",
        "wrong letters"
    ))?;
    for lambda in [1.0, 0.3, 0.1, 0.03] {
        let learnt = learn(Multiclass::default(), lambda, &train, &test, &names)?;
        let certificate = &learnt.report.certificate;
        say(&format!(
            "{:>10}{:>16}{:>10}{:>10}{:>14}\n",
            number(lambda),
            format!("≥ {:.5}", certificate.lower_bound),
            certificate.gap().to_string(),
            learnt.report.passes,
            percent(learnt.metrics.figure("error").unwrap_or_default()),
        ))?;
    }
    say(&format!(
        "\nEach row is proven: no weights whatever reach less than F*, and those found come within the gap of it.\n\
         {} in all. `maxmargin demo chain` shows what is gained by reading words as a whole.\n",
        time(begun.elapsed().as_secs_f64())
    ))
}
