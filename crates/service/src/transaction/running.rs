//! Running balances of a page (behaviour 2.9).

use std::collections::HashMap;

use daybook_domain::balance::{running, segments};
use daybook_domain::id::{AccountId, TransactionId};
use daybook_domain::query::Periodicity;
use daybook_domain::transaction::Transaction;
use daybook_storage::Tx;
use daybook_storage::balance::{AccountScope, TotalsQuery};

use super::View;
use crate::error::Result;

/// The balance of the account after each posted row, over all its posted transactions, whatever the
/// page is filtered by. Empty for an account that is not permanent.
pub(super) fn after_rows(
    tx: &mut Tx<'_>,
    view: &View,
    account: AccountId,
) -> Result<HashMap<TransactionId, i128>> {
    let permanent = view.accounts.get(account).is_some_and(|account| account.kind.is_permanent());
    let rows: Vec<&Transaction> =
        view.transactions.iter().filter(|row| permanent && row.counts()).collect();
    let days = || rows.iter().filter_map(|row| row.date);
    let (Some(first), Some(last)) = (days().min(), days().max()) else { return Ok(HashMap::new()) };
    let accounts = [account];
    let query =
        TotalsQuery { scope: AccountScope::Accounts(&accounts), tags: &[], by_month: false };
    // The totals before the first day, folded, and those of the days from there to the last.
    let segments = segments(Some(first), last.next_day(), Periodicity::Daily);
    let cells = tx.balances().read(&view.access, &segments, &query)?;
    let moved = tx.transactions().moved(&view.access, account, &rows)?;
    Ok(running(&cells, &moved))
}
