//! Pauses of apps (behaviour 8.19): by the server after days of failures, and by the operator.

use daybook_domain::access;
use daybook_domain::app::AppId;
use daybook_domain::delivery::{
    EventDelivery, PauseCause, Refusal, expired_pause_response, pause_cutoff,
};
use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;
use daybook_storage::Tx;
pub use daybook_storage::delivery::pause::{OverdueQueue, PausedPlace, PausedQueue};

use super::lookup::{find_book, shortened};
use crate::error::Result;
use crate::ids::Ids;
use crate::mail;

/// Overdue queues on a page.
const MAX_OVERDUE: i64 = 1_000;
/// Deliveries that one unit of work gives up.
const GIVEN_UP_AT_ONCE: i64 = 500;

/// Pauses an app that has failed for too long, and mails its installer unless the book is deleted.
///
/// Returns whether it paused the app. Since the failure was found, another process may have paused
/// or resumed it.
pub fn pause_failing(
    tx: &mut Tx<'_>,
    delivery: &EventDelivery,
    ids: &Ids,
    server: &str,
    now: Instant,
) -> Result<bool> {
    let Some(found) = find_book(tx, &delivery.key)? else { return Ok(false) };
    let queue = tx.deliveries().lock_queue(delivery.book, &delivery.app)?;
    let must_pause =
        queue.is_some_and(|queue| queue.pause.is_none() && queue.streak.requires_pause(now));
    if !must_pause {
        return Ok(false);
    }
    tx.deliveries().pause(delivery.book, &delivery.app, PauseCause::Failures, now)?;
    let installer = tx.integrations().installer(delivery.book, &delivery.app)?;
    let app = tx.apps().find(delivery.app.as_str())?;
    if let (Some(installer), Some(app), None) = (installer, app, found.deletion) {
        mail::notify_installer(tx, installer, &app, &found.book, ids, server, now)?;
    }
    Ok(true)
}

/// Lists up to 1,000 paused apps after a place, the longest pauses first. `book` and `app` filter.
pub fn list(
    tx: &mut Tx<'_>,
    book: Option<&str>,
    app: Option<&str>,
    after: Option<&PausedPlace>,
) -> Result<Vec<PausedQueue>> {
    Ok(tx.deliveries().paused(book, app, after)?)
}

/// Pauses an app in a book, for the operator.
///
/// # Errors
/// 404 for an unknown book; [`Refusal::NotInstalled`].
pub fn pause_by_operator(tx: &mut Tx<'_>, book: &str, app: &AppId, now: Instant) -> Result<()> {
    let found = find_book(tx, &BookKey::new(book.to_owned()))?;
    let book = found.ok_or(access::Refusal::BookNotFound)?.book.id;
    if tx.integrations().installer(book, app)?.is_none() {
        return Err(Refusal::NotInstalled(shortened(app.as_str())).into());
    }
    tx.deliveries().pause(book, app, PauseCause::Operator, now)?;
    // The tokens of its deliveries end (behaviour 8.22).
    tx.identity_changes().increment();
    Ok(())
}

/// Ends a pause for the operator, whatever its cause.
pub fn resume_by_operator(tx: &mut Tx<'_>, queue: &PausedQueue) -> Result<()> {
    let Some(found) = find_book(tx, &queue.book)? else { return Ok(()) };
    Ok(tx.deliveries().resume(found.book.id, &queue.app)?)
}

/// Lists a portion of the queues that have been paused for too long, after a place.
pub fn list_overdue(
    tx: &mut Tx<'_>,
    after: Option<&PausedPlace>,
    now: Instant,
) -> Result<Vec<OverdueQueue>> {
    Ok(tx.deliveries().paused_before(pause_cutoff(now), after, MAX_OVERDUE)?)
}

/// Gives up a portion of the deliveries of a queue that has been paused for too long.
///
/// Returns their number and whether there may be more.
pub fn give_up(tx: &mut Tx<'_>, queue: &OverdueQueue, now: Instant) -> Result<(i64, bool)> {
    let Some(found) = find_book(tx, &queue.book)? else { return Ok((0, false)) };
    let (book, app) = (found.book.id, &queue.app);
    let state = tx.deliveries().lock_queue(book, app)?;
    let is_overdue = state.is_some_and(|state| {
        let is_free = state.lease.is_none_or(|(_, lease_end)| lease_end <= now);
        is_free && state.pause.is_some_and(|(at, _)| at <= pause_cutoff(now))
    });
    if !is_overdue {
        return Ok((0, false));
    }
    let response = expired_pause_response();
    let given_up = tx.deliveries().give_up(book, app, &response, now, GIVEN_UP_AT_ONCE)?;
    let more = given_up >= GIVEN_UP_AT_ONCE;
    if !more {
        tx.deliveries().mark_empty(book, app)?;
    }
    Ok((given_up, more))
}
