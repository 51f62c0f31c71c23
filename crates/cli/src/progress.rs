//! Progress of long commands, on a line of the terminal that disappears at the end.

use std::io::Write;
use std::time::{Duration, Instant};

/// The shortest time between two drawings.
const INTERVAL: Duration = Duration::from_millis(100);
/// Characters of a bar.
const CELLS: u64 = 20;
/// Returns to the start of the line and erases it (ECMA-48).
pub(crate) const ERASE: &str = "\r\u{1b}[K";

/// A line that shows how far a command is. Dropping it erases the line.
pub(crate) struct Progress {
    what: &'static str,
    is_shown: bool,
    drawn_at: Option<Instant>,
}

impl Progress {
    /// Creates a line. Nothing is drawn yet.
    pub(crate) const fn new(what: &'static str, is_shown: bool) -> Self {
        Self { what, is_shown, drawn_at: None }
    }

    /// Shows how many of all parts are done.
    pub(crate) fn set(&mut self, done: u64, total: u64) {
        self.draw(|| bar(done, total));
    }

    /// Shows how many items are done, as [`set`](Self::set).
    pub(crate) fn set_count(&mut self, done: usize, total: usize) {
        let count = |items| u64::try_from(items).unwrap_or(u64::MAX);
        self.set(count(done), count(total));
    }

    /// Shows how many bytes were received, of all if their number is known.
    pub(crate) fn set_bytes(&mut self, received: u64, total: Option<u64>) {
        self.draw(|| match total {
            Some(total) => bar(received, total),
            None => megabytes(received),
        });
    }

    fn draw(&mut self, text: impl FnOnce() -> String) {
        let is_due = self.drawn_at.is_none_or(|drawn_at| drawn_at.elapsed() >= INTERVAL);
        if self.is_shown && is_due {
            self.drawn_at = Some(Instant::now());
            write(&format!("{ERASE}{} {}", self.what, text()));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.drawn_at.is_some() {
            write(ERASE);
        }
    }
}

/// Writes to the terminal. A command does not fail because its progress cannot be shown.
fn write(text: &str) {
    let mut terminal = std::io::stderr().lock();
    let _ = terminal.write_all(text.as_bytes()).and_then(|()| terminal.flush());
}

/// Draws a bar with its numbers.
fn bar(done: u64, total: u64) -> String {
    let cells = done.saturating_mul(CELLS).checked_div(total).unwrap_or(CELLS).min(CELLS);
    let part = |character: &str, count| character.repeat(usize::try_from(count).unwrap_or(0));
    let (filled, empty) = (part("#", cells), part("-", CELLS.saturating_sub(cells)));
    format!("[{filled}{empty}] {done} of {total}")
}

fn megabytes(bytes: u64) -> String {
    let tenths = bytes / 100_000;
    format!("{}.{} MB", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bar_shows_the_part_that_is_done() {
        assert_eq!(bar(0, 8), "[--------------------] 0 of 8");
        assert_eq!(bar(3, 8), "[#######-------------] 3 of 8");
        assert_eq!(bar(8, 8), "[####################] 8 of 8");
        assert_eq!(bar(0, 0), "[####################] 0 of 0");
        assert_eq!(bar(9, 8), "[####################] 9 of 8");
        assert_eq!(megabytes(12_349_999), "12.3 MB");
    }
}
