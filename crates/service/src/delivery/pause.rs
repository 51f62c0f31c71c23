//! Use cases of pauses (behaviour 8.19): by the server when an app has failed for days, and by the
//! operator.

use daybook_domain::access;
use daybook_domain::app::AppId;
use daybook_domain::delivery::{
    EventDelivery, PauseCause, Refusal, paused_too_long, waited_too_long,
};
use daybook_domain::email::Email;
use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;
use daybook_storage::Tx;
use daybook_storage::access::BookAccess;
pub use daybook_storage::delivery::pause::{OverdueQueue, PausedPlace, PausedQueue};

use super::shortened;
use crate::error::Result;
use crate::ids::Ids;
use crate::mail;

/// Paused queues that are looked up at once whose events have waited for too long.
const MAX_OVERDUE: i64 = 1_000;
/// Deliveries that one unit of work gives up.
const GIVEN_UP_AT_ONCE: i64 = 500;

/// Pauses an app that has failed for too long, and tells who installed it, unless the book is
/// deleted; whether it is so. Whoever answered first may have resumed it, or paused it, since that
/// was found.
///
/// # Errors
/// When the database fails.
pub fn failing(
    tx: &mut Tx<'_>,
    delivery: &EventDelivery,
    (ids, server, now): (&Ids, &str, Instant),
) -> Result<bool> {
    let Some(found) = find(tx, &delivery.key)? else { return Ok(false) };
    let queue = (delivery.book, &delivery.app);
    let held = tx.deliveries().queue_of(delivery.book, &delivery.app)?;
    let fails = held.is_some_and(|held| held.pause.is_none() && held.failing.is_over(now));
    if !fails {
        return Ok(false);
    }
    tx.deliveries().pause(queue, PauseCause::Failing, now)?;
    let installer = tx.integrations().installer(delivery.book, &delivery.app)?;
    let app = tx.apps().find(delivery.app.as_str())?;
    if let (Some(installer), Some(app), None) = (installer, app, found.deletion) {
        mail::tell_installer(tx, installer, (&app, &found.book), (ids, server, now))?;
    }
    Ok(true)
}

/// The apps that are paused, in a book and of an app when they are named, those first that have
/// been for longest, behind a place; at most 1,000.
///
/// # Errors
/// When the database fails.
pub fn list(
    tx: &mut Tx<'_>,
    book: Option<&str>,
    app: Option<&str>,
    after: Option<&PausedPlace>,
) -> Result<Vec<PausedQueue>> {
    Ok(tx.deliveries().paused(book, app, after)?)
}

/// What the operator does on the server's machine: pauses an app in a book.
///
/// # Errors
/// 404 for an unknown book; [`Refusal::NotInstalled`].
pub fn by_operator(tx: &mut Tx<'_>, book: &str, app: &AppId, now: Instant) -> Result<()> {
    let found = find(tx, &BookKey::new(book.to_owned()))?;
    let book = found.ok_or(access::Refusal::BookNotFound)?.book.id;
    if tx.integrations().installer(book, app)?.is_none() {
        return Err(Refusal::NotInstalled(shortened(app.as_str())).into());
    }
    tx.deliveries().pause((book, app), PauseCause::Operator, now)?;
    // The tokens of its deliveries end (behaviour 8.22).
    tx.identity_changes().record();
    Ok(())
}

/// What the operator does on the server's machine: ends a pause, whatever its cause.
///
/// # Errors
/// When the database fails.
pub fn resume_by_operator(tx: &mut Tx<'_>, queue: &PausedQueue) -> Result<()> {
    let Some(found) = find(tx, &queue.book)? else { return Ok(()) };
    Ok(tx.deliveries().resume((found.book.id, &queue.app))?)
}

/// The paused apps whose events have waited for too long, behind a place, some at once.
///
/// # Errors
/// When the database fails.
pub fn overdue(
    tx: &mut Tx<'_>,
    after: Option<&PausedPlace>,
    now: Instant,
) -> Result<Vec<OverdueQueue>> {
    Ok(tx.deliveries().paused_before(paused_too_long(now), after, MAX_OVERDUE)?)
}

/// Gives up what has waited for too long for a paused app, as many events as one unit of work may;
/// how many they were, and whether there may be more.
///
/// # Errors
/// When the database fails.
pub fn give_up(tx: &mut Tx<'_>, queue: &OverdueQueue, now: Instant) -> Result<(i64, bool)> {
    let Some(found) = find(tx, &queue.book)? else { return Ok((0, false)) };
    let (book, app) = (found.book.id, &queue.app);
    let held = tx.deliveries().queue_of(book, app)?;
    let is_overdue = held.is_some_and(|held| {
        let is_free = held.lease.is_none_or(|(_, until)| until <= now);
        is_free && held.pause.is_some_and(|(at, _)| at <= paused_too_long(now))
    });
    if !is_overdue {
        return Ok((0, false));
    }
    let remark = waited_too_long();
    let given_up = tx.deliveries().give_up((book, app), (&remark, now), GIVEN_UP_AT_ONCE)?;
    let more = given_up >= GIVEN_UP_AT_ONCE;
    if !more {
        tx.deliveries().rest((book, app))?;
    }
    Ok((given_up, more))
}

/// The book, deleted or not, as nobody enters it. In a unit of work that writes it is locked, as
/// always before its queues.
pub(super) fn find(tx: &mut Tx<'_>, book: &BookKey) -> Result<Option<BookAccess>> {
    let nobody = Email::stored(String::new());
    Ok(tx.books().load_even_deleted(book.as_str(), &nobody)?)
}
