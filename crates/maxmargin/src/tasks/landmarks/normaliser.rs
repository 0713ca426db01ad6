//! The length that distances are measured by (κ in BUNDLE 4.2), so that large faces count no more than small ones.

use crate::error::{Error, Result};
use crate::shown::excerpt;

/// Where the length comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Normaliser {
    /// From the centre of the eyes to that of the mouth, which points are called by or numbered as in iBUG's 68.
    #[default]
    EyesToMouth,
    /// The longer side of the box.
    Box,
    /// From the centre of some points to that of others.
    Between(Vec<String>, Vec<String>),
}

/// Points of eyes and of the mouth among iBUG's 68, counted from 0.
const IBUG: (std::ops::Range<usize>, std::ops::Range<usize>, usize) = (36..48, 48..68, 68);

/// The points that the length is measured between, by their numbers; none where it is that of the box.
pub(super) type Ends = Option<(Vec<usize>, Vec<usize>)>;

impl Normaliser {
    /// What an option says.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let names = |text: &str| text.split(',').map(|name| name.trim().to_owned()).collect::<Vec<_>>();
        match (text, text.split_once(':')) {
            ("eyes-mouth", _) => Ok(Self::EyesToMouth),
            ("box", _) => Ok(Self::Box),
            (_, Some((a, b))) => Ok(Self::Between(names(a), names(b))),
            _ => {
                let problem = format!(
                    "`{}` is not eyes-mouth, box or A,B:C,D, the points of two places",
                    excerpt(text)
                );
                Err(Error::parameter("normaliser", problem))
            }
        }
    }

    /// The same as it was said.
    pub(super) fn text(&self) -> String {
        match self {
            Self::EyesToMouth => "eyes-mouth".to_owned(),
            Self::Box => "box".to_owned(),
            Self::Between(a, b) => format!("{}:{}", a.join(","), b.join(",")),
        }
    }

    /// The numbers of the points.
    pub(super) fn ends(&self, names: &[&str]) -> Result<Ends> {
        let refused = |problem: String| Error::parameter("normaliser", problem);
        match self {
            Self::Box => Ok(None),
            Self::EyesToMouth => {
                let called = |part: &str| {
                    let is_called = |name: &&str| name.to_lowercase().contains(part);
                    names
                        .iter()
                        .enumerate()
                        .filter(|(_, name)| is_called(name))
                        .map(|(number, _)| number)
                        .collect()
                };
                // Brows are no eyes.
                let mut eyes: Vec<usize> = called("eye");
                eyes.retain(|&number| !names[number].to_lowercase().contains("brow"));
                let mouth: Vec<usize> = called("mouth");
                let is_numbered =
                    names.len() == IBUG.2 && names.iter().all(|name| name.parse::<u32>().is_ok());
                match (eyes.is_empty() || mouth.is_empty(), is_numbered) {
                    (false, _) => Ok(Some((eyes, mouth))),
                    (true, true) => Ok(Some((IBUG.0.collect(), IBUG.1.collect()))),
                    (true, false) => Err(refused(
                        "no points are called eye and mouth, between which distances are measured; name others (the option normaliser=A,B:C,D), or take the option normaliser=box"
                            .to_owned(),
                    )),
                }
            }
            Self::Between(a, b) => {
                let number = |name: &String| {
                    let found = names.iter().position(|other| other == name);
                    found.ok_or_else(|| refused(format!("there is no point called `{}`", excerpt(name))))
                };
                let numbers = |names: &[String]| names.iter().map(number).collect::<Result<Vec<usize>>>();
                Ok(Some((numbers(a)?, numbers(b)?)))
            }
        }
    }
}

/// The length of a face; what is wrong with its points where there is none.
pub(super) fn length(
    ends: &Ends,
    bounds: [f64; 4],
    points: &[(f64, f64)],
) -> std::result::Result<f64, String> {
    let Some((a, b)) = ends else { return Ok(bounds[2].max(bounds[3])) };
    let centre = |numbers: &[usize]| {
        let sum = numbers.iter().fold((0.0, 0.0), |sum, &k| (sum.0 + points[k].0, sum.1 + points[k].1));
        (sum.0 / numbers.len() as f64, sum.1 / numbers.len() as f64)
    };
    let (a, b) = (centre(a), centre(b));
    let length = (a.0 - b.0).hypot(a.1 - b.1);
    match length >= 1.0 {
        true => Ok(length),
        false => Err("the points that distances are measured between are less than a pixel apart".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eyes_and_mouth_are_found_by_name() {
        let names = ["eyebrow", "left_Eye", "nose", "mouth_l", "mouth_r", "reye"];
        assert_eq!(Normaliser::EyesToMouth.ends(&names).unwrap(), Some((vec![1, 5], vec![3, 4])));
        let numbers: Vec<String> = (0..68).map(|number| number.to_string()).collect();
        let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
        assert_eq!(Normaliser::EyesToMouth.ends(&numbers).unwrap().unwrap().0[0], 36);
        assert!(Normaliser::EyesToMouth.ends(&numbers[1..]).is_err());
        let between = Normaliser::parse("a, b:c").unwrap();
        assert_eq!(
            (between.ends(&["c", "b", "a"]).unwrap(), &*between.text()),
            (Some((vec![2, 1], vec![0])), "a,b:c")
        );
        assert!(between.ends(&["a", "b"]).is_err() && Normaliser::parse("nose").is_err());
        let points = [(0.0, 0.0), (2.0, 0.0), (1.0, 3.0)];
        assert_eq!(length(&Some((vec![0, 1], vec![2])), [0.0; 4], &points), Ok(3.0));
        assert_eq!(length(&None, [0.0, 0.0, 5.0, 7.0], &points), Ok(7.0));
        assert!(length(&Some((vec![0, 1], vec![0, 1])), [0.0; 4], &points).is_err());
    }
}
