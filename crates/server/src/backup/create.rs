//! `daybook backup create`.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use clap::Args;
use daybook_domain::file::Content;
use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;
use daybook_edge::last_backup::LastBackup;
use daybook_service::{Result, audit};
use daybook_storage::dump::{Source, Target};
use daybook_storage::{Address, ReadOnlyStore};

use super::age::{self, Recipient};
use super::keep::{self, Keep};
use super::layout::{CONTENTS, DATABASE, FILE_LIST, SEALED_KEYS, name};
use super::manifest::{FileContents, Keys, LAYOUT, Manifest, NOTE, Part};
use super::place::{Place, sum_of};
use super::staging::{Staging, remove_stale, sync};
use crate::audited::{AuditSummary, BookPages, audit_database};
use crate::checkpoint::CheckpointArgs;
use crate::checkpoint::file::list;
use crate::files::FileStoreArgs;
use crate::installation::{DataArgs, print};
use crate::log::log_command;
use crate::plural::counted;
use crate::progress::Progress;
use crate::{clock, files, key};

/// The exit status of a backup that was made and is not good, and of findings.
const FINDINGS: u8 = 3;

#[derive(Debug, Args)]
pub(super) struct CreateArgs {
    /// Place of the backup: a directory, which is created, or s3://BUCKET/PREFIX
    #[arg(long, value_name = "DIR|s3://BUCKET/PREFIX")]
    to: String,
    /// Afterwards keep only the newest backup of as many days, weeks and months, as in 7d4w12m
    #[arg(long, value_name = "7d4w12m")]
    keep: Option<Keep>,
    /// Seal the keys to this public key, which age-keygen makes (age1...). Without it the keys are
    /// copied as they are, and to a bucket not at all
    #[arg(long, value_name = "AGE_KEY")]
    recipient: Option<Recipient>,
    /// Print the manifest as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    files: FileStoreArgs,
    #[command(flatten)]
    checkpoints: CheckpointArgs,
}

/// Runs `daybook backup create`.
///
/// # Errors
/// When the installation cannot be read or the place fails. The place then has a folder without a
/// manifest at most.
pub(super) fn run(options: &CreateArgs) -> anyhow::Result<ExitCode> {
    let began = clock::now();
    let address = options.data.existing()?;
    let place = Place::open(&options.to, &options.files)?;
    let backup = name(began).context("the clock is wrong")?;
    ensure!(place.list(&backup)?.is_empty(), "{} has {backup} already", options.to);
    let (parent, prefix) = match place.folder() {
        Some(folder) => (folder, "."),
        None => (&options.data.data_dir, "backup-"),
    };
    remove_stale(parent, prefix, began);
    let staging = Staging::create(parent.join(format!("{prefix}{backup}")))?;
    let copy = staging.file(DATABASE);
    copy_database(&address, &copy)
        .with_context(|| format!("{} cannot be copied", options.data.shown()))?;
    let audit = audit_database(&Address::Sqlite(copy.clone()), "audit")?;
    let mut parts = Vec::new();
    let contents = copy_contents(options, &copy, &place, &backup, &mut parts)?;
    let sum = place.put_file(&format!("{backup}/{DATABASE}"), &copy)?;
    parts.push(Part { name: DATABASE.to_owned(), sum });
    copy_checkpoints(options, &place, &backup, &mut parts)?;
    let keys = copy_keys(options, &place, &backup, &mut parts)?;
    let manifest = Manifest {
        layout: LAYOUT,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        began_at: began.milliseconds(),
        ended_at: clock::now().milliseconds(),
        engine: if address.is_server() { "postgresql" } else { "sqlite" }.to_owned(),
        keys,
        note: NOTE.to_owned(),
        parts,
        files: contents,
        audit,
    };
    manifest.store(&place, &backup)?;
    log_command(&options.data, "backup create", None);
    if manifest.is_good() {
        note_last_backup(options, &place, &manifest);
    }
    let removed = match &options.keep {
        Some(keep) if manifest.is_good() => keep::prune(&place, keep)?,
        _ => Vec::new(),
    };
    report(options, &backup, &manifest, &removed)?;
    Ok(if manifest.is_good() { ExitCode::SUCCESS } else { ExitCode::from(FINDINGS) })
}

