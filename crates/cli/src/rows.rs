//! `dbk list`, `show`, `reg`, `drafts` and `accounts`.

use clap::Args;
use daybook_client::parameters::ListTransactions;
use daybook_client::types::{Account, Transaction, TransactionList};
use daybook_client::{Amount, Query};

use crate::failure::Result;
use crate::lock::Lock;
use crate::session::{OpenBook, Session};
use crate::table::{Kind, Look, Table};
use crate::transaction::{
    amount_of, completion, day_of, description_of, id_of, name_of, state_of, table,
};

/// Most rows of a page.
const PAGE: usize = 1000;

/// An argument that names a transaction.
#[derive(Debug, Args)]
pub(crate) struct IdArgs {
    /// Id of the transaction
    pub(crate) id: String,
}

/// The options of `dbk list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Query, such as `account:Cash on:2026-01 #canteen`
    #[arg(value_name = "QUERY")]
    query: Vec<String>,
    /// Show at most so many of the newest
    #[arg(short = 'n', long, default_value_t = 100)]
    limit: usize,
    /// Print ids alone, for other commands
    #[arg(long)]
    ids: bool,
}

/// The options of `dbk reg`.
#[derive(Debug, Args)]
pub(crate) struct RegArgs {
    /// Name of the account
    account: String,
    /// Query that the transactions match, such as `on:2026-01`
    #[arg(value_name = "QUERY")]
    query: Vec<String>,
    /// Show at most so many of the newest
    #[arg(short = 'n', long, default_value_t = 100)]
    limit: usize,
}

/// Transactions of a query, newest first.
pub(crate) struct Found {
    /// The transactions.
    pub(crate) rows: Vec<Transaction>,
    /// Whether there are more.
    pub(crate) has_more: bool,
}

/// Finds the newest transactions of a query, and prints its warnings.
///
/// # Errors
/// When the server refuses.
pub(crate) async fn find(
    session: &Session,
    book: &OpenBook,
    query: &str,
    limit: usize,
) -> Result<Found> {
    let mut found = Found { rows: Vec::new(), has_more: false };
    let mut cursor = None;
    loop {
        let wanted = limit.saturating_sub(found.rows.len()).min(PAGE);
        let parameters = ListTransactions {
            query: (!query.is_empty()).then(|| query.to_owned()),
            limit: i32::try_from(wanted).ok(),
            cursor: cursor.clone(),
            ..ListTransactions::default()
        };
        let page: TransactionList = book.handle.list_transactions(&parameters).await?;
        if cursor.is_none() {
            session.output.warn_of_query(query, &page.warnings);
        }
        let is_last = page.items.is_empty();
        found.rows.extend(page.items);
        cursor = page.cursor;
        found.has_more = cursor.is_some();
        if is_last || cursor.is_none() || found.rows.len() >= limit {
            return Ok(found);
        }
    }
}

/// Prints the first page of a query as the API returns it.
async fn print_page(session: &Session, book: &OpenBook, query: String, limit: usize) -> Result {
    let parameters = ListTransactions {
        query: Some(query),
        limit: i32::try_from(limit).ok(),
        ..ListTransactions::default()
    };
    let text = book.handle.list_transactions(&parameters).into_text().await?;
    session.output.line(text.trim_end())
}

/// Lists transactions.
///
/// # Errors
/// When the server refuses.
pub(crate) async fn list(session: &Session, args: ListArgs) -> Result {
    let (book, query) = (session.book().await?, crate::query::join(&args.query));
    if session.output.is_json() && !args.ids {
        return print_page(session, &book, query, args.limit).await;
    }
    let found = find(session, &book, &query, args.limit.max(1)).await?;
    if args.ids {
        let ids: Vec<&str> = found.rows.iter().map(id_of).collect();
        return session.output.text(&ids.iter().map(|id| format!("{id}\n")).collect::<String>());
    }
    session.output.table(&table(&book, &found.rows))?;
    if found.has_more {
        session.output.say(&format!("the newest {}; -n shows more", found.rows.len()));
    }
    Ok(())
}

