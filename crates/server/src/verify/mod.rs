//! `daybook verify`: compares the database and the contents of files with the checkpoints of the
//! logs (behaviour 6.27). It changes nothing, and may run beside a server.
//!
//! Checkpoints and books are read side by side in the order of the ids of books. So only one book
//! is in memory at a time, with its entries in all checkpoints.

mod book;
mod merged;
mod output;

use std::cmp::Ordering;
use std::collections::HashSet;
use std::path::PathBuf;
use std::process::ExitCode;

use actix_web::rt::{System, SystemRunner};
use anyhow::{Context, ensure};
use clap::Args;
use daybook_auth::identity::CheckpointKey;
use daybook_blobs::Blobs;
use daybook_domain::id::BookKey;
use daybook_storage::{Address, ReadOnlyStore};

use crate::audited::{AuditSum, AuditSummary, BookPages};
use crate::checkpoint::CheckpointArgs;
use crate::checkpoint::file::{Checkpoint, CheckpointReader, check, list};
use crate::files::FileStoreArgs;
use crate::installation::DataArgs;
use crate::{files, key};
use merged::{MergedCheckpoints, NamedHead};
use output::Output;

/// The exit status if the comparison failed.
pub(crate) const UNKNOWN: u8 = 2;

/// The options of `daybook verify`.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    checkpoints: CheckpointArgs,
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    files: FileStoreArgs,
}

/// The data to compare.
pub(crate) struct Comparison {
    /// The database.
    pub(crate) address: Address,
    /// The directory of the checkpoints.
    pub(crate) checkpoints: PathBuf,
    /// The key that verifies them. Without it they are not compared.
    pub(crate) key: Option<CheckpointKey>,
    /// The contents of files, if there are any.
    pub(crate) blobs: Option<Blobs>,
    /// Whether the result is printed as one JSON object.
    pub(crate) json: bool,
}

/// Runs `daybook verify`. The status is 0 if everything agrees, and 1 if something differs.
///
/// # Errors
/// When the data to compare cannot be read.
pub(crate) fn run(options: &VerifyArgs) -> anyhow::Result<ExitCode> {
    let VerifyArgs { checkpoints, data, files } = options;
    let address = data.existing()?;
    let key = key::checkpoint_key(&data.data_dir)?;
    let checkpoints = checkpoints.directory(&data.data_dir);
    ensure!(
        !list(&checkpoints)?.is_empty(),
        "there is no checkpoint in {}; `daybook checkpoint` writes one",
        checkpoints.display()
    );
    let blobs = files::open_existing(files, &data.data_dir)?;
    let comparison = Comparison { address, checkpoints, key: Some(key), blobs, json: false };
    let (status, _) =
        compare(comparison).with_context(|| format!("{} cannot be compared", data.shown()))?;
    Ok(status)
}

/// Compares a database with the checkpoints and the contents of files, and prints the differences.
/// Returns 0 if everything agrees and 1 if something differs, and the audit of all books.
///
/// # Errors
/// When the data to compare cannot be read.
pub(crate) fn compare(comparison: Comparison) -> anyhow::Result<(ExitCode, AuditSummary)> {
    let Comparison { address, checkpoints: directory, key, blobs, json } = comparison;
    let mut output = Output::new(json);
    let paths = if key.is_some() && directory.exists() { list(&directory)? } else { Vec::new() };
    let checkpoints = match &key {
        Some(key) => check_all(&paths, key, &mut output)?,
        None => Vec::new(),
    };
    let store = ReadOnlyStore::open(&address).context("the database cannot be opened")?;
    let place = CheckpointPlace { directory, key, known: paths.into_iter().collect() };
    let system = System::new();
    let mut verification =
        Verification { place, store, blobs, system, output, audit: AuditSum::new() };
    verification.run(&checkpoints)?;
    let Verification { output, audit, place, .. } = verification;
    let compared = place.key.map(|_| checkpoints.len());
    Ok((output.finish(compared)?, audit.finish()))
}

/// Returns the checkpoints with valid signatures, and reports the others.
fn check_all(
    paths: &[PathBuf],
    key: &CheckpointKey,
    output: &mut Output,
) -> anyhow::Result<Vec<Checkpoint>> {
    let mut checkpoints = Vec::with_capacity(paths.len());
    for path in paths {
        match check(path, key)? {
            Ok(checkpoint) => checkpoints.push(checkpoint),
            Err(fault) => output.checkpoint(path, fault)?,
        }
    }
    Ok(checkpoints)
}

/// The directory in which a server may write checkpoints during the comparison.
struct CheckpointPlace {
    directory: PathBuf,
    key: Option<CheckpointKey>,
    /// The files at the start of the comparison.
    known: HashSet<PathBuf>,
}

impl CheckpointPlace {
    /// Returns whether a checkpoint written during the comparison says that a book was deleted.
    fn has_new_deletion(&self, book: &BookKey) -> anyhow::Result<bool> {
        let Some(key) = &self.key else { return Ok(false) };
        for path in list(&self.directory)?.into_iter().filter(|path| !self.known.contains(path)) {
            if check(&path, key)?.is_err() {
                continue;
            }
            let mut entries = CheckpointReader::new(path);
            while entries.peek()?.is_some() {
                if entries.take().is_some_and(|entry| entry.is_deleted && entry.book == *book) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// The comparison.
struct Verification {
    place: CheckpointPlace,
    store: ReadOnlyStore,
    blobs: Option<Blobs>,
    /// Runs the requests to the file store.
    system: SystemRunner,
    output: Output,
    audit: AuditSum,
}

impl Verification {
    /// Compares each book of the database and of the checkpoints.
    fn run(&mut self, checkpoints: &[Checkpoint]) -> anyhow::Result<()> {
        let (mut books, mut merged) = (BookPages::default(), MergedCheckpoints::new(checkpoints));
        loop {
            let (book, named) = (books.peek(&mut self.store)?, merged.peek()?);
            let (book, order) = match (book, named) {
                (None, None) => return Ok(()),
                (Some(book), None) => (book, Ordering::Less),
                (None, Some(named)) => (named, Ordering::Greater),
                (Some(book), Some(named)) => {
                    let order = book.cmp(&named);
                    (book.min(named), order)
                }
            };
            let heads: Vec<NamedHead> =
                if order.is_ge() { merged.take(&book)? } else { Vec::new() };
            if order.is_le() {
                books.next(&mut self.store)?;
                self.verify(&book, &heads)?;
            } else {
                self.report_absent(&book, &heads)?;
            }
        }
    }

    /// Reports a book that the database does not have.
    ///
    /// Its removal was correct if its last checkpoint says that it was deleted. A book without a
    /// checkpoint may have been removed during the comparison.
    fn report_absent(&mut self, book: &BookKey, heads: &[NamedHead]) -> anyhow::Result<()> {
        match heads.iter().max_by_key(|head| (head.at, head.is_deleted)) {
            None => Ok(()),
            Some(last) if last.is_deleted || self.place.has_new_deletion(book)? => {
                self.output.removed(book)
            }
            Some(last) => {
                let expected = format!("event {} as in {}", last.head.sequence, last.checkpoint);
                self.output.difference("missing", book, book.as_str(), &expected, "no book")
            }
        }
    }
}
