//! The generation of a process: the number of times that the database was opened.

use crate::conn::Conn;
use crate::conn::sql::Sql;
use crate::error::{Error, Result};

/// Increments and returns the generation. The row lock separates processes that start together.
pub(crate) fn next(conn: &mut Conn) -> Result<i64> {
    let increment = Sql::new(
        "INSERT INTO process_starts (id, count) VALUES (1, 1) ON CONFLICT (id) \
            DO UPDATE SET count = process_starts.count + 1 RETURNING count",
    );
    conn.row(&increment)?.ok_or(Error::Corrupt("count"))
}
