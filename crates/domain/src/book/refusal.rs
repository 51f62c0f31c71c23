//! Refusals about books.

use crate::amount::MAX_FRACTION_DIGITS;
use crate::email::Email;
use crate::id::BookKey;
use crate::reason::Reason;

/// Limit of transactions of a book whose amounts are rewritten at a finer scale in one unit of work
/// (behaviour 3.12.7).
pub const MAX_RESCALED: usize = 10_000;

/// Why a request about a book was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant has its message")]
pub enum Refusal {
    #[error("name is required, in the body or as a query parameter")]
    NameRequired,
    #[error("id is required")]
    IdRequired,
    #[error("invalid fractionDigits {0}: expected 0 to {MAX_FRACTION_DIGITS}")]
    FractionDigits(i64),
    #[error("timeZone \"{0}\" is not an IANA time zone")]
    TimeZone(String),
    #[error("invalid pageSize {0}: expected 1 to 1000")]
    PageSize(i64),
    #[error("{0} \"{1}\" is not a date of the form yyyy-MM-dd")]
    Date(&'static str, String),
    /// A stored amount would exceed the limit at the finer scale (behaviour 3.12.7).
    #[error("fractionDigits {0} is too fine for the amounts already recorded")]
    Rescale(u32),
    /// The book has more than [`MAX_RESCALED`] transactions (behaviour 3.12.7).
    #[error(
        "fractionDigits {0} is finer than the stored amounts, which can be rewritten only in books \
         of at most {MAX_RESCALED} transactions: copy the book with fractionDigits={0} instead"
    )]
    RescaleLarge(u32),
    #[error("permission {0} is not enough to change {1}")]
    NotEnough(&'static str, &'static str),
    /// The limit of owned books is reached (behaviour 6.23).
    #[error(
        "the user already owns {0} books: transfer some, or delete some and wait for their removal"
    )]
    TooManyOwned(usize),
    #[error("email of the new owner is required")]
    NewOwnerRequired,
    #[error("offer not found: the book is not offered to you, or the offer has expired")]
    NotOffered,
    #[error("{0} does not belong to a user of this server who can own the book")]
    NewOwnerUnknown(Email),
    #[error("name is required, as a query parameter")]
    CopyNameRequired,
    #[error("fromDate \"{0}\" is not a day of the form yyyyMMdd")]
    CopyFromDate(String),
    #[error("invalid fractionDigits \"{0}\": expected 0 to {MAX_FRACTION_DIGITS}")]
    CopyFractionDigits(String),
    #[error("the book {0} is not deleted")]
    NotDeleted(BookKey),
    #[error("the book {0} is already being removed")]
    BeingRemoved(BookKey),
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::NotEnough(..) => Reason::Forbidden,
            Self::NotOffered => Reason::NotFound,
            Self::NameRequired
            | Self::IdRequired
            | Self::FractionDigits(_)
            | Self::TimeZone(_)
            | Self::PageSize(_)
            | Self::Date(..)
            | Self::Rescale(_)
            | Self::RescaleLarge(_)
            | Self::TooManyOwned(_)
            | Self::NewOwnerRequired
            | Self::NewOwnerUnknown(_)
            | Self::CopyNameRequired
            | Self::CopyFromDate(_)
            | Self::CopyFractionDigits(_)
            | Self::NotDeleted(_)
            | Self::BeingRemoved(_) => Reason::BadRequest,
        }
    }
}
