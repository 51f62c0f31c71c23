//! What a query asks of a transaction: a tree of terms.

use rust_decimal::Decimal;
use time::Date;

use crate::account::AccountType;

/// A condition on a transaction.
///
/// The tree needs no rule beside itself: the exclusion of trashed transactions (behaviour 1.2.2)
/// and the OR of several `is:` terms (behaviour 1.2.1) are spelled out in it. Its depth is bounded,
/// however deep the parentheses of the text, so that walking it by recursion is safe; the lists in
/// it are as long as the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filter {
    /// Every one matches; an empty list matches everything.
    All(Vec<Self>),
    /// At least one matches; an empty list matches nothing.
    Any(Vec<Self>),
    /// The complement: what does not match, for whatever reason. A transaction without a date (or
    /// amount) matches the negation of every date (or amount) term.
    Not(Box<Self>),
    /// A single term.
    Term(Term),
}

/// A single condition on a transaction (behaviour 1.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Term {
    /// The account, by id or name, is on either side.
    Account(String),
    /// The account, by id or name, is the credit (origin) side.
    From(String),
    /// The account, by id or name, is the debit (destination) side.
    To(String),
    /// An account below the group, by id or name, is on either side; child groups included.
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
    /// The amount compares so. A transaction without an amount does not match.
    Amount {
        /// How the transaction's amount stands to the value.
        comparison: Comparison,
        /// What it is compared with.
        value: Decimal,
    },
    /// The status is this one.
    Status(Status),
    /// Carries the hashtag, given in lower case without `#`; it is compared whole, ignoring case
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
        /// The value in lower case, compared ignoring case; absent when any value will do
        /// (`key:*`).
        value: Option<String>,
    },
    /// The description contains this text; both folded by [`crate::name::fold`] (behaviour 1.2.4).
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

/// Which day of a transaction date terms look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DateBasis {
    /// The transaction date.
    #[default]
    Transaction,
    /// The day of the posting instant in the book zone (`using:postDate`); drafts have none.
    Posting,
}

/// How an amount stands to the value of a term.
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

/// What `is:` can ask for. A trashed transaction is [`Status::Trashed`] and nothing else (behaviour
/// 3.1.1), whatever it was before.
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
    /// Shows every term of the tree, in the order of the query save that `is:` terms may stand
    /// behind the others.
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

    /// The status this filter asks for, when that is all it does.
    pub(super) const fn status(&self) -> Option<Status> {
        match self {
            Self::Term(Term::Status(status)) => Some(*status),
            Self::All(_) | Self::Any(_) | Self::Not(_) | Self::Term(_) => None,
        }
    }
}

impl Term {
    /// The account a term names.
    pub(super) fn account(&self) -> Option<&str> {
        if let Self::Account(name) | Self::From(name) | Self::To(name) = self {
            Some(name)
        } else {
            None
        }
    }
}
