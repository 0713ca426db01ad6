//! Template files: what CRF++ and Wapiti write, and a few commands beyond.
//!
//! A line is a template. Its first letter says what weights it makes: `U` one for each label, `B` one for each pair of neighbouring
//! labels, `*` both, `S` one for each segment that is known and each class. The whole line is the name of an attribute, in which commands are replaced by what the sentence has there.
//! See `docs/templates.md` for the commands.

use super::gazetteer::PhraseTree;
use super::pattern::Pattern;
use super::{TemplateSyntax, TextColumns};
use crate::data::source::Line;
use crate::error::Result;
use crate::shown::excerpt;

/// The farthest that a template looks, in tokens.
pub(super) const FARTHEST: i32 = 1000;
/// A file has at most so many templates.
const MOST_TEMPLATES: usize = 4096;
/// So many of them at most are about segments.
const MOST_OF_SEGMENTS: usize = 16;
/// A template has at most so many commands.
const MOST_COMMANDS: usize = 64;
/// The longest parts of words.
const LONGEST_PART: usize = 64;

/// The templates of a file.
#[derive(Debug, Clone, Default)]
pub(super) struct Parsed {
    pub(super) unigrams: Vec<Template>,
    pub(super) bigrams: Vec<Template>,
    /// What segments are known by.
    pub(super) segments: Vec<Template>,
    /// What the templates ask of a token, each once.
    pub(super) pieces: Vec<Piece>,
}

/// A line, as texts and pieces.
#[derive(Debug, Clone, Default)]
pub(super) struct Template {
    /// All of the name.
    pub(super) items: Vec<Item>,
    /// The pieces in it.
    pub(super) pieces: Vec<(Place, usize)>,
    /// The one of them that makes several attributes.
    pub(super) list: Option<(Place, usize)>,
    /// The piece that is the value of the attribute.
    pub(super) value: Option<(Place, usize)>,
}

#[derive(Debug, Clone)]
pub(super) enum Item {
    Text(String),
    /// The piece with this number, at a place.
    Piece(Place, usize),
}

/// Which token is looked at.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    /// So many tokens on.
    Relative(i32),
    /// From the first one, 1, or from the last one, −1.
    Absolute(i32),
}

/// What is asked of a token.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    /// As it was written, by which equal ones are known.
    source: String,
    /// The column, without that of the label.
    pub(super) column: usize,
    pub(super) what: What,
    pub(super) lower: bool,
}

#[derive(Debug, Clone)]
pub(super) enum What {
    Entry,
    Match(Pattern),
    Test(Pattern),
    Prefix(usize),
    Suffix(usize),
    Letter(i32),
    Grams(usize),
    Shape {
        short: bool,
    },
    /// The mark of the longest phrase of a list.
    InPhrase(PhraseTree),
    /// Whether a list has the word.
    Listed(PhraseTree),
    Value,
}

impl What {
    /// Whether the token outside of a sentence that a mark stands for has it.
    pub(super) fn is_of_marks(&self) -> bool {
        matches!(self, What::Entry | What::Match(_) | What::Test(_))
    }

    /// Whether it is some of the token's own letters, which other texts need not have.
    pub(super) fn is_own_text(&self) -> bool {
        matches!(
            self,
            What::Entry
                | What::Match(_)
                | What::Prefix(_)
                | What::Suffix(_)
                | What::Letter(_)
                | What::Grams(_)
        )
    }

    /// Whether it looks for something that no token may have.
    pub(super) fn may_be_idle(&self) -> bool {
        matches!(self, What::Match(_) | What::Test(_) | What::InPhrase(_) | What::Listed(_))
    }
}

impl Piece {
    /// The command as it is written, for the token itself.
    pub(super) fn shown(&self) -> String {
        let (letter, arguments) = self.source.split_at(1);
        format!("%{letter}[0,{arguments}")
    }
}

impl Parsed {
    /// Whether some template tells something of a token's own letters.
    pub(super) fn tells_texts(&self) -> bool {
        let templates = self.unigrams.iter().chain(&self.bigrams);
        let mut pieces = templates.flat_map(|template| &template.pieces);
        pieces.any(|&(_, piece)| self.pieces[piece].what.is_own_text())
    }

