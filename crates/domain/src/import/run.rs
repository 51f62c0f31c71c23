//! The stored state of an import.

use crate::id::{FileId, ImportId, TransactionId, UserId};
use crate::instant::{Instant, Stamp};
use crate::named::named;

use super::refusal::{MAX_NAME, Refusal};

/// How long a preview can be confirmed, in milliseconds (behaviour 15.7).
pub const CONFIRMATION_TIME: i64 = 60 * 60 * 1_000;

named! {
    /// The state of an import (behaviour 15.1, 15.7, 15.9).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum State {
        /// A worker reads the file.
        Reading = "READING",
        /// The preview waits for its confirmation.
        Preview = "PREVIEW",
        /// A worker records the preview.
        Recording = "RECORDING",
        /// Everything is recorded.
        Done = "DONE",
        /// A worker undoes it.
        Undoing = "UNDOING",
        /// It is undone.
        Undone = "UNDONE",
        /// The file could not be read, or what was to be recorded or undone was refused.
        Failed = "FAILED",
    }
}

impl State {
    /// Returns whether a worker has to continue it.
    pub const fn is_in_progress(self) -> bool {
        match self {
            Self::Reading | Self::Recording | Self::Undoing => true,
            Self::Preview | Self::Done | Self::Undone | Self::Failed => false,
        }
    }
}

/// An import.
///
/// The documents `options`, `summary`, `decisions` and `results` belong to the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The id.
    pub id: ImportId,
    /// The state.
    pub state: State,
    /// The name of the file.
    pub name: String,
    /// The parameters of its creation.
    pub options: String,
    /// The preview without its records; empty before.
    pub summary: String,
    /// The decisions of the confirmation; empty before.
    pub decisions: String,
    /// The results of recording and undoing; empty before anything is recorded.
    pub results: String,
    /// The name of the blob of the file, until it is recorded.
    pub source: Option<String>,
    /// The name of the blob of the records.
    pub preview: Option<String>,
    /// The bytes of these blobs.
    pub blob_bytes: i64,
    /// The number of records that are recorded, or undone.
    pub done: i64,
    /// The number of records.
    pub total: i64,
    /// The file of the report.
    pub report: Option<FileId>,
    /// When a worker continues or removes it.
    pub due_at: Option<Instant>,
    /// When its undo began.
    pub undo_started_at: Option<Instant>,
    /// The author.
    pub created_by: UserId,
    /// The creation and the last change.
    pub stamp: Stamp,
}

impl Import {
    /// Creates an import of a stored file of `bytes` bytes, which is read next.
    ///
    /// # Errors
    /// [`Refusal::NameTooLong`].
    pub fn create(
        id: ImportId,
        name: String,
        options: String,
        source: String,
        bytes: i64,
        created_by: UserId,
        stamp: Stamp,
    ) -> Result<Self, Refusal> {
        let length = name.chars().count();
        if length > MAX_NAME {
            return Err(Refusal::NameTooLong(length));
        }
        Ok(Self {
            id,
            state: State::Reading,
            name,
            options,
            summary: String::new(),
            decisions: String::new(),
            results: String::new(),
            source: Some(source),
            preview: None,
            blob_bytes: bytes,
            done: 0,
            total: 0,
            report: None,
            due_at: Some(Instant::new(0)),
            undo_started_at: None,
            created_by,
            stamp,
        })
    }

    /// Returns when the import is removed unless it is confirmed.
    pub fn expires_at(&self) -> Option<Instant> {
        match self.state {
            State::Preview | State::Failed => self.due_at,
            State::Reading | State::Recording | State::Done | State::Undoing | State::Undone => {
                None
            }
        }
    }

    /// Returns whether it may have recorded something, be it an account or a book alone.
    pub const fn has_recorded(&self) -> bool {
        !self.results.is_empty()
    }

    /// Moves it to a state now. A state in progress is due at once.
    #[must_use]
    pub fn enter(self, state: State, now: Instant) -> Self {
        let due_at = match state {
            State::Reading | State::Recording | State::Undoing => Some(Instant::new(0)),
            State::Preview => Some(now.plus(CONFIRMATION_TIME)),
            State::Failed if !self.has_recorded() => Some(now.plus(CONFIRMATION_TIME)),
            State::Failed | State::Done | State::Undone => None,
        };
        let undo_started_at = match state {
            State::Undoing => self.undo_started_at.or(Some(now)),
            State::Reading
            | State::Preview
            | State::Recording
            | State::Done
            | State::Undone
            | State::Failed => self.undo_started_at,
        };
        Self { state, due_at, undo_started_at, ..self.touch(now) }
    }

