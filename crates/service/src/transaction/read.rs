//! Reading transactions: single ones, lists and searches.

use std::collections::{HashMap, HashSet};

use daybook_domain::access::Access;
use daybook_domain::account::AccountRef;
use daybook_domain::email::Email;
use daybook_domain::id::{AccountId, ReconciliationId, TransactionId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::permission::Action;
use daybook_domain::query::{self, DateBasis, Filter, ParseContext, Query, Term, Warning};
use daybook_domain::transaction::{Changes, MAX_READ, Refusal, Transaction};
use daybook_storage::Tx;
use daybook_storage::page::{Page, PageKey, RowPart, rows_to_read};
use daybook_storage::transaction::{ResolvedNames, Search};
use daybook_storage::user::User;

use super::lifecycle::{read_id, within_limit};
use super::{AccountDetail, View, running};
use crate::context::Context;
use crate::error::Result;
use crate::query::QueryText;
use crate::{access, batch, zone};

/// Rows of a page by default, and at most (behaviour 2.2).
const DEFAULT_LIMIT: usize = 100;
const MAX_ROWS: usize = 1_000;
/// Groups that the terms of a query may name, with those below them. Each term repeats them
/// (behaviour 1.7.6).
const MAX_GROUPS_OF_QUERY: usize = 20_000;
/// Different files on a page, unless its first row alone has more (behaviour 2.11).
const MAX_FILES_OF_PAGE: usize = 500;

/// The parameters of listTransactions.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The query.
    pub query: QueryText,
    /// The number of rows.
    pub limit: Option<usize>,
    /// The row at which the previous page ended.
    pub after: Option<PageKey>,
    /// When the first page was requested, on later pages. Relative dates in the query mean what
    /// they meant on that day (behaviour 2.4).
    pub requested_at: Option<Instant>,
}

/// A page of transactions.
#[derive(Debug, Clone)]
pub struct TransactionPage {
    /// The rows.
    pub view: View,
    /// Where the next page begins.
    pub next: Option<PageKey>,
    /// The only account that the query filters by (behaviour 2.8).
    pub account: Option<AccountId>,
    /// The balance of that account after each posted row, in units of the book's scale. Empty if
    /// the account is not permanent (behaviour 2.9).
    pub balances: HashMap<TransactionId, i128>,
    /// The reconciliations of that account that rows are on. Empty if the account is not permanent
    /// (behaviour 14.9).
    pub reconciliations: HashMap<TransactionId, ReconciliationId>,
    /// The parts of the query that were ignored or widened (behaviour 1.1.13).
    pub warnings: Vec<Warning>,
}

/// The number of transactions that a query finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryCount {
    /// The number.
    pub total: i64,
    /// The parts of the query that were ignored or widened (behaviour 1.1.13).
    pub warnings: Vec<Warning>,
}

impl TransactionPage {
    fn of(view: View) -> Self {
        Self {
            view,
            next: None,
            account: None,
            balances: HashMap::new(),
            reconciliations: HashMap::new(),
            warnings: Vec::new(),
        }
    }
}

/// getTransaction, including trashed ones.
///
/// # Errors
/// [`Refusal::Unknown`].
pub fn get(tx: &mut Tx<'_>, cx: &Context, book: &str, id: &str) -> Result<View> {
    let access = access::enter(tx, cx, book, Action::ReadTransactions)?;
    let transaction = find(tx, &access, id)?;
    View::load(tx, cx, access, vec![transaction], AccountDetail::Full)
}

/// Finds a transaction that the caller sees.
///
/// # Errors
/// [`Refusal::Unknown`].
pub(crate) fn find(tx: &mut Tx<'_>, access: &Access, id: &str) -> Result<Transaction> {
    let parsed: Option<TransactionId> = id.parse().ok();
    let found = tx.transactions().by_ids(access, parsed.as_slice(), MAX_READ)?;
    let transaction = found
        .and_then(|found| found.into_values().next())
        .filter(|transaction| access.sees(transaction.created_by, transaction.is_posted()));
    Ok(transaction.ok_or_else(|| Refusal::Unknown(id.to_owned()))?)
}

