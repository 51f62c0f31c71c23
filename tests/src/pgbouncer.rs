//! pgbouncer, a pooler between Daybook and PostgreSQL, from Debian: `tests/install-fault-tools`.

use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::guard::{Entry, Folder};
use crate::postgres::{Cluster, owner, tool};
use crate::{free_port, pause, unique};

/// A pooler in front of a cluster; stopped when dropped.
pub struct Pgbouncer {
    url: String,
    child: Child,
    _guard: Entry,
    _home: Folder,
}

/// Reports a missing pgbouncer and how to install it.
pub fn missing() -> Option<String> {
    let none = tool("pgbouncer").is_none();
    none.then(|| "pgbouncer is not installed: run tests/install-fault-tools".to_owned())
}

impl Pgbouncer {
    /// Starts a pooler with these lines of settings.
    pub fn start(cluster: &Cluster, settings: &[&str]) -> Pgbouncer {
        let name = format!("daybook-pgbouncer-{}-{}", std::process::id(), unique("pooler"));
        let home = Folder::create(std::env::temp_dir().join(name));
        let file = home.path().join("pgbouncer.ini");
        let port = free_port();
        let text = format!(
            "[databases]\n* = host=127.0.0.1 port={} user=postgres\n[pgbouncer]\n\
                listen_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n\
                auth_type = any\nmax_client_conn = 200\ndefault_pool_size = 40\n{}\n",
            cluster.port(),
            settings.join("\n")
        );
        std::fs::write(&file, text).expect("settings");
        let program = tool("pgbouncer").expect("pgbouncer is installed");
        let mut command = Command::new(program);
        command.arg("--quiet").arg(&file).process_group(0);
        // pgbouncer refuses to run as root.
        if let Some((user, group)) = owner() {
            command.uid(user).gid(group);
        }
        let streams = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = streams.spawn().expect("pgbouncer starts");
        let guard = Entry::new(&format!("kill -9 {}", child.id()));
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(60), "pgbouncer listens");
            pause(Duration::from_millis(10));
        }
        let url = format!("postgres://postgres@127.0.0.1:{port}/postgres");
        Pgbouncer { url, child, _guard: guard, _home: home }
    }

    /// The address of the database behind it.
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Pgbouncer {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
