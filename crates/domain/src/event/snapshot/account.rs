//! Snapshots of accounts.

use super::fields::{Unreadable, parse_text, read_text, take_objects, with_stamp};
use super::group::{GroupSnapshot, id_and_name};
use crate::account::{Account, AccountType};
use crate::group::Forest;
use crate::id::AccountId;
use crate::json::{Json, Object};

/// Creates the snapshot of an account with the ids and names of its groups.
pub fn account(account: &Account, groups: &Forest) -> Object {
    let groups = account.groups.iter().filter_map(|id| groups.get(*id)).map(id_and_name).collect();
    with_stamp(
        Object::new()
            .with("id", Json::text(account.id.to_string()))
            .with("name", Json::text(account.name.as_str()))
            .with("type", Json::text(account.kind.as_str()))
            .with_flag("archived", account.archived)
            .with_flag("hasTransactionPosted", account.has_transaction_posted)
            .with_some("minBalance", account.min_balance.map(|least| Json::text(least.to_string())))
            .with("groups", Json::List(groups))
            .with_map("properties", account.properties.iter()),
        &account.stamp,
    )
}

/// The account of an event: complete in its own events, id and name in those of a transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountSnapshot {
    /// The id.
    pub id: AccountId,
    /// The name.
    pub name: Option<String>,
    /// The type.
    pub kind: Option<AccountType>,
    /// The groups.
    pub groups: Option<Vec<GroupSnapshot>>,
    /// The whole snapshot without the groups.
    pub object: Object,
}

impl AccountSnapshot {
    /// Parses a snapshot of [`account`], or the account in the snapshot of a transaction.
    pub(super) fn read(mut object: Object) -> Result<Self, Unreadable> {
        let groups = take_objects(&mut object, "groups")?
            .map(|groups| groups.into_iter().map(GroupSnapshot::read).collect())
            .transpose()?;
        let kind = read_text(&object, "type")?
            .map(|name| AccountType::from_name(name).ok_or(Unreadable("type")))
            .transpose()?;
        Ok(Self {
            id: parse_text(&object, "id")?.ok_or(Unreadable("id"))?,
            name: read_text(&object, "name")?.map(str::to_owned),
            kind,
            groups,
            object,
        })
    }

    /// Adds the fields that only a later snapshot of the same account has.
    #[must_use]
    pub fn complete_with(self, later: Self) -> Self {
        Self {
            id: self.id,
            name: self.name.or(later.name),
            kind: self.kind.or(later.kind),
            groups: self.groups.or(later.groups),
            object: later.object.extend(self.object),
        }
    }
}
