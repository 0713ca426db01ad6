//! Files that say which columns of a table are labels: Mulan's XML, or one name a line.
//!
//! Mulan keeps the names of labels in a file `data.xml` beside `data.arff`: elements `<label name="…">`, which may be
//! nested where labels form a hierarchy; all of them count. The order means nothing: columns are found by name. A file
//! that does not begin with `<` has one name a line.

mod xml;

use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;

use super::source::{BYTE_ORDER_MARK, Source};
use crate::error::{Error, Place, Result};
use crate::shown::excerpt;

/// A file with names is read at once, so it may not be larger than this.
const MOST_BYTES: u64 = 64 << 20;

/// Reads the names that a file lists.
pub(crate) fn read(path: &Path) -> Result<Vec<String>> {
    let mut source = Source::open(path)?;
    let mut bytes = Vec::new();
    if source.read_bytes(MOST_BYTES + 1, &mut bytes)? > MOST_BYTES {
        return Err(source.error(format!("more than {MOST_BYTES} bytes: this is no file with label names")));
    }
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let problem = "this is not UTF-8 text; convert the file, for example with iconv";
        refuse(path, &bytes[..error.valid_up_to()], problem)
    })?;
    let names = match text.trim_start().starts_with('<') {
        true => xml::label_names(path, text)?,
        false => lines(text),
    };
    if names.is_empty() {
        return Err(source
            .error("no label names here: expected Mulan's XML with <label name=\"…\">, or a name a line"));
    }
    let mut seen = FxHashSet::default();
    for (offset, name) in &names {
        let problem = match name {
            name if name.is_empty() => "a label without a name".to_owned(),
            name if name.contains(['\n', '\r']) => {
                format!("the name `{}` has a line break in it", excerpt(name))
            }
            name if !seen.insert(name) => format!("the label `{}` is listed twice", excerpt(name)),
            _ => continue,
        };
        return Err(refuse(path, &text.as_bytes()[..*offset], problem));
    }
    Ok(names.into_iter().map(|(_, name)| name).collect())
}

/// One name a line, each with the place where it begins.
fn lines(text: &str) -> Vec<(usize, String)> {
    let mut at = 0;
    let mut names = Vec::new();
    for line in text.split_inclusive('\n') {
        let name = line.trim();
        if !name.is_empty() {
            names.push((at + line.len() - line.trim_start().len(), name.to_owned()));
        }
        at += line.len();
    }
    names
}

/// A problem after these bytes of the file.
fn refuse(path: &Path, before: &[u8], problem: impl Into<String>) -> Error {
    let line = 1 + memchr::memchr_iter(b'\n', before).count();
    let column = 1 + before.len() - memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
    Error::data(Place::new(path, line, column), problem)
}

/// The files beside a data file that may hold its label names, most likely first: for `yeast-train.arff.gz` these are
/// `yeast-train.xml` and `yeast.xml`.
pub(crate) fn beside(data: &Path) -> Vec<PathBuf> {
    let Some(name) = data.file_name().and_then(|name| name.to_str()) else {
        return Vec::new();
    };
    if name == "-" {
        return Vec::new();
    }
    let name = name.strip_suffix(".gz").unwrap_or(name);
    let stem = name.strip_suffix(".arff").unwrap_or(name);
    let parts = ["-train", "-test", "_train", "_test"];
    let without_part = parts.iter().find_map(|part| stem.strip_suffix(part));
    let stems = std::iter::once(stem).chain(without_part);
    stems.filter(|stem| !stem.is_empty()).map(|stem| data.with_file_name(format!("{stem}.xml"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Vec<String>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("names");
        std::fs::write(&path, text).unwrap();
        read(&path)
    }

    #[test]
    fn xml_or_lines() {
        let xml = "\u{feff} <?xml version='1.0'?>\n<labels><label name=\"a b\"/></labels>";
        assert_eq!(read_text(xml).unwrap(), ["a b"]);
        assert_eq!(read_text(" one \r\n\n two words\n#3").unwrap(), ["one", "two words", "#3"]);
    }

    #[test]
    fn problems_have_a_place() {
        for (text, part) in [
            ("a\nb\n a\n", "names:3:2: the label `a` is listed twice"),
            ("\n\n", "no label names here"),
            ("<labels>\n</labels>", "no label names here"),
            ("<labels>\n <label name=''/></labels>", "names:2:15: a label without a name"),
            ("<label name='a&#10;b'/>", "line break"),
        ] {
            let message = read_text(text).unwrap_err().to_string();
            assert!(message.contains(part), "{text:?}: {message}");
        }
    }

    #[test]
    fn names_lie_beside_the_data() {
        let beside = |path| -> Vec<String> {
            beside(Path::new(path)).iter().map(|path| path.display().to_string()).collect()
        };
        assert_eq!(beside("d/yeast-train.arff.gz"), ["d/yeast-train.xml", "d/yeast.xml"]);
        assert_eq!(beside("yeast_test.arff"), ["yeast_test.xml", "yeast.xml"]);
        assert_eq!(beside("yeast"), ["yeast.xml"]);
        assert_eq!(beside("-train.arff"), ["-train.xml"]);
        assert!(beside("-").is_empty());
    }
}
