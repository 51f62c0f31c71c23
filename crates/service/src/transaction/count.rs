//! Counts of posted transactions per period (behaviour 9.8).

use daybook_domain::permission::Action;
use daybook_domain::transaction::{Span, TransactionCount};
use daybook_storage::Tx;

use crate::access;
use crate::context::Context;
use crate::error::Result;

/// The parameters of countTransactionsPosted, still as text.
#[derive(Debug, Clone, Default)]
pub struct SpanText {
    /// The first day.
    pub after: Option<String>,
    /// The day after the last.
    pub before: Option<String>,
    /// The length of a slice.
    pub periodicity: Option<String>,
}

/// The number of transactions dated in each slice of a range.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// The posted transactions.
    pub posted: Vec<TransactionCount>,
    /// The trashed transactions, whatever their state before.
    pub trashed: Vec<TransactionCount>,
    /// Whether slices without transactions are left out of either list.
    pub truncated: bool,
}

/// countTransactionsPosted.
///
/// # Errors
/// A missing or unreadable parameter.
pub fn counts(tx: &mut Tx<'_>, cx: &Context, book: &str, request: &SpanText) -> Result<Counts> {
    let access = access::enter(tx, cx, book, Action::ReadChart)?;
    let SpanText { after, before, periodicity } = request;
    let span = Span::read(after.as_deref(), before.as_deref(), periodicity.as_deref())?;
    let counted = tx.transactions().counts(&access, &span)?;
    let posted = span.counts(counted.iter().map(|day| (day.day, day.posted)));
    let trashed = span.counts(counted.iter().map(|day| (day.day, day.trashed)));
    let truncated = span.truncates(&posted) || span.truncates(&trashed);
    Ok(Counts { posted, trashed, truncated })
}
