//! Groups of accounts.

use std::collections::BTreeSet;
use std::sync::Arc;

use daybook_domain::access::Access;
use daybook_domain::account::AccountType;
use daybook_domain::group::{Forest, Group};
use daybook_domain::id::GroupId;
use daybook_domain::name::Name;
use daybook_domain::purpose::WriteChart;
use diesel::prelude::*;

use crate::access::AccessTo;
use crate::chart::cache;
use crate::commit::tx::Tx;
use crate::conn::bulk::Bulk;
use crate::conn::sql::{Sql, Value};
use crate::error::{Error, Result};
use crate::rows::column;
use crate::schema::{account_groups, accounts, memberships};
use crate::storage_quota::usage::GROUPS;

/// Selects the columns of a [`Row`].
const COLUMNS: &str = "SELECT id, name, parent_id, hidden, locked, properties, agent, created_at, \
    updated_at, version \
    FROM account_groups WHERE book_id = {}";

#[derive(Queryable, QueryableByName, Selectable)]
#[diesel(table_name = account_groups)]
struct Row {
    id: i64,
    name: String,
    parent_id: Option<i64>,
    hidden: bool,
    locked: bool,
    properties: Option<String>,
    agent: Option<String>,
    created_at: i64,
    updated_at: i64,
    version: i64,
}

impl TryFrom<Row> for Group {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        Ok(Self {
            id: GroupId::new(row.id),
            name: Name::stored(row.name),
            parent: row.parent_id.map(GroupId::new),
            hidden: row.hidden,
            locked: row.locked,
            properties: column::properties_from_text(row.properties)?,
            stamp: column::stamp(row.agent, row.created_at, row.updated_at, row.version),
        })
    }
}

/// The groups of a book.
pub struct Groups<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Groups<'_, '_> {
    /// Loads all groups with the account types below each.
    ///
    /// This scans all memberships, so it is cached until the chart changes.
    pub fn forest(self, access: &Access) -> Result<Arc<Forest>> {
        let tx = self.tx;
        let chart = tx.chart(access.book().id);
        let known = chart.as_ref().and_then(|(charts, version)| charts.forest(*version));
        if let Some(known) = known {
            return Ok(known);
        }
        let groups = tx.groups().list(access)?;
        let has_groups = !groups.is_empty();
        let types = if has_groups { tx.groups().types(access)? } else { Vec::new() };
        let forest = Arc::new(Forest::new(groups, types));
        if let Some((charts, version)) = &chart {
            charts.insert_forest(*version, &forest);
        }
        Ok(forest)
    }

    /// Lists the account types of the direct members of groups, from which the flags of groups
    /// follow.
    fn types(self, access: &Access) -> Result<Vec<(GroupId, AccountType)>> {
        let query = memberships::table
            .inner_join(
                accounts::table.on(accounts::book_id
                    .eq(memberships::book_id)
                    .and(accounts::id.eq(memberships::account_id))),
            )
            .filter(memberships::book_id.eq(access.book().id.get()))
            .select((memberships::group_id, accounts::kind))
            .distinct();
        let pairs: Vec<(i64, String)> = self.tx.unflushed()?.load(query)?;
        let convert = |(group, kind): (i64, String)| {
            Ok((GroupId::new(group), AccountType::from_name(&kind).ok_or(Error::Corrupt("kind"))?))
        };
        pairs.into_iter().map(convert).collect()
    }

    /// Lists all groups, in no order.
    pub fn list(self, access: &Access) -> Result<Vec<Group>> {
        let query =
            account_groups::table.filter(account_groups::book_id.eq(access.book().id.get()));
        self.tx.unflushed()?.select_all::<Row, _>(query)
    }

    /// Loads the groups with these ids, in no order.
    pub fn by_ids(
        self,
        access: &Access,
        ids: impl IntoIterator<Item = GroupId>,
    ) -> Result<Vec<Group>> {
        let book = access.book().id;
        let read = |tx: &mut Tx<'_>, ids: &[_], _: &[_]| {
            let mut groups = Vec::new();
            for query in Sql::new(COLUMNS).bind(book).push(" AND id IN ").in_chunks(ids) {
                groups.extend(tx.unflushed()?.load_as::<Row, Group>(&query)?);
            }
            Ok(groups)
        };
        let (ids, names) = (ids.into_iter().collect(), BTreeSet::new());
        Ok(self.tx.load_items(book, cache::GROUPS, &ids, &names, read)?.into_items())
    }

    /// Inserts groups.
    pub fn insert(self, access: &AccessTo<WriteChart>, new: &[Group]) -> Result<()> {
        self.tx.invalidate_chart(access.book().id)?;
        self.write(access, new, "", 0)
    }

    /// Saves changed groups.
    pub fn update(self, access: &AccessTo<WriteChart>, changed: &[Group]) -> Result<()> {
        if changed.is_empty() {
            return Ok(());
        }
        let before = self.tx.begin_update(&GROUPS, access.book().id, &ids(changed))?;
        self.write(
            access,
            changed,
            " ON CONFLICT (book_id, id) DO UPDATE SET name = excluded.name, \
              normalized_name = excluded.normalized_name, parent_id = excluded.parent_id, \
              hidden = excluded.hidden, locked = excluded.locked, \
              properties = excluded.properties, updated_at = excluded.updated_at, \
              version = excluded.version",
            before,
        )
    }

    /// Writes groups. `bytes_before` is the storage usage of the replaced rows.
    fn write(
        self,
        access: &Access,
        groups: &[Group],
        conflict: &'static str,
        bytes_before: i64,
    ) -> Result<()> {
        let mut rows = Bulk::new(
            "INSERT INTO account_groups (book_id, id, name, normalized_name, parent_id, hidden, \
             locked, properties, agent, created_at, updated_at, version)",
            12,
            conflict,
        );
        for Group { id, name, parent, hidden, locked, properties, stamp } in groups {
            rows.row([
                Value::Int(access.book().id.get()),
                Value::Int(id.get()),
                Value::Text(name.as_str().into()),
                Value::Text(name.normalized().into()),
                Value::SomeInt(parent.map(GroupId::get)),
                Value::Flag(*hidden),
                Value::Flag(*locked),
                Value::SomeText(column::properties_to_text(properties).map(Into::into)),
                Value::SomeText(stamp.agent.as_deref().map(Into::into)),
                Value::Int(stamp.created_at.milliseconds()),
                Value::Int(stamp.updated_at.milliseconds()),
                Value::Int(stamp.version),
            ]);
        }
        self.tx.flushed()?.write(rows)?;
        self.tx.add_growth(&GROUPS, access.book().id, &ids(groups), bytes_before)
    }

    /// Deletes groups with their memberships.
    pub fn delete(self, access: &AccessTo<WriteChart>, ids: &[GroupId]) -> Result<()> {
        let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
        self.tx.delete_items(&GROUPS, access.book().id, &ids)
    }
}

fn ids(groups: &[Group]) -> Vec<i64> {
    groups.iter().map(|group| group.id.get()).collect()
}
