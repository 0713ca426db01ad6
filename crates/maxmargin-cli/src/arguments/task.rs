//! Commands that are about a task: one subcommand for each task in the registry, with its flags only.

use anyhow::{Result, bail};
use clap::builder::Styles;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use maxmargin::tasks::{OptionGroup, TaskObject, TaskOption, registry};

use super::candidates::CANDIDATES;
use super::{EvaluationArguments, Given, ReadArguments, with_flags};
use crate::files::Files;
use crate::help;

/// A task with what its flags say, and how its data is read.
#[derive(Debug)]
pub struct ChosenTask {
    /// The task.
    pub task: Box<dyn TaskObject>,
    /// How to read files.
    pub read: ReadArguments,
    /// What to count in an evaluation.
    pub evaluation: EvaluationArguments,
    /// The flags that were given.
    pub given: Given,
}

impl ChosenTask {
    /// The files that are read beside the data.
    pub fn add_to(&self, files: Files) -> Files {
        add_task_files(self.task.as_ref(), self.read.add_to(files))
    }
}

fn add_task_files(task: &dyn TaskObject, files: Files) -> Files {
    let flag = |name: &str| task.options().into_iter().find(|option| option.name == name);
    task.files().into_iter().fold(files, |files, (name, path)| match flag(name) {
        Some(option) => files.read(flag_of(&option), [&path]),
        None => files,
    })
}

/// A command that is about a task.
pub trait TaskCommand: Args + FromArgMatches {
    /// Runs it for a task.
    fn run(self, chosen: ChosenTask) -> Result<()>;
}

/// The command of this name with a subcommand for each task, whose flags are made when it is asked for, or now if the tree is to be whole.
pub fn with_tasks<C: TaskCommand>(name: &'static str, is_whole: bool) -> Command {
    let alone = C::augment_args(Command::new(name));
    let mut command = Command::new(name)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand_value_name("TASK")
        .subcommand_help_heading("Tasks")
        .disable_help_subcommand(true)
        .styles(Styles::default());
    command = match alone.get_about() {
        Some(about) => command.about(about.clone()),
        None => command,
    };
    command = match alone.get_long_about() {
        Some(about) => command.long_about(about.clone()),
        None => command,
    };
    command = match alone.get_after_help() {
        Some(after) => command.after_help(after.clone()),
        None => command,
    };
    let tasks = registry::names().into_iter().filter_map(|name| registry::find(name).ok());
    command.subcommands(tasks.map(|task| {
        let command = Command::new(task.name()).about(task.summary());
        if is_whole { for_task::<C>(command) } else { command.defer(for_task::<C>) }
    }))
}

/// The command for the task of its name, with all flags.
fn for_task<C: TaskCommand>(command: Command) -> Command {
    let Ok(task) = registry::find(command.get_name()) else { return command };
    let mut command = C::augment_args(command);
    if task.reads_tables() {
        command = ReadArguments::augment_args(command);
    }
    if task.has_background() {
        command = EvaluationArguments::augment_args(command);
    }
    if !task.has_candidates() {
        // They are refused, with the tasks that have them.
        let is_vain = |arg: &Arg| arg.get_help_heading() == Some(CANDIDATES);
        command = command.mut_args(|arg| if is_vain(&arg) { arg.hide(true) } else { arg });
    }
    let flags = task.options().into_iter().map(argument);
    // Last, since the structs of flags have descriptions of their own.
    let about = with_flags(task.about(), |_| true);
    help::short(command.args(flags).about(task.summary()).long_about(about).after_help(""))
}

/// The flag that sets an option of a task.
fn argument(option: TaskOption) -> Arg {
    let heading = match option.group {
        OptionGroup::Problem => "Problem",
        OptionGroup::TrainingData => "Training data",
        OptionGroup::Reading => "Reading",
    };
    let help = match option.default {
        Some(default) => format!("{} [default: {default}]", with_flags(option.help, |_| true)),
        None => with_flags(option.help, |_| true),
    };
    let mut argument = Arg::new(option.name).long(option.name).help_heading(heading).help(help.clone());
    if !option.more.is_empty() {
        argument = argument.long_help(format!("{help}\n\n{}", with_flags(option.more, |_| true)));
    }
    match option.value {
        None => argument.action(ArgAction::SetTrue),
        Some(name) if option.has_commas => {
            argument.value_name(name).value_delimiter(',').action(ArgAction::Append)
        }
        Some(name) if option.most_values > 1 => argument.value_name(name).num_args(1..=option.most_values),
        Some(name) => argument.value_name(name),
    }
}

