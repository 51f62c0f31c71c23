//! `daybook user storage` and `daybook user allow`: what users store, and how much they may
//! (behaviour 10.14). The doc comments of options are the texts of `--help`.

use clap::Args;
use daybook_domain::email::Email;
use daybook_domain::field::Field;
use daybook_domain::storage_quota::{Allowance, StorageUsage};
use daybook_service::storage_quota::{self, Input};
use daybook_storage::storage_quota::{StoredBook, UserStorageUsage};

use crate::admin::{open, print};
use crate::cli::DataArgs;

#[derive(Debug, Args)]
pub(crate) struct StorageOfArgs {
    /// The e-mail address of a user, to list what each of their books holds
    #[arg(long)]
    email: Option<String>,
    #[command(flatten)]
    data: DataArgs,
}

/// Each number: a number, 0 for no limit, or `usual` for what holds for everybody.
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
    number.map(Field::Set).ok_or_else(|| "a number, 0 for no limit, or usual".to_owned())
}

/// `daybook user storage`.
///
/// # Errors
/// What is refused; a database that cannot be opened.
pub(crate) fn list(options: StorageOfArgs) -> anyhow::Result<()> {
    let StorageOfArgs { email, data } = options;
    match email {
        Some(email) => {
            let email = Email::parse(&email)?;
            let books = open(&data)?.read(|tx| storage_quota::books(tx, &email))?;
            print(books.iter().map(of_book))
        }
        None => print(open(&data)?.read(storage_quota::holdings)?.iter().map(of_user)),
    }
}

/// What the books of a user hold, in a line, its columns separated by tabs.
fn of_user(holding: &UserStorageUsage) -> String {
    let UserStorageUsage { email, stored: StorageUsage { transactions, bytes }, allowance } =
        holding;
    format!("{bytes}\t{transactions}\t{}\t{email}", allowed(allowance))
}

/// What a book holds, in the same form.
fn of_book(book: &StoredBook) -> String {
    let StoredBook { key, name, deleted, stored: StorageUsage { transactions, bytes } } = book;
    let state = if *deleted { "deleted" } else { "present" };
    format!("{bytes}\t{transactions}\t{state}\t{key}\t{name}")
}

/// An allowance as its options, or `usual`.
pub(crate) fn allowed(allowance: &Allowance) -> String {
    let Allowance { transactions, bytes, book_transactions, book_bytes } = *allowance;
    let numbers = [
        ("transactions", transactions),
        ("bytes", bytes),
        ("book-transactions", book_transactions),
        ("book-bytes", book_bytes),
    ];
    let given = numbers.iter().filter_map(|(name, number)| Some(format!("{name}={}", (*number)?)));
    let given: Vec<String> = given.collect();
    if given.is_empty() { "usual".to_owned() } else { given.join(",") }
}
