//! The generated sources of `daybook-client`: types and operations of the contract.
//!
//! `make openapi` writes them, and a test compares them with the contract. The generator fails at a
//! schema that it does not know, so nothing is dropped silently.

mod names;
mod operations;
mod shapes;
mod text;

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

/// The folder of the sources, from the root of the repository.
pub const FOLDER: &str = "crates/client/src/generated";

/// Returns the sources by their path below [`FOLDER`], formatted.
///
/// # Panics
/// If the contract has a schema or a parameter that the generator does not know, or `rustfmt` does
/// not run.
pub fn sources(contract: &Value, sign_in: &Value) -> BTreeMap<String, String> {
    let mut shapes = shapes::Shapes::new(contract);
    let operations = operations::all(contract, &mut shapes);
    shapes.add_definitions(&operations);
    shapes.add_sign_in(sign_in);
    let mut files = BTreeMap::new();
    let types = shapes.sources();
    files.insert("types/mod.rs".to_owned(), types_module(&types));
    files.extend(types.into_iter().map(|(file, text)| (format!("types/{file}.rs"), text)));
    let (parameters, methods) = operations::sources(&operations);
    files.insert("parameters.rs".to_owned(), parameters);
    let modules: String = methods.keys().map(|file| format!("mod {file};\n")).collect();
    let head = "//! One function for each operation of the contract.\n\n";
    files.insert("operations/mod.rs".to_owned(), format!("{head}{modules}"));
    files.extend(methods.into_iter().map(|(file, text)| (format!("operations/{file}.rs"), text)));
    files.insert("mod.rs".to_owned(), MODULE.to_owned());
    files.into_iter().map(|(path, text)| (path, format(&text))).collect()
}

const MODULE: &str = "\
//! Types and operations, made from the contract by `make openapi`. Do not edit them.

mod operations;
pub mod parameters;
pub mod types;
";

fn types_module(types: &BTreeMap<String, String>) -> String {
    let mut made = "//! The shapes of the contract, by noun.\n\n".to_owned();
    for file in types.keys() {
        made += &format!("mod {file};\n");
    }
    made.push('\n');
    for file in types.keys() {
        made += &format!("pub use {file}::*;\n");
    }
    made
}

/// Formats a source as `make lint` expects it.
fn format(source: &str) -> String {
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/../../rustfmt.toml");
    let mut rustfmt = Command::new("rustfmt")
        .args(["--edition", "2024", "--emit", "stdout", "--config-path", config])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("rustfmt runs");
    let mut input = rustfmt.stdin.take().expect("a pipe");
    input.write_all(source.as_bytes()).expect("rustfmt reads");
    drop(input);
    let output = rustfmt.wait_with_output().expect("rustfmt ends");
    assert!(output.status.success(), "rustfmt refuses:\n{source}");
    String::from_utf8(output.stdout).expect("rustfmt writes UTF-8")
}
