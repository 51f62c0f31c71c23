//! Accounts and their memberships in groups.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use daybook_domain::access::Access;
use daybook_domain::account::{Account, AccountRef, AccountType, Directory, MinBalance};
use daybook_domain::id::{AccountId, BookId, GroupId};
use daybook_domain::name::Name;
use daybook_domain::purpose::{Record, WriteChart};
use diesel::prelude::*;

use crate::access::AccessTo;
use crate::chart::cache;
use crate::commit::tx::Tx;
use crate::conn::bulk::Bulk;
use crate::conn::sql::{MAX_NAMED, Sql, Value};
use crate::error::{Error, Result};
use crate::rows::column;
use crate::schema::{accounts, memberships};
use crate::storage_quota::size::of_memberships;
use crate::storage_quota::usage::ACCOUNTS;

/// Selects the columns of a [`Row`].
const COLUMNS: &str = "SELECT id, name, kind, archived, balance_verified, has_transaction_posted, \
    properties, agent, created_at, updated_at, version, min_balance FROM accounts \
    WHERE book_id = {}";

#[derive(Queryable, QueryableByName, Selectable)]
#[diesel(table_name = accounts)]
struct Row {
    id: i64,
    name: String,
    kind: String,
    archived: bool,
    balance_verified: bool,
    has_transaction_posted: bool,
    properties: Option<String>,
    agent: Option<String>,
    created_at: i64,
    updated_at: i64,
    version: i64,
    min_balance: Option<String>,
}

impl Row {
    fn into_account(self, groups: BTreeSet<GroupId>) -> Result<Account> {
        Ok(Account {
            id: AccountId::new(self.id),
            name: Name::stored(self.name),
            kind: AccountType::from_name(&self.kind).ok_or(Error::Corrupt("kind"))?,
            archived: self.archived,
            balance_verified: self.balance_verified,
            has_transaction_posted: self.has_transaction_posted,
            min_balance: self
                .min_balance
                .map(|text| MinBalance::stored(&text).ok_or(Error::Corrupt("min_balance")))
                .transpose()?,
            properties: column::properties_from_text(self.properties)?,
            groups,
            stamp: column::stamp(self.agent, self.created_at, self.updated_at, self.version),
        })
    }
}

/// The accounts of a book.
pub struct Accounts<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Accounts<'_, '_> {
    /// Lists all accounts as the database has them, in no order.
    pub fn list(self, access: &Access) -> Result<Vec<Account>> {
        let book = access.book().id.get();
        let query = accounts::table.filter(accounts::book_id.eq(book));
        let rows = self.tx.unflushed()?.select_all::<Row, _>(query)?;
        let query = memberships::table.filter(memberships::book_id.eq(book));
        let query = query.select((memberships::account_id, memberships::group_id));
        assemble(rows, self.tx.unflushed()?.load(query)?)
    }

    /// Returns all accounts by normalized name, from the cache of charts if they are there.
    pub fn all(self, access: &Access) -> Result<Arc<Vec<Account>>> {
        let chart = self.tx.chart(access.book().id);
        let known = chart.as_ref().and_then(|(charts, version)| charts.all_accounts(*version));
        if let Some(known) = known {
            return Ok(known);
        }
        let mut accounts = self.list(access)?;
        accounts.sort_by(|one, other| one.name.normalized().cmp(other.name.normalized()));
        let accounts = Arc::new(accounts);
        if let Some((charts, version)) = &chart {
            charts.insert_all_accounts(*version, &accounts);
        }
        Ok(accounts)
    }

    /// Lists the names of the accounts that are not archived, in no order.
    pub fn names(self, access: &Access) -> Result<Vec<(AccountId, String)>> {
        let query = accounts::table
            .filter(accounts::book_id.eq(access.book().id.get()).and(accounts::archived.eq(false)))
            .select((accounts::id, accounts::name));
        let rows: Vec<(i64, String)> = self.tx.unflushed()?.load(query)?;
        Ok(rows.into_iter().map(|(id, name)| (AccountId::new(id), name)).collect())
    }

    /// Loads the accounts with these ids.
    pub fn by_ids(
        self,
        access: &Access,
        ids: impl IntoIterator<Item = AccountId>,
    ) -> Result<Directory> {
        self.directory(access, [], ids)
    }

