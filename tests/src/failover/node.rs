//! etcd and two PostgreSQL servers, each under Patroni, on the loopback interface and in a
//! temporary folder. Dropping the value, or the end of the process, stops and removes all of it.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use serde_json::Value;

use crate::guard::{Entry, Folder};
use crate::postgres::{children, owner, tool};
use crate::{Client, free_port, pause, unique};

/// The names of the two servers.
const NAMES: [&str; 2] = ["one", "two"];

/// etcd and the two servers.
pub(super) struct Patroni {
    etcd: Option<Child>,
    nodes: Vec<Node>,
    _guard: Entry,
    home: Folder,
}

struct Node {
    name: &'static str,
    folder: PathBuf,
    port: u16,
    api: u16,
    /// The Patroni process.
    child: Option<Child>,
}

impl Patroni {
    /// Starts etcd and both servers.
    pub(super) fn start() -> anyhow::Result<Patroni> {
        let name = format!("daybook-failover-{}-{}", std::process::id(), unique("pair"));
        let home = Folder::create(std::env::temp_dir().join(name));
        let (user, group) = owner().context("make failover needs root")?;
        std::os::unix::fs::chown(home.path(), Some(user), Some(group))?;
        // Every process started from this folder belongs to the test, including the servers that
        // Patroni starts.
        let guard = Entry::new(&format!(
            "for p in /proc/[0-9]*; do tr '\\0' ' ' <$p/cmdline 2>/dev/null \
                | grep -qF '{}' && kill -9 ${{p#/proc/}}; done",
            home.path().display()
        ));
        let (client, peer) = (free_port(), free_port());
        let mut etcd = command("etcd", home.path(), "etcd.log")?;
        let urls = [client, peer].map(|port| format!("http://127.0.0.1:{port}"));
        etcd.arg("--data-dir").arg(home.path().join("etcd"));
        for (option, url) in [
            ("--listen-client-urls", &urls[0]),
            ("--advertise-client-urls", &urls[0]),
            ("--listen-peer-urls", &urls[1]),
            ("--initial-advertise-peer-urls", &urls[1]),
        ] {
            etcd.args([option, url]);
        }
        etcd.args(["--initial-cluster", &format!("default={}", urls[1])]);
        let etcd = etcd.spawn().context("etcd")?;
        let mut patroni = Patroni { etcd: Some(etcd), nodes: Vec::new(), _guard: guard, home };
        for name in NAMES {
            let folder = patroni.home.path().join(name);
            std::fs::create_dir(&folder)?;
            std::os::unix::fs::chown(&folder, Some(user), Some(group))?;
            let node = Node { name, folder, port: free_port(), api: free_port(), child: None };
            std::fs::write(node.folder.join("patroni.yml"), node.settings(client)?)?;
            patroni.nodes.push(node);
        }
        for node in 0..patroni.nodes.len() {
            patroni.revive(node)?;
        }
        Ok(patroni)
    }

    /// The address of the database, with both servers.
    pub(super) fn url(&self) -> String {
        let hosts: Vec<String> =
            self.nodes.iter().map(|node| format!("127.0.0.1:{}", node.port)).collect();
        format!(
            "postgres://postgres@{}/postgres?target_session_attrs=read-write&connect_timeout=2",
            hosts.join(",")
        )
    }

    /// Waits until one server is the primary and the other its synchronous standby; returns the
    /// primary.
    pub(super) fn wait_for_pair(&mut self, limit: Duration) -> anyhow::Result<usize> {
        let begun = Instant::now();
        while begun.elapsed() < limit {
            for number in 0..self.nodes.len() {
                let members = self.nodes[number].members();
                let with =
                    |role: &str| members.iter().find(|member| member["role"] == role).cloned();
                if let (Some(leader), Some(standby)) = (with("leader"), with("sync_standby"))
                    && leader["state"] == "running"
                    && ["running", "streaming"].iter().any(|state| standby["state"] == *state)
                {
                    let leads = |node: &Node| leader["name"] == node.name;
                    return self.nodes.iter().position(leads).context("a leader of ours");
                }
            }
            pause(Duration::from_millis(100));
        }
        bail!("no primary with a synchronous standby within {limit:?}\n{}", self.logs())
    }

