//! The recurrence of an LSTM (Hochreiter and Schmidhuber 1997) over a batch of sequences.
//!
//! ```text
//! i, f, o = σ(x_t + h_{t−1} U),  g = tanh(x_t + h_{t−1} U),  c_t = f c_{t−1} + i g,  h_t = o tanh c_t
//! ```
//!
//! The x_t are the projected inputs of all rows, which one product has made before: what is left to each step is the product with U. Sequences
//! are taken longest first, so that those which still go on at a step are the first ones: nothing is padded. The backward pass keeps the gradients
//! at the gates of all steps, so that the gradient of U is one product too.

use std::sync::{Arc, Mutex, PoisonError};

use candle_core::{CpuStorage, CustomOp2, DType, Layout, Result, Shape, Tensor, bail};

use super::Real;
use super::product::{Matrix, multiply};
use super::real::contiguous;

/// Which end of a sequence is read first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The first row.
    Forward,
    /// The last row.
    Backward,
}

/// What a recurrence goes over.
#[derive(Debug, Clone)]
pub struct Recurrence {
    /// How many rows each sequence has.
    pub lengths: Arc<Vec<usize>>,
    /// Which end is read first.
    pub direction: Direction,
    /// For each sequence and unit what its last state is multiplied with on its way into the next step: dropout (Gal and Ghahramani 2016).
    pub mask: Option<Arc<Vec<f32>>>,
}

/// The states h of all rows: `inputs` are rows × 4 units (for the gates i, f, o and g), `weights` units × 4 units.
pub fn recurrence(inputs: &Tensor, weights: &Tensor, over: Recurrence) -> Result<Tensor> {
    let ((rows, gates), (units, columns)) = (inputs.dims2()?, weights.dims2()?);
    if gates != 4 * units || columns != gates || rows != over.lengths.iter().sum::<usize>() {
        bail!(
            "inputs of {rows} × {gates} and weights of {units} × {columns} for {} sequences",
            over.lengths.len()
        );
    }
    if over.mask.as_ref().is_some_and(|mask| mask.len() != over.lengths.len() * units) {
        bail!("the mask of a recurrence has a number for each sequence and unit");
    }
    let steps = Steps::new(&over);
    let op = Lstm { units, mask: over.mask, steps, kept: Mutex::default() };
    inputs.contiguous()?.apply_op2(&weights.contiguous()?, op)
}

/// The rows in the order in which they are visited.
struct Steps {
    /// The sequences, longest first.
    order: Vec<usize>,
    /// How many go on at each step.
    widths: Vec<usize>,
    /// Where the rows of each step begin in `rows`.
    starts: Vec<usize>,
    /// The row of each visit.
    rows: Vec<usize>,
}

impl Steps {
    fn new(over: &Recurrence) -> Self {
        let lengths = &over.lengths[..];
        let mut order: Vec<usize> = (0..lengths.len()).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(lengths[i]));
        let mut firsts = vec![0; lengths.len()];
        (1..lengths.len()).for_each(|i| firsts[i] = firsts[i - 1] + lengths[i - 1]);
        let count = order.first().map_or(0, |&longest| lengths[longest]);
        let (mut widths, mut starts, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        let mut width = lengths.len();
        for t in 0..count {
            while lengths[order[width - 1]] <= t {
                width -= 1;
            }
            starts.push(rows.len());
            widths.push(width);
            rows.extend(order[..width].iter().map(|&i| match over.direction {
                Direction::Forward => firsts[i] + t,
                Direction::Backward => firsts[i] + lengths[i] - 1 - t,
            }));
        }
        Self { order, widths, starts, rows }
    }
}

/// What the forward pass leaves for the backward pass, in the order of visits.
struct Kept<T> {
    /// The values of i, f, o and g.
    gates: Vec<T>,
    cells: Vec<T>,
    /// tanh of the cells.
    bounded: Vec<T>,
    /// The states that went into the steps, masked.
    entering: Vec<T>,
}

#[derive(Default)]
enum AnyKept {
    #[default]
    Nothing,
    Single(Kept<f32>),
    Double(Kept<f64>),
}

struct Lstm {
    units: usize,
    mask: Option<Arc<Vec<f32>>>,
    steps: Steps,
    kept: Mutex<AnyKept>,
}

