//! What comes with a unit of work into the queue of a writer.

use std::sync::{Arc, Weak};

use daybook_domain::id::UserId;

use crate::fair_queue::Tenant;
use crate::shard_key::ShardKey;

/// The lane of a unit of work, whose time it takes, and whether anybody waits for it.
#[derive(Debug, Clone)]
pub struct Submission {
    pub(crate) lane: ShardKey,
    pub(crate) flow: Tenant,
    asker: Option<Weak<()>>,
}

impl Submission {
    /// Work that takes the time of this user (behaviour 0.36). Without one it takes that of the
    /// program.
    #[must_use]
    pub const fn of(lane: ShardKey, user: UserId) -> Self {
        Self::of_flow(lane, Some(user))
    }

    /// Work that takes the time of this flow.
    pub(crate) const fn of_flow(lane: ShardKey, flow: Tenant) -> Self {
        Self { lane, flow, asker: None }
    }

    /// The same for work that is dropped when it has not begun by the time `asker` is gone.
    #[must_use]
    pub fn while_asked(self, asker: &Arc<()>) -> Self {
        Self { asker: Some(Arc::downgrade(asker)), ..self }
    }

    /// Whether somebody waits for it, or it is to be done in any case.
    pub(crate) fn is_wanted(&self) -> bool {
        self.asker.as_ref().is_none_or(|asker| asker.strong_count() > 0)
    }
}

impl From<ShardKey> for Submission {
    fn from(lane: ShardKey) -> Self {
        Self::of_flow(lane, None)
    }
}
