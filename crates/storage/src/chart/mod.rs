//! The chart of a book: the code that the repositories of accounts and of groups share.
//!
//! Accounts and groups are loaded by id or name, and rarely change, so all connections of a process
//! share a cache of them ([`cache`]). The book state has a version of the chart. Each change of an
//! account, group or membership increments it, and cached rows of another version are not used.

pub(crate) mod cache;

use std::collections::BTreeSet;
use std::sync::Arc;

use daybook_domain::chart::{Directory, Item};
use daybook_domain::id::BookId;

use crate::commit::tx::Tx;
use crate::conn::sql::{Sql, list};
use crate::error::{Error, Result};
use crate::storage_quota::size::{of_bytes, of_memberships};
use crate::storage_quota::usage::{ACCOUNTS, CountedTable};
use cache::Part;

impl Tx<'_> {
    /// Loads the accounts or groups with these ids or normalized names.
    ///
    /// `read` loads those that are not cached, by their ids and names.
    pub(crate) fn load_items<T: Item>(
        &mut self,
        book: BookId,
        part: Part<T>,
        ids: &BTreeSet<T::Id>,
        names: &BTreeSet<String>,
        read: impl FnOnce(&mut Self, &[T::Id], &[String]) -> Result<Vec<T>>,
    ) -> Result<Directory<T>> {
        let chart = self.chart(book);
        let cached =
            chart.as_ref().map(|(charts, version)| charts.find(*version, part, ids, names));
        let mut found = cached.unwrap_or_default();
        let unknown_ids: Vec<T::Id> =
            ids.iter().copied().filter(|id| found.get(*id).is_none()).collect();
        let is_unknown = |name: &&String| found.find_normalized(name).is_none();
        let unknown_names: Vec<String> = names.iter().filter(is_unknown).cloned().collect();
        let read = read(self, &unknown_ids, &unknown_names)?;
        let read: Vec<Arc<T>> = read.into_iter().map(Arc::new).collect();
        if let Some((charts, version)) = chart.filter(|_| !read.is_empty()) {
            charts.insert(version, part, &read);
        }
        for item in read {
            found.insert(item);
        }
        Ok(found)
    }

    /// Prepares an update of accounts or groups. Returns the storage usage of their rows.
    pub(crate) fn begin_update(
        &mut self,
        table: &CountedTable,
        book: BookId,
        ids: &[i64],
    ) -> Result<i64> {
        self.invalidate_chart(book)?;
        let bytes = self.bytes_of_rows(table, book, ids)?;
        // The items of a batch may exchange names.
        if ids.len() > 1 {
            let release = Sql::new("UPDATE {} SET normalized_name = ' ' || id WHERE book_id = {}")
                .bind((Sql::new(table.name), book))
                .push(" AND id IN ")
                .uncached();
            for release in release.in_chunks(ids) {
                self.flushed()?.run(release)?;
            }
        }
        Ok(bytes)
    }

    /// Deletes accounts or groups with their memberships.
    pub(crate) fn delete_items(
        &mut self,
        table: &CountedTable,
        book: BookId,
        ids: &[i64],
    ) -> Result<()> {
        self.invalidate_chart(book)?;
        let bytes = self.bytes_of_rows(table, book, ids)?;
        let member = if table.name == ACCOUNTS.name { "account_id" } else { "group_id" };
        let mut delete = |from: &'static str, column: &'static str| {
            let rows = Sql::new("DELETE FROM {} WHERE {} IN {} AND book_id = {}")
                .bind((Sql::new(from), Sql::new(column), list(ids), book))
                .uncached();
            Ok::<_, Error>(self.flushed()?.execute(&rows)?)
        };
        let memberships = delete("memberships", member)?;
        delete(table.name, "id")?;
        let bytes = bytes.saturating_add(of_memberships(memberships));
        self.add_usage(book, of_bytes(bytes.saturating_neg()))
    }
}
