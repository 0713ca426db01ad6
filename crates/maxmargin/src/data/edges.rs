//! Bipartite graphs, one edge a line: `left right label feature[:value] …`, between spaces or tabs.
//!
//! `left` and `right` are the numbers of two nodes within the example, from 0. The label is `sure` (or `S`) for a link,
//! `possible` (or `P`) for one that is neither right nor wrong, and `none` (or `-`) for an edge that is no link, or of
//! which nothing is known. A feature is any name without spaces; a number after its last colon is its value, which is 1
//! otherwise. A colon that belongs to the name is written `\:`, and a backslash `\\`. The values of a feature that a line
//! repeats are added up. A blank line ends an example. Lines that begin with `#` are comments.
//!
//! Before the edges of an example may stand `@example weight=W unreachable=N`, or one of the two: its weight, and how
//! many of its sure links are not among the edges. Those cannot be predicted, but an evaluation counts them as missed.
//!
//! ```text
//! # das Haus / the house
//! 0 0 sure dice:0.8 same-place
//! 0 1 none dice:0.1
//! 1 0 none dice:0.1
//! 1 1 sure dice:0.7 same-place
//!
//! @example weight=0.5 unreachable=1
//! 0 0 possible dice:0.3
//! ```

use rustc_hash::FxHashMap;

use super::crfsuite::{AttributeField, attribute_value, check_attributes};
use super::dataset_builder::DatasetBuilder;
use super::number::{weight, whole};
use super::source::{Line, Source};
use crate::error::Result;
use crate::shown::excerpt;
use crate::structure::Edge;

/// Nodes are numbered below this: a larger number is more likely a slip than a node.
pub(crate) const MOST_NODES: u32 = 1 << 20;

/// What the labels of edges are called, in the order of their numbers.
pub const EDGE_LABELS: [&str; 3] = ["none", "sure", "possible"];

/// What begins the line that says something about an example.
const DECLARATION: &str = "@example";

/// The labels of edges as files may write them, with their numbers.
const LABELS: [(&str, usize); 6] = [("none", 0), ("-", 0), ("sure", 1), ("S", 1), ("possible", 2), ("P", 2)];

/// Whether a line shows that a file is in this format.
pub(crate) fn recognise(line: &[u8]) -> bool {
    let mut tokens = tokens(line).map(|(start, end)| &line[start..end]);
    let first = tokens.next();
    first == Some(DECLARATION.as_bytes())
        || first.and_then(whole).is_some()
            && tokens.next().and_then(whole).is_some()
            && tokens.next().is_some_and(|label| LABELS.iter().any(|(name, _)| name.as_bytes() == label))
}

/// Reads a file to its end.
pub(crate) fn read(source: &mut Source, data: &mut DatasetBuilder<'_>) -> Result<()> {
    data.set_graphs();
    let mut example = Example::default();
    let mut scratch = String::new();
    while let Some(line) = source.next_line()? {
        let first = line.bytes.iter().find(|byte| !is_space(**byte));
        match first {
            None => example.end(&line, data)?,
            Some(b'#') => {}
            Some(b'@') => example.declare(&line)?,
            Some(_) => edge(&line, &mut example, &mut scratch, data)?,
        }
    }
    if example.edges.is_empty() && example.is_declared {
        return Err(source.error_on_last_line(1, NO_EDGES));
    }
    example.close(data);
    Ok(())
}

const NO_EDGES: &str = "an example without edges; leave it out, or write its edges after its @example line";

/// The example whose edges are being read.
#[derive(Default)]
struct Example {
    /// The line of each edge.
    edges: FxHashMap<Edge, usize>,
    is_declared: bool,
    weight: Option<f64>,
    unreachable: u32,
}

impl Example {
    /// At a blank line. Several of them in a row are as good as one.
    fn end(&mut self, line: &Line<'_>, data: &mut DatasetBuilder<'_>) -> Result<()> {
        if self.edges.is_empty() && self.is_declared {
            return Err(line.error(1, NO_EDGES));
        }
        self.close(data);
        Ok(())
    }

    fn close(&mut self, data: &mut DatasetBuilder<'_>) {
        if !self.edges.is_empty() {
            data.unreachable(self.unreachable);
            data.end_example(self.weight.unwrap_or(1.0), None);
        }
        self.edges.clear();
        (self.is_declared, self.weight, self.unreachable) = (false, None, 0);
    }

