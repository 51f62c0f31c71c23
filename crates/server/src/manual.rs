//! `daybook manual` and `daybook completion`: manual pages and shell completions, made from the
//! command line itself.

use std::io::stdout;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Command};
use clap_complete::Shell;

/// The options of `daybook manual`.
#[derive(Debug, Args)]
pub(crate) struct ManualArgs {
    /// Directory for the pages, one for each command
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

/// The options of `daybook completion`.
#[derive(Debug, Args)]
pub(crate) struct CompletionArgs {
    /// The shell
    shell: Shell,
}

/// Writes the manual pages of a command line.
///
/// # Errors
/// When the directory cannot be written.
pub(crate) fn pages(options: &ManualArgs, command: Command) -> anyhow::Result<()> {
    let directory = &options.directory;
    std::fs::create_dir_all(directory)
        .and_then(|()| clap_mangen::generate_to(command, directory))
        .with_context(|| format!("{} cannot be written", directory.display()))
}

/// Prints the completions of a shell.
///
/// # Errors
/// When the output cannot be written.
pub(crate) fn completion(options: &CompletionArgs, mut command: Command) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut command, "daybook", &mut script);
    std::io::Write::write_all(&mut stdout().lock(), &script)
        .context("the output could not be written")
}
