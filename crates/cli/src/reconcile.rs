//! `dbk reconcile`: an account against its statement.

use clap::Args;
use daybook_client::types::{Account, AccountType, ReconciliationRequest, Transaction};
use daybook_client::{Amount, Date, Query};
use serde_json::json;

use crate::failure::{DIFFERENT, Failure, Result};
use crate::session::{OpenBook, Session};
use crate::table::{Kind, Table};
use crate::transaction::{day_of, description_of, id_of};

/// The options of `dbk reconcile`.
#[derive(Debug, Args)]
pub(crate) struct ReconcileArgs {
    /// Name of the account
    account: String,
    /// Last day and closing balance of the statement, such as 2026-01-31=1234.56
    #[arg(long, value_name = "DATE=AMOUNT")]
    statement: String,
    /// Transactions that are not on the statement
    #[arg(long, value_name = "ID", num_args = 1..)]
    except: Vec<String>,
    /// Reconcile even if there is a difference
    #[arg(long)]
    keep_difference: bool,
    /// Reconcile without asking
    #[arg(short, long)]
    yes: bool,
    /// Show the difference, and change nothing
    #[arg(long)]
    dry_run: bool,
}

/// A transaction that may be on the statement.
struct Candidate {
    row: Transaction,
    effect: Amount,
    is_on: bool,
}

/// Puts the open transactions of an account on a reconciliation, which checks them.
///
/// # Errors
/// When the difference is not zero, or the server refuses.
pub(crate) async fn run(session: &Session, args: ReconcileArgs) -> Result {
    let asks = session.asks_to_confirm(args.yes || args.dry_run)?;
    let book = session.book().await?;
    let (date, closing) = args.statement.split_once('=').ok_or_else(|| {
        Failure::usage(format!("invalid --statement {:?}: expected DATE=AMOUNT", args.statement))
    })?;
    let (date, closing) = (book.read_day(date)?, book.read_amount(closing)?);
    let account = book.handle.get_account(&args.account).await?.value;
    let id = account.id.clone().unwrap_or_default();
    // Newest first. The statement may be older than the last one (behaviour 14.4).
    let made = book.handle.reconciliations(Some(&id)).all().await?;
    let last = made.iter().find(|made| made.date <= date);
    let opening = last.map(|last| last.closing_balance).unwrap_or_default();
    let mut candidates = find_candidates(&book, &account, date, &args.except).await?;
    let (movement, difference) = loop {
        let sums = add_up(&candidates, opening, closing)?;
        if session.output.is_json() {
            break sums;
        }
        show(session, &book, &candidates)?;
        let (from, to) = (book.money(opening), book.money(closing));
        session.output.say(&format!("opening {from}, closing {to}"));
        session.output.say(&format!("difference {}", book.money(sums.1)));
        if !asks {
            break sums;
        }
        let question = "Numbers change the mark, Enter reconciles, q quits:";
        match session.ask(question)?.as_deref() {
            Some("") => break sums,
            None | Some("q") => return Err(Failure::new("nothing was changed")),
            Some(line) => toggle(&mut candidates, line),
        }
    };
    let on = candidates.iter().filter(|one| one.is_on);
    let ids: Vec<String> = on.map(|one| id_of(&one.row).to_owned()).collect();
    let count = ids.len();
    if args.dry_run {
        if session.output.is_json() {
            // The fields of a reconciliation that the server has not made yet.
            session.output.json(&json!({
                "account": {"id": id, "name": account.name},
                "date": date,
                "openingBalance": opening,
                "closingBalance": closing,
                "movement": movement,
                "difference": difference,
                "transactionCount": count,
                "transactionIds": ids,
            }))?;
        }
        return if difference.is_zero() { Ok(()) } else { Err(Failure::different()) };
    }
    if !difference.is_zero() && !args.keep_difference {
        let hint = "--except leaves transactions out, --keep-difference reconciles nevertheless";
        let failure = match session.output.is_json() {
            true => Failure::new(format!("the difference is {}", book.money(difference)))
                .with_code(DIFFERENT),
            false => Failure::different(),
        };
        return Err(failure.with_hint(hint));
    }
    let request = ReconciliationRequest {
        account: Some(Account { id: Some(id), ..Account::default() }),
        date: Some(date),
        closing_balance: Some(closing),
        add: Some(ids),
        ..ReconciliationRequest::default()
    };
    let made = book.handle.create_reconciliation(&request).await?;
    match session.output.is_json() {
        true => session.output.json(&made)?,
        false => {
            let name = account.name.as_deref().unwrap_or_default();
            session.output.line(&format!("reconciled {name} to {date}; transactions: {count}"))?;
        }
    }
    let path = format!("/v5/books/{}/reconciliations/{}", book.choice.id, made.id);
    session.output.say(&format!("undo: dbk api DELETE {path}"));
    Ok(())
}

