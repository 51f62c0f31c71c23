//! Leases: locks that one worker or request of all processes holds at a time.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::conn::Conn;
use crate::conn::address::Address;
use crate::conn::mode::Mode;
use crate::error::Result;

/// A lease. It ends when it is dropped, or with the process.
///
/// On PostgreSQL it is an advisory lock on a separate connection, to the coordinator of a
/// distributed database, plus an entry in the memory of the process. A SQLite file is served by one
/// process at a time, so there the entry is sufficient.
pub struct Lease {
    lock: Option<Conn>,
    entry: LeaseEntry,
}

/// The entry of a lease within the process.
struct LeaseEntry {
    key: i64,
    leases: HeldLeases,
}

/// The keys of the leases that the process holds.
pub(crate) type HeldLeases = Arc<Mutex<HashSet<i64>>>;

impl Lease {
    /// Acquires the lease with a key; returns nothing if it is held already.
    ///
    /// If this process holds it, no connection is opened.
    ///
    /// # Errors
    /// If the database is not reachable.
    pub(crate) fn acquire(
        address: &Address,
        leases: &HeldLeases,
        key: i64,
    ) -> Result<Option<Self>> {
        if !leases.lock().unwrap_or_else(PoisonError::into_inner).insert(key) {
            return Ok(None);
        }
        let entry = LeaseEntry { key, leases: Arc::clone(leases) };
        if !address.is_server() {
            return Ok(Some(Self { lock: None, entry }));
        }
        let mut conn = address.connect(Mode::Read)?;
        let is_locked = conn.try_advisory_lock(key)?;
        Ok(is_locked.then(|| Self { lock: Some(conn), entry }))
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // Without the unlock, the lease would end only when PostgreSQL notices the closed
        // connection.
        if let Some(conn) = &mut self.lock
            && let Err(error) = conn.advisory_unlock(self.entry.key)
        {
            tracing::debug!(%error, "lease not unlocked, its connection is closed");
        }
    }
}

impl Drop for LeaseEntry {
    fn drop(&mut self) {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}
