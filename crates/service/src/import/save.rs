//! Saving of a changed import.

use daybook_domain::import::Import;
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
