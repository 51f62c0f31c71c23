//! Section 3e: how many reads a second eight clients get, beside the same rows read by one prepared
//! statement of the engine's own driver.

use std::path::Path;

use postgres::NoTls;
use rusqlite::OpenFlags;

use super::against::in_turn;
use super::reads::filled;
use super::{Book, Settings};
use crate::load::{Connection, closed_loop, median};
use crate::table::{Cell, Table};
use crate::{Engine, Server, encode};

const CLIENTS: usize = 8;
const TRANSACTIONS: usize = 5_000;

pub(super) const METHOD: &str = "8 connections, each of which sends its next request when the last \
    one is answered, in a book of 1,000 accounts and 5,000 transactions in twelve months.";
const RAW: &str = "Raw is the same number of connections of the engine's own driver, each of which \
    reads the same rows by one prepared statement, without HTTP and without a snapshot of several \
    statements.";

/// A read: title, path, query, and the raw statement with the parameters book and account.
struct Read {
    name: &'static str,
    path: &'static str,
    query: &'static str,
    raw: &'static str,
}

const READS: [Read; 5] = [
    Read {
        name: "balance of an account",
        path: "/balances",
        query: "account:'Account 0007'",
        raw: "SELECT month, debit_high, debit_low, credit_high, credit_low FROM month_totals \
              WHERE book_id = $1 AND account_id = $2",
    },
    Read {
        name: "balance of an account at a past date",
        path: "/balances",
        query: "account:'Account 0007' on:2024-07-17",
        raw: "SELECT month, debit_high, debit_low, credit_high, credit_low, days FROM month_totals \
              WHERE book_id = $1 AND account_id = $2 AND month <= 202407",
    },
    Read {
        name: "1,000 accounts",
        path: "/accounts",
        query: "",
        raw: "SELECT id, name, kind, archived, balance_verified, has_transaction_posted, \
              properties, agent, created_at, updated_at, version, min_balance FROM accounts \
              WHERE book_id = $1 AND id <> $2",
    },
    Read {
        name: "1,000 accounts at a past date",
        path: "/balances",
        query: "on:2024-07-17",
        raw: "SELECT account_id, SUM(debit_high), SUM(debit_low), SUM(credit_high), \
              SUM(credit_low) FROM month_totals WHERE book_id = $1 AND account_id <> $2 \
              AND month <= 202407 GROUP BY account_id",
    },
    Read {
        name: "latest 100 transactions",
        path: "/transactions",
        query: "",
        raw: "SELECT id, day, standing, trashed, amount, credit_account_id, debit_account_id, \
              description, posted_at, properties, created_at, updated_at, version \
              FROM transactions WHERE book_id = $1 AND credit_account_id <> $2 \
              ORDER BY day DESC, id DESC LIMIT 100",
    },
];

pub(super) fn run(settings: &Settings) -> anyhow::Result<Vec<Table>> {
    let columns = ["engine", "read", "daybook/s", "raw/s", "ratio"];
    let mut table = Table::new("read-rates", "3e. Reads a second", &columns)
        .method(format!("{METHOD} {RAW} {}", settings.effort()));
    for engine in &settings.engines {
        let server = super::server(*engine);
        let book = filled(&server, "Rates", TRANSACTIONS)?;
        let mut clients = Clients::new(&server, &book)?;
        for read in &READS {
            let mut raw = RawReader::several(&server, read.raw)?;
            clients.rate(read, settings)?;
            let mut rates = [Vec::new(), Vec::new()];
            for _ in 0..settings.rounds() {
                rates[0].push(clients.rate(read, settings)?);
                let round = closed_loop(&mut raw, settings.time(), |_, reader| reader.read())?;
                rates[1].push(round.rate());
            }
            let [daybook, raw] = rates.map(|side| median(&side));
            table.row([
                engine.to_string().into(),
                read.name.into(),
                Cell::whole(daybook),
                Cell::whole(raw),
                Cell::ratio(daybook / raw),
            ]);
        }
    }
    Ok(vec![table])
}

/// The rates of this and of another build, for each read.
pub(super) fn compare(
    builds: &[Server; 2],
    settings: &Settings,
) -> anyhow::Result<Vec<(&'static str, [f64; 2])>> {
    let mut clients = Vec::new();
    for server in builds {
        let book = filled(server, "Rates", TRANSACTIONS)?;
        clients.push(Clients::new(server, &book)?);
    }
    let compare = |read: &Read| {
        for side in &mut clients {
            side.rate(read, settings)?;
        }
        Ok((read.name, in_turn(settings, |side| clients[side].rate(read, settings))?))
    };
    READS.iter().map(compare).collect()
}

/// The connections of the clients to a server.
struct Clients {
    connections: Vec<Connection>,
    book: String,
}

impl Clients {
    fn new(server: &Server, book: &Book) -> anyhow::Result<Clients> {
        let connections = (0..CLIENTS).map(|_| book.connect(server));
        Ok(Clients {
            connections: connections.collect::<anyhow::Result<_>>()?,
            book: book.path(""),
        })
    }

    /// The answers a second in a round.
    fn rate(&mut self, read: &Read, settings: &Settings) -> anyhow::Result<f64> {
        let path = format!("{}{}?limit=100&query={}", self.book, read.path, encode(read.query));
        let ask = |_: usize, connection: &mut Connection| {
            connection.get(&path)?.accepted()?;
            Ok(())
        };
        Ok(closed_loop(&mut self.connections, settings.time(), ask)?.rate())
    }
}

/// A connection of the engine's own driver with one prepared statement.
enum RawReader {
    Sqlite { conn: rusqlite::Connection, statement: &'static str, key: [i64; 2] },
    Postgres { client: postgres::Client, statement: postgres::Statement, key: [i64; 2] },
}

const KEY: &str = "SELECT book_id, id FROM accounts WHERE name = 'Account 0007'";

impl RawReader {
    fn several(server: &Server, statement: &'static str) -> anyhow::Result<Vec<RawReader>> {
        (0..CLIENTS).map(|_| RawReader::open(server, statement)).collect()
    }

    fn open(server: &Server, statement: &'static str) -> anyhow::Result<RawReader> {
        let url = server.database_url();
        match server.engine() {
            Engine::Sqlite => {
                let path = Path::new(url.trim_start_matches("sqlite:"));
                let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
                let conn = rusqlite::Connection::open_with_flags(path, flags)?;
                let key = conn.query_row(KEY, [], |row| Ok([row.get(0)?, row.get(1)?]))?;
                Ok(RawReader::Sqlite { conn, statement, key })
            }
            Engine::Postgres => {
                let mut client = postgres::Client::connect(url, NoTls)?;
                let row = client.query_one(KEY, &[])?;
                let key = [row.try_get(0)?, row.try_get(1)?];
                let statement = client.prepare(statement)?;
                Ok(RawReader::Postgres { client, statement, key })
            }
        }
    }

    /// Reads all rows, and every column of SQLite's, which has no values before they are asked for.
    fn read(&mut self) -> anyhow::Result<()> {
        match self {
            RawReader::Sqlite { conn, statement, key } => {
                let mut statement = conn.prepare_cached(statement)?;
                let columns = statement.column_count();
                let mut rows = statement.query(*key)?;
                while let Some(row) = rows.next()? {
                    for column in 0..columns {
                        row.get_ref(column)?;
                    }
                }
            }
            RawReader::Postgres { client, statement, key } => {
                client.query(&*statement, &[&key[0], &key[1]])?;
            }
        }
        Ok(())
    }
}
