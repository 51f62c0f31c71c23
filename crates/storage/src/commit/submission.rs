//! The scheduling data of a write.

use std::sync::{Arc, Weak};

use daybook_domain::id::UserId;

use crate::commit::fair_queue::Tenant;
use crate::commit::shard_key::ShardKey;

/// The shard key of a write, the tenant that is charged for its time, and the waiting caller.
#[derive(Debug, Clone)]
pub struct Submission {
    pub(crate) shard_key: ShardKey,
    pub(crate) tenant: Tenant,
    caller: Option<Weak<()>>,
}

impl Submission {
    /// Creates a submission whose time is charged to a user (behaviour 0.36).
    ///
    /// The time of a submission without a user (`ShardKey::into`) is charged to the program.
    #[must_use]
    pub const fn for_user(shard_key: ShardKey, user: UserId) -> Self {
        Self::for_tenant(shard_key, Some(user))
    }

    /// Creates a submission whose time is charged to a tenant.
    pub(crate) const fn for_tenant(shard_key: ShardKey, tenant: Tenant) -> Self {
        Self { shard_key, tenant, caller: None }
    }

    /// Skips the write if `caller` has been dropped before it starts.
    #[must_use]
    pub fn while_caller_waits(self, caller: &Arc<()>) -> Self {
        Self { caller: Some(Arc::downgrade(caller)), ..self }
    }

    /// Returns whether the write should still run.
    pub(crate) fn is_wanted(&self) -> bool {
        self.caller.as_ref().is_none_or(|caller| caller.strong_count() > 0)
    }
}

impl From<ShardKey> for Submission {
    fn from(shard_key: ShardKey) -> Self {
        Self::for_tenant(shard_key, None)
    }
}
