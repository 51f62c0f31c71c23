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

/// What is read of the rows `c` of a table of books with these keys: the number of the book and two
/// more numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyedTable {
    /// `c.a, c.b`.
    pub(crate) columns: &'static str,
    pub(crate) table: &'static str,
    /// `c.book_id = n.column1 AND c.a = n.column2`.
    pub(crate) first_columns: &'static str,
    /// `c.b`.
    pub(crate) last_column: &'static str,
}

impl Conn {
    /// The rows of those keys that have one, in no certain order. Keys of a book stand together.
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

fn listed(table: KeyedTable, keys: &[[i64; 3]]) -> Sql<'static> {
    let KeyedTable { columns, table, first_columns, last_column } = table;
    let key = Sql::new(first_columns).push(" AND ").push(last_column).push(" = n.column3");
    let rows = Lookup::InOrder.each_row_of(keys.iter().map(|key| key.map(Value::Int)));
    Sql::new("SELECT ").push(columns).append(rows.look_up(table, "c", key).sql())
}

/// `SELECT c.a FROM (SELECT unnest($1) AS column1, ...) n CROSS JOIN LATERAL (SELECT c.* FROM t c
/// WHERE c.book_id = n.column1 AND c.a = n.column2 AND c.b >= n.column3 AND c.b <= n.column3 AND
/// c.book_id = $4 ORDER BY c.b LIMIT 1) c`.
///
/// The last column is bounded and ordered by so that only the index will do: the plan stays for as
/// long as the connection, and one that was made for a table of a few rows would pass all of it for
/// each key when it has grown.
struct ByArrays {
    table: KeyedTable,
    keys: [Vec<i64>; 3],
    /// The book of all of them, if they have the same: it tells where the rows are.
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
        let Self { table, keys, book } = self;
        let KeyedTable { columns, table, first_columns, last_column } = table;
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

    /// Around the sizes of the statements; every third key has no row.
    #[test]
    fn each_key_finds_its_row() {
        let mut conn = Conn::in_memory();
        let table = "CREATE TABLE t (book_id INTEGER, a INTEGER, b INTEGER, \"is\" TEXT, \
             PRIMARY KEY (book_id, a, b)) WITHOUT ROWID";
        conn.execute(&Sql::new(table)).unwrap();
        let keys: Vec<[i64; 3]> = (0..400).map(|at| [at / 150, at % 7, at]).collect();
        for [book, a, b] in keys.iter().filter(|[.., b]| b % 3 > 0) {
            let row = [*book, *a, *b].map(Value::Int);
            let row = row.into_iter().chain([Value::Text(format!("{b}").into())]);
            conn.execute(&Sql::new("INSERT INTO t VALUES ").list(row)).unwrap();
        }
        for count in [0, 1, 63, 64, 65, 127, 128, 129, 192, 193, 256, 400] {
            let keys = &keys[..count];
            let mut found: Vec<Found> = conn.load_by_keys(T, keys).unwrap();
            found.sort_unstable_by_key(|row| row.b);
            let found: Vec<_> = found.iter().map(|row| [row.book_id, row.a, row.b]).collect();
            let wanted: Vec<_> = keys.iter().filter(|[.., b]| b % 3 > 0).copied().collect();
            assert_eq!(found, wanted, "{count}");
        }
        let one: Vec<Found> = conn.load_by_keys(T, &[[1, 3, 199]]).unwrap();
        assert_eq!(one.first().map(|row| row.is.as_str()), Some("199"));
    }
}
