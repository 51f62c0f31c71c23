//! Books to create and what they record.

use std::collections::BTreeMap;

use daybook_domain::account::AccountType;
use daybook_domain::amount::Amount;
use time::Date;

use crate::read::problem::{Position, Problem};

/// The choices for a plan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options<'a> {
    /// The identity of the source in the book, of 1 to 150 characters. Remote ids begin with it.
    pub source: &'a str,
    /// The name of the book; else the title of the journal.
    pub name: Option<&'a str>,
    /// The commodity of the book, if it exists; else that of the first amount.
    pub commodity: Option<&'a str>,
    /// The decimal places of the book, if it exists.
    ///
    /// Without them a book has those of the directive `commodity`, else those of its amounts.
    pub fraction_digits: Option<u32>,
    /// Whether the decimal places of a book may be raised to those of its amounts.
    pub raise_fraction_digits: bool,
    /// Whether each commodity gets a book of its own.
    pub book_per_commodity: bool,
    /// The treatment of virtual postings.
    pub virtual_postings: VirtualPostings,
}

/// The treatment of virtual postings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum VirtualPostings {
    /// They are recorded in a book of their own.
    ///
    /// Queries cannot take them out of the balances of other accounts again.
    #[default]
    OwnBook,
    /// They are recorded with the others.
    SameBook,
    /// They are left out.
    LeaveOut,
}

/// The data to record for a journal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// The books: first that of the commodity of the options.
    pub books: Vec<Book>,
    /// The number of entries that are recorded.
    pub entries: usize,
    /// The entries that are not recorded, those that cannot be read included; none in a plan of
    /// [`Planner`](super::Planner).
    pub refused: Vec<Problem>,
    /// The readings that may differ from what the author meant.
    pub warnings: Vec<Problem>,
}

/// A book and what it records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Book {
    /// A name to propose.
    pub name: String,
    /// The commodity; empty for amounts without one.
    pub commodity: String,
    /// Whether it has virtual postings only.
    pub is_virtual: bool,
    /// The decimal places.
    pub fraction_digits: u32,
    /// The properties.
    pub properties: BTreeMap<String, String>,
    /// The groups; parents precede their groups.
    pub groups: Vec<Group>,
    /// The accounts.
    pub accounts: Vec<Account>,
    /// The transactions in the order of the file; none in a plan of [`Planner`](super::Planner).
    pub transactions: Vec<Transaction>,
}

/// A group of accounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The name, unique among groups in its normalized form.
    pub name: String,
    /// The name of the parent.
    pub parent: Option<String>,
    /// The properties.
    pub properties: BTreeMap<String, String>,
}

/// An account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The name, unique among accounts in its normalized form.
    pub name: String,
    /// The name in the journal; `None` for an account that the mapping adds.
    pub written_name: Option<String>,
    /// The type.
    pub kind: AccountType,
    /// The names of the groups that it is directly in.
    pub groups: Vec<String>,
    /// Whether to archive it after its transactions are recorded.
    pub is_archived: bool,
    /// The properties.
    pub properties: BTreeMap<String, String>,
}

/// A transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transaction {
    /// The place of the entry.
    pub position: Position,
    /// The day.
    pub date: Date,
    /// The amount; `None` in a draft.
    pub amount: Option<Amount>,
    /// The name of the account that is credited; `None` in a draft.
    pub credit: Option<String>,
    /// The name of the account that is debited; `None` in a draft.
    pub debit: Option<String>,
    /// The description.
    pub description: String,
    /// The hashtags to add to the description, without `#`.
    pub hashtags: Vec<String>,
    /// Whether it is checked.
    pub is_checked: bool,
    /// Whether the entry moves income and expenses to equity.
    ///
    /// The hashtag `closing` is proposed for it.
    pub is_closing: bool,
    /// The properties.
    pub properties: BTreeMap<String, String>,
    /// The remote id.
    pub remote_id: String,
}

impl Transaction {
    /// Returns whether it is a draft, because the entry has no amount.
    #[must_use]
    pub const fn is_draft(&self) -> bool {
        self.amount.is_none()
    }

    /// Returns the description with the hashtags.
    #[must_use]
    pub fn description_with_hashtags(&self) -> String {
        let mut text = self.description.clone();
        for hashtag in &self.hashtags {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push('#');
            text.push_str(hashtag);
        }
        text
    }
}

/// A text to keep as a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptFile {
    /// The name of the file.
    pub name: &'static str,
    /// The text.
    pub content: String,
}
