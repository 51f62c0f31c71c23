//! What stands below the servers when a fault befalls them, and how each fault is done.

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

/// Sizes of small disks, in megabytes: what is recorded between the faults needs room, too, and an
/// empty PostgreSQL takes 60.
const SMALL: usize = 160;
const SMALL_OF_POSTGRES: usize = 384;

/// How long PostgreSQL stays away, turn by turn.
const AWAY: [Duration; 3] =
    [Duration::from_millis(300), Duration::from_secs(2), Duration::from_secs(12)];

/// How long a disk stays full.
const FULL: Duration = Duration::from_secs(3);

/// How many connections are cut, one by one, and the time between two of them.
const CUTS: usize = 60;
const BETWEEN_CUTS: Duration = Duration::from_millis(30);

/// What the clock is set to, turn by turn, in seconds.
const CLOCKS: [&str; 3] = ["-3600", "+3600", "+0"];

/// A library that shows a process another time, where Debian puts it.
const FAKETIME: &str = "/usr/lib/*/faketime/libfaketimeMT.so.1";

/// Why this fault cannot be made here.
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

/// What the servers stand on.
pub(super) struct Stage {
    fault: Fault,
    cluster: Option<Cluster>,
    disk: Option<Arc<SmallDisk>>,
    clock: Option<Clock>,
}

impl Stage {
    /// Servers to which this can happen.
    ///
    /// # Errors
    /// What is missing on this machine.
    pub(super) fn set(fault: Fault, engine: Engine) -> anyhow::Result<(Stage, Vec<Server>)> {
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
        Ok((Stage { fault, cluster, disk, clock }, servers))
    }

    /// Lets it happen, for the so manieth time; when it was over.
    pub(super) fn strike(
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
                pause(AWAY[turn % AWAY.len()]);
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

    /// What is to be seen once nobody writes any more.
    pub(super) fn rest(&mut self, servers: &mut [Server]) -> anyhow::Result<()> {
        revive(servers);
        match &self.clock {
            // Between two writes, too.
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
        // PostgreSQL ends where it finds no room for its log: whoever watches over it starts it
        // again.
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

/// Connections to a database are ended by its administrator, one after another.
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

/// A clock of its own for a server.
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

    /// Time that passes, for timeouts, passes as before: nobody can set that.
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
