//! The output of `daybook verify`: a line for each difference and a summary on standard output, or
//! one JSON object, and the progress on standard error.

use std::path::Path;
use std::process::ExitCode;

use daybook_domain::id::BookKey;
use serde::Serialize;

use crate::checkpoint::file::CheckpointFault;
use crate::installation::print;
use crate::plural::counted;
use crate::progress::Progress;

/// A difference as JSON.
#[derive(Serialize)]
struct DifferenceOut {
    kind: String,
    book: String,
    resource: String,
    expected: String,
    actual: String,
}

/// The summary as JSON.
#[derive(Serialize)]
struct SummaryOut {
    /// `None` if the checkpoints were not compared.
    checkpoints: Option<usize>,
    books: u64,
    events: u64,
    files: u64,
    differences: u64,
    listed: Vec<DifferenceOut>,
    removed: Vec<String>,
}

/// The counts of what was compared, and of differences.
pub(super) struct Output {
    pub(super) books: u64,
    pub(super) events: u64,
    pub(super) files: u64,
    pub(super) bytes: u64,
    differences: u64,
    /// Whether the output is one JSON object.
    json: bool,
    listed: Vec<DifferenceOut>,
    removed: Vec<String>,
    progress: Progress,
}

impl Output {
    pub(super) fn new(json: bool) -> Self {
        Self {
            books: 0,
            events: 0,
            files: 0,
            bytes: 0,
            differences: 0,
            json,
            listed: Vec::new(),
            removed: Vec::new(),
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
        if self.json {
            self.removed.push(book.to_string());
            return Ok(());
        }
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

    /// Prints the summary. The status is 0 if nothing differs, otherwise 1. `checkpoints` is `None`
    /// if they were not compared.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub(super) fn finish(self, checkpoints: Option<usize>) -> anyhow::Result<ExitCode> {
        let Self { books, events, files, differences, json, listed, removed, .. } = self;
        let status = if differences == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) };
        if json {
            let summary =
                SummaryOut { checkpoints, books, events, files, differences, listed, removed };
            print([serde_json::to_string(&summary)?])?;
            return Ok(status);
        }
        print([format!(
            "{}, {}, {}, {}: {}",
            counted(checkpoints.unwrap_or_default(), "checkpoint"),
            counted(books, "book"),
            counted(events, "event"),
            counted(files, "file"),
            counted(differences, "difference")
        )])?;
        Ok(status)
    }

    /// Prints columns separated by tabs. Control characters in them become spaces.
    fn line(&mut self, columns: [&str; 5]) -> anyhow::Result<()> {
        self.differences = self.differences.saturating_add(1);
        if self.json {
            let [kind, book, resource, expected, actual] = columns.map(str::to_owned);
            self.listed.push(DifferenceOut { kind, book, resource, expected, actual });
            return Ok(());
        }
        let plain = |text: &str| text.replace(|c: char| c.is_control(), " ");
        print([columns.map(plain).join("\t")])
    }
}
