//! The names of modules and of constants.

use super::tree::{none, said, sources};

/// Names without meaning.
const VAGUE: [&str; 10] =
    ["util", "utils", "helper", "helpers", "common", "misc", "dto", "dtos", "manager", "managers"];

/// A limit is `MAX_*`, a time that is waited at most `*_TIMEOUT`.
#[test]
fn limits_are_named_alike() {
    // Split, because this file is checked too.
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
