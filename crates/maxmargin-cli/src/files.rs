//! The files of a command: what it reads and what it writes, looked at before any work is done.
//!
//! All paths come together here, so that no output can be one of the inputs or another output, by whatever name: files are
//! compared by what they are, through symbolic links and hard ones. A pipe that is read twice is refused too, since the
//! second reading would find it empty or wait for ever.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use maxmargin::OutputFile;
use maxmargin::data::{Source, files_beside, is_picture_file, pictures_named};

/// What a command reads and writes.
#[derive(Debug, Default)]
pub struct Files {
    inputs: Vec<Input>,
    outputs: Vec<Named>,
    directory: Option<Named>,
}

#[derive(Debug)]
struct Named {
    flag: &'static str,
    path: PathBuf,
}

#[derive(Debug)]
struct Input {
    named: Named,
    /// The output that may replace it, since it is read as a whole before.
    replaced_by: Option<&'static str>,
}

impl Files {
    /// Adds files that are read, under the flag that names them.
    pub fn read<'a>(mut self, flag: &'static str, paths: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        for path in paths {
            self.add_input(flag, path, None);
        }
        self
    }

    /// Adds data files, and what may be read with them without being named.
    pub fn read_data<'a>(mut self, flag: &'static str, paths: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        for path in paths {
            self.add_input(flag, path, None);
            for beside in files_beside(path).iter().filter(|beside| beside.is_file()) {
                self.add_input(flag, beside, None);
            }
        }
        self
    }

    /// Adds a file that is read as a whole before the output of the flag `by` is written, which may replace it.
    pub fn read_before(mut self, flag: &'static str, path: Option<&PathBuf>, by: &'static str) -> Self {
        if let Some(path) = path {
            self.add_input(flag, path, Some(by));
        }
        self
    }

    fn add_input(&mut self, flag: &'static str, path: &Path, replaced_by: Option<&'static str>) {
        self.inputs.push(Input { named: Named { flag, path: path.to_owned() }, replaced_by });
    }

    /// Adds files that are written.
    pub fn write<'a>(mut self, flag: &'static str, paths: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        self.outputs.extend(paths.into_iter().map(|path| Named { flag, path: path.clone() }));
        self
    }

    /// Adds a directory in which nothing else may be.
    pub fn write_in(mut self, flag: &'static str, directory: Option<&PathBuf>) -> Self {
        self.directory = directory.map(|path| Named { flag, path: path.clone() });
        self
    }

    /// Makes sure that all outputs can be written, and that none of them is anything else that the command names.
    pub fn check(&self) -> Result<()> {
        for (place, Named { flag, path }) in self.outputs.iter().enumerate() {
            if path == Path::new("-") {
                bail!("{flag}: - is the standard output, but this is written to a file; name one");
            }
            let identity = Identity::of_output(path)?;
            for Input { named, replaced_by, .. } in &self.inputs {
                if identity.is_some()
                    && identity == Identity::of_input(&named.path)
                    && *replaced_by != Some(*flag)
                {
                    bail!(
                        "{}: this file is read as data ({}); write to another one with {flag}",
                        path.display(),
                        named.flag,
                    );
                }
            }
            for Named { flag: other, path: before } in &self.outputs[..place] {
                if identity.is_some() && identity == Identity::of_output(before)? {
                    bail!("{other} and {flag} name the same file, {}", path.display());
                }
            }
            self.check_pictures(flag, path, identity.as_ref())?;
            OutputFile::check(path)?;
        }
        self.check_standard_output()?;
        self.check_directory()?;
        self.check_streams()
    }

    /// Refuses to replace a picture that a list or table of these names.
    fn check_pictures(&self, flag: &str, path: &Path, identity: Option<&Identity>) -> Result<()> {
        let Some(identity) = identity.filter(|_| path.is_file() && is_picture_file(path)) else {
            return Ok(());
        };
        let is_it = |file: &PathBuf| Identity::of_input(file).as_ref() == Some(identity);
        for Input { named, .. } in self.inputs.iter().filter(|input| !Source::is_stream(&input.named.path)) {
            if pictures_named(&named.path).iter().any(is_it) {
                bail!(
                    "{}: {} ({}) has this picture as data; write to another file with {flag}",
                    path.display(),
                    named.path.display(),
                    named.flag,
                );
            }
        }
        Ok(())
    }

    /// Refuses a standard output that is one of the files that are read, which would grow for as long as it is read.
    fn check_standard_output(&self) -> Result<()> {
        let Some(identity) = Identity::of_standard_output() else { return Ok(()) };
        for Input { named: Named { flag, path }, .. } in &self.inputs {
            if Identity::of_input(path).as_ref() == Some(&identity) {
                bail!(
                    "{}: the standard output goes to this file, which is read as data ({flag})",
                    path.display()
                );
            }
        }
        Ok(())
    }

    /// Refuses pipes under these flags, whose files the command reads more than once.
    pub fn check_read_again(&self, flags: &[&str]) -> Result<()> {
        for Input { named: Named { flag, path }, .. } in &self.inputs {
            if flags.contains(flag) && Source::is_stream(path) {
                bail!(
                    "{flag}: {} is a pipe or the like, which can be read only once, but this command reads it again; save it in a file first",
                    path.display()
                );
            }
        }
        Ok(())
    }

    /// Refuses a pipe that is named twice.
    fn check_streams(&self) -> Result<()> {
        let mut before: Vec<&Named> = Vec::new();
        let streams =
            self.inputs.iter().map(|input| &input.named).filter(|named| Source::is_stream(&named.path));
        // Devices like /dev/null may be read as often as one likes.
        for named in streams.filter(|named| !is_device(&named.path)) {
            let identity = Identity::of_input(&named.path);
            let same = |other: &&&Named| {
                other.path == named.path || identity.is_some() && Identity::of_input(&other.path) == identity
            };
            if let Some(other) = before.iter().find(same) {
                bail!(
                    "{} and {} both read {}, which can be read only once; save it in a file first",
                    other.flag,
                    named.flag,
                    named.path.display(),
                );
            }
            before.push(named);
        }
        Ok(())
    }

    fn check_directory(&self) -> Result<()> {
        let Some(Named { flag, path: directory }) = &self.directory else { return Ok(()) };
        let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let place = whole(directory);
        let parent = |path: &Path| match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => whole(parent),
            _ => whole(Path::new(".")),
        };
        let inputs = self.inputs.iter().map(|input| &input.named);
        for Named { path, .. } in inputs.chain(&self.outputs) {
            let is_inside = parent(path).starts_with(&place) || whole(path).starts_with(&place);
            if is_inside || path.starts_with(directory) {
                bail!(
                    "{flag}: a directory of its own is needed; {} has other files of this run",
                    directory.display()
                );
            }
        }
        Ok(())
    }
}

