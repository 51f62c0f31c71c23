//! Which `daybook` a program here runs: figures and first impressions come from the release build.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail, ensure};

use crate::setting;

/// Runs this program again with `DAYBOOK_BIN` naming the release build, unless something names one
/// already. The environment is the one place that [`crate::binary`] reads, and a process cannot
/// safely change its own.
///
/// With `build` the release binary is brought up to date first; without, one that is there is taken
/// and else nothing changes.
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
