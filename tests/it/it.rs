//! The suite `it`: every module on the engines where it may differ.

use std::process::ExitCode;

fn main() -> ExitCode {
    daybook_it::it().run()
}
