//! Figures about the whole database, for the operator's metrics and checks.
//!
//! The statements about queues read short ranges of indexes, however many books there are.

use daybook_domain::event::EventType;
use daybook_domain::id::{BookId, BookKey};
use daybook_domain::instant::Instant;

use crate::commit::tx::Tx;
use crate::conn::sql::Sql;
use crate::error::Result;

/// Maximum number of rows that are counted.
const MAX_COUNTED: i64 = 10_000;
/// Lists at most five faults. The pragma takes no bound value.
const QUICK_CHECK: &str = "PRAGMA quick_check(5)";

/// The work that waits in the database. Counts end at 10,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backlog {
    /// The delivery queues whose next event is due.
    pub due_queues: i64,
    /// Since when the first of them is due.
    pub due_since: Option<Instant>,
    /// The paused apps, once for each book.
    pub paused_apps: i64,
    /// The mails to send.
    pub mails: i64,
    /// The requested audits that have not ended.
    pub audits: i64,
}

/// The settings of a PostgreSQL server that decide whether a commit is durable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSettings {
    /// The version as a number, such as 150004.
    pub version: String,
    /// `fsync`.
    pub fsync: String,
    /// `synchronous_commit`.
    pub synchronous_commit: String,
    /// `full_page_writes`.
    pub full_page_writes: String,
    /// The time of the server.
    pub clock: Instant,
}

/// The last audit of a book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastAudit {
    /// The book.
    pub book: BookKey,
    /// The time of the audit, if there was one.
    pub at: Option<Instant>,
    /// The time of the creation of the book.
    pub created_at: Instant,
}

/// The statement that reads the clock of a server, in milliseconds.
const CLOCK: &str = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";

/// Figures about the whole database.
pub struct Monitor<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Monitor<'_, '_> {
    /// Returns the work that waits.
    pub fn backlog(self, now: Instant) -> Result<Backlog> {
        let mut conn = self.tx.flushed()?;
        let mut count = |condition: Sql<'_>| -> Result<i64> {
            let sql = Sql::new("SELECT COUNT(*) AS count FROM (SELECT 1 FROM {} LIMIT {}) c")
                .bind((condition, MAX_COUNTED));
            Ok(conn.row::<i64>(&sql)?.unwrap_or_default())
        };
        let due = "delivery_queues WHERE paused_at IS NULL AND due_at <= {}";
        let due_queues = count(Sql::new(due).bind(now))?;
        let paused_apps = count(Sql::new("delivery_queues WHERE paused_at IS NOT NULL"))?;
        let mails = count(Sql::new("mails WHERE ended_at IS NULL"))?;
        let audits = count(Sql::new("audit_requests"))?;
        let first = Sql::new("SELECT MIN(due_at) FROM delivery_queues WHERE paused_at IS NULL");
        let first: Option<Option<i64>> = conn.row(&first)?;
        let due_since = first.flatten().map(Instant::new).filter(|first| *first <= now);
        Ok(Backlog { due_queues, due_since, paused_apps, mails, audits })
    }

    /// Returns the size of the database of a server in bytes; `None` for a file.
    pub fn size(self) -> Result<Option<i64>> {
        let mut conn = self.tx.flushed()?;
        if !conn.engine().is_server() {
            return Ok(None);
        }
        conn.row(&Sql::new("SELECT pg_database_size(current_database())"))
    }

    /// Returns the settings of a server; `None` for a file.
    pub fn server_settings(self) -> Result<Option<ServerSettings>> {
        let mut conn = self.tx.flushed()?;
        if !conn.engine().is_server() {
            return Ok(None);
        }
        let mut show = |name: &'static str| -> Result<String> {
            let sql = Sql::new("SELECT current_setting({})").bind(name);
            Ok(conn.row(&sql)?.unwrap_or_default())
        };
        Ok(Some(ServerSettings {
            version: show("server_version_num")?,
            fsync: show("fsync")?,
            synchronous_commit: show("synchronous_commit")?,
            full_page_writes: show("full_page_writes")?,
            clock: Instant::new(conn.row(&Sql::new(CLOCK))?.unwrap_or_default()),
        }))
    }

    /// Checks the structure of a database file, and returns its faults. It reads the whole file.
    ///
    /// A server checks its own pages, so there is nothing to check then.
    pub fn file_faults(self) -> Result<Vec<String>> {
        let mut conn = self.tx.flushed()?;
        if conn.engine().is_server() {
            return Ok(Vec::new());
        }
        let check = Sql::new(QUICK_CHECK).uncached();
        let mut rows: Vec<String> = conn.rows(&check)?;
        rows.retain(|row| row != "ok");
        Ok(rows)
    }

    /// Returns the last audits of up to `limit` books after one, and the last book that was read.
    ///
    /// Deleted books are left out.
    pub fn last_audits(
        self,
        after: Option<BookId>,
        limit: i64,
    ) -> Result<(Vec<LastAudit>, Option<BookId>)> {
        // The index of events by type excludes the most frequent type, which is 7.
        let sql = Sql::new(
            "SELECT b.id, b.public_id, b.created_at, (SELECT e.created_at FROM events e \
             WHERE e.book_id = b.id AND e.kind = {} AND e.kind <> 7 \
             ORDER BY e.sequence DESC LIMIT 1) AS audited_at \
             FROM books b WHERE b.id > {} AND b.deleted_at IS NULL ORDER BY b.id LIMIT {}",
        )
        .bind((
            EventType::BookAudited.number(),
            after.map_or(i64::MIN, BookId::get),
            limit,
        ));
        let rows: Vec<(i64, String, i64, Option<i64>)> = self.tx.flushed()?.rows(&sql)?;
        let last = rows.last().map(|(book, ..)| BookId::new(*book));
        let convert = |(_, book, created_at, at): (i64, String, i64, Option<i64>)| LastAudit {
            book: BookKey::new(book),
            at: at.map(Instant::new),
            created_at: Instant::new(created_at),
        };
        Ok((rows.into_iter().map(convert).collect(), last))
    }
}