    /// Loads the referenced accounts and those with these ids.
    pub fn directory<'r>(
        self,
        access: &Access,
        references: impl IntoIterator<Item = &'r AccountRef>,
        ids: impl IntoIterator<Item = AccountId>,
    ) -> Result<Directory> {
        let mut all_ids: BTreeSet<AccountId> = ids.into_iter().collect();
        let mut names = BTreeSet::new();
        for reference in references {
            all_ids.extend(reference.parse_id::<AccountId>());
            names.extend(reference.normalized_name());
        }
        let book = access.book().id;
        let read = |tx: &mut Tx<'_>, ids: &[_], names: &[_]| tx.read_accounts(book, ids, names);
        self.tx.load_items(book, cache::ACCOUNTS, &all_ids, &names, read)
    }

    /// Lists the accounts that are direct members of any of these groups, in no order.
    pub fn in_groups(self, access: &Access, groups: &[GroupId]) -> Result<Vec<Account>> {
        let book = access.book().id.get();
        let mut ids: Vec<i64> = Vec::new();
        for chunk in groups.chunks(MAX_NAMED) {
            let members = memberships::table
                .filter(
                    memberships::book_id
                        .eq(book)
                        .and(memberships::group_id.eq_any(chunk.iter().map(|id| id.get()))),
                )
                .select(memberships::account_id);
            let found: Vec<i64> = self.tx.unflushed()?.load(members)?;
            ids.extend(found);
        }
        let directory = self.by_ids(access, ids.into_iter().map(AccountId::new))?;
        Ok(directory.into_items())
    }

    /// Returns the bytes of the accounts, groups and memberships (behaviour 10.14), if they exceed
    /// a limit.
    pub fn chart_bytes_above(self, access: &Access, limit: i64) -> Result<Option<i64>> {
        self.tx.chart_bytes_above(access.book().id, limit)
    }

    /// Inserts accounts with their memberships.
    pub fn insert(self, access: &AccessTo<WriteChart>, new: &[Account]) -> Result<()> {
        self.tx.invalidate_chart(access.book().id)?;
        self.write(access, new, None, "", 0)
    }

    /// Saves changed accounts, and the memberships of those in `regrouped`.
    pub fn update(
        self,
        access: &AccessTo<WriteChart>,
        changed: &[Account],
        regrouped: &[AccountId],
    ) -> Result<()> {
        if changed.is_empty() {
            return Ok(());
        }
        let book = access.book().id;
        let mut before = self.tx.begin_update(&ACCOUNTS, book, &ids(changed))?;
        let delete = Sql::new("DELETE FROM memberships WHERE book_id = {} AND account_id IN ");
        for delete in delete.bind(book).uncached().in_chunks(regrouped) {
            let deleted = self.tx.flushed()?.execute(delete)?;
            before = before.saturating_add(of_memberships(deleted));
        }
        self.write(
            access,
            changed,
            Some(regrouped),
            " ON CONFLICT (book_id, id) DO UPDATE SET name = excluded.name, kind = excluded.kind, \
              normalized_name = excluded.normalized_name, archived = excluded.archived, \
              balance_verified = excluded.balance_verified, properties = excluded.properties, \
              has_transaction_posted = excluded.has_transaction_posted, \
              updated_at = excluded.updated_at, version = excluded.version, \
              min_balance = excluded.min_balance",
            before,
        )
    }

    /// Writes accounts and the memberships of all of them, or of those in `regrouped`.
    ///
    /// `bytes_before` is the storage usage of the replaced rows.
    fn write(
        self,
        access: &Access,
        accounts: &[Account],
        regrouped: Option<&[AccountId]>,
        conflict: &'static str,
        bytes_before: i64,
    ) -> Result<()> {
        let book = access.book().id.get();
        let mut rows = Bulk::new(
            "INSERT INTO accounts (book_id, id, name, normalized_name, kind, archived, \
             balance_verified, has_transaction_posted, properties, agent, created_at, \
             updated_at, version, min_balance)",
            14,
            conflict,
        );
        let mut pairs = Bulk::new("INSERT INTO memberships (book_id, group_id, account_id)", 3, "");
        for account in accounts {
            let Account {
                id,
                name,
                kind,
                archived,
                balance_verified,
                has_transaction_posted,
                min_balance,
                properties,
                groups,
                stamp,
            } = account;
            rows.row([
                Value::Int(book),
                Value::Int(id.get()),
                Value::Text(name.as_str().into()),
                Value::Text(name.normalized().into()),
                Value::Text(kind.as_str().into()),
                Value::Flag(*archived),
                Value::Flag(*balance_verified),
                Value::Flag(*has_transaction_posted),
                Value::SomeText(column::properties_to_text(properties).map(Into::into)),
                Value::SomeText(stamp.agent.as_deref().map(Into::into)),
                Value::Int(stamp.created_at.milliseconds()),
                Value::Int(stamp.updated_at.milliseconds()),
                Value::Int(stamp.version),
                Value::SomeText(min_balance.map(|least| least.to_string().into())),
            ]);
            if regrouped.is_none_or(|regrouped| regrouped.binary_search(id).is_ok()) {
                for group in groups {
                    pairs.row([Value::Int(book), Value::Int(group.get()), Value::Int(id.get())]);
                }
            }
        }
        self.tx.flushed()?.write(rows)?;
        let inserted = self.tx.flushed()?.write_counted(pairs)?;
        let before = bytes_before.saturating_sub(of_memberships(inserted));
        self.tx.add_growth(&ACCOUNTS, access.book().id, &ids(accounts), before)
    }

    /// Marks accounts as posted on, permanently (behaviour 4.7).
    pub fn mark_posted(self, access: &AccessTo<Record>, ids: &[AccountId]) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        self.tx.invalidate_chart(access.book().id)?;
        // A copy marks all accounts of a book, so there may be many.
        for chunk in ids.chunks(MAX_NAMED) {
            let named = accounts::id.eq_any(chunk.iter().map(|id| id.get()));
            let own = accounts::book_id.eq(access.book().id.get()).and(named);
            let query = diesel::update(accounts::table.filter(own));
            let query = query.set(accounts::has_transaction_posted.eq(true));
            self.tx.flushed()?.run(query)?;
        }
        Ok(())
    }

    /// Deletes accounts with their memberships.
    pub fn delete(self, access: &AccessTo<WriteChart>, ids: &[AccountId]) -> Result<()> {
        let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
        self.tx.delete_items(&ACCOUNTS, access.book().id, &ids)
    }
}

