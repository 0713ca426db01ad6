//! Sparse vectors and the sums from which they are made.

/// Something to which features can be added one by one.
pub trait FeatureSum {
    /// Adds `value` to the entry `index`.
    fn add(&mut self, index: usize, value: f64);
}

impl FeatureSum for [f64] {
    #[inline]
    fn add(&mut self, index: usize, value: f64) {
        self[index] += value;
    }
}

/// A sparse vector: entries with increasing indices, none of them zero.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SparseVector {
    /// Where.
    pub indices: Vec<u32>,
    /// What.
    pub values: Vec<f64>,
}

impl SparseVector {
    /// The number of entries.
    pub fn len(&self) -> usize {
        self.indices.len()
    }

    /// Whether every entry is zero.
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// Makes it the zero vector.
    pub fn clear(&mut self) {
        self.indices.clear();
        self.values.clear();
    }

    /// ⟨self, dense⟩.
    #[inline]
    pub fn dot(&self, dense: &[f64]) -> f64 {
        self.indices.iter().zip(&self.values).map(|(&i, &v)| v * dense[i as usize]).sum()
    }

    /// `dense += factor · self`.
    #[inline]
    pub fn add_to(&self, factor: f64, dense: &mut [f64]) {
        for (&i, &v) in self.indices.iter().zip(&self.values) {
            dense[i as usize] += factor * v;
        }
    }

    /// ‖self‖².
    pub fn norm_squared(&self) -> f64 {
        self.values.iter().map(|v| v * v).sum()
    }

    /// ⟨self, other⟩, by merging the indices.
    pub fn dot_sparse(&self, other: &SparseVector) -> f64 {
        let (mut i, mut j, mut sum) = (0, 0, 0.0);
        while i < self.len() && j < other.len() {
            match self.indices[i].cmp(&other.indices[j]) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => {
                    sum += self.values[i] * other.values[j];
                    i += 1;
                    j += 1;
                }
            }
        }
        sum
    }
}

/// A sum of features that remembers which entries it touched, so that taking it out costs what was put in.
#[derive(Debug, Clone)]
pub struct SparseSum {
    dense: Vec<f64>,
    touched: Vec<u32>,
    is_touched: Vec<bool>,
}

impl SparseSum {
    /// The zero vector of this dimension.
    pub fn new(dim: usize) -> Self {
        Self { dense: vec![0.0; dim], touched: Vec::new(), is_touched: vec![false; dim] }
    }

    /// Moves the sum into `out` and leaves zero behind.
    pub fn drain_into(&mut self, out: &mut SparseVector) {
        out.clear();
        self.touched.sort_unstable();
        for &i in &self.touched {
            let value = std::mem::take(&mut self.dense[i as usize]);
            self.is_touched[i as usize] = false;
            if value != 0.0 {
                out.indices.push(i);
                out.values.push(value);
            }
        }
        self.touched.clear();
    }
}

impl FeatureSum for SparseSum {
    #[inline]
    fn add(&mut self, index: usize, value: f64) {
        self.dense[index] += value;
        if !self.is_touched[index] {
            self.is_touched[index] = true;
            self.touched.push(index as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drained_sum_is_sorted_without_zeros_and_leaves_nothing() {
        let mut sum = SparseSum::new(9);
        for (i, v) in [(7, 1.0), (2, 3.0), (7, -1.0), (4, 2.0), (2, 1.0)] {
            sum.add(i, v);
        }
        let mut vector = SparseVector::default();
        sum.drain_into(&mut vector);
        assert_eq!(vector, SparseVector { indices: vec![2, 4], values: vec![4.0, 2.0] });
        assert_eq!(vector.dot(&[1.0; 9]), 6.0);
        assert_eq!(vector.dot_sparse(&vector), vector.norm_squared());
        sum.drain_into(&mut vector);
        assert!(vector.is_empty());
    }
}
