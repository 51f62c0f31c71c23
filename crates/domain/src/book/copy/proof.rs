//! Proof of the transactions of a copy (behaviour 6.20).
//!
//! Copied transactions have no events. BOOK_CREATED of the copy contains their number and SHA-256
//! instead, so the chain of events covers them.

use sha2::{Digest, Sha256};

use crate::calendar::format_iso;
use crate::event::Hash;
use crate::id::FileId;
use crate::json::{Json, Object};
use crate::transaction::{Standing, Transaction};

/// A summary of the transactions of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopySummary {
    /// The number of transactions.
    pub transactions: i64,
    /// The SHA-256 over the [`row_digest`]s in the order of ids.
    pub sha256: Hash,
}

/// An accumulator of a [`CopySummary`].
#[derive(Debug, Clone, Default)]
pub struct CopyProof {
    transactions: i64,
    hasher: Sha256,
}

impl CopyProof {
    /// Adds the digest of the next transaction in the order of ids.
    pub fn add(&mut self, digest: &Hash) {
        self.transactions = self.transactions.saturating_add(1);
        self.hasher.update(digest.as_bytes());
    }

    /// Returns the summary of the added transactions.
    pub fn summary(self) -> CopySummary {
        let sha256 = Hash::from_bytes(&self.hasher.finalize()).unwrap_or(Hash::ZERO);
        CopySummary { transactions: self.transactions, sha256 }
    }
}

impl CopySummary {
    /// Returns `data.copied` of BOOK_CREATED.
    pub fn object(&self) -> Object {
        Object::new()
            .with("sha256", Json::text(self.sha256.to_string()))
            .with("transactions", Json::Number(self.transactions))
    }

    /// Returns the summary as canonical JSON.
    pub fn canonical(&self) -> String {
        Json::Object(self.object()).canonical()
    }

    /// Finds the summary in the data of an event.
    ///
    /// Canonical JSON sorts keys, so `copied` comes first.
    pub fn find_in_event(data: &str) -> Option<&str> {
        let rest = data.strip_prefix("{\"copied\":")?;
        // It contains a number and hexadecimal digits, so the first closing brace ends it.
        rest.get(..=rest.find('}')?)
    }
}

/// Computes the SHA-256 of a transaction as canonical JSON, without version and time of last
/// change.
///
/// The amount is hashed as a decimal, so the digest does not depend on the scale of the book.
pub fn row_digest(transaction: &Transaction) -> Hash {
    let Transaction {
        id,
        date,
        list_day,
        amount,
        description,
        credit,
        debit,
        standing,
        trashed,
        posted_at,
        properties,
        urls,
        remote_ids,
        files,
        comment_count: _,
        created_by,
        stamp,
    } = transaction;
    let standing = match standing {
        Standing::Draft => "draft",
        Standing::Unchecked => "unchecked",
        Standing::Checked => "checked",
    };
    let milliseconds = |at: crate::instant::Instant| Json::Number(at.milliseconds());
    let files: Vec<String> = files.iter().map(FileId::to_string).collect();
    let object = Object::new()
        .with("id", Json::text(id.to_string()))
        .with_some("date", date.map(|day| Json::text(format_iso(day))))
        .with("day", Json::text(format_iso(*list_day)))
        .with_some("amount", amount.map(|one| Json::text(one.value().normalize().to_string())))
        .with("description", Json::text(description))
        .with_some("creditAccount", credit.map(|id| Json::text(id.to_string())))
        .with_some("debitAccount", debit.map(|id| Json::text(id.to_string())))
        .with("state", Json::text(standing))
        .with_flag("trashed", *trashed)
        .with_some("postedAt", posted_at.map(milliseconds))
        .with_map("properties", properties.iter())
        .with_texts("urls", urls)
        .with_texts("remoteIds", remote_ids)
        .with_texts("files", &files)
        .with("userId", Json::Number(created_by.get()))
        .with_some("agentId", stamp.agent.as_deref().map(Json::text))
        .with("createdAt", milliseconds(stamp.created_at));
    Hash::of(Json::Object(object).canonical().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::amount::Amount;
    use crate::fixture::{day, owned};
    use crate::id::{AccountId, TransactionId, UserId};
    use crate::instant::{Instant, Stamp};

    fn row() -> Transaction {
        crate::fixture::transaction(7, Standing::Unchecked)
    }

    #[test]
    fn digest_covers_all_fields() {
        let digest = row_digest(&row());
        let others = [
            Transaction { id: TransactionId::new(8), ..row() },
            Transaction { date: None, ..row() },
            Transaction { list_day: day("2025-01-30"), ..row() },
            Transaction { amount: Amount::from_units(1_001, 2), ..row() },
            Transaction { amount: None, ..row() },
            Transaction { description: "Dinner".to_owned(), ..row() },
            Transaction { credit: Some(AccountId::new(3)), ..row() },
            Transaction { debit: None, ..row() },
            Transaction { standing: Standing::Checked, ..row() },
            Transaction { trashed: true, ..row() },
            Transaction { posted_at: None, ..row() },
            Transaction { urls: owned(&["u"]), ..row() },
            Transaction { remote_ids: owned(&["u"]), ..row() },
            Transaction { files: vec![FileId::new(1)], ..row() },
            Transaction { created_by: UserId::new(2), ..row() },
            Transaction { stamp: Stamp::new(Some("a".to_owned()), Instant::new(7)), ..row() },
            Transaction { stamp: Stamp::new(None, Instant::new(6)), ..row() },
        ];
        for other in others {
            assert_ne!(row_digest(&other), digest, "{other:?}");
        }
    }

    #[test]
    fn digest_does_not_depend_on_the_scale() {
        let finer = Transaction { amount: Amount::from_units(100_000, 4), ..row() };
        assert_eq!(row_digest(&finer), row_digest(&row()));
    }

    #[test]
    fn summary_is_found_in_its_event_only() {
        let mut proof = CopyProof::default();
        let empty = proof.clone().summary();
        proof.add(&row_digest(&row()));
        let summary = proof.summary();
        let data = Object::new().with("copied", Json::Object(summary.object()));
        let data = data.with("object", Json::Object(Object::new()));
        let data = Json::Object(data).canonical();
        assert_eq!(CopySummary::find_in_event(&data), Some(summary.canonical().as_str()));
        assert_ne!(empty.canonical(), summary.canonical());
        assert_eq!(CopySummary::find_in_event("{\"object\":{\"copied\":{}}}"), None);
    }
}
