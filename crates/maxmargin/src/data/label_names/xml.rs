//! Lists of labels in XML: the names are the attribute `name` of all elements `label`, whatever they are nested in.
//!
//! `quick-xml` takes the text apart. What is no element is skipped; what is broken is refused, with the place. Entities that a
//! document declares for itself are not known here, so that none can stand for a megabyte.

use std::path::Path;

use quick_xml::Reader;
use quick_xml::errors::{Error as XmlError, IllFormedError, SyntaxError};
use quick_xml::escape::unescape;
use quick_xml::events::attributes::AttrError;
use quick_xml::events::{BytesStart, Event};

use super::refuse;
use crate::error::{Error, Result};
use crate::shown::excerpt;

/// Elements are nested no deeper than this: each level takes memory, and hierarchies of labels have a dozen.
const MOST_LEVELS: usize = 1000;

/// The names of all labels, each with the place where its value begins.
pub(super) fn label_names(path: &Path, text: &str) -> Result<Vec<(usize, String)>> {
    let xml = Xml { path, text };
    let mut reader = Reader::from_str(text);
    // Text between elements does not matter.
    reader.config_mut().allow_dangling_amp = true;
    let (mut names, mut open) = (Vec::new(), Vec::new());
    loop {
        let start = reader.buffer_position() as usize;
        let event = reader.read_event().map_err(|error| xml.failure(reader.error_position() as usize, error));
        match event? {
            Event::Start(_) if open.len() == MOST_LEVELS => {
                return Err(xml.broken(start, &format!("more than {MOST_LEVELS} elements in one another")));
            }
            Event::Start(element) => {
                names.extend(xml.label_name(start, &element)?);
                open.push(element);
            }
            Event::Empty(element) => names.extend(xml.label_name(start, &element)?),
            Event::End(_) => _ = open.pop(),
            Event::Eof => break,
            _ => {}
        }
    }
    match open.first() {
        Some(element) => {
            let name = element.name();
            let problem = format!("the file ends before `</{}>`: it is cut off", excerpt(name.as_ref()));
            Err(xml.broken(text.len(), &problem))
        }
        None => Ok(names),
    }
}

