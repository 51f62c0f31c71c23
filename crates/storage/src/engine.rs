//! What statements have to know of the engine that runs them. A unit of work knows it also while
//! its connection is busy.

use std::borrow::Cow;

use crate::planner::Lookup;
use crate::sql::Sql;

/// Bytes up to which PostgreSQL looks for a text by comparing it at each place.
const SHORT_TEXT: usize = 32;

/// Makes the condition that a column holds a text.
pub(crate) type Contains = for<'a> fn(&'static str, &'a str) -> Sql<'a>;

/// What runs the statements of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    /// SQLite.
    Sqlite,
    /// PostgreSQL on one machine.
    Postgres,
    /// PostgreSQL with Citus, which keeps the books on several machines.
    Citus,
}

impl Engine {
    /// Whether the books lie on several machines.
    pub(crate) const fn is_distributed(self) -> bool {
        match self {
            Self::Citus => true,
            Self::Sqlite | Self::Postgres => false,
        }
    }

    /// Whether writers lock rows: SQLite's writer holds the whole database already.
    pub(crate) const fn locks_rows(self) -> bool {
        match self {
            Self::Sqlite => false,
            Self::Postgres | Self::Citus => true,
        }
    }

    /// Whether the next database transaction can begin with the commit of this one, which spares a
    /// way to the server and back.
    pub(crate) const fn can_chain(self) -> bool {
        self.locks_rows() && !self.is_distributed()
    }

    /// Whether the answer of a commit can be lost on its way.
    pub(crate) const fn is_server(self) -> bool {
        self.locks_rows()
    }

    /// Whether a writer finds out then what became of it ([`crate::commit_mark`]).
    pub(crate) const fn marks_commits(self) -> bool {
        self.is_server() && !self.is_distributed()
    }

    /// How a join is kept to its order.
    pub(crate) const fn lookup(self) -> Lookup {
        match self {
            Self::Sqlite => Lookup::InOrder,
            Self::Postgres | Self::Citus => Lookup::Lateral,
        }
    }

    /// What a statement that may pass many rows begins its condition with, so that the read can be
    /// stopped within it: `row` is a number in each of them.
    pub(crate) fn stoppable(self, row: &'static str) -> Cow<'static, str> {
        match self {
            Self::Sqlite => format!("read_goes_on({row}) AND ").into(),
            Self::Postgres | Self::Citus => "".into(),
        }
    }

    /// How a statement asks whether a column holds a text. The time it takes grows with the length
    /// of the column and hardly with that of the text. On PostgreSQL that is so of an automaton,
    /// which is the slower one for short texts.
    pub(crate) const fn contains(self) -> Contains {
        match self {
            Self::Sqlite => {
                |column, text| Sql::new("instr(").push(column).push(", ").text(text).push(") > 0")
            }
            Self::Postgres | Self::Citus => |column, text| {
                if text.len() <= SHORT_TEXT {
                    return Sql::new("strpos(").push(column).push(", ").text(text).push(") > 0");
                }
                // What follows these characters is no pattern, and stands for itself.
                Sql::new(column).push(" ~ ").text(format!("***={text}"))
            },
        }
    }

    /// The folded description of a transaction `t` (behaviour 1.2.4). None is stored where it is
    /// the description with its ASCII letters in lower case.
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
