//! `dbk post`, `check`, `uncheck`, `trash` and `untrash`.

use std::collections::{BTreeMap, BTreeSet};

use clap::Args;
use daybook_client::types::{Transaction, TransactionList};
use serde_json::json;

use crate::failure::{Cause, Result};
use crate::lock::Lock;
use crate::output::counted;
use crate::session::{OpenBook, Session};
use crate::transaction::{
    check_complete, completion, id_of, missing, quote, send, state_of, summary, table,
};

/// Transactions that are loaded at once (behaviour 12.11).
const MAX_LOADED: usize = 1000;

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

    /// Returns whether a transaction needs no change.
    fn is_done(self, row: &Transaction) -> bool {
        match self {
            Self::Post => row.posted == Some(true),
            Self::Check => row.checked == Some(true),
            Self::Uncheck => row.checked != Some(true),
            Self::Trash => row.trashed == Some(true),
            Self::Untrash => row.trashed != Some(true),
        }
    }

    /// Returns why a batch leaves a transaction as it is (behaviour 3.6.4).
    fn why_left(self, row: &Transaction, is_locked: bool) -> &'static str {
        match (self, state_of(row)) {
            (Self::Post, "posted" | "checked") => "already posted",
            (Self::Check, "checked") => "already checked",
            (Self::Uncheck, "posted") => "not checked",
            (Self::Trash, "trashed") => "already trashed",
            (Self::Untrash, "draft" | "posted" | "checked") => "not in the trash",
            (Self::Post | Self::Check | Self::Uncheck, "trashed") => "in the trash",
            (Self::Post, _) if !missing(row).is_empty() => "incomplete",
            (Self::Check | Self::Uncheck, "draft") => "not posted",
            (Self::Trash, "checked") => "checked",
            (..) if is_locked => "on a locked day",
            (Self::Post, _) => "on an archived account",
            (..) => "changed meanwhile",
        }
    }
}

/// Changes the state of transactions.
///
/// # Errors
/// When one does not exist, or the server refuses.
pub(crate) async fn apply(session: &Session, change: Change, args: StateArgs) -> Result {
    let book = session.book().await?;
    let (command, ..) = change.words();
    let (mut ids, mut seen) = (args.ids, BTreeSet::new());
    ids.retain(|id| seen.insert(id.clone()));
    match ids.as_slice() {
        _ if args.dry_run => {
            let mut rows = load(&book, &ids).await?;
            rows.retain(|row| !change.is_done(row));
            if session.output.is_json() {
                let list = TransactionList { items: rows, ..TransactionList::default() };
                return session.output.json(&list);
            }
            session.output.say(&match rows.is_empty() {
                true => format!("nothing to {command}"),
                false => format!("would {command}:"),
            });
            session.output.table(&table(&book, &rows))
        }
        [id] => apply_to_one(session, &book, change, id).await,
        _ => apply_to_all(session, &book, change, &ids).await,
    }
}

async fn apply_to_one(session: &Session, book: &OpenBook, change: Change, id: &str) -> Result {
    let (_, done, undo) = change.words();
    let before = book.handle.get_transaction(id).await?.value;
    if change == Change::Post && state_of(&before) == "draft" {
        check_complete(&before)?;
    }
    let row = Transaction::with_id(id);
    let request = match change {
        Change::Post => book.handle.post_transaction(&row),
        Change::Check => book.handle.check_transaction(&row),
        Change::Uncheck => book.handle.uncheck_transaction(&row),
        Change::Trash => book.handle.trash_transaction(&row),
        Change::Untrash => book.handle.untrash_transaction(&row),
    };
    let after = send(session, request).await.map_err(|failure| {
        // A draft on a locked day can get another date, a posted transaction cannot.
        match change == Change::Post && failure.cause == Some(Cause::LockedDay) {
            true => failure.with_hint(completion(&before, true)),
            false => failure,
        }
    })?;
    let (was_changed, line) = (state_of(&before) != state_of(&after), summary(book, &after));
    if !session.output.is_json() {
        let text = match was_changed {
            true => format!("{done} {line}"),
            false => format!("unchanged, {}: {line}", change.why_left(&before, false)),
        };
        session.output.line(&text)?;
    }
    if was_changed {
        session.output.say(&format!("undo: dbk {undo} {}", quote(id)));
    }
    Ok(())
}

