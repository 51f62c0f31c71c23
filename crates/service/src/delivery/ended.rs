//! Use cases of queues that have ended (behaviour 8.11), for the worker that removes what waited.

use daybook_storage::Tx;
pub use daybook_storage::delivery::ended::{EndedPlace, EndedQueue};

use super::pause::find;
use crate::error::Result;

/// The queues that have ended, behind a place, some at once.
///
/// # Errors
/// When the database fails.
pub fn list(tx: &mut Tx<'_>, after: Option<&EndedPlace>) -> Result<Vec<EndedQueue>> {
    Ok(tx.deliveries().ended(after)?)
}

/// Removes some of what waited in a queue that has ended; whether there is more.
///
/// # Errors
/// When the database fails.
pub fn clear(tx: &mut Tx<'_>, queue: &EndedQueue) -> Result<bool> {
    let Some(found) = find(tx, &queue.book)? else { return Ok(false) };
    Ok(tx.deliveries().clear((found.book.id, &queue.app))?)
}
