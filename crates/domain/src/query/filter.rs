//! The filter of a query: a tree of terms.

use rust_decimal::Decimal;
use time::Date;

use super::warning::Problem;
use crate::account::AccountType;
use crate::named::named;

/// A condition on a transaction.
///
/// The tree includes the exclusion of trashed transactions (behaviour 1.2.2) and the OR of several
/// `is:` terms (behaviour 1.2.1). Its depth is limited, so recursion is safe. Its lists may be as
/// long as the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filter {
    /// All match; an empty list matches everything.
    All(Vec<Self>),
    /// At least one matches; an empty list matches nothing.
    Any(Vec<Self>),
    /// The complement. A transaction without a date or amount matches the negation of every date or
    /// amount term.
    Not(Box<Self>),
    /// A single term.
    Term(Term),
}

/// A single condition on a transaction (behaviour 1.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Term {
    /// Either side is the account with that id or name.
    Account(String),
    /// The credit account is the one with that id or name.
    From(String),
    /// The debit account is the one with that id or name.
    To(String),
    /// Either side is an account below the group with that id or name, including child groups.
    Group(String),
    /// The day is in a range. A transaction without that day does not match (behaviour 1.3.4).
    Dated {
        /// The day that is compared.
        basis: DateBasis,
        /// First day of the range; open when absent.
        from: Option<Date>,
        /// First day after the range; open when absent.
        until: Option<Date>,
    },
    /// The amount compares to a value. A transaction without amount does not match.
    Amount {
        /// The comparison of amount and value.
        comparison: Comparison,
        /// The value.
        value: Decimal,
    },
    /// The transaction has this status.
    Status(Status),
    /// The transaction has this hashtag, in lower case without `#` (behaviour 1.2.5).
    Tag(String),
    /// The transaction has exactly this remote id.
    RemoteId(String),
    /// An event of the transaction has an app response with an error, or, if false, none has.
    HasError(bool),
    /// A custom property.
    Property {
        /// The key as stored (behaviour 4.6).
        key: String,
        /// The value in lower case, compared ignoring case; `None` for any value (`key:*`).
        value: Option<String>,
    },
    /// The folded description contains this folded text (behaviour 1.2.4, [`crate::name::fold`]).
    Text(String),
    /// The creator has exactly this username or email address.
    By(String),
    /// The agent with this id created the transaction.
    Agent(String),
    /// At least one side has this account type.
    AccountType(AccountType),
    /// The transaction has files.
    HasFile,
    /// The transaction has URLs.
    HasUrl,
    /// The transaction has comments.
    HasComment,
}

/// The day of a transaction that date terms compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DateBasis {
    /// The transaction date.
    #[default]
    Transaction,
    /// The day of posting in the time zone of the book (`using:postDate`). Drafts have none.
    Posting,
}

/// A comparison of an amount with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// Equal.
    Eq,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
}

named! {
    /// A status of `is:`. A trashed transaction has the status [`Status::Trashed`] only (behaviour
    /// 3.1.1).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Status {
        /// Not posted.
        Draft = "draft",
        /// Posted and not checked.
        Unchecked = "unchecked",
        /// Posted and checked.
        Checked = "checked",
        /// Unchecked or checked.
        Posted = "posted",
        /// Trashed.
        Trashed = "trashed",
    }
}

impl Filter {
    /// Calls `visit` with every term, in the order of the query except that `is:` terms may come
    /// last.
    pub fn each_term<'a>(&'a self, visit: &mut impl FnMut(&'a Term)) {
        match self {
            Self::All(filters) | Self::Any(filters) => {
                filters.iter().for_each(|filter| filter.each_term(visit))
            }
            Self::Not(filter) => filter.each_term(visit),
            Self::Term(term) => visit(term),
        }
    }

    /// Returns the status, if the filter is a single `is:` term.
    pub(super) const fn status(&self) -> Option<Status> {
        match self {
            Self::Term(Term::Status(status)) => Some(*status),
            Self::All(_) | Self::Any(_) | Self::Not(_) | Self::Term(_) => None,
        }
    }
}

impl Term {
    /// Returns the account or group of a term, and the problem to report if it does not exist.
    pub(super) fn chart_name(&self) -> Option<(&str, Problem)> {
        if let Self::Group(name) = self {
            return Some((name, Problem::UnknownGroup));
        }
        self.account().map(|name| (name, Problem::UnknownAccount))
    }

    /// Returns the account of a term.
    pub(super) fn account(&self) -> Option<&str> {
        if let Self::Account(name) | Self::From(name) | Self::To(name) = self {
            Some(name)
        } else {
            None
        }
    }
}
