//! Names that somebody mistyped.

use super::excerpt;

/// What to say behind a list of names of which `name` is none: `; did you mean slack?`, or nothing where none is near.
///
/// Names may have a value: of `beta=B` only what is before the value counts.
///
/// ```
/// use maxmargin_core::shown::did_you_mean;
/// let names = ["margin", "slack", "beta=B"];
/// assert_eq!(did_you_mean("slcak", names), "; did you mean slack?");
/// assert_eq!(did_you_mean("Bta=0.5", names), "; did you mean beta=B?");
/// assert_eq!(did_you_mean("newton", names), "");
/// ```
pub fn did_you_mean<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let key = |text: &str| -> String {
        let word = text.split('=').next().unwrap_or_default().to_lowercase();
        word.chars().filter(|letter| letter.is_alphanumeric()).take(LONGEST).collect()
    };
    let asked = key(name);
    let length = asked.chars().count();
    let distance = |of: &str| match key(of) {
        // The beginning of a name is as good as one slip.
        of if length > 2 && of.starts_with(&asked) && of != asked => 1,
        of => strsim::damerau_levenshtein(&asked, &of),
    };
    let nearest = names.into_iter().map(|of| (distance(of), of)).min_by_key(|&(distance, _)| distance);
    match nearest {
        Some((distance, nearest)) if distance <= length / 3 => {
            format!("; did you mean {}?", excerpt(nearest))
        }
        _ => String::new(),
    }
}

/// No name is longer than this; what was typed may be.
const LONGEST: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        let solvers =
            ["auto", "bmrm", "prox-bmrm", "p-bmrm", "prox-p-bmrm", "n-slack", "bcfw", "sgd", "small-qp"];
        for (typed, meant) in [
            ("bfcw", "bcfw"),
            ("BCFW", "bcfw"),
            ("prox_bmrm", "prox-bmrm"),
            ("proxbmrm", "prox-bmrm"),
            ("pbmrm", "p-bmrm"),
            ("nslack", "n-slack"),
            ("small", "small-qp"),
            ("sdg", "sgd"),
        ] {
            assert_eq!(did_you_mean(typed, solvers), format!("; did you mean {meant}?"), "{typed}");
        }
        for typed in ["newton", "", "=", "x", "adam", &"b".repeat(1_000_000)] {
            assert_eq!(did_you_mean(typed, solvers), "", "{}", typed.len());
        }
        assert_eq!(did_you_mean("anything", []), "");
        // Names come out of files as well.
        let hostile = format!("class<{}\u{1b}", "=".repeat(1000));
        let said = did_you_mean("class", [&*hostile]);
        assert!(said.contains("class<=") && said.len() < 100 && !said.contains('\u{1b}'), "{said}");
    }
}
