//! The names of files in the making, and those that a killed process has left.
//!
//! A file in the making is called `.maxmargin-OUTPUT-HOST-PROCESS-RANDOM`: fingerprints of the output's name and of the
//! machine's, the number of the process, and six random letters. Who makes the same output later takes away what is
//! plainly left over: files of processes of this machine that no longer exist (where the system has `/proc`), and
//! files that nobody has written to for [`FORGOTTEN`], whoever they are of. Those of a process that is at work, here or on
//! another machine that shares the folder, stay.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::data::fingerprint_of_bytes;

const MARK: &str = ".maxmargin-";

/// No file is in the making for so long without being written to.
const FORGOTTEN: Duration = Duration::from_secs(24 * 60 * 60);

/// What the temporary names of one output begin with, and which process this is.
pub(super) struct Temporary {
    output: String,
    host: String,
    process: u32,
}

impl Temporary {
    /// For an output with this name, in this process.
    pub(super) fn new(output: &OsStr) -> Self {
        let host = fs::read("/proc/sys/kernel/hostname").or_else(|_| fs::read("/etc/hostname"));
        Self {
            output: format!("{MARK}{:016x}-", fingerprint_of_bytes(output.as_encoded_bytes())),
            host: format!("{:08x}", fingerprint_of_bytes(&host.unwrap_or_default()) as u32),
            process: std::process::id(),
        }
    }

    /// What a new name begins with; random letters follow.
    pub(super) fn prefix(&self) -> String {
        format!("{}{}-{}-", self.output, self.host, self.process)
    }

    /// Takes away what earlier processes left of the same output. What cannot be taken away stays.
    pub(super) fn remove_leftovers(&self, folder: &Path) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(rest) = name.to_str().and_then(|name| name.strip_prefix(&self.output)) else { continue };
            let age = entry.metadata().and_then(|file| file.modified()).ok();
            let age = age.and_then(|time| SystemTime::now().duration_since(time).ok());
            if self.is_of_the_dead(rest) || age.is_some_and(|age| age > FORGOTTEN) {
                drop(fs::remove_file(entry.path()));
            }
        }
    }

    /// Whether the rest of a name says that its process was one of this machine and is no more.
    fn is_of_the_dead(&self, rest: &str) -> bool {
        let mut parts = rest.split('-');
        let (host, process) = (parts.next(), parts.next().and_then(|number| number.parse::<u32>().ok()));
        let is_here = host == Some(&self.host) && Path::new("/proc/self").exists();
        is_here && process.is_some_and(|process| !Path::new(&format!("/proc/{process}")).exists())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_plainly_left_over_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let mine = Temporary::new(OsStr::new("my.model"));
        // Above what systems number processes to.
        let dead = Temporary { process: u32::MAX, ..Temporary::new(OsStr::new("my.model")) };
        let other_output = Temporary { process: u32::MAX, ..Temporary::new(OsStr::new("other.model")) };
        let elsewhere =
            Temporary { host: "0".to_owned(), process: u32::MAX, ..Temporary::new(OsStr::new("my.model")) };
        let old = Temporary { host: "1".to_owned(), ..Temporary::new(OsStr::new("my.model")) };
        let path = |temporary: &Temporary| folder.path().join(format!("{}abcdef", temporary.prefix()));
        let all = [&mine, &dead, &other_output, &elsewhere, &old];
        all.iter().for_each(|temporary| fs::write(path(temporary), "").unwrap());
        let long_ago = SystemTime::now() - 2 * FORGOTTEN;
        fs::File::options().write(true).open(path(&old)).unwrap().set_modified(long_ago).unwrap();
        mine.remove_leftovers(folder.path());
        let left = all.map(|temporary| path(temporary).exists());
        assert_eq!(left, [true, !cfg!(target_os = "linux"), true, true, false]);
    }
}
