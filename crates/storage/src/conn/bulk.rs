//! Bulk writes: many rows of one table in one statement.
//!
//! SQLite gets lists of values, in statements of a few sizes that all stay prepared. PostgreSQL
//! gets one array per column, so the statement does not depend on the number of rows and is parsed
//! and planned once per connection. Citus gets a list, or a SELECT beside a row of the book, so it
//! can route the statement. A bulk update is an insert with `ON CONFLICT ... DO UPDATE`.

use std::slice::Chunks;

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::sql_types::{Array, BigInt, Binary, Bool, Nullable, Text};
use diesel::sqlite::Sqlite;
use diesel::{PgConnection, SqliteConnection};

use crate::conn::Conn;
use crate::conn::bulk_column::{Column, ColumnType};
use crate::conn::sql::{MAX_VALUES, Sql, Typed, Value, rows};

/// Up to this number of rows SQLite has a prepared statement for each number. It covers the clients
/// whose requests share a group. The statements take at most 10 MB.
pub(crate) const FEW_ROWS: usize = 64;

/// Rows of a SQLite statement for larger writes. Parsing a longer statement once takes more time
/// than running this prepared one several times.
pub(crate) const PORTION: usize = 128;

/// Maximum number of rows of a PostgreSQL statement, which bounds its memory.
const MAX_ROWS: usize = 20_000;

/// Maximum number of rows of a list on a distributed engine, which plans each row.
const MAX_LISTED_ROWS: usize = 50;

const INSERT: &str = "INSERT";
/// The form for SQLite. With `OR FAIL` it keeps no statement journal, which it needs only to undo
/// a part of a statement. A failed statement undoes its unit of work or the whole group anyway.
const INSERT_OR_FAIL: &str = "INSERT OR FAIL";

/// Rows for one table.
#[derive(Debug)]
pub(crate) struct Bulk<'a> {
    /// `INSERT INTO t (a, b)`.
    head: &'static str,
    /// ` ON CONFLICT ...`, or empty.
    tail: &'static str,
    columns: usize,
    /// All values, row by row.
    values: Vec<Value<'a>>,
}

impl<'a> Bulk<'a> {
    pub(crate) fn new(head: &'static str, columns: usize, tail: &'static str) -> Self {
        debug_assert!(head.starts_with(INSERT), "the head names the table");
        debug_assert!(head.ends_with(')'), "the head ends with the column list");
        debug_assert!(
            columns <= MAX_VALUES / PORTION,
            "a statement has a limited number of values"
        );
        Self { head, tail, columns, values: Vec::new() }
    }

    pub(crate) fn row<const N: usize>(&mut self, values: [Value<'a>; N]) {
        debug_assert_eq!(N, self.columns, "a row has as many values as the statement has columns");
        self.values.extend(values);
    }

    fn rows(&self) -> Chunks<'_, Value<'a>> {
        self.values.chunks(self.columns)
    }

    fn execute_as_list(&self, conn: &mut SqliteConnection) -> QueryResult<usize> {
        let mut written: usize = 0;
        let table = self.head.strip_prefix(INSERT).unwrap_or(self.head);
        let portions = self.values.chunks_exact(PORTION.saturating_mul(self.columns));
        let few = portions.remainder().chunks(FEW_ROWS.saturating_mul(self.columns));
        for values in portions.chain(few) {
            let list = List { table, columns: self.columns, values, tail: self.tail };
            written = written.saturating_add(list.execute(conn)?);
        }
        Ok(written)
    }

    /// Writes rows on a distributed engine: many rows of one book beside its state, others as
    /// lists.
    fn execute_distributed(&self, conn: &mut PgConnection) -> QueryResult<usize> {
        let mut written: usize = 0;
        if let Some(book) = self.book().filter(|_| self.rows().len() > MAX_LISTED_ROWS)
            && has_state(conn, book)?
        {
            for arrays in self.arrays() {
                written = written.saturating_add(BesideState { book, arrays }.execute(conn)?);
            }
            return Ok(written);
        }
        for listed in self.values.chunks(MAX_LISTED_ROWS.saturating_mul(self.columns)) {
            let list = Sql::new(self.head).push(" VALUES ");
            let listed = listed.chunks(self.columns);
            let count = listed.len();
            let list = list.append(rows(listed.map(<[Value<'_>]>::to_vec)));
            let list = list.push(self.tail).cached_up_to(count);
            written = written.saturating_add(list.execute(conn)?);
        }
        Ok(written)
    }

    /// Returns the book of all rows, if the table has books and all rows have the same one.
    fn book(&self) -> Option<i64> {
        let number = |row: &[Value<'_>]| match row.first() {
            Some(Value::Int(number)) => Some(*number),
            Some(_) | None => None,
        };
        let first = number(&self.values);
        let is_one = self.rows().all(|row| number(row) == first);
        first.filter(|_| is_one && self.head.contains(" (book_id, "))
    }

    /// Splits the rows into portions of one statement each.
    fn arrays(&self) -> impl Iterator<Item = Arrays<'_>> {
        let Self { head, tail, columns, ref values } = *self;
        values.chunks(MAX_ROWS.saturating_mul(columns)).map(move |values| Arrays {
            head,
            columns: Column::all(values, columns),
            tail,
        })
    }
}

impl Conn {
    pub(crate) fn write(&mut self, rows: Bulk<'_>) -> QueryResult<()> {
        self.write_counted(rows).map(drop)
    }

    /// Writes rows and returns the number of inserted or changed rows.
    pub(crate) fn write_counted(&mut self, rows: Bulk<'_>) -> QueryResult<usize> {
        self.write_together(vec![rows])
    }

    /// Writes rows of several independent tables.
    ///
    /// Returns the number of inserted or changed rows of the last table. On PostgreSQL it is one
    /// statement, which saves round trips.
    pub(crate) fn write_together(&mut self, tables: Vec<Bulk<'_>>) -> QueryResult<usize> {
        let conn = match self {
            Self::Sqlite(conn) => {
                return tables.iter().try_fold(0, |_, rows| rows.execute_as_list(conn));
            }
            Self::Postgres(conn) if conn.distributed => {
                return tables.iter().try_fold(0, |_, rows| rows.execute_distributed(conn));
            }
            Self::Postgres(conn) => &mut **conn,
        };
        let (mut others, mut written) = (Vec::new(), 0);
        let tables_left = (0..tables.len()).rev();
        for (rows, left) in tables.iter().zip(tables_left) {
            written = 0;
            let mut portions = rows.arrays().peekable();
            while let Some(arrays) = portions.next() {
                if left > 0 && portions.peek().is_none() {
                    others.push(arrays);
                    break;
                }
                let together = Together { others: std::mem::take(&mut others), last: arrays };
                written = together.execute(conn)?.saturating_add(written);
            }
        }
        if let Some(last) = others.pop() {
            Together { others, last }.execute(conn)?;
        }
        Ok(written)
    }
}

/// `INSERT OR FAIL INTO t (a, b) VALUES (?, ?), (?, ?)`.
struct List<'a> {
    /// ` INTO t (a, b)`.
    table: &'static str,
    columns: usize,
    /// All values, row by row.
    values: &'a [Value<'a>],
    tail: &'static str,
}

impl QueryFragment<Sqlite> for List<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql(INSERT_OR_FAIL);
        out.push_sql(self.table);
        for (index, row) in self.values.chunks(self.columns).enumerate() {
            out.push_sql(if index == 0 { " VALUES (" } else { "), (" });
            for (index, value) in row.iter().enumerate() {
                out.push_sql(if index == 0 { "" } else { ", " });
                value.walk_ast(out.reborrow())?;
            }
        }
        out.push_sql(")");
        out.push_sql(self.tail);
        Ok(())
    }
}

