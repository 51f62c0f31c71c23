//! The raw limit on SQLite.

use anyhow::Context;
use rusqlite::{CachedStatement, Connection, OptionalExtension, ToSql, params};

use super::super::workload::TEN_YEARS;
use super::days::months;
use super::{Ledger, Row, Shape, Store, event_rows, limbs};

/// Rows of a multi-row statement; the remaining rows are written one by one, so that few statements
/// stay prepared.
const CHUNK: usize = 100;

const BOOK_STATE: &str = "UPDATE book_state SET \
     sequence = ?2, hash = ?3, changed_at = ?4, posted = posted + ?5, \
     month_posted = month_posted + ?5, year_posted = year_posted + ?5 \
     WHERE book_id = ?1";

/// An INSERT of one row and of [`CHUNK`] rows.
struct Insert {
    one: String,
    many: String,
}

impl Insert {
    fn new(table: &str, columns: &str, then: &str) -> Insert {
        let row = format!("(?{})", ", ?".repeat(columns.matches(',').count()));
        let insert = |rows: usize| {
            let more = format!(", {row}").repeat(rows - 1);
            format!("INSERT INTO {table} ({columns}) VALUES {row}{more} {then}")
        };
        Insert { one: insert(1), many: insert(CHUNK) }
    }

    fn month() -> Insert {
        let key = "book_id, account_id, month";
        let columns = format!("{key}, debit_high, debit_low, credit_high, credit_low, days");
        let add = ["debit_high", "debit_low", "credit_high", "credit_low"]
            .map(|limb| format!("{limb} = {limb} + excluded.{limb}"));
        let then =
            format!("ON CONFLICT ({key}) DO UPDATE SET {}, days = excluded.days", add.join(", "));
        Insert::new("month_totals", &columns, &then)
    }
}

const KEPT: &str =
    "SELECT days FROM month_totals WHERE book_id = ?1 AND account_id = ?2 AND month = ?3";

/// Binds values in order.
struct Binder<'a, 'c> {
    statement: &'a mut CachedStatement<'c>,
    bound: usize,
}

impl Binder<'_, '_> {
    fn bind(&mut self, value: impl ToSql) -> rusqlite::Result<()> {
        self.bound += 1;
        self.statement.raw_bind_parameter(self.bound, value)
    }

    fn numbers<const N: usize>(&mut self, numbers: [i64; N]) -> rusqlite::Result<()> {
        numbers.into_iter().try_for_each(|number| self.bind(number))
    }
}

pub(super) struct Sqlite {
    connection: Connection,
    transaction: Insert,
    month: Insert,
    event: Insert,
}

pub(super) fn open(url: &str) -> anyhow::Result<(Sqlite, Ledger)> {
    let path = url.strip_prefix("sqlite:").context("an address of SQLite")?;
    let connection = Connection::open(path)?;
    // The settings of Daybook's writer.
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; \
         PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536;",
    )?;
    connection.set_prepared_statement_cache_capacity(32);
    let ledger = ledger(&connection)?;
    let sqlite = Sqlite {
        connection,
        transaction: Insert::new(
            "transactions",
            "book_id, id, day, dated, standing, trashed, amount, credit_account_id, \
             debit_account_id, description, folded_description, posted_at, created_by, \
             created_at, updated_at, version",
            "",
        ),
        month: Insert::month(),
        event: Insert::new(
            "events",
            "book_id, sequence, kind, resource, created_at, user_id, data, hash, count",
            "",
        ),
    };
    Ok((sqlite, ledger))
}

fn ledger(connection: &Connection) -> anyhow::Result<Ledger> {
    let mut accounts = connection.prepare("SELECT id FROM accounts ORDER BY name")?;
    let accounts = accounts.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let book = "SELECT b.id, b.owner_id, b.created_at, s.sequence \
         FROM books b JOIN book_state s ON s.book_id = b.id";
    let ledger = connection.query_row(book, [], |row| {
        Ok(Ledger {
            book: row.get(0)?,
            user: row.get(1)?,
            at: row.get(2)?,
            sequence: row.get(3)?,
            accounts,
            next: 0,
            workload: TEN_YEARS,
        })
    });
    Ok(ledger?)
}

impl Store for Sqlite {
    fn write(&mut self, ledger: &Ledger, rows: &[Row], shape: Shape) -> anyhow::Result<()> {
        self.connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        match shape {
            Shape::Singles(_) => {
                rows.chunks(1).try_for_each(|row| self.record(ledger, row, shape))?
            }
            Shape::Batch(_) => self.record(ledger, rows, shape)?,
        }
        self.connection.prepare_cached("COMMIT")?.execute([])?;
        Ok(())
    }
}

impl Sqlite {
    fn record(&self, ledger: &Ledger, rows: &[Row], shape: Shape) -> anyhow::Result<()> {
        self.insert(&self.transaction, rows, |row, into| {
            // dated, standing, trashed
            into.numbers([ledger.book, row.id, row.day.into(), 1, 1, 0])?;
            into.numbers([row.amount, row.credit, row.debit])?;
            into.bind(&row.description)?;
            into.bind("")?;
            // posted, by whom, created, updated, version
            into.numbers([ledger.at, ledger.user, ledger.at, ledger.at, 1])
        })?;
        let mut months = months(rows);
        let mut kept = self.connection.prepare_cached(KEPT)?;
        for ((account, number), month) in &mut months {
            let key = params![ledger.book, account, number];
            let stored = kept.query_row(key, |row| row.get::<_, Vec<u8>>(0)).optional()?;
            stored.iter().for_each(|stored| month.keep(stored));
        }
        let months: Vec<_> = months.into_iter().collect();
        self.insert(&self.month, &months, |((account, number), month), into| {
            into.numbers([ledger.book, *account, i64::from(*number)])?;
            month.sums.into_iter().try_for_each(|sum| into.numbers(limbs(sum)))?;
            into.bind(month.stored())
        })?;
        self.insert(&self.event, &event_rows(rows, shape), |row, into| {
            // Posting events.
            into.numbers([ledger.book, row.sequence, 7, row.id, ledger.at, ledger.user])?;
            into.bind(&row.data)?;
            into.bind(row.hash)?;
            into.bind(row.count)
        })?;
        let last = rows.last().context("at least one row")?;
        let count = i64::try_from(rows.len())?;
        self.connection.prepare_cached(BOOK_STATE)?.execute(params![
            ledger.book,
            last.sequence,
            last.hash,
            ledger.at,
            count
        ])?;
        Ok(())
    }

    fn insert<R>(
        &self,
        insert: &Insert,
        rows: &[R],
        bind: impl Fn(&R, &mut Binder) -> rusqlite::Result<()>,
    ) -> anyhow::Result<()> {
        let (chunks, rest) = rows.as_chunks::<CHUNK>();
        let chunks = chunks
            .iter()
            .map(|chunk| (&insert.many, chunk.as_slice()))
            .chain(rest.chunks(1).map(|row| (&insert.one, row)));
        for (sql, rows) in chunks {
            let mut statement = self.connection.prepare_cached(sql)?;
            let mut binder = Binder { statement: &mut statement, bound: 0 };
            rows.iter().try_for_each(|row| bind(row, &mut binder))?;
            statement.raw_execute()?;
        }
        Ok(())
    }
}
