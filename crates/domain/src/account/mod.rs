//! Accounts: type and nature, names, archiving and membership in groups (behaviour 4).
//!
//! An [`Account`] is one side of transactions. Its [`AccountType`] determines whether debits or
//! credits increase it, and whether its balance continues from period to period (permanent) or
//! starts from zero. Names are unique in a book, so requests refer to accounts by id or name
//! ([`AccountRef`]); a [`Directory`] holds the accounts that one request names.
//!
//! An archived account accepts no new postings. An account that has ever been posted on cannot be
//! deleted. A [`MinBalance`] refuses transactions that would lower the balance below it.

mod events;
mod limits;
mod min_balance;
mod refusal;

use std::collections::BTreeSet;

use limits::MAX_GROUPS_OF_ACCOUNT;
pub use min_balance::MinBalance;
pub use refusal::Refusal;

use crate::amount::Precision;
use crate::chart::{self, Noun};
use crate::event::Previous;
use crate::field::Field;
use crate::id::{AccountId, GroupId};
use crate::instant::{Instant, Stamp};
use crate::json::text_list;
use crate::name::Name;
use crate::named::named;
use crate::property::{Edits, FieldTexts, Properties, previous_values};
use crate::reference::Reference;
use crate::version::Tag;

/// A reference to an account by id or name (behaviour 3.2.6, 4.9).
pub type AccountRef = Reference;

/// Accounts, indexed by id and by normalized name.
pub type Directory = chart::Directory<Account>;

named! {
    /// The type of an account, which determines its nature and permanence (behaviour 4.1).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    pub enum AccountType {
        /// Asset: permanent, debit nature.
        #[default]
        Asset = "ASSET",
        /// Liability: permanent, credit nature.
        Liability = "LIABILITY",
        /// Revenue: not permanent, credit nature.
        Incoming = "INCOMING",
        /// Expense: not permanent, debit nature.
        Outgoing = "OUTGOING",
    }
}

impl AccountType {
    /// Returns whether balances accumulate from the beginning. Otherwise they start from zero in
    /// each range (behaviour 5.5).
    pub const fn is_permanent(self) -> bool {
        matches!(self, Self::Asset | Self::Liability)
    }

    /// Returns whether it has credit nature.
    pub const fn is_credit(self) -> bool {
        matches!(self, Self::Liability | Self::Incoming)
    }

    /// Returns a raw balance in the sign of the nature: debits minus credits for debit nature.
    pub const fn normal_balance(self, raw: i128) -> i128 {
        if self.is_credit() { raw } else { raw.saturating_neg() }
    }

    /// Returns the type with that permanence and nature.
    const fn from_nature(permanent: bool, credit: bool) -> Self {
        match (permanent, credit) {
            (true, false) => Self::Asset,
            (true, true) => Self::Liability,
            (false, true) => Self::Incoming,
            (false, false) => Self::Outgoing,
        }
    }
}

/// An account of a book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Unique across all books.
    pub id: AccountId,
    /// The name, unique in the book in its normalized form.
    pub name: Name,
    /// Its type.
    pub kind: AccountType,
    /// Whether it is archived, so transactions cannot be posted to it (behaviour 4.8).
    pub archived: bool,
    /// Whether the last audit confirmed its balance (behaviour 4.11).
    pub balance_verified: bool,
    /// Whether a transaction was ever posted to it; never becomes false again (behaviour 4.7).
    pub has_transaction_posted: bool,
    /// The balance below which no request may lower it (behaviour 4.24).
    pub min_balance: Option<MinBalance>,
    /// Custom properties.
    pub properties: Properties,
    /// The groups it is directly in.
    pub groups: BTreeSet<GroupId>,
    /// The creator, the app and the times.
    pub stamp: Stamp,
}

/// The fields of the body of a create or update.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// The id of the account to change.
    pub id: Option<String>,
    /// The new name; without an id, the name of the account to change.
    pub name: Option<String>,
    /// The new type.
    pub kind: Option<AccountType>,
    /// `(permanent, credit)`; used only by a create without type (behaviour 4.1).
    pub nature: Option<(bool, bool)>,
    /// Whether it is archived.
    pub archived: Option<bool>,
    /// The new groups, already resolved to ids.
    pub groups: Field<BTreeSet<GroupId>>,
    /// The minimum balance, as written.
    pub min_balance: Field<String>,
    /// Properties to merge.
    pub properties: Edits,
}

