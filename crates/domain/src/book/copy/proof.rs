//! What the log of a copy says of its transactions, which have no events of their own: how many
//! there are and their SHA-256 (behaviour 6.20). So the chain of events proves them.

use sha2::{Digest, Sha256};

use crate::calendar::format_iso;
use crate::event::Hash;
use crate::id::FileId;
use crate::json::{Json, Object};
use crate::transaction::{Standing, Transaction};

/// The transactions of a copy, summarized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopySummary {
    /// How many there are.
    pub transactions: i64,
    /// The SHA-256 over [`row_digest`] of each, in the order of their ids.
    pub sha256: Hash,
}

/// Summarizes the transactions of a copy one after another.
#[derive(Debug, Clone, Default)]
pub struct CopyProof {
    transactions: i64,
    hasher: Sha256,
}

impl CopyProof {
    /// Adds the next transaction, in the order of ids, by its digest.
    pub fn add(&mut self, digest: &Hash) {
        self.transactions = self.transactions.saturating_add(1);
        self.hasher.update(digest.as_bytes());
    }

    /// The summary of all that were added.
    #[must_use]
    pub fn summary(self) -> CopySummary {
        let sha256 = Hash::from_bytes(&self.hasher.finalize()).unwrap_or(Hash::ZERO);
        CopySummary { transactions: self.transactions, sha256 }
    }
}

impl CopySummary {
    /// `data.copied` of BOOK_CREATED.
    #[must_use]
    pub fn object(&self) -> Object {
        Object::new()
            .with("sha256", Json::text(self.sha256.to_string()))
            .with("transactions", Json::Number(self.transactions))
    }

    /// The same as text.
    #[must_use]
    pub fn canonical(&self) -> String {
        Json::Object(self.object()).canonical()
    }

    /// The summary in the data of an event, as text, if there is one: canonical JSON has its keys
    /// in order, and `copied` comes first.
    #[must_use]
    pub fn in_event(data: &str) -> Option<&str> {
        let rest = data.strip_prefix("{\"copied\":")?;
        // It holds a number and hexadecimal digits, so its first brace that closes is its end.
        rest.get(..=rest.find('}')?)
    }
}

/// The SHA-256 of a transaction: of all its row says but for its version and its last change, as
/// canonical JSON. The amount is a number and not its units, so that a finer scale of the book
/// changes nothing.
#[must_use]
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
    use crate::calendar::parse_iso;
    use crate::id::{AccountId, TransactionId, UserId};
    use crate::instant::{Instant, Stamp};
    use crate::property::Properties;

    fn row() -> Transaction {
        Transaction {
            id: TransactionId::new(7),
            date: Some(parse_iso("2025-01-31").unwrap()),
            list_day: parse_iso("2025-01-31").unwrap(),
            amount: Amount::from_units(500, 2),
            description: "Lunch".to_owned(),
            credit: Some(AccountId::new(1)),
            debit: Some(AccountId::new(2)),
            standing: Standing::Unchecked,
            trashed: false,
            posted_at: Some(Instant::new(5)),
            properties: Properties::default(),
            urls: Vec::new(),
            remote_ids: Vec::new(),
            files: Vec::new(),
            created_by: UserId::new(1),
            stamp: Stamp::new(None, Instant::new(5)),
        }
    }

    #[test]
    fn whatever_a_row_says_is_in_its_digest() {
        let digest = row_digest(&row());
        let others = [
            Transaction { id: TransactionId::new(8), ..row() },
            Transaction { date: None, ..row() },
            Transaction { list_day: parse_iso("2025-01-30").unwrap(), ..row() },
            Transaction { amount: Amount::from_units(501, 2), ..row() },
            Transaction { amount: None, ..row() },
            Transaction { description: "Dinner".to_owned(), ..row() },
            Transaction { credit: Some(AccountId::new(3)), ..row() },
            Transaction { debit: None, ..row() },
            Transaction { standing: Standing::Checked, ..row() },
            Transaction { trashed: true, ..row() },
            Transaction { posted_at: None, ..row() },
            Transaction { urls: vec!["u".to_owned()], ..row() },
            Transaction { remote_ids: vec!["u".to_owned()], ..row() },
            Transaction { files: vec![FileId::new(1)], ..row() },
            Transaction { created_by: UserId::new(2), ..row() },
            Transaction { stamp: Stamp::new(Some("a".to_owned()), Instant::new(5)), ..row() },
            Transaction { stamp: Stamp::new(None, Instant::new(6)), ..row() },
        ];
        for other in others {
            assert_ne!(row_digest(&other), digest, "{other:?}");
        }
    }

    #[test]
    fn a_finer_scale_is_the_same_row() {
        let finer = Transaction { amount: Amount::from_units(50_000, 4), ..row() };
        assert_eq!(row_digest(&finer), row_digest(&row()));
    }

    #[test]
    fn a_summary_is_found_in_its_event_and_nowhere_else() {
        let mut proof = CopyProof::default();
        let empty = proof.clone().summary();
        proof.add(&row_digest(&row()));
        let summary = proof.summary();
        let data = Object::new().with("copied", Json::Object(summary.object()));
        let data = data.with("object", Json::Object(Object::new()));
        let data = Json::Object(data).canonical();
        assert_eq!(CopySummary::in_event(&data), Some(summary.canonical().as_str()));
        assert_ne!(empty.canonical(), summary.canonical());
        assert_eq!(CopySummary::in_event("{\"object\":{\"copied\":{}}}"), None);
    }
}
