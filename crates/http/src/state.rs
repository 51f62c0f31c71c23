//! The application state: the store, the clock, the settings.

use std::path::PathBuf;
use std::sync::Arc;

use daybook_auth::Auth;
use daybook_blobs::{Blobs, Uploads};
use daybook_domain::storage_quota::StorageQuotas;
use daybook_edge::reader_shares::ReaderShares;
use daybook_edge::{Edge, Wakeup};
use daybook_webhooks::Webhooks;

use crate::event_streams::EventStreams;
use crate::import_queue::ImportQueue;
use crate::large_copies::LargeCopies;
use crate::report_slots::ReportSlots;
use crate::template::catalog::Templates;

/// The dependencies and settings of the API.
pub struct AppState {
    /// The store, the clock and the limits of every request.
    pub edge: Arc<Edge>,
    /// Authentication.
    pub auth: Arc<Auth>,
    /// The limits of stored data (behaviour 10.14).
    pub storage_quotas: StorageQuotas,
    /// The limits of uploaded file contents.
    pub uploads: Uploads,
    /// The bytes of files.
    pub blobs: Blobs,
    /// The fair scheduling of reads on each replica (behaviour 0.41).
    pub replica_shares: Vec<ReaderShares>,
    /// Whether getAccount, getGroup and getTransaction respond 204 instead of 404 for missing
    /// resources (behaviour 4.4).
    pub missing_as_no_content: bool,
    /// Whether accounts can also be created at the path of older clients (behaviour 12.6).
    pub ledger_alias: bool,
    /// The starter books of this installation (behaviour 9.7).
    pub templates: Templates,
    /// Sends webhooks.
    pub webhooks: Arc<Webhooks>,
    /// Wakes the audit worker.
    pub audits: Wakeup,
    /// The reports in transfer.
    pub reports: ReportSlots,
    /// Wakes the workers of imports.
    pub imports: ImportQueue,
    /// The copies of books in several units of work.
    pub copies: LargeCopies,
    /// The open event streams.
    pub event_streams: EventStreams,
    /// The directory whose file names the last backup (behaviour 9.22).
    pub data_dir: PathBuf,
    /// The days that deleted books can be restored (behaviour 6.22).
    pub deleted_books_days: u16,
    /// Wakes the worker that removes books.
    pub removals: Wakeup,
    /// Wakes the worker that removes the deliveries of uninstalled apps.
    pub delivery_sweeps: Wakeup,
}
