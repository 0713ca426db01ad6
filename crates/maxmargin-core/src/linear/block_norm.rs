//! A norm that shares its strength between blocks of weights, in the place of the Euclidean one.

/// ‖w‖² = min_{α∈A} Σ_n ‖w_n‖²/α_n over blocks n of the weights, where A is convex and within [0, 1] in each coordinate.
///
/// The objective λ/2 ‖w‖² + R(w) is then convex in w, as that in (w, α) is. Its bound from a plane R(w) ≥ ⟨a, w⟩ + b is
/// b − 1/(2λ) · max_{α∈A} Σ_n α_n ‖a_n‖². What it says of itself is part of the certificate.
pub trait BlockNorm: Send + Sync {
    /// The number of blocks.
    fn blocks(&self) -> usize;

    /// Adds Σ x_i y_i over each block.
    fn add_products(&self, x: &[f64], y: &[f64], sums: &mut [f64]);

    /// Multiplies the numbers of each block by its factor.
    fn scale(&self, factors: &[f64], x: &mut [f64]);

    /// An α of A for which Σ squares_n/α_n is least, up to little, and no less than that least sum.
    fn best(&self, squares: &[f64]) -> (Vec<f64>, f64);

    /// No less than max_{α∈A} Σ α_n values_n.
    fn largest(&self, values: &[f64]) -> f64;
}

/// Σ x_i² over each block, none of them too small.
pub(crate) fn block_squares(norm: &dyn BlockNorm, x: &[f64]) -> Vec<f64> {
    let mut squares = vec![0.0; norm.blocks()];
    norm.add_products(x, x, &mut squares);
    // Squares of the smallest numbers are lost; none is larger than this.
    let lost = x.len() as f64 * f64::MIN_POSITIVE;
    squares.iter_mut().for_each(|square| *square = super::round_up(*square + lost, x.len() as f64));
    squares
}

/// So that a block that has lost its weight can have it again, something is added to the squares of all: this share of the relative gap,
/// squared, of their mean. Norms that are summed on the way to a leaf then grow by about that share of the gap.
const FLOOR: f64 = 0.03;

/// The α that are best for weights with these squares in each block, none of them 0, where the relative gap is still this.
pub(crate) fn followed_alpha(norm: &dyn BlockNorm, squares: &[f64], gap: f64) -> Vec<f64> {
    // As long as no primal value is finite there is no gap yet.
    let gap = if gap.is_nan() { 1.0 } else { gap.clamp(1e-6, 1.0) };
    let share = (FLOOR * gap).powi(2);
    let floor = share * squares.iter().sum::<f64>() / squares.len().max(1) as f64 + f64::MIN_POSITIVE;
    norm.best(&squares.iter().map(|square| square + floor).collect::<Vec<_>>()).0
}
