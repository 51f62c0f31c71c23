//! Snapshots of transactions.

use time::Date;

use super::account::AccountSnapshot;
use super::fields::{Unreadable, flag, objects, parsed, some_object, some_text, text};
use super::file::{FileSnapshot, attached};
use crate::account::Directory;
use crate::amount;
use crate::calendar::{format_iso, parse_iso};
use crate::file::FilesById;
use crate::id::{AccountId, UserId};
use crate::json::{Json, Object};
use crate::transaction::Transaction;

/// A transaction with the ids and names of its two accounts and what makes the addresses of its
/// files. Its id is the event's resource, and its creator is named only when somebody else acts:
/// there is one snapshot for every change, so it stays small (behaviour 8.16).
#[must_use]
pub fn transaction(
    transaction: &Transaction,
    accounts: &Directory,
    files: &FilesById,
    fraction_digits: u32,
    actor: UserId,
) -> Object {
    let side = |id: Option<AccountId>| {
        let id = id?;
        let name = accounts.get(id).map(|account| Json::text(account.name.as_str()));
        Some(Json::Object(
            Object::new().with("id", Json::text(id.to_string())).with_some("name", name),
        ))
    };
    let files: Vec<Json> =
        transaction.files.iter().filter_map(|id| files.get(*id)).map(attached).collect();
    Object::new()
        .with_some("date", transaction.date.map(|day| Json::text(format_iso(day))))
        .with_some(
            "amount",
            transaction
                .amount
                .map(|value| Json::text(amount::write(value.value(), fraction_digits))),
        )
        .with_some("description", some_text(&transaction.description))
        .with_some("creditAccount", side(transaction.credit))
        .with_some("debitAccount", side(transaction.debit))
        .with_flag("posted", transaction.is_posted())
        .with_flag("checked", transaction.is_checked())
        .with_flag("trashed", transaction.trashed)
        .with_texts("urls", &transaction.urls)
        .with_texts("remoteIds", &transaction.remote_ids)
        .with_some("files", (!files.is_empty()).then_some(Json::List(files)))
        .with_map("properties", transaction.properties.iter())
        .with_some(
            "createdBy",
            (transaction.created_by != actor)
                .then(|| Json::text(transaction.created_by.to_string())),
        )
        .with_some("agentId", transaction.stamp.agent.as_deref().map(Json::text))
}

/// A transaction as an event shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransactionSnapshot {
    /// The day.
    pub date: Option<Date>,
    /// Free text.
    pub description: String,
    /// Whether it was posted.
    pub posted: bool,
    /// Who created it, when somebody else acted.
    pub created_by: Option<UserId>,
    /// The account the money came from.
    pub credit: Option<AccountSnapshot>,
    /// The account the money went to.
    pub debit: Option<AccountSnapshot>,
    /// The files it held.
    pub files: Vec<FileSnapshot>,
    /// All of it but its accounts, its files and its creator.
    pub object: Object,
}

impl TransactionSnapshot {
    /// Reads what [`transaction`] wrote.
    ///
    /// # Errors
    /// [`Unreadable`] names the key that [`transaction`] cannot have written.
    pub(super) fn read(mut object: Object) -> Result<Self, Unreadable> {
        let mut side = |key| some_object(&mut object, key)?.map(AccountSnapshot::read).transpose();
        let (credit, debit) = (side("creditAccount")?, side("debitAccount")?);
        let files = objects(&mut object, "files")?.unwrap_or_default();
        let files = files.into_iter().map(FileSnapshot::read).collect::<Result<_, _>>()?;
        let date = text(&object, "date")?
            .map(|day| parse_iso(day).ok_or(Unreadable("date")))
            .transpose()?;
        let created_by = parsed(&object, "createdBy")?;
        object.take("createdBy");
        Ok(Self {
            date,
            description: text(&object, "description")?.unwrap_or_default().to_owned(),
            posted: flag(&object, "posted")?,
            created_by,
            credit,
            debit,
            files,
            object,
        })
    }

    /// Its accounts, credit first.
    pub fn accounts(&self) -> impl Iterator<Item = &AccountSnapshot> {
        self.credit.iter().chain(&self.debit)
    }
}
