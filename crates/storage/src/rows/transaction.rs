//! Rows of `transactions` and `index_terms`.

use daybook_domain::amount::Amount;
use daybook_domain::id::{AccountId, BookId, TransactionId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::name::fold;
use daybook_domain::transaction::{Standing, Transaction};
use diesel::{Queryable, Selectable};

use crate::conn::SelectedTypes;
use crate::conn::bulk::Bulk;
use crate::conn::sql::{Columns, Value};
use crate::error::{Error, Result};
use crate::index_term;
use crate::rows::column;
use crate::schema::transactions;

/// The columns of a [`TransactionRow`], of the table `t`, in the order of its fields.
pub(crate) const COLUMNS: &str = "t.id, t.day, t.dated, t.standing, t.trashed, t.amount, \
     t.credit_account_id, t.debit_account_id, t.description, t.posted_at, t.properties, t.urls, \
     t.remote_ids, t.created_by, t.agent, t.created_at, t.updated_at, t.version, t.files, \
     t.comment_count";

/// A row of `transactions` as it is read.
#[derive(Queryable, Selectable)]
#[diesel(table_name = transactions)]
pub(crate) struct TransactionRow {
    id: i64,
    day: i32,
    dated: bool,
    standing: i32,
    trashed: bool,
    amount: Option<i64>,
    credit_account_id: Option<i64>,
    debit_account_id: Option<i64>,
    description: String,
    posted_at: Option<i64>,
    properties: Option<String>,
    urls: Option<String>,
    remote_ids: Option<String>,
    created_by: i64,
    agent: Option<String>,
    created_at: i64,
    updated_at: i64,
    version: i64,
    files: Option<String>,
    comment_count: i32,
}

impl Columns for TransactionRow {
    type Sql = SelectedTypes<Self>;
}

impl TransactionRow {
    /// Returns the id of the transaction.
    pub(crate) const fn id(&self) -> i64 {
        self.id
    }

    /// Converts the row, with the storage scale of its book.
    pub(crate) fn into_transaction(self, scale: u32) -> Result<Transaction> {
        let list_day = column::day_from_column(self.day, "day")?;
        let amount = |units| Amount::from_units(units, scale).ok_or(Error::Corrupt("amount"));
        Ok(Transaction {
            id: TransactionId::new(self.id),
            date: self.dated.then_some(list_day),
            list_day,
            amount: self.amount.map(amount).transpose()?,
            description: self.description,
            credit: self.credit_account_id.map(AccountId::new),
            debit: self.debit_account_id.map(AccountId::new),
            standing: standing_from_column(self.standing)?,
            trashed: self.trashed,
            posted_at: self.posted_at.map(Instant::new),
            properties: column::properties_from_text(self.properties)?,
            urls: column::texts_from_text(self.urls, "urls")?,
            remote_ids: column::texts_from_text(self.remote_ids, "remote_ids")?,
            files: column::files_from_text(self.files)?,
            comment_count: u32::try_from(self.comment_count)
                .map_err(|_| Error::Corrupt("comment_count"))?,
            created_by: UserId::new(self.created_by),
            stamp: column::stamp(self.agent, self.created_at, self.updated_at, self.version),
        })
    }
}

const INSERT: &str = "INSERT INTO transactions \
     (book_id, id, day, dated, standing, trashed, amount, credit_account_id, debit_account_id, \
     description, folded_description, posted_at, properties, urls, remote_ids, created_by, agent, \
     created_at, updated_at, version, files, comment_count)";

/// Turns the insert into a bulk update: one statement, whatever each row becomes. The number of
/// comments stays.
const OR_UPDATE: &str = " ON CONFLICT (book_id, id) DO UPDATE SET \
     day = excluded.day, \
     dated = excluded.dated, \
     standing = excluded.standing, \
     trashed = excluded.trashed, \
     amount = excluded.amount, \
     credit_account_id = excluded.credit_account_id, \
     debit_account_id = excluded.debit_account_id, \
     description = excluded.description, \
     folded_description = excluded.folded_description, \
     posted_at = excluded.posted_at, \
     properties = excluded.properties, \
     urls = excluded.urls, \
     remote_ids = excluded.remote_ids, \
     updated_at = excluded.updated_at, \
     version = excluded.version, \
     files = excluded.files";

/// The number of columns of [`INSERT`].
const COLUMN_COUNT: usize = 22;

const INSERT_TERMS: &str = "INSERT INTO index_terms (book_id, term, day, transaction_id)";

/// A new transaction in the write buffer.
#[derive(Debug)]
pub(crate) struct NewTransaction {
    pub(crate) book: BookId,
    /// The storage scale of the book.
    pub(crate) scale: u32,
    pub(crate) transaction: Transaction,
}

/// Returns the rows of new transactions and of their index terms.
///
/// Terms are sorted by the bytes of their keys, so an engine inserts them at adjacent places of its
/// tree.
pub(crate) fn insert_rows(new: &[NewTransaction]) -> Result<[Bulk<'_>; 2]> {
    let mut rows = Bulk::new(INSERT, COLUMN_COUNT, "");
    let mut terms = Vec::new();
    for NewTransaction { book, scale, transaction } in new {
        push_row(&mut rows, *book, *scale, transaction)?;
        let day = column::day_to_column(transaction.list_day);
        let of_transaction = index_term::of(transaction).into_iter();
        terms.extend(of_transaction.map(|term| (*book, term, day, transaction.id)));
    }
    terms.sort_unstable();
    let mut insert_terms = term_rows();
    for (book, term, day, id) in terms {
        push_term(&mut insert_terms, book, term, day, id);
    }
    Ok([rows, insert_terms])
}

/// Returns a bulk update of transactions without rows.
pub(crate) fn update_rows<'a>() -> Bulk<'a> {
    Bulk::new(INSERT, COLUMN_COUNT, OR_UPDATE)
}

/// Returns a bulk insert of index terms without rows.
pub(crate) fn term_rows<'a>() -> Bulk<'a> {
    Bulk::new(INSERT_TERMS, 4, "")
}

/// Adds an index term to a bulk insert.
pub(crate) fn push_term(
    rows: &mut Bulk<'_>,
    book: BookId,
    term: String,
    day: i32,
    transaction: TransactionId,
) {
    rows.row([
        Value::Int(book.get()),
        Value::Text(term.into()),
        Value::Int(i64::from(day)),
        Value::Int(transaction.get()),
    ]);
}

/// Returns the standing as a number, ordered draft, unchecked, checked; queries compare with it.
pub(crate) const fn standing_to_column(standing: Standing) -> i64 {
    match standing {
        Standing::Draft => 0,
        Standing::Unchecked => 1,
        Standing::Checked => 2,
    }
}

pub(crate) fn standing_from_column(number: i32) -> Result<Standing> {
    match number {
        0 => Ok(Standing::Draft),
        1 => Ok(Standing::Unchecked),
        2 => Ok(Standing::Checked),
        _ => Err(Error::Corrupt("standing")),
    }
}

/// Returns the folded description as it is stored.
///
/// It is empty if it equals the description in lower case
/// ([`folded_description`](crate::conn::engine::Engine::folded_description)).
pub(crate) fn folded_to_column(description: &str) -> String {
    if description.is_ascii() {
        return String::new();
    }
    let folded = fold(description);
    if folded.eq_ignore_ascii_case(description) { String::new() } else { folded }
}

/// Adds a transaction to a bulk statement.
pub(crate) fn push_row<'a>(
    rows: &mut Bulk<'a>,
    book: BookId,
    scale: u32,
    transaction: &'a Transaction,
) -> Result<()> {
    let Transaction {
        id,
        date,
        list_day,
        amount,
        description,
        credit,
        debit,
        standing,
        trashed,
        posted_at,
        properties,
        urls,
        remote_ids,
        files,
        comment_count,
        created_by,
        stamp,
    } = transaction;
    rows.row([
        Value::Int(book.get()),
        Value::Int(id.get()),
        Value::Int(i64::from(column::day_to_column(*list_day))),
        Value::Flag(date.is_some()),
        Value::Int(standing_to_column(*standing)),
        Value::Flag(*trashed),
        Value::SomeInt(
            amount.map(|amount| amount.units(scale).ok_or(Error::Corrupt("amount"))).transpose()?,
        ),
        Value::SomeInt(credit.map(AccountId::get)),
        Value::SomeInt(debit.map(AccountId::get)),
        Value::Text(description.as_str().into()),
        Value::Text(folded_to_column(description).into()),
        Value::SomeInt(posted_at.map(Instant::milliseconds)),
        Value::SomeText(column::properties_to_text(properties).map(Into::into)),
        Value::SomeText(column::texts_to_text(urls).map(Into::into)),
        Value::SomeText(column::texts_to_text(remote_ids).map(Into::into)),
        Value::Int(created_by.get()),
        Value::SomeText(stamp.agent.as_deref().map(Into::into)),
        Value::Int(stamp.created_at.milliseconds()),
        Value::Int(stamp.updated_at.milliseconds()),
        Value::Int(stamp.version),
        Value::SomeText(column::files_to_text(files).map(Into::into)),
        Value::Int(i64::from(*comment_count)),
    ]);
    Ok(())
}