/// Notes the backup in the data directory. The backup is good even if that fails.
fn note_last_backup(options: &CreateArgs, place: &Place, manifest: &Manifest) {
    let shown = match place.folder() {
        Some(folder) => std::path::absolute(folder).unwrap_or_else(|_| folder.clone()),
        None => options.to.trim_end_matches('/').into(),
    };
    let last = LastBackup {
        finished_at: Instant::new(manifest.ended_at),
        bytes: manifest.bytes().saturating_add(manifest.files.bytes),
        place: shown.display().to_string(),
    };
    if let Err(error) = last.write(&options.data.data_dir) {
        let directory = options.data.data_dir.display();
        let _ = writeln!(
            std::io::stderr(),
            "daybook: warning: last-backup.json in {directory} cannot be written: {error}"
        );
    }
}

/// Copies the database into a SQLite file, on one snapshot.
fn copy_database(address: &Address, copy: &Path) -> anyhow::Result<()> {
    let mut progress = Progress::new("database");
    if !Source::copy_file(address, copy)? {
        let mut source = Source::open(address)?;
        let target = Target::open(&Address::Sqlite(copy.to_owned()))?;
        target.fill(&mut source, &mut |rows| progress.show(&format!("{rows} rows")))?;
    }
    sync(copy)
}

/// Stores the contents of files that the copy names and the place does not have, and their list.
fn copy_contents(
    options: &CreateArgs,
    copy: &Path,
    place: &Place,
    backup: &str,
    parts: &mut Vec<Part>,
) -> anyhow::Result<FileContents> {
    let blobs = files::open_existing(&options.files, &options.data.data_dir)?;
    let mut store = ReadOnlyStore::open(&Address::Sqlite(copy.to_owned()))?;
    let mut counted = FileContents { count: 0, bytes: 0, missing: 0 };
    let mut list = String::new();
    let mut progress = Progress::new("files");
    each_content(&mut store, &mut |book, content| {
        let Content { blob, size, digest } = content;
        let path = format!("{CONTENTS}/{book}/{blob}");
        let bytes = u64::try_from(*size).unwrap_or_default();
        // Writing to a String cannot fail.
        let _ = writeln!(list, "{digest}  {book}/{blob}");
        counted.count = counted.count.saturating_add(1);
        counted.bytes = counted.bytes.saturating_add(bytes);
        progress.show(&format!("{} of {} bytes", counted.count, counted.bytes));
        if place.size(&path)? == Some(bytes) {
            return Ok(());
        }
        let found = match &blobs {
            Some(blobs) => place.wait(blobs.read(book.as_str(), blob)),
            None => Ok(None),
        };
        let found = found.map_err(|error| anyhow::anyhow!("{book}/{blob}: {error}"))?;
        match found.filter(|found| sum_of(found).sha256 == *digest) {
            Some(found) => place.put(&path, found.to_vec()).map(drop),
            None => {
                counted.missing = counted.missing.saturating_add(1);
                Ok(())
            }
        }
    })?;
    let sum = place.put(&format!("{backup}/{FILE_LIST}"), list.into_bytes())?;
    parts.push(Part { name: FILE_LIST.to_owned(), sum });
    Ok(counted)
}

/// Calls `visit` with each content that the rows of files name.
pub(super) fn each_content(
    store: &mut ReadOnlyStore,
    visit: &mut dyn FnMut(&BookKey, &Content) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut books = BookPages::default();
    while let Some(book) = books.next(store)? {
        let mut below = None;
        loop {
            let page: Result<_> = store.read(|tx| audit::file_contents(tx, &book, below));
            let page = page?;
            let Some((last, _)) = page.last() else { break };
            below = Some(*last);
            page.iter().try_for_each(|(_, content)| visit(&book, content))?;
        }
    }
    Ok(())
}

