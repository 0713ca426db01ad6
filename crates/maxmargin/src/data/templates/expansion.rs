//! From sentences to attributes, quickly.
//!
//! Texts are looked at once: each entry of a column gets a number, each piece of an entry (its lower case, a prefix, what an
//! expression matches) is found once for each number and has a number too. An attribute is then known by its template and the
//! numbers of its pieces. Its name is written, and looked up, when such numbers meet for the first time. What is remembered is
//! forgotten when it takes too much memory, so that a stream of any length can be expanded.

use rustc_hash::FxHashMap;

use super::super::alphabet::Alphabet;
use super::super::number::float;
use super::super::{Fingerprint, fingerprint_of_bytes};
use super::parsing::{FARTHEST, Item, Parsed, Piece, Place, Template, What};
use super::{Templates, letters};
use crate::shown::excerpt;

/// A text that is remembered has a number of so many bits, so that three fit into a key.
const BITS: u32 = 21;
/// So many texts, or bytes of them, are remembered.
const MOST_TEXTS: usize = 1 << (BITS - 1);
const MOST_BYTES: usize = 128 << 20;
/// So many attributes of several pieces are remembered.
const MOST_MEETINGS: usize = 1 << 23;
/// The name of an attribute has at most so many bytes.
const LONGEST_NAME: usize = 1 << 16;
/// The pieces of a sentence are at most so many.
const MOST_PIECES: usize = 1 << 25;

/// No text: the attribute is left out.
const NOTHING: u32 = u32::MAX;
/// What caches hold: not asked yet, no text or unknown attribute, else a number plus 2.
const UNASKED: u32 = 0;
const ABSENT: u32 = 1;

/// Where attributes go.
pub trait AttributeSink {
    /// The number of an attribute by its name; none where it is not wanted.
    fn number(&mut self, name: &str) -> Option<u32>;
    /// The same of an attribute that has a weight for each pair of labels.
    fn number_of_pairs(&mut self, name: &str) -> Option<u32> {
        self.number(name)
    }
    /// Adds an attribute to the open row.
    fn push(&mut self, number: Option<u32>, value: f64);
    /// Where the number of what each [template of segments](super::Templates::segment_templates) says of the token goes to, 0 where it says
    /// nothing; none where these are not wanted.
    fn segment_keys(&mut self) -> Option<&mut Vec<u64>> {
        None
    }
    /// Ends the row of a token.
    fn end_row(&mut self);
}

/// What the attributes of a template have weights for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weighted {
    /// Each label.
    Labels,
    /// Each pair of neighbouring labels.
    Pairs,
}

/// Makes attributes of sentences.
#[derive(Debug)]
pub struct Expander {
    templates: Templates,
    texts: Alphabet,
    /// By piece and text: the text of the piece.
    piece_of: Vec<Vec<u32>>,
    /// By piece: the lists of texts that texts stand for, where it makes several.
    several: Vec<Vec<Vec<u32>>>,
    /// What is known of attributes, of labels and of pairs.
    known: [Known; 2],
    /// The numbers of the marks, by distance: before the first token, then after the last one.
    marks: [Vec<u32>; 2],
    /// The open sentence: the number of each entry, token by token.
    entries: Vec<u32>,
    tokens: usize,
    /// The texts of its pieces, piece by piece, with marks before and after.
    found: Vec<u32>,
    name: String,
    part: String,
    /// Whether an attribute was wanted that tells something of what the tokens are.
    recognised: bool,
    /// By piece: whether its expression matched, or its list had, anything yet.
    matched: Vec<bool>,
}

/// The attributes that were met, by their templates and texts.
#[derive(Debug, Default)]
struct Known {
    /// By template and text, where a template has one piece (or none: then the text is 0).
    single: Vec<Vec<u32>>,
    /// By template, then by two or three texts.
    meetings: Vec<FxHashMap<u64, u32>>,
    /// What stands for the first texts of templates with more than three: how many there were before, and two of them.
    pairs: FxHashMap<(usize, u32, u32), u32>,
}

