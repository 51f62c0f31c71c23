//! previewTransaction: what createTransaction would do, without writing (behaviour 3.15).

use daybook_domain::access::Access;
use daybook_domain::purpose::Purpose;
use daybook_domain::transaction::quick_entry::Token;
use daybook_domain::transaction::{Changes, Intent, MAX_DUPLICATES, Transaction};
use daybook_storage::Tx;
use daybook_storage::transaction::{ResolvedNames, Search};
use time::Date;

use super::View;
use super::create::{plan, purpose};
use super::create_mode::CreateMode;
use super::read::drafts_of;
use crate::access;
use crate::context::Context;
use crate::error::Result;

/// The effect that createTransaction would have with a body.
#[derive(Debug, Clone)]
pub struct Preview {
    /// The transaction and its accounts. Unless it exists already, its id is not in use.
    pub view: View,
    /// The description of the body.
    pub line: String,
    /// The recognized parts of the description.
    pub tokens: Vec<Token>,
    /// The days of the drafts for the following months.
    pub repeats: Vec<Date>,
    /// Probable duplicates that the caller may see, latest first.
    pub duplicates: Vec<Transaction>,
}

/// Makes the transaction of a createTransaction without saving it (behaviour 3.15).
///
/// It ignores files. Clients call it while their user types, so the number of statements does not
/// depend on the line.
///
/// # Errors
/// The refusals of [`super::create`], except those of storage quotas.
pub fn preview(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    body: Changes,
    zone: Option<String>,
) -> Result<Preview> {
    let access = access::enter(tx, cx, book, purpose(Intent::Create).action())?;
    let line = body.description.as_ref().value().cloned().unwrap_or_default();
    let mode = CreateMode { single: true, zone, ..Intent::Create.into() };
    // Files are stored only with a transaction.
    let body = Changes { files: None, ..body };
    let mut plan = plan(tx, cx, &access, vec![body], mode)?;
    plan.write_set.check_funds(tx, &access, &plan.accounts)?;
    let (tokens, repeats) = (std::mem::take(&mut plan.tokens), std::mem::take(&mut plan.repeats));
    let view = plan.into_view(tx, cx, access)?;
    let new = view.transactions.first().filter(|_| view.known.is_empty());
    let duplicates = match new {
        Some(transaction) => find_duplicates(tx, &view.access, transaction)?,
        None => Vec::new(),
    };
    Ok(Preview { view, line, tokens, repeats, duplicates })
}

/// Finds probable duplicates of a new transaction that the caller may see (behaviour 3.15.4).
fn find_duplicates(
    tx: &mut Tx<'_>,
    access: &Access,
    transaction: &Transaction,
) -> Result<Vec<Transaction>> {
    let Some(filter) = transaction.duplicate_filter() else { return Ok(Vec::new()) };
    let accounts = transaction.account_ids().map(|id| (id.to_string(), id)).collect();
    let names = ResolvedNames { accounts, ..ResolvedNames::default() };
    let search =
        Search { filter: &filter, names: &names, drafts_of: drafts_of(access), similar: None };
    Ok(tx.transactions().search(access, &search, None, MAX_DUPLICATES)?.rows)
}
