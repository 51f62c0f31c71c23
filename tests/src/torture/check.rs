//! Checks the state of a book after a restart.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::Value;

use super::writers::Request;
use super::{ACCOUNTS, Content, account};
use crate::decimal::{show, units};
use crate::load::Connection;
use crate::{Client, bank, encode, pause};

/// A range that includes all dates. Its lower bound limits the series to these days.
const RANGE: &str = "after:2023-01 before:2025-01";

/// A transaction in the list.
struct Listed {
    id: String,
    posted: bool,
    content: Content,
}

/// An event in the log.
struct Logged {
    sequence: i64,
    kind: String,
    resource: String,
    /// In milliseconds.
    made: i64,
}

/// The state of a book from its lists.
pub(super) struct Book {
    transactions: BTreeMap<u64, Listed>,
    /// Listed rows that do not match any request.
    strange: Vec<String>,
    events: Vec<Logged>,
}

impl Book {
    /// Reads all pages of transactions and events.
    pub(super) fn read(connection: &mut Connection, book: &str) -> anyhow::Result<Book> {
        let mut transactions = BTreeMap::new();
        let mut strange = Vec::new();
        for item in list(connection, &format!("/v5/books/{book}/transactions?limit=1000"))? {
            match listed(&item) {
                Some((number, row)) => {
                    if let Some(model) = transactions.insert(number, row) {
                        strange
                            .push(format!("transaction {number} is listed twice ({})", model.id));
                    }
                }
                None => strange.push(format!("a transaction that was not sent: {item}")),
            }
        }
        let events = list(connection, &format!("/v5/books/{book}/events?limit=200"))?;
        let events = events.iter().map(logged).collect::<anyhow::Result<_>>()?;
        Ok(Book { transactions, strange, events })
    }

    pub(super) fn holds(&self, number: u64) -> bool {
        self.transactions.contains_key(&number)
    }

    pub(super) fn transactions(&self) -> usize {
        self.transactions.len()
    }

    pub(super) fn events(&self) -> usize {
        self.events.len()
    }

    /// The time between the earliest and the latest event.
    pub(super) fn span(&self) -> Duration {
        let made = || self.events.iter().map(|event| event.made);
        let span = made().max().zip(made().min()).map_or(0, |(last, first)| last - first);
        Duration::from_millis(u64::try_from(span).unwrap_or_default())
    }
}

/// All items of a paged list.
fn list(connection: &mut Connection, path: &str) -> anyhow::Result<Vec<Value>> {
    let mut all = Vec::new();
    let mut cursor = String::new();
    loop {
        let reply = if cursor.is_empty() {
            connection.get(path)?
        } else {
            connection.page(path, &cursor)?
        };
        let mut page = reply.accepted()?.json()?;
        let Value::Array(items) = page["items"].take() else {
            anyhow::bail!("{path}: a page without items");
        };
        let empty = items.is_empty();
        all.extend(items);
        let next = page["cursor"].as_str().unwrap_or_default();
        if next.is_empty() {
            return Ok(all);
        }
        ensure!(!empty && next != cursor, "2.3: {path}: a cursor that leads nowhere");
        next.clone_into(&mut cursor);
    }
}

fn listed(item: &Value) -> Option<(u64, Listed)> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let [remote_id] = item["remoteIds"].as_array()?.as_slice() else {
        return None;
    };
    let amount = crate::decimal::try_units(item["amount"].as_str()?)?;
    let content = Content {
        date: text(&item["date"])?,
        amount: u64::try_from(amount / 1_000_000).ok()?,
        credit: text(&item["creditAccount"]["name"])?,
        debit: text(&item["debitAccount"]["name"])?,
    };
    let row = Listed { id: text(&item["id"])?, posted: item["posted"].as_bool()?, content };
    Some((remote_id.as_str()?.parse().ok()?, row))
}

fn logged(item: &Value) -> anyhow::Result<Logged> {
    let event = || format!("not an event: {item}");
    Ok(Logged {
        sequence: item["sequence"].as_i64().with_context(event)?,
        kind: item["type"].as_str().with_context(event)?.to_owned(),
        resource: item["resource"].as_str().with_context(event)?.to_owned(),
        made: item["createdAt"].as_str().and_then(|made| made.parse().ok()).with_context(event)?,
    })
}

