//! `daybook restore`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use clap::{Args, Subcommand};
use daybook_service::{Error, mail};
use daybook_storage::dump::{Source, Target, check_empty};
use daybook_storage::{Address, ReadOnlyStore, restore_hold};
use object_store::ObjectStoreExt;
use object_store::path::Path as ObjectPath;

use super::create;
use super::layout::{CONTENTS, DATABASE, identity, split_path};
use super::manifest::{Keys, Manifest};
use super::parts::{completed, fetch, keys_of};
use super::place::{Place, sum_of};
use super::staging::{Staging, sync};
use crate::audited::audit_database;
use crate::files::{self, FileStoreArgs};
use crate::installation::{DataArgs, open, print};
use crate::log::log_command;
use crate::plural::counted;
use crate::progress::Progress;
use crate::{clock, key, private};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct RestoreArgs {
    #[command(subcommand)]
    command: Option<RestoreCommand>,

    /// The backup: a folder of a place, DIR/NAME or s3://BUCKET/PREFIX/NAME
    #[arg(value_name = "PATH", required = true)]
    path: Option<String>,

    /// The data directory to make; it must be empty or not exist
    #[arg(long, value_name = "EMPTY_DIR", required = true)]
    into: Option<PathBuf>,

    /// Empty database to restore into: sqlite:PATH or postgres://USER@HOST/NAME; by default SQLite
    /// in the data directory
    #[arg(long, env = "DAYBOOK_DATABASE_URL", value_name = "URL", hide_env_values = true)]
    database_url: Option<String>,

    /// Identity file of age that opens sealed keys
    #[arg(long, value_name = "FILE")]
    identity: Option<PathBuf>,

    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    files: FileStoreArgs,
}

#[derive(Debug, Subcommand)]
enum RestoreCommand {
    /// Let a restored installation send webhooks and mails again
    Release {
        /// Print the result as one JSON object
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        data: DataArgs,
    },
}

/// Runs `daybook restore`.
///
/// # Errors
/// When the backup cannot be read or was changed, when the directory or the database is not empty,
/// and when either cannot be written.
pub(crate) fn run(options: &RestoreArgs) -> anyhow::Result<()> {
    match (&options.command, &options.path, &options.into) {
        (Some(RestoreCommand::Release { json, data }), _, _) => release(data, *json),
        (None, Some(path), Some(into)) => restore(options, path, into),
        (None, _, _) => bail!("expected the path of a backup and --into"),
    }
}

fn release(data: &DataArgs, json: bool) -> anyhow::Result<()> {
    let store = open(data)?;
    let was_held = store.write(mail::SHARD_KEY, |tx| Ok::<_, Error>(tx.release_deliveries()?))?;
    log_command(data, "restore release", None);
    if json {
        return print([serde_json::json!({ "released": was_held }).to_string()]);
    }
    print([if was_held {
        "Webhooks and mails are sent again, within a minute.".to_owned()
    } else {
        "Webhooks and mails were not held back.".to_owned()
    }])
}

