//! Positions in PostgreSQL's write-ahead log, on the primary and on replicas.

use std::fmt;

use diesel::sql_types::{BigInt, Bool};

use crate::conn::Conn;
use crate::conn::sql::{Sql, Typed};
use crate::error::Result;

/// A position in the write-ahead log. A replica that has replayed it sees the writes before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LogPosition(u64);

impl LogPosition {
    /// The start of the log, which every replica has.
    pub(crate) const BEGINNING: Self = Self(0);

    /// A position that no replica reaches.
    pub const BEYOND: Self = Self(u64::MAX);

    /// Parses the text form of PostgreSQL, for example `16/B374D848`.
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

/// Returns the end of the committed log of the primary.
///
/// That is the flushed position, because replicas receive only flushed log, and the rest may stay
/// in memory for long. With `synchronous_commit = off` a commit ends at the insert position.
pub(crate) fn written(conn: &mut Conn) -> Result<LogPosition> {
    let sql = Sql::new(
        "SELECT (CASE current_setting('synchronous_commit') \
                 WHEN 'off' THEN pg_current_wal_insert_lsn() \
                 ELSE pg_current_wal_flush_lsn() END - '0/0')::bigint",
    );
    let position: i64 = conn.one(Typed::<BigInt>::new(&sql))?;
    Ok(LogPosition(position.unsigned_abs()))
}

/// Returns the position up to which a replica has replayed the log.
///
/// Returns nothing for a server that is not in recovery, for example after a promotion. A snapshot
/// that starts afterwards sees the commits up to this position.
pub(crate) fn replayed(conn: &mut Conn) -> Result<Option<LogPosition>> {
    let sql = Sql::new(
        "SELECT pg_is_in_recovery(), \
         COALESCE((pg_last_wal_replay_lsn() - '0/0')::bigint, 0)",
    );
    let (replays, position): (bool, i64) = conn.one(Typed::<(Bool, BigInt)>::new(&sql))?;
    Ok(replays.then(|| LogPosition(position.unsigned_abs())))
}

/// Returns the system identifier, which a server shares only with its replicas.
pub(crate) fn system_identifier(conn: &mut Conn) -> Result<i64> {
    let sql = Sql::new("SELECT system_identifier FROM pg_control_system()");
    conn.one(Typed::<BigInt>::new(&sql))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_0_42_positions_use_the_format_of_postgresql() {
        for text in ["0/0", "16/B374D848", "FFFFFFFF/FFFFFFFF"] {
            assert_eq!(LogPosition::parse(text).unwrap().to_string(), text);
        }
        assert!(LogPosition::parse("1/0").unwrap() > LogPosition::parse("0/FFFFFFFF").unwrap());
        for text in ["", "16", "/", "1/", "/1", "1/+1", "1/G", "1/1/1", "100000000/0"] {
            assert_eq!(LogPosition::parse(text), None, "{text}");
        }
    }
}
