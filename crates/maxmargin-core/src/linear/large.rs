//! Vectors of many megabytes that are read at random.
//!
//! The weights of a sparse task are read a few numbers at a time, all over the vector. On pages of 4 KB most such reads
//! must first look up where the page is. Where the system has larger pages on request, they are asked for.

use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes from which large pages are worth the trouble.
const LARGE: usize = 8 << 20;

/// A vector of numbers that stays as long as it was made.
#[derive(Debug)]
pub struct LargeVector(Memory);

#[derive(Debug)]
enum Memory {
    Vector(Vec<f64>),
    /// Of exactly the right length.
    Pages(MmapMut),
}

impl LargeVector {
    /// The zero vector, with memory that is there from the start: what is read a lot before it is written would otherwise
    /// become real page by page, with all threads held up each time.
    pub fn zeros(n: usize) -> Self {
        let mut vector = match Self::pages(n) {
            Some(pages) => Self(Memory::Pages(pages)),
            None => Self(Memory::Vector(vec![0.0; n])),
        };
        vector.fill(0.0);
        vector
    }

    fn pages(n: usize) -> Option<MmapMut> {
        let bytes = n.checked_mul(size_of::<f64>()).filter(|&bytes| bytes >= LARGE)?;
        let pages = MmapMut::map_anon(bytes).ok()?;
        #[cfg(target_os = "linux")]
        pages.advise(memmap2::Advice::HugePage).ok()?;
        Some(pages)
    }
}

impl Default for LargeVector {
    fn default() -> Self {
        Self(Memory::Vector(Vec::new()))
    }
}

impl Deref for LargeVector {
    type Target = [f64];

    #[inline]
    fn deref(&self) -> &[f64] {
        match &self.0 {
            Memory::Vector(vector) => vector,
            Memory::Pages(pages) => bytemuck::cast_slice(pages),
        }
    }
}

impl DerefMut for LargeVector {
    #[inline]
    fn deref_mut(&mut self) -> &mut [f64] {
        match &mut self.0 {
            Memory::Vector(vector) => vector,
            Memory::Pages(pages) => bytemuck::cast_slice_mut(pages),
        }
    }
}

impl Serialize for LargeVector {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for LargeVector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let numbers = Vec::<f64>::deserialize(deserializer)?;
        let mut vector = Self::zeros(numbers.len());
        vector.copy_from_slice(&numbers);
        Ok(vector)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_memory_hold_numbers() {
        for n in [0, 5, LARGE / 8, LARGE / 8 + 3] {
            let mut vector = LargeVector::zeros(n);
            assert_eq!(vector.len(), n);
            assert!(vector.iter().all(|&v| v == 0.0));
            if let Some(last) = vector.last_mut() {
                *last = 2.5;
                let bytes = postcard::to_stdvec(&vector).unwrap();
                let again: LargeVector = postcard::from_bytes(&bytes).unwrap();
                assert_eq!(*again, *vector);
            }
        }
    }
}
