//! The progress of a long command, as a line on standard error.
//!
//! A terminal shows one line that changes. Elsewhere, as in the journal of a service, there is a
//! line every ten seconds.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

/// A line of progress.
pub(crate) struct Progress {
    step: &'static str,
    is_terminal: bool,
    last: Instant,
    is_shown: bool,
}

impl Progress {
    /// Begins a step.
    pub(crate) fn new(step: &'static str) -> Self {
        Self { step, is_terminal: stderr().is_terminal(), last: Instant::now(), is_shown: false }
    }

    /// Begins a step that prints lines on a terminal, too.
    pub(crate) fn in_lines(step: &'static str) -> Self {
        Self { step, is_terminal: false, last: Instant::now(), is_shown: false }
    }

    /// Shows how far the step is, at most five times a second.
    pub(crate) fn show(&mut self, done: &str) {
        let pause = if self.is_terminal { Duration::from_millis(200) } else { INTERVAL };
        if self.last.elapsed() < pause {
            return;
        }
        self.last = Instant::now();
        self.is_shown = true;
        let (begin, end) = if self.is_terminal { ("\r\x1b[K", "") } else { ("", "\n") };
        // Without a reader of standard error the command goes on.
        let _ = write!(stderr(), "{begin}{}: {done}{end}", self.step);
    }
}

/// The interval between two lines without a terminal.
const INTERVAL: Duration = Duration::from_secs(10);

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_shown && self.is_terminal {
            let _ = write!(stderr(), "\r\x1b[K");
        }
    }
}
