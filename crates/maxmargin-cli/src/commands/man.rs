//! `maxmargin man`: manual pages, made of the same texts as the help.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, Command};
use maxmargin::Error;

use crate::print::{note, say};

/// Make manual pages: one for each command in a folder, or print that of the program
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  maxmargin man | man -l -
  maxmargin man ~/.local/share/man/man1")]
pub struct Man {
    /// The folder, which must be there
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

impl Man {
    /// Runs the command, for this tree of commands.
    pub fn run(self, tree: Command) -> Result<()> {
        let Some(folder) = self.folder else {
            let mut page = Vec::new();
            clap_mangen::Man::new(tree).render(&mut page)?;
            return say(&String::from_utf8_lossy(&page));
        };
        clap_mangen::generate_to(tree, &folder).map_err(|error| Error::io("write", &folder, error))?;
        note(&format!("the pages are in {}; read them with `man maxmargin`", folder.display()));
        Ok(())
    }
}