impl Lstm {
    /// The mask of a sequence.
    fn mask_of<T: Real>(&self, place: usize) -> Option<impl Iterator<Item = T>> {
        let start = self.steps.order[place] * self.units;
        let mask = &self.mask.as_ref()?[start..start + self.units];
        Some(mask.iter().map(|&factor| T::from_f64(factor.into())))
    }

    fn forward<T: Real>(&self, inputs: &[T], weights: &[T]) -> Result<(Vec<T>, Kept<T>)> {
        let (units, gates, rows) = (self.units, 4 * self.units, self.steps.rows.len());
        let mut kept = Kept {
            gates: vec![T::zero(); rows * gates],
            cells: vec![T::zero(); rows * units],
            bounded: vec![T::zero(); rows * units],
            entering: vec![T::zero(); rows * units],
        };
        let mut states = vec![T::zero(); rows * units];
        for (t, (&start, &width)) in self.steps.starts.iter().zip(&self.steps.widths).enumerate() {
            let rows = &self.steps.rows[start..start + width];
            let values = &mut kept.gates[start * gates..(start + width) * gates];
            for (values, &row) in values.chunks_exact_mut(gates).zip(rows) {
                values.copy_from_slice(&inputs[row * gates..(row + 1) * gates]);
            }
            let before = t.checked_sub(1).map(|last| self.steps.starts[last]);
            if let Some(before) = before {
                let entering = &mut kept.entering[start * units..(start + width) * units];
                let last = &self.steps.rows[before..before + width];
                for (place, (entering, &row)) in entering.chunks_exact_mut(units).zip(last).enumerate() {
                    entering.copy_from_slice(&states[row * units..(row + 1) * units]);
                    if let Some(mask) = self.mask_of::<T>(place) {
                        entering.iter_mut().zip(mask).for_each(|(state, factor)| *state *= factor);
                    }
                }
                multiply(
                    Matrix::new(entering, width, units)?,
                    Matrix::new(weights, units, gates)?,
                    values,
                    true,
                )?;
            }
            let (done, cells) = kept.cells.split_at_mut(start * units);
            let bounded = &mut kept.bounded[start * units..];
            for (place, (values, &row)) in values.chunks_exact_mut(gates).zip(rows).enumerate() {
                let (open, candidates) = values.split_at_mut(3 * units);
                T::sigmoid(open);
                T::tanh(candidates);
                let (inward, rest) = open.split_at(units);
                let (forget, outward) = rest.split_at(units);
                let cells = &mut cells[place * units..(place + 1) * units];
                for ((cell, &i), &g) in cells.iter_mut().zip(inward).zip(&*candidates) {
                    *cell = i * g;
                }
                if let Some(before) = before {
                    let last = &done[(before + place) * units..(before + place + 1) * units];
                    cells.iter_mut().zip(forget).zip(last).for_each(|((cell, &f), &c)| *cell += f * c);
                }
                let bounded = &mut bounded[place * units..(place + 1) * units];
                bounded.copy_from_slice(cells);
                T::tanh(bounded);
                let states = &mut states[row * units..(row + 1) * units];
                for ((state, &o), &c) in states.iter_mut().zip(outward).zip(&*bounded) {
                    *state = o * c;
                }
            }
        }
        Ok((states, kept))
    }