impl Account {
    /// Creates an account. A create without type uses `group_types`, the types of its groups
    /// (behaviour 4.2). `precision` is that of its book.
    ///
    /// # Errors
    /// [`Refusal::TooManyGroups`]; the refusal of a name, minimum balance or property.
    pub fn create(
        id: AccountId,
        changes: Changes,
        group_types: &BTreeSet<AccountType>,
        precision: Precision,
        stamp: Stamp,
    ) -> Result<Self, crate::Refusal> {
        let name = Name::normalizable(&changes.name.unwrap_or_default())?;
        let kind = changes
            .kind
            .or_else(|| {
                let (permanent, credit) = changes.nature?;
                Some(AccountType::from_nature(permanent, credit))
            })
            .or_else(|| group_types.first().copied().filter(|_| group_types.len() == 1))
            .unwrap_or_default();
        Ok(Self {
            id,
            name,
            kind,
            archived: changes.archived.unwrap_or(false),
            balance_verified: true,
            has_transaction_posted: false,
            min_balance: MinBalance::read(changes.min_balance, None, precision)?.value(),
            properties: Properties::default().merge(&changes.properties)?,
            groups: check_group_count(changes.groups)?.value().unwrap_or_default(),
            stamp,
        })
    }

    /// Applies an update and returns the previous values of the changed fields.
    ///
    /// # Errors
    /// See [`Account::create`].
    pub fn update(
        self,
        changes: Changes,
        precision: Precision,
        now: Instant,
    ) -> Result<(Self, Previous), crate::Refusal> {
        let before = self.clone();
        let mut after = self;
        if let Some(name) = changes.name {
            after.name = Name::normalizable(&name)?;
        }
        after.kind = changes.kind.unwrap_or(after.kind);
        after.archived = changes.archived.unwrap_or(after.archived);
        after.min_balance = MinBalance::read(changes.min_balance, after.min_balance, precision)?
            .apply(after.min_balance);
        after.properties = after.properties.merge(&changes.properties)?;
        after.groups =
            check_group_count(changes.groups)?.apply(Some(after.groups)).unwrap_or_default();
        let previous = before.previous(&after);
        if !previous.is_empty() {
            after.stamp = after.stamp.touch(now);
        }
        Ok((after, previous))
    }

    /// Returns the size of its texts and group ids in bytes.
    pub fn text_bytes(&self) -> usize {
        let groups = self.groups.len().saturating_mul(size_of::<GroupId>());
        let texts = self.name.as_str().len().saturating_add(self.properties.bytes());
        texts.saturating_add(groups)
    }

    /// Removes it from a group that is deleted (behaviour 4.14).
    #[must_use]
    pub fn without_group(self, group: GroupId, now: Instant) -> (Self, Previous) {
        let before = self.clone();
        let mut after = self;
        after.groups.remove(&group);
        after.stamp = after.stamp.touch(now);
        let previous = before.previous(&after);
        (after, previous)
    }

    /// Checks that the account may be deleted (behaviour 4.7, 14.10).
    ///
    /// # Errors
    /// [`Refusal::HasPostings`] and [`Refusal::Reconciled`].
    pub fn check_deletable(&self, is_reconciled: bool) -> Result<(), Refusal> {
        if self.has_transaction_posted {
            return Err(Refusal::HasPostings(self.name.as_str().to_owned()));
        }
        if is_reconciled {
            return Err(Refusal::Reconciled(self.name.as_str().to_owned()));
        }
        Ok(())
    }

    /// Checks that transactions may be posted to the account (behaviour 4.8).
    ///
    /// # Errors
    /// [`Refusal::Archived`].
    pub fn check_postable(&self) -> Result<(), Refusal> {
        if self.archived { Err(Refusal::Archived(self.name.as_str().to_owned())) } else { Ok(()) }
    }

    fn previous(&self, after: &Self) -> Previous {
        let properties = [&self.properties, &after.properties];
        previous_values([self.texts(), after.texts()], properties)
    }

    fn texts(&self) -> FieldTexts<6> {
        [
            ("name", self.name.as_str().to_owned()),
            ("type", self.kind.as_str().to_owned()),
            ("archived", self.archived.to_string()),
            // Some clients read the opposite (behaviour 8.3).
            ("active", (!self.archived).to_string()),
            ("groups", text_list(self.groups.iter().map(GroupId::to_string))),
            ("minBalance", self.min_balance.map(|least| least.to_string()).unwrap_or_default()),
        ]
    }
}

fn check_group_count(
    groups: Field<BTreeSet<GroupId>>,
) -> Result<Field<BTreeSet<GroupId>>, Refusal> {
    match groups.as_ref().value().map_or(0, BTreeSet::len) {
        count if count > MAX_GROUPS_OF_ACCOUNT => Err(Refusal::TooManyGroups(count)),
        _ => Ok(groups),
    }
}

