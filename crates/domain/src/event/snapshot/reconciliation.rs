//! The snapshot of a reconciliation. Its sums and transactions are not part of it.

use super::fields::with_stamp;
use crate::account::Account;
use crate::amount::Precision;
use crate::calendar::format_iso;
use crate::id::TransactionId;
use crate::json::{Json, Object};
use crate::reconciliation::{EntryDelta, Reconciliation};

/// Creates the snapshot of a reconciliation of `account`, with the transactions of a change.
pub fn reconciliation(
    reconciliation: &Reconciliation,
    account: &Account,
    precision: Precision,
    delta: &EntryDelta,
) -> Object {
    let Reconciliation { id, account: _, date, closing, file, created_by: _, stamp } =
        reconciliation;
    let named = Object::new()
        .with("id", Json::text(account.id.to_string()))
        .with("name", Json::text(account.name.as_str()));
    let object = Object::new()
        .with("id", Json::text(id.to_string()))
        .with("account", Json::Object(named))
        .with("date", Json::text(format_iso(*date)))
        .with("closingBalance", Json::text(closing.write(account.kind, precision)))
        .with_some("fileId", file.map(|id| Json::text(id.to_string())))
        .with_texts("added", &texts(&delta.added))
        .with_texts("removed", &texts(&delta.removed));
    with_stamp(object, stamp)
}

fn texts(ids: &[TransactionId]) -> Vec<String> {
    ids.iter().map(TransactionId::to_string).collect()
}
