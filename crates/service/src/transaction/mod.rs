//! Transactions: recording, verbs, merges, searches and counts (behaviour 3).
//!
//! A transaction moves an amount from a credit account to a debit account. It is a draft until
//! date, amount and both accounts are known, then posted; the verbs post, update, check, uncheck,
//! trash and untrash change its state (`lifecycle`). A write loads everything that the batch names
//! at once (accounts, files, transactions with the same remote ids), applies the rules of the
//! domain to each item, and gathers the changes in a write set. The write set saves transactions,
//! files, balances and events in a fixed number of statements (`save`). One refused item fails the
//! whole batch, unless the verb skips it.

mod attach;
mod check;
mod count;
mod create;
mod create_mode;
mod known;
mod lifecycle;
mod merge;
mod preview;
mod quick_entry;
mod read;
mod record_each;
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
pub(crate) use check::{change_checks, load_named};
pub use count::{Counts, SpanText, counts};
pub use create::{create, read_quick_entries};
pub use create_mode::CreateMode;
pub(crate) use lifecycle::release_accounts;
pub use lifecycle::{VerbRequest, perform};
pub use merge::merge;
pub use preview::{Preview, preview};
#[doc(hidden)]
pub use read::explain;
pub use read::{QueryCount, Request, TransactionPage, count, get, list, list_by_ids, load};
pub(crate) use read::{check_query, count_matches, drafts_of, find, parse_context, scan};
pub(crate) use record_each::record_each;

/// Transactions as the caller sees them, with the resources they name.
#[derive(Debug, Clone)]
pub struct View {
    /// The caller's access to the book.
    pub access: Access,
    /// The requested transactions, in order.
    pub transactions: Vec<Transaction>,
    /// Their accounts.
    pub accounts: Directory,
    /// Their files.
    pub files: VisibleFiles,
    /// The groups of these accounts. Empty for lists.
    pub forest: Forest,
    /// The usernames of their creators.
    pub creators: HashMap<UserId, String>,
    /// The apps that they were created with.
    pub app_summaries: HashMap<String, AppSummary>,
    /// The transactions of which the caller may see only the id, with the remote ids that the
    /// caller named (behaviour 3.7.2).
    pub masked: HashMap<TransactionId, Vec<String>>,
    /// The number of skipped items of a batch (behaviour 3.6.4).
    pub skipped: usize,
    /// The items that existed already (behaviour 3.7.2).
    pub known: Vec<KnownItem>,
    /// The accounts of the transactions before the change (behaviour 3.2.1).
    pub previous_accounts: Vec<AccountId>,
}

/// An item of a request that exists already, by a remote id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownItem {
    /// Its position, from 0.
    pub index: usize,
    /// The fields whose values differ from what is stored.
    pub differs: Vec<&'static str>,
}

/// How much a view shows of the accounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AccountDetail {
    /// With their groups.
    Full,
    /// As lists show them (behaviour 2.10).
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
        Self::with_accounts(tx, cx, access, transactions, accounts, detail)
    }

    fn with_accounts(
        tx: &mut Tx<'_>,
        cx: &Context,
        access: Access,
        transactions: Vec<Transaction>,
        accounts: Directory,
        detail: AccountDetail,
    ) -> Result<Self> {
        let forest = match detail {
            AccountDetail::Full => {
                let groups = accounts.iter().flat_map(|account| account.groups.iter().copied());
                Forest::new(tx.groups().by_ids(&access, groups)?, [])
            }
            AccountDetail::Brief => Forest::default(),
        };
        let files = VisibleFiles::load(tx, &access, &transactions)?;
        let mut creators: Vec<UserId> = transactions
            .iter()
            .map(|transaction| transaction.created_by)
            .filter(|id| *id != cx.user.id)
            .collect();
        creators.sort_unstable();
        creators.dedup();
        let creators = tx.users().by_ids(&creators)?.into_iter();
        let mut creators: HashMap<UserId, String> =
            creators.map(|user| (user.id, user.username)).collect();
        creators.insert(cx.user.id, cx.user.username.clone());
        let agents = transactions.iter().filter_map(|row| row.stamp.agent.as_deref());
        let app_summaries = tx.apps().summaries(agents)?;
        Ok(Self {
            access,
            transactions,
            accounts,
            files,
            forest,
            creators,
            app_summaries,
            masked: HashMap::new(),
            skipped: 0,
            known: Vec::new(),
            previous_accounts: Vec::new(),
        })
    }
}

/// Returns the rules for new transactions. [`rules_of`] turns them into those of an existing one.
fn rules<'a>(cx: &Context, access: &'a Access, accounts: &'a Directory) -> TransactionRules<'a> {
    let today = cx.today(access.book());
    TransactionRules { access, accounts, now: cx.now, today, created_on: today }
}

fn rules_of<'a>(rules: TransactionRules<'a>, transaction: &Transaction) -> TransactionRules<'a> {
    let created_on =
        zone::day(transaction.stamp.created_at, &rules.access.book().settings.time_zone);
    TransactionRules { created_on, ..rules }
}

fn sides(transactions: &[Transaction]) -> Vec<AccountId> {
    transactions.iter().flat_map(Transaction::account_ids).collect()
}
