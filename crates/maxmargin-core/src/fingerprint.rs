//! One number that tells two data sets, risks or states apart, the same on every machine and in every version, unlike the standard library's
//! hashes.

use crate::features::Rows;

/// A number that depends on every word that is added, and on their order.
#[derive(Debug, Clone, Default)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// Adds a word.
    pub fn add(&mut self, word: u64) {
        // One round of the SplitMix64 generator, with the word mixed into its state.
        let mut z = (self.0 ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        self.0 = z ^ (z >> 31);
    }

    /// Adds how many words there are, and each of them.
    pub fn add_all(&mut self, words: impl ExactSizeIterator<Item = u64>) {
        self.add(words.len() as u64);
        words.for_each(|word| self.add(word));
    }

    /// Adds every value of some rows.
    pub fn add_rows(&mut self, rows: &Rows) {
        self.add(rows.len() as u64);
        for t in 0..rows.len() {
            self.add(rows.row(t).len() as u64);
            rows.row(t).for_each(|j, value| self.add((j as u64).rotate_left(32) ^ value.to_bits()));
        }
    }

    /// The number.
    pub fn number(&self) -> u64 {
        self.0
    }
}

/// A number that depends on every byte, the same on every machine and in every version.
pub fn fingerprint_of_bytes(bytes: &[u8]) -> u64 {
    let mut fingerprint = Fingerprint(bytes.len() as u64);
    let (words, rest) = bytes.as_chunks::<8>();
    words.iter().for_each(|&word| fingerprint.add(u64::from_le_bytes(word)));
    rest.iter().for_each(|&byte| fingerprint.add(u64::from(byte)));
    fingerprint.0
}