/// Returns the transactions with these ids in that order, including trashed ones (behaviour 12.4).
///
/// # Errors
/// [`Refusal::UnknownIds`].
pub fn list_by_ids(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    ids: &[String],
) -> Result<TransactionPage> {
    let access = access::enter(tx, cx, book, Action::ReadTransactions)?;
    batch::check_id_count("ids", ids.len())?;
    load_in_order(tx, cx, access, ids)
}

/// loadTransactionsBatch: returns transactions like [`list_by_ids`], by the ids of items (behaviour
/// 12.11).
///
/// # Errors
/// Those of [`list_by_ids`]; [`Refusal::IdRequired`].
pub fn load(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    items: &[Changes],
) -> Result<TransactionPage> {
    let access = access::enter(tx, cx, book, Action::ReadTransactions)?;
    batch::check_id_count("items", items.len())?;
    let ids = batch::each(items, |item| read_id(item).map(|(text, _)| text))?;
    load_in_order(tx, cx, access, &ids)
}

fn load_in_order(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: Access,
    ids: &[String],
) -> Result<TransactionPage> {
    let parsed: Vec<TransactionId> = ids.iter().filter_map(|id| id.parse().ok()).collect();
    let found = tx.transactions().by_ids(&access, &parsed, MAX_READ)?;
    let mut found = within_limit(found, parsed.iter().copied(), MAX_READ)?;
    found.retain(|_, transaction| access.sees(transaction.created_by, transaction.is_posted()));
    let unknown: Vec<String> = ids
        .iter()
        .filter(|id| id.parse().ok().is_none_or(|id: TransactionId| !found.contains_key(&id)))
        .cloned()
        .collect();
    if !unknown.is_empty() {
        return Err(Refusal::UnknownIds(unknown).into());
    }
    let transactions = parsed.iter().filter_map(|id| found.get(id).cloned()).collect();
    Ok(TransactionPage::of(View::load(tx, cx, access, transactions, AccountDetail::Brief)?))
}

/// listTransactions: a page of the transactions that the query finds, newest first (behaviour 1,
/// 2).
///
/// # Errors
/// Refusals of the query (behaviour 1.1.10).
pub fn list(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    request: &Request,
) -> Result<TransactionPage> {
    let access = access::enter(tx, cx, book, Action::ReadTransactions)?;
    let at = request.requested_at.unwrap_or(cx.now);
    let context = ParseContext {
        today: zone::day(at, &access.book().settings.time_zone),
        ..parse_context(cx, &access)
    };
    let resolved = ResolvedQuery::read(tx, &access, &request.query, &context)?;
    let limit = request.limit.filter(|limit| *limit > 0).unwrap_or(DEFAULT_LIMIT).min(MAX_ROWS);
    let search = resolved.search(&access);
    let rows = tx.transactions().search(&access, &search, request.after, rows_to_read(limit))?;
    let page = Page::new(with_few_files(rows), limit, PageKey::of);
    let ResolvedQuery { query, names } = resolved;
    let account = query.single_account().and_then(|text| names.accounts.get(text)).copied();
    // With the account id, a recorder could find out the ids of accounts by their names.
    let account = if access.may(Action::ReadChart) { account } else { None };
    let view = View::load(tx, cx, access, page.items, AccountDetail::Brief)?;
    let permanent = account
        .filter(|id| view.accounts.get(*id).is_some_and(|account| account.kind.is_permanent()));
    let (balances, reconciliations) = match permanent {
        Some(account) => {
            (running::after_rows(tx, &view, account)?, reconciliations(tx, &view, account)?)
        }
        None => (HashMap::new(), HashMap::new()),
    };
    let warnings = query.warnings().to_vec();
    Ok(TransactionPage { view, next: page.next, account, balances, reconciliations, warnings })
}

