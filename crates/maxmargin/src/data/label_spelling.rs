//! One label, several spellings: 1, 1.0 and 1e0 are the same whole number, and so the same label.
//!
//! Programs that keep labels as numbers write them in one way here and in another there: `1` in the training data and `1.0`
//! in the test data must not be strangers. Only whole numbers have several spellings. What has a fraction may be a version
//! (3.1 and 3.10 differ), and what has superfluous zeros in front a code (007 is not 7): such labels are text.

use rustc_hash::FxHashMap;

use super::alphabet::Alphabet;

/// A whole number of any size, told from all others: ±`digits` · 10^`zeros`, without zeros at the ends of the digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct WholeNumber {
    is_negative: bool,
    digits: Vec<u8>,
    zeros: i64,
}

impl WholeNumber {
    /// What a label says, if it is a whole number: `+1`, `-20`, `3.00`, `1.5e+01`.
    fn parse(label: &str) -> Option<Self> {
        let bytes = label.as_bytes();
        if !matches!(bytes.first()?, b'0'..=b'9' | b'+' | b'-') {
            return None;
        }
        let (is_negative, unsigned) = match bytes {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            _ => (false, bytes),
        };
        let (mantissa, exponent) = match unsigned.iter().position(|byte| matches!(byte, b'e' | b'E')) {
            None => (unsigned, 0),
            Some(at) => (&unsigned[..at], exponent(&unsigned[at + 1..])?),
        };
        let (whole, fraction) = match mantissa.iter().position(|&byte| byte == b'.') {
            None => (mantissa, &[][..]),
            Some(at) => (&mantissa[..at], &mantissa[at + 1..]),
        };
        let are_digits = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_digit);
        let is_code = whole.len() > 1 && whole[0] == b'0';
        if whole.is_empty() || is_code || !are_digits(whole) || !are_digits(fraction) {
            return None;
        }
        let mut digits: Vec<u8> =
            whole.iter().chain(fraction).copied().skip_while(|&digit| digit == b'0').collect();
        let mut zeros = exponent - fraction.len() as i64;
        while digits.last() == Some(&b'0') {
            digits.pop();
            zeros += 1;
        }
        match digits.is_empty() {
            true => Some(Self { is_negative: false, digits, zeros: 0 }),
            false => (zeros >= 0).then_some(Self { is_negative, digits, zeros }),
        }
    }
}

fn exponent(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"+").or(text.strip_prefix(b"-")).unwrap_or(text);
    // More than enough for any number that means something.
    let is_exponent = (1..=6).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
    if !is_exponent {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// The labels of an alphabet that are whole numbers, by their value.
#[derive(Debug, Clone, Default)]
pub struct LabelSpellings {
    /// `None` where two labels of the alphabet have the value: then only their spellings tell them apart.
    labels: FxHashMap<WholeNumber, Option<u32>>,
    /// Better spellings than those in the alphabet.
    better: FxHashMap<u32, String>,
}

impl LabelSpellings {
    /// Those of an alphabet.
    ///
    /// ```
    /// use maxmargin::data::{Alphabet, LabelSpellings};
    /// let labels: Alphabet = ["0", "1.0", "other"].into_iter().collect();
    /// let spellings = LabelSpellings::of(&labels);
    /// assert_eq!(spellings.find(&labels, "1"), Some(1));
    /// assert_eq!(spellings.find(&labels, "other"), Some(2));
    /// assert_eq!(spellings.find(&labels, "01"), None);
    /// ```
    pub fn of(labels: &Alphabet) -> Self {
        let mut spellings = Self::default();
        for (number, name) in (0..).zip(labels.iter()) {
            if let Some(value) = WholeNumber::parse(name) {
                spellings.labels.entry(value).and_modify(|known| *known = None).or_insert(Some(number));
            }
        }
        spellings
    }

    /// The number of a label in the alphabet, as it is spelled there or in another way.
    pub fn find(&self, labels: &Alphabet, name: &str) -> Option<u32> {
        labels.get(name).or_else(|| self.labels.get(&WholeNumber::parse(name)?).copied().flatten())
    }

    /// The number of a label, which the alphabet takes in when it is new.
    pub(crate) fn add(&mut self, labels: &mut Alphabet, name: &str) -> u32 {
        if let Some(number) = labels.get(name) {
            return number;
        }
        let Some(value) = WholeNumber::parse(name) else { return labels.add(name) };
        let known = self.labels.get(&value).copied().flatten();
        let Some(number) = known else {
            let number = labels.add(name);
            self.labels.insert(value, Some(number));
            return number;
        };
        let best = self.better.get(&number).map_or(labels.name(number), String::as_str);
        // Whatever the order in which spellings come, the same one is kept.
        if (name.len(), name) < (best.len(), best) {
            self.better.insert(number, name.to_owned());
        }
        number
    }

    /// The alphabet with the shortest of the spellings that were added; of those, the first in the alphabet.
    pub(crate) fn shortest(&self, labels: Alphabet) -> Alphabet {
        match self.better.is_empty() {
            true => labels,
            false => {
                let name = |number: u32| self.better.get(&number).map_or(labels.name(number), String::as_str);
                (0..labels.len() as u32).map(name).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_whole_numbers() {
        for same in [
            &["1", "1.0", "+1", "1.", "1e0", "1.000000000000000000e+00", "1E-0"][..],
            &["0", "-0", "0.0", "+0.", "0e5", "0.000e+00"],
            &["-15", "-15.00", "-1.5e1", "-1.500000e+01", "-150e-1"],
            &["100", "1e2", "1.0E+02", "100.0"],
            &["9007199254740993", "9007199254740993.0", "9.007199254740993e15"],
        ] {
            for name in same {
                assert_eq!(WholeNumber::parse(name), WholeNumber::parse(same[0]), "{name}");
                assert!(WholeNumber::parse(name).is_some(), "{name}");
            }
        }
        let different = ["1", "-1", "10", "2", "0", "9007199254740993", "9007199254740992", "1e300", "1e301"];
        for (i, a) in different.iter().enumerate() {
            for b in &different[..i] {
                assert_ne!(WholeNumber::parse(a), WholeNumber::parse(b), "{a} {b}");
            }
        }
        for text in [
            "",
            "+",
            "-",
            ".",
            "1.5",
            "3.10",
            "007",
            "00",
            "01.0",
            "nan",
            "inf",
            "1e",
            "1e+",
            "1e1.5",
            "e5",
            ".5",
            "1x",
            "--1",
            "1 ",
            "0x1",
            "1_0",
            "1.0.0",
            "1e9999999999999999999",
            "1e-1",
            "١",
        ] {
            assert_eq!(WholeNumber::parse(text), None, "{text}");
        }
    }

    #[test]
    fn two_labels_of_old_models_stay_apart() {
        let labels: Alphabet = ["1", "1.0", "2"].into_iter().collect();
        let spellings = LabelSpellings::of(&labels);
        let find = |name| spellings.find(&labels, name);
        assert_eq!((find("1"), find("1.0"), find("1.00"), find("2.0")), (Some(0), Some(1), None, Some(2)));
    }
}
