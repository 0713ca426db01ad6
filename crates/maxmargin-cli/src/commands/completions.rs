//! `maxmargin completions`: what a shell needs to complete commands and flags.

use anyhow::Result;
use clap::{Args, Command};
use clap_complete::Shell;

use crate::print::say;

/// Print what a shell needs to complete commands and flags
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  maxmargin completions bash > ~/.local/share/bash-completion/completions/maxmargin
  maxmargin completions zsh > ~/.zfunc/_maxmargin
  maxmargin completions fish > ~/.config/fish/completions/maxmargin.fish")]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    /// Runs the command, for this tree of commands.
    pub fn run(self, mut tree: Command) -> Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut tree, "maxmargin", &mut script);
        say(&String::from_utf8_lossy(&script))
    }
}
