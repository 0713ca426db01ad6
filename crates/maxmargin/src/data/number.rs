//! Numbers in text: fast for the short decimals that data files are made of, exact for all.
//!
//! A decimal whose digits, without the point, make a whole number below 2⁵³ and that has at most 22 digits after the
//! point is one correctly rounded division of two exact `f64`. Everything else goes to the standard library, so that
//! the result is always what [`str::parse`] gives.

use super::source::Line;
use crate::error::Result;
use crate::shown::excerpt;

/// Powers of ten that an `f64` holds exactly.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// The largest number of digits whose value fits into a `u64` whatever they are.
const MAX_DIGITS: usize = 19;

/// The number that is all of `text`, exactly as [`str::parse`] reads it (infinities and NaN included).
pub fn float(text: &[u8]) -> Option<f64> {
    match short_decimal(text) {
        Some((value, length)) if length == text.len() => Some(value),
        _ => std::str::from_utf8(text).ok()?.parse().ok(),
    }
}

/// The short decimal at the start of `text`, and its length. `None` when there is none or it takes the slow way.
#[inline]
pub fn short_decimal(text: &[u8]) -> Option<(f64, usize)> {
    let negative = text.first() == Some(&b'-');
    let first = usize::from(negative);
    let mut digits = 0u64;
    let mut at = first;
    while let Some(digit) = digit_at(text, at) {
        digits = digits.wrapping_mul(10).wrapping_add(digit);
        at += 1;
    }
    let mut count = at - first;
    let mut after_point = 0;
    if text.get(at) == Some(&b'.') {
        let point = at;
        at += 1;
        while let Some(digit) = digit_at(text, at) {
            digits = digits.wrapping_mul(10).wrapping_add(digit);
            at += 1;
        }
        after_point = at - point - 1;
        count += after_point;
    }
    // With at most 19 digits nothing wrapped, and the powers of ten are exact.
    if count == 0 || count > MAX_DIGITS || digits >= 1 << 53 {
        return None;
    }
    let size = match after_point {
        0 => digits as f64,
        _ => digits as f64 / TENS[after_point],
    };
    Some((if negative { -size } else { size }, at))
}

/// The whole number that is all of `text`: digits only.
pub fn whole(text: &[u8]) -> Option<u64> {
    match leading_whole(text) {
        Some((value, length)) if length == text.len() => Some(value),
        _ => None,
    }
}

/// The whole number at the start of `text`, and its length. `None` when there is no digit or it exceeds a `u64`.
#[inline]
pub fn leading_whole(text: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0u64;
    let mut at = 0;
    while let Some(digit) = digit_at(text, at) {
        value = match at < MAX_DIGITS {
            true => value * 10 + digit,
            false => value.checked_mul(10)?.checked_add(digit)?,
        };
        at += 1;
    }
    (at > 0).then_some((value, at))
}

/// The finite number that is all of `text`, which begins `at` bytes into the line.
pub fn finite(line: &Line<'_>, at: usize, text: &[u8]) -> Result<f64> {
    let problem = match float(text) {
        Some(value) if value.is_finite() => return Ok(value),
        Some(_) => format!("the value `{}` is not finite", excerpt(text)),
        None if text.is_empty() => "a number is missing after the colon".to_owned(),
        None if text.contains(&b'\r') => {
            format!(
                "`{}` is not a number; lines end with line feeds, not only with carriage returns",
                excerpt(text)
            )
        }
        None => format!("`{}` is not a number", excerpt(text)),
    };
    Err(line.error(at + 1, problem))
}

/// The finite number that is a cell of the column `name` of a table, and begins `at` bytes into the line.
pub fn finite_cell(line: &Line<'_>, at: usize, text: &[u8], name: &str) -> Result<f64> {
    match float(text) {
        Some(value) if value.is_finite() => return Ok(value),
        _ => {}
    }
    let (shown, name) = (excerpt(text), excerpt(name));
    let problem = match float(text) {
        Some(_) => format!("the value `{shown}` of `{name}` is not finite"),
        None if has_decimal_comma(text) => {
            format!("`{shown}` in the column `{name}` is not a number; write decimals with a point")
        }
        None => format!(
            "`{shown}` in the column `{name}` is not a number, as its other values are; mend it, or leave the column out by the option ignore-columns, or (csv) take all its values as text by the option text-columns"
        ),
    };
    Err(line.error(at + 1, problem))
}

/// Whether this would be a number with a point in place of a comma.
pub(crate) fn has_decimal_comma(text: &[u8]) -> bool {
    let with_point = || text.iter().map(|&byte| if byte == b',' { b'.' } else { byte }).collect::<Vec<_>>();
    text.contains(&b',') && float(&with_point()).is_some()
}

/// The weight of an example that is all of `text`, which begins `at` bytes into the line.
pub fn weight(line: &Line<'_>, at: usize, text: &[u8]) -> Result<f64> {
    match float(text) {
        Some(value) if value.is_finite() && value > 0.0 => Ok(value),
        _ => {
            let text = excerpt(text);
            Err(line.error(at + 1, format!("the weight `{text}` is not a finite number above 0")))
        }
    }
}

#[inline]
fn digit_at(text: &[u8], at: usize) -> Option<u64> {
    let digit = text.get(at)?.wrapping_sub(b'0');
    (digit < 10).then_some(u64::from(digit))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn same(text: &str) {
        let expected: Option<f64> = text.parse().ok();
        assert_eq!(float(text.as_bytes()).map(f64::to_bits), expected.map(f64::to_bits), "{text:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn floats_are_what_the_standard_library_reads(text in "[-+]?[0-9]{0,22}\\.?[0-9]{0,25}(e-?[0-9]{1,3})?") {
            same(&text);
        }

        #[test]
        fn written_floats_come_back(value: f64, short in any::<f32>(), places in 0usize..12) {
            same(&value.to_string());
            same(&short.to_string());
            same(&format!("{short:.places$}"));
        }

        #[test]
        fn anything_is_refused_alike(text in "[-+.0-9einfaNx ]{0,8}") {
            same(&text);
        }

        #[test]
        fn whole_numbers_come_back(value: u64) {
            prop_assert_eq!(whole(value.to_string().as_bytes()), Some(value));
        }
    }

    #[test]
    fn edges() {
        for text in
            ["-0", "-0.0", ".5", "5.", ".", "-", "", "9007199254740991", "9007199254740993", "1e22", "+7"]
        {
            same(text);
        }
        assert_eq!(whole(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!(whole(b"18446744073709551616"), None);
        assert_eq!(whole(b"00000000000000000000000000000001"), Some(1));
        assert_eq!(whole(b"1x"), None);
    }
}
