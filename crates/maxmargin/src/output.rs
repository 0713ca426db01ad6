//! Files that are whole or not there: written beside their place, then renamed.
//!
//! Whatever goes wrong on the way (a full disk, an error, Ctrl-C), what stood under the name before still stands there
//! and no half-written file is left behind; what a killed process leaves, the next one that writes the same file takes
//! away. A device like `/dev/null` cannot be replaced; it is written to directly. Pipes and the like are refused.

mod leftovers;
mod place;

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use leftovers::Temporary;
use place::Place;
use tempfile::{Builder, NamedTempFile};

use crate::error::{Error, Result};

/// A file in the making. It takes its name with [`OutputFile::finish`]; when it is dropped before, it vanishes.
///
/// ```
/// use std::io::Write;
/// use maxmargin::OutputFile;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("answer");
/// let mut file = OutputFile::create(&path)?;
/// file.write_all(b"42")?;
/// assert!(!path.exists());
/// file.finish()?;
/// assert_eq!(std::fs::read(&path)?, b"42");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    writer: BufWriter<Target>,
}

#[derive(Debug)]
enum Target {
    Beside(NamedTempFile),
    Direct(File),
}

impl OutputFile {
    /// Opens a file for writing. A symbolic link is followed, so that it goes on to point where it pointed, also when
    /// there is no file yet.
    pub fn create(path: &Path) -> Result<Self> {
        let refuse = |source| Error::io("write", path, source);
        let place = Place::of(path).map_err(refuse)?;
        let target = match place.is_device() {
            true => Target::Direct(OpenOptions::new().write(true).open(&place.path).map_err(refuse)?),
            false => Target::Beside(beside(&place).map_err(refuse)?),
        };
        Ok(Self { path: place.path, writer: BufWriter::with_capacity(1 << 16, target) })
    }

    /// Where a file of this name will stand: at the end of all symbolic links, whether or not there is one yet.
    pub fn place(path: &Path) -> Result<PathBuf> {
        Ok(Place::of(path).map_err(|e| Error::io("write", path, e))?.path)
    }

    /// Whether a file can be made here; leaves nothing behind. Long work asks before it begins.
    pub fn check(path: &Path) -> Result<()> {
        Self::create(path).map(drop)
    }

    /// Writes what is left, makes sure that it is on the disk, and gives the file its name.
    pub fn finish(self) -> Result<()> {
        let Self { path, writer } = self;
        let refuse = |source| Error::io("write", &path, source);
        match writer.into_inner().map_err(|e| refuse(e.into_error()))? {
            Target::Direct(mut file) => file.flush().map_err(refuse),
            Target::Beside(file) => {
                file.as_file().sync_all().map_err(refuse)?;
                file.persist(&path).map(drop).map_err(|e| refuse(e.error))
            }
        }
    }
}

/// A file in the same folder, with the permissions of what it will replace.
fn beside(Place { path, there }: &Place) -> io::Result<NamedTempFile> {
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is not the name of a file"));
    };
    let permissions = there.as_ref().map(fs::Metadata::permissions);
    if permissions.as_ref().is_some_and(fs::Permissions::readonly) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is write-protected"));
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        let problem = format!("there is no folder {}", folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, problem));
    }
    let temporary = Temporary::new(name);
    temporary.remove_leftovers(folder);
    let prefix = temporary.prefix();
    let mut builder = Builder::new();
    builder.prefix(&prefix);
    #[cfg(unix)]
    let everyone = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o666);
    #[cfg(unix)]
    builder.permissions(permissions.unwrap_or(everyone));
    #[cfg(not(unix))]
    let _ = permissions;
    // The source names the temporary file, which says nothing to a user: keep only the kind.
    builder.tempfile_in(folder).map_err(|e| match e.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => e.kind().into(),
    })
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Target::Beside(file) => file.write(bytes),
            Target::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Target::Beside(file) => file.flush(),
            Target::Direct(file) => file.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unfinished_file_leaves_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "old").unwrap();
        let mut file = OutputFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        drop(file);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let mut file = OutputFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn refusals_name_the_path() {
        let folder = tempfile::tempdir().unwrap();
        for (path, part) in [
            (folder.path().join("no/such/file"), "there is no folder"),
            (folder.path().to_owned(), "directory"),
        ] {
            let message = OutputFile::check(&path).unwrap_err().to_string();
            assert!(message.starts_with(&format!("cannot write {}", path.display())), "{message}");
            assert!(message.contains(part), "{message}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error() {
        let mut file = OutputFile::create(Path::new("/dev/full")).unwrap();
        file.write_all(b"lost").unwrap();
        let message = file.finish().unwrap_err().to_string();
        assert!(message.starts_with("cannot write /dev/full: "), "{message}");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_goes_on_to_point_where_it_pointed() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let mut file = OutputFile::create(&link).unwrap();
        file.write_all(b"new").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read(&real).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_nothing_is_written_through() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("real", &link).unwrap();
        let mut file = OutputFile::create(&link).unwrap();
        file.write_all(b"new").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read(folder.path().join("real")).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}
