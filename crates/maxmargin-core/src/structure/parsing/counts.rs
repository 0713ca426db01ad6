//! How often weights occur in a difference of trees: a small table for one inner product, without sorting.
//!
//! All numbers are whole, so that sums are exact in any order.

/// Nothing is at this place of the table.
const FREE: u32 = u32::MAX;

/// A hash table of places and counts, with open addressing; never more than half full.
#[derive(Debug)]
pub(super) struct Counts {
    places: Vec<u32>,
    counts: Vec<f64>,
    used: usize,
}

impl Counts {
    /// Room for so many places, to begin with.
    pub(super) fn new(most: usize) -> Self {
        let size = (most / 2).clamp(32, 1 << 12).next_power_of_two();
        Self { places: vec![FREE; size], counts: vec![0.0; size], used: 0 }
    }

    /// Where a place is in the table, or should be.
    #[inline]
    fn slot(&self, place: u32) -> usize {
        let last = self.places.len() - 1;
        let mut slot = (place.wrapping_mul(0x9e37_79b1) >> 7) as usize & last;
        while self.places[slot] != place && self.places[slot] != FREE {
            slot = (slot + 1) & last;
        }
        slot
    }

    /// Adds to the count of a place, which is less than 2³² − 1.
    #[inline]
    pub(super) fn add(&mut self, place: usize, count: f64) {
        let place = place as u32;
        let slot = self.slot(place);
        self.counts[slot] += count;
        if self.places[slot] == FREE {
            self.places[slot] = place;
            self.used += 1;
            if 2 * self.used > self.places.len() {
                self.grow();
            }
        }
    }

    #[cold]
    fn grow(&mut self) {
        let size = 2 * self.places.len();
        let places = std::mem::replace(&mut self.places, vec![FREE; size]);
        let counts = std::mem::replace(&mut self.counts, vec![0.0; size]);
        self.used = 0;
        for (place, count) in places.into_iter().zip(counts).filter(|(place, _)| *place != FREE) {
            self.add(place as usize, count);
        }
    }

    /// The count of a place.
    #[inline]
    pub(super) fn of(&self, place: usize) -> f64 {
        // What is free counts 0.
        self.counts[self.slot(place as u32)]
    }

    /// The sum of the squares of all counts.
    pub(super) fn squares(&self) -> f64 {
        self.counts.iter().map(|count| count * count).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_added_is_there() {
        let mut counts = Counts::new(0);
        let mut expected = std::collections::BTreeMap::new();
        for i in 0..5000_usize {
            let (place, count) = (i.wrapping_mul(2_654_435_761) % 1717, if i % 3 == 0 { -1.0 } else { 1.0 });
            counts.add(place, count);
            *expected.entry(place).or_insert(0.0) += count;
        }
        for place in 0..1717 {
            assert_eq!(counts.of(place), expected.get(&place).copied().unwrap_or(0.0), "{place}");
        }
        assert_eq!(counts.of(4000), 0.0);
        assert_eq!(counts.squares(), expected.values().map(|count: &f64| count * count).sum::<f64>());
    }
}
