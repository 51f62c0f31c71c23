//! Commit marks, by which a writer determines the outcome of a commit whose response was lost.
//!
//! A connection to PostgreSQL may break during a commit. Reporting the write as lost, or as
//! recorded, would then be wrong in one of the two cases, and the client would write twice or
//! never. Each group of writes therefore also inserts its mark into `commits`. If the outcome is
//! unknown, the writer inserts the same row on another connection, flagged as *undone*. The primary
//! key admits one of the two:
//!
//! - The row of the group, if it was committed. The insert waits for a commit that is under way.
//! - Otherwise the row of the writer. The group was rolled back and can no longer be committed.
//!
//! PostgreSQL's transaction ids are no substitute: after a crash, or on a promoted standby, another
//! transaction may get the same id.
//!
//! SQLite needs no marks, because its commit is a function call. A distributed engine has none,
//! because the table would be on every machine.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::time::{Duration, Instant};

use diesel::sql_types::Bool;

use crate::conn::Conn;
use crate::conn::address::Address;
use crate::conn::bulk::Bulk;
use crate::conn::mode::Mode;
use crate::conn::sql::{Sql, Typed, Value};
use crate::error::{CommitFailure, Error, Result};

const INSERT: &str = "INSERT INTO commits (writer, number, undone)";

/// How long a writer tries to determine the outcome of a commit.
const RESOLVE_TIME: Duration = Duration::from_secs(10);

/// The pause between two attempts.
const RESOLVE_PAUSE: Duration = Duration::from_millis(100);

/// The number of marks after which a writer removes its earlier ones. Only the last one is needed.
const REMOVAL_INTERVAL: i64 = 100;

/// The number of marks that one removal covers. It bounds the scan over dead rows that a long
/// snapshot keeps.
const REMOVAL_RANGE: i64 = 1_000;

/// The mark of one group of writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CommitMark {
    writer: i64,
    number: i64,
}

impl CommitMark {
    /// Returns the mark before the first one of a new writer.
    ///
    /// The number of the writer is random. A counter could repeat after a failover that loses the
    /// last rows.
    pub(crate) fn of_new_writer() -> Self {
        let random = RandomState::new().hash_one(std::process::id());
        Self { writer: i64::from_be_bytes(random.to_be_bytes()), number: 0 }
    }

    /// Returns the next mark of the same writer.
    pub(crate) const fn next(self) -> Self {
        Self { number: self.number.saturating_add(1), ..self }
    }

    /// Returns the row, to be written with the rows of the group.
    pub(crate) fn row(self) -> Bulk<'static> {
        let mut rows = Bulk::new(INSERT, 3, "");
        rows.row([Value::Int(self.writer), Value::Int(self.number), Value::Flag(false)]);
        rows
    }

    /// Writes the row if the database transaction has written anything; returns whether it did.
    ///
    /// The statement fails if the transaction can no longer be committed.
    pub(crate) fn write_if_dirty(self, conn: &mut Conn) -> Result<bool> {
        let sql = Sql::new(INSERT)
            .push(" SELECT {}, {}, FALSE WHERE txid_current_if_assigned() IS NOT NULL")
            .bind((self.writer, self.number));
        Ok(conn.execute(&sql)? > 0)
    }

    /// Returns whether earlier marks should be removed with this one.
    pub(crate) fn removes_earlier(self) -> bool {
        self.number.checked_rem(REMOVAL_INTERVAL) == Some(0)
    }

    /// Removes the earlier marks of this writer.
    pub(crate) fn remove_earlier(self, conn: &mut Conn) -> Result<()> {
        let Self { writer, number } = self;
        let sql =
            Sql::new("DELETE FROM commits WHERE writer = {} AND number >= {} AND number < {}")
                .bind((writer, number.saturating_sub(REMOVAL_RANGE), number));
        Ok(conn.execute(&sql).map(drop)?)
    }

    /// Determines the outcome of the group after its commit failed with `why`.
    ///
    /// # Errors
    /// [`CommitFailure::Undone`] if the group was rolled back, [`CommitFailure::Unknown`] if the
    /// outcome was not determined within [`RESOLVE_TIME`].
    pub(crate) fn resolve(
        self,
        address: &Address,
        why: String,
    ) -> std::result::Result<(), CommitFailure> {
        tracing::warn!(why, "commit response lost, checking the outcome");
        let (address, started) = (address.with_timeouts(), Instant::now());
        loop {
            let outcome =
                address.connect(Mode::Write).and_then(|mut conn| self.is_committed(&mut conn));
            match outcome {
                Ok(true) => return Ok(()),
                Ok(false) => return Err(CommitFailure::Undone(why)),
                Err(error) if started.elapsed() >= RESOLVE_TIME => {
                    return Err(CommitFailure::Unknown(format!("{why}; outcome check: {error}")));
                }
                Err(_) => std::thread::park_timeout(RESOLVE_PAUSE),
            }
        }
    }

    /// Returns whether the group was committed. If it was not, it never will be.
    ///
    /// # Errors
    /// If the commit is still under way, or the database fails. The call can be repeated.
    fn is_committed(self, conn: &mut Conn) -> Result<bool> {
        conn.begin(Mode::Write)?;
        conn.shorten_lock_timeout()?;
        // Either branch writes a row, so this commit waits for the synchronous standbys, as the
        // commit of the group does.
        let sql = Sql::new(INSERT)
            .push(
                " VALUES ({}, {}, TRUE) ON CONFLICT (writer, number) DO UPDATE \
                 SET undone = commits.undone RETURNING undone",
            )
            .bind((self.writer, self.number));
        let undone: Vec<bool> = conn.load_locked(Typed::<Bool>::new(&sql))?;
        conn.commit()?;
        undone.first().map(|undone| !undone).ok_or(Error::Corrupt("undone"))
    }
}

/// Removes marks that are older than a day. Rows that a running writer is removing are skipped.
pub(crate) fn sweep(conn: &mut Conn) -> Result<()> {
    if !conn.engine().marks_commits() {
        return Ok(());
    }
    let sql = Sql::new(
        "DELETE FROM commits WHERE (writer, number) IN (\
             SELECT writer, number FROM commits \
             WHERE written_at < extract(epoch FROM now() - interval '1 day') * 1000 \
             FOR UPDATE SKIP LOCKED)",
    );
    Ok(conn.execute(sql.uncached()).map(drop)?)
}
