//! Connections to the two engines, and the SQL that is built for them.
//!
//! No file outside this folder names an engine. [`Conn`] is an enum over both connection types,
//! and [`on_engine!`] expands one diesel expression into both arms of a `match`. diesel's
//! `MultiConnection` does not support inserts of many rows, `ON CONFLICT` or all of `RETURNING`,
//! and the write path consists of these.
//!
//! An [`address::Address`] opens a connection with the session settings of a [`mode::Mode`];
//! [`pool`] keeps the connections that read. Everything that differs between the engines is a
//! method of `Conn` (`dialect.rs`) or of [`engine::Engine`]. Repositories build their statements
//! with [`sql::Sql`]; [`planner`] explains how both engines are kept to the intended plans, and
//! [`bulk`] writes many rows at once. [`interrupt`] stops reads, [`checkpoint`] copies SQLite's
//! write-ahead log, [`migrations`] and [`distribution`] maintain the schema.

pub(crate) mod address;
pub(crate) mod bulk;
mod bulk_column;
pub(crate) mod bulk_lookup;
pub(crate) mod checkpoint;
mod citus;
mod dialect;
pub mod distribution;
pub(crate) mod engine;
pub(crate) mod interrupt;
pub(crate) mod log_position;
pub(crate) mod migrations;
pub(crate) mod mode;
pub(crate) mod planner;
pub(crate) mod pool;
pub(crate) mod pooler;
pub(crate) mod row_text;
mod settings;
pub(crate) mod sql;
mod stop_check;

use std::ops::{Deref, DerefMut};

use diesel::connection::{AnsiTransactionManager, DefaultLoadingMode, SimpleConnection};
use diesel::deserialize::FromSqlRow;
use diesel::dsl::SqlTypeOf;
use diesel::pg::{Pg, PgRowByRowLoadingMode};
use diesel::prelude::*;
use diesel::query_dsl::methods::{ExecuteDsl, LoadQuery, SelectDsl};
use diesel::result::QueryResult;
use diesel::sql_types::Untyped;
use diesel::sqlite::Sqlite;
use diesel::{PgConnection, SqliteConnection};

use crate::conn::sql::{Columns, Sql, Typed};
use crate::error::{Error, Result};
use crate::page::RowPart;

/// A connection to either engine.
pub(crate) enum Conn {
    /// The embedded engine, the default.
    Sqlite(SqliteConnection),
    /// The engine for more than one process.
    Postgres(PostgresConn),
}

/// A connection to PostgreSQL.
pub(crate) struct PostgresConn {
    conn: PgConnection,
    /// Whether Citus distributes the tables over several machines.
    pub(crate) distributed: bool,
    /// The statement timeout of the session in seconds; 0 for none.
    statement_seconds: u64,
}

impl PostgresConn {
    /// Opens the connection, without session settings.
    pub(crate) fn establish(url: &str) -> ConnectionResult<Self> {
        let conn = PgConnection::establish(url)?;
        Ok(Self { conn, distributed: false, statement_seconds: 0 })
    }

    /// Sets how many seconds a statement may take; 0 for no limit.
    ///
    /// It is a setting of the session, because most reads have the limit of the read before, and
    /// then it costs nothing.
    fn limit_statements(&mut self, seconds: u64) -> QueryResult<()> {
        if self.statement_seconds != seconds {
            self.batch_execute(&format!("SET statement_timeout = '{seconds}s'"))?;
            self.statement_seconds = seconds;
        }
        Ok(())
    }

