//! Leases: locks that one worker or request of all processes holds at a time.

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, fcntl};
use nix::libc::{F_WRLCK, SEEK_SET, c_short, flock};

use crate::conn::Conn;
use crate::conn::address::Address;
use crate::conn::mode::Mode;
use crate::error::{Error, Result};

/// A lease. It ends when it is dropped, or with the process.
///
/// It is an entry in the memory of the process, and a lock that other processes see. On PostgreSQL
/// that is an advisory lock on a separate connection, to the coordinator of a distributed database.
/// On SQLite it is a locked byte of a file beside the database.
pub struct Lease {
    session: Option<Conn>,
    /// Closing the file releases its lock.
    _file: Option<File>,
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
    /// If this process holds it, no connection and no file is opened.
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
        match address {
            Address::Sqlite(database) => {
                let file = lock_byte(database, key).map_err(|error| {
                    Error::Unavailable(format!("the file of the leases cannot be locked: {error}"))
                })?;
                Ok(file.map(|file| Self { session: None, _file: Some(file), entry }))
            }
            Address::Postgres(_) => {
                let mut conn = address.connect(Mode::Read)?;
                let is_locked = conn.try_advisory_lock(key)?;
                Ok(is_locked.then(|| Self { session: Some(conn), _file: None, entry }))
            }
        }
    }
}

/// Locks a byte of the file `DATABASE-leases`; returns nothing if another process has locked it.
///
/// The lock belongs to the open file and not to the process (`F_OFD_SETLK` of fcntl(2)), so it ends
/// when this file is closed, and not when the process closes another handle of the file.
fn lock_byte(database: &Path, key: i64) -> io::Result<Option<File>> {
    // Another process may know the database by a symbolic link.
    let mut path = database.canonicalize()?.into_os_string();
    path.push("-leases");
    let file = File::options().create(true).truncate(false).write(true).open(path)?;
    let byte = flock {
        l_type: c_short::try_from(F_WRLCK).map_err(io::Error::other)?,
        l_whence: c_short::try_from(SEEK_SET).map_err(io::Error::other)?,
        // Offsets are not negative. The byte does not have to exist.
        l_start: key & i64::MAX,
        l_len: 1,
        l_pid: 0,
    };
    match fcntl(&file, FcntlArg::F_OFD_SETLK(&byte)) {
        Ok(_) => Ok(Some(file)),
        Err(Errno::EAGAIN | Errno::EACCES) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // Without the unlock, the lease would end only when PostgreSQL notices the closed
        // connection.
        if let Some(conn) = &mut self.session
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
