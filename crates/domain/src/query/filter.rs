//! The filter of a query: a tree of terms.

use rust_decimal::Decimal;
use time::Date;

use super::warning::Problem;
use crate::account::AccountType;

/// A condition on a transaction.
///
/// The tree is complete: the exclusion of trashed transactions (behaviour 1.2.2) and the OR of
/// several `is:` terms (behaviour 1.2.1) are part of it. Its depth is limited, so it can be walked
/// by recursion; its lists are as long as the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filter {
    /// All match; an empty list matches everything.
    All(Vec<Self>),
    /// At least one matches; an empty list matches nothing.
    Any(Vec<Self>),
    /// The complement. A transaction without a date (or amount) matches the negation of every date
    /// (or amount) term.
    Not(Box<Self>),
    /// A single term.
    Term(Term),
}

/// A single condition on a transaction (behaviour 1.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Term {
    /// The account with that id or name is on either side.
    Account(String),
    /// The account with that id or name is the credit account.
    From(String),
    /// The account with that id or name is the debit account.
    To(String),
    /// An account below the group with that id or name is on either side; child groups included.
    Group(String),
    /// The day lies in a range. A transaction without that day does not match (behaviour 1.3.4).
    Dated {
        /// Which day counts.
        basis: DateBasis,
        /// First day of the range; open when absent.
        from: Option<Date>,
        /// First day after the range; open when absent.
        until: Option<Date>,
    },
    /// The amount compares like this to a value. A transaction without amount does not match.
    Amount {
        /// The comparison of amount and value.
        comparison: Comparison,
        /// The value.
        value: Decimal,
    },
    /// The status is this one.
    Status(Status),
    /// Has the hashtag, in lower case and without `#`; it is compared whole, ignoring case
    /// (behaviour 1.2.5).
    Tag(String),
    /// Has exactly that remote id.
    RemoteId(String),
    /// Has an event whose bot responses contain an error, or (false) has none.
    HasError(bool),
    /// A custom property.
    Property {
        /// The key as stored (behaviour 4.6).
        key: String,
        /// The value in lower case, compared ignoring case; `None` for any value (`key:*`).
        value: Option<String>,
    },
    /// The description contains this text, both folded by [`crate::name::fold`] (behaviour 1.2.4).
    Text(String),
    /// Created by the user with that username or e-mail address, as written.
    By(String),
    /// Created by the agent with that id.
    Agent(String),
    /// At least one side has that account type.
    AccountType(AccountType),
    /// Has attachments.
    HasFile,
    /// Has URLs.
    HasUrl,
}

/// The day of a transaction that date terms compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DateBasis {
    /// The transaction date.
    #[default]
    Transaction,
    /// The day on which it was posted, in the time zone of the book (`using:postDate`); drafts have
    /// none.
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

/// The statuses of `is:`. A trashed transaction is [`Status::Trashed`] only (behaviour 3.1.1),
/// whatever it was before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// Not posted.
    Draft,
    /// Posted and not checked.
    Unchecked,
    /// Posted and checked.
    Checked,
    /// Unchecked or checked.
    Posted,
    /// Trashed.
    Trashed,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Draft, Self::Unchecked, Self::Checked, Self::Posted, Self::Trashed];

    /// The word behind `is:`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Unchecked => "unchecked",
            Self::Checked => "checked",
            Self::Posted => "posted",
            Self::Trashed => "trashed",
        }
    }

    /// Finds the status with that word, ignoring case.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str().eq_ignore_ascii_case(name))
    }
}

impl Filter {
    /// Calls `show` with every term of the tree, in the order of the query except that `is:` terms
    /// may come last.
    ///
    /// ```
    /// use daybook_domain::query::{Filter, Term};
    /// let filter = Filter::Not(Box::new(Filter::Any(vec![
    ///     Filter::Term(Term::HasFile),
    ///     Filter::Term(Term::HasUrl),
    /// ])));
    /// let mut terms = Vec::new();
    /// filter.each_term(&mut |term| terms.push(term));
    /// assert_eq!(terms, [&Term::HasFile, &Term::HasUrl]);
    /// ```
    pub fn each_term<'a>(&'a self, show: &mut impl FnMut(&'a Term)) {
        match self {
            Self::All(filters) | Self::Any(filters) => {
                filters.iter().for_each(|filter| filter.each_term(show))
            }
            Self::Not(filter) => filter.each_term(show),
            Self::Term(term) => show(term),
        }
    }

    /// The status, if the filter is only an `is:` term.
    pub(super) const fn status(&self) -> Option<Status> {
        match self {
            Self::Term(Term::Status(status)) => Some(*status),
            Self::All(_) | Self::Any(_) | Self::Not(_) | Self::Term(_) => None,
        }
    }
}

impl Term {
    /// The account or group that a term names, and what is wrong when there is none.
    pub(super) fn chart_name(&self) -> Option<(&str, Problem)> {
        if let Self::Group(name) = self {
            return Some((name, Problem::UnknownGroup));
        }
        self.account().map(|name| (name, Problem::UnknownAccount))
    }

    /// The account a term names.
    pub(super) fn account(&self) -> Option<&str> {
        if let Self::Account(name) | Self::From(name) | Self::To(name) = self {
            Some(name)
        } else {
            None
        }
    }
}
