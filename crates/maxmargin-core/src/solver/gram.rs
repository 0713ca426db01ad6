//! A quadratic given by a Gram matrix: few planes, each dense.
//!
//! The values of all planes are kept current, so a transfer costs two rows of the matrix and the gap is always exact.

use serde::{Deserialize, Serialize};

use super::face_ascent::FaceAscent;
use super::face_factor::FaceFactor;
use super::halt::Halt;
use super::simplex_qp::{Block, Quadratic};
use crate::linear::{add_scaled, dot};

/// Planes that can only be seen through their inner products, in blocks of mass 1.
///
/// The dual objective is Σ_j β_j c_j − curvature/2 · βᵀ G β.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GramQuadratic {
    /// `capacity × capacity`, of which the first `len` rows and columns are in use.
    gram: Vec<f64>,
    capacity: usize,
    pub(super) members: Vec<Vec<usize>>,
    /// What the gradient is at β = 0.
    linear: Vec<f64>,
    pub(super) curvature: f64,
    pub(super) coefficients: Vec<f64>,
    /// `linear − curvature · G β`, current at all times.
    pub(super) values: Vec<f64>,
    /// The loaded block: its number, and the values and coefficients of its members.
    block: usize,
    block_values: Vec<f64>,
    block_coefficients: Vec<f64>,
    /// For joint improvements: it follows the coefficients when one begins.
    face: FaceFactor,
    /// When to break off.
    #[serde(skip)]
    halt: Halt,
}

impl GramQuadratic {
    /// No planes yet, in this many blocks.
    pub fn new(blocks: usize) -> Self {
        Self {
            gram: Vec::new(),
            capacity: 0,
            members: vec![Vec::new(); blocks],
            linear: Vec::new(),
            curvature: 1.0,
            coefficients: Vec::new(),
            values: Vec::new(),
            block: 0,
            block_values: Vec::new(),
            block_coefficients: Vec::new(),
            face: FaceFactor::default(),
            halt: Halt::default(),
        }
    }

    /// Says when solves are to be broken off.
    pub(super) fn heed(&mut self, halt: Halt) {
        self.halt = halt;
    }

    pub(super) fn halt(&self) -> &Halt {
        &self.halt
    }

    /// The number of planes.
    pub fn len(&self) -> usize {
        self.coefficients.len()
    }

    /// Whether there is no plane.
    pub fn is_empty(&self) -> bool {
        self.coefficients.is_empty()
    }

    /// Adds a plane to a block: its inner products with all planes before it, and with itself. The first plane of a
    /// block takes the block's whole mass, later ones start with none.
    ///
    /// # Panics
    ///
    /// When there is not one for each plane.
    pub fn push(&mut self, block: usize, products: &[f64]) {
        let new = self.len();
        assert_eq!(products.len(), new + 1, "a product with each plane and itself");
        if new == self.capacity {
            self.grow();
        }
        for (j, &product) in products.iter().enumerate() {
            self.gram[new * self.capacity + j] = product;
            self.gram[j * self.capacity + new] = product;
        }
        self.coefficients.push(if self.members[block].is_empty() { 1.0 } else { 0.0 });
        self.members[block].push(new);
    }

    /// Removes planes, which must have no mass; the others keep their order.
    ///
    /// # Panics
    ///
    /// When there is not one for each plane.
    pub fn retain(&mut self, keep: &[bool]) {
        let kept: Vec<usize> = (0..self.len()).filter(|&j| keep[j]).collect();
        let mut new_number = vec![usize::MAX; self.len()];
        for (new, &old) in kept.iter().enumerate() {
            new_number[old] = new;
            self.coefficients[new] = self.coefficients[old];
            for (column, &old_column) in kept.iter().enumerate() {
                self.gram[new * self.capacity + column] = self.gram[old * self.capacity + old_column];
            }
        }
        self.coefficients.truncate(kept.len());
        self.face.retain(keep);
        for members in &mut self.members {
            members.retain_mut(|j| {
                *j = new_number[*j];
                *j != usize::MAX
            });
        }
    }

    /// Sets the rest of the objective and brings the values up to date. Call it after planes came or went.
    ///
    /// # Panics
    ///
    /// When there is not one for each plane.
    pub fn set_objective(&mut self, linear: Vec<f64>, curvature: f64) {
        assert_eq!(linear.len(), self.len());
        self.linear = linear;
        self.curvature = curvature;
        self.refresh();
    }

    /// Replaces all inner products. Call [`set_objective`](Self::set_objective) after it.
    pub(super) fn set_products(&mut self, product: impl Fn(usize, usize) -> f64) {
        for j in 0..self.len() {
            for k in 0..=j {
                let product = product(j, k);
                self.gram[j * self.capacity + k] = product;
                self.gram[k * self.capacity + j] = product;
            }
        }
        self.face = FaceFactor::default();
    }

    /// Σ over blocks of the largest value in each: the model at the point that the coefficients stand for.
    pub(super) fn model(&self) -> f64 {
        let largest =
            |members: &Vec<usize>| members.iter().map(|&j| self.values[j]).fold(f64::NEG_INFINITY, f64::max);
        self.members.iter().map(largest).sum()
    }