/// The name of an option's flag.
fn flag_of(option: &TaskOption) -> &'static str {
    // A few names, made once each.
    Box::leak(format!("--{}", option.name).into_boxed_str())
}

/// Runs the command that was asked for.
pub fn parse_for_task<C: TaskCommand>(matches: &ArgMatches) -> Result<()> {
    let Some((name, matches)) = matches.subcommand() else { bail!("name a task") };
    let mut task = registry::find(name)?;
    set_options(task.as_mut(), matches)?;
    let given = Given::of(matches);
    given.check_options(&task.options())?;
    let read = match task.reads_tables() {
        true => ReadArguments::from_arg_matches(matches)?,
        false => ReadArguments::default(),
    };
    let evaluation = match task.has_background() {
        true => EvaluationArguments::from_arg_matches(matches)?,
        false => EvaluationArguments::default(),
    };
    C::from_arg_matches(matches)?.run(ChosenTask { task, read, evaluation, given })
}

/// Sets what was given on the command line.
fn set_options(task: &mut dyn TaskObject, matches: &ArgMatches) -> Result<()> {
    for option in task.options() {
        if matches.try_contains_id(option.name).is_ok()
            && matches.value_source(option.name) == Some(ValueSource::CommandLine)
        {
            task.set(option.name, &values(matches, &option))?;
        }
    }
    Ok(())
}

fn values(matches: &ArgMatches, option: &TaskOption) -> Vec<String> {
    match option.value {
        None => Vec::new(),
        Some(_) => matches.get_many::<String>(option.name).into_iter().flatten().cloned().collect(),
    }
}

/// Flags of reading that only some tasks have, for commands that learn the task from a model.
#[derive(Debug, Clone, Default)]
pub struct ReadingOptions(Vec<(TaskOption, Vec<String>)>);

/// Adds the flags of reading of all tasks.
pub fn reading_flags(mut command: Command) -> Command {
    let mut seen: Vec<&str> = Vec::new();
    for option in reading_options() {
        if !seen.contains(&option.name) {
            seen.push(option.name);
            command = command.arg(argument(option));
        }
    }
    command
}

fn reading_options() -> impl Iterator<Item = TaskOption> {
    let tasks = registry::names().into_iter().filter_map(|name| registry::find(name).ok());
    tasks.flat_map(|task| task.options()).filter(|option| option.group == OptionGroup::Reading)
}

impl ReadingOptions {
    /// What was given on the command line.
    pub fn of(matches: &ArgMatches) -> Self {
        let is_given = |option: &TaskOption| {
            matches.try_contains_id(option.name).is_ok()
                && matches.value_source(option.name) == Some(ValueSource::CommandLine)
        };
        Self(
            reading_options()
                .filter(is_given)
                .map(|option| {
                    let values = values(matches, &option);
                    (option, values)
                })
                .collect(),
        )
    }

    /// A task with these options. One that it does not have is an error.
    pub fn apply(&self, mut task: Box<dyn TaskObject>) -> Result<Box<dyn TaskObject>> {
        for (option, values) in &self.0 {
            if !task.options().iter().any(|own| own.name == option.name) {
                bail!("--{}: the task of the model, {}, has no such option", option.name, task.name());
            }
            task.set(option.name, values)?;
        }
        Ok(task)
    }

    /// The files that are named.
    pub fn add_to(&self, files: Files) -> Files {
        self.0.iter().filter(|(option, _)| option.value == Some("FILE")).fold(
            files,
            |files, (option, values)| {
                let paths: Vec<std::path::PathBuf> = values.iter().map(Into::into).collect();
                files.read(flag_of(option), &paths)
            },
        )
    }
}
