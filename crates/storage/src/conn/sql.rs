//! SQL statements that are built at run time: searches, lists of ids, bulk writes.
//!
//! The text is static and all values are bound, except lists of numbers ([`Sql::numbers`]). A
//! statement whose shape rarely recurs stays out of the cache of prepared statements
//! ([`Sql::uncached`]).

use diesel::backend::Backend;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::serialize::ToSql;
use diesel::sql_types::{BigInt, Binary, Bool, HasSqlType, Nullable, Text, Untyped};
use std::borrow::Cow;
use std::fmt::Write;

/// Maximum number of bound values in a statement. This is SQLite's limit; PostgreSQL's is higher.
pub(crate) const MAX_VALUES: usize = 32_766;
/// Maximum length of a list of names or ids in one statement, well below [`MAX_VALUES`].
pub(crate) const MAX_NAMED: usize = 10_000;
/// Longest list of values in a statement that is kept prepared.
const CACHED_ROWS: usize = 4;

/// A bound value.
#[derive(Debug, Clone)]
pub(crate) enum Value<'a> {
    Int(i64),
    SomeInt(Option<i64>),
    Flag(bool),
    Text(Cow<'a, str>),
    SomeText(Option<Cow<'a, str>>),
    Bytes(&'a [u8]),
}

/// A part of a statement: text or a bound value.
#[derive(Debug, Clone)]
enum Piece<'a> {
    Text(Cow<'static, str>),
    Value(Value<'a>),
}

/// A statement under construction.
#[derive(Debug, Clone)]
pub(crate) struct Sql<'a> {
    pieces: Vec<Piece<'a>>,
    cached: bool,
}

impl<'a> Sql<'a> {
    pub(crate) fn new(text: &'static str) -> Self {
        Self { pieces: vec![Piece::Text(Cow::Borrowed(text))], cached: true }
    }

    /// Keeps the statement out of the cache of prepared statements.
    pub(crate) fn uncached(mut self) -> Self {
        self.cached = false;
        self
    }

    /// Keeps the statement out of the cache if it lists more than a few values.
    pub(crate) fn cached_up_to(self, values: usize) -> Self {
        if values > CACHED_ROWS { self.uncached() } else { self }
    }

    pub(crate) fn push(mut self, text: impl Into<Cow<'static, str>>) -> Self {
        self.pieces.push(Piece::Text(text.into()));
        self
    }

    pub(crate) fn value(mut self, value: Value<'a>) -> Self {
        self.pieces.push(Piece::Value(value));
        self
    }

    pub(crate) fn int(self, value: i64) -> Self {
        self.value(Value::Int(value))
    }

    pub(crate) fn flag(self, value: bool) -> Self {
        self.value(Value::Flag(value))
    }

    pub(crate) fn text(self, value: impl Into<Cow<'a, str>>) -> Self {
        self.value(Value::Text(value.into()))
    }

    /// Adds `(v1, v2, ...)`. An empty list becomes `(NULL)`, which matches nothing.
    pub(crate) fn list(self, values: impl IntoIterator<Item = Value<'a>>) -> Self {
        let (sql, count) = self.push("(").separated(values, Self::value);
        if count == 0 { sql.push("NULL)") } else { sql.push(")") }
    }

    /// Adds `(v1, v2, ...), (w1, w2, ...), ...`, the rows of a `VALUES`, and returns their number.
    pub(crate) fn rows<R: IntoIterator<Item = Value<'a>>>(
        self,
        rows: impl IntoIterator<Item = R>,
    ) -> (Self, usize) {
        self.separated(rows, Self::list)
    }

    /// Adds items separated by commas and returns their number.
    fn separated<T>(
        self,
        items: impl IntoIterator<Item = T>,
        add: impl Fn(Self, T) -> Self,
    ) -> (Self, usize) {
        items.into_iter().fold((self, 0), |(sql, count), item| {
            (add(if count == 0 { sql } else { sql.push(", ") }, item), count + 1)
        })
    }

    /// Adds `(n1, n2, ...)` as text instead of bound values.
    ///
    /// The number of bound values is limited, and a search may repeat a list of thousands for each
    /// of its terms. Integers cannot inject SQL. An empty list matches nothing.
    pub(crate) fn numbers(self, numbers: impl IntoIterator<Item = i64>) -> Self {
        let mut digits = String::new();
        for number in numbers {
            // Writing to a String cannot fail.
            let _ = write!(digits, "{}{number}", if digits.is_empty() { "(" } else { ", " });
        }
        digits.push_str(if digits.is_empty() { "(NULL)" } else { ")" });
        self.push(digits).uncached()
    }

    /// Appends another statement.
    pub(crate) fn append(mut self, other: Sql<'a>) -> Self {
        self.pieces.extend(other.pieces);
        self.cached &= other.cached;
        self
    }
}

impl<DB> QueryFragment<DB> for Value<'_>
where
    DB: Backend + HasSqlType<BigInt> + HasSqlType<Bool> + HasSqlType<Text> + HasSqlType<Binary>,
    i64: ToSql<BigInt, DB>,
    bool: ToSql<Bool, DB>,
    str: ToSql<Text, DB>,
    [u8]: ToSql<Binary, DB>,
    Option<i64>: ToSql<Nullable<BigInt>, DB>,
    for<'s> Option<&'s str>: ToSql<Nullable<Text>, DB>,
    for<'s> Cow<'s, str>: ToSql<Text, DB>,
    for<'s> Option<Cow<'s, str>>: ToSql<Nullable<Text>, DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        match self {
            Self::Int(value) => out.push_bind_param::<BigInt, i64>(value),
            Self::SomeInt(value) => out.push_bind_param::<Nullable<BigInt>, Option<i64>>(value),
            Self::Flag(value) => out.push_bind_param::<Bool, bool>(value),
            Self::Text(value) => out.push_bind_param::<Text, Cow<'_, str>>(value),
            Self::SomeText(value) => {
                out.push_bind_param::<Nullable<Text>, Option<Cow<'_, str>>>(value)
            }
            Self::Bytes(value) => out.push_bind_param::<Binary, [u8]>(value),
        }
    }
}

impl<'a, DB: Backend> QueryFragment<DB> for Sql<'a>
where
    Value<'a>: QueryFragment<DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        if !self.cached {
            out.unsafe_to_cache_prepared();
        }
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.push_sql(text),
                Piece::Value(value) => value.walk_ast(out.reborrow())?,
            }
        }
        Ok(())
    }
}

impl QueryId for Sql<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Query for Sql<'_> {
    type SqlType = Untyped;
}

impl<C> RunQueryDsl<C> for Sql<'_> {}
impl<C> RunQueryDsl<C> for &Sql<'_> {}
