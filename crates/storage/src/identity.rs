//! The counter of changes of users, tokens and API keys.
//!
//! Processes cache the user of a token, and clear that cache when the counter changes (behaviour
//! 11.8).

use diesel::prelude::*;

use crate::commit::tx::Tx;
use crate::conn::Conn;
use crate::conn::sql::Sql;
use crate::error::Result;
use crate::schema::identity_changes;

/// The counter of identity changes.
pub struct IdentityChanges<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl IdentityChanges<'_, '_> {
    /// Returns the number of changes.
    pub fn count(self) -> Result<i64> {
        let query = identity_changes::table.select(identity_changes::count);
        let count: Option<i64> = self.tx.unflushed()?.first(query)?;
        Ok(count.unwrap_or(0))
    }

    /// Increments the counter at the end of the group.
    pub fn increment(self) {
        self.tx.note_identity_change();
    }
}

/// Counts the changes of a group as one.
///
/// All processes write this row, so it is the last lock that a group takes. A holder waits for no
/// other lock.
pub(crate) fn count_change(conn: &mut Conn) -> Result<()> {
    let increment = Sql::new(
        "INSERT INTO identity_changes (id, count) VALUES (1, 1) ON CONFLICT (id) \
            DO UPDATE SET count = identity_changes.count + 1",
    );
    Ok(conn.execute(&increment).map(drop)?)
}