    /// Begins a snapshot whose statements may take so many seconds; 0 for no limit.
    fn begin_read(&mut self, statement_seconds: u64) -> QueryResult<()> {
        self.limit_statements(statement_seconds)?;
        AnsiTransactionManager::begin_transaction_sql(
            &mut self.conn,
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        )
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

/// Expands one diesel expression for both engines.
///
/// `on_engine!(conn, c => users::table.count().get_result::<i64>(c))` becomes a `match` with the
/// expression in both arms, so each is typed, prepared and cached for its engine.
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

/// The SQL types of the columns of a row, which are the same on either engine.
pub(crate) type SelectedTypes<R> = SqlTypeOf<<R as Selectable<Sqlite>>::SelectExpression>;

/// A row type that can be loaded from either engine by the names of its columns.
pub(crate) trait AnyRow:
    FromSqlRow<Untyped, Sqlite> + FromSqlRow<Untyped, Pg> + 'static
{
}

impl<R: FromSqlRow<Untyped, Sqlite> + FromSqlRow<Untyped, Pg> + 'static> AnyRow for R {}

/// A query that either engine answers with rows `R`.
pub(crate) trait AnyQuery<'q, R>:
    LoadQuery<'q, SqliteConnection, R> + LoadQuery<'q, PgConnection, R>
{
}

impl<'q, R, Q> AnyQuery<'q, R> for Q where
    Q: LoadQuery<'q, SqliteConnection, R> + LoadQuery<'q, PgConnection, R>
{
}

/// A query whose rows `R` either engine returns one after another.
pub(crate) trait AnyRows<'q, R>:
    LoadQuery<'q, SqliteConnection, R> + LoadQuery<'q, PgConnection, R, PgRowByRowLoadingMode>
{
}

impl<'q, R, Q> AnyRows<'q, R> for Q where
    Q: LoadQuery<'q, SqliteConnection, R> + LoadQuery<'q, PgConnection, R, PgRowByRowLoadingMode>
{
}

/// A statement that either engine executes.
pub(crate) trait AnyStatement:
    ExecuteDsl<SqliteConnection> + ExecuteDsl<PgConnection>
{
}

impl<S: ExecuteDsl<SqliteConnection> + ExecuteDsl<PgConnection>> AnyStatement for S {}

impl Conn {
    /// Executes a statement and returns the number of affected rows.
    pub(crate) fn execute(&mut self, statement: impl AnyStatement) -> QueryResult<usize> {
        on_engine!(self, c => ExecuteDsl::execute(statement, c))
    }

    /// Executes a statement.
    pub(crate) fn run(&mut self, statement: impl AnyStatement) -> Result<()> {
        Ok(self.execute(statement).map(drop)?)
    }

    /// Loads the rows of a query.
    pub(crate) fn load<'q, R>(&mut self, query: impl AnyQuery<'q, R>) -> Result<Vec<R>> {
        Ok(on_engine!(self, c => query.load(c))?)
    }

    /// Loads the rows of a query that waits for locks.
    pub(crate) fn load_locked<'q, R>(&mut self, query: impl AnyQuery<'q, R>) -> Result<Vec<R>> {
        on_engine!(self, c => query.load(c)).map_err(Error::from_lock_wait)
    }

