//! Labels as rows of numbers.

/// A label that can be written as a row of numbers and read back: the form in which solvers keep labels between passes
/// and in checkpoints.
///
/// ```
/// use maxmargin_core::structure::Coded;
/// let mut code = Vec::new();
/// vec![3u32, 1].encode(&mut code);
/// let mut label: Vec<u32> = Vec::new();
/// assert!(label.decode(&code));
/// assert_eq!(label, [3, 1]);
/// ```
pub trait Coded: Default {
    /// Appends the numbers that stand for this label.
    fn encode(&self, code: &mut Vec<u32>);
    /// Makes this label the one that `code` stands for. Returns false for a code that stands for none; the label may then be any.
    ///
    /// Codes come from files too: whether a label fits an input is for [`Structure::check`](super::Structure::check) to say, but
    /// no code may make this panic.
    fn decode(&mut self, code: &[u32]) -> bool;
}

impl Coded for u32 {
    fn encode(&self, code: &mut Vec<u32>) {
        code.push(*self);
    }

    fn decode(&mut self, code: &[u32]) -> bool {
        let &[label] = code else { return false };
        *self = label;
        true
    }
}

impl Coded for Vec<u32> {
    fn encode(&self, code: &mut Vec<u32>) {
        code.extend_from_slice(self);
    }

    fn decode(&mut self, code: &[u32]) -> bool {
        self.clear();
        self.extend_from_slice(code);
        true
    }
}
