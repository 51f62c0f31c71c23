//! Programs that read what is written.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A file that is removed when it is dropped.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str, content: &[u8]) -> Scratch {
        let name = format!("{}-{name}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&path, content).unwrap();
        Scratch(path)
    }

    pub(crate) fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Returns the path of a program, or nothing where it is missing. In CI that is a failure.
pub(crate) fn find(path: PathBuf, install: &str) -> Option<PathBuf> {
    if Command::new(&path).arg("--version").output().is_ok() {
        return Some(path);
    }
    let missing = format!("{} is missing: run {install}", path.display());
    assert!(std::env::var_os("CI").is_none(), "{missing}");
    eprintln!("{missing}");
    None
}

/// Runs a program and returns what it prints.
#[track_caller]
pub(crate) fn run(path: &Path, arguments: &[&str]) -> String {
    let output = Command::new(path).args(arguments).env("LANG", "C.UTF-8").output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {printed}{error}");
    printed
}

/// Parses CSV.
pub(crate) fn table(text: &str) -> Vec<Vec<String>> {
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let row =
        |record: csv::StringRecord| record.iter().map(|cell| cell.trim().to_owned()).collect();
    reader.records().map(|record| row(record.unwrap())).collect()
}
