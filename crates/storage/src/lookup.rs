//! Joins in an order of our own: the rows on the left are few, and for each of them those of the
//! next table are looked up by a key. An engine that believes to know better passes a whole book.

use crate::sql::{Sql, Value};

/// How an engine is kept to the order in which a join is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// SQLite takes the order of a CROSS JOIN.
    InOrder,
    /// PostgreSQL takes it for a suggestion; what is lateral it cannot turn around, and OFFSET
    /// keeps it from being taken apart.
    Lateral,
}

impl Lookup {
    /// Begins with the rows of `left` that satisfy `of`.
    pub(crate) fn rows<'a>(self, left: Sql<'a>, of: Sql<'a>) -> Joined<'a> {
        Joined { lookup: self, from: left, of }
    }

    /// Begins with a row for each value, in a column that both engines call `n.column1`. There must
    /// be one.
    pub(crate) fn each_of<'a>(self, values: impl IntoIterator<Item = Value<'a>>) -> Joined<'a> {
        let mut rows = Sql::new("(VALUES ");
        for (place, value) in values.into_iter().enumerate() {
            rows = if place == 0 { rows } else { rows.push(", ") }.list([value]);
        }
        self.rows(rows.push(") n"), Sql::new("1 = 1"))
    }
}

/// A join under construction.
pub(crate) struct Joined<'a> {
    lookup: Lookup,
    from: Sql<'a>,
    of: Sql<'a>,
}

impl<'a> Joined<'a> {
    /// Goes on with the rows of a table, called `name` from here on, that satisfy `of`: a key of
    /// the table, in terms of what is on the left.
    pub(crate) fn look_up(self, table: &'static str, name: &'static str, of: Sql<'a>) -> Self {
        let Self { lookup, from, of: before } = self;
        match lookup {
            Lookup::InOrder => {
                let from = from.push(format!(" CROSS JOIN {table} {name}"));
                Self { lookup, from, of: before.push(" AND ").append(of) }
            }
            Lookup::Lateral => {
                let inside = from.push(format!(
                    " CROSS JOIN LATERAL (SELECT {name}.* FROM {table} {name} WHERE "
                ));
                Self {
                    lookup,
                    from: inside.append(of).push(format!(" OFFSET 0) {name}")),
                    of: before,
                }
            }
        }
    }

    /// ` FROM ... WHERE ...`
    pub(crate) fn sql(self) -> Sql<'a> {
        Sql::new(" FROM ").append(self.from).push(" WHERE ").append(self.of)
    }
}
