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
    reason: ReasonDoc,
    effect: EffectDoc,
}

/// The stored form of a [`MatchReason`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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
        let reason = match found.reason {
            MatchReason::PendingForm => ReasonDoc::PendingForm,
            MatchReason::SameDayAndText => ReasonDoc::SameDayAndText,
            MatchReason::SameDay => ReasonDoc::SameDay,
            MatchReason::NearDayAndText => ReasonDoc::NearDayAndText,
            MatchReason::Transfer => ReasonDoc::Transfer,
            MatchReason::Decision => ReasonDoc::Decision,
            MatchReason::PossibleTransfer => ReasonDoc::PossibleTransfer,
            MatchReason::NearDay => ReasonDoc::NearDay,
            MatchReason::PendingText => ReasonDoc::PendingText,
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
        Self { transaction, record, reason, effect }
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
        let reason = match found.reason {
            ReasonDoc::PendingForm => MatchReason::PendingForm,
            ReasonDoc::SameDayAndText => MatchReason::SameDayAndText,
            ReasonDoc::SameDay => MatchReason::SameDay,
            ReasonDoc::NearDayAndText => MatchReason::NearDayAndText,
            ReasonDoc::Transfer => MatchReason::Transfer,
            ReasonDoc::Decision => MatchReason::Decision,
            ReasonDoc::PossibleTransfer => MatchReason::PossibleTransfer,
            ReasonDoc::NearDay => MatchReason::NearDay,
            ReasonDoc::PendingText => MatchReason::PendingText,
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
        Self { target, reason, effect }
    }
}
