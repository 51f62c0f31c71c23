//! Why a decision about a record was refused.

use crate::id::TransactionId;
use crate::reason::Reason;

/// Why the decisions of a confirmation were refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant has its message")]
pub enum Refusal {
    #[error("record {0} does not exist: the file has {1} records")]
    UnknownRecord(u32, u32),
    #[error("record {0} has two decisions")]
    Repeated(u32),
    #[error("record {0} is {1} and cannot become {2}")]
    Outcome(u32, &'static str, &'static str),
    #[error("record {0}: outcome \"MATCHED\" requires a match")]
    MatchRequired(u32),
    #[error("record {0}: a match requires the outcome \"MATCHED\"")]
    MatchWithoutOutcome(u32),
    #[error("record {0}: transaction {1} is not one of its candidates")]
    NotACandidate(u32, TransactionId),
    #[error("record {0}: record {1} is not one of its candidates")]
    NotACandidateRecord(u32, u32),
    #[error("record {0}: its match is taken by record {1}")]
    MatchTaken(u32, u32),
    #[error("record {0}: record {1}, which it is matched with, is not recorded")]
    MainNotRecorded(u32, u32),
    #[error("record {0}: its date {1} is locked")]
    Locked(u32, String),
    #[error("record {0}: the account is the account of the statement")]
    SameAccount(u32),
    #[error("record {0} is not recorded, so it takes no account, description or tags")]
    NotRecorded(u32),
    #[error("record {0}: \"{1}\" is not a hashtag: use letters, digits and _")]
    Tag(u32, String),
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::Locked(..) => Reason::LockedDate,
            Self::UnknownRecord(..)
            | Self::Repeated(_)
            | Self::Outcome(..)
            | Self::MatchRequired(_)
            | Self::MatchWithoutOutcome(_)
            | Self::NotACandidate(..)
            | Self::NotACandidateRecord(..)
            | Self::MatchTaken(..)
            | Self::MainNotRecorded(..)
            | Self::SameAccount(_)
            | Self::NotRecorded(_)
            | Self::Tag(..) => Reason::BadRequest,
        }
    }
}
