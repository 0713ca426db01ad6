//! Labels that a maximum flow leaves open, and that can be decided all the same.
//!
//! What is left of the flow's arcs are implications: a literal implies those to which it has an open arc. Any set of
//! literals that is closed under them and has no label twice is as good as the halves.

use super::{ConflictFlow, HALF, OFF, ON};

impl ConflictFlow {
    /// Decides labels that have no wish left but may be set without breaking an implication (2-satisfiability).
    ///
    /// What a literal implies can be set unless its opposite is among it. If each of the two literals of a label implies the
    /// other, so do those of all labels that they imply together with their opposites, and all these remain undecided.
    pub(super) fn choose_freely(&mut self, states: &mut [u8]) {
        let mut search = std::mem::take(&mut self.search);
        search.unseen.fill(0);
        let (torn, _) = search.open.split_at_mut(1);
        let torn = &mut torn[0];
        torn.fill(0);
        for place in (0..self.labels.len()).filter(|&place| states[self.labels[place] as usize] == HALF) {
            for literal in [place, self.off + place] {
                search.unseen[literal / 64] |= 1 << (literal % 64);
            }
        }
        // Halves are allowed; a long search for a way around them is not worth it.
        let mut left = 64 * self.labels.len();
        for place in 0..self.labels.len() {
            let is_torn = torn[place / 64] >> (place % 64) & 1 == 1;
            if is_torn || states[self.labels[place] as usize] != HALF {
                continue;
            }
            for literal in [self.off + place, place] {
                let implied = &mut search.queue;
                let free = self.imply(literal, implied, &mut search.unseen, torn);
                let seen = |unseen: &[u64], l: usize| unseen[l / 64] >> (l % 64) & 1 == 0;
                if free && !seen(&search.unseen, self.mirror(literal)) {
                    for &l in implied.iter() {
                        let l = l as usize;
                        states[self.labels[self.label(l)] as usize] = if l < self.off { ON } else { OFF };
                        let opposite = self.mirror(l);
                        search.unseen[opposite / 64] &= !(1 << (opposite % 64));
                    }
                    break;
                }
                if literal == place && free {
                    for &l in implied.iter().filter(|&&l| seen(&search.unseen, self.mirror(l as usize))) {
                        torn[l as usize / 64] |= 1 << (l % 64);
                    }
                }
                for &l in implied.iter() {
                    search.unseen[l as usize / 64] |= 1 << (l % 64);
                }
                left = left.saturating_sub(implied.len());
            }
            if left == 0 {
                break;
            }
        }
        self.search = search;
    }

    /// All that a literal implies; false, and not all, where something torn is among it.
    fn imply(&self, literal: usize, implied: &mut Vec<u32>, unseen: &mut [u64], torn: &[u64]) -> bool {
        implied.clear();
        implied.push(literal as u32);
        unseen[literal / 64] &= !(1 << (literal % 64));
        let mut next = 0;
        while next < implied.len() {
            for at in self.row(implied[next] as usize) {
                let word = self.words[at] as usize;
                if self.bits[at] & torn[word] != 0 {
                    return false;
                }
                let mut new = self.bits[at] & unseen[word];
                unseen[word] &= !new;
                while new != 0 {
                    implied.push((64 * word) as u32 + new.trailing_zeros());
                    new &= new - 1;
                }
            }
            next += 1;
        }
        true
    }
}
