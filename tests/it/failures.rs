//! What failed, told once more when all is done: thousands of lines come after the first failure,
//! and of a long output often only the end is kept.

use std::fmt::{Display, Formatter, Result};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use libtest_mimic::Failed;

/// How much of a message is shown.
const SHOWN: usize = 1_000;

/// The cases that failed so far, with their messages.
#[derive(Default)]
pub struct Failures(Mutex<Vec<(String, String)>>);

impl Failures {
    /// Runs a case, and keeps what it panics with.
    pub fn note(&self, case: String, run: impl FnOnce()) -> std::result::Result<(), Failed> {
        let Err(panic) = catch_unwind(AssertUnwindSafe(run)) else { return Ok(()) };
        let text = daybook_tests::panic_text(panic.as_ref());
        let failed = Failed::from(&text);
        self.0.lock().expect("nothing panics while it is held").push((case, text));
        Err(failed)
    }
}

impl Display for Failures {
    /// One paragraph a case; nothing when none failed.
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for (case, text) in self.0.lock().expect("nothing panics while it is held").iter() {
            let shown: String = text.chars().take(SHOWN).collect();
            writeln!(f, "{case} failed: {shown}")?;
        }
        Ok(())
    }
}
