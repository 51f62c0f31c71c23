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

/// Creates the accounts that do not exist yet, takes archived ones out of the archive, and saves
/// the import with the ids of the created ones.
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
    let (mut missing, mut archived) = (Vec::new(), Vec::new());
    for (account, reference) in accounts.iter().zip(&references) {
        match known.find(reference) {
            None => missing.push(Changes {
                name: Some(account.name.clone()),
                kind: Some(account.kind),
                ..Changes::default()
            }),
            Some(found) if found.archived => archived.push(Changes {
                id: Some(found.id.to_string()),
                archived: Some(false),
                ..Changes::default()
            }),
            Some(_) => {}
        }
    }
    let input = |changes| account::Input { changes, ..account::Input::default() };
    if !archived.is_empty() {
        account::update(tx, cx, book, archived.into_iter().map(input).collect())?;
    }
    let created = if missing.is_empty() {
        Vec::new()
    } else {
        let chart = record.with_purpose(WriteChart)?;
        account::add(tx, cx, &chart, missing.into_iter().map(input).collect())?.accounts
    };
    let ids: Vec<AccountId> = created.iter().map(|account| account.id).collect();
    let version = import.stamp.version;
    let updated = update(import, &ids);
    let updated = Import { stamp: updated.stamp.clone().touch(cx.now), ..updated };
    Ok(save_at(tx, &record, version, &updated)?.then_some(updated))
}