impl chart::Item for Account {
    type Id = AccountId;
    const NOUN: Noun = Noun::ACCOUNT;

    fn id(&self) -> AccountId {
        self.id
    }

    fn name(&self) -> &Name {
        &self.name
    }

    fn properties(&self) -> &Properties {
        &self.properties
    }
}

impl Directory {
    /// Sets `hasTransactionPosted` of these accounts (behaviour 4.7).
    pub fn mark_posted(&mut self, ids: &BTreeSet<AccountId>) {
        for id in ids {
            if let Some(account) = self.get_mut(*id) {
                account.has_transaction_posted = true;
            }
        }
    }
}

impl From<&Account> for Tag {
    fn from(account: &Account) -> Self {
        Self::new("account", account.id, account.stamp.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book;
    use crate::fixture::{self, edits, pairs, stamp};

    fn account(changes: Changes, types: &[AccountType]) -> Account {
        let types = types.iter().copied().collect();
        Account::create(AccountId::new(7_000_000_000), changes, &types, precision(2), stamp())
            .unwrap()
    }

    fn update(before: Account, changes: Changes) -> (Account, Previous) {
        before.update(changes, precision(2), Instant::new(2)).unwrap()
    }

    fn precision(digits: i64) -> Precision {
        let settings = book::Changes { fraction_digits: Some(digits), ..Default::default() };
        fixture::book(settings).precision()
    }

    fn named(name: &str) -> Changes {
        Changes { name: Some(name.to_owned()), ..Changes::default() }
    }

    #[test]
    fn type_of_a_new_account_follows_body_and_groups() {
        use AccountType::{Asset, Incoming, Liability, Outgoing};
        for (kind, nature, types, expected) in [
            (None, None, &[][..], Asset),
            (None, None, &[Liability], Liability),
            (None, None, &[Liability, Incoming], Asset),
            (None, Some((false, false)), &[Liability], Outgoing),
            (Some(Incoming), Some((false, false)), &[Liability], Incoming),
        ] {
            let made = account(Changes { kind, nature, ..named("a") }, types);
            assert_eq!(made.kind, expected, "{kind:?} {nature:?} {types:?}");
        }
        for kind in AccountType::ALL {
            assert_eq!(AccountType::from_nature(kind.is_permanent(), kind.is_credit()), kind);
        }
    }

    #[test]
    fn update_returns_previous_values_and_new_version() {
        let with = |value| Changes { properties: edits(&[("k", value)]), ..named("Cash") };
        let cash = account(with(Some("v")), &[]);
        let (same, previous) = update(cash.clone(), named("Cash"));
        assert_eq!((same, previous.len()), (cash.clone(), 0));
        let changes = Changes { name: Some("Till".to_owned()), archived: Some(true), ..with(None) };
        let (after, previous) = update(cash, changes);
        assert_eq!(after.stamp.version, 2);
        let expected = [("active", "true"), ("archived", "false"), ("k", "v"), ("name", "Cash")];
        assert_eq!(pairs(&previous), expected);
    }

    #[test]
    fn minimum_balance_is_read_like_an_amount() {
        let with =
            |text: &str| Changes { min_balance: Field::Set(text.to_owned()), ..Changes::default() };
        let shown = |account: &Account| account.min_balance.map(|least| least.to_string());
        let cash = account(Changes { name: Some("Cash".to_owned()), ..with("-1,000.005") }, &[]);
        assert_eq!(shown(&cash).as_deref(), Some("-1000.01"));
        for (text, expected) in
            [("0", Some("0.00")), ("-0", Some("0.00")), ("7", Some("7.00")), (" ", None)]
        {
            let (after, previous) = update(cash.clone(), with(text));
            assert_eq!(shown(&after).as_deref(), expected, "{text}");
            assert_eq!(pairs(&previous), [("minBalance", "-1000.01")]);
        }
        for text in ["x", "0.001", "-0.001", "-92233720368547758.08"] {
            let refused = cash.clone().update(with(text), precision(2), Instant::new(2));
            assert!(matches!(refused, Err(crate::Refusal::Amount(_))), "{text}");
        }
        // An equal value keeps its decimals and is not rounded.
        let (same, previous) =
            cash.update(with("-1000.010"), precision(0), Instant::new(2)).unwrap();
        assert_eq!((shown(&same).as_deref(), previous.len()), (Some("-1000.01"), 0));
    }
}
