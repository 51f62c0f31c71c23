//! How often users, tokens and API keys were changed. Processes remember whom a token lets in, and
//! compare this count to learn that they must forget it (behaviour 11.8).

use diesel::prelude::*;

use crate::conn::{Conn, on_engine};
use crate::error::Result;
use crate::schema::identity_changes;
use crate::sql::Sql;
use crate::tx::Tx;

/// The count of changes.
pub struct IdentityChanges<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl IdentityChanges<'_, '_> {
    /// How many changes there were so far.
    pub fn count(self) -> Result<i64> {
        let query = identity_changes::table.select(identity_changes::count);
        let count: Option<i64> =
            on_engine!(self.tx.unflushed()?, c => query.get_result(c).optional())?;
        Ok(count.unwrap_or(0))
    }

    /// Notes a change: whatever is remembered of them is not true any more. It is counted at the
    /// end of the group.
    pub fn record(self) {
        self.tx.note_identity_change();
    }
}

/// Counts the changes of a group as one. All processes write this row, so it is the last one that a
/// group waits for: whoever has it waits for nobody.
pub(crate) fn count_change(conn: &mut Conn) -> Result<()> {
    let counting = Sql::new(
        "INSERT INTO identity_changes (id, count) VALUES (1, 1) ON CONFLICT (id) \
            DO UPDATE SET count = identity_changes.count + 1",
    );
    Ok(conn.execute(&counting).map(drop)?)
}
