//! listTransactions and getTransaction.

use std::collections::{HashMap, HashSet};

use daybook_domain::access::Access;
use daybook_domain::account::AccountRef;
use daybook_domain::email::Email;
use daybook_domain::id::{AccountId, TransactionId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::permission::Action;
use daybook_domain::query::{self, DateBasis, Filter, ParseContext, Query, Term, Warning};
use daybook_domain::transaction::{Changes, MAX_READ, Refusal, Transaction};
use daybook_storage::Tx;
use daybook_storage::page::{Page, PageKey, RowPart, rows_to_read};
use daybook_storage::transaction::{Names, Search};
use daybook_storage::user::User;

use super::lifecycle::{fitting, named_id};
use super::{AccountDetail, View, running};
use crate::context::Context;
use crate::error::Result;
use crate::query::QueryText;
use crate::{access, batch, zone};

/// Rows of a page by default, and at most (behaviour 2.2).
const DEFAULT_LIMIT: usize = 100;
const MAX_ROWS: usize = 1_000;
/// Groups that the terms of a query name, with those below them: each term repeats them (behaviour
/// 1.7.6).
const MAX_GROUPS_OF_QUERY: usize = 20_000;
/// Different files that the rows of a page show, unless its first row alone has more (behaviour
/// 2.11).
const MAX_FILES_OF_PAGE: usize = 500;

/// The parameters of listTransactions.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The query.
    pub query: QueryText,
    /// Rows wanted.
    pub limit: Option<usize>,
    /// The row the page before ended at.
    pub after: Option<PageKey>,
    /// When the first page was asked for, if that was before: the query is read as on that day
    /// (behaviour 2.4).
    pub asked_at: Option<Instant>,
}

/// A page of transactions.
#[derive(Debug, Clone)]
pub struct Listed {
    /// The rows.
    pub view: View,
    /// Where the next page begins.
    pub next: Option<PageKey>,
    /// The one account the query filters by (behaviour 2.8).
    pub account: Option<AccountId>,
    /// The balance of that account after each posted row, in units of the book's scale; empty when
    /// the account is not permanent (behaviour 2.9).
    pub balances: HashMap<TransactionId, i128>,
    /// What of the query was read as less than it says (behaviour 1.1.13).
    pub warnings: Vec<Warning>,
}

/// How many transactions a query finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryCount {
    /// So many.
    pub total: i64,
    /// What of the query was read as less than it says (behaviour 1.1.13).
    pub warnings: Vec<Warning>,
}

impl Listed {
    fn of(view: View) -> Self {
        Self { view, next: None, account: None, balances: HashMap::new(), warnings: Vec::new() }
    }
}

/// getTransaction, trashed ones included.
///
/// # Errors
/// What the access step refuses; [`Refusal::Unknown`].
pub fn get(tx: &mut Tx<'_>, cx: &Context, book: &str, id: &str) -> Result<View> {
    let access = access::enter(tx, cx, book, Action::ReadTransactions)?;
    let wanted: Option<TransactionId> = id.parse().ok();
    let found = tx.transactions().by_ids(&access, wanted.as_slice(), MAX_READ)?;
    let transaction = found
        .and_then(|found| found.into_values().next())
        .filter(|transaction| access.sees(transaction.created_by, transaction.is_posted()))
        .ok_or_else(|| Refusal::Unknown(id.to_owned()))?;
    View::load(tx, cx, access, vec![transaction], AccountDetail::Full)
}

/// The transactions with these ids, in that order, trashed ones included (behaviour 12.4).
///
/// # Errors
/// What the access step refuses; [`Refusal::UnknownIds`].
pub fn named(tx: &mut Tx<'_>, cx: &Context, book: &str, ids: &[String]) -> Result<Listed> {
    let access = access::enter(tx, cx, book, Action::ReadTransactions)?;
    batch::check_named("ids", ids.len())?;
    in_order(tx, cx, access, ids)
}

/// loadTransactionsBatch: as [`named`], by the ids of items (behaviour 12.11).
///
/// # Errors
/// As [`named`]; [`Refusal::IdRequired`].
pub fn load(tx: &mut Tx<'_>, cx: &Context, book: &str, items: &[Changes]) -> Result<Listed> {
    let access = access::enter(tx, cx, book, Action::ReadTransactions)?;
    batch::check_named("items", items.len())?;
    let ids = batch::each(items, |item| named_id(item).map(|(text, _)| text))?;
    in_order(tx, cx, access, &ids)
}

