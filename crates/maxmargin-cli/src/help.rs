//! Help that fits on a screen: `--help` has the flags that most runs need, a line each, and `--help-all` has all of them with all that
//! there is to say.

use clap::builder::Resettable;
use clap::{Arg, ArgAction, Command};

/// Flags that few runs need. A new flag is shown until it is named here.
const RARE: &[&str] = &[
    // Data.
    "column-names",
    "center",
    "first",
    "folds",
    "gazetteer",
    "label-column",
    "labels",
    "missing",
    "most-frequent-labels",
    "id-column",
    "log-counts",
    "normalize",
    "rare-values",
    "tag-scheme",
    "template-syntax",
    "text-columns",
    "tf-idf",
    "weight-column",
    "test-folds",
    "validate-folds",
    "zero-based",
    "dag",
    "node-names",
    // What is learnt.
    "alpha-limit",
    "background",
    "c-mean",
    "candidate-start",
    "candidate-weights",
    "extra-links",
    "features",
    "fertility",
    "gradients",
    "inference",
    "inner",
    "label-count",
    "weights",
    "loss-step",
    "no-bias",
    "no-boundary",
    "no-edges",
    "no-lengths",
    "known-segments",
    "order",
    "own-leaves",
    "pair-weights",
    "search",
    "signed",
    "tune-threshold",
    // Networks.
    #[cfg(feature = "neural")]
    "clip",
    #[cfg(feature = "neural")]
    "decay",
    #[cfg(feature = "neural")]
    "no-letters",
    #[cfg(feature = "neural")]
    "rare-words",
    // How.
    "checkpoint",
    "checkpoint-every",
    "every",
    "groups",
    "max-passes",
    "require-gap",
    "resume",
    "reuse",
    "seed",
    // What comes out.
    "curves",
    "example",
    "f32",
    "log",
    "no-confidence",
    "plot-size",
    "plot-title",
    "scores",
    "well-formed",
    // Word alignment.
    "associations",
    "external-links",
    "feature-table",
];

/// A command whose `--help` is short, and all of its subcommands.
pub fn short(command: Command) -> Command {
    let command = command.mut_subcommands(short);
    // Predictions are drawn of one task only.
    let draws_rarely = command.get_name() == "predict";
    let is_rare_flag = move |flag: &str| RARE.contains(&flag) || draws_rarely && flag == "plot";
    let is_rare = move |arg: &Arg| arg.get_long().is_some_and(is_rare_flag);
    let is_short = command.get_arguments().any(|arg| arg.get_id() == "help-all");
    // What is not whole yet has no flags, and will come here again.
    if is_short || command.get_arguments().next().is_none() && !command.has_subcommands() {
        return command;
    }
    // What columns of text are, a model knows from its training; there these flags are refused.
    let is_settled = ["predict", "eval"].contains(&command.get_name());
    let is_vain = move |arg: &Arg| is_settled && arg.get_help_heading() == Some("Columns of text");
    let flag = |name: &'static str| Arg::new(name).long(name).help_heading(Resettable::Reset);
    let all = flag("help-all").action(ArgAction::HelpLong).help("Print all flags, and more about each");
    if !command.get_arguments().any(is_rare) {
        // Its help has all that there is.
        return command.arg(all.hide(true));
    }
    command
        .mut_args(|arg| {
            let (is_rare, is_vain) = (is_rare(&arg), is_vain(&arg));
            arg.hide_short_help(is_rare).hide(is_vain)
        })
        .disable_help_flag(true)
        .arg(flag("help").short('h').action(ArgAction::HelpShort).help("Print the usual flags"))
        .arg(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_rare_flag_is_a_flag_no_more() {
        maxmargin_align::register().unwrap();
        let mut left: Vec<&str> = RARE.to_vec();
        fn strike(command: &Command, left: &mut Vec<&str>) {
            left.retain(|flag| command.get_arguments().all(|arg| arg.get_long() != Some(*flag)));
            command.get_subcommands().for_each(|own| strike(own, left));
        }
        strike(&crate::tree(true), &mut left);
        assert!(left.is_empty(), "no command has {left:?}");
    }

    #[test]
    fn every_command_takes_help_all() {
        maxmargin_align::register().unwrap();
        for is_whole in [true, false] {
            let mut tree = crate::tree(is_whole);
            tree.build();
            fn check(command: &Command) {
                let takes_it = command.get_arguments().any(|arg| arg.get_id() == "help-all");
                assert!(takes_it, "{} has no --help-all", command.get_name());
                // clap's own command `help` is no command of ours.
                command.get_subcommands().filter(|own| own.get_name() != "help").for_each(check);
            }
            check(&tree);
        }
    }

    #[test]
    fn help_fits_on_a_screen_and_all_of_it_has_every_flag() {
        maxmargin_align::register().unwrap();
        fn check(command: &mut Command) {
            let (short, long) = (command.render_help().to_string(), command.render_long_help().to_string());
            let is_short = short.lines().count() <= 60;
            assert!(is_short, "{} lines of help for {}:\n{short}", short.lines().count(), command.get_name());
            let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
            for flag in shown.filter_map(Arg::get_long) {
                assert!(long.contains(&format!("--{flag}")), "--{flag} is not in\n{long}");
            }
            command.get_subcommands_mut().for_each(check);
        }
        let mut tree = crate::tree(true);
        tree.build();
        check(&mut tree);
    }
}
