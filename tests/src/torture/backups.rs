//! Backups made while clients write, as `docs/operations.md` describes.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use super::Torture;
use super::writers::{ClientReport, Persistent};
use crate::guard::Folder;
use crate::postgres::{Database, tool};
use crate::{Engine, Server, pause, unique};

/// How long clients write before a backup starts, and after it is made.
const WRITING: Duration = Duration::from_millis(700);

/// A database restored from a backup.
struct Restored {
    url: String,
    _database: Option<Database>,
    _folder: Folder,
}

/// The result of the comparison.
#[derive(Debug)]
pub struct BackupReport {
    /// Transactions acknowledged before the backup started.
    pub before: usize,
    /// Requests acknowledged during the backup or just after.
    pub meanwhile: usize,
    /// All violations.
    pub violations: Vec<String>,
}

/// Makes a backup while clients write, restores and serves it, and checks it: everything
/// acknowledged before is there, everything else is complete or absent.
///
/// # Errors
/// When no backup can be made or served.
pub fn check_backup(engine: Engine, seed: u64) -> anyhow::Result<BackupReport> {
    let mut torture = Torture::on(vec![Server::start(engine)], seed)?;
    let before = torture.write_for(|_| Ok(()))?.0;
    let (mut meanwhile, restored) = torture.write_for(copy)?;
    let token = torture.owner.token().context("the owner has a token")?.to_owned();
    let mut original = torture.servers.remove(0);
    original.terminate();
    let served = original.on_copy(&restored.url);
    torture.owner = served.client_with_token(&token);
    torture.servers.push(served);
    let mut kept = BackupReport {
        before: before.sent.iter().map(|request| request.len()).sum(),
        meanwhile: meanwhile.sent.len(),
        violations: [before.wrong, meanwhile.wrong].concat(),
    };
    torture.requests.extend(before.sent);
    // It is unknown which of these requests came before the backup.
    for request in &mut meanwhile.sent {
        request.ids = None;
    }
    kept.violations.extend(torture.check(meanwhile.sent)?.verdict.violations);
    Ok(kept)
}

impl Torture {
    /// Runs something while clients write; every request was answered.
    fn write_for<T>(
        &mut self,
        meanwhile: impl FnOnce(&Server) -> anyhow::Result<T>,
    ) -> anyhow::Result<(ClientReport, T)> {
        let writers = self.start_writers(vec![self.servers[0].address()])?;
        writing(&writers)?;
        let done = meanwhile(&self.servers[0]);
        writing(&writers)?;
        let written = writers.stop()?;
        self.next = written.next;
        Ok((written, done?))
    }
}

/// Lets all clients write for a moment, and until each request was answered.
fn writing(writers: &Persistent) -> anyhow::Result<()> {
    let begun = Instant::now();
    pause(WRITING);
    let answered = writers.all_acknowledged(begun, Duration::from_secs(60));
    answered.map(drop).context("a client is not answered")
}

fn copy(server: &Server) -> anyhow::Result<Restored> {
    let name = format!("daybook-backup-{}-{}", std::process::id(), unique("copy"));
    let folder = Folder::create(std::env::temp_dir().join(name));
    let file = folder.path().join("daybook.backup");
    if server.engine() == Engine::Sqlite {
        let path = server.database_url().strip_prefix("sqlite:").context("a file")?;
        let reader = rusqlite::Connection::open(path)?;
        reader.execute("VACUUM INTO ?1", [file.to_string_lossy()])?;
        drop(reader);
        restrict(&file)?;
        let url = format!("sqlite:{}", file.display());
        return Ok(Restored { url, _database: None, _folder: folder });
    }
    let file = file.to_string_lossy();
    run("pg_dump", &["--format=custom", "--file", &file, server.database_url()])?;
    let database = Database::empty(false);
    let into = format!("--dbname={}", database.url);
    let options = ["--exit-on-error", "--single-transaction", "--no-owner", &into, &file];
    run("pg_restore", &options)?;
    Ok(Restored { url: database.url.clone(), _database: Some(database), _folder: folder })
}

/// Daybook refuses a database that other users may read.
fn restrict(file: &PathBuf) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600))?)
}

fn run(program: &str, arguments: &[&str]) -> anyhow::Result<()> {
    let path = tool(program).with_context(|| format!("{program} is part of PostgreSQL"))?;
    let run = Command::new(path).args(arguments).output()?;
    ensure!(run.status.success(), "{program}: {}", String::from_utf8_lossy(&run.stderr));
    Ok(())
}
