//! Where a name leads: through symbolic links, to a place where a file can be made or written to.
//!
//! A link is followed to its end, whether or not there is a file: what is written then stands where the link points, and
//! the link stays. What is no file is refused before anything is opened, because opening a pipe waits for somebody who
//! reads it. The exception are devices like `/dev/null`, which take what they are given.

use std::fs::{self, FileType, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// The most links in a row, as systems have it.
const MOST_LINKS: usize = 40;

/// Where a name leads.
#[derive(Debug)]
pub(super) struct Place {
    /// The name at the end of all links.
    pub(super) path: PathBuf,
    /// What is there now.
    pub(super) there: Option<Metadata>,
}

impl Place {
    /// Follows links and refuses what cannot be written.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        let mut place = path.to_owned();
        for _ in 0..MOST_LINKS {
            let Ok(target) = fs::read_link(&place) else {
                let there = fs::metadata(&place).ok();
                if let Some(there) = &there {
                    check_kind(there.file_type())?;
                }
                return Ok(Self { path: place, there });
            };
            // /proc/self/fd/1 and its like are links by name only: they stand for what is open already.
            if place.starts_with("/proc") && place.parent().is_some_and(|folder| folder.ends_with("fd")) {
                return Self::of_descriptor(place);
            }
            place = place.parent().unwrap_or(Path::new("")).join(target);
        }
        Err(io::Error::new(io::ErrorKind::InvalidInput, "too many symbolic links lead on from here"))
    }

    fn of_descriptor(path: PathBuf) -> io::Result<Self> {
        let there = fs::metadata(&path)?;
        check_kind(there.file_type())?;
        if is_device(there.file_type()) {
            return Ok(Self { path, there: Some(there) });
        }
        let problem = "this stands for a file that is open already, which cannot be replaced as a whole; name the file itself";
        Err(io::Error::new(io::ErrorKind::InvalidInput, problem))
    }

    /// Whether it is written to as it is, since it cannot be replaced.
    pub(super) fn is_device(&self) -> bool {
        self.there.as_ref().is_some_and(|there| is_device(there.file_type()))
    }
}

/// Files can be replaced, and devices take anything.
fn check_kind(kind: FileType) -> io::Result<()> {
    if kind.is_file() || is_device(kind) {
        return Ok(());
    }
    if kind.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let problem = "this is a pipe or the like, not a file; name a file";
    Err(io::Error::new(io::ErrorKind::InvalidInput, problem))
}

#[cfg(unix)]
fn is_device(kind: FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_char_device(&kind)
}

#[cfg(not(unix))]
fn is_device(kind: FileType) -> bool {
    !kind.is_file() && !kind.is_dir()
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed_to_their_end() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("deep")).unwrap();
        symlink("deep/second", at("first")).unwrap();
        symlink("../end", at("deep/second")).unwrap();
        for is_there in [false, true] {
            let place = Place::of(&at("first")).unwrap();
            assert_eq!(place.path, at("deep/../end"));
            assert_eq!(place.there.is_some(), is_there);
            fs::write(at("end"), "").unwrap();
        }
        symlink("round", at("round")).unwrap();
        assert!(Place::of(&at("round")).unwrap_err().to_string().contains("too many symbolic links"));
    }

    #[test]
    fn only_files_and_devices_can_be_written() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Place::of(folder.path()).is_err());
        assert!(Place::of(Path::new("/dev/null")).unwrap().is_device());
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert!(Place::of(&socket).unwrap_err().to_string().contains("not a file"));
    }
}
