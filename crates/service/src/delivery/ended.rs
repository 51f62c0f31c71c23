//! Ended queues (behaviour 8.11): a worker removes the deliveries that waited in them.

use daybook_storage::Tx;
pub use daybook_storage::delivery::ended::{EndedPlace, EndedQueue};

use super::lookup::find_book;
use crate::error::Result;

/// Lists a portion of the ended queues, after a place.
pub fn list(tx: &mut Tx<'_>, after: Option<&EndedPlace>) -> Result<Vec<EndedQueue>> {
    Ok(tx.deliveries().ended(after)?)
}

/// Removes a portion of the deliveries of an ended queue. Returns whether there are more.
pub fn clear(tx: &mut Tx<'_>, queue: &EndedQueue) -> Result<bool> {
    let Some(found) = find_book(tx, &queue.book)? else { return Ok(false) };
    Ok(tx.deliveries().clear(found.book.id, &queue.app)?)
}
