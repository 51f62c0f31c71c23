//! The delivery log (behaviour 12.13).

use daybook_domain::app::AppId;
use daybook_domain::delivery::{LoggedAttempt, log_retention_cutoff};
use daybook_domain::instant::Instant;
use daybook_domain::purpose::{Purpose, ReplayEvents};
use daybook_storage::Tx;
pub use daybook_storage::delivery::log::{AttemptPlace, LogPlace};
use daybook_storage::page::{Page, rows_to_read};

use super::lookup::find_event;
use crate::access;
use crate::context::Context;
use crate::error::Result;

/// Attempts on a page by default, and at most (behaviour 2.2).
const DEFAULT_LIMIT: usize = 50;
const MAX_ROWS: usize = 200;
/// Attempts that one unit of work removes.
const SWEPT_AT_ONCE: usize = 1_000;

/// listEventDeliveries: the attempts to deliver an event.
///
/// # Errors
/// [`daybook_domain::delivery::Refusal::UnknownEvent`].
pub fn list(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    id: &str,
    limit: Option<usize>,
    after: Option<&LogPlace>,
) -> Result<Page<LoggedAttempt, LogPlace>> {
    // The log is readable with the permission to repeat deliveries.
    let access = access::enter(tx, cx, book, ReplayEvents.action())?;
    let sequence = find_event(tx, &access, id)?.event.sequence;
    let limit = page_size(limit);
    let rows = tx.delivery_log().list(&access, sequence, after, rows_to_read(limit))?;
    Ok(Page::new(rows, limit, LogPlace::of))
}

/// listAppDeliveries: the attempts to deliver events of a book to an app.
pub fn list_of_app(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    app: &AppId,
    limit: Option<usize>,
    after: Option<AttemptPlace>,
) -> Result<Page<LoggedAttempt, AttemptPlace>> {
    let access = access::enter(tx, cx, book, ReplayEvents.action())?;
    let limit = page_size(limit);
    let rows = tx.delivery_log().list_of_app(&access, app, after, rows_to_read(limit))?;
    Ok(Page::new(rows, limit, AttemptPlace::of))
}

fn page_size(limit: Option<usize>) -> usize {
    limit.filter(|limit| *limit > 0).unwrap_or(DEFAULT_LIMIT).min(MAX_ROWS)
}

/// Removes a portion of the expired attempts. Returns their number and whether there may be more.
pub fn sweep(tx: &mut Tx<'_>, now: Instant) -> Result<(usize, bool)> {
    let limit = i64::try_from(SWEPT_AT_ONCE).unwrap_or(i64::MAX);
    let removed = tx.delivery_log().remove_before(log_retention_cutoff(now), limit)?;
    Ok((removed, removed >= SWEPT_AT_ONCE))
}
