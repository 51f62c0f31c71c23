//! The room that an answer may take (behaviour 0.33). Its JSON is written into a text with a bound,
//! whose memory is taken from the budget as it grows: so what is too large ends before it has cost
//! more than an answer may. What is made of stored data before it can be written is counted too.
//!
//! The bound and the share belong to the thread that makes the answer, for as long as that takes
//! ([`ResponseBudget::around`]): they hold for whatever is written inside, however deep in a
//! shape, and no shape has to hand them on.

use std::cell::{Cell, RefCell};
use std::io::{self, Write};

use actix_web::web::Bytes;
use serde::Serialize;
use serde::ser::Error as _;

use crate::budget::MemoryShare;
use crate::long_text::LongText;

/// Bytes of JSON that an answer has at most, or of a page each of its rows (behaviour 0.33).
pub(crate) const MAX_ANSWER_BYTES: usize = 64 * 1024 * 1024;
/// Bytes of JSON at which a page ends (behaviour 0.33).
const MAX_PAGE_BYTES: usize = 8 * 1024 * 1024;
/// Bytes of an answer that are written on the thread of its request, which serves many others.
const MAX_BYTES_AT_ONCE: usize = 256 * 1024;
/// Bytes of an answer that are written in the unit of work which stores it under a key.
const MAX_STORED_BYTES: usize = 8 * 1024 * 1024;
/// Bytes of an answer that take nothing of the budget, so that short answers are always given.
const FREE_BYTES: usize = 4 * 1024;
/// The same of a delivery, with what it is made of: only a few are written at once.
const FREE_BYTES_OF_DELIVERY: usize = 1024 * 1024;
/// Bytes for which a large text takes memory from the budget at a time.
const STEP: usize = 1024 * 1024;

const NO_MORE_ROOM: &str = "an answer has no more room";

/// Why an answer could not be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EncodeError {
    /// It takes more room than it may.
    #[error("an answer would take more than it may")]
    TooLarge,
    /// The memory for answers is in use.
    #[error("the memory for answers is in use")]
    Crowded,
    /// It is no JSON: a mistake of this program.
    #[error("{0}")]
    Fault(String),
}

impl From<serde_json::Error> for EncodeError {
    fn from(error: serde_json::Error) -> Self {
        taken_fault().unwrap_or_else(|| Self::Fault(error.to_string()))
    }
}

/// The room for one answer.
pub(crate) struct ResponseBudget {
    most: usize,
    /// What it takes nothing of the budget for.
    free: usize,
    share: MemoryShare,
    shortens: bool,
}

thread_local! {
    /// The room for the answer that this thread makes.
    static ROOM: RefCell<Option<ResponseBudget>> = const { RefCell::new(None) };
    /// Bytes of the text that is being written.
    static WRITTEN: Cell<usize> = const { Cell::new(0) };
    /// Where in it the row begins that is being written.
    static ROW: Cell<usize> = const { Cell::new(0) };
    /// Bytes made of stored data for that row, beside the text.
    static MADE: Cell<usize> = const { Cell::new(0) };
    /// Why the text ends.
    static FAULT: RefCell<Option<EncodeError>> = const { RefCell::new(None) };
}

impl ResponseBudget {
    /// For the answer of a read.
    pub(crate) const fn of_read(share: MemoryShare) -> Self {
        Self { most: MAX_ANSWER_BYTES, free: FREE_BYTES, share, shortens: false }
    }

    /// For an event that is sent to an app (behaviour 8.8).
    pub(crate) const fn of_delivery(share: MemoryShare) -> Self {
        Self { most: MAX_ANSWER_BYTES, free: FREE_BYTES_OF_DELIVERY, share, shortens: false }
    }

    /// For an answer that is short enough to be written at once.
    pub(crate) const fn at_once(share: MemoryShare) -> Self {
        Self { most: MAX_BYTES_AT_ONCE, free: FREE_BYTES, share, shortens: false }
    }

    /// For the answer of a write: what is too large for it is shortened.
    pub(crate) const fn of_write(share: MemoryShare) -> Self {
        Self { most: MAX_ANSWER_BYTES, free: FREE_BYTES, share, shortens: true }
    }

