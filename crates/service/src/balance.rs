//! Balances of accounts and groups over time (behaviour 5).

use std::sync::Arc;

use daybook_domain::access::Access;
use daybook_domain::account::{Account, AccountRef};
use daybook_domain::balance::{BalanceFold, BalanceInputs, BalanceResult, BalanceScope, segments};
use daybook_domain::group::Forest;
use daybook_domain::id::{AccountId, GroupId};
use daybook_domain::permission::Action;
use daybook_domain::query::{BalanceQuery, Periodicity};
use daybook_storage::Tx;
use daybook_storage::balance::{AccountScope, TotalsQuery};

use crate::access;
use crate::context::Context;
use crate::error::Result;
use crate::query::QueryText;
use crate::transaction::parse_context;

/// Balances with the accounts and groups they belong to.
#[derive(Debug, Clone)]
pub struct View {
    /// The caller's access to the book.
    pub access: Access,
    /// The query.
    pub query: BalanceQuery,
    /// The balances.
    pub balances: BalanceResult,
    /// The accounts in it.
    pub accounts: Arc<Vec<Account>>,
    /// The groups in it.
    pub forest: Arc<Forest>,
}

/// getBalances: the balances of accounts and groups over time.
///
/// # Errors
/// Refusals of the query (behaviour 1.1.10).
pub fn get(tx: &mut Tx<'_>, cx: &Context, book: &str, text: &QueryText) -> Result<View> {
    let access = access::enter(tx, cx, book, Action::ReadChart)?;
    let mut query = text.parse_balances(&parse_context(cx, &access))?;
    let forest = tx.groups().forest(&access)?;
    let (scope, accounts) = scope(tx, &access, &mut query, &forest)?;
    if text.strict {
        query.check_understood()?;
    }
    scope.check_size(&accounts, &forest)?;
    let ids: Vec<AccountId> = accounts.iter().map(|account| account.id).collect();
    let totals_scope = match &scope {
        BalanceScope::Book => AccountScope::Book,
        BalanceScope::Named { .. } => AccountScope::Accounts(&ids),
    };
    let totals_query = TotalsQuery {
        scope: totals_scope,
        tags: &query.tags,
        by_month: query.periodicity != Periodicity::Daily,
    };
    let inputs = BalanceInputs {
        accounts: &accounts,
        forest: &forest,
        from: query.from,
        until: query.until,
        periodicity: query.periodicity,
        today: cx.today(access.book()),
    };
    // A book may have millions of totals, so each one is folded as it is read.
    let mut fold = BalanceFold::new(inputs, &scope);
    let segments = segments(query.from, query.until, query.periodicity);
    tx.balances().read_each(&access, &segments, &totals_query, |total| fold.add(&total))?;
    let balances = fold.finish();
    Ok(View { access, query, balances, accounts, forest })
}

/// Returns the accounts and groups that the query names, each once, and all accounts in them.
///
/// Unknown names match nothing (behaviour 1.2.6). So does a query with an unreadable term
/// (behaviour 1.1.9).
fn scope(
    tx: &mut Tx<'_>,
    access: &Access,
    query: &mut BalanceQuery,
    forest: &Forest,
) -> Result<(BalanceScope, Arc<Vec<Account>>)> {
    if query.unreadable {
        return Ok((BalanceScope::NOTHING, Arc::default()));
    }
    if !query.is_filtered() {
        return Ok((BalanceScope::Book, tx.accounts().all(access)?));
    }
    let references: Vec<AccountRef> =
        query.accounts.iter().map(|text| AccountRef::id_or_name(text)).collect();
    let named = tx.accounts().directory(access, &references, [])?;
    query.warn_of_unknown(
        |account| named.find(&AccountRef::id_or_name(account)).is_some(),
        |group| forest.find(group).is_some(),
    );
    let accounts: Vec<AccountId> = distinct(
        references.iter().filter_map(|reference| named.find(reference)).map(|account| account.id),
    );
    let groups: Vec<GroupId> =
        distinct(query.groups.iter().filter_map(|text| forest.find(text)).map(|group| group.id));
    let below: Vec<GroupId> = distinct(groups.iter().flat_map(|id| forest.descendants(*id)));
    let mut all = tx.accounts().in_groups(access, &below)?;
    all.extend(named.iter().filter(|account| accounts.contains(&account.id)).cloned());
    let mut seen = std::collections::HashSet::new();
    all.retain(|account| seen.insert(account.id));
    Ok((BalanceScope::Named { accounts, groups }, Arc::new(all)))
}

fn distinct<T: Copy + Eq + std::hash::Hash>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = std::collections::HashSet::new();
    items.filter(|item| seen.insert(*item)).collect()
}
