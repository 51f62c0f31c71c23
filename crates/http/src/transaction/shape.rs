//! The wire shapes of transactions.

use std::collections::BTreeMap;

use daybook_domain::account::{Account, AccountRef};
use daybook_domain::amount;
use daybook_domain::calendar::format_iso;
use daybook_domain::field::Field;
use daybook_domain::id::{AccountId, TransactionId};
use daybook_domain::permission::Action;
use daybook_domain::transaction::{Changes, Transaction};
use daybook_service::transaction::{Listed, View};
use serde::{Deserialize, Serialize};

use crate::account::{AccountOut, BriefOut};
use crate::file::{FileIn, FileOut};
use crate::wire::{
    Present, PropertiesIn, RefIn, StampOut, TextOrNumber, convert, field, id_text, list,
    objects_only, properties, reference,
};

/// A request body that is a transaction. What it says of the state is ignored, except `checked` and
/// `draft` (behaviour 3.2.3, 3.10.4).
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", remote = "Self")]
pub(crate) struct TransactionIn {
    #[serde(default)]
    id: Option<TextOrNumber>,
    #[serde(default, deserialize_with = "field")]
    date: Field<String>,
    #[serde(default, deserialize_with = "field")]
    amount: Field<TextOrNumber>,
    #[serde(default, deserialize_with = "field")]
    description: Field<String>,
    #[serde(default, deserialize_with = "reference")]
    credit_account: Field<RefIn>,
    #[serde(default, deserialize_with = "reference")]
    debit_account: Field<RefIn>,
    #[serde(default)]
    checked: Option<bool>,
    #[serde(default)]
    draft: Option<bool>,
    #[serde(default, deserialize_with = "list")]
    urls: Option<Vec<String>>,
    #[serde(default, deserialize_with = "list")]
    remote_ids: Option<Vec<String>>,
    #[serde(default, deserialize_with = "list")]
    files: Option<Vec<FileIn>>,
    #[serde(default)]
    properties: PropertiesIn,
    #[serde(default)]
    created_at: Present,
}

objects_only!(TransactionIn);

impl TransactionIn {
    pub(crate) fn has_id(&self) -> bool {
        id_text(self.id.clone()).is_some()
    }

    /// The files of the body, to store their bytes.
    pub(crate) fn files_mut(&mut self) -> impl Iterator<Item = &mut FileIn> {
        self.files.iter_mut().flatten()
    }

    pub(crate) fn into_changes(self) -> Changes {
        let Self {
            id,
            date,
            amount,
            description,
            credit_account,
            debit_account,
            checked,
            draft,
            urls,
            remote_ids,
            files,
            properties,
            created_at,
        } = self;
        let amount = match amount {
            Field::Keep => Field::Keep,
            Field::Clear => Field::Clear,
            Field::Set(TextOrNumber(text)) => Field::Set(text),
        };
        Changes {
            id: id_text(id),
            date,
            amount,
            description,
            credit: convert::<RefIn, AccountRef>(credit_account),
            debit: convert::<RefIn, AccountRef>(debit_account),
            checked: checked.unwrap_or(false),
            draft: draft.unwrap_or(false),
            urls,
            remote_ids,
            files: files.map(|files| files.into_iter().map(FileIn::into_attachment).collect()),
            properties: properties.unwrap_or_default(),
            round_trip: created_at.is_some(),
        }
    }

    /// The id alone, which is all that most verbs read, although whole bodies are sent (behaviour
    /// 3.4.4).
    pub(crate) fn into_id_only(self) -> Changes {
        Changes { id: id_text(self.id), ..Changes::default() }
    }
}

/// The account of a side: in full, as list rows show it, or as little as a recorder may see
/// (behaviour 7.3).
#[derive(Serialize)]
#[serde(untagged)]
enum SideOut {
    Full(Box<AccountOut>),
    Brief {
        #[serde(flatten)]
        account: BriefOut,
        /// Its balance after this row (behaviour 2.9).
        #[serde(skip_serializing_if = "Option::is_none")]
        balance: Option<String>,
    },
    Named {
        id: String,
        name: String,
    },
}

/// A transaction.
#[derive(Serialize)]
#[serde(untagged)]
#[expect(clippy::large_enum_variant, reason = "nearly all are of the large kind")]
pub(crate) enum TransactionOut {
    Whole(WholeOut),
    /// What a recorder sees of another user's transaction with the same remote id (behaviour
    /// 3.7.2).
    #[serde(rename_all = "camelCase")]
    Masked {
        id: String,
        remote_ids: Vec<String>,
    },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WholeOut {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date_formatted: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date_value: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    amount: Option<String>,
    description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    credit_account: Option<SideOut>,
    #[serde(skip_serializing_if = "Option::is_none")]
    debit_account: Option<SideOut>,
    posted: bool,
    draft: bool,
    checked: bool,
    trashed: bool,
    tags: Vec<String>,
    urls: Vec<String>,
    remote_ids: Vec<String>,
    files: Vec<FileOut>,
    properties: BTreeMap<String, String>,
    created_by: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_logo: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_logo_dark: Option<String>,
    #[serde(flatten)]
    stamp: StampOut,
}

/// How much a transaction shows of the accounts of its sides.
#[derive(Clone, Copy)]
enum ShownSides<'v> {
    /// The whole accounts.
    Full,
    /// What the rows of lists show (behaviour 2.10).
    Brief,
    /// The same, with the running balance of the account that was asked for.
    Running(&'v Listed),
}

impl TransactionOut {
    /// The transactions of a view, with whole accounts.
    pub(crate) fn in_full(view: &View, base: &str) -> Vec<Self> {
        view.transactions
            .iter()
            .map(|transaction| Self::new(view, transaction, ShownSides::Full, base))
            .collect()
    }

