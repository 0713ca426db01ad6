//! Numbers for people: few digits, in the unit that fits, and bounds never on the wrong side.

/// A number with six significant digits.
pub fn number(value: f64) -> String {
    digits(value, 6)
}

/// A lower bound, with enough digits to tell it from the other one: what is printed is no more than it is.
pub fn lower(value: f64) -> String {
    rounded_to(value, 9, |printed| printed <= value, -1.0)
}

/// An upper bound, likewise: what is printed is no less than it is.
pub fn upper(value: f64) -> String {
    rounded_to(value, 9, |printed| printed >= value, 1.0)
}

/// A lower bound in a table, with six digits.
pub fn short_lower(value: f64) -> String {
    rounded_to(value, 6, |printed| printed <= value, -1.0)
}

/// An upper bound in a table.
pub fn short_upper(value: f64) -> String {
    rounded_to(value, 6, |printed| printed >= value, 1.0)
}

/// A number with so many digits, moved by a unit of the last one where it would be on the wrong side.
fn rounded_to(value: f64, significant: i32, is_right: impl Fn(f64) -> bool, side: f64) -> String {
    let text = digits(value, significant);
    if text.parse::<f64>().is_ok_and(&is_right) || !value.is_finite() {
        return text;
    }
    // Very large and very small numbers have two digits less.
    let exponent = value.abs().log10().floor() as i32;
    let kept = if (-4..7).contains(&exponent) { significant } else { significant - 2 };
    digits(value + side * 10f64.powi(exponent + 1 - kept), significant)
}

fn digits(value: f64, significant: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let exponent = value.abs().log10().floor() as i32;
    if !(-4..7).contains(&exponent) {
        return format!("{value:.*e}", significant as usize - 3);
    }
    let text = format!("{value:.*}", (significant - 1 - exponent).max(0) as usize);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// A share as a percentage.
pub fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

/// Bytes in the unit that fits.
pub fn bytes(count: usize) -> String {
    match count as f64 {
        count if count >= 1e9 => format!("{:.1} GB", count / 1e9),
        count if count >= 1e6 => format!("{:.1} MB", count / 1e6),
        count => format!("{:.1} kB", count / 1e3),
    }
}

/// A time in the unit that fits.
pub fn time(seconds: f64) -> String {
    match seconds {
        s if s < 10.0 => format!("{s:.2} s"),
        s if s < 120.0 => format!("{s:.1} s"),
        s if s < 7200.0 => format!("{:.0} min {:.0} s", (s / 60.0).floor(), (s % 60.0).floor()),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// `1 label`, `2 labels`, `2 passes`.
pub fn count(count: usize, what: &str) -> String {
    let end = match count {
        1 => "",
        _ if what.ends_with('s') => "es",
        _ => "s",
    };
    format!("{count} {what}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_are_counted() {
        assert_eq!(
            [count(1, "pass"), count(2, "pass"), count(0, "label")],
            ["1 pass", "2 passes", "0 labels"]
        );
    }

    #[test]
    fn numbers_have_six_digits() {
        for (value, text) in [
            (0.0, "0"),
            (3.244_297_77, "3.2443"),
            (0.015_974_440_894, "0.0159744"),
            (626.0, "626"),
            (1234567.8, "1234568"),
            (-0.5, "-0.5"),
            (1.5e-7, "1.500e-7"),
            (2.5e9, "2.500e9"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(number(value), text);
        }
        assert_eq!(
            (lower(0.123_456_789_9), upper(0.123_456_789_1)),
            ("0.123456789".into(), "0.12345679".into())
        );
        assert_eq!((lower(2.0), upper(2.0), lower(0.0)), ("2".into(), "2".into(), "0".into()));
        for value in [1.234_567_894_999e-9, 9.999_999_999_9, 7.77e11, 0.268_351_912_999_7, 3.0e-300] {
            let (below, above) = (lower(value), upper(value));
            let bounds = (below.parse::<f64>().unwrap(), above.parse::<f64>().unwrap());
            assert!(bounds.0 <= value && value <= bounds.1, "{below} {value:e} {above}");
            assert!(bounds.1 - bounds.0 <= 1e-5 * value, "{below} {value:e} {above}");
        }
        assert_eq!(time(605.0), "10 min 5 s");
    }
}