    /// `@example weight=W unreachable=N`.
    fn declare(&mut self, line: &Line<'_>) -> Result<()> {
        let text = line.text()?;
        let mut tokens = tokens(line.bytes);
        let (start, end) = tokens.next().unwrap_or((0, 0));
        if &text[start..end] != DECLARATION {
            let problem =
                format!("`{}`: the only declaration is `{DECLARATION}`", excerpt(&text[start..end]));
            return Err(line.error(start + 1, problem));
        }
        if !self.edges.is_empty() {
            return Err(line.error(start + 1, "an example begins here; put a blank line before it"));
        }
        if std::mem::replace(&mut self.is_declared, true) {
            return Err(line.error(start + 1, "a second declaration of one example"));
        }
        for (start, end) in tokens {
            let token = &text[start..end];
            match token.split_once('=') {
                Some(("weight", number)) => {
                    self.weight = Some(weight(line, start + "weight=".len(), number.as_bytes())?);
                }
                Some(("unreachable", number)) => {
                    let count = whole(number.as_bytes()).and_then(|count| u32::try_from(count).ok());
                    self.unreachable = count.ok_or_else(|| {
                        let problem = format!("`{}` is not a number of links", excerpt(number));
                        line.error(start + "unreachable=".len() + 1, problem)
                    })?;
                }
                _ => {
                    let problem = format!("`{}`: allowed are weight=W and unreachable=N", excerpt(token));
                    return Err(line.error(start + 1, problem));
                }
            }
        }
        Ok(())
    }
}

/// A line with an edge.
fn edge(
    line: &Line<'_>,
    example: &mut Example,
    scratch: &mut String,
    data: &mut DatasetBuilder<'_>,
) -> Result<()> {
    let text = line.text()?;
    let mut tokens = tokens(line.bytes);
    let left = node(line, tokens.next(), "left")?;
    let right = node(line, tokens.next(), "right")?;
    let edge = Edge { left, right };
    if let Some(before) = example.edges.insert(edge, line.number) {
        let problem = format!(
            "the edge from {left} to {right} is on line {before} already; put a blank line between examples, or all features on one line"
        );
        return Err(line.error(1, problem));
    }
    let Some((start, end)) = tokens.next() else {
        return Err(line.error(text.len() + 1, "the label is missing: sure, possible or none (or S, P, -)"));
    };
    let label = &text[start..end];
    let Some(&(_, label)) = LABELS.iter().find(|(name, _)| *name == label) else {
        let problem = format!(
            "`{}` is not the label of an edge; allowed are sure, possible and none (or S, P, -)",
            excerpt(label)
        );
        return Err(line.error(start + 1, problem));
    };
    data.label(EDGE_LABELS[label]);
    data.edge(edge);
    // Repeated features add up; their sum is finite when the sum of all values is.
    let mut size = 0.0;
    for (before, (start, end)) in tokens.enumerate() {
        check_attributes(line, start, before)?;
        let field = AttributeField::at(&text[..end], start);
        let (name, value) = match field.colon {
            None => (field.text, 1.0),
            Some(colon) => (&field.text[..colon], attribute_value(line, &field, colon)?),
        };
        if name.is_empty() {
            return Err(line.error(start + 1, "a feature without a name; a colon in a name is written `\\:`"));
        }
        size += f64::abs(value);
        data.attribute(field.name(name, scratch), value);
    }
    if size == f64::INFINITY {
        return Err(line.error(1, "the values on this line are too large to add up"));
    }
    data.end_row();
    Ok(())
}

/// The number of a node.
fn node(line: &Line<'_>, token: Option<(usize, usize)>, side: &str) -> Result<u32> {
    let Some((start, end)) = token else {
        let problem = format!("the {side} node is missing: a line is `left right label feature:value …`");
        return Err(line.error(line.bytes.len() + 1, problem));
    };
    match whole(&line.bytes[start..end]) {
        Some(node) if node < u64::from(MOST_NODES) => Ok(node as u32),
        _ => {
            let text = excerpt(&line.bytes[start..end]);
            let problem = format!(
                "`{text}` is not the number of a {side} node; nodes are numbered 0 to {} within an example",
                MOST_NODES - 1
            );
            Err(line.error(start + 1, problem))
        }
    }
}

