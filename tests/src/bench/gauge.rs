//! Processor time and memory of processes, from /proc.

use std::path::Path;
use std::time::Duration;

use crate::{Engine, Server};

/// The kernel's unit of processor time in /proc (USER_HZ): 100 per second on all supported Linux
/// platforms.
const TICK: Duration = Duration::from_millis(10);

/// The processes of one engine.
pub(super) struct Gauge {
    server: u32,
    /// The postmaster; `None` on SQLite, and when PostgreSQL runs on another machine.
    database: Option<u32>,
}

/// Processor time.
#[derive(Clone, Copy, Default)]
pub(super) struct Used {
    pub(super) server: Duration,
    pub(super) database: Duration,
}

impl Used {
    /// Adds the difference of two readings.
    pub(super) fn add(&mut self, before: Used, after: Used) {
        self.server += after.server.saturating_sub(before.server);
        self.database += after.database.saturating_sub(before.database);
    }

    /// Microseconds per item since an earlier reading, of the program and of the database.
    pub(super) fn since(self, before: Used, count: usize) -> [f64; 2] {
        let mut spent = Used::default();
        spent.add(before, self);
        [spent.server, spent.database].map(|time| time.as_secs_f64() * 1e6 / count as f64)
    }
}

impl Gauge {
    /// For a running server and its database. Outside of asynchronous code: it asks PostgreSQL.
    pub(super) fn new(server: &Server) -> Gauge {
        Gauge { server: server.pid(), database: postmaster(server) }
    }

    /// For this process and the same database: the raw loop.
    pub(super) fn own(&self) -> Gauge {
        Gauge { server: std::process::id(), database: self.database }
    }

    /// Whether the database is a separate local process.
    pub(super) fn watches_database(&self) -> bool {
        self.database.is_some()
    }

    /// Processor time so far.
    pub(super) fn read(&self) -> Used {
        Used {
            server: used(self.server).unwrap_or_default().own,
            database: self.database.map(family).unwrap_or_default(),
        }
    }

    /// Resident memory of the server in MiB.
    pub(super) fn resident(&self) -> f64 {
        crate::resident(self.server)
    }

    /// The largest resident memory of the server in MiB since [`Self::reset_peak`].
    pub(super) fn peak(&self) -> f64 {
        crate::peak_memory(self.server)
    }

    /// Begins a new peak.
    pub(super) fn reset_peak(&self) -> std::io::Result<()> {
        std::fs::write(format!("/proc/{}/clear_refs", self.server), "5")
    }
}

#[derive(Default)]
struct Times {
    parent: u32,
    own: Duration,
    /// Of ended children.
    ended: Duration,
}

fn used(process: u32) -> Option<Times> {
    let line = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The command name may contain any character, including parentheses.
    let fields: Vec<&str> = line.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |field: usize| fields.get(field)?.parse::<u32>().ok();
    Some(Times {
        parent: fields.get(1)?.parse().ok()?,
        own: TICK * (ticks(11)? + ticks(12)?),
        ended: TICK * (ticks(13)? + ticks(14)?),
    })
}

/// A process with its children, including ended ones.
fn family(parent: u32) -> Duration {
    let Some(times) = used(parent) else {
        return Duration::ZERO;
    };
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let children = processes
        .filter_map(|entry| used(entry.file_name().to_str()?.parse().ok()?))
        .filter(|child| child.parent == parent);
    times.own + times.ended + children.map(|child| child.own).sum::<Duration>()
}

fn postmaster(server: &Server) -> Option<u32> {
    if server.engine() == Engine::Sqlite {
        return None;
    }
    let mut client = ::postgres::Client::connect(server.database_url(), ::postgres::NoTls).ok()?;
    let directory: String = client.query_one("SHOW data_directory", &[]).ok()?.get(0);
    let file = std::fs::read_to_string(Path::new(&directory).join("postmaster.pid")).ok()?;
    file.lines().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_measured() {
        let times = used(std::process::id()).expect("a line in /proc");
        assert_ne!(times.parent, 0);
        let gauge = Gauge { server: std::process::id(), database: None };
        assert!(gauge.resident() > 0.5, "some MiB");
    }
}
