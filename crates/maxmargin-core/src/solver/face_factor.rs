//! A Cholesky factor of the Gram matrix of the planes that have mass, kept from one solve to the next.
//!
//! From pass to pass a few planes get mass and a few lose it, while a thousand keep theirs. So the factor is changed
//! by rows: a new plane appends one; a plane that loses its mass leaves an empty slot behind and a rank-one update of
//! the columns after it (Gill, Golub, Murray and Saunders 1974). Both cost about as much as a product with the matrix.
//!
//! What is factored is G + ρ·[same block] + δ. Directions in which no block's mass changes do not see ρ, which makes
//! the matrix regular even with the zero plane in it (Wolfe 1976); δ is a small addition to the diagonal of planes that
//! depend on others. A Newton step with it is one of the proximal point method: shorter, but still uphill.

use serde::{Deserialize, Serialize};

use super::gram::{GramQuadratic, retain};
use crate::linear::{add_scaled, dot, rotate, scale};

/// What must be left of a plane's diagonal entry, as a share: less is taken for rounding.
const LEAST_PIVOT: f64 = 1e-10;

/// Rows that are appended together, so that each column is fetched once for all of them.
const BATCH: usize = 16;

/// Empty slots are taken out when they are more than this share.
const MOST_EMPTY: f64 = 0.1;

/// When more than this share of the planes has lost its mass, it is cheaper to compute the factor anew.
const MOST_GONE: f64 = 0.25;

/// A plane on the face.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Slot {
    pub(super) plane: usize,
    pub(super) block: usize,
}

/// The factor L, and what has been solved with it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct FaceFactor {
    /// `None` where a plane was removed: there L is the identity.
    slots: Vec<Option<Slot>>,
    /// Each column of L from the diagonal down.
    columns: Vec<Vec<f64>>,
    /// L⁻¹ e_p, where e_p is 1 for the planes of block p.
    units: Vec<Vec<f64>>,
    /// The inner products of the units.
    unit_products: Vec<f64>,
    /// L⁻¹ of the right-hand side.
    target: Vec<f64>,
    /// ρ.
    block_weight: f64,
}