impl QueryId for List<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl RunQueryDsl<SqliteConnection> for List<'_> {}

/// `INSERT INTO t (a, b) SELECT unnest($1), unnest($2)`.
///
/// In `FROM`, each array would first become a table in memory, which takes four times as long.
struct Arrays<'a> {
    head: &'static str,
    columns: Vec<Column<'a>>,
    tail: &'static str,
}

impl Arrays<'_> {
    /// Writes `unnest($1), unnest($2)`, without the first `skipped` columns.
    fn walk_rows<'b>(&'b self, skipped: usize, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        for (index, column) in self.columns.iter().skip(skipped).enumerate() {
            out.push_sql(if index == 0 { "unnest(" } else { "), unnest(" });
            match column.kind() {
                ColumnType::Int => out.push_bind_param::<Array<Nullable<BigInt>>, _>(column)?,
                ColumnType::Flag => out.push_bind_param::<Array<Nullable<Bool>>, _>(column)?,
                ColumnType::Text => out.push_bind_param::<Array<Nullable<Text>>, _>(column)?,
                ColumnType::Bytes => out.push_bind_param::<Array<Nullable<Binary>>, _>(column)?,
            }
        }
        out.push_sql(")");
        Ok(())
    }
}

impl QueryFragment<Pg> for Arrays<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(self.head);
        out.push_sql(" SELECT ");
        self.walk_rows(0, &mut out)?;
        out.push_sql(self.tail);
        Ok(())
    }
}

/// `INSERT INTO t (book_id, a) SELECT s.book_id, unnest($1) FROM book_state s WHERE s.book_id =
/// $2`.
///
/// Citus sends the whole statement to the machine of the book.
struct BesideState<'a> {
    book: i64,
    arrays: Arrays<'a>,
}

impl QueryFragment<Pg> for BesideState<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(self.arrays.head);
        out.push_sql(" SELECT s.book_id, ");
        self.arrays.walk_rows(1, &mut out)?;
        out.push_sql(" FROM book_state s WHERE s.book_id = ");
        out.push_bind_param::<BigInt, _>(&self.book)?;
        out.push_sql(self.arrays.tail);
        Ok(())
    }
}

impl QueryId for BesideState<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl RunQueryDsl<PgConnection> for BesideState<'_> {}

/// Returns whether the row of the book's state exists.
fn has_state(conn: &mut PgConnection, book: i64) -> QueryResult<bool> {
    let count = Sql::new("SELECT COUNT(*) FROM book_state WHERE book_id = {}").bind(book);
    Typed::<BigInt>::new(&count).get_result(conn).map(|count: i64| count > 0)
}

/// `WITH w0 AS (INSERT ...), w1 AS (INSERT ...) INSERT ...`.
struct Together<'a> {
    others: Vec<Arrays<'a>>,
    last: Arrays<'a>,
}

impl QueryFragment<Pg> for Together<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        for (index, other) in self.others.iter().enumerate() {
            out.push_sql(if index == 0 { "WITH w" } else { ", w" });
            out.push_sql(&index.to_string());
            out.push_sql(" AS (");
            other.walk_ast(out.reborrow())?;
            out.push_sql(")");
        }
        out.push_sql(if self.others.is_empty() { "" } else { " " });
        self.last.walk_ast(out)
    }
}

impl QueryId for Together<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl RunQueryDsl<PgConnection> for Together<'_> {}
