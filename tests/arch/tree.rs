//! The files of the repository, for the tests of sources.

use std::path::{Path, PathBuf};
use std::process::Command;

use daybook_tests::setting;

/// The root of the repository.
pub fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/");
    tests.parent().expect("the workspace").to_owned()
}

/// A file of the repository.
pub fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The reference of behaviour: `docs/behaviour.md` and the pages of `docs/api`, one after another.
pub fn behaviour() -> String {
    let mut text = read("docs/behaviour.md");
    let folder = root().join("docs/api");
    for entry in std::fs::read_dir(&folder).expect("docs/api is a folder") {
        let path = entry.expect("an entry of docs/api").path();
        text.push_str(&std::fs::read_to_string(&path).expect("a page is UTF-8"));
    }
    text
}

/// Runs cargo on the workspace; its standard output.
pub fn cargo(arguments: &[&str]) -> String {
    let cargo = setting("CARGO").unwrap_or_else(|| "cargo".to_owned());
    // Locked and offline: use what was just built.
    let (verb, rest) = arguments.split_first().expect("a verb");
    let run = Command::new(cargo)
        .args([verb, "--locked", "--offline"])
        .args(rest)
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(run.status.success(), "cargo {arguments:?}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).expect("cargo writes UTF-8")
}

/// A source file: its path from the root, and its text.
pub struct Source {
    pub path: String,
    pub text: String,
}

impl Source {
    /// The lines without comments, numbered from 1.
    pub fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let numbered = self.text.lines().enumerate().map(|(index, line)| (index + 1, line));
        numbered.filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    /// The name without its folder and its ending.
    pub fn stem(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        name.trim_end_matches(".rs")
    }
}

/// Every Rust file under these folders.
pub fn sources(folders: &[&str]) -> Vec<Source> {
    let mut open: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).expect("sources are UTF-8");
                let path = path.strip_prefix(root()).expect("below the root").display().to_string();
                found.push(Source { path, text });
            }
        }
    }
    assert!(!found.is_empty(), "no sources under {folders:?}");
    found
}

/// The places in the code of these folders that contain one of these words, except in the given
/// files.
pub fn said(folders: &[&str], words: &[&str], except: &[&str]) -> Vec<String> {
    let mut places = Vec::new();
    for source in sources(folders).iter().filter(|source| !except.contains(&source.path.as_str())) {
        for (number, line) in source.code() {
            let words = words.iter().filter(|word| line.contains(**word));
            places.extend(words.map(|word| format!("{}:{number}: {word}", source.path)));
        }
    }
    places
}

/// Fails with the places where the rule is broken.
#[track_caller]
pub fn none(places: &[String], rule: &str) {
    assert!(places.is_empty(), "{rule}:\n{}", places.join("\n"));
}
