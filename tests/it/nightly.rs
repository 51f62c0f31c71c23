//! The suite `nightly`: long cases, on both engines.

use std::process::ExitCode;

fn main() -> ExitCode {
    daybook_it::nightly().run()
}