/// Finds the transactions of an account that are on no statement, oldest first.
///
/// # Errors
/// When the server refuses, or an exception is not on the account.
async fn find_candidates(
    book: &OpenBook,
    account: &Account,
    date: Date,
    except: &[String],
) -> Result<Vec<Candidate>> {
    let query = Query::new().account(account.name.as_deref().unwrap_or_default()).is("posted");
    let mut pages = book.handle.transactions(query);
    let mut candidates = Vec::new();
    let mut unknown: Vec<&str> = except.iter().map(String::as_str).collect();
    while let Some(row) = pages.next().await {
        let row = row?;
        unknown.retain(|id| *id != id_of(&row));
        let is_later = row.date.get().is_some_and(|day| *day > date);
        let is_on = !except.iter().any(|except| except == id_of(&row));
        match open_effect(&row, account) {
            Some(effect) if !is_later => candidates.push(Candidate { row, effect, is_on }),
            _ => {}
        }
    }
    if let Some(unknown) = unknown.first() {
        return Err(Failure::not_found(format!("no transaction {unknown:?} on this account")));
    }
    candidates.reverse();
    Ok(candidates)
}

/// Returns what a transaction does to the account.
///
/// It is `None` if the transaction is on a statement already.
fn open_effect(row: &Transaction, account: &Account) -> Option<Amount> {
    let amount = *row.amount.get()?;
    let is = |side: &&Account| side.id == account.id;
    let credit = row.credit_account.get().filter(is);
    let side = credit.or_else(|| row.debit_account.get().filter(is))?;
    let has_credit_nature = account.kind == Some(AccountType::Liability);
    match (side.reconciliation_id.is_some(), credit.is_some() == has_credit_nature) {
        (true, _) => None,
        (false, true) => Some(amount),
        (false, false) => amount.checked_neg(),
    }
}

/// Returns the movement of the transactions on the statement, and the difference that is left.
fn add_up(candidates: &[Candidate], opening: Amount, closing: Amount) -> Result<(Amount, Amount)> {
    let on = candidates.iter().filter(|one| one.is_on).map(|one| one.effect);
    let sums = Amount::sum(on).and_then(|movement| {
        let computed = opening.checked_add(movement)?;
        Some((movement, closing.checked_sub(computed)?))
    });
    sums.ok_or_else(|| Failure::new("the amounts are too large to add"))
}

fn show(session: &Session, book: &OpenBook, candidates: &[Candidate]) -> Result {
    let mut table = Table::new(&[
        ("", Kind::Amount),
        ("", Kind::Key),
        ("Date", Kind::Key),
        ("Amount", Kind::Amount),
        ("Description", Kind::Text),
        ("Id", Kind::Key),
    ]);
    for (number, one) in (1_usize..).zip(candidates) {
        table.add(vec![
            number.to_string(),
            (if one.is_on { "x" } else { "-" }).to_owned(),
            day_of(&one.row),
            book.money(one.effect),
            description_of(&one.row).to_owned(),
            id_of(&one.row).to_owned(),
        ]);
    }
    session.output.table(&table)
}

fn toggle(candidates: &mut [Candidate], line: &str) {
    for word in line.split([' ', ',']).filter(|word| !word.is_empty()) {
        let number = word.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        match number.and_then(|number| candidates.get_mut(number)) {
            Some(one) => one.is_on = !one.is_on,
            None => eprintln!("no transaction {word:?}"),
        }
    }
}