/// Shows a transaction.
///
/// # Errors
/// When there is none with this id.
pub(crate) async fn show(session: &Session, id: &str) -> Result {
    let book = session.book().await?;
    let request = book.handle.get_transaction(id);
    if session.output.is_json() {
        return session.output.line(request.into_text().await?.trim_end());
    }
    let row = request.await?.value;
    let mut table = Table::new(&[("", Kind::Key), ("", Kind::Text)]);
    let list = |texts: &Option<Vec<String>>| texts.iter().flatten().cloned().collect::<Vec<_>>();
    let properties = row.properties.iter().flatten();
    let properties: Vec<String> = properties
        .map(|(key, value)| format!("{key}={}", value.as_deref().unwrap_or_default()))
        .collect();
    let files = row.files.iter().flatten().filter_map(|file| file.name.clone());
    for (label, value) in [
        ("id", id_of(&row).to_owned()),
        ("date", day_of(&row)),
        ("amount", amount_of(&book, &row)),
        ("from", name_of(&row.credit_account).to_owned()),
        ("to", name_of(&row.debit_account).to_owned()),
        ("description", description_of(&row).to_owned()),
        ("state", state_of(&row).to_owned()),
        ("created by", row.created_by.clone().unwrap_or_default()),
        ("properties", properties.join(" ")),
        ("urls", list(&row.urls).join(" ")),
        ("files", files.collect::<Vec<_>>().join(", ")),
        ("remote ids", list(&row.remote_ids).join(" ")),
    ] {
        if !value.is_empty() {
            table.add(vec![label.to_owned(), value]);
        }
    }
    session.output.table(&table)
}

/// Returns what a transaction does to an account, in people's sign.
fn effect(row: &Transaction, account: &Account) -> Option<Amount> {
    let amount = *row.amount.get()?;
    let is_credit = row.credit_account.get().is_some_and(|side| side.id == account.id);
    if is_credit == account.credit.unwrap_or_default() {
        Some(amount)
    } else {
        amount.checked_neg()
    }
}

/// Returns the side with this account, and the name of the other account.
fn sides<'a>(row: &'a Transaction, account: &str) -> Option<(&'a Account, &'a str)> {
    let (credit, debit) = (&row.credit_account, &row.debit_account);
    let is = |side: &Account| side.id.as_deref() == Some(account);
    let credit_side = credit.get().filter(|side| is(side)).map(|side| (side, name_of(debit)));
    credit_side.or_else(|| debit.get().filter(|side| is(side)).map(|side| (side, name_of(credit))))
}

/// Returns whether a query has days alone, which keep running balances.
fn has_days_alone(query: &str) -> bool {
    let is_day = |term: &str| ["on:", "after:", "before:"].iter().any(|key| term.starts_with(key));
    query.split_whitespace().all(is_day)
}

