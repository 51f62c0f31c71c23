//! Durability under kills: clients write and the server is killed with SIGKILL. After its restart
//! everything acknowledged must be there, complete, with right balances and a gapless event log.
//! Other [`faults`] are checked the same way.
//!
//! A transaction's content follows from its number, and its remote id is the number, so the book
//! can be checked without a record of the requests. One [`Torture`] has one growing book; each
//! [`Torture::round`] is one kill.

pub mod backup_kills;
pub mod backups;
mod check;
pub mod deliveries;
pub mod faults;
mod infrastructure;
mod watch;
mod writers;

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::{Value, json};

use crate::load::Connection;
use crate::rng::Rng;
use crate::{Client, Engine, Server, pause};
use check::{Book, Verdict};
use writers::{Persistent, Request};

/// The number of writing threads.
pub const CLIENTS: usize = 8;

const OWNER: &str = "torture@example.com";
/// Few accounts, so that the clients contend for the same totals.
const ACCOUNTS: usize = 24;
const KINDS: [&str; 4] = ["ASSET", "LIABILITY", "INCOMING", "OUTGOING"];

/// The content of transaction number `n`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Content {
    date: String,
    /// In hundredths.
    amount: u64,
    credit: String,
    debit: String,
}

impl Content {
    fn of(number: u64) -> Content {
        let mut rng = Rng::new(number);
        let date =
            format!("{}-{:02}-{:02}", 2023 + rng.below(2), 1 + rng.below(12), 1 + rng.below(28));
        let credit = rng.below(ACCOUNTS as u64);
        // The two accounts differ.
        let debit = (credit + 1 + rng.below(ACCOUNTS as u64 - 1)) % ACCOUNTS as u64;
        Content {
            date,
            amount: 1 + rng.below(1_000_000),
            credit: account(credit),
            debit: account(debit),
        }
    }

    fn amount(&self) -> String {
        format!("{}.{:02}", self.amount / 100, self.amount % 100)
    }
}

fn account(number: u64) -> String {
    format!("Account {number:02}")
}

/// Creates a book with empty accounts.
fn make_book(owner: &Client) -> anyhow::Result<String> {
    let account = |number: usize| {
        let kind = KINDS[number % KINDS.len()];
        json!({"name": account(number as u64), "type": kind})
    };
    let accounts: Vec<Value> = (0..ACCOUNTS).map(account).collect();
    let body = json!({"name": "Torture", "accounts": accounts});
    let made = owner.post("/v5/books", &body).ok();
    Ok(made["id"].as_str().context("a book has an id")?.to_owned())
}

/// Servers on a growing database, and all requests so far.
pub struct Torture {
    servers: Vec<Server>,
    owner: Client,
    book: String,
    rng: Rng,
    rounds: usize,
    next: u64,
    /// All requests, with the ids of their answers.
    requests: Vec<Request>,
    /// Finished books, with the number of transactions of each.
    closed: Vec<(String, usize)>,
}

/// The result of one round.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// Counted from 1.
    pub number: usize,
    /// The time from the start of writing to the kill.
    pub killed_after: Duration,
    /// Transactions acknowledged in this round.
    pub acknowledged: usize,
    /// Requests without an answer, because the connection broke.
    pub in_doubt: usize,
    /// Requests in doubt that were recorded.
    pub survived: usize,
    /// The time from the start of the new process until it was ready.
    pub recovery: Duration,
    /// Transactions in the book.
    pub transactions: usize,
    /// Events in its log.
    pub events: usize,
    /// All violations; empty in a successful round.
    pub violations: Vec<String>,
}

/// The state of the book.
struct Checked {
    acknowledged: usize,
    in_doubt: usize,
    survived: usize,
    transactions: usize,
    events: usize,
    /// The time between its first and its last event.
    span: Duration,
    verdict: Verdict,
}

impl Torture {
    /// Starts a server with an empty book. A seed repeats the random choices; how far the clients
    /// get before the kill varies.
    pub fn start(engine: Engine, seed: u64) -> anyhow::Result<Torture> {
        Torture::on(vec![Server::start(engine)], seed)
    }

    /// Uses running servers.
    pub(crate) fn on(servers: Vec<Server>, seed: u64) -> anyhow::Result<Torture> {
        let first = servers.first().context("a server")?;
        let owner = first.client(OWNER);
        let book = make_book(&owner)?;
        Ok(Torture {
            servers,
            owner,
            book,
            rng: Rng::new(seed),
            rounds: 0,
            next: 1,
            requests: Vec::new(),
            closed: Vec::new(),
        })
    }

