//! Look-up of many rows of one table by their keys.
//!
//! As in [`crate::conn::bulk`], SQLite gets lists of values, in statements of a few sizes that stay
//! prepared, and PostgreSQL one array per column.

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::sql_types::{Array, BigInt, Untyped};

use crate::conn::bulk::{FEW_ROWS, PORTION};
use crate::conn::planner::Lookup;
use crate::conn::sql::{Sql, Value};
use crate::conn::{AnyRow, Conn};

/// A table `c` whose key is the number of a book and two more integers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyedTable {
    /// The selected columns, for example `c.a, c.b`.
    pub(crate) columns: &'static str,
    pub(crate) table: &'static str,
    /// The first two key columns: `c.book_id = n.column1 AND c.a = n.column2`.
    pub(crate) first_columns: &'static str,
    /// The last key column, for example `c.b`.
    pub(crate) last_column: &'static str,
}

impl Conn {
    /// Loads the rows with these keys, in no defined order. Keys of one book must be adjacent.
    pub(crate) fn load_by_keys<R: AnyRow>(
        &mut self,
        table: KeyedTable,
        keys: &[[i64; 3]],
    ) -> QueryResult<Vec<R>> {
        match self {
            Self::Sqlite(conn) => {
                let portions = keys.chunks_exact(PORTION);
                let few = portions.remainder().chunks(FEW_ROWS);
                let load = |keys| list_query(table, keys).load(conn);
                portions.chain(few).map(load).collect::<QueryResult<Vec<Vec<R>>>>().map(flatten)
            }
            // Citus routes each statement to the machine of its book.
            Self::Postgres(conn) if conn.distributed => {
                let books = keys.chunk_by(|[one, ..], [next, ..]| one == next);
                let load = |keys| ByArrays::new(table, keys).load(&mut **conn);
                books.map(load).collect::<QueryResult<Vec<Vec<R>>>>().map(flatten)
            }
            Self::Postgres(conn) => ByArrays::new(table, keys).load(&mut **conn),
        }
    }
}

fn flatten<R>(parts: Vec<Vec<R>>) -> Vec<R> {
    parts.into_iter().flatten().collect()
}

fn list_query(table: KeyedTable, keys: &[[i64; 3]]) -> Sql<'static> {
    let KeyedTable { columns, table, first_columns, last_column } = table;
    let key = Sql::new(first_columns).push(" AND ").push(last_column).push(" = n.column3");
    let rows = Lookup::InOrder.each_row_of(keys.iter().map(|key| key.map(Value::Int)));
    Sql::new("SELECT ").push(columns).append(rows.look_up(table, "c", key).sql())
}

/// `SELECT c.a FROM (SELECT unnest($1) AS column1, ...) n CROSS JOIN LATERAL (SELECT c.* FROM t c
/// WHERE c.book_id = n.column1 AND c.a = n.column2 AND c.b >= n.column3 AND c.b <= n.column3 AND
/// c.book_id = $4 ORDER BY c.b LIMIT 1) c`.
///
/// The bounds and the order on the last column force the use of the index. The plan lives as long
/// as the connection, and a plan made for a small table would later scan a large one for each key.
struct ByArrays {
    table: KeyedTable,
    keys: [Vec<i64>; 3],
    /// The book, if all keys have the same. Citus routes the statement by it.
    book: Option<i64>,
}

impl ByArrays {
    fn new(table: KeyedTable, keys: &[[i64; 3]]) -> Self {
        let column = |index: usize| keys.iter().filter_map(|key| key.get(index).copied()).collect();
        let first = keys.first().map(|[book, ..]| *book);
        let book = first.filter(|first| keys.iter().all(|[book, ..]| book == first));
        Self { table, keys: [0, 1, 2].map(column), book }
    }
}

impl QueryFragment<Pg> for ByArrays {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        let Self { table, keys, book } = self;
        let KeyedTable { columns, table, first_columns, last_column } = table;
        out.push_sql("SELECT ");
        out.push_sql(columns);
        for (values, (before, after)) in keys.iter().zip([
            (" FROM (SELECT unnest(", ") AS column1"),
            (", unnest(", ") AS column2"),
            (", unnest(", ") AS column3) n CROSS JOIN LATERAL (SELECT c.* FROM "),
        ]) {
            out.push_sql(before);
            out.push_bind_param::<Array<BigInt>, _>(values)?;
            out.push_sql(after);
        }
        for text in [table, " c WHERE ", first_columns, " AND ", last_column, " >= n.column3 AND "]
        {
            out.push_sql(text);
        }
        out.push_sql(last_column);
        out.push_sql(" <= n.column3");
        if let Some(book) = book {
            out.push_sql(" AND c.book_id = ");
            out.push_bind_param::<BigInt, _>(book)?;
        }
        for text in [" ORDER BY ", last_column, " LIMIT 1) c"] {
            out.push_sql(text);
        }
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

#[cfg(test)]
mod tests {
    use diesel::sql_types::Text;

    use super::*;

    #[derive(QueryableByName)]
    struct Found {
        #[diesel(sql_type = BigInt)]
        book_id: i64,
        #[diesel(sql_type = BigInt)]
        a: i64,
        #[diesel(sql_type = BigInt)]
        b: i64,
        #[diesel(sql_type = Text)]
        is: String,
    }

    const T: KeyedTable = KeyedTable {
        columns: "c.book_id, c.a, c.b, c.\"is\"",
        table: "t",
        first_columns: "c.book_id = n.column1 AND c.a = n.column2",
        last_column: "c.b",
    };

    /// Uses numbers of keys around the statement sizes. Every third key has no row.
    #[test]
    fn each_key_finds_its_row() {
        let mut conn = Conn::in_memory();
        let table = "CREATE TABLE t (book_id INTEGER, a INTEGER, b INTEGER, \"is\" TEXT, \
             PRIMARY KEY (book_id, a, b)) WITHOUT ROWID";
        conn.execute(Sql::new(table)).unwrap();
        let keys: Vec<[i64; 3]> = (0..400).map(|at| [at / 150, at % 7, at]).collect();
        for [book, a, b] in keys.iter().filter(|[.., b]| b % 3 > 0) {
            let insert = Sql::new("INSERT INTO t VALUES ({}, {}, {}, {})");
            conn.run(insert.bind((*book, *a, *b, format!("{b}")))).unwrap();
        }
        for count in [0, 1, 63, 64, 65, 127, 128, 129, 192, 193, 256, 400] {
            let keys = &keys[..count];
            let mut found: Vec<Found> = conn.load_by_keys(T, keys).unwrap();
            found.sort_unstable_by_key(|row| row.b);
            let found: Vec<_> = found.iter().map(|row| [row.book_id, row.a, row.b]).collect();
            let expected: Vec<_> = keys.iter().filter(|[.., b]| b % 3 > 0).copied().collect();
            assert_eq!(found, expected, "{count}");
        }
        let one: Vec<Found> = conn.load_by_keys(T, &[[1, 3, 199]]).unwrap();
        assert_eq!(one.first().map(|row| row.is.as_str()), Some("199"));
    }
}
