//! Pages of lists.
//!
//! A list reads one row more than a page has; if it exists, there is a next page after the last row
//! of this one. A page of rows with long texts ends early, so its size is bounded.

use daybook_domain::calendar::day_number;
use daybook_domain::transaction::Transaction;

/// Bytes of texts after which a page has no more rows (behaviour 2.11).
pub const MAX_PAGE_TEXT_BYTES: usize = 8 * 1024 * 1024;

/// Rows that were read until their texts exceeded a limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowPart<T> {
    /// The rows.
    pub rows: Vec<T>,
    /// Whether these are all rows.
    pub is_whole: bool,
}

impl<T> From<Vec<T>> for RowPart<T> {
    fn from(rows: Vec<T>) -> Self {
        Self { rows, is_whole: true }
    }
}

/// A page of a list, and the place of the next one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T, K> {
    /// The rows.
    pub items: Vec<T>,
    /// The place of the last row, if more rows follow.
    pub next: Option<K>,
}

/// Returns the number of rows to read for a page: one more than it has.
#[must_use]
pub fn rows_to_read(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1)
}

impl<T, K> Page<T, K> {
    /// Creates a page of `limit` rows from up to [`rows_to_read`] rows.
    pub fn new(read: impl Into<RowPart<T>>, limit: usize, place: impl FnOnce(&T) -> K) -> Self {
        let RowPart { mut rows, is_whole } = read.into();
        let more = !is_whole || rows.len() > limit;
        rows.truncate(limit);
        let next = rows.last().filter(|_| more).map(place);
        Self { items: rows, next }
    }
}

/// A place in a list of transactions: the day and id of a row (behaviour 2.4, 2.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageKey {
    /// The day as yyyymmdd.
    pub day: i32,
    /// The number of the transaction.
    pub id: i64,
}

impl PageKey {
    /// Returns the place of a transaction.
    #[must_use]
    pub fn of(transaction: &Transaction) -> Self {
        Self { day: day_number(transaction.list_day), id: transaction.id.get() }
    }
}
