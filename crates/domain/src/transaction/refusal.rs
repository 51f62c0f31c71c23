//! Refusals of requests about transactions.

use super::limits::{MAX_DESCRIPTION, MAX_INDEXED, MAX_LISTED, MAX_REMOTE_ID, MAX_URL, MAX_URLS};
use crate::reason::Reason;

/// The reason why a request about transactions is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No transaction with that id, or a draft of another user, for a recorder.
    #[error("transaction not found: {0}")]
    Unknown(String),
    /// Several unknown ids at once (behaviour 3.6.5, 12.4).
    #[error("transactions not found. Ids: [{}]", .0.join(", "))]
    UnknownIds(Vec<String>),
    /// An id is required.
    #[error("id is required")]
    IdRequired,
    /// `date` is not `yyyy-MM-dd`.
    #[error("date \"{0}\" is not a date of the form yyyy-MM-dd")]
    Date(String),
    /// A draft cannot be posted because it lacks required fields.
    #[error("an incomplete transaction cannot be posted; missing: {}", .0.join(", "))]
    Incomplete(Vec<&'static str>),
    /// An update would clear required fields of a posted transaction.
    #[error("a posted transaction must keep its {}", .0.join(", "))]
    MustStayComplete(Vec<&'static str>),
    /// The same account on both sides.
    #[error("creditAccount and debitAccount are the same account")]
    SameAccount,
    /// A checked transaction is read-only.
    #[error("the transaction is checked; uncheck it first")]
    Checked,
    /// A merge does not have exactly two items.
    #[error("a merge takes exactly two items; there are {0}")]
    NotTwo(usize),
    /// A merge of a transaction with itself.
    #[error("the items of a merge must be distinct; a transaction cannot be merged with itself")]
    SameTransaction,
    /// A merge of unknown transactions, which is a bad request (behaviour 3.11.10).
    #[error("transactions not found. Ids: [{}]", .0.join(", "))]
    UnknownToMerge(Vec<String>),
    /// A draft cannot be checked.
    #[error("the transaction is not posted")]
    NotPosted,
    /// A trashed transaction can only be restored.
    #[error("the transaction is trashed; restore it first")]
    Trashed,
    /// The date is locked or closed.
    #[error("the date {0} is locked or closed in this book")]
    Locked(String),
    /// A remote id longer than allowed.
    #[error("remote id \"{0}\" has more than {MAX_REMOTE_ID} characters")]
    RemoteIdTooLong(String),
    /// Two items of the batch have the same remote id and different content.
    #[error(
        "remote id {0:?} is also in item {1}, which has a different date, amount, account or \
         description"
    )]
    ConflictingRow(String, usize),
    /// A longer description than allowed.
    #[error("description has {0} bytes; at most {MAX_DESCRIPTION} are allowed")]
    DescriptionTooLong(usize),
    /// A longer URL than allowed.
    #[error("a URL has {0} bytes; at most {MAX_URL} are allowed")]
    UrlTooLong(usize),
    /// Longer URLs together than allowed.
    #[error("the URLs have {0} bytes together; at most {MAX_URLS} are allowed")]
    UrlsTooLong(usize),
    /// The transactions of a request have longer texts together than allowed.
    #[error(
        "the texts of these transactions have more than {0} bytes together: \
         send fewer items at once"
    )]
    TooMuchText(usize),
    /// More remote ids, URLs or files than allowed.
    #[error("{0} has {1} entries; at most {MAX_LISTED} are allowed")]
    TooMany(&'static str, usize),
    /// The items together need more index terms than allowed.
    #[error(
        "the items have {0} remote ids, hashtags, files and properties (which count twice) in all; \
         at most {MAX_INDEXED} are allowed: send fewer items at once"
    )]
    TooMuchIndexed(usize),
    /// A parameter that is missing or cannot be read.
    #[error("{0} is required and must be {1}")]
    Parameter(&'static str, &'static str),
    /// The permission is not enough for the state of the transaction.
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