async fn apply_to_all(
    session: &Session,
    book: &OpenBook,
    change: Change,
    ids: &[String],
) -> Result {
    let (_, done, undo) = change.words();
    let before = load(book, ids).await?;
    let skipped = change_all(session, book, change, ids.to_vec()).await?;
    // The response has only the number of transactions that were left.
    let after = if skipped > 0 { load(book, ids).await? } else { Vec::new() };
    let states: BTreeMap<&str, &str> =
        after.iter().map(|row| (id_of(row), state_of(row))).collect();
    let (left, changed): (Vec<&Transaction>, Vec<&Transaction>) =
        before.iter().partition(|row| states.get(id_of(row)) == Some(&state_of(row)));
    let total = counted(ids.len(), "transaction");
    match session.output.is_json() {
        true => session.output.json(&json!({"items": ids.len(), "skipped": skipped}))?,
        false if left.is_empty() => session.output.line(&format!("{done} {total}"))?,
        false => {
            session.output.line(&format!("{done} {} of {total}", changed.len()))?;
            explain_left(session, book, change, &left).await?;
        }
    }
    if !changed.is_empty() {
        let ids: Vec<String> = changed.iter().map(|row| quote(id_of(row))).collect();
        session.output.say(&format!("undo: dbk {undo} {}", ids.join(" ")));
    }
    Ok(())
}

/// Prints why transactions were left as they are.
async fn explain_left(
    session: &Session,
    book: &OpenBook,
    change: Change,
    left: &[&Transaction],
) -> Result {
    let lock = Lock::find(book).await;
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for row in left {
        let is_locked = lock.as_ref().is_some_and(|lock| lock.holds(row));
        let count = reasons.entry(change.why_left(row, is_locked)).or_default();
        *count = count.saturating_add(1);
    }
    let texts: Vec<String> =
        reasons.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    session.output.line(&format!("left as they are: {}", texts.join(", ")))?;
    if let Some(lock) = lock.filter(|_| reasons.contains_key("on a locked day")) {
        session.output.say(&format!("{}; {}", lock.reason(), lock.remedy()));
    }
    if reasons.contains_key("incomplete") {
        session.output.say("dbk drafts shows what drafts lack");
    }
    Ok(())
}

/// Loads transactions in the order of their ids.
async fn load(book: &OpenBook, ids: &[String]) -> Result<Vec<Transaction>> {
    let mut rows = Vec::new();
    for ids in ids.chunks(MAX_LOADED) {
        let items = ids.iter().map(|id| Transaction::with_id(id)).collect();
        let wanted = TransactionList { items, ..TransactionList::default() };
        rows.extend(book.handle.load_transactions_batch(&wanted).await?.items);
    }
    Ok(rows)
}

/// Changes many transactions. Returns how many were left as they are.
async fn change_all(
    session: &Session,
    book: &OpenBook,
    change: Change,
    ids: Vec<String>,
) -> Result<u64> {
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
    Ok(skipped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_of_a_batch_follow_the_state() {
        let row = |posted: bool, checked: bool, trashed: bool| Transaction {
            posted: Some(posted),
            draft: Some(!posted),
            checked: Some(checked),
            trashed: Some(trashed),
            ..Transaction::default()
        };
        let (draft, posted) = (row(false, false, false), row(true, false, false));
        let (checked, trashed) = (row(true, true, false), row(true, false, true));
        for (change, row, is_locked, reason) in [
            (Change::Post, &posted, true, "already posted"),
            (Change::Post, &draft, true, "incomplete"),
            (Change::Check, &checked, true, "already checked"),
            (Change::Check, &draft, false, "not posted"),
            (Change::Check, &trashed, true, "in the trash"),
            (Change::Check, &posted, true, "on a locked day"),
            (Change::Uncheck, &posted, false, "not checked"),
            (Change::Trash, &trashed, false, "already trashed"),
            (Change::Trash, &checked, false, "checked"),
            (Change::Untrash, &posted, false, "not in the trash"),
            (Change::Untrash, &trashed, true, "on a locked day"),
        ] {
            assert_eq!(change.why_left(row, is_locked), reason, "{change:?}");
        }
    }
}
