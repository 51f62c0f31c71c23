//! Hints of failures that need a look at the book.

use crate::failure::{Cause, Failure};
use crate::lock::Lock;
use crate::session::Session;
use crate::transaction::quote;

/// Names that a hint shows at most.
const MAX_NAMES: usize = 3;

/// Adds a hint to a failure whose cause is in the book.
pub(crate) async fn explain(session: &Session, failure: Failure) -> Failure {
    let Some(cause) = &failure.cause else { return failure };
    let Ok(book) = session.book().await else { return failure };
    let hint = match cause {
        Cause::LockedDay => {
            let lock = Lock::find(&book).await;
            lock.map(|lock| {
                let command = failure.hint.iter().map(|command| format!("; {command}"));
                format!("{}{}; {}", lock.reason(), command.collect::<String>(), lock.remedy())
            })
        }
        Cause::UnknownAccount(name) => {
            let accounts = book.handle.list_accounts().await.ok();
            accounts.map(|accounts| {
                let names = accounts.items.iter().filter_map(|account| account.name.as_deref());
                of_unknown_account(name, &nearest(name, names))
            })
        }
    };
    match hint {
        Some(hint) => failure.with_hint(hint),
        None => failure,
    }
}

fn of_unknown_account(name: &str, near: &[&str]) -> String {
    if near.is_empty() {
        let field = quote(&format!("name={name}"));
        let make = format!("dbk api POST '/v5/books/{{book}}/accounts' -f {field} -f type=TYPE");
        return format!("dbk accounts lists the accounts, {make} makes one");
    }
    let quoted: Vec<String> = near.iter().map(|name| format!("{name:?}")).collect();
    format!("did you mean {}? dbk accounts lists the accounts", quoted.join(" or "))
}

/// Returns the names that have the text as a part, or differ from it in few letters.
fn nearest<'n>(text: &str, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let text = text.to_lowercase();
    let length = text.chars().count();
    let mut near: Vec<(usize, &str)> = names
        .filter_map(|name| {
            let lower = name.to_lowercase();
            let edits = distance(&text, &lower);
            let is_near = !text.is_empty() && (lower.contains(&text) || edits <= length / 3);
            is_near.then_some((edits, name))
        })
        .collect();
    near.sort_unstable();
    near.into_iter().take(MAX_NAMES).map(|(_, name)| name).collect()
}

/// Returns the number of letters to insert, remove or replace (Levenshtein 1966).
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, letter) in one.chars().enumerate() {
        let mut left = index.saturating_add(1);
        let mut next = vec![left];
        for ((diagonal, above), wanted) in row.iter().zip(row.iter().skip(1)).zip(&other) {
            let replaced = diagonal.saturating_add(usize::from(letter != *wanted));
            left = replaced.min(above.saturating_add(1)).min(left.saturating_add(1));
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_edits() {
        for (one, other, edits) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("kitten", "sitting", 3),
            ("größe", "grösse", 2),
            ("cash", "cash", 0),
        ] {
            assert_eq!(distance(one, other), edits, "{one} {other}");
        }
    }

    #[test]
    fn near_names_are_parts_or_misspelt() {
        let names = ["Cash", "Checking account", "Savings account", "Car", "Groceries"];
        let near = |text| nearest(text, names.into_iter());
        assert_eq!(near("chekcing acount"), ["Checking account"]);
        assert_eq!(near("ACCOUNT"), ["Savings account", "Checking account"]);
        assert_eq!(near("Grocerys"), ["Groceries"]);
        assert!(near("Nothing").is_empty());
        assert!(near("").is_empty());
    }

    #[test]
    fn unknown_account_has_the_command_that_helps() {
        assert_eq!(
            of_unknown_account("Chek", &["Cash", "Checking account"]),
            "did you mean \"Cash\" or \"Checking account\"? dbk accounts lists the accounts"
        );
        assert_eq!(
            of_unknown_account("Big bank", &[]),
            "dbk accounts lists the accounts, dbk api POST '/v5/books/{book}/accounts' \
             -f 'name=Big bank' -f type=TYPE makes one"
        );
    }
}
