//! Saving transactions: their rows and index terms, in a handful of statements however many there
//! are.

use std::collections::BTreeSet;

use daybook_domain::id::{BookId, TransactionId};
use daybook_domain::purpose::Record;
use daybook_domain::transaction::Transaction;

use super::Transactions;
use super::copy::keep_originals;
use super::month_counts::CountDeltas;
use super::row;
use super::trigram_index::FoldedText;
use crate::access::AccessTo;
use crate::bot_response::move_failed;
use crate::bulk::Bulk;
use crate::column::day_to_column;
use crate::error::Result;
use crate::index_term;
use crate::sql::{Sql, Value};
use crate::stored::of_transaction;
use crate::tx::Flushed;
use crate::write_buffer::Added;

const INSERT: &str = "INSERT INTO transactions \
     (book_id, id, day, dated, standing, trashed, amount, credit_account_id, debit_account_id, \
     description, folded_description, posted_at, properties, urls, remote_ids, created_by, agent, \
     created_at, updated_at, version, files)";

/// A bulk update is an insert whose key is there already: one statement, whatever each row becomes.
const OR_UPDATE: &str = " ON CONFLICT (book_id, id) DO UPDATE SET \
     day = excluded.day, \
     dated = excluded.dated, \
     standing = excluded.standing, \
     trashed = excluded.trashed, \
     amount = excluded.amount, \
     credit_account_id = excluded.credit_account_id, \
     debit_account_id = excluded.debit_account_id, \
     description = excluded.description, \
     folded_description = excluded.folded_description, \
     posted_at = excluded.posted_at, \
     properties = excluded.properties, \
     urls = excluded.urls, \
     remote_ids = excluded.remote_ids, \
     updated_at = excluded.updated_at, \
     version = excluded.version, \
     files = excluded.files";

const INSERT_TERMS: &str = "INSERT INTO index_terms (book_id, term, day, transaction_id)";

/// What became of a transaction in this unit of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// As it was; none when it is new.
    pub before: Option<Transaction>,
    /// As it is now.
    pub after: Transaction,
}

impl Change {
    /// A new transaction.
    #[must_use]
    pub const fn new(after: Transaction) -> Self {
        Self { before: None, after }
    }
}

/// The rows of new transactions and their index terms, of any books. Terms come in the order of
/// their keys, in that of bytes, so that an engine adds them at one place of its tree after the
/// other.
pub(crate) fn added_rows(added: &[Added]) -> Result<[Bulk<'_>; 2]> {
    let mut rows = Bulk::new(INSERT, 21, "");
    let mut terms = Vec::new();
    for Added { book, scale, transaction } in added {
        row::push(&mut rows, *book, *scale, transaction)?;
        let day = day_to_column(transaction.list_day);
        let found = index_term::of(transaction).into_iter();
        terms.extend(found.map(|term| (*book, term, day, transaction.id)));
    }
    terms.sort_unstable();
    let mut term_rows = Bulk::new(INSERT_TERMS, 4, "");
    terms
        .into_iter()
        .for_each(|(book, term, day, id)| push_term(&mut term_rows, book, (term, day), id));
    Ok([rows, term_rows])
}

impl Transactions<'_, '_> {
    /// Queues new transactions. Indexes the texts of those that lie within the index, which
    /// flushes. Begins to flush many, if this unit of work is alone.
    pub fn queue(self, access: &AccessTo<Record>, added: Vec<Transaction>) -> Result<()> {
        // Without a change the book state must not move, so that the unit of work writes nothing.
        if added.is_empty() {
            return Ok(());
        }
        let (book, scale) = (access.book().id, access.book().scale);
        let until = self.tx.trigram_extent(book)?.until;
        // Another process, or a clock set back, may have minted an id below those that are indexed.
        let late: Vec<FoldedText> = added
            .iter()
            .filter(|transaction| transaction.id.get() <= until)
            .map(FoldedText::of)
            .collect();
        let behind = added.len().saturating_sub(late.len());
        let stored = added.iter().map(of_transaction).sum();
        self.tx.note_stored(book, stored)?;
        let mut counts = CountDeltas::default();
        added.iter().for_each(|transaction| counts.add(book, transaction));
        self.tx.buffer().queue_counts(counts);
        for transaction in added {
            self.tx.buffer().queue_transaction(Added { book, scale, transaction });
        }
        self.tx.index_added(access.book(), &late, behind)?;
        self.tx.flush_own_ahead()
    }

