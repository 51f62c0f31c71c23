//! The raw limit: the same rows in the tables of a database that Daybook created, written with the
//! engine's own driver, prepared statements and the same durability. There is no HTTP, no JSON
//! parsing, no rules and no hashing.

mod days;
mod postgres;
mod sqlite;

use std::time::{Duration, Instant};

use super::Book;
use super::workload::{Draft, Workload};
use crate::load::{Round, Samples};
use crate::{Engine, Server};

/// The stored size of a snapshot of these transactions, so that events have the same size.
const SNAPSHOT: usize = 100;
/// Events of a batch per row of the log.
const BLOCK: usize = 16;
/// The stored size of each snapshot in such a row, and of the whole row.
const SNAPSHOT_IN_BLOCK: usize = 36;
const BLOCK_DATA: usize = 33;

/// A transaction in the tables.
struct Row {
    id: i64,
    day: i32,
    amount: i64,
    credit: i64,
    debit: i64,
    description: String,
    sequence: i64,
    hash: [u8; 32],
}

/// A row of the log.
struct EventRow {
    sequence: i64,
    /// The id of the transaction.
    id: i64,
    data: Vec<u8>,
    hash: [u8; 32],
    /// The number of its events, if it may have several.
    count: Option<i32>,
}

/// The log rows of these transactions.
fn event_rows(rows: &[Row], shape: Shape) -> Vec<EventRow> {
    let (size, bytes): (_, fn(usize) -> usize) = match shape {
        Shape::Singles(_) => (1, |_| SNAPSHOT),
        Shape::Batch(_) => (BLOCK, |count| BLOCK_DATA + SNAPSHOT_IN_BLOCK * count),
    };
    let row = |(last, events): (&Row, &[Row])| EventRow {
        sequence: last.sequence,
        id: last.id,
        data: vec![0x5a; bytes(events.len())],
        hash: last.hash,
        count: (size > 1).then(|| i32::try_from(events.len()).expect("few events")),
    };
    rows.chunks(size).filter_map(|events| Some(row((events.last()?, events)))).collect()
}

/// The values common to all rows of a book.
struct Ledger {
    book: i64,
    user: i64,
    /// Ids by account number.
    accounts: Vec<i64>,
    sequence: i64,
    next: u64,
    at: i64,
    workload: Workload,
}

impl Ledger {
    fn rows(&mut self, drafts: &[Draft]) -> Vec<Row> {
        drafts.iter().map(|draft| self.row(draft)).collect()
    }

    fn row(&mut self, draft: &Draft) -> Row {
        self.sequence += 1;
        let id = self.at * 4096 + self.sequence;
        let [credit, debit] = [draft.credit, draft.debit]
            .map(|number| self.accounts[usize::try_from(number).expect("a small number")]);
        let description = draft.description();
        let mut hash = [0x5a; 32];
        hash[..8].copy_from_slice(&id.to_le_bytes());
        Row {
            id,
            day: draft.day,
            amount: draft.amount,
            credit,
            debit,
            description,
            sequence: self.sequence,
            hash,
        }
    }

    fn drafts(&mut self, count: usize) -> Vec<Draft> {
        let first = self.next;
        self.next += count as u64;
        (first..self.next).map(|number| self.workload.draft(number)).collect()
    }
}

/// The two limbs of a stored total.
fn limbs(amount: i64) -> [i64; 2] {
    [amount >> 32, amount & 0xffff_ffff]
}

/// How rows are written.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    /// Single creates, this many in a database transaction.
    Singles(usize),
    /// A batch of this size: multi-row statements.
    Batch(usize),
}

trait Store {
    /// Writes rows in one database transaction.
    fn write(&mut self, ledger: &Ledger, rows: &[Row], shape: Shape) -> anyhow::Result<()>;
}

/// The raw side of a comparison.
pub(super) struct Raw {
    store: Box<dyn Store>,
    ledger: Ledger,
    /// Owns the database; its server has stopped.
    _server: Server,
}

impl Raw {
    /// Creates a database with a book through Daybook, stops it and opens the database.
    pub(super) fn prepare(engine: Engine, workload: Workload) -> anyhow::Result<Raw> {
        let mut server = super::server(engine);
        Book::create(&server, &workload)?;
        server.terminate();
        let (store, ledger): (Box<dyn Store>, Ledger) = match engine {
            Engine::Sqlite => {
                let (store, ledger) = sqlite::open(server.database_url())?;
                (Box::new(store), ledger)
            }
            Engine::Postgres => {
                let (store, ledger) = postgres::open(server.database_url())?;
                (Box::new(store), ledger)
            }
        };
        let ledger = Ledger { workload, ..ledger };
        Ok(Raw { store, ledger, _server: server })
    }

