//! The parameters of a network by their names: made at random, or as a file has them.

use std::collections::{BTreeMap, HashMap};

use candle_core::{DType, Device, Result, Shape, Tensor, Var, bail};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// What parameters are before training.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Start {
    /// All the same.
    Constant(f64),
    /// Evenly spread between −x and x.
    Uniform(f64),
}

impl Start {
    /// For a product with so many inputs and outputs (Glorot and Bengio 2010).
    pub fn product(inputs: usize, outputs: usize) -> Self {
        Start::Uniform((6.0 / (inputs + outputs).max(1) as f64).sqrt())
    }

    fn values(self, count: usize, random: &mut Pcg64Mcg) -> Vec<f64> {
        match self {
            Start::Constant(value) => vec![value; count],
            Start::Uniform(most) => (0..count).map(|_| random.random_range(-1.0..1.0) * most).collect(),
        }
    }
}

/// The largest size of a layer.
const LARGEST: usize = 1 << 16;

/// Refuses sizes with which nothing can be reckoned.
pub fn check_sizes(sizes: &[(&str, usize)]) -> Result<()> {
    match sizes.iter().find(|(_, size)| !(1..=LARGEST).contains(size)) {
        Some((name, size)) => bail!("the size {name} is {size}; it is from 1 to {LARGEST}"),
        None => Ok(()),
    }
}

/// Where parameters come from.
enum Source {
    Random(Pcg64Mcg),
    Stored(HashMap<String, Tensor>),
}

/// Hands parameters to the layers of a network in the making, and keeps them.
pub struct Builder {
    source: Source,
    kind: DType,
    made: BTreeMap<String, Var>,
    fixed: BTreeMap<String, Tensor>,
}

impl Builder {
    /// Parameters at random, of single or double precision. The same seed gives the same ones.
    pub fn random(seed: u64, kind: DType) -> Self {
        Self {
            source: Source::Random(Pcg64Mcg::seed_from_u64(seed)),
            kind,
            made: BTreeMap::new(),
            fixed: BTreeMap::new(),
        }
    }

    /// The parameters of a file. What is not there, or of another shape, is refused: nothing is reserved that the file does not hold.
    pub fn stored(tensors: HashMap<String, Tensor>, kind: DType) -> Self {
        Self { source: Source::Stored(tensors), kind, made: BTreeMap::new(), fixed: BTreeMap::new() }
    }

    /// A parameter.
    pub fn get(&mut self, name: &str, shape: impl Into<Shape>, start: Start) -> Result<Tensor> {
        let shape = shape.into();
        if self.made.contains_key(name) {
            bail!("there are two parameters {name}");
        }
        let tensor = match &mut self.source {
            Source::Random(random) => {
                Tensor::from_vec(start.values(shape.elem_count(), random), shape, &Device::Cpu)?
            }
            Source::Stored(tensors) => match tensors.remove(name) {
                None => bail!("the tensor {name} is missing"),
                Some(tensor) if tensor.shape() != &shape => {
                    bail!("the tensor {name} is {:?}; expected {:?}", tensor.dims(), shape.dims())
                }
                Some(tensor) => tensor,
            },
        };
        let var = Var::from_tensor(&tensor.to_dtype(self.kind)?)?;
        let tensor = var.as_tensor().clone();
        self.made.insert(name.to_owned(), var);
        Ok(tensor)
    }

    /// A tensor that training leaves as it is: that of the file, or else the one that is given.
    pub fn fixed(&mut self, name: &str, shape: impl Into<Shape>, given: Option<&Tensor>) -> Result<Tensor> {
        let shape = shape.into();
        let tensor = match &mut self.source {
            Source::Random(_) => given.cloned(),
            Source::Stored(tensors) => tensors.remove(name),
        };
        match tensor {
            Some(tensor) if tensor.shape() == &shape => {
                let tensor = tensor.to_dtype(self.kind)?;
                self.fixed.insert(name.to_owned(), tensor.clone());
                Ok(tensor)
            }
            Some(tensor) => bail!("the tensor {name} is {:?}; expected {:?}", tensor.dims(), shape.dims()),
            None => bail!("the tensor {name} is missing"),
        }
    }

    /// All parameters that were handed out. Refused where a file has others.
    pub fn finish(self) -> Result<Parameters> {
        if let Source::Stored(tensors) = self.source
            && let Some(name) = tensors.keys().min()
        {
            bail!("the tensor {name} belongs to nothing");
        }
        Ok(Parameters { by_name: self.made, fixed: self.fixed })
    }
}

/// The parameters of a network, in the order of their names.
#[derive(Debug, Clone)]
pub struct Parameters {
    by_name: BTreeMap<String, Var>,
    fixed: BTreeMap<String, Tensor>,
}

impl Parameters {
    /// The tensors that training leaves as they are.
    pub fn fixed(&self) -> impl Iterator<Item = (&str, &Tensor)> {
        self.fixed.iter().map(|(name, tensor)| (name.as_str(), tensor))
    }

    /// Each with its name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Var)> {
        self.by_name.iter().map(|(name, var)| (name.as_str(), var))
    }

    /// How many numbers they are.
    pub fn count(&self) -> usize {
        self.by_name.values().map(|var| var.elem_count()).sum()
    }

    /// Their values, one behind the other.
    pub fn values<T: candle_core::WithDType>(&self) -> Result<Vec<Vec<T>>> {
        self.by_name.values().map(|var| var.flatten_all()?.to_vec1()).collect()
    }

    /// Gives them the values that [`values`](Self::values) had.
    pub fn set<T: candle_core::WithDType>(&self, values: &[Vec<T>]) -> Result<()> {
        if values.len() != self.by_name.len() {
            bail!("{} tensors for {} parameters", values.len(), self.by_name.len());
        }
        for (var, values) in self.by_name.values().zip(values) {
            var.set(&Tensor::from_slice(values, var.shape(), &Device::Cpu)?)?;
        }
        Ok(())
    }
}
