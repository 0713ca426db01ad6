//! Labels as rows of numbers.

/// A label that can be written as a row of numbers and read back: the form in which solvers keep labels between passes
/// and in checkpoints.
///
/// ```
/// use maxmargin_core::structure::Coded;
/// let mut code = Vec::new();
/// vec![3, 1].encode(&mut code);
/// let mut label = Vec::new();
/// label.decode(&code);
/// assert_eq!(label, [3, 1]);
/// ```
pub trait Coded: Default {
    /// Appends the numbers that stand for this label.
    fn encode(&self, code: &mut Vec<u32>);
    /// Makes this label the one that `code` stands for.
    fn decode(&mut self, code: &[u32]);
}

impl Coded for u32 {
    fn encode(&self, code: &mut Vec<u32>) {
        code.push(*self);
    }

    fn decode(&mut self, code: &[u32]) {
        *self = code[0];
    }
}

impl Coded for Vec<u32> {
    fn encode(&self, code: &mut Vec<u32>) {
        code.extend_from_slice(self);
    }

    fn decode(&mut self, code: &[u32]) {
        self.clear();
        self.extend_from_slice(code);
    }
}