    /// Sends SIGKILL to a server, its child processes and its Patroni, as if the machine had
    /// failed.
    pub(super) fn kill(&mut self, number: usize) -> &'static str {
        let node = &mut self.nodes[number];
        if let Some(child) = &mut node.child {
            drop(child.kill());
            drop(child.wait());
        }
        node.child = None;
        if let Some(server) = node.server() {
            let mut all = vec!["-9".to_owned(), server.to_string()];
            let started = children(server);
            all.extend(started.iter().cloned());
            drop(Command::new("kill").args(&all).stderr(Stdio::null()).status());
            let alive = |process: &String| Path::new("/proc").join(process).exists();
            let begun = Instant::now();
            while (started.iter().any(alive) || alive(&server.to_string()))
                && begun.elapsed() < Duration::from_secs(5)
            {
                pause(Duration::from_millis(1));
            }
        }
        node.name
    }

    /// Waits until the other server accepts writes; returns the time.
    pub(super) fn wait_for_other(&self, number: usize, limit: Duration) -> anyhow::Result<Instant> {
        let other = &self.nodes[(number + 1) % self.nodes.len()];
        let begun = Instant::now();
        while begun.elapsed() < limit {
            if other.leads() {
                return Ok(Instant::now());
            }
            pause(Duration::from_millis(50));
        }
        bail!("{} does not take over within {limit:?}\n{}", other.name, self.logs())
    }

    /// Starts Patroni, as a supervisor does, and with it the server.
    pub(super) fn revive(&mut self, number: usize) -> anyhow::Result<()> {
        let node = &mut self.nodes[number];
        let mut patroni = command("patroni", &node.folder, "patroni.log")?;
        node.child = Some(patroni.arg(node.folder.join("patroni.yml")).spawn()?);
        Ok(())
    }

    /// The ends of all logs.
    pub(super) fn logs(&self) -> String {
        let files = self.nodes.iter().map(|node| node.folder.join("patroni.log"));
        let mut said = String::new();
        for file in files.chain([self.home.path().join("etcd.log")]) {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            let lines: Vec<&str> = text.lines().collect();
            said += &format!("{}:\n", file.display());
            said += &lines[lines.len().saturating_sub(15)..].join("\n");
            said.push('\n');
        }
        said
    }
}

impl Drop for Patroni {
    fn drop(&mut self) {
        for number in 0..self.nodes.len() {
            self.kill(number);
        }
        if let Some(mut etcd) = self.etcd.take() {
            drop(etcd.kill());
            drop(etcd.wait());
        }
    }
}

impl Node {
    /// The members as this Patroni reports them.
    fn members(&self) -> Vec<Value> {
        self.ask("/cluster")
            .and_then(|answer| answer["members"].as_array().cloned())
            .unwrap_or_default()
    }

    /// Whether this Patroni reports its server as the primary.
    fn leads(&self) -> bool {
        self.ask("/patroni").is_some_and(|answer| {
            answer["state"] == "running"
                && ["master", "primary"].iter().any(|role| answer["role"] == *role)
        })
    }

    fn ask(&self, path: &str) -> Option<Value> {
        let client = Client::new(&format!("http://127.0.0.1:{}", self.api), "", None);
        let answer = client.try_send("GET", path, None, &[]).ok()?;
        serde_json::from_str(&answer.text).ok()
    }

    /// The process id of the PostgreSQL server.
    fn server(&self) -> Option<u32> {
        let file = std::fs::read_to_string(self.folder.join("data/postmaster.pid")).ok()?;
        file.lines().next()?.trim().parse().ok()
    }

    fn settings(&self, etcd: u16) -> anyhow::Result<String> {
        // Patroni needs the folder with all programs; some installations link only a few elsewhere.
        let postgres = tool("pg_controldata").context("PostgreSQL is installed")?;
        let programs = postgres.parent().context("a folder")?.display();
        let Node { name, folder, port, api, .. } = self;
        let folder = folder.display();
        Ok(format!(
            r#"scope: daybook
name: {name}
restapi:
  listen: 127.0.0.1:{api}
  connect_address: 127.0.0.1:{api}
etcd3:
  host: 127.0.0.1:{etcd}
bootstrap:
  dcs:
    # A primary that is gone is replaced when its lease of 10 seconds has ended.
    ttl: 10
    loop_wait: 1
    retry_timeout: 3
    synchronous_mode: true
    synchronous_mode_strict: true
    postgresql:
      use_pg_rewind: true
      parameters:
        max_connections: 100
        wal_log_hints: "on"
        wal_keep_size: 256MB
  initdb:
  - encoding: UTF8
  - locale: C.UTF-8
  - auth: trust
  - data-checksums
postgresql:
  listen: 127.0.0.1:{port}
  connect_address: 127.0.0.1:{port}
  data_dir: {folder}/data
  bin_dir: {programs}
  pgpass: {folder}/pgpass
  remove_data_directory_on_rewind_failure: true
  remove_data_directory_on_diverged_timelines: true
  authentication:
    superuser:
      username: postgres
    replication:
      username: replicator
  pg_hba:
  - local all all trust
  - host all all 127.0.0.1/32 trust
  - host replication all 127.0.0.1/32 trust
  parameters:
    unix_socket_directories: {folder}
"#
        ))
    }
}

/// A command that runs as the owner of the servers, with its own log file.
fn command(program: &str, folder: &Path, log: &str) -> anyhow::Result<Command> {
    let missing = || format!("{program} is not installed: run tests/install-failover");
    let path = tool(program).with_context(missing)?;
    let (user, group) = owner().context("make failover needs root")?;
    let log = File::options().create(true).append(true).open(folder.join(log))?;
    ensure!(folder.is_absolute(), "the servers see the folder from elsewhere");
    let mut command = Command::new(path);
    command.current_dir(folder).uid(user).gid(group).process_group(0);
    command.env("HOME", folder).stdin(Stdio::null());
    command.stdout(log.try_clone()?).stderr(log);
    Ok(command)
}
