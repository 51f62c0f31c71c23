//! How transactions are shown.

use daybook_client::types::{Account, Transaction, TransactionOperation};
use daybook_client::{Nullable, Request};

use crate::failure::{Failure, Result};
use crate::session::{OpenBook, Session};
use crate::table::{Kind, Table};

/// Returns the name of a side, empty without one.
pub(crate) fn name_of(side: &Nullable<Account>) -> &str {
    side.get().and_then(|account| account.name.as_deref()).unwrap_or_default()
}

/// Returns the id, which every transaction of the server has.
pub(crate) fn id_of(transaction: &Transaction) -> &str {
    transaction.id.as_deref().unwrap_or_default()
}

/// Returns the day, empty without one.
pub(crate) fn day_of(transaction: &Transaction) -> String {
    transaction.date.get().map(ToString::to_string).unwrap_or_default()
}

/// Returns the description, empty without one.
pub(crate) fn description_of(transaction: &Transaction) -> &str {
    transaction.description.get().map_or("", String::as_str)
}

/// Returns the amount as text, empty without one.
pub(crate) fn amount_of(book: &OpenBook, transaction: &Transaction) -> String {
    transaction.amount.get().map(|amount| book.money(*amount)).unwrap_or_default()
}

/// Returns the state: the first of trashed, draft, checked and posted.
pub(crate) fn state_of(transaction: &Transaction) -> &'static str {
    let is = |flag: Option<bool>| flag == Some(true);
    match () {
        () if is(transaction.trashed) => "trashed",
        () if is(transaction.draft) => "draft",
        () if is(transaction.checked) => "checked",
        () => "posted",
    }
}

/// A part of a transaction that a draft may lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// Its name in messages.
    pub(crate) name: &'static str,
    /// The option of `dbk edit` that sets it.
    pub(crate) option: &'static str,
}

/// The day of a transaction.
pub(crate) const DATE: Part = Part { name: "date", option: "--date DATE" };
const AMOUNT: Part = Part { name: "amount", option: "--amount AMOUNT" };
const FROM: Part = Part { name: "From", option: "--from ACCOUNT" };
const TO: Part = Part { name: "To", option: "--to ACCOUNT" };

/// Returns what a draft lacks.
pub(crate) fn missing(transaction: &Transaction) -> Vec<Part> {
    let parts = [
        (transaction.date.get().is_none(), DATE),
        (transaction.amount.get().is_none_or(|amount| amount.is_zero()), AMOUNT),
        (transaction.credit_account.get().is_none(), FROM),
        (transaction.debit_account.get().is_none(), TO),
    ];
    parts.into_iter().filter_map(|(is_missing, part)| is_missing.then_some(part)).collect()
}

/// Checks that a draft lacks nothing, before it is posted.
///
/// # Errors
/// When it lacks something, with the command that completes it.
pub(crate) fn check_complete(draft: &Transaction) -> Result {
    let names: Vec<&str> = missing(draft).iter().map(|part| part.name).collect();
    if names.is_empty() {
        return Ok(());
    }
    let message = format!("an incomplete draft cannot be posted; missing: {}", names.join(", "));
    Err(Failure::new(message).with_hint(completion(draft, false)))
}

/// Returns the command that completes and posts a draft. One on a locked day needs another date.
pub(crate) fn completion(draft: &Transaction, is_locked: bool) -> String {
    let (id, mut parts) = (quote(id_of(draft)), missing(draft));
    if is_locked {
        parts.insert(0, DATE);
    }
    if parts.is_empty() {
        return format!("dbk post {id}");
    }
    let options: Vec<&str> = parts.iter().map(|part| part.option).collect();
    format!("dbk edit {id} {} --post", options.join(" "))
}

/// Sends a write, prints the response if results are JSON, and returns the transaction.
///
/// # Errors
/// When the server refuses.
pub(crate) async fn send<T>(session: &Session, request: Request<T>) -> Result<Transaction> {
    let text = request.into_text().await?;
    if session.output.is_json() {
        session.output.line(text.trim_end())?;
    }
    let operation: TransactionOperation = serde_json::from_str(&text)
        .map_err(|error| Failure::new(format!("unexpected response: {error}")))?;
    Ok(operation.transaction)
}

/// Describes a transaction in a line, without its id.
pub(crate) fn summary(book: &OpenBook, transaction: &Transaction) -> String {
    let or = |text: String| if text.is_empty() { "?".to_owned() } else { text };
    let from = or(name_of(&transaction.credit_account).to_owned());
    let to = or(name_of(&transaction.debit_account).to_owned());
    let (day, amount) = (or(day_of(transaction)), or(amount_of(book, transaction)));
    let line = format!("{day} {amount} {from} -> {to}  {}", description_of(transaction));
    line.trim_end().to_owned()
}

/// Returns a table of transactions.
pub(crate) fn table(book: &OpenBook, transactions: &[Transaction]) -> Table {
    let mut table = Table::new(&[
        ("Date", Kind::Key),
        ("Amount", Kind::Amount),
        ("From", Kind::Text),
        ("To", Kind::Text),
        ("Description", Kind::Text),
        ("State", Kind::Key),
        ("Id", Kind::Key),
    ]);
    for transaction in transactions {
        table.add(vec![
            day_of(transaction),
            amount_of(book, transaction),
            name_of(&transaction.credit_account).to_owned(),
            name_of(&transaction.debit_account).to_owned(),
            description_of(transaction).to_owned(),
            state_of(transaction).to_owned(),
            id_of(transaction).to_owned(),
        ]);
    }
    table
}

/// Quotes an argument for a shell, if it needs quotes.
pub(crate) fn quote(argument: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=@,+".contains(&byte);
    match !argument.is_empty() && argument.bytes().all(is_plain) {
        true => argument.to_owned(),
        false => format!("'{}'", argument.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draft_is_completed_with_what_it_lacks() {
        let day = || "2026-01-14".parse::<daybook_client::Date>().unwrap();
        let mut draft = Transaction { id: Some("t1".to_owned()), ..Transaction::default() };
        let all = "dbk edit t1 --date DATE --amount AMOUNT --from ACCOUNT --to ACCOUNT --post";
        assert_eq!(completion(&draft, false), all);
        let failure = check_complete(&draft).unwrap_err();
        let message = "an incomplete draft cannot be posted; missing: date, amount, From, To";
        assert_eq!(failure.message, message);
        assert_eq!(failure.hint.as_deref(), Some(all));

        let amount = daybook_client::Amount::new(900, 2);
        draft = Transaction { id: draft.id, ..Transaction::between("Cash", "Food", day(), amount) };
        assert!(check_complete(&draft).is_ok());
        assert_eq!(completion(&draft, false), "dbk post t1");
        assert_eq!(completion(&draft, true), "dbk edit t1 --date DATE --post");
    }

    #[test]
    fn arguments_are_quoted_for_a_shell() {
        assert_eq!(quote("2026-01-31"), "2026-01-31");
        assert_eq!(quote("Owner's cash"), r"'Owner'\''s cash'");
        assert_eq!(quote(""), "''");
    }
}