/// Returns the reconciliations of an account that the posted rows are on (behaviour 14.9).
fn reconciliations(
    tx: &mut Tx<'_>,
    view: &View,
    account: AccountId,
) -> Result<HashMap<TransactionId, ReconciliationId>> {
    let posted = view.transactions.iter().filter(|row| row.is_posted());
    let ids: Vec<TransactionId> = posted.map(|row| row.id).collect();
    Ok(tx.reconciliations().of_transactions(&view.access, account, &ids)?)
}

/// Ends the rows before the limit of different files is exceeded, because every file of a page is
/// loaded.
fn with_few_files(read: RowPart<Transaction>) -> RowPart<Transaction> {
    let RowPart { mut rows, is_whole } = read;
    let mut files = HashSet::new();
    let shown = rows.iter().enumerate().take_while(|(place, row)| {
        files.extend(row.files.iter().copied());
        *place == 0 || files.len() <= MAX_FILES_OF_PAGE
    });
    let (count, all) = (shown.count(), rows.len());
    rows.truncate(count);
    RowPart { rows, is_whole: is_whole && count == all }
}

/// countTransactions: counts the transactions that the query finds (behaviour 1.4.3).
///
/// # Errors
/// Refusals of the query (behaviour 1.1.10).
pub fn count(tx: &mut Tx<'_>, cx: &Context, book: &str, query: &QueryText) -> Result<QueryCount> {
    let access = access::enter(tx, cx, book, Action::ReadTransactions)?;
    let context = parse_context(cx, &access);
    let resolved = ResolvedQuery::read(tx, &access, query, &context)?;
    let total = tx.transactions().count(&access, &resolved.search(&access))?;
    Ok(QueryCount { total, warnings: resolved.query.warnings().to_vec() })
}

/// Passes the transactions that a query finds to `visit` in pages, oldest first.
///
/// # Errors
/// Refusals of the query (behaviour 1.1.10); those of `visit`.
pub(crate) fn scan(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &Access,
    query: &QueryText,
    mut visit: impl FnMut(&mut Tx<'_>, &[Transaction]) -> Result<()>,
) -> Result<()> {
    let resolved = ResolvedQuery::read(tx, access, query, &parse_context(cx, access))?;
    let search = resolved.search(access);
    let mut after = None;
    loop {
        let page = tx.transactions().scan(access, &search, after)?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(PageKey::of(last));
        visit(tx, &page)?;
    }
}

/// Checks a query as [`scan`] does.
///
/// # Errors
/// Refusals of the query (behaviour 1.1.10).
pub(crate) fn check_query(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &Access,
    query: &QueryText,
) -> Result<()> {
    ResolvedQuery::read(tx, access, query, &parse_context(cx, access)).map(drop)
}

/// Counts the transactions that match a filter and that the caller sees.
pub(crate) fn count_matches(tx: &mut Tx<'_>, access: &Access, filter: &Filter) -> Result<u64> {
    let names = resolve(tx, access, filter)?;
    let search = Search { filter, names: &names, drafts_of: drafts_of(access), similar: None };
    let total = tx.transactions().count(access, &search)?;
    Ok(u64::try_from(total).unwrap_or_default())
}

/// Returns the database's plan for [`list`], or for [`count`] without a limit.
///
/// Tests check the plan instead of measuring time.
///
/// # Errors
/// Those of [`list`].
#[doc(hidden)]
pub fn explain(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    request: &Request,
) -> Result<Vec<String>> {
    let access = access::enter(tx, cx, book, Action::ReadTransactions)?;
    let context = parse_context(cx, &access);
    let resolved = ResolvedQuery::read(tx, &access, &request.query, &context)?;
    let search = resolved.search(&access);
    Ok(match request.limit {
        Some(limit) => tx.plans().search(&access, &search, request.after, rows_to_read(limit))?,
        None => tx.plans().count(&access, &search)?,
    })
}

/// A query with its names resolved.
struct ResolvedQuery {
    query: Query,
    names: ResolvedNames,
}

impl ResolvedQuery {
    /// Parses a query and resolves its names.
    ///
    /// # Errors
    /// Those of [`QueryText::parse_transactions`]; `NotUnderstood` if the query is strict.
    fn read(
        tx: &mut Tx<'_>,
        access: &Access,
        text: &QueryText,
        context: &ParseContext,
    ) -> Result<Self> {
        let mut query = text.parse_transactions(context)?;
        let names = resolve(tx, access, query.filter())?;
        query.warn_of_unknown(
            |account| names.accounts.contains_key(account),
            |group| names.groups.contains_key(group),
        );
        if text.strict {
            query.check_understood()?;
        }
        Ok(Self { query, names })
    }

    /// Returns the search for the transactions that the caller may see.
    fn search(&self, access: &Access) -> Search<'_> {
        Search {
            filter: self.query.filter(),
            names: &self.names,
            drafts_of: drafts_of(access),
            similar: None,
        }
    }
}

