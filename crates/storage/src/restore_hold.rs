//! Webhooks and mails of a restored installation are held back, so that a trial restore sends
//! nothing that the original has sent or is going to send.

use daybook_domain::instant::Instant;

use crate::commit::tx::Tx;
use crate::conn::address::Address;
use crate::conn::mode::Mode;
use crate::conn::sql::Sql;
use crate::error::Result;

/// Holds the deliveries of a database that no server has opened yet, after its migration.
///
/// # Errors
/// When the database cannot be opened or written.
pub fn hold(address: &Address, at: Instant) -> Result<()> {
    address.migrate()?;
    let mut conn = address.connect(Mode::Write)?;
    conn.run(Sql::new("DELETE FROM restore_holds").uncached())?;
    conn.run(Sql::new("INSERT INTO restore_holds (held_at) VALUES ({})").bind(at).uncached())
}

impl Tx<'_> {
    /// Returns whether webhooks and mails are held back.
    ///
    /// # Errors
    /// Database errors.
    pub fn holds_deliveries(&mut self) -> Result<bool> {
        let sql = Sql::new("SELECT MAX(held_at) FROM restore_holds");
        let held: Option<Option<i64>> = self.unflushed()?.row(&sql)?;
        Ok(held.flatten().is_some())
    }

    /// Ends the hold. Returns whether there was one.
    ///
    /// # Errors
    /// Database errors.
    pub fn release_deliveries(&mut self) -> Result<bool> {
        Ok(self.flushed()?.execute(Sql::new("DELETE FROM restore_holds").uncached())? > 0)
    }
}
