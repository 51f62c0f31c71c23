//! One temporary PostgreSQL cluster per process, started when first needed, and one database per
//! server in it.

mod cluster;

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::guard::Entry;
use crate::setting;
pub use cluster::{Cluster, Setup, children};

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
        let url = with_database(&admin, &name);
        if let Some(program) = setting("DAYBOOK_TEST_POSTGRES_PREPARE") {
            let run = Command::new(&program).arg(&url).stdin(Stdio::null()).output();
            let run = run.unwrap_or_else(|error| panic!("{program}: {error}"));
            assert!(run.status.success(), "{program}: {}", String::from_utf8_lossy(&run.stderr));
        }
        let statement = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
        let psql = tool("psql").expect("psql has just run");
        let guard =
            Entry::new(&format!("'{}' -X -q -d '{admin}' -c '{statement}'", psql.display()));
        Database { url, name, admin, _guard: guard }
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
    let start = || Cluster::start(Setup { durable, ..Setup::default() });
    CLUSTERS[usize::from(durable)].get_or_init(start).url().to_owned()
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

pub(crate) fn query(url: &str, statement: &str) -> Result<(), String> {
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

/// A program of PostgreSQL, or one beside it: in PATH, or where Debian keeps the servers, of the
/// newest version.
pub fn tool(name: &str) -> Option<PathBuf> {
    let path = setting("PATH").unwrap_or_default();
    let listed = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut versions: Vec<PathBuf> = listed.map(|version| version.path()).collect();
    versions.sort_by_key(|version| {
        version.file_name().and_then(|name| name.to_str()).and_then(|name| name.parse::<u32>().ok())
    });
    // pgbouncer and others lie where root alone looks.
    let system = [PathBuf::from("/usr/sbin")];
    let debian = versions.into_iter().rev().map(|version| version.join("bin"));
    std::env::split_paths(&path)
        .chain(debian)
        .chain(system)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// The account that owns the cluster: PostgreSQL refuses to run as root.
pub(crate) fn owner() -> Option<(u32, u32)> {
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