fn is_space(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// Where the words of a line start and end.
fn tokens(line: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + line[at..].iter().position(|&byte| !is_space(byte))?;
        let length = line[start..].iter().position(|&byte| is_space(byte));
        at = length.map_or(line.len(), |length| start + length);
        Some((start, at))
    })
}

#[cfg(test)]
mod tests {
    use super::super::dataset::{Dataset, Vocabulary};
    use super::*;

    fn parse(text: &'static str) -> Result<(Dataset, Vocabulary)> {
        let mut data = DatasetBuilder::growing(true);
        read(&mut Source::from_reader("test", text.as_bytes())?, &mut data)?;
        let (data, vocabulary, _) = data.finish();
        Ok((data, vocabulary.unwrap()))
    }

    #[test]
    fn graphs_weights_and_features() {
        let text = "\n# comment\n0 0 sure b:2 a\n0\t3 P  a:0.5 b\\:c\n\n\n@example unreachable=2 weight=0.5\n 7 1 - # a a\n";
        let (data, names) = parse(text).unwrap();
        assert!(names.labels.iter().eq(EDGE_LABELS));
        assert_eq!(data.labels, [1, 2, 0]);
        assert_eq!(data.sequences, Some(vec![0, 2, 3]));
        assert_eq!(
            (data.weights.clone(), data.unreachable.clone()),
            (Some(vec![1.0, 0.5]), Some(vec![0, 2]))
        );
        let edges = [(0, 0), (0, 3), (7, 1)].map(|(left, right)| Edge { left, right });
        assert_eq!(data.edges.as_deref(), Some(&edges[..]));
        // b, a, b:c, #
        assert_eq!(data.features.row(0).to_pairs(), [(0, 2.0), (1, 1.0)]);
        assert_eq!(data.features.row(1).to_pairs(), [(1, 0.5), (2, 1.0)]);
        assert_eq!(data.features.row(2).to_pairs(), [(1, 2.0), (3, 1.0)]);
    }

    #[test]
    fn mistakes_name_the_place() {
        for (text, line, column, part) in [
            ("0 0 sure\n0 0 none\n", 2, 1, "line 1"),
            ("0 0 S\n\n0 x S\n", 3, 3, "right node"),
            ("-1 0 S\n", 1, 1, "left node"),
            ("0 1048576 S\n", 1, 3, "0 to 1048575"),
            ("0\n", 1, 2, "right node is missing"),
            ("0 1\n", 1, 4, "label is missing"),
            ("0 1 maybe\n", 1, 5, "sure, possible"),
            ("0 1 S a:x\n", 1, 9, "not the value"),
            ("0 1 S :1\n", 1, 7, "without a name"),
            ("0 1 S a:inf\n", 1, 9, "not finite"),
            ("0 1 S a:1e308 a:1e308\n", 1, 1, "too large"),
            ("@example\n\n0 1 S\n", 2, 1, "without edges"),
            ("0 1 S\n\n@example weight=2", 3, 1, "without edges"),
            ("@example weight=0\n0 1 S\n", 1, 17, "weight"),
            ("@example unreachable=-1\n0 1 S\n", 1, 22, "number of links"),
            ("@example color=red\n0 1 S\n", 1, 10, "allowed are"),
            ("@example\n@example\n0 1 S\n", 2, 1, "second"),
            ("0 1 S\n@example\n0 1 S\n", 2, 1, "blank line"),
            ("@weight:2\n0 1 S\n", 1, 1, "@example"),
        ] {
            let message = parse(text).map(|_| ()).unwrap_err().to_string();
            assert!(message.starts_with(&format!("test:{line}:{column}: ")), "{text:?}: {message}");
            assert!(message.contains(part), "{text:?}: {message}");
        }
    }

    #[test]
    fn lines_are_recognised() {
        for line in ["0 1 sure a:1", "12\t0\tP", " 3 4 - x", "@example weight=2", "0 0 none"] {
            assert!(recognise(line.as_bytes()), "{line}");
        }
        for line in
            ["", "0 1", "0 1 2", "1 2:0.5 3:1", "B\tw=1", "@weight:2", "3 5 4", "a 1 sure", "@examples"]
        {
            assert!(!recognise(line.as_bytes()), "{line}");
        }
    }
}
