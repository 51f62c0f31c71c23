//! Pages: ask for one row more than a page holds; if it came, there is a next page behind the last
//! row that is kept. Rows with long texts end a page early: they are read one after another, and no
//! more than a page may show.

use daybook_domain::calendar::day_number;
use daybook_domain::transaction::Transaction;

/// Bytes of texts behind which no more rows of a page are read (behaviour 2.11).
pub const MAX_PAGE_TEXTS: usize = 8 * 1024 * 1024;

/// Rows that were read one after another, until there were no more or their texts took too much.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowPart<T> {
    /// The rows, as far as they were read.
    pub rows: Vec<T>,
    /// Whether these are all.
    pub is_whole: bool,
}

impl<T> From<Vec<T>> for RowPart<T> {
    /// All rows.
    fn from(rows: Vec<T>) -> Self {
        Self { rows, is_whole: true }
    }
}

/// A page of a list and where the next one begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T, K> {
    /// The rows.
    pub items: Vec<T>,
    /// The place of the last row when more follow.
    pub next: Option<K>,
}

/// How many rows to read for a page: one more than it has, which tells whether another page
/// follows.
#[must_use]
pub fn rows_to_read(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1)
}

impl<T, K> Page<T, K> {
    /// Makes a page of `limit` rows from those that were read: up to [`rows_to_read`].
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
    /// Where a transaction stands.
    #[must_use]
    pub fn of(transaction: &Transaction) -> Self {
        Self { day: day_number(transaction.list_day), id: transaction.id.get() }
    }
}
