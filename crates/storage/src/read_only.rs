//! A database that is only read: nothing is migrated, counted or started, whatever is open besides.

use crate::conn::Conn;
use crate::dialect::Mode;
use crate::error::{Error, Result};
use crate::migrations::check_current;
use crate::pool::Address;
use crate::tx::{Caches, Tx};

/// A database that is only read, on one connection.
pub struct ReadOnlyStore {
    conn: Conn,
    caches: Caches,
}

impl ReadOnlyStore {
    /// Connects to a database that exists and has the schema of this program.
    ///
    /// # Errors
    /// [`Error::Unavailable`], [`Error::OlderSchema`], [`Error::NewerSchema`] and
    /// [`Error::UnreleasedSchema`].
    pub fn open(address: &Address) -> Result<Self> {
        // SQLite would make the file.
        if let Address::Sqlite(path) = address
            && !path.exists()
        {
            return Err(Error::Unavailable(format!("there is no file {}", path.display())));
        }
        let mut conn = address.connect(Mode::Read)?;
        check_current(&mut conn)?;
        Ok(Self { conn, caches: Caches::default() })
    }

    /// Runs `work` on one consistent snapshot.
    ///
    /// # Errors
    /// Whatever `work` answers, and [`Error::Unavailable`].
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
