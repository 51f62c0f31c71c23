//! Running balances of a page (behaviour 2.9).

use std::collections::HashMap;

use daybook_domain::balance::{running_balances, segments};
use daybook_domain::id::{AccountId, TransactionId};
use daybook_domain::query::Periodicity;
use daybook_domain::transaction::Transaction;
use daybook_storage::Tx;
use daybook_storage::balance::{AccountScope, TotalsQuery};

use super::View;
use crate::error::Result;

/// Returns the balance of the account after each posted row, over all its posted transactions.
///
/// The filter of the page does not matter. The account is permanent.
pub(super) fn after_rows(
    tx: &mut Tx<'_>,
    view: &View,
    account: AccountId,
) -> Result<HashMap<TransactionId, i128>> {
    let rows: Vec<&Transaction> = view.transactions.iter().filter(|row| row.counts()).collect();
    let days = || rows.iter().filter_map(|row| row.date);
    let (Some(first), Some(last)) = (days().min(), days().max()) else { return Ok(HashMap::new()) };
    let accounts = [account];
    let query =
        TotalsQuery { scope: AccountScope::Accounts(&accounts), tags: &[], by_month: false };
    // One sum of everything before the first day, then the total of each day up to the last.
    let segments = segments(Some(first), last.next_day(), Periodicity::Daily);
    let totals = tx.balances().read(&view.access, &segments, &query)?;
    let sums_within_day = tx.transactions().sums_within_day(&view.access, account, &rows)?;
    Ok(running_balances(&totals, &sums_within_day))
}
