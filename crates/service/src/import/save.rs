//! Saving of a changed import.

use daybook_domain::import::{Import, State};
use daybook_domain::purpose::Record;
use daybook_storage::Tx;
use daybook_storage::access::AccessTo;

use crate::error::Result;

/// Saves a changed import if the stored one still has this version.
///
/// Returns whether it was saved.
pub(super) fn save_at(
    tx: &mut Tx<'_>,
    access: &AccessTo<Record>,
    version: i64,
    changed: &Import,
) -> Result<bool> {
    let found = tx.imports().find(access, changed.id)?;
    let is_current = found.is_some_and(|import| import.stamp.version == version);
    if is_current {
        tx.imports().update(access, changed)?;
    }
    Ok(is_current)
}

/// Returns whether an import is in a state, and no other worker has changed it.
pub(super) fn is_current(
    tx: &mut Tx<'_>,
    access: &AccessTo<Record>,
    import: &Import,
    state: State,
) -> Result<bool> {
    let found = tx.imports().find(access, import.id)?;
    let is_same = found.is_some_and(|found| found.stamp.version == import.stamp.version);
    Ok(is_same && import.state == state)
}
