//! What connections to the engines do differently: how units of work begin, how a book is locked.

use std::sync::Arc;

use diesel::connection::{AnsiTransactionManager, SimpleConnection, TransactionManager};
use diesel::prelude::*;
use diesel::result::QueryResult;
use diesel::sql_types::{Bool, Text};
use diesel::{PgConnection, SqliteConnection};

use crate::conn::{Conn, on_engine};
use crate::distribution;
use crate::engine::Engine;
use crate::interrupt;
use crate::planner;
use crate::sql::Sql;

/// Every setting a SQLite connection needs, in the order that matters: wait for locks first.
const SQLITE_SETTINGS: &str = "PRAGMA busy_timeout = 10000; \
     PRAGMA journal_mode = WAL; \
     PRAGMA synchronous = FULL; \
     PRAGMA foreign_keys = ON; \
     PRAGMA temp_store = MEMORY; \
     PRAGMA cache_size = -65536; \
     PRAGMA wal_autocheckpoint = 4000;";

/// The settings a PostgreSQL connection needs beside those of its planner.
pub(crate) const POSTGRES_SETTINGS: &str = "SET timezone = 'UTC'; SET lock_timeout = '20s';";

/// Readers wait out a schema change or a checkpoint, and may never write. There are many, so each
/// keeps less in memory.
const SQLITE_READER: &str = "PRAGMA query_only = ON; PRAGMA cache_size = -32768;";

/// Whether a connection, or a unit of work, reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The writer's own.
    Write,
    /// One of the readers'.
    Read,
}

impl Conn {
    /// Prepares a fresh connection.
    pub(crate) fn prepare(&mut self, mode: Mode) -> QueryResult<()> {
        match self {
            Self::Sqlite(c) => {
                c.batch_execute(SQLITE_SETTINGS)?;
                // Nobody stops what writes; its searches are the same statements.
                interrupt::ask(c, &Arc::default())?;
                if mode == Mode::Read { c.batch_execute(SQLITE_READER) } else { Ok(()) }
            }
            Self::Postgres(c) => {
                c.batch_execute(POSTGRES_SETTINGS)?;
                c.batch_execute(planner::POSTGRES_SETTINGS)?;
                c.distributed = distribution::is_distributed(c)?;
                Ok(())
            }
        }
    }

