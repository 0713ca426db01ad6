//! `maxmargin completions`: what a shell needs to complete commands and flags.

use anyhow::Result;
use clap::builder::PossibleValuesParser;
use clap::{Arg, Args, Command, ValueHint};
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
    pub fn run(self, tree: Command) -> Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut hinted(tree), "maxmargin", &mut script);
        say(&String::from_utf8_lossy(&script))
    }
}

/// The same tree where each flag says what its values are: files, one of a few words, or anything else.
fn hinted(command: Command) -> Command {
    command.mut_args(with_hint).mut_subcommands(hinted)
}

fn with_hint(flag: Arg) -> Arg {
    if !flag.get_action().takes_values() || !flag.get_possible_values().is_empty() {
        return flag;
    }
    let names: Vec<String> = flag.get_value_names().into_iter().flatten().map(ToString::to_string).collect();
    if names.iter().any(|name| ["FILE", "DIR", "MODEL"].iter().any(|path| name.contains(path))) {
        return flag.value_hint(ValueHint::AnyPath);
    }
    let help = flag.get_help().map(ToString::to_string).unwrap_or_default();
    match words(&help) {
        // A few words, made once each.
        Some(words) => {
            let words = words.into_iter().map(|word| &*word.leak());
            flag.value_parser(PossibleValuesParser::new(words))
        }
        None => flag.value_hint(ValueHint::Other),
    }
}

/// The words that a help text names as all that a flag may be: `…: one, two or three`. Those with a value of their own are left out.
fn words(help: &str) -> Option<Vec<String>> {
    let sentence = help.split(" [").next()?.split(". ").next()?;
    let (others, last) = sentence.rsplit(": ").next()?.rsplit_once(" or ")?;
    let words: Vec<&str> = others.split(", ").chain([last]).collect();
    let is_word = |word: &&str| {
        !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_+=".contains(c))
    };
    words.iter().all(is_word).then(|| {
        let plain = words.iter().filter(|word| !word.contains('='));
        plain.map(|word| (*word).to_owned()).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_that_the_help_names() {
        for (help, expected) in [
            ("auto, bmrm or sgd", Some(vec!["auto", "bmrm", "sgd"])),
            ("Learn tags so: iob1 or iob2. Predictions are others", Some(vec!["iob1", "iob2"])),
            (
                "The loss: zero-one, cost=FILE or balanced [default: zero-one]",
                Some(vec!["zero-one", "balanced"]),
            ),
            ("The most time, in seconds", None),
            ("The label that stands for nothing, or none", None),
        ] {
            let expected = expected.map(|words| words.into_iter().map(str::to_owned).collect());
            assert_eq!(words(help), expected, "{help}");
        }
    }
}
