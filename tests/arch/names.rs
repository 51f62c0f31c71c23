//! The names: those of types, of modules and of constants. One meaning each.

use std::collections::{BTreeMap, BTreeSet};

use super::tree::{Source, none, said, sources};

/// Names that say nothing.
const VAGUE: [&str; 10] =
    ["util", "utils", "helper", "helpers", "common", "misc", "dto", "dtos", "manager", "managers"];

/// Type names that repeat by design, with what every one of them is.
const BY_DESIGN: [(&str, &str); 9] = [
    ("Changes", "what an update gives of its noun"),
    ("Error", "how a crate, or a reader, fails"),
    ("Input", "what a create or an update of a noun is given"),
    ("Listed", "a page of a noun, as its use case answers"),
    ("Refusal", "why the rules of a noun refuse"),
    ("Request", "what an operation of a noun is asked"),
    ("Result", "an answer or the error of the crate"),
    ("Row", "a noun's row, private to its file of storage"),
    ("View", "what a use case answers about a noun"),
];

/// The code of a file without its test module, and without the files that are test modules.
fn shipped() -> Vec<Source> {
    let mut all = sources(&["crates"]);
    let folder = |path: &str| path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    let mut of_tests = BTreeSet::new();
    for source in &all {
        for (_, behind) in source
            .text
            .match_indices("#[cfg(test)]\nmod ")
            .map(|(at, text)| source.text.split_at(at + text.len()))
        {
            let name: String =
                behind.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let folder = folder(&source.path);
            of_tests.extend([format!("{folder}/{name}.rs"), format!("{folder}/{name}/mod.rs")]);
        }
    }
    all.retain(|source| !of_tests.contains(&source.path) && !source.path.contains("/tests/"));
    for source in &mut all {
        let end = source.text.find("\n#[cfg(test)]\nmod ").unwrap_or(source.text.len());
        source.text.truncate(end);
    }
    all
}

/// The type a line declares. What an implementation calls its associated types does not count.
fn declared(line: &str) -> Option<&str> {
    let inside = line.starts_with(' ');
    let line = line.trim_start();
    let plain = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ").map_or(rest, |(_, rest)| rest),
        Some(rest) => rest.trim_start(),
        None => line,
    };
    let (keyword, rest) = plain.split_once(' ')?;
    let counts = matches!(keyword, "struct" | "enum" | "trait") || keyword == "type" && !inside;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let name = &rest[..end];
    (counts && name.starts_with(|c: char| c.is_uppercase())).then_some(name)
}

#[test]
fn types_have_one_meaning() {
    let shipped = shipped();
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for source in &shipped {
        for name in source.code().filter_map(|(_, line)| declared(line)) {
            found.entry(name).or_default().push(&source.path);
        }
    }
    found.retain(|_, files| files.len() > 1);
    let listed: Vec<&str> = BY_DESIGN.iter().map(|(name, _)| *name).collect();
    let places: Vec<String> = found
        .iter()
        .filter(|(name, _)| !listed.contains(name))
        .map(|(name, files)| format!("{name} is declared in {}", files.join(", ")))
        .collect();
    none(&places, "A type's name has one meaning");
}

/// A limit is `MAX_*`, a time that is waited at most `*_TIMEOUT`.
#[test]
fn limits_are_named_alike() {
    // In two halves, as this file is read too.
    let words = [concat!("MOST", "_"), concat!("PATI", "ENCE")];
    none(&said(&["crates", "tests"], &words, &[]), "Limits are MAX_*, times *_TIMEOUT");
}

#[test]
fn names_say_something() {
    let mut places = Vec::new();
    for source in sources(&["crates", "tests"]) {
        let path = source.path.trim_end_matches(".rs");
        let words = path.split(['/', '_']).filter(|word| VAGUE.contains(word));
        places.extend(words.map(|word| format!("{}: {word}", source.path)));
        for (number, line) in source.code() {
            let declared = line
                .trim()
                .trim_start_matches("pub(crate) ")
                .trim_start_matches("pub ")
                .strip_prefix("mod ");
            let name = declared.map(|rest| rest.trim_end_matches([' ', '{', ';']));
            if name.is_some_and(|name| name.split('_').any(|word| VAGUE.contains(&word))) {
                places.push(format!("{}:{number}: {line}", source.path));
            }
        }
    }
    none(&places, "A name says what is inside");
}
