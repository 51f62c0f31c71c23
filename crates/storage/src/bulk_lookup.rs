//! Many rows of one table by their keys, as [`crate::bulk`] writes them: SQLite reads the keys as
//! lists of values, in statements of a few sizes that stay prepared, PostgreSQL as one array for
//! each column.

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::sql_types::{Array, BigInt, Untyped};

use crate::bulk::{FEW_ROWS, PORTION};
use crate::conn::{AnyRow, Conn};
use crate::planner::Lookup;
use crate::sql::{Sql, Value};

/// Columns of a table of books whose key is the number of the book and two more.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyedTable {
    /// `c.a, c.b`.
    pub(crate) columns: &'static str,
    pub(crate) table: &'static str,
    /// The key of a row `c` is that of a row `n`: `c.book_id = n.column1 AND ...`.
    pub(crate) key: &'static str,
}

impl Conn {
    /// The rows of those keys that have one, in no certain order.
    pub(crate) fn load_by_keys<R: AnyRow>(
        &mut self,
        table: KeyedTable,
        keys: &[[i64; 3]],
    ) -> QueryResult<Vec<R>> {
        match self {
            Self::Sqlite(conn) => {
                let portions = keys.chunks_exact(PORTION);
                let few = portions.remainder().chunks(FEW_ROWS);
                let load = |keys| listed(table, keys).load(conn);
                portions.chain(few).map(load).collect::<QueryResult<Vec<Vec<R>>>>().map(flat)
            }
            // Each statement goes where its book is.
            Self::Postgres(conn) if conn.distributed => {
                let books = keys.chunk_by(|[one, ..], [next, ..]| one == next);
                let load = |keys| ByArrays::new(table, keys).load(&mut **conn);
                books.map(load).collect::<QueryResult<Vec<Vec<R>>>>().map(flat)
            }
            Self::Postgres(conn) => ByArrays::new(table, keys).load(&mut **conn),
        }
    }
}

fn flat<R>(parts: Vec<Vec<R>>) -> Vec<R> {
    parts.into_iter().flatten().collect()
}

fn listed(KeyedTable { columns, table, key }: KeyedTable, keys: &[[i64; 3]]) -> Sql<'static> {
    let rows = Lookup::InOrder.each_row_of(keys.iter().map(|key| key.map(Value::Int)));
    let found = rows.look_up(table, "c", Sql::new(key)).sql();
    Sql::new("SELECT ").push(columns).append(found)
}

/// `SELECT c.a FROM (SELECT unnest($1) AS column1, ...) n CROSS JOIN LATERAL (SELECT c.* FROM t c
/// WHERE c.book_id = n.column1 AND ... OFFSET 0) c`.
struct ByArrays {
    table: KeyedTable,
    keys: [Vec<i64>; 3],
    /// The book of all of them, if they have the same.
    book: Option<i64>,
}

impl ByArrays {
    fn new(table: KeyedTable, keys: &[[i64; 3]]) -> Self {
        let column = |place: usize| keys.iter().filter_map(|key| key.get(place).copied()).collect();
        let first = keys.first().map(|[book, ..]| *book);
        let book = first.filter(|first| keys.iter().all(|[book, ..]| book == first));
        Self { table, keys: [0, 1, 2].map(column), book }
    }
}

impl QueryFragment<Pg> for ByArrays {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        let Self { table: KeyedTable { columns, table, key }, keys, book } = self;
        out.push_sql("SELECT ");
        out.push_sql(columns);
        for (values, (before, behind)) in keys.iter().zip([
            (" FROM (SELECT unnest(", ") AS column1"),
            (", unnest(", ") AS column2"),
            (", unnest(", ") AS column3) n CROSS JOIN LATERAL (SELECT c.* FROM "),
        ]) {
            out.push_sql(before);
            out.push_bind_param::<Array<BigInt>, _>(values)?;
            out.push_sql(behind);
        }
        out.push_sql(table);
        out.push_sql(" c WHERE ");
        out.push_sql(key);
        if let Some(book) = book {
            out.push_sql(" AND c.book_id = ");
            out.push_bind_param::<BigInt, _>(book)?;
        }
        out.push_sql(" OFFSET 0) c");
        Ok(())
    }
}

impl QueryId for ByArrays {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Query for ByArrays {
    type SqlType = Untyped;
}

impl RunQueryDsl<PgConnection> for ByArrays {}