/// The result of the checks.
#[derive(Default)]
pub(super) struct Verdict {
    pub(super) violations: Vec<String>,
    /// Acknowledged transactions that are missing.
    pub(super) lost: usize,
    /// Requests recorded in part.
    pub(super) half_seen: usize,
    /// Findings of the audit.
    pub(super) findings: u64,
}

impl Verdict {
    pub(super) fn report(&mut self, violation: impl Into<String>) {
        self.violations.push(violation.into());
    }

    fn demand(&mut self, holds: bool, violation: impl FnOnce() -> String) {
        if !holds {
            self.report(violation());
        }
    }

    /// Checks the requests: acknowledged transactions are complete; a request answered 503 left
    /// nothing; every other request is complete or absent; other transactions do not exist.
    pub(super) fn requests(&mut self, book: &Book, requests: &[Request]) {
        self.violations.extend(book.strange.iter().cloned());
        let mut sent = BTreeSet::new();
        for request in requests {
            sent.extend(request.numbers.clone());
            let there = request.numbers.clone().filter(|number| book.holds(*number)).count();
            if there != 0 && there != request.len() {
                self.half_seen += 1;
                let len = request.len();
                self.report(format!("{there} of {len} of a batch are there: {request:?}"));
            }
            self.demand(!request.undone || there == 0, || {
                format!("answered 503, and recorded all the same: {request:?}")
            });
            for (number, id) in request.numbers.clone().zip(request.ids.iter().flatten()) {
                match book.transactions.get(&number) {
                    None => {
                        self.lost += 1;
                        self.report(format!("LOST: transaction {number}, acknowledged as {id}"));
                    }
                    Some(listed) => self.demand(listed.id == *id, || {
                        format!("transaction {number} is {}, acknowledged as {id}", listed.id)
                    }),
                }
            }
        }
        for (number, listed) in &book.transactions {
            let content = Content::of(*number);
            self.demand(sent.contains(number), || format!("transaction {number} was never sent"));
            self.demand(listed.posted && listed.content == content, || {
                format!(
                    "transaction {number} is {:?} (posted: {}), sent as {content:?}",
                    listed.content, listed.posted
                )
            });
        }
    }

    /// Checks the log: numbers from 1 without gaps, and one posting event per transaction.
    pub(super) fn events(&mut self, book: &Book) {
        let sequences: BTreeSet<i64> = book.events.iter().map(|event| event.sequence).collect();
        let last = sequences.last().copied().unwrap_or_default();
        let whole = sequences.first() == Some(&1) && usize::try_from(last) == Ok(book.events.len());
        self.demand(whole && sequences.len() == book.events.len(), || {
            let gaps: Vec<i64> =
                (1..last).filter(|number| !sequences.contains(number)).take(5).collect();
            let count = book.events.len();
            format!("{count} events, numbered up to {last}; missing: {gaps:?}")
        });
        let known: HashMap<&str, u64> = book
            .transactions
            .iter()
            .map(|(number, listed)| (listed.id.as_str(), *number))
            .collect();
        let mut shown = BTreeSet::new();
        for event in book.events.iter().filter(|event| event.kind.starts_with("TRANSACTION_")) {
            let Logged { sequence, kind, resource, .. } = event;
            self.demand(kind == "TRANSACTION_POSTED", || format!("event {sequence} is {kind}"));
            match known.get(resource.as_str()) {
                None => {
                    self.report(format!("event {sequence} is about {resource}, which is not there"))
                }
                Some(number) => self.demand(shown.insert(*number), || {
                    format!("event {sequence} is about transaction {number} again")
                }),
            }
        }
        for number in book.transactions.keys().filter(|number| !shown.contains(number)) {
            self.report(format!("no event is about transaction {number}"));
        }
    }

    /// Checks the balances: in total, by month and by day they equal the sums of the transactions,
    /// and add up to zero.
    pub(super) fn balances(
        &mut self,
        book: &Book,
        connection: &mut Connection,
        id: &str,
    ) -> anyhow::Result<()> {
        // yyyyMMdd, truncated to the slice.
        for (letter, cut) in [("m", 100), ("d", 1)] {
            let query = encode(&format!("{RANGE} by:{letter}"));
            let reply = connection.get(&format!("/v5/books/{id}/balances?query={query}"))?;
            let answer = reply.accepted()?.json()?;
            let expected = sums(book, cut);
            let shown = bank::accounts(&answer);
            for number in 0..ACCOUNTS {
                let name = account(number as u64);
                match shown.get(&name) {
                    None => self.report(format!("{name} has no balances")),
                    Some(container) => self.account(&name, container, &expected),
                }
            }
            let total = bank::whole(&answer);
            self.demand(total == 0, || format!("the book sums to {}", show(total, 2)));
        }
        Ok(())
    }

