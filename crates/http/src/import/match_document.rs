//! The stored form of a match.

use daybook_domain::id::{AccountId, TransactionId};
use daybook_domain::import::{LockReason, Match, MatchEffect, MatchReason, MatchTarget};
use serde::{Deserialize, Serialize};

/// A match or a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct MatchDoc {
    /// The transaction; zero for a record.
    pub(super) transaction: i64,
    /// The other record and its account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) record: Option<(u32, i64)>,
    #[serde(with = "ReasonDoc")]
    reason: MatchReason,
    effect: EffectDoc,
}

/// The stored form of a [`MatchReason`].
#[derive(Serialize, Deserialize)]
#[serde(remote = "MatchReason")]
enum ReasonDoc {
    PendingForm,
    SameDayAndText,
    SameDay,
    NearDayAndText,
    Transfer,
    Decision,
    PossibleTransfer,
    NearDay,
    PendingText,
}

/// The stored form of a [`MatchEffect`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum EffectDoc {
    AddRemoteId,
    SetOtherSide,
    PostDraft,
    PairChecked,
    PairLocked,
    PairNotEditable,
    JoinRecord,
}

impl From<&Match> for MatchDoc {
    fn from(found: &Match) -> Self {
        let (transaction, record) = match found.target {
            MatchTarget::Transaction(id) => (id.get(), None),
            MatchTarget::Record { number, account } => (0, Some((number, account.get()))),
        };
        let effect = match found.effect {
            MatchEffect::AddRemoteId => EffectDoc::AddRemoteId,
            MatchEffect::SetOtherSide => EffectDoc::SetOtherSide,
            MatchEffect::PostDraft => EffectDoc::PostDraft,
            MatchEffect::StorePair(LockReason::Checked) => EffectDoc::PairChecked,
            MatchEffect::StorePair(LockReason::Locked) => EffectDoc::PairLocked,
            MatchEffect::StorePair(LockReason::NotEditable) => EffectDoc::PairNotEditable,
            MatchEffect::JoinRecord => EffectDoc::JoinRecord,
        };
        Self { transaction, record, reason: found.reason, effect }
    }
}

impl From<&MatchDoc> for Match {
    fn from(found: &MatchDoc) -> Self {
        let target = match found.record {
            Some((number, account)) => {
                MatchTarget::Record { number, account: AccountId::new(account) }
            }
            None => MatchTarget::Transaction(TransactionId::new(found.transaction)),
        };
        let effect = match found.effect {
            EffectDoc::AddRemoteId => MatchEffect::AddRemoteId,
            EffectDoc::SetOtherSide => MatchEffect::SetOtherSide,
            EffectDoc::PostDraft => MatchEffect::PostDraft,
            EffectDoc::PairChecked => MatchEffect::StorePair(LockReason::Checked),
            EffectDoc::PairLocked => MatchEffect::StorePair(LockReason::Locked),
            EffectDoc::PairNotEditable => MatchEffect::StorePair(LockReason::NotEditable),
            EffectDoc::JoinRecord => MatchEffect::JoinRecord,
        };
        Self { target, reason: found.reason, effect }
    }
}