/// Returns the settings of the book with which a query is parsed.
pub(crate) fn parse_context(cx: &Context, access: &Access) -> ParseContext {
    let settings = &access.book().settings;
    ParseContext {
        today: cx.today(access.book()),
        pattern: settings.date_pattern,
        separator: settings.decimal_separator,
    }
}

/// Returns the user whose drafts a search is limited to. It is [`Access::sees`] as a condition.
pub(crate) fn drafts_of(access: &Access) -> Option<UserId> {
    access.restricted_to(Action::ReadTransactions)
}

/// Resolves the names and days of a query, with at most one lookup for each kind of name.
fn resolve(tx: &mut Tx<'_>, access: &Access, filter: &Filter) -> Result<ResolvedNames> {
    let mut mentioned = Mentioned::default();
    mentioned.gather(filter);
    let mut names = ResolvedNames::default();
    let references: Vec<AccountRef> =
        mentioned.accounts.iter().map(|text| AccountRef::id_or_name(text)).collect();
    let directory = tx.accounts().directory(access, &references, [])?;
    for text in mentioned.accounts {
        if let Some(account) = directory.find(&AccountRef::id_or_name(text)) {
            names.accounts.insert(text.to_owned(), account.id);
        }
    }
    // A search must not reveal the chart to callers who may not read it.
    names.chart_visible = access.may(Action::ReadChart);
    names.comments_visible = access.shows_comments();
    if !mentioned.groups.is_empty() && names.chart_visible {
        let forest = daybook_domain::group::Forest::new(tx.groups().list(access)?, []);
        let mut total = 0_usize;
        for (text, times) in mentioned.groups {
            if let Some(group) = forest.find(text) {
                let below = forest.descendants(group.id);
                total = total.saturating_add(below.len().saturating_mul(times));
                query::Refusal::check("groups", total, MAX_GROUPS_OF_QUERY)?;
                names.groups.insert(text.to_owned(), below);
            }
        }
    }
    names.users = find_users(tx, access, &mentioned.users)?;
    let zone = &access.book().settings.time_zone;
    let midnights = mentioned.days.into_iter();
    names.midnights = midnights.filter_map(|day| Some((day, zone::midnight(day, zone)?))).collect();
    Ok(names)
}

/// Finds the users that a query names by username or address.
///
/// Callers who may not list collaborators find only their own address (behaviour 1.2).
fn find_users(
    tx: &mut Tx<'_>,
    access: &Access,
    texts: &HashSet<&str>,
) -> Result<HashMap<String, UserId>> {
    let mut users = HashMap::new();
    for text in texts {
        let address = Email::parse(text).ok();
        let name = address.as_ref().map_or_else(|| text.to_lowercase(), Email::to_string);
        let is_visible = |user: &User| {
            user.username == name
                || user.id == access.user()
                || access.may(Action::ListCollaborators)
        };
        if let Some(user) = tx.users().find_named(&name)?.filter(is_visible) {
            users.insert((*text).to_owned(), user.id);
        }
    }
    Ok(users)
}

/// The names and days that a query mentions.
#[derive(Debug, Default)]
struct Mentioned<'q> {
    accounts: HashSet<&'q str>,
    /// The groups, with the number of times each is named.
    groups: HashMap<&'q str, usize>,
    users: HashSet<&'q str>,
    days: HashSet<time::Date>,
}

impl<'q> Mentioned<'q> {
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
