//! The wire shapes of transactions.

use daybook_domain::account::{Account, AccountRef};
use daybook_domain::amount;
use daybook_domain::calendar::format_iso;
use daybook_domain::field::Field;
use daybook_domain::id::{AccountId, FileId, ReconciliationId, TransactionId};
use daybook_domain::permission::Action;
use daybook_domain::transaction::{Changes, Transaction};
use daybook_service::transaction::{TransactionPage, View};
use serde::{Deserialize, Serialize, Serializer};

use crate::account::{AccountOut, BriefOut};
use crate::file::{FileIn, FileOut};
use crate::reply::IdOut;
use crate::wire::{
    Present, PropertiesIn, PropertiesOut, RefIn, StampOut, TextOrNumber, convert, field, id_text,
    list, objects_only, reference,
};

/// The body of a transaction.
///
/// Fields about its state are ignored, except `checked` and `draft` (behaviour 3.2.3, 3.10.4).
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
    /// Only its presence counts: the body is then a transaction that the client has read (behaviour
    /// 3.10.2).
    #[serde(default)]
    created_at: Present,
}

objects_only!(TransactionIn);

impl TransactionIn {
    pub(crate) fn has_id(&self) -> bool {
        id_text(self.id.clone()).is_some()
    }

    /// Returns the files of the body, to store their bytes.
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
        Changes {
            id: id_text(id),
            date,
            amount: convert(amount),
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

    /// Converts only the id. Most verbs ignore the rest of the body (behaviour 3.4.4).
    pub(crate) fn into_id_only(self) -> Changes {
        Changes { id: id_text(self.id), ..Changes::default() }
    }
}

/// The account of a side: in full, in the form of list rows, or in that for recorders (behaviour
/// 7.3).
#[derive(Serialize)]
#[serde(untagged)]
enum SideOut<'v> {
    Full(Box<AccountOut<'v>>),
    Brief {
        #[serde(flatten)]
        account: BriefOut<'v>,
        /// The balance of the account after this row (behaviour 2.9).
        #[serde(skip_serializing_if = "Option::is_none")]
        balance: Option<String>,
        /// The reconciliation of the account that this row is on (behaviour 14.9).
        #[serde(skip_serializing_if = "Option::is_none", rename = "reconciliationId")]
        reconciliation: Option<String>,
    },
    Named {
        id: String,
        name: &'v str,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
#[expect(clippy::large_enum_variant, reason = "nearly all values are of the large variant")]
pub(crate) enum TransactionOut<'v> {
    Whole(WholeOut<'v>),
    /// The form of another user's transaction with the same remote id, for recorders (behaviour
    /// 3.7.2).
    #[serde(rename_all = "camelCase")]
    Masked {
        id: String,
        remote_ids: &'v [String],
    },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WholeOut<'v> {
    /// Absent in a preview, like the agent and the stamp (behaviour 3.15.1).
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date_formatted: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date_value: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    amount: Option<String>,
    description: &'v str,
    #[serde(skip_serializing_if = "Option::is_none")]
    credit_account: Option<SideOut<'v>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    debit_account: Option<SideOut<'v>>,
    posted: bool,
    draft: bool,
    checked: bool,
    trashed: bool,
    tags: Vec<String>,
    urls: &'v [String],
    remote_ids: &'v [String],
    files: FilesOut<'v>,
    properties: PropertiesOut<'v>,
    /// Absent without comments, and for callers who may not read them (behaviour 3.14.2).
    #[serde(skip_serializing_if = "Option::is_none")]
    comment_count: Option<u32>,
    created_by: &'v str,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_name: Option<&'v str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_logo: Option<&'v str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_logo_dark: Option<&'v str>,
    #[serde(flatten)]
    stamp: Option<StampOut>,
}

/// The files of a transaction.
struct FilesOut<'v> {
    ids: &'v [FileId],
    view: &'v View,
    base: &'v str,
}

impl Serialize for FilesOut<'_> {
    fn serialize<S: Serializer>(&self, writer: S) -> Result<S::Ok, S::Error> {
        let Self { ids, view, base } = *self;
        let files = ids.iter().filter_map(|id| view.files.get(*id));
        writer.collect_seq(files.map(|file| FileOut::new(file, view.access.book(), base)))
    }
}

/// The form of the accounts in a transaction.
#[derive(Clone, Copy)]
enum ShownSides<'v> {
    /// The full accounts.
    Full,
    /// The brief form of list rows (behaviour 2.10).
    Brief,
    /// The brief form, with the running balance and the reconciliation of the account of the query.
    Running(&'v TransactionPage),
}

impl<'v> TransactionOut<'v> {
    /// Creates a transaction with full accounts.
    pub(crate) fn full(view: &'v View, transaction: &'v Transaction, base: &'v str) -> Self {
        Self::new(view, transaction, ShownSides::Full, base)
    }

    /// Creates a row of a list.
    pub(crate) fn brief(view: &'v View, transaction: &'v Transaction, base: &'v str) -> Self {
        Self::new(view, transaction, ShownSides::Brief, base)
    }

    /// Creates a row of a page, with its running balance if there is one.
    pub(crate) fn list_row(
        listed: &'v TransactionPage,
        transaction: &'v Transaction,
        base: &'v str,
    ) -> Self {
        Self::new(&listed.view, transaction, ShownSides::Running(listed), base)
    }

