//! Why nothing more is stored.

use std::fmt;

use crate::reason::Reason;

/// What a storage quota limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Figure {
    /// How many transactions.
    Transactions,
    /// How many bytes.
    Bytes,
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Transactions => "transactions",
            Self::Bytes => "bytes",
        })
    }
}

/// By what a quota would be exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overrun {
    /// Which number.
    pub figure: Figure,
    /// The most that it may be.
    pub limit: i64,
    /// What it is.
    pub held: i64,
    /// What would be added.
    pub added: i64,
}

/// Why nothing more is stored (behaviour 10.14).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The book holds as much as a book may.
    #[error(
        "storage quota: this book may hold {limit} {figure} and holds {held}; this adds {added}: \
         delete files, go on in another book, or ask the operator of this server for more",
        limit = .0.limit, figure = .0.figure, held = .0.held, added = .0.added
    )]
    Book(Overrun),
    /// The caller's books hold as much as they may.
    #[error(
        "storage quota: your books together may hold {limit} {figure} and hold {held}; this adds \
         {added}: delete files or books (a deleted book counts until it is removed), or ask the \
         operator of this server for more",
        limit = .0.limit, figure = .0.figure, held = .0.held, added = .0.added
    )]
    Own(Overrun),
    /// The books of somebody else hold as much as they may.
    #[error(
        "storage quota: the books of the owner of this one hold as many {0} as they may; only the \
         owner can make room, or ask the operator of this server for more"
    )]
    OfOwner(Figure),
    /// The new owner's books would hold more than they may.
    #[error(
        "storage quota: with this book, those of the new owner would hold more {0} than they may; \
         the new owner can make room, or ask the operator of this server for more"
    )]
    OfNewOwner(Figure),
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::Book(_) | Self::Own(_) | Self::OfOwner(_) | Self::OfNewOwner(_) => {
                Reason::StorageQuotaExceeded
            }
        }
    }
}
