//! The generation of a process: the number of times that the database was opened.

use diesel::prelude::*;

use crate::conn::sql::Sql;
use crate::conn::{Conn, on_engine};
use crate::error::{Error, Result};
use crate::schema::process_starts;

#[derive(QueryableByName)]
#[diesel(table_name = process_starts)]
struct Start {
    count: i64,
}

/// Increments and returns the generation. The row lock separates processes that start together.
pub(crate) fn next(conn: &mut Conn) -> Result<i64> {
    let increment = Sql::new(
        "INSERT INTO process_starts (id, count) VALUES (1, 1) ON CONFLICT (id) \
            DO UPDATE SET count = process_starts.count + 1 RETURNING count",
    );
    let rows: Vec<Start> = on_engine!(conn, c => (&increment).load(c))?;
    Ok(rows.into_iter().next().ok_or(Error::Corrupt("count"))?.count)
}
