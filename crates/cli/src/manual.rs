//! `dbk completion` and `dbk manual`, which are made from the command line.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

use crate::failure::{Failure, Result};

/// The options of `dbk completion`.
#[derive(Debug, Args)]
pub(crate) struct CompletionArgs {
    /// The shell
    shell: Shell,
}

/// The options of `dbk manual`.
#[derive(Debug, Args)]
pub(crate) struct ManualArgs {
    /// Directory for the pages, one for each command
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

/// Prints the completions of a shell.
///
/// # Errors
/// When the output cannot be written.
pub(crate) fn completion(args: &CompletionArgs, command: &mut clap::Command) -> Result {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, command, "dbk", &mut script);
    std::io::Write::write_all(&mut std::io::stdout().lock(), &script)
        .map_err(|error| Failure::io("the output cannot be written", &error))
}

/// Writes the manual pages.
///
/// # Errors
/// When the directory cannot be written.
pub(crate) fn pages(args: &ManualArgs, command: clap::Command) -> Result {
    let directory = &args.directory;
    std::fs::create_dir_all(directory)
        .and_then(|()| clap_mangen::generate_to(command, directory))
        .map_err(|error| Failure::io(directory.display(), &error))
}
