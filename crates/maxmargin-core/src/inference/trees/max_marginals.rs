//! For each arc the best projective tree that has it: values of spans from the inside and from the outside, in O(n³).

use super::{ArcTable, ProjectiveTable, Roots};

/// What the best tree without crossing arcs is worth that has an arc, for each arc.
pub fn projective_max_marginals(arcs: &ArcTable, roots: Roots) -> ArcTable {
    let mut inside = ProjectiveTable::default();
    inside.fill(arcs, roots);
    inside.max_marginals(arcs, roots)
}

/// Values from the outside, of spans s … t at `s · size + t`.
struct Outside {
    size: usize,
    right: Vec<f64>,
    left: Vec<f64>,
    open_right: Vec<f64>,
    open_left: Vec<f64>,
}

impl Outside {
    fn raise(row: &mut [f64], place: usize, value: f64) {
        row[place] = row[place].max(value);
    }
}

impl ProjectiveTable {
    fn max_marginals(&self, arcs: &ArcTable, roots: Roots) -> ArcTable {
        let words = arcs.words();
        let mut best = ArcTable::default();
        best.reset(words, f64::NEG_INFINITY);
        if words == 0 {
            return best;
        }
        let (size, last) = (words + 1, words);
        let row = || vec![f64::NEG_INFINITY; size * size];
        let mut outside = Outside { size, right: row(), left: row(), open_right: row(), open_left: row() };
        match roots {
            Roots::Any => outside.right[last] = 0.0,
            Roots::One => {
                for word in 1..=words {
                    let (left, right) = (self.complete_left(1, word), self.complete_right(word, last));
                    *best.value_mut(0, word) = arcs.value(0, word) + left + right;
                    Outside::raise(&mut outside.right, word * size + last, arcs.value(0, word) + left);
                    Outside::raise(&mut outside.left, size + word, arcs.value(0, word) + right);
                }
            }
        }
        let first = usize::from(roots == Roots::One);
        for width in (1..size - first).rev() {
            for s in first..size - width {
                self.leave_complete(&mut outside, s, s + width);
                self.leave_open(&mut outside, arcs, &mut best, s, s + width);
            }
        }
        best
    }

    /// From complete spans to what they are made of. Open spans of the same width come after.
    fn leave_complete(&self, outside: &mut Outside, s: usize, t: usize) {
        let size = outside.size;
        let value = outside.right[s * size + t];
        for q in s + 1..=t {
            Outside::raise(&mut outside.open_right, s * size + q, value + self.complete_right(q, t));
            Outside::raise(&mut outside.right, q * size + t, value + self.open_right_value(s, q));
        }
        let value = outside.left[s * size + t];
        for q in s..t {
            Outside::raise(&mut outside.open_left, q * size + t, value + self.complete_left(s, q));
            Outside::raise(&mut outside.left, s * size + q, value + self.open_left_value(q, t));
        }
    }

    /// From open spans to the two complete ones within, and to their arcs.
    fn leave_open(&self, outside: &mut Outside, arcs: &ArcTable, best: &mut ArcTable, s: usize, t: usize) {
        let size = outside.size;
        let mut value = f64::NEG_INFINITY;
        let (right, left) = (outside.open_right[s * size + t], outside.open_left[s * size + t]);
        *best.value_mut(s, t) = best.value(s, t).max(right + self.open_right_value(s, t));
        value = value.max(right + arcs.value(s, t));
        if s > 0 {
            *best.value_mut(t, s) = best.value(t, s).max(left + self.open_left_value(s, t));
            value = value.max(left + arcs.value(t, s));
        }
        for q in s..t {
            Outside::raise(&mut outside.right, s * size + q, value + self.complete_left(q + 1, t));
            Outside::raise(&mut outside.left, (q + 1) * size + t, value + self.complete_right(s, q));
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_pcg::Pcg64Mcg;

    use super::super::listed::{random_table, trees};
    use super::*;

    #[test]
    fn each_arc_has_its_best_tree() {
        let mut random = Pcg64Mcg::seed_from_u64(3);
        for round in 0..200 {
            let words = round % 6;
            let arcs = random_table(words, &mut random);
            for roots in [Roots::Any, Roots::One] {
                let all = trees(words, roots, true);
                let found = projective_max_marginals(&arcs, roots);
                for word in 1..=words {
                    for head in (0..=words).filter(|&head| head != word) {
                        let with = all.iter().filter(|tree| tree[word - 1] as usize == head);
                        let best = with.map(|tree| arcs.value_of(tree)).fold(f64::NEG_INFINITY, f64::max);
                        assert_eq!(found.value(head, word), best, "{head} → {word} of {arcs:?}");
                    }
                }
            }
        }
    }
}