    /// Begins a unit of work: a writer takes SQLite's write lock at once (a deferred one cannot be
    /// upgraded), a reader gets one consistent snapshot.
    pub(crate) fn begin(&mut self, mode: Mode) -> QueryResult<()> {
        match (self, mode) {
            (Self::Sqlite(c), Mode::Write) => {
                AnsiTransactionManager::begin_transaction_sql(c, "BEGIN IMMEDIATE")
            }
            (Self::Sqlite(c), Mode::Read) => {
                AnsiTransactionManager::begin_transaction_sql(c, "BEGIN")
            }
            (Self::Postgres(c), Mode::Write) => AnsiTransactionManager::begin_transaction_sql(
                &mut **c,
                "BEGIN ISOLATION LEVEL READ COMMITTED",
            ),
            (Self::Postgres(c), Mode::Read) => AnsiTransactionManager::begin_transaction_sql(
                &mut **c,
                "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            ),
        }
    }

    /// Makes the unit of work durable.
    pub(crate) fn commit(&mut self) -> QueryResult<()> {
        match self {
            Self::Sqlite(c) => {
                <SqliteConnection as Connection>::TransactionManager::commit_transaction(c)
            }
            Self::Postgres(c) => {
                <PgConnection as Connection>::TransactionManager::commit_transaction(&mut **c)
            }
        }
    }

    /// Makes the unit of work durable, and begins the next one like it.
    pub(crate) fn commit_and_chain(&mut self) -> QueryResult<()> {
        match self {
            Self::Sqlite(_) => self.commit().and_then(|()| self.begin(Mode::Write)),
            // For diesel it is the same transaction.
            Self::Postgres(c) => c.batch_execute("COMMIT AND CHAIN"),
        }
    }

    /// Undoes the unit of work.
    pub(crate) fn rollback(&mut self) -> QueryResult<()> {
        match self {
            Self::Sqlite(c) => {
                <SqliteConnection as Connection>::TransactionManager::rollback_transaction(c)
            }
            Self::Postgres(c) => {
                <PgConnection as Connection>::TransactionManager::rollback_transaction(&mut **c)
            }
        }
    }

    /// Opens a savepoint. These three are statements of our own because diesel's are parsed anew
    /// each time, and there are two for every write of a group.
    pub(crate) fn savepoint(&mut self) -> QueryResult<()> {
        self.execute(&Sql::new("SAVEPOINT unit")).map(drop)
    }

    /// Keeps what was done since the savepoint.
    pub(crate) fn release(&mut self) -> QueryResult<()> {
        self.execute(&Sql::new("RELEASE SAVEPOINT unit")).map(drop)
    }

    /// Undoes what was done since the savepoint, and closes it.
    pub(crate) fn undo(&mut self) -> QueryResult<()> {
        self.execute(&Sql::new("ROLLBACK TO SAVEPOINT unit"))?;
        self.release()
    }

    /// The engine behind it.
    pub(crate) const fn engine(&self) -> Engine {
        match self {
            Self::Sqlite(_) => Engine::Sqlite,
            Self::Postgres(c) if c.distributed => Engine::Citus,
            Self::Postgres(_) => Engine::Postgres,
        }
    }

    /// Opens a savepoint around the whole unit of work. SQLite rolls a transaction back by itself
    /// when a disk is full or a page cannot be read, even for a statement that only reads, and goes
    /// on as if nothing had been begun; the savepoint is gone then.
    pub(crate) fn guard_open(&mut self) -> QueryResult<()> {
        match self {
            Self::Sqlite(_) => self.execute(&Sql::new("SAVEPOINT whole")).map(drop),
            Self::Postgres(_) => Ok(()),
        }
    }

    /// Makes sure that what was done so far can still be committed: on SQLite that savepoint is
    /// still there, on PostgreSQL no failed statement has spoiled the transaction.
    pub(crate) fn check_open(&mut self) -> QueryResult<()> {
        match self {
            Self::Sqlite(_) => {
                self.execute(&Sql::new("RELEASE SAVEPOINT whole")).and_then(|_| self.guard_open())
            }
            Self::Postgres(_) => self.ping(),
        }
    }

    /// Checks that the engine answers.
    pub(crate) fn ping(&mut self) -> QueryResult<()> {
        self.execute(&Sql::new("SELECT 1")).map(drop)
    }

    /// The end of a SELECT that skips rows that others are changing. SQLite has one writer.
    pub(crate) const fn unless_locked(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "",
            Self::Postgres(_) => " FOR UPDATE SKIP LOCKED",
        }
    }

