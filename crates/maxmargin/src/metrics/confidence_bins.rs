//! How often parts of predictions are right, by how sure they are.

/// Parts of predictions that are about equally sure: positions of a sequence, members of a set, links.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConfidenceBin {
    /// The least of their confidences.
    pub least: f64,
    /// The one in the middle.
    pub median: f64,
    /// The largest.
    pub most: f64,
    /// How many there are.
    pub parts: usize,
    /// Those that are right.
    pub right: usize,
}

impl ConfidenceBin {
    /// The share that is right.
    pub fn precision(&self) -> f64 {
        super::share(self.right, self.parts)
    }

    /// So many bins of about equally many parts, the least sure ones first: each part is its confidence, and whether it is right.
    /// Equal confidences are in one bin, so that there may be fewer bins.
    ///
    /// ```
    /// use maxmargin::metrics::ConfidenceBin;
    /// let bins = ConfidenceBin::of(vec![(0.5, false), (3.0, true), (0.1, false), (2.0, true), (2.0, true)], 2);
    /// assert_eq!(bins.iter().map(|bin| (bin.parts, bin.precision())).collect::<Vec<_>>(), [(4, 0.5), (1, 1.0)]);
    /// ```
    pub fn of(mut parts: Vec<(f64, bool)>, bins: usize) -> Vec<Self> {
        parts.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut found, mut start) = (Vec::new(), 0);
        for bin in 1..=bins {
            let mut end = (parts.len() * bin).div_ceil(bins).max(start);
            while start < end && end < parts.len() && parts[end].0 == parts[end - 1].0 {
                end += 1;
            }
            if let [(least, _), .., (most, _)] | [(least @ most, _)] = parts[start..end] {
                let bin = &parts[start..end];
                let right = bin.iter().filter(|(_, right)| *right).count();
                found.push(Self { least, median: bin[bin.len() / 2].0, most, parts: bin.len(), right });
            }
            start = end;
        }
        found
    }
}
