//! `dbk post`, `check`, `uncheck`, `trash` and `untrash`.

use clap::Args;
use daybook_client::parameters::ListTransactions;
use daybook_client::types::Transaction;
use serde_json::json;

use crate::failure::Result;
use crate::session::{OpenBook, Session};
use crate::transaction::{quote, summary, table};

/// The options of commands that change the state of transactions.
#[derive(Debug, Args)]
pub(crate) struct StateArgs {
    /// Ids of transactions; `dbk list QUERY --ids` prints them
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
}

/// A change of state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// From draft to posted.
    Post,
    /// To checked.
    Check,
    /// From checked to posted.
    Uncheck,
    /// Into the trash.
    Trash,
    /// Out of the trash.
    Untrash,
}

impl Change {
    /// Returns the command, what it has done, and the command that undoes it.
    const fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Post => ("post", "posted", "trash"),
            Self::Check => ("check", "checked", "uncheck"),
            Self::Uncheck => ("uncheck", "unchecked", "check"),
            Self::Trash => ("trash", "trashed", "untrash"),
            Self::Untrash => ("untrash", "restored", "trash"),
        }
    }
}

/// Changes the state of transactions.
///
/// # Errors
/// When one does not exist, or the server refuses.
pub(crate) async fn apply(session: &Session, change: Change, args: StateArgs) -> Result {
    let book = session.book().await?;
    let (command, done, undo) = change.words();
    if args.dry_run {
        let listed = ListTransactions { ids: Some(args.ids), ..ListTransactions::default() };
        let rows = book.handle.list_transactions(&listed).await?.items;
        session.output.say(&format!("would {command}:"));
        return session.output.table(&table(&book, &rows));
    }
    let ids: Vec<String> = args.ids.iter().map(|id| quote(id)).collect();
    let undo = format!("undo: dbk {undo} {}", ids.join(" "));
    if let [id] = args.ids.as_slice() {
        let row = Transaction::with_id(id);
        let request = match change {
            Change::Post => book.handle.post_transaction(&row),
            Change::Check => book.handle.check_transaction(&row),
            Change::Uncheck => book.handle.uncheck_transaction(&row),
            Change::Trash => book.handle.trash_transaction(&row),
            Change::Untrash => book.handle.untrash_transaction(&row),
        };
        if session.output.is_json() {
            session.output.line(request.into_text().await?.trim_end())?;
        } else {
            let row = request.await?.value.transaction;
            session.output.line(&format!("{done} {}", summary(&book, &row)))?;
        }
        session.output.say(&undo);
        return Ok(());
    }
    let (total, skipped) = change_all(session, &book, change, args.ids).await?;
    let written = u64::try_from(total).unwrap_or(u64::MAX).saturating_sub(skipped);
    match session.output.is_json() {
        true => session.output.json(&json!({"items": total, "skipped": skipped}))?,
        false if skipped == 0 => session.output.line(&format!("{done} {written} transactions"))?,
        false => session.output.line(&format!(
            "{done} {written} of {total} transactions; the others were left as they are"
        ))?,
    }
    session.output.say(&undo);
    Ok(())
}

/// Changes many transactions. Returns their number, and how many were left as they are.
async fn change_all(
    session: &Session,
    book: &OpenBook,
    change: Change,
    ids: Vec<String>,
) -> Result<(usize, u64)> {
    let handle = &book.handle;
    let mut batch = match change {
        Change::Post => handle.post_transactions(ids)?,
        Change::Check => handle.check_transactions(ids)?,
        Change::Uncheck => handle.uncheck_transactions(ids)?,
        Change::Trash => handle.trash_transactions(ids)?,
        Change::Untrash => handle.untrash_transactions(ids)?,
    };
    let mut skipped = 0_u64;
    let mut progress = session.output.progress("transactions");
    progress.set_count(0, batch.total());
    while let Some(outcomes) = batch.next().await {
        skipped = outcomes?.iter().fold(skipped, |sum, one| sum.saturating_add(one.skipped));
        progress.set_count(batch.sent(), batch.total());
    }
    Ok((batch.total(), skipped))
}
