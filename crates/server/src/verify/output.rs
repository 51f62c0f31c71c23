//! What `daybook verify` prints: a line for each difference, and one at the end. What it has done
//! so far goes to standard error.

use std::io::{Write, stderr};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use daybook_domain::id::BookKey;

use crate::admin::print;
use crate::checkpoint::file::CheckpointFault;

/// How often somebody who waits is told how far it is.
const PROGRESS: Duration = Duration::from_secs(10);

/// What was compared so far, and what differs.
pub(super) struct Output {
    pub(super) books: u64,
    pub(super) events: u64,
    pub(super) files: u64,
    pub(super) bytes: u64,
    differences: u64,
    told: Instant,
}

impl Output {
    pub(super) fn new() -> Self {
        Self { books: 0, events: 0, files: 0, bytes: 0, differences: 0, told: Instant::now() }
    }

    /// Reports a difference of a book: its kind, the id of what differs, what is expected and what
    /// is found.
    ///
    /// # Errors
    /// When nobody takes the line.
    pub(super) fn difference(
        &mut self,
        kind: &str,
        book: &BookKey,
        resource: &str,
        (expected, actual): (&str, &str),
    ) -> anyhow::Result<()> {
        self.line([kind, book.as_str(), resource, expected, actual])
    }

    /// Reports differences that have no line of their own.
    pub(super) fn uncounted(&mut self, differences: u64) {
        self.differences = self.differences.saturating_add(differences);
    }

    /// Reports a file that is no checkpoint.
    ///
    /// # Errors
    /// When nobody takes the line.
    pub(super) fn checkpoint(&mut self, path: &Path, fault: CheckpointFault) -> anyhow::Result<()> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        self.line(["checkpoint", "", &name, "a signed checkpoint", &fault.to_string()])
    }

    /// Tells of a book that was deleted and removed, which is no difference.
    ///
    /// # Errors
    /// When nobody takes the line.
    pub(super) fn removed(&mut self, book: &BookKey) -> anyhow::Result<()> {
        print([format!("removed\t{book}")])
    }

    /// Tells how far it is, now and then.
    pub(super) fn progress(&mut self) {
        if self.told.elapsed() < PROGRESS {
            return;
        }
        self.told = Instant::now();
        let Self { books, events, files, bytes, .. } = self;
        let megabytes = *bytes / 1_000_000;
        // Nobody has to listen.
        let _ = writeln!(
            stderr(),
            "daybook: verified {books} books, {events} events, {files} files of {megabytes} MB"
        );
    }

    /// Prints what was compared; 0 when nothing differs, else 1.
    ///
    /// # Errors
    /// When nobody takes the line.
    pub(super) fn finish(self, checkpoints: usize) -> anyhow::Result<ExitCode> {
        let Self { books, events, files, differences, .. } = self;
        print([format!(
            "{checkpoints} checkpoints, {books} books, {events} events, {files} files: \
             {differences} differences"
        )])?;
        Ok(if differences == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }

    /// A line of columns separated by tabs. Texts of rows may have any characters.
    fn line(&mut self, columns: [&str; 5]) -> anyhow::Result<()> {
        self.differences = self.differences.saturating_add(1);
        let plain = |text: &str| text.replace(|c: char| c.is_control(), " ");
        print([columns.map(plain).join("\t")])
    }
}