impl Expander {
    /// For these templates.
    pub fn new(templates: Templates) -> Self {
        let pieces = templates.parsed.pieces.len();
        let mut new = Self {
            templates,
            texts: Alphabet::default(),
            piece_of: vec![Vec::new(); pieces],
            several: vec![Vec::new(); pieces],
            known: Default::default(),
            marks: Default::default(),
            entries: Vec::new(),
            tokens: 0,
            found: Vec::new(),
            name: String::new(),
            part: String::new(),
            recognised: false,
            matched: vec![false; pieces],
        };
        new.forget();
        new
    }

    /// What it expands.
    pub fn templates(&self) -> &Templates {
        &self.templates
    }

    /// Whether some attribute was wanted that has a text of its own: the marks of the sentence's ends, shapes and tests are like those of
    /// any other text. Also where no template makes such attributes.
    pub fn recognised_some(&self) -> bool {
        self.recognised || !self.templates.parsed.tells_texts()
    }

    /// The commands whose expression matched nothing so far, or whose list had nothing, as they are written.
    pub fn idle_commands(&self) -> impl Iterator<Item = String> + '_ {
        let pieces = self.templates.parsed.pieces.iter().zip(&self.matched);
        pieces
            .filter(|(piece, matched)| piece.what.may_be_idle() && !**matched)
            .map(|(piece, _)| piece.shown())
    }

    fn forget(&mut self) {
        let parsed = &self.templates.parsed;
        self.texts = Alphabet::default();
        self.piece_of.iter_mut().for_each(Vec::clear);
        self.several.iter_mut().for_each(Vec::clear);
        for (known, templates) in self.known.iter_mut().zip([&parsed.unigrams, &parsed.bigrams]) {
            *known = Known {
                single: vec![Vec::new(); templates.len()],
                meetings: vec![FxHashMap::default(); templates.len()],
                ..Known::default()
            };
        }
        let farthest = parsed.farthest();
        let syntax = self.templates.columns.syntax;
        let texts = &mut self.texts;
        let mut marks = |sign: i32| (1..=farthest).map(|d| texts.add(&syntax.mark(sign * d))).collect();
        self.marks = [marks(-1), marks(1)];
    }

    /// Adds a token to the open sentence: its columns without that of the label.
    pub fn push<'a>(&mut self, entries: impl IntoIterator<Item = &'a str>) {
        if self.tokens == 0 {
            let maps =
                |known: &Known| known.pairs.len() + known.meetings.iter().map(FxHashMap::len).sum::<usize>();
            let meetings: usize = self.known.iter().map(maps).sum();
            let is_full = self.texts.len() > MOST_TEXTS || self.texts.bytes() > MOST_BYTES;
            if is_full || meetings > MOST_MEETINGS {
                self.forget();
            }
        }
        let columns = self.templates.columns.count - 1;
        let texts = &mut self.texts;
        self.entries.extend(entries.into_iter().map(|entry| texts.add(entry)));
        self.tokens += 1;
        self.entries.resize(self.tokens * columns, 0);
    }

    /// The number of tokens of the open sentence.
    pub fn tokens(&self) -> usize {
        self.tokens
    }

    /// Writes the attributes of the open sentence, a row for each token, and ends it. A problem comes with the token.
    pub fn expand(&mut self, sink: &mut impl AttributeSink) -> Result<(), (usize, String)> {
        match self.templates.has_pair_attributes() {
            true => self.expand_kinds(&[Weighted::Labels, Weighted::Pairs], sink)?,
            false => self.expand_for(Weighted::Labels, sink)?,
        }
        self.end();
        Ok(())
    }

    /// Ends the open sentence.
    pub fn end(&mut self) {
        self.entries.clear();
        self.tokens = 0;
    }

    /// Writes the attributes of the open sentence that have such weights. Those of a pair of labels are in the row of the
    /// second token of two, and the first token has none.
    pub fn expand_for(
        &mut self,
        weighted: Weighted,
        sink: &mut impl AttributeSink,
    ) -> Result<(), (usize, String)> {
        self.expand_kinds(&[weighted], sink)
    }

    fn expand_kinds(
        &mut self,
        kinds: &[Weighted],
        sink: &mut impl AttributeSink,
    ) -> Result<(), (usize, String)> {
        self.find_pieces()?;
        let parsed = &mut self.templates.parsed;
        let (unigrams, bigrams) = (std::mem::take(&mut parsed.unigrams), std::mem::take(&mut parsed.bigrams));
        let segments = std::mem::take(&mut parsed.segments);
        let result = (0..self.tokens).try_for_each(|token| {
            let row = kinds.iter().try_for_each(|&weighted| {
                let templates = match weighted {
                    Weighted::Labels => &unigrams[..],
                    Weighted::Pairs if token > 0 => &bigrams[..],
                    Weighted::Pairs => &[],
                };
                self.row(weighted, templates, token, sink)
            });
            if let Some(keys) = sink.segment_keys() {
                keys.extend(segments.iter().map(|template| self.segment_key(template, token)));
            }
            sink.end_row();
            row.map_err(|problem| (token, problem))
        });
        self.templates.parsed.unigrams = unigrams;
        self.templates.parsed.bigrams = bigrams;
        self.templates.parsed.segments = segments;
        result
    }

    /// The number of what a template of segments says of a token. Models have such numbers: they are the same in every version.
    fn segment_key(&self, template: &Template, token: usize) -> u64 {
        let mut key = Fingerprint::default();
        for &(place, piece) in &template.pieces {
            match self.look(place, piece, token) {
                NOTHING => return 0,
                text => key.add(fingerprint_of_bytes(self.texts.name(text).as_bytes())),
            }
        }
        key.number().max(1)
    }

    fn row(
        &mut self,
        weighted: Weighted,
        templates: &[Template],
        token: usize,
        sink: &mut impl AttributeSink,
    ) -> Result<(), String> {
        // Values of equal names add up; their sum is finite when the sum of all is.
        let mut size = 0.0;
        for (number, template) in templates.iter().enumerate() {
            size += self.attribute(weighted, number, template, token, sink)?;
        }
        match size == f64::INFINITY {
            true => Err("the values of this token are too large to add up".to_owned()),
            false => Ok(()),
        }
    }

    /// Finds the texts of all pieces of the open sentence.
    fn find_pieces(&mut self) -> Result<(), (usize, String)> {
        let pieces = std::mem::take(&mut self.templates.parsed.pieces);
        let columns = self.templates.columns.count - 1;
        let far = self.marks[0].len();
        let width = self.tokens + 2 * far;
        self.found.clear();
        if width.saturating_mul(pieces.len()) > MOST_PIECES {
            self.templates.parsed.pieces = pieces;
            let problem =
                format!("a sentence of {} tokens is too long; blank lines end sentences", self.tokens);
            return Err((0, problem));
        }
        for (number, piece) in pieces.iter().enumerate() {
            let is_of_marks = piece.what.is_of_marks();
            for far_before in (0..far).rev() {
                let mark = self.marks[0][far_before];
                let text = if is_of_marks { self.piece(number, piece, mark) } else { NOTHING };
                self.found.push(text);
            }
            match &piece.what {
                What::InPhrase(tree) => {
                    let texts = &self.texts;
                    let column = self.entries.iter().skip(piece.column).step_by(columns);
                    let marks = tree.marks(column.map(|&entry| texts.name(entry)));
                    let texts = &mut self.texts;
                    self.matched[number] |= marks.iter().any(Option::is_some);
                    self.found
                        .extend(marks.into_iter().map(|mark| mark.map_or(NOTHING, |mark| texts.add(mark))));
                }
                _ => {
                    for token in 0..self.tokens {
                        let entry = self.entries[token * columns + piece.column];
                        let text = self.piece(number, piece, entry);
                        self.found.push(text);
                    }
                }
            }
            for far_behind in 0..far {
                let mark = self.marks[1][far_behind];
                let text = if is_of_marks { self.piece(number, piece, mark) } else { NOTHING };
                self.found.push(text);
            }
        }
        self.templates.parsed.pieces = pieces;
        Ok(())
    }

    /// The text of a piece for an entry. A list of texts goes by the number of the entry, and so does a value.
    #[inline]
    fn piece(&mut self, number: usize, piece: &Piece, entry: u32) -> u32 {
        if matches!(piece.what, What::Entry) && !piece.lower || matches!(piece.what, What::Value) {
            return entry;
        }
        match self.piece_of[number].get(entry as usize) {
            Some(&ABSENT) => NOTHING,
            Some(&known) if known != UNASKED => known - 2,
            _ => self.new_piece(number, piece, entry),
        }
    }

    #[cold]
    fn new_piece(&mut self, number: usize, piece: &Piece, entry: u32) -> u32 {
        if let What::Grams(count) = piece.what {
            return self.new_grams(number, count, piece.lower, entry);
        }
        let word = self.texts.name(entry);
        // The marks of a sentence stay as they are: no column has them.
        let is_mark = self.marks.iter().any(|marks| marks.contains(&entry));
        self.part.clear();
        let text = match &piece.what {
            What::Match(pattern) => {
                let range = pattern.find(word);
                self.matched[number] |= range.is_some() && !is_mark;
                Some(range.map_or("", |range| &word[range]))
            }
            What::Test(pattern) => {
                let is_match = pattern.find(word).is_some();
                self.matched[number] |= is_match && !is_mark;
                Some(if is_match { "true" } else { "false" })
            }
            What::Prefix(count) => letters::prefix(word, *count),
            What::Suffix(count) => letters::suffix(word, *count),
            What::Letter(place) => letters::letter(word, *place),
            What::Listed(tree) => {
                let is_listed = tree.has(word);
                self.matched[number] |= is_listed;
                is_listed.then_some("1")
            }
            _ => Some(word),
        };
        match (&piece.what, text) {
            (What::Shape { short }, _) => letters::write_shape(word, *short, &mut self.part),
            (_, Some(text)) if piece.lower && !is_mark => letters::write_lower(text, &mut self.part),
            (_, Some(text)) => self.part.push_str(text),
            (_, None) => {
                remember(&mut self.piece_of[number], entry, ABSENT);
                return NOTHING;
            }
        }
        let text = self.texts.add(&self.part);
        remember(&mut self.piece_of[number], entry, text + 2);
        text
    }

    /// The runs of letters of an entry, by the number of which the list is known.
    fn new_grams(&mut self, number: usize, count: usize, lower: bool, entry: u32) -> u32 {
        self.part.clear();
        match lower {
            true => letters::write_lower(self.texts.name(entry), &mut self.part),
            false => self.part.push_str(self.texts.name(entry)),
        }
        let texts = &mut self.texts;
        let mut grams: Vec<u32> = letters::grams(&self.part, count).map(|gram| texts.add(gram)).collect();
        grams.sort_unstable();
        grams.dedup();
        let code = if grams.is_empty() { ABSENT } else { self.several[number].len() as u32 + 2 };
        if code != ABSENT {
            self.several[number].push(grams);
        }
        remember(&mut self.piece_of[number], entry, code);
        if code == ABSENT { NOTHING } else { code - 2 }
    }

    /// The text of a piece at a place, seen from a token.
    #[inline]
    fn look(&self, place: Place, piece: usize, token: usize) -> u32 {
        let far = self.marks[0].len();
        let width = self.tokens + 2 * far;
        let at = self.token_at(place, token);
        // The farthest place of any template has its mark.
        self.found[piece * width + (at + far as isize) as usize]
    }

    /// Which token is at a place, seen from another one; before the first or after the last one there is none.
    #[inline]
    fn token_at(&self, place: Place, token: usize) -> isize {
        match place {
            Place::Relative(row) => token as isize + row as isize,
            Place::Absolute(row) if row > 0 => row as isize - 1,
            Place::Absolute(row) => self.tokens as isize + row as isize,
        }
    }

    /// Writes the attributes that a template makes for a token. Returns how much they are at most.
    #[inline]
    fn attribute(
        &mut self,
        weighted: Weighted,
        number: usize,
        template: &Template,
        token: usize,
        sink: &mut impl AttributeSink,
    ) -> Result<f64, String> {
        let value = match template.value {
            None => 1.0,
            Some((place, piece)) => match self.look(place, piece, token) {
                NOTHING => return Ok(0.0),
                entry => {
                    let text = self.texts.name(entry);
                    let number = float(text.as_bytes()).filter(|value| value.is_finite());
                    number.ok_or_else(|| {
                        format!("`{}` is not a finite number, as %v asks for", excerpt(text))
                    })?
                }
            },
        };
        let Some((place, piece)) = template.list else {
            self.one(weighted, number, template, token, None, value, sink)?;
            return Ok(value.abs());
        };
        let list = self.look(place, piece, token);
        let count = if list == NOTHING { 0 } else { self.several[piece][list as usize].len() };
        for k in 0..count {
            let text = self.several[piece][list as usize][k];
            self.one(weighted, number, template, token, Some((piece, text)), value, sink)?;
        }
        Ok(count as f64 * value.abs())
    }

    /// Writes one attribute; `chosen` is the piece that makes several, and the text that is meant.
    #[allow(clippy::too_many_arguments)]
    #[inline]
    fn one(
        &mut self,
        weighted: Weighted,
        number: usize,
        template: &Template,
        token: usize,
        chosen: Option<(usize, u32)>,
        value: f64,
        sink: &mut impl AttributeSink,
    ) -> Result<(), String> {
        let text_of = |this: &Self, place, piece| match chosen {
            Some((list, text)) if list == piece => text,
            _ => this.look(place, piece, token),
        };
        let (mut texts, mut count) = ([0; 3], 0);
        for (at, &(place, piece)) in template.pieces.iter().enumerate() {
            let text = text_of(self, place, piece);
            if text == NOTHING {
                return Ok(());
            }
            if count == 3 {
                // The first two become one.
                let pairs = &mut self.known[weighted as usize].pairs;
                let next = pairs.len() as u32;
                texts = [*pairs.entry((at, texts[0], texts[1])).or_insert(next), texts[2], 0];
                count = 2;
            }
            texts[count] = text;
            count += 1;
        }
        let known = &self.known[weighted as usize];
        let is_single = template.pieces.len() < 2;
        // What has too large a number in a sentence without end is not remembered.
        let key = texts.iter().all(|text| text >> BITS == 0);
        let key = key.then(|| texts.iter().fold(0, |key, &text| key << BITS | u64::from(text)));
        let code = match (is_single, key) {
            (true, _) => known.single[number].get(texts[0] as usize).copied(),
            (false, Some(key)) => known.meetings[number].get(&key).copied(),
            (false, None) => None,
        };
        let code = code.unwrap_or(UNASKED);
        let code = match code {
            UNASKED => {
                self.name.clear();
                for item in &template.items {
                    match *item {
                        Item::Text(ref text) => self.name.push_str(text),
                        Item::Piece(place, piece) => {
                            let text = text_of(self, place, piece);
                            self.name.push_str(self.texts.name(text));
                        }
                    }
                }
                if self.name.len() > LONGEST_NAME {
                    return Err(format!(
                        "an attribute of more than {LONGEST_NAME} bytes: `{}`",
                        excerpt(&self.name)
                    ));
                }
                let code = match weighted {
                    Weighted::Labels => sink.number(&self.name),
                    Weighted::Pairs => sink.number_of_pairs(&self.name),
                };
                let tells = |&(place, piece): &(Place, usize)| {
                    let is_inside = (0..self.tokens as isize).contains(&self.token_at(place, token));
                    is_inside && self.templates.parsed.pieces[piece].what.is_own_text()
                };
                self.recognised |= code.is_some() && template.pieces.iter().any(tells);
                let code = code.map_or(ABSENT, |number| number + 2);
                let known = &mut self.known[weighted as usize];
                match (is_single, key) {
                    (true, _) => remember(&mut known.single[number], texts[0], code),
                    (false, Some(key)) => _ = known.meetings[number].insert(key, code),
                    (false, None) => {}
                }
                code
            }
            code => code,
        };
        sink.push(code.checked_sub(2), value);
        Ok(())
    }
}

fn remember(codes: &mut Vec<u32>, at: u32, code: u32) {
    let at = at as usize;
    if codes.len() <= at {
        codes.resize((at + 1).max(2 * codes.len()), UNASKED);
    }
    codes[at] = code;
}

impl Parsed {
    /// How far templates look beyond a sentence.
    fn farthest(&self) -> i32 {
        let templates = self.unigrams.iter().chain(&self.bigrams).chain(&self.segments);
        let places = templates.flat_map(|template| template.pieces.iter().chain(&template.value));
        let far = places.map(|(place, _)| match place {
            Place::Relative(row) | Place::Absolute(row) => row.abs(),
        });
        far.max().unwrap_or(0).min(FARTHEST)
    }
}
