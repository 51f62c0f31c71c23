//! Differences between the engines on a connection: session settings, transactions, locks.
//!
//! The methods that return SQL return the end of a SELECT that locks its rows. SQLite has one
//! writer, which holds the whole database, so there they return nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use diesel::connection::{
    AnsiTransactionManager, InstrumentationEvent, SimpleConnection, TransactionManager,
};
use diesel::prelude::*;
use diesel::result::QueryResult;
use diesel::sql_types::{Bool, Text};
use diesel::{PgConnection, SqliteConnection};

use crate::conn::engine::Engine;
use crate::conn::mode::Mode;
use crate::conn::settings::{POSTGRES_SETTINGS, SQLITE_READER_SETTINGS, SQLITE_SETTINGS};
use crate::conn::sql::{Sql, Typed};
use crate::conn::{Conn, citus, on_engine, planner, stop_check};
use crate::error::Result;

impl Conn {
    /// Applies the session settings to a new connection.
    pub(crate) fn prepare(&mut self, mode: Mode) -> QueryResult<()> {
        match self {
            Self::Sqlite(c) => {
                c.batch_execute(SQLITE_SETTINGS)?;
                // Searches of a writer call the function too, but a writer is never stopped.
                stop_check::register(c, &Arc::default())?;
                if mode == Mode::Read { c.batch_execute(SQLITE_READER_SETTINGS) } else { Ok(()) }
            }
            Self::Postgres(c) => {
                c.batch_execute(POSTGRES_SETTINGS)?;
                c.batch_execute(planner::POSTGRES_SETTINGS)?;
                c.distributed = citus::is_distributed(c)?;
                Ok(())
            }
        }
    }

