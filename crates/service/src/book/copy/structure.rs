//! The structure of a copy: settings, groups, accounts, saved queries and opening balances, under
//! new ids.

use std::collections::{BTreeSet, HashMap};

use daybook_domain::access::Access;
use daybook_domain::account::{Account, AccountType};
use daybook_domain::balance::segments;
use daybook_domain::book::copy::{Copier, OPENING_ACCOUNT, Openings};
use daybook_domain::book::{Book, Refusal};
use daybook_domain::file::FileSecret;
use daybook_domain::group::Group;
use daybook_domain::id::{AccountId, BookId, GroupId, SavedQueryId};
use daybook_domain::name::Name;
use daybook_domain::property::Properties;
use daybook_domain::purpose::{ManageCollaborators, WriteChart, WriteSavedQueries};
use daybook_domain::query::Periodicity;
use daybook_domain::query::translate_ids;
use daybook_domain::saved_query::SavedQuery;
use daybook_domain::transaction::Transaction;
use daybook_storage::Tx;
use daybook_storage::access::AccessTo;
use daybook_storage::balance::{AccountScope, TotalsQuery};
use time::Date;

use super::source::{CopyRequest, CopySource, new_transaction_id};
use crate::context::Context;
use crate::error::Result;

/// Everything in a copy except the copied transactions.
#[derive(Debug, Clone)]
pub(super) struct Structure {
    /// The book; storage assigns its number.
    pub(super) book: Book,
    groups: Vec<Group>,
    accounts: Vec<Account>,
    saved_queries: Vec<SavedQuery>,
    copier: Copier,
    /// The opening balances (behaviour 6.19).
    pub(super) openings: Vec<Transaction>,
}

impl Structure {
    /// Reads the structure from the source and assigns new ids, oldest first.
    pub(super) fn read(
        tx: &mut Tx<'_>,
        cx: &Context,
        source: &CopySource,
        request: &CopyRequest,
    ) -> Result<Self> {
        let CopySource { access, from, settings } = source;
        let book = Book {
            id: BookId::new(0),
            key: cx.ids.book_key(),
            owner_name: cx.user.username.clone(),
            settings: settings.clone(),
            scale: access.book().scale.max(settings.fraction_digits),
            file_secret: FileSecret::new(cx.ids.token()),
            stamp: cx.stamp(),
        };
        let (groups, group_ids) = copy_groups(cx, tx.groups().list(access)?);
        let originals = tx.accounts().list(access)?;
        let (mut accounts, account_ids) = copy_accounts(cx, originals, &group_ids);
        let mut saved = tx.saved_queries().list(access)?;
        saved.sort_by_key(|saved| saved.id);
        let account = |id: &str| Some(account_ids.get(&id.parse().ok()?)?.to_string());
        let group = |id: &str| Some(group_ids.get(&id.parse().ok()?)?.to_string());
        let saved_queries = saved.into_iter().map(|saved| {
            let SavedQuery { id: _, title, query, stamp: _ } = saved;
            let query = translate_ids(&query, account, group);
            SavedQuery { id: SavedQueryId::new(cx.mint()), title, query, stamp: cx.stamp() }
        });
        let saved_queries: Vec<SavedQuery> = saved_queries.collect();
        let copier = Copier { accounts: account_ids, user: cx.user.id, stamp: cx.stamp() };
        let day = from.and_then(Date::previous_day);
        let openings = match day {
            Some(day) if request.transactions && request.opening_balances => {
                let scale = book.scale;
                let factor = 10_i128.saturating_pow(scale.saturating_sub(access.book().scale));
                let mut balances = read_balances(tx, access, &copier, day)?;
                for units in balances.values_mut() {
                    *units = units.saturating_mul(factor);
                }
                open_accounts(cx, &copier, &mut accounts, day, scale, &balances)?
            }
            _ => Vec::new(),
        };
        Ok(Self { book, groups, accounts, saved_queries, copier, openings })
    }

    /// Writes the structure into the new book, without the opening balances and without marking
    /// accounts as posted on.
    pub(super) fn write(
        &self,
        tx: &mut Tx<'_>,
        target: &AccessTo<ManageCollaborators>,
    ) -> Result<()> {
        let chart = target.with_purpose(WriteChart)?;
        tx.groups().insert(&chart, &self.groups)?;
        tx.accounts().insert(&chart, &self.accounts)?;
        let saved = target.with_purpose(WriteSavedQueries)?;
        Ok(tx.saved_queries().insert(&saved, &self.saved_queries)?)
    }

    /// Copies transactions under new ids, in the same order.
    ///
    /// # Errors
    /// [`Refusal::Rescale`].
    pub(super) fn copies(
        &self,
        cx: &Context,
        originals: &[Transaction],
    ) -> Result<Vec<Transaction>> {
        check_range(originals, self.book.scale)?;
        let copy = |original| self.copier.transaction(new_transaction_id(cx), original);
        Ok(originals.iter().map(copy).collect())
    }
}

