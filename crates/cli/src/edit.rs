//! `dbk edit` and `dbk dup`.

use clap::Args;
use daybook_client::Nullable;
use daybook_client::parameters::CreateTransaction;
use daybook_client::types::{Account, Transaction};

use crate::failure::{Failure, Result};
use crate::session::{OpenBook, Session};
use crate::transaction::{description_of, id_of, name_of, quote, state_of, summary};

/// The options of `dbk edit`.
#[derive(Debug, Args)]
pub(crate) struct EditArgs {
    /// Id of the transaction
    id: String,
    /// New day: yyyy-mm-dd, today, yesterday, or -3
    #[arg(short, long, allow_hyphen_values = true)]
    date: Option<String>,
    /// New amount
    #[arg(short, long)]
    amount: Option<String>,
    /// New account that the money leaves
    #[arg(short, long, value_name = "ACCOUNT")]
    from: Option<String>,
    /// New account that the money enters
    #[arg(short, long, value_name = "ACCOUNT")]
    to: Option<String>,
    /// New description
    #[arg(long)]
    description: Option<String>,
    /// Post it afterwards
    #[arg(long)]
    post: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
}

/// The options of `dbk dup`.
#[derive(Debug, Args)]
pub(crate) struct DupArgs {
    /// Id of the transaction
    id: String,
    /// Its day; by default today
    #[arg(short, long, allow_hyphen_values = true)]
    date: Option<String>,
    /// Its amount; by default that of the original
    #[arg(short, long)]
    amount: Option<String>,
    /// Show what would be recorded, and record nothing
    #[arg(long)]
    dry_run: bool,
}

/// Changes a transaction, unless another user has changed it meanwhile.
///
/// # Errors
/// When a value is not accepted, or the server refuses.
pub(crate) async fn edit(session: &Session, args: EditArgs) -> Result {
    let book = session.book().await?;
    let mut row = book.handle.get_transaction(&args.id).await?;
    let before = summary(&book, &row);
    let mut undo = Vec::new();
    let mut note = |option: &str, old: String| undo.push(format!("{option} {}", quote(&old)));
    if let Some(date) = &args.date {
        note("--date", crate::transaction::day_of(&row));
        row.value.date = book.read_day(date)?.into();
    }
    if let Some(amount) = &args.amount {
        note("--amount", row.amount.get().map(ToString::to_string).unwrap_or_default());
        row.value.amount = book.read_amount(amount)?.into();
    }
    if let Some(from) = &args.from {
        note("--from", name_of(&row.credit_account).to_owned());
        row.value.credit_account = side(from);
    }
    if let Some(to) = &args.to {
        note("--to", name_of(&row.debit_account).to_owned());
        row.value.debit_account = side(to);
    }
    if let Some(description) = &args.description {
        note("--description", description_of(&row).to_owned());
        row.value.description = description.as_str().into();
    }
    if undo.is_empty() && !args.post {
        return Err(Failure::usage("nothing to change").with_hint("dbk edit --help"));
    }
    session.output.say(&format!("before: {before}"));
    if args.dry_run {
        return session.output.line(&format!("would be: {}", summary(&book, &row)));
    }
    // The server does not apply changes when it posts what is posted already.
    let posts = args.post && row.draft == Some(true);
    let request = match posts {
        true => book.handle.post_transaction(&row),
        false => book.handle.update_transaction(&row),
    };
    let mut undo_line = format!("undo: dbk edit {} {}", quote(&args.id), undo.join(" "));
    if posts {
        undo_line = format!("undo: dbk trash {}", quote(&args.id));
    }
    if session.output.is_json() {
        session.output.line(request.into_text().await?.trim_end())?;
    } else {
        let row = request.await?.value.transaction;
        session.output.line(&format!("now {}: {}", state_of(&row), summary(&book, &row)))?;
    }
    session.output.say(undo_line.trim_end());
    Ok(())
}

fn side(name: &str) -> Nullable<Account> {
    match name.is_empty() {
        true => Nullable::Null,
        false => Account::with_name(name).into(),
    }
}

/// Records a transaction again.
///
/// # Errors
/// When a value is not accepted, or the server refuses.
pub(crate) async fn dup(session: &Session, args: DupArgs) -> Result {
    let book = session.book().await?;
    let original = book.handle.get_transaction(&args.id).await?.value;
    let date = match &args.date {
        Some(date) => book.read_day(date)?,
        None => book.today(),
    };
    let amount = match &args.amount {
        Some(amount) => book.read_amount(amount)?.into(),
        None => original.amount,
    };
    let copy = Transaction {
        date: date.into(),
        amount,
        description: original.description,
        credit_account: original.credit_account,
        debit_account: original.debit_account,
        properties: original.properties,
        urls: original.urls,
        ..Transaction::default()
    };
    if args.dry_run {
        return session.output.line(&format!("would record {}", summary(&book, &copy)));
    }
    record(session, &book, &copy).await
}

/// Records a transaction, and prints it with the way to undo it.
///
/// # Errors
/// When the server refuses.
pub(crate) async fn record(session: &Session, book: &OpenBook, row: &Transaction) -> Result {
    let request = book.handle.create_transaction(row, &CreateTransaction::default());
    let row = if session.output.is_json() {
        let text = request.into_text().await?;
        session.output.line(text.trim_end())?;
        let operation: daybook_client::types::TransactionOperation = serde_json::from_str(&text)
            .map_err(|error| Failure::new(format!("unexpected response: {error}")))?;
        operation.transaction
    } else {
        let row = request.await?.value.transaction;
        let state = if state_of(&row) == "draft" { "draft" } else { "posted" };
        session.output.line(&format!("{state} {}", summary(book, &row)))?;
        row
    };
    if row.draft == Some(true) {
        session.output.say(&format!("complete: {}", crate::rows::completion(&row)));
    }
    session.output.say(&format!("undo: dbk trash {}", quote(id_of(&row))));
    Ok(())
}