/// Shows the register of an account, oldest first.
///
/// # Errors
/// When the account does not exist, or the server refuses.
pub(crate) async fn reg(session: &Session, args: RegArgs) -> Result {
    let (book, days) = (session.book().await?, crate::query::join(&args.query));
    let account = book.handle.get_account(&args.account).await?.value;
    let name = account.name.as_deref().unwrap_or_default();
    let query = Query::new().account(name).and(Query::verbatim(days.clone())).is("posted");
    let query = String::from(query);
    if session.output.is_json() {
        return print_page(session, &book, query, args.limit).await;
    }
    let found = find(session, &book, &query, args.limit.max(1)).await?;
    let account = account.id.unwrap_or_default();
    let mut running: Option<Amount> = None;
    let mut lines = Vec::new();
    for row in &found.rows {
        let Some((side, other)) = sides(row, &account) else { continue };
        let effect = effect(row, side);
        // Lists have the balance on the newest row of each day.
        running = side.running_balance().or(running);
        lines.push(vec![
            day_of(row),
            description_of(row).to_owned(),
            other.to_owned(),
            effect.map(|amount| book.money(amount)).unwrap_or_default(),
            running.map(|balance| book.money(balance)).unwrap_or_default(),
            (if row.checked == Some(true) { "x" } else { "" }).to_owned(),
            id_of(row).to_owned(),
        ]);
        running = match has_days_alone(&days) {
            true => running.zip(effect).and_then(|(balance, effect)| balance.checked_sub(effect)),
            false => None,
        };
    }
    let mut table = Table::new(&[
        ("Date", Kind::Key),
        ("Description", Kind::Text),
        ("Account", Kind::Text),
        ("Amount", Kind::Amount),
        ("Balance", Kind::Amount),
        ("", Kind::Key),
        ("Id", Kind::Key),
    ]);
    let is_whole = days.is_empty() && !found.has_more;
    if let Some(opening) = running.filter(|opening| !is_whole || !opening.is_zero()) {
        let cells = ["", "Opening balance", "", "", &book.money(opening), "", ""];
        table.add_looking(Look::Strong, cells.map(str::to_owned).to_vec());
    }
    lines.into_iter().rev().for_each(|cells| table.add(cells));
    session.output.table(&table)?;
    if found.has_more {
        session.output.say(&format!("the newest {}; -n shows more", found.rows.len()));
    }
    Ok(())
}

/// Lists drafts with what each lacks.
///
/// # Errors
/// When the server refuses.
pub(crate) async fn drafts(session: &Session) -> Result {
    let (book, query) = (session.book().await?, "is:draft");
    if session.output.is_json() {
        let parameters =
            ListTransactions { query: Some(query.to_owned()), ..ListTransactions::default() };
        let text = book.handle.list_transactions(&parameters).into_text().await?;
        return session.output.line(text.trim_end());
    }
    let found = find(session, &book, query, PAGE).await?;
    let mut table = Table::new(&[
        ("Date", Kind::Key),
        ("Amount", Kind::Amount),
        ("Description", Kind::Text),
        ("Complete with", Kind::Key),
    ]);
    let lock = if found.rows.is_empty() { None } else { Lock::find(&book).await };
    let is_locked = |row: &Transaction| lock.as_ref().is_some_and(|lock| lock.holds(row));
    for row in &found.rows {
        table.add(vec![
            day_of(row),
            amount_of(&book, row),
            description_of(row).to_owned(),
            completion(row, is_locked(row)),
        ]);
    }
    if table.is_empty() {
        session.output.say("no drafts");
    }
    session.output.table(&table)?;
    if found.has_more {
        session.output.say(&format!("the newest {PAGE}; dbk list is:draft -n COUNT shows more"));
    }
    if let Some(lock) = lock.as_ref().filter(|_| found.rows.iter().any(is_locked)) {
        session.output.say(&format!("{}; {}", lock.reason(), lock.remedy()));
    }
    Ok(())
}

/// Lists accounts.
///
/// # Errors
/// When the server refuses.
pub(crate) async fn accounts(session: &Session) -> Result {
    let book = session.book().await?;
    let request = book.handle.list_accounts();
    if session.output.is_json() {
        return session.output.line(request.into_text().await?.trim_end());
    }
    let mut table = Table::new(&[
        ("Account", Kind::Text),
        ("Type", Kind::Key),
        ("Groups", Kind::Text),
        ("", Kind::Key),
        ("Id", Kind::Key),
    ]);
    for account in request.await?.items {
        let groups = account.groups.iter().flatten().filter_map(|group| group.name.clone());
        table.add(vec![
            account.name.clone().unwrap_or_default(),
            account.kind.as_ref().map(ToString::to_string).unwrap_or_default(),
            groups.collect::<Vec<_>>().join(", "),
            (if account.archived == Some(true) { "archived" } else { "" }).to_owned(),
            account.id.clone().unwrap_or_default(),
        ]);
    }
    session.output.table(&table)
}
