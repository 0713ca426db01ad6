//! Names and their numbers: labels and attributes are strings in files and numbers everywhere else.
//!
//! All names lie in one buffer and the table holds only numbers, so a million attributes cost little more than their text. In
//! the buffer a line feed follows each name, as in a file of names, so that such a file is taken over as it is.

use std::hash::Hasher;
use std::hint::black_box;
use std::ops::Range;

use rustc_hash::FxHasher;

/// A set of names numbered from 0 in the order in which they were added.
///
/// ```
/// use maxmargin::data::Alphabet;
/// let mut names = Alphabet::default();
/// assert_eq!(names.add("B-NP"), 0);
/// assert_eq!(names.add("O"), 1);
/// assert_eq!(names.add("B-NP"), 0);
/// assert_eq!(names.get("I-NP"), None);
/// assert_eq!(names.name(1), "O");
/// ```
#[derive(Debug, Clone, Default)]
pub struct Alphabet {
    text: String,
    ends: Vec<usize>,
    /// Open addressing with linear probing; 0 is an empty slot, otherwise number + 1. A power of two in length.
    slots: Vec<u32>,
}

impl Alphabet {
    /// The number of names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no name yet.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The name with this number.
    ///
    /// # Panics
    ///
    /// When there is none, as a slice does.
    pub fn name(&self, number: u32) -> &str {
        &self.text[self.place(number)]
    }

    /// Where the name with this number is in the text.
    #[inline]
    fn place(&self, number: u32) -> Range<usize> {
        let number = number as usize;
        let start = if number == 0 { 0 } else { self.ends[number - 1] + 1 };
        start..self.ends[number]
    }

    /// All names in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|i| self.name(i as u32))
    }

    /// The number of a name, if it is known.
    pub fn get(&self, name: &str) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        match self.slots[self.find(name)] {
            0 => None,
            number => Some(number - 1),
        }
    }

    /// The numbers of several names, those that are known. Before they are compared, the memory of all of them is touched: each is
    /// far from the one before, and the processor then waits for many at once.
    pub(crate) fn get_each<'a>(
        &self,
        names: impl Iterator<Item = &'a str> + Clone,
        mut visit: impl FnMut(usize, u32),
        guesses: &mut Vec<u32>,
    ) {
        if self.slots.is_empty() {
            return;
        }
        let mask = self.slots.len() - 1;
        guesses.clear();
        guesses.extend(names.clone().map(|name| self.slots[hash(name.as_bytes()) & mask]));
        let text = self.text.as_bytes();
        black_box(guesses.iter().fold(0, |sum, &guess| sum ^ text[self.ends[guess.max(1) as usize - 1]]));
        for (i, (name, &guess)) in names.zip(&*guesses).enumerate() {
            if guess == 0 {
                continue;
            }
            let is_it = text[self.place(guess - 1)] == *name.as_bytes();
            if let Some(number) = if is_it { Some(guess - 1) } else { self.get(name) } {
                visit(i, number);
            }
        }
    }

    /// The number of a name, which is added when it is new.
    pub fn add(&mut self, name: &str) -> u32 {
        if (self.len() + 1) * 8 > self.slots.len() * 5 {
            self.make_table((self.slots.len() * 2).max(16));
        }
        let slot = self.find(name);
        if self.slots[slot] == 0 {
            self.text.push_str(name);
            self.ends.push(self.text.len());
            self.text.push('\n');
            self.slots[slot] = self.ends.len() as u32;
        }
        self.slots[slot] - 1
    }

    /// The names in a text, one a line, the last one without a line feed; an empty text is one empty name. There should be about
    /// so many. None where a name comes twice.
    pub(crate) fn from_lines(mut text: String, count: usize) -> Option<Self> {
        text.push('\n');
        let mut ends = Vec::with_capacity(count.min(text.len()));
        ends.extend(memchr::memchr_iter(b'\n', text.as_bytes()));
        let slots = (ends.len() * 8 / 5 + 1).next_power_of_two().max(16);
        let mut names = Self { text, ends, slots: Vec::new() };
        names.make_table(slots).then_some(names)
    }

    /// The names as [`from_lines`](Self::from_lines) takes them; wrong where a name has a line feed in it.
    pub(crate) fn lines(&self) -> &str {
        self.text.strip_suffix('\n').unwrap_or_default()
    }

    /// The order of numbers that sorts the names: by value when all are numbers (equal ones alphabetically), else
    /// alphabetically. It does not depend on the order in which the names were added.
    pub fn sorted_order(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        let numbers: Option<Vec<f64>> = self.iter().map(|name| name.parse().ok()).collect();
        match numbers {
            Some(values) => order.sort_by(|&a, &b| {
                let by_value = values[a as usize].total_cmp(&values[b as usize]);
                by_value.then_with(|| self.name(a).cmp(self.name(b)))
            }),
            None => order.sort_by(|&a, &b| self.name(a).cmp(self.name(b))),
        }
        order
    }

    /// The bytes that the names and their table hold in memory.
    pub fn bytes(&self) -> usize {
        self.text.len() + 8 * self.ends.len() + 4 * self.slots.len()
    }

    /// The slot where `name` is or would go.
    fn find(&self, name: &str) -> usize {
        let (text, name) = (self.text.as_bytes(), name.as_bytes());
        let mask = self.slots.len() - 1;
        let mut slot = hash(name) & mask;
        while self.slots[slot] != 0 && text[self.place(self.slots[slot] - 1)] != *name {
            slot = (slot + 1) & mask;
        }
        slot
    }

    /// Enters all names into a table with this many slots; whether they all differ.
    fn make_table(&mut self, slots: usize) -> bool {
        self.slots.clear();
        self.slots.resize(slots, 0);
        let mut differ = true;
        for number in 0..self.len() as u32 {
            let slot = self.find(self.name(number));
            differ &= self.slots[slot] == 0;
            self.slots[slot] = number + 1;
        }
        differ
    }
}