    fn account(&mut self, name: &str, container: &Value, expected: &Sums) {
        let none = BTreeMap::new();
        let slices = expected.get(name).unwrap_or(&none);
        let mut total = [0, 0];
        for [debit, credit] in slices.values() {
            total = [total[0] + debit, total[1] + credit];
        }
        self.pair(name, container, "cumulative", total);
        let mut seen = 0;
        for slice in container["balances"].as_array().into_iter().flatten() {
            let date = slice["fuzzyDate"].as_i64().unwrap_or_default();
            let sum = slices.get(&date).copied();
            seen += usize::from(sum.is_some());
            self.pair(&format!("{name} {date}"), slice, "period", sum.unwrap_or_default());
        }
        self.demand(seen == slices.len(), || {
            format!("{name} has {seen} of {} slices with movements", slices.len())
        });
    }

    fn pair(&mut self, what: &str, shown: &Value, kind: &str, expected: [i128; 2]) {
        for (side, expected) in ["Debit", "Credit"].into_iter().zip(expected) {
            let found = &shown[format!("{kind}{side}")];
            let right = found.as_str().and_then(crate::decimal::try_units) == Some(expected);
            self.demand(right, || {
                format!(
                    "{what}: {kind}{side} is {found}, the transactions say {}",
                    show(expected, 2)
                )
            });
        }
    }

    /// Repeats the requests in doubt, as a client with a broken connection does: it gets what is
    /// recorded, or records it now (3.7).
    pub(super) fn repeat(
        &mut self,
        book: &Book,
        request: &mut Request,
        connection: &mut Connection,
        id: &str,
    ) -> anyhow::Result<()> {
        let ids = request.send(connection, id)?;
        let ids = ids.context("the restarted server closes a connection")?;
        for (number, id) in request.numbers.clone().zip(&ids) {
            let survivor = book.transactions.get(&number).map(|listed| &listed.id);
            self.demand(survivor.is_none_or(|survivor| survivor == id), || {
                format!(
                    "transaction {number} survived as {survivor:?} and is recorded again as {id}"
                )
            });
        }
        (request.ids, request.undone) = (Some(ids), false);
        Ok(())
    }
}

/// The timeout of an audit.
const AUDIT_TIMEOUT: Duration = Duration::from_secs(90);

impl Verdict {
    /// Audits the book, which must find nothing (6.7).
    pub(super) fn audit(&mut self, owner: &Client, book: &str) -> anyhow::Result<()> {
        let path = format!("/v5/books/{book}/events?type=BOOK_AUDITED&limit=200");
        let audits = || -> Vec<Value> {
            owner.get(&path).ok()["items"].as_array().cloned().unwrap_or_default()
        };
        let known = audits().len();
        owner.send("PATCH", &format!("/v5/books/{book}/audit"), &Value::Null).no_content();
        let asked = Instant::now();
        while asked.elapsed() < AUDIT_TIMEOUT {
            let made = audits();
            if made.len() > known {
                let audit = &made[0]["data"]["audit"];
                self.findings = audit["findingsCount"].as_u64().context("a number of findings")?;
                let clean = ["balancesMatch", "zeroSum", "chainIntact"]
                    .iter()
                    .all(|field| audit[field] == true);
                let findings = self.findings;
                self.demand(clean && findings == 0, || format!("the audit says {audit}"));
                return Ok(());
            }
            pause(Duration::from_millis(20));
        }
        anyhow::bail!("6.7: no audit within {AUDIT_TIMEOUT:?}")
    }
}

/// Debit and credit by account and slice, from the listed transactions.
type Sums = BTreeMap<String, BTreeMap<i64, [i128; 2]>>;

fn sums(book: &Book, cut: i64) -> Sums {
    let mut sums = Sums::new();
    for listed in book.transactions.values() {
        let content = &listed.content;
        let date: i64 = content.date.replace('-', "").parse().unwrap_or_default();
        let amount = units(&content.amount());
        for (name, side) in [(&content.debit, 0), (&content.credit, 1)] {
            let slices = sums.entry(name.clone()).or_default();
            slices.entry(date / cut * cut).or_default()[side] += amount;
        }
    }
    sums
}
