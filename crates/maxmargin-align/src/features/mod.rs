//! Features of a pair of words in a sentence pair, in groups that have names.
//!
//! | group | what it looks at |
//! | --- | --- |
//! | `position` | how far from the diagonal of the sentence pair |
//! | `spelling` | the letters of both words |
//! | `dice` | how often both occur together |
//! | `model1` | posteriors by IBM Model 1, both directions |
//! | `hmm` | posteriors by the hidden Markov model, both directions |
//! | `second` | posteriors of a second hidden Markov model, and whether the first agrees |
//! | `context` | whether the words beside them belong together |
//! | `frequency` | how rare the words are |
//! | `lexical` | the words themselves, where they are frequent |
//! | `external` | the links of another aligner |
//! | `table` | what a file of the user says |
//!
//! Values lie between −1 and 1, most of them between 0 and 1, so that one λ suits them all. Numbers that a linear score uses
//! badly are also given as steps: `hmm.both>0.3` is 1 above 0.3.

mod association;
mod competition;
mod context;
mod external;
mod frequency;
mod lexical;
mod position;
mod spelling;

use std::fmt;
use std::str::FromStr;

use super::SentenceLinks;
use crate::association::PairAssociations;
use competition::Competition;
pub(super) use lexical::FrequentWords;
use maxmargin::Error;

/// A group of features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FeatureGroup {
    /// How far from the diagonal of the sentence pair.
    Position,
    /// The letters of both words.
    Spelling,
    /// How often both occur together; needs associations.
    Dice,
    /// Posteriors by IBM Model 1; needs associations.
    Model1,
    /// Posteriors by the hidden Markov model; needs associations.
    Hmm,
    /// Posteriors by the hidden Markov model of second associations; needs those.
    Second,
    /// Whether the words beside them belong together; needs associations.
    Context,
    /// How rare the words are; needs associations.
    Frequency,
    /// The words themselves, where they are frequent in training.
    Lexical,
    /// The links of another aligner; needs them.
    External,
    /// What a file of the user says; needs it.
    Table,
}

impl FeatureGroup {
    /// All groups, in the order of their features.
    pub const ALL: [Self; 11] = [
        Self::Position,
        Self::Spelling,
        Self::Dice,
        Self::Model1,
        Self::Hmm,
        Self::Second,
        Self::Context,
        Self::Frequency,
        Self::Lexical,
        Self::External,
        Self::Table,
    ];

    /// The name in options and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Position => "position",
            Self::Spelling => "spelling",
            Self::Dice => "dice",
            Self::Model1 => "model1",
            Self::Hmm => "hmm",
            Self::Second => "second",
            Self::Context => "context",
            Self::Frequency => "frequency",
            Self::Lexical => "lexical",
            Self::External => "external",
            Self::Table => "table",
        }
    }

    /// Whether a feature with this name is of this group.
    pub(super) fn has(self, feature: &str) -> bool {
        match self {
            Self::Table => feature.starts_with(TABLE_PREFIX),
            Self::Lexical => ["left=", "right=", "pair="].iter().any(|start| feature.starts_with(start)),
            group => feature
                .strip_prefix(group.name())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.')),
        }
    }

    /// Whether the features come from estimated associations.
    pub fn needs_associations(self) -> bool {
        matches!(self, Self::Dice | Self::Model1 | Self::Hmm | Self::Context | Self::Frequency)
    }
}

impl fmt::Display for FeatureGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for FeatureGroup {
    type Err = Error;

    /// ```
    /// use maxmargin_align::FeatureGroup;
    /// assert_eq!("hmm".parse::<FeatureGroup>()?, FeatureGroup::Hmm);
    /// assert!("hmmm".parse::<FeatureGroup>().is_err());
    /// # Ok::<(), maxmargin::Error>(())
    /// ```
    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|group| group.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|group| group.name()).collect();
            Error::parameter(
                "features",
                format!("{name:?} is no group of features; choose from {}", names.join(", ")),
            )
        })
    }
}

