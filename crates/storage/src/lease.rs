//! Leases: what one worker or request of all processes at a time may do, for example a round of a
//! background worker.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::conn::Conn;
use crate::dialect::Mode;
use crate::error::Result;
use crate::pool::Address;

/// A lease that somebody holds until it is dropped. It ends with the process, however that ends: on
/// PostgreSQL it is an advisory lock of a connection of its own, to the coordinator where there are
/// several machines, besides a note in the memory of the process. One process at a time serves a
/// SQLite file, so there the note is all.
pub struct Lease {
    lock: Option<Conn>,
    note: LeaseNote,
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
            return Ok(Some(Self { lock: None, note }));
        }
        let mut conn = address.connect(Mode::Read)?;
        let locked = conn.try_lock(key)?;
        Ok(locked.then(|| Self { lock: Some(conn), note }))
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // PostgreSQL notices in its own time that a connection is closed; whoever is told that the
        // lease is free asks at once.
        if let Some(conn) = &mut self.lock
            && let Err(error) = conn.unlock(self.note.key)
        {
            tracing::debug!(%error, "a lease ends with its connection");
        }
    }
}

impl Drop for LeaseNote {
    fn drop(&mut self) {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}
