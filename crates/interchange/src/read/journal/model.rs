//! Journals: entries of any number of postings.

use serde::{Deserialize, Serialize};
use time::Date;

use super::shared::SharedText;
use crate::read::amount::SignedAmount;
use crate::read::packed::Packed;
use crate::read::problem::{Position, Problem};

/// A journal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Journal {
    /// The title of the book.
    pub title: Option<String>,
    /// The entries in the order of the file.
    pub entries: Packed<Entry>,
    /// The accounts that directives declare.
    pub accounts: Vec<Account>,
    /// The commodities that directives declare.
    pub commodities: Vec<Commodity>,
    /// The market prices.
    pub prices: Vec<Price>,
    /// Parts of the file that are neither entries nor declarations.
    pub directives: Vec<Directive>,
    /// The entries that cannot be read, in the order of the file.
    pub refused: Vec<Problem>,
    /// Lines that are not read, and assertions that fail.
    pub warnings: Vec<Problem>,
}

/// A declared account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Where it is declared.
    pub position: Position,
    /// The full name.
    pub name: String,
    /// The type as hledger writes it: a letter, such as `A`, or a word, such as `Asset`.
    pub kind: Option<String>,
    /// Whether it takes no more entries.
    pub is_closed: bool,
    /// Further data of the file about it, by name.
    pub facts: Vec<(String, String)>,
    /// The tags of its comments, and its metadata.
    pub tags: Vec<(String, String)>,
}

/// A part of a file that is neither an entry nor a declaration.
///
/// An example is a periodic transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directive {
    /// Where it begins.
    pub position: Position,
    /// The text as written.
    pub written: String,
}

/// A declared commodity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commodity {
    /// The symbol; empty for amounts without one.
    pub symbol: String,
    /// The number of decimal places of its amounts.
    pub decimals: u32,
}

/// A market price.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Price {
    /// The day.
    pub date: Date,
    /// The commodity that has the price.
    pub commodity: String,
    /// The price of one.
    pub price: Quantity,
}

/// An amount of a commodity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quantity {
    /// The number.
    pub amount: SignedAmount,
    /// The symbol; empty for amounts without one.
    pub commodity: SharedText,
    /// The decimal places as written, with zeros at the end.
    pub decimals: u32,
}

impl Quantity {
    /// Creates an amount with the decimal places that it needs.
    #[must_use]
    pub const fn new(amount: SignedAmount, commodity: SharedText) -> Self {
        Self { amount, commodity, decimals: amount.decimals() }
    }
}

/// The mark of an entry or a posting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Mark {
    /// No mark.
    #[default]
    Unmarked,
    /// `!`.
    Pending,
    /// `*`.
    Cleared,
}

/// An entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Where it begins.
    pub position: Position,
    /// The entry as written, with its postings.
    pub written: String,
    /// The identifier that the program of the file gave it.
    pub source_id: Option<String>,
    /// The day.
    pub date: Date,
    /// The mark.
    pub mark: Mark,
    /// The description, with the payee.
    pub description: String,
    /// The postings.
    pub postings: Vec<Posting>,
    /// The second day.
    pub date2: Option<Date>,
    /// The code in parentheses.
    pub code: Option<String>,
    /// The payee, if the description has a payee and a note.
    pub payee: Option<String>,
    /// The rest of a description that has a payee.
    pub note: Option<String>,
    /// The links of beancount to other entries.
    pub links: Vec<String>,
    /// The comments, one a line.
    pub comment: String,
    /// The tags of the comments; a tag without a value has an empty one.
    pub tags: Vec<(String, String)>,
}

impl Entry {
    /// Creates an entry without postings.
    pub(crate) const fn new(position: Position, date: Date, written: String) -> Self {
        Self {
            position,
            written,
            source_id: None,
            date,
            mark: Mark::Unmarked,
            description: String::new(),
            postings: Vec::new(),
            date2: None,
            code: None,
            payee: None,
            note: None,
            links: Vec::new(),
            comment: String::new(),
            tags: Vec::new(),
        }
    }
}

/// A posting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Posting {
    /// Where it stands.
    pub position: Position,
    /// The full name of the account.
    pub account: SharedText,
    /// Whether it is virtual.
    pub kind: PostingKind,
    /// The mark.
    pub mark: Mark,
    /// The amount; of entries that were read, every posting has one.
    pub quantity: Option<Quantity>,
    /// Whether the amount was inferred from the other postings or from a balance.
    pub is_inferred: bool,
    /// A day of its own.
    pub date: Option<Date>,
    /// A second day of its own.
    pub date2: Option<Date>,
    /// The cost of the amount.
    pub cost: Option<Cost>,
    /// The price beside a cost; it does not balance the entry.
    pub price: Option<Cost>,
    /// The balance that the account is said to have.
    pub assertion: Option<Assertion>,
    /// The comments, one a line.
    pub comment: String,
    /// The tags of the comments.
    pub tags: Vec<(String, String)>,
}

impl Posting {
    /// Creates a posting without an amount.
    pub(crate) const fn new(position: Position, account: SharedText) -> Self {
        Self {
            position,
            account,
            kind: PostingKind::Real,
            mark: Mark::Unmarked,
            quantity: None,
            is_inferred: false,
            date: None,
            date2: None,
            cost: None,
            price: None,
            assertion: None,
            comment: String::new(),
            tags: Vec::new(),
        }
    }
}

/// Whether a posting takes part in the balance of its entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum PostingKind {
    /// It does.
    #[default]
    Real,
    /// `(account)`: it does not.
    Virtual,
    /// `[account]`: it does with others of its kind.
    BalancedVirtual,
}

/// The cost of an amount in another commodity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// The cost; never negative.
    pub quantity: Quantity,
    /// Whether it is that of the whole amount (`@@`) and not of one unit (`@`).
    pub is_total: bool,
    /// The day and the label of the lot.
    pub lot: Option<Lot>,
}

/// The lot that an amount with a cost belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Lot {
    /// The day on which it was acquired.
    pub date: Option<Date>,
    /// The label.
    pub label: Option<String>,
}

/// A balance assertion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assertion {
    /// The balance.
    pub quantity: Quantity,
    /// Whether the account has no other commodity (`==`).
    pub is_total: bool,
    /// Whether the accounts below are included (`=*`).
    pub is_inclusive: bool,
}
