//! The two sides of the transaction of a record.

use super::record::{Leg, Other, Record, Status};
use crate::account::AccountType;
use crate::id::AccountId;

/// The account that money goes to when its purpose is unknown.
pub const UNCATEGORISED_EXPENSES: &str = "Uncategorised expenses";

/// The account that money comes from when its source is unknown.
pub const UNCATEGORISED_INCOME: &str = "Uncategorised income";

/// A side of a transaction.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Side {
    /// An account of the book.
    Account(AccountId),
    /// An account that the confirmation creates.
    Create(AccountToCreate),
    /// Not known; the transaction is a draft.
    Open,
}

/// An account that the confirmation creates, if the book has none of this name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccountToCreate {
    /// The name. Names of journals and rules are paths such as `Expenses:Food`.
    pub name: String,
    /// The type.
    pub kind: AccountType,
}

impl AccountToCreate {
    /// Returns the path of the group that the account belongs to, `Expenses` for `Expenses:Food`.
    ///
    /// Groups of a path are nested alike. `None` for a name that is not a path.
    pub fn group(&self) -> Option<&str> {
        self.name
            .rsplit_once(':')
            .map(|(parent, _)| parent.trim())
            .filter(|parent| !parent.is_empty())
    }
}

/// The options that decide between postings and drafts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PostingOptions {
    /// Whether records with an unknown other account become drafts.
    pub open_as_draft: bool,
    /// Whether everything becomes a draft, because the user is a RECORDER.
    pub drafts_only: bool,
}

/// The accounts and the state of the transaction of a record, or of a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Posting {
    /// Where the money comes from.
    pub credit: Side,
    /// Where the money goes.
    pub debit: Side,
    /// The amount at the storage scale, without a sign.
    pub units: u64,
    /// Whether it is a draft.
    pub is_draft: bool,
    /// Whether the file named the same account for both sides, which is ignored.
    pub has_same_account: bool,
}

/// Returns the posting of a record, or of one of its parts.
///
/// Money into the account debits it. `other` is the account from a decision, a rule, a transfer or
/// a suggestion. An unknown one is [`UNCATEGORISED_EXPENSES`] or [`UNCATEGORISED_INCOME`], so that
/// the balance of the account is the bank's. A pending record and one without a date are drafts; a
/// draft stays open where the other account is unknown.
pub fn posting(
    record: &Record,
    leg: Option<&Leg>,
    other: Option<&Other>,
    options: PostingOptions,
) -> Posting {
    let units = leg.map_or(record.units, |leg| leg.units);
    let is_inward = units > 0;
    let has_same_account = other == Some(&Other::Account(record.account));
    let other = other.filter(|_| !has_same_account);
    let is_forced =
        options.drafts_only || record.status == Status::Pending || record.date.is_none();
    let is_draft = is_forced || (options.open_as_draft && other.is_none());
    let other = match other {
        Some(Other::Account(id)) => Side::Account(*id),
        Some(Other::Named(name)) => Side::Create(AccountToCreate {
            name: name.clone(),
            kind: account_type_of_name(name).unwrap_or_else(|| category(is_inward)),
        }),
        None if is_draft => Side::Open,
        None => Side::Create(uncategorised(is_inward)),
    };
    let own = Side::Account(record.account);
    let (credit, debit) = if is_inward { (other, own) } else { (own, other) };
    Posting { credit, debit, units: units.unsigned_abs(), is_draft, has_same_account }
}

/// Returns the account of records whose other account is unknown.
fn uncategorised(is_inward: bool) -> AccountToCreate {
    let name = if is_inward { UNCATEGORISED_INCOME } else { UNCATEGORISED_EXPENSES };
    AccountToCreate { name: name.to_owned(), kind: category(is_inward) }
}

const fn category(is_inward: bool) -> AccountType {
    if is_inward { AccountType::Incoming } else { AccountType::Outgoing }
}

/// Returns the type that the first part of a path says, as hledger reads it; `None` if it says
/// none.
///
/// Equity has no type of its own, so it is a liability.
pub fn account_type_of_name(name: &str) -> Option<AccountType> {
    let first = name.split(':').next().unwrap_or_default().trim().to_lowercase();
    let has_word = |words: &[&str]| words.contains(&first.as_str());
    if has_word(&["asset", "assets"]) {
        Some(AccountType::Asset)
    } else if has_word(&["liability", "liabilities", "debt", "debts", "equity"]) {
        Some(AccountType::Liability)
    } else if has_word(&["income", "incomes", "revenue", "revenues"]) {
        Some(AccountType::Incoming)
    } else if has_word(&["expense", "expenses"]) {
        Some(AccountType::Outgoing)
    } else {
        None
    }
}
