//! The output of `daybook verify`: a line for each difference and a summary on standard output, and
//! the progress on standard error.

use std::path::Path;
use std::process::ExitCode;

use daybook_domain::id::BookKey;

use crate::checkpoint::file::CheckpointFault;
use crate::installation::print;
use crate::plural::counted;
use crate::progress::Progress;

/// The counts of what was compared, and of differences.
pub(super) struct Output {
    pub(super) books: u64,
    pub(super) events: u64,
    pub(super) files: u64,
    pub(super) bytes: u64,
    differences: u64,
    progress: Progress,
}

impl Output {
    pub(super) fn new() -> Self {
        Self {
            books: 0,
            events: 0,
            files: 0,
            bytes: 0,
            differences: 0,
            progress: Progress::in_lines("daybook"),
        }
    }

    /// Reports a difference of a book: its kind, the id of the resource, the expected and the
    /// actual value.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub(super) fn difference(
        &mut self,
        kind: &str,
        book: &BookKey,
        resource: &str,
        expected: &str,
        actual: &str,
    ) -> anyhow::Result<()> {
        self.line([kind, book.as_str(), resource, expected, actual])
    }

    /// Counts differences that have no line of their own.
    pub(super) fn count_more(&mut self, differences: u64) {
        self.differences = self.differences.saturating_add(differences);
    }

    /// Reports a file that is not a valid checkpoint.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub(super) fn checkpoint(&mut self, path: &Path, fault: CheckpointFault) -> anyhow::Result<()> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        self.line(["checkpoint", "", &name, "a signed checkpoint", &fault.to_string()])
    }

    /// Prints a book that was deleted and removed, which is not a difference.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub(super) fn removed(&mut self, book: &BookKey) -> anyhow::Result<()> {
        print([format!("removed\t{book}")])
    }

    /// Prints the progress from time to time.
    pub(super) fn progress(&mut self) {
        let Self { books, events, files, bytes, .. } = self;
        let megabytes = *bytes / 1_000_000;
        self.progress.show(&format!(
            "verified {books} books, {events} events, {files} files of {megabytes} MB"
        ));
    }

    /// Prints the summary. The status is 0 if nothing differs, otherwise 1.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub(super) fn finish(self, checkpoints: usize) -> anyhow::Result<ExitCode> {
        let Self { books, events, files, differences, .. } = self;
        print([format!(
            "{}, {}, {}, {}: {}",
            counted(checkpoints, "checkpoint"),
            counted(books, "book"),
            counted(events, "event"),
            counted(files, "file"),
            counted(differences, "difference")
        )])?;
        Ok(if differences == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }

    /// Prints columns separated by tabs. Control characters in them become spaces.
    fn line(&mut self, columns: [&str; 5]) -> anyhow::Result<()> {
        self.differences = self.differences.saturating_add(1);
        let plain = |text: &str| text.replace(|c: char| c.is_control(), " ");
        print([columns.map(plain).join("\t")])
    }
}
