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
pub enum Refusal {
    /// A create has no name.
    #[error("name is required, in the body or as a query parameter")]
    NameRequired,
    /// An update has no id.
    #[error("id is required")]
    IdRequired,
    /// `fractionDigits` is outside 0 to 8.
    #[error("invalid fractionDigits {0}: expected 0 to {MAX_FRACTION_DIGITS}")]
    FractionDigits(i64),
    /// The time zone is not an IANA zone name.
    #[error("timeZone \"{0}\" is not an IANA time zone")]
    TimeZone(String),
    /// `pageSize` is outside 1 to 1000.
    #[error("invalid pageSize {0}: expected 1 to 1000")]
    PageSize(i64),
    /// A field is neither a date nor the text that clears one.
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
    /// The permission does not allow the change.
    #[error("permission {0} is not enough to change {1}")]
    NotEnough(&'static str, &'static str),
    /// The limit of owned books is reached (behaviour 6.23).
    #[error(
        "the user already owns {0} books: transfer some, or delete some and wait for their removal"
    )]
    TooManyOwned(usize),
    /// The address of the new owner is missing.
    #[error("email of the new owner is required")]
    NewOwnerRequired,
    /// The caller has no open offer of the book.
    #[error("offer not found: the book is not offered to you, or the offer has expired")]
    NotOffered,
    /// The address does not belong to a user who can own the book.
    #[error("{0} does not belong to a user of this server who can own the book")]
    NewOwnerUnknown(Email),
    /// The copy has no name.
    #[error("name is required, as a query parameter")]
    CopyNameRequired,
    /// `fromDate` of a copy is not a day.
    #[error("fromDate \"{0}\" is not a day of the form yyyyMMdd")]
    CopyFromDate(String),
    /// `fractionDigits` of a copy is not a number from 0 to 8.
    #[error("invalid fractionDigits \"{0}\": expected 0 to {MAX_FRACTION_DIGITS}")]
    CopyFractionDigits(String),
    /// The book to restore is not deleted.
    #[error("the book {0} is not deleted")]
    NotDeleted(BookKey),
    /// The removal of the book has begun.
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
