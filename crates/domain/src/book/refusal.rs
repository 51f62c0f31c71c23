//! Why a request about books is refused.

use crate::amount::MAX_FRACTION_DIGITS;
use crate::email::Email;
use crate::id::BookKey;
use crate::reason::Reason;

/// Transactions of the largest book whose stored amounts are rewritten at a finer scale, which is
/// one unit of work (behaviour 3.12.7).
pub const MAX_RESCALED: usize = 10_000;

/// Why something about a book was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No name on create.
    #[error("name is required, in the body or as a query parameter")]
    NameRequired,
    /// No id on update.
    #[error("id is required")]
    IdRequired,
    /// `fractionDigits` outside 0 to 8.
    #[error("fractionDigits is {0}; 0 to {MAX_FRACTION_DIGITS} are allowed")]
    FractionDigits(i64),
    /// Not an IANA zone name.
    #[error("timeZone \"{0}\" is not an IANA time zone")]
    TimeZone(String),
    /// `pageSize` below 1 or above 1000.
    #[error("pageSize is {0}; 1 to 1000 are allowed")]
    PageSize(i64),
    /// Not a date, and not the text that clears one.
    #[error("{0} \"{1}\" is not a date of the form yyyy-MM-dd")]
    Date(&'static str, String),
    /// A stored amount would be beyond the limit at the finer scale (behaviour 3.12.7).
    #[error("fractionDigits {0} is too fine for the amounts already recorded")]
    Rescale(u32),
    /// Too many stored amounts would be rewritten at the finer scale (behaviour 3.12.7).
    #[error(
        "fractionDigits {0} is finer than the stored amounts, which are rewritten in books of at \
         most {MAX_RESCALED} transactions; copy the book with fractionDigits={0} instead"
    )]
    RescaleLarge(u32),
    /// The permission is not enough for the change.
    #[error("permission {0} is not enough to change {1}")]
    NotEnough(&'static str, &'static str),
    /// So many books are owned already (behaviour 6.23).
    #[error("the user owns {0} books already; transfer some, or delete some and wait")]
    TooManyOwned(usize),
    /// No address of a new owner.
    #[error("email of the new owner is required")]
    NewOwnerRequired,
    /// The caller has no open offer of the book.
    #[error("offer not found: the book is not offered, or the offer has ended")]
    NotOffered,
    /// Nobody with that address can own a book.
    #[error("{0} is no user of this installation who could own the book")]
    NewOwnerUnknown(Email),
    /// No name for the copy.
    #[error("name is required, as a query parameter")]
    CopyNameRequired,
    /// `fromDate` of a copy is not a day.
    #[error("fromDate \"{0}\" is not a day of the form yyyyMMdd")]
    CopyFromDate(String),
    /// `fractionDigits` of a copy is not a number from 0 to 8.
    #[error("fractionDigits is \"{0}\"; 0 to {MAX_FRACTION_DIGITS} are allowed")]
    CopyFractionDigits(String),
    /// There is nothing to restore.
    #[error("the book {0} is not deleted")]
    NotDeleted(BookKey),
    /// It is too late to restore the book.
    #[error("the book {0} is being removed already")]
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