    /// Counts a change: a new version, changed now.
    #[must_use]
    pub fn touch(self, now: Instant) -> Self {
        Self { stamp: self.stamp.touch(now), ..self }
    }

    /// Checks that the user may confirm it now.
    ///
    /// # Errors
    /// [`Refusal::NotAuthor`]; [`Refusal::State`].
    pub fn check_confirmable(&self, user: UserId) -> Result<(), Refusal> {
        self.check_author(user)?;
        self.check_state(&[State::Preview], "confirmed")
    }

    /// Checks that the user may discard it now.
    ///
    /// # Errors
    /// [`Refusal::NotAuthor`]; [`Refusal::State`].
    pub fn check_discardable(&self, user: UserId) -> Result<(), Refusal> {
        self.check_author(user)?;
        if self.has_recorded() {
            return Err(Refusal::State(self.state.as_str(), "discarded"));
        }
        self.check_state(&[State::Reading, State::Preview, State::Failed], "discarded")
    }

    /// Checks that it may be undone now.
    ///
    /// # Errors
    /// [`Refusal::State`].
    pub fn check_undoable(&self) -> Result<(), Refusal> {
        if self.state == State::Failed && self.has_recorded() {
            return Ok(());
        }
        self.check_state(&[State::Done], "undone")
    }

    fn check_author(&self, user: UserId) -> Result<(), Refusal> {
        if self.created_by == user { Ok(()) } else { Err(Refusal::NotAuthor) }
    }

    fn check_state(&self, allowed: &[State], verb: &'static str) -> Result<(), Refusal> {
        if allowed.contains(&self.state) {
            Ok(())
        } else {
            Err(Refusal::State(self.state.as_str(), verb))
        }
    }
}

/// A transaction that an import has matched with a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordMatch {
    /// The remote id of the record.
    pub remote_id: String,
    /// The transaction.
    pub transaction: TransactionId,
    /// The import.
    pub import: ImportId,
    /// Whether the transaction was given the remote id.
    pub given: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    const AUTHOR: UserId = UserId::new(1);
    const NOW: Instant = Instant::new(5_000);

    fn import(state: State, has_recorded: bool) -> Import {
        let stamp = Stamp::new(None, NOW);
        let (id, name, blob) = (ImportId::new(1), "bank.csv".to_owned(), "blob".to_owned());
        let new = Import::create(id, name, String::new(), blob, 10, AUTHOR, stamp);
        let results = if has_recorded { "{}".to_owned() } else { String::new() };
        Import { results, ..new.unwrap() }.enter(state, NOW)
    }

    #[test]
    fn states_allow_what_the_rules_say() {
        use State::{Done, Failed, Preview, Reading, Recording, Undoing, Undone};
        for (state, has_recorded, confirm, discard, undo) in [
            (Reading, false, false, true, false),
            (Preview, false, true, true, false),
            (Recording, false, false, false, false),
            (Recording, true, false, false, false),
            (Done, true, false, false, true),
            (Undoing, true, false, false, false),
            (Undone, true, false, false, false),
            (Failed, false, false, true, false),
            (Failed, true, false, false, true),
        ] {
            let import = import(state, has_recorded);
            assert_eq!(import.check_confirmable(AUTHOR).is_ok(), confirm, "{state:?}");
            assert_eq!(import.check_discardable(AUTHOR).is_ok(), discard, "{state:?}");
            assert_eq!(import.check_undoable().is_ok(), undo, "{state:?} {has_recorded}");
        }
        let other = UserId::new(2);
        let preview = import(State::Preview, false);
        assert_eq!(preview.check_confirmable(other), Err(Refusal::NotAuthor));
        assert_eq!(preview.check_discardable(other), Err(Refusal::NotAuthor));
    }

    #[test]
    fn previews_expire_and_work_in_progress_is_due_at_once() {
        let hour_later = Some(NOW.plus(CONFIRMATION_TIME));
        for (state, has_recorded, due_at, expires_at) in [
            (State::Reading, false, Some(Instant::new(0)), None),
            (State::Preview, false, hour_later, hour_later),
            (State::Recording, true, Some(Instant::new(0)), None),
            (State::Done, true, None, None),
            (State::Failed, false, hour_later, hour_later),
            (State::Failed, true, None, None),
        ] {
            let import = import(state, has_recorded);
            assert_eq!((import.due_at, import.expires_at()), (due_at, expires_at), "{state:?}");
        }
    }
}