fn hash(name: &[u8]) -> usize {
    let mut hasher = FxHasher::default();
    hasher.write(name);
    // Fx leaves its entropy in the high bits.
    (hasher.finish() as usize).rotate_left(26)
}

impl<'a> FromIterator<&'a str> for Alphabet {
    fn from_iter<I: IntoIterator<Item = &'a str>>(names: I) -> Self {
        let mut alphabet = Alphabet::default();
        for name in names {
            alphabet.add(name);
        }
        alphabet
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_thousands_of_names_apart() {
        let mut names = Alphabet::default();
        for i in 0..5000 {
            assert_eq!(names.add(&format!("w[{i}]=x")), i);
        }
        for i in 0..5000 {
            assert_eq!(names.get(&format!("w[{i}]=x")), Some(i));
        }
        assert_eq!(names.get(""), None);
        assert_eq!(names.add(""), 5000);
        assert_eq!(names.name(5000), "");
    }

    #[test]
    fn lines_are_taken_over() {
        for lines in ["", "a", "a\n\nb=é\n0", "\n1"] {
            let mut names = Alphabet::from_lines(lines.to_owned(), 2).unwrap();
            assert!(names.iter().eq(lines.split('\n')));
            assert!(names.iter().enumerate().all(|(i, name)| names.get(name) == Some(i as u32)), "{lines:?}");
            assert_eq!(names.lines(), lines);
            let mut known = Vec::new();
            let asked = ["?", "0", "a", "", "b=é"];
            names.get_each(asked.into_iter(), |i, number| known.push((asked[i], number)), &mut vec![7]);
            let expected = asked.iter().filter_map(|&name| Some((name, names.get(name)?)));
            assert!(known.iter().copied().eq(expected), "{known:?}");
            let count = names.len() as u32;
            assert_eq!((names.add("new"), names.name(count)), (count, "new"));
        }
        assert!(
            ["\n", "a\nb\na"].map(|lines| Alphabet::from_lines(lines.to_owned(), 2).is_none()) == [true; 2]
        );
    }

    #[test]
    fn numbers_sort_by_value_and_words_by_letter() {
        let numbers: Alphabet = ["10", "9", "-1"].into_iter().collect();
        assert_eq!(numbers.sorted_order(), [2, 1, 0]);
        for names in [["1.50", "1.5", "01", "1"], ["1", "1.5", "01", "1.50"]] {
            let numbers: Alphabet = names.into_iter().collect();
            let sorted = numbers.sorted_order().into_iter().map(|number| numbers.name(number));
            assert!(sorted.eq(["01", "1", "1.5", "1.50"]));
        }
        let words: Alphabet = ["O", "B", "I"].into_iter().collect();
        assert_eq!(words.sorted_order(), [1, 2, 0]);
    }
}
