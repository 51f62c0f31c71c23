//! Detached deliveries, which outlive their book (behaviour 8.20).
//!
//! Apps must still learn that a book was deleted when its rows are removed. So each pending
//! delivery of the deletion is detached first, with a copy of the event.

use daybook_domain::delivery::{EventCopy, EventDelivery, Next};
use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;
use daybook_storage::Tx;

use super::outcome::{DeliveryOutcome, Finished, UnloggedAttempt};
use crate::error::Result;
use daybook_storage::delivery::lease::Leased;

/// Lists the pending deliveries of a book's deletion.
pub fn list_pending(tx: &mut Tx<'_>, book: &BookKey) -> Result<Vec<EventDelivery>> {
    Ok(tx.detached_deliveries().pending_deletions(book)?)
}

/// Detaches a delivery from its book if it is still pending.
pub fn detach(
    tx: &mut Tx<'_>,
    delivery: &EventDelivery,
    copy: &EventCopy,
    now: Instant,
) -> Result<()> {
    tx.books().lock(delivery.key.as_str())?;
    Ok(tx.detached_deliveries().detach(delivery, copy, now)?)
}

/// Applies the outcome of a delivery whose book is gone or being removed.
///
/// No event is left to show a response, and no user could read the delivery log of the book.
pub(super) fn finish(
    tx: &mut Tx<'_>,
    leased: &Leased,
    outcome: DeliveryOutcome,
    now: Instant,
) -> Result<Finished> {
    let mut unlogged = None;
    let delivered = match outcome {
        DeliveryOutcome::Attempted(attempt, exchange) => {
            let failure = attempt.failure().map(str::to_owned);
            unlogged = Some(UnloggedAttempt { exchange, failure });
            match leased.delivery.retry_state.next_step(attempt, now) {
                Next::Retry(retry_state, at) => {
                    tx.detached_deliveries().release(leased, retry_state, at)?;
                    return Ok(Finished { unlogged, ..Finished::default() });
                }
                Next::Delivered(_) => true,
                Next::GivenUp(_) => false,
            }
        }
        // It was prepared while the book was being removed. The copy has what was missing then.
        DeliveryOutcome::Skipped(None) | DeliveryOutcome::QueueEnded
            if leased.delivery.copy.is_none() =>
        {
            tx.detached_deliveries().release(leased, leased.delivery.retry_state, now)?;
            return Ok(Finished::default());
        }
        DeliveryOutcome::Skipped(_) | DeliveryOutcome::Failed(_) | DeliveryOutcome::QueueEnded => {
            false
        }
    };
    let ended = tx.detached_deliveries().end(leased)?;
    Ok(Finished { lost: ended && !delivered, unlogged, ..Finished::default() })
}
