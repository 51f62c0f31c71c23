//! How the engines are kept to the plans this program means, in one place.
//!
//! Every statement here is written for one way through one book: begin with what narrows most, look
//! the rest up by key, take the order that an index has. Both engines may choose another way, and
//! both choose wrongly for the same reason: they estimate from what they have counted, and a book
//! that is new, or is being written just now, has not been counted. PostgreSQL is certain that such
//! a book has no rows, passes all of it for each row of another table, and an import takes hours.
//! So what is left to the planner is little:
//!
//! - No statistics of `book_id` (end of the schema for PostgreSQL). With them an engine believes
//!   that a new book is empty; without, each book is a small part of a table, and the narrowest
//!   key wins.
//! - [`POSTGRES_SETTINGS`]. Joins are made in the order written: to search for a better one takes a
//!   minute for a query of a hundred terms. Nothing is compiled: that takes seconds, for what is
//!   read in milliseconds. Nothing is sorted: whatever is wanted in an order has an index in it,
//!   and an engine that takes a range for a short one reads all of it to sort it.
//! - [`Lookup`]: `CROSS JOIN` in SQLite, `LATERAL` with `OFFSET 0` in PostgreSQL. Neither engine
//!   turns such a look-up by key around.
//! - [`Lookup::by_index`]: `INDEXED BY` in SQLite. It counts nothing, and takes the key of a book
//!   for as narrow as an account of it.
//! - [`Lookup::merge`]: each engine merges what comes in order, if it is asked in its own way.
//! - Several accounts of a page are one `LATERAL` in PostgreSQL (`index_ranges.rs`): each part of a
//!   statement is planned by itself, which takes longer than to read what a page shows of it.
//! - [`as_filter`]: a condition in `COALESCE` uses no index. An engine guesses that several terms
//!   together leave hardly a row, and passes the whole book to find that one.
//! - [`without_order`]: a unary plus before a column. Without it an engine may scan a book by day
//!   to save the sorting of a few rows.
//! - Many rows are one array a column (`bulk.rs`, `bulk_lookup.rs`): the plan is the same for every
//!   number of rows.
//! - The numbers of a page before its rows (`event/`): SQLite would read the whole log.
//!
//! What comes of it is held by `tests/it/plans.rs` and `balance_plans.rs`, on the statements that
//! are sent.

use crate::sql::{Sql, Value};

/// What PostgreSQL's planner may not do on a connection of ours.
pub(crate) const POSTGRES_SETTINGS: &str = "SET join_collapse_limit = 1; \
     SET from_collapse_limit = 1; \
     SET jit = off; \
     SET enable_sort = off;";

/// A condition that rows are tested by and not found by.
pub(crate) fn as_filter(condition: Sql<'_>) -> Sql<'_> {
    Sql::new("COALESCE((").append(condition).push("), FALSE)")
}

/// A column whose order no index is taken for.
macro_rules! without_order {
    ($column:literal) => {
        concat!("+", $column)
    };
}

pub(crate) use without_order;

/// Joins in an order of our own: the rows on the left are few, and for each of them those of the
/// next table are looked up by a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// SQLite takes the order of a CROSS JOIN.
    InOrder,
    /// PostgreSQL takes it for a suggestion. It cannot turn a lateral join around, and OFFSET keeps
    /// it from merging the inner SELECT with the outer one.
    Lateral,
}

impl Lookup {
    /// Begins with the rows of `left` that satisfy `condition`.
    pub(crate) fn rows<'a>(self, left: Sql<'a>, condition: Sql<'a>) -> Joined<'a> {
        Joined { lookup: self, from: left, condition }
    }

    /// Begins with a row for each value, in the column `n.column1`. There must be one.
    pub(crate) fn each_of<'a>(self, values: impl IntoIterator<Item = Value<'a>>) -> Joined<'a> {
        self.each_row_of(values.into_iter().map(|value| [value]))
    }

    /// Begins with these rows, in columns that both engines call `n.column1`, `n.column2` and so
    /// on. There must be a row.
    pub(crate) fn each_row_of<'a, R: IntoIterator<Item = Value<'a>>>(
        self,
        rows: impl IntoIterator<Item = R>,
    ) -> Joined<'a> {
        let (rows, _) = Sql::new("(VALUES ").rows(rows);
        self.rows(rows.push(") n"), Sql::new("1 = 1"))
    }

    /// A table whose rows are found by this index.
    pub(crate) fn by_index<'a>(self, table: &'static str, index: &'static str) -> Sql<'a> {
        match self {
            Self::InOrder => Sql::new(table).push(" INDEXED BY ").push(index),
            Self::Lateral => Sql::new(table),
        }
    }

    /// The first rows of several parts together, in an order in which an index has those of each.
    /// `first` says how many, and in which order: ` ORDER BY ... LIMIT ...`. SQLite merges parts
    /// that have no order of their own, PostgreSQL those that have.
    pub(crate) fn merge<'a>(
        self,
        parts: impl IntoIterator<Item = Sql<'a>>,
        first: &Sql<'a>,
    ) -> Sql<'a> {
        let add = |all: Sql<'a>, (number, part): (usize, Sql<'a>)| {
            let all = if number == 0 { all } else { all.push(" UNION ALL ") };
            match self {
                Self::InOrder => all.append(part),
                Self::Lateral => all.push("(").append(part).append(first.clone()).push(")"),
            }
        };
        parts.into_iter().enumerate().fold(Sql::new(""), add).append(first.clone())
    }
}

/// A join under construction.
pub(crate) struct Joined<'a> {
    lookup: Lookup,
    from: Sql<'a>,
    condition: Sql<'a>,
}

impl<'a> Joined<'a> {
    /// Goes on with the rows of a table, called `name` from here on, that have `key`: a condition
    /// on a key of the table, in terms of what is on the left.
    pub(crate) fn look_up(self, table: &'static str, name: &'static str, key: Sql<'a>) -> Self {
        let Self { lookup, from, condition } = self;
        match lookup {
            Lookup::InOrder => {
                let from = from.push(format!(" CROSS JOIN {table} {name}"));
                Self { lookup, from, condition: condition.push(" AND ").append(key) }
            }
            Lookup::Lateral => {
                let inside = from.push(format!(
                    " CROSS JOIN LATERAL (SELECT {name}.* FROM {table} {name} WHERE "
                ));
                let from = inside.append(key).push(format!(" OFFSET 0) {name}"));
                Self { lookup, from, condition }
            }
        }
    }

    /// Goes on with each of these few rows, which nothing on the left selects.
    pub(crate) fn each_with(self, rows: &'static str) -> Self {
        Self { from: self.from.push(" CROSS JOIN ").push(rows), ..self }
    }

    /// ` FROM ... WHERE ...`
    pub(crate) fn sql(self) -> Sql<'a> {
        Sql::new(" FROM ").append(self.from).push(" WHERE ").append(self.condition)
    }
}
