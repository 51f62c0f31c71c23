//! The state of a read of a single statement.

use std::sync::Arc;

use crate::book::access_cache::KnownAccess;

/// The state of a single read.
#[derive(Default)]
pub(crate) struct SingleRead {
    pub(super) assumed: Option<Arc<KnownAccess>>,
    pub(super) outcome: Outcome,
}

/// The outcome of the statement of a single read.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It was not sent.
    #[default]
    Unsent,
    /// It failed, or its connection did.
    Failed,
    /// The access has changed.
    Refuted,
    /// It has returned rows.
    Confirmed,
}
