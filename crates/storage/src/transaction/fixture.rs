//! A transaction for unit tests.

use daybook_domain::calendar::parse_iso;
use daybook_domain::id::{TransactionId, UserId};
use daybook_domain::instant::{Instant, Stamp};
use daybook_domain::property::Properties;
use daybook_domain::transaction::{Standing, Transaction};

/// Returns an empty draft.
pub(crate) fn draft() -> Transaction {
    Transaction {
        id: TransactionId::new(1),
        date: None,
        list_day: parse_iso("2025-01-01").unwrap(),
        amount: None,
        description: String::new(),
        credit: None,
        debit: None,
        standing: Standing::Draft,
        trashed: false,
        posted_at: None,
        properties: Properties::default(),
        urls: Vec::new(),
        remote_ids: Vec::new(),
        files: Vec::new(),
        comment_count: 0,
        created_by: UserId::new(1),
        stamp: Stamp::new(None, Instant::new(1)),
    }
}
