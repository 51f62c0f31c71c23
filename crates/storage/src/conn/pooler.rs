//! Detection of connection poolers between this program and PostgreSQL.
//!
//! A pooler in session mode is supported. A pooler in transaction mode is refused, because it
//! gives the state of a session to other clients: prepared statements, the session settings
//! ([`crate::conn`]) and the advisory locks of leases ([`crate::lease`]), which would never be
//! released.

use diesel::sql_types::Text;

use crate::conn::Conn;
use crate::conn::address::Address;
use crate::conn::mode::Mode;
use crate::conn::sql::{Sql, Typed};
use crate::error::{Error, Result};

/// Number of probes. One is enough for a pooler without other clients.
const PROBES: usize = 4;

/// Identifies the backend process. Process ids of different servers may be equal, so it includes
/// the start time of the server.
const BACKEND: &str = "SELECT pg_backend_pid()::text || ' since ' \
    || pg_postmaster_start_time()::text";

/// Refuses an address whose sessions share backend processes.
///
/// It fails if two sessions use the same backend or one session uses several. Neither is possible
/// with PostgreSQL itself or with a pooler in session mode.
pub(crate) fn refuse_shared_sessions(address: &Address) -> Result<()> {
    if matches!(address, Address::Sqlite(_)) {
        return Ok(());
    }
    let (mut one, mut other) = (address.connect(Mode::Read)?, address.connect(Mode::Read)?);
    for _ in 0..PROBES {
        // A round-robin pooler uses another backend for the second transaction.
        let [first, second] = [in_transaction(&mut one)?, in_transaction(&mut one)?];
        // A pooler that reuses the last backend gives it to the other session here.
        other.begin(Mode::Read)?;
        let of_other = backend(&mut other)?;
        let third = in_transaction(&mut one)?;
        other.rollback()?;
        if first != second || second != third || of_other == first {
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
    // Uncached, because a prepared statement would be session state, too.
    let sql = Sql::new(BACKEND).uncached();
    conn.one(Typed::<Text>::new(&sql))
}
