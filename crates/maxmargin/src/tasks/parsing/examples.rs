//! Sentences with a tree each, and how they are read.

use crate::data::{
    Alphabet, Attributes, Column, ConlluSentence, Fingerprint, TaskData, UNKNOWN_LABEL, Vocabulary,
    fingerprint_of_bytes, parse_conllu, refuse, starts,
};
use crate::error::Result;
use crate::structure::{DependencyTree, Sentence, Token};

/// What is known of each word: the columns of CoNLL-U that features are made of, and the last letters.
const FIELDS: [&str; 5] = ["form", "upos+xpos", "upos", "ending", "feats"];

/// So many letters are the ending of a word.
const ENDING: usize = 3;

/// The coarse tag of punctuation, which some evaluations leave out.
const PUNCTUATION: &str = "PUNCT";

/// Sentences with a tree each, where it is known.
///
/// ```
/// use maxmargin::structure::{DependencyTree, Token};
/// use maxmargin::tasks::TreeExamples;
/// let words = [7, 8].map(|word| Token { word, ..Token::default() });
/// let tree = DependencyTree { heads: vec![2, 0], relations: vec![1, 0] };
/// let examples = TreeExamples::new([(words.to_vec(), Some(tree))])?;
/// assert_eq!(examples.sentence(0).len(), 2);
/// # Ok::<(), maxmargin::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct TreeExamples {
    sentences: Vec<Sentence>,
    /// Where the words of each sentence begin, and the end.
    starts: Vec<usize>,
    /// Of all words, one sentence after the other; unknown where a tree is not known.
    heads: Vec<u32>,
    relations: Vec<u32>,
    is_punctuation: Vec<bool>,
    /// What files say, to be written again.
    texts: Option<Vec<ConlluSentence>>,
}

impl TreeExamples {
    /// Sentences with their trees.
    pub fn new(sentences: impl IntoIterator<Item = (Vec<Token>, Option<DependencyTree>)>) -> Result<Self> {
        let (mut words, mut heads, mut relations) = (Vec::new(), Vec::new(), Vec::new());
        for (i, (tokens, tree)) in sentences.into_iter().enumerate() {
            match tree {
                Some(tree) => {
                    if tree.heads.len() != tokens.len() || tree.relations.len() != tokens.len() {
                        return refuse(format!("the tree of sentence {} has another number of words", i + 1));
                    }
                    if let Some(fault) = DependencyTree::fault(&tree.heads, crate::inference::Roots::Any) {
                        return refuse(format!(
                            "the heads of sentence {} are those of no tree: {fault:?}",
                            i + 1
                        ));
                    }
                    heads.extend(tree.heads);
                    relations.extend(tree.relations);
                }
                None => {
                    heads.resize(heads.len() + tokens.len(), UNKNOWN_LABEL);
                    relations.resize(relations.len() + tokens.len(), UNKNOWN_LABEL);
                }
            }
            words.push(Sentence::new(tokens));
        }
        let starts = starts(words.iter().map(Sentence::len));
        let is_punctuation = vec![false; heads.len()];
        Ok(Self { sentences: words, starts, heads, relations, is_punctuation, texts: None })
    }

    /// Sentences of files. Relations get numbers as `number` has it: none where one is not known.
    pub(super) fn of_files(
        texts: Vec<ConlluSentence>,
        mut number: impl FnMut(&str) -> Option<u32>,
    ) -> Result<Self> {
        let mut examples = Self::new(texts.iter().map(|text| {
            let tokens = (0..text.len()).map(|word| token(text, word)).collect();
            let mut relation = |word| number(text.column(word, Column::Deprel)).unwrap_or(UNKNOWN_LABEL);
            let tree = text.heads().map(|heads| DependencyTree {
                heads: heads.to_vec(),
                relations: (0..text.len()).map(&mut relation).collect(),
            });
            (tokens, tree)
        }))?;
        let is_punctuation =
            |text: &ConlluSentence, word: usize| text.column(word, Column::Upos) == PUNCTUATION;
        let of_text = |text| (0..ConlluSentence::len(text)).map(move |word| is_punctuation(text, word));
        examples.is_punctuation = texts.iter().flat_map(of_text).collect();
        examples.texts = Some(texts);
        Ok(examples)
    }

    /// The sentences of a text in CoNLL-U, and the names of their relations: those that are `known`, or all that there are.
    ///
    /// ```
    /// use maxmargin::tasks::TreeExamples;
    /// let text = "1\tCats\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsleep\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n";
    /// let (examples, names) = TreeExamples::from_conllu(text, None)?;
    /// assert_eq!(examples.tree(0).unwrap().heads, [2, 0]);
    /// assert!(names.labels.iter().eq(["nsubj", "root"]));
    /// # Ok::<(), maxmargin::Error>(())
    /// ```
    pub fn from_conllu(text: &str, known: Option<&Vocabulary>) -> Result<(Self, Vocabulary)> {
        let texts = parse_conllu("the text", text)?;
        let mut relations = Alphabet::default();
        let examples = match known {
            Some(names) => Self::of_files(texts, |relation| names.labels.get(relation))?,
            None => Self::of_files(texts, |relation| Some(relations.add(relation)))?,
        };
        let names = || Vocabulary { labels: relations, attributes: Self::fields() };
        Ok((examples, known.cloned().unwrap_or_else(names)))
    }

    /// The same with trees whose arcs do not cross, and the number of sentences that this changes.
    pub fn lifted(mut self) -> (Self, usize) {
        let mut changed = 0;
        for i in 0..self.sentences.len() {
            let Some(tree) = self.tree(i).filter(|tree| !tree.is_projective()) else { continue };
            self.heads[self.starts[i]..self.starts[i + 1]].copy_from_slice(&tree.lifted().heads);
            changed += 1;
        }
        (self, changed)
    }

