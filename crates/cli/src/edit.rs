//! `dbk edit` and `dbk dup`.

use clap::Args;
use daybook_client::parameters::CreateTransaction;
use daybook_client::types::{Account, Transaction};
use daybook_client::{Nullable, Properties};

use crate::failure::{Failure, Result};
use crate::lock::Lock;
use crate::session::{OpenBook, Session};
use crate::transaction::{
    check_complete, completion, day_of, description_of, id_of, name_of, quote, send, state_of,
    summary,
};

/// The properties that bind a transaction to its entry and to other transactions.
const BOUND_PROPERTIES: [&str; 6] =
    ["entry_date", "entry_id", "reverses", "series", "transfer_from_book", "transfer_to_book"];
/// The properties that an import sets.
const IMPORT_PROPERTIES: [&str; 3] = ["import_run", "postings", "source"];

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
    let undo = set(&book, &args, &mut row.value)?;
    // The server does not apply changes when it posts what is posted already.
    let posts = args.post && row.draft == Some(true);
    if posts {
        check_complete(&row)?;
    }
    if undo.is_empty() && !posts && !session.output.is_json() {
        return session.output.line(&format!("unchanged, {}: {before}", state_of(&row)));
    }
    session.output.say(&format!("before: {before}"));
    if args.dry_run {
        return preview(session, &book, "would be:", &row);
    }
    let request = match posts {
        true => book.handle.post_transaction(&row),
        false => book.handle.update_transaction(&row),
    };
    let row = send(session, request).await?;
    if !session.output.is_json() {
        session.output.line(&format!("now {}: {}", state_of(&row), summary(&book, &row)))?;
    }
    let id = quote(&args.id);
    if posts {
        session.output.say(&format!("undo: dbk trash {id}"));
    } else if !undo.is_empty() {
        session.output.say(&format!("undo: dbk edit {id} {}", undo.join(" ")));
    }
    Ok(())
}

/// Sets the fields that the options name. Returns the options that set changed ones back.
fn set(book: &OpenBook, args: &EditArgs, row: &mut Transaction) -> Result<Vec<String>> {
    let EditArgs { id: _, date, amount, from, to, description, post, dry_run: _ } = args;
    let texts = [date, amount, from, to, description];
    if texts.iter().all(|text| text.is_none()) && !post {
        return Err(Failure::usage("nothing to change").with_hint("dbk edit --help"));
    }
    let mut undo = Vec::new();
    let mut note = |option: &str, old: &str| undo.push(format!("{option} {}", quote(old)));
    if let Some(date) = date {
        let (old, date) = (day_of(row), book.read_day(date)?);
        if row.date.get() != Some(&date) {
            note("--date", &old);
            row.date = date.into();
        }
    }
    if let Some(amount) = amount {
        let amount = book.read_amount(amount)?;
        if row.amount.get() != Some(&amount) {
            note("--amount", &row.amount.get().map(ToString::to_string).unwrap_or_default());
            row.amount = amount.into();
        }
    }
    let sides = [("--from", from, &mut row.credit_account), ("--to", to, &mut row.debit_account)];
    for (option, name, account) in sides {
        if let Some(name) =
            name.as_deref().filter(|name| !name.eq_ignore_ascii_case(name_of(account)))
        {
            note(option, name_of(account));
            *account = side(name);
        }
    }
    if let Some(description) = description.as_deref().filter(|text| *text != description_of(row)) {
        note("--description", description_of(row));
        row.description = description.into();
    }
    Ok(undo)
}

fn side(name: &str) -> Nullable<Account> {
    match name.is_empty() {
        true => Nullable::Null,
        false => Account::with_name(name).into(),
    }
}

/// Keeps the properties that a duplicate shares with its original. It belongs to no entry and to
/// no import, reverses nothing, and is in no series. Hidden properties, which end in `_`, are data
/// of other programs about the original (behaviour 4.6).
fn keep_copied(properties: &mut Properties) {
    let is_of_import = properties.contains_key("import_run");
    properties.retain(|key, _| {
        let is_bound = BOUND_PROPERTIES.contains(&key.as_str());
        let is_of_run = is_of_import && IMPORT_PROPERTIES.contains(&key.as_str());
        !is_bound && !is_of_run && !key.ends_with('_')
    });
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
    let mut properties = original.properties;
    if let Some(properties) = &mut properties {
        keep_copied(properties);
    }
    let copy = Transaction {
        date: date.into(),
        amount,
        description: original.description,
        credit_account: original.credit_account,
        debit_account: original.debit_account,
        properties,
        urls: original.urls,
        ..Transaction::default()
    };
    if args.dry_run {
        return preview(session, &book, "would record", &copy);
    }
    record(session, &book, &copy).await
}

/// Prints a transaction that a command would write.
fn preview(session: &Session, book: &OpenBook, verb: &str, row: &Transaction) -> Result {
    match session.output.is_json() {
        true => session.output.json(row),
        false => session.output.line(&format!("{verb} {}", summary(book, row))),
    }
}

/// Records a transaction, and prints it with the way to undo it.
///
/// # Errors
/// When the server refuses.
pub(crate) async fn record(session: &Session, book: &OpenBook, row: &Transaction) -> Result {
    let request = book.handle.create_transaction(row, &CreateTransaction::default());
    let row = send(session, request).await?;
    if !session.output.is_json() {
        let state = if state_of(&row) == "draft" { "draft" } else { "posted" };
        session.output.line(&format!("{state} {}", summary(book, &row)))?;
    }
    if row.draft == Some(true) {
        let lock = Lock::find(book).await.filter(|lock| lock.holds(&row));
        if let Some(lock) = &lock {
            session.output.say(&format!("a draft, because {}; {}", lock.reason(), lock.remedy()));
        }
        session.output.say(&format!("complete: {}", completion(&row, lock.is_some())));
    }
    session.output.say(&format!("undo: dbk trash {}", quote(id_of(&row))));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicate_has_no_properties_of_its_entry_its_import_and_others() {
        for (original, copied) in [
            (&["shop", "code"][..], &["code", "shop"][..]),
            (&["shop", "entry_id", "entry_date"], &["shop"]),
            (&["shop", "reverses", "series"], &["shop"]),
            (&["transfer_from_book", "transfer_to_book"], &[]),
            (&["shop", "sync_"], &["shop"]),
            // A person may use these names, too.
            (&["postings", "source"], &["postings", "source"]),
            (&["postings", "source", "shop", "import_run"], &["shop"]),
        ] {
            let property = |key: &&str| ((*key).to_owned(), Some("x".to_owned()));
            let mut properties: Properties = original.iter().map(property).collect();
            keep_copied(&mut properties);
            assert_eq!(properties.keys().collect::<Vec<_>>(), copied, "{original:?}");
        }
    }
}
