//! A database that is opened only to read: without migrations, writers or background threads.

use crate::commit::tx::{Caches, Tx};
use crate::conn::Conn;
use crate::conn::address::Address;
use crate::conn::migrations::check_current;
use crate::conn::mode::Mode;
use crate::error::{Error, Result};

/// A database that is opened only to read, on one connection.
pub struct ReadOnlyStore {
    conn: Conn,
    caches: Caches,
}

impl ReadOnlyStore {
    /// Opens an existing database with the current schema.
    ///
    /// # Errors
    /// [`Error::Unavailable`], [`Error::OlderSchema`], [`Error::NewerSchema`] and
    /// [`Error::UnreleasedSchema`].
    pub fn open(address: &Address) -> Result<Self> {
        // SQLite would create the file.
        if let Address::Sqlite(path) = address
            && !path.exists()
        {
            return Err(Error::Unavailable(format!("file not found: {}", path.display())));
        }
        let mut conn = address.connect(Mode::Read)?;
        check_current(&mut conn)?;
        Ok(Self { conn, caches: Caches::default() })
    }

    /// Runs `work` on one consistent snapshot.
    ///
    /// # Errors
    /// The errors of `work`, and [`Error::Unavailable`].
    pub fn read<T, E: From<Error>>(
        &mut self,
        work: impl FnOnce(&mut Tx<'_>) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        self.conn.begin(Mode::Read).map_err(Error::from)?;
        let outcome = work(&mut Tx::reading(&mut self.conn, self.caches.clone(), None));
        self.conn.rollback().map_err(Error::from)?;
        outcome
    }
}
