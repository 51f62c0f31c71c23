//! Imports of files, and the transactions that they have matched.
//!
//! An import has four documents of the API, which are opaque here, and names two blobs: the file,
//! and the records of its preview. An import in progress, and a preview that expires, is due at an
//! instant; a worker lists the due ones of all books ([`Imports::due`]).

use std::collections::{HashMap, HashSet};

use daybook_domain::access::Access;
use daybook_domain::id::{BookKey, FileId, ImportId, TransactionId, UserId};
use daybook_domain::import::{Import, RecordMatch, State};
use daybook_domain::instant::Instant;
use daybook_domain::purpose::Record;
use diesel::prelude::*;

use crate::access::AccessTo;
use crate::commit::tx::Tx;
use crate::conn::bulk::Bulk;
use crate::conn::sql::{Sql, Value};
use crate::error::{Error, Result};
use crate::page::{MAX_PAGE_TEXT_BYTES, RowPart};
use crate::rows::column;
use crate::schema::imports;
use crate::storage_quota::size::of_bytes;
use crate::storage_quota::usage::IMPORTS;

/// The columns of a [`Row`], of the table `i`.
const COLUMNS: &str = "i.id, i.state, i.name, i.options, i.summary, i.decisions, i.results, \
     i.source, i.preview, i.blob_bytes, i.done, i.total, i.report_id, i.due_at, i.created_by, \
     i.agent, i.created_at, i.updated_at, i.version, i.undo_started_at";

const INSERT: &str = "INSERT INTO imports (book_id, id, state, name, options, summary, decisions, \
     results, source, preview, blob_bytes, done, total, report_id, due_at, created_by, agent, \
     created_at, updated_at, version, undo_started_at)";

/// Replaces everything that changes.
const UPDATE: &str = " ON CONFLICT (book_id, id) DO UPDATE SET state = excluded.state, \
     summary = excluded.summary, decisions = excluded.decisions, results = excluded.results, \
     source = excluded.source, preview = excluded.preview, blob_bytes = excluded.blob_bytes, \
     done = excluded.done, total = excluded.total, report_id = excluded.report_id, \
     due_at = excluded.due_at, updated_at = excluded.updated_at, version = excluded.version, \
     undo_started_at = excluded.undo_started_at";

#[derive(QueryableByName)]
#[diesel(table_name = imports)]
struct Row {
    id: i64,
    state: String,
    name: String,
    options: String,
    summary: String,
    decisions: String,
    results: String,
    source: Option<String>,
    preview: Option<String>,
    blob_bytes: i64,
    done: i64,
    total: i64,
    report_id: Option<i64>,
    due_at: Option<i64>,
    created_by: i64,
    agent: Option<String>,
    created_at: i64,
    updated_at: i64,
    version: i64,
    undo_started_at: Option<i64>,
}

impl TryFrom<Row> for Import {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        Ok(Self {
            id: ImportId::new(row.id),
            state: State::from_name(&row.state).ok_or(Error::Corrupt("state"))?,
            name: row.name,
            options: row.options,
            summary: row.summary,
            decisions: row.decisions,
            results: row.results,
            source: row.source,
            preview: row.preview,
            blob_bytes: row.blob_bytes,
            done: row.done,
            total: row.total,
            report: row.report_id.map(FileId::new),
            due_at: row.due_at.map(Instant::new),
            undo_started_at: row.undo_started_at.map(Instant::new),
            created_by: UserId::new(row.created_by),
            stamp: column::stamp(row.agent, row.created_at, row.updated_at, row.version),
        })
    }
}

/// An import that a worker has to continue or to remove. Only [`Imports::due`] returns it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DueImport {
    /// The book.
    pub book: BookKey,
    /// The import.
    pub id: ImportId,
    /// Its state.
    pub state: State,
    /// Its author.
    pub user: UserId,
}

/// The imports of a book.
pub struct Imports<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Imports<'_, '_> {
    /// Finds an import by id.
    pub fn find(self, access: &Access, id: ImportId) -> Result<Option<Import>> {
        let sql = Sql::new("SELECT {} FROM imports i WHERE i.book_id = {} AND i.id = {}").bind((
            Sql::new(COLUMNS),
            access.book().id,
            id,
        ));
        Ok(self.tx.flushed()?.load_as::<Row, _>(&sql)?.pop())
    }

