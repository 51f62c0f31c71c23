//! The raw limit on PostgreSQL. The cost of a row is its round trip, so one multi-row statement per
//! table writes all rows of a database transaction, for singles and for batches.

use anyhow::Context;
use postgres::types::ToSql;
use postgres::{Client, NoTls, Statement, Transaction};

use super::super::workload::TEN_YEARS;
use super::days::{Months, months};
use super::{EventRow, Ledger, Row, Shape, Store, event_rows, limbs};

const TRANSACTION: &str = "INSERT INTO transactions \
     (book_id, id, day, dated, standing, trashed, amount, credit_account_id, debit_account_id, \
     description, folded_description, posted_at, created_by, created_at, updated_at, version) \
     SELECT $1, unnest($4::bigint[]), unnest($5::integer[]), true, 1, false, \
     unnest($6::bigint[]), unnest($7::bigint[]), unnest($8::bigint[]), unnest($9::text[]), \
     '', $2, $3, $2, $2, 1";
const EVENT: &str = "INSERT INTO events \
     (book_id, sequence, kind, resource, created_at, user_id, data, hash, count) \
     SELECT $1, unnest($4::bigint[]), 7, unnest($5::bigint[]), $2, $3, unnest($6::bytea[]), \
     unnest($7::bytea[]), unnest($8::integer[])";
const BOOK_STATE: &str = "UPDATE book_state SET \
     sequence = $2, hash = $3, changed_at = $4, posted = posted + $5, \
     month_posted = month_posted + $5, year_posted = year_posted + $5 \
     WHERE book_id = $1";

const KEPT: &str = "SELECT t.account_id, t.month, t.days \
     FROM (SELECT unnest($2::bigint[]) AS account_id, unnest($3::integer[]) AS month) n \
     CROSS JOIN LATERAL (SELECT m.* FROM month_totals m WHERE m.book_id = $1 \
     AND m.account_id = n.account_id AND m.month = n.month OFFSET 0) t";
const MONTH: &str = "INSERT INTO month_totals \
     (book_id, account_id, month, debit_high, debit_low, credit_high, credit_low, days) \
     SELECT $1, unnest($2::bigint[]), unnest($3::integer[]), unnest($4::bigint[]), \
     unnest($5::bigint[]), unnest($6::bigint[]), unnest($7::bigint[]), unnest($8::bytea[]) \
     ON CONFLICT (book_id, account_id, month) DO UPDATE SET \
     debit_high = month_totals.debit_high + excluded.debit_high, \
     debit_low = month_totals.debit_low + excluded.debit_low, \
     credit_high = month_totals.credit_high + excluded.credit_high, \
     credit_low = month_totals.credit_low + excluded.credit_low, \
     days = excluded.days";

pub(super) struct Postgres {
    client: Client,
    statements: Statements,
}

struct Statements {
    transaction: Statement,
    kept: Statement,
    month: Statement,
    event: Statement,
    state: Statement,
}

pub(super) fn open(url: &str) -> anyhow::Result<(Postgres, Ledger)> {
    let mut client = Client::connect(url, NoTls)?;
    let accounts = client.query("SELECT id FROM accounts ORDER BY name", &[])?;
    let book = client.query_one(
        "SELECT b.id, b.owner_id, b.created_at, s.sequence \
         FROM books b JOIN book_state s ON s.book_id = b.id",
        &[],
    )?;
    let ledger = Ledger {
        book: book.get(0),
        user: book.get(1),
        at: book.get(2),
        sequence: book.get(3),
        accounts: accounts.iter().map(|row| row.get(0)).collect(),
        next: 0,
        workload: TEN_YEARS,
    };
    let statements = Statements {
        transaction: client.prepare(TRANSACTION)?,
        kept: client.prepare(KEPT)?,
        month: client.prepare(MONTH)?,
        event: client.prepare(EVENT)?,
        state: client.prepare(BOOK_STATE)?,
    };
    Ok((Postgres { client, statements }, ledger))
}

impl Store for Postgres {
    fn write(&mut self, ledger: &Ledger, rows: &[Row], shape: Shape) -> anyhow::Result<()> {
        let statements = &self.statements;
        let mut database = self.client.transaction()?;
        transactions(&mut database, statements, ledger, rows)?;
        add(&mut database, statements, ledger, months(rows))?;
        events(&mut database, statements, ledger, &event_rows(rows, shape))?;
        let last = rows.last().context("at least one row")?;
        let count = i64::try_from(rows.len())?;
        let hash: &[u8] = &last.hash;
        database.execute(
            &statements.state,
            &[&ledger.book, &last.sequence, &hash, &ledger.at, &count],
        )?;
        Ok(database.commit()?)
    }
}

/// One value of every row, as an array for `unnest`.
fn column<'a, R, T>(rows: &'a [R], cell: impl Fn(&'a R) -> T) -> Vec<T> {
    rows.iter().map(cell).collect()
}

fn transactions(
    database: &mut Transaction,
    statements: &Statements,
    ledger: &Ledger,
    rows: &[Row],
) -> anyhow::Result<()> {
    let columns: [&(dyn ToSql + Sync); 9] = [
        &ledger.book,
        &ledger.at,
        &ledger.user,
        &column(rows, |row| row.id),
        &column(rows, |row| row.day),
        &column(rows, |row| row.amount),
        &column(rows, |row| row.credit),
        &column(rows, |row| row.debit),
        &column(rows, |row| row.description.as_str()),
    ];
    database.execute(&statements.transaction, &columns)?;
    Ok(())
}

fn add(
    database: &mut Transaction,
    statements: &Statements,
    ledger: &Ledger,
    mut months: Months,
) -> anyhow::Result<()> {
    let (accounts, numbers): (Vec<i64>, Vec<i32>) = months.keys().copied().unzip();
    for row in database.query(&statements.kept, &[&ledger.book, &accounts, &numbers])? {
        let month =
            months.get_mut(&(row.get(0), row.get(1))).context("a month that was asked for")?;
        month.keep(row.get(2));
    }
    let limb = |side: usize, limb: usize| -> Vec<i64> {
        months.values().map(|month| limbs(month.sums[side])[limb]).collect()
    };
    let days: Vec<Vec<u8>> = months.values().map(|month| month.stored()).collect();
    let limbs = [limb(0, 0), limb(0, 1), limb(1, 0), limb(1, 1)];
    let [a, b, c, d] = &limbs;
    database.execute(&statements.month, &[&ledger.book, &accounts, &numbers, a, b, c, d, &days])?;
    Ok(())
}

fn events(
    database: &mut Transaction,
    statements: &Statements,
    ledger: &Ledger,
    rows: &[EventRow],
) -> anyhow::Result<()> {
    let columns: [&(dyn ToSql + Sync); 8] = [
        &ledger.book,
        &ledger.at,
        &ledger.user,
        &column(rows, |row| row.sequence),
        &column(rows, |row| row.id),
        &column(rows, |row| row.data.as_slice()),
        &column(rows, |row| row.hash.as_slice()),
        &column(rows, |row| row.count),
    ];
    database.execute(&statements.event, &columns)?;
    Ok(())
}