    /// Saves changed transactions.
    pub fn update(self, access: &AccessTo<Record>, changes: &[Change]) -> Result<()> {
        if changes.is_empty() {
            return Ok(());
        }
        let (book, scale) = (access.book().id, access.book().scale);
        let mut rows = Bulk::new(INSERT, 21, OR_UPDATE);
        let mut terms = Bulk::new(INSERT_TERMS, 4, "");
        let mut gone_terms = Vec::new();
        let mut counts = CountDeltas::default();
        changes.iter().for_each(|change| counts.change(book, change));
        self.tx.buffer().queue_counts(counts);
        for Change { before, after } in changes {
            row::push(&mut rows, book, scale, after)?;
            let old = before.as_ref().map(placed_terms).unwrap_or_default();
            let new = placed_terms(after);
            gone_terms.extend(
                old.iter()
                    .filter(|old| !new.contains(old))
                    .cloned()
                    .map(|(term, day)| (term, day, after.id)),
            );
            new.into_iter()
                .filter(|new| !old.contains(new))
                .for_each(|placed| push_term(&mut terms, book, placed, after.id));
        }
        let mut conn = self.tx.flushed()?;
        let originals = changes.iter().filter_map(|change| change.before.as_ref());
        keep_originals(&mut conn, access, originals)?;
        conn.write(rows)?;
        delete_terms(&mut conn, book, gone_terms)?;
        conn.write(terms)?;
        let has_moved = |change: &&Change| {
            change.before.as_ref().is_some_and(|before| before.list_day != change.after.list_day)
        };
        let moved = changes.iter().filter(has_moved).map(|change| change.after.id.get());
        move_failed(&mut conn, book, &moved.collect::<Vec<_>>())?;
        self.tx.index_changed(book, changes)?;
        let grown = |Change { before, after }: &Change| {
            of_transaction(after) - before.as_ref().map(of_transaction).unwrap_or_default()
        };
        self.tx.note_stored(book, changes.iter().map(grown).sum())
    }
}

fn placed_terms(transaction: &Transaction) -> BTreeSet<(String, i32)> {
    let day = day_to_column(transaction.list_day);
    index_term::of(transaction).into_iter().map(|term| (term, day)).collect()
}

fn push_term(
    rows: &mut Bulk<'_>,
    book: BookId,
    (term, day): (String, i32),
    transaction: TransactionId,
) {
    rows.row([
        Value::Int(book.get()),
        Value::Text(term.into()),
        Value::Int(i64::from(day)),
        Value::Int(transaction.get()),
    ]);
}

/// Rows one delete names at most; far below every limit of values.
const DELETED_AT_ONCE: usize = 5_000;

fn delete_terms(
    conn: &mut Flushed<'_>,
    book: BookId,
    gone: Vec<(String, i32, TransactionId)>,
) -> Result<()> {
    let mut gone = gone.into_iter().peekable();
    while gone.peek().is_some() {
        let keys = gone.by_ref().take(DELETED_AT_ONCE).map(|(term, day, transaction)| {
            [Value::Text(term.into()), Value::Int(i64::from(day)), Value::Int(transaction.get())]
        });
        let sql = Sql::new("DELETE FROM index_terms WHERE book_id = ")
            .int(book.get())
            .push(" AND (term, day, transaction_id) IN (VALUES ");
        let (sql, _) = sql.rows(keys);
        conn.execute(&sql.push(")").uncached())?;
    }
    Ok(())
}
