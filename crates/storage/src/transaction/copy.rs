//! The transactions of a book in portions, for a copy.
//!
//! A portion is bounded in rows and in text, because it is one unit of work of the writer, which
//! delays others.

use daybook_domain::access::Access;
use daybook_domain::book::copy::row_digest;
use daybook_domain::id::TransactionId;
use daybook_domain::transaction::Transaction;
use time::Date;

use super::Transactions;
use crate::conn::Conn;
use crate::conn::bulk::Bulk;
use crate::conn::sql::{Sql, Value};
use crate::error::Result;
use crate::rows::column::day_to_column;
use crate::rows::transaction::COLUMNS;

/// Maximum number of transactions of a portion.
const MAX_ROWS: usize = 1_000;
/// Maximum number of characters of a portion with more than one transaction. It also bounds the
/// index terms.
const MAX_TEXT: i64 = 1024 * 1024;

/// A portion of the transactions to copy, in the order of their ids.
#[derive(Debug)]
pub struct Portion {
    /// The transactions.
    pub transactions: Vec<Transaction>,
    /// The id after which the next portion begins, if there is one.
    pub next: Option<TransactionId>,
}

struct PortionEnd {
    last: TransactionId,
    /// Whether more transactions follow.
    has_more: bool,
}

impl Transactions<'_, '_> {
    /// Returns whether the transactions to copy exceed one portion.
    pub fn exceed_one_portion(self, source: &Access, from: Option<Date>) -> Result<bool> {
        Ok(self.portion_end(source, from, i64::MIN)?.is_some_and(|end| end.has_more))
    }

    /// Loads the next portion after an id: transactions that are not trashed, from day `from`.
    pub fn portion(
        self,
        source: &Access,
        from: Option<Date>,
        after: Option<TransactionId>,
    ) -> Result<Portion> {
        let after = after.map_or(i64::MIN, TransactionId::get);
        let Some(PortionEnd { last, has_more }) =
            self.tx.transactions().portion_end(source, from, after)?
        else {
            return Ok(Portion { transactions: Vec::new(), next: None });
        };
        let rows = Sql::new("SELECT ").push(COLUMNS);
        let rows = within(rows, source, from, after, last.get());
        let transactions = self.part(source, &rows, usize::MAX)?.rows;
        Ok(Portion { transactions, next: has_more.then_some(last) })
    }

    /// Returns the end of the portion after an id, or nothing if no transaction is left.
    fn portion_end(
        self,
        source: &Access,
        from: Option<Date>,
        after: i64,
    ) -> Result<Option<PortionEnd>> {
        let limit = i64::try_from(MAX_ROWS).unwrap_or(i64::MAX).saturating_add(1);
        let sizes = Sql::new(
            "SELECT t.id, CAST(LENGTH(t.description) + COALESCE(LENGTH(t.properties), 0) \
               + COALESCE(LENGTH(t.urls), 0) + COALESCE(LENGTH(t.remote_ids), 0) AS BIGINT) \
               AS text",
        );
        let sizes = within(sizes, source, from, after, i64::MAX).push(" LIMIT {}").bind(limit);
        let sizes: Vec<(i64, i64)> = self.tx.flushed()?.rows(&sizes)?;
        let mut text: i64 = 0;
        let mut count = 0;
        let mut last = None;
        for (id, length) in &sizes {
            text = text.saturating_add(*length);
            if count == MAX_ROWS || (text > MAX_TEXT && count > 0) {
                break;
            }
            count += 1;
            last = Some(TransactionId::new(*id));
        }
        Ok(last.map(|last| PortionEnd { last, has_more: sizes.len() > count }))
    }
}

/// Selects from `t` the transactions to copy with ids in `after+1..=until`, by id.
///
/// `t.day + 0` uses no index by day, with which each portion would be sorted out of the whole book.
fn within<'a>(
    sql: Sql<'a>,
    source: &Access,
    from: Option<Date>,
    after: i64,
    until: i64,
) -> Sql<'a> {
    let sql = sql
        .push(
            " FROM transactions t WHERE t.book_id = {} AND t.id > {} AND t.id <= {} \
             AND t.trashed = {}",
        )
        .bind((source.book().id, after, until, false));
    let sql = match from {
        Some(day) => sql.push(" AND t.day + 0 >= {}").bind(i64::from(day_to_column(day))),
        None => sql,
    };
    sql.push(" ORDER BY t.id")
}

/// Stores digests of copied transactions before their first change, so an audit can still compare
/// them with the log (behaviour 6.20).
///
/// A transaction was copied if it was created at the same instant as its book.
pub(super) fn keep_originals<'t>(
    conn: &mut Conn,
    access: &Access,
    changed: impl Iterator<Item = &'t Transaction>,
) -> Result<()> {
    let book = access.book();
    let copied =
        changed.filter(|transaction| transaction.stamp.created_at == book.stamp.created_at);
    let digests: Vec<_> = copied.map(|original| (original.id, row_digest(original))).collect();
    let mut rows = Bulk::new(
        "INSERT INTO copied_transactions (book_id, transaction_id, digest)",
        3,
        " ON CONFLICT (book_id, transaction_id) DO NOTHING",
    );
    for (id, digest) in &digests {
        rows.row([
            Value::Int(book.id.get()),
            Value::Int(id.get()),
            Value::Bytes(digest.as_bytes()),
        ]);
    }
    Ok(conn.write(rows)?)
}
