//! The failures of a run, printed again at its end: thousands of lines may follow the first one.

use std::fmt::{Display, Formatter, Result};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use libtest_mimic::Failed;

use crate::panic_text;

/// Characters of a message that are printed.
const PRINTED: usize = 1_000;

/// The failed cases with their messages.
#[derive(Default)]
pub(super) struct Failures(Mutex<Vec<(String, String)>>);

impl Failures {
    /// Runs a case and keeps the message of its panic.
    pub(super) fn note(&self, case: String, run: impl FnOnce()) -> std::result::Result<(), Failed> {
        let Err(panic) = catch_unwind(AssertUnwindSafe(run)) else { return Ok(()) };
        let text = panic_text(panic.as_ref());
        let failed = Failed::from(&text);
        self.0.lock().expect("nothing panics while it is held").push((case, text));
        Err(failed)
    }
}

impl Display for Failures {
    /// One paragraph for each failed case.
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for (case, text) in self.0.lock().expect("nothing panics while it is held").iter() {
            let printed: String = text.chars().take(PRINTED).collect();
            writeln!(f, "{case} failed: {printed}")?;
        }
        Ok(())
    }
}
