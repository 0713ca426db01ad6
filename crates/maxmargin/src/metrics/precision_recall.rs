//! The area under the precision-recall curve, as CLUS counts it.
//!
//! Each threshold makes a point of the curve: what scores at least as much is predicted. Between two points the number of wrong
//! predictions rises linearly with that of right ones, so that precision does not (J. Davis, M. Goadrich. The relationship between
//! precision-recall and ROC curves. 2006): there is a point for each whole number of right ones, and straight lines between these.
//! From recall 0 to the first point precision is that of the first point.
//!
//! With several labels there are three areas (C. Vens and others. Decision trees for hierarchical multi-label classification. 2008):
//! `AU(PRC)` with a line above PRC pools the predictions of all labels into one curve; the other two are means over the areas of
//! labels, all alike or by how many examples have each. Labels that no example has count nowhere.

/// The three areas of several labels.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PrecisionRecallAreas {
    /// Of all predictions together.
    pub pooled: f64,
    /// The mean over labels.
    pub average: f64,
    /// The mean over labels, each as often as examples have it.
    pub weighted: f64,
}

impl PrecisionRecallAreas {
    /// From the scores of each label for all examples, and whether these have it.
    ///
    /// ```
    /// use maxmargin::metrics::PrecisionRecallAreas;
    /// let first = vec![(0.9, true), (0.2, false)];
    /// let second = vec![(0.8, false), (0.7, true)];
    /// let areas = PrecisionRecallAreas::of([first, second]);
    /// assert_eq!((areas.average, areas.weighted), (0.625, 0.625));
    /// assert!(areas.pooled > 0.6);
    /// ```
    pub fn of(labels: impl IntoIterator<Item = Vec<(f64, bool)>>) -> Self {
        let (mut pooled, mut labels_with_any, mut right) = (Vec::new(), 0usize, 0usize);
        let (mut average, mut weighted) = (0.0, 0.0);
        for mut label in labels {
            let positive = label.iter().filter(|pair| pair.1).count();
            if positive == 0 {
                continue;
            }
            let area = precision_recall_area(&mut label);
            labels_with_any += 1;
            right += positive;
            average += area;
            weighted += area * positive as f64;
            pooled.append(&mut label);
        }
        Self {
            pooled: precision_recall_area(&mut pooled),
            average: super::mean(average, labels_with_any),
            weighted: super::mean(weighted, right),
        }
    }
}

