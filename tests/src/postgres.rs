//! One temporary PostgreSQL cluster per process, started when first needed, and one database per
//! server in it.

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::guard::{Entry, Folder};
use crate::{free_port, pause, setting};

const INSTALL: &str = "PostgreSQL is not installed: the suite runs on SQLite and on PostgreSQL. \
    Run `apt-get install postgresql`, or name \
    a running server with DAYBOOK_TEST_POSTGRES_URL=postgres://..., or ask for SQLite alone with \
    DAYBOOK_TEST_ENGINES=sqlite";

/// A database of its own, dropped with this value.
pub(crate) struct Database {
    pub(crate) url: String,
    name: String,
    admin: String,
    _guard: Entry,
}

impl Database {
    /// `durable` asks for a cluster that writes through to disk (the benchmark); tests do not wait
    /// for disks.
    pub(crate) fn create(durable: bool) -> Database {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let admin = admin_url(durable);
        let name =
            format!("daybook_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        query(&admin, &format!("CREATE DATABASE {name}")).expect("a database is created");
        let statement = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
        let psql = tool("psql").expect("psql has just run");
        let guard =
            Entry::new(&format!("'{}' -X -q -d '{admin}' -c '{statement}'", psql.display()));
        Database { url: with_database(&admin, &name), name, admin, _guard: guard }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let dropped =
            query(&self.admin, &format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name));
        if let Err(message) = dropped {
            eprintln!("the test database {} stays: {message}", self.name);
        }
    }
}

/// The administrator's address of the server that holds the databases: the one named by the
/// environment, else our cluster.
pub fn admin_url(durable: bool) -> String {
    static CLUSTERS: [OnceLock<Cluster>; 2] = [OnceLock::new(), OnceLock::new()];
    if let Some(url) = setting("DAYBOOK_TEST_POSTGRES_URL") {
        return url;
    }
    CLUSTERS[usize::from(durable)].get_or_init(|| Cluster::start(durable)).url.clone()
}

/// `postgres://user@host:port/database?options` with another database.
fn with_database(admin: &str, name: &str) -> String {
    let (address, options) =
        admin.split_once('?').map_or((admin, None), |(address, options)| (address, Some(options)));
    let host = address.find("://").map_or(0, |at| at + 3);
    let end = address[host..].find('/').map_or(address.len(), |at| host + at);
    let options = options.map(|options| format!("?{options}")).unwrap_or_default();
    format!("{}/{name}{options}", &address[..end])
}

fn query(url: &str, statement: &str) -> Result<(), String> {
    let psql = tool("psql").unwrap_or_else(|| panic!("psql is missing. {INSTALL}"));
    let run = Command::new(psql)
        .args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", statement])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    if run.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&run.stderr).into_owned())
    }
}

