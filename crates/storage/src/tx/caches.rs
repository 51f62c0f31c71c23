//! What units of work remember of what they have read.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use daybook_domain::id::BookId;

use crate::access::BookAccess;
use crate::app_face::AppFaceCache;
use crate::book::BookNumberCache;
use crate::book_state::BookStateRow;
use crate::chart::ChartCache;
use crate::delivery::KnownReceiver;
use crate::stored::OwnersInGroup;

/// What the connections of a store remember together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Caches {
    pub(crate) charts: Arc<ChartCache>,
    pub(super) faces: Arc<AppFaceCache>,
    pub(super) numbers: Arc<BookNumberCache>,
}

impl Caches {
    /// What a unit of work on a replica remembers with the others. How apps look there may be older
    /// than what they have changed. So may be accounts and groups of a book that is behind; else
    /// they are known by the version that the snapshot shows. The number of a book never changes.
    pub(crate) fn of_replica(&self, stale_reads: bool) -> Self {
        let charts = if stale_reads { Arc::default() } else { Arc::clone(&self.charts) };
        Self { charts, faces: Arc::default(), numbers: Arc::clone(&self.numbers) }
    }
}

/// What a group has read of its books. It stays true while the group holds their locks, because
/// nobody else can change it.
#[derive(Debug, Default)]
pub(crate) struct GroupCache {
    /// Books whose row lock is held.
    pub(crate) locked: HashSet<String>,
    /// The state of books, as the database has it when no flush is under way.
    pub(crate) book_states: HashMap<BookId, BookStateRow>,
    /// What users may do in books, by book and e-mail address.
    pub(crate) accesses: HashMap<(String, String), BookAccess>,
    /// Who receives the events of books.
    pub(crate) receivers: HashMap<BookId, Vec<KnownReceiver>>,
    /// Whose books they are.
    pub(crate) owners: OwnersInGroup,
}
