//! How both engines are kept to the intended plans.
//!
//! Every statement is written for one plan within one book: start with the narrowest condition,
//! look up the other tables by key, use the order of an index. Both engines may choose another
//! plan, and both choose badly for the same reason: they estimate from statistics, and a book that
//! is new or is being written has none. PostgreSQL then assumes that the book has no rows, scans
//! all of it for each row of another table, and an import takes hours. The planner is therefore
//! left with few choices:
//!
//! - No statistics on `book_id` (end of the PostgreSQL schema). With statistics an engine assumes
//!   that a new book is empty. Without, each book is a small part of a table, and the narrowest
//!   key wins.
//! - [`POSTGRES_SETTINGS`]. Joins run in the written order, because the search for a better order
//!   takes a minute for a query of a hundred terms. JIT compilation is off, because it takes
//!   seconds for statements that run in milliseconds. Sorting is off, because every order has an
//!   index, and an engine that underestimates a range reads all of it to sort it.
//! - [`Lookup`]: `CROSS JOIN` in SQLite, `LATERAL` with `OFFSET 0` in PostgreSQL. Neither engine
//!   reorders such a look-up by key.
//! - [`Lookup::by_index`]: `INDEXED BY` in SQLite, which has no statistics and assumes that the key
//!   of a book is as selective as the key of one of its accounts.
//! - [`Lookup::merge`]: each engine merges ordered parts if the statement has the right form.
//! - Several accounts of a page are one `LATERAL` in PostgreSQL (`search/range_page.rs`). Each part
//!   of a `UNION` is planned separately, which takes longer than reading the rows of a page.
//! - [`as_filter`]: a condition in `COALESCE` uses no index. Otherwise an engine estimates that
//!   several terms together match hardly a row, and scans the whole book to find it.
//! - [`without_order`]: a unary plus before a column. Without it an engine may scan a book by day
//!   to avoid sorting a few rows.
//! - Many rows are one array per column (`bulk.rs`, `bulk_lookup.rs`), so the plan does not depend
//!   on the number of rows.
//! - A page of the event log selects its numbers before its rows (`event/`). Otherwise SQLite reads
//!   the whole log.
//!
//! `tests/it/plans.rs` and `balance_plans.rs` check the plans of the statements as they are sent.

use crate::conn::sql::{self, Sql, Value};

/// The planner settings of every PostgreSQL connection.
pub(crate) const POSTGRES_SETTINGS: &str = "SET join_collapse_limit = 1; \
     SET from_collapse_limit = 1; \
     SET jit = off; \
     SET enable_sort = off;";

/// Wraps a condition so that it filters rows but uses no index.
pub(crate) fn as_filter(condition: Sql<'_>) -> Sql<'_> {
    Sql::new("COALESCE(({}), FALSE)").bind(condition)
}

/// Names a column so that no index is used for its order.
macro_rules! without_order {
    ($column:literal) => {
        concat!("+", $column)
    };
}

pub(crate) use without_order;

/// The way to force a join order: few rows on the left, and for each of them a look-up by key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// SQLite keeps the order of a `CROSS JOIN`.
    InOrder,
    /// PostgreSQL may reorder a `CROSS JOIN`, but not a lateral join. `OFFSET 0` prevents it from
    /// merging the inner SELECT with the outer one.
    Lateral,
}

impl Lookup {
    /// Starts a join with the rows of `left` that satisfy `condition`.
    pub(crate) fn rows<'a>(self, left: Sql<'a>, condition: Sql<'a>) -> Joined<'a> {
        Joined { lookup: self, from: left, condition }
    }

    /// Starts a join with a row for each value, as `n.column1`. The list must not be empty.
    pub(crate) fn each_of<'a>(self, values: impl IntoIterator<Item = Value<'a>>) -> Joined<'a> {
        self.each_row_of(values.into_iter().map(|value| [value]))
    }

    /// Starts a join with these rows, as `n.column1`, `n.column2` and so on.
    ///
    /// Both engines use these column names. The list must not be empty.
    pub(crate) fn each_row_of<'a, R: IntoIterator<Item = Value<'a>>>(
        self,
        rows: impl IntoIterator<Item = R>,
    ) -> Joined<'a> {
        self.rows(Sql::new("(VALUES {}) n").bind(sql::rows(rows)), Sql::new("1 = 1"))
    }

    /// Names a table whose rows must be found by this index.
    pub(crate) fn by_index<'a>(self, table: &'static str, index: &'static str) -> Sql<'a> {
        match self {
            Self::InOrder => Sql::new(table).push(" INDEXED BY ").push(index),
            Self::Lateral => Sql::new(table),
        }
    }

    /// Merges the first rows of several parts, each of which has an index in the wanted order.
    ///
    /// `first` is ` ORDER BY ... LIMIT ...`. SQLite merges parts without an `ORDER BY` of their
    /// own, PostgreSQL parts with one.
    pub(crate) fn merge<'a>(
        self,
        parts: impl IntoIterator<Item = Sql<'a>>,
        first: &Sql<'a>,
    ) -> Sql<'a> {
        let add = |all: Sql<'a>, (number, part): (usize, Sql<'a>)| {
            let all = if number == 0 { all } else { all.push(" UNION ALL ") };
            match self {
                Self::InOrder => all.append(part),
                Self::Lateral => all.push("({}{})").bind((part, first.clone())),
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
    /// Joins the rows of `table`, under the alias `name`, that satisfy `key`.
    ///
    /// `key` is a condition on a key of the table in terms of the tables on the left.
    pub(crate) fn look_up(self, table: &'static str, name: &'static str, key: Sql<'a>) -> Self {
        let Self { lookup, from, condition } = self;
        match lookup {
            Lookup::InOrder => {
                let from = from.push(format!(" CROSS JOIN {table} {name}"));
                Self { lookup, from, condition: condition.push(" AND {}").bind(key) }
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

    /// Joins each of a few rows, independent of the tables on the left.
    pub(crate) fn each_with(self, rows: &'static str) -> Self {
        Self { from: self.from.push(" CROSS JOIN ").push(rows), ..self }
    }

    /// Returns ` FROM ... WHERE ...`.
    pub(crate) fn sql(self) -> Sql<'a> {
        Sql::new(" FROM {} WHERE {}").bind((self.from, self.condition))
    }
}
