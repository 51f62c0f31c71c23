//! Accounts: rows and repository.

use std::collections::{BTreeSet, HashMap};

use daybook_domain::access::Access;
use daybook_domain::account::{Account, AccountRef, AccountType, Directory};
use daybook_domain::id::{AccountId, GroupId};
use daybook_domain::name::Name;
use daybook_domain::purpose::{Record, WriteChart};
use diesel::prelude::*;

use crate::access::AccessTo;
use crate::bulk::Bulk;
use crate::column;
use crate::conn::on_engine;
use crate::error::{Error, Result};
use crate::schema::{accounts, memberships};
use crate::sql::{MAX_NAMED, Sql, Value};
use crate::stored::{ACCOUNTS, bytes, of_memberships};
use crate::tx::Tx;

/// The columns of a [`Row`], for statements that name accounts one by one.
const COLUMNS: &str = "SELECT id, name, kind, archived, balance_verified, has_transaction_posted, \
    properties, agent, created_at, updated_at, version FROM accounts WHERE book_id = ";

#[derive(QueryableByName)]
#[diesel(table_name = memberships)]
struct Membership {
    account_id: i64,
    group_id: i64,
}

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
        let Self {
            id,
            name,
            kind,
            archived,
            balance_verified,
            has_transaction_posted,
            properties,
            agent,
            created_at,
            updated_at,
            version,
        } = self;
        Ok(Account {
            id: AccountId::new(id),
            name: Name::stored(name),
            kind: AccountType::from_name(&kind).ok_or(Error::Corrupt("kind"))?,
            archived,
            balance_verified,
            has_transaction_posted,
            properties: column::properties_from_text(properties)?,
            groups,
            stamp: column::stamp(agent, created_at, updated_at, version),
        })
    }
}

/// The accounts of a book.
pub struct Accounts<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Accounts<'_, '_> {
    /// All accounts, in no order.
    pub fn list(self, access: &Access) -> Result<Vec<Account>> {
        let book = access.book().id.get();
        let query = accounts::table.filter(accounts::book_id.eq(book));
        let rows: Vec<Row> =
            on_engine!(self.tx.unflushed()?, c => query.select(Row::as_select()).load(c))?;
        let query = memberships::table.filter(memberships::book_id.eq(book));
        let pairs = on_engine!(
            self.tx.unflushed()?,
            c => query.select((memberships::account_id, memberships::group_id)).load(c)
        )?;
        assemble(rows, pairs)
    }

    /// The names of the accounts that are not archived, in no order.
    pub fn names(self, access: &Access) -> Result<Vec<(AccountId, String)>> {
        let query = accounts::table
            .filter(accounts::book_id.eq(access.book().id.get()).and(accounts::archived.eq(false)))
            .select((accounts::id, accounts::name));
        let rows: Vec<(i64, String)> = on_engine!(self.tx.unflushed()?, c => query.load(c))?;
        Ok(rows.into_iter().map(|(id, name)| (AccountId::new(id), name)).collect())
    }

    /// The accounts with these ids, ready to be looked up.
    pub fn by_ids(
        self,
        access: &Access,
        ids: impl IntoIterator<Item = AccountId>,
    ) -> Result<Directory> {
        let ids: BTreeSet<i64> = ids.into_iter().map(AccountId::get).collect();
        self.load(access, &ids, &BTreeSet::new())
    }

