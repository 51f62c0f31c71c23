//! previewTransaction: how a typed line would be read and recorded (behaviour 3.15).

use std::ops::Range;

use daybook_domain::account::Account;
use daybook_domain::amount;
use daybook_domain::book::Book;
use daybook_domain::calendar::format_iso;
use daybook_domain::id::AccountId;
use daybook_domain::transaction::Transaction;
use daybook_domain::transaction::quick_entry::{Token, TokenKind};
use daybook_edge::error::ApiError;
use daybook_service::transaction::{self, Preview, View};
use serde::Serialize;

use super::shape::{KnownOut, TransactionIn, TransactionOut, known};
use super::show;
use crate::body::Body;
use crate::reply::{self, ApiResult, Reply};
use crate::request::ApiRequest;

/// The response of previewTransaction.
#[derive(Serialize)]
struct PreviewOut<'p> {
    transaction: TransactionOut<'p>,
    /// The credit account.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<PreviewAccountOut<'p>>,
    /// The debit account.
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<PreviewAccountOut<'p>>,
    tokens: Vec<TokenOut<'p>>,
    missing: Vec<&'static str>,
    repeats: Vec<String>,
    duplicates: Vec<DuplicateOut<'p>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    known: Vec<KnownOut<'p>>,
}

/// An account, in the form that recorders may see (behaviour 7.3).
#[derive(Serialize)]
struct PreviewAccountOut<'p> {
    id: String,
    name: &'p str,
}

impl<'p> From<&'p Account> for PreviewAccountOut<'p> {
    fn from(account: &'p Account) -> Self {
        Self { id: account.id.to_string(), name: account.name.as_str() }
    }
}

/// A recognized part of the line.
#[derive(Serialize)]
struct TokenOut<'p> {
    start: usize,
    end: usize,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    account: Option<PreviewAccountOut<'p>>,
}

impl<'p> TokenOut<'p> {
    /// Creates a token with its span in UTF-16 code units.
    fn new(kind: TokenKind, span: Range<usize>, view: &'p View) -> Self {
        let (kind, account) = match kind {
            TokenKind::Amount => ("amount", None),
            TokenKind::Date => ("date", None),
            TokenKind::CreditAccount(account) => ("creditAccount", Some(account)),
            TokenKind::DebitAccount(account) => ("debitAccount", Some(account)),
            TokenKind::Repeats => ("repeats", None),
            TokenKind::Url => ("url", None),
            TokenKind::Hashtag => ("hashtag", None),
            TokenKind::RemovedHashtag => ("removedHashtag", None),
        };
        Self { start: span.start, end: span.end, kind, account: account_of(view, account) }
    }
}

/// A probable duplicate.
#[derive(Serialize)]
struct DuplicateOut<'p> {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    amount: Option<String>,
    description: &'p str,
    posted: bool,
}

impl<'p> DuplicateOut<'p> {
    fn new(transaction: &'p Transaction, book: &Book) -> Self {
        let digits = book.settings.fraction_digits;
        Self {
            id: transaction.id.to_string(),
            date: transaction.date.map(format_iso),
            amount: transaction.amount.map(|value| amount::write(value.value(), digits)),
            description: &transaction.description,
            posted: transaction.is_posted(),
        }
    }
}

impl<'p> PreviewOut<'p> {
    fn new(preview: &'p Preview, transaction: &'p Transaction, base: &'p str) -> Self {
        let Preview { view, line, tokens, repeats, duplicates } = preview;
        // Of a masked transaction the caller may see only the id.
        let visible = Some(transaction).filter(|one| !view.masked.contains_key(&one.id));
        let is_new = view.known.is_empty();
        let show = if is_new { TransactionOut::preview } else { TransactionOut::full };
        let book = view.access.book();
        Self {
            transaction: show(view, transaction, base),
            from: account_of(view, visible.and_then(|one| one.credit)),
            to: account_of(view, visible.and_then(|one| one.debit)),
            tokens: tokens_out(line, tokens, view),
            missing: visible.map(Transaction::missing).unwrap_or_default(),
            repeats: repeats.iter().map(|day| format_iso(*day)).collect(),
            duplicates: duplicates.iter().map(|one| DuplicateOut::new(one, book)).collect(),
            known: known(view),
        }
    }
}

fn account_of(view: &View, id: Option<AccountId>) -> Option<PreviewAccountOut<'_>> {
    id.and_then(|id| view.accounts.get(id)).map(PreviewAccountOut::from)
}

/// Returns the tokens with their offsets in UTF-16 code units of the line.
fn tokens_out<'p>(line: &str, tokens: &[Token], view: &'p View) -> Vec<TokenOut<'p>> {
    let (mut bytes, mut units) = (0, 0_usize);
    let mut units_up_to = |offset: usize| {
        let text = line.get(bytes..offset).unwrap_or_default();
        bytes = offset;
        units = units.saturating_add(text.encode_utf16().count());
        units
    };
    let span = |token: &Token| {
        let start = units_up_to(token.span.start);
        start..units_up_to(token.span.end)
    };
    let spans: Vec<Range<usize>> = tokens.iter().map(span).collect();
    let pairs = tokens.iter().zip(spans);
    pairs.map(|(token, span)| TokenOut::new(token.kind, span, view)).collect()
}

/// POST transactions/preview.
pub(crate) async fn preview_transaction(
    request: ApiRequest,
    body: Body<TransactionIn>,
) -> ApiResult {
    request.refuse_condition()?;
    let zone = request.text("timeZone").map(str::to_owned);
    let (book, base) = (request.book(), request.base());
    let changes = body.0.into_changes();
    request
        .read_replicated(
            move |tx, cx| transaction::preview(tx, cx, &book, changes.clone(), zone.clone()),
            move |preview, _| encode(preview, &base),
        )
        .await
        .map_err(ApiError::without_item_index)
}

fn encode(preview: &Preview, base: &str) -> Reply {
    let Some(one) = preview.view.transactions.first() else { return reply::nothing() };
    show(&preview.view, &PreviewOut::new(preview, one, base))
}