    /// Computes the values anew from the coefficients, which takes away the rounding of many transfers.
    pub fn refresh(&mut self) {
        self.values.clone_from(&self.linear);
        for j in 0..self.len() {
            if self.coefficients[j] != 0.0 {
                let row = &self.gram[j * self.capacity..][..self.coefficients.len()];
                add_scaled(&mut self.values, -self.curvature * self.coefficients[j], row);
            }
        }
    }

    /// Makes each block's coefficients add up to 1 again after the rounding of many steps: only then is the objective a
    /// lower bound. Call it when the solve is over; the values are computed anew.
    pub fn normalize(&mut self) {
        for members in &self.members {
            let mass: f64 = members.iter().map(|&j| self.coefficients[j]).sum();
            members.iter().for_each(|&j| self.coefficients[j] /= mass);
        }
        self.refresh();
    }

    /// The coefficients.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// Replaces the coefficients, which must be feasible. Call [`refresh`](Self::refresh) or
    /// [`set_objective`](Self::set_objective) after it.
    ///
    /// # Panics
    ///
    /// When there is not one for each plane.
    pub fn set_coefficients(&mut self, coefficients: &[f64]) {
        self.coefficients.copy_from_slice(coefficients);
    }

    /// Σ_j β_j c_j − curvature/2 · βᵀ G β.
    pub fn objective(&self) -> f64 {
        // values = linear − curvature · G β, so the objective is the mean of both.
        0.5 * (dot(&self.coefficients, &self.linear) + dot(&self.coefficients, &self.values))
    }

    /// Exchanges the factor that joint improvements work with. Any will do; one of about the same planes saves time.
    pub(super) fn swap_face(&mut self, face: &mut FaceFactor) {
        std::mem::swap(&mut self.face, face);
    }

    pub(super) fn row(&self, j: usize) -> &[f64] {
        &self.gram[j * self.capacity..][..self.len()]
    }

    /// Gives a plane a new coefficient and brings all values up to date.
    pub(super) fn change(&mut self, j: usize, coefficient: f64) {
        let n = self.coefficients.len();
        let change = coefficient - self.coefficients[j];
        if change != 0.0 {
            self.coefficients[j] = coefficient;
            add_scaled(&mut self.values, -self.curvature * change, &self.gram[j * self.capacity..][..n]);
        }
    }

    fn grow(&mut self) {
        let capacity = (2 * self.capacity).max(32);
        let mut gram = vec![0.0; capacity * capacity];
        for j in 0..self.len() {
            gram[j * capacity..][..self.len()].copy_from_slice(self.row(j));
        }
        (self.gram, self.capacity) = (gram, capacity);
    }
}

impl Quadratic for GramQuadratic {
    fn blocks(&self) -> usize {
        self.members.len()
    }

    fn load(&mut self, block: usize) {
        self.block = block;
        let members = &self.members[block];
        self.block_values.clear();
        self.block_values.extend(members.iter().map(|&j| self.values[j]));
        self.block_coefficients.clear();
        self.block_coefficients.extend(members.iter().map(|&j| self.coefficients[j]));
    }

    fn loaded(&self) -> Block<'_> {
        Block { values: &self.block_values, coefficients: &self.block_coefficients }
    }

    fn curvature(&self, from: usize, to: usize) -> f64 {
        let (from, to) = (self.members[self.block][from], self.members[self.block][to]);
        let (from_row, to_row) = (self.row(from), self.row(to));
        self.curvature * (from_row[from] + to_row[to] - 2.0 * to_row[from]).max(0.0)
    }

    fn transfer(&mut self, from: usize, to: usize, amount: f64, whole: bool) {
        self.block_coefficients[to] += amount;
        self.block_coefficients[from] = if whole { 0.0 } else { self.block_coefficients[from] - amount };
        let members = &self.members[self.block];
        let change = self.curvature * amount;
        let n = self.coefficients.len();
        let from_row = &self.gram[members[from] * self.capacity..][..n];
        let to_row = &self.gram[members[to] * self.capacity..][..n];
        if members.len() == n {
            add_scaled(&mut self.block_values, change, from_row);
            add_scaled(&mut self.block_values, -change, to_row);
        } else {
            for (value, &j) in self.block_values.iter_mut().zip(members) {
                *value += change * (from_row[j] - to_row[j]);
            }
        }
    }

    fn is_halted(&self) -> bool {
        self.halt.is_due()
    }

    fn improve_jointly(&mut self, gap: f64) {
        let mut face = std::mem::take(&mut self.face);
        if face.follow(self) {
            FaceAscent::new(self, &mut face).run(gap);
        }
        self.face = face;
    }

    fn unload(&mut self) {
        let members = self.members[self.block].len();
        if members == self.coefficients.len() {
            self.values.copy_from_slice(&self.block_values);
            self.coefficients.copy_from_slice(&self.block_coefficients);
            return;
        }
        for k in 0..members {
            self.change(self.members[self.block][k], self.block_coefficients[k]);
        }
    }
}

/// Keeps the items marked so.
pub(super) fn retain<T>(items: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    items.retain(|_| *keep.next().unwrap_or(&true));
}