/// A text, and the file that errors name.
#[derive(Clone, Copy)]
struct Xml<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Xml<'_> {
    /// The name of the label that the tag at `start` begins, and its place; `None` if it is another element.
    fn label_name(self, start: usize, element: &BytesStart<'_>) -> Result<Option<(usize, String)>> {
        let is_label = element.local_name().as_ref() == "label";
        let mut name = None;
        // To look for attributes that come twice takes the parser a time that grows with the square of their number.
        for attribute in element.attributes().with_checks(false) {
            let attribute = attribute.map_err(|error| self.broken_attribute(start, element, error))?;
            if is_label && attribute.key.as_ref() == "name" {
                let begin = self.place_of(&attribute.value);
                if name.is_some() {
                    return Err(self.broken(begin, "this label has a second attribute `name`"));
                }
                name = Some((begin, self.unescaped(begin, &attribute.value)?));
            }
        }
        match (is_label, name) {
            (true, None) => Err(self.broken(start, "this label has no attribute `name`")),
            (_, name) => Ok(name),
        }
    }

    /// A value with its entities replaced.
    fn unescaped(self, begin: usize, value: &str) -> Result<String> {
        if let Ok(plain) = unescape(value) {
            return Ok(plain.into_owned());
        }
        let is_unknown = |&(at, _): &(usize, &str)| {
            let end = value[at..].find(';').map_or(value.len(), |length| at + length + 1);
            unescape(&value[at..end]).is_err()
        };
        let at = value.match_indices('&').find(is_unknown).map_or(0, |(at, _)| at);
        Err(self.broken(begin + at, "`&` begins an entity that is not known; write it as `&amp;`"))
    }

    /// Where a part that the parser lends from the text begins.
    fn place_of(self, part: &str) -> usize {
        (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize).min(self.text.len())
    }

    /// Why the markup at `at` was not understood.
    #[cold]
    fn failure(self, at: usize, error: XmlError) -> Error {
        let unclosed = |begin, end| self.broken(at, &format!("`{begin}` has no `{end}` after it"));
        match error {
            XmlError::Syntax(SyntaxError::UnclosedComment) => unclosed("<!--", "-->"),
            XmlError::Syntax(SyntaxError::UnclosedCData) => unclosed("<![CDATA[", "]]>"),
            XmlError::Syntax(SyntaxError::UnclosedPI | SyntaxError::UnclosedXmlDecl) => unclosed("<?", "?>"),
            XmlError::Syntax(SyntaxError::UnclosedDoctype | SyntaxError::InvalidBangMarkup) => {
                unclosed("<!", ">")
            }
            XmlError::Syntax(_) => self.unclosed_tag(at),
            XmlError::IllFormed(IllFormedError::MismatchedEndTag { expected, found }) => {
                let (expected, found) = (excerpt(&expected), excerpt(&found));
                self.broken(at, &format!("`</{found}>` where `</{expected}>` should come first"))
            }
            XmlError::IllFormed(IllFormedError::UnmatchedEndTag(found)) => {
                self.broken(at, &format!("`</{}>` ends what does not begin", excerpt(&found)))
            }
            error => self.broken(at, excerpt(&error.to_string()).to_string().as_str()),
        }
    }

    /// What is wrong with the tag at `start`, which goes on to the end of the file: mostly a quote.
    fn unclosed_tag(self, start: usize) -> Error {
        let tag = &self.text[start + 1..];
        let mut open = None;
        for (at, quote) in tag.match_indices(['"', '\'']) {
            match open {
                None => open = Some((at, quote)),
                Some((_, opening)) if opening == quote => open = None,
                Some(_) => {}
            }
        }
        if let Some((at, _)) = open {
            return self.broken(start + 1 + at, "this quote has no end");
        }
        let name = tag.find(|c: char| c.is_ascii_whitespace()).unwrap_or(tag.len());
        let element = BytesStart::from_content(tag, name);
        match element.attributes().with_checks(false).find_map(|attribute| attribute.err()) {
            Some(error) => self.broken_attribute(start, &element, error),
            None => self.broken(start, "this tag does not end with `>`"),
        }
    }

    #[cold]
    fn broken_attribute(self, start: usize, element: &BytesStart<'_>, error: AttrError) -> Error {
        match error {
            AttrError::ExpectedValue(at) | AttrError::UnquotedValue(at) => {
                self.broken(start + 1 + at, "an attribute's value must stand in quotes")
            }
            AttrError::ExpectedQuote(at, _) => self.broken(start + 1 + at, "this quote has no end"),
            AttrError::ExpectedEq(at) | AttrError::Duplicated(at, _) => {
                // What lacks its value comes before.
                let before = element.get(..at).unwrap_or_default().trim_ascii_end();
                let word = before.rfind(|c: char| c.is_ascii_whitespace()).map_or(0, |blank| blank + 1);
                self.broken(start + 1 + word, "expected an attribute like name=\"…\"")
            }
        }
    }

    #[cold]
    fn broken(self, at: usize, problem: &str) -> Error {
        let before = &self.text.as_bytes()[..at.min(self.text.len())];
        refuse(self.path, before, format!("{problem}; this XML is broken here"))
    }
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
            ("<labels>\n <label name='a'>\n</labels>", "names.xml:3:1: `</labels>` where `</label>`"),
            ("<label name='a'/>\n</label>", "names.xml:2:1: `</label>` ends what does not begin"),
            ("<labels>\n<label name='a' name='b'/></labels>", "names.xml:2:23: this label has a second"),
            ("<labels><label\n  name\n /></labels>", "names.xml:2:3: expected an attribute"),
            ("<labels><label name=/></labels>", "an attribute's value"),
            ("<labels>\n<?xml", "names.xml:2:1: `<?` has no `?>`"),
            ("<labels>\n<![CDATA[ ]] >", "names.xml:2:1: `<![CDATA[` has no `]]>`"),
            ("<!DOCTYPE labels [\n<!ENTITY a '", "names.xml:1:1: `<!` has no `>`"),
            ("<label name=\"'a'\n b='c\"d\"", "names.xml:2:8: this quote"),
        ] {
            let message = names(text).unwrap_err().to_string();
            assert!(message.contains(part), "{text:?}: {message}");
        }
    }

    #[test]
    fn entities_of_the_document_are_not_known() {
        let text = "<!DOCTYPE labels [<!ENTITY a 'aaaa'>]>\n<labels><label name='&a;'/></labels>";
        assert!(names(text).unwrap_err().to_string().starts_with("names.xml:2:22: `&` begins an entity"));
    }

    #[test]
    fn text_between_elements_does_not_matter() {
        let text = "<labels> a & b &c; > ' \" <label name='a'>]]></label>\n<![CDATA[<label name='b'/>]]></labels>\n\n";
        assert_eq!(names(text).unwrap(), ["a"]);
    }

    #[test]
    fn elements_are_not_nested_without_end() {
        let message = names(&"<a>".repeat(100_000)).unwrap_err().to_string();
        assert!(message.starts_with("names.xml:1:3001: more than 1000 elements"), "{message}");
    }

    proptest! {
        #[test]
        fn anything_is_read_or_refused(text in "(<label name=['\"]|</label>|<labels>|</labels>|<!\\[CDATA\\[|<!DOCTYPE|&amp;|&#x?|;|<!--|[a-c<>='\"/ &\nü-]){0,12}") {
            _ = names(&text);
        }
    }
}
