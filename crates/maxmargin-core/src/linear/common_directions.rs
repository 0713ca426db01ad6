//! Directions that the slopes of all examples share.

/// A few orthonormal directions q_k of the weights along which the slopes of all examples are long and alike: constant
/// features in disguise.
///
/// Examples meet there: a solver that goes from one to the next has each undo a part of what the last one did. One that
/// knows the directions can treat them apart.
pub trait CommonDirections: Sync {
    /// How many there are.
    fn count(&self) -> usize;

    /// Writes ⟨q_k, w⟩ for each k.
    fn parts_of(&self, w: &[f64], parts: &mut [f64]);

    /// w += Σ_k parts_k q_k.
    fn add_to(&self, parts: &[f64], w: &mut [f64]);
}