    /// Creates a transaction that is not recorded, with full accounts.
    pub(crate) fn preview(view: &'v View, transaction: &'v Transaction, base: &'v str) -> Self {
        match Self::full(view, transaction, base) {
            Self::Whole(whole) => Self::Whole(WholeOut {
                id: None,
                agent_name: None,
                agent_logo: None,
                agent_logo_dark: None,
                stamp: None,
                ..whole
            }),
            masked @ Self::Masked { .. } => masked,
        }
    }

    fn new(
        view: &'v View,
        transaction: &'v Transaction,
        sides: ShownSides<'_>,
        base: &'v str,
    ) -> Self {
        if let Some(known) = view.masked.get(&transaction.id) {
            return Self::Masked { id: transaction.id.to_string(), remote_ids: known };
        }
        let book = view.access.book();
        let settings = &book.settings;
        let side = |id: Option<AccountId>| {
            id.and_then(|id| view.accounts.get(id))
                .map(|account| SideOut::new(view, account, sides, transaction.id))
        };
        let app = transaction.stamp.agent.as_ref().and_then(|agent| view.app_summaries.get(agent));
        Self::Whole(WholeOut {
            id: Some(transaction.id.to_string()),
            date: transaction.date.map(format_iso),
            date_formatted: transaction.date.map(|day| settings.date_pattern.format(day)),
            date_value: transaction.date_value(),
            amount: transaction
                .amount
                .map(|value| amount::write(value.value(), settings.fraction_digits)),
            description: &transaction.description,
            credit_account: side(transaction.credit),
            debit_account: side(transaction.debit),
            posted: transaction.is_posted(),
            draft: !transaction.is_posted(),
            checked: transaction.is_checked(),
            trashed: transaction.trashed,
            tags: transaction.tags(),
            urls: &transaction.urls,
            remote_ids: &transaction.remote_ids,
            files: FilesOut { ids: &transaction.files, view, base },
            properties: PropertiesOut(&transaction.properties),
            comment_count: Some(transaction.comment_count)
                .filter(|count| *count > 0 && view.access.shows_comments()),
            created_by: view.creators.get(&transaction.created_by).map_or("", String::as_str),
            agent_name: app.map(|app| app.name.as_str()),
            agent_logo: app.and_then(|app| app.logo.as_deref()),
            agent_logo_dark: app.and_then(|app| app.logo_dark.as_deref()),
            stamp: Some(StampOut::from(&transaction.stamp)),
        })
    }
}

impl<'v> SideOut<'v> {
    fn new(
        view: &'v View,
        account: &'v Account,
        sides: ShownSides<'_>,
        row: TransactionId,
    ) -> Self {
        if !view.access.may(Action::ReadChart) {
            return Self::Named { id: account.id.to_string(), name: account.name.as_str() };
        }
        let listed = match sides {
            ShownSides::Full => {
                return Self::Full(Box::new(AccountOut::new(account, &view.forest)));
            }
            ShownSides::Brief => None,
            ShownSides::Running(listed) => {
                Some(listed).filter(|listed| listed.account == Some(account.id))
            }
        };
        let book = view.access.book();
        let balance = listed
            .and_then(|listed| listed.balances.get(&row))
            .map(|units| amount::write_units(*units, book.scale, book.settings.fraction_digits));
        let reconciliation = listed.and_then(|listed| listed.reconciliations.get(&row));
        let reconciliation = reconciliation.map(ReconciliationId::to_string);
        Self::Brief { account: BriefOut::from(account), balance, reconciliation }
    }
}

/// A transaction with the accounts that it affects.
#[derive(Serialize)]
pub(crate) struct TransactionOperationOut<'v> {
    transaction: TransactionOut<'v>,
    #[serde(skip_serializing_if = "Option::is_none")]
    accounts: Option<Vec<AccountOut<'v>>>,
    /// Its entry if it existed already (behaviour 3.7.2).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    known: Vec<KnownOut<'v>>,
}

/// An item that existed already.
#[derive(Serialize)]
pub(super) struct KnownOut<'v> {
    index: usize,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    differs: &'v [&'static str],
}

pub(super) fn known(view: &View) -> Vec<KnownOut<'_>> {
    view.known.iter().map(|one| KnownOut { index: one.index, differs: &one.differs }).collect()
}

/// The transactions of a batch.
#[derive(Serialize)]
pub(crate) struct BatchOut<'v, R> {
    items: R,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    known: Vec<KnownOut<'v>>,
}

impl<'v, R> BatchOut<'v, R> {
    pub(crate) fn new(items: R, view: &'v View) -> Self {
        Self { items, known: known(view) }
    }
}

impl<'v> TransactionOperationOut<'v> {
    pub(crate) fn of(view: &'v View, base: &'v str) -> Option<Self> {
        let transaction = view.transactions.first()?;
        let mut affected: Vec<AccountId> = Vec::new();
        for id in transaction.account_ids().chain(view.previous_accounts.iter().copied()) {
            if !affected.contains(&id) {
                affected.push(id);
            }
        }
        let sides = affected.into_iter().filter_map(|id| view.accounts.get(id));
        let accounts = view
            .access
            .may(Action::ReadChart)
            .then(|| sides.map(|account| AccountOut::new(account, &view.forest)).collect());
        Some(Self {
            transaction: TransactionOut::new(view, transaction, ShownSides::Full, base),
            accounts,
            known: known(view),
        })
    }
}

/// A transaction in a shortened response.
#[derive(Serialize)]
pub(crate) struct ShortOperationOut {
    pub(crate) transaction: IdOut,
}

/// The fields of a list of transactions behind its items.
#[derive(Serialize)]
pub(crate) struct ListEndOut {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cursor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) account: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) warnings: Vec<String>,
}
