//! Selects the `daybook` binary of a tool: measurements use the release build.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail, ensure};

use crate::setting;

/// Restarts this program with `DAYBOOK_BIN` set to the release build, unless it is set.
/// [`crate::binary`] reads only the environment, and a process cannot safely change its own.
///
/// With `build` the release binary is brought up to date first. Without it an existing binary is
/// used; if there is none, nothing changes.
pub fn prefer(build: bool) -> anyhow::Result<()> {
    if setting("DAYBOOK_BIN").is_some() {
        return Ok(());
    }
    let program = std::env::current_exe().context("the path of this program")?;
    // target/PROFILE/PROGRAM
    let target = program.ancestors().nth(2).context("a target directory")?;
    let binary = target.join("release/daybook");
    if build {
        compile(target)?;
    } else if !binary.is_file() {
        return Ok(());
    }
    run_again(&program, &binary)
}

fn compile(target: &Path) -> anyhow::Result<()> {
    let cargo = setting("CARGO").unwrap_or_else(|| "cargo".to_owned());
    let arguments =
        ["build", "--release", "-p", "daybook-server", "--bin", "daybook", "--target-dir"];
    let built = Command::new(cargo)
        .args(arguments)
        .arg(target)
        .current_dir(workspace())
        .status()
        .context("cargo does not run")?;
    ensure!(built.success(), "the release build of daybook fails");
    Ok(())
}

fn run_again(program: &Path, binary: &Path) -> anyhow::Result<()> {
    let error =
        Command::new(program).args(std::env::args_os().skip(1)).env("DAYBOOK_BIN", binary).exec();
    bail!("{} does not run again: {error}", program.display())
}

/// The root of the workspace.
pub fn workspace() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}