fn copy_checkpoints(
    options: &CreateArgs,
    place: &Place,
    backup: &str,
    parts: &mut Vec<Part>,
) -> anyhow::Result<()> {
    let directory = options.checkpoints.directory(&options.data.data_dir);
    if !directory.exists() {
        return Ok(());
    }
    for path in list(&directory)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("checkpoints/{name}");
        let sum = place.put_file(&format!("{backup}/{name}"), &path)?;
        parts.push(Part { name, sum });
    }
    Ok(())
}

fn copy_keys(
    options: &CreateArgs,
    place: &Place,
    backup: &str,
    parts: &mut Vec<Part>,
) -> anyhow::Result<Keys> {
    let mut found = Vec::new();
    for name in key::FILES {
        let path = options.data.data_dir.join(name);
        match fs::read(&path) {
            Ok(bytes) => found.push((name, bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => {
                return Err(error).with_context(|| format!("{} cannot be read", path.display()));
            }
        }
    }
    let mut put = |name: String, bytes: Vec<u8>| {
        let sum = place.put(&format!("{backup}/{name}"), bytes)?;
        parts.push(Part { name, sum });
        anyhow::Ok(())
    };
    if let Some(recipient) = &options.recipient {
        let texts: serde_json::Map<_, _> = found
            .into_iter()
            .map(|(name, bytes)| (name.to_owned(), BASE64_STANDARD.encode(bytes).into()))
            .collect();
        let sealed = age::seal(&serde_json::to_vec(&texts)?, recipient)?;
        put(SEALED_KEYS.to_owned(), sealed)?;
        return Ok(Keys::Sealed);
    }
    if place.folder().is_none() {
        return Ok(Keys::LeftOut);
    }
    found.into_iter().try_for_each(|(name, bytes)| put(format!("keys/{name}"), bytes))?;
    Ok(Keys::Unsealed)
}

fn report(
    options: &CreateArgs,
    backup: &str,
    manifest: &Manifest,
    removed: &[String],
) -> anyhow::Result<()> {
    if options.json {
        let result = serde_json::json!({
            "name": backup, "good": manifest.is_good(), "removed": removed, "manifest": manifest,
        });
        return print([result.to_string()]);
    }
    let AuditSummary { books, events, findings, first_finding, .. } = &manifest.audit;
    let place = options.to.trim_end_matches('/');
    let mut lines = vec![
        format!("{place}/{backup}"),
        format!(
            "{}, {}, {}, {} in the database and lists",
            counted(*books, "book"),
            counted(*events, "event"),
            counted(manifest.files.count, "file"),
            counted(manifest.bytes(), "byte")
        ),
    ];
    lines.push(match manifest.keys {
        Keys::Sealed => "The keys are sealed to the recipient.".to_owned(),
        Keys::Unsealed => "The keys are not sealed: whoever reads the backup can sign in as any \
                           user. --recipient seals them."
            .to_owned(),
        Keys::LeftOut => "The keys are left out, because they are stored in a bucket only sealed: \
                          keep token.key and sealing.key elsewhere, or give --recipient."
            .to_owned(),
    });
    lines.push(NOTE.to_owned());
    lines.extend(removed.iter().map(|name| format!("Removed {name}.")));
    if *findings > 0 {
        let first = first_finding.as_deref().unwrap_or_default();
        lines.push(format!("The audit of the copy has {findings} findings, first: {first}"));
    }
    if manifest.files.missing > 0 {
        lines.push(format!(
            "{} contents of files are missing in the store or damaged; `daybook verify` lists them",
            manifest.files.missing
        ));
    }
    lines.push(if manifest.is_good() {
        "The copy was audited: the backup is good.".to_owned()
    } else {
        "The backup is complete, but the installation is not in order.".to_owned()
    });
    print(lines)
}
