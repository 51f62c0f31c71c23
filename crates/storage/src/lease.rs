//! Leases: what one process at a time may do, for example a round of a background worker.

use crate::conn::Conn;
use crate::dialect::Mode;
use crate::error::Result;
use crate::pool::Address;

/// A lease that this process holds until it drops it. It ends with the process, however that ends:
/// on PostgreSQL it is an advisory lock of a connection of its own.
pub struct Lease {
    _conn: Option<Conn>,
}

impl Lease {
    /// Takes the lease with that key; `None` when another process holds it. One process at a time
    /// serves a SQLite file, so there nobody else can hold it.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub(crate) fn take(address: &Address, key: i64) -> Result<Option<Self>> {
        match address {
            Address::Sqlite(_) => Ok(Some(Self { _conn: None })),
            Address::Postgres(_) => {
                let mut conn = address.connect(Mode::Read)?;
                Ok(if conn.try_lock(key)? { Some(Self { _conn: Some(conn) }) } else { None })
            }
        }
    }
}
