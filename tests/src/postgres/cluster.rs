//! A temporary PostgreSQL server of the suite, which can be killed and restarted.

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{INSTALL, owner, query, tool};
use crate::guard::{Entry, Folder};
use crate::small_disk::SmallDisk;
use crate::{free_port, pause, scratch};

/// The settings of a cluster.
#[derive(Clone, Default)]
pub struct Setup {
    /// Syncs to disk, as in production. Tests that kill nothing need not wait for disks.
    pub durable: bool,
    /// The disk of its data, instead of the folder of temporary files.
    pub small_disk: Option<Arc<SmallDisk>>,
    /// The port of its primary, for a replica.
    pub follows: Option<u16>,
}

/// A server with an empty database `postgres`, whose superuser needs no password.
pub struct Cluster {
    setup: Setup,
    /// The folder of the log, and of the data unless a small disk has it.
    home: Folder,
    data: PathBuf,
    port: u16,
    url: String,
    server: Option<(Child, Entry)>,
}

impl Cluster {
    /// Creates a cluster and starts it.
    pub fn start(setup: Setup) -> Cluster {
        let Some(initdb) = tool("initdb") else {
            panic!("{INSTALL}");
        };
        let home = scratch::folder("cluster", setup.durable);
        if let Some((user, group)) = owner() {
            std::os::unix::fs::chown(home.path(), Some(user), Some(group))
                .expect("the directory changes owner");
        }
        let disk = setup.small_disk.as_ref().map(|disk| disk.path().to_owned());
        let data = disk.unwrap_or_else(|| home.path().to_owned()).join("data");
        let mut cluster = Cluster { setup, home, data, port: 0, url: String::new(), server: None };
        match cluster.setup.follows {
            Some(port) => cluster.copy(port),
            None => cluster.initialise(&initdb),
        }
        for _ in 0..10 {
            cluster.port = free_port();
            cluster.url = format!("postgres://postgres@127.0.0.1:{}/postgres", cluster.port);
            if cluster.launch() {
                return cluster;
            }
        }
        panic!("PostgreSQL does not start:\n{}", cluster.log());
    }

    /// Creates a replica of this one, which logs each statement.
    pub fn replica(&self) -> Cluster {
        Cluster::start(Setup { follows: Some(self.port), ..self.setup.clone() })
    }

    /// The administrator's address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The port it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The process id of the postmaster.
    pub fn pid(&self) -> u32 {
        self.server.as_ref().expect("the server runs").0.id()
    }

