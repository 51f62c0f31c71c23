//! Use cases of transactions (behaviour 3).

mod count;
mod lifecycle;
mod read;
mod record;
mod running;
mod save;

use std::collections::{HashMap, HashSet};

use daybook_domain::account::Directory;
use daybook_domain::collaborator::Member;
use daybook_domain::group::Forest;
use daybook_domain::id::{AccountId, TransactionId, UserId};
use daybook_domain::transaction::Transaction;
use daybook_storage::Tx;

use crate::context::Context;
use crate::error::Result;

pub use count::{Counts, SpanText, counts};
pub use lifecycle::{Order, perform, release_accounts};
#[doc(hidden)]
pub use read::explain;
pub(crate) use read::reading;
pub use read::{Listed, Request, count, get, list, named};
pub use record::create;

/// Transactions as their reader sees them, with what they name.
#[derive(Debug, Clone)]
pub struct View {
    /// Who reads, in which book.
    pub member: Member,
    /// The transactions asked for, in order.
    pub transactions: Vec<Transaction>,
    /// The accounts on their sides.
    pub accounts: Directory,
    /// The groups of these accounts; empty for lists.
    pub forest: Forest,
    /// The usernames of their creators.
    pub creators: HashMap<UserId, String>,
    /// Those of which the reader may see only id and remote ids (behaviour 3.7.2).
    pub masked: HashSet<TransactionId>,
}

/// How much of the accounts a view shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Detail {
    /// With their groups.
    Full,
    /// As list rows show them (behaviour 2.10).
    Brief,
}

impl View {
    fn load(tx: &mut Tx<'_>, cx: &Context, member: Member, transactions: Vec<Transaction>, detail: Detail) -> Result<Self> {
        let accounts = tx.accounts().by_ids(&member, sides(&transactions))?;
        Self::around(tx, cx, member, (transactions, accounts), detail)
    }

    fn around(
        tx: &mut Tx<'_>,
        cx: &Context,
        member: Member,
        (transactions, accounts): (Vec<Transaction>, Directory),
        detail: Detail,
    ) -> Result<Self> {
        let forest = match detail {
            Detail::Full => {
                let groups = accounts.accounts().flat_map(|account| account.groups.iter().copied());
                Forest::new(tx.groups().by_ids(&member, groups)?, [])
            }
            Detail::Brief => Forest::default(),
        };
        let mut others: Vec<UserId> =
            transactions.iter().map(|transaction| transaction.created_by).filter(|id| *id != cx.user.id).collect();
        others.sort_unstable();
        others.dedup();
        let mut creators: HashMap<UserId, String> = tx.users().by_ids(&others)?.into_iter().map(|user| (user.id, user.username)).collect();
        creators.insert(cx.user.id, cx.user.username.clone());
        Ok(Self { member, transactions, accounts, forest, creators, masked: HashSet::new() })
    }
}

/// The accounts on the sides of transactions.
fn sides(transactions: &[Transaction]) -> Vec<AccountId> {
    transactions.iter().flat_map(Transaction::account_ids).collect()
}