    /// For the answer of a write that is stored with it, while others wait for its writer.
    pub(crate) const fn of_stored(share: MemoryShare) -> Self {
        Self { most: MAX_STORED_BYTES, free: FREE_BYTES, share, shortens: true }
    }

    /// For no more than ids.
    pub(crate) const fn of_ids(share: MemoryShare) -> Self {
        Self { most: 0, free: FREE_BYTES, share, shortens: true }
    }

    /// Makes an answer in this room; with it comes the memory it takes.
    pub(crate) fn around<T>(self, make: impl FnOnce() -> T) -> (T, Option<MemoryShare>) {
        /// However the making ends, the thread makes other answers next.
        struct Ended;
        impl Drop for Ended {
            fn drop(&mut self) {
                ROOM.take();
            }
        }
        let _ended = Ended;
        ROOM.replace(Some(self));
        let made = make();
        (made, ROOM.take().map(|room| room.share))
    }
}

/// Whether an answer that is too large is shortened.
pub(crate) fn shortens() -> bool {
    ROOM.with_borrow(|room| room.as_ref().is_some_and(|room| room.shortens))
}

/// Writes an answer, or a part of one, as JSON.
///
/// # Errors
/// [`EncodeError`].
pub(crate) fn write(value: &impl Serialize) -> Result<Bytes, EncodeError> {
    begin();
    let mut text = Text { bytes: LongText::with_capacity(FREE_BYTES), covered: 0, most: 0 };
    serde_json::to_writer(&mut text, value)?;
    Ok(text.bytes.into_bytes())
}

/// A text that is put together by whoever writes it, and counts its parts ([`make_of`]).
///
/// # Errors
/// [`EncodeError`].
pub(crate) fn written(
    write: impl FnOnce() -> serde_json::Result<String>,
) -> Result<Bytes, EncodeError> {
    begin();
    Ok(write()?.into())
}

