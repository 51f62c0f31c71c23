//! Why a request about an import was refused.

use crate::id::TransactionId;
use crate::reason::Reason;

/// The most imports of a user in a book that are not recorded (behaviour 15.1).
pub const MAX_OPEN: i64 = 20;

/// The longest name of a file, in characters.
pub const MAX_NAME: usize = 255;

/// Why a request about an import, or its decisions, were refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant has its message")]
pub enum Refusal {
    #[error("import not found: {0}")]
    Unknown(String),
    #[error("the name has {0} characters; at most {MAX_NAME} are allowed")]
    NameTooLong(usize),
    #[error(
        "you have {MAX_OPEN} imports in this book that are not recorded: confirm or discard one"
    )]
    TooManyOpen,
    #[error("only the author of the import may do this")]
    NotAuthor,
    #[error("the import is {0} and cannot be {1}")]
    State(&'static str, &'static str),
    #[error("the book has changed: the outcome or match of records {} is another one", list(.0))]
    PreviewChanged(Vec<u32>),
    #[error("record {0}: account not found: {1}")]
    UnknownAccount(u32, String),
    #[error("record {0}: transaction not found: {1}")]
    UnknownMatch(u32, String),
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
    #[error("record {0}: the accounts of an entry are those of the journal")]
    AccountOfEntry(u32),
    #[error("record {0} is not recorded, so it takes no account, description or tags")]
    NotRecorded(u32),
    #[error("record {0}: \"{1}\" is not a hashtag: use letters, digits and _")]
    Tag(u32, String),
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::Locked(..) => Reason::LockedDate,
            Self::Unknown(_) => Reason::NotFound,
            Self::NotAuthor => Reason::Forbidden,
            Self::PreviewChanged(_) => Reason::PreviewChanged,
            Self::NameTooLong(_)
            | Self::TooManyOpen
            | Self::State(..)
            | Self::UnknownAccount(..)
            | Self::UnknownMatch(..)
            | Self::UnknownRecord(..)
            | Self::Repeated(_)
            | Self::Outcome(..)
            | Self::MatchRequired(_)
            | Self::MatchWithoutOutcome(_)
            | Self::NotACandidate(..)
            | Self::NotACandidateRecord(..)
            | Self::MatchTaken(..)
            | Self::MainNotRecorded(..)
            | Self::SameAccount(_)
            | Self::AccountOfEntry(_)
            | Self::NotRecorded(_)
            | Self::Tag(..) => Reason::BadRequest,
        }
    }
}

/// Lists record numbers for a message.
fn list(records: &[u32]) -> String {
    records.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}
