//! Many rows for one table. SQLite reads them as lists of values, in blocks of [`BLOCKS`] sizes.
//! PostgreSQL reads them as one array for each column. So there are few statements, whatever the
//! number of rows, and each is parsed and planned once per connection. A bulk update is an insert
//! that meets its own key and ends in `ON CONFLICT ... DO UPDATE`.

use std::borrow::Cow;

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::sql_types::{Array, BigInt, Binary, Bool, Nullable, Text};
use diesel::{PgConnection, SqliteConnection};

use crate::conn::Conn;
use crate::sql::{Sql, Value};

/// Rows of one statement on SQLite, the largest block that fits first.
const BLOCKS: [usize; 4] = [64, 16, 4, 1];

/// Rows one statement takes on PostgreSQL: bounds the memory of the largest.
const MAX_ROWS: usize = 20_000;

/// Rows for one table.
#[derive(Debug)]
pub(crate) struct Bulk<'a> {
    /// `INSERT INTO t (a, b)`.
    head: &'static str,
    /// ` ON CONFLICT ...`, or nothing.
    tail: &'static str,
    columns: usize,
    rows: Vec<Vec<Value<'a>>>,
}

impl<'a> Bulk<'a> {
    pub(crate) fn new(head: &'static str, columns: usize, tail: &'static str) -> Self {
        debug_assert!(head.ends_with(')'), "the head ends behind the names of the columns");
        Self { head, tail, columns, rows: Vec::new() }
    }

    pub(crate) fn row<const N: usize>(&mut self, values: [Value<'a>; N]) {
        debug_assert_eq!(N, self.columns, "a row has as many values as the statement has columns");
        self.rows.push(values.into());
    }

    fn execute_as_list(self, conn: &mut SqliteConnection) -> QueryResult<usize> {
        let mut written: usize = 0;
        let mut rows = self.rows.into_iter();
        for block in BLOCKS {
            while rows.len() >= block {
                let (sql, _) = Sql::new(self.head).push(" VALUES ").rows(rows.by_ref().take(block));
                written = written.saturating_add(sql.push(self.tail).execute(conn)?);
            }
        }
        Ok(written)
    }

    /// The next rows, as many as one statement takes; nothing when none are left.
    fn next_arrays(&mut self) -> QueryResult<Option<Arrays<'a>>> {
        let count = self.rows.len().min(MAX_ROWS);
        let mut columns: Vec<Column<'a>> = Vec::with_capacity(self.columns);
        for row in self.rows.drain(..count) {
            for (place, value) in row.into_iter().enumerate() {
                match columns.get_mut(place) {
                    Some(column) => column.push(value)?,
                    None => columns.push(Column::beginning(value)),
                }
            }
        }
        let Self { head, tail, .. } = *self;
        Ok((count > 0).then_some(Arrays { before: None, head, columns, tail }))
    }

    fn execute_as_arrays(mut self, conn: &mut PgConnection) -> QueryResult<usize> {
        let mut written: usize = 0;
        while let Some(arrays) = self.next_arrays()? {
            written = written.saturating_add(arrays.execute(conn)?);
        }
        Ok(written)
    }
}

impl Conn {
    /// Writes rows.
    pub(crate) fn write(&mut self, rows: Bulk<'_>) -> QueryResult<()> {
        self.write_counted(rows).map(drop)
    }

    /// Writes rows; how many were inserted or changed.
    pub(crate) fn write_counted(&mut self, rows: Bulk<'_>) -> QueryResult<usize> {
        match self {
            Self::Sqlite(conn) => rows.execute_as_list(conn),
            Self::Postgres(conn) => rows.execute_as_arrays(conn),
        }
    }

    /// Writes rows of two tables, of which neither has to see the other's; how many of the second
    /// were inserted or changed. Where each statement is a way to a server and back, it is one for
    /// both.
    pub(crate) fn write_both(
        &mut self,
        mut first: Bulk<'_>,
        mut second: Bulk<'_>,
    ) -> QueryResult<usize> {
        let Self::Postgres(conn) = self else {
            self.write(first)?;
            return self.write_counted(second);
        };
        let mut before = None;
        while let Some(arrays) = first.next_arrays()? {
            if let Some(earlier) = before.replace(arrays) {
                earlier.execute(conn)?;
            }
        }
        let mut written: usize = 0;
        while let Some(mut arrays) = second.next_arrays()? {
            arrays.before = before.take().map(Box::new);
            written = written.saturating_add(arrays.execute(conn)?);
        }
        if let Some(left) = before {
            left.execute(conn)?;
        }
        Ok(written)
    }
}

/// The values of one column, row by row.
#[derive(Debug)]
enum Column<'a> {
    Ints(Vec<Option<i64>>),
    Flags(Vec<Option<bool>>),
    Texts(Vec<Option<Cow<'a, str>>>),
    Bytes(Vec<Option<&'a [u8]>>),
}

impl<'a> Column<'a> {
    fn beginning(value: Value<'a>) -> Self {
        match value {
            Value::Int(value) => Self::Ints(vec![Some(value)]),
            Value::SomeInt(value) => Self::Ints(vec![value]),
            Value::Flag(value) => Self::Flags(vec![Some(value)]),
            Value::Text(value) => Self::Texts(vec![Some(value)]),
            Value::SomeText(value) => Self::Texts(vec![value]),
            Value::Bytes(value) => Self::Bytes(vec![Some(value)]),
        }
    }

    fn push(&mut self, value: Value<'a>) -> QueryResult<()> {
        match (self, value) {
            (Self::Ints(values), Value::Int(value)) => values.push(Some(value)),
            (Self::Ints(values), Value::SomeInt(value)) => values.push(value),
            (Self::Flags(values), Value::Flag(value)) => values.push(Some(value)),
            (Self::Texts(values), Value::Text(value)) => values.push(Some(value)),
            (Self::Texts(values), Value::SomeText(value)) => values.push(value),
            (Self::Bytes(values), Value::Bytes(value)) => values.push(Some(value)),
            (Self::Ints(_) | Self::Flags(_) | Self::Texts(_) | Self::Bytes(_), _) => {
                return Err(diesel::result::Error::QueryBuilderError(
                    "a column with values of two kinds".into(),
                ));
            }
        }
        Ok(())
    }
}

/// `INSERT INTO t (a, b) SELECT * FROM unnest($1, $2)`, behind another one where there is one.
struct Arrays<'a> {
    before: Option<Box<Arrays<'a>>>,
    head: &'static str,
    columns: Vec<Column<'a>>,
    tail: &'static str,
}

impl QueryFragment<Pg> for Arrays<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        if let Some(before) = &self.before {
            out.push_sql("WITH written AS (");
            before.walk_ast(out.reborrow())?;
            out.push_sql(") ");
        }
        out.push_sql(self.head);
        out.push_sql(" SELECT * FROM unnest(");
        for (place, column) in self.columns.iter().enumerate() {
            out.push_sql(if place == 0 { "" } else { ", " });
            match column {
                Column::Ints(values) => {
                    out.push_bind_param::<Array<Nullable<BigInt>>, _>(values)?
                }
                Column::Flags(values) => out.push_bind_param::<Array<Nullable<Bool>>, _>(values)?,
                Column::Texts(values) => out.push_bind_param::<Array<Nullable<Text>>, _>(values)?,
                Column::Bytes(values) => {
                    out.push_bind_param::<Array<Nullable<Binary>>, _>(values)?
                }
            }
        }
        out.push_sql(")");
        out.push_sql(self.tail);
        Ok(())
    }
}

impl QueryId for Arrays<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl RunQueryDsl<PgConnection> for Arrays<'_> {}
