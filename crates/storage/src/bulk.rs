//! Many rows for one table. SQLite reads them as lists of values, in statements of a few sizes, all
//! of which stay prepared. PostgreSQL reads them as one array for each column: the statement is the
//! same however many rows there are, so it is parsed and planned once per connection. A distributed
//! engine reads them where they belong, as a list or beside the row of their book. A bulk update is
//! an insert that meets its own key and ends in `ON CONFLICT ... DO UPDATE`.

use std::slice::Chunks;

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::sql_types::{Array, BigInt, Binary, Bool, Nullable, Text};
use diesel::sqlite::Sqlite;
use diesel::{PgConnection, SqliteConnection};

use crate::bulk_column::{Column, ColumnType};
use crate::conn::Conn;
use crate::sql::{MAX_VALUES, Sql, Value};

/// Rows up to which SQLite has a statement for each number of rows: the clients whose requests come
/// together. These statements take 10 MB in all at most.
pub(crate) const FEW_ROWS: usize = 64;

/// Rows of a statement of SQLite where there are more. To parse a longer one, once, takes more than
/// to run this one, prepared, several times.
pub(crate) const PORTION: usize = 128;

/// Rows one statement takes on PostgreSQL: bounds the memory of the largest.
const MAX_ROWS: usize = 20_000;

/// Rows up to which a distributed engine gets a list: it plans each of them.
const MAX_LISTED_ROWS: usize = 50;

/// How a statement begins; and on SQLite, which then keeps no copy of each page that it changes, to
/// undo half of a statement when a row is refused. A statement that fails undoes its unit of work,
/// or the whole group, in any case.
const INSERT: &str = "INSERT";
const INSERT_OR_FAIL: &str = "INSERT OR FAIL";

/// Rows for one table.
#[derive(Debug)]
pub(crate) struct Bulk<'a> {
    /// `INSERT INTO t (a, b)`.
    head: &'static str,
    /// ` ON CONFLICT ...`, or nothing.
    tail: &'static str,
    columns: usize,
    /// Row after row.
    values: Vec<Value<'a>>,
}

impl<'a> Bulk<'a> {
    pub(crate) fn new(head: &'static str, columns: usize, tail: &'static str) -> Self {
        debug_assert!(head.starts_with(INSERT), "the head says into which table");
        debug_assert!(head.ends_with(')'), "the head ends behind the names of the columns");
        debug_assert!(columns <= MAX_VALUES / PORTION, "a statement binds so many values at most");
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

    /// Writes rows where a distributed engine keeps them: as lists, or many rows of a book beside
    /// the row of its state.
    fn execute_where_they_are(&self, conn: &mut PgConnection) -> QueryResult<usize> {
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
            let (list, count) = list.rows(listed.chunks(self.columns).map(<[Value<'_>]>::to_vec));
            let list = list.push(self.tail).cached_up_to(count);
            written = written.saturating_add(list.execute(conn)?);
        }
        Ok(written)
    }

    /// The book that all rows belong to, if they are in a table of books and belong to one.
    fn book(&self) -> Option<i64> {
        let number = |row: &[Value<'_>]| match row.first() {
            Some(Value::Int(number)) => Some(*number),
            Some(_) | None => None,
        };
        let first = number(&self.values);
        let is_one = self.rows().all(|row| number(row) == first);
        first.filter(|_| is_one && self.head.contains(" (book_id, "))
    }

    /// The rows, as many at once as one statement takes.
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
    /// Writes rows.
    pub(crate) fn write(&mut self, rows: Bulk<'_>) -> QueryResult<()> {
        self.write_counted(rows).map(drop)
    }

    /// Writes rows; how many were inserted or changed.
    pub(crate) fn write_counted(&mut self, rows: Bulk<'_>) -> QueryResult<usize> {
        self.write_together(vec![rows])
    }

    /// Writes rows of several tables, none of which has to see another's; how many of the last were
    /// inserted or changed. Where each statement is a way to a server and back, it is one for all.
    pub(crate) fn write_together(&mut self, tables: Vec<Bulk<'_>>) -> QueryResult<usize> {
        let conn = match self {
            Self::Sqlite(conn) => {
                return tables.iter().try_fold(0, |_, rows| rows.execute_as_list(conn));
            }
            Self::Postgres(conn) if conn.distributed => {
                return tables.iter().try_fold(0, |_, rows| rows.execute_where_they_are(conn));
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
    /// Row after row.
    values: &'a [Value<'a>],
    tail: &'static str,
}

impl QueryFragment<Sqlite> for List<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql(INSERT_OR_FAIL);
        out.push_sql(self.table);
        for (place, row) in self.values.chunks(self.columns).enumerate() {
            out.push_sql(if place == 0 { " VALUES (" } else { "), (" });
            for (place, value) in row.iter().enumerate() {
                out.push_sql(if place == 0 { "" } else { ", " });
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

/// `INSERT INTO t (a, b) SELECT unnest($1), unnest($2)`. In the list, not behind `FROM`: there each
/// array would become a table in memory first, which takes four times as long.
struct Arrays<'a> {
    head: &'static str,
    columns: Vec<Column<'a>>,
    tail: &'static str,
}

impl Arrays<'_> {
    /// `unnest($1), unnest($2)`, without the first columns.
    fn walk_rows<'b>(&'b self, skipped: usize, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        for (place, column) in self.columns.iter().skip(skipped).enumerate() {
            out.push_sql(if place == 0 { "unnest(" } else { "), unnest(" });
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
/// $2`: an engine that has the book on another machine sends the whole statement there.
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

#[derive(QueryableByName)]
struct StateCount {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// Whether the row of a book's state is written yet.
fn has_state(conn: &mut PgConnection, book: i64) -> QueryResult<bool> {
    let state = Sql::new("SELECT COUNT(*) AS count FROM book_state WHERE book_id = ").int(book);
    state.get_result(conn).map(|state: StateCount| state.count > 0)
}

/// `WITH w0 AS (INSERT ...), w1 AS (INSERT ...) INSERT ...`.
struct Together<'a> {
    others: Vec<Arrays<'a>>,
    last: Arrays<'a>,
}

impl QueryFragment<Pg> for Together<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        for (place, other) in self.others.iter().enumerate() {
            out.push_sql(if place == 0 { "WITH w" } else { ", w" });
            out.push_sql(&place.to_string());
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
