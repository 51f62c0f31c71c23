//! The number of bytes for which a stored row counts (behaviour 10.14).

use daybook_domain::comment::Comment;
use daybook_domain::storage_quota::{ROW_BYTES, StorageUsage};
use daybook_domain::transaction::Transaction;

use crate::rows::column;
use crate::rows::event::EventRow;

/// Bytes of a transaction in addition to its texts. It is also in the ledgers of two accounts.
pub(crate) const TRANSACTION_BYTES: i64 = 200;

pub(crate) const fn of_bytes(bytes: i64) -> StorageUsage {
    StorageUsage { transactions: 0, bytes }
}

/// Returns the bytes of memberships.
pub(crate) fn of_memberships(count: usize) -> i64 {
    ROW_BYTES.saturating_mul(i64::try_from(count).unwrap_or(i64::MAX))
}

pub(crate) fn of_transaction(transaction: &Transaction) -> StorageUsage {
    let Transaction { description, properties, urls, remote_ids, files, stamp, .. } = transaction;
    let texts = [
        column::properties_to_text(properties),
        column::texts_to_text(urls),
        column::texts_to_text(remote_ids),
        column::files_to_text(files),
    ];
    let texts = texts.iter().flatten().chain(&stamp.agent).map(|text| length(text));
    let bytes = texts.fold(length(description), i64::saturating_add);
    StorageUsage { transactions: 1, bytes: bytes.saturating_add(TRANSACTION_BYTES) }
}

pub(crate) fn of_events(rows: &[EventRow]) -> StorageUsage {
    let one = |EventRow { last, count, data }: &EventRow| {
        let agent = last.agent.as_deref().map_or(0, length);
        let data = i64::try_from(data.len()).unwrap_or(i64::MAX);
        let count = i64::try_from(count.unwrap_or(1)).unwrap_or(i64::MAX);
        ROW_BYTES.saturating_mul(count).saturating_add(data).saturating_add(agent)
    };
    of_bytes(rows.iter().map(one).fold(0, i64::saturating_add))
}

/// Returns the bytes of a comment.
pub(crate) fn of_comment(comment: &Comment) -> i64 {
    let agent = comment.agent.as_deref().map_or(0, length);
    ROW_BYTES.saturating_add(length(&comment.text)).saturating_add(agent)
}

/// Returns the bytes of an app response.
pub(crate) fn of_response(message: &str) -> i64 {
    length(message).saturating_add(ROW_BYTES)
}

/// Returns the length of a text in bytes.
pub(crate) fn length(text: &str) -> i64 {
    i64::try_from(text.len()).unwrap_or(i64::MAX)
}
