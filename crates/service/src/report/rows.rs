//! Reports with a row for each transaction: the general ledger and the journal.

use std::collections::{HashMap, HashSet};

use daybook_domain::balance::{BalanceScope, Sums};
use daybook_domain::id::{AccountId, UserId};
use daybook_domain::report::{
    GeneralLedger, Journal, JournalEntry, LedgerEntry, Period as ReportPeriod, Row,
};
use daybook_domain::transaction::{Standing, Transaction};
use daybook_storage::Tx;
use daybook_storage::page::PageKey;
use daybook_storage::transaction::Period;

use super::entered::{Chart, Entered};
use super::sink::{RowSink, StreamHead};
use super::statement::read_sums;
use crate::error::Result;

/// Passes the rows of a general ledger to `sink`.
///
/// # Errors
/// Those of `sink`.
pub(super) fn ledger(tx: &mut Tx<'_>, entered: Entered, sink: &mut dyn RowSink) -> Result<()> {
    let Entered { chart, request, scope, heading } = entered;
    let sums = read_sums(tx, &request.plan(), &chart, None)?;
    let names = chart.account_names();
    let separator = chart.separator();
    sink.begin(&StreamHead { heading, columns: GeneralLedger::columns(), separator })?;
    let mut ledger = GeneralLedger::new(&request);
    let period = stored_period(request.period(), request.tags());
    for account in request.ledger_accounts(&chart.as_domain(), &scope, &sums) {
        send(ledger.begin(&account), sink)?;
        let id = account.account.id;
        let mut after = None;
        loop {
            let page = tx.transactions().ledger_page(&chart.access, id, &period, after)?;
            let Some(last) = page.last() else { break };
            after = Some(PageKey::of(last));
            for transaction in &page {
                send(ledger.push(&ledger_entry(transaction, id, &names, chart.scale())), sink)?;
            }
        }
    }
    let (rows, controls) = ledger.finish();
    send(rows, sink)?;
    sink.finish(&controls)
}

/// Passes the rows of a journal to `sink`.
///
/// # Errors
/// Those of `sink`.
pub(super) fn journal(tx: &mut Tx<'_>, entered: Entered, sink: &mut dyn RowSink) -> Result<()> {
    let Entered { chart, request, scope, heading } = entered;
    let sums = read_sums(tx, &request.plan(), &chart, None)?;
    let names = chart.account_names();
    let separator = chart.separator();
    sink.begin(&StreamHead { heading, columns: Journal::columns(), separator })?;
    let mut journal = Journal::new(&request, &sums, accounts_in(&scope, &chart));
    let period = stored_period(request.period(), request.tags());
    let (mut users, mut after) = (UserNames::default(), None);
    loop {
        let page = tx.transactions().journal_page(&chart.access, &period, after)?;
        let Some(last) = page.last() else { break };
        after = Some(PageKey::of(last));
        users.load(tx, page.iter().map(|transaction| transaction.created_by))?;
        for transaction in &page {
            let name = |id: Option<AccountId>| account_name(&names, id);
            let entry = JournalEntry {
                transaction: transaction.id,
                day: transaction.list_day,
                text: &transaction.description,
                accounts: [transaction.debit, transaction.credit],
                debit_account: name(transaction.debit),
                credit_account: name(transaction.credit),
                amount: units(transaction, chart.scale()),
                recorded_by: users.name(transaction.created_by),
                recorded_at: transaction.stamp.created_at,
            };
            if let Some(row) = journal.push(&entry) {
                sink.row(&row)?;
            }
        }
    }
    sink.finish(&journal.finish())
}

fn send(rows: Vec<Row>, sink: &mut dyn RowSink) -> Result<()> {
    rows.iter().try_for_each(|row| sink.row(row))
}

const fn stored_period(period: ReportPeriod, tags: &[String]) -> Period<'_> {
    Period { from: period.first, last: period.last, tags }
}

fn ledger_entry<'a>(
    transaction: &'a Transaction,
    account: AccountId,
    names: &HashMap<AccountId, &'a str>,
    scale: u32,
) -> LedgerEntry<'a> {
    let amount = units(transaction, scale);
    let is_credit = transaction.credit == Some(account);
    let (other, sums) = if is_credit {
        (transaction.debit, Sums { debit: 0, credit: amount })
    } else {
        (transaction.credit, Sums { debit: amount, credit: 0 })
    };
    LedgerEntry {
        transaction: transaction.id,
        day: transaction.list_day,
        text: &transaction.description,
        other_account: account_name(names, other),
        sums,
        is_checked: transaction.standing == Standing::Checked,
        files: transaction.files.len(),
    }
}

fn account_name<'a>(names: &HashMap<AccountId, &'a str>, id: Option<AccountId>) -> &'a str {
    id.and_then(|id| names.get(&id).copied()).unwrap_or_default()
}

/// Returns the amount of a posted transaction at the scale of its book.
fn units(transaction: &Transaction, scale: u32) -> i128 {
    transaction.amount.and_then(|amount| amount.units(scale)).map_or(0, i128::from)
}

/// Returns the accounts of a scope; none for the whole book.
fn accounts_in(scope: &BalanceScope, chart: &Chart) -> Option<HashSet<AccountId>> {
    match scope {
        BalanceScope::Book => None,
        BalanceScope::Named { .. } => {
            let accounts = scope.accounts(&chart.accounts, &chart.forest);
            Some(accounts.into_iter().map(|account| account.id).collect())
        }
    }
}

/// The names of the users who recorded transactions or changed them.
#[derive(Default)]
pub(crate) struct UserNames(HashMap<UserId, String>);

impl UserNames {
    /// Loads the names of users that are not known yet.
    pub(crate) fn load(
        &mut self,
        tx: &mut Tx<'_>,
        users: impl Iterator<Item = UserId>,
    ) -> Result<()> {
        let users: HashSet<UserId> = users.collect();
        let new: Vec<UserId> =
            users.into_iter().filter(|user| !self.0.contains_key(user)).collect();
        if !new.is_empty() {
            let users = tx.users().by_ids(&new)?;
            self.0.extend(users.into_iter().map(|user| (user.id, user.username)));
        }
        Ok(())
    }

    pub(crate) fn name(&self, user: UserId) -> &str {
        self.0.get(&user).map_or("", String::as_str)
    }
}
