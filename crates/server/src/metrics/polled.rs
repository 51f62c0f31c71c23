//! Figures that cost a query or a call of the system. A background worker reads them every 15
//! seconds, so a scrape reads memory only.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use daybook_domain::id::BookId;
use daybook_domain::instant::Instant;
use daybook_edge::Wakeup;
use daybook_edge::blocking::block;
use daybook_edge::last_backup::LastBackup;
use daybook_edge::worker::{RoundReport, RunningRound, Worker};
use daybook_storage::metric::Gauge;
use daybook_storage::{Address, Store};

use crate::disk;

/// The time between two rounds.
const INTERVAL: Duration = Duration::from_secs(15);
/// How long the figures of the database are known after they were read: three rounds.
const MAX_AGE_MILLISECONDS: i64 = 45_000;
/// The books whose last audits are read in a round. 100,000 books take 25 minutes.
const BOOKS_OF_A_ROUND: i64 = 1_000;

/// The last figures. Those that could not be read have no value.
pub(super) struct Polled {
    store: Arc<Store>,
    clock: fn() -> Instant,
    database: Address,
    data_dir: PathBuf,
    audits: Mutex<AuditRound>,
    /// When the last round read the database, in milliseconds since 1970; unset if it failed.
    database_read_at: Gauge,
    pub(super) database_bytes: Gauge,
    pub(super) wal_bytes: Gauge,
    pub(super) due_queues: Gauge,
    /// In milliseconds.
    pub(super) oldest_due: Gauge,
    pub(super) paused_apps: Gauge,
    pub(super) mails: Gauge,
    pub(super) waiting_audits: Gauge,
    /// The time of the oldest of the last audits of all books, in milliseconds since 1970.
    pub(super) oldest_audit: Gauge,
    /// The free bytes of the places in `places`.
    pub(super) free_bytes: [Gauge; 3],
    places: [Option<PathBuf>; 3],
    /// In milliseconds since 1970.
    pub(super) backup_finished: Gauge,
    pub(super) backup_bytes: Gauge,
}

/// The names of the places whose free bytes are read.
pub(super) const PLACES: [&str; 3] = ["data", "database", "files"];

/// The progress through the books of an installation.
#[derive(Debug, Default)]
struct AuditRound {
    after: Option<BookId>,
    oldest: Option<Instant>,
}

impl Polled {
    /// Creates the figures of an installation, without values. `files` is the folder of file
    /// contents, if it is one.
    pub(super) fn new(
        store: &Arc<Store>,
        clock: fn() -> Instant,
        database: Address,
        data_dir: PathBuf,
        files: Option<PathBuf>,
    ) -> Self {
        let folder =
            if let Address::Sqlite(path) = &database { disk::folder_of(path) } else { None };
        Self {
            store: Arc::clone(store),
            clock,
            places: [Some(data_dir.clone()), folder, files],
            database,
            data_dir,
            audits: Mutex::default(),
            database_read_at: Gauge::unset(),
            database_bytes: Gauge::unset(),
            wal_bytes: Gauge::unset(),
            due_queues: Gauge::unset(),
            oldest_due: Gauge::unset(),
            paused_apps: Gauge::unset(),
            mails: Gauge::unset(),
            waiting_audits: Gauge::unset(),
            oldest_audit: Gauge::unset(),
            free_bytes: [const { Gauge::unset() }; 3],
            backup_finished: Gauge::unset(),
            backup_bytes: Gauge::unset(),
        }
    }

    /// Creates the worker that reads the figures.
    pub(super) fn worker(polled: &Arc<Self>) -> Worker {
        let polled = Arc::clone(polled);
        let round = move || -> RunningRound {
            let polled = Arc::clone(&polled);
            Box::pin(async move { block(move || polled.read()).await? })
        };
        let wakeup = Wakeup::default();
        Worker { name: "metrics", interval: INTERVAL, wakeup, round: Box::new(round) }
    }

    fn read(&self) -> anyhow::Result<RoundReport> {
        for (gauge, place) in self.free_bytes.iter().zip(&self.places) {
            set(gauge, place.as_deref().and_then(|place| disk::free_bytes(place).ok()));
        }
        let backup = LastBackup::read(&self.data_dir);
        let backup = backup.as_ref().ok().and_then(Option::as_ref);
        set(&self.backup_finished, backup.map(|backup| backup.finished_at.milliseconds()));
        set(&self.backup_bytes, backup.map(|backup| backup.bytes));
        if let Address::Sqlite(path) = &self.database {
            set(&self.database_bytes, disk::file_bytes(path));
            set(&self.wal_bytes, disk::file_bytes(&disk::wal_of(path)));
        }
        let read = self.read_database();
        set(&self.database_read_at, read.is_ok().then(|| (self.clock)().milliseconds()));
        read.map(|()| RoundReport::default())
    }

    /// Returns whether the figures of the database are known: the last round has read them, and the
    /// next one is not stuck.
    pub(super) fn is_database_up(&self) -> bool {
        let now = (self.clock)().milliseconds();
        let read_at = self.database_read_at.get();
        read_at.is_some_and(|at| now.saturating_sub(at) <= MAX_AGE_MILLISECONDS)
    }

    fn read_database(&self) -> anyhow::Result<()> {
        let now = (self.clock)();
        let (backlog, size) = self.store.read(|tx| -> daybook_storage::Result<_> {
            Ok((tx.monitor().backlog(now)?, tx.monitor().size()?))
        })?;
        self.due_queues.set(backlog.due_queues);
        let oldest = backlog.due_since.unwrap_or(now);
        self.oldest_due.set(now.milliseconds().saturating_sub(oldest.milliseconds()));
        self.paused_apps.set(backlog.paused_apps);
        self.mails.set(backlog.mails);
        self.waiting_audits.set(backlog.audits);
        if size.is_some() {
            set(&self.database_bytes, size);
        }
        self.read_audits()
    }

    /// Reads the last audits of the next books. After the last book it sets the figure.
    fn read_audits(&self) -> anyhow::Result<()> {
        let mut round = self.audits.lock().unwrap_or_else(PoisonError::into_inner);
        let after = round.after;
        let (books, last) =
            self.store.read(|tx| tx.monitor().last_audits(after, BOOKS_OF_A_ROUND))?;
        let oldest = books.iter().map(|book| book.at.unwrap_or(book.created_at)).min();
        round.oldest = round.oldest.into_iter().chain(oldest).min();
        round.after = last;
        if i64::try_from(books.len()).unwrap_or(i64::MAX) < BOOKS_OF_A_ROUND {
            set(&self.oldest_audit, round.oldest.map(Instant::milliseconds));
            *round = AuditRound::default();
        }
        Ok(())
    }
}

/// Sets a gauge, or removes its value.
fn set(gauge: &Gauge, value: Option<impl TryInto<i64>>) {
    match value.map(|value| value.try_into().unwrap_or(i64::MAX)) {
        Some(value) => gauge.set(value),
        None => gauge.clear(),
    }
}
