//! Rows of any table as JSON texts, the same for both engines.
//!
//! A row is an array of the values of some columns: numbers, flags as 0 or 1, texts, and bytes as
//! hexadecimal digits.

use std::fmt::Write;

use diesel::prelude::*;
use diesel::sql_types::Text;

use crate::conn::Conn;
use crate::conn::sql::Sql;
use crate::error::{Error, Result};

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    kind: ColumnKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ColumnKind {
    Number,
    Flag,
    Text,
    Bytes,
}

#[derive(QueryableByName)]
struct RowText {
    #[diesel(sql_type = Text)]
    row_text: String,
}

impl Conn {
    /// Returns the columns of a table, sorted by name.
    ///
    /// # Errors
    /// [`Error::Refused`] for a table that does not exist or has columns of other types.
    pub(crate) fn columns(&mut self, table: &'static str) -> Result<Vec<Column>> {
        let sql = match self {
            Self::Sqlite(_) => "SELECT name, lower(type) FROM pragma_table_info({}) ORDER BY name",
            Self::Postgres(_) => {
                "SELECT column_name::text, data_type::text FROM information_schema.columns \
                 WHERE table_schema = current_schema() AND table_name = {} ORDER BY 1"
            }
        };
        let sql = Sql::new(sql).bind(table).uncached();
        let found: Vec<(String, String)> = self.rows(&sql)?;
        if found.is_empty() {
            return Err(Error::Refused(format!("there is no table {table}")));
        }
        let column = |(name, kind): (String, String)| {
            let kind = match kind.as_str() {
                "integer" | "bigint" | "smallint" => ColumnKind::Number,
                "boolean" => ColumnKind::Flag,
                "text" => ColumnKind::Text,
                "blob" | "bytea" => ColumnKind::Bytes,
                other => {
                    return Err(Error::Refused(format!("{table}.{name} has the type {other}")));
                }
            };
            Ok(Column { name, kind })
        };
        found.into_iter().map(column).collect()
    }

    /// Calls `visit` for each row of a table, without collecting the rows.
    pub(crate) fn each_row_text(
        &mut self,
        table: &'static str,
        columns: &[Column],
        mut visit: impl FnMut(String) -> Result<()>,
    ) -> Result<()> {
        let is_sqlite = matches!(self, Self::Sqlite(_));
        let values = columns.iter().map(|Column { name, kind }| match kind {
            ColumnKind::Number | ColumnKind::Text => name.clone(),
            ColumnKind::Flag => format!("{name}::int"),
            // hex(NULL) is an empty text.
            ColumnKind::Bytes if is_sqlite => format!("iif({name} IS NULL, NULL, hex({name}))"),
            ColumnKind::Bytes => format!("encode({name}, 'hex')"),
        });
        let values = values.collect::<Vec<_>>().join(", ");
        let sql = Sql::new(if is_sqlite {
            format!("SELECT json_array({values}) AS row_text FROM {table}")
        } else {
            format!("SELECT json_build_array({values})::text AS row_text FROM {table}")
        });
        self.each_row(sql.uncached(), |row: RowText| visit(row.row_text))
    }

    /// Inserts rows; `rows` is a JSON array of them.
    pub(crate) fn insert_row_texts(
        &mut self,
        table: &'static str,
        columns: &[Column],
        rows: &str,
    ) -> Result<()> {
        let is_sqlite = matches!(self, Self::Sqlite(_));
        let (mut names, mut values) = (String::new(), String::new());
        for (index, Column { name, kind }) in columns.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            let value = format!("(value ->> {index})");
            let value = match kind {
                ColumnKind::Text => value,
                ColumnKind::Number | ColumnKind::Flag if is_sqlite => value,
                ColumnKind::Bytes if is_sqlite => format!("unhex{value}"),
                ColumnKind::Number => format!("{value}::bigint"),
                ColumnKind::Flag => format!("{value}::int::boolean"),
                ColumnKind::Bytes => format!("decode({value}, 'hex')"),
            };
            // Writing to a String cannot fail.
            let _ = write!(names, "{comma}{name}");
            let _ = write!(values, "{comma}{value}");
        }
        let each = if is_sqlite {
            "json_each({})"
        } else {
            "jsonb_array_elements({}::jsonb) AS each(value)"
        };
        let sql = format!("INSERT INTO {table} ({names}) SELECT {values} FROM {each}");
        self.run(Sql::new(sql).bind(rows).uncached())
    }

    /// Copies a SQLite file into a new one; returns false for PostgreSQL.
    pub(crate) fn vacuum_into(&mut self, path: &str) -> Result<bool> {
        match self {
            Self::Sqlite(_) => {
                self.run(Sql::new("VACUUM INTO {}").bind(path).uncached())?;
                Ok(true)
            }
            Self::Postgres(_) => Ok(false),
        }
    }

    /// Returns the last number that was given to a book, or 0.
    pub(crate) fn last_book_number(&mut self) -> Result<i64> {
        let sql = match self {
            Self::Sqlite(_) => "SELECT seq FROM sqlite_sequence WHERE name = 'books'",
            Self::Postgres(_) => {
                "SELECT last_value FROM pg_sequences WHERE schemaname = current_schema() \
                 AND sequencename = 'books_id_seq' AND last_value IS NOT NULL"
            }
        };
        Ok(self.row(&Sql::new(sql).uncached())?.unwrap_or_default())
    }

    /// Sets the last number that was given to a book. It is positive.
    pub(crate) fn set_last_book_number(&mut self, number: i64) -> Result<()> {
        match self {
            Self::Sqlite(_) => {
                self.run(Sql::new("DELETE FROM sqlite_sequence WHERE name = 'books'").uncached())?;
                let sql = "INSERT INTO sqlite_sequence (name, seq) VALUES ('books', {})";
                self.run(Sql::new(sql).bind(number).uncached())
            }
            Self::Postgres(_) => {
                let sql = "SELECT setval(pg_get_serial_sequence('books', 'id'), {})";
                let set: Option<i64> = self.row(&Sql::new(sql).bind(number).uncached())?;
                set.map(drop).ok_or(Error::Corrupt("books.id"))
            }
        }
    }
}
