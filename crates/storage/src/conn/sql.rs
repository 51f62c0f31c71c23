//! SQL statements that are built at run time: searches, lists of ids, bulk writes.
//!
//! [`Sql::bind`] replaces the placeholders `{}` of a text. All values are bound, except lists of
//! numbers ([`numbers`]). A statement whose shape rarely recurs stays out of the cache of prepared
//! statements ([`Sql::uncached`]).

use std::borrow::Cow;
use std::fmt::Write;
use std::marker::PhantomData;

use daybook_domain::app::AppId;
use daybook_domain::email::Email;
use daybook_domain::id::{
    AccessRequestId, AccountId, ApiKeyId, BookId, BookKey, CollectionId, ConnectionId, FileId,
    GroupId, ImportId, ReconciliationId, TransactionId, UserId,
};
use daybook_domain::instant::Instant;
use diesel::backend::Backend;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::serialize::ToSql;
use diesel::sql_types::{BigInt, Binary, Bool, HasSqlType, Integer, Nullable, Text, Untyped};

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

/// Implements conversions into bound values.
macro_rules! values_from {
    ($($type:ty, $value:ident => $into:expr;)*) => {
        $(impl<'a> From<$type> for Value<'a> {
            fn from($value: $type) -> Self {
                $into
            }
        })*
    };
}

/// Implements conversions of identifiers into bound values.
macro_rules! values_from_ids {
    ($($id:ident)*) => {
        values_from! {
            $($id, id => Self::Int(id.get()); &$id, id => Self::Int(id.get());)*
        }
    };
}

values_from! {
    i64, number => Self::Int(number);
    &i64, number => Self::Int(*number);
    i32, number => Self::Int(number.into());
    bool, flag => Self::Flag(flag);
    Instant, at => Self::Int(at.milliseconds());
    &'a str, text => Self::Text(text.into());
    &'a String, text => Self::Text(text.into());
    String, text => Self::Text(text.into());
    &'a AppId, app => Self::Text(app.as_str().into());
    &'a BookKey, book => Self::Text(book.as_str().into());
    &'a Email, email => Self::Text(email.as_str().into());
    &'a [u8], bytes => Self::Bytes(bytes);
    Option<i64>, number => Self::SomeInt(number);
    Option<Instant>, at => Self::SomeInt(at.map(Instant::milliseconds));
    Option<&'a str>, text => Self::SomeText(text.map(Into::into));
    Option<String>, text => Self::SomeText(text.map(Into::into));
}

values_from_ids! {
    AccessRequestId AccountId ApiKeyId BookId CollectionId ConnectionId FileId GroupId ImportId
    ReconciliationId TransactionId UserId
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

impl<'a, T> From<T> for Sql<'a>
where
    Value<'a>: From<T>,
{
    fn from(value: T) -> Self {
        Self { pieces: vec![Piece::Value(value.into())], cached: true }
    }
}

/// One or more values or other parts of a statement, for [`Sql::bind`].
pub(crate) trait Parts<'a> {
    fn parts(self) -> Vec<Sql<'a>>;
}

impl<'a, T> Parts<'a> for T
where
    Sql<'a>: From<T>,
{
    fn parts(self) -> Vec<Sql<'a>> {
        vec![self.into()]
    }
}

/// Implements [`Parts`] for tuples, by the names of their fields.
macro_rules! tuples_of_parts {
    ($(($($type:ident $part:ident),+))+) => {
        $(impl<'a, $($type),+> Parts<'a> for ($($type),+)
        where
            $(Sql<'a>: From<$type>),+
        {
            fn parts(self) -> Vec<Sql<'a>> {
                let ($($part),+) = self;
                vec![$($part.into()),+]
            }
        })+
    };
}

tuples_of_parts! {
    (A a, B b)
    (A a, B b, C c)
    (A a, B b, C c, D d)
    (A a, B b, C c, D d, E e)
    (A a, B b, C c, D d, E e, F f)
    (A a, B b, C c, D d, E e, F f, G g)
    (A a, B b, C c, D d, E e, F f, G g, H h)
    (A a, B b, C c, D d, E e, F f, G g, H h, I i)
}

/// Returns `(v1, v2, ...)`. An empty list becomes `(NULL)`, which matches nothing.
pub(crate) fn list<'a>(values: impl IntoIterator<Item = impl Into<Value<'a>>>) -> Sql<'a> {
    Sql::new("").list(values)
}

/// Returns `(n1, n2, ...)` as text instead of bound values.
///
/// The number of bound values is limited, and a search may repeat a list of thousands for each of
/// its terms. Integers cannot inject SQL. An empty list matches nothing.
pub(crate) fn numbers<'a>(numbers: impl IntoIterator<Item = i64>) -> Sql<'a> {
    let mut digits = String::new();
    for number in numbers {
        // Writing to a String cannot fail.
        let _ = write!(digits, "{}{number}", if digits.is_empty() { "(" } else { ", " });
    }
    digits.push_str(if digits.is_empty() { "(NULL)" } else { ")" });
    Sql::new(digits).uncached()
}