    /// Lists imports below an id, newest first, up to `limit` and up to the text limit of a page.
    ///
    /// `created_by` restricts the list to the imports of one user.
    pub fn list(
        self,
        access: &Access,
        created_by: Option<UserId>,
        below: Option<ImportId>,
        limit: i64,
    ) -> Result<RowPart<Import>> {
        let mut query = Sql::new("SELECT {} FROM imports i WHERE i.book_id = {}")
            .bind((Sql::new(COLUMNS), access.book().id));
        if let Some(user) = created_by {
            query = query.push(" AND i.created_by = {}").bind(user);
        }
        if let Some(id) = below {
            query = query.push(" AND i.id < {}").bind(id);
        }
        let query = query.push(" ORDER BY i.id DESC LIMIT {}").bind(limit);
        self.tx.flushed()?.load_part(&query, MAX_PAGE_TEXT_BYTES, |row: Row| {
            let Row { name, options, summary, decisions, results, .. } = &row;
            let texts = [name, options, summary, decisions, results];
            let bytes = texts.into_iter().map(String::len).fold(0, usize::saturating_add);
            Ok((Import::try_from(row)?, bytes))
        })
    }

    /// Counts the imports of the caller in a book that have recorded nothing.
    pub fn count_open(self, access: &Access) -> Result<i64> {
        let sql = Sql::new(
            "SELECT COUNT(*) AS open FROM imports WHERE book_id = {} AND due_at IS NOT NULL \
             AND created_by = {} AND results = ''",
        )
        .bind((access.book().id, access.user()));
        Ok(self.tx.flushed()?.row::<i64>(&sql)?.unwrap_or_default())
    }

    /// Lists the imports of all books that are due at an instant, by book and id.
    ///
    /// Those of deleted books are left out.
    pub fn due(self, now: Instant) -> Result<Vec<DueImport>> {
        let sql = Sql::new(
            "SELECT b.public_id, i.id, i.state, i.created_by FROM imports i \
             JOIN books b ON b.id = i.book_id \
             WHERE i.due_at IS NOT NULL AND i.due_at <= {} AND b.deleted_at IS NULL \
             ORDER BY i.id",
        )
        .bind(now.milliseconds());
        let rows: Vec<(String, i64, String, i64)> = self.tx.flushed()?.rows(&sql)?;
        let due = rows.into_iter().map(|(book, id, state, user)| {
            Ok(DueImport {
                book: BookKey::new(book),
                id: ImportId::new(id),
                state: State::from_name(&state).ok_or(Error::Corrupt("state"))?,
                user: UserId::new(user),
            })
        });
        due.collect()
    }

    /// Inserts an import.
    pub fn insert(self, access: &AccessTo<Record>, new: &Import) -> Result<()> {
        self.write(access, new, "", 0)
    }

    /// Saves a changed import.
    pub fn update(self, access: &AccessTo<Record>, changed: &Import) -> Result<()> {
        let before = self.tx.bytes_of_rows(&IMPORTS, access.book().id, &[changed.id.get()])?;
        self.write(access, changed, UPDATE, before)
    }

    fn write(
        self,
        access: &Access,
        import: &Import,
        conflict: &'static str,
        bytes_before: i64,
    ) -> Result<()> {
        let Import { id, state, name, options, summary, decisions, results, .. } = import;
        let Import { source, preview, blob_bytes, done, total, report, due_at, .. } = import;
        let Import { undo_started_at, created_by, stamp, .. } = import;
        let mut rows = Bulk::new(INSERT, 21, conflict);
        rows.row([
            Value::Int(access.book().id.get()),
            Value::Int(id.get()),
            Value::Text(state.as_str().into()),
            Value::Text(name.as_str().into()),
            Value::Text(options.as_str().into()),
            Value::Text(summary.as_str().into()),
            Value::Text(decisions.as_str().into()),
            Value::Text(results.as_str().into()),
            Value::SomeText(source.as_deref().map(Into::into)),
            Value::SomeText(preview.as_deref().map(Into::into)),
            Value::Int(*blob_bytes),
            Value::Int(*done),
            Value::Int(*total),
            Value::SomeInt(report.map(FileId::get)),
            Value::SomeInt(due_at.map(Instant::milliseconds)),
            Value::Int(created_by.get()),
            Value::SomeText(stamp.agent.as_deref().map(Into::into)),
            Value::Int(stamp.created_at.milliseconds()),
            Value::Int(stamp.updated_at.milliseconds()),
            Value::Int(stamp.version),
            Value::SomeInt(undo_started_at.map(Instant::milliseconds)),
        ]);
        self.tx.flushed()?.write(rows)?;
        self.tx.add_growth(&IMPORTS, access.book().id, &[id.get()], bytes_before)
    }

    /// Deletes an import. The sweep of files removes its blobs.
    pub fn delete(self, access: &AccessTo<Record>, id: ImportId) -> Result<()> {
        let book = access.book().id;
        let bytes = self.tx.bytes_of_rows(&IMPORTS, book, &[id.get()])?;
        let target = imports::table.find((book.get(), id.get()));
        self.tx.flushed()?.run(diesel::delete(target))?;
        self.tx.add_usage(book, of_bytes(bytes.saturating_neg()))
    }

