//! The environment of an attack: a server and the attacker's books.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use super::Plan;
use super::attack::Attack;
use crate::{Client, Options, Server, pause, unique};

/// Transactions per request of the preparation.
const BATCH: usize = 5_000;

/// The amount of prepared data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// The amount at which attacks are effective.
    Full,
    /// A twentieth, to test the siege itself.
    Small,
}

impl Size {
    /// The given amount, or a twentieth of it.
    pub(super) fn of(self, full: usize) -> usize {
        match self {
            Size::Full => full,
            Size::Small => full.div_ceil(20),
        }
    }
}

/// A server, and the user who attacks it.
pub struct SiegeEnv {
    pub(super) server: Server,
    pub(super) attacker: Client,
    pub(super) size: Size,
}

impl SiegeEnv {
    /// Starts a server for one attack, or for all attacks without special settings.
    pub(super) fn start(plan: Plan, attack: Option<&Attack>) -> anyhow::Result<SiegeEnv> {
        // No proxy is trusted, so connections count by their own address.
        let variables = vec![("DAYBOOK_TRUSTED_PROXIES".to_owned(), "192.0.2.1".to_owned())];
        let Plan { engine, size, .. } = plan;
        let open_files = attack.and_then(|attack| attack.open_files);
        let quota = attack.and_then(|attack| attack.quota);
        let args = quota.map(|bytes| ["--quota-user-bytes".to_owned(), bytes.to_string()]);
        let args = args.into_iter().flatten().collect();
        let options = Options { engine, env: variables, open_files, args, ..Options::default() };
        let server = Server::start_with(options);
        let attacker = server.client("attacker@example.com");
        attacker.token().context("the attacker has a token")?;
        Ok(SiegeEnv { server, attacker, size })
    }

    pub(super) fn token(&self) -> String {
        self.attacker.token().unwrap_or_default().to_owned()
    }

    /// Creates a book of the attacker with two accounts.
    pub(super) fn book(&self) -> anyhow::Result<String> {
        let accounts = [("Cash", "ASSET"), ("Food", "OUTGOING")]
            .map(|(name, kind)| json!({"name": name, "type": kind}));
        let body = json!({"name": unique("Attack"), "accounts": accounts});
        Ok(id(&self.create("/v5/books", &body))?.to_owned())
    }

    /// Creates a resource of the attacker. Requests of an earlier attack may still use the
    /// attacker's memory share; then it is retried.
    #[track_caller]
    pub(super) fn create(&self, path: &str, body: &Value) -> Value {
        let begun = Instant::now();
        loop {
            let answer = self.attacker.post(path, body);
            if answer.status != 503 || begun.elapsed() > Duration::from_secs(60) {
                return answer.ok();
            }
            pause(Duration::from_millis(100));
        }
    }

    /// Records transactions and returns their ids.
    pub(super) fn record(
        &self,
        book: &str,
        count: usize,
        fields: impl Fn(usize) -> Value,
    ) -> anyhow::Result<Vec<String>> {
        self.record_in(book, count, BATCH, fields)
    }

    /// Records transactions in batches of this size and returns their ids.
    pub(super) fn record_in(
        &self,
        book: &str,
        count: usize,
        batch: usize,
        fields: impl Fn(usize) -> Value,
    ) -> anyhow::Result<Vec<String>> {
        let mut ids = Vec::new();
        for first in (0..count).step_by(batch) {
            let items: Vec<Value> =
                (first..count.min(first + batch)).map(|number| dinner(&fields(number))).collect();
            let path = format!("/v5/books/{book}/transactions/batch");
            let made = self.create(&path, &json!({"items": items}));
            for item in made["items"].as_array().context("a list of transactions")? {
                ids.push(id(item)?.to_owned());
            }
        }
        ensure!(ids.len() == count, "{} of {count} transactions", ids.len());
        Ok(ids)
    }

    /// Creates files without content and with the most properties allowed.
    pub(super) fn files(&self, book: &str, count: usize) -> anyhow::Result<Vec<Value>> {
        let path = format!("/v5/books/{book}/files");
        let made = (0..count).map(|number| {
            let body = json!({"name": format!("{number}.txt"), "properties": largest_properties()});
            Ok(json!({"id": id(&self.create(&path, &body))?}))
        });
        made.collect()
    }

    /// Creates ten groups with the most properties allowed, and 300 accounts in all of them.
    pub(super) fn chart(&self, book: &str) -> anyhow::Result<()> {
        let groups: Vec<Value> =
            (0..10).map(|number| json!({"name": format!("G{number}")})).collect();
        let stuffed: Vec<Value> = groups
            .iter()
            .map(|group| json!({"name": group["name"], "properties": largest_properties()}))
            .collect();
        let accounts: Vec<Value> = (0..self.size.of(300))
            .map(|number| json!({"name": format!("A{number}"), "type": "ASSET", "groups": groups}))
            .collect();
        for (kind, all, batch) in [("groups", stuffed, 10), ("accounts", accounts, 10)] {
            for items in all.chunks(batch) {
                let path = format!("/v5/books/{book}/{kind}/batch");
                self.create(&path, &json!({"items": items}));
            }
        }
        Ok(())
    }
}

/// The most properties that a resource may have: 64 KB in all, 8 KB each.
fn largest_properties() -> Value {
    (0..8).map(|number| (format!("p{number}"), json!("x".repeat(8_150)))).collect()
}

/// The body of a transaction with some fields replaced.
pub(super) fn dinner(fields: &Value) -> Value {
    let mut body = json!({
        "date": "2025-01-31",
        "amount": "12.50",
        "creditAccount": {"name": "Cash"},
        "debitAccount": {"name": "Food"},
        "description": "Dinner",
    });
    for (name, value) in fields.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    body
}

pub(super) fn id(resource: &Value) -> anyhow::Result<&str> {
    resource["id"].as_str().with_context(|| format!("a resource without an id: {resource}"))
}
