//! Saving transactions: their rows and index terms, in a fixed number of statements.

use std::collections::BTreeSet;

use daybook_domain::id::{BookId, TransactionId};
use daybook_domain::purpose::{Record, WriteComments};
use daybook_domain::transaction::Transaction;

use super::Transactions;
use super::change::Change;
use super::copy::keep_originals;
use super::trigram_index::FoldedText;
use crate::access::AccessTo;
use crate::bot_response::move_failed;
use crate::commit::tx::Flushed;
use crate::conn::sql::{Sql, Value, rows};
use crate::error::Result;
use crate::index_term;
use crate::rows::column::day_to_column;
use crate::rows::month_counts::CountDeltas;
use crate::rows::transaction::{NewTransaction, push_row, push_term, term_rows, update_rows};
use crate::storage_quota::size::of_transaction;

impl Transactions<'_, '_> {
    /// Queues new transactions.
    ///
    /// It indexes the texts of those with ids within the trigram index, which flushes. If there are
    /// many and the unit of work is alone, it starts a background flush.
    pub fn queue(self, access: &AccessTo<Record>, new: Vec<Transaction>) -> Result<()> {
        // An unchanged book state lets the unit of work write nothing.
        if new.is_empty() {
            return Ok(());
        }
        let (book, scale) = (access.book().id, access.book().scale);
        let until = self.tx.trigram_extent(book)?.until;
        // Another process, or a clock that was set back, may create an id below the indexed ones.
        let late: Vec<FoldedText> = new
            .iter()
            .filter(|transaction| transaction.id.get() <= until)
            .map(FoldedText::of)
            .collect();
        let unindexed = new.len().saturating_sub(late.len());
        let usage = new.iter().map(of_transaction).sum();
        self.tx.add_usage(book, usage)?;
        let mut counts = CountDeltas::default();
        new.iter().for_each(|transaction| counts.add(book, transaction));
        self.tx.buffer().queue_counts(counts);
        for transaction in new {
            self.tx.buffer().queue_transaction(NewTransaction { book, scale, transaction });
        }
        self.tx.index_added(access.book(), &late, unindexed)?;
        self.tx.flush_own_in_background()
    }

    /// Saves changed transactions.
    pub fn update(self, access: &AccessTo<Record>, changes: &[Change]) -> Result<()> {
        if changes.is_empty() {
            return Ok(());
        }
        let (book, scale) = (access.book().id, access.book().scale);
        let mut rows = update_rows();
        let mut terms = term_rows();
        let mut removed_terms = Vec::new();
        let mut counts = CountDeltas::default();
        for Change { before, after } in changes {
            counts.change(book, before.as_ref(), after);
        }
        self.tx.buffer().queue_counts(counts);
        for Change { before, after } in changes {
            push_row(&mut rows, book, scale, after)?;
            let old = before.as_ref().map(dated_terms).unwrap_or_default();
            let new = dated_terms(after);
            removed_terms.extend(
                old.iter()
                    .filter(|old| !new.contains(old))
                    .cloned()
                    .map(|(term, day)| (term, day, after.id)),
            );
            for (term, day) in new.into_iter().filter(|new| !old.contains(new)) {
                push_term(&mut terms, book, term, day, after.id);
            }
        }
        let mut conn = self.tx.flushed()?;
        let originals = changes.iter().filter_map(|change| change.before.as_ref());
        keep_originals(&mut conn, access, originals)?;
        conn.write(rows)?;
        delete_terms(&mut conn, book, removed_terms)?;
        conn.write(terms)?;
        let has_moved = |change: &&Change| {
            change.before.as_ref().is_some_and(|before| before.list_day != change.after.list_day)
        };
        let moved = changes.iter().filter(has_moved).map(|change| change.after.id.get());
        move_failed(&mut conn, book, &moved.collect::<Vec<_>>())?;
        self.tx.index_changed(book, changes)?;
        let growth = |Change { before, after }: &Change| {
            of_transaction(after) - before.as_ref().map(of_transaction).unwrap_or_default()
        };
        self.tx.add_usage(book, changes.iter().map(growth).sum())
    }
}

impl Transactions<'_, '_> {
    /// Saves the number of comments on a transaction, whose row has another one.
    pub fn set_comment_count(
        self,
        access: &AccessTo<WriteComments>,
        transaction: &Transaction,
        count: u32,
    ) -> Result<()> {
        let (book, id) = (access.book().id, transaction.id);
        let mut conn = self.tx.flushed()?;
        let sql =
            Sql::new("UPDATE transactions SET comment_count = {} WHERE book_id = {} AND id = {}")
                .bind((i64::from(count), book, id.get()));
        conn.run(&sql)?;
        let (term, day) = (index_term::COMMENTED.to_owned(), day_to_column(transaction.list_day));
        match (transaction.comment_count, count) {
            (0, 1..) => {
                let mut terms = term_rows();
                push_term(&mut terms, book, term, day, id);
                Ok(conn.write(terms)?)
            }
            (1.., 0) => delete_terms(&mut conn, book, vec![(term, day, id)]),
            (0, 0) | (1.., 1..) => Ok(()),
        }
    }
}

/// Returns the index terms of a transaction, with its day.
fn dated_terms(transaction: &Transaction) -> BTreeSet<(String, i32)> {
    let day = day_to_column(transaction.list_day);
    index_term::of(transaction).into_iter().map(|term| (term, day)).collect()
}

/// Maximum number of terms in a DELETE, far below the limit of bound values.
const MAX_DELETED_TERMS: usize = 5_000;

fn delete_terms(
    conn: &mut Flushed<'_>,
    book: BookId,
    removed: Vec<(String, i32, TransactionId)>,
) -> Result<()> {
    let mut removed = removed.into_iter().peekable();
    while removed.peek().is_some() {
        let keys = removed.by_ref().take(MAX_DELETED_TERMS).map(|(term, day, transaction)| {
            [Value::Text(term.into()), Value::Int(i64::from(day)), Value::Int(transaction.get())]
        });
        let sql = Sql::new(
            "DELETE FROM index_terms WHERE book_id = {} \
             AND (term, day, transaction_id) IN (VALUES ",
        )
        .bind(book);
        conn.run(sql.append(rows(keys)).push(")").uncached())?;
    }
    Ok(())
}
