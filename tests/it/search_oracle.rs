//! What a query finds, the slow and plain way: the domain's own evaluation of the tree, transaction
//! by transaction.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use daybook_domain::account::{Account, AccountType};
use daybook_domain::group::Group;
use daybook_domain::id::{AccountId, GroupId};
use daybook_domain::name::{fold, normalized};
use daybook_domain::query::{DateBasis, ParseContext, Query, Subject};
use daybook_domain::transaction::{Standing, Transaction};
use daybook_service::zone;
use rust_decimal::Decimal;
use time::Date;

/// A book in memory.
pub struct Facts {
    pub accounts: Vec<Account>,
    pub groups: Vec<Group>,
    /// The one who recorded everything, by both names.
    pub user: [String; 2],
    pub rows: Vec<Row>,
}

/// A transaction, with what is asked of it again and again.
pub struct Row {
    pub transaction: Transaction,
    /// Folded once; folding it again changes nothing.
    folded: String,
    tags: Vec<String>,
    amount: Option<Decimal>,
    posted_on: Option<Date>,
}

impl Row {
    pub fn new(transaction: Transaction, zone: &str) -> Row {
        let posted = transaction.posted_at.filter(|_| transaction.standing != Standing::Draft);
        Row {
            folded: fold(&transaction.description),
            tags: transaction.tags(),
            amount: transaction.amount.map(|amount| amount.value()),
            posted_on: posted.map(|at| zone::day(at, zone)),
            transaction,
        }
    }
}

impl Facts {
    /// What a query finds, in the order of behaviour 2.6.
    pub fn find(&self, query: &str, reading: &ParseContext) -> Vec<&Transaction> {
        let query = Query::parse(query, reading);
        let named = Named::default();
        let matching = self
            .rows
            .iter()
            .filter(|row| query.filter().matches(&Asked { facts: self, named: &named, row }));
        let mut found: Vec<&Transaction> = matching.map(|row| &row.transaction).collect();
        found.sort_by_key(|transaction| {
            std::cmp::Reverse((transaction.list_day, transaction.stamp.created_at, transaction.id))
        });
        found
    }

    fn account(&self, text: &str) -> Option<AccountId> {
        let by_id = self.accounts.iter().find(|account| account.id.to_string() == text);
        by_id
            .or_else(|| {
                self.accounts.iter().find(|account| account.name.normalized() == normalized(text))
            })
            .map(|account| account.id)
    }

    fn group(&self, text: &str) -> Option<GroupId> {
        let by_id = self.groups.iter().find(|group| group.id.to_string() == text);
        by_id
            .or_else(|| {
                self.groups.iter().find(|group| group.name.normalized() == normalized(text))
            })
            .map(|group| group.id)
    }

    fn is_under(&self, group: GroupId, wanted: GroupId) -> bool {
        let parent =
            |id| self.groups.iter().find(|group| group.id == id).and_then(|group| group.parent);
        std::iter::successors(Some(group), |id| parent(*id)).any(|id| id == wanted)
    }

    fn below(&self, text: &str) -> HashSet<AccountId> {
        let Some(wanted) = self.group(text) else { return HashSet::new() };
        let inside =
            |account: &&Account| account.groups.iter().any(|group| self.is_under(*group, wanted));
        self.accounts.iter().filter(inside).map(|account| account.id).collect()
    }

    fn sides(&self, transaction: &Transaction) -> Vec<&Account> {
        transaction
            .account_ids()
            .filter_map(|id| self.accounts.iter().find(|account| account.id == id))
            .collect()
    }
}

/// What the names of one query mean: looked up once.
#[derive(Default)]
struct Named {
    accounts: RefCell<HashMap<String, Option<AccountId>>>,
    /// The accounts below a group.
    groups: RefCell<HashMap<String, HashSet<AccountId>>>,
}

struct Asked<'f> {
    facts: &'f Facts,
    named: &'f Named,
    row: &'f Row,
}

impl Asked<'_> {
    fn account(&self, text: &str) -> Option<AccountId> {
        *self
            .named
            .accounts
            .borrow_mut()
            .entry(text.to_owned())
            .or_insert_with(|| self.facts.account(text))
    }
}

impl Subject for Asked<'_> {
    fn is_from(&self, account: &str) -> bool {
        self.account(account).is_some_and(|id| self.row.transaction.credit == Some(id))
    }

    fn is_to(&self, account: &str) -> bool {
        self.account(account).is_some_and(|id| self.row.transaction.debit == Some(id))
    }

    fn is_in_group(&self, group: &str) -> bool {
        let mut groups = self.named.groups.borrow_mut();
        let below = groups.entry(group.to_owned()).or_insert_with(|| self.facts.below(group));
        self.row.transaction.account_ids().any(|id| below.contains(&id))
    }

    fn has_account_type(&self, kind: AccountType) -> bool {
        self.facts.sides(&self.row.transaction).iter().any(|account| account.kind == kind)
    }

    fn day(&self, basis: DateBasis) -> Option<Date> {
        match basis {
            DateBasis::Transaction => self.row.transaction.date,
            DateBasis::Posting => self.row.posted_on,
        }
    }

    fn amount(&self) -> Option<Decimal> {
        self.row.amount
    }

    fn is_posted(&self) -> bool {
        self.row.transaction.standing != Standing::Draft
    }

    fn is_checked(&self) -> bool {
        self.row.transaction.standing == Standing::Checked
    }

    fn is_trashed(&self) -> bool {
        self.row.transaction.trashed
    }

    fn description(&self) -> &str {
        &self.row.folded
    }

    fn tags(&self) -> &[String] {
        &self.row.tags
    }

    fn remote_ids(&self) -> &[String] {
        &self.row.transaction.remote_ids
    }

    fn property(&self, key: &str) -> Option<&str> {
        self.row
            .transaction
            .properties
            .iter()
            .find(|(name, _)| *name == key)
            .map(|(_, value)| value)
    }

    fn has_error(&self) -> bool {
        false
    }

    fn is_created_by(&self, user: &str) -> bool {
        self.facts.user.contains(&user.to_lowercase())
    }

    fn agent(&self) -> Option<&str> {
        self.row.transaction.stamp.agent.as_deref()
    }

    fn has_files(&self) -> bool {
        false
    }

    fn has_urls(&self) -> bool {
        !self.row.transaction.urls.is_empty()
    }
}