fn restore(options: &RestoreArgs, path: &str, into: &Path) -> anyhow::Result<()> {
    let (at, backup) = split_path(path)?;
    let place = Place::existing(at, &options.files)?;
    let manifest = completed(&place, backup)?;
    let data = DataArgs { data_dir: into.to_owned(), database_url: options.database_url.clone() };
    let address = data.address()?;
    // SQLite would create the file.
    if address.is_server() {
        check_empty(&address).context("the new database cannot be used")?;
    }
    private::own_directory(into)?;
    ensure!(
        fs::read_dir(into)?.next().is_none(),
        "{} is not empty: restore into an empty directory",
        into.display()
    );
    if let Address::Sqlite(path) = &address {
        ensure!(!path.exists(), "{} exists", path.display());
    }
    let staging = Staging::create(into.join(".restore"))?;
    fetch(&place, backup, &manifest, staging.path())?;
    // A wrong identity leaves the directory empty, for another attempt.
    let has_keys = restore_keys(options, staging.path(), into, &manifest)?;
    let copy = staging.file(DATABASE);
    restore_hold::hold(&Address::Sqlite(copy.clone()), clock::now())
        .context("the database of the backup cannot be used")?;
    let missing = restore_contents(options, into, &copy, &place)?;
    restore_checkpoints(staging.path(), into)?;
    restore_database(&address, &copy, &manifest)?;
    drop(staging);
    log_command(&data, "restore", None);
    if options.json {
        let result = serde_json::json!({
            "name": backup, "hasKeys": has_keys, "missing": missing, "manifest": manifest,
        });
        return print([result.to_string()]);
    }
    let mut lines = missing;
    lines.push(format!(
        "Restored {backup}: {}, {}, {}.",
        counted(manifest.audit.books, "book"),
        counted(manifest.audit.events, "event"),
        counted(manifest.files.count, "file")
    ));
    if !has_keys {
        lines.push(
            "The keys are not restored: put token.key and sealing.key into the directory before \
             the first start, or give --identity. Without them, tokens have to be issued again."
                .to_owned(),
        );
    }
    lines.push(
        "Webhooks and mails are held back until `daybook restore release`, so that a trial sends \
         nothing twice."
            .to_owned(),
    );
    print(lines)
}

/// Puts the database in its place.
fn restore_database(address: &Address, copy: &Path, manifest: &Manifest) -> anyhow::Result<()> {
    let from = Address::Sqlite(copy.to_owned());
    let mut source = Source::open(&from)?;
    if let Address::Sqlite(path) = address {
        drop(source);
        Source::copy_file(&from, path).context("the database cannot be written")?;
        sync(path)?;
    } else {
        let mut progress = Progress::new("database");
        Target::open(address)
            .and_then(|target| {
                target.fill(&mut source, &mut |rows| progress.show(&format!("{rows} rows")))
            })
            .context("the database cannot be written")?;
    }
    let audit = audit_database(address, "audit")?;
    ensure!(audit == manifest.audit, "the restored database differs from the backup: {audit:?}");
    Ok(())
}

/// Copies the contents that the restored rows name, and compares their SHA-256. Returns a sentence
/// for each that the backup lacks. The rest is restored: it is better than nothing.
fn restore_contents(
    options: &RestoreArgs,
    into: &Path,
    copy: &Path,
    place: &Place,
) -> anyhow::Result<Vec<String>> {
    let (store, _) = files::object_store(&options.files, into)?;
    let mut database = ReadOnlyStore::open(&Address::Sqlite(copy.to_owned()))?;
    let (mut progress, mut count) = (Progress::new("files"), 0_u64);
    let mut missing = Vec::new();
    create::each_content(&mut database, &mut |book, content| {
        let name = format!("{book}/{}", content.blob);
        count = count.saturating_add(1);
        progress.show(&format!("{count} files"));
        let Some(bytes) = place.get(&format!("{CONTENTS}/{name}"))? else {
            missing.push(format!("The content {name} is missing, and is not restored."));
            return Ok(());
        };
        if sum_of(&bytes).sha256 != content.digest {
            missing.push(format!("The content {name} has other bytes, and is not restored."));
            return Ok(());
        }
        place
            .wait(store.put(&ObjectPath::from(name.as_str()), bytes.into()))
            .with_context(|| format!("the content {name} cannot be written"))?;
        Ok(())
    })?;
    Ok(missing)
}

fn restore_checkpoints(staging: &Path, into: &Path) -> anyhow::Result<()> {
    let from = staging.join("checkpoints");
    if from.exists() {
        fs::rename(&from, into.join("checkpoints")).context("the checkpoints cannot be written")?;
    }
    Ok(())
}

fn restore_keys(
    options: &RestoreArgs,
    staging: &Path,
    into: &Path,
    manifest: &Manifest,
) -> anyhow::Result<bool> {
    let identity = options.identity.as_deref().map(identity).transpose()?;
    if manifest.keys == Keys::Sealed && identity.is_none() {
        return Ok(false);
    }
    let keys = keys_of(staging, identity.as_ref())?;
    key::write(into, &keys)?;
    Ok(!keys.is_empty())
}
