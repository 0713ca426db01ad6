//! One number that tells two data sets apart.

use super::Dataset;

/// A hash that is the same on every machine and in every version, unlike the standard library's.
struct Mixer(u64);

impl Mixer {
    fn add(&mut self, word: u64) {
        // One round of the SplitMix64 generator, with the word mixed into its state.
        let mut z = (self.0 ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        self.0 = z ^ (z >> 31);
    }

    fn add_all(&mut self, words: impl ExactSizeIterator<Item = u64>) {
        self.add(words.len() as u64);
        words.for_each(|word| self.add(word));
    }
}

impl Dataset {
    /// A number that depends on every feature, label and weight, and on the order of the examples.
    ///
    /// ```
    /// use maxmargin::data::{Noise, word_images};
    /// let words = word_images(5, Noise::default(), 1);
    /// assert_eq!(words.data.fingerprint(), word_images(5, Noise::default(), 1).data.fingerprint());
    /// assert_ne!(words.data.fingerprint(), word_images(5, Noise::default(), 2).data.fingerprint());
    /// ```
    pub fn fingerprint(&self) -> u64 {
        let mut mixer = Mixer(0);
        mixer.add(self.features.columns() as u64);
        mixer.add(self.len() as u64);
        for i in 0..self.len() {
            let input = self.input(i);
            mixer.add(input.len() as u64);
            for t in 0..input.len() {
                mixer.add(input.row(t).len() as u64);
                input.row(t).for_each(|j, value| mixer.add((j as u64).rotate_left(32) ^ value.to_bits()));
            }
            mixer.add_all(self.labels_of(i).iter().map(|&label| u64::from(label)));
            mixer.add(self.weight(i).to_bits());
            // What only graphs have comes only with them: other data keeps its number.
            if let Some(edges) = &self.edges {
                let ends = edges[self.range(i)]
                    .iter()
                    .map(|edge| (u64::from(edge.left) << 32) | u64::from(edge.right));
                mixer.add_all(ends);
            }
        }
        mixer.0
    }
}

/// A number that depends on every byte, the same on every machine and in every version.
pub fn fingerprint_of_bytes(bytes: &[u8]) -> u64 {
    let mut mixer = Mixer(bytes.len() as u64);
    let (words, rest) = bytes.as_chunks::<8>();
    words.iter().for_each(|&word| mixer.add(u64::from_le_bytes(word)));
    rest.iter().for_each(|&byte| mixer.add(u64::from(byte)));
    mixer.0
}
