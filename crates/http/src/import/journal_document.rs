//! The stored documents of the import of a journal: its books, and the transactions of an entry.

use std::collections::BTreeMap;

use daybook_domain::account::AccountType;
use daybook_domain::calendar::from_day_number;
use daybook_domain::property::Edits;
use daybook_interchange::plan::VirtualPostings;
use daybook_service::import::{NewAccount, NewChart, NewGroup};
use serde::{Deserialize, Serialize};
use time::Date;

/// The treatment of the virtual postings of a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum VirtualPostingsDoc {
    OwnBook,
    SameBook,
    Skip,
}

impl VirtualPostingsDoc {
    /// Reads the parameter of createImport.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        match name {
            "OWN_BOOK" => Some(Self::OwnBook),
            "SAME_BOOK" => Some(Self::SameBook),
            "SKIP" => Some(Self::Skip),
            _ => None,
        }
    }
}

impl From<VirtualPostingsDoc> for VirtualPostings {
    fn from(treatment: VirtualPostingsDoc) -> Self {
        match treatment {
            VirtualPostingsDoc::OwnBook => Self::OwnBook,
            VirtualPostingsDoc::SameBook => Self::SameBook,
            VirtualPostingsDoc::Skip => Self::LeaveOut,
        }
    }
}

/// Where a journal is recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct JournalDoc {
    /// The name, for a collection of several books.
    pub(super) name: String,
    /// Whether the confirmation creates the books.
    pub(super) is_new: bool,
    /// The books to create; else the book of the import, with the groups and accounts that it
    /// lacks.
    pub(super) books: Vec<BookDoc>,
}

/// A book of a journal.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct BookDoc {
    pub(super) name: String,
    pub(super) fraction_digits: u32,
    pub(super) properties: BTreeMap<String, String>,
    pub(super) groups: Vec<GroupDoc>,
    pub(super) accounts: Vec<JournalAccountDoc>,
}

/// A group to create.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct GroupDoc {
    pub(super) name: String,
    pub(super) parent: Option<String>,
    pub(super) properties: BTreeMap<String, String>,
}

/// An account to create.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct JournalAccountDoc {
    pub(super) name: String,
    pub(super) r#type: String,
    pub(super) groups: Vec<String>,
    pub(super) properties: BTreeMap<String, String>,
    /// Whether it is archived after the transactions are recorded.
    pub(super) is_closed: bool,
}

impl BookDoc {
    /// Returns the groups, and the accounts that `is_wanted` accepts.
    pub(super) fn chart(&self, is_wanted: impl Fn(&str) -> bool) -> NewChart {
        let groups = self.groups.iter().map(|group| NewGroup {
            name: group.name.clone(),
            parent: group.parent.clone(),
            properties: edits(&group.properties),
            ..NewGroup::default()
        });
        let wanted = self.accounts.iter().filter(|account| is_wanted(&account.name));
        let accounts = wanted.map(|account| NewAccount {
            name: account.name.clone(),
            kind: AccountType::from_name(&account.r#type).unwrap_or_default(),
            groups: account.groups.clone(),
            properties: edits(&account.properties),
        });
        NewChart { groups: groups.collect(), accounts: accounts.collect() }
    }

    /// Returns the names of the accounts that are archived at the end.
    pub(super) fn closed_accounts(&self) -> Vec<String> {
        let closed = self.accounts.iter().filter(|account| account.is_closed);
        closed.map(|account| account.name.clone()).collect()
    }
}

/// Returns properties as changes that set them.
pub(super) fn edits(properties: &BTreeMap<String, String>) -> Edits {
    properties.iter().map(|(key, value)| (key.clone(), Some(value.clone()))).collect()
}

/// A transaction of an entry.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct EntryDoc {
    /// The index of its book.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) book: usize,
    pub(super) day: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) amount: Option<String>,
    /// The name of the account that is credited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) credit: Option<String>,
    /// The name of the account that is debited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) debit: Option<String>,
    pub(super) description: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_checked: bool,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) properties: BTreeMap<String, String>,
    pub(super) remote_id: String,
}

impl EntryDoc {
    pub(super) fn date(&self) -> Option<Date> {
        from_day_number(self.day)
    }
}

const fn is_zero(value: &usize) -> bool {
    *value == 0
}

/// A book that an import has created.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct RunBookDoc {
    pub(super) id: String,
    /// The number of the last event that the import has recorded in it.
    pub(super) sequence: i64,
    /// Whether something else has written to it meanwhile.
    pub(super) is_changed: bool,
}

impl RunBookDoc {
    /// Notes the numbers of the last events before and after a unit of work of the import.
    pub(super) fn note_events(&mut self, before: i64, after: i64) {
        self.is_changed |= self.sequence != before;
        self.sequence = after;
    }
}
