//! Bounded encoding of responses (behaviour 0.33).
//!
//! [`ResponseText`] is the JSON text of a response. It takes memory from the budget as it grows and
//! ends with an error at its size limit, so a response that is too large never exists as a whole.
//! Encoding is synchronous and deep inside the shapes of the API, so the budget of the response
//! is set for the thread that encodes it ([`ResponseBudget::with`]).

use std::cell::RefCell;
use std::io::{self, BufWriter, Write};

use actix_web::web::Bytes;
use serde::Serialize;

use crate::budget::Reservation;
use crate::long_text::LongText;

/// Bytes of a response, or of one row of a page (behaviour 0.33).
pub const MAX_RESPONSE_BYTES: usize = 64 * 1024 * 1024;
/// Bytes of a response that is encoded within its write transaction, while other writes wait.
const MAX_STORED_BYTES: usize = 16 * 1024 * 1024;
/// Bytes at which a page ends (behaviour 0.33).
const MAX_PAGE_BYTES: usize = 8 * 1024 * 1024;
/// Bytes after which a part of a stream has no more rows.
const MAX_BATCH_BYTES: usize = 256 * 1024;
/// A text reserves as much as it has, between these bounds, whenever it grows.
const MIN_STEP: usize = 4 * 1024;
const MAX_STEP: usize = 1024 * 1024;
/// Bytes of the tokens that are added to a text at once.
const TOKENS: usize = 4 * 1024;

/// Why a response could not be encoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// It exceeds its size limit.
    #[error("the response exceeds its size limit")]
    TooLarge,
    /// The memory budget is used up.
    #[error("the memory for responses is in use")]
    MemoryExhausted,
    /// It is not valid JSON, which is a bug.
    #[error("{0}")]
    Fault(String),
}

impl From<serde_json::Error> for EncodeError {
    fn from(error: serde_json::Error) -> Self {
        Self::Fault(error.to_string())
    }
}

/// The size limit and the memory of one response.
pub struct ResponseBudget {
    limit: usize,
    memory: Reservation,
    /// Bytes reserved for the text.
    text: usize,
    /// Bytes reserved for data from which the text is made.
    data: usize,
}

thread_local! {
    /// The budget of the response that this thread encodes.
    static CURRENT: RefCell<Option<ResponseBudget>> = const { RefCell::new(None) };
}

impl ResponseBudget {
    /// The budget of a response that is encoded on its own.
    pub const fn new(memory: Reservation) -> Self {
        Self { limit: MAX_RESPONSE_BYTES, memory, text: 0, data: 0 }
    }

    /// The budget of a response that is encoded within its write transaction.
    pub const fn in_transaction(memory: Reservation) -> Self {
        Self { limit: MAX_STORED_BYTES, memory, text: 0, data: 0 }
    }

    /// Encodes a response within this budget. Returns it with the memory that it takes.
    pub fn with<T>(self, encode: impl FnOnce() -> T) -> (T, Option<Reservation>) {
        /// Removes the budget of the thread, even if the encoding panics.
        struct Ended;
        impl Drop for Ended {
            fn drop(&mut self) {
                CURRENT.take();
            }
        }
        let _ended = Ended;
        CURRENT.replace(Some(self));
        let encoded = encode();
        (encoded, CURRENT.take().map(|budget| budget.memory))
    }

    fn reserve(&mut self) -> Result<(), EncodeError> {
        let bytes = self.text.saturating_add(self.data);
        self.memory.grow_to(bytes).map_err(|_| EncodeError::MemoryExhausted)
    }
}

/// Reserves memory for data from which a part of the response is made.
///
/// # Errors
/// [`EncodeError::TooLarge`] and [`EncodeError::MemoryExhausted`].
pub fn reserve_data(bytes: usize) -> Result<(), EncodeError> {
    CURRENT.with_borrow_mut(|current| match current {
        Some(budget) if bytes <= budget.limit => {
            budget.data = bytes;
            budget.reserve()
        }
        None if bytes <= MAX_RESPONSE_BYTES => Ok(()),
        Some(_) | None => Err(EncodeError::TooLarge),
    })
}

/// Encodes a response as JSON.
///
/// # Errors
/// [`EncodeError`].
pub fn encode(value: &impl Serialize) -> Result<Bytes, EncodeError> {
    let mut text = ResponseText::empty();
    text.json(value)?;
    Ok(text.finish())
}