    /// The accounts these references mean, and those with these ids: two statements, however many
    /// there are.
    pub fn directory<'r>(
        self,
        access: &Access,
        references: impl IntoIterator<Item = &'r AccountRef>,
        ids: impl IntoIterator<Item = AccountId>,
    ) -> Result<Directory> {
        let mut wanted: BTreeSet<i64> = ids.into_iter().map(AccountId::get).collect();
        let mut names = BTreeSet::new();
        for reference in references {
            wanted.extend(reference.id_as().map(AccountId::get));
            names.extend(reference.normalized_name());
        }
        self.load(access, &wanted, &names)
    }

    fn load(
        self,
        access: &Access,
        ids: &BTreeSet<i64>,
        names: &BTreeSet<String>,
    ) -> Result<Directory> {
        let chart = self.tx.chart(access.book().id);
        let remembered = chart
            .as_ref()
            .map(|(charts, version)| charts.accounts(*version, ids, names))
            .unwrap_or_default();
        let mut found = Directory::new(remembered);
        let unknown_ids =
            ids.iter().copied().filter(|id| found.get(AccountId::new(*id)).is_none()).collect();
        let unknown_names =
            names.iter().filter(|name| found.named(name).is_none()).cloned().collect();
        let read = self.tx.load_accounts(access, &unknown_ids, &unknown_names)?;
        if let Some((charts, version)) = chart {
            charts.learn(version, &read, &[]);
        }
        read.into_iter().for_each(|account| found.put(account));
        Ok(found)
    }

    /// The accounts directly in any of these groups, in no order.
    pub fn in_groups(self, access: &Access, groups: &[GroupId]) -> Result<Vec<Account>> {
        let book = access.book().id.get();
        let mut ids: Vec<i64> = Vec::new();
        for chunk in groups.chunks(MAX_NAMED) {
            let inside = memberships::table
                .filter(
                    memberships::book_id
                        .eq(book)
                        .and(memberships::group_id.eq_any(chunk.iter().map(|id| id.get()))),
                )
                .select(memberships::account_id);
            let found: Vec<i64> = on_engine!(self.tx.unflushed()?, c => inside.load(c))?;
            ids.extend(found);
        }
        let directory = self.by_ids(access, ids.into_iter().map(AccountId::new))?;
        Ok(directory.accounts().cloned().collect())
    }

    /// For how many bytes the accounts, groups and memberships count (behaviour 10.14), if these
    /// are more than `most`.
    pub fn chart_above(self, access: &Access, most: i64) -> Result<Option<i64>> {
        self.tx.chart_above(access.book().id, most)
    }

    /// Adds accounts with their memberships.
    pub fn insert(self, access: &AccessTo<WriteChart>, added: &[Account]) -> Result<()> {
        self.tx.invalidate_chart(access.book().id)?;
        self.write(access, (added, None), "", 0)
    }

    /// Saves changed accounts, and the memberships of those among them that are `regrouped`.
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
        let book = access.book().id.get();
        let mut before = self.tx.counted_bytes(&ACCOUNTS, access.book().id, &ids(changed))?;
        for chunk in regrouped.chunks(MAX_NAMED) {
            let ids = chunk.iter().map(|id| Value::Int(id.get()));
            let left = Sql::new("DELETE FROM memberships WHERE book_id = ")
                .int(book)
                .push(" AND account_id IN ")
                .list(ids);
            let left = self.tx.flushed()?.execute(&left.uncached())?;
            before = before.saturating_add(of_memberships(left));
        }
        // Names may pass from one account to another within a batch: all are given up before any is
        // taken.
        for chunk in changed.chunks(MAX_NAMED).filter(|_| changed.len() > 1) {
            let ids = chunk.iter().map(|account| Value::Int(account.id.get()));
            let freed =
                Sql::new("UPDATE accounts SET normalized_name = ' ' || id WHERE book_id = ")
                    .int(book);
            self.tx.flushed()?.execute(&freed.push(" AND id IN ").list(ids).uncached())?;
        }
        self.write(
            access,
            (changed, Some(regrouped)),
            " ON CONFLICT (book_id, id) DO UPDATE SET name = excluded.name, kind = excluded.kind, \
              normalized_name = excluded.normalized_name, archived = excluded.archived, \
              balance_verified = excluded.balance_verified, properties = excluded.properties, \
              has_transaction_posted = excluded.has_transaction_posted, \
              updated_at = excluded.updated_at, version = excluded.version",
            before,
        )
    }

    /// Writes accounts, for which so many bytes counted before, and the memberships of all or some.
    fn write(
        self,
        access: &Access,
        (accounts, regrouped): (&[Account], Option<&[AccountId]>),
        conflict: &'static str,
        before: i64,
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
            let joins = regrouped.is_none_or(|some| some.binary_search(id).is_ok());
            for group in groups.iter().filter(|_| joins) {
                pairs.row([Value::Int(book), Value::Int(group.get()), Value::Int(id.get())]);
            }
        }
        self.tx.flushed()?.write(rows)?;
        let joined = self.tx.flushed()?.write_counted(pairs)?;
        let after = self.tx.counted_bytes(&ACCOUNTS, access.book().id, &ids(accounts))?;
        let after = after.saturating_add(of_memberships(joined));
        self.tx.note_stored(access.book().id, bytes(after.saturating_sub(before)))
    }

    /// Notes that something was posted on these accounts, for ever (behaviour 4.7).
    pub fn mark_posted(self, access: &AccessTo<Record>, ids: &[AccountId]) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        self.tx.invalidate_chart(access.book().id)?;
        // A copy marks all accounts of a book.
        for some in ids.chunks(MAX_NAMED) {
            let named = accounts::id.eq_any(some.iter().map(|id| id.get()));
            let own = accounts::book_id.eq(access.book().id.get()).and(named);
            let query = diesel::update(accounts::table.filter(own));
            let query = query.set(accounts::has_transaction_posted.eq(true));
            on_engine!(self.tx.flushed()?, c => query.execute(c))?;
        }
        Ok(())
    }

    /// Removes accounts with their memberships.
    pub fn delete(self, access: &AccessTo<WriteChart>, ids: &[AccountId]) -> Result<()> {
        self.tx.invalidate_chart(access.book().id)?;
        let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
        self.tx.delete_of_chart(&ACCOUNTS, access.book().id, &ids)
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
        // Two look-ups by index; one with OR would be planned as a scan.
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
            let wanted = Sql::new("SELECT account_id, group_id FROM memberships WHERE book_id = ")
                .int(access.book().id.get());
            let wanted = wanted.push(" AND account_id IN ").list(chunk).cached_up_to(count);
            let found: Vec<Membership> = on_engine!(self.unflushed()?, c => (&wanted).load(c))?;
            pairs.extend(found.into_iter().map(|pair| (pair.account_id, pair.group_id)));
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
        let wanted = Sql::new(COLUMNS)
            .int(access.book().id.get())
            .push(condition)
            .list(values)
            .cached_up_to(count);
        Ok(on_engine!(self.unflushed()?, c => (&wanted).load(c))?)
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