    /// Adds the template of a line, unless it is blank or a comment.
    pub(super) fn add(&mut self, line: &Line<'_>, columns: &TextColumns) -> Result<()> {
        let text = line.text()?;
        let text = match columns.syntax {
            TemplateSyntax::CrfPlusPlus if text.starts_with('#') => return Ok(()),
            TemplateSyntax::CrfPlusPlus => text,
            TemplateSyntax::Wapiti => text.split('#').next().unwrap_or_default(),
        };
        let text = text.trim_end();
        let Some(kind) = text.chars().next() else { return Ok(()) };
        if self.unigrams.len() + self.bigrams.len() + self.segments.len() >= MOST_TEMPLATES {
            return Err(line.error(1, format!("more than {MOST_TEMPLATES} templates")));
        }
        let template = Command { line, columns, text, at: 0 }.template(&mut self.pieces)?;
        let is_transition = template.pieces.is_empty() && template.value.is_none();
        match kind.to_ascii_uppercase() {
            'U' => self.unigrams.push(template),
            // Weights of pairs of labels alone are there in any case.
            'B' if is_transition => {}
            'B' => self.bigrams.push(template),
            '*' if is_transition => self.unigrams.push(template),
            '*' => {
                self.unigrams.push(template.clone());
                self.bigrams.push(template);
            }
            'S' if is_transition || template.value.is_some() || template.list.is_some() => {
                let problem = format!(
                    "`{}` does not say what a token is: a template of segments has commands such as %x[0,0], but neither %v nor %n",
                    excerpt(text)
                );
                return Err(line.error(1, problem));
            }
            'S' if self.segments.len() >= MOST_OF_SEGMENTS => {
                return Err(line.error(1, format!("more than {MOST_OF_SEGMENTS} templates of segments")));
            }
            'S' => self.segments.push(template),
            _ => {
                let problem = format!(
                    "`{}` is no template: it begins with U (a weight for each label), B (for each pair of labels), * (both) or S (for whole segments)",
                    excerpt(text)
                );
                return Err(line.error(1, problem));
            }
        }
        Ok(())
    }
}

/// A line of which all before `at` is read.
struct Command<'a> {
    line: &'a Line<'a>,
    columns: &'a TextColumns,
    text: &'a str,
    at: usize,
}

impl<'a> Command<'a> {
    fn error(&self, problem: impl Into<String>) -> crate::error::Error {
        self.line.error(self.at + 1, problem)
    }

    fn template(mut self, pieces: &mut Vec<Piece>) -> Result<Template> {
        let mut template = Template::default();
        let (mut literal, mut commands) = (String::new(), 0);
        while let Some(percent) = self.text[self.at..].find('%') {
            literal += &self.text[self.at..self.at + percent];
            self.at += percent;
            if self.text[self.at..].starts_with("%%") {
                literal.push('%');
                self.at += 2;
                continue;
            }
            let (place, piece) = self.command()?;
            commands += 1;
            if commands > MOST_COMMANDS {
                return Err(self.error(format!("more than {MOST_COMMANDS} commands in a template")));
            }
            let (is_list, is_value) =
                (matches!(piece.what, What::Grams(_)), matches!(piece.what, What::Value));
            let number = pieces.iter().position(|known| known.source == piece.source);
            let number = number.unwrap_or_else(|| {
                pieces.push(piece);
                pieces.len() - 1
            });
            if is_value {
                if template.value.replace((place, number)).is_some() {
                    return Err(self.error("a template has at most one %v, the value of its attribute"));
                }
                continue;
            }
            if !literal.is_empty() {
                template.items.push(Item::Text(std::mem::take(&mut literal)));
            }
            if is_list && template.list.replace((place, number)).is_some() {
                return Err(self.error("a template has at most one %n, which makes several attributes"));
            }
            template.items.push(Item::Piece(place, number));
            template.pieces.push((place, number));
        }
        literal += &self.text[self.at..];
        if !literal.is_empty() {
            template.items.push(Item::Text(literal));
        }
        Ok(template)
    }

