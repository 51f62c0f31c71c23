//! Use cases of deliveries that outlive their book (behaviour 8.20): what apps are still to be told
//! of its deletion is copied before its rows go.

use daybook_domain::delivery::{EventCopy, EventDelivery, Next};
use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;
use daybook_storage::Tx;

use super::{Finished, Leased, Outcome};
use crate::error::Result;

/// The deletions of a book that apps are still to be told of.
///
/// # Errors
/// When the database fails.
pub fn wanted(tx: &mut Tx<'_>, book: &BookKey) -> Result<Vec<EventDelivery>> {
    Ok(tx.detached_deliveries().wanted(book)?)
}

/// Takes one of them, if it still waits, out of the book.
///
/// # Errors
/// When the database fails.
pub fn detach(
    tx: &mut Tx<'_>,
    delivery: &EventDelivery,
    copy: &EventCopy,
    now: Instant,
) -> Result<()> {
    tx.books().lock(delivery.key.as_str())?;
    Ok(tx.detached_deliveries().detach(delivery, copy, now)?)
}

/// Writes down what became of a delivery whose book is gone, or going. There is no event that could
/// show a response, and nobody who could enter the book to read a delivery log.
pub(super) fn finish(
    tx: &mut Tx<'_>,
    leased: &Leased,
    outcome: Outcome,
    now: Instant,
) -> Result<Finished> {
    let unlogged = matches!(outcome, Outcome::Attempt(..));
    let delivered = match outcome {
        Outcome::Attempt(attempt, _) => match leased.delivery.tries.after(attempt, now) {
            Next::Again(tries, at) => {
                tx.detached_deliveries().release(leased, tries, at)?;
                return Ok(Finished { unlogged, ..Finished::default() });
            }
            Next::Delivered(_) => true,
            Next::GivenUp(_) => false,
        },
        // It was read while the book went: what was missing then is in the copy.
        Outcome::Dropped | Outcome::Stopped if leased.delivery.copy.is_none() => {
            tx.detached_deliveries().release(leased, leased.delivery.tries, now)?;
            return Ok(Finished::default());
        }
        Outcome::Unsent(_) | Outcome::Unsendable(_) | Outcome::Dropped | Outcome::Stopped => false,
    };
    let ended = tx.detached_deliveries().end(leased)?;
    Ok(Finished { lost: ended && !delivered, unlogged, ..Finished::default() })
}
