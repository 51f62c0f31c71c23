//! Snapshots of transactions.

use time::Date;

use super::account::AccountSnapshot;
use super::fields::{
    Unreadable, non_empty, parse_text, read_flag, read_text, take_object, take_objects,
};
use super::file::{FileSnapshot, attached_file};
use crate::account::Directory;
use crate::amount;
use crate::calendar::{format_iso, parse_iso};
use crate::file::FilesById;
use crate::id::{AccountId, UserId};
use crate::json::{Json, Object};
use crate::transaction::Transaction;

/// Creates the snapshot of a transaction with the ids and names of its accounts and its files.
///
/// To keep snapshots small, the id is omitted, because it is the event's resource, and the creator
/// is omitted if it is the acting user (behaviour 8.16).
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
        transaction.files.iter().filter_map(|id| files.get(*id)).map(attached_file).collect();
    Object::new()
        .with_some("date", transaction.date.map(|day| Json::text(format_iso(day))))
        .with_some(
            "amount",
            transaction
                .amount
                .map(|value| Json::text(amount::write(value.value(), fraction_digits))),
        )
        .with_some("description", non_empty(&transaction.description))
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

/// The transaction of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransactionSnapshot {
    /// The day.
    pub date: Option<Date>,
    /// The description.
    pub description: String,
    /// Whether it was posted.
    pub posted: bool,
    /// The creator, if another user acted.
    pub created_by: Option<UserId>,
    /// The credit account.
    pub credit: Option<AccountSnapshot>,
    /// The debit account.
    pub debit: Option<AccountSnapshot>,
    /// The files.
    pub files: Vec<FileSnapshot>,
    /// The whole snapshot without accounts, files and creator.
    pub object: Object,
}

impl TransactionSnapshot {
    /// Parses a snapshot of [`transaction`].
    pub(super) fn read(mut object: Object) -> Result<Self, Unreadable> {
        let mut side = |key| take_object(&mut object, key)?.map(AccountSnapshot::read).transpose();
        let (credit, debit) = (side("creditAccount")?, side("debitAccount")?);
        let files = take_objects(&mut object, "files")?.unwrap_or_default();
        let files = files.into_iter().map(FileSnapshot::read).collect::<Result<_, _>>()?;
        let date = read_text(&object, "date")?
            .map(|day| parse_iso(day).ok_or(Unreadable("date")))
            .transpose()?;
        let created_by = parse_text(&object, "createdBy")?;
        object.remove("createdBy");
        Ok(Self {
            date,
            description: read_text(&object, "description")?.unwrap_or_default().to_owned(),
            posted: read_flag(&object, "posted")?,
            created_by,
            credit,
            debit,
            files,
            object,
        })
    }

    /// Iterates over its accounts, credit first.
    pub fn accounts(&self) -> impl Iterator<Item = &AccountSnapshot> {
        self.credit.iter().chain(&self.debit)
    }
}