    /// The same where the rows of `q` alone are locked.
    pub(crate) const fn unless_q_locked(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "",
            // Many machines hold nothing for one statement.
            Self::Postgres(c) if c.distributed => "",
            Self::Postgres(_) => " FOR UPDATE OF q SKIP LOCKED",
        }
    }

    /// The end of a SELECT that waits for its rows, and then holds them.
    pub(crate) const fn and_lock(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "",
            Self::Postgres(_) => " FOR UPDATE",
        }
    }

    /// The end of a SELECT of a row that is named in another one, which keeps it until the unit of
    /// work ends. One that is being deleted is passed by, also where the deletion is undone then,
    /// so that nobody waits for it while holding a book. A distributed engine keeps nothing.
    pub(crate) const fn unless_deleted(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "",
            // Citus locks all of a table that is on every machine.
            Self::Postgres(c) if c.distributed => "",
            Self::Postgres(_) => " FOR KEY SHARE SKIP LOCKED",
        }
    }

    /// The end of a SELECT of a user who changes what they keep across books: one unit of work at a
    /// time does. Lanes of users come before those of books, so no writer ever waits for it while
    /// it holds a book.
    pub(crate) const fn locking(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "",
            Self::Postgres(_) => " FOR NO KEY UPDATE",
        }
    }

    /// The end of a SELECT of users who keep their names until the unit of work ends. Only who is
    /// taking one of them ([`Self::taking`]) is waited for, so their order does not matter.
    pub(crate) const fn keeping(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "",
            // Citus locks all of a table that is on every machine. Two that share it, and then
            // write to it, would wait for each other; so the second waits before it has anything.
            Self::Postgres(c) if c.distributed => " FOR NO KEY UPDATE",
            Self::Postgres(_) => " FOR KEY SHARE",
        }
    }

    /// The end of a SELECT of a user whose names change: all others who hold the user are waited
    /// for, and wait.
    pub(crate) const fn taking(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "",
            Self::Postgres(_) => " FOR UPDATE",
        }
    }

    /// Makes this unit of work give up waiting for locks before anybody who waits for it looks for
    /// a deadlock (PostgreSQL does after a second).
    pub(crate) fn wait_briefly(&mut self) -> QueryResult<()> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(c) => c.batch_execute("SET LOCAL lock_timeout = '300ms'"),
        }
    }

    /// Takes an advisory lock for as long as this connection lives; `false` when another connection
    /// holds it. SQLite knows none, and needs none: one process at a time serves a file.
    pub(crate) fn try_lock(&mut self, key: i64) -> QueryResult<bool> {
        match self {
            Self::Sqlite(_) => Ok(true),
            Self::Postgres(c) => {
                let sql = Sql::new("SELECT pg_try_advisory_lock(").int(key).push(") AS taken");
                sql.uncached().get_result(&mut **c).map(|row: AdvisoryLock| row.taken)
            }
        }
    }

    /// Gives that lock back.
    pub(crate) fn unlock(&mut self, key: i64) -> QueryResult<()> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(c) => {
                let sql = Sql::new("SELECT pg_advisory_unlock(").int(key).push(")");
                sql.uncached().execute(&mut **c).map(drop)
            }
        }
    }

    /// Runs a statement.
    pub(crate) fn execute(&mut self, sql: &Sql<'_>) -> QueryResult<usize> {
        on_engine!(self, c => sql.execute(c))
    }

    /// What the engine would do for a statement, a line for each step.
    pub(crate) fn explain(&mut self, sql: Sql<'_>) -> QueryResult<Vec<String>> {
        match self {
            Self::Sqlite(c) => {
                let steps: Vec<SqliteStep> =
                    Sql::new("EXPLAIN QUERY PLAN ").append(sql).uncached().load(c)?;
                Ok(steps.into_iter().map(|step| step.detail).collect())
            }
            Self::Postgres(c) => {
                let steps: Vec<PostgresStep> =
                    Sql::new("EXPLAIN ").append(sql).uncached().load(&mut **c)?;
                Ok(steps.into_iter().map(|step| step.line).collect())
            }
        }
    }

    /// Counts each statement sent.
    pub(crate) fn count_statements(
        &mut self,
        counter: std::sync::Arc<std::sync::atomic::AtomicU64>,
    ) {
        let count = move |event: diesel::connection::InstrumentationEvent<'_>| {
            if let diesel::connection::InstrumentationEvent::StartQuery { .. } = event {
                counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            }
        };
        on_engine!(self, c => c.set_instrumentation(count));
    }
}

#[derive(QueryableByName)]
struct SqliteStep {
    #[diesel(sql_type = Text)]
    detail: String,
}

#[derive(QueryableByName)]
struct AdvisoryLock {
    #[diesel(sql_type = Bool)]
    taken: bool,
}

#[derive(QueryableByName)]
struct PostgresStep {
    #[diesel(sql_type = Text, column_name = "QUERY PLAN")]
    line: String,
}

#[cfg(test)]
impl Conn {
    /// An empty database of its own, for tests of statements.
    pub(crate) fn in_memory() -> Self {
        Self::Sqlite(SqliteConnection::establish(":memory:").unwrap())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transaction_that_is_gone_is_noticed() {
        let mut conn = Conn::in_memory();
        conn.execute(&Sql::new("BEGIN IMMEDIATE")).unwrap();
        conn.guard_open().unwrap();
        conn.check_open().unwrap();
        conn.check_open().unwrap();
        // As SQLite itself does when it has no place left.
        conn.execute(&Sql::new("ROLLBACK")).unwrap();
        assert!(conn.check_open().is_err());
    }
}
