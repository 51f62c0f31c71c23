//! Use cases of transactions (behaviour 3).

mod attach;
mod count;
mod create;
mod known;
mod lifecycle;
mod merge;
mod quick_entry;
mod read;
mod running;
mod save;

use std::collections::HashMap;

use daybook_domain::access::Access;
use daybook_domain::account::Directory;
use daybook_domain::app::AppSummary;
use daybook_domain::group::Forest;
use daybook_domain::id::{AccountId, TransactionId, UserId};
use daybook_domain::transaction::{Transaction, TransactionRules};
use daybook_storage::Tx;

use crate::context::Context;
use crate::error::Result;
use crate::zone;

pub use attach::VisibleFiles;
pub(crate) use attach::{FileReferences, release_file};
pub use count::{Counts, SpanText, counts};
pub use create::{CreateMode, create, read_texts};
pub(crate) use lifecycle::release_accounts;
pub use lifecycle::{VerbRequest, perform};
pub use merge::merge;
#[doc(hidden)]
pub use read::explain;
pub(crate) use read::reading;
pub use read::{Listed, QueryCount, Request, count, get, list, load, named};

/// Transactions as the caller sees them, with the resources they name.
#[derive(Debug, Clone)]
pub struct View {
    /// The caller's access to the book.
    pub access: Access,
    /// The requested transactions, in order.
    pub transactions: Vec<Transaction>,
    /// The accounts on their sides.
    pub accounts: Directory,
    /// The files they hold.
    pub files: VisibleFiles,
    /// The groups of these accounts; empty for lists.
    pub forest: Forest,
    /// The usernames of their creators.
    pub creators: HashMap<UserId, String>,
    /// How the apps look that they were made with.
    pub faces: HashMap<String, AppSummary>,
    /// Those of which the caller may see only the id, with the remote ids that the caller knew
    /// (behaviour 3.7.2).
    pub masked: HashMap<TransactionId, Vec<String>>,
    /// How many items of a batch were skipped (behaviour 3.6.4).
    pub skipped: usize,
    /// The items that were there already (behaviour 3.7.2).
    pub known: Vec<KnownItem>,
    /// Accounts that were on the sides before, and the money went away from (behaviour 3.2.1).
    pub left: Vec<AccountId>,
}

/// An item of a request that is there already, by a remote id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownItem {
    /// Its position, from 0.
    pub index: usize,
    /// The fields whose values are others than what is stored.
    pub differs: Vec<&'static str>,
}

/// How much of the accounts a view shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AccountDetail {
    /// With their groups.
    Full,
    /// As rows of lists show them (behaviour 2.10).
    Brief,
}

impl View {
    fn load(
        tx: &mut Tx<'_>,
        cx: &Context,
        access: Access,
        transactions: Vec<Transaction>,
        detail: AccountDetail,
    ) -> Result<Self> {
        let accounts = tx.accounts().by_ids(&access, sides(&transactions))?;
        Self::with_accounts(tx, cx, access, (transactions, accounts), detail)
    }

    fn with_accounts(
        tx: &mut Tx<'_>,
        cx: &Context,
        access: Access,
        (transactions, accounts): (Vec<Transaction>, Directory),
        detail: AccountDetail,
    ) -> Result<Self> {
        let forest = match detail {
            AccountDetail::Full => {
                let groups = accounts.accounts().flat_map(|account| account.groups.iter().copied());
                Forest::new(tx.groups().by_ids(&access, groups)?, [])
            }
            AccountDetail::Brief => Forest::default(),
        };
        let files = VisibleFiles::of(tx, &access, &transactions)?;
        let mut others: Vec<UserId> = transactions
            .iter()
            .map(|transaction| transaction.created_by)
            .filter(|id| *id != cx.user.id)
            .collect();
        others.sort_unstable();
        others.dedup();
        let mut creators: HashMap<UserId, String> =
            tx.users().by_ids(&others)?.into_iter().map(|user| (user.id, user.username)).collect();
        creators.insert(cx.user.id, cx.user.username.clone());
        let agents = transactions.iter().filter_map(|one| one.stamp.agent.as_deref());
        let faces = tx.apps().faces(agents)?;
        Ok(Self {
            access,
            transactions,
            accounts,
            files,
            forest,
            creators,
            faces,
            masked: HashMap::new(),
            skipped: 0,
            known: Vec::new(),
            left: Vec::new(),
        })
    }
}

/// The rules for new transactions; [`rules_of`] makes them the rules for an existing one.
fn rules<'a>(cx: &Context, access: &'a Access, accounts: &'a Directory) -> TransactionRules<'a> {
    let today = cx.today(access.book());
    TransactionRules { access, accounts, now: cx.now, today, created_on: today }
}

fn rules_of<'a>(rules: TransactionRules<'a>, transaction: &Transaction) -> TransactionRules<'a> {
    let created_on =
        zone::day(transaction.stamp.created_at, &rules.access.book().settings.time_zone);
    TransactionRules { created_on, ..rules }
}

/// The accounts on the sides of transactions.
fn sides(transactions: &[Transaction]) -> Vec<AccountId> {
    transactions.iter().flat_map(Transaction::account_ids).collect()
}