/// Refuses amounts that exceed the range at this scale (behaviour 3.12.7).
fn check_range(transactions: &[Transaction], scale: u32) -> Result<()> {
    let fits = |transaction: &Transaction| {
        transaction.amount.is_none_or(|amount| amount.units(scale).is_some())
    };
    if transactions.iter().all(fits) { Ok(()) } else { Err(Refusal::Rescale(scale).into()) }
}

/// Copies groups, and returns the new ids by the old ones.
fn copy_groups(cx: &Context, mut originals: Vec<Group>) -> (Vec<Group>, HashMap<GroupId, GroupId>) {
    originals.sort_by_key(|group| group.id);
    let ids: HashMap<GroupId, GroupId> =
        originals.iter().map(|group| (group.id, GroupId::new(cx.mint()))).collect();
    let new_id = |id: &GroupId| ids.get(id).copied();
    let copies = originals.into_iter().filter_map(|group| {
        let Group { id, name, parent, hidden, locked, properties, stamp: _ } = group;
        let (id, parent) = (new_id(&id)?, parent.as_ref().and_then(new_id));
        Some(Group { id, name, parent, hidden, locked, properties, stamp: cx.stamp() })
    });
    (copies.collect(), ids)
}

/// Copies accounts without postings, and returns the new ids by the old ones.
fn copy_accounts(
    cx: &Context,
    mut originals: Vec<Account>,
    ids: &HashMap<GroupId, GroupId>,
) -> (Vec<Account>, HashMap<AccountId, AccountId>) {
    originals.sort_by_key(|account| account.id);
    let mut new_ids = HashMap::new();
    let copies = originals.into_iter().map(|account| {
        let Account {
            id: old,
            name,
            kind,
            archived,
            balance_verified: _,
            has_transaction_posted: _,
            min_balance,
            properties,
            groups,
            stamp: _,
        } = account;
        let id = AccountId::new(cx.mint());
        new_ids.insert(old, id);
        Account {
            id,
            name,
            kind,
            archived,
            balance_verified: true,
            has_transaction_posted: false,
            min_balance,
            properties,
            groups: groups.iter().filter_map(|group| ids.get(group).copied()).collect(),
            stamp: cx.stamp(),
        }
    });
    (copies.collect(), new_ids)
}

/// Reads the raw balances of the source's accounts at the end of a day, by the ids of their copies.
fn read_balances(
    tx: &mut Tx<'_>,
    source: &Access,
    copier: &Copier,
    day: Date,
) -> Result<HashMap<AccountId, i128>> {
    let query = TotalsQuery { scope: AccountScope::Book, tags: &[], by_month: true };
    let mut balances: HashMap<AccountId, i128> = HashMap::new();
    let segments = segments(None, day.next_day(), Periodicity::Monthly);
    tx.balances().read_each(source, &segments, &query, |total| {
        let Some(copy) = copier.accounts.get(&total.account) else { return };
        let balance = balances.entry(*copy).or_default();
        *balance = balance.saturating_add(total.credit.saturating_sub(total.debit));
    })?;
    Ok(balances)
}

/// Returns the postings that open the permanent accounts with these balances.
///
/// They are posted against the account named [`OPENING_ACCOUNT`]. If the book has none, it is added
/// to `accounts`.
fn open_accounts(
    cx: &Context,
    copier: &Copier,
    accounts: &mut Vec<Account>,
    day: Date,
    scale: u32,
    balances: &HashMap<AccountId, i128>,
) -> Result<Vec<Transaction>> {
    let name = Name::new(OPENING_ACCOUNT)?;
    let existing = accounts.iter().find(|account| account.name.normalized() == name.normalized());
    let existing = existing.map(|account| account.id);
    let contra = existing.unwrap_or_else(|| AccountId::new(cx.mint()));
    let openings = Openings { day, scale, contra };
    let mut postings: Vec<Transaction> = Vec::new();
    for account in accounts.iter().filter(|account| account.kind.is_permanent()) {
        let balance = balances.get(&account.id).copied().unwrap_or_default();
        let mut new_id = || new_transaction_id(cx);
        postings.extend(openings.transactions(copier, account.id, balance, &mut new_id));
    }
    if existing.is_none() && !postings.is_empty() {
        accounts.push(Account {
            id: contra,
            name,
            kind: AccountType::Liability,
            archived: false,
            balance_verified: true,
            has_transaction_posted: false,
            min_balance: None,
            properties: Properties::default(),
            groups: BTreeSet::new(),
            stamp: cx.stamp(),
        });
    }
    Ok(postings)
}
