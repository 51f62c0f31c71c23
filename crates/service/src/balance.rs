//! getBalances (behaviour 5).

use daybook_domain::account::{Account, AccountRef, Directory};
use daybook_domain::balance::{Balances, Ledger, Scope, segments};
use daybook_domain::collaborator::{Action, Member};
use daybook_domain::group::Forest;
use daybook_domain::id::{AccountId, GroupId};
use daybook_domain::query::{BalanceQuery, Periodicity};
use daybook_storage::Tx;
use daybook_storage::balance::{Of, Question};

use crate::context::Context;
use crate::error::{Error, Result};
use crate::transaction::reading;
use crate::{access, group};

/// Accounts and groups a query may name, and tags it may restrict sums by (behaviour 5.17).
const MOST_FILTERS: usize = 200;
/// Containers that named groups may show again, because one lies below another (behaviour 5.17).
const MOST_REPEATED: usize = 20_000;

/// Balances as their reader sees them, with what they are of.
#[derive(Debug, Clone)]
pub struct View {
    /// Who reads, in which book.
    pub member: Member,
    /// The question.
    pub query: BalanceQuery,
    /// The answer.
    pub balances: Balances,
    /// The accounts in it.
    pub accounts: Directory,
    /// The groups in it.
    pub forest: Forest,
}

/// getBalances: what accounts and groups amount to, over time.
///
/// # Errors
/// 400 for a missing or blank query (behaviour 5.1); what the access step refuses.
pub fn get(tx: &mut Tx<'_>, cx: &Context, book: &str, text: &str) -> Result<View> {
    let member = access::enter(tx, cx, book, Action::ReadChart)?;
    let query = BalanceQuery::parse(text, &reading(cx, &member))
        .ok_or_else(|| Error::BadRequest("query is required".to_owned()))?;
    let forest = group::forest(tx, &member)?;
    let (scope, accounts) = match scope(tx, &member, &query, &forest)? {
        (scope, accounts) if scope.repeated(&accounts, &forest) > MOST_REPEATED => {
            (Scope::NOTHING, Vec::new())
        }
        found => found,
    };
    let ids: Vec<AccountId> = accounts.iter().map(|account| account.id).collect();
    let of = match scope {
        Scope::Book => Of::Book,
        Scope::Named { .. } => Of::Accounts(&ids),
    };
    let question =
        Question { of, tags: &query.tags, by_month: query.periodicity != Periodicity::Daily };
    let mut cells = Vec::new();
    // No transaction carries so many tags, and a database would plan the question for minutes.
    let wanted = if query.tags.len() > MOST_FILTERS {
        Vec::new()
    } else {
        segments(query.from, query.until, query.periodicity)
    };
    for segment in wanted {
        cells.extend(tx.balances().read(&member, &segment, &question)?);
    }
    let ledger = Ledger {
        accounts: &accounts,
        forest: &forest,
        cells,
        from: query.from,
        until: query.until,
        periodicity: query.periodicity,
        today: cx.today(member.book()),
    };
    let balances = ledger.balances(&scope);
    Ok(View { member, query, balances, accounts: Directory::new(accounts), forest })
}

/// What the filters of the query name, each once, with all accounts in it. Unknown names are none
/// (behaviour 1.2.6); so are all of too many.
fn scope(
    tx: &mut Tx<'_>,
    member: &Member,
    query: &BalanceQuery,
    forest: &Forest,
) -> Result<(Scope, Vec<Account>)> {
    if !query.is_filtered() {
        return Ok((Scope::Book, tx.accounts().list(member)?));
    }
    if query.accounts.len().saturating_add(query.groups.len()) > MOST_FILTERS {
        return Ok((Scope::NOTHING, Vec::new()));
    }
    let references: Vec<AccountRef> =
        query.accounts.iter().map(|text| AccountRef::any(text)).collect();
    let named = tx.accounts().directory(member, &references, [])?;
    let accounts: Vec<AccountId> = distinct(
        references.iter().filter_map(|reference| named.find(reference)).map(|account| account.id),
    );
    let groups: Vec<GroupId> =
        distinct(query.groups.iter().filter_map(|text| forest.find(text)).map(|group| group.id));
    let below: Vec<GroupId> = distinct(groups.iter().flat_map(|id| forest.downwards(*id)));
    let mut all = tx.accounts().in_groups(member, &below)?;
    all.extend(named.accounts().filter(|account| accounts.contains(&account.id)).cloned());
    let mut seen = std::collections::HashSet::new();
    all.retain(|account| seen.insert(account.id));
    Ok((Scope::Named { accounts, groups }, all))
}

fn distinct<T: Copy + Eq + std::hash::Hash>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = std::collections::HashSet::new();
    items.filter(|item| seen.insert(*item)).collect()
}