    /// Loads the rows of a query and converts them.
    pub(crate) fn load_as<'q, R, T: TryFrom<R>>(
        &mut self,
        query: impl AnyQuery<'q, R>,
    ) -> Result<Vec<T>>
    where
        Error: From<T::Error>,
    {
        self.load(query)?.into_iter().map(|row| Ok(T::try_from(row)?)).collect()
    }

    /// Loads the first row of a query, if there is one.
    pub(crate) fn first<'q, R>(&mut self, query: impl AnyQuery<'q, R>) -> Result<Option<R>> {
        Ok(on_engine!(self, c => query.get_result(c).optional())?)
    }

    /// Loads the first row of a query, if there is one, and converts it.
    pub(crate) fn first_as<'q, R, T: TryFrom<R>>(
        &mut self,
        query: impl AnyQuery<'q, R>,
    ) -> Result<Option<T>>
    where
        Error: From<T::Error>,
    {
        Ok(self.first(query)?.map(T::try_from).transpose()?)
    }

    /// Selects the columns of a row type `R` from tables, and converts the rows.
    pub(crate) fn select_all<'q, R: Selectable<Sqlite>, T: TryFrom<R>>(
        &mut self,
        query: impl SelectDsl<R::SelectExpression, Output: AnyQuery<'q, R>>,
    ) -> Result<Vec<T>>
    where
        Error: From<T::Error>,
    {
        self.load_as(query.select(R::construct_selection()))
    }

    /// Does the same as [`Self::select_all`] for the first row, if there is one.
    pub(crate) fn select_first<'q, R: Selectable<Sqlite>, T: TryFrom<R>>(
        &mut self,
        query: impl SelectDsl<R::SelectExpression, Output: AnyQuery<'q, R>>,
    ) -> Result<Option<T>>
    where
        Error: From<T::Error>,
    {
        self.first_as(query.select(R::construct_selection()))
    }

    /// Loads the only row of a query.
    pub(crate) fn one<'q, R>(&mut self, query: impl AnyQuery<'q, R>) -> Result<R> {
        Ok(on_engine!(self, c => query.get_result(c))?)
    }

    /// Loads the rows of a statement as tuples, by the order of the columns.
    pub(crate) fn rows<'q, T: Columns>(&mut self, sql: &'q Sql<'q>) -> Result<Vec<T>>
    where
        Typed<'q, T::Sql>: AnyQuery<'q, T>,
    {
        self.load(Typed::new(sql))
    }

    /// Loads the first row of a statement as a tuple, if there is one.
    pub(crate) fn row<'q, T: Columns>(&mut self, sql: &'q Sql<'q>) -> Result<Option<T>>
    where
        Typed<'q, T::Sql>: AnyQuery<'q, T>,
    {
        self.first(Typed::new(sql))
    }

    /// Calls `visit` for each row of a statement, without collecting the rows.
    pub(crate) fn each_row<'q, R: 'static>(
        &mut self,
        query: impl AnyRows<'q, R>,
        mut visit: impl FnMut(R) -> Result<()>,
    ) -> Result<()> {
        match self {
            Self::Sqlite(conn) => {
                let mut rows = query.load_iter::<R, DefaultLoadingMode>(conn)?;
                rows.try_for_each(|row| visit(row?))
            }
            Self::Postgres(conn) => {
                let mut rows = query.load_iter::<R, PgRowByRowLoadingMode>(&mut **conn)?;
                rows.try_for_each(|row| visit(row?))
            }
        }
    }

    /// Does the same as [`Self::each_row`] for a statement of a bounded number of short rows.
    ///
    /// PostgreSQL's driver then keeps all rows in one result. With a result for each row it copies
    /// the names and types of the columns for each.
    pub(crate) fn each_of_short_rows<'q, R: 'static>(
        &mut self,
        query: impl AnyQuery<'q, R>,
        mut visit: impl FnMut(R) -> Result<()>,
    ) -> Result<()> {
        on_engine!(self, c => {
            let mut rows = query.load_iter::<R, DefaultLoadingMode>(c)?;
            rows.try_for_each(|row| visit(row?))
        })
    }

    /// Loads rows until their texts take more than `max_bytes` together.
    ///
    /// `convert` returns the converted row and the bytes of its texts.
    pub(crate) fn load_part<'q, R: 'static, T>(
        &mut self,
        query: impl AnyRows<'q, R>,
        max_bytes: usize,
        convert: impl FnMut(R) -> Result<(T, usize)>,
    ) -> Result<RowPart<T>> {
        match self {
            Self::Sqlite(conn) => {
                collect_part(query.load_iter::<R, DefaultLoadingMode>(conn)?, max_bytes, convert)
            }
            Self::Postgres(conn) => {
                let rows = query.load_iter::<R, PgRowByRowLoadingMode>(&mut **conn)?;
                collect_part(rows, max_bytes, convert)
            }
        }
    }
}

fn collect_part<R, T>(
    rows: impl Iterator<Item = QueryResult<R>>,
    max_bytes: usize,
    mut convert: impl FnMut(R) -> Result<(T, usize)>,
) -> Result<RowPart<T>> {
    let mut part = RowPart::from(Vec::new());
    let mut bytes: usize = 0;
    for row in rows {
        if bytes > max_bytes {
            part.is_whole = false;
            break;
        }
        let (row, texts) = convert(row?)?;
        bytes = bytes.saturating_add(texts);
        part.rows.push(row);
    }
    Ok(part)
}
