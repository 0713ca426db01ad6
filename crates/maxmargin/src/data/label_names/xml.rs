//! As much of XML as lists of labels need: elements, attributes, entities, comments.
//!
//! The names are the attribute `name` of all elements `label`, whatever they are nested in. What is no element is
//! skipped; what is broken is refused.

use std::path::Path;

use super::refuse;
use crate::error::{Error, Result};

/// The names of all labels, each with the place where its value begins.
pub(super) fn label_names(path: &Path, text: &str) -> Result<Vec<(usize, String)>> {
    let mut names = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find('<') {
        at += found;
        let rest = &text[at..];
        let skipped = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">"), ("</", ">")]
            .into_iter()
            .find(|(begin, _)| rest.starts_with(begin));
        at = match skipped {
            Some((begin, end)) => match rest[begin.len()..].find(end) {
                Some(length) => at + begin.len() + length + end.len(),
                None => return Err(broken(path, text, at, &format!("`{begin}` has no `{end}` after it"))),
            },
            None => element(path, text, at, &mut names)?,
        };
    }
    if text.contains("<labels") && !text.contains("</labels") {
        return Err(broken(path, text, text.len(), "the file ends before `</labels>`: it is cut off"));
    }
    Ok(names)
}

/// Reads the start tag at `start`; returns where it ends.
fn element(path: &Path, text: &str, start: usize, names: &mut Vec<(usize, String)>) -> Result<usize> {
    let mut at = start + 1;
    let tag = word(text, at);
    at += tag.len();
    // A prefix names a namespace.
    let is_label = tag.rsplit(':').next() == Some("label");
    let mut name = None;
    loop {
        at += blanks(&text[at..]);
        match text.as_bytes().get(at) {
            None => return Err(broken(path, text, start, "this tag does not end with `>`")),
            Some(b'>') => break,
            Some(b'/') => {
                at += 1;
                continue;
            }
            Some(_) => {}
        }
        let attribute = word(text, at);
        let after = at + attribute.len();
        let equals = after + blanks(&text[after..]);
        if attribute.is_empty() || text.as_bytes().get(equals) != Some(&b'=') {
            return Err(broken(path, text, at, "expected an attribute like name=\"…\""));
        }
        let quote_at = equals + 1 + blanks(&text[equals + 1..]);
        let quote = match text.as_bytes().get(quote_at) {
            Some(b'"') => '"',
            Some(b'\'') => '\'',
            _ => return Err(broken(path, text, quote_at, "an attribute's value must stand in quotes")),
        };
        let begin = quote_at + 1;
        let Some(length) = text[begin..].find(quote) else {
            return Err(broken(path, text, quote_at, "this quote has no end"));
        };
        if is_label && attribute == "name" {
            name = Some((begin, unescape(path, text, begin, length)?));
        }
        at = begin + length + 1;
    }
    match name {
        Some(name) => names.push(name),
        None if is_label => return Err(broken(path, text, start, "this label has no attribute `name`")),
        None => {}
    }
    Ok(at + 1)
}

/// The name of a tag or an attribute at `at`; it may be empty.
fn word(text: &str, at: usize) -> &str {
    let rest = &text[at..];
    let end = rest.find(|c: char| c.is_ascii_whitespace() || "=/><\"'".contains(c));
    &rest[..end.unwrap_or(rest.len())]
}

fn blanks(text: &str) -> usize {
    text.len() - text.trim_ascii_start().len()
}

/// A value with its entities replaced.
fn unescape(path: &Path, text: &str, begin: usize, length: usize) -> Result<String> {
    let value = &text[begin..begin + length];
    let mut plain = String::with_capacity(length);
    let mut at = 0;
    while let Some(found) = value[at..].find('&') {
        plain.push_str(&value[at..at + found]);
        at += found;
        let name = value[at + 1..].split_once(';').map(|(name, _)| name);
        let Some((name, character)) = name.and_then(|name| Some((name, entity(name)?))) else {
            let problem = "`&` begins an entity that is not known; write it as `&amp;`";
            return Err(broken(path, text, begin + at, problem));
        };
        plain.push(character);
        at += name.len() + 2;
    }
    plain.push_str(&value[at..]);
    Ok(plain)
}

fn entity(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let digits = name.strip_prefix('#')?;
            let code = match digits.strip_prefix('x') {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => digits.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}

#[cold]
fn broken(path: &Path, text: &str, at: usize, problem: &str) -> Error {
    refuse(path, &text.as_bytes()[..at.min(text.len())], format!("{problem}; this XML is broken here"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names(text: &str) -> Result<Vec<String>> {
        Ok(label_names(Path::new("names.xml"), text)?.into_iter().map(|(_, name)| name).collect())
    }

    #[test]
    fn nested_and_commented() {
        let text = "<?xml version=\"1.0\"?>\n<!DOCTYPE labels>\n<labels xmlns=\"http://x\">\n<!-- <label name='no'> -->\
                    <label name = \"a\"><label id='7' name='b &amp; &lt;c&gt; &#x41;&#66;&quot;&apos;'/></label>\
                    <m:label name='ü'></m:label></labels>";
        assert_eq!(names(text).unwrap(), ["a", "b & <c> AB\"'", "ü"]);
    }

    #[test]
    fn broken_ones_have_a_place() {
        for (text, part) in [
            ("<labels>\n<label>", "names.xml:2:1: this label has no attribute"),
            ("<labels><label name=a/>", "names.xml:1:21: an attribute's value"),
            ("<label name='a", "names.xml:1:13: this quote"),
            ("<label name", "expected an attribute"),
            ("<label name='a'", "does not end"),
            ("<label name='a&b'/>", "names.xml:1:15: `&`"),
            ("<label name='&#xD800;'/>", "`&`"),
            ("<!-- <label name='a'/>", "`<!--` has no `-->`"),
            ("<labels><label name='a'/>", "ends before `</labels>`"),
        ] {
            let message = names(text).unwrap_err().to_string();
            assert!(message.contains(part), "{text:?}: {message}");
        }
    }

    proptest! {
        #[test]
        fn anything_is_read_or_refused(text in "(<label name=['\"]|&amp;|&#x?|;|<!--|[a-c<>='\"/ &\nü-]){0,12}") {
            _ = names(&text);
        }
    }
}