    /// Begins a database transaction. A reader gets one consistent snapshot. A writer takes
    /// SQLite's write lock at once, because a deferred transaction cannot always upgrade its lock.
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
            (Self::Postgres(c), Mode::Read) => c.begin_read(0),
        }
    }

    /// Commits the database transaction.
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

    /// Commits the database transaction and begins another one of the same kind.
    pub(crate) fn commit_and_chain(&mut self) -> QueryResult<()> {
        match self {
            Self::Sqlite(_) => self.commit().and_then(|()| self.begin(Mode::Write)),
            // diesel's transaction manager sees one transaction.
            Self::Postgres(c) => c.batch_execute("COMMIT AND CHAIN"),
        }
    }

    /// Rolls the database transaction back.
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

    /// Opens the savepoint of a unit of work.
    ///
    /// The three savepoint statements do not use diesel's transaction manager, because it does not
    /// keep them prepared. Each write of a group sends two of them.
    pub(crate) fn open_savepoint(&mut self) -> QueryResult<()> {
        self.execute(Sql::new("SAVEPOINT unit")).map(drop)
    }

    /// Releases the savepoint and keeps the changes since.
    pub(crate) fn release_savepoint(&mut self) -> QueryResult<()> {
        self.execute(Sql::new("RELEASE SAVEPOINT unit")).map(drop)
    }

    /// Undoes the changes since the savepoint and releases it.
    pub(crate) fn undo_savepoint(&mut self) -> QueryResult<()> {
        self.execute(Sql::new("ROLLBACK TO SAVEPOINT unit"))?;
        self.release_savepoint()
    }

    /// Returns the engine of the connection.
    pub(crate) const fn engine(&self) -> Engine {
        match self {
            Self::Sqlite(_) => Engine::Sqlite,
            Self::Postgres(c) if c.distributed => Engine::Citus,
            Self::Postgres(_) => Engine::Postgres,
        }
    }

    /// Opens the savepoint by which [`Self::check_open`] detects an implicit rollback.
    ///
    /// SQLite rolls a transaction back when a disk is full or a page cannot be read, even for a
    /// statement that only reads. Later statements then run outside any transaction. The savepoint
    /// is gone after such a rollback.
    pub(crate) fn guard_open(&mut self) -> QueryResult<()> {
        match self {
            Self::Sqlite(_) => self.execute(Sql::new("SAVEPOINT whole")).map(drop),
            Self::Postgres(_) => Ok(()),
        }
    }

    /// Checks that the transaction can still be committed.
    ///
    /// On SQLite the savepoint of [`Self::guard_open`] must exist. On PostgreSQL no statement may
    /// have failed outside a savepoint.
    pub(crate) fn check_open(&mut self) -> QueryResult<()> {
        match self {
            Self::Sqlite(_) => {
                self.execute(Sql::new("RELEASE SAVEPOINT whole")).and_then(|_| self.guard_open())
            }
            Self::Postgres(_) => self.ping(),
        }
    }

    /// Checks that the engine responds.
    pub(crate) fn ping(&mut self) -> QueryResult<()> {
        self.execute(Sql::new("SELECT 1")).map(drop)
    }

    /// Locks the rows and skips those that other transactions have locked.
    pub(crate) const fn skip_locked(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "",
            Self::Postgres(_) => " FOR UPDATE SKIP LOCKED",
        }
    }

    /// Like [`Self::skip_locked`], for rows of the table `q` only.
    pub(crate) const fn skip_locked_of_q(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "",
            // Citus cannot lock rows of several machines in one statement.
            Self::Postgres(c) if c.distributed => "",
            Self::Postgres(_) => " FOR UPDATE OF q SKIP LOCKED",
        }
    }

    /// Locks the rows exclusively and waits for other holders.
    pub(crate) const fn for_update(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "",
            Self::Postgres(_) => " FOR UPDATE",
        }
    }

    /// Shares a row that another row refers to, so it is not deleted before the unit of work ends.
    ///
    /// A row that is being deleted is skipped, even if that deletion is rolled back later: a
    /// holder of a book's lock must not wait for it. A distributed engine takes no lock.
    pub(crate) const fn for_key_share_skip_locked(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "",
            // Citus would lock the whole reference table.
            Self::Postgres(c) if c.distributed => "",
            Self::Postgres(_) => " FOR KEY SHARE SKIP LOCKED",
        }
    }

    /// Locks a user for a change of their own data outside books, one unit of work at a time.
    ///
    /// Shard keys of users sort before those of books, so no writer waits for this lock while it
    /// holds a book.
    pub(crate) const fn for_no_key_update(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "",
            Self::Postgres(_) => " FOR NO KEY UPDATE",
        }
    }

    /// Shares users, so their names do not change before the unit of work ends.
    ///
    /// It waits only for a transaction that renames one of them ([`Self::for_update`]), so the
    /// order in which users are locked does not matter.
    pub(crate) const fn for_key_share(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "",
            // Citus locks the whole reference table. Two transactions that share it and then
            // write to it would deadlock, so the lock is exclusive.
            Self::Postgres(c) if c.distributed => " FOR NO KEY UPDATE",
            Self::Postgres(_) => " FOR KEY SHARE",
        }
    }

    /// Sets a lock timeout below PostgreSQL's deadlock timeout of one second, for the rest of the
    /// transaction. In a deadlock this transaction then fails, not the other one.
    pub(crate) fn shorten_lock_timeout(&mut self) -> QueryResult<()> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(c) => c.batch_execute("SET LOCAL lock_timeout = '300ms'"),
        }
    }

    /// Takes an advisory lock of the session; returns false if another session holds it.
    ///
    /// SQLite has no advisory locks. A lease locks a file there ([`crate::lease`]).
    pub(crate) fn try_advisory_lock(&mut self, key: i64) -> QueryResult<bool> {
        match self {
            Self::Sqlite(_) => Ok(true),
            Self::Postgres(c) => {
                let sql = Sql::new("SELECT pg_try_advisory_lock({})").bind(key).uncached();
                Typed::<Bool>::new(&sql).get_result(&mut **c)
            }
        }
    }

    /// Releases an advisory lock of the session.
    pub(crate) fn advisory_unlock(&mut self, key: i64) -> QueryResult<()> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(c) => {
                let sql = Sql::new("SELECT pg_advisory_unlock({})").bind(key);
                sql.uncached().execute(&mut **c).map(drop)
            }
        }
    }

    /// Returns the plan of a statement, one line for each step.
    pub(crate) fn explain(&mut self, sql: Sql<'_>) -> QueryResult<Vec<String>> {
        match self {
            Self::Sqlite(c) => {
                let steps: Vec<SqliteStep> =
                    Sql::new("EXPLAIN QUERY PLAN {}").bind(sql).uncached().load(c)?;
                Ok(steps.into_iter().map(|step| step.detail).collect())
            }
            Self::Postgres(c) => {
                let explain = Sql::new("EXPLAIN {}").bind(sql).uncached();
                Typed::<Text>::new(&explain).load(&mut **c)
            }
        }
    }

    /// Returns the names of all tables, also of those of other programs.
    pub(crate) fn table_names(&mut self) -> Result<Vec<String>> {
        let sql = match self {
            Self::Sqlite(_) => "SELECT name FROM sqlite_schema WHERE type = 'table'",
            Self::Postgres(_) => {
                "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema()"
            }
        };
        self.rows(&Sql::new(sql).uncached())
    }

    /// Counts every statement that the connection sends.
    pub(crate) fn count_statements(&mut self, counter: Arc<AtomicU64>) {
        let count = move |event: InstrumentationEvent<'_>| {
            if let InstrumentationEvent::StartQuery { .. } = event {
                counter.fetch_add(1, Ordering::Relaxed);
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

#[cfg(test)]
impl Conn {
    /// Opens an empty in-memory database.
    pub(crate) fn in_memory() -> Self {
        Self::Sqlite(SqliteConnection::establish(":memory:").unwrap())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_open_after_implicit_rollback_fails() {
        let mut conn = Conn::in_memory();
        conn.execute(Sql::new("BEGIN IMMEDIATE")).unwrap();
        conn.guard_open().unwrap();
        conn.check_open().unwrap();
        conn.check_open().unwrap();
        // SQLite does the same when the disk is full.
        conn.execute(Sql::new("ROLLBACK")).unwrap();
        assert!(conn.check_open().is_err());
    }
}
