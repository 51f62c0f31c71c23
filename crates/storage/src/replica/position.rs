//! Positions in the write-ahead log of PostgreSQL: how far it is written on the primary, and how
//! far a replica has replayed it.

use std::fmt;

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};

use crate::conn::{Conn, on_engine};
use crate::error::Result;
use crate::sql::Sql;

/// Where a write ends in the log of the database. Whoever has replayed the log up to there sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LogPosition(u64);

impl LogPosition {
    /// The beginning, which every replica has.
    pub(crate) const BEGINNING: Self = Self(0);

    /// A position that no replica reaches.
    pub const BEYOND: Self = Self(u64::MAX);

    /// Reads the form of PostgreSQL, such as `16/B374D848`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (high, low) = text.split_once('/')?;
        let part = |text: &str| {
            let digits = text.bytes().all(|byte| byte.is_ascii_hexdigit());
            if digits { u32::from_str_radix(text, 16).ok() } else { None }
        };
        Some(Self(u64::from(part(high)?) << 32 | u64::from(part(low)?)))
    }

    pub(crate) const fn get(self) -> u64 {
        self.0
    }

    pub(crate) const fn new(number: u64) -> Self {
        Self(number)
    }
}

impl fmt::Display for LogPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:X}/{:X}", self.0 >> 32, self.0 & u64::from(u32::MAX))
    }
}

#[derive(QueryableByName)]
struct LogRow {
    #[diesel(sql_type = BigInt)]
    position: i64,
}

#[derive(QueryableByName)]
struct ReplayRow {
    #[diesel(sql_type = Bool)]
    replays: bool,
    #[diesel(sql_type = BigInt)]
    position: i64,
}

/// Where the log of the primary ends, up to what was committed. A replica gets what is on the disk,
/// and what lies behind it may stay in memory for long; but a commit that does not wait for the
/// disk ends there.
pub(crate) fn written(conn: &mut Conn) -> Result<LogPosition> {
    let sql = Sql::new(
        "SELECT (CASE current_setting('synchronous_commit') \
                 WHEN 'off' THEN pg_current_wal_insert_lsn() \
                 ELSE pg_current_wal_flush_lsn() END - '0/0')::bigint AS position",
    );
    let row: LogRow = on_engine!(conn, c => (&sql).get_result(c))?;
    Ok(LogPosition(row.position.unsigned_abs()))
}

/// How far a replica has got; nothing from a server that replays no log, such as one that was
/// promoted. A snapshot that is taken afterwards sees what was committed up to there.
pub(crate) fn replayed(conn: &mut Conn) -> Result<Option<LogPosition>> {
    let sql = Sql::new(
        "SELECT pg_is_in_recovery() AS replays, \
         COALESCE((pg_last_wal_replay_lsn() - '0/0')::bigint, 0) AS position",
    );
    let row: ReplayRow = on_engine!(conn, c => (&sql).get_result(c))?;
    Ok(row.replays.then(|| LogPosition(row.position.unsigned_abs())))
}

/// The number that a server shares with its replicas and with no other.
pub(crate) fn system(conn: &mut Conn) -> Result<i64> {
    let sql = Sql::new("SELECT system_identifier AS position FROM pg_control_system()");
    let row: LogRow = on_engine!(conn, c => (&sql).get_result(c))?;
    Ok(row.position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_0_42_positions_are_written_as_postgresql_writes_them() {
        for text in ["0/0", "16/B374D848", "FFFFFFFF/FFFFFFFF"] {
            assert_eq!(LogPosition::parse(text).unwrap().to_string(), text);
        }
        assert!(LogPosition::parse("1/0").unwrap() > LogPosition::parse("0/FFFFFFFF").unwrap());
        for text in ["", "16", "/", "1/", "/1", "1/+1", "1/G", "1/1/1", "100000000/0"] {
            assert_eq!(LogPosition::parse(text), None, "{text}");
        }
    }
}