/// Encodes a page as JSON: its rows until they have 8 MB, then the fields of `end`, which is
/// made from the last row if the page ends before its rows (behaviour 2.11).
///
/// # Errors
/// [`EncodeError`].
pub fn encode_page<'r, T, R: Serialize, E: Serialize>(
    rows: &'r [T],
    shape: impl Fn(&'r T) -> Result<R, EncodeError>,
    end: impl FnOnce(Option<&'r T>) -> E,
) -> Result<Bytes, EncodeError> {
    let mut text = ResponseText::empty();
    let (row_limit, mut encoded) = (text.limit, 0_usize);
    text.push(b"{\"items\":[")?;
    for row in rows {
        if text.len() >= MAX_PAGE_BYTES {
            break;
        }
        text.limit = text.len().saturating_add(row_limit);
        if encoded > 0 {
            text.push(b",")?;
        }
        text.json(&shape(row)?)?;
        encoded = encoded.saturating_add(1);
    }
    text.push(b"]")?;
    let last = if encoded < rows.len() { encoded.checked_sub(1) } else { None };
    let end = serde_json::to_vec(&end(last.and_then(|last| rows.get(last))))?;
    match end.strip_prefix(b"{") {
        None | Some(b"}") => text.push(b"}")?,
        Some(fields) => {
            text.push(b",")?;
            text.push(fields)?;
        }
    }
    Ok(text.finish())
}

/// Encodes rows one after another until they have 256 KB. Returns the text and how many it has.
///
/// A row that is too large ends the text before it, unless it is the first.
///
/// # Errors
/// [`EncodeError`].
pub fn encode_rows<'r, T>(
    rows: &'r [T],
    write: impl Fn(&mut ResponseText, &'r T) -> Result<(), EncodeError> + Copy,
) -> Result<(Bytes, usize), EncodeError> {
    let mut text = ResponseText::empty();
    let (row_limit, mut encoded) = (text.limit, 0_usize);
    for row in rows {
        if text.len() >= MAX_BATCH_BYTES {
            break;
        }
        text.limit = text.len().saturating_add(row_limit);
        match write(&mut text, row) {
            // The text has the beginning of this row already, so it is encoded again without.
            Err(EncodeError::TooLarge) if encoded > 0 => {
                return encode_rows(rows.get(..encoded).unwrap_or_default(), write);
            }
            outcome => outcome?,
        }
        encoded = encoded.saturating_add(1);
    }
    Ok((text.finish(), encoded))
}

/// The JSON text of a response, bounded in size and memory.
pub struct ResponseText {
    bytes: LongText,
    limit: usize,
    reserved: usize,
    /// Why the text could not grow.
    error: Option<EncodeError>,
}

impl ResponseText {
    /// An empty text with the budget of this thread.
    pub fn empty() -> Self {
        let limit = CURRENT.with_borrow(|current| current.as_ref().map(|budget| budget.limit));
        let limit = limit.unwrap_or(MAX_RESPONSE_BYTES);
        Self { bytes: LongText::default(), limit, reserved: 0, error: None }
    }

    const fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Appends a value as JSON.
    ///
    /// # Errors
    /// [`EncodeError`].
    pub fn json(&mut self, value: &impl Serialize) -> Result<(), EncodeError> {
        // serde_json writes each token apart, so they are collected first.
        let tokens = BufWriter::with_capacity(TOKENS, &mut *self);
        let mut serializer = serde_json::Serializer::new(tokens);
        let done = value.serialize(&mut serializer);
        let flushed = serializer.into_inner().flush();
        let done = done.and_then(|()| flushed.map_err(serde_json::Error::io));
        done.map_err(|error| self.error.take().unwrap_or_else(|| error.into()))
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// [`EncodeError::TooLarge`] and [`EncodeError::MemoryExhausted`].
    #[inline]
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), EncodeError> {
        let needed = self.bytes.len().saturating_add(bytes.len());
        if needed > self.reserved {
            self.reserve(needed)?;
        }
        self.bytes.add(bytes, self.limit).map_err(|_| EncodeError::MemoryExhausted)
    }

    /// Appends what `copy` writes.
    ///
    /// # Errors
    /// [`EncodeError`].
    pub fn copy(
        &mut self,
        copy: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> Result<(), EncodeError> {
        let done = copy(self);
        let fault = |error: io::Error| EncodeError::Fault(error.to_string());
        done.map_err(|error| self.error.take().unwrap_or_else(|| fault(error)))
    }

    /// Returns the whole text.
    pub fn finish(self) -> Bytes {
        self.bytes.into_bytes()
    }

    #[cold]
    fn reserve(&mut self, needed: usize) -> Result<(), EncodeError> {
        if needed > self.limit {
            return Err(EncodeError::TooLarge);
        }
        let step = self.reserved.clamp(MIN_STEP, MAX_STEP);
        let reserved = self.reserved.saturating_add(step).min(self.limit).max(needed);
        CURRENT.with_borrow_mut(|current| match current {
            Some(budget) => {
                budget.text = reserved;
                budget.reserve()
            }
            None => Ok(()),
        })?;
        self.reserved = reserved;
        Ok(())
    }
}

impl Write for ResponseText {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.push(bytes).map_err(|error| {
            let message = error.to_string();
            self.error = Some(error);
            io::Error::other(message)
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use daybook_domain::id::UserId;
    use serde_json::json;

    use super::*;
    use crate::budget::Budget;

    const USER: UserId = UserId::new(1);
    const MEGABYTE: usize = 1024 * 1024;

    #[test]
    fn rule_0_33_responses_end_at_their_limit() {
        let budget = Budget::of_megabytes(512);
        let encoded = |bytes: usize| {
            let text = "x".repeat(bytes);
            ResponseBudget::new(budget.reservation(USER)).with(|| encode(&text)).0
        };
        let largest = encoded(MAX_RESPONSE_BYTES - 2).map(|text| text.len());
        assert_eq!(largest, Ok(MAX_RESPONSE_BYTES));
        assert_eq!(encoded(MAX_RESPONSE_BYTES - 1), Err(EncodeError::TooLarge));
        let stored = ResponseBudget::in_transaction(budget.reservation(USER));
        let text = "x".repeat(MAX_STORED_BYTES);
        assert_eq!(stored.with(|| encode(&text)).0, Err(EncodeError::TooLarge));
        assert!(encode(&text).is_ok(), "the budget is the thread's no longer");
    }

    #[test]
    fn rule_0_22_responses_take_memory_from_the_budget() {
        let budget = Budget::of_megabytes(64);
        let encoded = |bytes: usize| {
            let text = "x".repeat(bytes);
            ResponseBudget::new(budget.reservation(USER)).with(|| encode(&text))
        };
        let (text, held) = encoded(30 * MEGABYTE);
        assert_eq!(text.map(|text| text.len()), Ok(30 * MEGABYTE + 2));
        assert_eq!(encoded(30 * MEGABYTE).0, Err(EncodeError::MemoryExhausted));
        assert!(encoded(60_000).0.is_ok(), "a small one is not counted");
        drop(held);
        assert!(encoded(30 * MEGABYTE).0.is_ok());
    }

    fn page(rows: &[String]) -> (usize, String) {
        let end = |last: Option<&String>| match last {
            Some(last) => json!({"cursor": &last[..1]}),
            None => json!({}),
        };
        let text = encode_page(rows, Ok, end).unwrap();
        (text.len(), String::from_utf8_lossy(&text[text.len().saturating_sub(30)..]).into_owned())
    }

    #[test]
    fn rows_end_at_their_limit_and_before_one_that_is_too_large() {
        let write = |text: &mut ResponseText, bytes: &usize| {
            text.push(b"<")?;
            text.push(&vec![b'x'; *bytes])
        };
        let count = |rows: &[usize]| {
            encode_rows(rows, write).map(|(text, count)| (text.len() / 1024, count))
        };
        assert_eq!(count(&[100 * 1024; 5]), Ok((300, 3)));
        assert_eq!(count(&[10; 5]), Ok((0, 5)));
        assert_eq!(count(&[]), Ok((0, 0)));
        assert_eq!(count(&[10, MAX_RESPONSE_BYTES - 1]).unwrap().1, 2);
        assert_eq!(count(&[10, MAX_RESPONSE_BYTES]), Ok((0, 1)));
        assert_eq!(encode_rows(&[10, MAX_RESPONSE_BYTES], write).unwrap().0.len(), 11);
        assert_eq!(count(&[MAX_RESPONSE_BYTES, 10]), Err(EncodeError::TooLarge));
    }

    #[test]
    fn rule_2_11_a_page_ends_with_the_row_that_fills_it() {
        let rows = ["a", "b", "c"].map(|letter| letter.repeat(5 * MEGABYTE));
        let (length, end) = page(&rows);
        assert_eq!(length / MEGABYTE, 10);
        assert!(end.ends_with("bbb\"],\"cursor\":\"b\"}"), "{end}");
        let (length, end) = page(&rows[2..]);
        assert_eq!(length / MEGABYTE, 5);
        assert!(end.ends_with("c\"]}"), "{end}");
        assert_eq!(page(&["a".to_owned(), "b".to_owned()]).1, r#"{"items":["a","b"]}"#);
        assert_eq!(page(&[]).1, r#"{"items":[]}"#);
    }
}