    /// The gradients of inputs and weights by that of the states.
    fn backward<T: Real>(&self, kept: &Kept<T>, weights: &[T], gradient: &[T]) -> Result<(Vec<T>, Vec<T>)> {
        let (units, gates, rows) = (self.units, 4 * self.units, self.steps.rows.len());
        let one = T::one();
        let widest = self.steps.widths.first().copied().unwrap_or(0);
        let mut of_gates = vec![T::zero(); rows * gates];
        // What the later step says of the states and cells that went into it.
        let (mut of_states, mut of_cells) =
            (vec![T::zero(); widest * units], vec![T::zero(); widest * units]);
        for t in (0..self.steps.widths.len()).rev() {
            let (start, width) = (self.steps.starts[t], self.steps.widths[t]);
            let before = t.checked_sub(1).map(|last| self.steps.starts[last]);
            for place in 0..width {
                let visit = start + place;
                let row = self.steps.rows[visit];
                let from_above = &gradient[row * units..(row + 1) * units];
                let of_state = &of_states[place * units..(place + 1) * units];
                let of_cell = &mut of_cells[place * units..(place + 1) * units];
                let values = &kept.gates[visit * gates..(visit + 1) * gates];
                let (inward, values) = values.split_at(units);
                let (forget, values) = values.split_at(units);
                let (outward, candidates) = values.split_at(units);
                let bounded = &kept.bounded[visit * units..(visit + 1) * units];
                let out = &mut of_gates[visit * gates..(visit + 1) * gates];
                let (of_inward, out) = out.split_at_mut(units);
                let (of_forget, out) = out.split_at_mut(units);
                let (of_outward, of_candidates) = out.split_at_mut(units);
                let last = before.map(|before| &kept.cells[(before + place) * units..][..units]);
                for u in 0..units {
                    let of_h = from_above[u] + of_state[u];
                    let (i, f, o, g, c) = (inward[u], forget[u], outward[u], candidates[u], bounded[u]);
                    let of_c = of_cell[u] + of_h * o * (one - c * c);
                    of_outward[u] = of_h * c * o * (one - o);
                    of_inward[u] = of_c * g * i * (one - i);
                    of_candidates[u] = of_c * i * (one - g * g);
                    of_forget[u] = last.map_or(T::zero(), |last| of_c * last[u] * f * (one - f));
                    of_cell[u] = of_c * f;
                }
            }
            if before.is_some() {
                let of_gates = Matrix::new(&of_gates[start * gates..(start + width) * gates], width, gates)?;
                let of_states = &mut of_states[..width * units];
                multiply(of_gates, Matrix::new(weights, units, gates)?.transposed(), of_states, false)?;
                for (place, of_state) in of_states.chunks_exact_mut(units).enumerate() {
                    if let Some(mask) = self.mask_of::<T>(place) {
                        of_state.iter_mut().zip(mask).for_each(|(state, factor)| *state *= factor);
                    }
                }
            }
        }
        let mut of_weights = vec![T::zero(); units * gates];
        multiply(
            Matrix::new(&kept.entering, rows, units)?.transposed(),
            Matrix::new(&of_gates, rows, gates)?,
            &mut of_weights,
            false,
        )?;
        let mut of_inputs = vec![T::zero(); rows * gates];
        for (of_gates, &row) in of_gates.chunks_exact(gates).zip(&self.steps.rows) {
            of_inputs[row * gates..(row + 1) * gates].copy_from_slice(of_gates);
        }
        Ok((of_inputs, of_weights))
    }

    fn keep(&self, kept: AnyKept) {
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = kept;
    }

    fn gradients<T: Real>(
        &self,
        kept: &Kept<T>,
        weights: &Tensor,
        gradient: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        let flat = |tensor: &Tensor| tensor.flatten_all()?.to_vec1::<T>();
        let (of_inputs, of_weights) = self.backward(kept, &flat(weights)?, &flat(gradient)?)?;
        let (gates, rows, device) = (4 * self.units, self.steps.rows.len(), weights.device());
        let of_inputs = Tensor::from_vec(of_inputs, (rows, gates), device)?;
        Ok((Some(of_inputs), Some(Tensor::from_vec(of_weights, (self.units, gates), device)?)))
    }
}

impl CustomOp2 for Lstm {
    fn name(&self) -> &'static str {
        "lstm"
    }

    fn cpu_fwd(
        &self,
        inputs: &CpuStorage,
        layout: &Layout,
        weights: &CpuStorage,
        layout_of_weights: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let shape = Shape::from((self.steps.rows.len(), self.units));
        Ok(match inputs {
            CpuStorage::F32(_) => {
                let (states, kept) = self
                    .forward::<f32>(contiguous(inputs, layout)?, contiguous(weights, layout_of_weights)?)?;
                self.keep(AnyKept::Single(kept));
                (CpuStorage::F32(states), shape)
            }
            CpuStorage::F64(_) => {
                let (states, kept) = self
                    .forward::<f64>(contiguous(inputs, layout)?, contiguous(weights, layout_of_weights)?)?;
                self.keep(AnyKept::Double(kept));
                (CpuStorage::F64(states), shape)
            }
            _ => bail!("a recurrence is over f32 or f64"),
        })
    }

    fn bwd(
        &self,
        _: &Tensor,
        weights: &Tensor,
        _: &Tensor,
        gradient: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        match (&*kept, gradient.dtype()) {
            (AnyKept::Single(kept), DType::F32) => self.gradients(kept, weights, gradient),
            (AnyKept::Double(kept), DType::F64) => self.gradients(kept, weights, gradient),
            _ => bail!("the forward pass of this recurrence was of another precision"),
        }
    }
}
