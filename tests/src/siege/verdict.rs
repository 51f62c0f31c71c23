//! The verdict on a siege, and its row in the table.

use std::time::Duration;

use super::Siege;
use crate::table::{Cell, Table};

/// The limits during an attack. In addition no request of the victim may fail, and the server must
/// stay ready and running.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The 99th percentile of the victim's latencies.
    pub p99: Duration,
    /// The time until an event reaches its app.
    pub event: Duration,
    /// Resident memory in MiB.
    pub resident: f64,
}

/// The number of outcomes that the table shows.
const SHOWN: usize = 6;

impl Siege {
    /// Lists all violated limits.
    pub fn violations(&self, bounds: Bounds) -> Vec<String> {
        let mut found = Vec::new();
        let p99 = self.during.percentile(99);
        if p99 > bounds.p99 {
            found.push(format!("p99 is {} ms", p99.as_millis()));
        }
        if self.event > bounds.event {
            found.push(format!("an event took {} ms", self.event.as_millis()));
        }
        for (what, failures) in [("failed", &self.failed), ("not ready", &self.unready)] {
            if let Some(first) = failures.first() {
                found.push(format!("{} {what} ({first})", failures.len()));
            }
        }
        if let Some(bytes) = self.beyond_quota.filter(|bytes| *bytes > 0) {
            found.push(format!("{bytes} bytes of answers are kept beyond the quota"));
        }
        // NaN: the process has ended.
        if self.resident.is_nan() || self.resident > bounds.resident {
            found.push(format!("{:.0} MiB", self.resident));
        }
        found.extend(self.aborted.clone());
        found
    }

    /// The outcomes of the attacker's requests, most frequent first.
    fn outcome_summary(&self) -> String {
        let mut got: Vec<_> = self.got.iter().collect();
        got.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let shown = got.iter().take(SHOWN).map(|(outcome, count)| format!("{outcome} x{count}"));
        let mut words: Vec<String> = shown.collect();
        words.push(format!("{} MB", self.bytes / 1_000_000));
        words.join(", ")
    }
}

/// The table of an engine.
pub fn table(engine: &str, sieges: &[Siege], bounds: Bounds) -> Table {
    let columns = [
        "attack",
        "p50",
        "p99",
        "p50 then",
        "p99 then",
        "max",
        "/ready",
        "event",
        "MiB",
        "attacker got",
        "held",
    ];
    let mut table = Table::new("siege", &format!("Siege: {engine}"), &columns).method(format!(
        "Latencies of the victim in ms, before and during the attack; p99 at most {} ms, an event \
            reaches its app in {} ms, resident memory at most {} MiB, nothing fails, /ready is \
            always 200.",
        bounds.p99.as_millis(),
        bounds.event.as_millis(),
        bounds.resident
    ));
    for siege in sieges {
        let violations = siege.violations(bounds);
        let (before, during) = (&siege.before, &siege.during);
        table.row([
            Cell::from(siege.name),
            Cell::Figure(before.milliseconds(50), 1),
            Cell::Figure(before.milliseconds(99), 1),
            Cell::Figure(during.milliseconds(50), 1),
            Cell::Figure(during.milliseconds(99), 1),
            Cell::whole(during.milliseconds(100)),
            Cell::whole(siege.ready.as_secs_f64() * 1e3),
            Cell::whole(siege.event.as_secs_f64() * 1e3),
            Cell::whole(siege.resident),
            Cell::from(siege.outcome_summary()),
            Cell::from(if violations.is_empty() {
                "yes".to_owned()
            } else {
                violations.join("; ")
            }),
        ]);
    }
    table
}
