//! The accounts that a confirmation creates (behaviour 15.5).

use daybook_domain::account::{AccountRef, AccountType, Changes};
use daybook_domain::id::AccountId;
use daybook_domain::import::Import;
use daybook_domain::purpose::{Record, WriteChart};
use daybook_storage::Tx;

use super::save::save_at;
use crate::context::Context;
use crate::error::Result;
use crate::{access, account};

/// An account to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAccount {
    /// The name.
    pub name: String,
    /// The type.
    pub kind: AccountType,
}

/// Creates the accounts that do not exist yet, and saves the import with their ids.
///
/// `update` returns the import with the ids of the created accounts. Returns the saved import;
/// `None` if another worker has changed it.
///
/// # Errors
/// 403 without the permission to write accounts; refusals of the rules of accounts.
pub fn create_accounts(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    import: Import,
    accounts: &[NewAccount],
    update: impl FnOnce(Import, &[AccountId]) -> Import,
) -> Result<Option<Import>> {
    let record = access::enter_to(tx, cx, book, Record::Draft)?;
    let references: Vec<AccountRef> = accounts
        .iter()
        .map(|account| AccountRef { id: None, name: Some(account.name.clone()) })
        .collect();
    let known = tx.accounts().directory(&record, &references, [])?;
    let missing: Vec<account::Input> = accounts
        .iter()
        .zip(&references)
        .filter(|(_, reference)| known.find(reference).is_none())
        .map(|(account, _)| account::Input {
            changes: Changes {
                name: Some(account.name.clone()),
                kind: Some(account.kind),
                ..Changes::default()
            },
            ..account::Input::default()
        })
        .collect();
    let created = if missing.is_empty() {
        Vec::new()
    } else {
        let chart = record.with_purpose(WriteChart)?;
        account::add(tx, cx, &chart, missing)?.accounts
    };
    let ids: Vec<AccountId> = created.iter().map(|account| account.id).collect();
    let version = import.stamp.version;
    let updated = update(import, &ids);
    let updated = Import { stamp: updated.stamp.clone().touch(cx.now), ..updated };
    Ok(save_at(tx, &record, version, &updated)?.then_some(updated))
}
