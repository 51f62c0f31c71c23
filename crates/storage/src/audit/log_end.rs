//! The ends of the logs of all books, for checkpoints (behaviour 6.26).

use daybook_domain::book::Deletion;
use daybook_domain::event::{Hash, Head};
use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Binary, Nullable, Text};

use super::Audits;
use crate::conn::sql::{Sql, Value, list};
use crate::error::Result;

/// The end of the log of a book, according to its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEnd {
    /// The book.
    pub book: BookKey,
    /// The last event, unless the state is unreadable.
    pub head: Option<Head>,
    /// The deletion of the book, if it is deleted.
    pub deletion: Option<Deletion>,
}

#[derive(QueryableByName)]
struct LogEndRow {
    #[diesel(sql_type = Text)]
    public_id: String,
    #[diesel(sql_type = Nullable<BigInt>)]
    sequence: Option<i64>,
    #[diesel(sql_type = Nullable<Binary>)]
    hash: Option<Vec<u8>>,
    #[diesel(sql_type = Nullable<BigInt>)]
    deleted_at: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    kept_until: Option<i64>,
}

impl From<LogEndRow> for LogEnd {
    fn from(row: LogEndRow) -> Self {
        let LogEndRow { public_id, sequence, hash, deleted_at, kept_until } = row;
        let deletion = deleted_at.map(|at| Deletion {
            deleted_at: Instant::new(at),
            kept_until: kept_until.map(Instant::new),
        });
        let hash = hash.as_deref().and_then(Hash::from_bytes);
        let head = hash.zip(sequence).map(|(hash, sequence)| Head { sequence, hash });
        Self { book: BookKey::new(public_id), head, deletion }
    }
}

fn log_ends<'a>() -> Sql<'a> {
    Sql::new(
        "SELECT k.public_id, s.sequence, s.hash, b.deleted_at, b.kept_until FROM book_keys k \
         JOIN books b ON b.id = k.book_id AND b.public_id = k.public_id \
         LEFT JOIN book_state s ON s.book_id = b.id WHERE k.public_id ",
    )
}

impl Audits<'_, '_> {
    /// Lists the log ends of the next books after one, by public id.
    pub fn log_ends(self, after: Option<&BookKey>, limit: i64) -> Result<Vec<LogEnd>> {
        let after = after.map_or("", BookKey::as_str);
        let sql = log_ends().push("> {} ORDER BY k.public_id LIMIT {}").bind((after, limit));
        self.load_log_ends(&sql)
    }

    /// Lists the log ends of these books, as far as they exist, by public id.
    pub fn log_ends_of(self, books: &[BookKey]) -> Result<Vec<LogEnd>> {
        let books = books.iter().map(|book| Value::Text(book.as_str().into()));
        let sql = log_ends().push("IN {} ORDER BY k.public_id").bind(list(books)).uncached();
        self.load_log_ends(&sql)
    }

    fn load_log_ends(self, sql: &Sql<'_>) -> Result<Vec<LogEnd>> {
        self.tx.flushed()?.load_as::<LogEndRow, _>(sql)
    }
}
