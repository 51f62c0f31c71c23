//! The number of a process: how often the database was opened.

use diesel::prelude::*;

use crate::conn::{Conn, on_engine};
use crate::error::{Error, Result};
use crate::schema::process_starts;
use crate::sql::Sql;

#[derive(QueryableByName)]
#[diesel(table_name = process_starts)]
struct Start {
    count: i64,
}

/// Counts this opening of the database; the row's own lock tells processes that start together
/// apart.
pub(crate) fn count(conn: &mut Conn) -> Result<i64> {
    let counting = Sql::new(
        "INSERT INTO process_starts (id, count) VALUES (1, 1) ON CONFLICT (id) \
            DO UPDATE SET count = process_starts.count + 1 RETURNING count",
    );
    let counted: Vec<Start> = on_engine!(conn, c => (&counting).load(c))?;
    Ok(counted.into_iter().next().ok_or(Error::Corrupt("count"))?.count)
}