    /// Its data directory.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// Its log so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.home.path().join("log")).unwrap_or_default()
    }

    /// Sends SIGKILL to the server and to all of its processes.
    pub fn kill(&mut self) {
        let Some((mut child, _guard)) = self.server.take() else {
            return;
        };
        let server = child.id();
        let children = children(server);
        let mut all = vec!["-9".to_owned(), server.to_string()];
        all.extend(children.iter().cloned());
        // A process that has already ended is not a failure.
        drop(Command::new("kill").args(&all).stderr(Stdio::null()).status());
        drop(child.wait());
        // A new server refuses to start while one of them lives.
        let alive = |child: &String| Path::new("/proc").join(child).exists();
        while children.iter().any(alive) {
            pause(Duration::from_millis(1));
        }
    }

    /// Shuts the server down immediately, which is like a crash.
    pub fn stop_immediately(&mut self) {
        if let Some((mut child, _guard)) = self.server.take() {
            drop(Command::new("kill").args(["-QUIT", &child.id().to_string()]).status());
            drop(child.wait());
        }
    }

    /// Whether the server has ended without a signal of the suite.
    pub fn has_ended(&mut self) -> bool {
        self.server
            .as_mut()
            .is_none_or(|(child, _)| child.try_wait().expect("the state of the process").is_some())
    }

    /// Starts it again on the same data and port, and waits until it answers.
    pub fn resume(&mut self) {
        self.server = None;
        assert!(self.launch(), "PostgreSQL does not start again:\n{}", self.log());
    }

    /// Whether it answers.
    pub fn answers(&self) -> bool {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.port));
        TcpStream::connect(address).is_ok() && query(&self.url, "SELECT 1").is_ok()
    }

    fn initialise(&self, initdb: &Path) {
        // A linguistic collation, as most installations have, reveals orderings that depend on the
        // database's collation.
        let collations: [&[&str]; 2] = [
            &["--locale-provider=icu", "--icu-locale=en-US", "--locale=C.UTF-8"],
            &["--locale=C.UTF-8"],
        ];
        let mut said = String::new();
        for collation in collations {
            let mut command = self.owned(initdb);
            command
                .arg("-D")
                .arg(&self.data)
                .args(["-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"])
                .args(collation);
            let run = command.output().expect("initdb starts");
            if run.status.success() {
                return;
            }
            said = String::from_utf8_lossy(&run.stderr).into_owned();
            drop(std::fs::remove_dir_all(&self.data));
        }
        panic!("initdb fails: {said}");
    }

    /// Takes a base backup of the server at that port, to follow it.
    fn copy(&self, port: u16) {
        let backup = tool("pg_basebackup").unwrap_or_else(|| panic!("{INSTALL}"));
        let primary = format!("postgres://postgres@127.0.0.1:{port}/postgres");
        let run = self
            .owned(&backup)
            .arg("-D")
            .arg(&self.data)
            .args(["-d", &primary, "-R", "-X", "stream", "-c", "fast", "--no-sync"])
            .output()
            .expect("pg_basebackup starts");
        let said = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "pg_basebackup fails: {said}");
    }

    fn settings(&self) -> Vec<String> {
        let mut settings = vec![
            format!("port={}", self.port),
            "listen_addresses=127.0.0.1".to_owned(),
            format!("unix_socket_directories={}", self.home.path().display()),
            "max_connections=400".to_owned(),
        ];
        if self.setup.follows.is_some() {
            settings.push("log_statement=all".to_owned());
        }
        if self.setup.small_disk.is_some() {
            settings.push("max_wal_size=64MB".to_owned());
        }
        if !self.setup.durable {
            settings.extend(
                ["fsync=off", "synchronous_commit=off", "full_page_writes=off"].map(str::to_owned),
            );
        }
        settings
    }

    /// Starts the server; `false` when it ends instead of answering.
    fn launch(&mut self) -> bool {
        let postgres = tool("postgres").unwrap_or_else(|| panic!("{INSTALL}"));
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.home.path().join("log"))
            .expect("a log for the cluster");
        let mut command = self.owned(&postgres);
        command.arg("-D").arg(&self.data).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        for setting in self.settings() {
            command.args(["-c", &setting]);
        }
        let child = command.spawn().expect("postgres starts");
        let guard = Entry::new(&stop_command(child.id(), &self.data));
        self.server = Some((child, guard));
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(60) {
            // The server ends at once if another program took the port meanwhile.
            if self.has_ended() {
                self.server = None;
                return false;
            }
            if self.answers() {
                return true;
            }
            pause(Duration::from_millis(20));
        }
        self.kill();
        false
    }

    /// A command that runs as the owner of the cluster, on its disk.
    fn owned(&self, program: &Path) -> Command {
        let mut command = match &self.setup.small_disk {
            Some(disk) => disk.command(program, owner()),
            None => {
                let mut command = Command::new(program);
                if let Some((user, group)) = owner() {
                    command.uid(user).gid(group);
                }
                command
            }
        };
        // Its own process group: Ctrl-C ends the suite first, and the guard then stops the cluster
        // in order.
        command.current_dir(self.home.path()).process_group(0);
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.stop_immediately();
    }
}

/// The running child processes of a process.
pub fn children(parent: u32) -> Vec<String> {
    let list = std::fs::read_to_string(format!("/proc/{parent}/task/{parent}/children"));
    list.unwrap_or_default().split_whitespace().map(str::to_owned).collect()
}

/// Waits for the pid file to disappear, which the server removes last. SIGQUIT is the immediate
/// shutdown.
fn stop_command(server: u32, data: &Path) -> String {
    let file = data.join("postmaster.pid");
    let file = file.display();
    format!(
        "kill -QUIT {server}; for turn in $(seq 60); do [ -e '{file}' ] || break; sleep 0.05; \
            done; kill -9 {server}"
    )
}
