//! Margin rescaling: ψ(h, g) = h + g, with h the margin error and g the task loss (Taskar 2003, Tsochantaridis 2005).

/// ψ(h, g) = h + g.
#[derive(Debug, Clone, Copy, Default)]
pub struct MarginRescaling;

impl MarginRescaling {
    /// The name on the command line and in model files.
    pub const NAME: &str = "margin";

    /// ψ(h, g).
    pub fn value(self, h: f64, g: f64) -> f64 {
        h + g
    }
}