    /// The words of a sentence. Panics when it does not exist.
    pub fn sentence(&self, example: usize) -> &Sentence {
        &self.sentences[example]
    }

    /// The tree of a sentence, where it is known. Relations that are not known have no number. Panics when it does not exist.
    pub fn tree(&self, example: usize) -> Option<DependencyTree> {
        let words = self.starts[example]..self.starts[example + 1];
        let heads = self.heads[words.clone()].to_vec();
        (!heads.contains(&UNKNOWN_LABEL))
            .then(|| DependencyTree { heads, relations: self.relations[words].to_vec() })
    }

    /// Whether each word of a sentence is punctuation. Panics when it does not exist.
    pub fn is_punctuation(&self, example: usize) -> &[bool] {
        &self.is_punctuation[self.starts[example]..self.starts[example + 1]]
    }

    /// What a file says of a sentence. Panics when it does not exist.
    pub fn text(&self, example: usize) -> Option<&ConlluSentence> {
        self.texts.as_ref().map(|texts| &texts[example])
    }

    /// The names of what is known of words.
    pub(super) fn fields() -> Attributes {
        Attributes::Named(FIELDS.into_iter().collect())
    }
}

/// What is known of a word.
fn token(text: &ConlluSentence, word: usize) -> Token {
    let hash = |text: &str| fingerprint_of_bytes(text.as_bytes()) as u32;
    let form = text.column(word, Column::Form).to_lowercase();
    let [coarse, fine, feats] =
        [Column::Upos, Column::Xpos, Column::Feats].map(|column| text.column(word, column));
    let ending = form.char_indices().rev().nth(ENDING - 1).map_or(0, |(place, _)| place);
    Token {
        word: hash(&form),
        tag: hash(&format!("{coarse}\t{fine}")),
        coarse: hash(coarse),
        ending: hash(&form[ending..]),
        form: hash(&format!("{coarse}\t{feats}")),
    }
}

impl TaskData for TreeExamples {
    const KIND: &'static str = "sentences with a tree each";

    fn len(&self) -> usize {
        self.sentences.len()
    }

    fn attributes(&self) -> usize {
        FIELDS.len()
    }

    fn subset(&self, examples: &[usize]) -> Result<Self> {
        if let Some(&i) = examples.iter().find(|&&i| i >= self.sentences.len()) {
            return refuse(format!("there is no example {i}; there are {}", self.sentences.len()));
        }
        let words = || examples.iter().flat_map(|&i| self.starts[i]..self.starts[i + 1]);
        Ok(Self {
            sentences: examples.iter().map(|&i| self.sentences[i].clone()).collect(),
            starts: starts(examples.iter().map(|&i| self.sentences[i].len())),
            heads: words().map(|word| self.heads[word]).collect(),
            relations: words().map(|word| self.relations[word]).collect(),
            is_punctuation: words().map(|word| self.is_punctuation[word]).collect(),
            texts: self.texts.as_ref().map(|texts| examples.iter().map(|&i| texts[i].clone()).collect()),
        })
    }

    fn labels(&self) -> &[u32] {
        &self.relations
    }

    fn labels_of(&self, example: usize) -> &[u32] {
        &self.relations[self.starts[example]..self.starts[example + 1]]
    }

    fn missing_truth(&self, _: bool) -> Option<&'static str> {
        let nothing = "an evaluation needs the true trees: a HEAD for each word, and not _";
        self.heads.contains(&UNKNOWN_LABEL).then_some(nothing)
    }

    fn default_names(&self) -> Result<Vocabulary> {
        let labels: Vec<String> = (0..self.label_count()).map(|label| label.to_string()).collect();
        let labels: Alphabet = labels.iter().map(String::as_str).collect();
        Ok(Vocabulary { labels, attributes: Self::fields() })
    }

    fn bytes(&self) -> usize {
        let texts = self.texts.iter().flatten();
        let texts: usize = texts.map(|text| text.text().len() + 8 * text.len() + 64).sum();
        (size_of::<Token>() + 9) * self.heads.len() + 48 * self.sentences.len() + texts
    }

    fn fingerprint(&self) -> u64 {
        let mut fingerprint = Fingerprint::default();
        for i in 0..self.sentences.len() {
            let words = self.starts[i]..self.starts[i + 1];
            let arcs = self.heads[words.clone()].iter().zip(&self.relations[words]);
            fingerprint.add_all(arcs.map(|(&head, &relation)| u64::from(head) << 32 | u64::from(relation)));
            for token in self.sentences[i].words() {
                let numbers = [token.word, token.tag, token.coarse, token.ending, token.form];
                numbers.into_iter().for_each(|number| fingerprint.add(u64::from(number)));
            }
        }
        fingerprint.number()
    }

    fn parts(&self) -> (&'static str, usize) {
        ("word", self.heads.len())
    }

    fn has_blocks(&self) -> bool {
        true
    }

    /// The lines of a file with another tree.
    fn in_place(&self, example: usize, label: &serde_json::Value) -> Option<String> {
        let text = self.text(example)?;
        let arc = |arc: &'_ serde_json::Value| {
            Some((u32::try_from(arc[0].as_u64()?).ok()?, arc[1].as_str()?.to_owned()))
        };
        let arcs: Vec<(u32, String)> = label.as_array()?.iter().map(arc).collect::<Option<_>>()?;
        Some(text.with_tree(arcs.iter().map(|(head, relation)| (*head, relation.as_str()))))
    }
}
