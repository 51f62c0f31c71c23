//! countTransactionsPosted (behaviour 9.8).

use daybook_domain::permission::Action;
use daybook_domain::transaction::{Span, TransactionCount};
use daybook_storage::Tx;

use crate::access;
use crate::context::Context;
use crate::error::Result;

/// The parameters, still as text.
#[derive(Debug, Clone, Default)]
pub struct SpanText {
    /// The first day.
    pub after: Option<String>,
    /// The day after the last.
    pub before: Option<String>,
    /// How long a slice is.
    pub periodicity: Option<String>,
}

/// How many transactions are dated in each slice of a range.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// The posted ones.
    pub posted: Vec<TransactionCount>,
    /// The trashed ones, whatever they were before.
    pub trashed: Vec<TransactionCount>,
    /// Whether slices without transactions are left out of one of them.
    pub truncated: bool,
}

/// countTransactionsPosted.
///
/// # Errors
/// What the access step refuses; a parameter that is missing or cannot be read.
pub fn counts(tx: &mut Tx<'_>, cx: &Context, book: &str, asked: &SpanText) -> Result<Counts> {
    let access = access::enter(tx, cx, book, Action::ReadChart)?;
    let span =
        Span::read(asked.after.as_deref(), asked.before.as_deref(), asked.periodicity.as_deref())?;
    let counted = tx.transactions().counts(&access, &span)?;
    let posted = span.counts(counted.iter().map(|day| (day.day, day.posted)));
    let trashed = span.counts(counted.iter().map(|day| (day.day, day.trashed)));
    let truncated = span.truncates(&posted) || span.truncates(&trashed);
    Ok(Counts { posted, trashed, truncated })
}
