//! Sentences with their trees, made up by a small grammar: data to try trees on without a download.
//!
//! Somebody does something to something, perhaps with something, perhaps often. What is behind "with" belongs to the verb where it is a tool, and to
//! the noun before it else; what is behind "of" belongs to the noun. Words that begin questions stand far from the verbs they belong to, and some adverbs
//! stand between a noun and what belongs to it, so that arcs cross. The same seed gives the same sentences on every machine.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::TreeExamples;
use crate::data::{Alphabet, Vocabulary, parse_conllu};
use crate::error::Result;
use crate::training::Examples;

const PEOPLE: [&str; 8] = ["woman", "man", "child", "teacher", "doctor", "farmer", "sailor", "painter"];
const THINGS: [&str; 8] = ["house", "tree", "boat", "letter", "picture", "table", "bird", "bread"];
const TOOLS: [&str; 5] = ["telescope", "hammer", "knife", "pencil", "camera"];
const MARKS: [&str; 5] = ["hat", "roof", "garden", "handle", "beard"];
const VERBS: [&str; 6] = ["sees", "draws", "cuts", "hits", "likes", "buys"];
const ADJECTIVES: [&str; 6] = ["old", "green", "small", "tall", "quiet", "heavy"];
const ADVERBS: [&str; 4] = ["often", "today", "slowly", "again"];

/// How likely an adverb stands where its arc crosses another.
const CROSSING: f64 = 0.1;

/// Sentences and their trees.
#[derive(Debug, Clone)]
pub struct TreeSentences {
    /// The sentences with their trees.
    pub data: TreeExamples,
    /// The names of relations.
    pub names: Vocabulary,
}

impl From<TreeSentences> for Examples {
    fn from(sentences: TreeSentences) -> Self {
        Examples::new(sentences.data, sentences.names)
    }
}

/// A word with its tag, its head and its relation.
struct Word {
    form: &'static str,
    tag: &'static str,
    head: usize,
    relation: &'static str,
}

/// A sentence in the making; words are numbered from 1.
#[derive(Default)]
struct Words(Vec<Word>);

impl Words {
    fn push(&mut self, form: &'static str, tag: &'static str, head: usize, relation: &'static str) -> usize {
        self.0.push(Word { form, tag, head, relation });
        self.0.len()
    }

    /// An article, perhaps an adjective, and a noun, whose head is set later.
    fn noun(&mut self, nouns: &[&'static str], random: &mut Pcg64Mcg) -> usize {
        let has_adjective = random.random_bool(0.4);
        let noun = self.0.len() + 2 + usize::from(has_adjective);
        self.push(if random.random_bool(0.5) { "the" } else { "a" }, "DET", noun, "det");
        if has_adjective {
            self.push(one_of(&ADJECTIVES, random), "ADJ", noun, "amod");
        }
        self.push(one_of(nouns, random), "NOUN", 0, "root")
    }

    fn attach(&mut self, word: usize, head: usize, relation: &'static str) {
        let word = &mut self.0[word - 1];
        (word.head, word.relation) = (head, relation);
    }

    fn text(&self) -> String {
        let line = |(number, word): (usize, &Word)| {
            let Word { form, tag, head, relation } = word;
            format!("{number}\t{form}\t{form}\t{tag}\t_\t_\t{head}\t{relation}\t_\t_\n")
        };
        (1..).zip(&self.0).map(line).chain(["\n".to_owned()]).collect()
    }
}

fn one_of(words: &[&'static str], random: &mut Pcg64Mcg) -> &'static str {
    words[random.random_range(0..words.len())]
}

fn sentence(random: &mut Pcg64Mcg) -> Words {
    let mut words = Words::default();
    let subject = words.noun(&PEOPLE, random);
    let of = random.random_bool(0.2).then(|| add_phrase(&mut words, "of", &THINGS, random));
    let verb = words.push(one_of(&VERBS, random), "VERB", 0, "root");
    words.attach(subject, verb, "nsubj");
    of.into_iter().for_each(|noun| words.attach(noun, subject, "nmod"));
    let object = words.noun(&THINGS, random);
    words.attach(object, verb, "obj");
    if random.random_bool(CROSSING) {
        let adverb = one_of(&ADVERBS, random);
        words.push(adverb, "ADV", verb, "advmod");
    }
    if random.random_bool(0.6) {
        let is_tool = random.random_bool(0.5);
        let noun = add_phrase(&mut words, "with", if is_tool { &TOOLS } else { &MARKS }, random);
        match is_tool {
            true => words.attach(noun, verb, "obl"),
            false => words.attach(noun, object, "nmod"),
        }
    }
    if random.random_bool(0.3) {
        let adverb = one_of(&ADVERBS, random);
        words.push(adverb, "ADV", verb, "advmod");
    }
    words.push(".", "PUNCT", verb, "punct");
    words
}

/// A preposition with a noun, whose head is set later.
fn add_phrase(
    words: &mut Words,
    preposition: &'static str,
    nouns: &[&'static str],
    random: &mut Pcg64Mcg,
) -> usize {
    let case = words.push(preposition, "ADP", 0, "case");
    let noun = words.noun(nouns, random);
    words.attach(case, noun, "case");
    noun
}

/// The text of so many sentences, as CoNLL-U.
pub fn text(count: usize, seed: u64) -> String {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    (0..count).map(|_| sentence(&mut random).text()).collect()
}

/// So many sentences with their trees.
///
/// ```
/// let sentences = maxmargin::tasks::parsing::grammar::sentences(10, 1)?;
/// assert!(sentences.names.labels.get("nsubj").is_some());
/// # Ok::<(), maxmargin::Error>(())
/// ```
pub fn sentences(count: usize, seed: u64) -> Result<TreeSentences> {
    // All relations that there are, so that data of any seed has the same numbers.
    let relations = ["root", "nsubj", "obj", "obl", "nmod", "det", "amod", "case", "advmod", "punct"];
    let labels: Alphabet = relations.into_iter().collect();
    let texts = parse_conllu("grammar", &text(count, seed))?;
    let data = TreeExamples::of_files(texts, |relation| labels.get(relation))?;
    Ok(TreeSentences { data, names: Vocabulary { labels, attributes: TreeExamples::fields() } })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::TaskData;

    #[test]
    fn sentences_have_trees_of_which_some_cross() -> Result<()> {
        let sentences = sentences(200, 3)?.data;
        let trees: Vec<_> = (0..sentences.len()).filter_map(|i| sentences.tree(i)).collect();
        assert_eq!(trees.len(), 200);
        let crossing = trees.iter().filter(|tree| !tree.is_projective()).count();
        assert!((3..40).contains(&crossing), "{crossing}");
        assert!(trees.iter().all(|tree| tree.has_roots(crate::inference::Roots::One)));
        Ok(())
    }
}