    /// The command that begins here.
    fn command(&mut self) -> Result<(Place, Piece)> {
        let start = self.at;
        let rest = &self.text[start + 1..];
        let letter = rest.chars().next().filter(char::is_ascii_alphabetic);
        let Some(letter) = letter.filter(|_| rest[1..].starts_with('[')) else {
            return Err(self.error("a command such as %x[0,0] is expected; the sign itself is written %%"));
        };
        self.at += 3;
        let is_absolute = self.text[self.at..].starts_with('@');
        self.at += usize::from(is_absolute);
        let row = self.argument()?;
        let row = match row.trim().parse::<i32>() {
            Ok(row) if (-FARTHEST..=FARTHEST).contains(&row) && !(is_absolute && row == 0) => row,
            _ => {
                let problem = format!(
                    "`{}` is not how many tokens away to look: a whole number from -{FARTHEST} to {FARTHEST}",
                    excerpt(row)
                );
                return Err(self.error(problem));
            }
        };
        self.expect(',', "a column: %x[row,column]")?;
        let column = self.argument()?.trim();
        let column = self.columns.feature_column(column).map_err(|problem| self.error(problem))?;
        let what = self.what(letter)?;
        self.expect(']', "the end of the command, `]`")?;
        let place = if is_absolute { Place::Absolute(row) } else { Place::Relative(row) };
        // Without the row, which is no part of what is asked.
        let arguments = self.text[start + 3..self.at].split_once(',').map_or("", |(_, rest)| rest);
        let source = format!("{letter}{arguments}");
        Ok((place, Piece { source, column, what, lower: letter.is_ascii_uppercase() }))
    }

    /// What a command of this letter asks, with the arguments behind row and column.
    fn what(&mut self, letter: char) -> Result<What> {
        let ignores_case = letter.is_ascii_uppercase();
        Ok(match letter.to_ascii_lowercase() {
            'x' => What::Entry,
            'm' => What::Match(self.pattern()?),
            't' => What::Test(self.pattern()?),
            'p' => What::Prefix(self.part()?),
            's' => What::Suffix(self.part()?),
            'n' => What::Grams(self.part()?),
            'l' => {
                self.expect(',', "the place of a letter: %l[row,column,1], or -1 for the last")?;
                let place = self.argument()?;
                match place.trim().parse::<i32>() {
                    Ok(place) if (-FARTHEST..=FARTHEST).contains(&place) && place != 0 => What::Letter(place),
                    _ => return Err(self.error("letters have places from 1, or from -1 backwards")),
                }
            }
            'h' => What::Shape { short: ignores_case },
            'g' => {
                let name = self.quoted("the name of a list: %g[row,column,\"name\"]")?;
                let Some(list) = self.columns.gazetteers.iter().find(|list| list.name == name) else {
                    let problem = format!("there is no gazetteer `{}`; name its file", excerpt(&name));
                    return Err(self.error(problem));
                };
                let tree = PhraseTree::new(list, ignores_case);
                match self.text[self.at..].strip_prefix(",word") {
                    Some(_) => {
                        self.at += ",word".len();
                        What::Listed(tree)
                    }
                    None => What::InPhrase(tree),
                }
            }
            'v' => What::Value,
            _ => {
                self.at = self.text[..self.at].rfind('%').unwrap_or(0);
                let problem = format!("%{letter} is no command; there are %x %m %t %p %s %l %n %h %g and %v");
                return Err(self.error(problem));
            }
        })
    }

    /// What stands here up to a comma or a closing bracket.
    fn argument(&mut self) -> Result<&'a str> {
        let rest = &self.text[self.at..];
        let Some(length) = rest.find([',', ']']) else {
            return Err(self.error("the command has no end: `]` is missing"));
        };
        self.at += length;
        Ok(&rest[..length])
    }

    fn expect(&mut self, sign: char, what: &str) -> Result<()> {
        match self.text[self.at..].starts_with(sign) {
            true => {
                self.at += sign.len_utf8();
                Ok(())
            }
            false => Err(self.error(format!("expected {what}"))),
        }
    }

    /// A number of letters.
    fn part(&mut self) -> Result<usize> {
        self.expect(',', "a number of letters: %p[row,column,3]")?;
        match self.argument()?.trim().parse() {
            Ok(letters) if (1..=LONGEST_PART).contains(&letters) => Ok(letters),
            _ => Err(self.error(format!("a number of letters is from 1 to {LONGEST_PART}"))),
        }
    }

    fn pattern(&mut self) -> Result<Pattern> {
        let text = self.quoted("an expression in quotes: %m[row,column,\"^.?.?\"]")?;
        Pattern::parse(&text).map_err(|problem| self.error(format!("in the expression: {problem}")))
    }

    /// A comma and a text in quotes, in which a backslash keeps a quote from being the end; it stays where it is.
    fn quoted(&mut self, what: &str) -> Result<String> {
        self.expect(',', what)?;
        self.expect('"', what)?;
        let mut escaped = false;
        let rest = &self.text[self.at..];
        for (at, c) in rest.char_indices() {
            if c == '"' && !escaped {
                self.at += at + 1;
                return Ok(rest[..at].to_owned());
            }
            escaped = c == '\\' && !escaped;
        }
        Err(self.error("a quote that is never closed"))
    }
}
