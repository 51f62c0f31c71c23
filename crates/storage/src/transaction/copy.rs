//! The transactions of a book in portions, to be copied: bounded in rows and in text, because each
//! portion is one unit of work of the writer, and others wait for it.

use daybook_domain::access::Access;
use daybook_domain::book::copy::row_digest;
use daybook_domain::id::TransactionId;
use daybook_domain::transaction::Transaction;
use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use time::Date;

use super::Transactions;
use super::row::COLUMNS;
use crate::bulk::Bulk;
use crate::column::day_to_column;
use crate::conn::{Conn, on_engine};
use crate::error::Result;
use crate::sql::{Sql, Value};

/// The most transactions of a portion.
const MAX_ROWS: usize = 1_000;
/// The most characters of text of a portion that has more than one transaction. It bounds the index
/// terms too, of which each needs some.
const MAX_TEXT: i64 = 1024 * 1024;

/// Some of the transactions of a book that are copied, in the order of their ids.
#[derive(Debug)]
pub struct Portion {
    /// The transactions.
    pub transactions: Vec<Transaction>,
    /// Where the next portion begins, if there is one.
    pub next: Option<TransactionId>,
}

/// A transaction and how long its texts are.
#[derive(QueryableByName)]
struct Sized {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = BigInt)]
    text: i64,
}

/// Where a portion ends.
struct PortionEnd {
    /// The last of its transactions.
    last: TransactionId,
    /// Whether transactions follow behind it.
    more: bool,
}

impl Transactions<'_, '_> {
    /// Whether the transactions to copy are more than one portion.
    pub fn exceed_one_portion(self, source: &Access, from: Option<Date>) -> Result<bool> {
        Ok(self.portion_end(source, from, i64::MIN)?.is_some_and(|end| end.more))
    }

    /// The next transactions to copy behind one: not trashed, of `from` and later days.
    pub fn portion(
        self,
        source: &Access,
        from: Option<Date>,
        after: Option<TransactionId>,
    ) -> Result<Portion> {
        let after = after.map_or(i64::MIN, TransactionId::get);
        let Some(PortionEnd { last, more }) =
            self.tx.transactions().portion_end(source, from, after)?
        else {
            return Ok(Portion { transactions: Vec::new(), next: None });
        };
        let rows =
            Sql::new("SELECT ").push(COLUMNS).push(" FROM transactions t WHERE t.book_id = ");
        let rows = within(rows, source, from, (after, last.get()));
        let transactions = self.part(source, &rows, usize::MAX)?.rows;
        Ok(Portion { transactions, next: more.then_some(last) })
    }

    /// How far the portion behind an id reaches; `None` when nothing is left.
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
               AS text \
             FROM transactions t WHERE t.book_id = ",
        );
        let sizes = within(sizes, source, from, (after, i64::MAX)).push(" LIMIT ").int(limit);
        let sizes: Vec<Sized> = on_engine!(self.tx.flushed()?, c => (&sizes).load(c))?;
        let (mut text, mut taken, mut last) = (0_i64, 0, None);
        for Sized { id, text: length } in &sizes {
            text = text.saturating_add(*length);
            if taken == MAX_ROWS || (text > MAX_TEXT && taken > 0) {
                break;
            }
            taken += 1;
            last = Some(TransactionId::new(*id));
        }
        Ok(last.map(|last| PortionEnd { last, more: sizes.len() > taken }))
    }
}

/// Completes a condition on `t`: the transactions of the source that are copied, behind an id up to
/// another, in the order of ids. The day is no way to find them: the rows of a portion would be
/// sorted out of the whole book.
fn within<'a>(
    sql: Sql<'a>,
    source: &Access,
    from: Option<Date>,
    (after, until): (i64, i64),
) -> Sql<'a> {
    let sql = sql.int(source.book().id.get()).push(" AND t.id > ").int(after);
    let sql = sql.push(" AND t.id <= ").int(until).push(" AND t.trashed = ").flag(false);
    let sql = match from {
        Some(day) => sql.push(" AND t.day + 0 >= ").int(i64::from(day_to_column(day))),
        None => sql,
    };
    sql.push(" ORDER BY t.id")
}

/// Keeps what copied transactions were before their first change, so that an audit can still
/// compare them with the log (behaviour 6.20). Those that came with the book were copied.
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