    /// Continues with a new book, because each round reads and compares a whole book.
    pub(crate) fn start_new_book(&mut self) -> anyhow::Result<()> {
        let count = self.count(&self.book)?;
        let book = make_book(&self.owner)?;
        self.closed.push((std::mem::replace(&mut self.book, book), count));
        self.requests.clear();
        Ok(())
    }

    /// Checks the finished books.
    pub(crate) fn check_finished_books(&self) -> anyhow::Result<Vec<String>> {
        let mut verdict = Verdict::default();
        for (book, count) in &self.closed {
            let now = self.count(book)?;
            if now != *count {
                verdict.report(format!("{book} has {now} transactions, not {count} any more"));
            }
            verdict.audit(&self.owner, book)?;
        }
        Ok(verdict.violations)
    }

    fn count(&self, book: &str) -> anyhow::Result<usize> {
        let counted = self.owner.get(&format!("/v5/books/{book}/transactions/count")).ok();
        Ok(usize::try_from(counted["total"].as_u64().context("a number")?)?)
    }

    /// Writes, kills, restarts, verifies, and then repeats the requests in doubt, as a real client
    /// would.
    pub fn round(&mut self) -> anyhow::Result<Round> {
        self.rounds += 1;
        let killed_after = Duration::from_millis(50 + self.rng.below(751));
        let writers = self.start_writers(vec![self.servers[0].address()])?;
        pause(killed_after);
        self.servers[0].kill();
        let written = writers.stop()?;
        self.next = written.next;
        let restarted = Instant::now();
        self.servers[0].restart();
        let recovery = restarted.elapsed();
        let checked = self.check(written.sent)?;
        let mut violations = [checked.verdict.violations, written.wrong].concat();
        if !violations.is_empty() {
            violations.push(format!("the server's log ends with\n{}", self.log_end()));
        }
        Ok(Round {
            number: self.rounds,
            killed_after,
            acknowledged: checked.acknowledged,
            in_doubt: checked.in_doubt,
            survived: checked.survived,
            recovery,
            transactions: checked.transactions,
            events: checked.events,
            violations,
        })
    }

    /// Compares the book with all requests (`sent` are the latest), repeats the ones in doubt, and
    /// audits the book.
    fn check(&mut self, sent: Vec<Request>) -> anyhow::Result<Checked> {
        let acknowledged =
            sent.iter().filter(|request| request.ids.is_some()).map(Request::len).sum();
        let doubtful: Vec<usize> = (self.requests.len()..self.requests.len() + sent.len())
            .zip(&sent)
            .filter(|(_, request)| request.ids.is_none())
            .map(|(position, _)| position)
            .collect();
        self.requests.extend(sent);

        self.settle();
        let mut connection = self.connect()?;
        let book = Book::read(&mut connection, &self.book)?;
        let mut verdict = Verdict::default();
        verdict.requests(&book, &self.requests);
        verdict.events(&book);
        verdict.balances(&book, &mut connection, &self.book)?;
        let survived = doubtful
            .iter()
            .filter(|position| book.holds(self.requests[**position].numbers.start))
            .count();
        for position in &doubtful {
            let request = &mut self.requests[*position];
            verdict.repeat(&book, request, &mut connection, &self.book)?;
        }
        verdict.audit(&self.owner, &self.book)?;
        if self.servers.iter().any(|server| server.log().contains("panicked")) {
            verdict.report("a server's log shows a panic");
        }
        Ok(Checked {
            acknowledged,
            in_doubt: doubtful.len(),
            survived,
            transactions: book.transactions(),
            events: book.events(),
            span: book.span(),
            verdict,
        })
    }

    /// Starts the writing clients, alternating over these servers.
    fn start_writers(&mut self, addresses: Vec<SocketAddr>) -> anyhow::Result<Persistent> {
        let token = self.owner.token().context("the owner has a token")?;
        Ok(Persistent::start(CLIENTS, addresses, token, &self.book, self.next, &mut self.rng))
    }

    /// Waits for the locks of the killed process: PostgreSQL still finishes its last statement.
    /// After a write of our own the lists do not change any more.
    fn settle(&self) {
        let round = json!({"properties": {"round": self.rounds.to_string()}});
        self.owner.put(&format!("/v5/books/{}", self.book), &round).ok();
    }

    fn log_end(&self) -> String {
        let logs: Vec<String> = self.servers.iter().map(Server::log).collect();
        let lines = logs.iter().flat_map(|log| log.lines());
        let lines: Vec<&str> = lines.filter(|line| !line.contains(" INFO ")).collect();
        lines[lines.len().saturating_sub(20)..].join("\n")
    }

    fn connect(&self) -> anyhow::Result<Connection> {
        let token = self.owner.token().context("the owner has a token")?;
        let first = self.servers.first().context("a server")?;
        Connection::open(first.address(), token).context("the server takes no connection")
    }
}