/// Returns `(v1, v2, ...), (w1, w2, ...), ...`, the rows of a `VALUES`.
pub(crate) fn rows<'a, R: IntoIterator<Item = Value<'a>>>(
    rows: impl IntoIterator<Item = R>,
) -> Sql<'a> {
    Sql::new("").separated(rows, Sql::list)
}

impl<'a> Sql<'a> {
    pub(crate) fn new(text: impl Into<Cow<'static, str>>) -> Self {
        Self { pieces: vec![Piece::Text(text.into())], cached: true }
    }

    /// Replaces each `{}` in the text that was added last: values are bound, SQL is inserted.
    ///
    /// `Sql::new("SELECT id FROM books WHERE owner_id = {} AND name IN {}").bind((owner, names))`
    pub(crate) fn bind(mut self, parts: impl Parts<'a>) -> Self {
        let text = match self.pieces.pop() {
            Some(Piece::Text(text)) => text,
            Some(value @ Piece::Value(_)) => {
                self.pieces.push(value);
                Cow::default()
            }
            None => Cow::default(),
        };
        let parts = parts.parts();
        assert_eq!(text.matches("{}").count(), parts.len(), "placeholders of {text}");
        let texts: Vec<Cow<'static, str>> = match text {
            Cow::Borrowed(text) => text.split("{}").map(Cow::Borrowed).collect(),
            Cow::Owned(text) => text.split("{}").map(|text| Cow::Owned(text.to_owned())).collect(),
        };
        let mut texts = texts.into_iter();
        let start = self.push(texts.next().unwrap_or_default());
        parts.into_iter().zip(texts).fold(start, |sql, (part, text)| sql.append(part).push(text))
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

    /// Adds `(v1, v2, ...)` of at most [`MAX_NAMED`] values each, which gives several statements.
    pub(crate) fn in_chunks<V>(self, values: &'a [V]) -> impl Iterator<Item = Self>
    where
        &'a V: Into<Value<'a>>,
    {
        values
            .chunks(MAX_NAMED)
            .map(move |chunk| self.clone().append(list(chunk)).cached_up_to(chunk.len()))
    }

    pub(crate) fn push(mut self, text: impl Into<Cow<'static, str>>) -> Self {
        self.pieces.push(Piece::Text(text.into()));
        self
    }

    /// Adds `(v1, v2, ...)`. An empty list becomes `(NULL)`, which matches nothing.
    fn list(self, values: impl IntoIterator<Item = impl Into<Value<'a>>>) -> Self {
        let mut values = values.into_iter().map(Into::into).peekable();
        let sql = self.push(if values.peek().is_some() { "(" } else { "(NULL" });
        sql.separated(values, |sql, value: Value<'a>| sql.append(value.into())).push(")")
    }

    /// Adds items separated by commas.
    fn separated<T>(
        self,
        items: impl IntoIterator<Item = T>,
        add: impl Fn(Self, T) -> Self,
    ) -> Self {
        items.into_iter().enumerate().fold(self, |sql, (index, item)| {
            add(if index == 0 { sql } else { sql.push(", ") }, item)
        })
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

/// A statement whose rows have the columns of the SQL type `ST`, in this order.
pub(crate) struct Typed<'s, ST>(&'s Sql<'s>, PhantomData<ST>);

impl<'s, ST> Typed<'s, ST> {
    pub(crate) const fn new(sql: &'s Sql<'s>) -> Self {
        Self(sql, PhantomData)
    }
}

impl<'s, DB: Backend, ST> QueryFragment<DB> for Typed<'s, ST>
where
    Sql<'s>: QueryFragment<DB>,
{
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.0.walk_ast(out)
    }
}

/// Reads rows `R` of a statement by the order of their columns. By name, diesel would compare the
/// names of the columns for each value.
pub(crate) const fn by_position<'s, R: Columns>(sql: &'s Sql<'s>) -> Typed<'s, R::Sql> {
    Typed::new(sql)
}

impl<ST> QueryId for Typed<'_, ST> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<ST> Query for Typed<'_, ST> {
    type SqlType = ST;
}

impl<C, ST> RunQueryDsl<C> for Typed<'_, ST> {}

/// A value, or several, that are read from the columns of a row by their order.
pub(crate) trait Columns {
    /// Their SQL types.
    type Sql;
}

impl Columns for i64 {
    type Sql = BigInt;
}

impl Columns for i32 {
    type Sql = Integer;
}

impl Columns for bool {
    type Sql = Bool;
}

impl Columns for String {
    type Sql = Text;
}

impl Columns for Vec<u8> {
    type Sql = Binary;
}

impl<T: Columns> Columns for Option<T> {
    type Sql = Nullable<T::Sql>;
}

impl<A: Columns, B: Columns> Columns for (A, B) {
    type Sql = (A::Sql, B::Sql);
}

impl<A: Columns, B: Columns, C: Columns> Columns for (A, B, C) {
    type Sql = (A::Sql, B::Sql, C::Sql);
}

impl<A: Columns, B: Columns, C: Columns, D: Columns> Columns for (A, B, C, D) {
    type Sql = (A::Sql, B::Sql, C::Sql, D::Sql);
}

impl<A: Columns, B: Columns, C: Columns, D: Columns, E: Columns> Columns for (A, B, C, D, E) {
    type Sql = (A::Sql, B::Sql, C::Sql, D::Sql, E::Sql);
}
