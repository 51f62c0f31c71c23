//! The bodies of operations, with labels instead of ids.

use std::fmt;

use daybook_domain::account::AccountType;
use daybook_domain::field::Field;
use daybook_domain::property::Edits;

use super::facts::Content;
use super::label;
use super::model::typed::TypedText;

/// An id in a body.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Id<L> {
    Of(L),
    /// Well formed, but of no resource.
    Unknown,
}

impl<L> Id<L> {
    pub fn known(self) -> Option<L> {
        match self {
            Id::Of(label) => Some(label),
            Id::Unknown => None,
        }
    }
}

/// How a body names an account or a group: by id, by name, by both or by neither.
#[derive(Clone, PartialEq, Eq)]
pub struct Named<L> {
    pub id: Option<Id<L>>,
    pub name: Option<String>,
}

impl<L> Named<L> {
    pub fn id(label: L) -> Named<L> {
        Named { id: Some(Id::Of(label)), name: None }
    }

    pub fn name(name: &str) -> Named<L> {
        Named { id: None, name: Some(name.to_owned()) }
    }

    pub fn unknown() -> Named<L> {
        Named { id: Some(Id::Unknown), name: None }
    }

    /// A reference copied from another book.
    pub fn foreign(name: &str) -> Named<L> {
        Named { id: Some(Id::Unknown), name: Some(name.to_owned()) }
    }

    pub fn blank() -> Named<L> {
        Named { id: None, name: None }
    }

    /// The reference as a path or a query contains it: an id or a name, never both or neither.
    pub fn single(self) -> Named<L> {
        match (self.id, self.name) {
            (Some(id), _) => Named { id: Some(id), name: None },
            (None, Some(name)) if !name.trim().is_empty() => Named::name(&name),
            (None, _) => Named::unknown(),
        }
    }
}

/// An e-mail address. The world has those of users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Email {
    /// By the number of the user.
    Of(usize),
    /// The address of a user in capitals.
    Uppercase(usize),
    Text(String),
}

#[derive(Clone, Debug)]
pub struct AccountBody {
    /// The label of the account that a create makes.
    pub label: label::Account,
    pub id: Option<Id<label::Account>>,
    pub name: Option<String>,
    pub kind: Option<AccountType>,
    /// `permanent` and `credit`.
    pub nature: Option<(bool, bool)>,
    pub archived: Option<bool>,
    pub groups: Field<Vec<Named<label::Group>>>,
    pub min_balance: Field<String>,
    pub properties: Edits,
}

#[derive(Clone, Debug)]
pub struct GroupBody {
    /// The label of the group that a create makes.
    pub label: label::Group,
    pub id: Option<Id<label::Group>>,
    pub name: Option<String>,
    pub parent: Field<Named<label::Group>>,
    pub hidden: Option<bool>,
    pub locked: Option<bool>,
    pub properties: Edits,
}

/// A file, or an entry of `files[]`.
#[derive(Clone, Debug)]
pub struct FileBody {
    /// The label of the file that a create makes.
    pub label: label::File,
    pub id: Option<Id<label::File>>,
    pub name: Option<String>,
    pub content_type: Field<String>,
    pub content: Option<Content>,
    pub properties: Edits,
}

#[derive(Clone, Debug)]
pub struct TransactionBody {
    /// The label of the transaction that a create makes.
    pub label: label::Transaction,
    pub id: Option<Id<label::Transaction>>,
    pub date: Field<String>,
    pub amount: Field<String>,
    pub description: Field<String>,
    /// The composition of a description that is a quick entry.
    pub text: Option<TypedText>,
    pub credit: Field<Named<label::Account>>,
    pub debit: Field<Named<label::Account>>,
    pub checked: bool,
    pub draft: bool,
    pub urls: Option<Vec<String>>,
    pub remote_ids: Option<Vec<String>>,
    pub files: Option<Vec<FileBody>>,
    pub properties: Edits,
    pub round_trip: bool,
}

impl TransactionBody {
    /// A body without fields.
    pub fn empty(label: label::Transaction) -> TransactionBody {
        TransactionBody {
            label,
            id: None,
            date: Field::Keep,
            amount: Field::Keep,
            description: Field::Keep,
            text: None,
            credit: Field::Keep,
            debit: Field::Keep,
            checked: false,
            draft: false,
            urls: None,
            remote_ids: None,
            files: None,
            properties: Edits::new(),
            round_trip: false,
        }
    }
}

impl<L: fmt::Debug> fmt::Debug for Id<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Id::Of(label) => label.fmt(f),
            Id::Unknown => f.write_str("unknown"),
        }
    }
}

impl<L: fmt::Debug> fmt::Debug for Named<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.id, &self.name) {
            (Some(id), None) => id.fmt(f),
            (None, Some(name)) => name.fmt(f),
            (Some(id), Some(name)) => write!(f, "{id:?} or {name:?}"),
            (None, None) => f.write_str("nothing"),
        }
    }
}

/// The `Debug` text of an operation, without most of its empty fields.
pub fn terse(debug: &str) -> String {
    let is_empty = |field: &str| {
        let empty = ["None", "Keep", "false", "{}", "[]"];
        field.split_once(": ").is_some_and(|(name, value)| {
            empty.contains(&value) && name.chars().all(|c| c.is_ascii_lowercase() || c == '_')
        })
    };
    debug.split(", ").filter(|field| !is_empty(field)).collect::<Vec<_>>().join(", ")
}
