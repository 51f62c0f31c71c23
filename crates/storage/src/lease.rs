//! Leases: what one worker or request of all processes at a time may do, for example a round of a
//! background worker.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::conn::Conn;
use crate::dialect::Mode;
use crate::error::Result;
use crate::pool::Address;

/// A lease that somebody holds until it is dropped. It ends with the process, however that ends: on
/// PostgreSQL it is an advisory lock of a connection of its own. One process at a time serves a
/// SQLite file, so there it is a note in the memory of the process.
pub struct Lease {
    _holding: Holding,
}

enum Holding {
    Note { key: i64, held: Held },
    Lock { _conn: Conn },
}

/// The leases that are held of a SQLite file.
pub(crate) type Held = Arc<Mutex<HashSet<i64>>>;

impl Lease {
    /// Takes the lease with that key; `None` when it is held already.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub(crate) fn take(address: &Address, held: &Held, key: i64) -> Result<Option<Self>> {
        let holding = match address {
            Address::Sqlite(_) => {
                let free = held.lock().unwrap_or_else(PoisonError::into_inner).insert(key);
                free.then(|| Holding::Note { key, held: Arc::clone(held) })
            }
            Address::Postgres(_) => {
                let mut conn = address.connect(Mode::Read)?;
                if conn.try_lock(key)? { Some(Holding::Lock { _conn: conn }) } else { None }
            }
        };
        Ok(holding.map(|holding| Self { _holding: holding }))
    }
}

impl Drop for Holding {
    fn drop(&mut self) {
        match self {
            Self::Note { key, held } => {
                held.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
            }
            // The lock ends with its connection.
            Self::Lock { .. } => {}
        }
    }
}