    /// The transactions of a view as rows of a list.
    pub(crate) fn briefly(view: &View, base: &str) -> Vec<Self> {
        view.transactions
            .iter()
            .map(|transaction| Self::new(view, transaction, ShownSides::Brief, base))
            .collect()
    }

    /// The rows of a page, with running balances if there are any.
    pub(crate) fn listed(listed: &Listed, base: &str) -> Vec<Self> {
        let view = &listed.view;
        view.transactions
            .iter()
            .map(|transaction| Self::new(view, transaction, ShownSides::Running(listed), base))
            .collect()
    }

    fn new(view: &View, transaction: &Transaction, sides: ShownSides<'_>, base: &str) -> Self {
        if let Some(known) = view.masked.get(&transaction.id) {
            return Self::Masked { id: transaction.id.to_string(), remote_ids: known.clone() };
        }
        let book = view.access.book();
        let settings = &book.settings;
        let side = |id: Option<AccountId>| {
            id.and_then(|id| view.accounts.get(id))
                .map(|account| SideOut::new(view, account, (sides, transaction.id)))
        };
        let face = transaction.stamp.agent.as_ref().and_then(|agent| view.faces.get(agent));
        Self::Whole(WholeOut {
            id: transaction.id.to_string(),
            date: transaction.date.map(format_iso),
            date_formatted: transaction.date.map(|day| settings.date_pattern.format(day)),
            date_value: transaction.date_value(),
            amount: transaction
                .amount
                .map(|value| amount::write(value.value(), settings.fraction_digits)),
            description: transaction.description.clone(),
            credit_account: side(transaction.credit),
            debit_account: side(transaction.debit),
            posted: transaction.is_posted(),
            draft: !transaction.is_posted(),
            checked: transaction.is_checked(),
            trashed: transaction.trashed,
            tags: transaction.tags(),
            urls: transaction.urls.clone(),
            remote_ids: transaction.remote_ids.clone(),
            files: transaction
                .files
                .iter()
                .filter_map(|id| view.files.get(*id))
                .map(|file| FileOut::new(file, book, base))
                .collect(),
            properties: properties(&transaction.properties),
            created_by: view.creators.get(&transaction.created_by).cloned().unwrap_or_default(),
            agent_name: face.map(|face| face.name.clone()),
            agent_logo: face.and_then(|face| face.logo.clone()),
            agent_logo_dark: face.and_then(|face| face.logo_dark.clone()),
            stamp: StampOut::from(&transaction.stamp),
        })
    }
}

impl SideOut {
    fn new(view: &View, account: &Account, (sides, row): (ShownSides<'_>, TransactionId)) -> Self {
        if !view.access.may(Action::ReadChart) {
            return Self::Named {
                id: account.id.to_string(),
                name: account.name.as_str().to_owned(),
            };
        }
        let balance = match sides {
            ShownSides::Full => {
                return Self::Full(Box::new(AccountOut::new(account, &view.forest)));
            }
            ShownSides::Brief => None,
            ShownSides::Running(listed) => {
                listed.balances.get(&row).filter(|_| listed.account == Some(account.id))
            }
        };
        let book = view.access.book();
        let balance = balance
            .map(|units| amount::write_units(*units, book.scale, book.settings.fraction_digits));
        Self::Brief { account: BriefOut::from(account), balance }
    }
}

/// A transaction with the accounts it affects.
#[derive(Serialize)]
pub(crate) struct TransactionOperationOut {
    transaction: TransactionOut,
    #[serde(skip_serializing_if = "Option::is_none")]
    accounts: Option<Vec<AccountOut>>,
}

impl TransactionOperationOut {
    pub(crate) fn of(view: &View, base: &str) -> Option<Self> {
        let transaction = view.transactions.first()?;
        let sides = transaction.account_ids().filter_map(|id| view.accounts.get(id));
        let accounts = view
            .access
            .may(Action::ReadChart)
            .then(|| sides.map(|account| AccountOut::new(account, &view.forest)).collect());
        Some(Self {
            transaction: TransactionOut::new(view, transaction, ShownSides::Full, base),
            accounts,
        })
    }
}

/// A page of transactions.
#[derive(Serialize)]
pub(crate) struct ListedOut {
    pub(crate) items: Vec<TransactionOut>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cursor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) account: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) warnings: Vec<String>,
}
