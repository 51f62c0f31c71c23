//! The SQLite function by which a long statement notices that its read was stopped.
//!
//! diesel gives no access to `sqlite3_interrupt`, so statements that may scan many rows call
//! `read_goes_on` for each row ([`crate::conn::engine::Engine::stop_check`]). It fails once the
//! flag of the connection is set.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use diesel::result::QueryResult;
use diesel::serialize::{IsNull, Output, ToSql};
use diesel::sql_types::{BigInt, Bool};
use diesel::sqlite::Sqlite;
use diesel::{SqliteConnection, define_sql_function};

define_sql_function! {
    /// Fails if the read was stopped. The argument is the id of a row, so SQLite calls it again
    /// for each row.
    fn read_goes_on(row: BigInt) -> Bool;
}

/// The result of `read_goes_on`: true, or an error.
#[derive(Debug)]
struct GoesOn(bool);

impl ToSql<Bool, Sqlite> for GoesOn {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> diesel::serialize::Result {
        if !self.0 {
            return Err("the read was stopped".into());
        }
        out.set_value(1_i32);
        Ok(IsNull::No)
    }
}

/// Registers `read_goes_on` on a connection, with the flag that stops its reads.
pub(crate) fn register(conn: &mut SqliteConnection, stopped: &Arc<AtomicBool>) -> QueryResult<()> {
    let stopped = Arc::clone(stopped);
    let goes_on = move |_: i64| GoesOn(!stopped.load(Ordering::Relaxed));
    read_goes_on_utils::register_nondeterministic_impl(conn, goes_on)
}