    /// Writes for this long, one database transaction after another. A sample is the time of one
    /// transaction.
    pub(super) fn run(&mut self, shape: Shape, time: Duration) -> anyhow::Result<Round> {
        let (Shape::Singles(size) | Shape::Batch(size)) = shape;
        let mut samples = Samples::default();
        let mut elapsed = Duration::ZERO;
        while elapsed < time {
            // As on the client side of the comparison, before the time is measured.
            let drafts = self.ledger.drafts(size);
            let sent = Instant::now();
            let rows = self.ledger.rows(&drafts);
            self.store.write(&self.ledger, &rows, shape)?;
            let latency = sent.elapsed();
            elapsed += latency;
            (0..size).for_each(|_| samples.record(latency));
        }
        Ok(Round { elapsed, samples })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::workspace;
    use crate::unique;

    const BOOK: &str = "INSERT INTO users (id, email, username, created_at) \
         VALUES (7, 'a@example.com', 'a', 1); \
         INSERT INTO books \
         (id, public_id, owner_id, name, auto_post, date_pattern, decimal_separator, \
         fraction_digits, scale, page_size, period, period_start_month, time_zone, visibility, \
         created_at, updated_at, version, file_secret) \
         VALUES (1, 'key', 7, 'Book', 1, 'dd/MM/yyyy', 'DOT', 2, 2, 100, 'MONTH', 'JANUARY', \
         'UTC', 'PRIVATE', 1, 1, 1, 'secret'); \
         INSERT INTO book_state \
         (book_id, sequence, hash, changed_at, posted, month, month_posted, year_posted, \
         posted_months) \
         VALUES (1, 0, x'00', 1, 0, 0, 0, 0, ''); \
         WITH RECURSIVE row (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM row WHERE n < 999) \
         INSERT INTO accounts \
         (book_id, id, name, normalized_name, kind, archived, balance_verified, \
         has_transaction_posted, created_at, updated_at, version) \
         SELECT 1, 1000000000 + n, format('Account %04d', n), format('account_%04d', n), 'ASSET', \
         0, 1, 0, 1, 1, 1 FROM row;";

    /// Fails when a migration has changed the schema that the loop uses.
    #[test]
    fn the_statements_fit_the_schema() {
        let name = format!("daybook-{}-{}.db", std::process::id(), unique("raw"));
        let file = std::env::temp_dir().join(name);
        let database = rusqlite::Connection::open(&file).expect("a database");
        let folder =
            std::fs::read_dir(workspace().join("migrations/sqlite")).expect("the migrations");
        let mut steps: Vec<_> = folder.flatten().map(|step| step.path().join("up.sql")).collect();
        steps.sort();
        for step in steps {
            let sql = std::fs::read_to_string(&step).expect("a script");
            database.execute_batch(&sql).expect("a migration runs");
        }
        database.execute_batch(BOOK).expect("a book fits the schema");
        let (mut store, mut ledger) =
            sqlite::open(&format!("sqlite:{}", file.display())).expect("the book opens");
        let mut amounts = 0;
        for shape in [Shape::Singles(8), Shape::Batch(1000)] {
            let (Shape::Singles(size) | Shape::Batch(size)) = shape;
            let drafts = ledger.drafts(size);
            amounts += drafts.iter().map(|draft| draft.amount).sum::<i64>();
            let rows = ledger.rows(&drafts);
            store.write(&ledger, &rows, shape).expect("rows are written");
        }
        let count = |sql: &str| database.query_row(sql, [], |row| row.get::<_, i64>(0)).expect(sql);
        assert_eq!(count("SELECT count(*) FROM transactions"), 1008);
        assert_eq!(count("SELECT count(*) FROM entries"), 2016);
        assert_eq!(count("SELECT count(*) FROM events"), 8 + 63);
        assert_eq!(count("SELECT sum(coalesce(count, 1)) FROM events"), 1008);
        assert_eq!(count("SELECT posted FROM book_state"), 1008);
        let mut kept = database.prepare("SELECT days FROM month_totals").expect("days");
        let kept = kept.query_map([], |row| row.get::<_, Vec<u8>>(0)).expect("days");
        let mut days = days::Month::default();
        kept.for_each(|kept| days.keep(&kept.expect("days")));
        for (side, name) in ["debit", "credit"].into_iter().enumerate() {
            assert_eq!(count(&format!("SELECT sum({name}_low) FROM month_totals")), amounts);
            assert_eq!(days.days.values().map(|sums| sums[side]).sum::<i64>(), amounts);
        }
        for ending in ["", "-wal", "-shm"] {
            drop(std::fs::remove_file(format!("{}{ending}", file.display())));
        }
    }
}
