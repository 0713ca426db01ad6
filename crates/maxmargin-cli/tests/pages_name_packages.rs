//! Promise: pages name the packages that something needs, and leave it to the reader where to get them. They link to each
//! other and to the conventions of the changelog, nowhere else.

use std::fs;
use std::path::{Path, PathBuf};

const ALLOWED: [&str; 2] = ["https://keepachangelog.com/", "https://semver.org/"];

/// All pages below a folder, without what is built or hidden.
fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            pages(&path, found);
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
}

#[test]
fn no_page_links_elsewhere() {
    let mut found = Vec::new();
    pages(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), &mut found);
    assert!(found.iter().any(|page| page.ends_with("docs/formats.md")), "{found:?}");
    for page in found {
        let text = fs::read_to_string(&page).unwrap();
        for (at, _) in text.match_indices("http") {
            let link: String = text[at..].chars().take_while(|c| !c.is_whitespace() && *c != ')').collect();
            let is_link = link.starts_with("http://") || link.starts_with("https://");
            let is_allowed = ALLOWED.iter().any(|allowed| link.starts_with(allowed));
            assert!(!is_link || is_allowed, "{} links to {link}", page.display());
        }
    }
}

/// Each page that a page links to is there.
#[test]
fn links_between_pages_lead_somewhere() {
    let mut found = Vec::new();
    pages(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), &mut found);
    let mut missing = Vec::new();
    for page in &found {
        let text = fs::read_to_string(page).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap_or_default();
            let is_path =
                !file.is_empty() && !file.contains(char::is_whitespace) && !file.starts_with("http");
            if is_path && !page.parent().unwrap().join(file).exists() {
                missing.push(format!("{} links to {file}", page.display()));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