/// Names of a user's table begin with this, so that they meet no built-in ones.
pub(super) const TABLE_PREFIX: &str = "table:";

/// Words of up to this many letters are mostly articles, prepositions and the like.
const SHORT: usize = 4;

/// Where the features of a pair of words go.
pub(super) trait Sink {
    /// A feature that is 0 is none.
    fn add(&mut self, name: &str, value: f64);

    /// A feature that is there or not.
    fn flag(&mut self, name: &str, there: bool) {
        if there {
            self.add(name, 1.0);
        }
    }
}

/// A sentence pair, and what is known of it.
pub(super) struct PairView<'a> {
    pub left: Vec<&'a str>,
    pub right: Vec<&'a str>,
    /// The same words in lower case.
    folded: [Vec<String>; 2],
    associations: Option<KnownPair>,
    second: Option<association::Posteriors>,
    external: Option<external::Grid>,
}

/// The associations of a sentence pair, with who is whose best partner.
struct KnownPair {
    dice: Competition,
    model1: association::Posteriors,
    hmm: association::Posteriors,
    sentences: [Vec<u32>; 2],
}

impl<'a> PairView<'a> {
    pub fn new(
        left: Vec<&'a str>,
        right: Vec<&'a str>,
        [associations, second]: [Option<PairAssociations>; 2],
        external: Option<&SentenceLinks>,
    ) -> Self {
        let fold = |words: &[&str]| words.iter().map(|word| word.to_lowercase()).collect();
        let folded = [fold(&left), fold(&right)];
        let external = external.map(|links| external::Grid::new(left.len(), right.len(), links));
        let columns = right.len();
        let associations = associations.map(|known| KnownPair {
            dice: Competition::new(known.dice, columns),
            model1: association::Posteriors::new(known.model1, columns),
            hmm: association::Posteriors::new(known.hmm, columns),
            sentences: known.sentences,
        });
        let second = second.map(|known| association::Posteriors::new(known.hmm, columns));
        Self { left, right, folded, associations, second, external }
    }

    /// Adds the features of a group, except `Table`, for a pair of words.
    pub fn add(
        &self,
        group: FeatureGroup,
        (i, j): (usize, usize),
        frequent: &FrequentWords,
        to: &mut impl Sink,
    ) {
        let known = self.associations.as_ref();
        match (group, known) {
            (FeatureGroup::Position, _) => position::add((self.left.len(), self.right.len()), (i, j), to),
            (FeatureGroup::Spelling, _) => {
                spelling::add([self.left[i], self.right[j]], [&self.folded[0][i], &self.folded[1][j]], to);
            }
            (FeatureGroup::Lexical, _) => frequent.add(&self.folded[0][i], &self.folded[1][j], to),
            (FeatureGroup::Dice, Some(known)) => association::dice(&known.dice, (i, j), to),
            (FeatureGroup::Model1, Some(known)) => known.model1.add(&association::MODEL1, (i, j), to),
            (FeatureGroup::Hmm, Some(known)) => known.hmm.add(&association::HMM, (i, j), to),
            (FeatureGroup::Context, Some(known)) => {
                let short =
                    self.folded[0][i].chars().count() <= SHORT && self.folded[1][j].chars().count() <= SHORT;
                context::add(&known.hmm, (i, j), short, to);
            }
            (FeatureGroup::Frequency, Some(known)) => {
                frequency::add(known.sentences[0][i], known.sentences[1][j], known.hmm.both.at(i, j), to);
            }
            (FeatureGroup::External, _) => {
                if let Some(grid) = &self.external {
                    grid.add((i, j), to);
                }
            }
            (FeatureGroup::Second, known) => {
                let Some(second) = &self.second else { return };
                second.add(&association::SECOND, (i, j), to);
                if let Some(known) = known {
                    association::agreement(&known.hmm, second, (i, j), to);
                }
            }
            (FeatureGroup::Table, _) | (_, None) => {}
        }
    }
}