impl FaceFactor {
    /// The plane in each slot.
    pub(super) fn slots(&self) -> &[Option<Slot>] {
        &self.slots
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Brings the factor up to date with the planes that have mass. False when it was broken off: then it holds nothing.
    pub(super) fn follow(&mut self, quadratic: &GramQuadratic) -> bool {
        let has_mass = |slot: &Slot| quadratic.coefficients[slot.plane] > 0.0;
        let gone: Vec<usize> =
            (0..self.slots.len()).filter(|&k| self.slots[k].is_some_and(|slot| !has_mass(&slot))).collect();
        if gone.len() as f64 > MOST_GONE * self.slots.len() as f64 {
            self.clear();
        } else {
            gone.into_iter().rev().for_each(|slot| self.remove(slot));
            self.take_out_empty();
        }
        let mut held = vec![false; quadratic.len()];
        self.slots.iter().flatten().for_each(|slot| held[slot.plane] = true);
        let members = quadratic.members.iter().enumerate();
        let new: Vec<Slot> = members
            .flat_map(|(block, planes)| planes.iter().map(move |&plane| Slot { plane, block }))
            .filter(|slot| has_mass(slot) && !held[slot.plane])
            .collect();
        if self.slots.is_empty() {
            let diagonal: f64 = new.iter().map(|slot| quadratic.row(slot.plane)[slot.plane]).sum();
            self.block_weight = if diagonal > 0.0 { diagonal / new.len() as f64 } else { 1.0 };
            self.units = vec![Vec::new(); quadratic.members.len()];
        }
        for batch in new.chunks(BATCH) {
            if quadratic.halt().is_due() {
                self.clear();
                return false;
            }
            self.append(batch, quadratic);
        }
        self.unit_products.clear();
        for unit in &self.units {
            if quadratic.halt().is_due() {
                self.clear();
                return false;
            }
            self.unit_products.extend(self.units.iter().map(|other| dot(unit, other)));
        }
        true
    }

    fn take_out_empty(&mut self) {
        let full: Vec<bool> = self.slots.iter().map(Option::is_some).collect();
        let empty = full.iter().filter(|&&full| !full).count();
        if empty as f64 <= MOST_EMPTY * full.len() as f64 {
            return;
        }
        for (c, column) in self.columns.iter_mut().enumerate() {
            retain(column, &full[c..]);
        }
        retain(&mut self.columns, &full);
        retain(&mut self.slots, &full);
        retain(&mut self.target, &full);
        self.units.iter_mut().for_each(|unit| retain(unit, &full));
    }

    /// Renumbers the planes after some were dropped.
    pub(super) fn retain(&mut self, keep: &[bool]) {
        let mut numbers = Vec::with_capacity(keep.len());
        let mut kept = 0;
        for &keep in keep {
            numbers.push(kept);
            kept += usize::from(keep);
        }
        for k in 0..self.slots.len() {
            match &mut self.slots[k] {
                Some(slot) if keep[slot.plane] => slot.plane = numbers[slot.plane],
                Some(_) => self.remove(k),
                None => {}
            }
        }
    }

    fn append(&mut self, batch: &[Slot], quadratic: &GramQuadratic) {
        let old = self.slots.len();
        self.slots.extend(batch.iter().copied().map(Some));
        let mut rows: Vec<Vec<f64>> =
            (old..self.slots.len()).map(|k| self.matrix_row(k, quadratic)).collect();
        for (c, column) in self.columns.iter().enumerate() {
            for row in &mut rows {
                row[c] /= column[0];
                if row[c] != 0.0 {
                    let factor = -row[c];
                    add_scaled(&mut row[c + 1..old], factor, &column[1..]);
                }
            }
        }
        for k in old..self.slots.len() {
            let (done, rest) = rows.split_at_mut(k - old);
            let row = &mut rest[0];
            for (c, other) in (old..).zip(&*done) {
                row[c] = (row[c] - dot(&row[..c], &other[..c])) / other[c];
            }
            row[k] = (row[k] - dot(&row[..k], &row[..k])).max(LEAST_PIVOT * row[k]).sqrt();
            self.push_row(row, batch[k - old].block);
        }
    }

    /// The entries of slot `k` with all slots up to itself.
    fn matrix_row(&self, k: usize, quadratic: &GramQuadratic) -> Vec<f64> {
        let Some(new) = self.slots[k] else { return vec![0.0; k + 1] };
        let products = quadratic.row(new.plane);
        let entry = |slot: &Option<Slot>| {
            slot.map_or(0.0, |slot| {
                products[slot.plane] + if slot.block == new.block { self.block_weight } else { 0.0 }
            })
        };
        self.slots[..=k].iter().map(entry).collect()
    }

    fn push_row(&mut self, row: &[f64], block: usize) {
        let (&diagonal, rest) = row.split_last().expect("a diagonal entry");
        for (p, unit) in self.units.iter_mut().enumerate() {
            let own = if p == block { 1.0 } else { 0.0 };
            unit.push((own - dot(rest, unit)) / diagonal);
        }
        for (column, &entry) in self.columns.iter_mut().zip(rest) {
            column.push(entry);
        }
        self.columns.push(vec![diagonal]);
        self.target.push(0.0);
    }

    /// Takes a plane off the face; units and target are then those of the planes that are left.
    pub(super) fn remove(&mut self, slot: usize) {
        self.slots[slot] = None;
        for (column, below) in self.columns[..slot].iter_mut().zip((1..=slot).rev()) {
            column[below] = 0.0;
        }
        let mut vector = self.columns[slot].split_off(1);
        self.columns[slot][0] = 1.0;
        self.columns[slot].resize(vector.len() + 1, 0.0);
        let target = std::iter::once(&mut self.target);
        let mut solved: Vec<&mut Vec<f64>> = self.units.iter_mut().chain(target).collect();
        let mut carried: Vec<f64> = solved.iter_mut().map(|x| std::mem::take(&mut x[slot])).collect();
        // [L v] times rotations is [L' 0], and what was solved turns with it.
        for c in slot + 1..self.slots.len() {
            let (head, rest) = vector[c - slot - 1..].split_first_mut().expect("an entry for each row");
            if *head == 0.0 {
                continue;
            }
            let (diagonal, column) = self.columns[c].split_first_mut().expect("a diagonal entry");
            let length = diagonal.hypot(*head);
            let (cos, sin) = (*diagonal / length, *head / length);
            *diagonal = length;
            rotate(column, rest, cos, sin);
            for (x, carried) in solved.iter_mut().zip(&mut carried) {
                (x[c], *carried) = (cos * x[c] + sin * *carried, cos * *carried - sin * x[c]);
            }
        }
        let blocks = self.units.len();
        for (products, &left) in self.unit_products.chunks_exact_mut(blocks).zip(&carried) {
            add_scaled(products, -left, &carried[..blocks]);
        }
    }

    /// Sets the right-hand side: a value for each slot, 0 where it is empty.
    pub(super) fn set_target(&mut self, values: &[f64]) {
        self.target.copy_from_slice(values);
        for (c, column) in self.columns.iter().enumerate() {
            let (head, rest) = self.target[c..].split_first_mut().expect("an entry for each column");
            *head /= column[0];
            add_scaled(rest, -*head, &column[1..]);
        }
    }

    /// Subtracts from each block of the right-hand side what makes the Newton step keep the block's mass, and returns
    /// it: the Lagrange multipliers.
    pub(super) fn center_target(&mut self) -> Vec<f64> {
        let right = self.units.iter().map(|unit| dot(unit, &self.target)).collect();
        let multipliers = solve_small(self.unit_products.clone(), right);
        for (unit, &multiplier) in self.units.iter().zip(&multipliers) {
            add_scaled(&mut self.target, -multiplier, unit);
        }
        multipliers
    }

    /// Multiplies the right-hand side.
    pub(super) fn scale_target(&mut self, factor: f64) {
        scale(&mut self.target, factor);
    }

    /// The solution for the right-hand side.
    pub(super) fn newton_step(&self) -> Vec<f64> {
        let mut step = self.target.clone();
        for (c, column) in self.columns.iter().enumerate().rev() {
            let (head, rest) = step[c..].split_first_mut().expect("an entry for each column");
            *head = (*head - dot(rest, &column[1..])) / column[0];
        }
        step
    }
}

/// Solves a small positive semidefinite system; unknowns that nothing determines are 0.
fn solve_small(mut matrix: Vec<f64>, mut right: Vec<f64>) -> Vec<f64> {
    let n = right.len();
    for k in 0..n {
        let (above, below) = matrix.split_at_mut((k + 1) * n);
        let pivot_row = &above[k * n..];
        let pivot = pivot_row[k];
        for (row, i) in below.chunks_exact_mut(n).zip(k + 1..) {
            let factor = if pivot > 0.0 { row[k] / pivot } else { 0.0 };
            add_scaled(&mut row[k + 1..], -factor, &pivot_row[k + 1..]);
            right[i] -= factor * right[k];
        }
    }
    for k in (0..n).rev() {
        let row = &matrix[k * n..][..n];
        right[k] = match row[k] > 0.0 {
            true => (right[k] - dot(&row[k + 1..], &right[k + 1..])) / row[k],
            false => 0.0,
        };
    }
    right
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;

    const BLOCKS: usize = 3;
    const PLANES: usize = 30;

    /// Random planes of 40 weights in turn in each block; the first of each is zero, and two are equal.
    fn quadratic() -> GramQuadratic {
        let mut random = Pcg64Mcg::seed_from_u64(1);
        let mut slopes: Vec<Vec<f64>> =
            (0..PLANES).map(|_| (0..40).map(|_| random.random_range(-1.0..1.0)).collect()).collect();
        slopes[..BLOCKS].fill(vec![0.0; 40]);
        slopes[PLANES - 1] = slopes[PLANES - 1 - BLOCKS].clone();
        let mut quadratic = GramQuadratic::new(BLOCKS);
        for j in 0..PLANES {
            let products: Vec<f64> = slopes[..=j].iter().map(|slope| dot(slope, &slopes[j])).collect();
            quadratic.push(j % BLOCKS, &products);
        }
        quadratic
    }

    fn give_mass(quadratic: &mut GramQuadratic, has_mass: impl Fn(usize) -> bool) {
        let mass: Vec<f64> = (0..PLANES).map(|j| if has_mass(j) { 0.1 } else { 0.0 }).collect();
        quadratic.set_coefficients(&mass);
    }

    /// The Newton step of each plane for the values 0, 1, 2, ….
    fn step(factor: &mut FaceFactor) -> Vec<f64> {
        let planes: Vec<Option<usize>> =
            factor.slots().iter().map(|slot| slot.map(|slot| slot.plane)).collect();
        let values: Vec<f64> = planes.iter().map(|plane| plane.map_or(0.0, |plane| plane as f64)).collect();
        factor.set_target(&values);
        factor.center_target();
        let mut step = vec![0.0; PLANES];
        for (plane, d) in planes.iter().zip(factor.newton_step()) {
            match plane {
                Some(plane) => step[*plane] = d,
                None => assert_eq!(d, 0.0, "an empty slot moves"),
            }
        }
        step
    }

    fn assert_close(one: &[f64], other: &[f64]) {
        let size = one.iter().fold(1.0, |most: f64, d| most.max(d.abs()));
        let far = one.iter().zip(other).any(|(a, b)| (a - b).abs() > 1e-8 * size);
        assert!(!far, "{one:?} is not {other:?}");
    }

    #[test]
    fn the_step_solves_the_face() {
        let mut quadratic = quadratic();
        give_mass(&mut quadratic, |j| j < PLANES - 1);
        let mut factor = FaceFactor::default();
        factor.follow(&quadratic);
        let step = step(&mut factor);
        for block in 0..BLOCKS {
            let mass: f64 = step.iter().skip(block).step_by(BLOCKS).sum();
            assert!(mass.abs() < 1e-8, "block {block} gains {mass}");
            // What is left of the values is the same for all planes of a block.
            let left = |j: usize| j as f64 - dot(quadratic.row(j), &step);
            for j in (block..PLANES - 1).step_by(BLOCKS) {
                assert!((left(j) - left(block)).abs() < 1e-6, "plane {j}: {} for {}", left(j), left(block));
            }
        }
    }

    #[test]
    fn changing_the_face_equals_starting_anew() {
        let mut quadratic = quadratic();
        let mut kept = FaceFactor::default();
        // Some come, some go (few, then many, then all but few), and slots are taken out.
        let faces: [fn(usize) -> bool; 5] =
            [|j| j < 20, |j| j % 7 != 3 && j < 25, |j| j % 5 != 4 && j < 29, |j| j < 6, |j| j > 2 && j < 29];
        for has_mass in faces {
            give_mass(&mut quadratic, has_mass);
            kept.follow(&quadratic);
            let mut fresh = FaceFactor::default();
            fresh.follow(&quadratic);
            assert_close(&step(&mut kept), &step(&mut fresh));
        }
    }

    #[test]
    fn removing_turns_what_was_solved() {
        let mut quadratic = quadratic();
        give_mass(&mut quadratic, |j| j < PLANES - 1);
        let mut factor = FaceFactor::default();
        factor.follow(&quadratic);
        let mut values: Vec<f64> = (0..PLANES - 1).map(|k| (k * k % 17) as f64).collect();
        factor.set_target(&values);
        for slot in [4, 20, 11] {
            factor.remove(slot);
            values[slot] = 0.0;
            let mut turned = factor.clone();
            let mut solved = factor.clone();
            solved.set_target(&values);
            assert_close(&turned.center_target(), &solved.center_target());
            assert_close(&turned.newton_step(), &solved.newton_step());
        }
    }

    #[test]
    fn equal_planes_leave_the_factor_finite() {
        let mut quadratic = quadratic();
        give_mass(&mut quadratic, |_| true);
        let mut factor = FaceFactor::default();
        factor.follow(&quadratic);
        assert!(step(&mut factor).iter().all(|d| d.is_finite()));
    }
}
