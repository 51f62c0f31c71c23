//! `dbk add`: transactions from a line of text, or asked for one by one.

use clap::Args;
use daybook_client::parameters::PreviewTransaction;
use daybook_client::types::{Account, Transaction, TransactionPreview, TransactionPreviewMissing};
use daybook_client::{Amount, Date, Query};

use crate::edit::record;
use crate::failure::{Failure, Result};
use crate::lock::Lock;
use crate::rows::find;
use crate::session::{OpenBook, Session};
use crate::transaction::{description_of, name_of, summary};

/// The options of `dbk add`.
#[derive(Debug, Args)]
#[command(after_help = "Example: dbk add 12.50 lunch cash food '#canteen'\n\n\
    The first account is the one that the money leaves, the second the one that it enters.")]
pub(crate) struct AddArgs {
    /// Amount, accounts, description, hashtags and day, in any order
    #[arg(value_name = "TEXT", required_unless_present = "interactive")]
    text: Vec<String>,
    /// Day, if the text has none: yyyy-mm-dd, today, yesterday, or -3; by default today
    #[arg(short, long, allow_hyphen_values = true)]
    date: Option<String>,
    /// Ask for each part, with defaults from the last similar transaction
    #[arg(short, long, conflicts_with = "text")]
    interactive: bool,
    /// Record without asking
    #[arg(short, long)]
    yes: bool,
    /// Show how the text is read, and record nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

/// Records transactions.
///
/// # Errors
/// When the server refuses.
pub(crate) async fn add(session: &Session, args: AddArgs) -> Result {
    let book = session.book().await?;
    if args.interactive {
        return add_asked(session, &book, &args).await;
    }
    let asks = session.asks_to_confirm(args.yes || args.dry_run)?;
    let mut text = args.text.join(" ");
    loop {
        let (whole, preview) = read(&book, &text, args.date.as_deref()).await?;
        if args.dry_run && session.output.is_json() {
            return session.output.json(&preview);
        }
        if args.dry_run || asks {
            let lock = Lock::find(&book).await;
            let text = describe(&book, &preview, lock.as_ref());
            session.output.line(&format!("would record {text}"))?;
        }
        for same in &preview.duplicates {
            let day = same.date.map(|date| date.to_string()).unwrap_or_default();
            let amount = book.money(same.amount);
            eprintln!("similar: {day} {amount} {} ({})", same.description, same.id);
        }
        if args.dry_run {
            return Ok(());
        }
        let answer = match asks {
            true => session.ask("Enter records it, e edits the text, q quits:")?,
            false => Some(String::new()),
        };
        match answer.as_deref() {
            Some("") => {
                let row = Transaction { description: whole.into(), ..Transaction::default() };
                return record(session, &book, &row).await;
            }
            Some("e") => match session.ask(&format!("{text}\nnew text:"))? {
                Some(line) if !line.is_empty() => text = line,
                _ => {}
            },
            _ => return Err(Failure::new("nothing was recorded")),
        }
    }
}

/// Has the server read a text. Returns the text with a day, and what the server read.
async fn read(
    book: &OpenBook,
    text: &str,
    date: Option<&str>,
) -> Result<(String, TransactionPreview)> {
    let preview = preview(book, text).await?;
    let lacks_date = preview.missing.contains(&TransactionPreviewMissing::Date);
    let date = match (date, lacks_date) {
        (Some(date), true) => book.read_day(date)?,
        (None, true) => book.today(),
        (None, false) => return Ok((text.to_owned(), preview)),
        (Some(_), false) => return Err(Failure::usage("the text has a day, and so has --date")),
    };
    let mut preview = preview;
    preview.transaction.date = date.into();
    preview.missing.retain(|part| *part != TransactionPreviewMissing::Date);
    Ok((format!("{text} {date}"), preview))
}

async fn preview(book: &OpenBook, text: &str) -> Result<TransactionPreview> {
    let row = Transaction { description: text.into(), ..Transaction::default() };
    Ok(book.handle.preview_transaction(&row, &PreviewTransaction::default()).await?)
}

fn describe(book: &OpenBook, preview: &TransactionPreview, lock: Option<&Lock>) -> String {
    let mut text = summary(book, &preview.transaction);
    let missing: Vec<&str> = preview.missing.iter().map(words).collect();
    if !missing.is_empty() {
        text.push_str(&format!("\n  as a draft, without {}", missing.join(" and ")));
    }
    if let Some(lock) = lock.filter(|lock| lock.holds(&preview.transaction)) {
        text.push_str(&format!("\n  as a draft, because {}", lock.reason()));
    }
    text
}

fn words(part: &TransactionPreviewMissing) -> &str {
    match part.as_str() {
        "creditAccount" => "the account that the money leaves",
        "debitAccount" => "the account that the money enters",
        other => other,
    }
}

/// Asks for transactions until the input ends or a description is empty.
async fn add_asked(session: &Session, book: &OpenBook, args: &AddArgs) -> Result {
    let accounts = book.handle.list_accounts().await?.items;
    let mut day = match &args.date {
        Some(date) => book.read_day(date)?,
        None => book.today(),
    };
    loop {
        let Some(description) = session.ask("Description (empty ends):")? else { return Ok(()) };
        if description.is_empty() {
            return Ok(());
        }
        let query = String::from(Query::new().text(&description).is("posted"));
        let last = find(session, book, &query, 1).await?.rows.into_iter().next();
        let last = last.unwrap_or_default();
        let Some(date) = ask_day(session, book, day)? else { return Ok(()) };
        day = date;
        let Some(amount) = ask_amount(session, book, last.amount.get())? else { return Ok(()) };
        let from = ask_account(session, "From", &accounts, name_of(&last.credit_account))?;
        let Some(from) = from else { return Ok(()) };
        let to = ask_account(session, "To", &accounts, name_of(&last.debit_account))?;
        let Some(to) = to else { return Ok(()) };
        let row = Transaction {
            description: description.as_str().into(),
            ..Transaction::between(&from, &to, day, amount)
        };
        if args.dry_run {
            session.output.line(&format!("would record {}", summary(book, &row)))?;
        } else {
            record(session, book, &row).await?;
        }
        let tags = description_of(&last).split_whitespace().filter(|word| word.starts_with('#'));
        let tags: Vec<&str> = tags.filter(|tag| !description.contains(tag)).collect();
        if !tags.is_empty() {
            session.output.say(&format!("the last one had {}", tags.join(" ")));
        }
    }
}

fn ask_day(session: &Session, book: &OpenBook, default: Date) -> Result<Option<Date>> {
    while let Some(line) = session.ask(&format!("Day [{default}]:"))? {
        if line.is_empty() {
            return Ok(Some(default));
        }
        match book.read_day(&line) {
            Ok(day) => return Ok(Some(day)),
            Err(failure) => eprintln!("{}", failure.message),
        }
    }
    Ok(None)
}

fn ask_amount(
    session: &Session,
    book: &OpenBook,
    default: Option<&Amount>,
) -> Result<Option<Amount>> {
    let shown = default.map(|amount| format!(" [{}]", book.money(*amount))).unwrap_or_default();
    while let Some(line) = session.ask(&format!("Amount{shown}:"))? {
        match (line.is_empty(), default) {
            (true, Some(amount)) => return Ok(Some(*amount)),
            (true, None) => {}
            (false, _) => match book.read_amount(&line) {
                Ok(amount) => return Ok(Some(amount)),
                Err(failure) => eprintln!("{}", failure.message),
            },
        }
    }
    Ok(None)
}

fn ask_account(
    session: &Session,
    label: &str,
    accounts: &[Account],
    default: &str,
) -> Result<Option<String>> {
    let shown = if default.is_empty() { String::new() } else { format!(" [{default}]") };
    while let Some(line) = session.ask(&format!("{label}{shown}:"))? {
        if line.is_empty() && !default.is_empty() {
            return Ok(Some(default.to_owned()));
        }
        let found = matches(accounts, &line);
        match found.as_slice() {
            [name] => return Ok(Some((*name).to_owned())),
            [] => eprintln!("no account has {line:?} in its name"),
            names => eprintln!("which one? {}", names.join(", ")),
        }
    }
    Ok(None)
}

/// Returns the account of this name, or all with the text in their names.
fn matches<'a>(accounts: &'a [Account], text: &str) -> Vec<&'a str> {
    let text = text.to_lowercase();
    let open = accounts.iter().filter(|account| account.archived != Some(true));
    let names: Vec<&str> = open.filter_map(|account| account.name.as_deref()).collect();
    let whole = names.iter().find(|name| name.to_lowercase() == text);
    match whole {
        Some(name) => vec![name],
        None => names.into_iter().filter(|name| name.to_lowercase().contains(&text)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn account_is_found_by_a_part_of_its_name() {
        let account = |name: &str, archived| Account {
            name: Some(name.to_owned()),
            archived: Some(archived),
            ..Account::default()
        };
        let accounts =
            [account("Cash", false), account("Cash Box", false), account("Old cash", true)];
        assert_eq!(matches(&accounts, "cash"), ["Cash"]);
        assert_eq!(matches(&accounts, "box"), ["Cash Box"]);
        assert_eq!(matches(&accounts, "cas"), ["Cash", "Cash Box"]);
    }
}
