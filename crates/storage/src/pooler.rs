//! Poolers between this program and PostgreSQL. One that lends a connection for a session is as
//! good as PostgreSQL itself. One that lends it for a transaction is not: what a session keeps is
//! then anybody's. Of ours these are the prepared statements, the settings of [`crate::dialect`]
//! and [`crate::planner`], and the advisory locks of [`crate::lease`], which would be held by
//! nobody and for ever.

use diesel::prelude::*;
use diesel::sql_types::Text;

use crate::conn::{Conn, on_engine};
use crate::dialect::Mode;
use crate::error::{Error, Result};
use crate::pool::Address;
use crate::sql::Sql;

/// How often is looked. Once is enough for a pool that nobody else uses.
const LOOKS: usize = 4;

/// The process of the server that answers. Process ids of different servers may be alike.
const BACKEND: &str = "SELECT pg_backend_pid()::text || ' since ' \
    || pg_postmaster_start_time()::text AS process";

#[derive(QueryableByName)]
struct ServingProcess {
    #[diesel(sql_type = Text)]
    process: String,
}

/// Refuses an address at which two sessions share a process of the server, or one has several.
/// Behind PostgreSQL itself and a pool of sessions neither can be.
pub(crate) fn refuse_shared_sessions(address: &Address) -> Result<()> {
    if matches!(address, Address::Sqlite(_)) {
        return Ok(());
    }
    let (mut one, mut other) = (address.connect(Mode::Read)?, address.connect(Mode::Read)?);
    for _ in 0..LOOKS {
        // A pool that takes turns has the next connection for the second transaction.
        let [first, second] = [in_transaction(&mut one)?, in_transaction(&mut one)?];
        // One that takes what was used last gives it to somebody else, and then holds it there.
        other.begin(Mode::Read)?;
        let held = backend(&mut other)?;
        let third = in_transaction(&mut one)?;
        other.rollback()?;
        if first != second || second != third || held == first {
            return Err(Error::SharedSessions);
        }
    }
    Ok(())
}

fn in_transaction(conn: &mut Conn) -> Result<String> {
    conn.begin(Mode::Read)?;
    let process = backend(conn)?;
    conn.rollback()?;
    Ok(process)
}

fn backend(conn: &mut Conn) -> Result<String> {
    // A prepared statement that is kept would itself be anybody's.
    let sql = Sql::new(BACKEND).uncached();
    let answered: ServingProcess = on_engine!(conn, c => (&sql).get_result(c))?;
    Ok(answered.process)
}