impl Tx<'_> {
    fn read_accounts(
        &mut self,
        book: BookId,
        ids: &[AccountId],
        names: &[String],
    ) -> Result<Vec<Account>> {
        let mut rows: Vec<Row> = Vec::new();
        // Two look-ups by index, because one with OR would be planned as a scan.
        for query in Sql::new(COLUMNS).bind(book).push(" AND id IN ").in_chunks(ids) {
            rows.extend(self.unflushed()?.load::<Row>(&query)?);
        }
        let by_name = Sql::new(COLUMNS).bind(book).push(" AND normalized_name IN ");
        for query in by_name.in_chunks(names) {
            let named: Vec<Row> = self.unflushed()?.load(&query)?;
            let is_new = |row: &Row| ids.binary_search(&AccountId::new(row.id)).is_err();
            rows.extend(named.into_iter().filter(is_new));
        }
        let found: Vec<i64> = rows.iter().map(|row| row.id).collect();
        let members = Sql::new("SELECT account_id, group_id FROM memberships WHERE book_id = {}");
        let mut pairs = Vec::new();
        for query in members.bind(book).push(" AND account_id IN ").in_chunks(&found) {
            pairs.extend(self.unflushed()?.rows::<(i64, i64)>(&query)?);
        }
        assemble(rows, pairs)
    }
}

fn ids(accounts: &[Account]) -> Vec<i64> {
    accounts.iter().map(|account| account.id.get()).collect()
}

fn assemble(rows: Vec<Row>, pairs: Vec<(i64, i64)>) -> Result<Vec<Account>> {
    let mut groups: HashMap<i64, BTreeSet<GroupId>> = HashMap::new();
    for (account, group) in pairs {
        groups.entry(account).or_default().insert(GroupId::new(group));
    }
    rows.into_iter()
        .map(|row| {
            let groups = groups.remove(&row.id).unwrap_or_default();
            row.into_account(groups)
        })
        .collect()
}
