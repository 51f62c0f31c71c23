//! The event log of a book: events are appended in the unit of work of the change they describe.

use daybook_domain::access::Access;
use daybook_domain::event::{EventOrigin, NewEvent};
use daybook_storage::Tx;
use daybook_storage::access::AccessTo;
use daybook_storage::event::PostingCounts;
use daybook_storage::transaction::Change;

use crate::batch::BytesLeft;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::{storage_quota, zone};

/// The most deliveries that the events of one request may cause (behaviour 8.21).
const MAX_DELIVERIES: usize = 100_000;

/// The events that a request is about to append, within the byte limit (behaviour 10.16).
#[derive(Debug)]
pub(crate) struct EventBatch {
    events: Vec<NewEvent>,
    left: BytesLeft,
}

impl EventBatch {
    /// Creates an empty batch.
    pub(crate) const fn new() -> Self {
        Self { events: Vec::new(), left: BytesLeft::for_written_events() }
    }

    /// Adds an event.
    ///
    /// # Errors
    /// [`Error::BadRequest`] if the events exceed the byte limit together.
    pub(crate) fn push(&mut self, event: NewEvent) -> Result<()> {
        self.left.take(event.data.len())?;
        self.events.push(event);
        Ok(())
    }

    /// Returns all events, in order.
    pub(crate) fn into_events(self) -> Vec<NewEvent> {
        self.events
    }
}

/// Appends events to the book's log.
///
/// # Errors
/// Too many deliveries; an exceeded storage quota of this unit of work (behaviour 10.14).
pub(crate) fn append<P>(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<P>,
    events: Vec<NewEvent>,
) -> Result<()> {
    append_counted(tx, cx, access, events, &PostingCounts::new())
}

/// Appends events and applies the change in the number of postings.
///
/// # Errors
/// Those of [`append`].
pub(crate) fn append_counted<P>(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<P>,
    events: Vec<NewEvent>,
    posting_counts: &PostingCounts,
) -> Result<()> {
    check_deliveries(tx, cx, access, &events)?;
    append_checked(tx, cx, access, events, posting_counts)
}

/// Appends events that [`check_deliveries`] has accepted, and applies the change in the number of
/// postings.
///
/// # Errors
/// Refusals of storage quotas, and failures.
pub(crate) fn append_checked<P>(
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
        cause_lease: cx.cause_lease,
    };
    tx.events().queue(access, &origin, events, posting_counts)?;
    storage_quota::check(tx, cx, access)
}

/// Refuses events that would cause too many deliveries.
///
/// Receivers are loaded only if the number of integrations, an upper bound, could exceed the limit.
///
/// # Errors
/// [`Error::BadRequest`].
pub(crate) fn check_deliveries(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &Access,
    events: &[NewEvent],
) -> Result<()> {
    let integrations = usize::try_from(tx.events().apps(access)).unwrap_or_default();
    if events.len().saturating_mul(integrations) <= MAX_DELIVERIES {
        return Ok(());
    }
    let receivers = tx.deliveries().receivers(access)?;
    let received = |event: &NewEvent| {
        let (subject, agent) = (event.subject.as_deref(), cx.agent.as_deref());
        receivers.iter().filter(|receiver| receiver.receives(event.kind, subject, agent)).count()
    };
    let deliveries = events.iter().map(received).fold(0, usize::saturating_add);
    if deliveries > MAX_DELIVERIES {
        return Err(Error::BadRequest(format!(
            "apps would receive {deliveries} events; at most {MAX_DELIVERIES} are delivered for \
             one request: send fewer items at once"
        )));
    }
    Ok(())
}

/// Counts how the number of posted transactions changed, by month of posting in the book's zone
/// (behaviour 6.10).
#[must_use]
pub(crate) fn posting_counts(access: &Access, changes: &[Change]) -> PostingCounts {
    let zone = &access.book().settings.time_zone;
    let mut posting_counts = PostingCounts::new();
    for Change { before, after } in changes {
        for (transaction, sign) in before.iter().map(|before| (before, -1)).chain([(after, 1)]) {
            if let Some(at) = transaction.posted_at
                && transaction.counts()
            {
                *posting_counts.entry(zone::month(at, zone)).or_default() += sign;
            }
        }
    }
    posting_counts.retain(|_, change| *change != 0);
    posting_counts
}
