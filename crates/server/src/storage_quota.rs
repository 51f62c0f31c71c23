//! `daybook user storage` and `daybook user allow`: storage usage and allowances (behaviour 10.14).

use clap::Args;
use daybook_domain::email::Email;
use daybook_domain::field::Field;
use daybook_domain::storage_quota::{Allowance, StorageUsage};
use daybook_service::storage_quota::{self, Input};
use daybook_storage::storage_quota::{StoredBook, UserStorageUsage};

use crate::installation::{DataArgs, open, print};

#[derive(Debug, Args)]
pub(crate) struct StorageOfArgs {
    /// The e-mail address of a user, to list the storage of each of their books
    #[arg(long)]
    email: Option<String>,
    #[command(flatten)]
    data: DataArgs,
}

/// The numbers of an allowance: a number, 0 for no limit, or `usual` for the quota of all users.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub(crate) struct AllowanceArgs {
    /// Transactions that their books together may hold: a number, 0 for no limit, or usual
    #[arg(long, value_name = "N", value_parser = number)]
    transactions: Option<Field<i64>>,
    /// Bytes that their books together may hold
    #[arg(long, value_name = "N", value_parser = number)]
    bytes: Option<Field<i64>>,
    /// Transactions that each of their books may hold
    #[arg(long, value_name = "N", value_parser = number)]
    book_transactions: Option<Field<i64>>,
    /// Bytes that each of their books may hold
    #[arg(long, value_name = "N", value_parser = number)]
    book_bytes: Option<Field<i64>>,
}

impl From<AllowanceArgs> for Input {
    fn from(given: AllowanceArgs) -> Self {
        let AllowanceArgs { transactions, bytes, book_transactions, book_bytes } = given;
        Self {
            transactions: transactions.unwrap_or_default(),
            bytes: bytes.unwrap_or_default(),
            book_transactions: book_transactions.unwrap_or_default(),
            book_bytes: book_bytes.unwrap_or_default(),
        }
    }
}

fn number(text: &str) -> Result<Field<i64>, String> {
    if text == "usual" {
        return Ok(Field::Clear);
    }
    let number = text.parse().ok().filter(|number: &i64| *number >= 0);
    number.map(Field::Set).ok_or_else(|| "expected a number, 0 for no limit, or usual".to_owned())
}

/// Runs `daybook user storage`.
///
/// # Errors
/// A refusal; a database that cannot be opened.
pub(crate) fn list(options: StorageOfArgs) -> anyhow::Result<()> {
    let StorageOfArgs { email, data } = options;
    match email {
        Some(email) => {
            let email = Email::parse(&email)?;
            let books = open(&data)?.read(|tx| storage_quota::list_books(tx, &email))?;
            print(books.iter().map(format_book))
        }
        None => print(open(&data)?.read(storage_quota::list_usage)?.iter().map(format_user)),
    }
}

/// Formats the storage of a user's books as a line of columns separated by tabs.
fn format_user(usage: &UserStorageUsage) -> String {
    let UserStorageUsage { email, stored: StorageUsage { transactions, bytes }, allowance } = usage;
    format!("{bytes}\t{transactions}\t{}\t{email}", format_allowance(allowance))
}

/// Formats the storage of a book in the same way.
fn format_book(book: &StoredBook) -> String {
    let StoredBook { key, name, deleted, stored: StorageUsage { transactions, bytes } } = book;
    let state = if *deleted { "deleted" } else { "present" };
    format!("{bytes}\t{transactions}\t{state}\t{key}\t{name}")
}

/// Formats an allowance as its options, or as `usual`.
pub(crate) fn format_allowance(allowance: &Allowance) -> String {
    let Allowance { transactions, bytes, book_transactions, book_bytes } = *allowance;
    let numbers = [
        ("transactions", transactions),
        ("bytes", bytes),
        ("book-transactions", book_transactions),
        ("book-bytes", book_bytes),
    ];
    let set = numbers.iter().filter_map(|(name, number)| Some(format!("{name}={}", (*number)?)));
    let set: Vec<String> = set.collect();
    if set.is_empty() { "usual".to_owned() } else { set.join(",") }
}
