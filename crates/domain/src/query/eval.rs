//! A filter applied to one transaction in memory: the meaning that every translation of the filter
//! must have.

use rust_decimal::Decimal;
use time::Date;

use super::filter::{Comparison, DateBasis, Filter, Status, Term};
use crate::account::AccountType;
use crate::name::fold;

/// What a filter wants to know about a transaction. Accounts and groups are asked for as the query
/// names them; the implementor resolves them, id first, then normalized name (behaviour 1.2.9).
pub trait Subject {
    /// Whether the account is the credit side.
    fn is_from(&self, account: &str) -> bool;
    /// Whether the account is the debit side.
    fn is_to(&self, account: &str) -> bool;
    /// Whether either side lies below the group, child groups included.
    fn is_in_group(&self, group: &str) -> bool;
    /// Whether either side has the type.
    fn has_account_type(&self, kind: AccountType) -> bool;
    /// The transaction date, or the day it was posted in the book zone.
    fn day(&self, basis: DateBasis) -> Option<Date>;
    /// The amount.
    fn amount(&self) -> Option<Decimal>;
    /// Whether it is posted, also under a trashed one.
    fn is_posted(&self) -> bool;
    /// Whether it is checked, also under a trashed one.
    fn is_checked(&self) -> bool;
    /// Whether it is trashed.
    fn is_trashed(&self) -> bool;
    /// The description as given.
    fn description(&self) -> &str;
    /// The hashtags in their original case, without `#`.
    fn tags(&self) -> &[String];
    /// The remote ids.
    fn remote_ids(&self) -> &[String];
    /// The value of the property with that normalized key.
    fn property(&self, key: &str) -> Option<&str>;
    /// Whether it has an event with a bot response of type ERROR.
    fn has_error(&self) -> bool;
    /// Whether the user with that username or e-mail address created it.
    fn is_created_by(&self, user: &str) -> bool;
    /// The id of the agent that created it.
    fn agent(&self) -> Option<&str>;
    /// Whether it has attachments.
    fn has_files(&self) -> bool;
    /// Whether it has URLs.
    fn has_urls(&self) -> bool;
}

impl Filter {
    /// Whether the transaction satisfies the filter.
    #[must_use]
    pub fn matches(&self, subject: &impl Subject) -> bool {
        match self {
            Self::All(filters) => filters.iter().all(|filter| filter.matches(subject)),
            Self::Any(filters) => filters.iter().any(|filter| filter.matches(subject)),
            Self::Not(filter) => !filter.matches(subject),
            Self::Term(term) => term.matches(subject),
        }
    }
}

impl Term {
    fn matches(&self, subject: &impl Subject) -> bool {
        match self {
            Self::Account(account) => subject.is_from(account) || subject.is_to(account),
            Self::From(account) => subject.is_from(account),
            Self::To(account) => subject.is_to(account),
            Self::Group(group) => subject.is_in_group(group),
            Self::Dated { basis, from, until } => subject.day(*basis).is_some_and(|day| {
                from.is_none_or(|from| day >= from) && until.is_none_or(|until| day < until)
            }),
            Self::Amount { comparison, value } => {
                subject.amount().is_some_and(|amount| comparison.holds(amount, *value))
            }
            Self::Status(status) => status.matches(subject),
            Self::Tag(tag) => subject.tags().iter().any(|carried| carried.to_lowercase() == *tag),
            Self::RemoteId(id) => subject.remote_ids().contains(id),
            Self::HasError(expected) => subject.has_error() == *expected,
            Self::Property { key, value } => subject.property(key).is_some_and(|stored| {
                value.as_ref().is_none_or(|value| stored.to_lowercase() == *value)
            }),
            Self::Text(text) => fold(subject.description()).contains(text.as_str()),
            Self::By(user) => subject.is_created_by(user),
            Self::Agent(agent) => subject.agent() == Some(agent),
            Self::AccountType(kind) => subject.has_account_type(*kind),
            Self::HasFile => subject.has_files(),
            Self::HasUrl => subject.has_urls(),
        }
    }
}

impl Status {
    fn matches(self, subject: &impl Subject) -> bool {
        if subject.is_trashed() {
            return self == Self::Trashed;
        }
        match self {
            Self::Draft => !subject.is_posted(),
            Self::Unchecked => subject.is_posted() && !subject.is_checked(),
            Self::Checked => subject.is_posted() && subject.is_checked(),
            Self::Posted => subject.is_posted(),
            Self::Trashed => false,
        }
    }
}

impl Comparison {
    /// Whether `amount` stands to `value` this way.
    ///
    /// ```
    /// use daybook_domain::query::Comparison;
    /// use rust_decimal::Decimal;
    /// assert!(Comparison::Ge.holds(Decimal::new(100, 0), Decimal::new(10000, 2)));
    /// ```
    #[must_use]
    pub fn holds(self, amount: Decimal, value: Decimal) -> bool {
        match self {
            Self::Eq => amount == value,
            Self::Lt => amount < value,
            Self::Le => amount <= value,
            Self::Gt => amount > value,
            Self::Ge => amount >= value,
        }
    }
}
