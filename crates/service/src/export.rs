//! Exports of a book (behaviour 16).
//!
//! The transactions of a query are read oldest first, and passed one at a time to an
//! [`ExportSink`], because a book may have millions of them.

use std::collections::{HashMap, HashSet};

use daybook_domain::access::Access;
use daybook_domain::account::Account;
use daybook_domain::balance::{Level, Segment};
use daybook_domain::book::Book;
use daybook_domain::event::Head;
use daybook_domain::file::{File, FilesById};
use daybook_domain::group::Forest;
use daybook_domain::id::{AccountId, FileId};
use daybook_domain::permission::Action;
use daybook_domain::transaction::Transaction;
use daybook_storage::Tx;
use daybook_storage::balance::{AccountScope, TotalsQuery};

use crate::access;
use crate::chart::load_forest;
use crate::context::Context;
use crate::error::Result;
use crate::query::QueryText;
use crate::report::{UserNames, event_head};
use crate::transaction::{check_query, scan};

/// Files that are loaded at a time. Each has up to 128 KB of properties.
const FILE_CHUNK: usize = 64;
/// Files of a page of all files.
const FILE_PAGE: i64 = 500;

/// The beginning of an export, before its transactions.
#[derive(Debug, Clone, Copy)]
pub struct ExportHead<'a> {
    /// The book.
    pub book: &'a Book,
    /// All accounts.
    pub accounts: &'a [Account],
    /// All groups.
    pub forest: &'a Forest,
    /// The query; none for the whole book.
    pub query: Option<&'a str>,
    /// The last event of the book.
    pub head: Head,
}

/// The balances of accounts, debits minus credits, in units of the scale of the book.
pub type Balances = HashMap<AccountId, i128>;

/// Receives an export.
pub trait ExportSink {
    /// Receives the beginning.
    ///
    /// # Errors
    /// If the rest is not wanted any more.
    fn begin(&mut self, head: &ExportHead<'_>) -> Result<()>;

    /// Returns whether the files are wanted.
    fn wants_files(&self) -> bool;

    /// Receives a file with the name of its creator and the first transaction that has it, before
    /// this transaction. Files without a transaction follow all others.
    ///
    /// # Errors
    /// Those of [`Self::begin`].
    fn file(&mut self, file: &File, creator: &str, transaction: Option<&Transaction>)
    -> Result<()>;

    /// Receives a transaction with the name of its creator. `files` has its files.
    ///
    /// # Errors
    /// Those of [`Self::begin`].
    fn transaction(
        &mut self,
        transaction: &Transaction,
        creator: &str,
        files: &FilesById,
    ) -> Result<()>;

    /// Receives the end, with the balances of the book if all of it is exported.
    ///
    /// # Errors
    /// Those of [`Self::begin`].
    fn finish(&mut self, balances: Option<Balances>) -> Result<()>;
}

/// Refuses an export that the caller may not read, or whose query is invalid.
///
/// # Errors
/// Refusals of the query, which is read strictly (behaviour 1.1.14).
pub fn check(tx: &mut Tx<'_>, cx: &Context, book: &str, query: Option<&str>) -> Result<()> {
    let access = access::enter(tx, cx, book, Action::ReadChart)?;
    check_query(tx, cx, &access, &strict(query))
}

/// exportBook: passes a book, or the transactions that a query finds, to `sink`.
///
/// # Errors
/// Those of [`check`], before anything is passed on; those of `sink`.
pub fn stream(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    query: Option<&str>,
    sink: &mut dyn ExportSink,
) -> Result<()> {
    // A caller who may read the chart may read all transactions and files.
    let access = access::enter(tx, cx, book, Action::ReadChart)?;
    let text = strict(query);
    check_query(tx, cx, &access, &text)?;
    let accounts = tx.accounts().list(&access)?;
    let forest = load_forest(tx, &access)?;
    let head = event_head(tx, &access)?;
    let book = access.book();
    sink.begin(&ExportHead { book, accounts: &accounts, forest: &forest, query, head })?;
    let (mut users, mut sent) = (UserNames::default(), HashSet::new());
    scan(tx, cx, &access, &text, |tx, page| {
        users.load(tx, page.iter().map(|transaction| transaction.created_by))?;
        if sink.wants_files() {
            send_files(tx, &access, page, &mut users, &mut sent, sink)?;
        }
        let ids = page.iter().flat_map(|transaction| transaction.files.iter().copied());
        let files = tx.files().attached(&access, ids)?;
        page.iter().try_for_each(|transaction| {
            sink.transaction(transaction, users.name(transaction.created_by), &files)
        })
    })?;
    let balances = match query {
        Some(_) => None,
        None => {
            if sink.wants_files() {
                send_other_files(tx, &access, &mut users, &sent, sink)?;
            }
            Some(read_balances(tx, &access, &accounts)?)
        }
    };
    sink.finish(balances)
}

fn strict(query: Option<&str>) -> QueryText {
    QueryText { text: query.unwrap_or_default().to_owned(), strict: true }
}

/// Passes the files of a page on that were not sent before.
fn send_files(
    tx: &mut Tx<'_>,
    access: &Access,
    page: &[Transaction],
    users: &mut UserNames,
    sent: &mut HashSet<FileId>,
    sink: &mut dyn ExportSink,
) -> Result<()> {
    let mut new: Vec<(FileId, &Transaction)> = Vec::new();
    for transaction in page {
        let ids = transaction.files.iter().copied().filter(|id| sent.insert(*id));
        new.extend(ids.map(|id| (id, transaction)));
    }
    for chunk in new.chunks(FILE_CHUNK) {
        let ids = chunk.iter().map(|(id, _)| *id);
        let found = tx.files().by_ids(access, ids, usize::MAX)?.rows;
        users.load(tx, found.iter().map(|file| file.created_by))?;
        let found: HashMap<FileId, &File> = found.iter().map(|file| (file.id, file)).collect();
        for (id, transaction) in chunk {
            if let Some(file) = found.get(id) {
                sink.file(file, users.name(file.created_by), Some(transaction))?;
            }
        }
    }
    Ok(())
}

/// Passes the files on that no transaction of the export has.
fn send_other_files(
    tx: &mut Tx<'_>,
    access: &Access,
    users: &mut UserNames,
    sent: &HashSet<FileId>,
    sink: &mut dyn ExportSink,
) -> Result<()> {
    let mut below = None;
    loop {
        let page = tx.files().list(access, None, below, FILE_PAGE)?.rows;
        let Some(last) = page.last() else { return Ok(()) };
        below = Some(last.id);
        users.load(tx, page.iter().map(|file| file.created_by))?;
        for file in page.iter().filter(|file| !sent.contains(&file.id)) {
            sink.file(file, users.name(file.created_by), None)?;
        }
    }
}

/// Reads the balances of all accounts from the stored totals.
fn read_balances(tx: &mut Tx<'_>, access: &Access, accounts: &[Account]) -> Result<Balances> {
    let mut balances: Balances = accounts.iter().map(|account| (account.id, 0)).collect();
    let whole = [Segment { level: Level::Month, from: None, until: None, fold: true }];
    let query = TotalsQuery { scope: AccountScope::Book, tags: &[], by_month: true };
    tx.balances().read_each(access, &whole, &query, |total| {
        let balance = balances.entry(total.account).or_default();
        *balance = balance.saturating_add(total.debit.saturating_sub(total.credit));
    })?;
    Ok(balances)
}
