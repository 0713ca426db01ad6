//! The scores that a network gives to parts of labels, and the way back: from the gradient of H by part scores to that of all parameters.

use candle_core::{DType, Device, Result, Tensor, bail};

/// Some of the part scores of a batch.
#[derive(Debug, Clone)]
struct ScoreBlock {
    /// In one row.
    scores: Tensor,
    /// How many each example has; none where all examples have the same ones.
    sizes: Option<Vec<usize>>,
}

/// The part scores of a batch of examples, block after block as the structure names them.
///
/// ```
/// use candle_core::{Device, Tensor, Var};
/// use maxmargin_neural::Scores;
/// // Two chains of one and two positions with two labels, and transitions that they share.
/// let positions = Var::new(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0_f64], &Device::Cpu)?;
/// let transitions = Tensor::zeros(4, candle_core::DType::F64, &Device::Cpu)?;
/// let scores = Scores::default().with(positions.as_tensor().clone(), [2, 4]).with_shared(transitions);
/// assert_eq!(scores.parts()?, [vec![1.0, 2.0, 0.0, 0.0, 0.0, 0.0], vec![3.0, 4.0, 5.0, 6.0, 0.0, 0.0, 0.0, 0.0]]);
/// // A search has found what H changes with; the network learns what it changes with.
/// let gradients = [vec![1.0, -1.0, 0.0, 0.0, 0.0, 0.0], vec![0.0; 8]];
/// let of_network = scores.pulled_back(&gradients)?.backward()?;
/// assert_eq!(of_network.get(&positions).unwrap().to_vec1::<f64>()?, [1.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
/// # Ok::<(), candle_core::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Scores {
    blocks: Vec<ScoreBlock>,
}

impl Scores {
    /// With a block of scores, of which each example has so many.
    pub fn with(mut self, scores: Tensor, sizes: impl Into<Vec<usize>>) -> Self {
        self.blocks.push(ScoreBlock { scores, sizes: Some(sizes.into()) });
        self
    }

    /// With a block of scores that all examples have.
    pub fn with_shared(mut self, scores: Tensor) -> Self {
        self.blocks.push(ScoreBlock { scores, sizes: None });
        self
    }

    /// The part scores of each example, as [`PartRisk`](maxmargin::risk::PartRisk) takes them.
    pub fn parts(&self) -> Result<Vec<Vec<f64>>> {
        let Some(count) = self.blocks.iter().find_map(|block| Some(block.sizes.as_ref()?.len())) else {
            bail!("no block has scores for each example");
        };
        let mut parts = vec![Vec::new(); count];
        for ScoreBlock { scores, sizes } in &self.blocks {
            let values = scores.flatten_all()?.to_dtype(DType::F64)?.to_vec1::<f64>()?;
            match sizes {
                None => parts.iter_mut().for_each(|parts| parts.extend_from_slice(&values)),
                Some(sizes) if sizes.len() != count || sizes.iter().sum::<usize>() != values.len() => {
                    bail!("{} scores for {} examples", values.len(), sizes.len())
                }
                Some(sizes) => {
                    let mut rest = &values[..];
                    for (parts, &size) in parts.iter_mut().zip(sizes) {
                        let own;
                        (own, rest) = rest.split_at(size);
                        parts.extend_from_slice(own);
                    }
                }
            }
        }
        Ok(parts)
    }

    /// ⟨scores, gradients⟩, whose gradient by the network's parameters is that of ΣH. `gradients` has one row for each example, like
    /// [`parts`](Self::parts).
    pub fn pulled_back(&self, gradients: &[Vec<f64>]) -> Result<Tensor> {
        let mut sum: Option<Tensor> = None;
        let mut done = vec![0; gradients.len()];
        for ScoreBlock { scores, sizes } in &self.blocks {
            let count = scores.elem_count();
            let mut all = Vec::with_capacity(count);
            for (i, (gradient, done)) in gradients.iter().zip(&mut done).enumerate() {
                let size = sizes.as_ref().map_or(Some(count), |sizes| sizes.get(i).copied());
                let own = size.and_then(|size| gradient.get(*done..*done + size));
                let Some(own) = own else { bail!("the gradient of example {i} has another size") };
                match sizes {
                    None if i > 0 => all.iter_mut().zip(own).for_each(|(sum, x): (&mut f64, &f64)| *sum += x),
                    _ => all.extend_from_slice(own),
                }
                *done += own.len();
            }
            let all = Tensor::from_vec(all, count, &Device::Cpu)?.to_dtype(scores.dtype())?;
            let product = (scores.flatten_all()? * all)?.sum_all()?;
            sum = Some(match sum {
                Some(sum) => (sum + product)?,
                None => product,
            });
        }
        sum.ok_or_else(|| candle_core::Error::msg("there are no scores"))
    }
}
