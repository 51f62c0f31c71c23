//! Appends events to a book's log, in the unit of work of the change they describe.

use daybook_domain::access::Access;
use daybook_domain::event::{EventOrigin, NewEvent};
use daybook_storage::Tx;
use daybook_storage::access::AccessTo;
use daybook_storage::event::PostingCounts;
use daybook_storage::transaction::Change;

use crate::context::Context;
use crate::error::Result;
use crate::{storage_quota, zone};

/// Appends events to the book's log.
///
/// # Errors
/// When this unit of work has stored more than may be (behaviour 10.14).
pub(crate) fn append<P>(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<P>,
    events: Vec<NewEvent>,
) -> Result<()> {
    append_counted(tx, cx, access, events, &PostingCounts::new())
}

/// Appends events, together with the change in the number of postings.
///
/// # Errors
/// As [`append`].
pub(crate) fn append_counted<P>(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<P>,
    events: Vec<NewEvent>,
    posting_counts: &PostingCounts,
) -> Result<()> {
    if events.is_empty() {
        return Ok(());
    }
    let book = access.book();
    let origin = EventOrigin {
        book: book.id,
        key: &book.key,
        user: cx.user.id,
        agent: cx.agent.as_deref(),
        at: cx.now,
        depth: cx.depth,
    };
    tx.events().queue(access, &origin, events, posting_counts)?;
    storage_quota::check(tx, cx, access)
}

/// The change in the number of posted transactions, by month of posting in the book zone (behaviour
/// 6.10).
#[must_use]
pub(crate) fn posting_counts(access: &Access, changes: &[Change]) -> PostingCounts {
    let zone = &access.book().settings.time_zone;
    let mut posting_counts = PostingCounts::new();
    for Change { before, after } in changes {
        for (transaction, sign) in before.iter().map(|before| (before, -1)).chain([(after, 1)]) {
            if let Some(at) = transaction.posted_at.filter(|_| transaction.counts()) {
                *posting_counts.entry(zone::month(at, zone)).or_default() += sign;
            }
        }
    }
    posting_counts.retain(|_, change| *change != 0);
    posting_counts
}
