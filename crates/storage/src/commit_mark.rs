//! Commit marks: how a writer finds out what became of a commit whose answer did not come.
//!
//! A connection to PostgreSQL may break while a commit is on its way. Whoever then says that
//! nothing was recorded, or that all was, is wrong one time or the other: the client writes twice,
//! or never. So each group of writes also inserts a row of its own, its mark. In doubt the writer
//! inserts the same row on another connection, as one that says *undone*. The key lets in one of
//! the two:
//!
//! - The group's, when it was committed. One that is still on its way is waited for.
//! - Else the writer's. Then the group was undone, and can never be committed.
//!
//! The numbers of PostgreSQL's own transactions would not do: after a crash, or on a standby that
//! was promoted, another transaction may get the same one.
//!
//! SQLite needs no marks: its commit is a call, which tells. A distributed engine has none, because
//! the table would be on every machine.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::time::{Duration, Instant};

use diesel::prelude::*;
use diesel::sql_types::Bool;

use crate::bulk::Bulk;
use crate::conn::{Conn, on_engine};
use crate::dialect::Mode;
use crate::error::{Error, Result};
use crate::job::CommitFailure;
use crate::pool::Address;
use crate::sql::{Sql, Value};

const INSERT: &str = "INSERT INTO commits (writer, number, undone)";

/// For how long a writer asks what became of a commit, but for the last attempt.
const ASKING_TIME: Duration = Duration::from_secs(10);

/// The pause between two attempts.
const ASKING_PAUSE: Duration = Duration::from_millis(100);

/// After so many marks of a writer those before are removed. The last one alone can be asked for.
const KEPT: i64 = 100;

/// Marks that a writer removes at once, so that it does not pass those over that a long snapshot
/// keeps.
const REMOVED: i64 = 1_000;

/// The mark of one group of writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CommitMark {
    writer: i64,
    number: i64,
}

#[derive(QueryableByName)]
struct MarkRow {
    #[diesel(sql_type = Bool)]
    undone: bool,
}

impl CommitMark {
    /// The mark before the first one of a new writer. The writer's number is drawn: one that is
    /// counted may come again after a failover that loses the last rows.
    pub(crate) fn of_new_writer() -> Self {
        let drawn = RandomState::new().hash_one(std::process::id());
        Self { writer: i64::from_be_bytes(drawn.to_be_bytes()), number: 0 }
    }

    /// The next mark of the same writer.
    pub(crate) const fn next(self) -> Self {
        Self { number: self.number.saturating_add(1), ..self }
    }

    /// Its row, to be written with those of its group.
    pub(crate) fn row(self) -> Bulk<'static> {
        let mut rows = Bulk::new(INSERT, 3, "");
        rows.row([Value::Int(self.writer), Value::Int(self.number), Value::Flag(false)]);
        rows
    }

    /// Writes its row if anything was written in this database transaction, and makes sure that
    /// it can still be committed. Tells whether it has.
    pub(crate) fn write_with_others(self, conn: &mut Conn) -> Result<bool> {
        let sql = Sql::new(INSERT)
            .push(" SELECT ")
            .int(self.writer)
            .push(", ")
            .int(self.number)
            .push(", FALSE WHERE txid_current_if_assigned() IS NOT NULL");
        Ok(conn.execute(&sql)? > 0)
    }

    /// Whether marks before this one are to be removed.
    pub(crate) fn is_removing(self) -> bool {
        self.number.checked_rem(KEPT) == Some(0)
    }

    /// Removes the marks of this writer before this one.
    pub(crate) fn remove_earlier(self, conn: &mut Conn) -> Result<()> {
        let Self { writer, number } = self;
        let sql = Sql::new("DELETE FROM commits WHERE writer = ")
            .int(writer)
            .push(" AND number >= ")
            .int(number.saturating_sub(REMOVED))
            .push(" AND number < ")
            .int(number);
        Ok(conn.execute(&sql).map(drop)?)
    }

    /// Finds out what became of its group after a failure of the commit, and passes that failure on
    /// where the group is undone, or where nothing is found out in [`ASKING_TIME`].
    pub(crate) fn settle(
        self,
        address: &Address,
        why: String,
    ) -> std::result::Result<(), CommitFailure> {
        tracing::warn!(why, "the answer of a commit was lost; the writer asks for it");
        let (address, asked) = (address.bounded(), Instant::now());
        loop {
            match address.connect(Mode::Write).and_then(|mut conn| self.find(&mut conn)) {
                Ok(true) => return Ok(()),
                Ok(false) => return Err(CommitFailure::Undone(why)),
                Err(error) if asked.elapsed() >= ASKING_TIME => {
                    return Err(CommitFailure::Unknown(format!("{why}; asked for it: {error}")));
                }
                Err(_) => std::thread::park_timeout(ASKING_PAUSE),
            }
        }
    }

    /// Whether its group was committed; if not, it never will be.
    ///
    /// # Errors
    /// When that is not known yet, because the group is still on its way, or the database fails.
    /// It can be asked again.
    fn find(self, conn: &mut Conn) -> Result<bool> {
        conn.begin(Mode::Write)?;
        conn.wait_briefly()?;
        // A row is written in either case, so this commit waits, as that of the group did, until
        // the standbys have it that have to.
        let row = [Value::Int(self.writer), Value::Int(self.number), Value::Flag(true)];
        let sql = Sql::new(INSERT).push(" VALUES ").list(row).push(
            " ON CONFLICT (writer, number) DO UPDATE SET undone = commits.undone RETURNING undone",
        );
        let found: Vec<MarkRow> =
            on_engine!(conn, c => (&sql).load(c)).map_err(Error::of_waiting)?;
        conn.commit()?;
        found.first().map(|row| !row.undone).ok_or(Error::Corrupt("undone"))
    }
}

/// Removes what writers of a day ago have left. Those that live may be removing it themselves.
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
    Ok(conn.execute(&sql.uncached()).map(drop)?)
}
