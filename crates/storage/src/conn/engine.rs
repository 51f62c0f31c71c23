//! The properties of an engine that statements depend on.
//!
//! A unit of work keeps a copy, because it needs them also while a flush has its connection.

use std::borrow::Cow;

use crate::conn::planner::Lookup;
use crate::conn::sql::Sql;

/// Longest text, in bytes, that is searched with `strpos` on PostgreSQL.
const SHORT_TEXT: usize = 32;

/// Builds the condition that a column contains a text.
pub(crate) type Contains = for<'a> fn(&'static str, &'a str) -> Sql<'a>;

/// The engine of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    Sqlite,
    /// PostgreSQL on one machine.
    Postgres,
    /// PostgreSQL with Citus, which distributes the books over several machines.
    Citus,
}

impl Engine {
    /// Returns whether the books are distributed over several machines.
    pub(crate) const fn is_distributed(self) -> bool {
        match self {
            Self::Citus => true,
            Self::Sqlite | Self::Postgres => false,
        }
    }

    /// Returns whether writers lock rows. SQLite's writer locks the whole database.
    pub(crate) const fn locks_rows(self) -> bool {
        match self {
            Self::Sqlite => false,
            Self::Postgres | Self::Citus => true,
        }
    }

    /// Returns whether `COMMIT AND CHAIN` is available, which saves one round trip.
    pub(crate) const fn can_chain(self) -> bool {
        self.locks_rows() && !self.is_distributed()
    }

    /// Returns whether the connection can break while a commit is under way.
    pub(crate) const fn is_server(self) -> bool {
        self.locks_rows()
    }

    /// Returns whether a writer can then determine the outcome ([`crate::commit::mark`]).
    pub(crate) const fn marks_commits(self) -> bool {
        self.is_server() && !self.is_distributed()
    }

    /// Returns how a join is forced into the written order.
    pub(crate) const fn lookup(self) -> Lookup {
        match self {
            Self::Sqlite => Lookup::InOrder,
            Self::Postgres | Self::Citus => Lookup::Lateral,
        }
    }

    /// Returns the first part of a condition that lets a long SQLite statement notice that its read
    /// was stopped.
    ///
    /// `row` is an integer column that differs from row to row. PostgreSQL statements need no such
    /// condition, because the server can cancel them.
    pub(crate) fn stop_check(self, row: &'static str) -> Cow<'static, str> {
        match self {
            Self::Sqlite => format!("read_goes_on({row}) AND ").into(),
            Self::Postgres | Self::Citus => "".into(),
        }
    }

    /// Returns the aggregate of `c.days` over a single row, its value.
    pub(crate) const fn days_of_one_row(self) -> &'static str {
        match self {
            Self::Sqlite => "MAX(c.days)",
            // It has no MAX of bytes.
            Self::Postgres | Self::Citus => "STRING_AGG(c.days, ''::bytea)",
        }
    }

    /// Returns the condition that a column contains a text.
    ///
    /// Its cost grows with the length of the column and hardly with the length of the text. For
    /// long texts on PostgreSQL this takes a regular expression; for short ones `strpos` is faster.
    pub(crate) const fn contains(self) -> Contains {
        match self {
            Self::Sqlite => {
                |column, text| Sql::new("instr({}, {}) > 0").bind((Sql::new(column), text))
            }
            Self::Postgres | Self::Citus => |column, text| {
                if text.len() <= SHORT_TEXT {
                    return Sql::new("strpos({}, {}) > 0").bind((Sql::new(column), text));
                }
                // After this prefix PostgreSQL reads the pattern as a literal text.
                Sql::new(column).push(" ~ {}").bind(format!("***={text}"))
            },
        }
    }

    /// Returns the expression for the folded description of a transaction `t` (behaviour 1.2.4).
    ///
    /// The stored column is empty where it equals the description with ASCII letters in lower case.
    pub(crate) const fn folded_description(self) -> &'static str {
        match self {
            Self::Sqlite => {
                "CASE WHEN t.folded_description = '' THEN lower(t.description) \
                 ELSE t.folded_description END"
            }
            Self::Postgres | Self::Citus => {
                "CASE WHEN t.folded_description = '' THEN lower(t.description COLLATE \"C\") \
                 ELSE t.folded_description END"
            }
        }
    }
}
