//! Caches of units of work.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use daybook_domain::id::BookId;

use crate::access::BookAccess;
use crate::app_summary_cache::AppSummaryCache;
use crate::book::access_cache::AccessCache;
use crate::book::number_cache::BookNumberCache;
use crate::chart::cache::ChartCache;
use crate::rows::book_state::BookStateRow;
use crate::rows::delivery::ReceiverQueue;
use crate::storage_quota::owners::OwnerCache;

/// The caches that all connections of a store share.
#[derive(Debug, Clone, Default)]
pub(crate) struct Caches {
    pub(crate) charts: Arc<ChartCache>,
    pub(super) app_summaries: Arc<AppSummaryCache>,
    pub(super) numbers: Arc<BookNumberCache>,
    /// The accesses that single reads assume, where the database is a server.
    pub(crate) accesses: Option<Arc<AccessCache>>,
}

impl Caches {
    /// Creates the caches of a store. A server is far away, so it has single reads.
    pub(crate) fn new(is_server: bool) -> Self {
        Self { accesses: is_server.then(Arc::default), ..Self::default() }
    }

    /// Removes what is cached by version. After a failover the database may lack the last changes,
    /// and their versions may be used again.
    pub(crate) fn clear_versions(&self) {
        self.charts.clear();
        if let Some(accesses) = &self.accesses {
            accesses.clear();
        }
    }

    /// Returns the caches for a read on a replica.
    ///
    /// A replica may have older app summaries, so these are not shared. Charts are cached by
    /// version, but with stale reads the snapshot may show an older version. Numbers of books
    /// never change.
    pub(crate) fn for_replica(&self, stale_reads: bool) -> Self {
        let charts = if stale_reads { Arc::default() } else { Arc::clone(&self.charts) };
        let numbers = Arc::clone(&self.numbers);
        Self { charts, app_summaries: Arc::default(), numbers, accesses: None }
    }
}

/// Data of books that a group has read. It stays valid while the group holds the books' locks.
#[derive(Debug, Default)]
pub(crate) struct GroupCache {
    /// The books whose lock the group holds, by public id.
    pub(crate) locked: HashSet<String>,
    /// The states of books as they are in the database, when no flush is running.
    pub(crate) book_states: HashMap<BookId, BookStateRow>,
    /// The access of users, by book and e-mail address.
    pub(crate) accesses: HashMap<(String, String), BookAccess>,
    /// The receivers of events, by book.
    pub(crate) receivers: HashMap<BookId, Vec<ReceiverQueue>>,
    /// The owners of books.
    pub(crate) owners: OwnerCache,
}