fn in_order(tx: &mut Tx<'_>, cx: &Context, access: Access, ids: &[String]) -> Result<Listed> {
    let wanted: Vec<TransactionId> = ids.iter().filter_map(|id| id.parse().ok()).collect();
    let found = tx.transactions().by_ids(&access, &wanted, MAX_READ)?;
    let mut found = fitting(found, wanted.iter().copied(), MAX_READ)?;
    found.retain(|_, transaction| access.sees(transaction.created_by, transaction.is_posted()));
    let unknown: Vec<String> = ids
        .iter()
        .filter(|id| id.parse().ok().is_none_or(|id: TransactionId| !found.contains_key(&id)))
        .cloned()
        .collect();
    if !unknown.is_empty() {
        return Err(Refusal::UnknownIds(unknown).into());
    }
    let transactions = wanted.iter().filter_map(|id| found.get(id).cloned()).collect();
    Ok(Listed::of(View::load(tx, cx, access, transactions, AccountDetail::Brief)?))
}

/// listTransactions: a page of what the query finds, newest first (behaviour 1, 2).
///
/// # Errors
/// What the access step refuses; why a query is refused (behaviour 1.1.10).
pub fn list(tx: &mut Tx<'_>, cx: &Context, book: &str, request: &Request) -> Result<Listed> {
    let access = access::enter(tx, cx, book, Action::ReadTransactions)?;
    let at = request.asked_at.unwrap_or(cx.now);
    let reading = ParseContext {
        today: zone::day(at, &access.book().settings.time_zone),
        ..reading(cx, &access)
    };
    let resolved = ResolvedQuery::read(tx, &access, &request.query, &reading)?;
    let ResolvedQuery { query, names } = resolved;
    let limit = request.limit.filter(|limit| *limit > 0).unwrap_or(DEFAULT_LIMIT).min(MAX_ROWS);
    let search =
        Search { filter: query.filter(), names: &names, drafts_of: drafts_of(&access), like: None };
    let rows = tx.transactions().search(&access, &search, request.after, rows_to_read(limit))?;
    let page = Page::new(with_few_files(rows), limit, PageKey::of);
    let account = query.single_account().and_then(|text| names.accounts.get(text)).copied();
    // A recorder would learn the ids of accounts by their names.
    let account = account.filter(|_| access.may(Action::ReadChart));
    let view = View::load(tx, cx, access, page.items, AccountDetail::Brief)?;
    let balances = account
        .map_or_else(|| Ok(HashMap::new()), |account| running::after_rows(tx, &view, account))?;
    let warnings = query.warnings().to_vec();
    Ok(Listed { view, next: page.next, account, balances, warnings })
}

/// Ends rows before the one with which they would show many files: each file that a page shows is
/// read.
fn with_few_files(read: RowPart<Transaction>) -> RowPart<Transaction> {
    let RowPart { mut rows, is_whole } = read;
    let mut files = HashSet::new();
    let shown = rows.iter().enumerate().take_while(|(place, row)| {
        files.extend(row.files.iter().copied());
        *place == 0 || files.len() <= MAX_FILES_OF_PAGE
    });
    let (kept, all) = (shown.count(), rows.len());
    rows.truncate(kept);
    RowPart { rows, is_whole: is_whole && kept == all }
}

/// countTransactions: how many the query finds (behaviour 1.4.3).
///
/// # Errors
/// What the access step refuses; why a query is refused (behaviour 1.1.10).
pub fn count(tx: &mut Tx<'_>, cx: &Context, book: &str, asked: &QueryText) -> Result<QueryCount> {
    let access = access::enter(tx, cx, book, Action::ReadTransactions)?;
    let ResolvedQuery { query, names } =
        ResolvedQuery::read(tx, &access, asked, &reading(cx, &access))?;
    let search =
        Search { filter: query.filter(), names: &names, drafts_of: drafts_of(&access), like: None };
    let total = tx.transactions().count(&access, &search)?;
    Ok(QueryCount { total, warnings: query.warnings().to_vec() })
}

/// The database's plan for [`list`], or without a limit for [`count`]. Tests check the plan instead
/// of measuring time.
///
/// # Errors
/// As [`list`].
#[doc(hidden)]
pub fn explain(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    request: &Request,
) -> Result<Vec<String>> {
    let access = access::enter(tx, cx, book, Action::ReadTransactions)?;
    let reading = reading(cx, &access);
    let ResolvedQuery { query, names } =
        ResolvedQuery::read(tx, &access, &request.query, &reading)?;
    let search =
        Search { filter: query.filter(), names: &names, drafts_of: drafts_of(&access), like: None };
    Ok(match request.limit {
        Some(limit) => tx.plans().search(&access, &search, request.after, rows_to_read(limit))?,
        None => tx.plans().count(&access, &search)?,
    })
}

/// A query with its names resolved.
struct ResolvedQuery {
    query: Query,
    names: Names,
}

