//! Leases: what one worker or request of all processes at a time may do, for example a round of a
//! background worker.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::conn::Conn;
use crate::dialect::Mode;
use crate::error::Result;
use crate::pool::Address;

/// A lease that somebody holds until it is dropped. It ends with the process, however that ends: on
/// PostgreSQL it is an advisory lock of a connection of its own, besides a note in the memory of
/// the process. One process at a time serves a SQLite file, so there the note is all.
pub struct Lease {
    _lock: Option<Conn>,
    _note: LeaseNote,
}

/// Says within the process that a lease is held, until it is dropped.
struct LeaseNote {
    key: i64,
    held: Held,
}

/// The leases that the process holds.
pub(crate) type Held = Arc<Mutex<HashSet<i64>>>;

impl Lease {
    /// Takes the lease with that key; `None` when it is held already. What this process holds
    /// itself is found without a connection.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub(crate) fn take(address: &Address, held: &Held, key: i64) -> Result<Option<Self>> {
        if !held.lock().unwrap_or_else(PoisonError::into_inner).insert(key) {
            return Ok(None);
        }
        let note = LeaseNote { key, held: Arc::clone(held) };
        if !address.is_server() {
            return Ok(Some(Self { _lock: None, _note: note }));
        }
        let mut conn = address.connect(Mode::Read)?;
        let locked = conn.try_lock(key)?;
        Ok(locked.then(|| Self { _lock: Some(conn), _note: note }))
    }
}

impl Drop for LeaseNote {
    fn drop(&mut self) {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}
