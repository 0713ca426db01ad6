//! The gradient of the mean H by every parameter of a network, through part scores, is that of finite differences.

use candle_core::{DType, Device, Tensor};
use maxmargin::Examples;
use maxmargin::surrogate::Surrogate;
use maxmargin::tasks::{Chain, Fitted, SearchOptions, Task};
use maxmargin_neural::{Builder, Dropout, Network, Objective, ParserNetwork, Pass, TaggerNetwork};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use crate::common::{parser, parsing, tagger, treebank, turned};

type Outcome = Result<(), Box<dyn std::error::Error>>;

const STEP: f64 = 1e-6;
/// So many numbers of each parameter are tried.
const TRIED: usize = 6;
const DROPOUT: Dropout = Dropout { inputs: 0.2, layers: 0.2, steps: 0.2, scores: 0.2, names: 0.5 };

fn check<N: Network>(
    task: N::Task,
    description: N::Description,
    examples: &Examples,
    surrogate: Surrogate,
) -> Outcome {
    let names = examples.names();
    let fitted = Fitted::new(task, names.attributes.len(), names.labels.len())?;
    let data: &<N::Task as Task>::Data = examples.data().of_type().ok_or("other data")?;
    let options = SearchOptions { surrogate, ..SearchOptions::default() };
    let objective = Objective::new(&fitted, data, &options)?;
    let mut builder = Builder::random(5, DType::F64);
    let network = N::new(description, names.labels.len(), &mut builder)?;
    let parameters = builder.finish()?;
    let all: Vec<usize> = (0..examples.len()).collect();
    let inputs = all.iter().map(|&i| network.input(data, i)).collect::<maxmargin::Result<Vec<_>>>()?;
    let batch: Vec<&N::Input> = inputs.iter().collect();
    // The same numbers are left out each time.
    let scores = || network.scores(&batch, &mut Pass::Train(&mut Pcg64Mcg::seed_from_u64(3)));
    let risk = || -> Result<f64, Box<dyn std::error::Error>> {
        Ok(objective.answer(&all, &scores()?.parts()?)?.value)
    };
    let now = scores()?;
    let answer = objective.answer(&all, &now.parts()?)?;
    assert!(answer.value > 0.0);
    let gradients = now.pulled_back(&answer.gradients)?.backward()?;
    let (mut tried, mut moved) = (0, 0);
    for (name, var) in parameters.iter() {
        let values = var.flatten_all()?.to_vec1::<f64>()?;
        let gradient = match gradients.get(var) {
            Some(gradient) => gradient.flatten_all()?.to_vec1::<f64>()?,
            None => vec![0.0; values.len()],
        };
        // The largest ones, and others.
        let mut places: Vec<usize> = (0..values.len()).collect();
        places.sort_by(|&a, &b| gradient[b].abs().total_cmp(&gradient[a].abs()));
        places.rotate_right(values.len().min(TRIED / 2));
        for &place in places.iter().take(TRIED) {
            let at = |step: f64| -> Result<f64, Box<dyn std::error::Error>> {
                let mut moved = values.clone();
                moved[place] += step;
                var.set(&Tensor::from_vec(moved, var.shape(), &Device::Cpu)?)?;
                risk()
            };
            let difference = (at(STEP)? - at(-STEP)?) / (2.0 * STEP);
            var.set(&Tensor::from_slice(&values, var.shape(), &Device::Cpu)?)?;
            let error = (difference - gradient[place]).abs();
            assert!(
                error <= 1e-5 * difference.abs().max(1.0),
                "{surrogate}: {name}[{place}]: {} is not {difference}",
                gradient[place]
            );
            tried += 1;
            moved += usize::from(difference.abs() > 1e-4);
        }
    }
    assert!(
        moved * 3 > tried,
        "{moved} of {tried} gradients are not 0: the network hardly depends on its parameters"
    );
    Ok(())
}

fn surrogates() -> Result<[Surrogate; 3], maxmargin::EngineError> {
    Ok([Surrogate::MARGIN, Surrogate::SLACK, "prob-convex".parse()?])
}

#[test]
fn of_parsers() -> Outcome {
    let examples = treebank(4, 1)?;
    for surrogate in surrogates()? {
        let description = parser(examples.data().of_type().ok_or("other data")?, 5, DROPOUT)?;
        check::<ParserNetwork>(parsing(), description, &examples, surrogate)?;
    }
    Ok(())
}

#[test]
fn of_taggers() -> Outcome {
    let examples = turned(5, 1)?;
    for surrogate in surrogates()? {
        let description = tagger(examples.data().of_type().ok_or("other data")?, 4, DROPOUT)?;
        check::<TaggerNetwork>(Chain::default(), description, &examples, surrogate)?;
    }
    Ok(())
}