/// A program of PostgreSQL: in PATH, or where Debian keeps the servers (the newest version wins).
fn tool(name: &str) -> Option<PathBuf> {
    let path = setting("PATH").unwrap_or_default();
    let listed = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut versions: Vec<PathBuf> = listed.map(|version| version.path()).collect();
    versions.sort_by_key(|version| {
        version.file_name().and_then(|name| name.to_str()).and_then(|name| name.parse::<u32>().ok())
    });
    let debian = versions.into_iter().rev().map(|version| version.join("bin"));
    std::env::split_paths(&path)
        .chain(debian)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// The account that owns the cluster: PostgreSQL refuses to run as root.
fn owner() -> Option<(u32, u32)> {
    let number = |arguments: &[&str]| -> Option<u32> {
        let run = Command::new("id").args(arguments).output().ok()?;
        String::from_utf8_lossy(&run.stdout).trim().parse().ok()
    };
    if number(&["-u"]) != Some(0) {
        return None;
    }
    let account = number(&["-u", "postgres"]).zip(number(&["-g", "postgres"]));
    Some(account.unwrap_or_else(|| panic!("there is no user `postgres`. {INSTALL}")))
}

struct Cluster {
    url: String,
}

impl Cluster {
    fn start(durable: bool) -> Cluster {
        let Some((initdb, postgres)) = tool("initdb").zip(tool("postgres")) else {
            panic!("{INSTALL}");
        };
        let owner = owner();
        let folder = Folder::create(std::env::temp_dir().join(format!(
            "daybook-postgres-{}-{}",
            std::process::id(),
            u8::from(durable)
        )));
        let home = folder.path();
        if let Some((user, group)) = owner {
            std::os::unix::fs::chown(home, Some(user), Some(group))
                .expect("the directory changes owner");
        }
        initialise(&initdb, home, owner);
        for _ in 0..10 {
            let port = free_port();
            let mut server = launch(&postgres, home, owner, &settings(home, port, durable));
            let stop = stop_command(server.id(), home);
            let guard = Entry::new(&stop);
            if ready(&mut server, port) {
                // Both stay registered until this process ends.
                std::mem::forget((guard, folder));
                return Cluster { url: format!("postgres://postgres@127.0.0.1:{port}/postgres") };
            }
            drop(server.kill());
            drop(server.wait());
        }
        panic!(
            "PostgreSQL does not start:\n{}",
            std::fs::read_to_string(home.join("log")).unwrap_or_default()
        );
    }
}

fn initialise(initdb: &Path, home: &Path, owner: Option<(u32, u32)>) {
    // A linguistic collation, as most installations have: orderings that lean on the database's own
    // would show.
    let collations: [&[&str]; 2] = [
        &["--locale-provider=icu", "--icu-locale=en-US", "--locale=C.UTF-8"],
        &["--locale=C.UTF-8"],
    ];
    let mut said = String::new();
    for collation in collations {
        let mut command = owned(initdb, home, owner);
        let data = home.join("data");
        command
            .arg("-D")
            .arg(&data)
            .args(["-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"])
            .args(collation);
        let run = command.output().expect("initdb starts");
        if run.status.success() {
            return;
        }
        said = String::from_utf8_lossy(&run.stderr).into_owned();
        drop(std::fs::remove_dir_all(&data));
    }
    panic!("initdb fails: {said}");
}

fn settings(home: &Path, port: u16, durable: bool) -> Vec<String> {
    let mut settings = vec![
        format!("port={port}"),
        "listen_addresses=127.0.0.1".to_owned(),
        format!("unix_socket_directories={}", home.display()),
        "max_connections=400".to_owned(),
    ];
    if !durable {
        settings.extend(
            ["fsync=off", "synchronous_commit=off", "full_page_writes=off"].map(str::to_owned),
        );
    }
    settings
}

fn launch(postgres: &Path, home: &Path, owner: Option<(u32, u32)>, settings: &[String]) -> Child {
    let log = File::options()
        .create(true)
        .append(true)
        .open(home.join("log"))
        .expect("a log for the cluster");
    let mut command = owned(postgres, home, owner);
    command.arg("-D").arg(home.join("data")).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    for setting in settings {
        command.args(["-c", setting]);
    }
    command.spawn().expect("postgres starts")
}

fn owned(program: &Path, home: &Path, owner: Option<(u32, u32)>) -> Command {
    let mut command = Command::new(program);
    // Its own process group: Ctrl-C ends the suite first, and the guard then stops the cluster in
    // order.
    command.current_dir(home).process_group(0);
    if let Some((user, group)) = owner {
        command.uid(user).gid(group);
    }
    command
}

/// SIGQUIT is the immediate shutdown; the server removes its pid file as the last thing it does.
fn stop_command(server: u32, home: &Path) -> String {
    let file = home.join("data/postmaster.pid");
    let file = file.display();
    format!(
        "kill -QUIT {server}; for turn in $(seq 60); do [ -e '{file}' ] || break; sleep 0.05; \
            done; kill -9 {server}"
    )
}

fn ready(server: &mut Child, port: u16) -> bool {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let url = format!("postgres://postgres@127.0.0.1:{port}/postgres");
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(30) {
        // It ends at once when another program took the port in between.
        if server.try_wait().expect("its state").is_some() {
            return false;
        }
        if TcpStream::connect(address).is_ok() && query(&url, "SELECT 1").is_ok() {
            return true;
        }
        pause(Duration::from_millis(50));
    }
    false
}
