//! Snapshots of accounts, which transactions' snapshots name too.

use super::fields::{Unreadable, objects, parsed, stamped, text};
use super::group::{GroupSnapshot, named};
use crate::account::{Account, AccountType};
use crate::group::Forest;
use crate::id::AccountId;
use crate::json::{Json, Object};

/// An account with its own data and the ids and names of its groups.
#[must_use]
pub fn account(account: &Account, groups: &Forest) -> Object {
    let members = account.groups.iter().filter_map(|id| groups.get(*id)).map(named).collect();
    stamped(
        Object::new()
            .with("id", Json::text(account.id.to_string()))
            .with("name", Json::text(account.name.as_str()))
            .with("type", Json::text(account.kind.as_str()))
            .with_flag("archived", account.archived)
            .with_flag("hasTransactionPosted", account.has_transaction_posted)
            .with("groups", Json::List(members))
            .with_map("properties", account.properties.iter()),
        &account.stamp,
    )
}

/// An account as an event shows it: in full in an event of its own, by id and name on a side of a
/// transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountSnapshot {
    /// Its id.
    pub id: AccountId,
    /// Its name.
    pub name: Option<String>,
    /// Its type.
    pub kind: Option<AccountType>,
    /// The groups it was in.
    pub groups: Option<Vec<GroupSnapshot>>,
    /// All of it but its groups.
    pub object: Object,
}

impl AccountSnapshot {
    /// Reads what [`account`] wrote, or what the snapshot of a transaction says of an account.
    ///
    /// # Errors
    /// [`Unreadable`] names the key that cannot have been written so.
    pub(super) fn read(mut object: Object) -> Result<Self, Unreadable> {
        let groups = objects(&mut object, "groups")?
            .map(|groups| groups.into_iter().map(GroupSnapshot::read).collect())
            .transpose()?;
        let kind = text(&object, "type")?
            .map(|name| AccountType::from_name(name).ok_or(Unreadable("type")))
            .transpose()?;
        Ok(Self {
            id: parsed(&object, "id")?.ok_or(Unreadable("id"))?,
            name: text(&object, "name")?.map(str::to_owned),
            kind,
            groups,
            object,
        })
    }

    /// The snapshot with what only a later one of the same account says.
    #[must_use]
    pub fn completed(self, later: Self) -> Self {
        Self {
            id: self.id,
            name: self.name.or(later.name),
            kind: self.kind.or(later.kind),
            groups: self.groups.or(later.groups),
            object: later.object.updated(self.object),
        }
    }
}