/// As [`write`], of bytes that come one after another.
///
/// # Errors
/// [`EncodeError`].
pub(crate) fn copied(
    copy: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<Bytes, EncodeError> {
    begin();
    let mut text = Text { bytes: LongText::with_capacity(FREE_BYTES), covered: 0, most: 0 };
    let done = copy(&mut text);
    done.map_err(|error| taken_fault().unwrap_or_else(|| EncodeError::Fault(error.to_string())))?;
    Ok(text.bytes.into_bytes())
}

/// As [`write`], for what is short: it takes nothing of the budget.
pub(crate) fn write_short(value: &impl Serialize) -> Result<Bytes, EncodeError> {
    begin();
    Ok(serde_json::to_vec(value)?.into())
}

fn begin() {
    FAULT.take();
    WRITTEN.set(0);
    ROW.set(0);
    MADE.set(0);
}

/// Begins the next row of a page, if there is room for one.
pub(crate) fn begin_row() -> bool {
    if WRITTEN.get() >= MAX_PAGE_BYTES {
        return false;
    }
    ROW.set(WRITTEN.get());
    MADE.set(0);
    true
}

/// Counts what is made of so many bytes of stored data for the answer before it is written.
///
/// # Errors
/// When it is too much; [`write`] then tells why.
pub(crate) fn make_of(bytes: usize) -> serde_json::Result<()> {
    MADE.set(MADE.get().saturating_add(bytes));
    let made = if MADE.get() > most() {
        Err(EncodeError::TooLarge)
    } else {
        cover(WRITTEN.get().saturating_add(MADE.get()))
    };
    made.map_err(ended)
}

/// What ends an answer for which too much would have to be loaded.
pub(crate) fn no_more() -> serde_json::Error {
    ended(EncodeError::TooLarge)
}

fn ended(fault: EncodeError) -> serde_json::Error {
    FAULT.replace(Some(fault));
    serde_json::Error::custom(NO_MORE_ROOM)
}

fn taken_fault() -> Option<EncodeError> {
    FAULT.take()
}

fn most() -> usize {
    ROOM.with_borrow(|room| room.as_ref().map_or(MAX_ANSWER_BYTES, |room| room.most))
}

/// Takes memory for so many bytes in all.
fn cover(bytes: usize) -> Result<(), EncodeError> {
    ROOM.with_borrow_mut(|room| {
        let Some(room) = room.as_mut().filter(|room| bytes > room.free) else { return Ok(()) };
        room.share.cover(bytes).map_err(|_| EncodeError::Crowded)
    })
}

/// A text with a bound.
struct Text {
    bytes: LongText,
    /// For how many of them there is memory.
    covered: usize,
    /// How many there may be with the row in which it last took memory.
    most: usize,
}

impl Text {
    /// Takes memory for so many bytes in all.
    #[cold]
    fn grow(&mut self, needed: usize) -> Result<(), EncodeError> {
        self.most = ROW.get().saturating_add(most());
        if needed > self.most {
            return Err(EncodeError::TooLarge);
        }
        let doubled = self.covered.saturating_add(self.covered.clamp(FREE_BYTES, STEP));
        let wanted = doubled.min(self.most).max(needed);
        cover(wanted.saturating_add(MADE.get()))?;
        self.covered = wanted;
        Ok(())
    }

    #[inline]
    fn add(&mut self, bytes: &[u8]) -> Result<(), EncodeError> {
        let needed = self.bytes.len().saturating_add(bytes.len());
        if needed > self.covered {
            self.grow(needed)?;
        }
        self.bytes.add(bytes, self.most).map_err(|_| EncodeError::Crowded)
    }
}

/// Leaves word of why the text ends.
#[cold]
fn io_ended(fault: EncodeError) -> io::Error {
    FAULT.replace(Some(fault));
    io::Error::other(NO_MORE_ROOM)
}

impl Write for Text {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    // JSON comes a few bytes at a time.
    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.add(bytes).map_err(io_ended)?;
        WRITTEN.set(self.bytes.len());
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::{Budget, MemoryOwner};
    use daybook_domain::id::UserId;

    const USER: MemoryOwner = MemoryOwner::User(UserId::new(1));
    const MEGABYTE: usize = 1024 * 1024;

    #[test]
    fn rule_0_33_an_answer_ends_where_its_room_ends() {
        let budget = Budget::of_megabytes(512);
        let text = "x".repeat(MAX_ANSWER_BYTES - 2);
        let of_read = || ResponseBudget::of_read(budget.grant(USER));
        assert_eq!(of_read().around(|| write(&text)).0.unwrap().len(), MAX_ANSWER_BYTES);
        let longer = format!("{text}x");
        assert_eq!(of_read().around(|| write(&longer)).0, Err(EncodeError::TooLarge));
        assert_eq!(write(&longer), Err(EncodeError::TooLarge), "also where no room was made");
        let at_once = ResponseBudget::at_once(budget.grant(USER));
        assert_eq!(at_once.around(|| write(&text)).0, Err(EncodeError::TooLarge));
        let made = of_read().around(|| make_of(MAX_ANSWER_BYTES + 1).map_err(EncodeError::from)).0;
        assert_eq!(made, Err(EncodeError::TooLarge));
    }

    #[test]
    fn rule_0_22_answers_take_their_memory_from_the_budget() {
        let budget = Budget::of_megabytes(64);
        let of_read = || ResponseBudget::of_read(budget.grant(USER));
        let (text, held) = of_read().around(|| write(&"x".repeat(30 * MEGABYTE)));
        assert_eq!(text.unwrap().len(), 30 * MEGABYTE + 2);
        let second = || of_read().around(|| write(&"x".repeat(30 * MEGABYTE))).0;
        assert_eq!(second(), Err(EncodeError::Crowded));
        assert!(of_read().around(|| write(&"short")).0.is_ok(), "short ones need none");
        drop(held);
        assert!(second().is_ok());
    }

    #[test]
    fn rule_8_8_large_deliveries_take_their_memory_while_they_are_written() {
        let budget = Budget::of_megabytes(64);
        let (_, held) =
            ResponseBudget::of_read(budget.grant(USER)).around(|| write(&"x".repeat(47 << 20)));
        let delivered = |bytes: usize| {
            ResponseBudget::of_delivery(budget.grant(USER)).around(|| write(&"x".repeat(bytes))).0
        };
        assert_eq!(delivered(30 * MEGABYTE), Err(EncodeError::Crowded), "not when it is there");
        assert!(delivered(256 * 1024).is_ok(), "a short one needs none");
        drop(held);
        assert!(delivered(30 * MEGABYTE).is_ok());
    }
}
