//! How transactions are shown.

use daybook_client::Nullable;
use daybook_client::types::{Account, Transaction};

use crate::session::OpenBook;
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

/// Returns what a draft lacks, as the options of `dbk edit` that set it.
pub(crate) fn missing(transaction: &Transaction) -> Vec<(&'static str, &'static str)> {
    let parts = [
        (transaction.date.get().is_none(), ("--date", "DATE")),
        (transaction.amount.get().is_none_or(|amount| amount.is_zero()), ("--amount", "AMOUNT")),
        (transaction.credit_account.get().is_none(), ("--from", "ACCOUNT")),
        (transaction.debit_account.get().is_none(), ("--to", "ACCOUNT")),
    ];
    parts.into_iter().filter_map(|(is_missing, part)| is_missing.then_some(part)).collect()
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
    use super::quote;

    #[test]
    fn arguments_are_quoted_for_a_shell() {
        assert_eq!(quote("2026-01-31"), "2026-01-31");
        assert_eq!(quote("Owner's cash"), r"'Owner'\''s cash'");
        assert_eq!(quote(""), "''");
    }
}
