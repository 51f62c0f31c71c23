//! Refusals of requests about transactions.

use super::limits::{MAX_DESCRIPTION, MAX_INDEXED, MAX_LISTED, MAX_REMOTE_ID, MAX_URL, MAX_URLS};
use crate::reason::Reason;

/// The reason why a request about transactions is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant has its message")]
pub enum Refusal {
    #[error("transaction not found: {0}")]
    Unknown(String),
    /// Several unknown ids at once (behaviour 3.6.5, 12.4).
    #[error("transactions not found. Ids: [{}]", .0.join(", "))]
    UnknownIds(Vec<String>),
    #[error("id is required")]
    IdRequired,
    #[error("date \"{0}\" is not a date of the form yyyy-MM-dd")]
    Date(String),
    #[error("an incomplete transaction cannot be posted; missing: {}", .0.join(", "))]
    Incomplete(Vec<&'static str>),
    #[error("a posted transaction must keep its {}", .0.join(", "))]
    MustStayComplete(Vec<&'static str>),
    #[error("creditAccount and debitAccount are the same account")]
    SameAccount,
    #[error("the transaction is checked; uncheck it first")]
    Checked,
    #[error("a merge takes exactly two items; there are {0}")]
    NotTwo(usize),
    #[error("the items of a merge must be distinct; a transaction cannot be merged with itself")]
    SameTransaction,
    /// A merge of unknown transactions, which is a bad request (behaviour 3.11.10).
    #[error("transactions not found. Ids: [{}]", .0.join(", "))]
    UnknownToMerge(Vec<String>),
    #[error("the transaction is not posted")]
    NotPosted,
    #[error("the transaction is trashed; restore it first")]
    Trashed,
    /// An item in the target state, in a batch that skips none (behaviour 3.6.7).
    #[error("the transaction is already {0}")]
    AlreadyDone(&'static str),
    #[error("the date {0} is locked or closed in this book")]
    Locked(String),
    #[error("account \"{account}\" would have {balance}; its minimum balance is {minimum}")]
    InsufficientFunds { account: String, balance: String, minimum: String },
    #[error("remote id \"{0}\" has more than {MAX_REMOTE_ID} characters")]
    RemoteIdTooLong(String),
    #[error(
        "remote id {0:?} is also in item {1}, which has a different date, amount, account or \
         description"
    )]
    ConflictingRow(String, usize),
    #[error("description has {0} bytes; at most {MAX_DESCRIPTION} are allowed")]
    DescriptionTooLong(usize),
    #[error("a URL has {0} bytes; at most {MAX_URL} are allowed")]
    UrlTooLong(usize),
    #[error("the URLs have {0} bytes together; at most {MAX_URLS} are allowed")]
    UrlsTooLong(usize),
    #[error(
        "the texts of these transactions have more than {0} bytes together: \
         send fewer items at once"
    )]
    TooMuchText(usize),
    #[error("{0} has {1} entries; at most {MAX_LISTED} are allowed")]
    TooMany(&'static str, usize),
    #[error(
        "the items have {0} remote ids, hashtags, files and properties (which count twice) in all; \
         at most {MAX_INDEXED} are allowed: send fewer items at once"
    )]
    TooMuchIndexed(usize),
    #[error("{0} is required and must be {1}")]
    Parameter(&'static str, &'static str),
    #[error("permission {0} is not enough for this")]
    NotEnough(&'static str),
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::Unknown(_) | Self::UnknownIds(_) => Reason::NotFound,
            Self::NotEnough(_) => Reason::Forbidden,
            Self::Checked => Reason::CheckedTransaction,
            Self::Locked(_) => Reason::LockedDate,
            Self::InsufficientFunds { .. } => Reason::InsufficientFunds,
            Self::IdRequired
            | Self::Date(_)
            | Self::Incomplete(_)
            | Self::MustStayComplete(_)
            | Self::SameAccount
            | Self::NotTwo(_)
            | Self::SameTransaction
            | Self::UnknownToMerge(_)
            | Self::NotPosted
            | Self::Trashed
            | Self::AlreadyDone(_)
            | Self::RemoteIdTooLong(_)
            | Self::ConflictingRow(..)
            | Self::DescriptionTooLong(_)
            | Self::UrlTooLong(_)
            | Self::UrlsTooLong(_)
            | Self::TooMuchText(_)
            | Self::TooMany(..)
            | Self::TooMuchIndexed(_)
            | Self::Parameter(..) => Reason::BadRequest,
        }
    }
}