/// The area under the curve of these scores, each with whether it is of what should be predicted; they are sorted by it. 0 where
/// nothing should be. Scores are no NaN.
pub fn precision_recall_area(scores: &mut [(f64, bool)]) -> f64 {
    let positive = scores.iter().filter(|pair| pair.1).count();
    if positive == 0 {
        return 0.0;
    }
    scores.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    let (mut right, mut wrong, mut area) = (0usize, 0usize, 0.0);
    let mut before: Option<(usize, usize)> = None;
    for same in scores.chunk_by(|a, b| a.0 == b.0) {
        let found = same.iter().filter(|pair| pair.1).count();
        right += found;
        wrong += same.len() - found;
        let precision = |right: f64, wrong: f64| right / (right + wrong);
        match before {
            None => area += right as f64 * precision(right as f64, wrong as f64),
            Some((from, from_wrong)) => {
                let rise = (wrong - from_wrong) as f64 / (right - from).max(1) as f64;
                let at = |step: usize| {
                    let steps = (step - from) as f64;
                    precision(step as f64, from_wrong as f64 + rise * steps)
                };
                let mut last = precision(from as f64, from_wrong as f64);
                for step in from + 1..=right {
                    let next = at(step);
                    area += 0.5 * (last + next);
                    last = next;
                }
            }
        }
        before = Some((right, wrong));
    }
    area / positive as f64
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;

    /// The same from the words above: all thresholds, all points, each counted anew.
    fn slowly(scores: &[(f64, bool)]) -> f64 {
        let positive = scores.iter().filter(|pair| pair.1).count() as f64;
        let mut thresholds: Vec<f64> = scores.iter().map(|pair| pair.0).collect();
        thresholds.sort_by(|a, b| b.total_cmp(a));
        thresholds.dedup();
        let counts: Vec<(usize, usize)> = thresholds
            .iter()
            .map(|&threshold| {
                let predicted = || scores.iter().filter(|pair| pair.0 >= threshold);
                (predicted().filter(|pair| pair.1).count(), predicted().filter(|pair| !pair.1).count())
            })
            .collect();
        let mut points = vec![(0.0, counts[0].0 as f64 / (counts[0].0 + counts[0].1) as f64)];
        points.push((counts[0].0 as f64 / positive, points[0].1));
        for pair in counts.windows(2) {
            let ((a, a_wrong), (b, b_wrong)) = (pair[0], pair[1]);
            for right in a + 1..b {
                let share = (right - a) as f64 / (b - a) as f64;
                let wrong = a_wrong as f64 + share * (b_wrong as f64 - a_wrong as f64);
                points.push((right as f64 / positive, right as f64 / (right as f64 + wrong)));
            }
            points.push((b as f64 / positive, b as f64 / (b + b_wrong) as f64));
        }
        points.windows(2).map(|pair| 0.5 * (pair[0].1 + pair[1].1) * (pair[1].0 - pair[0].0)).sum()
    }

    #[test]
    fn areas_are_those_of_the_definition() {
        let mut random = Pcg64Mcg::seed_from_u64(1);
        for round in 0..2000 {
            let (size, levels) = (random.random_range(1..30), random.random_range(1..12));
            let mut scores: Vec<(f64, bool)> = (0..size)
                .map(|_| (f64::from(random.random_range(0..levels)), random.random_bool(0.4)))
                .collect();
            let has_any = scores.iter().any(|pair| pair.1);
            let expected = if has_any { slowly(&scores) } else { 0.0 };
            let found = precision_recall_area(&mut scores);
            assert!((found - expected).abs() < 1e-12, "round {round}: {found} {expected} {scores:?}");
        }
    }

    #[test]
    fn curves_by_hand() {
        assert_eq!(precision_recall_area(&mut [(2.0, true), (1.0, true), (0.0, false)]), 1.0);
        // All alike: precision is the share of what is right, everywhere.
        assert_eq!(precision_recall_area(&mut [(1.0, true), (1.0, false), (1.0, false), (1.0, false)]), 0.25);
        // (0 right, 1 wrong), then (1, 1): from precision 0 to 1/2.
        assert_eq!(precision_recall_area(&mut [(2.0, false), (1.0, true)]), 0.25);
        assert_eq!(precision_recall_area(&mut [(2.0, false)]), 0.0);
    }

    #[test]
    fn labels_are_pooled_and_averaged() {
        let mut random = Pcg64Mcg::seed_from_u64(2);
        for round in 0..200 {
            let labels: Vec<Vec<(f64, bool)>> = (0..5)
                .map(|_| {
                    (0..8).map(|_| (f64::from(random.random_range(0..6)), random.random_bool(0.2))).collect()
                })
                .collect();
            let used: Vec<&Vec<(f64, bool)>> =
                labels.iter().filter(|label| label.iter().any(|pair| pair.1)).collect();
            if used.is_empty() {
                continue;
            }
            let found = PrecisionRecallAreas::of(labels.clone());
            let count = |label: &[(f64, bool)]| label.iter().filter(|pair| pair.1).count() as f64;
            let all: Vec<(f64, bool)> = used.iter().flat_map(|label| label.iter().copied()).collect();
            let average = used.iter().map(|label| slowly(label)).sum::<f64>() / used.len() as f64;
            let weighted = used.iter().map(|label| slowly(label) * count(label)).sum::<f64>() / count(&all);
            for (found, expected) in
                [(found.pooled, slowly(&all)), (found.average, average), (found.weighted, weighted)]
            {
                assert!((found - expected).abs() < 1e-12, "round {round}: {found} {expected}");
            }
        }
        assert_eq!(PrecisionRecallAreas::of([vec![(1.0, false)]]), PrecisionRecallAreas::default());
    }
}
