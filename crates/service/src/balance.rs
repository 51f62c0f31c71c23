//! getBalances (behaviour 5).

use daybook_domain::access::Access;
use daybook_domain::account::{Account, AccountRef, Directory};
use daybook_domain::balance::{BalanceAnswer, BalanceInputs, BalanceScope, segments};
use daybook_domain::group::Forest;
use daybook_domain::id::{AccountId, GroupId};
use daybook_domain::permission::Action;
use daybook_domain::query::{BalanceQuery, Periodicity};
use daybook_storage::Tx;
use daybook_storage::balance::{AccountScope, TotalsQuery};

use crate::context::Context;
use crate::error::{Error, Result};
use crate::transaction::reading;
use crate::{access, group};

/// Most accounts and groups, and most tags, of a query (behaviour 5.17).
const MAX_FILTERS: usize = 200;
/// Most containers that may be shown repeatedly because one named group lies below another
/// (behaviour 5.17).
const MAX_REPEATED: usize = 20_000;

/// BalanceAnswer as their reader sees them, with what they are of.
#[derive(Debug, Clone)]
pub struct View {
    /// The caller's access to the book.
    pub access: Access,
    /// The query.
    pub query: BalanceQuery,
    /// The result.
    pub balances: BalanceAnswer,
    /// The accounts in it.
    pub accounts: Directory,
    /// The groups in it.
    pub forest: Forest,
}

/// getBalances: the balances of accounts and groups over time.
///
/// # Errors
/// 400 for a missing or blank query (behaviour 5.1); what the access step refuses.
pub fn get(tx: &mut Tx<'_>, cx: &Context, book: &str, text: &str) -> Result<View> {
    let access = access::enter(tx, cx, book, Action::ReadChart)?;
    let query = BalanceQuery::parse(text, &reading(cx, &access))
        .ok_or_else(|| Error::BadRequest("query is required".to_owned()))?;
    let forest = group::forest(tx, &access)?;
    let (scope, accounts) = match scope(tx, &access, &query, &forest)? {
        (scope, accounts) if scope.repeated(&accounts, &forest) > MAX_REPEATED => {
            (BalanceScope::NOTHING, Vec::new())
        }
        found => found,
    };
    let ids: Vec<AccountId> = accounts.iter().map(|account| account.id).collect();
    let totals_of = match scope {
        BalanceScope::Book => AccountScope::Book,
        BalanceScope::Named { .. } => AccountScope::Accounts(&ids),
    };
    let totals_query = TotalsQuery {
        scope: totals_of,
        tags: &query.tags,
        by_month: query.periodicity != Periodicity::Daily,
    };
    let mut totals = Vec::new();
    // No transaction carries so many tags, and a database would plan the statement for minutes.
    let wanted = if query.tags.len() > MAX_FILTERS {
        Vec::new()
    } else {
        segments(query.from, query.until, query.periodicity)
    };
    for segment in wanted {
        totals.extend(tx.balances().read(&access, &segment, &totals_query)?);
    }
    let inputs = BalanceInputs {
        accounts: &accounts,
        forest: &forest,
        totals,
        from: query.from,
        until: query.until,
        periodicity: query.periodicity,
        today: cx.today(access.book()),
    };
    let balances = inputs.balances(&scope);
    Ok(View { access, query, balances, accounts: Directory::new(accounts), forest })
}

/// The accounts and groups that the query names, each once, with all accounts in them. Unknown
/// names match nothing (behaviour 1.2.6); neither do too many names.
fn scope(
    tx: &mut Tx<'_>,
    access: &Access,
    query: &BalanceQuery,
    forest: &Forest,
) -> Result<(BalanceScope, Vec<Account>)> {
    if !query.is_filtered() {
        return Ok((BalanceScope::Book, tx.accounts().list(access)?));
    }
    if query.accounts.len().saturating_add(query.groups.len()) > MAX_FILTERS {
        return Ok((BalanceScope::NOTHING, Vec::new()));
    }
    let references: Vec<AccountRef> =
        query.accounts.iter().map(|text| AccountRef::any(text)).collect();
    let named = tx.accounts().directory(access, &references, [])?;
    let accounts: Vec<AccountId> = distinct(
        references.iter().filter_map(|reference| named.find(reference)).map(|account| account.id),
    );
    let groups: Vec<GroupId> =
        distinct(query.groups.iter().filter_map(|text| forest.find(text)).map(|group| group.id));
    let below: Vec<GroupId> = distinct(groups.iter().flat_map(|id| forest.descendants(*id)));
    let mut all = tx.accounts().in_groups(access, &below)?;
    all.extend(named.accounts().filter(|account| accounts.contains(&account.id)).cloned());
    let mut seen = std::collections::HashSet::new();
    all.retain(|account| seen.insert(account.id));
    Ok((BalanceScope::Named { accounts, groups }, all))
}

fn distinct<T: Copy + Eq + std::hash::Hash>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = std::collections::HashSet::new();
    items.filter(|item| seen.insert(*item)).collect()
}
