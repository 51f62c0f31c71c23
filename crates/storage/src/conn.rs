//! One connection type over two engines. Only this file, `engine.rs`, `pool.rs`, `dialect.rs`,
//! `migrations.rs`, `interrupt.rs`, `checkpoint.rs`, `bulk.rs`, `bulk_column.rs`, `bulk_lookup.rs`
//! and `distribution.rs` name an engine.
//!
//! [`Conn`] is an enum of our own, and [`on_engine!`] writes one diesel expression into both arms
//! of a `match`. diesel's `MultiConnection` would be one type for free, but through it inserts of
//! many rows and `ON CONFLICT` do not compile, and `RETURNING` does only in part. The write path is
//! made of these statements.

use std::ops::{Deref, DerefMut};

use diesel::connection::DefaultLoadingMode;
use diesel::deserialize::FromSqlRow;
use diesel::pg::{Pg, PgRowByRowLoadingMode};
use diesel::prelude::*;
use diesel::result::QueryResult;
use diesel::sql_types::Untyped;
use diesel::sqlite::Sqlite;
use diesel::{PgConnection, SqliteConnection};

use crate::error::Result;
use crate::page::RowPart;
use crate::sql::Sql;

/// A connection to one of the two engines.
pub(crate) enum Conn {
    /// The embedded default.
    Sqlite(SqliteConnection),
    /// The engine for more than one process.
    Postgres(PostgresConn),
}

/// A connection to PostgreSQL.
pub(crate) struct PostgresConn {
    conn: PgConnection,
    /// Whether the tables are distributed over several machines.
    pub(crate) distributed: bool,
}

impl PostgresConn {
    /// Connects.
    pub(crate) fn establish(url: &str) -> ConnectionResult<Self> {
        Ok(Self { conn: PgConnection::establish(url)?, distributed: false })
    }
}

impl Deref for PostgresConn {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.conn
    }
}

impl DerefMut for PostgresConn {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.conn
    }
}

/// Stamps one diesel expression out for both engines:
/// `on_engine!(conn, c => users::table.count().get_result::<i64>(c))` becomes a `match` with that
/// expression in both arms, so each is typed, prepared and cached natively.
macro_rules! on_engine {
    ($conn:expr, $c:ident => $body:expr) => {
        match &mut *$conn {
            $crate::conn::Conn::Sqlite($c) => $body,
            $crate::conn::Conn::Postgres($c) => {
                let $c: &mut diesel::PgConnection = $c;
                $body
            }
        }
    };
}

pub(crate) use on_engine;

/// A row of a statement on either engine.
pub(crate) trait AnyRow:
    FromSqlRow<Untyped, Sqlite> + FromSqlRow<Untyped, Pg> + 'static
{
}

impl<R: FromSqlRow<Untyped, Sqlite> + FromSqlRow<Untyped, Pg> + 'static> AnyRow for R {}

impl Conn {
    /// Hands out rows one after another, without keeping them.
    pub(crate) fn each_row<R: AnyRow>(
        &mut self,
        sql: &Sql<'_>,
        mut take: impl FnMut(R) -> Result<()>,
    ) -> Result<()> {
        match self {
            Self::Sqlite(conn) => {
                let mut rows = sql.load_iter::<R, DefaultLoadingMode>(conn)?;
                rows.try_for_each(|row| take(row?))
            }
            Self::Postgres(conn) => {
                let mut rows = sql.load_iter::<R, PgRowByRowLoadingMode>(&mut **conn)?;
                rows.try_for_each(|row| take(row?))
            }
        }
    }

    /// Reads rows one after another, until their texts take more than `most` bytes in all. `read`
    /// tells how many those of a row have.
    pub(crate) fn load_part<R: AnyRow, T>(
        &mut self,
        sql: &Sql<'_>,
        most: usize,
        read: impl FnMut(R) -> Result<(T, usize)>,
    ) -> Result<RowPart<T>> {
        match self {
            Self::Sqlite(conn) => {
                take_part(sql.load_iter::<R, DefaultLoadingMode>(conn)?, most, read)
            }
            Self::Postgres(conn) => {
                take_part(sql.load_iter::<R, PgRowByRowLoadingMode>(&mut **conn)?, most, read)
            }
        }
    }
}

fn take_part<R, T>(
    rows: impl Iterator<Item = QueryResult<R>>,
    most: usize,
    mut read: impl FnMut(R) -> Result<(T, usize)>,
) -> Result<RowPart<T>> {
    let (mut part, mut taken) = (RowPart::from(Vec::new()), 0_usize);
    for row in rows {
        if taken > most {
            part.is_whole = false;
            break;
        }
        let (row, texts) = read(row?)?;
        taken = taken.saturating_add(texts);
        part.rows.push(row);
    }
    Ok(part)
}
