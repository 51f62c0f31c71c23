//! The infrastructure of the servers for each fault, and how each fault is injected.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use postgres::NoTls;

use super::faults::Fault;
use crate::guard::Folder;
use crate::postgres::{Cluster, Setup};
use crate::server::Options;
use crate::small_disk::SmallDisk;
use crate::{Engine, Server, pause, unique};

/// The size of small disks in megabytes: enough for an empty PostgreSQL (60) and the recorded data.
const SMALL: usize = 160;
const SMALL_OF_POSTGRES: usize = 384;

/// How long PostgreSQL stays down, in rotation.
const DOWN_TIMES: [Duration; 3] =
    [Duration::from_millis(300), Duration::from_secs(2), Duration::from_secs(12)];

/// How long a disk stays full.
const FULL: Duration = Duration::from_secs(3);

/// The number of terminated connections, and the time between two of them.
const CUTS: usize = 60;
const BETWEEN_CUTS: Duration = Duration::from_millis(30);

/// The offsets of the clock in seconds, in rotation.
const CLOCKS: [&str; 3] = ["-3600", "+3600", "+0"];

/// The library that shifts the time of a process, in Debian's folder.
const FAKETIME: &str = "/usr/lib/*/faketime/libfaketimeMT.so.1";

/// Why this fault cannot be injected on this machine.
pub fn missing(fault: Fault) -> Option<String> {
    match fault {
        Fault::ClockSet => library().is_none().then(|| {
            "a clock that is set needs libfaketime: run tests/install-fault-tools".to_owned()
        }),
        Fault::DiskFull => SmallDisk::mount(1).err(),
        Fault::ProcessKilled
        | Fault::PostgresKilled
        | Fault::PostgresStopped
        | Fault::ConnectionsCut => None,
    }
}

/// The infrastructure of the servers.
pub(super) struct Infrastructure {
    fault: Fault,
    cluster: Option<Cluster>,
    disk: Option<Arc<SmallDisk>>,
    clock: Option<Clock>,
}

impl Infrastructure {
    /// Starts servers for a fault.
    ///
    /// # Errors
    /// When a tool is missing on this machine.
    pub(super) fn set(
        fault: Fault,
        engine: Engine,
    ) -> anyhow::Result<(Infrastructure, Vec<Server>)> {
        let clock = (fault == Fault::ClockSet).then(Clock::new).transpose()?;
        let disk = match (fault, engine) {
            (Fault::DiskFull, Engine::Sqlite) => Some(SMALL),
            (Fault::DiskFull, Engine::Postgres) => Some(SMALL_OF_POSTGRES),
            _ => None,
        };
        let disk = disk.map(|size| SmallDisk::mount(size).map(Arc::new)).transpose();
        let disk = disk.map_err(anyhow::Error::msg)?;
        let (below, beside) = match engine {
            Engine::Sqlite => (None, disk.clone()),
            Engine::Postgres => (disk.clone(), None),
        };
        let cluster = (engine == Engine::Postgres)
            .then(|| Cluster::start(Setup { durable: true, small_disk: below, follows: None }));
        let first = Server::start_with(Options {
            engine,
            database_url: cluster.as_ref().map(|cluster| cluster.url().to_owned()),
            small_disk: beside,
            env: clock.as_ref().map(Clock::environment).unwrap_or_default(),
            ..Options::default()
        });
        let second = (fault == Fault::ProcessKilled).then(|| first.beside(&[]));
        let servers = [Some(first), second].into_iter().flatten().collect();
        Ok((Infrastructure { fault, cluster, disk, clock }, servers))
    }

    /// Injects the fault for the n-th time; returns when it was over.
    pub(super) fn inject(
        &mut self,
        servers: &mut [Server],
        turn: usize,
    ) -> anyhow::Result<Instant> {
        match self.fault {
            Fault::ProcessKilled => {
                revive(servers);
                let count = servers.len();
                servers[turn % count].kill();
            }
            Fault::PostgresKilled | Fault::PostgresStopped => {
                let cluster = self.cluster.as_mut().context("a cluster")?;
                if self.fault == Fault::PostgresKilled {
                    cluster.kill();
                } else {
                    cluster.stop_immediately();
                }
                pause(DOWN_TIMES[turn % DOWN_TIMES.len()]);
                cluster.resume();
            }
            Fault::ConnectionsCut => cut(self.cluster.as_ref().context("a cluster")?.url())?,
            Fault::DiskFull => self.fill()?,
            Fault::ClockSet => {
                self.clock.as_ref().context("a clock")?.set(CLOCKS[turn % CLOCKS.len()])?;
            }
        }
        Ok(Instant::now())
    }

    /// Brings everything back to normal after the clients have stopped.
    pub(super) fn rest(&mut self, servers: &mut [Server]) -> anyhow::Result<()> {
        revive(servers);
        match &self.clock {
            // The clock also changes between two writes.
            Some(clock) => clock.set(CLOCKS[0]),
            None => Ok(()),
        }
    }

    fn fill(&mut self) -> anyhow::Result<()> {
        let disk = self.disk.as_ref().context("a disk")?;
        let begun = Instant::now();
        while begun.elapsed() < FULL {
            disk.fill();
            pause(Duration::from_millis(100));
        }
        disk.free();
        // PostgreSQL ends when it has no space for its log; the supervisor restarts it.
        if let Some(cluster) = &mut self.cluster
            && cluster.has_ended()
        {
            cluster.resume();
        }
        Ok(())
    }
}

fn revive(servers: &mut [Server]) {
    for server in servers.iter_mut().filter(|server| !server.runs()) {
        server.restart();
    }
}

/// Terminates the connections to a database, one after another.
fn cut(url: &str) -> anyhow::Result<()> {
    let mut administrator = postgres::Client::connect(url, NoTls)?;
    for _ in 0..CUTS {
        let one = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
            WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() \
            ORDER BY random() LIMIT 1";
        administrator.batch_execute(one)?;
        pause(BETWEEN_CUTS);
    }
    Ok(())
}

/// A shifted clock for a server.
struct Clock {
    library: PathBuf,
    folder: Folder,
}

impl Clock {
    fn new() -> anyhow::Result<Clock> {
        let library = library().context("libfaketime")?;
        let name = format!("daybook-clock-{}-{}", std::process::id(), unique("clock"));
        let clock = Clock { library, folder: Folder::create(std::env::temp_dir().join(name)) };
        clock.set("+0")?;
        Ok(clock)
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("offset")
    }

    /// Only the wall clock is shifted; timeouts use the monotonic clock.
    fn environment(&self) -> Vec<(String, String)> {
        let file = self.file();
        [
            ("LD_PRELOAD", &*self.library.to_string_lossy()),
            ("FAKETIME_TIMESTAMP_FILE", &*file.to_string_lossy()),
            ("FAKETIME_NO_CACHE", "1"),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
    }

    fn set(&self, offset: &str) -> anyhow::Result<()> {
        let next = self.folder.path().join("next");
        std::fs::write(&next, offset)?;
        Ok(std::fs::rename(next, self.file())?)
    }
}

fn library() -> Option<PathBuf> {
    let (before, after) = FAKETIME.split_once('*')?;
    let folders = std::fs::read_dir(Path::new(before)).ok()?.flatten();
    folders
        .map(|folder| folder.path().join(after.trim_start_matches('/')))
        .find(|file| file.exists())
}