impl ResolvedQuery {
    /// Parses a query and resolves its names.
    ///
    /// # Errors
    /// As [`QueryText::of_transactions`]; where it is strict, `NotUnderstood`.
    fn read(
        tx: &mut Tx<'_>,
        access: &Access,
        asked: &QueryText,
        reading: &ParseContext,
    ) -> Result<Self> {
        let mut query = asked.of_transactions(reading)?;
        let names = resolve(tx, access, query.filter())?;
        query.warn_of_unknown(
            |account| names.accounts.contains_key(account),
            |group| names.groups.contains_key(group),
        );
        if asked.strict {
            query.check_understood()?;
        }
        Ok(Self { query, names })
    }
}

/// The settings of the book that a query is parsed with.
pub(crate) fn reading(cx: &Context, access: &Access) -> ParseContext {
    let settings = &access.book().settings;
    ParseContext {
        today: cx.today(access.book()),
        pattern: settings.date_pattern,
        separator: settings.decimal_separator,
    }
}

/// The user to whose drafts a search is restricted: [`Access::sees`] as a condition of a search.
pub(super) fn drafts_of(access: &Access) -> Option<UserId> {
    access.only_own(Action::ReadTransactions)
}

/// Resolves the names and days of a query, with at most one look-up for each kind of name.
fn resolve(tx: &mut Tx<'_>, access: &Access, filter: &Filter) -> Result<Names> {
    let mut wanted = Wanted::default();
    wanted.gather(filter);
    let mut names = Names::default();
    let references: Vec<AccountRef> =
        wanted.accounts.iter().map(|text| AccountRef::any(text)).collect();
    let directory = tx.accounts().directory(access, &references, [])?;
    for text in wanted.accounts {
        if let Some(account) = directory.find(&AccountRef::any(text)) {
            names.accounts.insert(text.to_owned(), account.id);
        }
    }
    // Who may not read the chart learns nothing of it by looking for it.
    names.hides_chart = !access.may(Action::ReadChart);
    if !wanted.groups.is_empty() && !names.hides_chart {
        let forest = daybook_domain::group::Forest::new(tx.groups().list(access)?, []);
        let mut all = 0_usize;
        for (text, times) in wanted.groups {
            if let Some(group) = forest.find(text) {
                let below = forest.descendants(group.id);
                all = all.saturating_add(below.len().saturating_mul(times));
                query::Refusal::check("groups", all, MAX_GROUPS_OF_QUERY)?;
                names.groups.insert(text.to_owned(), below);
            }
        }
    }
    names.users = users(tx, access, &wanted.users)?;
    let zone = &access.book().settings.time_zone;
    names.midnights =
        wanted.days.into_iter().filter_map(|day| Some((day, zone::midnight(day, zone)?))).collect();
    Ok(names)
}

/// The users who are named by their usernames, or by addresses: by their own, and by any for who
/// reads the list of collaborators (behaviour 1.2).
fn users(
    tx: &mut Tx<'_>,
    access: &Access,
    wanted: &HashSet<&str>,
) -> Result<HashMap<String, UserId>> {
    let mut users = HashMap::new();
    for text in wanted {
        let address = Email::parse(text).ok();
        let name = address.as_ref().map_or_else(|| text.to_lowercase(), Email::to_string);
        let knows = |user: &User| {
            user.username == name
                || user.id == access.user()
                || access.may(Action::ListCollaborators)
        };
        if let Some(user) = tx.users().find_named(&name)?.filter(knows) {
            users.insert((*text).to_owned(), user.id);
        }
    }
    Ok(users)
}

/// The names and days a query mentions.
#[derive(Debug, Default)]
struct Wanted<'q> {
    accounts: HashSet<&'q str>,
    /// How often each is named.
    groups: HashMap<&'q str, usize>,
    users: HashSet<&'q str>,
    days: HashSet<time::Date>,
}

impl<'q> Wanted<'q> {
    fn gather(&mut self, filter: &'q Filter) {
        match filter {
            Filter::All(filters) | Filter::Any(filters) => {
                filters.iter().for_each(|filter| self.gather(filter))
            }
            Filter::Not(filter) => self.gather(filter),
            Filter::Term(Term::Account(text) | Term::From(text) | Term::To(text)) => {
                self.accounts.insert(text);
            }
            Filter::Term(Term::Group(text)) => {
                *self.groups.entry(text).or_default() += 1;
            }
            Filter::Term(Term::By(text)) => {
                self.users.insert(text);
            }
            Filter::Term(Term::Dated { basis: DateBasis::Posting, from, until }) => {
                self.days.extend(from.iter().chain(until))
            }
            Filter::Term(_) => {}
        }
    }
}