/// What makes two names name the same file.
#[derive(Debug, PartialEq, Eq)]
enum Identity {
    #[cfg(unix)]
    Node(u64, u64),
    /// A file that is not there yet, or a system without numbers of files.
    Place(PathBuf),
}

impl Identity {
    /// `None` for what is not there; that is somebody else's error.
    fn of_input(path: &Path) -> Option<Self> {
        let path = if path == Path::new("-") { Path::new("/dev/stdin") } else { path };
        Self::of_existing(path)
    }

    /// `None` for devices, which many may write to.
    fn of_output(path: &Path) -> Result<Option<Self>> {
        let place = OutputFile::place(path)?;
        if is_device(&place) {
            return Ok(None);
        }
        Ok(Self::of_existing(&place).or_else(|| {
            let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
            Some(Self::Place(folder.join(place.file_name()?)))
        }))
    }

    /// `None` where it is no file.
    #[cfg(unix)]
    fn of_standard_output() -> Option<Self> {
        use std::os::fd::AsFd;
        use std::os::unix::fs::MetadataExt;
        let output = std::fs::File::from(std::io::stdout().as_fd().try_clone_to_owned().ok()?);
        let found = output.metadata().ok().filter(std::fs::Metadata::is_file)?;
        Some(Self::Node(found.dev(), found.ino()))
    }

    #[cfg(not(unix))]
    fn of_standard_output() -> Option<Self> {
        None
    }

    #[cfg(unix)]
    fn of_existing(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        std::fs::metadata(path).ok().map(|found| Self::Node(found.dev(), found.ino()))
    }

    #[cfg(not(unix))]
    fn of_existing(path: &Path) -> Option<Self> {
        path.canonicalize().ok().map(Self::Place)
    }
}

#[cfg(unix)]
fn is_device(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    path != Path::new("-") && std::fs::metadata(path).is_ok_and(|found| found.file_type().is_char_device())
}

#[cfg(not(unix))]
fn is_device(_: &Path) -> bool {
    false
}
