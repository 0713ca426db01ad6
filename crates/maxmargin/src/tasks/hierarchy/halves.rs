//! Points in a space that is halved again and again: the unbalanced synthetic data of THESIS 6.8.1.
//!
//! A random hyperplane divides the space, another one half of it, and so on, always the half that is left: a tree that grows in one
//! direction only. A point belongs to the leaf in whose part it lies.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::HierarchyExamples;
use crate::data::{Alphabet, Attributes, FeatureMatrix, Vocabulary};
use crate::error::Result;
use crate::inference::Hierarchy;

/// How such data is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Halves {
    /// The dimension of the space.
    pub dimension: usize,
    /// How often it is divided: there is one leaf more.
    pub depth: usize,
    /// How often each inner node is there, one below the other.
    pub copies: usize,
    /// The seed of the hyperplanes.
    pub seed: u64,
}

impl Halves {
    /// Points of length 1, made with a seed of their own, and the names of the nodes.
    ///
    /// ```
    /// use maxmargin::data::TaskData;
    /// use maxmargin::tasks::hierarchy::Halves;
    /// let halves = Halves { dimension: 5, depth: 3, copies: 1, seed: 1 };
    /// let (data, names) = halves.points(10, 2)?;
    /// assert_eq!((data.len(), names.labels.len()), (10, 6));
    /// # Ok::<(), maxmargin::Error>(())
    /// ```
    pub fn points(&self, count: usize, seed: u64) -> Result<(HierarchyExamples, Vocabulary)> {
        let mut random = Pcg64Mcg::seed_from_u64(self.seed);
        let planes: Vec<Vec<f64>> = (0..self.depth).map(|_| direction(self.dimension, &mut random)).collect();
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let points: Vec<Vec<f64>> = (0..count).map(|_| direction(self.dimension, &mut random)).collect();
        let side =
            |plane: &Vec<f64>, point: &[f64]| plane.iter().zip(point).map(|(a, b)| a * b).sum::<f64>() >= 0.0;
        let (parents, leaves, names) = self.tree();
        let leaf = |point: &Vec<f64>| {
            let level = planes.iter().position(|plane| side(plane, point)).unwrap_or(self.depth);
            [leaves[level]]
        };
        let labels: Vec<[u32; 1]> = points.iter().map(leaf).collect();
        let hierarchy = Hierarchy::forest(&parents)?;
        let data = HierarchyExamples::from_sets(FeatureMatrix::from_dense(&points), &labels, hierarchy)?;
        Ok((data, Vocabulary { labels: names, attributes: Attributes::Numbered(self.dimension) }))
    }

    /// The parents of nodes, the leaves from the top down, and names.
    fn tree(&self) -> (Vec<Option<u32>>, Vec<u32>, Alphabet) {
        let (mut parents, mut leaves, mut names) = (Vec::new(), Vec::new(), Alphabet::default());
        let mut above = None;
        for level in 1..=self.depth {
            leaves.push(parents.len() as u32);
            parents.push(above);
            names.add(&format!("part {level}"));
            if level < self.depth {
                for copy in 1..=self.copies {
                    names.add(&match copy {
                        1 => format!("rest {level}"),
                        copy => format!("rest {level}, copy {copy}"),
                    });
                    parents.push(above);
                    above = Some(parents.len() as u32 - 1);
                }
            }
        }
        leaves.push(parents.len() as u32);
        parents.push(above);
        names.add(&format!("part {}", self.depth + 1));
        (parents, leaves, names)
    }
}

/// A random vector of length 1, in any direction alike.
fn direction(dimension: usize, random: &mut Pcg64Mcg) -> Vec<f64> {
    // Sums of twelve uniform numbers are near enough to normal ones.
    let mut normal = || (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
    let vector: Vec<f64> = (0..dimension).map(|_| normal()).collect();
    let length = vector.iter().map(|value| value * value).sum::<f64>().sqrt();
    vector.iter().map(|value| value / length).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::TaskData;

    #[test]
    fn each_part_has_half_of_what_is_left() {
        let halves = Halves { dimension: 10, depth: 4, copies: 1, seed: 3 };
        let (data, names) = halves.points(4000, 4).unwrap();
        assert_eq!(names.labels.len(), 8);
        let count = |name: &str| {
            let node = names.labels.get(name).unwrap();
            (0..data.len()).filter(|&i| data.nodes_of(i).contains(&node)).count()
        };
        for (name, share) in [("part 1", 0.5), ("rest 1", 0.5), ("rest 2", 0.25), ("part 2", 0.25)] {
            assert!((count(name) as f64 / 4000.0 - share).abs() < 0.13, "{name}: {}", count(name));
        }
        assert_eq!(count("part 4") + count("part 5"), count("rest 3"));
        // Copies are below each other, and have the same examples.
        let (data, names) = Halves { copies: 3, ..halves }.points(100, 4).unwrap();
        assert_eq!(names.labels.len(), 5 + 3 * 3);
        let nodes = |name: &str| names.labels.get(name).unwrap();
        for i in 0..data.len() {
            let of = data.nodes_of(i);
            assert_eq!(of.contains(&nodes("rest 2")), of.contains(&nodes("rest 2, copy 3")));
        }
    }
}