    /// Returns those of these imports of a book that are undone, or being undone, each with the
    /// instant at which its undo began.
    pub fn undone(
        self,
        access: &Access,
        ids: &HashSet<ImportId>,
    ) -> Result<HashMap<ImportId, Instant>> {
        let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
        let mut undone = HashMap::new();
        let queries = Sql::new(
            "SELECT id, COALESCE(undo_started_at, 0) AS undo_started_at FROM imports \
             WHERE book_id = {} AND state IN ({}, {}) AND id IN ",
        )
        .bind((access.book().id, State::Undoing.as_str(), State::Undone.as_str()));
        for query in queries.in_chunks(&ids) {
            let rows = self.tx.flushed()?.rows::<(i64, i64)>(&query)?;
            undone.extend(rows.into_iter().map(|(id, at)| (ImportId::new(id), Instant::new(at))));
        }
        Ok(undone)
    }

    /// Returns the matched transactions of these remote ids, with the remote ids.
    pub fn matches(
        self,
        access: &Access,
        remote_ids: &[String],
    ) -> Result<Vec<(String, TransactionId)>> {
        let mut found = Vec::new();
        let queries = Sql::new(
            "SELECT remote_id, transaction_id FROM import_matches WHERE book_id = {} \
             AND remote_id IN ",
        )
        .bind(access.book().id);
        for query in queries.in_chunks(remote_ids) {
            let rows: Vec<(String, i64)> = self.tx.flushed()?.rows(&query)?;
            found.extend(rows.into_iter().map(|(id, row)| (id, TransactionId::new(row))));
        }
        Ok(found)
    }

    /// Returns the remote ids that imports have matched with these transactions.
    pub fn remote_ids_of(
        self,
        access: &Access,
        transactions: &[TransactionId],
    ) -> Result<HashMap<TransactionId, Vec<String>>> {
        let mut found: HashMap<TransactionId, Vec<String>> = HashMap::new();
        let queries = Sql::new(
            "SELECT transaction_id, remote_id FROM import_matches WHERE book_id = {} \
             AND transaction_id IN ",
        )
        .bind(access.book().id);
        for query in queries.in_chunks(transactions) {
            for (transaction, remote_id) in self.tx.flushed()?.rows::<(i64, String)>(&query)? {
                found.entry(TransactionId::new(transaction)).or_default().push(remote_id);
            }
        }
        Ok(found)
    }

    /// Lists up to `limit` matches of an import, by remote id.
    pub fn matches_of(
        self,
        access: &Access,
        import: ImportId,
        limit: i64,
    ) -> Result<Vec<RecordMatch>> {
        let sql = Sql::new(
            "SELECT remote_id, transaction_id, given FROM import_matches WHERE book_id = {} \
             AND import_id = {} ORDER BY remote_id LIMIT {}",
        )
        .bind((access.book().id, import, limit));
        let rows: Vec<(String, i64, bool)> = self.tx.flushed()?.rows(&sql)?;
        let matches = rows.into_iter().map(|(remote_id, transaction, given)| RecordMatch {
            remote_id,
            transaction: TransactionId::new(transaction),
            import,
            given,
        });
        Ok(matches.collect())
    }

    /// Inserts matches. A remote id that is matched already is left as it is.
    pub fn insert_matches(self, access: &AccessTo<Record>, new: &[RecordMatch]) -> Result<()> {
        if new.is_empty() {
            return Ok(());
        }
        let mut rows = Bulk::new(
            "INSERT INTO import_matches (book_id, remote_id, transaction_id, import_id, given)",
            5,
            " ON CONFLICT (book_id, remote_id) DO NOTHING",
        );
        for RecordMatch { remote_id, transaction, import, given } in new {
            rows.row([
                Value::Int(access.book().id.get()),
                Value::Text(remote_id.as_str().into()),
                Value::Int(transaction.get()),
                Value::Int(import.get()),
                Value::Flag(*given),
            ]);
        }
        Ok(self.tx.flushed()?.write(rows)?)
    }

    /// Deletes the matches of these remote ids.
    pub fn delete_matches(self, access: &AccessTo<Record>, remote_ids: &[String]) -> Result<()> {
        let queries = Sql::new("DELETE FROM import_matches WHERE book_id = {} AND remote_id IN ")
            .bind(access.book().id);
        for query in queries.in_chunks(remote_ids) {
            self.tx.flushed()?.run(&query)?;
        }
        Ok(())
    }
}
