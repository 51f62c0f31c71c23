//! Accounts and their memberships in groups.

use std::collections::{BTreeSet, HashMap};

use daybook_domain::access::Access;
use daybook_domain::account::{Account, AccountRef, AccountType, Directory};
use daybook_domain::id::{AccountId, GroupId};
use daybook_domain::name::Name;
use daybook_domain::purpose::{Record, WriteChart};
use diesel::prelude::*;

use crate::access::AccessTo;
use crate::commit::tx::Tx;
use crate::conn::bulk::Bulk;
use crate::conn::sql::{MAX_NAMED, Sql, Value, list};
use crate::error::{Error, Result};
use crate::rows::column;
use crate::schema::{accounts, memberships};
use crate::storage_quota::size::of_memberships;
use crate::storage_quota::usage::ACCOUNTS;

/// Selects the columns of a [`Row`].
const COLUMNS: &str = "SELECT id, name, kind, archived, balance_verified, has_transaction_posted, \
    properties, agent, created_at, updated_at, version FROM accounts WHERE book_id = {}";

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
    /// Lists all accounts, in no order.
    pub fn list(self, access: &Access) -> Result<Vec<Account>> {
        let book = access.book().id.get();
        let query = accounts::table.filter(accounts::book_id.eq(book));
        let rows = self.tx.unflushed()?.select_all::<Row, _>(query)?;
        let query = memberships::table.filter(memberships::book_id.eq(book));
        let query = query.select((memberships::account_id, memberships::group_id));
        assemble(rows, self.tx.unflushed()?.load(query)?)
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
        let ids: BTreeSet<i64> = ids.into_iter().map(AccountId::get).collect();
        self.load(access, &ids, &BTreeSet::new())
    }

    /// Loads the referenced accounts and those with these ids, in two statements.
    pub fn directory<'r>(
        self,
        access: &Access,
        references: impl IntoIterator<Item = &'r AccountRef>,
        ids: impl IntoIterator<Item = AccountId>,
    ) -> Result<Directory> {
        let mut all_ids: BTreeSet<i64> = ids.into_iter().map(AccountId::get).collect();
        let mut names = BTreeSet::new();
        for reference in references {
            all_ids.extend(reference.parse_id().map(AccountId::get));
            names.extend(reference.normalized_name());
        }
        self.load(access, &all_ids, &names)
    }

    fn load(
        self,
        access: &Access,
        ids: &BTreeSet<i64>,
        names: &BTreeSet<String>,
    ) -> Result<Directory> {
        let chart = self.tx.chart(access.book().id);
        let cached = chart
            .as_ref()
            .map(|(charts, version)| charts.accounts(*version, ids, names))
            .unwrap_or_default();
        let mut found = Directory::new(cached);
        let unknown_ids =
            ids.iter().copied().filter(|id| found.get(AccountId::new(*id)).is_none()).collect();
        let unknown_names =
            names.iter().filter(|name| found.find_normalized(name).is_none()).cloned().collect();
        let read = self.tx.load_accounts(access, &unknown_ids, &unknown_names)?;
        if let Some((charts, version)) = chart {
            charts.insert(version, &read, &[]);
        }
        read.into_iter().for_each(|account| found.insert(account));
        Ok(found)
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
        Ok(directory.accounts().cloned().collect())
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
        self.tx.invalidate_chart(access.book().id)?;
        let mut before = self.tx.bytes_of_rows(&ACCOUNTS, access.book().id, &ids(changed))?;
        for chunk in regrouped.chunks(MAX_NAMED) {
            let delete =
                Sql::new("DELETE FROM memberships WHERE book_id = {} AND account_id IN {}")
                    .bind((access.book().id, list(chunk)));
            let deleted = self.tx.flushed()?.execute(delete.uncached())?;
            before = before.saturating_add(of_memberships(deleted));
        }
        if changed.len() > 1 {
            self.tx.release_names(&ACCOUNTS, access.book().id, &ids(changed))?;
        }
        self.write(
            access,
            changed,
            Some(regrouped),
            " ON CONFLICT (book_id, id) DO UPDATE SET name = excluded.name, kind = excluded.kind, \
              normalized_name = excluded.normalized_name, archived = excluded.archived, \
              balance_verified = excluded.balance_verified, properties = excluded.properties, \
              has_transaction_posted = excluded.has_transaction_posted, \
              updated_at = excluded.updated_at, version = excluded.version",
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
             updated_at, version)",
            13,
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
        self.tx.invalidate_chart(access.book().id)?;
        let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
        self.tx.delete_from_chart(&ACCOUNTS, access.book().id, &ids)
    }
}

impl Tx<'_> {
    fn load_accounts(
        &mut self,
        access: &Access,
        ids: &BTreeSet<i64>,
        names: &BTreeSet<String>,
    ) -> Result<Vec<Account>> {
        let mut rows: Vec<Row> = Vec::new();
        // Two look-ups by index, because one with OR would be planned as a scan.
        for chunk in chunks(ids.iter().map(|id| Value::Int(*id)).collect()) {
            rows.extend(self.account_rows(access, " AND id IN ", chunk)?);
        }
        for chunk in chunks(names.iter().map(|name| Value::Text(name.as_str().into())).collect()) {
            let named = self.account_rows(access, " AND normalized_name IN ", chunk)?;
            rows.extend(named.into_iter().filter(|row| !ids.contains(&row.id)));
        }
        let mut pairs = Vec::new();
        for chunk in chunks(rows.iter().map(|row| Value::Int(row.id)).collect()) {
            let count = chunk.len();
            let query = Sql::new(
                "SELECT account_id, group_id FROM memberships WHERE book_id = {} \
                 AND account_id IN {}",
            )
            .bind((access.book().id, list(chunk)))
            .cached_up_to(count);
            pairs.extend(self.unflushed()?.rows::<(i64, i64)>(&query)?);
        }
        assemble(rows, pairs)
    }

    fn account_rows(
        &mut self,
        access: &Access,
        condition: &'static str,
        values: Vec<Value<'_>>,
    ) -> Result<Vec<Row>> {
        let count = values.len();
        let query = Sql::new(COLUMNS)
            .bind(access.book().id)
            .push(condition)
            .append(list(values))
            .cached_up_to(count);
        self.unflushed()?.load(&query)
    }
}

fn ids(accounts: &[Account]) -> Vec<i64> {
    accounts.iter().map(|account| account.id.get()).collect()
}

fn chunks(mut values: Vec<Value<'_>>) -> Vec<Vec<Value<'_>>> {
    let mut chunks = Vec::new();
    while !values.is_empty() {
        let rest = values.split_off(values.len().min(MAX_NAMED));
        chunks.push(std::mem::replace(&mut values, rest));
    }
    chunks
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
