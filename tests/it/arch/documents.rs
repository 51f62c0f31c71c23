//! The documents beside the code.

use daybook_tests::Server;

use super::tree::read;

pub fn tests() -> Vec<crate::Case> {
    crate::cases![readme_example_is_the_one_that_runs]
}

/// The example of the README is the domain's own, which `cargo test` compiles and runs.
fn readme_example_is_the_one_that_runs(_: &Server) {
    let between = |text: &str, open: &str| -> String {
        let (_, rest) =
            text.split_once(open).unwrap_or_else(|| panic!("an example after {open:?}"));
        rest.split_once("```").expect("the end of the example").0.to_owned()
    };
    let uncommented = |line: &str| {
        line.strip_prefix("//! ").or_else(|| line.strip_prefix("//!")).unwrap_or(line).to_owned()
            + "\n"
    };
    let documentation: String = read("crates/domain/src/lib.rs").lines().map(uncommented).collect();
    assert_eq!(between(&read("README.md"), "```rust\n"), between(&documentation, "```\n"));
}
